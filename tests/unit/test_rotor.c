/* The fabric rotor: closed forms by hand, throughput, and what is refused. test_rotor_simulators.c compares
 * it with two simulators. Without other words a slot carries for 90 us after a guard of 10 us, and a link
 * carries 1 GB/s, so 1000 B take 1 us. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "support/rotor_run.h"

#define US           INT64_C(1000000)
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ------------------------------------------------------------- closed forms */

/* Five nodes, one switch: matching m is up in slot m - 1 of 4. */
static void a_message_waits_for_its_matching(void **state)
{
    (void)state;
    rotor_clear();
    const struct rotor_sent *first = rotor_add(0, 1, 1000, 0);
    const struct rotor_sent *third = rotor_add(1, 4, 1000, 0);
    const struct rotor_sent *during = rotor_add(2, 3, 1000, 50 * US);
    const struct rotor_sent *late = rotor_add(3, 4, 1000, 101 * US); /* its slot has passed: the next cycle */
    assert_int_equal(rotor_run(5, 1, "rotor.wire=1us"), STATUS_OK);
    assert_int_equal(first->left, (10 + 1) * US);
    assert_int_equal(first->visible, (10 + 2) * US);
    assert_int_equal(first->arrived, (10 + 1 + 2) * US);
    assert_int_equal(third->arrived, (200 + 10 + 1 + 2) * US);
    assert_int_equal(during->arrived, (50 + 1 + 2) * US);
    assert_int_equal(late->arrived, (400 + 10 + 1 + 2) * US);
    assert_true(rotor_seen.waited == (10 + 210 + 0 + 309) * US);
    assert_true(rotor_seen.slots == 4);
    assert_true(rotor_seen.duty_cycle == 0.9);
    rotor_check_conservation();
    assert_int_equal(rotor_events, 4); /* of the test itself */
}

/* 200 us of data take slots of 90, 90 and 20 us. A second message follows in the third one. */
static void a_message_takes_several_slots(void **state)
{
    (void)state;
    rotor_clear();
    const struct rotor_sent *large = rotor_add(0, 1, 200000, 0), *next = rotor_add(0, 1, 5000, 0);
    assert_int_equal(rotor_run(5, 1, ""), STATUS_OK);
    assert_int_equal(large->visible, 10 * US);
    assert_int_equal(large->arrived, (800 + 10 + 20) * US);
    assert_int_equal(next->visible, large->arrived);
    assert_int_equal(next->arrived, large->arrived + 5 * US);
    assert_true(rotor_seen.slots == 3);
    rotor_check_conservation();
}

/* A message that ends with the slot ends at its end, and one byte more takes a cycle more. */
static void a_slot_is_full(void **state)
{
    (void)state;
    rotor_clear();
    const struct rotor_sent *fits = rotor_add(0, 1, 90000, 0), *does_not = rotor_add(1, 2, 90001, 0);
    assert_int_equal(rotor_run(5, 1, ""), STATUS_OK);
    assert_int_equal(fits->arrived, 100 * US);
    assert_int_equal(does_not->arrived, (400 + 10) * US + 1000);
}

/* Two switches have matchings 1, 3 and 2, 4. Switch 1 changes 50 us before switch 0. */
static void staggered_switches_change_in_turn(void **state)
{
    (void)state;
    rotor_clear();
    const struct rotor_sent *one = rotor_add(0, 1, 1000, 0), *two = rotor_add(0, 2, 1000, 0),
                            *four = rotor_add(0, 4, 1000, 0);
    const struct rotor_sent *again = rotor_add(1, 3, 1000, 51 * US);
    assert_int_equal(rotor_run(5, 2, "rotor.offset=staggered"), STATUS_OK);
    assert_int_equal(one->arrived, (10 + 1) * US);
    assert_int_equal(two->arrived, 1 * US);
    assert_int_equal(four->arrived, (50 + 10 + 1) * US);
    assert_int_equal(again->arrived, (150 + 10 + 1) * US);
    assert_int_equal(rotor_run(5, 2, ""), STATUS_OK);
    assert_int_equal(two->arrived, (10 + 1) * US);
    assert_int_equal(four->arrived, (110 + 1) * US);
}

/* An empty message takes the time of a byte. */
static void an_empty_message_takes_a_byte(void **state)
{
    (void)state;
    rotor_clear();
    const struct rotor_sent *empty = rotor_add(0, 1, 0, 0);
    assert_int_equal(rotor_run(5, 1, ""), STATUS_OK);
    assert_int_equal(empty->arrived, 10 * US + 1000);
    assert_int_equal(rotor_run(5, 1, "rotor.hops=2"), STATUS_OK);
    assert_int_equal(empty->arrived, 10 * US + 1000);
}

/* RotorLB's rule. Node 1 has its own messages to 3, as many as its slot carries: it stores nothing for 3 but
 * for 4. */
static void a_node_accepts_what_its_slot_can_carry(void **state)
{
    (void)state;
    rotor_clear();
    rotor_add(1, 3, 89500, 0);
    const struct rotor_sent *no = rotor_add(0, 3, 1000, 0), *yes = rotor_add(0, 4, 1000, 0);
    rotor_add(2, 3, 89500, 0); /* so that node 1 keeps its message */
    assert_int_equal(rotor_run(5, 1, "rotor.hops=2"), STATUS_OK);
    assert_int_equal(yes->left, (10 + 1) * US); /* over node 1 */
    assert_int_equal(no->left, (110 + 1) * US); /* over node 2 */
    assert_int_equal(rotor_run(5, 1, "rotor.hops=2 rotor.accept=any"), STATUS_OK);
    assert_int_equal(no->left, (10 + 1) * US);
    assert_int_equal(yes->left, (10 + 2) * US);
}

/* Then a cell is there at the end of a cycle and a slot after the slot in which it left: 9 slots with the 8
 * matchings of RotorNet's Figure 9, whatever the load is. All messages are a cell of a full slot. */
static void an_accepted_cell_is_there_after_a_cycle(void **state)
{
    (void)state;
    struct rng rng = rng_init(1, "test rotor bound");
    for (uint32_t density = 1; density <= 8; density++) {
        ps_t longest = 0;
        rotor_clear();
        for (uint32_t i = 0; i < density * 100; i++) {
            uint32_t source = (uint32_t)rng_below(&rng, 33), way = 1 + (uint32_t)rng_below(&rng, density * 4);
            rotor_add(source, (source + way) % 33, 90000, 0);
        }
        assert_int_equal(rotor_run(33, 4, "rotor.hops=2"), STATUS_OK);
        for (size_t i = 0; i < rotor_sent_count; i++)
            if (rotor_sent[i].arrived - rotor_sent[i].left > longest)
                longest = rotor_sent[i].arrived - rotor_sent[i].left;
        assert_true(rotor_seen.two_hop_messages > 0);
        assert_in_range(longest, 1, 8 * 100 * US);
        rotor_check_conservation();
    }
}

/* From 0 to 3, at the beginning: the circuit to node 1 is up first. From there matching 2 leads on, in
 * slot 1.
 */
static void two_hops_go_over_the_first_circuit(void **state)
{
    (void)state;
    rotor_clear();
    const struct rotor_sent *over = rotor_add(0, 3, 1000, 0);
    assert_int_equal(rotor_run(5, 1, "rotor.hops=2 rotor.wire=1us"), STATUS_OK);
    assert_int_equal(over->left, (10 + 1) * US);
    assert_int_equal(over->visible, (110 + 2) * US);
    assert_int_equal(over->arrived, (110 + 1 + 2) * US);
    assert_true(rotor_seen.two_hop_bytes == 1000);
    assert_int_equal(rotor_seen.stored_peak, 1000);
    assert_int_equal(rotor_seen.two_hop_messages, 1);
}

/* Node 0 has as many bytes for node 1 as the slot carries: nothing else leaves in it. */
static void direct_traffic_goes_first(void **state)
{
    (void)state;
    rotor_clear();
    const struct rotor_sent *other = rotor_add(0, 3, 1000, 0), *direct = rotor_add(0, 1, 90000, 0);
    assert_int_equal(rotor_run(5, 1, "rotor.hops=2"), STATUS_OK);
    assert_int_equal(direct->arrived, 100 * US);
    assert_int_equal(other->left, (110 + 1) * US); /* over node 2, and matching 1, in slot 4 */
    assert_int_equal(other->arrived, (410 + 1) * US);
}

/* The limit leaves room for one cell of 40 us in node 1; the rest waits for slot 2, its own. */
static void a_node_stores_no_more_than_its_limit(void **state)
{
    (void)state;
    rotor_clear();
    const struct rotor_sent *large = rotor_add(0, 3, 80000, 0);
    assert_int_equal(rotor_run(5, 1, "rotor.hops=2 rotor.cell=40000B rotor.stored=40000B"), STATUS_OK);
    assert_int_equal(rotor_seen.stored_peak, 40000);
    assert_true(rotor_seen.two_hop_bytes ==
                80000); /* a cell over node 1 in slot 0, one over node 2 in slot 1 */
    assert_int_equal(large->left, (110 + 40) * US);
    assert_int_equal(large->arrived, (410 + 40) * US);
}

/* Matchings 1 and 3 are up on switch 0, 2 and 4 on switch 1. A short message from 0 to 3 takes matchings 1
 * and 2 at once. */
static void a_short_message_takes_several_circuits(void **state)
{
    (void)state;
    rotor_clear();
    const struct rotor_sent *small = rotor_add(0, 3, 1000, 20 * US), *large = rotor_add(0, 3, 5000, 20 * US);
    assert_int_equal(rotor_run(5, 2, "rotor.short=5000B rotor.wire=1us"), STATUS_OK);
    assert_int_equal(small->arrived, (20 + 2 * (1 + 2)) * US);
    assert_int_equal(large->arrived, (110 + 5 + 2) * US);
    assert_int_equal(rotor_seen.short_messages, 1);
    assert_int_equal(rotor_seen.direct_messages, 1);
    rotor_check_conservation();
}

/* A short message behind a large one of the same pair is not visible before it. */
static void pairs_keep_their_order(void **state)
{
    (void)state;
    rotor_clear();
    const struct rotor_sent *large = rotor_add(0, 3, 5000, 20 * US), *small = rotor_add(0, 3, 1000, 20 * US);
    assert_int_equal(rotor_run(5, 2, "rotor.short=5000B"), STATUS_OK);
    assert_int_equal(small->left, 21 * US);
    assert_int_equal(large->visible, 110 * US);
    assert_int_equal(small->arrived, 110 * US);
}

/* Short messages go before the others, at the next cell. */
static void short_messages_overtake(void **state)
{
    (void)state;
    rotor_clear();
    const struct rotor_sent *large = rotor_add(0, 1, 50000, 10 * US),
                            *small = rotor_add(0, 1, 500, 10 * US + 1);
    assert_int_equal(rotor_run(5, 2, "rotor.short=1000B rotor.cell=1000B"), STATUS_OK);
    assert_int_equal(small->left, 11 * US + 500000);
    assert_int_equal(large->arrived, 60 * US + 500000);
}

/* --------------------------------------------------------------- throughput */

/* Bytes a second that nodes receive on average until `until`, as a share of their rate: what is there of each
 * message counts as spread evenly over the time from its first byte to its last. */
static double throughput(uint32_t nodes, uint32_t switches, ps_t until)
{
    double bytes = 0;
    for (size_t i = 0; i < rotor_sent_count; i++) {
        double share = rotor_sent[i].arrived <= until ? 1
                       : rotor_sent[i].visible >= until
                           ? 0
                           : (double)(until - rotor_sent[i].visible) /
                                 (double)(rotor_sent[i].arrived - rotor_sent[i].visible);
        bytes += (double)rotor_sent[i].bytes * share;
    }
    return bytes / nodes / switches / ((double)until / 1000);
}

static void assert_near(double value, double wanted, double relative)
{
    if (value < wanted * (1 - relative) || value > wanted * (1 + relative))
        fail_msg("%g instead of %g", value, wanted);
}

/* Each circuit has enough to carry: all slots are full, and a node has its rate times the duty cycle. */
static void uniform_traffic_has_the_duty_cycle(void **state)
{
    (void)state;
    rotor_clear();
    for (uint32_t source = 0; source < 17; source++)
        for (uint32_t destination = 0; destination < 17; destination++)
            if (source != destination)
                rotor_add(source, destination, 90000 * 10, 0);
    assert_int_equal(rotor_run(17, 4, ""), STATUS_OK);
    assert_near(throughput(17, 4, 10 * 4 * 100 * US), 0.9, 1e-9);
    assert_int_equal(rotor_run(17, 4, "rotor.hops=2"), STATUS_OK);
    assert_true(rotor_seen.two_hop_bytes == 0);
    assert_near(throughput(17, 4, 10 * 4 * 100 * US), 0.9, 1e-9);
}

/* A permutation: direct traffic has one circuit of N - 1. With two hops it takes half of all slots. */
static void a_permutation_has_half_of_it_with_two_hops(void **state)
{
    (void)state;
    rotor_clear();
    for (uint32_t source = 0; source < 17; source++)
        rotor_add(source, (source + 5) % 17, 90000 * 16 * 40, 0);
    assert_int_equal(rotor_run(17, 4, ""), STATUS_OK);
    assert_near(throughput(17, 4, 20 * 4 * 100 * US), 0.9 / 16, 0.02);
    assert_int_equal(rotor_run(17, 4, "rotor.hops=2"), STATUS_OK);
    double share = (double)rotor_sent[0].bytes / 4 / ((double)rotor_sent[0].arrived / 1000);
    assert_near(share, 0.9 / 2 * 17 / 16, 0.06);
}

/* ---------------------------------------------------------- failures */

/* Random traffic of all kinds arrives, whatever has failed, if nodes are reached at all. */
static void traffic_of_all_kinds_arrives(void **state)
{
    (void)state;
    static const char *const kinds[] = {
        "rotor.hops=2",
        "rotor.hops=2 rotor.failed=1",
        "rotor.hops=2 rotor.failed=0,2 rotor.order=random",
        "rotor.hops=2 rotor.cell=700B rotor.stored=3000B",
        "rotor.hops=2 rotor.cell=700B",
        "rotor.hops=2 rotor.failed=2 rotor.short=3000B",
        "rotor.short=9000B rotor.cell=1500B",
        "rotor.short=9000B rotor.cell=1500B rotor.offset=staggered",
        "rotor.short=9000B rotor.slot=3us rotor.guard=0ps rotor.wire=3us",
        "rotor.short=9000B rotor.hops=2 rotor.offset=staggered rotor.order=random",
        "rotor.short=1GB rotor.failed=3 rotor.order=random",
        "rotor.short=1GB rotor.failed=3 rotor.offset=staggered"};
    struct rng rng = rng_init(3, "test rotor kinds");
    for (size_t i = 0; i < COUNT(kinds); i++)
        for (uint32_t seed = 0; seed < 5; seed++) {
            rotor_draw(&rng, 13, 400, seed % 2 ? 20000 : 200000, (seed + 1) * 300 * US);
            if (rotor_run(13, 4, kinds[i]) != STATUS_OK)
                fail_msg("%s: %s", kinds[i], rotor_said);
            rotor_check_conservation();
        }
}

static void pairs_of_a_failed_switch_need_two_hops(void **state)
{
    (void)state;
    rotor_clear();
    rotor_add(0, 2, 1000, 0);
    assert_int_equal(rotor_run(5, 2, "rotor.failed=1"), STATUS_FAILED);
    assert_non_null(
        strstr(rotor_said, "node 0 has no circuit to node 2, since switch 1 has failed; rotor.hops=2"));
    assert_int_equal(rotor_run(5, 2, "rotor.failed=0"), STATUS_OK);
    assert_int_equal(rotor_run(5, 2, "rotor.failed=1 rotor.hops=2"), STATUS_OK);
    /* Switch 1 has matchings 2 and 4 of 6 nodes: two of them never lead an odd way. */
    rotor_add(0, 1, 1000, 0);
    assert_int_equal(rotor_run(6, 2, "rotor.failed=0 rotor.hops=2"), STATUS_FAILED);
    assert_non_null(strstr(rotor_said, "no two other circuits lead there"));
}

static void wrong_settings_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"rotor.switches=5",
         "rotor.switches=5 is too many for 5 nodes: each switch needs a matching, and they have 4"},
        {"rotor.failed=4", "there is no switch 4; the last one is switch 3"},
        {"rotor.failed=0,1,2,3", "leaves no switch that works"},
        {"rotor.failed=0;1", "is no list of switches"},
        {"rotor.failed=-1", "is no list of switches"},
        {"rotor.failed=1,", "is no list of switches"},
        {"rotor.short=1kB rotor.failed=0,1,2", "rotor.short needs at least 2 switches that work"},
        {"rotor.short=1kB rotor.switches=1", "rotor.short needs at least 2 switches that work"},
        {"rotor.hops=2 rotor.slot=1ps", "a link carries less than 1 B in a slot"},
        {"rotor.hops=2 rotor.stored=1kB", "rotor.stored is smaller than a cell of 90000 B"}};
    rotor_clear();
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(rotor_run(5, 4, cases[i][0]), STATUS_BAD_INPUT);
        if (!strstr(rotor_said, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], rotor_said);
    }
    struct config *config = rotor_configure("");
    diag_set_sink(rotor_keep, NULL);
    rotor_said[0] = '\0';
    assert_int_equal(config_set(config, "rotor.slot=0ps"), STATUS_BAD_INPUT);
    assert_int_equal(config_set(config, "rotor.slot=-1us"), STATUS_BAD_INPUT);
    assert_int_equal(config_set(config, "rotor.guard=-1us"), STATUS_BAD_INPUT);
    assert_int_equal(config_set(config, "rotor.hops=3"), STATUS_BAD_INPUT);
    diag_set_sink(NULL, NULL);
    config_close(config);
}

/* -------------------------------------------------------------- description */

static void a_description_is_what_messages_do(void **state)
{
    (void)state;
    struct fabric_description says;
    struct config *config = rotor_configure(
        "rotor.slot=90us rotor.guard=10us rotor.switches=4 rotor.bandwidth=4GB/s rotor.wire=1us");
    says = (struct fabric_description){.latency_ps = 0};
    rotor_describe(config, 17, &says);
    assert_int_equal(says.rate_bytes_per_s, UINT64_C(4000000000));
    assert_int_equal(says.message_rate_bytes_per_s, UINT64_C(225000000)); /* 4 GB/s x 90 % / 16 */
    assert_int_equal(says.latency_ps, 2 * US + (ps_t)(310.0 * 310 / 800 * US));
    rotor_clear();
    const struct rotor_sent *large = rotor_add(0, 1, 90000 * 100, 0);
    ps_t sum = 0;
    for (int i = 0; i < 4000; i++) /* pairs do not wait for one another, nor do these */
        rotor_add(0, 1, 0, 100000 * US + i * 400 * US + i * (400 * US / 4000));
    assert_int_equal(rotor_run(17, 4, "rotor.wire=1us"), STATUS_OK);
    assert_near((double)large->bytes / ((double)large->arrived / 1e12), 225e6, 0.01);
    for (size_t i = 1; i < rotor_sent_count; i++)
        sum += rotor_sent[i].arrived - rotor_sent[i].at;
    assert_near((double)sum / 4000, (double)says.latency_ps, 0.001);
    config_close(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_waits_for_its_matching),
        cmocka_unit_test(a_message_takes_several_slots),
        cmocka_unit_test(a_slot_is_full),
        cmocka_unit_test(staggered_switches_change_in_turn),
        cmocka_unit_test(an_empty_message_takes_a_byte),
        cmocka_unit_test(two_hops_go_over_the_first_circuit),
        cmocka_unit_test(direct_traffic_goes_first),
        cmocka_unit_test(a_node_stores_no_more_than_its_limit),
        cmocka_unit_test(a_node_accepts_what_its_slot_can_carry),
        cmocka_unit_test(an_accepted_cell_is_there_after_a_cycle),
        cmocka_unit_test(a_short_message_takes_several_circuits),
        cmocka_unit_test(pairs_keep_their_order),
        cmocka_unit_test(short_messages_overtake),
        cmocka_unit_test(uniform_traffic_has_the_duty_cycle),
        cmocka_unit_test(a_permutation_has_half_of_it_with_two_hops),
        cmocka_unit_test(traffic_of_all_kinds_arrives),
        cmocka_unit_test(pairs_of_a_failed_switch_need_two_hops),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(a_description_is_what_messages_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
