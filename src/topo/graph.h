#ifndef HELIO_TOPO_GRAPH_H
#define HELIO_TOPO_GRAPH_H

#include "base/text_index.h"
#include "topo/topo.h"

/* A network as tables, for one that no formula gives: any links between switches, each node on any switch,
 * routes of the fewest hops from a table. docs/models/topology.md states its rules.
 *
 * Memory: 6 bytes for each switch and each switch with nodes, at most GRAPH_ROUTES_LIMIT of such pairs; the
 * different sets of links that lead on; about 60 bytes a link. */
enum {
    GRAPH_NODES_LIMIT = 1 << 16,
    GRAPH_SWITCHES_LIMIT = 1 << 14,
    GRAPH_LINKS_LIMIT = 1 << 18, /* both directions of one count once */
    GRAPH_ROUTES_LIMIT = 1 << 24
};

/* Among the links that lead on equally well, in the order of their numbers, the one that a deterministic
 * route takes. */
enum graph_routing {
    GRAPH_D_MOD_K, /* at level l: floor(destination / D_l) modulo their number */
    GRAPH_LOWEST,  /* the first */
    GRAPH_HASH     /* by a hash of seed, switch and destination */
};

extern const char *const graph_routing_names[]; /* NULL behind the last */

/* A link, both directions. The rate is 0 and the latency -1 where the fabric says. */
struct graph_link {
    uint32_t from, to; /* switches; of a node's link, `from` is the node */
    uint64_t rate_bytes_per_s;
    ps_t latency_ps;
};

struct topo_graph {
    /* What it is made from. The caller of graph_route fills it; graph_free frees it. */
    char *path, *text; /* of the network file, and its contents */
    size_t length;
    uint32_t nodes;
    struct text_index switches;    /* their names */
    struct graph_link *node_links; /* [nodes] */
    struct graph_link *links;      /* network link 2i leads from links[i].from, 2i + 1 back */
    size_t link_count, link_capacity;
    enum graph_routing routing;
    uint64_t seed;

    /* What follows from that. */
    uint32_t *node_switch;  /* [nodes] */
    uint64_t *rates;        /* [2 nodes + 2 links]; NULL: none is given */
    ps_t *latencies;        /* the same */
    uint32_t *first, *out;  /* the links that leave switch s: out[first[s] .. first[s + 1]), ascending */
    uint32_t leaves, *leaf; /* [switches] the number of each among those with nodes, or UINT32_MAX */
    uint16_t *hops;         /* [switches x leaves] */
    uint32_t *choice;       /* [switches x leaves] where in `sets` the links stand that lead on */
    uint32_t *sets;         /* their number, then they */
    size_t set_count, set_capacity;
    uint32_t *level;     /* [switches] hops to the next switch with nodes */
    uint32_t *divisor;   /* [levels] D_l: the product, over lower levels, of the most links that lead up */
    uint32_t levels;     /* how many there are */
    bool is_levelled;    /* every link joins neighbouring levels */
    bool has_choices;    /* some set has several links */
    uint32_t nodes_most; /* on a switch */
    struct topo_distances distances;
    struct topo_graph *next; /* of those that are kept */
};

extern const struct topo_ops graph_family;

/* Computes what follows. False: there is no way between the switches *from and *to, or there are too many
 * pairs for the table; then *from is GRAPH_TOO_MANY. */
#define GRAPH_TOO_MANY UINT32_MAX
bool graph_route(struct topo_graph *graph, uint32_t *from, uint32_t *to);
void graph_free(struct topo_graph *graph);

/* The topology that the graph is. */
void graph_topo(const struct topo_graph *graph, struct topo *topo);
const struct topo_graph *graph_of(const struct topo *topo);

/* graph_cut.c: the fewest links, those of nodes included, whose removal leaves no way from the first half of
 * the nodes to the others. */
uint64_t graph_bisection(const struct topo *topo);

/* graph_picture.c */
void graph_place(const struct topo *topo, struct topo_layout *layout);

#endif
