/* The file of --glossary, or a glossary without terms, to which each --keep adds its expression. */
#include "cli/terms_choice.h"

// clang-format off
#define AT(field) offsetof(ramus_terms_choice, field)
static const ramus_setting rows[] = {
    {"glossary", RAMUS_SETTING_TEXT, AT(glossary), "file of terms and their translations: source, tab, target (docs/guide/glossary.md)", NULL, 0, 0, ramus_setting_file, NULL},
    {"keep",     RAMUS_SETTING_LIST, AT(keep), "regular expression (POSIX, extended) of what is not translated; may be given several times", NULL, 1, 1, NULL, NULL},
};
#undef AT
// clang-format on

ramus_settings ramus_terms_options(ramus_terms_choice *c)
{
    return (ramus_settings){rows, RAMUS_COUNT(rows), c};
}

ramus_status ramus_terms_choose(ramus_terms_choice *c, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    if (c->glossary)
        st = ramus_terms_open(&c->terms, c->glossary, err);
    else if (c->keep.n > 0)
        st = ramus_terms_create(&c->terms, err);
    for (int i = 0; i < c->keep.n && !st; i++)
        st = ramus_terms_keep(c->terms, c->keep.items[i], err);
    return st;
}

void ramus_terms_choice_free(ramus_terms_choice *c)
{
    ramus_terms_close(c->terms);
    c->terms = NULL;
}
