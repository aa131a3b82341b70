#include "coll/footprint.h"

#include <limits.h>

#include "coll/nodes.h"
#include "coll/plan.h"

enum { PAGE = 4096 };

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t whole_pages(uint64_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* Heap of a rank for its plan. False: no memory. */
static bool plan_of_rank(uint64_t *bytes, const struct coll_algorithm *algorithm,
                         const struct coll_call *call, enum coll_footprint_mpi mpi)
{
    static const uint64_t request[] = {[COLL_FOOTPRINT_OF_OPENMPI] = COLL_FOOTPRINT_REQUEST_OPENMPI,
                                       [COLL_FOOTPRINT_OF_MPICH] = COLL_FOOTPRINT_REQUEST_MPICH};
    struct coll_plan plan;
    bool compiled = coll_plan_init(&plan, algorithm, call);
    *bytes = plan.step_capacity * sizeof *plan.steps + plan.messages_max * request[mpi] + plan.scratch_bytes +
             COLL_FOOTPRINT_TRIALS;
    coll_plan_free(&plan);
    return compiled;
}

/* Adds what a node takes. */
static bool add_node(struct coll_footprint *footprint, const struct coll_algorithm *algorithm,
                     struct coll_call call, uint32_t node, enum coll_footprint_mpi mpi)
{
    uint32_t ranks = node_ranks(&call, node);
    uint64_t heap = 0, bytes;
    for (uint32_t local = 0; local < ranks; local++) {
        call.rank = node_member(&call, node, local);
        if (!plan_of_rank(&bytes, algorithm, &call, mpi))
            return false;
        footprint->plan_bytes = most(footprint->plan_bytes, bytes);
        heap += bytes + footprint->comm_bytes;
    }
    uint64_t copy = algorithm->shared ? algorithm->shared(&call) : 0;
    uint64_t counters = coll_footprint_counters(node_count(&call), ranks, PAGE);
    footprint->copy_bytes = most(footprint->copy_bytes, copy);
    footprint->node_heap_bytes = most(footprint->node_heap_bytes, heap);
    footprint->shared_bytes =
        most(footprint->shared_bytes, counters + COLL_FOOTPRINT_COPIES * whole_pages(copy));
    footprint->address_bytes =
        most(footprint->address_bytes, counters + COLL_FOOTPRINT_COPIES * (uint64_t)COLL_FOOTPRINT_COPY);
    return true;
}

/* Whether the node may be the one that takes most: nodes of the same size between two others are alike. */
static bool counts(const struct coll_call *call, uint32_t node)
{
    enum { FIRST = 4 };
    return node < FIRST || node + 1 == node_count(call) ||
           node_ranks(call, node) != node_ranks(call, node - 1);
}

uint64_t coll_footprint_bytes_max(enum coll_kind kind, uint32_t size, uint32_t most_here)
{
    uint64_t room = INT_MAX / size;
    bool has_pairs = kind == COLL_ALLTOALL || kind == COLL_REDUCE_SCATTER;
    return has_pairs ? room / most_here : room;
}

bool coll_footprint_of(struct coll_footprint *footprint, const struct coll_algorithm *algorithm,
                       const struct coll_call *call, enum coll_footprint_mpi mpi)
{
    *footprint = (struct coll_footprint){
        .comm_bytes = (mpi == COLL_FOOTPRINT_OF_OPENMPI ? COLL_FOOTPRINT_OPENMPI : COLL_FOOTPRINT_MPICH) +
                      coll_nodes_storage(call->size) * sizeof(uint32_t),
        .set_up_bytes = COLL_FOOTPRINT_SET_UP_WORDS * (uint64_t)call->size * sizeof(uint32_t)};
    for (uint32_t node = 0; node < node_count(call); node++)
        if (counts(call, node) && !add_node(footprint, algorithm, *call, node, mpi))
            return false;
    footprint->is_executed = footprint->copy_bytes <= COLL_FOOTPRINT_COPY &&
                             call->bytes <= coll_footprint_bytes_max(call->kind, call->size, node_most(call));
    return true;
}
