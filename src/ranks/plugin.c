/* Looks for the file in RAMUS_PLUGINS, beside the program and in its library folder, loads it,
 * and compares versions. */
#include "ranks/plugin.h"

#include "base/folder.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool find_file(char *path, size_t size, const char *file)
{
    char program[3072];
    const char *told = getenv("RAMUS_PLUGINS");
    if (told) {
        (void)snprintf(path, size, "%s/%s", told, file);
        return access(path, F_OK) == 0;
    }
    ramus_program_folder(program, sizeof program);
    if (!*program) return false;
    (void)snprintf(path, size, "%s/%s", program, file);
    if (access(path, F_OK) == 0) return true;
    (void)snprintf(path, size, "%s/../" RAMUS_LIBDIR "/ramus/%s", program, file);
    return access(path, F_OK) == 0;
}

ramus_status ramus_plugin_open(void **symbol, const char *file, const char *name, const char *hint,
                               ramus_error *err)
{
    char path[4096];
    *symbol = NULL;
    if (!find_file(path, sizeof path, file))
        return ramus_fail(err, RAMUS_NOT_FOUND, "%s is %s: %s", file,
                          getenv("RAMUS_PLUGINS")
                              ? "not where RAMUS_PLUGINS says"
                              : "neither beside the program nor in its library folder",
                          hint);
    void *object = dlopen(path, RTLD_NOW | RTLD_GLOBAL); // MPI's own plug-ins look for its names
    if (!object) return ramus_fail(err, RAMUS_IO, "%s", dlerror());
    const char *version = dlsym(object, "ramus_plugin_version");
    if (version && strcmp(version, ramus_version()) == 0) *symbol = dlsym(object, name);
    return *symbol ? RAMUS_OK
                   : ramus_fail(err, RAMUS_IO, "%s: not of ramus %s", path, ramus_version());
}
