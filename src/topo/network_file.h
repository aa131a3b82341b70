#ifndef HELIO_TOPO_NETWORK_FILE_H
#define HELIO_TOPO_NETWORK_FILE_H

#include <stdio.h>

#include "topo/topo.h"

/* A network in a file of its own (docs/networks.md), in one of the formats of formats.def. Ours is
 *
 *     nodes: 8
 *     switches: {leaf: 2, spine: 2}
 *     links:
 *       - {between: [node, leaf], pairs: blocks, rate: 100 Gb/s}
 *       - {between: [leaf, spine], rate: 200 Gb/s, latency: 150 ns, count: 2}
 *     routing: d-mod-k */

enum { NETWORK_FILE_AT_MOST = 1 << 26 }; /* bytes; one of ours: CONFIG_FILE_AT_MOST */

/* False: errors are reported with their places in the file, and *problem says so. The tables of a file are
 * made once and kept until topo_forget(); a file that has changed is another network. */
bool network_file_read(const char *path, struct topo *topo, struct param_problem *problem);

/* The same from text, which `name` names in messages. */
bool network_text_read(const char *name, const char *text, size_t length, struct topo *topo,
                       struct param_problem *problem);

/* The network file that a topology is, with its links in the order of their numbers. It is the same network;
 * its routes are those of routing: d-mod-k, or of the file that the topology comes from. Failed links are
 * left out; no node may be cut off. */
void network_file_write(const struct topo *topo, FILE *out);

/* What links have for which the topology says nothing, and the speed of hosts. */
struct platform_values {
    uint64_t rate_bytes_per_s;
    ps_t node_latency_ps, hop_latency_ps;
    double flops_per_s;
};

/* The topology as a platform of SimGrid, of hosts n0, n1, ..., in which each pair has its route. For at most
 * PLATFORM_WRITTEN_NODES nodes. */
enum { PLATFORM_WRITTEN_NODES = 256 };
void platform_file_write(const struct topo *topo, const struct platform_values *values, FILE *out);

/* Why a network file cannot say what the topology is; NULL: it can. */
const char *network_file_lacks(const struct topo *topo);
/* Whether GPUs pass messages on to another rail, which nodes of a network file never do. */
bool network_file_loses_relays(const struct topo *topo);

#endif
