/* Mapped files and replaced ones, in a folder of the test that must be empty at the end. Failures
 * are made with file size limits, folders in the way and signals. */
#include "base/map.h"
#include "base/writer.h"

#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64]; // in the current folder, removed at the end of a fact

static const char *in_folder(const char *name)
{
    static char path[sizeof folder + 64];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int n_files(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    RAMUS_ASSERT(d);
    while (readdir(d))
        n++;
    (void)closedir(d);
    return n - 2; // "." and ".."
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(in_folder(name), "wb");
    RAMUS_ASSERT(f);
    (void)fputs(text, f);
    RAMUS_ASSERT(fclose(f) == 0);
}

static void expect_content(const char *name, const char *want)
{
    ramus_error err = {0};
    ramus_file file = {0};
    REQUIRE_OK(ramus_file_map(&file, in_folder(name), &err), err);
    EXPECT_INT(file.size, strlen(want), name);
    if (file.size == strlen(want)) EXPECT_BYTES(file.data, want, file.size, "%s", name);
    ramus_file_unmap(&file);
}

static void make_folder(void)
{
    (void)snprintf(folder, sizeof folder, "file_test.XXXXXX");
    RAMUS_ASSERT(mkdtemp(folder));
}

static void remove_folder(void)
{
    EXPECT(rmdir(folder) == 0, "%s is empty at the end", folder);
}

static void map_gives_the_bytes_of_a_file(void)
{
    make_folder();
    put("full", "some bytes");
    expect_content("full", "some bytes");
    put("empty", "");
    ramus_error err = {0};
    ramus_file file = {(const unsigned char *)"", 7};
    REQUIRE_OK(ramus_file_map(&file, in_folder("empty"), &err), err);
    EXPECT(!file.data && file.size == 0, "an empty file has no bytes");
    ramus_file_unmap(&file);
    ramus_file_unmap(&file); // {0} is fine
    (void)unlink(in_folder("full"));
    (void)unlink(in_folder("empty"));
    remove_folder();
}

static void map_refuses_what_is_no_file(void)
{
    make_folder();
    ramus_error err = {0};
    ramus_file file = {0};
    EXPECT_FAILS(ramus_file_map(&file, in_folder("missing"), &err), err,
                 "/missing: cannot open: No such file");
    EXPECT_INT(err.status, RAMUS_IO, "status");
    EXPECT_FAILS(ramus_file_map(&file, folder, &err), err, ": not a regular file");
    EXPECT(strncmp(err.message, folder, strlen(folder)) == 0, "the sentence begins with the path");
    EXPECT(!file.data && file.size == 0, "untouched by failures");
    EXPECT(ramus_file_map(&file, folder, NULL) == RAMUS_IO, "an error may be NULL");
    remove_folder();
}

static void map_refuses_a_pipe_without_waiting(void)
{
    make_folder();
    ramus_error err = {0};
    ramus_file file = {0};
    RAMUS_ASSERT(mkfifo(in_folder("pipe"), 0666) == 0);
    (void)alarm(20); // nobody ever writes to it: ends the program where opening waits for that
    EXPECT_FAILS(ramus_file_map(&file, in_folder("pipe"), &err), err, "/pipe: not a regular file");
    (void)alarm(0);
    (void)unlink(in_folder("pipe"));
    remove_folder();
}

static void commit_replaces_the_file(void)
{
    make_folder();
    put("x", "the old content, longer than the new");
    ramus_error err = {0};
    ramus_writer *w = NULL;
    REQUIRE_OK(ramus_writer_create(&w, in_folder("x"), &err), err);
    REQUIRE_OK(ramus_writer_write(w, "the ", 4, &err), err);
    REQUIRE_OK(ramus_writer_write(w, NULL, 0, &err), err);
    REQUIRE_OK(ramus_writer_write(w, "new", 3, &err), err);
    expect_content("x", "the old content, longer than the new"); // a reader sees no mixture
    REQUIRE_OK(ramus_writer_commit(w, &err), err);
    ramus_writer_destroy(w);
    expect_content("x", "the new");
    EXPECT_INT(n_files(), 1, "files");
    (void)unlink(in_folder("x"));
    remove_folder();
}

static void an_open_map_outlives_the_replacement(void)
{
    make_folder();
    put("x", "old");
    ramus_error err = {0};
    ramus_file file = {0};
    ramus_writer *w = NULL;
    REQUIRE_OK(ramus_file_map(&file, in_folder("x"), &err), err);
    REQUIRE_OK(ramus_writer_create(&w, in_folder("x"), &err), err);
    REQUIRE_OK(ramus_writer_write(w, "new", 3, &err), err);
    REQUIRE_OK(ramus_writer_commit(w, &err), err);
    ramus_writer_destroy(w);
    EXPECT_BYTES(file.data, "old", 3, "the map of the old file");
    ramus_file_unmap(&file);
    expect_content("x", "new");
    (void)unlink(in_folder("x"));
    remove_folder();
}

static void destroy_without_commit_keeps_the_old_file(void)
{
    make_folder();
    put("x", "old");
    ramus_error err = {0};
    ramus_writer *w = NULL;
    REQUIRE_OK(ramus_writer_create(&w, in_folder("x"), &err), err);
    REQUIRE_OK(ramus_writer_write(w, "new", 3, &err), err);
    EXPECT_INT(n_files(), 2, "files while writing");
    ramus_writer_destroy(w);
    ramus_writer_destroy(NULL);
    expect_content("x", "old");
    EXPECT_INT(n_files(), 1, "files");
    (void)unlink(in_folder("x"));
    remove_folder();
}

/* A limit on the size of files stands for the disk that is full. */
static void a_failed_write_keeps_the_old_file(void)
{
    make_folder();
    put("x", "old");
    ramus_error err = {0};
    ramus_writer *w = NULL;
    struct rlimit before;
    RAMUS_ASSERT(getrlimit(RLIMIT_FSIZE, &before) == 0);
    const struct rlimit few = {8, before.rlim_max};
    (void)signal(SIGXFSZ, SIG_IGN);
    REQUIRE_OK(ramus_writer_create(&w, in_folder("x"), &err), err);
    RAMUS_ASSERT(setrlimit(RLIMIT_FSIZE, &few) == 0);
    const ramus_status st = ramus_writer_write(w, "more than eight bytes", 21, &err);
    RAMUS_ASSERT(setrlimit(RLIMIT_FSIZE, &before) == 0);
    EXPECT_INT(st, RAMUS_IO, "status");
    EXPECT(strstr(err.message, "/x: cannot write: File too large"), "%s", err.message);
    ramus_writer_destroy(w);
    expect_content("x", "old");
    EXPECT_INT(n_files(), 1, "files");
    (void)unlink(in_folder("x"));
    remove_folder();
}

static void a_failed_create_or_commit_leaves_nothing(void)
{
    make_folder();
    ramus_error err = {0};
    ramus_writer *w = NULL;
    EXPECT_FAILS(ramus_writer_create(&w, in_folder("missing/x"), &err), err,
                 "/missing/x: cannot create: No such file");
    EXPECT(!w, "no writer");
    REQUIRE_OK(ramus_writer_create(&w, in_folder("taken"), &err), err);
    RAMUS_ASSERT(mkdir(in_folder("taken"), 0777) == 0);
    EXPECT_FAILS(ramus_writer_commit(w, &err), err, "/taken: cannot replace");
    ramus_writer_destroy(w);
    EXPECT_INT(n_files(), 1, "the folder that has the name");
    w = NULL;
    EXPECT_FAILS(ramus_writer_create(&w, in_folder("taken"), &err), err,
                 "/taken: cannot open: Is a directory");
    EXPECT(!w, "no writer");
    (void)rmdir(in_folder("taken"));
    remove_folder();
}

/* Writes "new" to the file and commits. */
static void replace(const char *path)
{
    ramus_error err = {0};
    ramus_writer *w = NULL;
    REQUIRE_OK(ramus_writer_create(&w, path, &err), err);
    REQUIRE_OK(ramus_writer_write(w, "new", 3, &err), err);
    REQUIRE_OK(ramus_writer_commit(w, &err), err);
    ramus_writer_destroy(w);
}

static void a_link_stays_and_its_file_is_replaced(void)
{
    struct stat info;
    make_folder();
    put("x", "old");
    RAMUS_ASSERT(symlink("x", in_folder("to-x")) == 0);
    RAMUS_ASSERT(symlink("to-x", in_folder("chain")) == 0);
    RAMUS_ASSERT(symlink("none", in_folder("nowhere")) == 0);
    RAMUS_ASSERT(symlink("circle", in_folder("circle")) == 0);
    replace(in_folder("chain"));
    expect_content("x", "new");
    replace(in_folder("nowhere"));
    expect_content("none", "new");
    static const char *const links[] = {"to-x", "chain", "nowhere"};
    for (int i = 0; i < 3; i++)
        EXPECT(lstat(in_folder(links[i]), &info) == 0 && S_ISLNK(info.st_mode), "%s", links[i]);
    replace(in_folder("circle")); // leads to no file, so it becomes one
    expect_content("circle", "new");
    EXPECT_INT(n_files(), 6, "files");
    static const char *const all[] = {"x", "to-x", "chain", "nowhere", "none", "circle"};
    for (int i = 0; i < 6; i++)
        (void)unlink(in_folder(all[i]));
    remove_folder();
}

static void permissions_stay(void)
{
    struct stat info;
    ramus_error err = {0};
    ramus_writer *w = NULL;
    make_folder();
    put("x", "old");
    RAMUS_ASSERT(chmod(in_folder("x"), 0604) == 0);
    replace(in_folder("x"));
    EXPECT(stat(in_folder("x"), &info) == 0 && (info.st_mode & 07777) == 0604, "%o", info.st_mode);
    RAMUS_ASSERT(chmod(in_folder("x"), 0400) == 0);
    if (geteuid() != 0) // who may do everything may do this
        EXPECT_FAILS(ramus_writer_create(&w, in_folder("x"), &err), err,
                     "/x: cannot write: Permission denied");
    (void)unlink(in_folder("x"));
    remove_folder();
}

static void a_pipe_gets_the_bytes_at_once(void)
{
    char got[8] = "";
    ramus_error err = {0};
    ramus_writer *w = NULL;
    make_folder();
    RAMUS_ASSERT(mkfifo(in_folder("pipe"), 0666) == 0);
    const int reader = open(in_folder("pipe"), O_RDONLY | O_NONBLOCK);
    RAMUS_ASSERT(reader >= 0);
    REQUIRE_OK(ramus_writer_create(&w, in_folder("pipe"), &err), err);
    REQUIRE_OK(ramus_writer_write(w, "now", 3, &err), err);
    EXPECT_INT(read(reader, got, sizeof got), 3, "bytes before the commit");
    EXPECT_TEXT(got, "now");
    REQUIRE_OK(ramus_writer_commit(w, &err), err);
    EXPECT_INT(read(reader, got, sizeof got), 0, "bytes after the end");
    ramus_writer_destroy(w);
    (void)close(reader);
    EXPECT_INT(n_files(), 1, "the pipe");
    (void)unlink(in_folder("pipe"));
    remove_folder();
}

static void standard_output_is_a_file_like_others(void)
{
    static const char *const names[] = {"-", "/dev/stdout"};
    for (int i = 0; i < 2; i++) {
        make_folder();
        put("x", "what stands there, and ");
        (void)fflush(stdout);
        const int kept = dup(STDOUT_FILENO);
        const int file = open(in_folder("x"), O_WRONLY | O_APPEND);
        RAMUS_ASSERT(kept >= 0 && file >= 0 && dup2(file, STDOUT_FILENO) >= 0);
        replace(names[i]);
        EXPECT(fcntl(STDOUT_FILENO, F_GETFD) >= 0, "standard output stays open");
        RAMUS_ASSERT(dup2(kept, STDOUT_FILENO) >= 0);
        (void)close(kept);
        (void)close(file);
        expect_content("x", "what stands there, and new");
        EXPECT_INT(n_files(), 1, "files");
        (void)unlink(in_folder("x"));
        remove_folder();
    }
}

static void a_full_device_is_an_error(void)
{
    ramus_error err = {0};
    ramus_writer *w = NULL;
    if (access("/dev/full", W_OK)) return;
    REQUIRE_OK(ramus_writer_create(&w, "/dev/full", &err), err);
    EXPECT_FAILS(ramus_writer_write(w, "new", 3, &err), err,
                 "/dev/full: cannot write: No space left");
    ramus_writer_destroy(w);
}

CHECK_MAIN({"a_link_stays_and_its_file_is_replaced", a_link_stays_and_its_file_is_replaced},
           {"permissions_stay", permissions_stay},
           {"a_pipe_gets_the_bytes_at_once", a_pipe_gets_the_bytes_at_once},
           {"standard_output_is_a_file_like_others", standard_output_is_a_file_like_others},
           {"a_full_device_is_an_error", a_full_device_is_an_error},
           {"map_gives_the_bytes_of_a_file", map_gives_the_bytes_of_a_file},
           {"map_refuses_what_is_no_file", map_refuses_what_is_no_file},
           {"map_refuses_a_pipe_without_waiting", map_refuses_a_pipe_without_waiting},
           {"commit_replaces_the_file", commit_replaces_the_file},
           {"an_open_map_outlives_the_replacement", an_open_map_outlives_the_replacement},
           {"destroy_without_commit_keeps_the_old_file", destroy_without_commit_keeps_the_old_file},
           {"a_failed_write_keeps_the_old_file", a_failed_write_keeps_the_old_file},
           {"a_failed_create_or_commit_leaves_nothing", a_failed_create_or_commit_leaves_nothing})
