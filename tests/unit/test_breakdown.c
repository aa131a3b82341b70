/* The small-message model against "Breaking Band": Table 1's sums, the shares of every figure to two digits,
 * larger payloads by hand, and system files that are wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "breakdown/whatif.h"

#define NS(x) ((ps_t)((x)*1000 + 0.5))

static char said[4096];

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)self;
    (void)level;
    strncat(said, message, sizeof said - strlen(said) - 1);
}

static struct system_file paper;

static int open_paper(void **state)
{
    (void)state;
    diag_set_sink(keep_message, NULL);
    return system_init(&paper, NULL) != STATUS_OK;
}

static int close_paper(void **state)
{
    (void)state;
    system_free(&paper);
    diag_set_sink(NULL, NULL);
    return 0;
}

static void totals_are_those_of_the_paper(void **state)
{
    (void)state;
    struct model model;
    model_init(&model, &paper.system, 8);
    assert_int_equal(model_sum(&model, LLP_POST), NS(175.42));
    assert_int_equal(model_sum(&model, INJ_OVERHEAD), NS(295.73));
    assert_int_equal(model_message_injection(&model), NS(295.73) + NS(137.49));
    assert_int_equal(model_sum(&model, NETWORK), NS(382.81));
    assert_int_equal(model_gen_completion(&model), NS(1281.56));
    assert_int_equal(model_least_p(&model), 8);
    assert_int_equal(model_sum(&model, LLP_LATENCY), NS(1135.80));
    assert_int_equal(model_sum(&model, HLP_RX_PROG), NS(224.66));
    assert_int_equal(model_sum(&model, OVERALL_INJECTION), NS(264.97));
    assert_int_equal(model_sum(&model, END_TO_END_LATENCY), NS(1387.02));
    assert_int_equal(model_channel_time(&model), 0);
}

/* Shares in hundredths of a percent, bar by bar; -1 ends a bar. */
static const int shares[] = {
    1584, 988,  1201, 5373, 855,  -1,   5932, 2084, 1984, -1,   1532, 8468, -1, /* Figures 4, 8 */
    1544, 1211, 2420, 951,  1211, 2122, 543,  -1,                               /* Figure 10 */
    9175, 825,  -1,   6609, 3391, -1,   7623, 2258, 120,  -1,                   /* Figures 11, 12 */
    191,  1265, 991,  1981, 779,  991,  1737, 444,  1620, -1,                   /* Figure 13 */
    8685, 1315, -1,   161,  9839, -1,   2153, 7847, -1,                         /* Figure 14 */
    3520, 3720, 2760, -1,   5145, 4855, -1,   5330, 4670, -1,   7179, 2821, -1, /* Figure 15 */
    3380, 6620, -1,   5950, 4050, -1,   4307, 5693, -1,   3633, 6367, -1,       /* Figure 16 */
};

static void shares_are_those_of_the_figures(void **state)
{
    (void)state;
    struct model model;
    model_init(&model, &paper.system, 8);
    size_t next = 0;
    for (size_t i = 0; i < model_bar_count(); i++) {
        struct bar bar;
        ps_t sum = 0;
        model_bar(&model, i, &bar);
        for (size_t j = 0; j < bar.count; j++) {
            assert_int_equal(model_share(bar.parts[j].time_ps, bar.total_ps), shares[next++]);
            sum += bar.parts[j].time_ps;
        }
        assert_int_equal(sum, bar.total_ps);
        assert_int_equal(shares[next++], -1);
    }
    assert_int_equal(next, sizeof shares / sizeof *shares);
}

/* 100 B: a header of 32 B and 100 B are three blocks of 64 B. PCIe carries 128 B more at 15.75 GB/s: 8.127
 * ns. 36 B of the payload come after its first block: 2.286 ns on PCIe and in memory, 2.88 ns on the wire. */
static void larger_payloads_are_inlined_in_more_blocks(void **state)
{
    (void)state;
    struct model model;
    model_init(&model, &paper.system, 100);
    assert_true(model.inlined);
    assert_int_equal(model.blocks, 3);
    assert_int_equal(model.time_ps[PART_PIO_COPY], 3 * NS(94.25));
    assert_int_equal(model.time_ps[PART_TX_PCIE], NS(137.49) + 8127);
    assert_int_equal(model.time_ps[PART_WIRE], NS(274.81) + 2880);
    assert_int_equal(model.time_ps[PART_RX_PCIE], NS(137.49) + 2286);
    assert_int_equal(model.time_ps[PART_RC_TO_MEM], NS(240.96) + 2286);
    assert_int_equal(model.time_ps[PART_DMA_PAYLOAD], 0);
    assert_int_equal(model_channel_time(&model), 8000);
}

/* 4096 B: the NIC fetches the payload in one round trip. 192 B come after the first block in each part, and
 * 3840 B stream after the first packet at the wire's 12.5 GB/s. */
static void large_payloads_are_fetched_and_stream(void **state)
{
    (void)state;
    struct model model;
    model_init(&model, &paper.system, 4096);
    assert_false(model.inlined);
    assert_int_equal(model.blocks, 1);
    assert_int_equal(model.time_ps[PART_DMA_PAYLOAD], 2 * NS(137.49) + 12191);
    assert_int_equal(model.time_ps[PART_WIRE], NS(274.81) + 15360 + 307200);
    assert_int_equal(model.time_ps[PART_RX_PCIE], NS(137.49) + 12191);
    struct bar bar;
    model_bar(&model, 3, &bar);
    assert_string_equal(bar.parts[2].name, "DMA reads");
    assert_int_equal(bar.total_ps, model_sum(&model, LLP_LATENCY));
}

static void a_doorbell_costs_two_round_trips(void **state)
{
    (void)state;
    struct system system = paper.system;
    system.post = SYSTEM_DOORBELL;
    system.inline_bytes = 0;
    struct model model;
    model_init(&model, &system, 8);
    assert_int_equal(model.time_ps[PART_PIO_COPY], 0);
    assert_int_equal(model_sum(&model, DMA_READS), 4 * NS(137.49));
    assert_int_equal(model_sum(&model, END_TO_END_LATENCY), NS(1387.02) - NS(94.25) + 4 * NS(137.49));
}

static void numbers_have_two_digits_or_three(void **state)
{
    (void)state;
    char text[40];
    assert_string_equal(model_ns(1387020, text, sizeof text), "1387.02");
    assert_string_equal(model_ns(963, text, sizeof text), "0.963");
    assert_string_equal(model_ns(0, text, sizeof text), "0.00");
    assert_string_equal(model_ns(-1500, text, sizeof text), "-1.50");
}

/* The paper's file with `from` replaced by `to`. */
static enum status open_changed(const char *from, const char *to, struct system_file *file)
{
    char text[8192];
    const struct embedded_file *original = system_named("thunderx2");
    const char *at = memmem(original->text, original->length, from, strlen(from));
    assert_non_null(at);
    int before = (int)(at - original->text);
    int after = (int)original->length - before - (int)strlen(from);
    int length =
        snprintf(text, sizeof text, "%.*s%s%.*s", before, original->text, to, after, at + strlen(from));
    assert_true(length > 0 && (size_t)length < sizeof text);
    said[0] = '\0';
    return system_init_text(file, "mine.yaml", text, (size_t)length);
}

static void errors_name_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *message;
    } wrong[] = {
        {"LLP_prog: [61.63 ns, \"Table 1\"]", "LLP_porg: 61.63 ns", "did you mean 'LLP_prog'?"},
        {"LLP_prog: [61.63 ns, \"Table 1\"]", "", "mine.yaml: LLP_prog is missing"},
        {"LLP_prog: [61.63 ns, \"Table 1\"]", "LLP_prog: 61.63", "mine.yaml:12:11: error: "},
        {"Switch: [108 ns, \"Table 1\"]", "Switch: [2 s, \"Table 1\"]", "Switch is at most 1 s"},
        {"Post_prog: [59.82 ns", "Post_prog: [0.9 ns", "less than LLP_prog / c"},
        {"c: 64", "c: 0", "c is at least 1"},
        {"c: 64", "header: 65 B", "does not fit into a block"},
        {"c: 64", "inline: 1 KiB", "'inline' is at most 'packet'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct system_file file;
        assert_int_equal(open_changed(wrong[i].from, wrong[i].to, &file), STATUS_BAD_INPUT);
        if (!strstr(said, wrong[i].message))
            fail_msg("'%s' is not in: %s", wrong[i].message, said);
    }
}

static void a_completion_may_have_its_own_time(void **state)
{
    (void)state;
    struct system_file file;
    struct model model;
    assert_int_equal(open_changed("RC_to_MEM:\n", "RC_to_MEM:\n  64B: 300 ns\n", &file), STATUS_OK);
    model_init(&model, &file.system, 8);
    assert_int_equal(model_gen_completion(&model), NS(1340.60));
    system_free(&file);
}

/* ----------------------------------------------------------------- what if */

/* Figure 17, (T - T') / T in percent where a component is reduced by 10, 30, 50, 70, 90 %, from Table 1 by
 * hand; the order is that of whatif_curves. */
static const double reductions[][WHATIF_DEGREES] = {
    {3.2236, 9.6709, 16.1182, 22.5655, 29.0128},  {1.0024, 3.0071, 5.0119, 7.0166, 9.0214},
    {2.2213, 6.6638, 11.1064, 15.5489, 19.9914},  {6.6567, 19.9701, 33.2836, 46.5970, 59.9104},
    {6.6204, 19.8611, 33.1019, 46.3426, 59.5833}, {3.5570, 10.6710, 17.7850, 24.8990, 32.0131},
    {1.8112, 5.4337, 9.0561, 12.6785, 16.3010},   {0.1915, 0.5745, 0.9574, 1.3404, 1.7234},
    {1.6197, 4.8592, 8.0987, 11.3381, 14.5776},   {1.7091, 5.1272, 8.5453, 11.9634, 15.3815},
    {1.2647, 3.7942, 6.3236, 8.8531, 11.3825},    {0.4443, 1.3330, 2.2217, 3.1103, 3.9990},
    {0.6795, 2.0385, 3.3976, 4.7566, 6.1156},     {3.7198, 11.1593, 18.5989, 26.0384, 33.4780},
    {1.9825, 5.9476, 9.9126, 13.8777, 17.8427},   {1.7372, 5.2117, 8.6862, 12.1607, 15.6352},
    {1.9813, 5.9439, 9.9065, 13.8691, 17.8317},   {0.7786, 2.3359, 3.8932, 5.4505, 7.0078},
};

static void curves_are_those_of_figure_17(void **state)
{
    (void)state;
    struct model before, after;
    model_init(&before, &paper.system, 8);
    assert_int_equal(whatif_curve_count, sizeof reductions / sizeof *reductions);
    for (size_t i = 0; i < whatif_curve_count; i++)
        for (size_t j = 0; j < WHATIF_DEGREES; j++) {
            struct system system = paper.system;
            uint32_t total = whatif_curves[i].panel == 'a' ? OVERALL_INJECTION : END_TO_END_LATENCY;
            whatif_reduce(&system, whatif_curves[i].times, whatif_degrees_percent[j] * 100);
            model_init(&after, &system, 8);
            double ours = whatif_reduction_percent(model_sum(&before, total), model_sum(&after, total));
            assert_float_equal(ours, reductions[i][j], 0.0008); /* a picosecond per component, rounded */
        }
}

static ps_t latency_of(uint64_t bytes, const char *change)
{
    struct system system = paper.system;
    struct model model;
    assert_int_equal(whatif_apply(&system, bytes, "--set", change), STATUS_OK);
    model_init(&model, &system, bytes);
    return model_sum(&model, END_TO_END_LATENCY);
}

static ps_t latency_with(const char *change)
{
    return latency_of(8, change);
}

/* Figure 15 has the times of the sets, so these change nothing, or as much as is added. */
static void the_time_of_a_set_is_its_part_of_the_latency(void **state)
{
    (void)state;
    static const char *const same[] = {"LLP_post=175.42ns",    "LLP=237.05ns",     "HLP_post=26.56ns",
                                       "HLP_rx_prog=224.66ns", "HLP=251.22ns",     "CPU=488.27ns",
                                       "I/O=515.94ns",         "Network=382.81ns", "RC-to-MEM=240.96ns"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_int_equal(latency_with(same[i]), NS(1387.02));
    assert_int_equal(latency_with("HLP=+100ns"), NS(1487.02));
    assert_int_equal(latency_with("CPU=-88.27ns"), NS(1387.02) - NS(88.27));
    assert_int_equal(latency_with("I/O=+10ns"), NS(1397.02));
    assert_int_equal(latency_with("I/O=0ns"), NS(1387.02) - NS(515.94));
    assert_int_equal(latency_with("RC-to-MEM=100ns"), NS(1387.02) - NS(140.96));
    assert_int_equal(latency_with("RC-to-MEM=+100ns"), NS(1487.02));
}

/* The NIC fetches 4 KiB: PCIe is crossed twice more, and the bytes that stream are in no component. */
static void the_time_of_a_set_is_that_of_the_payload(void **state)
{
    (void)state;
    const ps_t before = latency_of(4096, "Wire=+0ns");
    assert_int_equal(before, 2021133);
    assert_int_equal(latency_of(4096, "I/O=827493ps"), before);
    assert_int_equal(latency_of(4096, "I/O=+100ns"), before + NS(100));
    assert_int_equal(latency_of(4096, "Network=705.37ns"), before);
}

static void changes_are_relative_added_or_new(void **state)
{
    (void)state;
    assert_int_equal(latency_with("wire=+300ns"), NS(1687.02));
    assert_int_equal(latency_with("Wire = -50%"), NS(1387.02) - 137405);
    assert_int_equal(latency_with("Switch=30 ns"), NS(1309.02));
    assert_int_equal(latency_with("pcie=+10ns"), NS(1407.02)); /* a message crosses PCIe twice */
    assert_int_equal(latency_with("LLP_post=100ns"), NS(1387.02) - NS(75.42));
    assert_int_equal(latency_with("LLP-post=+1ps"), NS(1387.02) + 1);
    assert_int_equal(latency_with("doorbell=+5ns"), NS(1387.02)); /* PIO is no part of the latency */
    assert_int_equal(latency_with("CPU=-100%"), NS(1387.02) - NS(488.27));
}

static void wrong_changes_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *change, *message;
    } wrong[] = {
        {"wires=+1ns", "--set:1:1: error: there is no component 'wires'; did you mean 'Wire'?"},
        {"", "there is no component ''"},
        {"Wire", "a change is missing"},
        {"Wire=", "a change is missing"},
        {"Wire=300", "--set:1:6: error: a time needs a unit"},
        {"Wire=+300", "--set:1:7: error: a time needs a unit"},
        {"Wire=50%", "a change in percent has its sign"},
        {"Wire=+%", "is not a"},
        {"Wire=--5%", "is not a"},
        {"Wire=-274.82ns", "would make it shorter than 0 s"},
        {"Wire=-101%", "would make it shorter than 0 s"},
        {"Wire=2s", "longer than 1 s"},
        {"CPU=1001ms", "longer than 1 s"},
        {"Network=-382.82ns", "would make it shorter than 0 s"},
        {"Wire=+nan%", "is not a"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct system system = paper.system;
        said[0] = '\0';
        assert_int_equal(whatif_apply(&system, 8, "--set", wrong[i].change), STATUS_BAD_INPUT);
        assert_memory_equal(&system, &paper.system, sizeof system);
        if (!strstr(said, wrong[i].message))
            fail_msg("'%s' is not in: %s", wrong[i].message, said);
    }
}

/* A scaled set keeps the proportions of its times, so one that takes no time cannot be scaled. */
static void sets_without_time_are_refused(void **state)
{
    (void)state;
    struct system system = paper.system;
    assert_int_equal(whatif_apply(&system, 8, "--set", "Network=0ns"), STATUS_OK);
    assert_int_equal(whatif_apply(&system, 8, "--set", "Network=0ns"), STATUS_OK);
    said[0] = '\0';
    assert_int_equal(whatif_apply(&system, 8, "--set", "Network=+5ns"), STATUS_BAD_INPUT);
    assert_non_null(strstr(said, "takes no time in this system"));
    said[0] = '\0';
    assert_int_equal(whatif_apply(&paper.system, 4096, "--set", "Network=300ns"), STATUS_BAD_INPUT);
    assert_non_null(strstr(said, "less than the bytes of the payload alone take"));
}

static void the_ranking_is_by_latency(void **state)
{
    (void)state;
    struct whatif_rank ranks[WHATIF_RANKS];
    size_t count = whatif_ranking(&paper.system, 8, 10000, ranks);
    assert_int_equal(count, 17); /* no doorbell */
    assert_string_equal(ranks[0].name, "PCIe");
    assert_int_equal(ranks[0].totals.latency_ps, NS(1387.02) - NS(274.98));
    assert_string_equal(ranks[1].name, "Wire");
    for (size_t i = 1; i < count; i++)
        assert_true(ranks[i - 1].totals.latency_ps <= ranks[i].totals.latency_ps);
}

/* Where the NIC fetches, the read of memory counts too. */
static void reads_of_memory_are_ranked(void **state)
{
    (void)state;
    struct system system = paper.system;
    struct whatif_rank ranks[WHATIF_RANKS];
    bool is_ranked = false;
    system.post = SYSTEM_DOORBELL;
    system.times[TIME_MEM_READ].time_ps = NS(80);
    const struct whatif_totals before = whatif_totals_of(&system, 8);
    const size_t count = whatif_ranking(&system, 8, 5000, ranks);
    for (size_t i = 0; i < count; i++)
        if (strcmp(ranks[i].name, "MEM_read") == 0) {
            is_ranked = true;
            assert_int_equal(ranks[i].totals.latency_ps, before.latency_ps - NS(40));
        }
    assert_true(is_ranked);
}

static void optimisations_are_changes(void **state)
{
    (void)state;
    for (size_t i = 0; i < whatif_optimisation_count; i++) {
        struct system system = paper.system;
        assert_int_equal(whatif_apply(&system, 8, "--optimise", whatif_optimisations[i].change), STATUS_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_are_those_of_the_paper),
        cmocka_unit_test(shares_are_those_of_the_figures),
        cmocka_unit_test(larger_payloads_are_inlined_in_more_blocks),
        cmocka_unit_test(large_payloads_are_fetched_and_stream),
        cmocka_unit_test(a_doorbell_costs_two_round_trips),
        cmocka_unit_test(numbers_have_two_digits_or_three),
        cmocka_unit_test(errors_name_their_place),
        cmocka_unit_test(a_completion_may_have_its_own_time),
        cmocka_unit_test(curves_are_those_of_figure_17),
        cmocka_unit_test(changes_are_relative_added_or_new),
        cmocka_unit_test(the_time_of_a_set_is_its_part_of_the_latency),
        cmocka_unit_test(the_time_of_a_set_is_that_of_the_payload),
        cmocka_unit_test(sets_without_time_are_refused),
        cmocka_unit_test(wrong_changes_are_refused),
        cmocka_unit_test(the_ranking_is_by_latency),
        cmocka_unit_test(reads_of_memory_are_ranked),
        cmocka_unit_test(optimisations_are_changes),
    };
    return cmocka_run_group_tests(tests, open_paper, close_paper);
}
