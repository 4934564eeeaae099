/* One table; names are compared letter by letter, in capitals. */
#include "text/language_names.h"

#include "base/status.h"
#include "base/utf8.h"
#include "text/case.h"

#include <string.h>

// clang-format off
/* ISO 639-1, ISO 639-2 (T), English, the language itself. */
static const char *const names[][4] = {
    {"af", "afr", "Afrikaans",  "Afrikaans"},
    {"ar", "ara", "Arabic",     "العربية"},
    {"bg", "bul", "Bulgarian",  "Български"},
    {"ca", "cat", "Catalan",    "Català"},
    {"cs", "ces", "Czech",      "Čeština"},
    {"cy", "cym", "Welsh",      "Cymraeg"},
    {"da", "dan", "Danish",     "Dansk"},
    {"de", "deu", "German",     "Deutsch"},
    {"el", "ell", "Greek",      "Ελληνικά"},
    {"en", "eng", "English",    "English"},
    {"eo", "epo", "Esperanto",  "Esperanto"},
    {"es", "spa", "Spanish",    "Español"},
    {"et", "est", "Estonian",   "Eesti"},
    {"eu", "eus", "Basque",     "Euskara"},
    {"fa", "fas", "Persian",    "فارسی"},
    {"fi", "fin", "Finnish",    "Suomi"},
    {"fr", "fra", "French",     "Français"},
    {"ga", "gle", "Irish",      "Gaeilge"},
    {"gl", "glg", "Galician",   "Galego"},
    {"he", "heb", "Hebrew",     "עברית"},
    {"hi", "hin", "Hindi",      "हिन्दी"},
    {"hr", "hrv", "Croatian",   "Hrvatski"},
    {"hu", "hun", "Hungarian",  "Magyar"},
    {"hy", "hye", "Armenian",   "Հայերեն"},
    {"id", "ind", "Indonesian", "Bahasa Indonesia"},
    {"is", "isl", "Icelandic",  "Íslenska"},
    {"it", "ita", "Italian",    "Italiano"},
    {"ja", "jpn", "Japanese",   "日本語"},
    {"ka", "kat", "Georgian",   "ქართული"},
    {"ko", "kor", "Korean",     "한국어"},
    {"lt", "lit", "Lithuanian", "Lietuvių"},
    {"lv", "lav", "Latvian",    "Latviešu"},
    {"mt", "mlt", "Maltese",    "Malti"},
    {"nb", "nob", "Norwegian",  "Norsk"},
    {"nl", "nld", "Dutch",      "Nederlands"},
    {"pl", "pol", "Polish",     "Polski"},
    {"pt", "por", "Portuguese", "Português"},
    {"ro", "ron", "Romanian",   "Română"},
    {"ru", "rus", "Russian",    "Русский"},
    {"sk", "slk", "Slovak",     "Slovenčina"},
    {"sl", "slv", "Slovenian",  "Slovenščina"},
    {"sr", "srp", "Serbian",    "Српски"},
    {"sv", "swe", "Swedish",    "Svenska"},
    {"th", "tha", "Thai",       "ไทย"},
    {"tr", "tur", "Turkish",    "Türkçe"},
    {"uk", "ukr", "Ukrainian",  "Українська"},
    {"vi", "vie", "Vietnamese", "Tiếng Việt"},
    {"zh", "zho", "Chinese",    "中文"},
};
// clang-format on

/* The letter at *text as a capital; moves *text behind it. */
static uint32_t next_letter(const char **text)
{
    uint32_t code = 0, capital[RAMUS_CASE_MOST];
    const int n = ramus_utf8_decode(&code, *text, strlen(*text));
    *text += n ? n : 1;
    (void)ramus_case_upper(capital, code);
    return capital[0];
}

static bool same_word(const char *a, const char *b)
{
    while (*a && *b)
        if (next_letter(&a) != next_letter(&b)) return false;
    return *a == *b;
}

const char *ramus_language_find(const char *word)
{
    char language[4] = ""; // in front of the country, if it is short
    const size_t n = strcspn(word, "-_.@");
    if (n < sizeof language) memcpy(language, word, n);
    for (int i = 0; i < RAMUS_COUNT(names); i++)
        if (same_word(language, names[i][0]) || same_word(language, names[i][1]) ||
            same_word(word, names[i][2]) || same_word(word, names[i][3]))
            return names[i][0];
    return NULL;
}

const char *ramus_language_name(const char *code, size_t size)
{
    size_t n = 0;
    while (n < size && code[n] != '-' && code[n] != '_')
        n++;
    for (int i = 0; i < RAMUS_COUNT(names); i++)
        if (strlen(names[i][0]) == n && memcmp(names[i][0], code, n) == 0) return names[i][2];
    return NULL;
}
