/* Marks in translations. Truth: source and translation are written by hand with their alignment,
 * and so is the marked translation that is expected; laws hold for marks and alignments at random.
 */
#include "runtime/place.h"

#include "base/rng.h"
#include "check.h"

#define WORDS 40

/* A text with marks in it: "<1 .. >1" pairs, "^2" points, "|3" cuts, written as they are here. */
typedef struct {
    char text[4000];
    size_t size;
    ramus_mark marks[200];
    int n;
    ramus_buffer raws;
} marked;

static void read_marked(marked *m, const char *from)
{
    *m = (marked){.raws = m->raws};
    ramus_buffer_clear(&m->raws);
    for (const char *at = from; *at; at++) {
        if (!strchr("<>^|", *at)) {
            m->text[m->size++] = *at;
            continue;
        }
        ramus_mark *to = &m->marks[m->n];
        *to = (ramus_mark){.kind = *at == '<'   ? RAMUS_MARK_OPEN
                                   : *at == '>' ? RAMUS_MARK_CLOSE
                                   : *at == '^' ? RAMUS_MARK_POINT
                                                : RAMUS_MARK_CUT,
                           .pair = -1,
                           .at = m->size,
                           .raw = m->raws.size,
                           .raw_size = 2};
        ramus_buffer_add(&m->raws, at, 2);
        if (*at == '>')
            for (int i = m->n - 1; i >= 0 && to->pair < 0; i--)
                if (m->marks[i].kind == RAMUS_MARK_OPEN && m->marks[i].pair < 0) {
                    m->marks[i].pair = m->n;
                    to->pair = i;
                }
        m->n++;
        at++;
    }
}

/* The words of a text are tokens, signs and digits behind them too: n of them at `at`, with their
 * sizes. */
static int find_tokens(const char *text, size_t size, size_t *at, size_t *sizes)
{
    int n = 0;
    for (size_t i = 0; i < size;) {
        if (text[i] == ' ') {
            i++;
            continue;
        }
        size_t end = i;
        while (end < size && text[end] != ' ' && !strchr(".,!?0123456789", text[end]))
            end++;
        if (end == i) end++;
        at[n] = i;
        sizes[n++] = end - i;
        i = end;
    }
    return n;
}

/* The translation with marks; alignment[i]: the token of the source that token i comes from. One
 * part that covers all. */
static void place(ramus_placing *p, const marked *source, const char *translation,
                  const int *alignment, ramus_buffer *out)
{
    size_t from[WORDS], lengths[WORDS], at[WORDS], sizes[WORDS];
    ramus_link links[WORDS];
    ramus_error err = {0};
    const size_t size = strlen(translation);
    find_tokens(source->text, source->size, from, lengths);
    const int n = find_tokens(translation, size, at, sizes);
    for (int i = 0; i < n; i++) {
        const int a = alignment[i];
        links[i] = (ramus_link){at[i], sizes[i], a < 0 ? 0 : from[a], a < 0 ? 0 : lengths[a]};
    }
    const ramus_stretch all = {0, size, 0, source->size, 0, n, 0};
    const ramus_marked text = {source->text, source->size, source->marks, source->n,
                               source->raws.data};
    REQUIRE_OK(ramus_place_marks(p, &text, translation, size, &all, 1, links, NULL, 0, &err), err);
    const ramus_marked result = {translation, size, p->marks, p->n_marks, source->raws.data};
    ramus_buffer_clear(out);
    ramus_marked_write(&result, NULL, out);
}

static void marks_go_with_their_words(void)
{
    static const struct {
        const char *source, *translation;
        int alignment[WORDS];
        const char *want;
    } cases[] = {
        {"See <1this>1!", "Sieh dies!", {0, 1, 2}, "Sieh <1dies>1!"},
        {"I have <1seen>1 it.",
         "Ich habe es gesehen.",
         {0, 1, 3, 2, 4},
         "Ich habe es <1gesehen>1."},
        {"<1All of it>1", "Das alles", {2, 0}, "<1Das alles>1"},
        {"<1a <2b>2>1 c", "C B A", {2, 1, 0}, "C <1<2B>2 A>1"},
        {"<1a>1 <2b>2 c", "B A C", {1, 0, 2}, "<2B>2 <1A>1 C"},
        {"a ^1 b", "A B", {0, 1}, "A ^1B"},
        {"a^1 b", "B A", {1, 0}, "B A^1"},
        {"a <1>1b", "B A", {1, 0}, "<1>1B A"},
        {"<1a>1^2", "A", {0}, "<1A>1^2"},
        {"<1a^2>1", "A", {0}, "<1A^2>1"},
        {"^2<1a>1", "A", {0}, "^2<1A>1"},
        {"<1^2a>1", "A", {0}, "<1^2A>1"},
        {"one two |1three four", "eins zwei drei vier", {0, 1, 2, 3}, "eins zwei|1drei vier"},
        {"a b |1c d", "A C B D", {0, 2, 1, 3}, "A|1C B D"},
        {"a |1b |2c", "A B C", {0, 1, 2}, "A|1B|2C"},
        {"a |1b |2c",
         "A B C",
         {2, 2, 2},
         "A|1B|2C"}, // a word for each piece, whatever it translates
        {"a b |1c d", "A B C D.", {0, 0, 0, 0, 0}, "A B C|1D."},
        {"a |1b", "B", {1}, "|1B"},             // too few words
        {"<1a>1 b", "X B", {-1, 1}, "<1>1X B"}, // a was not translated
        {"note<11>1 is", "Fussnote1 ist", {0, 1, 2}, "Fussnote<11>1 ist"},
        {"H<12>1O", "H2O", {0, 1, 2}, "H<12>1O"},
        {"not <1what>1 to say", "nicht, was zu sagen", {0, 1, 1, 2, 3}, "nicht, <1was>1 zu sagen"},
        {"say <1what>1, he", "was, sagt er", {1, 1, 0, 3}, "<1was>1, sagt er"},
        {"<1What>1", "Was?", {0, 0}, "<1Was?>1"}, // all of a sentence
        {"<1no!>1 he", "nein! er", {0, 1, 2}, "<1nein!>1 er"},
        {"<1a>1 and <1b>1", "B und A", {2, 1, 0}, "<1B>1 und <1A>1"},
    };
    ramus_placing p = {0};
    ramus_buffer out = {0};
    marked m = {0};
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        read_marked(&m, cases[i].source);
        place(&p, &m, cases[i].translation, cases[i].alignment, &out);
        EXPECT_TEXT(out.data, cases[i].want);
    }
    ramus_placing_free(&p);
    ramus_buffer_free(&out);
    ramus_buffer_free(&m.raws);
}

/* "go K; done" with a cut before "done" and K kept: what is behind the cut stays behind it. */
static void a_cut_stands_beside_what_was_kept(void)
{
    const char *translation = "geh Kfertig.";
    const ramus_link links[] = {{0, 3, 0, 2}, {5, 6, 6, 4}, {11, 1, 6, 4}};
    const ramus_stretch stretches[] = {
        {0, 4, 0, 3, 0, 1, 0}, {4, 1, 3, 1, 1, 0, -1}, {5, 7, 4, 6, 1, 2, 1}};
    const ramus_mark cut = {.kind = RAMUS_MARK_CUT, .pair = -1, .at = 5, .size = 1, .raw_size = 1};
    const ramus_mark kept = {.kind = RAMUS_MARK_KEEP, .pair = -1, .at = 4, .size = 1};
    const ramus_marked source = {"go K; done", 10, &cut, 1, "|"};
    ramus_placing p = {0};
    ramus_error err = {0};
    REQUIRE_OK(ramus_place_marks(&p, &source, translation, 12, stretches, 3, links, &kept, 1, &err),
               err);
    EXPECT_INT(p.n_marks, 2, "marks");
    EXPECT_INT((int)p.marks[1].at, 5, "the cut");
    ramus_placing_free(&p);
}

static bool has_word(const char *text, size_t from, size_t to)
{
    while (from < to && text[from] == ' ')
        from++;
    return from < to;
}

static size_t next_cut(const ramus_mark *marks, int n, int *i)
{
    while (*i < n && marks[*i].kind != RAMUS_MARK_CUT)
        ++*i;
    return *i < n ? marks[(*i)++].at : SIZE_MAX;
}

/* Both texts have as many words, so no piece between cuts may lose all of its words. */
static void check_pieces(const ramus_placing *p, const marked *source, const char *translation)
{
    size_t from = 0, to = 0, at = 0, end = 0;
    for (int i = 0, k = 0; to < SIZE_MAX; from = to, at = end) {
        to = next_cut(source->marks, source->n, &i);
        end = next_cut(p->marks, p->n_marks, &k);
        const size_t stop = to < SIZE_MAX ? to : source->size;
        const size_t stop_at = end < SIZE_MAX ? end : strlen(translation);
        if (has_word(source->text, from, stop))
            EXPECT(has_word(translation, at, stop_at), "piece from %zu lost its words", from);
    }
}

/* Every mark once, text unchanged but for the space at cuts, pairs nested, cuts in order. */
static void check_law(const ramus_placing *p, const marked *source, const char *translation)
{
    int stack[200], depth = 0, cut = -1;
    size_t at = 0;
    EXPECT_INT(p->n_marks, source->n, "marks");
    for (int i = 0; i < p->n_marks; i++) {
        const ramus_mark *m = &p->marks[i];
        int number = 0;
        while (number < source->n && source->marks[number].raw != m->raw)
            number++;
        EXPECT(number < source->n, "mark %d is none of the source", i);
        EXPECT(m->at >= at && m->at <= strlen(translation), "mark %d at %zu", i, m->at);
        at = m->at;
        switch (m->kind) {
        case RAMUS_MARK_OPEN:
            stack[depth++] = i;
            break;
        case RAMUS_MARK_CLOSE:
            EXPECT(depth > 0 && stack[depth - 1] == m->pair, "close %d", i);
            if (depth) EXPECT_INT(p->marks[stack[depth - 1]].pair, i, "pair");
            if (depth) depth--;
            break;
        case RAMUS_MARK_CUT:
            EXPECT(number > cut, "cut %d before %d", number, cut);
            cut = number;
            break;
        default:
            break;
        }
    }
    EXPECT_INT(depth, 0, "open pairs");
}

static void random_marks_keep_the_law(void)
{
    ramus_placing p = {0};
    ramus_buffer out = {0}, source = {0}, text = {0};
    marked m = {0};
    for (unsigned k = 0; k < 3000; k++) {
        const ramus_rng rng = {check_seed(), 3, k, 0};
        uint64_t at = 0;
        int alignment[WORDS], open = 0;
        const int words = 1 + (int)(ramus_rng_bits(&rng, at++) % (WORDS / 2 - 1));
        ramus_buffer_clear(&source);
        ramus_buffer_clear(&text);
        for (int i = 0; i < words; i++) {
            for (int j = 0; j < 3; j++) {
                const unsigned what = ramus_rng_bits(&rng, at++) % 10;
                if (what == 0) ramus_buffer_print(&source, "<%d", open++ % 10);
                if (what == 1 && open) ramus_buffer_print(&source, ">%d", --open % 10);
                if (what == 2) ramus_buffer_text(&source, "^5");
                if (what == 3) ramus_buffer_text(&source, "|6");
                if (j == 0) ramus_buffer_print(&source, "w%c", 'a' + i);
                if (j == 1) ramus_buffer_text(&source, " ");
            }
        }
        while (open)
            ramus_buffer_print(&source, ">%d", --open % 10);
        for (int i = 0; i < words; i++) {
            ramus_buffer_print(&text, "%sT%c", i ? " " : "", 'a' + i);
            alignment[i] = (int)(ramus_rng_bits(&rng, at++) % (unsigned)(words + 1)) - 1;
        }
        read_marked(&m, source.data);
        place(&p, &m, text.data, alignment, &out);
        check_law(&p, &m, text.data);
        check_pieces(&p, &m, text.data);
    }
    ramus_placing_free(&p);
    ramus_buffer_free(&out);
    ramus_buffer_free(&source);
    ramus_buffer_free(&text);
    ramus_buffer_free(&m.raws);
}

CHECK_MAIN({"marks_go_with_their_words", marks_go_with_their_words},
           {"a_cut_stands_beside_what_was_kept", a_cut_stands_beside_what_was_kept},
           {"random_marks_keep_the_law", random_marks_keep_the_law})
