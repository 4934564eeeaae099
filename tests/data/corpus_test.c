/* Corpora against direct tokenisation, line by line, and the life of their cache. */
#include "base/buffer.h"
#include "base/hash.h"
#include "data/corpus.h"
#include "text/tokenizer.h"

#include "check.h"
#include "data/texts.h"

#define MANY 17000 // more than the pairs that are tokenised together

static ramus_vocab *vocab;

/* Each fact has a folder of its own. */
static void begin(void)
{
    texts_begin();
    vocab = texts_vocab("unigram-8k");
}

static void end(void)
{
    ramus_vocab_destroy(vocab);
    texts_end();
}

static ramus_corpus_spec usual(const char *source, const char *target)
{
    static char paths[3][128];
    (void)snprintf(paths[0], sizeof paths[0], "%s", texts_path(source));
    (void)snprintf(paths[1], sizeof paths[1], "%s", texts_path(target ? target : ""));
    (void)snprintf(paths[2], sizeof paths[2], "%s", texts_path("cache"));
    return (ramus_corpus_spec){.source = paths[0],
                               .target = target ? paths[1] : NULL,
                               .source_column = target ? 0 : 1,
                               .target_column = target ? 0 : 2,
                               .source_vocab = vocab,
                               .target_vocab = vocab,
                               .vocab_key = 7,
                               .max_length = 60,
                               .text = true,
                               .folder = paths[2]};
}

static ramus_corpus *open_corpus(const ramus_corpus_spec *spec)
{
    ramus_error err = {0};
    ramus_corpus *c = NULL;
    REQUIRE_OK(ramus_corpus_open(&c, spec, &err), err);
    return c;
}

/* The path of a corpus's cache file. */
static const char *cache_of(const ramus_corpus *c)
{
    char name[64];
    (void)snprintf(name, sizeof name, "cache/%016llx.pairs",
                   (unsigned long long)ramus_corpus_key(c));
    return texts_path(name);
}

static ino_t inode(const char *path)
{
    struct stat info;
    return stat(path, &info) ? 0 : info.st_ino;
}

/* Is pair i of the corpus these two texts, tokenised? */
static void expect_pair(const ramus_corpus *c, int64_t i, ramus_tokenizer *tok, const char *source,
                        const char *target)
{
    ramus_error err = {0};
    ramus_ids ids = {0};
    const ramus_pair p = ramus_corpus_pair(c, i);
    const int *const got[2] = {p.source, p.target};
    const int lengths[2] = {p.source_length, p.target_length};
    const char *const texts[2] = {source, target};
    for (int side = 0; side < 2; side++) {
        ids.n = 0;
        REQUIRE_OK(ramus_tokenizer_encode(tok, texts[side], strlen(texts[side]), &ids, &err), err);
        REQUIRE_OK(ramus_ids_add(&ids, ramus_vocab_eos(vocab), &err), err);
        EXPECT(ids.n == lengths[side], "pair %lld side %d: %d ids, want %d", (long long)i, side,
               lengths[side], ids.n);
        if (ids.n == lengths[side])
            EXPECT_BYTES(got[side], ids.data, (size_t)ids.n * sizeof(int), "pair %lld side %d",
                         (long long)i, side);
    }
    ramus_ids_free(&ids);
    if (!ramus_corpus_has_text(c)) return;
    const char *text[2];
    size_t sizes[2];
    ramus_corpus_text(c, i, &text[0], &sizes[0], &text[1], &sizes[1]);
    for (int side = 0; side < 2; side++)
        EXPECT(sizes[side] == strlen(texts[side]) &&
                   memcmp(text[side], texts[side], sizes[side]) == 0,
               "text of pair %lld side %d: %.*s", (long long)i, side, (int)sizes[side], text[side]);
}

/* `n` pairs of the sample in two files and one with columns, each with its number. */
static void write_many(int n)
{
    texts_sample s = texts_load_sample();
    ramus_buffer b[3] = {{0}};
    for (int i = 0; i < n; i++) {
        const int line = i * 2 % s.n;
        ramus_buffer_print(&b[0], "%s %d\n", s.lines[line], i);
        ramus_buffer_print(&b[1], "%d %s\n", i, s.lines[line + 1]);
        ramus_buffer_print(&b[2], "%d %s\tx\t%s %d\n", i, s.lines[line + 1], s.lines[line], i);
    }
    texts_write("many.en", b[0].data, b[0].size);
    texts_write("many.de", b[1].data, b[1].size);
    texts_write("many.tsv", b[2].data, b[2].size);
    for (int i = 0; i < 3; i++)
        ramus_buffer_free(&b[i]);
    free(s.bytes);
}

static void expect_many(const ramus_corpus *c, int n)
{
    ramus_error err = {0};
    texts_sample s = texts_load_sample();
    ramus_tokenizer *tok = NULL;
    int64_t tokens[2] = {0};
    const ramus_corpus_counts *counts = ramus_corpus_count(c);
    REQUIRE_OK(ramus_tokenizer_create(&tok, vocab, &err), err);
    EXPECT_INT(counts->read, n, "pairs read");
    EXPECT_INT(counts->kept, n, "pairs kept");
    for (int i = 0; i < n && i < counts->kept; i++) {
        char source[600], target[600];
        (void)snprintf(source, sizeof source, "%s %d", s.lines[i * 2 % s.n], i);
        (void)snprintf(target, sizeof target, "%d %s", i, s.lines[i * 2 % s.n + 1]);
        expect_pair(c, i, tok, source, target);
        tokens[0] += ramus_corpus_pair(c, i).source_length;
        tokens[1] += ramus_corpus_pair(c, i).target_length;
    }
    EXPECT_INT(counts->source_tokens, tokens[0], "source tokens");
    EXPECT_INT(counts->target_tokens, tokens[1], "target tokens");
    ramus_tokenizer_destroy(tok);
    free(s.bytes);
}

static void count_lines(void *arg, double lines)
{
    double *last = arg;
    EXPECT(lines > *last, "%g lines after %g", lines, *last);
    *last = lines;
}

static void cache_equals_direct_tokenisation(void)
{
    begin();
    write_many(MANY);
    for (int threads = 1; threads <= 3; threads++) {
        ramus_error err = {0};
        double last = 0;
        ramus_corpus_spec spec = usual("many.en", "many.de");
        spec.text = threads != 2;
        spec.vocab_key = (uint64_t)threads; // so that each one is made
        spec.progress = count_lines;
        spec.arg = &last;
        REQUIRE_OK(ramus_pool_create(&spec.pool, threads, &err), err);
        ramus_corpus *c = open_corpus(&spec);
        EXPECT_INT(last, MANY, "lines in the last report");
        expect_many(c, MANY);
        ramus_corpus_close(c);
        ramus_pool_destroy(spec.pool);
    }
    end();
}

/* The same pairs from columns, and from packed files, where there are packers. */
static void every_kind_of_file_gives_the_same_pairs(void)
{
    begin();
    write_many(300);
    ramus_corpus_spec spec = usual("many.tsv", NULL);
    spec.source_column = 3;
    spec.target_column = 1;
    ramus_corpus *c = open_corpus(&spec);
    expect_many(c, 300);
    ramus_corpus_close(c);
    static const char *const packers[][2] = {{"gzip -n", "gz"}, {"xz", "xz"}};
    for (int i = 0; i < 2; i++) {
        char command[256], names[2][32];
        (void)snprintf(command, sizeof command, "%s -k -f %s %s 2> /dev/null", packers[i][0],
                       texts_path("many.en"), texts_path("many.de"));
        if (system(command)) { // NOLINT(cert-env33-c): the words are our own
            printf("skipped: no %s here\n", packers[i][0]);
            continue;
        }
        (void)snprintf(names[0], sizeof names[0], "many.en.%s", packers[i][1]);
        (void)snprintf(names[1], sizeof names[1], "many.de.%s", packers[i][1]);
        spec = usual(names[0], names[1]);
        c = open_corpus(&spec);
        expect_many(c, 300);
        ramus_corpus_close(c);
    }
    end();
}

static void filters_drop_and_count(void)
{
    begin();
    ramus_error err = {0};
    ramus_tokenizer *tok = NULL;
    texts_put("f.en", "Hi.\r\n\nyes\n \t \nno\n\xC2\xA0\xE3\x80\x80\n"
                      "a b c d e f g h i j k l m n o p\none two three four five six\nlast");
    texts_put("f.de", "Hallo!\r\nleer\n\r\nleer\n   \nleer\nkurz\nx\nletzte\n");
    ramus_corpus_spec spec = usual("f.en", "f.de");
    spec.max_length = 12;
    spec.max_ratio = 2;
    ramus_corpus *c = open_corpus(&spec);
    const ramus_corpus_counts *n = ramus_corpus_count(c);
    EXPECT_INT(n->read, 9, "read");
    EXPECT_INT(n->empty, 5, "empty");
    EXPECT_INT(n->too_long, 1, "too long");
    EXPECT_INT(n->ratio, 1, "ratio");
    EXPECT_INT(n->kept, 2, "kept");
    REQUIRE_OK(ramus_tokenizer_create(&tok, vocab, &err), err);
    expect_pair(c, 0, tok, "Hi.", "Hallo!");
    expect_pair(c, 1, tok, "last", "letzte");
    ramus_tokenizer_destroy(tok);
    ramus_corpus_close(c);

    spec.max_ratio = 0;
    c = open_corpus(&spec);
    EXPECT_INT(ramus_corpus_count(c)->kept, 3, "kept at any ratio");
    const ramus_pair p = ramus_corpus_pair(c, 1);
    ramus_corpus_close(c);
    spec.max_ratio = (double)p.source_length / p.target_length; // not above it: kept
    c = open_corpus(&spec);
    EXPECT_INT(ramus_corpus_count(c)->kept, 3, "kept at its own ratio");
    ramus_corpus_close(c);
    spec.max_ratio = 0;
    spec.max_length = p.source_length;
    c = open_corpus(&spec);
    EXPECT_INT(ramus_corpus_count(c)->kept, 3, "kept at its own length");
    ramus_corpus_close(c);
    spec.max_length--;
    c = open_corpus(&spec);
    EXPECT_INT(ramus_corpus_count(c)->kept, 2, "kept below its length");
    ramus_corpus_close(c);
    end();
}

/* Of both sides, whatever becomes of the pair. */
static void pairs_that_are_not_utf_8_are_counted(void)
{
    begin();
    texts_put("f.en", "good\nbad \xFC\ngood\n\xC3\nboth \xE4\n");
    texts_put("f.de", "gut \xC3\xBC\nschlecht\nschlecht \xC3\n\nbeide \xF6\n");
    const ramus_corpus_spec spec = usual("f.en", "f.de");
    for (int made = 0; made < 2; made++) { // the second time the cache tells
        ramus_corpus *c = open_corpus(&spec);
        EXPECT_INT(ramus_corpus_count(c)->read, 5, "read");
        EXPECT_INT(ramus_corpus_count(c)->not_utf8, 4, "not UTF-8");
        EXPECT_INT(ramus_corpus_count(c)->kept, 4, "kept");
        ramus_corpus_close(c);
    }
    end();
}

/* Opens and closes; returns the key and the cache's inode: another one when it was written. */
static uint64_t visit(const ramus_corpus_spec *spec, ino_t *file)
{
    ramus_corpus *c = open_corpus(spec);
    const uint64_t key = ramus_corpus_key(c);
    *file = inode(cache_of(c));
    ramus_corpus_close(c);
    return key;
}

#define N_CHANGES 7

/* Changes something that the pairs depend on. */
static void change(ramus_corpus_spec *spec, int what, const ramus_vocab *other)
{
    const char *source = spec->source;
    switch (what) {
    case 0:
        spec->vocab_key++;
        break;
    case 1:
        spec->max_length--;
        break;
    case 2:
        spec->max_ratio = 3;
        break;
    case 3:
        spec->text = false;
        break;
    case 4:
        spec->source_vocab = other;
        break;
    case 5:
        spec->source = spec->target;
        spec->target = source;
        break;
    default:
        spec->source = texts_path("many.tsv");
        spec->source_column = 3;
        spec->target_column = 1;
        spec->target = NULL;
    }
}

static void a_cache_is_found_again(void)
{
    begin();
    ino_t first = 0, again = 0;
    write_many(50);
    ramus_corpus_spec spec = usual("many.en", "many.de");
    spec.folder = texts_path("cache/deeper/still"); // made with those above it
    (void)visit(&spec, &first);
    spec = usual("many.en", "many.de");
    const uint64_t key = visit(&spec, &first);
    EXPECT(visit(&spec, &again) == key && again == first, "the same text makes it again");
    texts_put("copy.en", "");
    EXPECT_INT(rename(texts_path("many.en"), texts_path("copy.en")), 0, "renaming");
    ramus_corpus_spec moved = usual("copy.en", "many.de");
    EXPECT(visit(&moved, &again) == key && again == first, "the name of a file counts");

    for (int i = 0; i < N_CHANGES; i++) {
        ramus_corpus_spec other = moved;
        ramus_vocab *bpe = texts_vocab("bpe-4k");
        change(&other, i, bpe);
        EXPECT(visit(&other, &again) != key && again != first, "change %d is not seen", i);
        ramus_vocab_destroy(bpe);
    }
    FILE *f = fopen(texts_path("copy.en"), "r+b");
    if (!f || fputc('#', f) == EOF || fclose(f)) exit(1);
    EXPECT(visit(&moved, &again) != key && again != first, "a changed byte is not seen");
    end();
}

/* Reads a file whole; the caller frees. */
static unsigned char *read_bytes(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    unsigned char *bytes = malloc(1 << 20);
    if (!f || !bytes) exit(1);
    *size = fread(bytes, 1, 1 << 20, f);
    (void)fclose(f);
    return bytes;
}

static void a_damaged_cache_is_made_again(void)
{
    begin();
    char path[128];
    size_t size = 0, now = 0;
    write_many(20);
    const ramus_corpus_spec spec = usual("many.en", "many.de");
    ramus_corpus *c = open_corpus(&spec);
    (void)snprintf(path, sizeof path, "%s", cache_of(c));
    ramus_corpus_close(c);
    unsigned char *good = read_bytes(path, &size);
    unsigned char *bad = malloc(size);
    if (!bad) exit(1);
    for (int i = 0; i < 200; i++) {
        const int damage = (int)(check_seed() % 7) + i;
        memcpy(bad, good, size);
        const size_t at = i < 64 ? size - 1 - (size_t)i * 2 : (size_t)damage * 7919u % size;
        bad[at] ^= (unsigned char)(1 << i % 8);
        const size_t cut = i % 4 == 3 ? at : size;
        FILE *f = fopen(path, "wb");
        if (!f || fwrite(bad, 1, cut, f) != cut || fclose(f)) exit(1);
        c = open_corpus(&spec);
        ramus_corpus_close(c);
        unsigned char *again = read_bytes(path, &now);
        EXPECT(now == size && memcmp(again, good, size) == 0, "byte %zu of %zu, cut at %zu", at,
               size, cut);
        free(again);
    }
    free(bad);
    free(good);
    end();
}

/* The end of a cache, as corpus_file.c has it. */
typedef struct {
    char magic[8];
    uint64_t format, key, text, index;
    ramus_corpus_counts counts;
    uint64_t bytes_hash, foot_hash;
} foot;

/* Hashes are no secret: who writes to the folder can make them right for any bytes. */
static void a_cache_that_was_forged_is_made_again(void)
{
    static const struct {
        size_t at; // in the first record: sizes of both texts, source ids
        int32_t value;
    } forgeries[] = {{0, 1 << 30}, {4, 1 << 30}, {4, -1}, {8, 8000}, {8, -1}, {12, INT32_MAX}};
    begin();
    char path[128];
    size_t size = 0, now = 0;
    write_many(20);
    const ramus_corpus_spec spec = usual("many.en", "many.de");
    ramus_corpus *c = open_corpus(&spec);
    (void)snprintf(path, sizeof path, "%s", cache_of(c));
    ramus_corpus_close(c);
    unsigned char *good = read_bytes(path, &size);
    unsigned char *bad = malloc(size);
    if (!bad || size < sizeof(foot)) exit(1);
    for (int i = 0; i < RAMUS_COUNT(forgeries); i++) {
        foot end_of_it;
        const size_t before = size - sizeof end_of_it;
        memcpy(bad, good, size);
        memcpy(bad + forgeries[i].at, &forgeries[i].value, sizeof forgeries[i].value);
        memcpy(&end_of_it, bad + before, sizeof end_of_it);
        end_of_it.bytes_hash = ramus_hash(0, bad, before);
        end_of_it.foot_hash = ramus_hash(0, &end_of_it, offsetof(foot, foot_hash));
        memcpy(bad + before, &end_of_it, sizeof end_of_it);
        FILE *f = fopen(path, "wb");
        if (!f || fwrite(bad, 1, size, f) != size || fclose(f)) exit(1);
        c = open_corpus(&spec);
        ramus_corpus_close(c);
        unsigned char *again = read_bytes(path, &now);
        EXPECT(now == size && memcmp(again, good, size) == 0, "forgery %d was believed", i);
        free(again);
    }
    free(bad);
    free(good);
    end();
}

static void sides_must_be_parallel(void)
{
    begin();
    ramus_error err = {0};
    ramus_corpus *c = NULL;
    char want[300];
    texts_put("long.en", "a\nb\nc\nd\ne");
    texts_put("short.de", "a\nb\n");
    ramus_corpus_spec spec = usual("long.en", "short.de");
    (void)snprintf(want, sizeof want, "%s has 5 lines and %s has 2;", spec.source, spec.target);
    EXPECT_FAILS(ramus_corpus_open(&c, &spec, &err), err, want);
    spec = usual("short.de", "long.en");
    (void)snprintf(want, sizeof want, "%s has 2 lines and %s has 5;", spec.source, spec.target);
    EXPECT_FAILS(ramus_corpus_open(&c, &spec, &err), err, want);

    texts_put("narrow.tsv", "a\tb\nc\n");
    spec = usual("narrow.tsv", NULL);
    EXPECT_FAILS(ramus_corpus_open(&c, &spec, &err), err, "narrow.tsv: line 2 has no column 2");
    spec.source_column = 4;
    EXPECT_FAILS(ramus_corpus_open(&c, &spec, &err), err, "narrow.tsv: line 1 has no column 4");
    spec.source_column = 0;
    EXPECT_FAILS(ramus_corpus_open(&c, &spec, &err), err, "columns 0 and 2");
    end();
}

static void what_cannot_become_a_corpus(void)
{
    begin();
    ramus_error err = {0};
    ramus_corpus *c = NULL;
    texts_put("a", "\n\na b c d e f g h\n");
    texts_put("b", "\nx\ny\n");
    texts_put("empty", "");
    ramus_corpus_spec spec = usual("a", "b");
    spec.max_length = 4;
    EXPECT_FAILS(ramus_corpus_open(&c, &spec, &err), err,
                 "no pair is left of 3: 2 have an empty side, 1 are longer than 4");
    spec.max_length = 1;
    EXPECT_FAILS(ramus_corpus_open(&c, &spec, &err), err, "at least 2");
    spec = usual("empty", "empty");
    EXPECT_FAILS(ramus_corpus_open(&c, &spec, &err), err, "no pair is left of 0");
    spec = usual("nowhere", "b");
    EXPECT_FAILS(ramus_corpus_open(&c, &spec, &err), err, "nowhere: cannot open");
    spec = usual("a", "b");
    spec.folder = texts_path("b");
    EXPECT_FAILS(ramus_corpus_open(&c, &spec, &err), err, "b: is not a folder");
    spec.folder = texts_path("b/below");
    EXPECT_FAILS(ramus_corpus_open(&c, &spec, &err), err, "b/below: cannot make");
    spec = usual("a", "b");
    spec.target_vocab = texts_vocab("zh-4k");
    EXPECT_FAILS(ramus_corpus_open(&c, &spec, &err), err,
                 "the target vocabulary has no piece for the end");
    ramus_vocab_destroy((ramus_vocab *)spec.target_vocab);
    EXPECT(!c, "a corpus comes out of a failure");
    EXPECT_INT(rmdir(texts_path("cache")), 0, "a failure leaves a file in the folder: rmdir");
    end();
}

/* Every bit of the bytes, their number and the seed change about half of the bits. */
static void a_hash_sees_every_bit(void)
{
    unsigned char bytes[41];
    for (int i = 0; i < 41; i++)
        bytes[i] = (unsigned char)(i * 37);
    int64_t differ = 0, n = 0;
    for (size_t size = 0; size <= 40; size++) {
        const uint64_t hash = ramus_hash(3, bytes, size);
        EXPECT(hash != ramus_hash(3, bytes, size + 1) && hash != ramus_hash(4, bytes, size),
               "%zu bytes", size);
        for (size_t bit = 0; bit < 8 * size; bit++, n++) {
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            uint64_t other = hash ^ ramus_hash(3, bytes, size);
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            EXPECT(other, "bit %zu of %zu bytes", bit, size);
            for (; other; other &= other - 1)
                differ++;
        }
    }
    EXPECT_NEAR((double)differ / (double)n, 32, 0.5, "bits that change");
    uint64_t key = 0, other = 0;
    ramus_error err = {0};
    REQUIRE_OK(ramus_hash_file(&key, GOLDEN "/text/bpe-4k.model", &err), err);
    REQUIRE_OK(ramus_hash_file(&other, GOLDEN "/text/char.model", &err), err);
    const uint64_t one = other;
    REQUIRE_OK(ramus_hash_file(&other, GOLDEN "/text/bpe-4k.model", &err), err);
    EXPECT(key != one && key != other && one != other, "keys of files");
    EXPECT_FAILS(ramus_hash_file(&key, "no/such/file", &err), err, "no/such/file");
}

CHECK_MAIN({"pairs_that_are_not_utf_8_are_counted", pairs_that_are_not_utf_8_are_counted},
           {"cache_equals_direct_tokenisation", cache_equals_direct_tokenisation},
           {"every_kind_of_file_gives_the_same_pairs", every_kind_of_file_gives_the_same_pairs},
           {"filters_drop_and_count", filters_drop_and_count},
           {"a_cache_is_found_again", a_cache_is_found_again},
           {"a_damaged_cache_is_made_again", a_damaged_cache_is_made_again},
           {"a_cache_that_was_forged_is_made_again", a_cache_that_was_forged_is_made_again},
           {"sides_must_be_parallel", sides_must_be_parallel},
           {"what_cannot_become_a_corpus", what_cannot_become_a_corpus},
           {"a_hash_sees_every_bit", a_hash_sees_every_bit})
