/* Any bytes as a network file: refused, or built, routed, cut, drawn, written and read again as the same
 * network, and run with a program on its nodes. The size of the input chooses the fabric. */
#include <string.h>

#include "fuzz/fuzz_network.h"

/* Numbers of three digits, but for quantities, which have a unit behind a blank. */
static bool is_large(const char *text)
{
    for (const char *at = text; *at; at++) {
        size_t digits = strspn(at, "0123456789");
        if (digits > 2 && at[digits] != ' ')
            return true;
        at += digits ? digits - 1 : 0;
    }
    return false;
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    return fuzz_network_file(data, size, is_large, fuzz_network);
}
