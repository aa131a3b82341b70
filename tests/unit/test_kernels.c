/* What a collective call takes beside its messages (collective.*), on hockney with a clock, against closed
 * forms: those of ASTRA-sim's ring, whose system layer these parameters describe. docs/chakra.md */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/script.h"

enum { NS = 1000 };

static struct script_outcome out;

/* One system: times in ns, rates in bytes per second. */
struct astra {
    ps_t latency, delay;
    uint64_t rate, memory, splits;
};

static ps_t time_of(const struct astra *astra, enum call_op op, uint32_t ranks, uint64_t bytes)
{
    char latency[64], rate[64], receive[64], begin[64], splits[64], memory[64];
    struct call call[] = {COLLECTIVE(op, bytes, 0), FINALIZE};
    const struct call *calls[SCRIPT_RANKS];
    for (uint32_t rank = 0; rank < ranks; rank++)
        calls[rank] = call;
    snprintf(latency, sizeof latency, "hockney.latency=%lld ns", (long long)astra->latency);
    snprintf(rate, sizeof rate, "hockney.bandwidth=%llu B/s", (unsigned long long)astra->rate);
    snprintf(receive, sizeof receive, "host.receive=%lld ns", (long long)astra->delay);
    snprintf(begin, sizeof begin, "collective.begin=%lld ns", (long long)astra->delay);
    snprintf(splits, sizeof splits, "collective.splits=%llu", (unsigned long long)astra->splits);
    snprintf(memory, sizeof memory, "collective.memory=%llu B/s", (unsigned long long)astra->memory);
    script_run(calls, ranks, "hockney",
               (const char *const[]){"mpi.allreduce=ring", "mpi.allgather=ring", "mpi.reduce_scatter=ring",
                                     "hockney.clock=1ns", "collective.clock=1ns", latency, rate, receive,
                                     begin, splits, memory, NULL},
               &out);
    assert_int_equal(out.status, STATUS_OK);
    return out.makespan;
}

static int64_t ns_of(uint64_t bytes, uint64_t rate)
{
    return (int64_t)((unsigned __int128)bytes * UINT64_C(1000000000) / rate);
}

/* C [ (2 n - 1) d + 2 (n - 1) floor(L + m / B) + 3 (n - 1) floor(m / M) ], m = S / (C n). */
static ps_t allreduce_time(const struct astra *astra, uint32_t ranks, uint64_t bytes)
{
    uint64_t piece = bytes / astra->splits / ranks;
    ps_t step = astra->latency + ns_of(piece, astra->rate);
    ps_t reduce = astra->memory ? 3 * ns_of(piece, astra->memory) : 0;
    ps_t once = (2 * ranks - 1) * astra->delay + 2 * (ranks - 1) * step + (ranks - 1) * reduce;
    return (ps_t)astra->splits * once * NS;
}

/* C [ n d + (n - 1) floor(L + m / B) ], m = S / C: S is the block of a rank, and nothing is reduced. */
static ps_t allgather_time(const struct astra *astra, uint32_t ranks, uint64_t bytes)
{
    ps_t step = astra->latency + ns_of(bytes / astra->splits, astra->rate);
    return (ps_t)astra->splits * (ranks * astra->delay + (ranks - 1) * step) * NS;
}

#define GIB (UINT64_C(1) << 30)

/* The result that ASTRA-sim publishes with its tests: 117,780 cycles of 1 ns. */
static void the_published_case(void **state)
{
    (void)state;
    const struct astra astra = {500, 10, 50 * GIB, UINT64_C(50000000000), 4};
    assert_int_equal(time_of(&astra, CALL_ALLREDUCE, 8, 1 << 20), 117780 * NS);
}

/* What ASTRA-sim (518bd51, analytical network without congestion, 599a047) printed for traces that helio
 * trace convert --to chakra has written. The bytes of a reduce-scatter are those of a block. */
static void astra_sim_has_the_same_times(void **state)
{
    (void)state;
    static const struct {
        enum call_op op;
        uint32_t ranks;
        uint64_t bytes;
        struct astra astra;
        int64_t cycles;
    } cases[] = {
        {CALL_ALLREDUCE, 16, 1 << 20, {500, 10, 50 * GIB, UINT64_C(50000000000), 4}, 156700},
        {CALL_ALLREDUCE, 4, 1 << 20, {500, 10, 50 * GIB, UINT64_C(1600000000000), 4}, 43000},
        {CALL_ALLREDUCE, 8, 64 << 20, {500, 10, 50 * GIB, UINT64_C(50000000000), 4}, 5739284},
        {CALL_ALLREDUCE, 32, 3145728, {1200, 7, 25 * GIB, UINT64_C(33000000000), 2}, 653680},
        {CALL_ALLREDUCE, 5, 10000000, {20, 25, 100 * GIB, UINT64_C(900000000000), 1}, 176057},
        {CALL_ALLREDUCE, 6, 1000000, {500, 10, 50 * GIB, UINT64_C(50000000000), 4}, 101460},
        {CALL_ALLGATHER, 8, 1 << 20, {500, 10, 50 * GIB, UINT64_C(50000000000), 4}, 151016},
        {CALL_ALLGATHER, 16, 100000, {500, 10, 50 * GIB, UINT64_C(50000000000), 4}, 58540},
        {CALL_REDUCE_SCATTER, 8, 16384, {500, 10, 50 * GIB, UINT64_C(50000000000), 4}, 23252},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(time_of(&cases[i].astra, cases[i].op, cases[i].ranks, cases[i].bytes),
                         cases[i].cycles * NS);
}

static void rings_take_their_closed_form(void **state)
{
    (void)state;
    static const struct astra systems[] = {{500, 10, 50 * GIB, UINT64_C(50000000000), 4},
                                           {500, 10, 50 * GIB, UINT64_C(1600000000000), 4},
                                           {1000, 10, 25 * GIB, 0, 1},
                                           {20, 7, 100 * GIB, UINT64_C(33000000000), 3},
                                           {0, 0, 100 * GIB, UINT64_C(33000000000), 8}};
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        for (uint32_t ranks = 2; ranks <= 16; ranks += ranks < 5 ? 1 : 3)
            for (uint64_t piece = 64; piece < 1 << 18; piece = piece * 5 + 24) {
                uint64_t bytes = piece * systems[i].splits * ranks;
                assert_int_equal(time_of(&systems[i], CALL_ALLREDUCE, ranks, bytes),
                                 allreduce_time(&systems[i], ranks, bytes));
                bytes = piece * systems[i].splits;
                assert_int_equal(time_of(&systems[i], CALL_ALLGATHER, ranks, bytes),
                                 allgather_time(&systems[i], ranks, bytes));
            }
}

/* Bytes that do not divide: every byte is sent, in whole elements, and no part is empty. */
static void parts_have_all_bytes(void **state)
{
    (void)state;
    for (uint64_t bytes = 0; bytes < 40; bytes++) {
        struct call call[] = {COLLECTIVE(CALL_BCAST, bytes, 0), FINALIZE};
        script_run((const struct call *const[]){call, call}, 2, "hockney",
                   (const char *const[]){"mpi.bcast=linear", "mpi.eager_threshold=0B", "hockney.latency=1ns",
                                         "hockney.bandwidth=1GB/s", "collective.splits=7", NULL},
                   &out);
        assert_int_equal(out.status, STATUS_OK);
        ps_t parts = bytes > 7 ? 7 : bytes ? (ps_t)bytes : 1;
        assert_int_equal(out.message_total, parts);
        assert_int_equal(out.finish[1], (parts + (ps_t)bytes) * NS);
    }
}

/* Parts of each kind of call: all ranks have equally many, and each byte is sent once. */
static void each_kind_has_parts(void **state)
{
    (void)state;
    static const enum call_op ops[] = {CALL_BCAST,     CALL_REDUCE, CALL_ALLREDUCE, CALL_ALLTOALL,
                                       CALL_ALLGATHER, CALL_GATHER, CALL_SCATTER,   CALL_REDUCE_SCATTER,
                                       CALL_SCAN,      CALL_EXSCAN};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        struct call call[] = {COLLECTIVE(ops[i], 4000, 0), FINALIZE};
        const struct call *const calls[] = {call, call, call, call, call};
        uint64_t messages[2];
        for (size_t k = 0; k < 2; k++) {
            script_run(calls, 5, "packet",
                       (const char *const[]){k ? "collective.splits=5" : "collective.splits=1", NULL}, &out);
            assert_int_equal(out.status, STATUS_OK);
            messages[k] = out.message_total;
        }
        assert_int_equal(messages[1], 5 * messages[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_case),           cmocka_unit_test(astra_sim_has_the_same_times),
        cmocka_unit_test(rings_take_their_closed_form), cmocka_unit_test(parts_have_all_bytes),
        cmocka_unit_test(each_kind_has_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
