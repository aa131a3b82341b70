#include "coll/algorithms.h"
#include "coll/blocks.h"
#include "coll/compose.h"
#include "coll/tuning.h"

/* Collectives that Open MPI makes of two others, each with the algorithm that it chooses for that one, but in
 * its linear allreduce. */
static void choose(struct compose_part *part)
{
    part->algorithm = coll_tuned(&coll_tuning_openmpi, &part->call);
}

/* The root of the bcast has the data where it has received them. */
static struct compose_part bcast_of(const struct coll_call *call, uint64_t bytes)
{
    struct compose_part bcast = compose_part_of(call, NULL, COLL_BCAST, bytes);
    bcast.send.buffer = COLL_RECV_BUFFER;
    choose(&bcast);
    return bcast;
}

/* ---------------------------------------------------------------- allreduce */

static struct compose_part reduce_of(const struct coll_call *call)
{
    struct compose_part reduce = compose_part_of(call, NULL, COLL_REDUCE, call->bytes);
    choose(&reduce);
    return reduce;
}

static bool reduce_bcast(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct compose_part parts[] = {reduce_of(call), bcast_of(call, call->bytes)};
    return compose_emit(parts, 2, phase, sink);
}

static uint64_t reduce_bcast_scratch(const struct coll_call *call)
{
    struct compose_part parts[] = {reduce_of(call), bcast_of(call, call->bytes)};
    return compose_scratch(parts, 2);
}

const struct coll_algorithm coll_allreduce_openmpi_nonoverlapping = {
    .kind = COLL_ALLREDUCE,
    .name = "openmpi-nonoverlapping",
    .doc = "a reduce to rank 0, then a bcast, as Open MPI chooses them (Open MPI: nonoverlapping)",
    .emit = reduce_bcast,
    .scratch = reduce_bcast_scratch,
};

static void linear_parts(const struct coll_call *call, struct compose_part parts[2])
{
    parts[0] = compose_part_of(call, NULL, COLL_REDUCE, call->bytes);
    parts[0].algorithm = &coll_reduce_linear;
    parts[1] = bcast_of(call, call->bytes);
    parts[1].algorithm = &coll_bcast_linear;
}

static bool linear(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct compose_part parts[2];
    linear_parts(call, parts);
    return compose_emit(parts, 2, phase, sink);
}

static uint64_t linear_scratch(const struct coll_call *call)
{
    struct compose_part parts[2];
    linear_parts(call, parts);
    return compose_scratch(parts, 2);
}

const struct coll_algorithm coll_allreduce_linear = {
    .kind = COLL_ALLREDUCE,
    .name = "linear",
    .doc = "rank 0 receives and adds one rank after another, then sends to all at once: 2(P-1) messages in P "
           "rounds (Open MPI: basic_linear)",
    .emit = linear,
    .scratch = linear_scratch,
};

/* --------------------------------------------------------------- allgatherv */

static struct compose_part gatherv_of(const struct coll_call *call)
{
    const uint64_t *lengths = call->recv_bytes;
    struct compose_part gatherv =
        compose_part_of(call, NULL, COLL_GATHERV, lengths ? lengths[call->rank] : call->bytes);
    if (call->rank == 0)
        gatherv.call.recv_bytes = lengths;
    choose(&gatherv);
    return gatherv;
}

static bool gatherv_bcast(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct compose_part parts[] = {gatherv_of(call), bcast_of(call, blocks_of_call_bytes(call))};
    return compose_emit(parts, 2, phase, sink);
}

static uint64_t gatherv_bcast_scratch(const struct coll_call *call)
{
    struct compose_part parts[] = {gatherv_of(call), bcast_of(call, blocks_of_call_bytes(call))};
    return compose_scratch(parts, 2);
}

const struct coll_algorithm coll_allgatherv_openmpi_default = {
    .kind = COLL_ALLGATHERV,
    .name = "openmpi-default",
    .doc = "a gatherv to rank 0, then a bcast, as Open MPI chooses them (Open MPI: default)",
    .emit = gatherv_bcast,
    .scratch = gatherv_bcast_scratch,
};

/* ----------------------------------------------------------- reduce_scatter */

/* The sums of all blocks are in scratch of rank 0. */
static struct compose_part reduce_of_blocks(const struct coll_call *call)
{
    uint64_t total = blocks_of_call_bytes(call);
    struct compose_part reduce = compose_part_of(call, NULL, COLL_REDUCE, total);
    reduce.recv.buffer = COLL_SCRATCH;
    reduce.scratch.offset = call->rank == 0 ? total : 0;
    choose(&reduce);
    return reduce;
}

static struct compose_part scatter_of(const struct coll_call *call)
{
    const uint64_t *lengths = call->recv_bytes;
    struct compose_part scatter = compose_part_of(call, NULL, lengths ? COLL_SCATTERV : COLL_SCATTER,
                                                  lengths ? lengths[call->rank] : call->bytes);
    if (call->rank == 0)
        scatter.call.send_bytes = lengths;
    scatter.send.buffer = COLL_SCRATCH;
    scatter.scratch.offset = call->rank == 0 ? blocks_of_call_bytes(call) : 0;
    choose(&scatter);
    return scatter;
}

static bool reduce_scatter(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct compose_part parts[] = {reduce_of_blocks(call), scatter_of(call)};
    return compose_emit(parts, 2, phase, sink);
}

static uint64_t reduce_scatter_scratch(const struct coll_call *call)
{
    struct compose_part parts[] = {reduce_of_blocks(call), scatter_of(call)};
    return compose_scratch(parts, 2);
}

const struct coll_algorithm coll_reduce_scatter_openmpi_nonoverlapping = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "openmpi-nonoverlapping",
    .doc = "a reduce to rank 0, then a scatter or scatterv, as Open MPI chooses them (Open MPI: "
           "nonoverlapping, basic_linear)",
    .emit = reduce_scatter,
    .scratch = reduce_scatter_scratch,
};
