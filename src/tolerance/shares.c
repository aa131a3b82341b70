#include "tolerance/shares.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tolerance/paths.h"

static uint32_t class_of(uint64_t bytes)
{
    return bytes ? 64 - (uint32_t)__builtin_clzll(bytes) : 0;
}

struct tolerance_share *share_counter_add(struct share_counter *counter, const struct share_of *what)
{
    struct tolerance_share *const shares[] = {
        &counter->ranks[what->rank], &counter->sizes[class_of(what->bytes)], &counter->calls[what->call],
        counter->sites ? &counter->sites[what->site] : NULL};
    for (size_t i = 0; i < sizeof shares / sizeof *shares && shares[i]; i++) {
        shares[i]->slope += what->counted;
        shares[i]->messages += what->is_message;
        shares[i]->bytes += what->is_message ? what->bytes : 0;
    }
    counter->messages += what->is_message;
    return &counter->calls[what->call];
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

void share_counter_init(struct share_counter *counter, uint32_t ranks, const struct program_sites *sites)
{
    *counter = (struct share_counter){.known = sites,
                                      .rank_count = ranks,
                                      .ranks = make(ranks),
                                      .calls = make(CALL_OPS),
                                      .sizes = make(TOLERANCE_SIZES),
                                      .sites = sites ? make(sites->count) : NULL};
    for (uint32_t i = 0; i < ranks; i++)
        counter->ranks[i].rank = i;
    for (uint32_t i = 0; i < CALL_OPS; i++)
        counter->calls[i].call = (enum call_op)i;
    for (uint32_t i = 0; i < TOLERANCE_SIZES; i++)
        counter->sizes[i].size_class = i;
    for (uint32_t i = 0; sites && i < sites->count; i++) {
        counter->sites[i].site = i;
        counter->sites[i].site_name = i ? sites->names[i] : NULL;
    }
}

void share_counter_finish(struct share_counter *counter, struct tolerance_shares *shares)
{
    *shares =
        (struct tolerance_shares){.by_rank = counter->ranks,
                                  .by_call = counter->calls,
                                  .by_size = counter->sizes,
                                  .by_site = counter->sites,
                                  .ranks = keep(counter->ranks, counter->rank_count),
                                  .calls = keep(counter->calls, CALL_OPS),
                                  .sizes = keep(counter->sizes, TOLERANCE_SIZES),
                                  .sites = counter->sites ? keep(counter->sites, counter->known->count) : 0,
                                  .messages = counter->messages};
}

void tolerance_shares_free(struct tolerance_shares *shares)
{
    free(shares->by_rank);
    free(shares->by_call);
    free(shares->by_size);
    free(shares->by_site);
    *shares = (struct tolerance_shares){.messages = 0};
}

/* ------------------------------------------------------------ longest path */

struct path_counter {
    const struct program *program;
    struct share_counter counter;
};

static void count(void *self, uint32_t rank, uint32_t operation, bool is_message, int64_t counted)
{
    struct path_counter *path = self;
    const struct program *program = path->program;
    const struct program_sites *sites = program->sites;
    const struct graph *graph = program->graph;
    struct tolerance_share *of_call = share_counter_add(
        &path->counter,
        &(struct share_of){.rank = rank,
                           .site = sites ? sites->of_operation(sites, rank, operation) : 0,
                           .call = graph->call ? graph->call(program, rank, operation) : CALL_SEND,
                           .bytes = graph->ranks[rank].operations[operation].amount,
                           .counted = counted,
                           .is_message = is_message});
    if (is_message || !of_call->place.file) /* it begins with the last one */
        of_call->place = graph->place(program, rank, operation);
}

void tolerance_count_shares(struct program_paths *paths, const struct program *program, struct tolerance_at x,
                            struct tolerance_shares *shares)
{
    struct path_counter path = {.program = program};
    share_counter_init(&path.counter, program->ranks, program->sites);
    program_paths_messages(paths, x, count, &path);
    share_counter_finish(&path.counter, shares);
    shares->is_between_nodes = !paths->costs.is_loggops && paths->costs.ranks_per_node > 1;
}
