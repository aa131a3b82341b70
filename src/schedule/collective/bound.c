#include "schedule/collective/bound.h"

/* How many ranks a rank can reach, itself included, within `hops` steps from circuit to circuit when each
 * port has `switches` of them; at most `most`. */
static uint64_t within(uint32_t switches, uint32_t hops, uint64_t most)
{
    uint64_t sum = 1, last = 1;
    for (uint32_t i = 0; i < hops && sum < most; i++) {
        last = last * switches < most ? last * switches : most;
        sum += last;
    }
    return sum < most ? sum : most;
}

uint32_t collective_least_hops(const struct collective_task *collective, uint32_t switches,
                               uint32_t configurations)
{
    for (uint32_t hops = 0;; hops++) {
        /* Hops spread evenly over the configurations reach most. */
        uint64_t reached = 1, most = collective->ranks;
        uint32_t each = hops / configurations, more = hops % configurations;
        for (uint32_t i = 0; i < configurations && reached < most && (each || i < more); i++)
            reached *= within(switches, each + (i < more), most);
        if (reached >= most)
            return hops;
    }
}

/* The bytes of an alltoall's circuits, over those of a block, from a rank on: a rank reaches at most
 * (h + c - 1 over c - 1) K^h ranks by h hops. */
static uint64_t alltoall_hops(uint32_t ranks, uint32_t switches, uint32_t configurations)
{
    uint64_t left = ranks - 1, sum = 0, ways = 1;
    for (uint64_t hops = 1; left; hops++) {
        /* ways = (h + c - 2 over c - 1) K^(h - 1) becomes that of h. Above `left` it does not matter. */
        ways = ways * (hops + configurations - 1) / hops;
        ways *= switches;
        uint64_t there = ways < left ? ways : left;
        sum += there * hops;
        left -= there;
    }
    return sum;
}

static uint64_t share(uint64_t bytes, uint64_t links)
{
    return bytes / links + (bytes % links != 0);
}

uint64_t collective_least_bytes(const struct collective_task *collective, uint32_t switches,
                                uint32_t configurations)
{
    uint64_t bytes = collective->bytes, others = collective->ranks - 1;
    switch (collective->kind) {
    case COLL_ALLREDUCE:
        return share(2 * others * bytes, (uint64_t)collective->ranks * switches);
    case COLL_ALLTOALL:
        return share(alltoall_hops(collective->ranks, switches, configurations) * bytes, switches);
    case COLL_ALLGATHER:
    case COLL_REDUCE_SCATTER:
    case COLL_GATHER:
    case COLL_SCATTER:
        return share(others * bytes, switches);
    case COLL_BARRIER:
        return 0;
    default: /* the vector leaves a rank, or reaches one */
        return share(bytes, switches);
    }
}

ps_t collective_bound_ps(const struct collective_task *collective, const struct collective_network *network,
                         ps_t switching_ps)
{
    ps_t least = PS_NEVER;
    for (uint32_t configurations = 1; configurations <= collective->ranks; configurations++) {
        uint32_t hops = collective_least_hops(collective, network->switches, configurations);
        uint64_t bytes = collective_least_bytes(collective, network->switches, configurations);
        ps_t time_ps =
            ps_add(ps_times(switching_ps, configurations - 1),
                   ps_add(ps_times(network->latency_ps, hops), service_ps(bytes, network->rate_bytes_per_s)));
        least = time_ps < least ? time_ps : least;
    }
    return least;
}
