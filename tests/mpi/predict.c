/* A unit test of predict.c of the preloaded collectives: the times of both ways by given costs, in closed
 * form, and the verdicts. There is one rank. */
#include <stdio.h>

#include "coll/nodes.h"
#include "live/coll/internal.h"

static int failures;

static void expect(bool holds, const char *what, const struct live_prediction *is)
{
    if (holds)
        return;
    fprintf(stderr, "predict: failed: %s: %llu to %llu ps and %llu to %llu ps, verdict %d\n", what,
            (unsigned long long)is->ours.least_ps, (unsigned long long)is->ours.most_ps,
            (unsigned long long)is->theirs.least_ps, (unsigned long long)is->theirs.most_ps,
            (int)is->verdict);
    failures++;
}

/* The call that decides, as choose.c makes it. */
struct coll_call live_coll_call(const struct live_comm *comm, const struct live_key *key, uint32_t rank)
{
    return (struct coll_call){.kind = key->kind,
                              .size = comm->size,
                              .rank = rank,
                              .leaders = comm->leaders,
                              .element = key->element,
                              .bytes = key->bytes,
                              .nodes = &comm->nodes};
}

/* Nodes of `per_node` ranks. */
enum { RANKS_MAX = 64 };
static void make_comm(struct live_comm *comm, uint32_t nodes, uint32_t per_node)
{
    static uint32_t words[5 * RANKS_MAX];
    *comm = (struct live_comm){.size = nodes * per_node, .leaders = 1, .most_here = per_node};
    for (uint32_t rank = 0; rank < comm->size; rank++)
        words[rank] = rank / per_node * per_node;
    coll_nodes_init(&comm->nodes, comm->size, words, words);
}

static struct live_range exactly(uint64_t ps)
{
    return (struct live_range){ps, ps};
}

static struct live_prediction predicted(const struct live_comm *comm, enum coll_kind kind, uint64_t bytes)
{
    const struct live_key key = {.kind = kind, .bytes = bytes, .element = 1};
    return live_predict(comm, &key, coll_find(kind, "leaders"));
}

static bool is_time(const struct live_range *time, uint64_t least_ps, uint64_t most_ps)
{
    return time->least_ps == least_ps && time->most_ps == most_ps;
}

/* Rounds of the MPI's own barrier and allreduce of 8 B on two nodes of four ranks. Open MPI: recursive
 * doubling, two rounds within nodes and one between them. MPICH's barrier is a dissemination within the node,
 * one between nodes and a binomial bcast; its allreduce has a binomial reduce first. */
#ifdef OPEN_MPI
enum { NEAR_BARRIER = 2, NEAR_ALLREDUCE = 2 };
#else
enum { NEAR_BARRIER = 4, NEAR_ALLREDUCE = 4 };
#endif

static void test_times(struct live_comm *comm)
{
    enum { NEAR = 1000, FAR = 70000, LEAD = 50000, MEET = 300, MESSAGE = 11000, BYTE = 7, COPY = 3 };
    struct live_costs *costs = &comm->known.costs;
    make_comm(comm, 2, 4);
    *costs = (struct live_costs){.is_measured = true,
                                 .near = exactly(NEAR),
                                 .far = exactly(FAR),
                                 .lead = exactly(LEAD),
                                 .meet = exactly(MEET),
                                 .message = exactly(MESSAGE)};
    struct live_prediction is = predicted(comm, COLL_BARRIER, 0);
    expect(is_time(&is.ours, LEAD + MEET, LEAD + MEET), "a barrier by leaders", &is);
    expect(is_time(&is.theirs, NEAR_BARRIER * NEAR + FAR, NEAR_BARRIER * NEAR + FAR), "the MPI's barrier",
           &is);
    is = predicted(comm, COLL_ALLREDUCE, 8);
    expect(is_time(&is.ours, LEAD + MEET, LEAD + MEET), "an allreduce by leaders", &is);
    expect(is_time(&is.theirs, NEAR_ALLREDUCE * NEAR + FAR, NEAR_ALLREDUCE * NEAR + FAR),
           "the MPI's allreduce", &is);
    expect(is.verdict == LIVE_FASTER, "a wait for one node and one round is faster", &is);
    make_comm(comm, 4, 4);
    comm->known.costs = (struct live_costs){.is_measured = true,
                                            .lead = exactly(LEAD),
                                            .meet = exactly(MEET),
                                            .message = {0, MESSAGE},
                                            .lead_byte = exactly(BYTE),
                                            .copy_byte = exactly(COPY)};
    is = predicted(comm, COLL_BARRIER, 0);
    expect(is_time(&is.ours, LEAD + MEET, LEAD + MEET + 2 * MESSAGE), "three messages at once", &is);
    /* A leader sends 4 blocks to each of 3 nodes, copies its own block into the memory of the node, and all
     * 16 blocks out of it. */
    is = predicted(comm, COLL_ALLGATHER, 100);
    expect(is.ours.least_ps == LEAD + MEET + 12 * 100 * BYTE + 17 * 100 * COPY, "bytes", &is);
}

static void test_verdicts(struct live_comm *comm)
{
    struct live_costs *costs = &comm->known.costs;
    make_comm(comm, 2, 4);
    *costs = (struct live_costs){.is_measured = true,
                                 .near = exactly(10),
                                 .far = exactly(10),
                                 .lead = exactly(10),
                                 .meet = {900, 950}};
    struct live_prediction is = predicted(comm, COLL_BARRIER, 0);
    expect(is.verdict == LIVE_SLOWER, "meetings that take long are slower", &is);
    costs->meet = (struct live_range){5, 950};
    is = predicted(comm, COLL_BARRIER, 0);
    expect(is.verdict == LIVE_UNKNOWN && is.ours.most_ps > 0, "ranges that meet are unknown", &is);
    costs->meet = exactly(1);
    is = predicted(comm, COLL_BARRIER, 0);
    expect(is.verdict == LIVE_FASTER, "costs that are exact are sure", &is);
    for (comm->rank = 0; comm->rank < comm->size; comm->rank++) {
        struct live_prediction other = predicted(comm, COLL_BARRIER, 0);
        expect(other.verdict == is.verdict && other.ours.most_ps == is.ours.most_ps &&
                   other.theirs.least_ps == is.theirs.least_ps,
               "all ranks predict the same", &other);
    }
    is = predicted(comm, COLL_ALLREDUCE, 1 << 20);
    expect(is.verdict == LIVE_UNKNOWN && is.ours.most_ps == 0, "long messages are not predicted", &is);
    is = predicted(comm, COLL_BCAST, 8);
    expect(is.verdict == LIVE_UNKNOWN && is.ours.most_ps == 0, "ranks need not wait for a bcast", &is);
    costs->is_measured = false;
    is = predicted(comm, COLL_BARRIER, 0);
    expect(is.verdict == LIVE_UNKNOWN && is.ours.most_ps == 0, "nothing is known without costs", &is);
}

int main(void)
{
    static struct live_comm comm;
    test_times(&comm);
    test_verdicts(&comm);
    return failures > 0;
}
