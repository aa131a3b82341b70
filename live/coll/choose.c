#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll/footprint.h"
#include "coll/nodes.h"
#include "live/coll/internal.h"

struct coll_call live_coll_call(const struct live_comm *comm, const struct live_key *key, uint32_t rank)
{
    return (struct coll_call){.kind = key->kind,
                              .size = comm->size,
                              .rank = rank,
                              .root = key->root,
                              .leaders = comm->leaders,
                              .element = key->element,
                              .bytes = key->bytes,
                              .nodes = &comm->nodes};
}

/* Whether every node has the shared memory and the flags that the algorithm takes. */
static bool nodes_have_room(const struct live_comm *comm, const struct coll_algorithm *algorithm,
                            const struct live_key *key)
{
    struct coll_call call = live_coll_call(comm, key, 0);
    for (uint32_t node = 0; node < comm->nodes.count; node++) {
        call.rank = node_member(&call, node, 0);
        if (algorithm->shared && algorithm->shared(&call) > comm->copy_bytes)
            return false;
        if (algorithm->flags && algorithm->flags(&call) > live_memory_flags(comm, node_ranks(&call, node)))
            return false;
    }
    return true;
}

/* The reason why `algorithm` cannot do the call; NULL: it can. */
static const char *obstacle(const struct live_comm *comm, const struct coll_algorithm *algorithm,
                            const struct live_key *key)
{
    if (key->bytes > coll_footprint_bytes_max(key->kind, comm->size, comm->most_here))
        return "its messages would be longer than MPI can say";
    if ((algorithm->shared || algorithm->flags) && !comm->shared)
        return "there is no shared memory";
    if (!nodes_have_room(comm, algorithm, key))
        return "it would take more shared memory than there is";
    return NULL;
}

/* Among the lines that hold it takes the one with the largest size that is not above this size, or, if all
 * are above, the smallest. */
const char *live_algorithm_of_table(const struct live_comm *comm, uint32_t call, uint64_t bytes)
{
    const struct live_settings_choice *best = NULL;
    for (uint32_t i = 0; i < comm->settings.choice_count; i++) {
        const struct live_settings_choice *choice = &comm->settings.choices[i];
        if (choice->call != call || choice->nodes != comm->nodes.count ||
            choice->most_here != comm->most_here)
            continue;
        bool fits = choice->bytes <= bytes;
        if (!best || (fits ? best->bytes > bytes || choice->bytes > best->bytes
                           : best->bytes > bytes && choice->bytes < best->bytes))
            best = choice;
    }
    return best ? best->algorithm : NULL;
}

/* What a line of a table holds for, if it holds for this call. */
static uint32_t call_of(const struct live_key *key)
{
    if (!key->is_vector)
        return key->kind;
    return key->kind == COLL_ALLGATHER ? COLL_ALLGATHERV : SETTINGS_REDUCE_SCATTERV;
}

static const char *automatic(const struct live_comm *comm, const struct live_key *key, bool *tried, char *why,
                             size_t size)
{
    const char *measured = live_algorithm_of_table(comm, call_of(key), key->bytes);
    if (measured) {
        snprintf(why, size, "measured, %s", comm->settings.table_variable);
        return measured;
    }
    if (comm->most_here == 1) {
        snprintf(why, size, "no node has two ranks");
        return "mpi";
    }
    static const char *const reasons[] = {[LIVE_FASTER] = "the model says it is surely faster",
                                          [LIVE_SLOWER] = "the model says it is surely faster",
                                          [LIVE_UNKNOWN] = "or the MPI's own, both are tried"};
    enum live_verdict verdict =
        key->kind == COLL_ALLTOALL ? live_model_alltoall(comm, key->bytes) : LIVE_UNKNOWN;
    snprintf(why, size, "%s", reasons[verdict]);
    *tried = verdict == LIVE_UNKNOWN;
    return verdict == LIVE_SLOWER ? "mpi" : "leaders";
}

/* The variable that names the algorithm of a kind. Rank 0, which prints it, has read them. */
static const char *naming_variable(enum coll_kind kind, const char *name, char text[SETTINGS_VARIABLE])
{
    const char *own = getenv(live_settings_variable(kind, text)), *reduce = getenv("HELIO_REDUCE");
    if (own && *own)
        return text;
    return reduce && strcmp(reduce, "ordered") == 0 && strcmp(name, "ordered") == 0 ? "HELIO_REDUCE"
                                                                                    : "HELIO_COLL";
}

const struct coll_algorithm *live_choose(const struct live_comm *comm, const struct live_key *key,
                                         bool *tried, char *why, size_t size)
{
    char variable[SETTINGS_VARIABLE];
    const char *name = comm->settings.algorithms[key->kind];
    *tried = false;
    bool is_auto = strcmp(name, "auto") == 0;
    if (key->in_order)
        snprintf(why, size, "the operation does not commute");
    else if (!is_auto)
        snprintf(why, size, "%s=%s", naming_variable(key->kind, name, variable), name);
    if (key->in_order && strcmp(name, "mpi") != 0)
        name = is_auto ? "mpi" : "ordered";
    else if (is_auto)
        name = automatic(comm, key, tried, why, size);
    const struct coll_algorithm *algorithm = coll_find(key->kind, name);
    const char *problem = algorithm ? obstacle(comm, algorithm, key) : NULL;
    if (problem)
        snprintf(why, size, "not %s, %s", name, problem);
    return problem ? NULL : algorithm;
}
