#ifndef HELIO_ENGINE_WAITS_H
#define HELIO_ENGINE_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"
#include "base/time.h"

/* How long all messages of a run waited for other messages, by what they waited for: "FMU 3". */
struct waits_place {
    const char *what; /* a constant text */
    uint32_t which;
    double ps;
};

enum { WAITS_RECENT = 64 };
struct waits {
    struct hashmap by_place;    /* the number of the text, and `which`, to a place */
    struct waits_place *places; /* in the order of their first wait */
    size_t count, capacity;
    uint32_t recent[WAITS_RECENT]; /* places by `which`, which most waits have again; 0: none, else + 1 */
    const char **texts;            /* that differ, by their numbers */
    size_t text_count, text_capacity;
};

/* The place of the text in `texts`. */
uint32_t waits_text(struct waits *waits, const char *what);
void waits_add(struct waits *waits, const char *what, uint32_t which, ps_t time);
void waits_free(struct waits *waits);

/* What messages waited for longest, the first of several, and its share of all waiting. NULL: nothing. */
const struct waits_place *waits_longest(const struct waits *waits, double *share);

#endif
