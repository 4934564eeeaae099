/* Fields joined with | in SacreBLEU's order. */
#include "eval/signature.h"

#include <inttypes.h>
#include <stdio.h>

void ramus_nrefs_note(ramus_nrefs *n, int n_refs)
{
    if (n->most == 0 || n_refs < n->least) n->least = n_refs;
    if (n_refs > n->most) n->most = n_refs;
}

void ramus_signature_write(char out[RAMUS_SIGNATURE_SIZE], const ramus_nrefs *n, bool lowercase,
                           const char *fields, const ramus_bootstrap *test)
{
    char refs[16] = "var", resampling[64] = "";
    if (n->least == n->most) (void)snprintf(refs, sizeof refs, "%d", n->most);
    if (test)
        (void)snprintf(resampling, sizeof resampling, "|bs:%d|seed:%" PRIu64, test->n_resamples,
                       test->seed);
    (void)snprintf(out, RAMUS_SIGNATURE_SIZE, "nrefs:%s%s|case:%s|%s|version:ramus-%s", refs,
                   resampling, lowercase ? "lc" : "mixed", fields, ramus_version());
}
