#include <stdio.h>

#include "coll/prover.h"

/* ----------------------------------------------------------------- the call */

static bool is_vector_kind(enum coll_kind kind)
{
    return kind == COLL_ALLTOALLV || kind == COLL_ALLGATHERV || kind == COLL_GATHERV ||
           kind == COLL_SCATTERV || kind == COLL_REDUCE_SCATTER;
}

/* Bytes of the block of `source` for `destination`, for kinds that move blocks. */
static uint64_t block_bytes(const struct coll_world *world, enum coll_kind kind, uint32_t source,
                            uint32_t destination)
{
    if (!world->counts || !is_vector_kind(kind))
        return world->bytes;
    if (kind == COLL_ALLTOALLV)
        return world->counts[(size_t)source * world->size + destination];
    return world->counts[kind == COLL_SCATTERV || kind == COLL_REDUCE_SCATTER ? destination : source];
}

/* Bytes of the blocks of `source` for all ranks before `end`. */
static uint64_t blocks_before(const struct coll_world *world, enum coll_kind kind, uint32_t source,
                              uint32_t end)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < end; i++)
        sum += block_bytes(world, kind, source, i);
    return sum;
}

uint64_t prover_send_bytes(const struct coll_world *world, enum coll_kind kind, uint32_t rank)
{
    switch (kind) {
    case COLL_BCAST:
        return rank == world->root ? world->bytes : 0;
    case COLL_REDUCE:
    case COLL_ALLREDUCE:
    case COLL_SCAN:
    case COLL_EXSCAN:
        return world->bytes;
    case COLL_ALLGATHER:
    case COLL_ALLGATHERV:
    case COLL_GATHER:
    case COLL_GATHERV:
        return block_bytes(world, kind, rank, 0);
    case COLL_SCATTER:
    case COLL_SCATTERV:
        return rank == world->root ? blocks_before(world, kind, rank, world->size) : 0;
    case COLL_ALLTOALL:
    case COLL_ALLTOALLV:
    case COLL_REDUCE_SCATTER:
        return blocks_before(world, kind, rank, world->size);
    default:
        return 0;
    }
}

uint64_t prover_recv_bytes(const struct coll_world *world, enum coll_kind kind, uint32_t rank)
{
    uint64_t sum = 0;
    switch (kind) {
    case COLL_BCAST:
        return rank == world->root ? 0 : world->bytes;
    case COLL_REDUCE:
        return rank == world->root ? world->bytes : 0;
    case COLL_ALLREDUCE:
    case COLL_SCAN:
    case COLL_EXSCAN:
        return world->bytes;
    case COLL_SCATTER:
    case COLL_SCATTERV:
    case COLL_REDUCE_SCATTER:
        return block_bytes(world, kind, world->root, rank);
    case COLL_GATHER:
    case COLL_GATHERV:
        if (rank != world->root)
            return 0;
        break;
    case COLL_ALLTOALL:
    case COLL_ALLTOALLV:
    case COLL_ALLGATHER:
    case COLL_ALLGATHERV:
        break;
    default:
        return 0;
    }
    for (uint32_t source = 0; source < world->size; source++)
        sum += block_bytes(world, kind, source, rank);
    return sum;
}

struct coll_call coll_world_call(const struct coll_world *world, enum coll_kind kind, uint32_t rank,
                                 uint64_t *recv_counts)
{
    struct coll_call call = {.kind = kind,
                             .size = world->size,
                             .rank = rank,
                             .root = world->root,
                             .window = world->window,
                             .leaders = world->leaders,
                             .segment_bytes = world->segment_bytes,
                             .nodes = world->nodes,
                             .element = world->element_bytes,
                             .bytes = world->bytes};
    if (!world->counts || !is_vector_kind(kind))
        return call;
    call.all = (struct coll_sizes){world->counts, kind == COLL_ALLTOALLV ? world->size : 0};
    if (kind == COLL_ALLGATHERV || kind == COLL_REDUCE_SCATTER) {
        call.recv_bytes = world->counts;
    } else if (kind == COLL_ALLTOALLV) {
        call.send_bytes = world->counts + (size_t)rank * world->size;
        for (uint32_t source = 0; source < world->size; source++)
            recv_counts[source] = block_bytes(world, kind, source, rank);
        call.recv_bytes = recv_counts;
    } else {
        call.bytes = world->counts[rank];
        if (rank == world->root)
            *(kind == COLL_GATHERV ? &call.recv_bytes : &call.send_bytes) = world->counts;
    }
    return call;
}

bool prover_world_check(const struct coll_world *world, enum coll_kind kind, struct coll_proof *proof)
{
    const char *problem = NULL;
    if (world->size == 0 || world->size > COLL_PROOF_RANKS_MAX)
        problem = "the prover takes 1 to 4096 ranks";
    else if (world->repeats > COLL_PROOF_REPEATS_MAX)
        problem = "the prover takes up to 8 calls one after another";
    else if (world->root >= world->size)
        problem = "the root is not one of the ranks";
    else if (world->element_bytes == 0 || world->bytes % world->element_bytes != 0)
        problem = "the bytes are not a whole number of elements";
    else if (world->counts && is_vector_kind(kind))
        for (size_t i = 0; i < (size_t)world->size * (kind == COLL_ALLTOALLV ? world->size : 1); i++)
            if (world->counts[i] % world->element_bytes != 0)
                problem = "a count is not a whole number of elements";
    if (problem)
        snprintf(proof->problem, sizeof proof->problem, "%s", problem);
    return !problem;
}

/* ---------------------------------------------------------- post-conditions */

static const char *print_cell(const struct prover *prover, struct proof_cell cell, char *buffer, size_t size)
{
    char ranks[96];
    if (cell.set == RANK_SET_NONE)
        return "nothing";
    rank_sets_print(&prover->sets, cell.set, ranks, sizeof ranks);
    snprintf(buffer, size, "element %u %s", cell.at, ranks);
    return buffer;
}

/* This part of the receive buffer of `rank` must hold the sums over `set` of the elements that begin at byte
 * `at` of the send buffers. */
static bool check_run(struct prover *prover, uint32_t rank, uint64_t offset, uint64_t bytes, uint32_t set,
                      uint64_t at)
{
    uint64_t element = prover->world->element_bytes;
    const struct proof_cell *cells = prover->ranks[rank].buffers[COLL_RECV_BUFFER].cells + offset / element;
    uint32_t call_at = prover->ranks[rank].calls * prover->call_elements;
    for (uint64_t i = 0; i < bytes / element; i++) {
        struct proof_cell wanted = {.set = set, .at = call_at + (uint32_t)(at / element + i)};
        if (cells[i].set == wanted.set && cells[i].at == wanted.at)
            continue;
        char wanted_text[128], found_text[128];
        prover_fail(prover, NULL, "rank %u ends with %s at receive buffer+%llu; it should be %s", rank,
                    print_cell(prover, cells[i], found_text, sizeof found_text),
                    (unsigned long long)(offset + i * element),
                    print_cell(prover, wanted, wanted_text, sizeof wanted_text));
        return false;
    }
    return true;
}

/* The blocks of all ranks, one after another. Each comes from the place that its source has for this rank. */
static bool check_blocks(struct prover *prover, uint32_t rank, bool gathered)
{
    const struct coll_world *world = prover->world;
    enum coll_kind kind = prover->algorithm->kind;
    uint64_t offset = 0;
    for (uint32_t source = 0; source < world->size; source++) {
        uint64_t bytes = block_bytes(world, kind, source, rank);
        uint64_t at = gathered ? 0 : blocks_before(world, kind, source, rank);
        if (!check_run(prover, rank, offset, bytes, rank_sets_one(source), at))
            return false;
        offset += bytes;
    }
    return true;
}

bool prover_check_result(struct prover *prover, uint32_t rank)
{
    const struct coll_world *world = prover->world;
    enum coll_kind kind = prover->algorithm->kind;
    uint64_t bytes = prover_recv_bytes(world, kind, rank);
    if (bytes == 0)
        return true;
    switch (kind) {
    case COLL_BCAST:
        return check_run(prover, rank, 0, bytes, rank_sets_one(world->root), 0);
    case COLL_REDUCE:
    case COLL_ALLREDUCE:
        return check_run(prover, rank, 0, bytes, rank_sets_first(&prover->sets, world->size), 0);
    case COLL_REDUCE_SCATTER:
        return check_run(prover, rank, 0, bytes, rank_sets_first(&prover->sets, world->size),
                         blocks_before(world, kind, 0, rank));
    case COLL_SCAN:
        return check_run(prover, rank, 0, bytes, rank_sets_first(&prover->sets, rank + 1), 0);
    case COLL_EXSCAN: /* MPI leaves rank 0's buffer undefined */
        return rank == 0 || check_run(prover, rank, 0, bytes, rank_sets_first(&prover->sets, rank), 0);
    case COLL_SCATTER:
    case COLL_SCATTERV:
        return check_run(prover, rank, 0, bytes, rank_sets_one(world->root),
                         blocks_before(world, kind, world->root, rank));
    case COLL_ALLTOALL:
    case COLL_ALLTOALLV:
        return check_blocks(prover, rank, false);
    default:
        return check_blocks(prover, rank, true);
    }
}

void prover_check_results(struct prover *prover)
{
    uint32_t rank = 0;
    while (rank < prover->world->size && prover_check_result(prover, rank))
        rank++;
}
