#include "trace/otf2/vectors.h"

#include <stdlib.h>

#include "trace/otf2/attributes.h"

static uint64_t key_of(struct otf2_vector_numbers *numbers, size_t comm, bool is_blocking)
{
    size_t at = 2 * comm + (is_blocking ? 1 : 0);
    return (uint64_t)at << 32 | numbers->next[at]++;
}

void otf2_vectors_free(struct otf2_vectors *vectors)
{
    hashmap_free(&vectors->calls);
    free(vectors->starts);
    free(vectors->sums);
    *vectors = (struct otf2_vectors){0};
}

bool otf2_is_vector(uint8_t kind)
{
    enum call_op op = otf2_collective_op(kind);
    return op == CALL_GATHERV || op == CALL_SCATTERV || op == CALL_ALLGATHERV || op == CALL_ALLTOALLV ||
           (op == CALL_REDUCE_SCATTER && kind != OTF2_REDUCE_SCATTER_BLOCK);
}

void otf2_vectors_begin(struct otf2_vectors *vectors, struct otf2_vector_numbers *numbers)
{
    size_t count = 2 * vectors->definitions->comm_count;
    if (!numbers->next)
        numbers->next = mem_alloc(count + 1, sizeof *numbers->next, "the communicators of an archive");
    memset(numbers->next, 0, count * sizeof *numbers->next);
}

/* The sums of a call, all 0 before the first rank. */
static struct otf2_sums *sums_of(struct otf2_vectors *vectors, uint64_t key, uint32_t size)
{
    uint32_t *call = hashmap_slot(&vectors->calls, key);
    if (!*call) {
        vectors->starts = mem_grow(vectors->starts, &vectors->call_capacity, vectors->call_count + 1,
                                   "collectives of an archive");
        vectors->sums = mem_grow(vectors->sums, &vectors->sum_capacity, vectors->sum_count + size,
                                 "collectives of an archive");
        memset(vectors->sums + vectors->sum_count, 0, size * sizeof *vectors->sums);
        vectors->starts[vectors->call_count++] = vectors->sum_count;
        vectors->sum_count += size;
        *call = (uint32_t)vectors->call_count;
    }
    return vectors->sums + vectors->starts[*call - 1];
}

void otf2_vectors_take(struct otf2_vectors *vectors, struct otf2_vector_numbers *numbers,
                       const struct otf2_local *local, uint32_t rank, const struct otf2_event *event)
{
    const struct otf2_definitions *definitions = vectors->definitions;
    struct otf2_bytes fields = event->fields;
    uint8_t kind = otf2_byte(&fields);
    if (!otf2_is_vector(kind))
        return;
    struct otf2_attributes attributes;
    otf2_attributes_read(&attributes, definitions, local, event);
    if (attributes.has[RECORDED_SENDS]) /* its sizes are known */
        return;
    uint32_t id = otf2_number32(&fields);
    const struct otf2_comm *comm = otf2_comm_at(definitions, otf2_map(&local->maps[OTF2_MAP_COMMS], id));
    otf2_number32(&fields); /* the root */
    struct otf2_sums sums = {.sent = otf2_number(&fields)};
    sums.received = otf2_number(&fields);
    if (fields.failed || !comm || comm->group == OTF2_NONE || comm->remote != OTF2_NONE)
        return;
    const struct otf2_group *group = &definitions->groups[comm->group];
    uint32_t mine = otf2_group_rank(group, rank);
    uint64_t key = key_of(numbers, (size_t)(comm - definitions->comms), event->kind == OTF2_COLLECTIVE_END);
    if (mine < group->size && otf2_sums_fit(&sums, group->size))
        sums_of(vectors, key, group->size)[mine] = sums;
}

const struct otf2_sums *otf2_vectors_next(const struct otf2_vectors *vectors,
                                          struct otf2_vector_numbers *numbers, size_t comm, bool is_blocking)
{
    uint32_t call = hashmap_get(&vectors->calls, key_of(numbers, comm, is_blocking));
    return call ? vectors->sums + vectors->starts[call - 1] : NULL;
}
