#ifndef HELIO_TOPO_TOPO_H
#define HELIO_TOPO_TOPO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/param.h"
#include "base/status.h"
#include "base/time.h"

/* Topologies and routing: nodes, switches, the directed links between them, and the links that a message
 * takes.
 *
 *     topo.h, topo.c       what all topologies have: links, names, routes, distances; the ops of a family
 *     text.c               a topology from its text, and back
 *     families.def         the list of families, one line each
 *     families.h, .c       the same as a table, and families that are added at run time
 *     crossbar.c, dragonfly.c, fattree.c, hyperx.c, mesh.c, torus.c, xgft.c      one family each
 *     rails.c, cubes.c     clusters of GPUs by rails; tori of optical cubes
 *     dragonflyplus.c, jellyfish.c, slimfly.c      families that are graphs
 *     field.h, field.c     finite fields, for slimfly.c
 *     grid.h, grid.c, grid_picture.c      what mesh and torus share
 *     rows.h, rows.c       the pictures of fat tree and crossbar
 *     graph.h, graph.c     a network as tables: any links, routes from a table
 *     graph_cut.c, graph_picture.c      its bisection; its picture
 *     network_file.h, .c   a network file of ours, which becomes a graph; htsim_file.c, ns3_file.c: of others
 *     platform.h, platform*.c    SimGrid's platforms
 *     formats.def, .h, .c  the list of these formats, and the entry to them; source.h, .c: their text
 *     network_write.c      the network file that a topology is; network_reader.h, network_links.c: its links
 *     faults.h, faults.c, fault_*.c    failed and slow links; the routes that are left
 *     updown.h, updown.c   up and down routes, as a table
 *     deadlock.h, .c       circles of links that wait for each other
 *     link_sets.h, .c      sets of links, in tables of routes
 *     rates.h, rates.c     rates and latencies by class of link
 *     layout.h, layout.c   where nodes and switches stand in a picture
 *     picture.h, ascii.c, svg.c, dot.c    pictures
 *
 * A topology of a family is computed from the numbers of nodes, switches and links. So it takes a few hundred
 * bytes whatever its size, it is copied by assignment, and nothing has to be closed. Network files and
 * some families have tables, which are kept until topo_forget(). All functions that take a node, a switch or
 * a link expect one that exists. docs/models/topology.md states the numbering and every routing rule.
 *
 * Numbers. Nodes are 0 .. nodes-1 and switches 0 .. switches-1. In a family nodes hang on the first switches
 * in order: node i on switch i / nodes_per_switch. Links are directed and numbered without gaps:
 *
 *     0 .. nodes-1                injection, from the node of the same number to its switch
 *     nodes .. 2 nodes - 1        ejection, from its switch to node (number - nodes)
 *     2 nodes .. links-1          network, from switch to switch; for each there is one the other way
 */

/* Grids: which dimension is routed first. The first is the one written first. Its coordinate runs fastest in
 * node numbers. */
enum topo_order { TOPO_ORDER_FIRST, TOPO_ORDER_LAST };

/* Torus: the direction when both are equally long, at half of an even ring. */
enum topo_tie {
    TOPO_TIE_PARITY, /* an odd coordinate goes up, an even one down: odd-even shortest path (Yuan et al.) */
    TOPO_TIE_PLUS,   /* up, towards the next higher coordinate */
    TOPO_TIE_EITHER, /* both are candidates; the preferred one is up */
    TOPO_TIE_REVERSE /* an odd coordinate goes down, an even one up */
};

/* Where several links lead on equally well: the index of the one that a deterministic route takes. */
enum topo_routing {
    TOPO_ROUTING_D_MOD_K, /* floor(destination / D_l) modulo their number, D_l by level */
    TOPO_ROUTING_LOWEST,  /* the first */
    TOPO_ROUTING_HASH     /* by a hash of seed, switch and destination */
};

/* Which routes there are. */
enum topo_routes {
    TOPO_ROUTES_OWN,   /* those of the family; of a network file, the shortest */
    TOPO_ROUTES_UPDOWN /* up, then down (updown.h): free of deadlock in any network */
};

/* Rails: how a GPU reaches one of another rail and another server, where both ways are as short. */
enum topo_relay {
    TOPO_RELAY_NVLINK, /* over the GPU of its own server that is on the other's rail */
    TOPO_RELAY_SPINE,  /* over a spine switch */
    TOPO_RELAY_EITHER  /* both are candidates; the preferred one is NVLINK */
};

enum { TOPO_NUMBERS = 16, TOPO_LEVELS = 24, TOPO_TEXT = 256, TOPO_DATA = 336 };
#define TOPO_NODES_LIMIT (UINT32_C(1) << 24) /* most nodes, and most switches */
#define TOPO_LINKS_LIMIT (UINT32_C(1) << 28)

/* What messages have of the rate of a link. */
enum topo_link_kind {
    TOPO_LINK_SHARED, /* a share: a circuit holds a channel or a slot of it alone */
    TOPO_LINK_WHOLE,  /* each the whole rate: it holds any number of circuits */
    TOPO_LINK_FREE    /* no limit, and no such link: the rate is what the node can have */
};

struct topo_ops;
struct topo_by_class;

enum topo_switch_kind {
    TOPO_SWITCH_PASSES,   /* a device that passes messages on */
    TOPO_SWITCH_ENDS,     /* the ports of a node with several links, and no device */
    TOPO_SWITCH_PREFERRED /* a device within a server, such as an NVSwitch: its links need no NICs */
};
struct topo_faults;
struct topo_updown;

/* topo_parse writes all fields, and anyone may read them. `order`, `tie`, `routing` and `seed` may be changed
 * at any time, for example on a copy, to compare routes. */
struct topo {
    const struct topo_ops *ops; /* of its family */
    uint32_t nodes, switches, links;
    uint32_t nodes_per_switch;   /* of a network file: the most */
    uint32_t planes;             /* equal networks between the nodes; 0 or 1: one */
    uint32_t nodes_per_server;   /* nodes in a row that are GPUs of one server; 0 or 1: it has no servers */
    const uint32_t *node_switch; /* [nodes] the switch of each; NULL: computed */
    /* [links] of each link: bytes a second, 0 where the fabric says; and ps, -1 where the fabric says. NULL:
     * the fabric says all. */
    const uint64_t *link_rates;
    const ps_t *link_latencies;
    const uint8_t *link_kinds;             /* [links] enum topo_link_kind; NULL: all are shared */
    const struct topo_by_class *rates;     /* NULL: link_rates says, or the fabric */
    const struct topo_by_class *latencies; /* NULL: link_latencies says, or the fabric */
    const struct topo_faults *faults;      /* links that have failed or are slow (faults.h); NULL: none */
    const struct topo_updown *updown;      /* its routes, of TOPO_ROUTES_UPDOWN; NULL: others */
    const char *path;                      /* of its network file; NULL: it is of a family */
    const char *no_effect; /* what the file says and no fabric has, as a clause; NULL: nothing */
    const char
        *no_ends;   /* why it does not say which two switches each link joins, as a clause; NULL: it does */
    bool has_ports; /* switch i, for each node i, is the ports of the node: no device */
    bool has_fixed_routes;   /* its file says which ways messages take: none are up and down */
    bool has_sample;         /* its distances are those of some nodes, and its diameter is a bound */
    bool has_pair_latencies; /* routes add latencies to those of their links */
    uint32_t levels;   /* of switches, if each has a level: 0 at the nodes, levels-1 at the top; else 0 */
    uint32_t diameter; /* largest distance between two nodes, in network links */
    enum topo_order order;
    enum topo_tie tie;
    enum topo_routing routing;
    enum topo_routes routes;
    enum topo_relay relay;
    uint64_t seed;                                    /* of TOPO_ROUTING_HASH */
    uint32_t number_count, numbers[TOPO_NUMBERS];     /* of its text: 12, 12, 12 */
    _Alignas(uint64_t) unsigned char data[TOPO_DATA]; /* what the family keeps */
};

/* --------------------------------------------------------------------- text */

/* From a text such as torus:12x12x12, mesh:4x4, linear:8, ring:8, fattree:12x3 (k-ary n-tree),
 * dragonfly:2x4x2 (p x a x h) or crossbar:64; routing rules follow the numbers:
 * torus:8x8,order=last,tie=plus. False fills *problem and leaves *topo alone. This is the form that a
 * parameter (PARAM_CUSTOM) needs. */
bool topo_read(const char *text, struct topo *topo, struct param_problem *problem);

/* A text with a slash, or that ends in .yaml, .yml, .xml, .topo or .txt, is the path of a network file
 * (network_file.h). Its errors are reported with their places in the file, and *problem says so. */
bool topo_is_path(const char *text);

/* Frees the tables of topologies and their rates. No topology that has some may be used any more. */
void topo_forget(void);

/* The same with the error reported, as the text `what` ("--topology") at its column. */
enum status topo_parse(const char *what, const char *text, struct topo *topo);

/* The text that reads back as the same topology; at most TOPO_TEXT bytes. Of a long path only the end is
 * printed. Returns buffer. */
const char *topo_print(const struct topo *topo, char *buffer, size_t size);

/* --------------------------------------------------------------- the family */

/* A link between switches, by their numbers. */
struct topo_hop {
    uint32_t from, to;
};

/* The links that lead on from a switch by a minimal route: first, first + step, ... (modulo 2^32), `count` of
 * them, at least one. There are several in the upward phase of a tree, where any may be taken, and in a torus
 * with TOPO_TIE_EITHER. `preferred` is the index of the one that a deterministic route takes: in a tree, the
 * digit of the destination that belongs to the level (D-mod-k). Where `links` is not NULL, they are its
 * `count` entries. */
struct topo_choice {
    uint32_t first, step, count, preferred;
    const uint32_t *links;
};

/* Which of `count` links a deterministic route takes; `divisor` is D_l of the switch. */
uint32_t topo_prefer(const struct topo *topo, uint32_t from, uint32_t destination, uint32_t divisor,
                     uint32_t count);

/* D_l of a bundle, whose links all lead down to one switch: what D-mod-k divides by to take the link of the
 * bundle that it takes on the way up. `lower` is D_l of that switch. Destinations that share the quotient of
 * the upper switch would all take one link. Numbers of links up from a switch go around bundles in turn, as
 * in an XGFT, or through one after another, as in a file; two links of the bundle show which. */
uint32_t topo_bundle_divisor(struct topo_choice choice, uint32_t lower);

/* The choice where one link only leads on. */
static inline struct topo_choice topo_only(uint32_t link)
{
    return (struct topo_choice){.first = link, .count = 1};
}

/* The distances of all ordered pairs of nodes: their sum and the largest. */
struct topo_distances {
    unsigned __int128 sum;
    uint32_t most;
};

/* A word that a text may begin with. */
struct topo_form {
    const char *name;
    uint32_t least, most; /* how many numbers follow */
    const char *example;  /* "fattree:12x3 (k x n: links up and down a switch, levels)" */
};

/* Rules of routing that the text of a family may set. */
enum topo_rule {
    TOPO_RULE_ORDER = 1,
    TOPO_RULE_TIE = 2,
    TOPO_RULE_ROUTING = 4,
    TOPO_RULE_RATES = 8,
    TOPO_RULE_ROUTES = 16, /* of every family */
    TOPO_RULE_PLANES = 32,
    TOPO_RULE_RELAY = 64
}; /* ROUTING: seed, too; RATES: latencies, too */

extern const char *const topo_routing_names[]; /* NULL behind the last */
extern const char *const topo_routes_names[];  /* the same */

struct topo_grid;
struct topo_layout;
struct topo_picture;

/* A family. Links are network links here: injection and ejection are the same in all families. Functions
 * allocate nothing. */
struct topo_ops {
    const char *name;              /* "torus", with which topo_print begins; the name of one of its forms */
    const struct topo_form *forms; /* ends with one whose name is NULL */
    unsigned rules;                /* enum topo_rule, or-ed */
    const char *graphviz;          /* the program that lays out its graph well; NULL: neato */

    /* From topo->numbers, each at least 1, and topo->planes: sets nodes, switches, links, nodes_per_switch,
     * levels if there are any, and data. It may complete the numbers. False fills problem->text, and
     * problem->at with the index of the number that is wrong. */
    bool (*build)(struct topo *topo, struct param_problem *problem);
    struct topo_hop (*ends)(const struct topo *topo, uint32_t link);
    /* The link between the same switches the other way; NULL: links 2i and 2i+1 are such a pair. */
    uint32_t (*reverse)(const struct topo *topo, uint32_t link);
    /* The class of a link for the rules `rates` and `latencies`, from 1. NULL: in a topology with levels, its
     * lower level + 1; else 1. */
    uint32_t (*link_class)(const struct topo *topo, uint32_t link);
    uint32_t link_classes; /* that link_class knows; 0: one of each coordinate */
    /* NULL: routes are those of pairs of nodes (route), and no switch says where a message goes on. */
    struct topo_choice (*choose)(const struct topo *topo, uint32_t from, uint32_t destination);
    /* The links that carry the same, whatever the traffic, if messages are spread evenly over all links that
     * lead on: the lowest of those of `link`, and with *step between them *count. NULL: each by itself. */
    uint32_t (*alike)(const struct topo *topo, uint32_t link, uint32_t *step, uint32_t *count);
    /* Whether the routing rules leave several routes between some nodes; a fabric may then choose a link
     * switch by switch. NULL: they never do. */
    bool (*has_choices)(const struct topo *topo);
    /* The network links of the deterministic route; returns how many. NULL: as choose() leads on. */
    uint32_t (*route)(const struct topo *topo, uint32_t source, uint32_t destination, uint32_t *links);
    /* What the route adds to the latencies of its links; NULL: nothing. */
    ps_t (*more_latency)(const struct topo *topo, uint32_t source, uint32_t destination);
    uint32_t (*distance)(const struct topo *topo, uint32_t source, uint32_t destination);
    struct topo_distances (*distances)(const struct topo *topo);
    uint32_t (*diameter)(const struct topo *topo);            /* NULL: distances() is fast, and says it */
    uint64_t (*bisection)(const struct topo *topo);           /* NULL: it has none */
    const struct topo_grid *(*grid)(const struct topo *topo); /* NULL: it is no grid */
    /* Of a switch; returns how many. NULL: its number. */
    uint32_t (*coordinates)(const struct topo *topo, uint32_t at, uint32_t *coordinates);
    /* The name of the switch at these coordinates. NULL: "(3,0)". */
    void (*name_switch)(const uint32_t *coordinates, uint32_t count, char *buffer, size_t size);
    const char *(*given_name)(const struct topo *topo, uint32_t at); /* of a switch; NULL: name_switch says */
    /* NULL: all switches but ports pass messages on. */
    enum topo_switch_kind (*switch_kind)(const struct topo *topo, uint32_t at);
    const char *(*host_name)(const struct topo *topo, uint32_t node); /* in the file; NULL: it has none */
    /* The name of a link in the file, of any link; NULL, for all or for one: it has none. And the link with
     * this name, or UINT32_MAX. */
    const char *(*given_link)(const struct topo *topo, uint32_t link);
    uint32_t (*find_link)(const struct topo *topo, const char *name);

    /* Pictures. NULL: switches in a circle with their nodes outside; a line for each switch. */
    void (*place)(const struct topo *topo, struct topo_layout *layout);
    void (*draw)(const struct topo_picture *picture, FILE *out);
};

/* Whether nodes and links stay within the limits; false fills *problem. For build(). */
bool topo_fits(uint64_t nodes, uint64_t links, struct param_problem *problem);

/* Numbers as "(3,0)", for name_switch; what does not fit is cut off. */
void topo_print_list(const uint32_t *numbers, uint32_t count, char *buffer, size_t size);

/* Adds a family after those of families.def. It has to live as long as the program. STATUS_BAD_INPUT,
 * reported: one of its names is taken, or the table is full. */
enum status topo_add(const struct topo_ops *ops);

/* -------------------------------------------------------------------- links */

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

/* The switch that the node hangs on. */
static inline uint32_t topo_switch_of(const struct topo *topo, uint32_t node)
{
    return topo->node_switch ? topo->node_switch[node] : node / topo->nodes_per_switch;
}

/* A switch that is the ports of the node of the same number: the node's links to several networks begin
 * there. A message takes no time in it. */
static inline bool topo_is_port(const struct topo *topo, uint32_t at)
{
    return topo->has_ports && at < topo->nodes;
}

static inline enum topo_switch_kind topo_switch_kind(const struct topo *topo, uint32_t at)
{
    if (topo_is_port(topo, at))
        return TOPO_SWITCH_ENDS;
    return topo->ops->switch_kind ? topo->ops->switch_kind(topo, at) : TOPO_SWITCH_PASSES;
}

static inline enum topo_link_kind topo_link_kind(const struct topo *topo, uint32_t link)
{
    return topo->link_kinds ? (enum topo_link_kind)topo->link_kinds[link] : TOPO_LINK_SHARED;
}

/* Whether a channel or a slot of the link is held by one circuit at a time. */
static inline bool topo_is_held(const struct topo *topo, uint32_t link)
{
    return topo_link_kind(topo, link) == TOPO_LINK_SHARED;
}

/* The class of a link: 0 for those of nodes; between switches by level, by dimension, or within and between
 * groups. What the topology gives the links of its class. */
uint32_t topo_link_class(const struct topo *topo, uint32_t link);
uint32_t topo_link_classes(const struct topo *topo); /* with that of the nodes' links */
uint64_t topo_of_class(const struct topo *topo, const struct topo_by_class *by_class, uint32_t link);

/* With faults: whether some links are slow, and the rate of a link that has this one without faults. */
bool topo_has_slow_links(const struct topo *topo);
uint64_t topo_slowed_rate(const struct topo *topo, uint32_t link, uint64_t rate);

/* Whether links have rates of their own. */
static inline bool topo_has_rates(const struct topo *topo)
{
    return topo->rates || topo->link_rates || topo->planes > 1 || (topo->faults && topo_has_slow_links(topo));
}

/* The planes share the rate of a node. */
static inline uint64_t topo_plane_rate(const struct topo *topo, uint32_t link, uint64_t of_fabric)
{
    bool is_part = topo->planes > 1 && topo_is_network(topo, link) && of_fabric;
    return !is_part ? of_fabric : of_fabric > topo->planes ? of_fabric / topo->planes : 1;
}

/* Whether links have latencies of their own. */
static inline bool topo_has_latencies(const struct topo *topo)
{
    return topo->latencies || topo->link_latencies;
}

/* What the network says of a link, or the value of the fabric where it does not; less for a slow link. */
static inline uint64_t topo_link_rate(const struct topo *topo, uint32_t link, uint64_t of_fabric)
{
    uint64_t rate = topo->rates                                  ? topo_of_class(topo, topo->rates, link)
                    : topo->link_rates && topo->link_rates[link] ? topo->link_rates[link]
                                                                 : topo_plane_rate(topo, link, of_fabric);
    return topo->faults ? topo_slowed_rate(topo, link, rate) : rate;
}

static inline ps_t topo_link_latency(const struct topo *topo, uint32_t link, ps_t of_fabric)
{
    if (topo->latencies)
        return (ps_t)topo_of_class(topo, topo->latencies, link);
    return topo->link_latencies && topo->link_latencies[link] >= 0 ? topo->link_latencies[link] : of_fabric;
}

/* Coordinates of a switch. Grid: one for each dimension. Fat tree: the level, then its levels-1 digits to the
 * base k, the least significant first. Dragonfly: group and router. Crossbar: none. Returns how many. */
enum { TOPO_COORDINATES = TOPO_LEVELS };
uint32_t topo_coordinates(const struct topo *topo, uint32_t at, uint32_t coordinates[TOPO_COORDINATES]);

/* The level of a switch: its first coordinate where there are levels, else 0. */
uint32_t topo_level(const struct topo *topo, uint32_t at);

/* Names for pictures and messages: "7" for a node; "(3,0)", "2:(1,0)" for a tree's level and digits, "g2r1"
 * for switches. At most TOPO_TEXT bytes. Return buffer. */
const char *topo_end_name(const struct topo *topo, struct topo_end end, char *buffer, size_t size);
/* "0>(0,0)"; "a>b (wan)" if the file gives the link a name. */
const char *topo_link_name(const struct topo *topo, uint32_t link, char *buffer, size_t size);

/* The same of a link that a message takes from the switch `at`: where both directions are one link, in the
 * direction of the message. */
struct topo_ends topo_ends_from(const struct topo *topo, uint32_t at, uint32_t link);
const char *topo_link_name_from(const struct topo *topo, uint32_t at, uint32_t link, char *buffer,
                                size_t size);

/* -------------------------------------------------------------------- grids */

struct topo_dimension {
    uint32_t size;
    uint32_t stride;     /* difference between the numbers of neighbours */
    uint32_t edges;      /* pairs of opposite links along one line of switches */
    uint32_t first_edge; /* edges are numbered across dimensions */
    bool wraps;          /* the ends of a line are linked; not in a torus of size 2, whose two ways are one */
};

/* A topology whose switches are the points of a grid, each with one node and linked to its neighbours. */
struct topo_grid {
    bool is_torus; /* the coordinate after the last is 0, also in a dimension of size 2 */
    uint32_t dimensions;
    struct topo_dimension dimension[TOPO_NUMBERS];
};

/* The grid that the topology is; NULL where it is none. It is part of *topo. */
static inline const struct topo_grid *topo_grid(const struct topo *topo)
{
    return topo->ops->grid ? topo->ops->grid(topo) : NULL;
}

/* The switch at these coordinates. */
uint32_t topo_grid_switch(const struct topo_grid *grid, const uint32_t *coordinates);

/* ------------------------------------------------------------------ routing */

static inline uint32_t topo_candidate(struct topo_choice choice, uint32_t index)
{
    return choice.links ? choice.links[index] : choice.first + choice.step * index;
}

/* At `from`, a switch, for a message to node `destination`: the ejection link when it hangs there. No
 * allocation, a few divisions (a dragonfly: for each link between two groups). From every switch that can get
 * there by a minimal route: in a tree every one, in a dragonfly the ones of at most one global link. */
struct topo_choice topo_choose_around(const struct topo *topo, uint32_t from, uint32_t destination);

static inline struct topo_choice topo_choose(const struct topo *topo, uint32_t from, uint32_t destination)
{
    return topo->faults || topo->updown ? topo_choose_around(topo, from, destination)
                                        : topo->ops->choose(topo, from, destination);
}

/* Whether the routing rules leave several routes between some nodes. */
bool topo_has_choices_around(const struct topo *topo);

static inline bool topo_has_choices(const struct topo *topo)
{
    return (topo->ops->has_choices && !topo->updown && topo->ops->has_choices(topo)) ||
           ((topo->faults || topo->updown) && topo_has_choices_around(topo));
}

/* Whether a way leads from node to node: false only where failed links have cut the network. Routes and
 * distances are those of nodes that reach each other. */
bool topo_reaches(const struct topo *topo, uint32_t source, uint32_t destination);

/* The link of the deterministic route. */
static inline uint32_t topo_next(const struct topo *topo, uint32_t from, uint32_t destination)
{
    struct topo_choice choice = topo_choose(topo, from, destination);
    return topo_candidate(choice, choice.preferred);
}

/* The switch that a network or injection link leads to. */
static inline uint32_t topo_link_to(const struct topo *topo, uint32_t link)
{
    return topo_is_network(topo, link) ? topo->ops->ends(topo, link).to : topo_switch_of(topo, link);
}

/* The whole deterministic route from node to node, injection and ejection link included, into `links`, which
 * has room for topo_route_limit. Returns how many there are: topo_distance + 2. The route from a node to
 * itself leads to its switch and back: 2. */
uint32_t topo_route(const struct topo *topo, uint32_t source, uint32_t destination, uint32_t *links);

/* The links that a circuit passes on this route, in order, and how many they are: all of topo_route but the
 * links of nodes that a platform does not have (TOPO_LINK_FREE). At least one between different nodes.
 * `links` has room for topo_route_limit. */
uint32_t topo_way(const struct topo *topo, uint32_t source, uint32_t destination, uint32_t *links);
uint32_t topo_way_length(const struct topo *topo, uint32_t source, uint32_t destination);

/* The switch that one comes to from the switch `at` over a link between switches, or over a link of a node
 * from the node. Where both directions of a link are one, it leads to the end that is not `at`. */
uint32_t topo_behind(const struct topo *topo, uint32_t at, uint32_t link);

/* Of the deterministic route from node to node: the rate of its slowest link, and the sum of its latencies.
 * Links for which the network says nothing have those of the fabric, `of_network` between switches. */
uint64_t topo_route_rate(const struct topo *topo, uint32_t source, uint32_t destination, uint64_t of_fabric);
ps_t topo_route_latency(const struct topo *topo, uint32_t source, uint32_t destination, ps_t of_network,
                        ps_t of_node);

/* The most links of a route of a family without choose(), injection and ejection link included. */
enum { TOPO_ROUTE_OF_PAIR = 252 };

static inline uint32_t topo_route_limit(const struct topo *topo)
{
    return topo->diameter + 2;
}

/* Network links on a minimal route between two nodes, without injection and ejection. */
uint32_t topo_distance_around(const struct topo *topo, uint32_t source, uint32_t destination);

static inline uint32_t topo_distance(const struct topo *topo, uint32_t source, uint32_t destination)
{
    return topo->faults || topo->updown ? topo_distance_around(topo, source, destination)
                                        : topo->ops->distance(topo, source, destination);
}

/* How many links of the deterministic route take the latency of a hop: one less than it has switches that
 * are not the ports of a node. */
uint32_t topo_delays(const struct topo *topo, uint32_t source, uint32_t destination);

/* -------------------------------------------------------------------- facts */

/* Mean of topo_distance over all ordered pairs of different nodes that reach each other; 0 where there is one
 * node only. */
double topo_mean_distance(const struct topo *topo);
double topo_mean_distance_around(const struct topo *topo);

/* Links in one direction across the cut that halves the network: through the middle of the longest dimension,
 * of the root's subtrees, of the list of groups. Where the halves are equal and a tree's arity even this is
 * the least there is; where an odd number is cut, one half is one layer, subtree or group larger. A crossbar
 * is cut at its nodes' links.
 *
 * With failed links it is an upper bound, never above that of the intact topology: the least of that, of the
 * cut that a network file has, and in a grid of the cuts through the middle of a dimension at each position,
 * of the links that are left. */
uint64_t topo_bisection(const struct topo *topo);
bool topo_bisection_is_bound(const struct topo *topo);

#endif
