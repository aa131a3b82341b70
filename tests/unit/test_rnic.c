/* The RNIC's cache of connections, use by use; and the cost of misses, datagrams and dynamic connections in
 * messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "host/rnic.h"
#include "support/script.h"

enum { FETCH = 1000, SECOND = 10, RECONNECT = 500 };

static struct rnics rnics;

static void open_cache(enum rnic_replace replace, uint64_t first, uint64_t second)
{
    static struct rnic_config config;
    config = (struct rnic_config){.transport = RNIC_RC,
                                  .queue_pairs = 1000,
                                  .first_level = first,
                                  .second_level = second,
                                  .second_level_ps = SECOND,
                                  .replace = (int)replace,
                                  .page_bytes = 4096};
    rnics_open(&rnics, &config, 1, 8, 1, FETCH, RECONNECT);
}

/* Uses connections named by letters. Returns the cost of each use: '.' nothing, 's' the second level, 'm' a
 * miss. */
static const char *uses(const char *names)
{
    static char took[64];
    size_t i = 0;
    for (; names[i]; i++) {
        ps_t time_ps = rnics_use(&rnics, 0, 0, (uint32_t)(names[i] - 'a'));
        took[i] = time_ps == 0 ? '.' : time_ps == SECOND ? 's' : 'm';
        assert_true(time_ps == 0 || time_ps == SECOND || time_ps == FETCH);
    }
    took[i] = '\0';
    return took;
}

static void the_last_used_stay(void **state)
{
    (void)state;
    open_cache(RNIC_LRU, 2, 4);
    /* Two levels of two entries: c moves a to the second level, d moves b. e moves c there and evicts a,
     * which was used longest ago. */
    assert_string_equal(uses("abab"), "mm..");
    assert_string_equal(uses("cd"), "mm");
    assert_string_equal(
        uses("a"),
        "s"); /* back to the first level, and c goes to the second: first level a d, second level c b */
    assert_string_equal(uses("ad"), "..");
    assert_string_equal(uses("e"), "m"); /* b is evicted: first level e d, second level a c */
    assert_string_equal(uses("cab"), "ssm");
    assert_int_equal(rnics.statistics.queue_pairs, 5);
    assert_int_equal(rnics.statistics.second_misses, 6);
    assert_int_equal(rnics.statistics.first_misses, 9);
    rnics_close(&rnics);
}

static void a_cache_may_have_one_level(void **state)
{
    (void)state;
    open_cache(RNIC_LRU, 2, 2);
    assert_string_equal(uses("abacba"), "mm.mmm");
    rnics_close(&rnics);
}

static void random_replacement_evicts_any_entry(void **state)
{
    (void)state;
    open_cache(RNIC_RANDOM, 2, 4);
    uint64_t hits = 0;
    for (int i = 0; i < 1000; i++)
        for (uint32_t peer = 0; peer < 6; peer++)
            hits += rnics_use(&rnics, 0, 0, peer) != FETCH;
    assert_int_equal(rnics.nodes[0].levels[0].count, 2);
    assert_int_equal(rnics.nodes[0].levels[1].count, 2);
    assert_int_equal(rnics.statistics.second_misses, 6000 - hits);
    /* In cyclic use, the next entry is always the one that LRU has just evicted. So LRU never hits, and
     * random replacement sometimes does. */
    assert_true(hits > 1000);
    rnics_close(&rnics);
    open_cache(RNIC_LRU, 2, 4);
    for (int i = 0; i < 10; i++)
        assert_string_equal(uses("abcdef"), "mmmmmm");
    rnics_close(&rnics);
}

/* ---------------------------------------------------------- in simulations */

#define SYSTEM   "host.system=thunderx2"
#define NETWORK  "hockney.latency=382.81ns"
#define LATENCY  INT64_C(1387020)
#define FETCH_PS INT64_C(274980) /* 2 PCIe */
#define LLP_POST INT64_C(175420)
#define LLP_PROG INT64_C(61630)
#define CALLBACK INT64_C(139780) /* part of UCP */

static struct script_outcome out;

static void run(const struct call *const *calls, uint32_t ranks, const char *transport, const char *more)
{
    script_run(calls, ranks, "hockney", (const char *const[]){SYSTEM, NETWORK, transport, more, NULL}, &out);
}

static ps_t one_message(uint64_t bytes, const char *transport)
{
    const struct call sender[] = {SEND(1, 0, bytes), FINALIZE}, receiver[] = {RECV(0, 0, bytes), FINALIZE};
    run((const struct call *const[]){sender, receiver}, 2, transport, NULL);
    assert_int_equal(out.status, STATUS_OK);
    return out.finish[1];
}

static void both_ends_fetch_a_new_connection(void **state)
{
    (void)state;
    assert_int_equal(one_message(8, "rnic.transport=none"), LATENCY);
    assert_int_equal(one_message(8, "rnic.transport=rc"), LATENCY + 2 * FETCH_PS);
    static const struct call left[] = {SEND(1, 0, 8), RECV(1, 0, 8), FINALIZE};
    static const struct call right[] = {RECV(0, 0, 8), SEND(0, 0, 8), FINALIZE};
    run((const struct call *const[]){left, right}, 2, "rnic.transport=rc", NULL);
    assert_int_equal(out.finish[0], 2 * LATENCY + 2 * FETCH_PS);
}

/* Each datagram is posted and polled. The receiver posts an acknowledgement. */
static void datagrams_are_software(void **state)
{
    (void)state;
    assert_int_equal(one_message(8, "rnic.transport=ud"), LATENCY + 2 * FETCH_PS + LLP_POST);
    ps_t reliable = one_message(10000, "rnic.transport=rc");
    assert_int_equal(one_message(10000, "rnic.transport=ud"),
                     reliable + LLP_POST + 2 * (LLP_POST + LLP_PROG + CALLBACK));
}

static void dynamic_connections_change_their_destination(void **state)
{
    (void)state;
    const ps_t reconnect = 2 * INT64_C(382810);
    assert_int_equal(one_message(8, "rnic.transport=dc"), LATENCY + 2 * FETCH_PS + reconnect);
    static const struct call sender[] = {SEND(1, 0, 8), SEND(1, 0, 8), SEND(2, 0, 8), SEND(1, 0, 8),
                                         FINALIZE};
    static const struct call one[] = {RECV(0, 0, 8), RECV(0, 0, 8), RECV(0, 0, 8), FINALIZE};
    static const struct call two[] = {RECV(0, 0, 8), FINALIZE};
    run((const struct call *const[]){sender, one, two}, 3, "rnic.transport=dc", NULL);
    assert_int_equal(out.status, STATUS_OK);
    /* The third message waits until the sending end of its rank is connected to rank 2, the fourth until it
     * is connected to the first peer again. */
    ps_t first_ps = 201980 + 137490 + FETCH_PS + reconnect, third_ps = first_ps + reconnect;
    assert_int_equal(out.finish[2], third_ps + 382810 + 378450 + FETCH_PS + 286290);
}

static void a_nic_has_so_many_queue_pairs(void **state)
{
    (void)state;
    static const struct call sender[] = {SEND(1, 0, 8), SEND(2, 0, 8), FINALIZE};
    static const struct call receiver[] = {RECV(0, 0, 8), FINALIZE};
    const struct call *const calls[] = {sender, receiver, receiver};
    run(calls, 3, "rnic.transport=rc", "rnic.queue_pairs=1");
    assert_int_equal(out.status, STATUS_FAILED);
    assert_non_null(strstr(out.said, "node 0 needs more than the 1 queue pairs"));
    run(calls, 3, "rnic.transport=ud", "rnic.queue_pairs=1");
    assert_int_equal(out.status, STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_used_stay),
        cmocka_unit_test(a_cache_may_have_one_level),
        cmocka_unit_test(random_replacement_evicts_any_entry),
        cmocka_unit_test(both_ends_fetch_a_new_connection),
        cmocka_unit_test(datagrams_are_software),
        cmocka_unit_test(dynamic_connections_change_their_destination),
        cmocka_unit_test(a_nic_has_so_many_queue_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
