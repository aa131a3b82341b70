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
#include "breakdown/model.h"

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
    return system_open(&paper, NULL) != STATUS_OK;
}

static int close_paper(void **state)
{
    (void)state;
    system_close(&paper);
    diag_set_sink(NULL, NULL);
    return 0;
}

static void totals_are_those_of_the_paper(void **state)
{
    (void)state;
    struct model model;
    model_make(&model, &paper.system, 8);
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
    model_make(&model, &paper.system, 8);
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

/* 100 B: header 32 + 100 in three blocks of 64. 128 B more on PCIe at 15.75 GB/s are 8.127 ns; of the
 * payload, 36 B are behind its first block: 2.286 ns on PCIe and in memory, 2.88 ns on the wire. */
static void larger_payloads_are_inlined_in_more_blocks(void **state)
{
    (void)state;
    struct model model;
    model_make(&model, &paper.system, 100);
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

/* 4096 B: fetched in a round trip; 192 B behind the first block in each part, and 3840 B that stream behind
 * the first packet at the wire's 12.5 GB/s. */
static void large_payloads_are_fetched_and_stream(void **state)
{
    (void)state;
    struct model model;
    model_make(&model, &paper.system, 4096);
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
    model_make(&model, &system, 8);
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
    const char *at = memmem(system_thunderx2, system_thunderx2_length, from, strlen(from));
    assert_non_null(at);
    int before = (int)(at - system_thunderx2);
    int after = (int)system_thunderx2_length - before - (int)strlen(from);
    int length =
        snprintf(text, sizeof text, "%.*s%s%.*s", before, system_thunderx2, to, after, at + strlen(from));
    assert_true(length > 0 && (size_t)length < sizeof text);
    said[0] = '\0';
    return system_open_text(file, "mine.yaml", text, (size_t)length);
}

static void errors_have_their_place(void **state)
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
    model_make(&model, &file.system, 8);
    assert_int_equal(model_gen_completion(&model), NS(1340.60));
    system_close(&file);
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
        cmocka_unit_test(errors_have_their_place),
        cmocka_unit_test(a_completion_may_have_its_own_time),
    };
    return cmocka_run_group_tests(tests, open_paper, close_paper);
}
