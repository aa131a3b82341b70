#ifndef HELIO_TOPO_TOPO_H
#define HELIO_TOPO_TOPO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/param.h"
#include "base/status.h"

/* Topologies and routing: nodes, switches, the directed links between them, and which links a message takes.
 *
 * Everything is computed from the ids, so a topology is a few hundred bytes without pointers whatever its
 * size: it is copied by assignment, and nothing has to be closed. All functions that take a node, a switch or
 * a link expect one that exists. docs/models/topology.md states the numbering and every routing rule.
 *
 * Ids. Nodes are 0 .. nodes-1 and switches 0 .. switches-1. Links are directed and dense:
 *
 *     0 .. nodes-1                injection, from the node of the same id to its switch
 *     nodes .. 2 nodes - 1        ejection, to node id - nodes from its switch
 *     2 nodes .. links-1          network, from switch to switch; for each there is one the other way
 */
enum topo_kind { TOPO_MESH, TOPO_TORUS, TOPO_TREE, TOPO_CROSSBAR, TOPO_DRAGONFLY };

/* Mesh and torus: which dimension is routed first. The first is the one written first, whose coordinate runs
 * fastest in node ids. */
enum topo_order { TOPO_ORDER_FIRST, TOPO_ORDER_LAST };

/* Torus: which way round when both are equally long, at half of an even ring. */
enum topo_tie {
    TOPO_TIE_PARITY, /* an odd coordinate goes up, an even one down: odd-even shortest path (Yuan et al.) */
    TOPO_TIE_PLUS,   /* up, towards the next higher coordinate */
    TOPO_TIE_EITHER, /* both are candidates; up where nobody chooses */
};

enum { TOPO_DIMENSIONS = 16, TOPO_LEVELS = 24, TOPO_TEXT = 128 };
#define TOPO_NODES_LIMIT (UINT32_C(1) << 24) /* most nodes, and most switches */
#define TOPO_LINKS_LIMIT (UINT32_C(1) << 28)

struct topo_dimension {
    uint32_t size;
    uint32_t stride;     /* how far apart neighbours' ids are */
    uint32_t edges;      /* pairs of opposite links along one line of switches */
    uint32_t first_edge; /* edges are numbered across dimensions */
    bool wraps;          /* false also for a torus of size 2, whose two ways round are one */
};

/* Fields are read by anyone and written by topo_parse; but `order` and `tie` may be changed at any time, on a
 * copy say, to compare routes. */
struct topo {
    enum topo_kind kind;
    uint32_t nodes, switches, links;
    uint32_t diameter; /* most hops between two nodes, not counting injection and ejection */
    /* mesh, torus */
    enum topo_order order;
    enum topo_tie tie;
    uint32_t dimensions;
    struct topo_dimension dimension[TOPO_DIMENSIONS];
    /* k-ary n-tree; a crossbar is one of one level */
    uint32_t arity, levels;          /* k and n */
    uint32_t power[TOPO_LEVELS + 1]; /* k^i */
    /* dragonfly: p, a, h, g of Kim et al. (2008), and the links that each pair of groups has */
    uint32_t terminals, routers, globals, groups, copies;
};

/* From a text such as torus:12x12x12, mesh:4x4, linear:8, ring:8, fattree:12x3 (k-ary n-tree),
 * dragonfly:2x4x2 (p x a x h) or crossbar:64; a grid's rules follow it: torus:8x8,order=last,tie=plus. False
 * fills *problem and leaves *topo alone. For parameters: the form that PARAM_CUSTOM needs is on top of this
 * one. */
bool topo_read(const char *text, struct topo *topo, struct param_problem *problem);

/* The same with the error reported, as the text `what` ("--topology") at its column. */
enum status topo_parse(const char *what, const char *text, struct topo *topo);

/* The text that reads back as the same topology; at most TOPO_TEXT bytes. Returns buffer. */
const char *topo_print(const struct topo *topo, char *buffer, size_t size);

/* ---------------------------------------------------------------------------------------------- links */

/* Where a link begins or ends. */
struct topo_end {
    bool is_node;
    uint32_t id; /* of the node, or of the switch */
};

struct topo_ends {
    struct topo_end from, to;
};

struct topo_ends topo_link_ends(const struct topo *topo, uint32_t link);
uint32_t topo_link_reverse(const struct topo *topo, uint32_t link); /* between the same two, the other way */

static inline uint32_t topo_injection(const struct topo *topo, uint32_t node)
{
    (void)topo;
    return node;
}

static inline uint32_t topo_ejection(const struct topo *topo, uint32_t node)
{
    return topo->nodes + node;
}

static inline bool topo_is_injection(const struct topo *topo, uint32_t link)
{
    return link < topo->nodes;
}

static inline bool topo_is_ejection(const struct topo *topo, uint32_t link)
{
    return link >= topo->nodes && link - topo->nodes < topo->nodes;
}

static inline bool topo_is_network(const struct topo *topo, uint32_t link)
{
    return link >= 2 * topo->nodes;
}

/* The switch that the node hangs on. On mesh and torus it has the node's own id. */
uint32_t topo_switch_of(const struct topo *topo, uint32_t node);

/* How far the switch is above the nodes: 0 at the leaves, levels-1 at the top; 0 for all that is no tree. */
uint32_t topo_level(const struct topo *topo, uint32_t from);

/* Coordinates of a switch: mesh and torus one for each dimension; tree the level, then its levels-1 digits to
 * the base k, the least significant first; dragonfly group and router; crossbar none. Returns how many. */
enum { TOPO_COORDINATES = TOPO_LEVELS };
uint32_t topo_coordinates(const struct topo *topo, uint32_t from, uint32_t coordinates[TOPO_COORDINATES]);

/* The switch of a mesh or torus at these coordinates. */
uint32_t topo_switch_at(const struct topo *topo, const uint32_t *coordinates);

/* Names for pictures and messages: "7", "(3,0)", "2:(1,0)" for a tree's level and digits, "g2r1". At most
 * TOPO_TEXT bytes. Return buffer. */
const char *topo_end_name(const struct topo *topo, struct topo_end end, char *buffer, size_t size);
const char *topo_link_name(const struct topo *topo, uint32_t link, char *buffer, size_t size); /* "0>(0,0)" */

/* -------------------------------------------------------------------------------------------- routing */

/* The links that lead on from a switch by a minimal route: first, first + step, ... (modulo 2^32), `count` of
 * them, at least one. More than one: the upward phase of a tree, where any may be taken, and a torus with
 * TOPO_TIE_EITHER. `preferred` is the index of the one that a deterministic route takes: in a tree, the digit
 * of the destination that belongs to the level (D-mod-k). */
struct topo_choice {
    uint32_t first, step, count, preferred;
};

static inline uint32_t topo_candidate(struct topo_choice choice, uint32_t index)
{
    return choice.first + choice.step * index;
}

/* At `from`, a switch, for a message to node `destination`: the ejection link when it hangs there. No
 * allocation, a few divisions (a dragonfly: times `copies`). From every switch that can get there by a
 * minimal route: in a tree every one, in a dragonfly the ones of at most one global link. */
struct topo_choice topo_choose(const struct topo *topo, uint32_t from, uint32_t destination);

/* The link of the deterministic route. */
static inline uint32_t topo_next(const struct topo *topo, uint32_t from, uint32_t destination)
{
    struct topo_choice choice = topo_choose(topo, from, destination);
    return topo_candidate(choice, choice.preferred);
}

/* The switch that a network or injection link leads to. */
uint32_t topo_link_to(const struct topo *topo, uint32_t link);

/* The whole deterministic route from node to node, injection and ejection link included, into `links`, which
 * has room for topo_route_limit. Returns how many there are: topo_distance + 2. A node reaches itself by way
 * of its switch, in 2. */
uint32_t topo_route(const struct topo *topo, uint32_t source, uint32_t destination, uint32_t *links);

static inline uint32_t topo_route_limit(const struct topo *topo)
{
    return topo->diameter + 2;
}

/* Network links on a minimal route between two nodes, without injection and ejection. */
uint32_t topo_distance(const struct topo *topo, uint32_t source, uint32_t destination);

/* ---------------------------------------------------------------------------------------------- facts */

/* Mean of topo_distance over all ordered pairs of different nodes; 0 where there is one node only. */
double topo_mean_distance(const struct topo *topo);

/* Links in one direction across the cut that halves the network: through the middle of the longest dimension,
 * of the root's subtrees, of the list of groups. Where the halves are equal and a tree's arity even this is
 * the least there is; where an odd number is cut, one half is one layer, subtree or group larger. A crossbar
 * is cut at its nodes' links. */
uint64_t topo_bisection(const struct topo *topo);

#endif
