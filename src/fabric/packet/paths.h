#ifndef HELIO_FABRIC_PACKET_PATHS_H
#define HELIO_FABRIC_PACKET_PATHS_H

#include "base/metric.h"
#include "base/rng.h"
#include "fabric/packet/spray.h"
#include "fabric/topology.h"

/* The links that messages of the packet fabric take: the path of a flow, how many flows are on each link, and
 * how many bytes each has carried. Links are those of the topology. With half duplex the lower of two
 * opposite links stands for both. */
enum path_choice {
    PATH_FIXED,      /* the deterministic route of the topology */
    PATH_LEAST_USED, /* minimal, the least used link at each switch */
    PATH_HASHED,     /* minimal, at each switch by a hash of seed, switch, both nodes, and place: ECMP */
    PATH_SPRAYED,    /* minimal, spread over all links that lead on, in equal parts at each switch */
    PATH_VALIANT,    /* over a node drawn at random, by the fixed routes to it and from it */
    PATH_UGAL_LOCAL, /* the fixed route, or that of Valiant: by flows on the first link between switches */
    PATH_UGAL_GLOBAL /* the same, by flows on all links between switches */
};

/* What is known of a pair of nodes stands in a table, of the latest pairs. How many records it has, a power
 * of two: a larger one holds more pairs, and its records are less often in the processor's cache. `limit`:
 * the most links of a path. */
uint32_t paths_records(uint32_t nodes, uint32_t limit);
/* The record of a pair. All pairs of 64 nodes seldom share one, where a hash would make a third of them do
 * so. 60, 61 and 62 have few factors of 2, so that in larger networks the pairs of one node and those of
 * neighbours have records of their own too. */
static inline uint32_t paths_record(uint32_t records, uint32_t source, uint32_t destination)
{
    return (61 * source + destination) & (records - 1);
}

struct paths {
    struct topo topo;
    enum path_choice choice; /* among links that lead on equally well */
    bool half_duplex;
    uint32_t limit;         /* most links of a path */
    struct spray *spray;    /* of PATH_SPRAYED; else NULL */
    uint64_t seed;          /* of PATH_HASHED */
    struct rng rng;         /* draws the nodes of PATH_VALIANT */
    uint32_t *detour;       /* a path that may not be taken */
    uint32_t *known;        /* of PATH_FIXED, if the topology stays: routes that have been found; else NULL */
    uint32_t records;       /* of `known` */
    uint32_t known_credit;  /* falls where a route was not known; 0: routes are not kept any more */
    uint32_t *flows;        /* on each link now */
    struct sums link_bytes; /* that each network link has carried */
};

/* `limit`: the most links of a path, of any topology that *paths will get. `changes`: whether it will get
 * another one. */
void paths_init(struct paths *paths, const struct topo *topo, enum path_choice choice, bool half_duplex,
                uint32_t limit, bool changes, uint64_t seed);
/* The most links of a path. */
uint32_t paths_limit(const struct topo *topo, enum path_choice choice, bool changes);
/* Whether paths are minimal, all of a pair of nodes as long. */
bool paths_are_minimal(enum path_choice choice);
void paths_free(struct paths *paths);
size_t paths_bytes(const struct paths *paths); /* memory held */
/* Of it, for routes that are kept. */
size_t paths_known_bytes(enum path_choice choice, uint32_t nodes, uint32_t limit, bool changes);

/* How many numbers are the route of so many links: its links, and behind them the part on each if it is
 * spread. */
static inline size_t paths_words(const struct paths *paths, uint32_t count)
{
    return (size_t)count << (paths->choice == PATH_SPRAYED);
}

/* How many hops a route of these links has. */
uint32_t paths_hops(const struct paths *paths, const uint32_t *links, uint32_t count);

/* The rate of a message alone, where links without one have `of_fabric`. */
uint64_t paths_rate_alone(struct paths *paths, uint32_t source, uint32_t destination, uint64_t of_fabric);

/* Whether a pair of nodes can take several paths at once, each chosen for itself. */
bool paths_can_be_several(enum path_choice choice);

/* The links from node to node into `links`, which has room for paths_words(limit); returns how many. `place`
 * is that of the path among those which a pair of nodes takes at once. The least used link at a switch is the
 * one with the fewest flows; among equals it is the first from the link of fixed routing on, so that a run
 * that is repeated takes the same paths. */
uint32_t paths_enter(struct paths *paths, uint32_t source, uint32_t destination, uint32_t place,
                     uint32_t *links);
void paths_take(struct paths *paths, const uint32_t *links, uint32_t count); /* of links that are known */
void paths_leave(struct paths *paths, const uint32_t *links, uint32_t count);

/* A message of so many bytes takes these links; so many of its bytes take others instead. */
void paths_carry(struct paths *paths, const uint32_t *links, uint32_t count, uint64_t bytes);
void paths_take_back(struct paths *paths, const uint32_t *links, uint32_t count, uint64_t bytes);

/* What the links between switches have carried. */
struct metric_series paths_inner_bytes(struct paths *paths);

#endif
