#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "call/sites.h"
#include "tolerance/answer.h"

struct share_counter {
    const struct program *program;
    struct tolerance_share *ranks, *calls, *sizes;
    struct tolerance_share *sites; /* NULL: the program has none */
    uint64_t messages;
};

static uint32_t class_of(uint64_t bytes)
{
    return bytes ? 64 - (uint32_t)__builtin_clzll(bytes) : 0;
}

static void count(void *self, uint32_t rank, uint32_t operation, bool is_message, int64_t counted)
{
    struct share_counter *counter = self;
    const struct program_sites *sites = counter->program->sites;
    const struct graph *graph = counter->program->graph;
    const uint64_t bytes = graph->ranks[rank].operations[operation].amount;
    const enum call_op call = graph->call ? graph->call(counter->program, rank, operation) : CALL_SEND;
    struct tolerance_share *const shares[] = {
        &counter->ranks[rank], &counter->sizes[class_of(bytes)], &counter->calls[call],
        counter->sites ? &counter->sites[sites->of_operation(sites, rank, operation)] : NULL};
    for (size_t i = 0; i < sizeof shares / sizeof *shares && shares[i]; i++) {
        shares[i]->slope += counted;
        shares[i]->messages += is_message;
        shares[i]->bytes += is_message ? bytes : 0;
    }
    if (is_message || !counter->calls[call].place.file)
        counter->calls[call].place = graph->place(counter->program, rank, operation);
    counter->messages += is_message;
}

/* The largest part of the slope first, then most messages; of as many, in the order of ranks, calls, sizes or
 * call sites. */
static int compare(const void *a, const void *b)
{
    const struct tolerance_share *left = a, *right = b;
    if (left->slope != right->slope)
        return left->slope < right->slope ? 1 : -1;
    if (left->messages != right->messages)
        return left->messages < right->messages ? 1 : -1;
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    if (left->call != right->call)
        return left->call < right->call ? -1 : 1;
    if (left->site != right->site)
        return left->site < right->site ? -1 : 1;
    return (left->size_class > right->size_class) - (left->size_class < right->size_class);
}

static size_t keep(struct tolerance_share *shares, size_t number)
{
    size_t kept = 0;
    for (size_t i = 0; i < number; i++)
        if (shares[i].messages || shares[i].slope)
            shares[kept++] = shares[i];
    if (kept)
        qsort(shares, kept, sizeof *shares, compare);
    return kept;
}

static struct tolerance_share *make(size_t number)
{
    return mem_alloc(number, sizeof(struct tolerance_share), "messages of a path");
}

void tolerance_count_shares(struct program_paths *paths, const struct program *program, struct tolerance_at x,
                            struct tolerance_shares *shares)
{
    const struct program_sites *sites = program->sites;
    struct share_counter counter = {.program = program,
                                    .ranks = make(program->ranks),
                                    .calls = make(CALL_OPS),
                                    .sizes = make(TOLERANCE_SIZES),
                                    .sites = sites ? make(sites->count) : NULL};
    for (uint32_t i = 0; i < program->ranks; i++)
        counter.ranks[i].rank = i;
    for (uint32_t i = 0; i < CALL_OPS; i++)
        counter.calls[i].call = (enum call_op)i;
    for (uint32_t i = 0; i < TOLERANCE_SIZES; i++)
        counter.sizes[i].size_class = i;
    for (uint32_t i = 0; sites && i < sites->count; i++) {
        counter.sites[i].site = i;
        counter.sites[i].site_name = i ? sites->names[i] : NULL;
    }
    program_paths_messages(paths, x, count, &counter);
    *shares = (struct tolerance_shares){.by_rank = counter.ranks,
                                        .by_call = counter.calls,
                                        .by_size = counter.sizes,
                                        .by_site = counter.sites,
                                        .ranks = keep(counter.ranks, program->ranks),
                                        .calls = keep(counter.calls, CALL_OPS),
                                        .sizes = keep(counter.sizes, TOLERANCE_SIZES),
                                        .sites = sites ? keep(counter.sites, sites->count) : 0,
                                        .messages = counter.messages};
}
