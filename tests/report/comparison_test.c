/* The comparison of runs: pages and JSON of logs whose numbers are known. */
#include "report/comparison.h"

#include "report/page.h"

#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "comparison_test.runs"

static void write_file(const char *run, const char *name, const char *text)
{
    char path[200];
    (void)mkdir(FOLDER, 0777);
    snprintf(path, sizeof path, FOLDER "/%s", run);
    (void)mkdir(path, 0777);
    snprintf(path, sizeof path, FOLDER "/%s/%s", run, name);
    FILE *f = text ? fopen(path, "wb") : NULL;
    if (!text) (void)unlink(path);
    if (text && (!f || fwrite(text, 1, strlen(text), f) != strlen(text) || fclose(f))) exit(1);
}

/* Compares the runs of a, b, .. as a page, or as JSON, in `page`. */
static void compare(const char *const *names, int n, const char *file, const char *reference,
                    bool json)
{
    char paths[RAMUS_RUNS_MAX][200];
    const char *folders[RAMUS_RUNS_MAX];
    ramus_error err = {0};
    ramus_runs runs;
    ramus_scores scores[2];
    ramus_buffer out = {0};
    for (int i = 0; i < n; i++) {
        snprintf(paths[i], sizeof paths[i], FOLDER "/%s", names[i]);
        folders[i] = paths[i];
    }
    REQUIRE_OK(ramus_runs_load(&runs, folders, n, &err), err);
    REQUIRE_OK(ramus_scores_compute(&scores[0], &runs, RAMUS_BEST_TRANSLATIONS, NULL, NULL, &err),
               err);
    if (file) REQUIRE_OK(ramus_scores_compute(&scores[1], &runs, file, reference, NULL, &err), err);
    const ramus_compared c = {&runs, scores, file ? 2 : 1};
    if (json)
        REQUIRE_OK(ramus_comparison_json(&out, &c, &err), err);
    else
        REQUIRE_OK(ramus_comparison_page(&out, &c, &err), err);
    free(page);
    page = out.data;
    ramus_runs_free(&runs);
}

#define COMPARE(...)                                                                               \
    compare((const char *const[]){__VA_ARGS__},                                                    \
            sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), NULL, NULL, false)

#define START(settings)                                                                            \
    "{\"kind\":\"start\",\"update\":0,\"version\":\"0.1.0\",\"parameters\":1000,\"settings\":"     \
    "{\"seed\":\"1\"," settings "\"out\":\"x\"}}\n"
#define TRAIN(update, tokens, seconds, nll)                                                        \
    "{\"kind\":\"train\",\"update\":" #update ",\"target_tokens\":" #tokens                        \
    ",\"seconds\":" #seconds ",\"nll\":" #nll ",\"loss\":9}\n"
#define VALID(update, nll, bleu)                                                                   \
    "{\"kind\":\"valid\",\"update\":" #update ",\"nll\":" #nll ",\"bleu\":" #bleu "}\n"
#define END "{\"kind\":\"end\",\"reason\":\"done\"}\n"

static void write_runs(void)
{
    write_file("a", "log.jsonl",
               START("\"rate\":\"0.1\",")                             //
               TRAIN(100, 1000, 3600, 4) VALID(100, 3, 10)            //
               TRAIN(200, 2000, 7200, 2) VALID(200, 2.5, 20.25) END); //
    write_file("b", "log.jsonl",
               START("\"rate\":\"0.2\",\"clip\":\"1\",")      //
               TRAIN(100, 4000, 1800, 3) VALID(100, 2.75, 12) //
               "{\"kind\":\"train\",\"update\":100,\"gates\":[{\"name\":\"encoder.0.ffn.gate.x\","
               "\"share\":[0.99,0.01],\"entropy\":0.25}]}\n");
    for (const char *run = "a\0b\0"; *run; run += 2) {
        write_file(run, RAMUS_BEST_TRANSLATIONS, NULL);
        write_file(run, RAMUS_BEST_REFERENCE, NULL);
    }
}

static void page_tells_what_differs(void)
{
    write_runs();
    COMPARE("a", "b");
    expect_well_formed("two runs");
    static const char *const parts[] = {
        "<title>a, b</title>",
        "<h1>2 training runs compared</h1>",
        "<td class=\"best\">20.25 <span class=\"soft\">at 200</span></td>",
        "<td>12.00 <span class=\"soft\">at 100</span></td>",
        "<td class=\"best\">2.5000 <span",
        "<td>2 h 0 min</td><td>ended</td>",
        "<td>30 min 0 s</td><td>not ended</td>",
        "<tr><th>rate</th><td><span class=\"value\">0.1</span></td><td><span "
        "class=\"value\">0.2</span>",
        "<tr><th>clip</th><td><span class=\"value\">&#8211;</span></td>",
        "Settings that are the same <span class=\"soft\">(1)</span>",
        "<dt>seed</dt><dd>1</dd>",
        "No run keeps the translations of its validation set (best.txt and reference.txt)",
        "<p>Without gates: <span class=\"run c0\" title=\"a\">",
        "<th>encoder.0.ffn</th><td><div class=\"bar\"><i class=\"b0 p0\" style=\"width:99.00%\"",
        "99 1&#160;%, <span class=\"run\">entropy 0.25 of 0.69</span>",
        "<span class=\"starving\">starving: 1</span>",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        EXPECT_PAGE(parts[i]);
    EXPECT_NOT_PAGE("<dt>out</dt>");
    EXPECT_NOT_PAGE("objective alone");
    EXPECT_NOT_PAGE("may not compare");
}

static void eight_runs_are_told_apart(void)
{
    const char *names[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
    for (int i = 0; i < 8; i++) {
        char log[1000];
        snprintf(log, sizeof log, START("\"valid\":\"%d.tsv\",") TRAIN(100, 1000, 3600, 4), i / 4);
        write_file(names[i], "log.jsonl", log);
    }
    compare(names, 8, NULL, NULL, false);
    expect_well_formed("eight runs");
    EXPECT_PAGE("BLEU and nll may not compare, for the runs differ in valid.");
    for (int i = 0; i < 8; i++) { // of nll in each of the three views
        char line[200];
        snprintf(line, sizeof line,
                 "<span class=\"key c%d\"><svg width=\"26\" height=\"8\"><path "
                 "class=\"l%s\" d=\"M0 4h26\"/></svg>%d 4.000</span>",
                 i % 4, i < 4 ? "" : " dash", i + 1);
        EXPECT_INT(count(line), 3, line);
    }
}

static void curves_are_over_updates_tokens_and_hours(void)
{
    write_runs();
    COMPARE("a", "b");
    EXPECT_INT(count("<b>Training cross-entropy (nll)</b>"), 3, "a chart of each");
    EXPECT_INT(count(" checked=\"checked\""), 1, "the switch");
    const char *over[] = {strstr(page, "view over-updates"), strstr(page, "view over-tokens"),
                          strstr(page, "view over-hours"), strstr(page, "<h2>Gates")};
    // nll from 2 to 4 in a picture of 4000 x 1000, over 200 updates, 4,000 tokens, 2 hours.
    static const char *const paths[3][2] = {
        {"d=\"M2000 0l2000 1000\"", "d=\"M2000 500\""},
        {"d=\"M1000 0l1000 1000\"", "d=\"M4000 500\""},
        {"d=\"M2000 0l2000 1000\"", "d=\"M1000 500\""},
    };
    for (int v = 0; v < 3; v++) {
        const char *chart = over[v] ? strstr(over[v], "<b>Training cross-entropy") : NULL;
        if (!chart || !over[v + 1] || chart > over[v + 1]) {
            EXPECT(false, "view %d has no chart", v);
            continue;
        }
        for (int r = 0; r < 2; r++) {
            const char *path = strstr(chart, paths[v][r]);
            EXPECT(path && path < over[v + 1], "view %d has no path %s", v, paths[v][r]);
        }
    }
}

static void axis_of_minutes_is_true(void)
{
    write_file("short", "log.jsonl",
               START("") TRAIN(100, 1000, 720, 4) TRAIN(200, 2000, 1440, 2)); // 0.4 hours
    COMPARE("short");
    const char *hours = strstr(page, "view over-hours");
    EXPECT(hours && strstr(hours, "x=\"100%\" y=\"100%\" dy=\"1.6em\">0.4</text>"), "the end");
    EXPECT(hours && strstr(hours, "x=\"50%\" y=\"100%\" dy=\"1.6em\">0.2</text>"), "the middle");
}

static void older_logs_are_compared_by_their_objective(void)
{
    write_runs();
    write_file("old", "log.jsonl",
               START("") "{\"kind\":\"train\",\"update\":100,\"loss\":5}\n"
                         "{\"kind\":\"valid\",\"update\":100,\"loss\":3.5}\n");
    COMPARE("a", "old");
    expect_well_formed("an older log");
    EXPECT_PAGE("<figure class=\"wide\"><figcaption><b>Objective</b>");
    EXPECT_PAGE("<figure><figcaption><b>Training cross-entropy (nll)</b>");
    EXPECT_PAGE("Some runs logged the objective alone");
    EXPECT_PAGE("<td>3.5000 <span class=\"soft\">at 100</span></td>");
    COMPARE("old");
    expect_well_formed("one run without tokens and seconds");
    EXPECT_PAGE("<h1>1 training run compared</h1>");
    EXPECT_PAGE("None: the runs have the same settings");
    EXPECT_NOT_PAGE("class=\"best\"");
}

static void resumed_runs_are_joined(void)
{
    write_file(
        "resumed", "log.jsonl",
        START("") TRAIN(100, 1000, 100, 4) TRAIN(200, 2000, 200, 7) //
        VALID(200, 1, 99) "{\"kind\":\"train\",\"up\n"              // killed
                          "{\"kind\":\"start\",\"update\":100,\"settings\":{\"seed\":\"1\"}}\n" //
        TRAIN(200, 2000, 250, 3) VALID(200, 2, 30) END);
    write_runs();
    COMPARE("resumed", "a");
    expect_well_formed("a resumed run");
    EXPECT_PAGE("<td>ended, resumed 1&#215;</td>");
    EXPECT_PAGE("30.00 <span class=\"soft\">at 200</span>");
    EXPECT_PAGE("<td>4 min 10 s</td>");
    EXPECT_NOT_PAGE("99.00 <span");
}

static const char reference[] = "the cat sat on the mat\na dog ran in the park today\n"
                                "we saw three birds near the lake\nit was a very fine day\n";
static const char worse[] = "the cat sat on a mat\na dog ran in the park\n"
                            "we saw birds near the lake\nit was a fine day\n";

static void scores_are_those_of_evaluate(void)
{
    write_runs();
    for (const char *run = "a\0b\0"; *run; run += 2)
        write_file(run, RAMUS_BEST_REFERENCE, reference);
    write_file("a", RAMUS_BEST_TRANSLATIONS, reference);
    write_file("b", RAMUS_BEST_TRANSLATIONS, worse);
    compare((const char *const[]){"a", "b"}, 2, "test.out", FOLDER "/a/reference.txt", false);
    expect_well_formed("scores");
    // By hand: matches 22 15 9 5 of 23 19 15 11, 23 words for 26: 59.13.
    EXPECT_PAGE("<td>59.13</td>");
    EXPECT_PAGE("<td>-40.87</td>");
    EXPECT_PAGE("<td>100.00</td>");
    EXPECT_PAGE("<td class=\"soft\">baseline</td>");
    EXPECT_PAGE("translated by the best checkpoint <span>4 lines</span>");
    EXPECT_PAGE("nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|");
    EXPECT_PAGE("No run has a file test.out.");
    write_file("b", RAMUS_BEST_REFERENCE, worse);
    COMPARE("a", "b");
    EXPECT_PAGE("another reference");
    write_file("b", RAMUS_BEST_TRANSLATIONS, NULL);
    COMPARE("a", "b");
    EXPECT_PAGE("keeps no best.txt");
}

static void lines_that_do_not_match_are_an_error(void)
{
    ramus_error err = {0};
    ramus_runs runs;
    ramus_scores scores;
    write_runs();
    write_file("a", RAMUS_BEST_REFERENCE, reference);
    write_file("a", "short", "one line\n");
    write_file("a", "empty", "");
    REQUIRE_OK(ramus_runs_load(&runs, (const char *const[]){FOLDER "/a"}, 1, &err), err);
    EXPECT_FAILS(
        ramus_scores_compute(&scores, &runs, "short", FOLDER "/a/reference.txt", NULL, &err), err,
        FOLDER "/a/short has fewer lines than " FOLDER "/a/reference.txt");
    EXPECT_FAILS(ramus_scores_compute(&scores, &runs, "empty", FOLDER "/a/empty", NULL, &err), err,
                 "has no lines");
    EXPECT_FAILS(ramus_scores_compute(&scores, &runs, "short", FOLDER "/none", NULL, &err), err,
                 FOLDER "/none");
    ramus_runs_free(&runs);
}

static void a_bad_log_is_a_clear_sentence(void)
{
    ramus_error err = {0};
    ramus_runs runs;
    write_runs();
    write_file("empty", "log.jsonl", "");
    write_file("text", "log.jsonl", "hello\nworld\n");
    write_file("none", "log.jsonl", NULL);
    static const char *const bad[][2] = {
        {FOLDER "/empty", "no line says that a run started"},
        {FOLDER "/text", FOLDER "/text/log.jsonl: line 1: byte "},
        {FOLDER "/none", FOLDER "/none/log.jsonl: cannot open"},
    };
    for (int i = 0; i < 3; i++) {
        const char *const folders[] = {FOLDER "/a", bad[i][0]};
        EXPECT_FAILS(ramus_runs_load(&runs, folders, 2, &err), err, bad[i][1]);
    }
    const char *many[RAMUS_RUNS_MAX + 1];
    for (int i = 0; i <= RAMUS_RUNS_MAX; i++)
        many[i] = FOLDER "/a";
    EXPECT_FAILS(ramus_runs_load(&runs, many, RAMUS_RUNS_MAX + 1, &err), err, "at most 8");
    REQUIRE_OK(ramus_runs_load(&runs, many, RAMUS_RUNS_MAX, &err), err);
    EXPECT(strcmp(runs.items[7].name, FOLDER "/a") == 0, "named %s", runs.items[7].name);
    ramus_runs_free(&runs);
}

static void text_is_never_markup(void)
{
    write_file("<b>&\"'", "log.jsonl",
               START("\"<i>\":\"<u>&\",") "{\"kind\":\"train\",\"update\":1,\"losses\":{\"<s>\":1},"
                                          "\"gates\":[{\"name\":\"<q>\",\"share\":[1]}]}\n");
    write_runs();
    write_file("a", "<out>", reference);
    compare((const char *const[]){"a", "<b>&\"'"}, 2, "<out>", FOLDER "/a/<out>", false);
    expect_well_formed("markup in texts");
    static const char *const shown[] = {"&#60;b&#62;&#38;&#34;&#39;",
                                        "&#60;i&#62;",
                                        "&#60;u&#62;&#38;",
                                        "&#60;s&#62;",
                                        "&#60;q&#62;",
                                        "&#60;out&#62;"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        EXPECT_PAGE(shown[i]);
}

static void json_has_the_same_numbers(void)
{
    write_runs();
    compare((const char *const[]){"a", "b"}, 2, NULL, NULL, true);
    static const char *const parts[] = {
        "{\"runs\": [{\"name\": \"a\", \"folder\": \"" FOLDER "/a\", \"version\": \"0.1.0\"",
        "\"ended\": true, \"starts\": 1, \"parameters\": 1000, \"updates\": 200",
        "\"best_bleu\": 20.25, \"best_bleu_update\": 200",
        "\"lowest_validation_nll\": 2.75, \"lowest_validation_nll_update\": 100",
        "\"training_nll\": [[100, 1000, 1, 4], [200, 2000, 2, 2]]",
        "\"validation_nll\": [[100, 4000, 0.5, 2.75]]",
        "\"gates\": [{\"name\": \"encoder.0.ffn.gate.x\", \"shares\": [0.99, 0.01], \"entropy\": "
        "0.25}]",
        "\"settings_that_differ\": [\"rate\", \"clip\"]",
        "{\"file\": \"best.txt\", \"lines\": 0, \"signature\": null, \"runs\": []}]}\n",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        EXPECT_PAGE(parts[i]);
}

CHECK_MAIN({"page_tells_what_differs", page_tells_what_differs},
           {"eight_runs_are_told_apart", eight_runs_are_told_apart},
           {"curves_are_over_updates_tokens_and_hours", curves_are_over_updates_tokens_and_hours},
           {"axis_of_minutes_is_true", axis_of_minutes_is_true},
           {"older_logs_are_compared_by_their_objective",
            older_logs_are_compared_by_their_objective},
           {"resumed_runs_are_joined", resumed_runs_are_joined},
           {"scores_are_those_of_evaluate", scores_are_those_of_evaluate},
           {"lines_that_do_not_match_are_an_error", lines_that_do_not_match_are_an_error},
           {"a_bad_log_is_a_clear_sentence", a_bad_log_is_a_clear_sentence},
           {"text_is_never_markup", text_is_never_markup},
           {"json_has_the_same_numbers", json_has_the_same_numbers})
