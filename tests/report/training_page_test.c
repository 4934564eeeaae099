/* The page of a run: checked by reading it again as markup and by numbers put into the log. */
#include "report/training_page.h"

#include "report/page.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "report_test.run"
#define LOG    FOLDER "/log.jsonl"
#define PAGE   FOLDER "/report.html"

static void write_log(const char *text)
{
    (void)mkdir(FOLDER, 0777);
    FILE *f = fopen(LOG, "wb");
    if (!f || fwrite(text, 1, strlen(text), f) != strlen(text) || fclose(f)) exit(1);
}

static void read_page(const char *path)
{
    struct stat info;
    FILE *f = fopen(path, "rb");
    free(page);
    page = NULL;
    if (!f || fstat(fileno(f), &info)) exit(1);
    const size_t size = (size_t)info.st_size;
    page = calloc(1, size + 1);
    if (!page || fread(page, 1, size, f) != size || fclose(f)) exit(1);
}

static void make_page(const char *log)
{
    ramus_error err = {0};
    write_log(log);
    REQUIRE_OK(ramus_report_save(FOLDER, &err), err);
    read_page(PAGE);
}

static void checker_finds_faults(void)
{
    static const char *const bad[] = {
        "<!DOCTYPE html>\n<p>",
        "<!DOCTYPE html>\n<p></q>",
        "<!DOCTYPE html>\n<p>&x</p>",
        "<!DOCTYPE html>\n<p a=b></p>",
        "<!DOCTYPE html>\n</p>",
        "<!DOCTYPE html>\n<p a=\"<\"></p>",
        "<!DOCTYPE html>\n<p>a < b</p>",
        "<!DOCTYPE html>\n<p></p>text",
        "<p></p>",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EXPECT(find_fault(bad[i]), "accepted: %s", bad[i]);
    EXPECT(!find_fault("<!DOCTYPE html>\n<p a=\"b&#60;\">x<br/>&#38;</p>\n"), "a good page");
}

/* --- facts ------------------------------------------------------------------------------------ */

#define START                                                                                      \
    "{\"kind\":\"start\",\"time\":1763247000,\"update\":0,\"version\":\"0.1.0\","                  \
    "\"parameters\":7513600,\"threads\":2,\"settings\":{\"width\":\"128\",\"routing\":\"dmb\"},"   \
    "\"corpora\":[{\"files\":\"train.en train.de\",\"read\":29000,\"kept\":28990,\"empty\":2,"     \
    "\"too_long\":8,\"ratio\":0,\"not_utf8\":31,\"source_tokens\":412345,\"weight\":1}]}\n"

#define TRAIN                                                                                      \
    "{\"kind\":\"train\",\"update\":1000,\"epoch\":5.25,\"seconds\":12240,\"loss\":4.125,"         \
    "\"nll\":5.375,"                                                                               \
    "\"losses\":{\"diversity\":0.0213},\"rate\":0.000175,\"gradient_norm\":1.24,"                  \
    "\"target_tokens\":4096000,\"tokens_per_second\":6690,\"skipped\":3,\"new\":[{\"a\":1}],"      \
    "\"gates\":[{\"name\":\"encoder.3.ffn.gate.x\",\"share\":[0.3,0.3,0.004,0.396],"               \
    "\"entropy\":0.71}]}\n"

#define VALID(update, bleu)                                                                        \
    "{\"kind\":\"valid\",\"update\":" #update ",\"loss\":2.5,\"perplexity\":12.18,\"bleu\":" #bleu \
    ",\"seconds\":9.5,\"best\":true}\n"

static void page_tells_what_the_log_tells(void)
{
    make_page(START TRAIN VALID(1000, 21.5) VALID(2000, 31.25) VALID(3000, 30.5) //
              "{\"kind\":\"save\",\"update\":3000,\"file\":\"checkpoint-3000.safetensors\"}\n"
              "{\"kind\":\"note\",\"update\":2500,\"text\":\"a skipped update\"}\n"
              "{\"kind\":\"new\",\"update\":7777}\n"
              "{\"kind\":\"end\",\"update\":3000,\"reason\":\"reached --updates 3000\"}\n");
    expect_well_formed("a whole run");
    static const char *const parts[] = {
        "<h1>report_test.run</h1>",
        "ended: reached --updates 3000",
        "started 2025-11-15 22:50 UTC",
        "7,513,600 parameters",
        "2 threads",
        "<dt>Update</dt><dd>3,000</dd><dd>5.25 epochs</dd>",
        "<dt>Training nll</dt><dd>5.375</dd>",
        "<span class=\"key c0\">4.125</span>", // the objective, in a chart of its own
        "<dt>Validation nll</dt><dd>2.5</dd>", // of logs that call it loss
        "<dt>Best BLEU</dt><dd>31.25</dd><dd>at update 2,000</dd>",
        "<dt>Training time</dt><dd>3 h 24 min</dd>",
        "<dt>Tokens/s</dt><dd>6,690</dd><dd>4.1 million tokens</dd>",
        "<dt>Skipped updates</dt><dd>3</dd>",
        "<dt>Last checkpoint</dt><dd>3,000</dd>",
        "<dt>width</dt><dd>128</dd>",
        "train.en train.de",
        "<span>28,990</span>",
        "data-label=\"not UTF-8\"><span>31</span>",
        "<span>10 (0.03&#160;%)</span>",
        "data-label=\"target tokens\"><span>&#8211;</span>", // missing
        "1.75 &#215; 10&#8315;&#8308;",
        "diversity",
        "0.0213",
        "encoder.3.ffn branch 2 has 0.4&#160;% of the tokens",
        "entropy 0.71 of 1.39",
        "a skipped update",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        EXPECT_PAGE(parts[i]);
    EXPECT_NOT_PAGE("7,777");
    EXPECT_INT(count("starving:</span>"), 1, "starving branches");
}

#define SAMPLED(update, first, second)                                                             \
    "{\"kind\":\"valid\",\"update\":" #update ",\"loss\":9,\"nll\":3.5,\"samples\":[{\"source\":"  \
    "\"a & b\",\"reference\":\"c\",\"text\":\"" first "\"},{\"source\":\"d\",\"text\":\"" second   \
    "\"}]}\n"

static void translations_are_shown_over_time(void)
{
    make_page(SAMPLED(100, "x1", "y1") SAMPLED(200, "wrong", "y2") //
              "{\"kind\":\"start\",\"update\":100}\n" SAMPLED(200, "x3", "y3"));
    expect_well_formed("samples");
    EXPECT_PAGE("<dt>Validation nll</dt><dd>3.5</dd>");
    EXPECT_PAGE("<li><b>source</b><span>a &#38; b</span></li>\n<li><b>100</b><span>x1</span></li>\n"
                "<li><b>200</b><span>x3</span></li>\n<li><b>reference</b><span>c</span></li>");
    EXPECT_PAGE("<li><b>200</b><span>y3</span></li>");
    EXPECT_NOT_PAGE("wrong"); // undone
    char log[8000] = "";
    for (int i = 1; i <= 30; i++)
        snprintf(log + strlen(log), sizeof log - strlen(log),
                 "{\"kind\":\"valid\",\"update\":%d,\"samples\":[{\"text\":\"t%d\"}]}\n", i, i);
    make_page(log);
    EXPECT_INT(count("<span>t"), 6, "translations of a long run");
    EXPECT_PAGE("<span>t30</span>");
}

static void folder_name_is_the_title(void)
{
    ramus_error err = {0};
    write_log(START);
    REQUIRE_OK(ramus_report_save("./" FOLDER "//", &err), err);
    read_page(PAGE);
    EXPECT_PAGE("<title>report_test.run</title>");
    EXPECT_PAGE("running");
    if (chdir(FOLDER)) exit(1);
    REQUIRE_OK(ramus_report_save(".", &err), err);
    if (chdir("..")) exit(1);
    read_page(PAGE);
    EXPECT_PAGE("<title>report_test.run</title>");
}

static void curves_go_through_their_points(void)
{
    // The scale goes from 2 to 4 and the updates from 0 to 200, on a picture of 4000 x 1000.
    make_page("{\"kind\":\"train\",\"update\":100,\"loss\":4}\n"
              "{\"kind\":\"train\",\"update\":150,\"loss\":2.5}\n"
              "{\"kind\":\"train\",\"update\":200,\"loss\":2}\n");
    EXPECT_PAGE("d=\"M2000 0l1000 750l1000 250\"");
    expect_well_formed("three points");
}

static void missing_numbers_are_gaps(void)
{
    make_page("{\"kind\":\"train\",\"update\":100,\"loss\":4}\n"
              "{\"kind\":\"train\",\"update\":150,\"loss\":4}\n"
              "{\"kind\":\"train\",\"update\":200,\"loss\":null}\n"
              "{\"kind\":\"train\",\"update\":250,\"loss\":3}\n"
              "{\"kind\":\"train\",\"update\":300,\"loss\":1e999}\n"
              "{\"kind\":\"train\",\"update\":350,\"loss\":2}\n"
              "{\"kind\":\"train\",\"update\":375}\n"
              "{\"kind\":\"train\",\"loss\":99}\n"
              "{\"kind\":\"train\",\"update\":400,\"loss\":2}\n");
    EXPECT_PAGE("d=\"M1000 0l500 0M2500 500M3500 1000M4000 1000\"");
    EXPECT_PAGE("d=\"M2500 500h0M3500 1000h0M4000 1000h0\""); // dots
    expect_well_formed("gaps");
}

static void one_point_is_a_dot(void)
{
    make_page(TRAIN);
    EXPECT_INT(count("h0\""), 7,
               "dots: nll, objective, rate, norm, speed, auxiliary loss, entropy");
    EXPECT_INT(count("nothing yet"), 2, "BLEU, perplexity");
    expect_well_formed("one line");
    make_page("{\"kind\":\"train\",\"update\":0,\"loss\":0,\"rate\":0}\n");
    expect_well_formed("zeros");
}

static void no_lines_no_curves(void)
{
    make_page("");
    EXPECT_PAGE("nothing yet");
    EXPECT_NOT_PAGE("<svg");
    expect_well_formed("an empty log");
    make_page(START);
    EXPECT_PAGE("nothing yet");
    expect_well_formed("a start");
}

static void text_is_never_markup(void)
{
    static const char evil[] = "<b>\\\"'&\\u0001";
    static const char shown[] = "&#60;b&#62;&#34;&#39;&#38;&#65533;";
    char log[2000];
    snprintf(log, sizeof log,
             "{\"kind\":\"start\",\"update\":0,\"version\":\"v%s\",\"settings\":{\"n%s\":\"s%s\","
             "\"number\":7},\"corpora\":[{\"files\":\"f%s\"},5]}\n"
             "{\"kind\":\"train\",\"update\":5,\"losses\":{\"l%s\":1},\"gates\":[{\"name\":"
             "\"g%s\",\"share\":[1,0]},{\"name\":\"%%s.%%d\",\"share\":[]}]}\n"
             "{\"kind\":\"note\",\"text\":\"t%s\"}\n{\"kind\":\"end\",\"reason\":\"r%s\"}\n",
             evil, evil, evil, evil, evil, evil, evil, evil);
    make_page(log);
    expect_well_formed("markup in texts");
    EXPECT_NOT_PAGE("<b>\"");
    for (const char *c = "vnsflgtr"; *c; c++) {
        char part[80];
        snprintf(part, sizeof part, "%c%s", *c, shown);
        EXPECT_PAGE(part);
    }
    EXPECT_PAGE("<dt>number</dt><dd>7</dd>");
}

static void resumed_run_forgets_what_was_undone(void)
{
    make_page("{\"kind\":\"start\",\"update\":0}\n" VALID(1000, 20) VALID(2000, 44.75) //
              "{\"kind\":\"train\",\"update\":2500,\"loss\":7.77}\n"
              "{\"kind\":\"note\",\"update\":2500,\"text\":\"a note stays\"}\n"
              "{\"kind\":\"end\",\"update\":2500,\"reason\":\"stopped\"}\n"
              "{\"kind\":\"start\",\"update\":1500}\n" //
              VALID(2000, 22.25));
    EXPECT_PAGE("<dt>Best BLEU</dt><dd>22.25</dd><dd>at update 2,000</dd>");
    EXPECT_PAGE("resumed once");
    EXPECT_PAGE("<b>1,500</b><span>resumed</span>");
    EXPECT_PAGE("a note stays");
    EXPECT_PAGE("running");
    EXPECT_NOT_PAGE("44.75");
    EXPECT_NOT_PAGE("7.77");
    EXPECT_NOT_PAGE("stopped");
    make_page(VALID(1000, 20) "{\"kind\":\"start\",\"update\":1000}\n");
    EXPECT_PAGE("<dd>20</dd><dd>at update 1,000</dd>"); // the checkpoint itself is not undone
}

static void broken_line_is_an_error_unless_it_was_the_last(void)
{
    ramus_error err = {0};
    make_page(TRAIN VALID(1000, 20) "{\"kind\":\"valid\",\"update\":2000,\"bl");
    EXPECT_PAGE("<dd>20</dd>");
    make_page(TRAIN "{\"kind\":\"valid\",\"upda\n{\"kind\":\"start\",\"update\":1000}\n");
    EXPECT_PAGE("4.125");
    static const char *const broken[] = {"{\"kind\":\"valid\"", "", "{\"loss\":NaN}", "5", "{} {}"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        char log[4000];
        snprintf(log, sizeof log, TRAIN "%s\n" TRAIN, broken[i]);
        write_log(log);
        EXPECT_FAILS(ramus_report_save(FOLDER, &err), err, LOG ": line 2: byte ");
    }
    read_page(PAGE);
    EXPECT_PAGE("4.125"); // the old page is still there
}

static void missing_log_is_an_error(void)
{
    ramus_error err = {0};
    EXPECT_FAILS(ramus_report_save("no/such/folder", &err), err, "no/such/folder/log.jsonl");
    EXPECT(ramus_report_save("no/such/folder", NULL), "no place for the sentence");
}

/* 36 gates of 4 branches, as in the small model. */
static void write_gates(FILE *f, int update)
{
    fputs(",\"gates\":[", f);
    for (int g = 0; g < 36; g++) {
        const double a = 0.25 + 0.2 * sin(update * 0.001 + g), b = 0.5 - a;
        fprintf(f, "%s{\"name\":\"%s.%d.%s.gate.%s\",\"share\":[%.4f,%.4f,0.25,0.25],",
                g ? "," : "", g < 12 ? "encoder" : "decoder", g % 6, g % 12 < 6 ? "ffn" : "cross",
                g < 24 ? "q" : "kv", a, b);
        fprintf(f, "\"entropy\":%.4f}", 1 + 0.3 * cos(update * 0.002));
    }
    fputc(']', f);
}

static void write_long_log(void)
{
    write_log(START);
    FILE *f = fopen(LOG, "ab");
    if (!f) exit(1);
    srand(check_seed());
    for (int i = 1; i <= 100000; i++) {
        fprintf(f,
                "{\"kind\":\"train\",\"update\":%d,\"loss\":%.4f,\"rate\":%.4g,"
                "\"gradient_norm\":%.3f,\"tokens_per_second\":%d,\"losses\":{\"a\":%.4f,"
                "\"b\":%.4f}",
                i, 2 + 7 * exp(-i / 9e3) + rand() % 1000 * 1e-4, 1e-4 * i, 1 + rand() % 100 * 0.1,
                6000 + rand() % 900, rand() % 1000 * 1e-3, rand() % 1000 * 1e-2);
        if (i % 200 == 0) write_gates(f, i);
        fputs("}\n", f);
        if (i % 100 == 0) fprintf(f, "{\"kind\":\"note\",\"update\":%d,\"text\":\"n%d\"}\n", i, i);
        if (i % 100 == 0)
            fprintf(f, "{\"kind\":\"valid\",\"update\":%d,\"loss\":%.3f,\"bleu\":%.2f}\n", i,
                    2 + 5 * exp(-i / 9e3), 30 - 30 * exp(-i / 9e3));
    }
    if (fclose(f)) exit(1);
}

static void long_log_gives_a_small_page_and_always_the_same(void)
{
    ramus_error err = {0};
    write_long_log();
    REQUIRE_OK(ramus_report_save(FOLDER, &err), err);
    read_page(PAGE);
    EXPECT(strlen(page) < 1000000, "%zu bytes", strlen(page));
    expect_well_formed("a long log");
    EXPECT_PAGE("100,000");
    EXPECT_PAGE(">n100000<");
    EXPECT_NOT_PAGE(">n100<");
    EXPECT_PAGE("No branch is starving");
    char *first = page;
    page = NULL;
    REQUIRE_OK(ramus_report_save(FOLDER, &err), err);
    read_page(PAGE);
    EXPECT(strcmp(first, page) == 0, "two pages of one log differ");
    free(first);
    free(page);
    page = NULL;
    (void)unlink(LOG);
    (void)unlink(PAGE);
    (void)rmdir(FOLDER);
}

CHECK_MAIN({"checker_finds_faults", checker_finds_faults},
           {"page_tells_what_the_log_tells", page_tells_what_the_log_tells},
           {"translations_are_shown_over_time", translations_are_shown_over_time},
           {"folder_name_is_the_title", folder_name_is_the_title},
           {"curves_go_through_their_points", curves_go_through_their_points},
           {"missing_numbers_are_gaps", missing_numbers_are_gaps},
           {"one_point_is_a_dot", one_point_is_a_dot}, {"no_lines_no_curves", no_lines_no_curves},
           {"text_is_never_markup", text_is_never_markup},
           {"resumed_run_forgets_what_was_undone", resumed_run_forgets_what_was_undone},
           {"broken_line_is_an_error_unless_it_was_the_last",
            broken_line_is_an_error_unless_it_was_the_last},
           {"missing_log_is_an_error", missing_log_is_an_error},
           {"long_log_gives_a_small_page_and_always_the_same",
            long_log_gives_a_small_page_and_always_the_same})
