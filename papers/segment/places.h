#ifndef HELIO_PAPERS_SEGMENT_PLACES_H
#define HELIO_PAPERS_SEGMENT_PLACES_H

#include "base/stats.h"
#include "reproduce/paper.h"

/* The networks that the paper compares, and their runs over several seeds. */
enum segment_network { SEGMENT_TORUS, SEGMENT_TREE, SEGMENT_NETWORKS };
extern const char *const segment_networks[SEGMENT_NETWORKS]; /* "torus", "tree" */

/* A bar of Figure 9: buffers in all, half, a quarter of the switches, or in 1, 2, 3 levels. */
enum { SEGMENT_LAYOUTS = 3, SEGMENT_SIZES = 7 };
extern const char *const segment_layouts[SEGMENT_NETWORKS][SEGMENT_LAYOUTS]; /* "every:1" */
extern const char *const segment_sizes[SEGMENT_SIZES];                       /* "32KiB" ... "unlimited" */

/* One of the networks: topology, switching, buffers. */
struct segment_place {
    enum segment_network network;
    const char *fabric;
    const char *buffers, *size; /* NULL without buffers */
};

struct segment_place segment_with(enum segment_network network, const char *buffers, const char *size);
struct segment_place segment_without(enum segment_network network, const char *fabric);

/* A place that has a published number, and the item of it. */
struct segment_bar {
    const char *item;
    enum segment_network network;
    const char *buffers, *size;
};
enum { SEGMENT_SPEEDUPS = 7, SEGMENT_SHARES = 3 };
extern const struct segment_bar segment_speedups[SEGMENT_SPEEDUPS]; /* Figure 9 */
extern const struct segment_bar segment_shares[SEGMENT_SHARES];     /* Figure 7: packets never stored */
/* The item of a place among `count` bars; NULL: it has none. */
const char *segment_item(const struct segment_bar *bars, size_t count, const struct segment_place *place);

/* Whether a quick reproduction draws this size too. */
bool segment_is_drawn(const struct reproduction *reproduction, const char *size);

/* The mean of a metric over the seeds. */
double segment_mean(struct reproduction *reproduction, const struct segment_place *place, const char *metric);

/* The most of the links' means over all seeds, also in the quick form: each link's share of time in a series,
 * as the metric is the largest share of a run. NaN while a run is missing. */
double segment_most_of_means(struct reproduction *reproduction, const struct segment_place *place,
                             const char *series, const char *metric);

/* How much faster than with circuits; each seed has the same traffic on both. */
struct mean_estimate segment_speedup(struct reproduction *reproduction, const struct segment_place *place);

#endif
