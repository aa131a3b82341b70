/* The rules of insight: each one on results made to trigger it, and on results just beyond its threshold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "call/bursts.h"
#include "sim/insight.h"
#include "sim/network.h"
#include "sim/path_summary.h"

enum { RANKS = 4, LENGTH = 100000 };

/* A result of 4 ranks that takes LENGTH. The path has these kinds; what is left is computed by `rank`. */
static struct result make(const char *fabric, const ps_t *compute, ps_t idle_of_each, const ps_t *kinds,
                          uint32_t rank, ps_t length)
{
    struct result result = {.fabric = fabric, .ranks = RANKS, .makespan = length};
    result.rows = mem_alloc(RANKS, sizeof *result.rows, "rows");
    for (uint32_t i = 0; i < RANKS; i++)
        result.rows[i] = (struct rank_row){.finish = length, .compute = compute[i], .idle = idle_of_each};
    result.path = mem_alloc(1, sizeof *result.path, "a path");
    ps_t rest = length;
    for (int kind = 0; kind < CRITICAL_KINDS; kind++) {
        result.path->kinds[kind] = kinds[kind];
        rest -= kinds[kind];
    }
    result.path->kinds[CRITICAL_COMPUTATION] += rest;
    result.path->length = result.path->last_since = length;
    result.path->steps = mem_alloc(1, sizeof *result.path->steps, "a step");
    result.path->count = 1;
    result.path->steps[0] = (struct critical_step){
        .rank = rank, .is_signal = true, .computed = length, .start = length, .end = length};
    result.path_summary = path_summary_make(result.path);
    return result;
}

static struct insight insight;

static void free_all(struct result *results, size_t count)
{
    insight_free(&insight);
    for (size_t i = 0; i < count; i++)
        result_free(&results[i]);
}

static enum insight_rule rule_of(struct result *results, size_t count)
{
    insight_make(&insight, results, count, NULL, 0);
    assert_true(insight.count > 0);
    return insight.sentences[0].rule;
}

static const ps_t evenly[RANKS] = {LENGTH * 95 / 100, LENGTH * 95 / 100, LENGTH * 95 / 100,
                                   LENGTH * 95 / 100};
static const ps_t nothing[CRITICAL_KINDS] = {0};

static void lost_calls_are_counted(void **state)
{
    (void)state;
    for (uint64_t lost = 0; lost < 3; lost++) {
        struct result result = make("packet", evenly, 0, nothing, 0, LENGTH);
        insight_make(&insight, &result, 1, NULL, lost);
        assert_int_equal(insight.count, lost ? 2 : 1);
        if (lost) {
            assert_int_equal(insight.sentences[1].rule, INSIGHT_LOST);
            assert_string_equal(
                insight.sentences[1].text,
                lost == 1 ? "The trace lacks what 1 call moved, so the times are without it; helio "
                            "trace info names the calls."
                          : "The trace lacks what 2 calls moved, so the times are without it; helio "
                            "trace info names the calls.");
        }
        free_all(&result, 1);
    }
}

/* Ranks that wait for a processor for 10 % of the time of their bursts are named, with less they are not. */
static void bursts_that_wait_are_named_from_their_threshold(void **state)
{
    (void)state;
    struct bursts_sum ranks[2] = {{.count = 1, .lasted_ns = 500, .used_ns = 500},
                                  {.count = 1, .lasted_ns = 500, .used_ns = 400}};
    struct bursts_summary bursts = {.ranks = ranks, .rank_count = 2, .worst = 1};
    for (int i = 0; i < 2; i++) {
        struct result result = make("packet", evenly, 0, nothing, 0, LENGTH);
        bursts.all = (struct bursts_sum){.count = 2, .lasted_ns = 1000, .used_ns = 900 + i};
        insight_make(&insight, &result, 1, &bursts, 0);
        assert_int_equal(insight.count, 2 - i);
        if (i == 0) {
            assert_int_equal(insight.sentences[1].rule, INSIGHT_BURSTS);
            assert_string_equal(insight_rule_name(INSIGHT_BURSTS), "bursts");
            assert_string_equal(
                insight.sentences[1].text,
                "While the trace was recorded, ranks waited 10 % of the time of their "
                "computation for a processor, rank 1 most (20 %): they shared cores, slept or "
                "waited for files.");
        }
        free_all(&result, 1);
    }
}

/* The bound saves 5 %: no network helps; 5.001 %: one does. */
static void no_network_helps_up_to_its_threshold(void **state)
{
    (void)state;
    const ps_t latency[CRITICAL_KINDS] = {[CRITICAL_LATENCY] = LENGTH * 5 / 100};
    struct result result = make("packet", evenly, LENGTH * 5 / 100, latency, 0, LENGTH);
    assert_int_equal(rule_of(&result, 1), INSIGHT_COMPUTATION);
    assert_string_equal(insight.sentences[0].text,
                        "No network helps this program: a perfect one saves at most 5.0 % of the time; its "
                        "ranks compute 95 % of the time.");
    free_all(&result, 1);

    const ps_t less[RANKS] = {0};
    const ps_t more[CRITICAL_KINDS] = {[CRITICAL_LATENCY] = LENGTH * 5 / 100 + 1};
    result = make("packet", less, LENGTH * 5 / 100, more, 0, LENGTH);
    rule_of(&result, 1);
    assert_null(strstr(insight.sentences[0].text, "No network helps"));
    free_all(&result, 1);
}

/* A bound that was run counts instead of what is computed. */
static void bound_that_was_run_counts(void **state)
{
    (void)state;
    const ps_t latency[CRITICAL_KINDS] = {[CRITICAL_LATENCY] = LENGTH / 2};
    struct result results[2] = {make("ideal", evenly, 0, nothing, 0, LENGTH * 97 / 100),
                                make("packet", evenly, 0, latency, 0, LENGTH)};
    results[0].network.is_bound = true;
    assert_int_equal(rule_of(results, 2), INSIGHT_COMPUTATION);
    assert_string_equal(insight.bound, "ideal");
    assert_int_equal(insight.count, 1);
    free_all(results, 2);
}

/* Ranks that are idle for 10 % of their time wait for each other; for less, they compute. */
static void imbalance_from_its_threshold(void **state)
{
    (void)state;
    const ps_t uneven[RANKS] = {LENGTH * 8 / 10, LENGTH * 8 / 10, LENGTH, LENGTH * 8 / 10};
    struct result result = make("packet", uneven, LENGTH / 10, nothing, 2, LENGTH);
    assert_int_equal(rule_of(&result, 1), INSIGHT_IMBALANCE);
    assert_string_equal(insight.sentences[0].text,
                        "No network helps this program: a perfect one saves at most 0.0 % of the time; its "
                        "ranks wait for each other 10 % of their time, and rank 2 computes longest, 1.18 "
                        "times the average.");
    free_all(&result, 1);
    result = make("packet", uneven, LENGTH / 10 - 1, nothing, 2, LENGTH);
    assert_int_equal(rule_of(&result, 1), INSIGHT_COMPUTATION);
    free_all(&result, 1);
}

/* A bound has the hosts of the machine, so it saves nothing if they take the time: ranks compute nothing. */
static void hosts_may_take_the_time(void **state)
{
    (void)state;
    const ps_t compute[RANKS] = {0};
    const ps_t software[CRITICAL_KINDS] = {[CRITICAL_SOFTWARE] = LENGTH};
    struct result results[2] = {make("ideal", compute, 0, software, 0, LENGTH),
                                make("packet", compute, 0, software, 0, LENGTH)};
    results[0].network.is_bound = true;
    assert_int_equal(rule_of(results, 2), INSIGHT_SOFTWARE);
    assert_string_equal(
        insight.sentences[0].text,
        "No network helps this program: a perfect one saves at most 0.0 % of the time; 100 % of "
        "it is software: cores, PCIe and NICs handle messages.");
    free_all(results, 2);
}

/* No rank is named for an imbalance if it computes less than 10 % longer than the average. */
static void imbalance_names_who_computes_longer(void **state)
{
    (void)state;
    const ps_t enough[RANKS] = {LENGTH / 2, LENGTH / 2, LENGTH / 2, LENGTH * 30 / 100};
    struct result result = make("packet", enough, LENGTH / 10, nothing, 0, LENGTH);
    assert_int_equal(rule_of(&result, 1), INSIGHT_IMBALANCE);
    assert_non_null(strstr(insight.sentences[0].text, "rank 0 computes longest, 1.11 times the average."));
    free_all(&result, 1);
    const ps_t too_little[RANKS] = {LENGTH / 2, LENGTH / 2, LENGTH / 2, LENGTH * 35 / 100};
    result = make("packet", too_little, LENGTH / 10, nothing, 0, LENGTH);
    assert_non_null(rule_of(&result, 1) == INSIGHT_IMBALANCE
                        ? strstr(insight.sentences[0].text, "all ranks compute about equally long.")
                        : NULL);
    free_all(&result, 1);
}

/* The ranks compute half of what one rank computes on average, and that rank has the path. */
static void one_rank_from_its_threshold(void **state)
{
    (void)state;
    const ps_t one[RANKS] = {LENGTH / 3, LENGTH / 3, LENGTH / 3, LENGTH};
    struct result result = make("packet", one, LENGTH / 2, nothing, 3, LENGTH);
    assert_int_equal(rule_of(&result, 1), INSIGHT_ONE_RANK);
    assert_non_null(
        strstr(insight.sentences[0].text, "rank 3 computes 100 % of the time, the average rank 50 %"));
    free_all(&result, 1);
    const ps_t more[RANKS] = {LENGTH / 3 + 4, LENGTH / 3, LENGTH / 3, LENGTH};
    result = make("packet", more, LENGTH / 2, nothing, 3, LENGTH);
    assert_int_equal(rule_of(&result, 1), INSIGHT_IMBALANCE);
    free_all(&result, 1);
}

/* Half of the path is of one kind; with less, no kind decides. */
static void kind_that_decides(void **state)
{
    (void)state;
    static const struct {
        enum critical_kind kind;
        enum insight_rule rule;
    } cases[] = {{CRITICAL_LATENCY, INSIGHT_LATENCY},
                 {CRITICAL_BANDWIDTH, INSIGHT_BANDWIDTH},
                 {CRITICAL_CONTENTION, INSIGHT_CONTENTION},
                 {CRITICAL_SETUP, INSIGHT_SETUP},
                 {CRITICAL_SOFTWARE, INSIGHT_SOFTWARE}};
    const ps_t compute[RANKS] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ps_t kinds[CRITICAL_KINDS] = {[CRITICAL_OTHER] = LENGTH / 4};
        kinds[cases[i].kind] = LENGTH / 2;
        struct result result = make("packet", compute, 0, kinds, 0, LENGTH);
        assert_int_equal(rule_of(&result, 1), cases[i].rule);
        free_all(&result, 1);
        kinds[cases[i].kind]--;
        result = make("packet", compute, 0, kinds, 0, LENGTH);
        assert_int_equal(rule_of(&result, 1), INSIGHT_MIXED);
        free_all(&result, 1);
    }
}

/* A plug-in need not tell what messages do. */
static void network_may_tell_nothing(void **state)
{
    (void)state;
    const ps_t compute[RANKS] = {0};
    const ps_t other[CRITICAL_KINDS] = {[CRITICAL_OTHER] = LENGTH};
    struct result result = make("loggp", compute, 0, other, 0, LENGTH);
    assert_int_equal(rule_of(&result, 1), INSIGHT_MIXED);
    assert_string_equal(insight.sentences[0].text,
                        "On loggp, 100 % of the time is in a network that does not say what messages do.");
    free_all(&result, 1);
}

/* Times that differ by less than 1 % are the same. Otherwise the kind with most of the difference is named.
 */
static void fabrics_are_compared(void **state)
{
    (void)state;
    const ps_t compute[RANKS] = {0};
    const ps_t slow[CRITICAL_KINDS] = {
        [CRITICAL_LATENCY] = LENGTH * 7 / 10, [CRITICAL_BANDWIDTH] = LENGTH / 10};
    const ps_t fast[CRITICAL_KINDS] = {
        [CRITICAL_LATENCY] = LENGTH * 2 / 10, [CRITICAL_BANDWIDTH] = LENGTH / 10};
    struct result results[2] = {make("packet", compute, 0, slow, 0, LENGTH),
                                make("segment", compute, 0, fast, 0, LENGTH / 2)};
    assert_int_equal(rule_of(results, 2), INSIGHT_FASTER);
    assert_string_equal(insight.sentences[0].text,
                        "The program is 2.0 times as fast on segment as on packet because the latencies of "
                        "messages add up to less (nearly all of the difference).");
    assert_int_equal(insight.sentences[0].cause, CRITICAL_LATENCY);
    assert_string_equal(insight.sentences[0].versus, "packet");
    free_all(results, 2);

    results[0] = make("segment", compute, 0, fast, 0, LENGTH / 2);
    results[1] = make("packet", compute, 0, slow, 0, LENGTH);
    assert_int_equal(rule_of(results, 2), INSIGHT_SLOWER);
    free_all(results, 2);

    results[0] = make("packet", compute, 0, slow, 0, LENGTH);
    results[1] = make("hockney", compute, 0, slow, 0, LENGTH * 995 / 1000);
    assert_int_equal(rule_of(results, 2), INSIGHT_SAME);
    assert_string_equal(insight.sentences[0].text,
                        "The program takes about as long on hockney as on packet (0.50 % faster).");
    free_all(results, 2);

    results[0] = make("packet", compute, 0, slow, 0, LENGTH);
    results[1] = make("fmu", compute, 0, slow, 0, LENGTH * 1028 / 1000);
    assert_int_equal(rule_of(results, 2), INSIGHT_SLOWER);
    assert_non_null(
        strstr(insight.sentences[0].text, "The program is 2.8 % slower on fmu than on packet because "));
    free_all(results, 2);
}

/* Contention is of something if that has 10 % of all waiting; with less it is spread. */
static void contention_has_a_place(void **state)
{
    (void)state;
    const ps_t compute[RANKS] = {0};
    const ps_t waiting[CRITICAL_KINDS] = {[CRITICAL_CONTENTION] = LENGTH};
    struct result result = make("packet", compute, 0, waiting, 0, LENGTH);
    result.path->longest = (struct waits_place){.what = "FMU", .which = 3};
    result.path->longest_share = 0.10;
    assert_int_equal(rule_of(&result, 1), INSIGHT_CONTENTION);
    assert_string_equal(insight.sentences[0].text,
                        "On packet, 100 % of the time is contention: messages wait for other messages; a "
                        "message waits longest for FMU 3 (10 % of all waiting).");
    insight_free(&insight);
    result.path->longest_share = 0.0999;
    rule_of(&result, 1);
    assert_non_null(
        strstr(insight.sentences[0].text, "; the waiting is spread: no resource has more than 10 % of it."));
    free_all(&result, 1);
}

/* If a kind of time makes more than the difference, what is left is the other way round. */
static void other_time_may_be_the_other_way_round(void **state)
{
    (void)state;
    const ps_t compute[RANKS] = {0};
    const ps_t slow[CRITICAL_KINDS] = {[CRITICAL_LATENCY] = LENGTH};
    const ps_t fast[CRITICAL_KINDS] = {[CRITICAL_SETUP] = LENGTH / 2};
    struct result results[2] = {make("packet", compute, 0, slow, 0, LENGTH),
                                make("segment", compute, 0, fast, 0, LENGTH / 2)};
    assert_int_equal(rule_of(results, 2), INSIGHT_FASTER);
    assert_non_null(
        strstr(insight.sentences[0].text,
               "because the latencies of messages add up to less; all other time together is longer."));
    insight_free(&insight);
    struct result swapped[2] = {results[1], results[0]};
    assert_int_equal(rule_of(swapped, 2), INSIGHT_SLOWER);
    assert_non_null(
        strstr(insight.sentences[0].text,
               "because the latencies of messages add up to more; all other time together is shorter."));
    free_all(results, 2);
}

/* A faster link is no merit of the fabric, so it is said. */
static void other_rates_are_said(void **state)
{
    (void)state;
    const ps_t compute[RANKS] = {0};
    const ps_t slow[CRITICAL_KINDS] = {[CRITICAL_BANDWIDTH] = LENGTH};
    const ps_t fast[CRITICAL_KINDS] = {[CRITICAL_BANDWIDTH] = LENGTH / 4};
    struct result results[2] = {make("packet", compute, 0, slow, 0, LENGTH),
                                make("segment", compute, 0, fast, 0, LENGTH / 4)};
    results[0].network.is_described = results[1].network.is_described = true;
    results[0].network.rate_bytes_per_s = 1000000000;
    results[1].network.rate_bytes_per_s = 1000000000;
    rule_of(results, 2);
    assert_null(strstr(insight.sentences[0].text, "settings differ"));
    insight_free(&insight);
    results[1].network.rate_bytes_per_s = 4000000000;
    rule_of(results, 2);
    assert_non_null(strstr(insight.sentences[0].text,
                           "settings differ, too: a node sends at 4.000 GB/s, on packet at 1.000 GB/s"));
    free_all(results, 2);
}

/* Networks that no message takes are not compared. */
static void program_on_one_node_says_so(void **state)
{
    (void)state;
    const ps_t latency[CRITICAL_KINDS] = {[CRITICAL_LATENCY] = LENGTH * 6 / 10};
    struct result results[2] = {make("packet", evenly, 0, latency, 0, LENGTH),
                                make("fmu", evenly, 0, latency, 0, LENGTH)};
    results[0].messages = results[1].messages = results[0].in_nodes = results[1].in_nodes = 7;
    assert_int_equal(rule_of(results, 2), INSIGHT_ONE_NODE);
    assert_int_equal(insight.count, 2);
    assert_int_equal(insight.sentences[1].rule, INSIGHT_LATENCY);
    insight_free(&insight);
    results[0].in_nodes = results[1].in_nodes = 6;
    assert_int_not_equal(rule_of(results, 2), INSIGHT_ONE_NODE);
    assert_int_equal(insight.sentences[1].rule, INSIGHT_SAME);
    free_all(results, 2);
}

static void program_without_time_says_so(void **state)
{
    (void)state;
    struct result result = {.fabric = "ideal"};
    assert_int_equal(rule_of(&result, 1), INSIGHT_NOTHING);
    free_all(&result, 1);
}

/* Pages take from the fabric whether it is a bound; one that is not in this process is none. */
static void bounds_are_told_to_pages(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool is_bound;
    } fabrics[] = {{"ideal", true}, {"packet", false}, {"not-in-this-process", false}};
    for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
        json_t *style = network_style_json(json_make_text(fabrics[i].name));
        assert_string_equal(json_string_value(json_object_get(style, "fabric")), fabrics[i].name);
        assert_true(json_is_boolean(json_object_get(style, "is_bound")));
        assert_true(json_is_true(json_object_get(style, "is_bound")) == fabrics[i].is_bound);
        json_decref(style);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_network_helps_up_to_its_threshold),
        cmocka_unit_test(lost_calls_are_counted),
        cmocka_unit_test(bursts_that_wait_are_named_from_their_threshold),
        cmocka_unit_test(bound_that_was_run_counts),
        cmocka_unit_test(imbalance_from_its_threshold),
        cmocka_unit_test(hosts_may_take_the_time),
        cmocka_unit_test(imbalance_names_who_computes_longer),
        cmocka_unit_test(one_rank_from_its_threshold),
        cmocka_unit_test(kind_that_decides),
        cmocka_unit_test(network_may_tell_nothing),
        cmocka_unit_test(fabrics_are_compared),
        cmocka_unit_test(contention_has_a_place),
        cmocka_unit_test(other_time_may_be_the_other_way_round),
        cmocka_unit_test(other_rates_are_said),
        cmocka_unit_test(program_on_one_node_says_so),
        cmocka_unit_test(program_without_time_says_so),
        cmocka_unit_test(bounds_are_told_to_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
