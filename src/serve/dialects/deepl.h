/* deepl.h - what the files of the dialect DeepL share. */
#ifndef RAMUS_SERVE_DIALECTS_DEEPL_H
#define RAMUS_SERVE_DIALECTS_DEEPL_H

#include "serve/routes.h"

extern const ramus_dialect ramus_dialect_deepl;

#endif
