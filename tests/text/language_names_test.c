/* What people call a language, from the way that forms, locales and language lists write it. */
#include "base/status.h"
#include "text/language.h"
#include "text/language_names.h"

#include "check.h"

static void every_spelling_is_understood(void)
{
    static const char *const words[][2] = {
        {"de", "de"},          {"DE", "de"},         {"de_AT", "de"},   {"de-at", "de"},
        {"de_DE.UTF-8", "de"}, {"deu", "de"},        {"german", "de"},  {"German", "de"},
        {"GERMAN", "de"},      {"deutsch", "de"},    {"Deutsch", "de"}, {"en_US", "en"},
        {"English", "en"},     {"FRANÇAIS", "fr"},   {"čeština", "cs"}, {"ČEŠTINA", "cs"},
        {"中文", "zh"},        {"zh-Hant-TW", "zh"}, {"русский", "ru"}, {"tiếng việt", "vi"},
    };
    for (int i = 0; i < RAMUS_COUNT(words); i++) {
        const char *code = ramus_language_find(words[i][0]);
        EXPECT(code && strcmp(code, words[i][1]) == 0, "%s is %s", words[i][0], code ? code : "?");
    }
}

static void other_words_are_none(void)
{
    static const char *const words[] = {"",   "-",   "d",        "germ",   "germanic", "klingon",
                                        "xx", "dex", "\xFF\xFE", "de\xFF", "_de",      "francais "};
    for (int i = 0; i < RAMUS_COUNT(words); i++)
        EXPECT(!ramus_language_find(words[i]), "\"%s\" is %s", words[i],
               ramus_language_find(words[i]));
}

static void codes_have_names(void)
{
    EXPECT_TEXT(ramus_language_name("de", 2), "German");
    EXPECT_TEXT(ramus_language_name("pt-BR", 5), "Portuguese");
    EXPECT_TEXT(ramus_language_name("en-de", 2), "English");
    EXPECT(!ramus_language_name("", 0) && !ramus_language_name("d", 1), "no name");
    for (char a = 'a'; a <= 'z'; a++)
        for (char b = 'a'; b <= 'z'; b++) {
            const char code[3] = {a, b, '\0'};
            const char *name = ramus_language_name(code, 2);
            EXPECT(!name || strcmp(ramus_language_find(name), code) == 0, "%s: %s", code, name);
            EXPECT(name || !ramus_language_is_guessed(code, 2), "%s is guessed, without a name",
                   code);
        }
}

CHECK_MAIN({"every_spelling_is_understood", every_spelling_is_understood},
           {"other_words_are_none", other_words_are_none}, {"codes_have_names", codes_have_names})
