#include "text/terms.h"
bool ramus_terms_next(const ramus_terms *t, const char *text, size_t size, size_t from, ramus_term *out)
{
    (void)t; (void)text; (void)size; (void)from; (void)out;
    return false;
}
