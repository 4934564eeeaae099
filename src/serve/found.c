/* Translations lie one after the other, each behind its size; there are few. */
#include "serve/found.h"

#include <string.h>

void ramus_found_free(ramus_found *f)
{
    ramus_buffer_free(&f->texts);
    ramus_buffer_free(&f->details);
    *f = (ramus_found){0};
}

void ramus_found_add(ramus_found *f, const char *text, size_t size)
{
    ramus_buffer_add(&f->texts, &size, sizeof size);
    ramus_buffer_add(&f->texts, text, size);
    ramus_buffer_add(&f->texts, "", 1);
    f->n++;
}

ramus_text ramus_found_text(const ramus_found *f, int j)
{
    const char *at = f->texts.data;
    size_t size = 0;
    memcpy(&size, at, sizeof size);
    while (j-- > 0) {
        at += sizeof size + size + 1;
        memcpy(&size, at, sizeof size);
    }
    return (ramus_text){at + sizeof size, size};
}

void ramus_found_copy(ramus_found *to, const ramus_found *from)
{
    *to = *from;
    to->texts = to->details = (ramus_buffer){0};
    ramus_buffer_add(&to->texts, from->texts.data, from->texts.size);
    ramus_buffer_add(&to->details, from->details.data, from->details.size);
}
