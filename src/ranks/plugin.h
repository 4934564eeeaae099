/* plugin.h - shared objects that one command needs, so that no other command loads their libraries.
 * They lie beside the program or in its library folder; RAMUS_PLUGINS names another one. */
#ifndef RAMUS_RANKS_PLUGIN_H
#define RAMUS_RANKS_PLUGIN_H

#include "base/status.h"

#include <ramus/ramus.h>

/* Stands once in the sources of each, so that no program takes the one of another version. */
#define RAMUS_PLUGIN                                                                               \
    RAMUS_PUBLIC extern const char ramus_plugin_version[];                                         \
    const char ramus_plugin_version[] = RAMUS_VERSION;

/* *symbol = what FILE has under that name. It stays loaded: MPI cannot be unloaded. `hint` is what
 * to do where there is no such file. */
RAMUS_CHECKED ramus_status ramus_plugin_open(void **symbol, const char *file, const char *name,
                                             const char *hint, ramus_error *err);

#endif
