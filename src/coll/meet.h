#ifndef HELIO_COLL_MEET_H
#define HELIO_COLL_MEET_H

#include "coll/circulant.h"
#include "coll/node_steps.h"
#include "coll/team.h"

/* How the ranks of a node meet in the algorithms `leaders`. Each node has one leader: the root on its node,
 * otherwise local rank 0. call->leaders does not matter. Each rank of a node with several ranks has one flag.
 *
 * A rank that is no leader stages its data in shared memory, raises its flag and awaits the leader's. The
 * leader awaits the flags of all others, and raises its own when it has what they wait for. So every rank
 * knows at the end that all ranks of its node have entered the call, and that all flags are up. That allows
 * calls of all kinds to use two copies of shared memory in turn: who writes a copy has learned in the call
 * between that all ranks have finished with it. It also allows another rank to raise a flag in the next call.
 */
struct meet {
    const struct coll_call *call;
    struct node_call place; /* of this rank */
    struct levels levels;   /* the lane is that of the leaders */
    uint32_t number;        /* of this rank on its node; 0 leads */
    /* Where the data of a node meet: shared memory; a rank that is alone on its node needs only scratch. */
    enum coll_buffer memory;
};

enum { MEET_COPIES = 2 };    /* of shared memory */
enum { MEET_FEW_NODES = 8 }; /* up to so many nodes, leaders post all their messages at once */

/* `root` is a rank, or TEAM_NO_ROOT. */
struct meet meet_of(const struct coll_call *call, uint32_t root);

static inline bool meet_leads(const struct meet *self)
{
    return self->number == 0;
}

/* Flags of this rank's node. */
uint32_t meet_flags(const struct coll_call *call);

/* This rank's flag: it has staged, or as the leader: all may go on. */
void meet_raise(const struct meet *self, struct coll_sink *sink);

/* Awaits the leader, or as the leader all others. */
void meet_await(const struct meet *self, struct coll_sink *sink);

/* `bytes` of the node's memory from `offset` on. */
static inline struct coll_span meet_span(const struct meet *self, uint64_t offset, uint64_t bytes)
{
    return span_of(self->memory, offset, bytes);
}

/* The leaders as a team. Its scratch and its receive buffer are the memory of the node. */
struct team_sink meet_leaders(const struct meet *self, struct coll_sink *sink);

static inline uint32_t meet_leader_of(const struct meet *self, uint32_t node)
{
    return team_member(&self->levels.lane, node);
}

static inline bool meet_few(const struct meet *self)
{
    return self->place.nodes <= MEET_FEW_NODES;
}

/* How a vector goes from the root to all other leaders, or to it and is added up on the way. */
enum meet_way {
    MEET_AT_ONCE, /* N - 1 messages, for few nodes and short vectors */
    MEET_IN_TREE, /* binomial; also where there are no other nodes */
    MEET_IN_PARTS /* each other leader passes on a part of a long vector */
};
enum meet_way meet_way_of(const struct meet *self);

/* The parts, one for each node but the root's. They are numbered by how far the node is behind the root's,
 * less one. */
struct blocks meet_parts(const struct meet *self);

static inline uint32_t meet_leader_behind(const struct meet *self, uint32_t node, uint32_t distance)
{
    return meet_leader_of(self, ring_up(node, distance, self->place.nodes));
}

/* Leaders exchange the blocks of all nodes, as circulant_allgather does; few leaders all at once. */
uint32_t meet_allgather_phases(const struct meet *self);
void meet_allgather(const struct meet *self, const struct circulant *blocks, uint32_t phase,
                    struct coll_sink *leaders);

/* The blocks of all ranks, as leaders exchange them: those of a node lie together, those of the nodes a, a +
 * 1
 * ... one after another on node a. */
static inline struct lane_blocks meet_blocks(const struct meet *self)
{
    return (struct lane_blocks){.call = self->call, .lanes = 1};
}

/* Copies all blocks from the send buffer to `place`, or from there to the receive buffer. */
void meet_pack(const struct meet *self, struct coll_span place, struct coll_sink *sink);
void meet_unpack(const struct meet *self, struct coll_span place, struct coll_sink *sink);

/* A collective with one wait of each rank: all stage, the leaders exchange, and all take the result. */
struct meet_steps {
    void (*stage)(const struct meet *self, struct coll_sink *sink);
    void (*begin)(const struct meet *self, struct coll_sink *sink); /* NULL, or the leader's first steps */
    uint32_t (*exchange_phases)(const struct meet *self);
    void (*exchange)(const struct meet *self, uint32_t phase, struct coll_sink *sink);
    void (*finish)(const struct meet *self, struct coll_sink *sink); /* NULL, or the leader's last steps */
    void (*take)(const struct meet *self, struct coll_sink *sink);   /* NULL: nothing */
};
bool meet_emit(const struct meet *self, const struct meet_steps *steps, uint32_t phase,
               struct coll_sink *sink);

#endif
