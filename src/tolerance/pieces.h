#ifndef HELIO_TOLERANCE_PIECES_H
#define HELIO_TOLERANCE_PIECES_H

#include "tolerance/paths.h"

/* The edges that matter in an interval, and for each node the longest times from the beginning to it, and
 * from it to the end, at both ends of the interval. */
struct paths_part {
    struct paths_edges edges;
    const double *before[2], *behind[2];
};

/* An interval, with the lines of T at its ends. */
struct piece_stretch {
    struct tolerance_at at[2];
    struct tolerance_line line[2];
};

/* A node of a part is a node of a smaller part, plus a line; with another stamp than that of the sieve it is
 * left out. */
struct piece_place {
    struct tolerance_line line;
    uint32_t node, stamp;
};

/* A part that becomes smaller. */
struct piece_sieve {
    struct piece_place *places; /* of each node */
    struct paths_edges to;      /* room for the edges that are left */
    size_t edge_count;
    uint32_t stamp; /* not 0 */
};

/* The smaller part: an edge of the node that is kept, and the node behind its edges. The first node comes
 * with sieve_begin(). Edges from nodes that were left out are left out too, and nodes with one edge are none.
 */
static inline void sieve_begin(struct piece_sieve *sieve)
{
    sieve->places[0] = (struct piece_place){.stamp = sieve->stamp};
    sieve->to.first[0] = sieve->to.first[1] = 0;
    sieve->to.nodes = 1;
    sieve->edge_count = 0;
}

/* Unless another edge of this node takes as long. */
static inline void sieve_keep(struct piece_sieve *sieve, size_t first, uint32_t source,
                              struct tolerance_line cost)
{
    const struct piece_place *place = &sieve->places[source];
    struct paths_edges *to = &sieve->to;
    if (place->stamp != sieve->stamp)
        return;
    cost.a += place->line.a;
    cost.k += place->line.k;
    for (size_t i = first; i < sieve->edge_count && i < first + 4; i++)
        if (to->source[i] == place->node && to->cost[i].a >= cost.a && to->cost[i].k >= cost.k)
            return;
    to->source[sieve->edge_count] = place->node;
    to->cost[sieve->edge_count++] = cost;
}

/* True: it is a node of the smaller part too, the last one so far. */
static inline bool sieve_node(struct piece_sieve *sieve, size_t first, uint32_t node, bool is_last)
{
    struct piece_place *place = &sieve->places[node];
    struct paths_edges *to = &sieve->to;
    *place = (struct piece_place){.stamp = sieve->edge_count == first ? 0 : sieve->stamp};
    if (sieve->edge_count == first)
        return false;
    if (sieve->edge_count == first + 1 && !is_last) {
        sieve->edge_count = first;
        place->node = to->source[first];
        place->line = to->cost[first];
        return false;
    }
    place->node = to->nodes;
    to->first[++to->nodes] = sieve->edge_count;
    return true;
}

static inline double time_of(struct tolerance_line line, double x)
{
    return (double)line.a + (double)line.k * x;
}

/* Slopes are whole numbers that never fall. So between lines whose slopes differ by less than 2 there is no
 * other one. */
static inline bool lies_between(struct tolerance_line low, struct tolerance_line high)
{
    return high.k - low.k >= 2;
}

/* Where the two lines at the ends of a stretch meet. */
static inline struct tolerance_at stretch_middle(const struct piece_stretch *stretch)
{
    struct tolerance_line low = stretch->line[0], high = stretch->line[1];
    return tolerance_ratio((__int128)low.a - high.a, (__int128)high.k - low.k);
}

/* The time that a path must exceed at the middle to be the longest anywhere inside: that of the lines, less
 * what the times of doubles are wrong by, less than one rounding for each node of a path. */
static inline double stretch_enough(const struct piece_stretch *stretch, struct tolerance_at middle,
                                    size_t nodes)
{
    double most = tolerance_time(stretch->line[1], stretch->at[1]);
    return tolerance_time(stretch->line[0], middle) - most * ((double)nodes + 16) * 0x1p-50;
}

/* Divides the whole interval at many points, in few passes over all edges, and takes the stretches between
 * them in order. `stretch` has the lines at the ends of the interval. False: it takes nothing, since times
 * are so long that doubles are not exact. */
struct coarse_take {
    /* There may be more than its two lines, all of them on paths of the part. */
    void (*part)(void *self, const struct paths_part *part, const struct piece_stretch *stretch);
    /* Inside the stretch there are only its two lines. */
    void (*lines)(void *self, const struct piece_stretch *stretch);
    void *self;
};
bool coarse_divide(const struct paths_edges *edges, const struct piece_stretch *stretch,
                   const struct coarse_take *take);

#endif
