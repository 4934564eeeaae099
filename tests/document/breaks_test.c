/* Line breaks inside of texts, as translations have them. Truth: written out by hand. */
#include "document/breaks.h"

#include "check.h"

#include <string.h>

static void escape(ramus_buffer *out, const char *text, size_t size)
{
    ramus_buffer_add(out, text, size);
}

static void expect(const char *text, const ramus_mark *marks, int n, bool inside, const char *want)
{
    const ramus_marked m = {
        .text = text, .size = strlen(text), .marks = marks, .n_marks = n, .raws = "/.K"};
    ramus_buffer out = {0};
    for (ramus_breaks b = {.marked = &m, .inside = inside}; ramus_breaks_next(&b);) {
        escape(&out, b.text, b.size);
        if (b.mark && b.mark->raw_size)
            ramus_buffer_add(&out, m.raws + b.mark->raw, b.mark->raw_size);
    }
    EXPECT_TEXT(out.data, want);
    ramus_buffer_clear(&out);
    if (!inside) ramus_breaks_write(&m, escape, &out);
    if (!inside) EXPECT_TEXT(out.data, want);
    ramus_buffer_free(&out);
}

static void cuts_take_the_space_beside_them(void)
{
#define CUT(place, bytes)                                                                          \
    {                                                                                              \
        .kind = RAMUS_MARK_CUT, .at = place, .size = bytes, .raw_size = 1                          \
    }
#define POINT(place)                                                                               \
    {                                                                                              \
        .kind = RAMUS_MARK_POINT, .at = place, .raw = 1, .raw_size = 1                             \
    }
#define KEEP(place, bytes)                                                                         \
    {                                                                                              \
        .kind = RAMUS_MARK_KEEP, .at = place, .size = bytes, .raw = 2, .raw_size = 1               \
    }
    const ramus_mark one[] = {CUT(3, 0)}, two[] = {CUT(3, 2), CUT(3, 2), CUT(3, 0)};
    const ramus_mark ends[] = {CUT(0, 0), CUT(3, 1), CUT(9, 0)};
    const ramus_mark mixed[] = {POINT(2), CUT(2, 1), KEEP(6, 1), POINT(9)};
    expect("ab \n cd", one, 1, false, "ab/cd");
    expect("abc def", one, 1, false, "abc/def");
    expect("abc  def", two, 3, false, "abc///def");
    expect("abc def g", ends, 3, false, "/abc/def g/");
    expect("abc def g", ends, 3, true, "abc/def g");
    expect("ab c dx y", mixed, 4, false, "ab./c dK y.");
    expect("ab", NULL, 0, true, "ab");
}

static void small_letters_are_known(void)
{
    EXPECT(ramus_begins_small("a", 1), "a");
    EXPECT(ramus_begins_small("\xC3\x9F", 2), "sharp s");
    EXPECT(ramus_begins_small("\xD1\x8F", 2), "ya");
    EXPECT(!ramus_begins_small("A", 1), "A");
    EXPECT(!ramus_begins_small("1", 1), "1");
    EXPECT(!ramus_begins_small("\xE5\xA5\xBD", 3), "hao");
    EXPECT(!ramus_begins_small("\xFF", 1), "no UTF-8");
    EXPECT(!ramus_begins_small("", 0), "nothing");
}

CHECK_MAIN({"cuts_take_the_space_beside_them", cuts_take_the_space_beside_them},
           {"small_letters_are_known", small_letters_are_known})
