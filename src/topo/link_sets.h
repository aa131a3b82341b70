#ifndef HELIO_TOPO_LINK_SETS_H
#define HELIO_TOPO_LINK_SETS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"

/* Sets of links that lead on, for tables of routes: equal sets are kept once, and a table has their places.
 * At a place stands how many links there are, then they. A struct of zeroes is empty. */
struct link_sets {
    uint32_t *items;
    size_t count, capacity;
    struct hashmap known;
};

/* Room behind the others for a set of at most `most` links. The caller fills it: set[0] is their number, and
 * they follow. */
uint32_t *link_sets_begin(struct link_sets *sets, size_t most);
/* Keeps what the caller has filled in; returns its place, or that of the equal set that is there. */
uint32_t link_sets_end(struct link_sets *sets);
/* No set follows. */
void link_sets_finish(struct link_sets *sets);
void link_sets_free(struct link_sets *sets);

#endif
