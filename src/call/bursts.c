#include "call/bursts.h"

#include <stdlib.h>

#include "base/hashmap.h"
#include "base/mem.h"
#include "call/sites.h"

static const char purpose[] = "bursts of computation";

static void add(struct bursts_sum *sum, const struct call_burst *burst)
{
    sum->count++;
    sum->lasted_ns += burst->lasted_ns;
    sum->used_ns += burst->used_ns;
    sum->late += burst->lasted_ns - burst->used_ns > burst->used_ns;
    if (!burst->is_counted)
        return;
    sum->counted++;
    sum->instructions += burst->instructions;
    sum->counted_ns += burst->used_ns;
}

struct summariser {
    struct bursts_summary *summary;
    struct bursts_sum *rank;
    struct hashmap places; /* by both call sites: an index in `between`, plus 1 */
    size_t capacity;
    bool has_sites;
};

static void take(void *self, const struct call_burst *burst)
{
    struct summariser *summariser = self;
    struct bursts_summary *summary = summariser->summary;
    add(&summary->all, burst);
    add(summariser->rank, burst);
    if (!summariser->has_sites)
        return;
    uint32_t *place = hashmap_slot(&summariser->places, (uint64_t)burst->after << 32 | burst->before);
    if (!*place) {
        summary->between =
            mem_grow(summary->between, &summariser->capacity, summary->between_count + 1, purpose);
        summary->between[summary->between_count] =
            (struct bursts_between){.after = burst->after, .before = burst->before};
        *place = (uint32_t)++summary->between_count;
    }
    add(&summary->between[*place - 1].sum, burst);
}

/* Most processor time first; of as much, in the order of call sites. */
static int compare(const void *a, const void *b)
{
    const struct bursts_between *left = a, *right = b;
    if (left->sum.used_ns != right->sum.used_ns)
        return left->sum.used_ns < right->sum.used_ns ? 1 : -1;
    if (left->after != right->after)
        return left->after < right->after ? -1 : 1;
    return (left->before > right->before) - (left->before < right->before);
}

bool bursts_summarise(const struct program *program, struct bursts_summary *summary)
{
    *summary = (struct bursts_summary){.rank_count = program->ranks};
    if (!program->bursts)
        return false;
    struct summariser summariser = {.summary = summary, .has_sites = program->sites != NULL};
    summary->ranks = mem_alloc(program->ranks, sizeof *summary->ranks, purpose);
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        summariser.rank = &summary->ranks[rank];
        program->bursts->each(program->bursts, rank, take, &summariser);
        if (bursts_waiting(summariser.rank) > bursts_waiting(&summary->ranks[summary->worst]))
            summary->worst = rank;
    }
    hashmap_free(&summariser.places);
    if (summary->between_count)
        qsort(summary->between, summary->between_count, sizeof *summary->between, compare);
    if (summary->all.count)
        return true;
    bursts_summary_free(summary);
    return false;
}

void bursts_summary_free(struct bursts_summary *summary)
{
    free(summary->ranks);
    free(summary->between);
    *summary = (struct bursts_summary){.rank_count = 0};
}
