/* fields_add.h - how the readers of requests add to their list. */
#ifndef RAMUS_SERVE_FIELDS_ADD_H
#define RAMUS_SERVE_FIELDS_ADD_H

#include "serve/fields.h"

/* Copies bytes into the list, for a name or a value. */
ramus_range ramus_fields_put(ramus_fields *f, const char *text, size_t size);

/* Adds a field; also tells when memory was out while its name and value were put. */
RAMUS_CHECKED ramus_status ramus_fields_push(ramus_fields *f, const ramus_field *field,
                                             ramus_error *err);

#endif
