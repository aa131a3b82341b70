#include "live/coll/internal.h"

/* The times of an alltoall by way of nodes and of the MPI's own, for the largest node, by the equations of
 * docs/coll.md. Costs that differ between machines have a range, from the literature or measured on TCP.
 * A model is not exact, so it has three verdicts: by way of nodes is at least twice as fast on every machine,
 * at most half as fast on every machine, or the model does not know. It computes in whole picoseconds, since
 * all ranks must come to the same verdict. */

struct model_costs {
    uint64_t message_ps; /* processor time at one end of a message */
    uint64_t byte_ps;    /* time to copy a byte */
    uint64_t wake_ps;    /* time until a rank sees what another rank of its node has raised */
};

enum {
    FASTEST_MESSAGE_PS = 300000, /* verbs: the parts of a post and a completion in the Breaking Band paper */
    SLOWEST_MESSAGE_PS = 10000000, /* TCP through the kernel */
    FASTEST_BYTE_PS = 100,         /* 10 GB/s */
    SLOWEST_BYTE_PS = 500,         /* 2 GB/s, if all cores of a node copy at the same time */
    SPINNING_WAKE_PS = 200000,     /* the transfer of a cache line from another core */
    SLEEPING_WAKE_PS = 5000000,    /* a futex, and a switch of processes on the core */
    SURE = 2,                      /* a verdict needs a ratio of at least this */
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The rounds of Bruck's algorithm. */
static uint64_t rounds_of(uint32_t ranks)
{
    uint64_t rounds = 0;
    while ((UINT64_C(1) << rounds) < ranks)
        rounds++;
    return rounds;
}

/* Ranks that share a core work one after another. */
static uint64_t ranks_per_core(const struct live_comm *comm)
{
    uint32_t cores = comm->cores;
    return comm->most_here > cores ? (comm->most_here + cores - 1) / cores : 1;
}

/* The faster of the MPI's two algorithms: a message to each rank, or Bruck's, which copies half of all data
 * twice in each round. Blocks for ranks of the same node are copied into shared memory and out of it. */
static uint64_t by_mpi_ps(const struct live_comm *comm, uint64_t block_bytes,
                          const struct model_costs *machine)
{
    uint64_t rounds = rounds_of(comm->size), others = comm->size - 1;
    uint64_t bruck = rounds * (2 * machine->message_ps + comm->size * block_bytes * machine->byte_ps);
    uint64_t within = 2 * (comm->most_here - 1) * block_bytes * machine->byte_ps;
    return ranks_per_core(comm) * (least(2 * others * machine->message_ps, bruck) + within);
}

/* Each rank stages all its data and copies all it gets out of shared memory; all ranks of the node are woken;
 * a leader exchanges messages with the other nodes in between. */
static uint64_t by_nodes_ps(const struct live_comm *comm, uint64_t block_bytes,
                            const struct model_costs *machine)
{
    uint64_t copies = 2 * comm->size * block_bytes * machine->byte_ps;
    uint64_t messages = (comm->nodes.count - 1 + comm->leaders - 1) / comm->leaders;
    return ranks_per_core(comm) * copies + comm->most_here * machine->wake_ps +
           2 * messages * machine->message_ps;
}

enum live_verdict live_model_alltoall(const struct live_comm *comm, uint64_t block_bytes)
{
    static const uint64_t messages_ps[] = {FASTEST_MESSAGE_PS, SLOWEST_MESSAGE_PS};
    static const uint64_t bytes_ps[] = {FASTEST_BYTE_PS, SLOWEST_BYTE_PS};
    bool oversubscribed = comm->most_here > comm->cores, faster = true, slower = true;
    for (int corner = 0; corner < 4; corner++) {
        const struct model_costs machine = {.message_ps = messages_ps[corner % 2],
                                            .byte_ps = bytes_ps[corner / 2],
                                            .wake_ps = oversubscribed ? SLEEPING_WAKE_PS : SPINNING_WAKE_PS};
        uint64_t ours = by_nodes_ps(comm, block_bytes, &machine);
        uint64_t theirs = by_mpi_ps(comm, block_bytes, &machine);
        faster &= SURE * ours < theirs;
        slower &= ours > SURE * theirs;
    }
    return faster ? LIVE_FASTER : slower ? LIVE_SLOWER : LIVE_UNKNOWN;
}
