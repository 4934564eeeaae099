/* Text that goes through an output, read back with the reader of lines: plain and packed, small and
 * in many pieces. */
#include "data/lines.h"
#include "data/output.h"

#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

#define LINES 150000 // 5 MB: several pieces of a packed file

static long size_of(const char *path)
{
    struct stat info;
    return stat(path, &info) ? -1 : (long)info.st_size;
}

/* Writes the lines "0".. to a file and gives its size before the commit. */
static long write_numbers(const char *path, int n)
{
    char line[64];
    ramus_error err = {0};
    ramus_output *o = NULL;
    REQUIRE_OK(ramus_output_open(&o, path, &err), err);
    for (int i = 0; i < n; i++) {
        (void)snprintf(line, sizeof line, "%d bottles of beer on the wall\n", i);
        REQUIRE_OK(ramus_output_write(o, line, strlen(line), &err), err);
        if (i % 5000 == 0) REQUIRE_OK(ramus_output_flush(o, &err), err);
    }
    const long size = size_of(path);
    REQUIRE_OK(ramus_output_commit(o, &err), err);
    ramus_output_close(o);
    return size;
}

static void expect_numbers(const char *path, int n)
{
    char *line = NULL;
    size_t size = 0;
    int wrong = 0;
    ramus_error err = {0};
    ramus_lines *l = NULL;
    REQUIRE_OK(ramus_lines_open(&l, path, &err), err);
    for (int i = 0; i < n; i++) {
        REQUIRE_OK(ramus_lines_next(l, &line, &size, &err), err);
        wrong += !line || strtol(line, NULL, 10) != i;
    }
    EXPECT_INT(wrong, 0, "wrong lines");
    REQUIRE_OK(ramus_lines_next(l, &line, &size, &err), err);
    EXPECT(!line, "%s ends", path);
    ramus_lines_close(l);
}

static const char *const names[] = {"output_test.txt", "output_test.gz", "output_test.xz"};

static void what_is_written_is_read(void)
{
    static const int amounts[] = {0, 1, 10000, LINES};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++) {
            (void)unlink(names[k]);
            EXPECT_INT(write_numbers(names[k], amounts[i]), -1, "there is no file before");
            expect_numbers(names[k], amounts[i]);
            (void)unlink(names[k]);
        }
}

static void a_packed_file_is_one_and_small(void)
{
    static const unsigned char first[][2] = {{'0', ' '}, {0x1F, 0x8B}, {0xFD, '7'}};
    for (int k = 0; k < 3; k++) {
        unsigned char start[2] = {0};
        (void)write_numbers(names[k], LINES);
        FILE *f = fopen(names[k], "rb");
        EXPECT(f && fread(start, 1, 2, f) == 2, "%s is there", names[k]);
        if (f) (void)fclose(f);
        EXPECT_BYTES(start, first[k], 2, "%s", names[k]);
        EXPECT(k == 0 || size_of(names[k]) < LINES * 10, "%ld bytes", size_of(names[k]));
        (void)unlink(names[k]);
    }
}

static void the_old_file_stays_without_a_commit(void)
{
    for (int k = 0; k < 3; k++) {
        ramus_error err = {0};
        ramus_output *o = NULL;
        (void)write_numbers(names[k], 3);
        REQUIRE_OK(ramus_output_open(&o, names[k], &err), err);
        REQUIRE_OK(ramus_output_write(o, "new\n", 4, &err), err);
        REQUIRE_OK(ramus_output_flush(o, &err), err);
        ramus_output_close(o);
        ramus_output_close(NULL);
        expect_numbers(names[k], 3);
        (void)unlink(names[k]);
    }
}

/* An output may replace the file that is being read. */
static void the_input_may_be_the_output(void)
{
    for (int k = 0; k < 3; k++) {
        char *line = NULL;
        size_t size = 0;
        ramus_error err = {0};
        ramus_lines *l = NULL;
        ramus_output *o = NULL;
        (void)write_numbers(names[k], LINES);
        REQUIRE_OK(ramus_lines_open(&l, names[k], &err), err);
        REQUIRE_OK(ramus_output_open(&o, names[k], &err), err);
        while (!ramus_lines_next(l, &line, &size, &err) && line) {
            REQUIRE_OK(ramus_output_write(o, line, size, &err), err);
            REQUIRE_OK(ramus_output_write(o, "\n", 1, &err), err);
        }
        REQUIRE_OK(ramus_output_commit(o, &err), err);
        ramus_output_close(o);
        ramus_lines_close(l);
        expect_numbers(names[k], LINES);
        (void)unlink(names[k]);
    }
}

CHECK_MAIN({"what_is_written_is_read", what_is_written_is_read},
           {"a_packed_file_is_one_and_small", a_packed_file_is_one_and_small},
           {"the_old_file_stays_without_a_commit", the_old_file_stays_without_a_commit},
           {"the_input_may_be_the_output", the_input_may_be_the_output})
