/* values.h - the metadata of GGUF and safetensors as named values (base/values.h).
 *
 * GGUF stores integers, also alone in a list, and switches as such, and all else as text; safetensors has texts alone. A
 * view lives no longer than the file behind it. */
#ifndef RAMUS_FORMAT_VALUES_H
#define RAMUS_FORMAT_VALUES_H

#include "base/values.h"
#include "format/gguf.h"
#include "format/safetensors.h"

ramus_values_reader ramus_gguf_values(const ramus_gguf *file);
ramus_values_writer ramus_gguf_values_to(ramus_gguf_writer *file);
ramus_values_reader ramus_safetensors_values(const ramus_safetensors *file);
ramus_values_writer ramus_safetensors_values_to(ramus_safetensors_writer *file);

#endif
