#ifndef HELIO_TOPO_GRAPH_H
#define HELIO_TOPO_GRAPH_H

#include "base/text_index.h"
#include "topo/link_sets.h"
#include "topo/topo.h"

/* A network as tables, for one that no formula gives: any links between switches, each node on any switch,
 * routes of the fewest hops from a table. docs/models/topology.md states its rules.
 *
 * Memory: 6 bytes for each cell of the tables of routes, at most GRAPH_ROUTES_LIMIT: without ends, a switch
 * and a switch with nodes; else a switch that passes messages on and a set of switches beside an end. The
 * different sets of links that lead on; about 60 bytes a link. */
enum {
    GRAPH_NODES_LIMIT = 1 << 16,
    GRAPH_SWITCHES_LIMIT = 1 << 14, /* ends of files of SimAI not included */
    GRAPH_LINKS_LIMIT = 1 << 18,    /* both directions of one count once */
    GRAPH_ROUTES_LIMIT = 1 << 25,
    GRAPH_FAMILY_ROUTES_LIMIT = 1 << 22
};

/* A link, both directions. The rate is 0 and the latency -1 where the fabric says. */
struct graph_link {
    uint32_t from, to; /* switches; of a node's link, `from` is the node */
    uint64_t rate_bytes_per_s;
    ps_t latency_ps;
};

/* What a switch does with the messages of others. */
enum graph_passing {
    GRAPH_PASSES,
    GRAPH_ENDS,     /* none comes through: it is a node that has several links */
    GRAPH_PREFERRED /* of several ways of one length, those over such switches are taken */
};

/* Switches that pass messages on and reach each other over such switches. */
struct graph_part {
    uint32_t rows, columns; /* its switches; sets of them that something is reached over */
    size_t cells;           /* where its rows begin in the tables */
    uint32_t first_column;
};

struct graph_column {
    uint32_t part, index; /* its number in the part */
    uint32_t place;       /* its switches, in `ways` */
    uint32_t next;        /* of the part; UINT32_MAX: the last one */
};

/* The tables of routes (graph_routes.c). */
struct graph_routes {
    uint32_t *part, *row; /* [switches] of those that pass messages on; others: UINT32_MAX */
    struct graph_part *parts;
    struct graph_column *columns;
    uint32_t part_count, column_count, target_count;
    size_t part_capacity, column_capacity, place_capacity, target_capacity, cells;
    struct link_sets ways;
    uint32_t *column_at;              /* of a place in `ways` */
    uint32_t *first_target, *targets; /* [switches + 1]; the columns over which a switch is reached */
    uint16_t *hops;                   /* [cells] to the switches of the column */
    uint32_t *choice;                 /* [cells] where in `sets` of the graph the links stand that lead on */
};

struct topo_graph {
    /* What it is made from. The caller of graph_route fills it; graph_free frees it. */
    char *name, *text; /* the path of the network file and its contents; the text of a family and "" */
    size_t length;
    uint32_t nodes, switches;
    struct text_index names;       /* of the switches of a network file */
    struct graph_link *node_links; /* [nodes] */
    struct graph_link *links;      /* network link 2i leads from links[i].from, 2i + 1 back */
    size_t link_count, link_capacity;
    enum topo_routing routing; /* of a network file, as the routes and the seed */
    enum topo_routes routes;
    uint64_t seed;
    struct platform *platform; /* of SimGrid, whose routes it has; NULL: those of the tables below */
    uint8_t *kinds;            /* [switches] enum graph_passing; NULL: all pass messages on */
    uint32_t nodes_per_server; /* of a file that says it, else 0 */
    const char *no_effect;     /* what the file says and no fabric has, as a clause; NULL: nothing */

    /* What follows from that. */
    uint32_t *node_switch; /* [nodes] */
    uint64_t *rates;       /* [2 nodes + 2 links]; NULL: none is given */
    ps_t *latencies;       /* the same */
    uint8_t *link_kinds;   /* of a platform: enum topo_link_kind */
    uint32_t *first, *out; /* the links that leave switch s: out[first[s] .. first[s + 1]), ascending */
    uint32_t leaves;       /* switches with nodes */
    struct graph_routes table;
    struct link_sets sets; /* of links that lead on */
    uint32_t *level;       /* [switches] hops to the next switch with nodes */
    uint32_t *divisor;     /* [levels] D_l: the product, over lower levels, of the most links that lead up */
    uint32_t levels;       /* how many there are */
    bool is_levelled;      /* every link joins neighbouring levels */
    bool has_choices;      /* some set has several links */
    uint32_t nodes_most;   /* on a switch */
    struct topo_distances distances;
    struct topo_graph *next; /* of those that are kept */
};

extern const struct topo_ops graph_family;

/* The switch that network link `link`, counted from 0, leads from, and the one that it leads to. */
static inline uint32_t graph_link_begin(const struct topo_graph *graph, uint32_t link)
{
    return link & 1 ? graph->links[link / 2].to : graph->links[link / 2].from;
}

static inline uint32_t graph_link_end(const struct topo_graph *graph, uint32_t link)
{
    return graph_link_begin(graph, link ^ 1);
}

static inline bool graph_is_kind(const struct topo_graph *graph, uint32_t at, enum graph_passing kind)
{
    return graph->kinds && graph->kinds[at] == kind;
}

/* graph_routes.c: as graph_route; `nodes` says how many each switch has. */
bool graph_find_routes(struct topo_graph *graph, const uint32_t *nodes, uint32_t *from, uint32_t *to);
void graph_free_routes(struct graph_routes *routes);

/* Computes what follows. False: there is no way between the switches *from and *to, or there are too many
 * pairs for the table; then *from is GRAPH_TOO_MANY. */
#define GRAPH_TOO_MANY UINT32_MAX
bool graph_route(struct topo_graph *graph, uint32_t *from, uint32_t *to);
void graph_free(struct topo_graph *graph);

/* Gives the topology the sizes and the tables of the graph. */
void graph_topo(const struct topo_graph *graph, struct topo *topo);
const struct topo_graph *graph_of(const struct topo *topo);

/* Graphs are kept until topo_forget(), each by its name and text. NULL: there is none. */
const struct topo_graph *graph_kept(const char *name, const char *text, size_t length);
void graph_forget(void);
void graph_keep(struct topo_graph *graph, const char *name, const char *text, size_t length);

/* For families that are graphs: an empty one, which fill() gives each node its switch, and links. */
struct topo_graph *graph_new(uint32_t nodes, uint32_t switches);
void graph_set_node(struct topo_graph *graph, uint32_t node, uint32_t at);
void graph_add_link(struct topo_graph *graph, uint32_t from, uint32_t to);
void graph_add_links(struct topo_graph *graph, struct graph_link link, uint32_t count);
/* Whether a network of this size can be a graph; false fills *problem. */
bool graph_fits(uint64_t nodes, uint64_t switches, uint64_t switches_with_nodes, uint64_t links,
                struct param_problem *problem);
/* For build(): the graph of the topology's numbers is made once. */
typedef struct topo_graph *graph_fill(const struct topo *topo);
bool graph_build(struct topo *topo, graph_fill *fill, struct param_problem *problem);

/* For the ops of these families. */
struct topo_hop graph_ends(const struct topo *topo, uint32_t link);
struct topo_choice graph_choose(const struct topo *topo, uint32_t from, uint32_t destination);
bool graph_has_choices(const struct topo *topo);
uint32_t graph_distance(const struct topo *topo, uint32_t source, uint32_t destination);
struct topo_distances graph_distances(const struct topo *topo);
enum topo_switch_kind graph_switch_kind(const struct topo *topo, uint32_t at);

/* graph_cut.c: the fewest intact links, those of nodes included, whose removal leaves no way from the first
 * half of the nodes to the others. Of any topology. */
uint64_t graph_bisection(const struct topo *topo);

/* graph_picture.c */
void graph_place(const struct topo *topo, struct topo_layout *layout);

#endif
