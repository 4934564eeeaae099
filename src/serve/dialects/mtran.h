/* mtran.h - what MTranServer and LibreTranslate have at one address. */
#ifndef RAMUS_SERVE_DIALECTS_MTRAN_H
#define RAMUS_SERVE_DIALECTS_MTRAN_H

#include "serve/routes.h"

extern const ramus_route ramus_route_mtran_translate;

#endif
