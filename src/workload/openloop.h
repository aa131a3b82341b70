#ifndef HELIO_WORKLOAD_OPENLOOP_H
#define HELIO_WORKLOAD_OPENLOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"
#include "topo/topo.h"

/* Open-loop traffic: nodes that send messages whenever these come up, whatever has become of those before, to
 * receivers who are always there. No MPI: nothing is matched, nobody waits. docs/traffic.md */
enum openloop_pattern {
    OPENLOOP_UNIFORM,     /* any other node, each with the same chance */
    OPENLOOP_PERMUTATION, /* one other node for all messages of a node, another one for each */
    OPENLOOP_TORNADO,     /* nearly half way round every dimension */
    OPENLOOP_COMPLEMENT, /* from i to nodes - 1 - i; where nodes are a power of two, the bits of i inverted */
    OPENLOOP_HOTSPOT,    /* a share of the messages to a few nodes, the others uniform */
    OPENLOOP_NEIGHBOUR,  /* the next or the one before, in any dimension */
};

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

/* What a workload's text said; in struct program. */
struct openloop {
    enum openloop_pattern pattern;
    const struct openloop_config *config;
};

struct openloop_message {
    ps_t at; /* when it comes up */
    uint32_t destination;
    uint64_t bytes;
};

/* The messages of one run. The same seed brings the same, message by message, whatever network carries them:
 * every node has a random stream of its own. */
struct openloop_run;
struct openloop_run *openloop_begin(const struct openloop *traffic, const struct topo *topo, uint32_t nodes,
                                    uint64_t seed);
void openloop_end(struct openloop_run *run);
size_t openloop_bytes(const struct openloop_run *run); /* memory held */

/* The node's next message, in the order of their times; false behind the last. A node that has nobody to send
 * to has none. */
bool openloop_next(struct openloop_run *run, uint32_t node, struct openloop_message *message);

#endif
