/* ramus.h - neural machine translation on the device: the public interface of libramus.
 *
 * Every function that the outside world can make fail returns a ramus_status and takes a
 * ramus_error to fill (NULL is fine: then only the status tells). Results come out through pointers
 * and are set only on success. */
#ifndef RAMUS_RAMUS_H
#define RAMUS_RAMUS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RAMUS_VERSION "0.1.0"

typedef enum ramus_status {
    RAMUS_OK = 0,
    RAMUS_BAD_ARGUMENT, // a value that the caller chose cannot be used
    RAMUS_BAD_FORMAT,   // a file or a message is not what it should be
    RAMUS_IO,           // the operating system refused: open, read, write, map
    RAMUS_NO_MEMORY,
    RAMUS_STOPPED // the caller's callback asked to stop
} ramus_status;

/* One sentence for a person: which thing, what was found, what was expected. */
typedef struct ramus_error {
    ramus_status status;
    char message[512];
} ramus_error;

/* The version of the library that is linked, RAMUS_VERSION of its build. */
const char *ramus_version(void);

/* A model: one file, read-only, shared by any number of sessions in any threads. */
typedef struct ramus_model ramus_model;

/* Maps the file, which must not change while it is open, or uses one in memory, which stays the
 * caller's until close and begins at a multiple of 8 bytes, of 64 for best speed. Everything is
 * checked before it is used: a broken file gives RAMUS_BAD_FORMAT and a sentence. */
ramus_status ramus_model_open(ramus_model **out, const char *path, ramus_error *err);
ramus_status ramus_model_open_memory(ramus_model **out, const void *data, size_t size,
                                     ramus_error *err);
void ramus_model_close(ramus_model *model); // after its sessions; NULL is fine

#ifdef __cplusplus
}
#endif

#endif
