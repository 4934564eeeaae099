/* Text and numbers of a page, written by hand. */
#include "report/html.h"

#include "check.h"

static char shown[400];

static const char *text(const char *in)
{
    ramus_buffer b = {0};
    ramus_html_text(&b, in);
    snprintf(shown, sizeof shown, "%s", b.size ? b.data : "");
    ramus_buffer_free(&b);
    return shown;
}

static const char *number(void (*format)(ramus_buffer *, double), double value)
{
    ramus_buffer b = {0};
    format(&b, value);
    snprintf(shown, sizeof shown, "%s", b.data);
    ramus_buffer_free(&b);
    return shown;
}

static void no_text_is_markup(void)
{
    EXPECT_TEXT(text("a < b > c & \"d\" 'e'"), "a &#60; b &#62; c &#38; &#34;d&#34; &#39;e&#39;");
    EXPECT_TEXT(text("gr\xC3\xBC\xC3\x9F"), "gr&#252;&#223;");
    EXPECT_TEXT(text("\xF0\x9F\x99\x82"), "&#128578;");
    EXPECT_TEXT(text("\xFF"), "&#65533;");
    EXPECT_TEXT(text("a\tb\nc\rd\x01\x7F\xC2\x85"), "a b c d&#65533;&#65533;&#65533;");
    EXPECT_TEXT(text(""), "");
}

static void numbers_are_for_people(void)
{
    EXPECT_TEXT(number(ramus_html_number, 2.31549), "2.315");
    EXPECT_TEXT(number(ramus_html_number, 31.2), "31.2");
    EXPECT_TEXT(number(ramus_html_number, 0), "0");
    EXPECT_TEXT(number(ramus_html_number, 0.0125), "0.0125");
    EXPECT_TEXT(number(ramus_html_number, 6690.4), "6,690");
    EXPECT_TEXT(number(ramus_html_number, 0.000175), "1.75 &#215; 10&#8315;&#8308;");
    EXPECT_TEXT(number(ramus_html_number, -3e20), "-3.00 &#215; 10&#178;&#8304;");
    EXPECT_TEXT(number(ramus_html_number, (double)NAN), "&#8211;");
    EXPECT_TEXT(number(ramus_html_count, 1234567.4), "1,234,567");
    EXPECT_TEXT(number(ramus_html_count, -1000), "-1,000");
    EXPECT_TEXT(number(ramus_html_count, 999), "999");
    EXPECT_TEXT(number(ramus_html_short, 999999), "999,999");
    EXPECT_TEXT(number(ramus_html_short, 81.92e6), "81.9 million");
    EXPECT_TEXT(number(ramus_html_short, 819.2e6), "819 million");
    EXPECT_TEXT(number(ramus_html_short, 1.25e10), "12.5 billion");
    EXPECT_TEXT(number(ramus_html_percent, 0.25), "25&#160;%");
    EXPECT_TEXT(number(ramus_html_percent, 0.004), "0.4&#160;%");
    EXPECT_TEXT(number(ramus_html_percent, 0.0004), "0.04&#160;%");
    EXPECT_TEXT(number(ramus_html_percent, 0), "0&#160;%");
}

static void times_are_for_people(void)
{
    EXPECT_TEXT(number(ramus_html_duration, 59.9), "59 s");
    EXPECT_TEXT(number(ramus_html_duration, 61.2), "1 min 1 s");
    EXPECT_TEXT(number(ramus_html_duration, 12240), "3 h 24 min");
    EXPECT_TEXT(number(ramus_html_duration, 2 * 86400 + 3 * 3600 + 59), "2 d 3 h");
    EXPECT_TEXT(number(ramus_html_duration, (double)INFINITY), "&#8211;");
    EXPECT_TEXT(number(ramus_html_time, 1763247000), "2025-11-15 22:50 UTC"); // date -u -d @..
    EXPECT_TEXT(number(ramus_html_time, 0), "1970-01-01 00:00 UTC");
    EXPECT_TEXT(number(ramus_html_time, 1e300), "&#8211;");
}

CHECK_MAIN({"no_text_is_markup", no_text_is_markup},
           {"numbers_are_for_people", numbers_are_for_people},
           {"times_are_for_people", times_are_for_people})
