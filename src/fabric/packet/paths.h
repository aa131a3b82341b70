#ifndef HELIO_FABRIC_PACKET_PATHS_H
#define HELIO_FABRIC_PACKET_PATHS_H

#include "base/metric.h"
#include "fabric/topology.h"

/* The links that messages of the packet fabric take: the path of a flow, how many flows are on each link, and
 * how many bytes each has carried. Links are those of the topology. With half duplex the lower of two
 * opposite links stands for both. */
enum path_choice { PATH_FIXED, PATH_LEAST_USED };

struct paths {
    struct topo topo;
    enum path_choice choice; /* among links that lead on equally well */
    bool half_duplex;
    uint32_t limit;         /* most links of a path */
    uint32_t *flows;        /* on each link now */
    struct sums link_bytes; /* that each network link has carried */
};

void paths_init(struct paths *paths, const struct topo *topo, enum path_choice choice, bool half_duplex);
void paths_free(struct paths *paths);
size_t paths_bytes(const struct paths *paths); /* memory held */

/* The links from node to node into `links`, which has room for `limit`; returns how many. The least used link
 * at a switch is the one with the fewest flows; among equals it is the first from the link of fixed routing
 * on, so that a run that is repeated takes the same paths. */
uint32_t paths_enter(struct paths *paths, uint32_t source, uint32_t destination, uint32_t *links);
void paths_leave(struct paths *paths, const uint32_t *links, uint32_t count);

/* A message of so many bytes takes these links. */
void paths_carry(struct paths *paths, const uint32_t *links, uint32_t count, uint64_t bytes);

/* What the links between switches have carried. */
struct metric_series paths_inner_bytes(const struct paths *paths);

#endif
