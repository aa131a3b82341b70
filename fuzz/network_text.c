/* Any bytes as a topology of htsim, ns-3 or SimAI; network.c says what is done with it. */
#include <string.h>

#include "fuzz/fuzz_network.h"

/* Numbers of four digits with nothing behind them: sizes, in most places. */
static bool is_large(const char *text)
{
    for (const char *at = text; *at; at++) {
        size_t digits = strspn(at, "0123456789");
        if (digits > 3 && (!at[digits] || strchr(" \t\r\n", at[digits])))
            return true;
        at += digits ? digits - 1 : 0;
    }
    return false;
}

/* Time slots refuse rates: the first four fabrics. */
static bool use(const char *path, size_t size)
{
    return fuzz_network(path, size % 4);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    return fuzz_network_file(data, size, is_large, use);
}
