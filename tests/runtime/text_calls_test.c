/* Public functions of texts alone: what text/ says, through the interface, with rooms and NULLs. */
#include <ramus/ramus.h>

#include "check.h"

static void languages(void)
{
    const char *german = "Wo ist der Bahnhof? Where is it?";
    double certainty = -1;
    const char *found = ramus_detect_language(german, strcspn(german, "?"), &certainty);
    EXPECT(found && strcmp(found, "de") == 0, "found %s", found ? found : "NULL");
    EXPECT(certainty > 0.9 && certainty <= 1, "certainty %g", certainty);
    EXPECT(ramus_detect_language(german, 8, NULL) == found, "without certainty");
    EXPECT(!ramus_detect_language("Где находится вокзал?", 38, &certainty), "Russian has no code");
    EXPECT(certainty > 0.9, "but is surely another language: %g", certainty);
    EXPECT(!ramus_detect_language("", 0, &certainty) && fabs(certainty) <= 0, "no text");
    certainty = -1;
    EXPECT(!ramus_detect_language(NULL, 0, &certainty) && fabs(certainty) <= 0, "NULL");
    EXPECT(!ramus_detect_language(NULL, 5, NULL), "NULL with a size");
    EXPECT_TEXT(ramus_find_language("Deutsch"), "de");
    EXPECT(!ramus_find_language("Klingon") && !ramus_find_language(NULL), "no language");
}

static const char text[] = " One. Two!\nThis is 3.\n\n  Dr. No said so.  ";

static void sentences(void)
{
    static const char *const want[] = {"One.", "Two!", "This is 3.", "Dr. No said so."};
    ramus_range found[8];
    const size_t n = ramus_split_sentences(text, sizeof text - 1, "en", found, 8);
    EXPECT_INT(n, 4, "sentences");
    for (size_t i = 0; i < 4; i++)
        EXPECT(found[i].size == strlen(want[i]) &&
                   memcmp(text + found[i].start, want[i], found[i].size) == 0,
               "sentence %zu is %.*s", i, (int)found[i].size, text + found[i].start);
}

static void room_for_fewer(void)
{
    ramus_range all[4], found[5];
    (void)ramus_split_sentences(text, sizeof text - 1, "en", all, 4);
    for (size_t room = 0; room <= 4; room++) {
        memset(found, 0x5A, sizeof found);
        EXPECT_INT(ramus_split_sentences(text, sizeof text - 1, "en", found, room), 4, "sentences");
        EXPECT_BYTES(found, all, room * sizeof *all, "the first %zu", room);
        EXPECT(found[room].start == (size_t)0x5A5A5A5A5A5A5A5A, "%zu: no more are written", room);
    }
    EXPECT_INT(ramus_split_sentences(text, sizeof text - 1, "en", NULL, 0), 4, "counted");
    EXPECT_INT(ramus_split_sentences(text, sizeof text - 1, "en", NULL, 4), 4, "no room at all");
}

static void the_language_matters(void)
{
    const char *german = "Am 3. Oktober ist frei.";
    EXPECT_INT(ramus_split_sentences(german, strlen(german), "de", NULL, 0), 1, "German");
    EXPECT_INT(ramus_split_sentences(german, strlen(german), "de-AT", NULL, 0), 1, "of Austria");
    EXPECT_INT(ramus_split_sentences(german, strlen(german), "en", NULL, 0), 2, "English");
    EXPECT_INT(ramus_split_sentences("One here. Two there.", 20, NULL, NULL, 0), 2, "no language");
    EXPECT_INT(ramus_split_sentences("One here. Two there.", 20, "xx", NULL, 0), 2,
               "an unknown one");
}

static void nothing_to_split(void)
{
    ramus_range found[1];
    EXPECT_INT(ramus_split_sentences(NULL, 0, NULL, NULL, 0), 0, "NULL");
    EXPECT_INT(ramus_split_sentences(NULL, 7, "en", found, 1), 0, "NULL with a size");
    EXPECT_INT(ramus_split_sentences("", 0, "en", found, 1), 0, "no text");
    EXPECT_INT(ramus_split_sentences(" \n ", 3, "en", found, 1), 0, "white space");
}

CHECK_MAIN({"languages", languages}, {"sentences", sentences}, {"room_for_fewer", room_for_fewer},
           {"the_language_matters", the_language_matters}, {"nothing_to_split", nothing_to_split})
