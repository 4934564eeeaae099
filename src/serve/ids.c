/* Random numbers are the kernel's. */
#include "serve/ids.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

ramus_status ramus_id_make(char id[RAMUS_ID_ROOM], ramus_error *err)
{
    unsigned char b[16];
    if (getrandom(b, sizeof b, 0) != (ssize_t)sizeof b)
        return ramus_fail(err, RAMUS_FAILED, "no random numbers for a new id");
    b[6] = (unsigned char)((b[6] & 0x0F) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3F) | 0x80);
    (void)snprintf(id, RAMUS_ID_ROOM,
                   "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
                   b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
                   b[14], b[15]);
    return RAMUS_OK;
}

bool ramus_secret_equal(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    unsigned char different = n != m;
    for (size_t i = 0; i < n; i++)
        different |= (unsigned char)(a[i] ^ (m ? b[i % m] : 0));
    return !different;
}
