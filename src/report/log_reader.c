/* Reading a member of unknown type: a value of the expected type is taken, anything else is
 * passed over. */
#include "report/log_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool ramus_log_key_is(const ramus_log_reader *r, const char *name)
{
    return strcmp(r->key.data, name) == 0;
}

void *ramus_log_grow(void *array, int n, size_t size)
{
    if (n == 0 || (n & (n - 1)) == 0) {
        void *grown = realloc(array, (n ? 2 * (size_t)n : 1) * size);
        if (!grown) return NULL;
        array = grown;
    }
    memset((char *)array + (size_t)n * size, 0, size);
    return array;
}

ramus_status ramus_log_number(ramus_log_reader *r, double *out)
{
    *out = (double)NAN;
    if (ramus_json_peek(&r->json) != RAMUS_JSON_NUMBER) return ramus_json_skip(&r->json, r->err);
    const ramus_status st = ramus_json_number(&r->json, &r->text, r->err);
    if (!st) *out = strtod(r->text.data, NULL);
    return st;
}

ramus_status ramus_log_text(ramus_log_reader *r, char **out)
{
    ramus_status st = RAMUS_OK;
    if (ramus_json_peek(&r->json) == RAMUS_JSON_STRING) {
        st = ramus_json_string(&r->json, &r->text, r->err);
    } else {
        const size_t start = r->json.at;
        st = ramus_json_skip(&r->json, r->err);
        ramus_buffer_clear(&r->text);
        ramus_buffer_add(&r->text, r->json.text + start, r->json.at - start);
        if (!st) st = ramus_buffer_check(&r->text, r->err);
    }
    if (st) return st;
    char *copy = strdup(r->text.data);
    if (!copy) return ramus_fail_memory(r->err, "a log");
    free(*out);
    *out = copy;
    return RAMUS_OK;
}

ramus_status ramus_log_object(ramus_log_reader *r, ramus_log_member_fn *member)
{
    bool more = false;
    if (ramus_json_peek(&r->json) != RAMUS_JSON_OBJECT) return ramus_json_skip(&r->json, r->err);
    ramus_status st = ramus_json_enter(&r->json, RAMUS_JSON_OBJECT, r->err);
    while (!st) {
        st = ramus_json_member(&r->json, &more, &r->key, r->err);
        if (st || !more) break;
        st = member(r);
    }
    return st;
}

ramus_status ramus_log_array(ramus_log_reader *r, ramus_log_element_fn *element)
{
    bool more = false;
    if (ramus_json_peek(&r->json) != RAMUS_JSON_ARRAY) return ramus_json_skip(&r->json, r->err);
    ramus_status st = ramus_json_enter(&r->json, RAMUS_JSON_ARRAY, r->err);
    for (int i = 0; !st; i++) {
        st = ramus_json_element(&r->json, &more, r->err);
        if (st || !more) break;
        st = element(r, i);
    }
    return st;
}

ramus_status ramus_log_skip(ramus_log_reader *r)
{
    return ramus_json_skip(&r->json, r->err);
}
