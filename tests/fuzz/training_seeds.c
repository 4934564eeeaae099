/* Writes what the targets checkpoint, log, corpus, config and values begin with:
 *
 *     training_seeds FOLDER
 */
#include "convert/checkpoint.h"
#include "data/corpus_file.h"
#include "model/transformer.h"
#include "runtime/search_choice.h"
#include "train/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static ramus_error err;
static const char *folder;

static void require(bool fine)
{
    if (fine) return;
    (void)fprintf(stderr, "training_seeds: %s\n", err.message);
    exit(1);
}

/* FOLDER/TARGET/NUMBER; makes the folder of the target. */
static const char *path_of(const char *target, int number)
{
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, target);
    (void)mkdir(path, 0777);
    (void)snprintf(path, sizeof path, "%s/%s/%d", folder, target, number);
    return path;
}

static void put(const char *target, int number, const char *text)
{
    FILE *f = fopen(path_of(target, number), "wb");
    require(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* A checkpoint of a run, as --resume reads it, of each kind of routing. */
static void put_checkpoint(int number, const char *routing, bool moments)
{
    const char *const pairs[] = {
        "width",          "4",    "filter",         "3",
        "heads",          "2",    "encoder-layers", "1",
        "decoder-layers", "1",    "source-vocab",   "5",
        "target-vocab",   "5",    "branches",       strcmp(routing, "dense") == 0 ? "1" : "2",
        "routing",        routing};
    ramus_checkpoint c = {0};
    ramus_optimizer_state optimizer = {0};
    const ramus_settings s = ramus_arch_settings(&c.arch);
    ramus_settings_default(&s);
    for (int i = 0; i < RAMUS_COUNT(pairs); i += 2)
        require(!ramus_setting_set(&s, ramus_setting_find(&s, pairs[i]), pairs[i + 1], &err));
    require(!ramus_transformer_weights(&c.weights, &c.arch, true, &err));
    ramus_buffer_text(&c.vocabs[0], "no vocabulary");
    ramus_state state = {.weights = c.weights, .optimizer = &optimizer, .corpus_key = 7};
    const ramus_settings place = ramus_place_settings(&state.place);
    ramus_settings_default(&place);
    state.place.update = 12;
    state.place.steps = 11;
    state.place.skipped = 1;
    if (moments) optimizer.first = optimizer.second = c.weights;
    require(!ramus_state_save(&state, &c, "seed = 1\nrate = 0.1\n", path_of("checkpoint", number),
                              &err));
    ramus_checkpoint_free(&c);
}

static void put_corpus(int number, bool text, int pairs)
{
    static const int ids[] = {3, 4, 5, 2};
    const ramus_corpus_counts counts = {.read = pairs, .kept = pairs};
    ramus_corpus_writer *w = NULL;
    require(!ramus_corpus_writer_create(&w, path_of("corpus", number), text, &err));
    for (int i = 0; i < pairs; i++) {
        const ramus_pair pair = {ids, ids, 1 + i % 4, 1 + i % 3};
        const ramus_pair_text texts = {"A text", "Ein Text", 6, 8};
        require(!ramus_corpus_writer_add(w, &pair, &texts, &err));
    }
    require(!ramus_corpus_writer_commit(w, 7, &counts, &err));
    ramus_corpus_writer_destroy(w);
}

int main(int argc, char **argv)
{
    static const char *const routings[] = {"dense", "dmb", "moe", "switch"};
    if (argc != 2) return 2;
    folder = argv[1];
    (void)mkdir(folder, 0777);
    for (int i = 0; i < RAMUS_COUNT(routings); i++)
        put_checkpoint(i, routings[i], i % 2);
    for (int i = 0; i < 4; i++)
        put_corpus(i, i % 2, i * 3);
    static const char start[] =
        "{\"kind\":\"start\",\"time\":1,\"update\":0,\"version\":\"0.1.0\",\"parameters\":9,"
        "\"threads\":2,\"settings\":{\"seed\":\"1\"},\"corpora\":[{\"files\":\"a "
        "b\",\"read\":9,\"kept\":8,\"weight\":1}]}\n";
    static const char train[] =
        "{\"kind\":\"train\",\"update\":2,\"epoch\":0.5,\"seconds\":3,\"loss\":4.5,\"losses\":{"
        "\"balance\":0.1},\"rate\":0.01,\"gradient_norm\":2,\"gates\":[{\"name\":\"encoder.0."
        "attention\",\"share\":[0.5,0.5],\"entropy\":0.69}]}\n";
    static const char valid[] = "{\"kind\":\"valid\",\"update\":2,\"loss\":4,\"perplexity\":54.6,"
                                "\"bleu\":1.5,\"seconds\":1,\"best\":true}\n";
    char all[2048];
    (void)snprintf(all, sizeof all, "%s%s%s{\"kind\":\"save\",\"update\":2}\n{\"kind\":\"no", start,
                   train, valid);
    put("log", 0, start);
    put("log", 1, all);
    put("values", 0, train);
    put("values", 1, "[\"\\ud83d\\ude00\\n\", -1.5e3, true, false, null, {\"a\": [[]]}]");
    put("config", 0, "width = 64\nrouting = dmb\nbranches = 4 # no comment\n# a comment\n");
    put("config", 1, "files = a b \"c d\" \"e \"\"f\"\"\"\nfile = \" x\"\ntext = \"\nflag = on\n");
    put("config", 2, "beam = 4\nlength_penalty = 0.6\nreal = 1e3\npreset = tiny\n");
    return 0;
}
