/* Any bytes as a topology of htsim, ns-3 or SimAI; network.c says what is done with it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
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

bool fuzz_target(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    int file = fuzz_file(data, size);
    char *path = mem_format("/proc/self/fd/%d", file);
    fuzz_is_too_large = is_large(text);
    bool has_ended = !fuzz_is_too_large && fuzz_network(path, size % 4); /* time slots refuse rates */
    close(file);
    free(path);
    free(text);
    return has_ended;
}
