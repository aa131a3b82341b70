#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/coll/internal.h"

/* A plan that was not used in so many calls may be replaced. */
enum { STALE_CALLS = 1024 };

/* A free entry or one that may be replaced. NULL: all entries are in use. A program that uses more sizes in
 * turn than there are entries would replace each plan before its next use, and to compile a plan costs more
 * than its use saves. An algorithm that the environment names is used in any case. */
static struct plan_entry *entry_for_new(struct live_comm *comm)
{
    struct plan_entry *oldest = &comm->plans[0];
    for (int i = 0; i < LIVE_PLANS; i++) {
        if (!comm->plans[i].is_filled)
            return &comm->plans[i];
        if (comm->plans[i].last_call < oldest->last_call)
            oldest = &comm->plans[i];
    }
    if (strcmp(comm->settings.algorithm, "auto") == 0 && comm->calls - oldest->last_call < STALE_CALLS)
        return NULL;
    live_plan_free(&oldest->plan);
    return oldest;
}

/* False: this rank has no memory. */
static bool compile(struct live_comm *comm, struct live_plan *plan, const struct coll_algorithm *algorithm,
                    uint64_t block_bytes)
{
    const struct coll_call call = {.kind = COLL_ALLTOALL,
                                   .size = comm->size,
                                   .rank = comm->rank,
                                   .leaders = comm->leaders,
                                   .element = 1,
                                   .bytes = block_bytes,
                                   .nodes = &comm->nodes};
    return live_plan_init(plan, algorithm, &call) && live_requests_reserve(comm, plan->messages_max) &&
           live_buffer_reserve(&comm->scratch, &comm->scratch_room, plan->scratch_bytes);
}

static void fill(struct live_comm *comm, struct plan_entry *entry, uint64_t block_bytes)
{
    char why[128] = "";
    bool tried;
    const struct coll_algorithm *algorithm = live_choose(comm, block_bytes, &tried, why, sizeof why);
    *entry = (struct plan_entry){.block_bytes = block_bytes, .is_filled = true};
    if (algorithm && !live_all_agree(comm->mine, compile(comm, &entry->plan, algorithm, block_bytes))) {
        live_plan_free(&entry->plan);
        algorithm = NULL;
        snprintf(why, sizeof why, "a rank has no memory");
    }
    if (algorithm && tried)
        entry->autotune = &comm->autotunes[63 - __builtin_clzll(block_bytes)];
    if (comm->settings.verbose && comm->rank == 0)
        fprintf(stderr, "helio coll: %llu B: %s (%s)\n", (unsigned long long)block_bytes,
                algorithm ? algorithm->name : "the MPI's own", why);
}

static struct plan_entry *find_or_fill(struct live_comm *comm, uint64_t block_bytes)
{
    for (int i = 0; i < LIVE_PLANS; i++)
        if (comm->plans[i].is_filled && comm->plans[i].block_bytes == block_bytes)
            return &comm->plans[i];
    struct plan_entry *entry = entry_for_new(comm);
    if (entry)
        fill(comm, entry, block_bytes);
    return entry;
}

const struct plan_entry *live_plan_find(struct live_comm *comm, uint64_t block_bytes)
{
    comm->calls++;
    struct plan_entry *found = find_or_fill(comm, block_bytes);
    if (found)
        found->last_call = comm->calls;
    return found && found->plan.algorithm ? found : NULL;
}
