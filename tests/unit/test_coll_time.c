/* The time that the simulator gives a collective algorithm on hockney, against its closed form. Every message
 * waits for its receiver (rendezvous), so a round of messages of b bytes takes L + b x BYTE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/script.h"

#define L    INT64_C(2000000) /* 2 us */
#define BYTE INT64_C(100)     /* 10 GB/s */

#define NODE_L    INT64_C(100000) /* 100 ns */
#define NODE_BYTE INT64_C(25)     /* 40 GB/s */

#define NONE "mpi.segment=0B"

static struct script_outcome out;

/* `set` is one more setting. */
static ps_t time_of(enum call_op op, const char *choice, uint32_t ranks, uint64_t bytes, const char *set)
{
    struct call call[] = {COLLECTIVE(op, bytes, 0), FINALIZE};
    const struct call *calls[SCRIPT_RANKS];
    for (uint32_t rank = 0; rank < ranks; rank++)
        calls[rank] = call;
    script_run(calls, ranks, "hockney",
               (const char *const[]){"hockney.latency=2us", "hockney.bandwidth=10GB/s",
                                     "intranode.latency=100ns", "intranode.bandwidth=40GB/s",
                                     "mpi.eager_threshold=0B", set, choice, NULL},
               &out);
    assert_int_equal(out.status, STATUS_OK);
    return out.makespan;
}

static uint32_t log2_up(uint32_t size)
{
    uint32_t rounds = 0;
    while (1u << rounds < size)
        rounds++;
    return rounds;
}

/* T = (S - 1 + H) (L + segment): S segments in each half, H = ceil(log2 P) levels. */
static void double_trees(void **state)
{
    (void)state;
    for (uint32_t ranks = 2; ranks <= 64; ranks += ranks < 20 ? 1 : 11) {
        const uint64_t bytes = 160000, segment = 10000;
        ps_t round = L + (ps_t)segment * BYTE;
        uint32_t levels = log2_up(ranks);
        ps_t once = (8 - 1 + levels) * round, twice = (8 - 1 + 2 * levels) * round;
        const char *set = "mpi.segment=10000B";
        assert_int_equal(time_of(CALL_BCAST, "mpi.bcast=double-tree", ranks, bytes, set), once);
        assert_int_equal(time_of(CALL_REDUCE, "mpi.reduce=double-tree", ranks, bytes, set), once);
        assert_int_equal(time_of(CALL_ALLREDUCE, "mpi.allreduce=double-tree", ranks, bytes, set), twice);
    }
}

/* T = the sum over the rounds of L + blocks x block: in all P - 1 blocks, and twice that in an allreduce. */
static void circulants(void **state)
{
    (void)state;
    for (uint32_t ranks = 2; ranks <= 64; ranks += ranks < 20 ? 1 : 11) {
        const uint64_t block = 1000;
        ps_t once = log2_up(ranks) * L + (ps_t)((ranks - 1) * block) * BYTE;
        assert_int_equal(time_of(CALL_REDUCE_SCATTER, "mpi.reduce_scatter=circulant", ranks, block, NONE),
                         once);
        assert_int_equal(time_of(CALL_ALLREDUCE, "mpi.allreduce=circulant", ranks, ranks * block, NONE),
                         2 * once);
    }
}

/* T = ceil(log2 P) (L + vector), and a vector for each bit of P that is set but the highest and the lowest.
 */
static void disseminations(void **state)
{
    (void)state;
    const uint64_t vector = 1000;
    ps_t round = L + (ps_t)vector * BYTE;
    assert_int_equal(time_of(CALL_ALLREDUCE, "mpi.allreduce=dissemination", 64, vector, NONE), 6 * round);
    assert_int_equal(time_of(CALL_ALLREDUCE, "mpi.allreduce=dissemination", 20, vector, NONE), 5 * round);
    assert_int_equal(time_of(CALL_ALLREDUCE, "mpi.allreduce=dissemination", 23, vector, NONE),
                     5 * round + 2 * (ps_t)vector * BYTE);
}

/* T = R (L + P / B block) with base B and R digits: messages of one round do not delay each other. */
static void bruck_in_larger_bases(void **state)
{
    (void)state;
    const uint64_t block = 1000;
    ps_t four = time_of(CALL_ALLTOALL, "mpi.alltoall=bruck-4", 64, block, NONE);
    assert_int_equal(four, 3 * (L + (ps_t)(16 * block) * BYTE));
    ps_t root = time_of(CALL_ALLTOALL, "mpi.alltoall=bruck-root", 64, block, NONE);
    assert_int_equal(root, 2 * (L + (ps_t)(8 * block) * BYTE));
}

/* T = R L + (P - 1) block with R = (P - 1) / F + F - 1 rounds, F = ceil(sqrt(P)); twice that in an allreduce.
 */
static void two_rings(void **state)
{
    (void)state;
    for (uint32_t ranks = 2, far = 1; ranks <= 64; ranks += ranks < 20 ? 1 : 11) {
        while (far * far < ranks)
            far++;
        const uint64_t block = 1000;
        ps_t once = ((ranks - 1) / far + far - 1) * L + (ps_t)((ranks - 1) * block) * BYTE;
        assert_int_equal(time_of(CALL_ALLGATHER, "mpi.allgather=two-rings", ranks, block, NONE), once);
        assert_int_equal(time_of(CALL_REDUCE_SCATTER, "mpi.reduce_scatter=two-rings", ranks, block, NONE),
                         once);
        assert_int_equal(time_of(CALL_ALLREDUCE, "mpi.allreduce=two-rings", ranks, ranks * block, NONE),
                         2 * once);
    }
}

/* T = R L + (P - 1) block: R = log2 A + Q / A - 1 rounds with A blocks in a message, P - 1 if A is 1. */
static void parallel_trees(void **state)
{
    (void)state;
    for (uint32_t ranks = 8; ranks <= 64; ranks += ranks < 20 ? 1 : 11) {
        const uint64_t block = 1000;
        const uint32_t power = 1u << log2_up(ranks);
        ps_t bytes = (ps_t)((ranks - 1) * block) * BYTE;
        ps_t four = (2 + power / 4 - 1) * L + bytes, one = (ranks - 1) * L + bytes;
        const char *set = "mpi.segment=4000B";
        assert_int_equal(time_of(CALL_ALLGATHER, "mpi.allgather=pat", ranks, block, set), four);
        assert_int_equal(time_of(CALL_REDUCE_SCATTER, "mpi.reduce_scatter=pat", ranks, block, set), four);
        set = "mpi.segment=1999B";
        assert_int_equal(time_of(CALL_ALLGATHER, "mpi.allgather=pat", ranks, block, set), one);
        assert_int_equal(time_of(CALL_REDUCE_SCATTER, "mpi.reduce_scatter=pat", ranks, block, set), one);
        ps_t all = log2_up(ranks) * L + bytes; /* 512 KiB hold all blocks */
        assert_int_equal(time_of(CALL_ALLGATHER, "mpi.allgather=pat", ranks, block, NONE), all);
        assert_int_equal(time_of(CALL_REDUCE_SCATTER, "mpi.reduce_scatter=pat", ranks, block, NONE), all);
    }
}

/* With leaders, T = 2 log N L + 2 (1 - 1/N) n BYTE + 2 log L (NODE_L + n NODE_BYTE); with lanes, a rank sends
 * 1/L of it, and T = 2 log N L + 2 (1 - 1/N) n/L BYTE + 2 log L NODE_L + 2 (1 - 1/L) n NODE_BYTE. */
static void hierarchical_allreduces(void **state)
{
    (void)state;
    for (uint32_t nodes = 1; nodes <= 8; nodes *= 2)
        for (uint32_t ranks = 1; ranks <= 8; ranks *= 2) {
            const ps_t bytes = 64000, between = 2 * (bytes - bytes / nodes);
            const ps_t node_rounds = 2 * log2_up(ranks), rounds = 2 * log2_up(nodes);
            char set[32];
            snprintf(set, sizeof set, "ranks_per_node=%u", ranks);
            assert_int_equal(
                time_of(CALL_ALLREDUCE, "mpi.allreduce=hierarchical", nodes * ranks, (uint64_t)bytes, set),
                rounds * L + between * BYTE + node_rounds * (NODE_L + bytes * NODE_BYTE));
            assert_int_equal(
                time_of(CALL_ALLREDUCE, "mpi.allreduce=full-lane", nodes * ranks, (uint64_t)bytes, set),
                rounds * L + between / ranks * BYTE + node_rounds * NODE_L +
                    2 * (bytes - bytes / ranks) * NODE_BYTE);
        }
}

/* T = NODE_L + N n NODE_BYTE within the node, with the blocks for all N nodes, and L + ranks n BYTE. */
static void alltoalls_by_lane(void **state)
{
    (void)state;
    const uint64_t bytes = 1000;
    for (uint32_t nodes = 2; nodes <= 8; nodes++)
        for (uint32_t ranks = 2; ranks <= 8; ranks++) {
            char set[32];
            snprintf(set, sizeof set, "ranks_per_node=%u", ranks);
            assert_int_equal(time_of(CALL_ALLTOALL, "mpi.alltoall=full-lane", nodes * ranks, bytes, set),
                             NODE_L + (ps_t)(nodes * bytes) * NODE_BYTE + L + (ps_t)(ranks * bytes) * BYTE);
        }
}

/* Two segments of 40 kB in each half. A round between nodes takes L + segment, a message of the chain within
 * a node NODE_L + segment: T = (S - 1 + log N) rounds, and then the chain of the last node. */
static void double_trees_of_nodes(void **state)
{
    (void)state;
    const uint64_t bytes = 160000, segment = 40000;
    for (uint32_t nodes = 2; nodes <= 8; nodes++)
        for (uint32_t ranks = 1; ranks <= 8; ranks++) {
            char set[32];
            snprintf(set, sizeof set, "ranks_per_node=%u", ranks);
            ps_t round = L + (ps_t)segment * BYTE, within = NODE_L + (ps_t)segment * NODE_BYTE;
            assert_int_equal(time_of(CALL_BCAST, "mpi.bcast=node-double-tree", nodes * ranks, bytes, set),
                             (1 + log2_up(nodes)) * round + (ranks - 1) * within);
        }
}

/* On up to 8 nodes leaders exchange all at once. Without contention that takes one round; a long bcast takes
 * one to the leaders and one between them, each with a part of 1/(N-1). On more nodes they take log N rounds,
 * and a long allreduce that of circulant. Within nodes no time passes. */
static void leaders_with_shared_memory(void **state)
{
    (void)state;
    for (uint32_t nodes = 3; nodes <= 16; nodes++) {
        const uint64_t bytes = 840 * 1000, block = 1000;
        const ps_t round = L + (ps_t)block * BYTE, part = L + (ps_t)(bytes / (nodes - 1)) * BYTE;
        const ps_t rounds = log2_up(nodes), few = nodes <= 8;
        assert_int_equal(time_of(CALL_BARRIER, "mpi.barrier=leaders", nodes * 4, 0, "ranks_per_node=4"),
                         (few ? 1 : rounds) * L);
        assert_int_equal(time_of(CALL_BCAST, "mpi.bcast=leaders", nodes * 4, block, "ranks_per_node=4"),
                         (few ? 1 : rounds) * round);
        if (bytes % (nodes - 1) == 0)
            assert_int_equal(time_of(CALL_BCAST, "mpi.bcast=leaders", nodes * 4, bytes, "ranks_per_node=4"),
                             2 * part);
        assert_int_equal(
            time_of(CALL_ALLGATHER, "mpi.allgather=leaders", nodes * 4, block, "ranks_per_node=4"),
            few ? L + 4 * (ps_t)block * BYTE : rounds * L + (nodes - 1) * 4 * (ps_t)block * BYTE);
        assert_int_equal(
            time_of(CALL_ALLREDUCE, "mpi.allreduce=leaders", nodes * 4, block, "ranks_per_node=4"),
            few ? round : rounds * L + (nodes - 1) * (ps_t)block * BYTE);
        if (bytes % nodes == 0)
            assert_int_equal(
                time_of(CALL_ALLREDUCE, "mpi.allreduce=leaders", nodes * 4, bytes, "ranks_per_node=4"),
                2 * (rounds * L + (ps_t)(bytes - bytes / nodes) * BYTE));
    }
}

static void assert_time(enum call_op op, const char *choice, uint32_t ranks, uint64_t bytes, ps_t expected)
{
    assert_int_equal(time_of(op, choice, ranks, bytes, NONE), expected);
}

/* Trees and chains: so many messages of the whole vector wait for each other. */
static void trees_of_libraries(void **state)
{
    (void)state;
    for (uint32_t ranks = 2; ranks <= 64; ranks += ranks < 20 ? 1 : 11) {
        const uint64_t bytes = 5000;
        const ps_t round = L + (ps_t)bytes * BYTE;
        uint32_t floor_log = log2_up(ranks + 1) - 1;
        assert_time(CALL_BCAST, "mpi.bcast=line", ranks, bytes, (ranks - 1) * round);
        assert_time(CALL_REDUCE, "mpi.reduce=line", ranks, bytes, (ranks - 1) * round);
        assert_time(CALL_BCAST, "mpi.bcast=binary", ranks, bytes, floor_log * round);
        assert_time(CALL_BCAST, "mpi.bcast=doubling", ranks, bytes, floor_log * round);
        assert_time(CALL_BCAST, "mpi.bcast=knomial", ranks, bytes,
                    (ranks > 21  ? 3
                     : ranks > 5 ? 2
                                 : 1) *
                        round);
        assert_time(CALL_ALLREDUCE, "mpi.allreduce=linear", ranks, bytes, ranks * round);
        assert_time(CALL_SCAN, "mpi.scan=exchange", ranks, bytes, log2_up(ranks) * round);
        assert_time(CALL_BARRIER, "mpi.barrier=tree", ranks, 0, 2 * floor_log * L); /* empty: eager */
        assert_time(CALL_GATHER, "mpi.gather=linear-sync", ranks, bytes, (ranks - 1) * (2 * L + round));
        assert_time(CALL_ALLTOALL, "mpi.alltoall=shifted", ranks, bytes, (ranks - 1) * round);
        assert_time(CALL_REDUCE_SCATTER, "mpi.reduce_scatter=ring", ranks, bytes, (ranks - 1) * round);
        if (ranks % 2 == 0)
            assert_time(CALL_ALLGATHER, "mpi.allgather=neighbour-exchange", ranks, bytes,
                        round + (ranks / 2 - 1) * (round + (ps_t)bytes * BYTE));
    }
}

/* Halving and doubling for powers of two: log P rounds, and all blocks but one. */
static void halvings_of_libraries(void **state)
{
    (void)state;
    for (uint32_t ranks = 2; ranks <= 64; ranks *= 2) {
        const uint64_t block = 1000, bytes = ranks * block;
        const uint32_t log = log2_up(ranks);
        const ps_t once = log * L + (ps_t)((ranks - 1) * block) * BYTE, part = L + (ps_t)block * BYTE;
        assert_time(CALL_ALLREDUCE, "mpi.allreduce=rabenseifner-near", ranks, bytes, 2 * once);
        assert_time(CALL_ALLREDUCE, "mpi.allreduce=rabenseifner-split", ranks, bytes, 2 * once);
        assert_time(CALL_REDUCE, "mpi.reduce=rabenseifner-near", ranks, bytes, 2 * once);
        assert_time(CALL_REDUCE, "mpi.reduce=rabenseifner-split", ranks, bytes, 2 * once);
        assert_time(CALL_BCAST, "mpi.bcast=scatter-doubling", ranks, bytes, 2 * once);
        assert_time(CALL_BCAST, "mpi.bcast=scatter-ring", ranks, bytes, once + (ranks - 1) * part);
        assert_time(CALL_REDUCE_SCATTER, "mpi.reduce_scatter=butterfly", ranks, block, once);
        assert_time(CALL_REDUCE_SCATTER, "mpi.reduce_scatter=recursive-doubling", ranks, block,
                    log * L + (ps_t)((ranks * log - (ranks - 1)) * block) * BYTE);
        assert_time(CALL_BARRIER, "mpi.barrier=recursive-doubling", ranks, 0, log * L);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_of_libraries),
        cmocka_unit_test(halvings_of_libraries),
        cmocka_unit_test(double_trees),
        cmocka_unit_test(circulants),
        cmocka_unit_test(two_rings),
        cmocka_unit_test(bruck_in_larger_bases),
        cmocka_unit_test(disseminations),
        cmocka_unit_test(parallel_trees),
        cmocka_unit_test(hierarchical_allreduces),
        cmocka_unit_test(alltoalls_by_lane),
        cmocka_unit_test(double_trees_of_nodes),
        cmocka_unit_test(leaders_with_shared_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
