/* A translation as text, as lines of an n-best list, or as JSON. */
#include "cli/translate.h"

#include "data/translation_json.h"

static void print_json(ramus_buffer *out, const ramus_text *source, const ramus_translation *t,
                       int n_best)
{
    ramus_buffer_text(out, "{\"source\": ");
    ramus_buffer_json(out, source->data, source->size);
    ramus_buffer_text(out, ", ");
    ramus_translation_json(out, t, n_best);
    ramus_buffer_text(out, "}\n");
}

void ramus_translate_print(ramus_buffer *out, const ramus_translate_style *style,
                           const ramus_text *source, const ramus_translation *t, int64_t number)
{
    if (style->json) {
        print_json(out, source, t, style->n_best);
    } else if (style->scores) {
        for (int j = 0; j < style->n_best && t[j].text; j++) {
            ramus_buffer_print(out, "%lld ||| ", (long long)number);
            ramus_buffer_add(out, t[j].text, t[j].size);
            ramus_buffer_print(out, " ||| %.6f\n", t[j].score);
        }
    } else {
        ramus_buffer_add(out, t->text, t->size);
        if (style->feed) ramus_buffer_text(out, "\n");
    }
}
