/* Noise: examples, and laws of what slips of the pen leave alone. */
#include "base/utf8.h"
#include "data/noise.h"

#include "check.h"
#include "data/texts.h"

#include <ctype.h>

static void capitals(void)
{
    static const char *const rows[][3] = {
        {"The straße is 3km long.", "THE STRASSE IS 3KM LONG.", "The Straße Is 3km Long."},
        {"don't \"quote\" (me), été-là", "DON'T \"QUOTE\" (ME), ÉTÉ-LÀ",
         "Don't \"Quote\" (Me), Été-là"},
        {"ünder\tαβ\xE3\x80\x80я", "ÜNDER\tΑΒ\xE3\x80\x80Я", "Ünder\tΑβ\xE3\x80\x80Я"},
        {"你好。", "你好。", "你好。"},
        {"a\xFFz \xFF", "A\xEF\xBF\xBDZ \xEF\xBF\xBD", "A\xEF\xBF\xBDz \xEF\xBF\xBD"},
        {" ", " ", " "},
    };
    ramus_buffer b = {0};
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        ramus_noise_upper(&b, rows[i][0], strlen(rows[i][0]));
        EXPECT_TEXT(b.data, rows[i][1]);
        ramus_noise_title(&b, rows[i][0], strlen(rows[i][0]));
        EXPECT_TEXT(b.data, rows[i][2]);
    }
    ramus_buffer_free(&b);
}

/* The least number of letters added, left out, replaced or swapped with their neighbours that
 * makes one text from the other (optimal string alignment), over code points. */
static int distance(const char *a, const char *b)
{
    enum { MOST = 300 };
    static int table[MOST + 1][MOST + 1];
    uint32_t codes[2][MOST];
    int n[2] = {0};
    const char *const texts[2] = {a, b};
    for (int side = 0; side < 2; side++)
        for (size_t at = 0; at < strlen(texts[side]) && n[side] < MOST;)
            at += (size_t)ramus_utf8_decode(&codes[side][n[side]++], texts[side] + at,
                                            strlen(texts[side]) - at);
    for (int i = 0; i <= n[0]; i++)
        for (int j = 0; j <= n[1]; j++) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            int best = table[i - 1][j - 1] + (codes[0][i - 1] != codes[1][j - 1]);
            if (table[i - 1][j] + 1 < best) best = table[i - 1][j] + 1;
            if (table[i][j - 1] + 1 < best) best = table[i][j - 1] + 1;
            if (i > 1 && j > 1 && codes[0][i - 1] == codes[1][j - 2] &&
                codes[0][i - 2] == codes[1][j - 1] && table[i - 2][j - 2] + 1 < best)
                best = table[i - 2][j - 2] + 1;
            table[i][j] = best;
        }
    return table[n[0]][n[1]];
}

/* ASCII that is no letter, in its order. */
static void marks_of(char *out, const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x80 && !isalpha((unsigned char)*text)) *out++ = *text;
    *out = '\0';
}

static void slips_are_few_and_spare_digits(void)
{
    texts_sample s = texts_load_sample();
    ramus_buffer out = {0}, codes = {0};
    double slips = 0, length = 0;
    int unchanged = 0;
    for (int i = 0; i < s.n; i++) {
        const ramus_rng rng = {check_seed(), 0, (uint32_t)i, 0};
        char text[600], want[600], got[600];
        (void)snprintf(text, sizeof text, "%s 12,345.67 x2y", s.lines[i]);
        ramus_noise_typo(&out, &codes, text, strlen(text), &rng);
        EXPECT_INT(ramus_utf8_check(out.data, out.size), out.size, "UTF-8");
        marks_of(want, text);
        marks_of(got, out.data);
        EXPECT_TEXT(got, want);
        int n = 0;
        for (const char *c = text; *c; c++)
            n += ((unsigned char)*c & 0xC0) != 0x80;
        const int d = distance(text, out.data);
        const int most = n > 20 ? n / 10 : 1; // each counts two at most where slips overlap
        EXPECT(d <= 2 * most, "%d slips in %d characters: %s", d, n, out.data);
        unchanged += d == 0;
        slips += d;
        length += n;
    }
    EXPECT(unchanged <= s.n / 100, "%d of %d unchanged", unchanged, s.n);
    printf("one slip in %.1f characters, %d of %d texts unchanged\n", length / slips, unchanged,
           s.n);
    EXPECT(length / slips > 10 && length / slips < 25, "one slip in %.1f", length / slips);
    ramus_buffer_free(&codes);
    ramus_buffer_free(&out);
    free(s.bytes);
}

static void text_without_letters_has_no_slips(void)
{
    static const char *const texts[] = {"", "1", "12 345 !? -", "。！ 100%",
                                        "\xEE\x80\x80: \xEF\xA3\xBF"};
    ramus_buffer out = {0}, codes = {0};
    for (int i = 0; i < RAMUS_COUNT(texts); i++) {
        const ramus_rng rng = {check_seed(), 1, 0, 0};
        ramus_noise_typo(&out, &codes, texts[i], strlen(texts[i]), &rng);
        EXPECT(out.size == strlen(texts[i]) && (!out.size || strcmp(out.data, texts[i]) == 0),
               "%s becomes %s", texts[i], out.data);
    }
    ramus_buffer_free(&codes);
    ramus_buffer_free(&out);
}

/* All kinds of slips of a word, counted. */
static void every_kind_of_slip_occurs(void)
{
    ramus_buffer out = {0}, codes = {0};
    int shorter = 0, longer = 0, swapped = 0, hit = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        const ramus_rng rng = {check_seed(), 2, i, 0};
        ramus_noise_typo(&out, &codes, "Kind", 4, &rng);
        EXPECT_INT(distance("Kind", out.data), 1, "slips");
        if (out.size != 4) {
            shorter += out.size == 3;
            longer += out.size == 5;
        } else {
            int sum = 0;
            for (int j = 0; j < 4; j++)
                sum += out.data[j];
            swapped += sum == 'K' + 'i' + 'n' + 'd';
            hit += sum != 'K' + 'i' + 'n' + 'd';
            EXPECT(isupper((unsigned char)out.data[0]) || out.data[0] == 'i', "%s", out.data);
        }
    }
    EXPECT_INT(shorter + longer + swapped + hit, 2000, "kinds");
    EXPECT(shorter > 300 && longer > 300 && swapped > 300 && hit > 300, "%d %d %d %d", shorter,
           longer, swapped, hit);
    ramus_buffer_free(&codes);
    ramus_buffer_free(&out);
}

CHECK_MAIN({"capitals", capitals},
           {"slips_are_few_and_spare_digits", slips_are_few_and_spare_digits},
           {"text_without_letters_has_no_slips", text_without_letters_has_no_slips},
           {"every_kind_of_slip_occurs", every_kind_of_slip_occurs})
