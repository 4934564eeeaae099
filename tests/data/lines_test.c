/* Lines of plain and packed files. The packers are the programs xz and gzip where they are
 * installed; small packed files are here as bytes. */
#include "data/lines.h"

#include "check.h"

#include <signal.h>
#include <unistd.h>

#define FILE_NAME "lines_test.bytes"

static void write_bytes(const void *bytes, size_t size)
{
    FILE *f = fopen(FILE_NAME, "wb");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f)) exit(1);
}

/* Reads the whole file; lines come out with '|' between and '$' at the end, or the error. */
static const char *read_all(char *out, size_t room)
{
    ramus_error err = {0};
    ramus_lines *l = NULL;
    char *line = NULL;
    size_t size = 0, used = 0;
    if (ramus_lines_open(&l, FILE_NAME, &err)) {
        (void)snprintf(out, room, "%s", err.message);
        return out;
    }
    while (!ramus_lines_next(l, &line, &size, &err)) {
        if (!line || used + size + 2 > room) {
            (void)snprintf(out + used, room - used, "%s", line ? "too long" : "$");
            ramus_lines_close(l);
            return out;
        }
        memcpy(out + used, line, size);
        used += size;
        out[used++] = '|';
    }
    ramus_lines_close(l);
    (void)snprintf(out, room, "%s", err.message);
    return out;
}

static void plain_lines(void)
{
    char out[600];
    write_bytes("a\nbc\n\nd", 7);
    EXPECT_TEXT(read_all(out, sizeof out), "a|bc||d|$");
    write_bytes("a\n", 2);
    EXPECT_TEXT(read_all(out, sizeof out), "a|$");
    write_bytes("\n\n", 2);
    EXPECT_TEXT(read_all(out, sizeof out), "||$");
    write_bytes("", 0);
    EXPECT_TEXT(read_all(out, sizeof out), "$");
    write_bytes("\x1F", 1); // the first byte of .gz alone is text
    EXPECT_TEXT(read_all(out, sizeof out), "\x1F|$");
    write_bytes("a\r\nb\r\n", 6);
    EXPECT_TEXT(read_all(out, sizeof out), "a\r|b\r|$");
}

/* printf 'one\ntwo\n' | gzip -n, and | xz --check=crc32 */
static const unsigned char gz[] = {0x1f, 0x8b, 0x08, 0,    0,    0,    0,    0,    0,    0x03,
                                   0xcb, 0xcf, 0x4b, 0xe5, 0x2a, 0x29, 0xcf, 0xe7, 0x02, 0,
                                   0xe6, 0x0b, 0xba, 0x12, 0x08, 0,    0,    0};

static const unsigned char xz[] = {
    0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x01, 0x69, 0x22, 0xde, 0x36, 0x02, 0x00, 0x21,
    0x01, 0x16, 0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0x01, 0x00, 0x07, 0x6f, 0x6e, 0x65,
    0x0a, 0x74, 0x77, 0x6f, 0x0a, 0x00, 0xe6, 0x0b, 0xba, 0x12, 0x00, 0x01, 0x1c, 0x08, 0x44,
    0x60, 0x2a, 0xc8, 0x90, 0x42, 0x99, 0x0d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x01, 0x59, 0x5a};

/* Reads `bytes` whole, twice over, cut anywhere, and with a bit turned. */
static void check_packed(const unsigned char *bytes, size_t size)
{
    char out[600];
    unsigned char twice[256];
    RAMUS_ASSERT(2 * size <= sizeof twice);
    write_bytes(bytes, size);
    EXPECT_TEXT(read_all(out, sizeof out), "one|two|$");
    memcpy(twice, bytes, size);
    memcpy(twice + size, bytes, size);
    write_bytes(twice, 2 * size); // cat a.gz b.gz
    EXPECT_TEXT(read_all(out, sizeof out), "one|two|one|two|$");
    for (size_t cut = 6; cut < size; cut++) {
        write_bytes(bytes, cut);
        EXPECT(strstr(read_all(out, sizeof out), "damaged or cut short"), "%zu bytes: %s", cut,
               out);
    }
    twice[size / 2 - 2] ^= 0x55;
    write_bytes(twice, size);
    EXPECT(strstr(read_all(out, sizeof out), "damaged or cut short"), "%s", out);
}

static void packed_lines(void)
{
    check_packed(gz, sizeof gz);
    check_packed(xz, sizeof xz);
}

/* Lines of every length around the sizes of the buffers, and one of 3 MB, through xz and back. */
static void long_lines_come_whole(void)
{
    static const int sizes[] = {0, 1, 32767, 32768, 32769, 65535, 65536, 65537, 200000, 3000000, 5};
    static const char *const packers[] = {"cat", "xz -0", "gzip -1"};
    for (int p = 0; p < 3; p++) {
        char command[128];
        ramus_error err = {0};
        ramus_lines *l = NULL;
        char *line = NULL;
        size_t size = 0;
        snprintf(command, sizeof command, "%s > %s", packers[p], FILE_NAME);
        (void)signal(SIGPIPE, SIG_IGN); // where there is no such program
        FILE *f = popen(command, "w");
        for (size_t i = 0; f && i < sizeof sizes / sizeof *sizes; i++) {
            for (int j = 0; j < sizes[i]; j++)
                fputc('a' + (j + (int)i) % 26, f);
            fputc('\n', f);
        }
        if (!f || pclose(f)) {
            printf("skipped: no %s here\n", packers[p]);
            continue;
        }
        REQUIRE_OK(ramus_lines_open(&l, FILE_NAME, &err), err);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            REQUIRE_OK(ramus_lines_next(l, &line, &size, &err), err);
            EXPECT(line && size == (size_t)sizes[i], "%s: line %zu has %zu bytes", packers[p], i,
                   size);
            int wrong = 0;
            for (size_t j = 0; j < size; j++)
                wrong += line[j] != 'a' + (char)((j + i) % 26);
            EXPECT_INT(wrong, 0, "bytes that differ");
        }
        REQUIRE_OK(ramus_lines_next(l, &line, &size, &err), err);
        EXPECT(!line, "the end");
        REQUIRE_OK(ramus_lines_next(l, &line, &size, &err), err);
        EXPECT(!line, "the end stays the end");
        ramus_lines_close(l);
    }
}

static void fields_of_a_line(void)
{
    size_t size = 0;
    const char line[] = "ab\t\tc";
    EXPECT(ramus_lines_field(line, 5, 0, &size) == line && size == 5, "whole line");
    EXPECT(ramus_lines_field(line, 5, 1, &size) == line && size == 2, "first");
    EXPECT(ramus_lines_field(line, 5, 2, &size) == line + 3 && size == 0, "empty");
    EXPECT(ramus_lines_field(line, 5, 3, &size) == line + 4 && size == 1, "last");
    EXPECT(!ramus_lines_field(line, 5, 4, &size), "none");
}

static void what_cannot_be_opened(void)
{
    ramus_error err = {0};
    ramus_lines *l = NULL;
    EXPECT_FAILS(ramus_lines_open(&l, "no/such/file", &err), err, "no/such/file: cannot open");
    EXPECT_FAILS(ramus_lines_open(&l, ".", &err), err, ".: cannot read");
    unlink(FILE_NAME);
}

static void what_is_packed_in_pieces_reads_as_one_text(void)
{
    static const char *const names[] = {"x.gz", "x.tsv.xz", "x.tsv"};
    static const unsigned char first[] = {0x1F, 0xFD, 'a'};
    for (int i = 0; i < 3; i++) {
        char out[600];
        ramus_error err = {0};
        ramus_buffer packed = {0};
        REQUIRE_OK(ramus_lines_pack(&packed, names[i], "a\nb", 3, &err), err);
        REQUIRE_OK(ramus_lines_pack(&packed, names[i], "", 0, &err), err);
        REQUIRE_OK(ramus_lines_pack(&packed, names[i], "c\nd\n", 4, &err), err);
        EXPECT_INT((unsigned char)packed.data[0], first[i], "the first byte");
        write_bytes(packed.data, packed.size);
        EXPECT_TEXT(read_all(out, sizeof out), "a|bc|d|$");
        ramus_buffer_free(&packed);
    }
}

/* What lines of a text in memory, and the end, look like. */
static void lines_of_a_text(void)
{
    char *line = NULL;
    size_t size = 0;
    ramus_error err = {0};
    ramus_lines *l = NULL;
    static const char *const want[] = {"a", "", "bc"};
    REQUIRE_OK(ramus_lines_open_text(&l, "a\n\nbc", 5, &err), err);
    for (int i = 0; i < 3; i++) {
        EXPECT(ramus_lines_ready(l), "line %d is ready", i);
        REQUIRE_OK(ramus_lines_next(l, &line, &size, &err), err);
        EXPECT(line && size == strlen(want[i]) && memcmp(line, want[i], size) == 0, "line %d", i);
    }
    REQUIRE_OK(ramus_lines_next(l, &line, &size, &err), err);
    EXPECT(!line, "the end");
    ramus_lines_close(l);
    REQUIRE_OK(ramus_lines_open_text(&l, "", 0, &err), err);
    REQUIRE_OK(ramus_lines_next(l, &line, &size, &err), err);
    EXPECT(!line, "nothing");
    ramus_lines_close(l);
}

static void expect_amount(ramus_lines_amount got, long lines, long bytes, const char *what)
{
    EXPECT(got.lines == lines && got.bytes == bytes, "%s: %ld lines, %ld bytes", what,
           (long)got.lines, (long)got.bytes);
}

static void amounts_of_lines_and_bytes(void)
{
    char *line = NULL;
    size_t size = 0;
    int ends[2];
    ramus_error err = {0};
    ramus_lines *l = NULL;
    write_bytes("a\nbc\n\nd", 7);
    REQUIRE_OK(ramus_lines_open(&l, FILE_NAME, &err), err);
    expect_amount(ramus_lines_total(l), 4, 7, "the file");
    expect_amount(ramus_lines_done(l), 0, 0, "the start");
    REQUIRE_OK(ramus_lines_next(l, &line, &size, &err), err);
    REQUIRE_OK(ramus_lines_next(l, &line, &size, &err), err);
    expect_amount(ramus_lines_done(l), 2, 5, "two lines");
    expect_amount(ramus_lines_total(l), 4, 7, "the file, after two lines");
    while (line)
        REQUIRE_OK(ramus_lines_next(l, &line, &size, &err), err);
    expect_amount(ramus_lines_done(l), 4, 7, "the end");
    ramus_lines_close(l);
    write_bytes("", 0);
    REQUIRE_OK(ramus_lines_open(&l, FILE_NAME, &err), err);
    expect_amount(ramus_lines_total(l), 0, 0, "an empty file");
    ramus_lines_close(l);
    write_bytes(gz, sizeof gz);
    REQUIRE_OK(ramus_lines_open(&l, FILE_NAME, &err), err);
    expect_amount(ramus_lines_total(l), -1, sizeof gz, "a packed file");
    do
        REQUIRE_OK(ramus_lines_next(l, &line, &size, &err), err);
    while (line);
    expect_amount(ramus_lines_done(l), 2, sizeof gz, "its end");
    ramus_lines_close(l);
    /* Standard input: from where the file behind it stands; of a pipe nothing is known. */
    const int kept = dup(STDIN_FILENO);
    write_bytes("a\nbc\n\nd", 7);
    RAMUS_ASSERT(freopen(FILE_NAME, "rb", stdin) && lseek(STDIN_FILENO, 2, SEEK_SET) == 2);
    REQUIRE_OK(ramus_lines_open(&l, "-", &err), err);
    expect_amount(ramus_lines_total(l), 3, 5, "the rest of a file");
    ramus_lines_close(l);
    RAMUS_ASSERT(pipe(ends) == 0 && write(ends[1], "a\nb", 3) == 3 && close(ends[1]) == 0);
    RAMUS_ASSERT(dup2(ends[0], STDIN_FILENO) >= 0);
    REQUIRE_OK(ramus_lines_open(&l, "-", &err), err);
    expect_amount(ramus_lines_total(l), -1, -1, "a pipe");
    ramus_lines_close(l);
    RAMUS_ASSERT(dup2(kept, STDIN_FILENO) >= 0);
    (void)close(kept);
    (void)close(ends[0]);
    (void)unlink(FILE_NAME);
}

static void what_is_no_text_is_refused_packed_or_not(void)
{
    static const char *const names[] = {"x.gz", "x.xz", "x"};
    for (int i = 0; i < 3; i++) {
        char out[600];
        ramus_error err = {0};
        ramus_buffer packed = {0};
        REQUIRE_OK(ramus_lines_pack(&packed, names[i], "%PDF-1.7\n", 9, &err), err);
        write_bytes(packed.data, packed.size);
        EXPECT(strstr(read_all(out, sizeof out), FILE_NAME ": is a PDF"), "%s", out);
        ramus_buffer_free(&packed);
    }
    (void)unlink(FILE_NAME);
}

static void note(int number)
{
    (void)number;
}

/* A program that handles a signal is not kept waiting for input. */
static void a_signal_ends_the_wait(void)
{
    int ends[2];
    ramus_error err = {0};
    ramus_lines *l = NULL;
    const int kept = dup(STDIN_FILENO);
    const struct sigaction action = {.sa_handler = note};
    RAMUS_ASSERT(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) >= 0);
    RAMUS_ASSERT(sigaction(SIGALRM, &action, NULL) == 0);
    (void)alarm(1);
    EXPECT_INT(ramus_lines_open(&l, "-", &err), RAMUS_STOPPED, "status");
    RAMUS_ASSERT(dup2(kept, STDIN_FILENO) >= 0);
    (void)close(kept);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

/* A peek shows `begin` and at least so many bytes, and all lines come after it. */
static void expect_peek(ramus_lines *l, size_t least, const char *begin, size_t n_lines)
{
    ramus_error err = {0};
    char *line = NULL;
    size_t size = 0, again = 0, n = 0;
    const char *text = ramus_lines_peek(l, &size);
    EXPECT(size >= least, "%zu bytes, expected %zu", size, least);
    EXPECT_BYTES(text, begin, strlen(begin), "begins with %.*s", (int)strlen(begin), text);
    EXPECT(ramus_lines_peek(l, &again) && again >= size, "again %zu bytes", again);
    for (; !ramus_lines_next(l, &line, &size, &err) && line; n++)
        if (n == 0) EXPECT_BYTES(line, begin, strcspn(begin, "\n"), "the first line is %s", line);
    EXPECT_INT(n, n_lines, "lines");
}

static void a_peek_takes_nothing(void)
{
    static char big[400000];
    ramus_error err = {0};
    ramus_lines *l = NULL;
    for (size_t i = 0; i < sizeof big; i++)
        big[i] = i % 10 == 9 ? '\n' : (char)('a' + i % 10);
    write_bytes(big, sizeof big);
    REQUIRE_OK(ramus_lines_open(&l, FILE_NAME, &err), err);
    expect_peek(l, 64 * 1024, "abcdefghi\nabc", 40000);
    ramus_lines_close(l);
    write_bytes("one\ntwo", 7);
    REQUIRE_OK(ramus_lines_open(&l, FILE_NAME, &err), err);
    expect_peek(l, 7, "one\ntwo", 2);
    ramus_lines_close(l);
    write_bytes("", 0);
    REQUIRE_OK(ramus_lines_open(&l, FILE_NAME, &err), err);
    expect_peek(l, 0, "", 0);
    ramus_lines_close(l);
    REQUIRE_OK(ramus_lines_open_text(&l, "one\ntwo\n", 8, &err), err);
    expect_peek(l, 8, "one\ntwo", 2);
    ramus_lines_close(l);
    ramus_buffer packed = {0};
    REQUIRE_OK(ramus_lines_pack(&packed, "x.gz", big, sizeof big, &err), err);
    write_bytes(packed.data, packed.size);
    ramus_buffer_free(&packed);
    REQUIRE_OK(ramus_lines_open(&l, FILE_NAME, &err), err);
    expect_peek(l, 64 * 1024, "abcdefghi\nabc", 40000);
    ramus_lines_close(l);
}

/* A writer that has not ended yet: what is there shows, and nobody waits. */
static void a_peek_does_not_wait(void)
{
    int ends[2];
    ramus_error err = {0};
    ramus_lines *l = NULL;
    size_t size = 0;
    const int kept = dup(STDIN_FILENO);
    RAMUS_ASSERT(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) >= 0);
    RAMUS_ASSERT(write(ends[1], "one\ntw", 6) == 6);
    REQUIRE_OK(ramus_lines_open(&l, "-", &err), err);
    const char *text = ramus_lines_peek(l, &size);
    EXPECT_INT(size, 6, "bytes");
    EXPECT_BYTES(text, "one\ntw", 6, "shown: %.6s", text);
    RAMUS_ASSERT(write(ends[1], "o\n", 2) == 2);
    (void)close(ends[1]);
    expect_peek(l, 8, "one\ntwo\n", 2);
    ramus_lines_close(l);
    RAMUS_ASSERT(dup2(kept, STDIN_FILENO) >= 0);
    (void)close(kept);
    (void)close(ends[0]);
}

CHECK_MAIN({"a_peek_takes_nothing", a_peek_takes_nothing},
           {"a_peek_does_not_wait", a_peek_does_not_wait}, {"lines_of_a_text", lines_of_a_text},
           {"amounts_of_lines_and_bytes", amounts_of_lines_and_bytes},
           {"what_is_no_text_is_refused_packed_or_not", what_is_no_text_is_refused_packed_or_not},
           {"a_signal_ends_the_wait", a_signal_ends_the_wait},
           {"what_is_packed_in_pieces_reads_as_one_text",
            what_is_packed_in_pieces_reads_as_one_text},
           {"plain_lines", plain_lines}, {"packed_lines", packed_lines},
           {"long_lines_come_whole", long_lines_come_whole}, {"fields_of_a_line", fields_of_a_line},
           {"what_cannot_be_opened", what_cannot_be_opened})
