/* Texts in capitals: examples, and laws over all code points. */
#include "base/utf8.h"
#include "text/capitals.h"
#include "text/case.h"

#include "check.h"

static void only_capitals(void)
{
    static const struct {
        const char *text;
        bool want;
    } rows[] = {
        {"WHERE IS IT?", true},
        {"STOP", true},
        {"ÄÖÜÉ", true},
        {"ГДЕ ОНА?", true},
        {"GROßE STRAßE 12", true},
        {"4 x WXYZ", false},
        {"WHERE is IT?", false},
        {"USA", false},
        {"NY 10, LA", true},
        {"ßßßß", false},
        {"你好世界", false},
        {"1234 5678", false},
        {"", false},
        {"\xFF\xFE STOP \xC3", true},
    };
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++)
        EXPECT(ramus_capitals_only(rows[i].text, strlen(rows[i].text)) == rows[i].want, "\"%s\"",
               rows[i].text);
}

static void dropped_and_added(void)
{
    static const char *const rows[][3] = {
        // text, in small letters, in capitals again
        {"WHERE IS IT? IN KÖLN.", "Where is it? in köln.", "WHERE IS IT? IN KÖLN."},
        {"\"GROßE ÄPFEL\"", "\"Große äpfel\"", "\"GROSSE ÄPFEL\""},
        {"12 ÉTÉS, ŽÁBA ΣΟΦΟΣ", "12 Étés, žába σοφοσ", "12 ÉTÉS, ŽÁBA ΣΟΦΟΣ"},
        {"A\xFFZ IN", "A\xFFz in", "A\xFFZ IN"},
        {"IKS \xE2\x84\xAA\xE1\xBA\x9E", "Iks \xE2\x84\xAA\xE1\xBA\x9E",
         "IKS \xE2\x84\xAA\xE1\xBA\x9E"},
    };
    ramus_buffer out = {0};
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        char text[100];
        (void)snprintf(text, sizeof text, "%s", rows[i][0]);
        ramus_capitals_drop(text, strlen(rows[i][0]), true);
        EXPECT_TEXT(text, rows[i][1]);
        ramus_buffer_clear(&out);
        ramus_capitals_add(&out, text, strlen(text));
        EXPECT_TEXT(out.data, rows[i][2]);
    }
    char within[] = "\"AND ÖL\"";
    ramus_capitals_drop(within, strlen(within), false);
    EXPECT_TEXT(within, "\"and öl\"");
    ramus_buffer_free(&out);
}

/* The capital of what a capital became is that capital; what is no capital stays. */
static void small_letters_have_their_capitals(void)
{
    int n = 0;
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        uint32_t back[RAMUS_CASE_MOST], upper[RAMUS_CASE_MOST];
        const uint32_t small = ramus_case_lower(code);
        if (small == code) continue;
        n++;
        EXPECT(ramus_case_upper(back, small) == 1 && back[0] == code, "U+%04X of U+%04X",
               (unsigned)small, (unsigned)code);
        EXPECT(ramus_case_upper(upper, code) == 1 && upper[0] == code, "U+%04X is no capital",
               (unsigned)code);
    }
    // python3.11: len({u for c in range(0x110000) if len(u := chr(c).upper()) == 1 and u !=
    // chr(c)})
    EXPECT_INT(n, 1396, "capitals");
}

/* Latin, Greek and Cyrillic capitals become what Python makes of them:
 * python3.11: ''.join(s for c in range(0x600) if (s := chr(c).lower()).upper() == chr(c) != s) */
static void small_letters_of_europe(void)
{
    static const char all[] =
        "abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀł"
        "ńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵơƣƥʀƨʃƭʈưʊʋƴƶʒƹƽǆǉǌǎǐǒǔǖǘǚǜǟǡǣǥǧǩǫǭǯǳǵ"
        "ƕƿǹǻǽǿȁȃȅȇȉȋȍȏȑȓȕȗșțȝȟƞȣȥȧȩȫȭȯȱȳⱥȼƚⱦɂƀʉʌɇɉɋɍɏͱͳͷϳάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋϗϙϛϝϟϡ"
        "ϣϥϧϩϫϭϯϸϲϻͻͼͽѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝ"
        "ҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӂӄӆӈӊӌӎӑӓӕӗәӛӝӟӡӣӥӧөӫӭӯӱӳӵӷӹӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզէըթժիլ"
        "խ"
        "ծկ"
        "հձղճմյնշոչպջռսվտրցւփքօֆ";
    ramus_buffer got = {0};
    for (uint32_t code = 0; code < 0x600; code++) {
        char bytes[4];
        const uint32_t small = ramus_case_lower(code);
        if (small != code) ramus_buffer_add(&got, bytes, (size_t)ramus_utf8_encode(bytes, small));
    }
    EXPECT_TEXT(got.data, all);
    ramus_buffer_free(&got);
}

CHECK_MAIN({"only_capitals", only_capitals}, {"dropped_and_added", dropped_and_added},
           {"small_letters_have_their_capitals", small_letters_have_their_capitals},
           {"small_letters_of_europe", small_letters_of_europe})
