#ifndef RAMUS_TEXT_SPANS_H
#define RAMUS_TEXT_SPANS_H
#include <stdbool.h>
#include <stddef.h>
typedef enum { RAMUS_SPAN_ANY } ramus_span_kind;
typedef struct ramus_span { size_t at, size; ramus_span_kind kind; } ramus_span;
bool ramus_span_next(const char *text, size_t size, size_t from, ramus_span *out);
bool ramus_span_is_loose(ramus_span_kind kind);
size_t ramus_span_marker(const char *text, size_t size);
bool ramus_numbers_kept(const char *source, size_t source_size, const char *target, size_t target_size);
#endif
