#include "coll/algorithms.h"
#include "coll/compose.h"
#include "coll/tuning.h"

/* Collectives of MPICH where nodes have several ranks: parts within nodes and between their first ranks, the
 * leaders. Each part has the algorithm that MPICH chooses for ranks that are nodes of their own. If all ranks
 * are, the whole call has it (release 4.0.2, device ch4: maint/tuning/coll/ch4/generic.json). */
enum { PARTS_MAX = 8, SHORT_BCAST_BYTES = 12288, LONG_BCAST_BYTES = 524288, SHORT_REDUCE_BYTES = 2048 };

struct smp {
    struct levels levels;
    struct compose_part parts[PARTS_MAX];
    uint32_t count;
    uint32_t root_node, root_local;
    bool leads;
    struct coll_span own; /* this rank's send buffer */
};

static const struct coll_algorithm *flat(const struct coll_call *call)
{
    return coll_tuned(&coll_tuning_mpich_flat, call);
}

static bool is_flat(const struct coll_call *call)
{
    return !call->nodes || call->nodes->count == call->size;
}

static void smp_init(struct smp *self, const struct coll_call *call)
{
    *self = (struct smp){.levels = levels_of(call, TEAM_NO_ROOT),
                         .root_node = node_of(call, call->root),
                         .root_local = node_local_of(call, call->root),
                         .own = {COLL_SEND_BUFFER, 0, 0}};
    self->leads = self->levels.node.rank == 0;
}

/* A part of the ranks of this node, or of the leaders: nothing for ranks that are in neither. */
static struct compose_part *add_part(struct smp *self, const struct coll_call *call, bool within,
                                     enum coll_kind kind, uint32_t root)
{
    const struct team *team = within ? &self->levels.node : &self->levels.lane;
    struct compose_part *part = &self->parts[self->count++];
    *part = compose_part_of(call, team, kind, call->bytes);
    part->call.root = root;
    if (within ? team->size > 1 : self->leads)
        part->algorithm = flat(&part->call);
    return part;
}

static void add_message(struct smp *self, const struct coll_call *call, uint32_t from, uint32_t to,
                        struct coll_span source, struct coll_span target)
{
    struct compose_part *part = &self->parts[self->count++];
    *part = compose_part_of(call, NULL, call->kind, call->bytes);
    part->is_message = from != to;
    part->from = from;
    part->to = to;
    part->send = source;
    part->recv = target;
}

/* Each rank adds `source` to its `target`. */
static void add_sum(struct smp *self, const struct coll_call *call, struct coll_span source,
                    struct coll_span target)
{
    struct compose_part *part = &self->parts[self->count++];
    *part = compose_part_of(call, NULL, call->kind, call->bytes);
    part->is_sum = true;
    part->send = source;
    part->recv = target;
}

/* The leader tells the ranks of its node, without data, that they may go on. */
static void add_token(struct smp *self, const struct coll_call *call, uint64_t bytes)
{
    struct coll_call token = *call;
    token.bytes = bytes;
    struct compose_part *part = add_part(self, &token, true, COLL_BCAST, 0);
    part->send.buffer = part->recv.buffer = COLL_TOKEN;
}

typedef void smp_parts(struct smp *self, const struct coll_call *call);

static bool smp_emit(const struct coll_call *call, bool whole, smp_parts *parts, uint32_t phase,
                     struct coll_sink *sink)
{
    struct smp self;
    if (whole)
        return flat(call)->emit(call, phase, sink);
    parts(&self, call);
    return compose_emit(self.parts, self.count, phase, sink);
}

static uint64_t smp_scratch(const struct coll_call *call, bool whole, smp_parts *parts)
{
    struct smp self;
    if (whole)
        return coll_scratch(flat(call), call);
    parts(&self, call);
    return compose_scratch(self.parts, self.count);
}

static uint32_t leader_of(const struct coll_call *call, uint32_t node)
{
    return node_member(call, node, 0);
}

/* -------------------------------------------------------------------- bcast */

/* Short vectors go from the root to its leader, to all leaders, to all ranks. Middle ones go within the
 * root's node first, so that its leader has them. Long ones have one algorithm for all ranks. */
static bool bcast_is_flat(const struct coll_call *call)
{
    bool power = (call->size & (call->size - 1)) == 0;
    uint64_t limit = power ? LONG_BCAST_BYTES : SHORT_BCAST_BYTES;
    return is_flat(call) || (call->size >= 8 && call->bytes >= limit);
}

static void bcast_parts(struct smp *self, const struct coll_call *call)
{
    smp_init(self, call);
    bool is_root = call->rank == call->root, at_root = self->levels.node.at == self->root_node;
    bool leader_is_root = self->root_local == 0;
    bool middle = call->size >= 8 && call->bytes >= SHORT_BCAST_BYTES;
    /* A root that receives its own data again has them in scratch. */
    struct coll_span data = {is_root ? COLL_SEND_BUFFER : COLL_RECV_BUFFER, 0, 0};
    struct coll_span again = {is_root ? COLL_SCRATCH : COLL_RECV_BUFFER, 0, 0};
    if (middle && at_root && !leader_is_root)
        add_part(self, call, true, COLL_BCAST, self->root_local);
    else if (!middle)
        add_message(self, call, call->root, leader_of(call, self->root_node), data, data);
    struct compose_part *leaders = add_part(self, call, false, COLL_BCAST, self->root_node);
    leaders->send = leaders->recv = data;
    if (middle && at_root && !leader_is_root)
        return;
    struct compose_part *within = add_part(self, call, true, COLL_BCAST, 0);
    within->send = data;
    within->recv = again;
    within->scratch.offset = is_root && !self->leads ? call->bytes : 0;
}

static bool bcast(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return smp_emit(call, bcast_is_flat(call), bcast_parts, phase, sink);
}

static uint64_t bcast_scratch(const struct coll_call *call)
{
    return smp_scratch(call, bcast_is_flat(call), bcast_parts);
}

static const struct coll_algorithm *bcast_leaves_to(const struct coll_call *call)
{
    return bcast_is_flat(call) ? flat(call) : NULL;
}

const struct coll_algorithm coll_bcast_mpich = {
    .kind = COLL_BCAST,
    .name = "mpich",
    .doc = "bcasts between leaders and within nodes, as MPICH chooses them",
    .emit = bcast,
    .scratch = bcast_scratch,
    .leaves_to = bcast_leaves_to,
    .node_aware = true,
};

/* ------------------------------------------------------------------- reduce */

/* Where a leader has the sum of its node, or of all. */
static struct coll_span reduce_sum(const struct coll_call *call)
{
    return (struct coll_span){call->rank == call->root ? COLL_RECV_BUFFER : COLL_SCRATCH, 0, 0};
}

static void reduce_into(struct compose_part *part, struct coll_span from, struct coll_span into,
                        uint64_t scratch)
{
    part->send = from;
    part->recv = into;
    part->scratch.offset = scratch;
}

/* Long vectors: within all nodes, then between leaders to rank 0, which sends the sum to the root. */
static void reduce_long(struct smp *self, const struct coll_call *call)
{
    struct coll_span sum = reduce_sum(call);
    uint64_t behind = sum.buffer == COLL_SCRATCH && self->leads ? call->bytes : 0;
    reduce_into(add_part(self, call, true, COLL_REDUCE, 0), self->own, sum, behind);
    reduce_into(add_part(self, call, false, COLL_REDUCE, 0), self->levels.node.size > 1 ? sum : self->own,
                sum, behind);
    add_message(self, call, 0, call->root, sum, (struct coll_span){COLL_RECV_BUFFER, 0, 0});
}

/* Short vectors: within all nodes but the root's, then between leaders to that node, then within it. */
static void reduce_short(struct smp *self, const struct coll_call *call)
{
    bool at_root = self->levels.node.at == self->root_node, alone = self->levels.node.size == 1;
    struct coll_span sum = reduce_sum(call);
    uint64_t behind = sum.buffer == COLL_SCRATCH && self->leads ? call->bytes : 0;
    if (!at_root)
        reduce_into(add_part(self, call, true, COLL_REDUCE, 0), self->own, sum, behind);
    reduce_into(add_part(self, call, false, COLL_REDUCE, self->root_node), at_root || alone ? self->own : sum,
                sum, behind);
    if (at_root)
        reduce_into(add_part(self, call, true, COLL_REDUCE, self->root_local), self->leads ? sum : self->own,
                    (struct coll_span){COLL_RECV_BUFFER, 0, 0}, behind);
}

static void reduce_parts(struct smp *self, const struct coll_call *call)
{
    smp_init(self, call);
    if (call->bytes <= SHORT_REDUCE_BYTES)
        reduce_short(self, call);
    else
        reduce_long(self, call);
}

static bool reduce(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return smp_emit(call, is_flat(call), reduce_parts, phase, sink);
}

static uint64_t reduce_scratch(const struct coll_call *call)
{
    return smp_scratch(call, is_flat(call), reduce_parts);
}

static const struct coll_algorithm *reduce_leaves_to(const struct coll_call *call)
{
    return is_flat(call) ? flat(call) : NULL;
}

const struct coll_algorithm coll_reduce_mpich = {
    .kind = COLL_REDUCE,
    .name = "mpich",
    .doc = "reduces within nodes and between leaders, as MPICH chooses them",
    .emit = reduce,
    .scratch = reduce_scratch,
    .leaves_to = reduce_leaves_to,
    .node_aware = true,
};

/* ---------------------------------------------------------------- allreduce */

/* Ranks of one node have one algorithm. */
static bool allreduce_is_flat(const struct coll_call *call)
{
    return is_flat(call) || call->nodes->count == 1;
}

static void allreduce_parts(struct smp *self, const struct coll_call *call)
{
    struct coll_span sum = {COLL_RECV_BUFFER, 0, 0};
    smp_init(self, call);
    add_part(self, call, true, COLL_REDUCE, 0);
    struct compose_part *leaders = add_part(self, call, false, COLL_ALLREDUCE, 0);
    leaders->send = self->levels.node.size > 1 ? sum : self->own;
    add_part(self, call, true, COLL_BCAST, 0)->send = sum;
}

static bool allreduce(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return smp_emit(call, allreduce_is_flat(call), allreduce_parts, phase, sink);
}

static uint64_t allreduce_scratch(const struct coll_call *call)
{
    return smp_scratch(call, allreduce_is_flat(call), allreduce_parts);
}

static const struct coll_algorithm *allreduce_leaves_to(const struct coll_call *call)
{
    return allreduce_is_flat(call) ? flat(call) : NULL;
}

const struct coll_algorithm coll_allreduce_mpich = {
    .kind = COLL_ALLREDUCE,
    .name = "mpich",
    .doc = "a reduce within nodes, an allreduce of leaders, a bcast within nodes, as MPICH chooses them",
    .emit = allreduce,
    .scratch = allreduce_scratch,
    .leaves_to = allreduce_leaves_to,
    .node_aware = true,
};

/* ------------------------------------------------------------------ barrier */

static void barrier_parts(struct smp *self, const struct coll_call *call)
{
    smp_init(self, call);
    add_part(self, call, true, COLL_BARRIER, 0);
    add_part(self, call, false, COLL_BARRIER, 0);
    add_token(self, call, 1);
}

static bool barrier(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return smp_emit(call, is_flat(call), barrier_parts, phase, sink);
}

static const struct coll_algorithm *barrier_leaves_to(const struct coll_call *call)
{
    return is_flat(call) ? flat(call) : NULL;
}

const struct coll_algorithm coll_barrier_mpich = {
    .kind = COLL_BARRIER,
    .name = "mpich",
    .doc = "barriers within nodes and of leaders, then a bcast of 1 B within nodes, as MPICH chooses them",
    .emit = barrier,
    .leaves_to = barrier_leaves_to,
    .node_aware = true,
};

/* --------------------------------------------------------------------- scan */

/* MPICH splits a scan if the ranks of each node are consecutive. */
static bool scan_is_flat(const struct coll_call *call)
{
    return is_flat(call) || !call->nodes->in_order;
}

enum { SCAN_FLAG_BYTES = 4 }; /* says whether a sum of the nodes before follows */

/* A scan within nodes; its last rank tells the leader the sum of the node; a scan of leaders; each leader
 * tells the next one its result, which the ranks of the next node add to theirs. Scratch: the sum of the
 * node, later that of the nodes before; in leaders behind it the result of their scan. */
static void scan_parts(struct smp *self, const struct coll_call *call)
{
    struct coll_span sum = {COLL_SCRATCH, 0, 0}, upto = {COLL_SCRATCH, call->bytes, 0};
    smp_init(self, call);
    uint32_t node = self->levels.node.at, ranks = self->levels.node.size;
    uint32_t leader = leader_of(call, node), last = node_member(call, node, ranks - 1);
    struct compose_part *within = add_part(self, call, true, COLL_SCAN, 0);
    within->algorithm = flat(&within->call); /* also of a single rank, which has its own data then */
    add_message(self, call, last, leader, within->recv, sum);
    if (call->nodes->count > 1) {
        struct compose_part *leaders = add_part(self, call, false, COLL_SCAN, 0);
        leaders->send = ranks > 1 ? sum : self->own;
        leaders->recv = upto;
        leaders->scratch.offset = 2 * call->bytes;
    }
    if (node + 1 < call->nodes->count)
        add_message(self, call, leader, leader_of(call, node + 1), upto, sum);
    if (node > 0)
        add_message(self, call, leader_of(call, node - 1), leader, upto, sum);
    add_token(self, call, SCAN_FLAG_BYTES);
    if (node == 0)
        return;
    struct compose_part *before = add_part(self, call, true, COLL_BCAST, 0);
    before->send = before->recv = sum;
    before->scratch.offset = call->bytes;
    add_sum(self, call, sum, within->recv);
}

static bool scan(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return smp_emit(call, scan_is_flat(call), scan_parts, phase, sink);
}

static uint64_t scan_scratch(const struct coll_call *call)
{
    uint64_t parts = smp_scratch(call, scan_is_flat(call), scan_parts), own = 2 * call->bytes;
    return scan_is_flat(call) || parts > own ? parts : own;
}

static const struct coll_algorithm *scan_leaves_to(const struct coll_call *call)
{
    return scan_is_flat(call) ? flat(call) : NULL;
}

const struct coll_algorithm coll_scan_mpich = {
    .kind = COLL_SCAN,
    .name = "mpich",
    .doc =
        "scans within nodes and of leaders, then the sum of the nodes before, as MPICH does if the ranks of "
        "each node are consecutive",
    .emit = scan,
    .scratch = scan_scratch,
    .leaves_to = scan_leaves_to,
    .node_aware = true,
};
