#include "engine/rank/demand.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "coll/nodes.h"
#include "engine/rank/coll_exec.h"

enum {
    SAMPLED_RANKS = 64,
    SAMPLED_CALLS = 16384,  /* of all sampled ranks, so that the estimate takes about a millisecond */
    SAMPLED_AT_LEAST = 512, /* of each */
    SAMPLED_SLOTS = 65536,  /* whose contents are followed */
    EMITTED_RANKS = 1024,   /* larger groups are scaled up from groups of this size and of its half */
    EMITTED_PHASES = 32,    /* the first ones; then every phase whose number is a power of two */
    REMEMBERED_PEERS = 64,  /* ranks that a rank sends to, without further ones */
    REMEMBERED_CALLS = 16,  /* collective calls whose peaks are known already */
};

/* What a rank has outstanding at once. */
struct outstanding {
    double sends, receives, with_bytes;
};

struct remembered_call {
    struct coll_call call;
    const uint64_t *counts;
    uint32_t group;
    struct outstanding peak;
};

enum slot_content { SLOT_IS_FREE, SLOT_HAS_SEND, SLOT_HAS_RECEIVE, SLOT_HAS_COLLECTIVE };

struct slot {
    uint8_t content;     /* enum slot_content */
    uint32_t generation; /* of the walk when it was filled */
    struct outstanding outstanding;
};

struct demand_walk {
    const struct program *program;
    const struct demand_options *options;
    struct slot *slots;
    size_t slot_capacity;
    uint32_t call_limit; /* calls that are read of each rank */
    uint32_t generation; /* grows when all requests are waited for; older slots are free */
    struct remembered_call remembered[REMEMBERED_CALLS];
    size_t remembered_count;
    /* of the rank */
    uint32_t slot_count; /* that are followed */
    struct outstanding now, most;
    double run_ahead; /* eager sends since the rank has last waited for another rank */
    double collectives, collectives_most;
    double sent, sent_bytes; /* messages that are not empty */
    double pairs;            /* ranks that it sends to, without a collective call, or in one */
    uint32_t peers[REMEMBERED_PEERS];
    uint32_t peer_count;
};

/* ------------------------------------------------------ phases of a call */

struct counting_sink {
    struct coll_sink base;
    struct outstanding phase;
    double sent_bytes;
    uint32_t peers[REMEMBERED_PEERS]; /* in earlier phases, plus 1; by their hash, the last one of each */
    double new_peers;                 /* of the phase, that are not there */
};

/* Peers with the same hash count each time that they take turns; a ring has one and a tree has few. */
static bool is_new_peer(struct counting_sink *sink, uint32_t peer)
{
    uint32_t *place = &sink->peers[(peer * UINT32_C(2654435769)) / (UINT32_MAX / REMEMBERED_PEERS + 1)];
    bool is_new = *place != peer + 1;
    *place = peer + 1;
    return is_new;
}

static void count_send(struct coll_sink *base, uint32_t peer, struct coll_span from)
{
    struct counting_sink *sink = (struct counting_sink *)base;
    sink->phase.sends++;
    sink->new_peers += is_new_peer(sink, peer);
    sink->phase.with_bytes += from.bytes > 0;
    sink->sent_bytes += (double)from.bytes;
}

static void count_receive(struct coll_sink *base, uint32_t peer, struct coll_span into)
{
    (void)peer, (void)into;
    ((struct counting_sink *)base)->phase.receives++;
}

static void count_receive_raise(struct coll_sink *base, uint32_t peer, struct coll_span into, uint32_t flag)
{
    (void)flag;
    count_receive(base, peer, into);
}

static void ignore_barrier(struct coll_sink *base)
{
    (void)base;
}

static void ignore_flag(struct coll_sink *base, uint32_t flag)
{
    (void)base, (void)flag;
}

static void ignore_local(struct coll_sink *base, struct coll_span from, struct coll_span into)
{
    (void)base, (void)from, (void)into;
}

static void raise_to(struct outstanding *most, struct outstanding value)
{
    most->sends = fmax(most->sends, value.sends);
    most->receives = fmax(most->receives, value.receives);
    most->with_bytes = fmax(most->with_bytes, value.with_bytes);
}

/* The phase after this one that is emitted: the first ones all, then at doubling distances. */
static uint32_t next_phase(uint32_t phase)
{
    return phase < EMITTED_PHASES ? phase + 1 : phase * 2;
}

static struct outstanding emit_phases(struct demand_walk *walk, const struct coll_algorithm *algorithm,
                                      const struct coll_call *call)
{
    struct outstanding most = {0};
    double peers = 0;
    struct counting_sink sink = {.base = {.send = count_send,
                                          .recv = count_receive,
                                          .recv_raise = count_receive_raise,
                                          .barrier = ignore_barrier,
                                          .raise = ignore_flag,
                                          .await = ignore_flag,
                                          .copy = ignore_local,
                                          .reduce = ignore_local}};
    for (uint32_t phase = 0; phase <= UINT32_MAX / 2; phase = next_phase(phase)) {
        sink.phase = (struct outstanding){0};
        sink.new_peers = 0;
        if (!coll_emit(algorithm, call, phase, &sink.base))
            break;
        raise_to(&most, sink.phase);
        peers += sink.new_peers * (next_phase(phase) - phase);
        walk->sent += sink.phase.with_bytes;
        walk->sent_bytes += sink.sent_bytes;
        sink.sent_bytes = 0;
    }
    walk->pairs = fmax(walk->pairs, fmin(peers, call->size - 1));
    return most;
}

/* The same with the nodes of the group, where the schedule asks for them. */
static struct outstanding emit_with_nodes(struct demand_walk *walk, const struct coll_algorithm *algorithm,
                                          struct coll_call call, const struct group *group)
{
    struct coll_nodes nodes;
    if (!algorithm->node_aware)
        return emit_phases(walk, algorithm, &call);
    uint32_t *words = mem_alloc(coll_nodes_storage(call.size), sizeof *words, "nodes of a group");
    group_places(walk->program, group, walk->options->ranks_per_node, !coll_needs_memory(algorithm), words);
    coll_nodes_init(&nodes, call.size, words, words);
    call.nodes = &nodes;
    struct outstanding most = emit_phases(walk, algorithm, &call);
    free(words);
    return most;
}

/* A rank of the larger group in one of `size` ranks. Its lower digits stay, on which trees depend. Ranks that
 * are neither rank 0 nor the root become neither. */
static uint32_t rank_in_smaller(uint32_t rank, uint32_t root, uint32_t size)
{
    uint32_t smaller = rank % size, root_there = root % size;
    if (rank == 0 || rank == root)
        return smaller;
    while (smaller == 0 || smaller == root_there)
        smaller = (smaller + 1) % size;
    return smaller;
}

/* In a group of `size` ranks that are numbered one after another, in the place of a larger group. */
static struct outstanding emit_smaller(struct demand_walk *walk, const struct coll_algorithm *algorithm,
                                       struct coll_call call, uint32_t size)
{
    const struct group group = {.size = size};
    call.rank = rank_in_smaller(call.rank, call.root, size);
    call.root %= size;
    call.size = size;
    return emit_with_nodes(walk, algorithm, call, &group);
}

/* Continues the growth from `half` to `whole` over `doublings` more. */
static double grown(double half, double whole, double doublings)
{
    return half > 0 && whole > half ? whole * pow(whole / half, doublings) : whole;
}

static struct outstanding scale_up(struct demand_walk *walk, const struct coll_algorithm *algorithm,
                                   const struct coll_call *call)
{
    double doublings = log2((double)call->size / EMITTED_RANKS), pairs = walk->pairs;
    struct outstanding half = emit_smaller(walk, algorithm, *call, EMITTED_RANKS / 2);
    double half_pairs = walk->pairs;
    struct outstanding whole = emit_smaller(walk, algorithm, *call, EMITTED_RANKS);
    walk->pairs = fmax(pairs, grown(half_pairs, walk->pairs, doublings));
    return (struct outstanding){.sends = grown(half.sends, whole.sends, doublings),
                                .receives = grown(half.receives, whole.receives, doublings),
                                .with_bytes = grown(half.with_bytes, whole.with_bytes, doublings)};
}

static bool is_same_call(const struct remembered_call *known, const struct coll_call *call, uint32_t group)
{
    return known->group == group && known->call.kind == call->kind && known->call.rank == call->rank &&
           known->call.root == call->root && known->call.bytes == call->bytes &&
           known->call.element == call->element && known->call.send_bytes == call->send_bytes &&
           known->call.recv_bytes == call->recv_bytes;
}

/* The peak of the rank in a collective call. */
static struct outstanding collective_peak(struct demand_walk *walk, uint32_t rank, const struct call *made)
{
    const struct group *group = &walk->program->groups[made->group];
    struct coll_call call = coll_call_of(walk->program, walk->options->collective, rank, made);
    for (size_t i = 0; i < walk->remembered_count; i++)
        if (is_same_call(&walk->remembered[i], &call, made->group))
            return walk->remembered[i].peak;
    const struct coll_algorithm *algorithm =
        coll_choose(&walk->options->collective->choice[call.kind], &call);
    bool is_scaled = call.size > EMITTED_RANKS && !call.send_bytes && !call.recv_bytes;
    struct outstanding peak =
        is_scaled ? scale_up(walk, algorithm, &call) : emit_with_nodes(walk, algorithm, call, group);
    size_t place = walk->remembered_count < REMEMBERED_CALLS ? walk->remembered_count++ : 0;
    walk->remembered[place] = (struct remembered_call){.call = call, .group = made->group, .peak = peak};
    return peak;
}

/* --------------------------------------------------------- calls of a rank */

static void add(struct outstanding *sum, struct outstanding value, double sign)
{
    sum->sends += sign * value.sends;
    sum->receives += sign * value.receives;
    sum->with_bytes += sign * value.with_bytes;
}

/* The rank has this outstanding, beside what it had. */
static void note_peak(struct demand_walk *walk, struct outstanding more)
{
    struct outstanding all = walk->now;
    add(&all, more, 1);
    all.sends += walk->run_ahead;
    all.with_bytes += walk->run_ahead;
    raise_to(&walk->most, all);
    walk->collectives_most = fmax(walk->collectives_most, walk->collectives);
}

static void complete(struct demand_walk *walk, struct slot *slot)
{
    if (slot->content == SLOT_IS_FREE || slot->generation != walk->generation)
        return;
    add(&walk->now, slot->outstanding, -1);
    if (slot->content != SLOT_HAS_SEND)
        walk->run_ahead = 0;
    walk->collectives -= slot->content == SLOT_HAS_COLLECTIVE;
    slot->content = SLOT_IS_FREE;
}

static void complete_all(struct demand_walk *walk)
{
    if (walk->now.receives > 0 || walk->collectives > 0)
        walk->run_ahead = 0;
    walk->now = (struct outstanding){0};
    walk->collectives = 0;
    walk->generation++;
}

/* A call that leaves a request, or blocks until what it began is complete. */
static void begin(struct demand_walk *walk, const struct call *call, enum slot_content content,
                  struct outstanding begun)
{
    bool is_collective = content == SLOT_HAS_COLLECTIVE;
    if ((call->flags & CALL_IMMEDIATE) && call->slot < walk->slot_count) {
        struct slot *slot = &walk->slots[call->slot];
        complete(walk, slot);
        *slot =
            (struct slot){.content = (uint8_t)content, .generation = walk->generation, .outstanding = begun};
        add(&walk->now, begun, 1);
        walk->collectives += is_collective;
        note_peak(walk, (struct outstanding){0});
        return;
    }
    walk->collectives += is_collective;
    note_peak(walk, begun);
    walk->collectives -= is_collective;
    if (content != SLOT_HAS_SEND)
        walk->run_ahead = 0;
}

static void note_peer(struct demand_walk *walk, uint32_t peer)
{
    uint32_t i = 0;
    while (i < walk->peer_count && walk->peers[i] != peer)
        i++;
    if (i < walk->peer_count)
        return;
    if (walk->peer_count < REMEMBERED_PEERS)
        walk->peers[walk->peer_count++] = peer;
    walk->pairs = fmax(walk->pairs, walk->peer_count);
}

static struct outstanding send_of(struct demand_walk *walk, const struct call *call)
{
    note_peer(walk, (uint32_t)call->peer);
    walk->sent += call->bytes > 0;
    walk->sent_bytes += (double)call->bytes;
    return (struct outstanding){.sends = 1, .with_bytes = call->bytes > 0};
}

/* Whether the rank goes on before the message has left. */
static bool runs_ahead(const struct demand_walk *walk, const struct call *call)
{
    const struct protocol_config *protocol = walk->options->protocol;
    return (call->flags & CALL_BUFFERED) ||
           (call->bytes <= protocol->eager_threshold_bytes && protocol->eager_done == EAGER_DONE_POST &&
            !(call->flags & CALL_SYNCHRONOUS));
}

static void sendrecv(struct demand_walk *walk, const struct call *call)
{
    struct outstanding both = {.receives = call->source != CALL_PROC_NULL};
    if (call->peer != CALL_PROC_NULL)
        add(&both, send_of(walk, call), 1);
    begin(walk, call, SLOT_HAS_RECEIVE, both);
}

static void walk_call(struct demand_walk *walk, uint32_t rank, const struct call *call)
{
    switch ((enum call_op)call->op) {
    case CALL_SEND:
        begin(walk, call, SLOT_HAS_SEND, send_of(walk, call));
        walk->run_ahead += !(call->flags & CALL_IMMEDIATE) && runs_ahead(walk, call);
        return;
    case CALL_RECV:
        begin(walk, call, SLOT_HAS_RECEIVE, (struct outstanding){.receives = 1});
        return;
    case CALL_SENDRECV:
        sendrecv(walk, call);
        return;
    case CALL_WAIT:
        if (call->slot < walk->slot_count)
            complete(walk, &walk->slots[call->slot]);
        return;
    case CALL_WAITALL:
    case CALL_FINALIZE:
        complete_all(walk);
        return;
    default:
        if (call_is_collective(call))
            begin(walk, call, SLOT_HAS_COLLECTIVE, collective_peak(walk, rank, call));
    }
}

static void walk_rank(struct demand_walk *walk, uint32_t rank)
{
    const struct program *program = walk->program;
    struct program_cursor cursor = {0};
    struct call scratch;
    const struct call *call = NULL;
    uint32_t slots = program->ops->slots(program, rank);
    walk->slot_count = slots < SAMPLED_SLOTS ? slots : SAMPLED_SLOTS;
    walk->slots = mem_grow(walk->slots, &walk->slot_capacity, walk->slot_count, "requests of a rank");
    for (uint32_t i = 0; i < walk->slot_count; i++)
        walk->slots[i].content = SLOT_IS_FREE;
    walk->most = (struct outstanding){0};
    walk->run_ahead = walk->collectives_most = walk->pairs = 0;
    walk->peer_count = walk->remembered_count = 0;
    complete_all(walk);
    for (uint32_t i = 0; i < walk->call_limit && program->ops->read; i++) {
        call = program->ops->read(program, rank, &cursor, &scratch);
        if (!call)
            return;
        walk_call(walk, rank, call);
    }
    /* Not all calls were read: the rank may use all its requests later, half of them for sends. */
    double pairs = (double)(slots - SLOT_FIRST) / 2;
    raise_to(&walk->most, (struct outstanding){.sends = pairs, .receives = pairs, .with_bytes = pairs});
}

/* ------------------------------------------------------------------ sample */

static void add_rank(struct demand_walk *walk, uint32_t rank, double weight, struct program_demand *demand)
{
    walk_rank(walk, rank);
    demand->slots += weight * walk->program->ops->slots(walk->program, rank);
    demand->sends += weight * walk->most.sends;
    demand->receives += weight * walk->most.receives;
    demand->with_bytes += weight * walk->most.with_bytes;
    demand->collectives += weight * walk->collectives_most;
    demand->pairs += weight * walk->pairs;
}

void program_demand_find(const struct program *program, const struct demand_options *options,
                         struct program_demand *demand)
{
    struct demand_walk walk = {.program = program, .options = options};
    uint32_t ranks = program->ranks, sampled = ranks < SAMPLED_RANKS ? ranks : SAMPLED_RANKS;
    walk.call_limit = SAMPLED_CALLS / sampled;
    if (walk.call_limit < SAMPLED_AT_LEAST)
        walk.call_limit = SAMPLED_AT_LEAST;
    *demand = (struct program_demand){0};
    if (ranks <= SAMPLED_RANKS) {
        for (uint32_t rank = 0; rank < ranks; rank++)
            add_rank(&walk, rank, 1, demand);
    } else {
        /* Rank 0 is often a root, so it stands for itself. The others are spread evenly, but not at equal
         * distances, since the place of a rank in a tree or a grid depends on its divisors. */
        const uint32_t golden = 2654435769; /* 2^32 / 1.618 */
        double weight = (double)(ranks - 1) / (sampled - 1);
        add_rank(&walk, 0, 1, demand);
        for (uint32_t i = 1; i < sampled; i++)
            add_rank(&walk, 1 + (uint32_t)((uint64_t)(i * golden) * (ranks - 1) >> 32), weight, demand);
    }
    demand->bytes = walk.sent > 0 ? walk.sent_bytes / walk.sent : 0;
    free(walk.slots);
}
