#include "trace/check/comm_order.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

/* A communicator: the collectives of the first rank that has some, and those of the rank that is read. */
struct comm_state {
    uint64_t first_hash, hash; /* of kinds, roots and sizes, one after another */
    uint32_t first, rank;      /* plus 1; 0: none */
    uint32_t members;          /* that have collectives */
    uint32_t other;            /* a rank with other collectives than `first`, plus 1; 0: none */
};

struct comm_search {
    const struct compiled_trace *compiled;
    struct comm_state *comms;
    uint32_t *touched; /* communicators of the rank that is read */
    size_t touched_count;
    struct comm_difference *list;
    size_t count, capacity;
};

bool comm_order_has_common_size(const struct call *call)
{
    return call->op == CALL_BCAST || call->op == CALL_REDUCE || call->op == CALL_ALLREDUCE ||
           call->op == CALL_SCAN || call->op == CALL_EXSCAN;
}

static void add_call(struct comm_search *search, uint32_t rank, const struct call *call)
{
    struct comm_state *comm = &search->comms[call->group];
    if (comm->rank != rank + 1) {
        comm->rank = rank + 1;
        comm->hash = 0;
        search->touched[search->touched_count++] = call->group;
    }
    comm->hash = hash_add(comm->hash, (uint64_t)call->op << 8 | call->flags);
    comm->hash = hash_add(comm->hash, (uint32_t)call->peer);
    if (comm_order_has_common_size(call))
        comm->hash = hash_add(comm->hash, call->bytes);
}

static void read_rank(struct comm_search *search, uint32_t rank)
{
    const uint32_t *tokens = compiled_tokens(search->compiled, rank);
    const struct call *calls = compiled_calls(search->compiled, rank);
    search->touched_count = 0;
    for (uint64_t i = 0; i < compiled_lines(search->compiled, rank); i++)
        if (!(tokens[i] & TOKEN_COMPUTE) && call_is_collective(&calls[tokens[i]]) && calls[tokens[i]].group)
            add_call(search, rank, &calls[tokens[i]]);
    for (size_t i = 0; i < search->touched_count; i++) {
        struct comm_state *comm = &search->comms[search->touched[i]];
        comm->members++;
        if (!comm->first) {
            comm->first = rank + 1;
            comm->first_hash = comm->hash;
        }
        if (comm->hash != comm->first_hash && !comm->other)
            comm->other = rank + 1;
    }
}

/* A member without collectives on the communicator; there is one. */
static uint32_t idle_member(const struct compiled_trace *compiled, uint32_t group_index)
{
    const struct group *group = &compiled->program.groups[group_index];
    for (uint32_t i = 0; i + 1 < group->size; i++) {
        const struct call *call;
        uint64_t number = 0;
        if (!compiled_next_collective(compiled, group_world(group, i), group_index, &number, &call))
            return group_world(group, i);
    }
    return group_world(group, group->size - 1);
}

size_t comm_order_find(const struct compiled_trace *compiled, struct comm_difference **list,
                       uint64_t *communicators)
{
    const struct program *program = &compiled->program;
    struct comm_search search = {.compiled = compiled};
    *communicators = 0;
    search.comms = mem_alloc(program->group_count, sizeof *search.comms, "communicators");
    search.touched = mem_alloc(program->group_count, sizeof *search.touched, "communicators");
    for (uint32_t rank = 0; program->group_count > 1 && rank < program->ranks; rank++)
        read_rank(&search, rank);
    for (uint32_t group = 1; group < program->group_count; group++) {
        const struct comm_state *comm = &search.comms[group];
        *communicators += comm->first > 0;
        if (!comm->first || (!comm->other && comm->members == program->groups[group].size))
            continue;
        uint32_t other = comm->other ? comm->other - 1 : idle_member(compiled, group);
        search.list = mem_grow(search.list, &search.capacity, search.count + 1, "communicators that differ");
        search.list[search.count++] = (struct comm_difference){group, comm->first - 1, other};
    }
    free(search.comms);
    free(search.touched);
    *list = search.list;
    return search.count;
}
