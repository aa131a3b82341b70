#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/coll/internal.h"

const char *live_call_name(const struct live_key *key)
{
    static const char *const names[LIVE_FUNCTIONS] = {[COLL_BARRIER] = "MPI_Barrier",
                                                      [COLL_BCAST] = "MPI_Bcast",
                                                      [COLL_REDUCE] = "MPI_Reduce",
                                                      [COLL_ALLREDUCE] = "MPI_Allreduce",
                                                      [COLL_ALLTOALL] = "MPI_Alltoall",
                                                      [COLL_ALLGATHER] = "MPI_Allgather",
                                                      [COLL_GATHER] = "MPI_Gather",
                                                      [COLL_SCATTER] = "MPI_Scatter",
                                                      [COLL_REDUCE_SCATTER] = "MPI_Reduce_scatter",
                                                      [COLL_KINDS + COLL_ALLGATHER] = "MPI_Allgatherv",
                                                      [COLL_KINDS + COLL_REDUCE_SCATTER] =
                                                          "MPI_Reduce_scatter with unequal blocks"};
    return names[live_function(key)];
}

/* A plan that was not used in so many calls may be replaced. */
enum { STALE_CALLS = 1024 };

/* A free entry or one that may be replaced. NULL: all entries are in use. A program that uses more sizes in
 * turn than there are entries would replace each plan before its next use, and to compile a plan costs more
 * than its use saves. An algorithm that the environment names is used in any case. */
static struct plan_entry *entry_for_new(struct live_comm *comm, const struct live_key *key)
{
    struct plan_entry *oldest = &comm->plans[0];
    for (int i = 0; i < LIVE_PLANS; i++) {
        if (!comm->plans[i].is_filled)
            return &comm->plans[i];
        if (comm->plans[i].last_call < oldest->last_call)
            oldest = &comm->plans[i];
    }
    if (strcmp(comm->settings.algorithms[key->kind], "auto") == 0 &&
        comm->calls - oldest->last_call < STALE_CALLS)
        return NULL;
    coll_plan_free(&oldest->plan);
    return oldest;
}

/* The trials of a function, which begin with what is known. False: this rank has no memory. */
static bool autotunes_open(struct live_comm *comm, uint32_t function)
{
    struct autotune *autotunes = comm->autotunes[function];
    if (autotunes)
        return true;
    autotunes = comm->autotunes[function] = calloc(LIVE_CLASSES, sizeof *autotunes);
    for (int class = 0; autotunes && class < LIVE_CLASSES; class ++)
        if (comm->known.choice[function][class] != LIVE_NOT_KNOWN)
            autotune_take(&autotunes[class], comm->known.choice[function][class] == LIVE_KNOWN_OURS);
    return autotunes != NULL;
}

/* False: this rank has no memory. */
static bool compile(struct live_comm *comm, struct plan_entry *entry, const struct coll_algorithm *algorithm)
{
    const struct coll_call call = live_coll_call(comm, &entry->key, comm->rank);
    return autotunes_open(comm, live_function(&entry->key)) &&
           coll_plan_init(&entry->plan, algorithm, &call) &&
           live_requests_reserve(comm, entry->plan.messages_max) &&
           live_buffer_reserve(&comm->scratch, &comm->scratch_room, entry->plan.scratch_bytes);
}

static void report(const struct live_key *key, const char *algorithm, const char *why)
{
    if (key->kind == COLL_BARRIER)
        fprintf(stderr, "helio coll: MPI_Barrier: %s (%s)\n", algorithm, why);
    else
        fprintf(stderr, "helio coll: %s of %llu B: %s (%s)\n", live_call_name(key),
                (unsigned long long)key->bytes, algorithm, why);
}

/* The class of sizes of a call. The longest calls, which the MPI executes, are in the last one. */
static uint32_t class_of(uint64_t bytes)
{
    uint32_t class = (uint32_t)(63 - __builtin_clzll(bytes | 1));
    return class < LIVE_CLASSES ? class : LIVE_CLASSES - 1;
}

/* Costs are measured at the first call that can be predicted by them. If the prediction is sure and no trial
 * has begun, the first trial comes some calls later. Collective. */
static void follow_prediction(struct live_comm *comm, struct plan_entry *entry, char *why, size_t size)
{
    if (!live_predicts(&entry->key))
        return;
    if (!comm->costs_asked && !comm->known.costs.is_measured)
        live_costs_measure(comm);
    struct live_prediction is = live_predict(comm, &entry->key, entry->plan.algorithm);
    bool ours = is.verdict == LIVE_FASTER;
    bool is_taken = is.verdict != LIVE_UNKNOWN && autotune_begin_with(entry->autotune, ours);
    char begins[32] = "both are tried";
    if (is_taken)
        snprintf(begins, sizeof begins, "%s for %d calls", ours ? "this" : "which", AUTOTUNE_PREDICTED);
    if (is.ours.most_ps > 0)
        snprintf(why, size, "or the MPI's own, %s; predicted %.1f to %.1f us and %.1f to %.1f us", begins,
                 (double)is.ours.least_ps / 1e6, (double)is.ours.most_ps / 1e6,
                 (double)is.theirs.least_ps / 1e6, (double)is.theirs.most_ps / 1e6);
}

/* A number from 1 on that differs for nearly all different calls. */
static int32_t number_of(const struct live_key *key)
{
    uint64_t words[] = {key->kind, key->root, key->bytes, key->element, key->in_order, key->is_vector};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        hash = (hash ^ words[i]) * UINT64_C(0x9E3779B97F4A7C15) >> 1;
    return (int32_t)(hash >> 33) % INT32_MAX + 1;
}

enum agreement { NO_MEMORY, DIFFERENT_CALLS, AGREED };

/* Whether all ranks have a plan, and for the same call. Ranks whose calls do not belong together are an error
 * of the program: all leave the call to the MPI, which reports it, perhaps on some ranks alone. The others
 * then wait in this call for messages of the next one; so the library must not meet before it. Collective. */
static enum agreement agree(const struct live_comm *comm, const struct live_key *key, bool has_plan)
{
    int32_t mine[2] = {has_plan ? number_of(key) : 0, has_plan ? -number_of(key) : 0}, least[2];
    if (PMPI_Allreduce(mine, least, 2, MPI_INT32_T, MPI_MIN, comm->mine) != MPI_SUCCESS || least[0] == 0)
        return NO_MEMORY;
    return least[0] == -least[1] ? AGREED : DIFFERENT_CALLS;
}

static void fill(struct live_comm *comm, struct plan_entry *entry, const struct live_key *key)
{
    enum agreement agreed = AGREED;
    char why[160] = "";
    bool tried;
    const struct coll_algorithm *algorithm = live_choose(comm, key, &tried, why, sizeof why);
    *entry = (struct plan_entry){.key = *key, .is_filled = true};
    if (algorithm)
        agreed = agree(comm, key, compile(comm, entry, algorithm));
    if (agreed != AGREED) {
        coll_plan_free(&entry->plan);
        algorithm = NULL;
        comm->calls_differ = agreed == DIFFERENT_CALLS;
        snprintf(why, sizeof why, "%s",
                 agreed == NO_MEMORY ? "a rank has no memory" : "the ranks make different calls");
    }
    uint32_t class = class_of(key->bytes);
    uint8_t known = comm->known.choice[live_function(key)][class];
    if (algorithm && tried)
        entry->autotune = &comm->autotunes[live_function(key)][class];
    if (algorithm && tried && known == LIVE_NOT_KNOWN)
        follow_prediction(comm, entry, why, sizeof why);
    else if (algorithm && tried)
        snprintf(why, sizeof why, "or the MPI's own, %s is faster on such a communicator",
                 known == LIVE_KNOWN_OURS ? "this" : "which");
    if (comm->settings.verbose && comm->rank == 0)
        report(key, algorithm ? algorithm->name : "the MPI's own", why);
}

static bool is_same(const struct live_key *a, const struct live_key *b)
{
    return a->kind == b->kind && a->root == b->root && a->bytes == b->bytes && a->element == b->element &&
           a->in_order == b->in_order && a->is_vector == b->is_vector;
}

static struct plan_entry *find_or_fill(struct live_comm *comm, const struct live_key *key)
{
    if (comm->latest[key->kind] && is_same(&comm->latest[key->kind]->key, key))
        return comm->latest[key->kind];
    for (int i = 0; i < LIVE_PLANS; i++)
        if (comm->plans[i].is_filled && is_same(&comm->plans[i].key, key))
            return &comm->plans[i];
    struct plan_entry *entry = entry_for_new(comm, key);
    if (entry)
        fill(comm, entry, key);
    return entry;
}

const struct plan_entry *live_plan_find(struct live_comm *comm, const struct live_key *key)
{
    comm->calls++;
    struct plan_entry *found = find_or_fill(comm, key);
    comm->latest[key->kind] = found;
    if (found)
        found->last_call = comm->calls;
    return found && found->plan.algorithm ? found : NULL;
}
