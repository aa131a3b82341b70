#include "coll/algorithms.h"
#include "coll/blocks.h"
#include "coll/compose.h"
#include "coll/tuning.h"

/* Collectives that Open MPI makes of two others, each with the algorithm that it chooses for that one, but in
 * its linear allreduce. */
static struct compose_part chosen(struct compose_part part)
{
    part.algorithm = coll_tuned(&coll_tuning_openmpi, &part.call);
    return part;
}

static struct compose_part reduce_of(const struct coll_call *call)
{
    return chosen(compose_part_of(call, NULL, COLL_REDUCE, call->bytes));
}

/* The root of the bcast has the data where it has received them. */
static struct compose_part bcast_of(const struct coll_call *call, uint64_t bytes)
{
    struct compose_part bcast = compose_part_of(call, NULL, COLL_BCAST, bytes);
    bcast.send.buffer = COLL_RECV_BUFFER;
    return chosen(bcast);
}

static struct compose_part gatherv_of(const struct coll_call *call)
{
    const uint64_t *lengths = call->recv_bytes;
    struct compose_part gatherv =
        compose_part_of(call, NULL, COLL_GATHERV, lengths ? lengths[call->rank] : call->bytes);
    if (call->rank == 0)
        gatherv.call.recv_bytes = lengths;
    return chosen(gatherv);
}

/* The sums of all blocks are in scratch of rank 0. */
static struct compose_part reduce_of_blocks(const struct coll_call *call)
{
    uint64_t total = blocks_of_call_bytes(call);
    struct compose_part reduce = compose_part_of(call, NULL, COLL_REDUCE, total);
    reduce.recv.buffer = COLL_SCRATCH;
    reduce.scratch.offset = call->rank == 0 ? total : 0;
    return chosen(reduce);
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
    return chosen(scatter);
}

/* ------------------------------------------------- as Open MPI chooses them */

enum { PARTS = 2 };

static void parts_of(const struct coll_call *call, struct compose_part parts[PARTS])
{
    switch (call->kind) {
    case COLL_ALLGATHERV:
        parts[0] = gatherv_of(call);
        parts[1] = bcast_of(call, blocks_of_call_bytes(call));
        break;
    case COLL_REDUCE_SCATTER:
        parts[0] = reduce_of_blocks(call);
        parts[1] = scatter_of(call);
        break;
    default: /* COLL_ALLREDUCE */
        parts[0] = reduce_of(call);
        parts[1] = bcast_of(call, call->bytes);
    }
}

static bool emit(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct compose_part parts[PARTS];
    parts_of(call, parts);
    return compose_emit(parts, PARTS, phase, sink);
}

static uint64_t scratch(const struct coll_call *call)
{
    struct compose_part parts[PARTS];
    parts_of(call, parts);
    return compose_scratch(parts, PARTS);
}

const struct coll_algorithm coll_allreduce_openmpi_nonoverlapping = {
    .kind = COLL_ALLREDUCE,
    .name = "openmpi-nonoverlapping",
    .doc = "a reduce to rank 0, then a bcast, as Open MPI chooses them (Open MPI: nonoverlapping)",
    .emit = emit,
    .scratch = scratch,
};

const struct coll_algorithm coll_allgatherv_openmpi_default = {
    .kind = COLL_ALLGATHERV,
    .name = "openmpi-default",
    .doc = "a gatherv to rank 0, then a bcast, as Open MPI chooses them (Open MPI: default)",
    .emit = emit,
    .scratch = scratch,
};

const struct coll_algorithm coll_reduce_scatter_openmpi_nonoverlapping = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "openmpi-nonoverlapping",
    .doc = "a reduce to rank 0, then a scatter or scatterv, as Open MPI chooses them (Open MPI: "
           "nonoverlapping, basic_linear)",
    .emit = emit,
    .scratch = scratch,
};

/* ------------------------------------------------------------------- linear */

static void linear_parts(const struct coll_call *call, struct compose_part parts[PARTS])
{
    parts[0] = compose_part_of(call, NULL, COLL_REDUCE, call->bytes);
    parts[0].algorithm = &coll_reduce_linear;
    parts[1] = bcast_of(call, call->bytes);
    parts[1].algorithm = &coll_bcast_linear;
}

static bool linear(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct compose_part parts[PARTS];
    linear_parts(call, parts);
    return compose_emit(parts, PARTS, phase, sink);
}

static uint64_t linear_scratch(const struct coll_call *call)
{
    struct compose_part parts[PARTS];
    linear_parts(call, parts);
    return compose_scratch(parts, PARTS);
}

const struct coll_algorithm coll_allreduce_linear = {
    .kind = COLL_ALLREDUCE,
    .name = "linear",
    .doc = "rank 0 receives and adds one rank after another, then sends to all at once: 2(P-1) messages in P "
           "rounds (Open MPI: basic_linear)",
    .emit = linear,
    .scratch = linear_scratch,
};
