/* Lists, arenas, threads, random numbers, UTF-8 and our mathematics. The truth is published vectors
 * of Philox, libm in double, and plain loops. */
#include "base/arena.h"
#include "base/list.h"
#include "base/math.h"
#include "base/pool.h"
#include "base/rng.h"
#include "base/utf8.h"

#include "check.h"

#include <float.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

static void a_list_grows_by_doubling_and_keeps_what_it_has(void)
{
    ramus_error err = {0};
    int *items = NULL;
    size_t room = 0;
    int moves = 0;
    for (int i = 0; i < 10000; i++) {
        const size_t before = room;
        REQUIRE_OK(RAMUS_LIST_RESERVE(items, room, (size_t)i + 1, "a list", &err), err);
        EXPECT(room > (size_t)i, "%zu places for item %d", room, i);
        moves += room != before;
        items[i] = i;
    }
    EXPECT(moves <= 11, "moved %d times", moves); // 16 * 2^10 > 10000
    for (int i = 0; i < 10000; i++)
        EXPECT_INT(items[i], i, "an item");
    REQUIRE_OK(RAMUS_LIST_RESERVE(items, room, 100000, "a list", &err), err);
    EXPECT_INT(room, 100000, "as much as is wanted");
    const int *old = items;
    EXPECT_FAILS(RAMUS_LIST_RESERVE(items, room, (size_t)INT_MAX + 1, "a list", &err), err,
                 "a list");
    EXPECT_INT(err.status, RAMUS_NO_MEMORY, "status");
    EXPECT_FAILS(ramus_list_reserve(&items, &room, 100001, SIZE_MAX / 100000, "a list", &err), err,
                 "not enough memory for a list");
    EXPECT(items == old && room == 100000, "all is as it was");
    free(items);
}

static void arena_aligns_zeroes_and_resets(void)
{
    ramus_error err = {0};
    ramus_arena *a = NULL;
    REQUIRE_OK(ramus_arena_create(&a, 1000, &err), err);
    char *p = ramus_arena_alloc(a, 3);
    const size_t mark = ramus_arena_mark(a);
    char *q = ramus_arena_alloc(a, 65);
    EXPECT((size_t)p % RAMUS_ALIGNMENT == 0 && (size_t)q % RAMUS_ALIGNMENT == 0, "aligned");
    EXPECT_INT(q - p, 64, "distance");
    memset(q, 7, 65);
    ramus_arena_reset(a, mark);
    char *again = ramus_arena_alloc(a, 65);
    EXPECT(again == q && again[0] == 0 && again[64] == 0, "zero after reset");
    EXPECT_TEXT(ramus_arena_string(a, "name"), "name");
    ramus_arena_destroy(a);
    EXPECT_FAILS(ramus_arena_create(&a, (size_t)-1, &err), err, "not enough memory");
}

typedef struct {
    atomic_int seen[1000];
    atomic_int worst_thread;
} pool_state;

static void count_piece(void *arg, int index, int thread)
{
    pool_state *s = arg;
    atomic_fetch_add(&s->seen[index], 1);
    if (thread > atomic_load(&s->worst_thread)) atomic_store(&s->worst_thread, thread);
}

static void pool_does_every_piece_once(void)
{
    for (int threads = 1; threads <= 5; threads++) {
        ramus_error err = {0};
        ramus_pool *pool = NULL;
        REQUIRE_OK(ramus_pool_create(&pool, threads, &err), err);
        static pool_state s;
        memset(&s, 0, sizeof s);
        for (int round = 0; round < 50; round++)
            ramus_pool_for(pool, round % 3 ? 1000 : 1, count_piece, &s);
        for (int i = 0; i < 1000; i++)
            EXPECT_INT(s.seen[i], i == 0 ? 50 : 33, "times");
        EXPECT(s.worst_thread < threads, "thread %d of %d", s.worst_thread, threads);
        EXPECT_INT(ramus_pool_threads(pool), threads, "threads");
        ramus_pool_destroy(pool);
    }
    EXPECT(ramus_cores_available() >= 1, "cores");
}

static float times(float x, float y)
{
    volatile float factor = x; // the compiler does not compute it
    return factor * y;
}

typedef struct {
    pthread_barrier_t both;
    float made[2], read[2];
} tiny_state;

static void make_and_read_tiny(void *arg, int index, int thread)
{
    tiny_state *s = arg;
    (void)thread;
    (void)pthread_barrier_wait(&s->both); // each thread has one of the two pieces
    s->made[index] = times(FLT_MIN, 0.5F);
    s->read[index] = times(FLT_MIN / 4, 1e30F);
}

static void *in_a_pool(void *arg)
{
    ramus_error err = {0};
    ramus_pool *pool = NULL;
    ramus_math_flush_tiny();
    REQUIRE_OK(ramus_pool_create(&pool, 2, &err), err);
    ramus_pool_for(pool, 2, make_and_read_tiny, arg);
    ramus_pool_destroy(pool);
    return NULL;
}

static void tiny_numbers_are_zero_where_asked(void)
{
    tiny_state s = {.made = {-1, -1}, .read = {-1, -1}};
    pthread_t thread;
    pthread_barrier_init(&s.both, NULL, 2);
    EXPECT_INT(pthread_create(&thread, NULL, in_a_pool, &s), 0, "pthread_create");
    EXPECT_INT(pthread_join(thread, NULL), 0, "pthread_join");
    pthread_barrier_destroy(&s.both);
#ifdef __SSE2__
    for (int i = 0; i < 2; i++)
        EXPECT(s.made[i] == 0 && s.read[i] == 0, "thread %d: %g, %g", i, (double)s.made[i],
               (double)s.read[i]);
#endif
    EXPECT(times(FLT_MIN, 0.5F) > 0, "the thread that did not ask keeps them");
}

/* Known answers of the authors' own distribution (Random123, kat_vectors, philox4x32 10 rounds). */
static void philox_equals_published_vectors(void)
{
    static const uint32_t in[3][6] = {
        {0, 0, 0, 0, 0, 0},
        {~0u, ~0u, ~0u, ~0u, ~0u, ~0u},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0}};
    static const uint32_t want[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                        {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                        {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int i = 0; i < 3; i++) {
        uint32_t got[4];
        ramus_philox(got, in[i], in[i] + 4);
        EXPECT_BYTES(got, want[i], sizeof got, "vector %d", i);
    }
}

static void rng_is_a_function_of_key_and_element(void)
{
    const ramus_rng rng = {check_seed(), 3, 1, 9};
    uint32_t bits[37];
    double sum = 0, square = 0;
    for (int first = 0; first < 9; first++) {
        ramus_rng_fill(&rng, bits, (uint64_t)first, 37);
        for (int i = 0; i < 37; i++)
            EXPECT_INT(bits[i], ramus_rng_bits(&rng, (uint64_t)(first + i)), "bits");
    }
    ramus_rng other = rng;
    other.op++;
    EXPECT(ramus_rng_bits(&other, 0) != ramus_rng_bits(&rng, 0), "another op, other numbers");
    const int n = 100000;
    for (int i = 0; i < n; i++) {
        const double x = ramus_rng_normal(&rng, (uint64_t)i),
                     u = ramus_rng_uniform(&rng, (uint64_t)i);
        EXPECT(u >= 0 && u < 1, "uniform %g", u);
        sum += x;
        square += x * x;
    }
    EXPECT_NEAR(sum / n, 0, 0.02, "mean");
    EXPECT_NEAR(square / n, 1, 0.02, "variance");
}

static void utf8_round_trip_and_strictness(void)
{
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        if (code >= 0xD800 && code < 0xE000) continue;
        char text[4];
        uint32_t back = 0;
        const int n = ramus_utf8_encode(text, code);
        const int m = ramus_utf8_decode(&back, text, (size_t)n);
        EXPECT(m == n && back == code, "U+%04X: %d bytes, back U+%04X with %d", code, n, back, m);
        if (n > 1) EXPECT_INT(ramus_utf8_decode(&back, text, (size_t)n - 1), 0, "cut short");
    }
    static const char *const bad[] = {
        "\x80",         "\xC0\xAF",     "\xC1\xBF",         "\xE0\x80\xAF",
        "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x80\x80\xAF", "\xF4\x90\x80\x80",
        "\xF8\x88\x80", "\xFF",         "\xE2(\xA1",        "\xC3("};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint32_t code = 0;
        EXPECT_INT(ramus_utf8_decode(&code, bad[i], strlen(bad[i])), 0, "length of a bad sequence");
        EXPECT_INT(code, RAMUS_UTF8_REPLACEMENT, "code of a bad sequence");
    }
    EXPECT_INT(ramus_utf8_check("a\xC3\xA4\xFF", 4), 3, "first bad byte");
    EXPECT_INT(ramus_utf8_check("a\xC3\xA4", 3), 3, "all well");
    char out[4];
    EXPECT_INT(ramus_utf8_encode(out, 0xD800), 3, "surrogate becomes U+FFFD");
}

/* The C library is the other program here; ours must agree with it to a few units in the last
 * place. */
static void math_agrees_with_libm(void)
{
    const ramus_rng rng = {check_seed(), 0, 0, 0};
    for (int i = 0; i < 200000; i++) {
        const double u = ramus_rng_uniform(&rng, (uint64_t)i);
        const double e = u * 1400 - 700, p = exp(e), a = (u - 0.5) * 2e6;
        EXPECT(fabs(ramus_math_exp(e) - p) <= 2e-15 * p, "exp(%.17g)", e);
        EXPECT(fabs(ramus_math_log(p) - log(p)) <= 1e-15 * (1 + fabs(log(p))), "log(%.17g)", p);
        EXPECT(fabs(ramus_math_log(1 + u) - log(1 + u)) <= 1e-15, "log(%.17g)", 1 + u);
        EXPECT(fabs(ramus_math_sin(a) - sin(a)) <= 1e-15, "sin(%.17g)", a);
        EXPECT(fabs(ramus_math_cos(a) - cos(a)) <= 1e-15, "cos(%.17g)", a);
        const double b = 1 + 60 * u, q = pow(b, 0.6);
        EXPECT(fabs(ramus_math_pow(b, 0.6) - q) <= 4e-15 * q, "pow(%.17g, 0.6)", b);
    }
    EXPECT(ramus_math_exp(0) == 1 && ramus_math_log(1) == 0, "fixed points");
    EXPECT(ramus_math_sin(0) == 0 && ramus_math_cos(0) == 1, "fixed points of the circle");
}

CHECK_MAIN({"a_list_grows_by_doubling_and_keeps_what_it_has",
            a_list_grows_by_doubling_and_keeps_what_it_has},
           {"arena_aligns_zeroes_and_resets", arena_aligns_zeroes_and_resets},
           {"pool_does_every_piece_once", pool_does_every_piece_once},
           {"tiny_numbers_are_zero_where_asked", tiny_numbers_are_zero_where_asked},
           {"philox_equals_published_vectors", philox_equals_published_vectors},
           {"rng_is_a_function_of_key_and_element", rng_is_a_function_of_key_and_element},
           {"utf8_round_trip_and_strictness", utf8_round_trip_and_strictness},
           {"math_agrees_with_libm", math_agrees_with_libm})
