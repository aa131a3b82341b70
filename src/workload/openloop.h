#ifndef HELIO_WORKLOAD_OPENLOOP_H
#define HELIO_WORKLOAD_OPENLOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"
#include "topo/topo.h"

/* Open-loop traffic: nodes that send messages at given times, whatever happened to earlier messages. There is
 * no MPI: nothing is matched and nobody waits. docs/traffic.md */
struct openloop_pattern; /* traffic.h */

enum openloop_mix { OPENLOOP_DRAWN, OPENLOOP_EXACT };

struct openloop_config {
    uint64_t nodes; /* 0 = all of the topology */
    uint64_t messages;
    uint64_t small_bytes, large_bytes;
    double large_fraction;
    int mix; /* enum openloop_mix */
    ps_t interval_ps;
    uint64_t hot;
    double hot_fraction;
};

/* What the text of the workload says; in struct program. */
struct openloop {
    const struct openloop_pattern *pattern;
    const struct openloop_config *config;
};

struct openloop_message {
    ps_t at; /* when it is sent */
    uint32_t destination;
    uint64_t bytes;
};

/* The messages of one run. Each node has a random stream of its own, so the same seed brings the same
 * messages on every network. */
struct openloop_run;
struct openloop_run *openloop_open(const struct openloop *traffic, const struct topo *topo, uint32_t nodes,
                                   uint64_t seed);
void openloop_close(struct openloop_run *run);
size_t openloop_bytes(const struct openloop_run *run); /* memory held */
/* Before a run: the memory, and how many messages its nodes have under way at once, of which mean size. Where
 * the nodes send at intervals, the network is taken to keep up. */
double openloop_estimate(const struct openloop *traffic, uint32_t nodes);
double openloop_messages_at_once(const struct openloop *traffic, uint32_t nodes);
double openloop_mean_bytes(const struct openloop *traffic);

/* The next message of the node, in the order of their times; false after the last. A node that has nobody to
 * send to has none. */
bool openloop_next(struct openloop_run *run, uint32_t node, struct openloop_message *message);

#endif
