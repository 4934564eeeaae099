/* The rules of `ramus clean`, pair by pair: the truth is what a reader says of each. */
#include "data/clean.h"
#include "data/hash_set.h"

#include "check.h"
#include "data/texts.h"

typedef struct {
    const char *source, *target;
    const char *rule; // "kept" or its name
} example;

static const char *rule_name(ramus_clean_rule rule)
{
    return rule == RAMUS_CLEAN_KEPT ? "kept" : ramus_clean_rule_name(rule);
}

static ramus_pair_text pair_of(const char *source, const char *target)
{
    return (ramus_pair_text){source, target, strlen(source), strlen(target)};
}

static ramus_clean_spec usual(void)
{
    ramus_clean_spec spec = {0};
    const ramus_settings rows = ramus_clean_settings(&spec);
    ramus_settings_default(&rows);
    spec.from = "en";
    spec.to = "German";
    return spec;
}

static const ramus_corpus_spec columns = {.source_column = 1, .target_column = 2};

static ramus_clean *make(ramus_clean_spec *spec)
{
    ramus_clean *c = NULL;
    ramus_error err = {0};
    REQUIRE_OK(ramus_clean_create(&c, spec, &columns, &err), err);
    return c;
}

static const char *judge(ramus_clean *c, const char *source, const char *target)
{
    ramus_error err = {0};
    ramus_clean_rule rule = RAMUS_CLEAN_KEPT;
    const ramus_pair_text pair = pair_of(source, target);
    REQUIRE_OK(ramus_clean_judge(c, &pair, &rule, &err), err);
    return rule_name(rule);
}

static void expect_examples(ramus_clean *c, const example *examples, int n)
{
    for (int i = 0; i < n; i++) {
        const char *got = judge(c, examples[i].source, examples[i].target);
        EXPECT(strcmp(got, examples[i].rule) == 0, "\"%s\" - \"%s\": %s, want %s",
               examples[i].source, examples[i].target, got, examples[i].rule);
    }
}

static void rules_speak_against_what_a_reader_would_drop(void)
{
    static const example examples[] = {
        {"Good morning!", "Guten Morgen!", "kept"},
        {"Where is the station?", "Wo ist der Bahnhof?", "kept"},
        // characters
        {"He\x01 is here.", "Er ist hier.", "characters"},
        {"He is \xFF here.", "Er ist hier.", "characters"},
        {"The door.", "Die T\xC3\x83\xC2\xBCr.", "characters"},                        // Ã¼
        {"It is\xC3\xA2\xE2\x82\xAC\xE2\x80\x9C late.", "Es ist spät.", "characters"}, // â€“
        {"A sign \xEE\x80\x80 here.", "Ein Zeichen hier.", "characters"},              // U+E000
        {"A question \xEF\xBF\xBD here.", "Eine Frage hier.", "characters"},           // U+FFFD
        {"What fun!", "„Spaß“ heißt das.", "kept"}, // ß and a quote are no misread letter
        {"SÃO PAULO is large.", "SÃO PAULO ist groß.", "kept"},
        // markup
        {"Fish &amp; chips", "Fisch &amp; Fritten", "markup"},
        {"See [[Berlin]].", "Siehe [[Berlin]].", "markup"},
        {"Open <b>this</b>.", "Öffne <b>das</b>.", "kept"},
        {"Open <b>this</b>.", "Öffne das.", "markup"},
        {"Deletes %d files.", "Löscht %d Dateien.", "kept"},
        {"Deletes %d files.", "Löscht %s Dateien.", "markup"},
        {"By 5 % discount for all.", "Mit 5 % Rabatt für alle.", "kept"},
        {"Dear {name}, hello.", "Hallo ${name}, guten Tag.", "markup"},
        {"a < b and b > c is true here.", "a < b und b > c ist hier wahr.", "kept"},
        // letters, length, ratio
        {"12:30", "12:30", "letters"},
        {"", "Leer.", "letters"},
        {"Nothing.", "", "letters"},
        {"a +++++ 12345 +++++", "a +++++ 12345 +++++", "letters"},
        {"No.", "Nein, das werde ich unter gar keinen Umständen jemals wieder tun.", "ratio"},
        {"I will never, under any circumstances, do that again.", "Nie.", "ratio"},
        // script and language
        {"This is a long English sentence.", "Это длинное русское предложение.", "script"},
        {"Welcome to my house.", "Willkommen, добро пожаловать.", "script"},
        {"The angle α is small.", "Der Winkel ist klein.", "kept"},
        {"This is what the computer said to us yesterday.",
         "This is what a computer told us all yesterday.", "language"},
        {"Vous pouvez utiliser ce champ libre pour mentionner les auteurs.",
         "Sie können dieses Feld benutzen, um die Autoren zu nennen.", "language"},
        {"Heimdal Kerberos clients", "Heimdal Kerberos-Clients", "kept"}, // terms
        // same and numbers
        {"Lorem ipsum dolor sit amet.", "Lorem ipsum dolor sit amet", "same"},
        {"John F. Kennedy", "John F. Kennedy", "kept"},
        {"It was in 1815.", "Es war im Jahr 1851.", "numbers"},
        {"It costs 12,500 euros.", "Es kostet 12.500 Euro.", "kept"},
        {"It costs 12,500 euros here.", "Das kostet hier 12 500 Euro.", "kept"},
        {"There were three of them.", "Es waren 3.", "kept"},
    };
    ramus_clean_spec spec = usual();
    ramus_clean *c = make(&spec);
    ramus_error err = {0};
    static const char *const text[][2] = {{"Good evening!", "Guten Abend!"},
                                          {"The child is asleep.", "Das Kind schläft jetzt."},
                                          {"It is late again.", "Es ist schon wieder spät."}};
    ramus_pair_text pairs[3];
    for (int i = 0; i < 3; i++)
        pairs[i] = pair_of(text[i][0], text[i][1]);
    REQUIRE_OK(ramus_clean_learn(c, pairs, 3, &err), err);
    expect_examples(c, examples, RAMUS_COUNT(examples));
    ramus_clean_destroy(c);
}

static void long_sentences_are_dropped_at_the_bound(void)
{
    ramus_clean_spec spec = usual();
    spec.max_words = 5;
    spec.min_words = 2;
    ramus_clean *c = make(&spec);
    EXPECT_TEXT(judge(c, "one two three four five", "eins zwei drei vier fünf"), "kept");
    EXPECT_TEXT(judge(c, "one two three four five six", "eins zwei drei vier fünf"), "length");
    EXPECT_TEXT(judge(c, "seven eight", "sieben"), "length");
    ramus_clean_destroy(c);
}

/* A third as long in characters as English: what is usual is learnt. */
static void chinese_is_judged_by_its_own_measure(void)
{
    static const char *const text[][2] = {
        {"I like to read books in the library.", "我喜欢在图书馆看书。"},
        {"The weather is very good today.", "今天天气很好。"},
        {"Where did you buy this red car?", "你在哪里买了这辆红色的车？"}};
    static const example examples[] = {
        {"He has lived in this small town for ten years.", "他在这个小镇住了十年了。", "kept"},
        {"Yes.", "他在这个小镇住了十年了。他在这个小镇住了十年了。他在这个小镇住了十年了。",
         "ratio"},
        {"He has lived in this small town for ten years.", "He lived in a town for ten years.",
         "script"},
        {"Kubernetes API", "Kubernetes API", "kept"},
    };
    ramus_clean_spec spec = usual();
    spec.to = "zh";
    ramus_clean *c = make(&spec);
    ramus_error err = {0};
    ramus_pair_text pairs[3];
    for (int i = 0; i < 3; i++)
        pairs[i] = pair_of(text[i][0], text[i][1]);
    REQUIRE_OK(ramus_clean_learn(c, pairs, 3, &err), err);
    // characters: 10/36, 7/31, 13/31; the one in the middle
    EXPECT_NEAR(ramus_clean_expected_ratio(c), 10.0 / 36, 1e-12, "median");
    expect_examples(c, examples, RAMUS_COUNT(examples));
    ramus_clean_destroy(c);
}

static void a_pair_is_seen_once(void)
{
    static const example examples[] = {
        {"Where is Tom?", "Wo ist Tom?", "kept"},
        {"where is  tom?", "Wo ist Tom!", "duplicate"}, // capitals, spaces, punctuation
        {"Where is Tom", "Wo ist Tom", "kept"},         // but not whether there is any at its end
        {"Where is Tom?", "Wo steckt Tom?", "kept"},
        {"It is 5 o'clock.", "Es ist 5 Uhr.", "kept"},
        {"It is 6 o'clock.", "Es ist 6 Uhr.", "kept"},
    };
    ramus_clean_spec spec = usual();
    ramus_clean *c = make(&spec);
    expect_examples(c, examples, RAMUS_COUNT(examples));
    ramus_clean_destroy(c);
    spec = usual();
    spec.without.items[spec.without.n++] = "duplicate";
    c = make(&spec);
    EXPECT_TEXT(judge(c, "Where is Tom?", "Wo ist Tom?"), "kept");
    EXPECT_TEXT(judge(c, "Where is Tom?", "Wo ist Tom?"), "kept");
    ramus_clean_destroy(c);
}

static void what_is_like_a_test_is_dropped(void)
{
    static const example examples[] = {
        {"in 1999 the old mayor left, the town of Ulm",
         "Im Jahr 1999 war alles ganz anders als heute.",
         "held-out"}, // other capitals, punctuation and number, other translation
        {"Thanks", "Dankeschön", "kept"}, // a common sentence with another translation
        {"thanks", "danke!", "held-out"}, // the pair itself
        {"Nobody has ever seen a bird like that.", "Niemand sah je so einen Vogel.", "held-out"},
        {"The old mayor left the town.", "Der alte Bürgermeister verließ die Stadt.", "kept"},
    };
    texts_begin();
    texts_put("test.tsv", "In 2004, the old mayor left the town of Ulm.\tIm Jahr 2004 ging er.\n"
                          "Thanks!\tDanke.\n");
    texts_put("test.en", "Nobody has ever seen a bird like that.\nThe old mayor left.\n");
    ramus_clean_spec spec = usual();
    spec.held_out.items[spec.held_out.n++] = texts_path("test.tsv");
    spec.held_out.items[spec.held_out.n++] = texts_path("test.en");
    ramus_clean *c = make(&spec);
    expect_examples(c, examples, RAMUS_COUNT(examples));
    ramus_clean_destroy(c);

    ramus_error err = {0};
    texts_put("bad.tsv", "only one column\n");
    spec.held_out.items[0] = texts_path("bad.tsv");
    EXPECT_FAILS(ramus_clean_create(&c, &spec, &columns, &err), err, "line 1 has no column 2");
    texts_end();
}

static void wrong_names_are_told(void)
{
    ramus_error err = {0};
    ramus_clean *c = NULL;
    ramus_clean_spec spec = usual();
    spec.without.items[spec.without.n++] = "lenght";
    EXPECT_FAILS(ramus_clean_create(&c, &spec, &columns, &err), err,
                 "there is no rule 'lenght'; did you mean length?");
    spec = usual();
    spec.from = "klingon";
    EXPECT_FAILS(ramus_clean_create(&c, &spec, &columns, &err), err,
                 "the language 'klingon' is unknown");
}

/* French is unknown to the guess: only what is surely another language is dropped. */
static void a_language_that_is_not_known_is_kept(void)
{
    ramus_clean_spec spec = usual();
    spec.to = "fr";
    ramus_clean *c = make(&spec);
    EXPECT_TEXT(judge(c, "You can use this field for the authors.",
                      "Vous pouvez utiliser ce champ pour les auteurs."),
                "kept");
    EXPECT_TEXT(judge(c, "You can use this field for the names.",
                      "Here you may enter all of the names you know."),
                "language");
    ramus_clean_destroy(c);
}

static void a_set_of_hashes_holds_what_was_added(void)
{
    ramus_hash_set s = {0};
    ramus_error err = {0};
    bool added = false;
    EXPECT(!ramus_hash_set_has(&s, 0), "an empty set");
    for (uint64_t i = 0; i < 100000; i++) {
        REQUIRE_OK(ramus_hash_set_add(&s, i * i * 0x9E3779B97F4A7C15u, &added, &err), err);
        EXPECT(added, "number %d is new", (int)i);
    }
    EXPECT_INT(s.n, 100000, "hashes");
    EXPECT(s.room * sizeof *s.slots <= 22 * s.n, "%zu slots for %zu hashes", s.room, s.n);
    for (uint64_t i = 0; i < 100000; i++)
        EXPECT(ramus_hash_set_has(&s, i * i * 0x9E3779B97F4A7C15u), "number %d is there", (int)i);
    EXPECT(!ramus_hash_set_has(&s, 12345), "another is not");
    REQUIRE_OK(ramus_hash_set_add(&s, 0, &added, &err), err);
    EXPECT(!added, "0 was there");
    ramus_hash_set_free(&s);
}

CHECK_MAIN({"rules_speak_against_what_a_reader_would_drop",
            rules_speak_against_what_a_reader_would_drop},
           {"long_sentences_are_dropped_at_the_bound", long_sentences_are_dropped_at_the_bound},
           {"chinese_is_judged_by_its_own_measure", chinese_is_judged_by_its_own_measure},
           {"a_pair_is_seen_once", a_pair_is_seen_once},
           {"what_is_like_a_test_is_dropped", what_is_like_a_test_is_dropped},
           {"wrong_names_are_told", wrong_names_are_told},
           {"a_language_that_is_not_known_is_kept", a_language_that_is_not_known_is_kept},
           {"a_set_of_hashes_holds_what_was_added", a_set_of_hashes_holds_what_was_added})
