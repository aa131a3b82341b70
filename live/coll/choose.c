#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "coll/nodes.h"
#include "live/coll/internal.h"

/* The call as a rank of the largest node makes it. No other rank needs more memory. */
static struct coll_call largest_call(const struct live_comm *comm, uint64_t block_bytes)
{
    struct coll_call call = {.kind = COLL_ALLTOALL,
                             .size = comm->size,
                             .leaders = comm->leaders,
                             .element = 1,
                             .bytes = block_bytes,
                             .nodes = &comm->nodes};
    for (uint32_t rank = 0; rank < comm->size; rank++)
        if (node_ranks(&call, node_of(&call, rank)) > node_ranks(&call, node_of(&call, call.rank)))
            call.rank = rank;
    return call;
}

/* The reason why `algorithm` cannot do the call; NULL: it can. */
static const char *obstacle(const struct live_comm *comm, const struct coll_algorithm *algorithm,
                            uint64_t block_bytes)
{
    struct coll_call call = largest_call(comm, block_bytes);
    uint64_t room = INT_MAX / comm->size / comm->most_here;
    if (block_bytes == 0)
        return "there is nothing to send";
    if (block_bytes > room)
        return "its messages would be longer than MPI can say";
    if (algorithm->shared && !comm->shared)
        return "there is no shared memory";
    if (algorithm->shared && algorithm->shared(&call) > comm->copy_bytes)
        return "it would take more shared memory than there is";
    return NULL;
}

/* The algorithm of HELIO_ALLTOALL_TABLE; NULL: it has no line for a cluster of this shape. Among those lines
 * it takes the one with the largest size that is not above this size, or, if all are above, the smallest. */
static const char *algorithm_of_table(const struct live_comm *comm, uint64_t block_bytes)
{
    const struct live_settings_choice *best = NULL;
    for (uint32_t i = 0; i < comm->settings.choice_count; i++) {
        const struct live_settings_choice *choice = &comm->settings.choices[i];
        if (choice->nodes != comm->nodes.count || choice->most_here != comm->most_here)
            continue;
        bool fits = choice->bytes <= block_bytes;
        if (!best || (fits ? best->bytes > block_bytes || choice->bytes > best->bytes
                           : best->bytes > block_bytes && choice->bytes < best->bytes))
            best = choice;
    }
    return best ? best->algorithm : NULL;
}

static const char *automatic(const struct live_comm *comm, uint64_t block_bytes, bool *tried, char *why,
                             size_t size)
{
    const char *measured = algorithm_of_table(comm, block_bytes);
    if (measured) {
        snprintf(why, size, "measured, HELIO_ALLTOALL_TABLE");
        return measured;
    }
    if (comm->most_here == 1) {
        snprintf(why, size, "no node has two ranks");
        return "mpi";
    }
    static const char *const reasons[] = {[LIVE_FASTER] = "the model says it is surely faster",
                                          [LIVE_SLOWER] = "the model says it is surely faster",
                                          [LIVE_UNKNOWN] = "or the MPI's own, both are tried"};
    enum live_verdict verdict = live_model_compare(comm, block_bytes);
    snprintf(why, size, "%s", reasons[verdict]);
    *tried = verdict == LIVE_UNKNOWN;
    return verdict == LIVE_SLOWER ? "mpi" : "leaders";
}

const struct coll_algorithm *live_choose(const struct live_comm *comm, uint64_t block_bytes, bool *tried,
                                         char *why, size_t size)
{
    const char *name = comm->settings.algorithm;
    *tried = false;
    if (strcmp(name, "auto") == 0)
        name = automatic(comm, block_bytes, tried, why, size);
    else
        snprintf(why, size, "HELIO_ALLTOALL=%s", name);
    const struct coll_algorithm *algorithm = coll_find(COLL_ALLTOALL, name);
    const char *problem = algorithm ? obstacle(comm, algorithm, block_bytes) : NULL;
    if (problem)
        snprintf(why, size, "not %s, %s", name, problem);
    return problem ? NULL : algorithm;
}
