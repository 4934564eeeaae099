/* Names are those of ISO 639-1, as other translation services show them. */
#include "serve/languages.h"

#include "base/status.h"

#include <string.h>

static const char *const names[][2] = {
    {"ar", "Arabic"},     {"bg", "Bulgarian"}, {"bn", "Bengali"},    {"ca", "Catalan"},
    {"cs", "Czech"},      {"da", "Danish"},    {"de", "German"},     {"el", "Greek"},
    {"en", "English"},    {"es", "Spanish"},   {"et", "Estonian"},   {"fa", "Persian"},
    {"fi", "Finnish"},    {"fr", "French"},    {"ga", "Irish"},      {"he", "Hebrew"},
    {"hi", "Hindi"},      {"hr", "Croatian"},  {"hu", "Hungarian"},  {"hy", "Armenian"},
    {"id", "Indonesian"}, {"is", "Icelandic"}, {"it", "Italian"},    {"ja", "Japanese"},
    {"ka", "Georgian"},   {"ko", "Korean"},    {"lt", "Lithuanian"}, {"lv", "Latvian"},
    {"mt", "Maltese"},    {"nb", "Norwegian"}, {"nl", "Dutch"},      {"pl", "Polish"},
    {"pt", "Portuguese"}, {"ro", "Romanian"},  {"ru", "Russian"},    {"sk", "Slovak"},
    {"sl", "Slovenian"},  {"sq", "Albanian"},  {"sr", "Serbian"},    {"sv", "Swedish"},
    {"th", "Thai"},       {"tr", "Turkish"},   {"uk", "Ukrainian"},  {"vi", "Vietnamese"},
    {"zh", "Chinese"},
};

bool ramus_language_code(char *code, const char *text, size_t size)
{
    size_t n = 0;
    while (n < size && text[n] != '-' && text[n] != '_')
        n++;
    if (n < 2 || n > 3) return false;
    for (size_t i = 0; i < n; i++) {
        const char c = (char)(text[i] | 0x20);
        if (c < 'a' || c > 'z') return false;
        code[i] = c;
    }
    code[n] = '\0';
    return true;
}

const char *ramus_language_title(const char *code)
{
    for (int i = 0; i < RAMUS_COUNT(names); i++)
        if (strcmp(names[i][0], code) == 0) return names[i][1];
    return code;
}
