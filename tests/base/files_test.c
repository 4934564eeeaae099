/* Mapped files and replaced ones, in a folder of the test that must be empty at the end. Failures
 * are made with file size limits, folders in the way and signals. */
#include "base/map.h"
#include "base/writer.h"

#include "check.h"

#include <dirent.h>
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
    RAMUS_ASSERT(mkdir(in_folder("taken"), 0777) == 0);
    REQUIRE_OK(ramus_writer_create(&w, in_folder("taken"), &err), err);
    EXPECT_FAILS(ramus_writer_commit(w, &err), err, "/taken: cannot replace");
    ramus_writer_destroy(w);
    EXPECT_INT(n_files(), 1, "the folder that has the name");
    (void)rmdir(in_folder("taken"));
    remove_folder();
}

CHECK_MAIN({"map_gives_the_bytes_of_a_file", map_gives_the_bytes_of_a_file},
           {"map_refuses_what_is_no_file", map_refuses_what_is_no_file},
           {"map_refuses_a_pipe_without_waiting", map_refuses_a_pipe_without_waiting},
           {"commit_replaces_the_file", commit_replaces_the_file},
           {"an_open_map_outlives_the_replacement", an_open_map_outlives_the_replacement},
           {"destroy_without_commit_keeps_the_old_file", destroy_without_commit_keeps_the_old_file},
           {"a_failed_write_keeps_the_old_file", a_failed_write_keeps_the_old_file},
           {"a_failed_create_or_commit_leaves_nothing", a_failed_create_or_commit_leaves_nothing})
