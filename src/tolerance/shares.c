#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tolerance/answer.h"

struct share_counter {
    const struct program *program;
    struct tolerance_share *ranks, *calls, *sizes;
    uint64_t messages;
};

static uint32_t class_of(uint64_t bytes)
{
    return bytes ? 64 - (uint32_t)__builtin_clzll(bytes) : 0;
}

static void add(struct tolerance_share *share, uint64_t bytes)
{
    share->messages++;
    share->bytes += bytes;
}

static void count(void *self, uint32_t rank, uint32_t send)
{
    struct share_counter *counter = self;
    const struct graph *graph = counter->program->graph;
    uint64_t bytes = graph->ranks[rank].operations[send].amount;
    enum call_op call = graph->call ? graph->call(counter->program, rank, send) : CALL_SEND;
    add(&counter->ranks[rank], bytes);
    add(&counter->sizes[class_of(bytes)], bytes);
    add(&counter->calls[call], bytes);
    counter->calls[call].place = graph->place(counter->program, rank, send);
    counter->messages++;
}

/* Most messages first; of as many, in the order of ranks, calls or sizes. */
static int compare(const void *a, const void *b)
{
    const struct tolerance_share *left = a, *right = b;
    if (left->messages != right->messages)
        return left->messages < right->messages ? 1 : -1;
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    if (left->call != right->call)
        return left->call < right->call ? -1 : 1;
    return (left->size_class > right->size_class) - (left->size_class < right->size_class);
}

static size_t keep(struct tolerance_share *shares, size_t number)
{
    size_t kept = 0;
    for (size_t i = 0; i < number; i++)
        if (shares[i].messages)
            shares[kept++] = shares[i];
    qsort(shares, kept, sizeof *shares, compare);
    return kept;
}

void tolerance_count_shares(struct program_paths *paths, const struct program *program, struct tolerance_at x,
                            struct tolerance_shares *shares)
{
    struct share_counter counter = {
        .program = program,
        .ranks = mem_alloc(program->ranks, sizeof *counter.ranks, "messages of a path"),
        .calls = mem_alloc(CALL_OPS, sizeof *counter.calls, "messages of a path"),
        .sizes = mem_alloc(TOLERANCE_SIZES, sizeof *counter.sizes, "messages of a path")};
    for (uint32_t i = 0; i < program->ranks; i++)
        counter.ranks[i].rank = i;
    for (uint32_t i = 0; i < CALL_OPS; i++)
        counter.calls[i].call = (enum call_op)i;
    for (uint32_t i = 0; i < TOLERANCE_SIZES; i++)
        counter.sizes[i].size_class = i;
    program_paths_messages(paths, x, count, &counter);
    *shares = (struct tolerance_shares){.by_rank = counter.ranks,
                                        .by_call = counter.calls,
                                        .by_size = counter.sizes,
                                        .ranks = keep(counter.ranks, program->ranks),
                                        .calls = keep(counter.calls, CALL_OPS),
                                        .sizes = keep(counter.sizes, TOLERANCE_SIZES),
                                        .messages = counter.messages};
}
