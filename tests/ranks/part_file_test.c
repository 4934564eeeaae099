/* A file that is made in steps: a kill at any byte of any write leaves the steps before it. */
#include "ranks/part_file.h"

#include "base/map.h"
#include "check.h"
#include "data/texts.h"

#define STEPS 3
#define FAR   ((int64_t)1 << 40)

static const ramus_part_key keys[] = {{"another teacher", 7}, {"another corpus", 8}, {NULL, 0}};
static const char *const steps[STEPS] = {"first\n", "the second\n", "3\n"};

static ramus_part_file *open_file(int64_t numbers[2])
{
    ramus_error err = {0};
    ramus_part_file *p = NULL;
    REQUIRE_OK(ramus_part_file_open(&p, texts_path("f"), keys, numbers, 2, &err), err);
    return p;
}

static void add_steps(ramus_part_file *p, int from, int to)
{
    ramus_error err = {0};
    for (int i = from; i < to; i++) {
        const int64_t numbers[] = {i + 1, -FAR * i};
        REQUIRE_OK(ramus_part_file_add(p, steps[i], strlen(steps[i]), numbers, &err), err);
    }
}

static void expect_file(const char *name, const char *want)
{
    ramus_error err = {0};
    ramus_file file = {0};
    REQUIRE_OK(ramus_file_map(&file, texts_path(name), &err), err);
    EXPECT(file.size == strlen(want) && (!file.size || !memcmp(file.data, want, file.size)),
           "%s has %zu bytes, want \"%s\"", name, file.size, want);
    ramus_file_unmap(&file);
}

static void finish(ramus_part_file *p)
{
    ramus_error err = {0};
    const int64_t numbers[] = {STEPS, 0};
    REQUIRE_OK(ramus_part_file_finish(p, numbers, &err), err);
    ramus_part_file_close(p);
    expect_file("f", "first\nthe second\n3\n");
    EXPECT(access(texts_path("f.part"), F_OK) && access(texts_path("f.state"), F_OK),
           "nothing else is left");
    (void)unlink(texts_path("f"));
}

static void steps_become_a_file(void)
{
    int64_t numbers[2] = {5, 5};
    texts_begin();
    ramus_part_file *p = open_file(numbers);
    EXPECT(numbers[0] == 0 && numbers[1] == 0, "nothing is done");
    add_steps(p, 0, STEPS);
    EXPECT(access(texts_path("f"), F_OK), "it has no name before it is whole");
    finish(p);
    texts_end();
}

/* The state is cut at every byte, as by a kill or a power cut, and the part file has bytes behind.
 */
static void a_kill_loses_no_step(void)
{
    ramus_error err = {0};
    int64_t numbers[2];
    int ends[STEPS + 2] = {0}; // of the lines of the state
    ramus_file state = {0}, part = {0};
    texts_begin();
    ramus_part_file *p = open_file(numbers);
    add_steps(p, 0, STEPS);
    ramus_part_file_close(p);
    REQUIRE_OK(ramus_file_map(&state, texts_path("f.state"), &err), err);
    REQUIRE_OK(ramus_file_map(&part, texts_path("f.part"), &err), err);
    char bytes[1024] = {0}, text[64] = {0};
    const int size = (int)state.size, part_size = (int)part.size;
    memcpy(bytes, state.data, state.size);
    memcpy(text, part.data, part.size);
    ramus_file_unmap(&state);
    ramus_file_unmap(&part);
    for (int i = 0, n = 0; i < size; i++)
        if (bytes[i] == '\n') ends[++n] = i + 1;

    for (int cut = 0; cut <= size; cut++) {
        int done = 0;
        while (done < STEPS && cut >= ends[done + 2])
            done++;
        texts_write("f.state", bytes, (size_t)cut);
        text[part_size] = 'x';
        texts_write("f.part", text, (size_t)part_size + 1);
        p = open_file(numbers);
        EXPECT(numbers[0] == done && numbers[1] == (done ? -FAR * (done - 1) : 0),
               "cut at %d of %d: went on after %lld steps, want %d", cut, size,
               (long long)numbers[0], done);
        add_steps(p, done, STEPS);
        finish(p);
    }
    texts_end();
}

/* Kills between the last line of the state, the renaming and the removal of the state. */
static void a_kill_at_the_end_is_made_good(void)
{
    ramus_error err = {0};
    int64_t numbers[2];
    ramus_file file = {0};
    texts_begin();
    ramus_part_file *p = open_file(numbers);
    add_steps(p, 0, STEPS);
    (void)mkdir(texts_path("f"), 0777); // so that renaming fails after the state says the end
    numbers[0] = STEPS;
    EXPECT_FAILS(ramus_part_file_finish(p, numbers, &err), err, "cannot replace");
    ramus_part_file_close(p);
    (void)rmdir(texts_path("f"));
    REQUIRE_OK(ramus_file_map(&file, texts_path("f.state"), &err), err);
    char state[1024] = {0};
    const size_t size = file.size;
    memcpy(state, file.data, size);
    ramus_file_unmap(&file);

    p = open_file(numbers);
    EXPECT_INT(numbers[0], STEPS, "steps before renaming");
    finish(p);
    texts_write("f.state", state, size);
    texts_put("f", "first\nthe second\n3\n");
    p = open_file(numbers);
    EXPECT_INT(numbers[0], STEPS, "steps after renaming");
    finish(p);
    texts_write("f.state", state, size);
    p = open_file(numbers);
    EXPECT_INT(numbers[0], 0, "steps when the file was taken away since");
    add_steps(p, 0, STEPS);
    finish(p);
    texts_end();
}

static void what_does_not_fit_is_refused(void)
{
    static const ramus_part_key others[2][3] = {
        {{"another teacher", 6}, {"another corpus", 8}, {NULL, 0}},
        {{"another teacher", 7}, {"another corpus", 9}, {NULL, 0}}};
    ramus_error err = {0};
    int64_t numbers[2];
    ramus_part_file *p = NULL;
    texts_begin();
    p = open_file(numbers);
    add_steps(p, 0, 2);
    ramus_part_file_close(p);
    for (int i = 0; i < 2; i++)
        EXPECT_FAILS(ramus_part_file_open(&p, texts_path("f"), others[i], numbers, 2, &err), err,
                     others[i][i].other);
    EXPECT_FAILS(ramus_part_file_open(&p, texts_path("f"), keys + 1, numbers, 2, &err), err,
                 "another corpus");
    texts_put("f.part", "first\n");
    EXPECT_FAILS(ramus_part_file_open(&p, texts_path("f"), keys, numbers, 2, &err), err,
                 "has 6 bytes");
    texts_put("f.part", "first\nthe second\n");
    p = open_file(numbers);
    EXPECT_INT(numbers[0], 2, "nothing was lost by refusing");
    add_steps(p, 2, STEPS);
    finish(p);
    EXPECT_FAILS(ramus_part_file_open(&p, texts_path("no/f"), keys, numbers, 2, &err), err,
                 "cannot open");
    texts_end();
}

CHECK_MAIN({"steps_become_a_file", steps_become_a_file},
           {"a_kill_loses_no_step", a_kill_loses_no_step},
           {"a_kill_at_the_end_is_made_good", a_kill_at_the_end_is_made_good},
           {"what_does_not_fit_is_refused", what_does_not_fit_is_refused})
