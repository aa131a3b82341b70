/* The fmu and hybrid fabrics against the paper's equations and cases worked out by hand. T_switch = 5 us,
 * 76.8 GB/s. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/fmu/fmu.h"
#include "support/script.h"

#define US       INT64_C(1000000)
#define T_SW     (5 * US)
#define CALLS    static const struct call
#define SET(...) ((const char *const[]){__VA_ARGS__, NULL})

/* 76,800 bytes take T_copy = 1 us. */
enum { S = 76800 };

static struct script_outcome out;

static void run_on(const char *fabric, const struct call *const *calls, uint32_t ranks,
                   const char *const *settings)
{
    script_run(calls, ranks, fabric, settings, &out);
    assert_int_equal(out.status, STATUS_OK);
}

static void run(const struct call *const *calls, uint32_t ranks, const char *const *settings)
{
    run_on("fmu", calls, ranks, settings);
}

/* One message of S bytes. The receiver posts at `receiver_ps`, a multiple of 1 ns. */
static void one_message(ps_t receiver_ps, const char *const *settings)
{
    CALLS sender[] = {SEND(1, 7, S), FINALIZE};
    struct call receiver[] = {COMPUTE((double)receiver_ps * 12 / 1000), RECV(0, 7, S), FINALIZE};
    run((const struct call *const[]){sender, receiver}, 2, settings);
}

/* Eq. 3: T_transfer(TX) = T_access. Eq. 5: T_transfer = 2 (T_switch + S / BW). */
static void write_and_read_take_an_access_each(void **state)
{
    (void)state;
    one_message(0, NULL);
    assert_int_equal(out.finish[0], T_SW + US);
    assert_int_equal(out.finish[1], 2 * (T_SW + US));
}

/* Eq. 4: R_start >= W_end: T_access; R_start < W_end: (W_end - R_start) + T_access. */
static void the_read_waits_for_the_end_of_the_write(void **state)
{
    (void)state;
    const ps_t w_end = T_SW + US;
    one_message(20 * US, NULL);
    assert_int_equal(out.finish[1], 20 * US + T_SW + US);
    one_message(w_end, NULL);
    assert_int_equal(out.finish[1], w_end + T_SW + US);
    one_message(2 * US, NULL);
    assert_int_equal(out.finish[1], w_end + T_SW + US);
}

/* Eq. 1 with T_ocm = 3.2 ns and T_map = 1 ns, nothing neglected. */
static void equation_1_counts_every_interaction(void **state)
{
    (void)state;
    const ps_t t_access = 4 * 3200 + 1000 + T_SW + US;
    one_message(100 * US, SET("fmu.t_ocm=3.2 ns", "fmu.t_map=1 ns"));
    assert_int_equal(out.finish[0], t_access);
    assert_int_equal(out.finish[1], 100 * US + t_access);
}

static void large_messages_do_not_wait_for_their_receiver(void **state)
{
    (void)state;
    CALLS sender[] = {SEND(1, 1, 100 * S), FINALIZE};
    CALLS receiver[] = {COMPUTE(12e7), RECV(0, 1, 100 * S), FINALIZE}; /* 10 ms */
    run((const struct call *const[]){sender, receiver}, 2, NULL);
    assert_int_equal(out.finish[0], T_SW + 100 * US);
    assert_int_equal(out.finish[1], 10000 * US + T_SW + 100 * US);
}

static void ping_pong_is_2_99_times_as_fast(void **state)
{
    (void)state;
    enum { TEN_MIB = 10 << 20 };
    CALLS left[] = {SEND(1, 1, TEN_MIB), RECV(1, 1, TEN_MIB), FINALIZE};
    CALLS right[] = {RECV(0, 1, TEN_MIB), SEND(0, 1, TEN_MIB), FINALIZE};
    const struct call *const calls[] = {left, right};
    run(calls, 2, NULL);
    double fmu = (double)out.makespan;
    assert_int_equal(out.makespan, 4 * (T_SW + service_ps(TEN_MIB, 76800000000)));
    run_on("packet", calls, 2, NULL);
    assert_int_equal((int)((double)out.makespan / fmu * 100), 299);
}

/* ----------------------------------------------------------------- the tag */

static void tag_by_network_delays_the_read(void **state)
{
    (void)state;
    one_message(0, SET("fmu.tag=network", "fmu.tag_latency=30 us"));
    assert_int_equal(out.finish[1], 30 * US + T_SW + US);
    one_message(50 * US, SET("fmu.tag=network", "fmu.tag_latency=30 us"));
    assert_int_equal(out.finish[1], 50 * US + T_SW + US);
}

static void tag_in_the_header_is_written_and_read_with_the_data(void **state)
{
    (void)state;
    const ps_t t_access = T_SW + service_ps(S + 8, 76800000000);
    one_message(0, SET("fmu.tag=header"));
    assert_int_equal(out.finish[0], t_access);
    assert_int_equal(out.finish[1], 2 * t_access);
}

/* ---------------------------------------------------- queues, FMU and CFMU */

static void two_writers_of_one_fmu_queue(void **state)
{
    (void)state;
    CALLS writer[] = {SEND(2, 1, S), FINALIZE};
    CALLS reader[] = {COMPUTE(12e6), RECV(0, 1, S), RECV(1, 1, S), FINALIZE}; /* 1 ms */
    run((const struct call *const[]){writer, writer, reader}, 3, SET("fmu.count=1"));
    assert_int_equal(out.finish[0], T_SW + US);
    assert_int_equal(out.finish[1], 2 * (T_SW + US));
    run((const struct call *const[]){writer, writer, reader}, 3, SET("fmu.count=2"));
    assert_int_equal(out.finish[1], T_SW + US);
}

/* A CFMU is connected to one FMU at a time: two writes of one node to two FMUs go one after the other. */
static void one_node_has_one_channel(void **state)
{
    (void)state;
    CALLS writer[] = {ISEND(1, 1, S, 2), ISEND(1, 2, S, 3), WAITALL, FINALIZE};
    CALLS reader[] = {COMPUTE(12e6), RECV(0, 1, S), RECV(0, 2, S), FINALIZE};
    run((const struct call *const[]){writer, reader}, 2, NULL);
    assert_int_equal(out.finish[0], 2 * (T_SW + US));
}

/* The head of FMU 0's queue waits for the busy CFMU of rank 0. It blocks rank 1, whose CFMU is free. */
static void a_queue_head_with_a_busy_cfmu_blocks_its_queue(void **state)
{
    (void)state;
    /* INCREMENTAL over two FMUs: sends go to FMU 0, 1, 0, 1 in the order of posting. */
    CALLS first[] = {ISEND(2, 1, S, 2), ISEND(2, 2, 10 * S, 3), WAITALL, FINALIZE}; /* FMU 0, FMU 1 */
    CALLS second[] = {COMPUTE(12), SEND(2, 1, S), FINALIZE};                        /* FMU 0, at 1 ns */
    CALLS reader[] = {COMPUTE(12e6), RECV(0, 1, S), RECV(0, 2, 10 * S), RECV(1, 1, S), FINALIZE};
    run((const struct call *const[]){first, second, reader}, 3, SET("fmu.count=2", "fmu.coalesce=off"));
    assert_int_equal(out.finish[0], (T_SW + US) + (T_SW + 10 * US));
    assert_int_equal(out.finish[1], 2 * (T_SW + US));
}

/* -------------------------------------------------------------- coalescing */

static void writes_to_one_fmu(const char *coalesce, const char *limit, ps_t sender_done)
{
    CALLS sender[] = {ISEND(1, 1, S, 2), ISEND(1, 2, S, 3), ISEND(1, 3, S, 4),
                      ISEND(1, 4, S, 5), WAITALL,           FINALIZE};
    CALLS receiver[] = {COMPUTE(12e6), RECV(0, 1, S), RECV(0, 2, S), RECV(0, 3, S), RECV(0, 4, S), FINALIZE};
    run((const struct call *const[]){sender, receiver}, 2, SET("fmu.count=1", coalesce, limit));
    assert_int_equal(out.finish[0], sender_done);
}

static void coalesced_accesses_share_a_switch_not_the_bandwidth(void **state)
{
    (void)state;
    writes_to_one_fmu("fmu.coalesce=off", "fmu.coalesce_limit=64", 4 * (T_SW + US));
    writes_to_one_fmu("fmu.coalesce=adjacent", "fmu.coalesce_limit=64", T_SW + 4 * US);
    writes_to_one_fmu("fmu.coalesce=queued", "fmu.coalesce_limit=64", T_SW + 4 * US);
    writes_to_one_fmu("fmu.coalesce=queued", "fmu.coalesce_limit=3", 2 * T_SW + 4 * US);
    writes_to_one_fmu("fmu.coalesce=queued", "fmu.coalesce_limit=1", 4 * (T_SW + US));
}

/* Rank 0's second write is queued after rank 1's. With queued coalescing it joins the first, with adjacent it
 * does not. */
static void only_queued_coalescing_passes_others(void **state)
{
    (void)state;
    CALLS first[] = {ISEND(2, 1, S, 2), COMPUTE(24), ISEND(2, 2, S, 3), WAITALL,
                     FINALIZE};                              /* at 0 and 2 ns */
    CALLS second[] = {COMPUTE(12), SEND(2, 1, S), FINALIZE}; /* at 1 ns */
    CALLS reader[] = {COMPUTE(12e6), RECV(0, 1, S), RECV(0, 2, S), RECV(1, 1, S), FINALIZE};
    const struct call *const calls[] = {first, second, reader};
    run(calls, 3, SET("fmu.count=1", "fmu.coalesce=adjacent"));
    assert_int_equal(out.finish[0], 3 * (T_SW + US));
    assert_int_equal(out.finish[1], 2 * (T_SW + US));
    run(calls, 3, SET("fmu.count=1", "fmu.coalesce=queued"));
    assert_int_equal(out.finish[0], T_SW + 2 * US);
    assert_int_equal(out.finish[1], 2 * T_SW + 3 * US);
}

/* ------------------------------------------------------------------- rings */

/* An FMU with room for one message: the second write waits for the read of the first and holds nothing
 * meanwhile. */
static void a_write_without_room_lets_reads_pass(void **state)
{
    (void)state;
    CALLS sender[] = {SEND(1, 1, S), SEND(1, 2, S), FINALIZE};
    CALLS receiver[] = {COMPUTE(12e5), RECV(0, 1, S), RECV(0, 2, S), FINALIZE}; /* 100 us */
    run((const struct call *const[]){sender, receiver}, 2, SET("fmu.count=1", "fmu.capacity=100 kB"));
    assert_int_equal(out.finish[0], 100 * US + 2 * (T_SW + US));
    assert_int_equal(out.finish[1], 100 * US + 3 * (T_SW + US));
}

static void an_unread_queue_head_blocks_and_is_reported(void **state)
{
    (void)state;
    CALLS sender[] = {SEND(1, 1, S), SEND(1, 2, S), SEND(1, 3, S), FINALIZE};
    CALLS receiver[] = {RECV(0, 2, S), RECV(0, 3, S), RECV(0, 1, S), FINALIZE};
    const struct call *const calls[] = {sender, receiver};
    script_run(calls, 2, "fmu", SET("fmu.count=1", "fmu.capacity=160 kB"), &out); /* two messages */
    assert_int_equal(out.status, STATUS_FAILED);
    assert_non_null(strstr(out.said, "deadlock"));
    assert_non_null(strstr(out.said, "FMU 0 is full"));
    assert_non_null(strstr(out.said, "that has not been read"));
    run(calls, 2, SET("fmu.count=1", "fmu.capacity=240 kB"));
}

static void expect_empty_rings(void *self, struct fabric *fabric)
{
    (void)self;
    const struct fmu *fmu = (const struct fmu *)fabric;
    const struct fmu_statistics *statistics = fabric->ops->statistics(fabric);
    assert_int_equal(statistics->q_data_in_bytes, 21 * 21 * (uint64_t)S);
    assert_int_equal(statistics->q_data_out_bytes, statistics->q_data_in_bytes);
    for (uint32_t i = 0; i < fmu->unit_count; i++) {
        assert_int_equal(fmu->units[i].q_data_bytes, 0);
        assert_int_equal(fmu->units[i].q_header_entries, 0);
        assert_int_equal(fmu->units[i].ring.head, POOL_NONE);
    }
    assert_int_equal(fmu->transfers.live, 0);
    assert_int_equal(fmu->accesses.live, 0);
    assert_int_equal(fmu->same_node.used, 0);
}

/* Bytes that enter the rings leave them, also if writes wait for room: 21 x 20 + 20 + 1 = 21 x 21 messages
 * through two FMUs that hold three at a time. */
static void rings_conserve_bytes(void **state)
{
    (void)state;
    enum { RANKS = 21 };
    CALLS every[] = {COLLECTIVE(CALL_ALLTOALL, S, 0), COLLECTIVE(CALL_BCAST, S, 3), FINALIZE};
    CALLS one_more[] = {COLLECTIVE(CALL_ALLTOALL, S, 0), COLLECTIVE(CALL_BCAST, S, 3), SEND(1, 1, S),
                        FINALIZE};
    CALLS last[] = {COLLECTIVE(CALL_ALLTOALL, S, 0), COLLECTIVE(CALL_BCAST, S, 3), RECV(0, 1, S), FINALIZE};
    const struct call *calls[RANKS];
    for (int i = 0; i < RANKS; i++)
        calls[i] = i == 0 ? one_more : i == 1 ? last : every;
    script_visit = expect_empty_rings;
    run(calls, RANKS, SET("fmu.count=2", "fmu.capacity=240 kB"));
    run(calls, RANKS, SET("fmu.count=2", "fmu.capacity=240 kB", "fmu.coalesce=adjacent"));
    run(calls, RANKS, SET("fmu.t_ocm=3.2 ns", "fmu.coalesce=off"));
    script_visit = NULL;
}

static void a_message_larger_than_an_fmu_is_an_error(void **state)
{
    (void)state;
    CALLS sender[] = {SEND(1, 1, S), FINALIZE};
    CALLS receiver[] = {RECV(0, 1, S), FINALIZE};
    const struct call *const calls[] = {sender, receiver};
    script_run(calls, 2, "fmu", SET("fmu.capacity=76807 B"), &out); /* Q_header is 8 bytes too small */
    assert_int_equal(out.status, STATUS_FAILED);
    assert_non_null(strstr(out.said, "does not fit an FMU of 76807 B"));
    run(calls, 2, SET("fmu.capacity=76808 B"));
    run_on("hybrid", calls, 2, SET("fmu.capacity=76807 B"));
    assert_int_equal(out.finish[1], 8 * US + S * 80);
}

/* ----------------------------------------------------------------- mapping */

static struct fmu_mapping mapping;

static void open_mapping(uint32_t count, enum fmu_try_idle try_idle, enum fmu_among_all among_all)
{
    fmu_mapping_free(&mapping);
    fmu_mapping_init(&mapping, count, try_idle, among_all, 1);
}

static void expect_choice(uint32_t fmu, uint32_t receiver, uint64_t bytes)
{
    assert_int_equal(fmu_mapping_choose(&mapping, receiver, bytes), fmu);
}

static void among_all_methods(void **state)
{
    (void)state;
    open_mapping(3, TRY_NONE, AMONG_INCREMENTAL); /* from 0, and again from 0 after the last */
    expect_choice(0, 9, 1), expect_choice(1, 9, 1), expect_choice(2, 9, 1), expect_choice(0, 9, 1);

    open_mapping(3, TRY_NONE, AMONG_STATIC); /* receiver mod M */
    expect_choice(0, 9, 1), expect_choice(2, 5, 1), expect_choice(2, 5, 1);

    open_mapping(3, TRY_NONE, AMONG_LEAST_S); /* fewest bytes sent, the lowest index among equals */
    expect_choice(0, 9, 100), expect_choice(1, 9, 10), expect_choice(2, 9, 10), expect_choice(1, 9, 10);
    fmu_mapping_read(&mapping, 0, 100); /* reads do not count */
    expect_choice(2, 9, 1);

    open_mapping(3, TRY_NONE, AMONG_LEAST_SR); /* bytes sent, less those whose read was requested */
    expect_choice(0, 9, 100), expect_choice(1, 9, 10), expect_choice(2, 9, 10);
    fmu_mapping_read(&mapping, 0, 100);
    expect_choice(0, 9, 5), expect_choice(0, 9, 50), expect_choice(1, 9, 1);

    open_mapping(3, TRY_NONE, AMONG_RANDOM);
    uint32_t seen = 0;
    for (int i = 0; i < 100; i++)
        seen |= 1u << fmu_mapping_choose(&mapping, 9, 1);
    assert_int_equal(seen, 7);
}

static void try_idle_methods(void **state)
{
    (void)state;
    open_mapping(130, TRY_SIMPLE, AMONG_STATIC); /* the lowest idle FMU */
    for (uint32_t i = 0; i < 129; i++)
        fmu_mapping_set_idle(&mapping, i, false);
    expect_choice(129, 7, 1);
    fmu_mapping_set_idle(&mapping, 70, true);
    expect_choice(70, 7, 1);
    fmu_mapping_set_idle(&mapping, 70, false);
    fmu_mapping_set_idle(&mapping, 129, false);
    expect_choice(7, 7, 1); /* no FMU is idle: the rule for all FMUs applies */

    open_mapping(4, TRY_LEAST_S, AMONG_STATIC);
    expect_choice(0, 7, 10), expect_choice(1, 7, 5), expect_choice(2, 7, 7), expect_choice(3, 7, 9);
    fmu_mapping_set_idle(&mapping, 1, false);
    expect_choice(2, 7, 4); /* FMU 7 has the least of the idle FMUs' 10, 7 and 9 */
    expect_choice(3, 7, 1);

    open_mapping(4, TRY_LEAST_SR, AMONG_STATIC);
    expect_choice(0, 7, 10), expect_choice(1, 7, 5), expect_choice(2, 7, 7), expect_choice(3, 7, 9);
    fmu_mapping_read(&mapping, 3, 9);
    expect_choice(3, 7, 20);
    expect_choice(1, 7, 1);

    open_mapping(70, TRY_RANDOM, AMONG_STATIC);
    for (uint32_t i = 0; i < 70; i++)
        fmu_mapping_set_idle(&mapping, i, i == 3 || i == 69);
    uint32_t three = 0;
    for (int i = 0; i < 200; i++) {
        uint32_t fmu = fmu_mapping_choose(&mapping, 7, 1);
        assert_true(fmu == 3 || fmu == 69);
        three += fmu == 3;
    }
    assert_in_range(three, 60, 140);

    open_mapping(3, TRY_NONE,
                 AMONG_INCREMENTAL); /* the counter advances at every send, whichever rule chooses */
    mapping.try_idle = TRY_SIMPLE;
    expect_choice(0, 7, 1), expect_choice(0, 7, 1);
    mapping.try_idle = TRY_NONE;
    expect_choice(2, 7, 1);
    fmu_mapping_free(&mapping);
    mapping = (struct fmu_mapping){0};
}

/* ------------------------------------------------------------------ hybrid */

static void one_by_hybrid(uint64_t bytes, const char *const *settings, ps_t expected)
{
    struct call sender[] = {SEND(1, 1, bytes), FINALIZE};
    struct call receiver[] = {RECV(0, 1, bytes), FINALIZE};
    run_on("hybrid", (const struct call *const[]){sender, receiver}, 2, settings);
    assert_int_equal(out.finish[1], expected);
}

static ps_t by_network(uint64_t bytes)
{
    return 8 * US + (ps_t)bytes * 80;
}

static ps_t by_fmu(uint64_t bytes)
{
    return 2 * (T_SW + service_ps(bytes, 76800000000));
}

/* Eq. 7 with Table 3's values: 37,066 bytes. */
static void the_pivot_of_table_3(void **state)
{
    (void)state;
    one_by_hybrid(37065, NULL, by_network(37065));
    one_by_hybrid(37066, NULL, by_fmu(37066));
    assert_true(by_network(37065) < by_fmu(37065));
    assert_true(by_network(37066) >= by_fmu(37066));
    one_by_hybrid(5000, SET("hybrid.pivot=5000 B"), by_fmu(5000));
    one_by_hybrid(4999, SET("hybrid.pivot=5000 B"), by_network(4999));
}

static void without_a_root_one_path_is_taken_and_named(void **state)
{
    (void)state;
    one_by_hybrid(10, SET("fmu.t_switch=3 us"), 2 * (3 * US + service_ps(10, 76800000000)));
    assert_non_null(strstr(out.said, "all messages take an FMU"));
    one_by_hybrid(1000000, SET("fmu.bandwidth=20 GB/s"), by_network(1000000));
    assert_non_null(strstr(out.said, "all messages take the network"));
    /* With fast switching and slow FMUs, small messages take the FMUs. */
    one_by_hybrid(10, SET("fmu.t_switch=1 us", "fmu.bandwidth=20 GB/s"),
                  2 * (US + service_ps(10, 20000000000)));
    one_by_hybrid(1000000, SET("fmu.t_switch=1 us", "fmu.bandwidth=20 GB/s"), by_network(1000000));
}

/* A large message follows a small one of the same pair. Its tag must not be visible before the small
 * one's. */
static void both_paths_keep_the_order_of_envelopes(void **state)
{
    (void)state;
    CALLS sender[] = {SEND(1, 1, 100), SEND(1, 2, S), FINALIZE};
    CALLS receiver[] = {RECV(0, 2, S), RECV(0, 1, 100), FINALIZE};
    run_on("hybrid", (const struct call *const[]){sender, receiver}, 2, NULL);
    /* Visible at 8 us. The write has ended at 6 us. */
    assert_int_equal(out.messages[0].tag == 2 ? out.messages[0].received : out.messages[1].received,
                     8 * US + T_SW + US);
}

/* ---------------------------------------------------------------- all rules */

static void every_combination_runs_and_a_faster_channel_is_never_slower(void **state)
{
    (void)state;
    static const char *const idle[] = {"NONE", "RANDOM", "SIMPLE", "LEAST_S", "LEAST_SR"};
    static const char *const all[] = {"RANDOM", "LEAST_S", "LEAST_SR", "STATIC", "INCREMENTAL"};
    enum { RANKS = 8 };
    CALLS every[] = {COLLECTIVE(CALL_ALLTOALL, S, 0), COLLECTIVE(CALL_BCAST, S, 3),
                     COLLECTIVE(CALL_BARRIER, 0, 0), FINALIZE};
    const struct call *calls[RANKS];
    for (int i = 0; i < RANKS; i++)
        calls[i] = every;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            char try_idle[64], among_all[64];
            snprintf(try_idle, sizeof try_idle, "fmu.try_idle=%s", idle[i]);
            snprintf(among_all, sizeof among_all, "fmu.among_all=%s", all[j]);
            run(calls, RANKS, SET("fmu.count=4", try_idle, among_all));
            assert_int_equal(out.message_total, RANKS * (RANKS - 1) + RANKS - 1 + 2 * (RANKS - 1));
        }
    ps_t before = 0;
    static const char *const bandwidths[] = {"fmu.bandwidth=100 GB/s", "fmu.bandwidth=50 GB/s",
                                             "fmu.bandwidth=25 GB/s"};
    for (int i = 0; i < 3; i++) {
        one_message(0, SET(bandwidths[i]));
        assert_true(out.makespan >= before);
        before = out.makespan;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write_and_read_take_an_access_each),
        cmocka_unit_test(the_read_waits_for_the_end_of_the_write),
        cmocka_unit_test(equation_1_counts_every_interaction),
        cmocka_unit_test(large_messages_do_not_wait_for_their_receiver),
        cmocka_unit_test(ping_pong_is_2_99_times_as_fast),
        cmocka_unit_test(tag_by_network_delays_the_read),
        cmocka_unit_test(tag_in_the_header_is_written_and_read_with_the_data),
        cmocka_unit_test(two_writers_of_one_fmu_queue),
        cmocka_unit_test(one_node_has_one_channel),
        cmocka_unit_test(a_queue_head_with_a_busy_cfmu_blocks_its_queue),
        cmocka_unit_test(coalesced_accesses_share_a_switch_not_the_bandwidth),
        cmocka_unit_test(only_queued_coalescing_passes_others),
        cmocka_unit_test(a_write_without_room_lets_reads_pass),
        cmocka_unit_test(an_unread_queue_head_blocks_and_is_reported),
        cmocka_unit_test(rings_conserve_bytes),
        cmocka_unit_test(a_message_larger_than_an_fmu_is_an_error),
        cmocka_unit_test(among_all_methods),
        cmocka_unit_test(try_idle_methods),
        cmocka_unit_test(the_pivot_of_table_3),
        cmocka_unit_test(without_a_root_one_path_is_taken_and_named),
        cmocka_unit_test(both_paths_keep_the_order_of_envelopes),
        cmocka_unit_test(every_combination_runs_and_a_faster_channel_is_never_slower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
