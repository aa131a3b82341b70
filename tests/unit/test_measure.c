/* Made-up output of the probes: summaries, sums, slopes, guards, and the system file, which must give the
 * predicted latency. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "breakdown/measure.h"
#include "breakdown/model.h"

static char said[4096];

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    strncat(said, message, sizeof said - strlen(said) - 1);
}

static enum status read_text(struct measurement *measurement, const char *text)
{
    said[0] = '\0';
    diag_set_sink(keep_message, NULL);
    FILE *file = fmemopen((void *)text, strlen(text), "r");
    assert_non_null(file);
    enum status status = measure_read(measurement, file, "made.probe");
    fclose(file);
    diag_set_sink(NULL, NULL);
    return status;
}

#define HEAD "helioprobe 1\nkind mpich\nstack made\ntimer 20 0.5\nguard clock ok steady\n"
#define LLP  "samples llp_post 50\nsamples llp_prog 40\nsamples llp_latency 120\n"
#define MPI                                                                                                  \
    "samples isend 68\nsamples ucp_send 60\nsamples uct_post 55\nsamples rx_total 30\nsamples handler 20\n"  \
    "samples mpi_callback 8\nsamples latency 160\nsamples window_post 50\nsamples window_prog 9\n"           \
    "samples window_rate 59\n"

static void judged(struct measurement *measurement, struct measure_result *result, const char *text)
{
    assert_int_equal(read_text(measurement, text), STATUS_OK);
    measure_judge(measurement, result);
}

static void summaries_are_of_all_samples(void **state)
{
    (void)state;
    char text[4096] = HEAD "samples llp_post";
    size_t length = strlen(text);
    for (int i = 200; i > 0; i--) /* 1 to 198, and two samples that do not belong */
        length += (size_t)snprintf(text + length, sizeof text - length, " %d", i > 198 ? 100000 : i);
    snprintf(text + length, sizeof text - length, "\nend\n");
    struct measurement measurement;
    assert_int_equal(read_text(&measurement, text), STATUS_OK);
    const struct measure_summary *summary = &measurement.summaries[MEASURED_LLP_POST];
    assert_int_equal(summary->count, 200);
    assert_float_equal(summary->mean, (198 * 199 / 2 + 200000) / 200.0, 1e-9);
    assert_float_equal(summary->trimmed, (198 * 199 / 2 - 1 - 2) / 196.0, 1e-9);
    assert_float_equal(summary->median, 100, 1e-9);
    assert_float_equal(summary->p95, 190, 1e-9);
    assert_float_equal(summary->p99, 198, 1e-9);
    size_t binned = 0;
    for (size_t i = 0; i < MEASURE_BINS; i++)
        binned += summary->bins[i];
    assert_int_equal(binned, 198);
    measure_free(&measurement);
}

static void latency_is_predicted_from_its_layers(void **state)
{
    (void)state;
    struct measurement measurement;
    struct measure_result result;
    judged(&measurement, &result, HEAD LLP MPI "end\n");
    assert_true(result.complete && result.has_mpi && result.guards_passed);
    assert_float_equal(result.wire_ns, 30, 1e-9);
    assert_float_equal(result.hlp_post_mpi_ns, 8, 1e-9);
    assert_float_equal(result.hlp_post_ucp_ns, 5, 1e-9);
    assert_float_equal(result.ucp_callback_ns, 12, 1e-9);
    assert_float_equal(result.mpi_after_ns, 10, 1e-9);
    assert_float_equal(result.paper.predicted_ns, 120 + 13 + 30, 1e-9);
    assert_float_equal(result.paper.deviation_percent, 100 * 3 / 160.0, 1e-9);
    assert_true(result.paper.within);
    assert_float_equal(result.latency.predicted_ns, result.paper.predicted_ns, 1e-9);
    assert_float_equal(result.injection.predicted_ns, 59, 1e-9);
    assert_float_equal(result.injection.observed_ns, 59, 1e-9);
    measure_free(&measurement);
}

static void a_latency_beyond_five_percent_is_not_within(void **state)
{
    (void)state;
    struct measurement measurement;
    struct measure_result result;
    judged(&measurement, &result,
           HEAD "samples llp_post 50\nsamples llp_prog 40\nsamples llp_latency 130\n" MPI "end\n");
    assert_false(result.paper.within);
    measure_free(&measurement);
}

/* MPI's loop takes 26 ns a turn, the probe's own 6 ns. So MPI finds a message 10 ns later on average. */
static void half_a_polling_period_is_added(void **state)
{
    (void)state;
    struct measurement measurement;
    struct measure_result result;
    judged(&measurement, &result, HEAD LLP MPI "samples llp_turn 6\nsamples mpi_turn 26\nend\n");
    assert_float_equal(result.polling_ns, 10, 1e-9);
    assert_float_equal(result.latency.predicted_ns, result.paper.predicted_ns + 10, 1e-9);
    assert_true(result.paper.within);
    assert_false(result.latency.within); /* 173 where 160 is the most possible */
    measure_free(&measurement);
}

static void a_rate_has_a_verdict(void **state)
{
    (void)state;
    struct measurement measurement;
    struct measure_result result;
    judged(&measurement, &result, HEAD LLP MPI "samples window_rate 66 66 66\nend\n");
    const double mean_ns = (59 + 3 * 66) / 4.0; /* means add up, medians do not */
    assert_float_equal(result.injection.observed_ns, mean_ns, 1e-9);
    assert_float_equal(result.injection.deviation_percent, 100 * (59 - mean_ns) / mean_ns, 1e-9);
    assert_false(result.injection.within);
    measure_free(&measurement);
}

static void added_delays_give_slopes(void **state)
{
    (void)state;
    struct measurement measurement;
    struct measure_result result;
    judged(&measurement, &result,
           HEAD LLP "delay LLP_post 100 999 230 231 777 888\ndelay LLP_post 200 331\ndelay LLP_post 400 531\n"
                    "delay LLP_prog 100 150\ndelay LLP_prog 400 180\nend\n");
    assert_int_equal(measurement.layer_count, 2);
    assert_float_equal(measurement.layers[0].slope, 1, 1e-9);
    assert_float_equal(measurement.layers[1].slope, 0.1, 1e-9);
    assert_false(result.slopes_are_one);
    measure_free(&measurement);
}

static const struct measure_guard *guard(const struct measurement *measurement, const char *name)
{
    for (size_t i = 0; i < measurement->guard_count; i++)
        if (!strcmp(measurement->guards[i].name, name))
            return &measurement->guards[i];
    fail_msg("no guard %s", name);
    return NULL;
}

static void guards_fail_for_spoilt_measurements(void **state)
{
    (void)state;
    struct measurement measurement;
    struct measure_result result;
    judged(&measurement, &result,
           HEAD "samples llp_post 90\nsamples llp_prog 40\nsamples llp_latency 120\n"
                "samples line 50 51 52 150 151 152\nend\n");
    assert_false(guard(&measurement, "overlap")->passed);
    assert_false(guard(&measurement, "distance")->passed);
    assert_false(result.guards_passed);
    measure_free(&measurement);
    judged(&measurement, &result, HEAD LLP "samples line 50 51 52 53\n" MPI "end\n");
    assert_true(guard(&measurement, "overlap")->passed && guard(&measurement, "distance")->passed);
    assert_true(guard(&measurement, "components")->passed);
    assert_int_equal(result.negative_count, 0);
    measure_free(&measurement);
}

/* One at a time, each component comes out negative: it is named, and the guard fails. */
static void a_negative_component_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *because;
        size_t count;
    } cases[] = {
        {LLP "samples busy_post -2\n" MPI, "busy post is -2.00 ns", 1},
        {"samples llp_post 90\nsamples llp_prog 40\nsamples llp_latency 123.46\n" MPI, "wire is -6.54 ns", 1},
        {"samples llp_post -1\nsamples llp_prog 40\nsamples llp_latency 120\n" MPI, "LLP_post is -1.00 ns",
         1},
        {"samples llp_post 50\nsamples llp_prog -3\nsamples llp_latency 120\n" MPI, "LLP_prog is -3.00 ns",
         1},
        {LLP MPI "samples isend -16 -16\n", "HLP_post: MPI is -48.00 ns", 1},
        {LLP MPI "samples uct_post 85\n", "HLP_post: UCP is -10.00 ns", 1},
        {LLP MPI "samples handler -10\n", "HLP_rx_prog: UCP's callback is -3.00 ns", 1},
        {LLP MPI "samples mpi_callback -26\n", "HLP_rx_prog: MPI's callback is -9.00 ns", 1},
        {LLP MPI "samples rx_total 0\nsamples handler 30\n", "HLP_rx_prog: MPI after progress is -10.00 ns",
         1},
        {LLP MPI "samples window_prog -15\n", "Post_prog is -3.00 ns", 1},
        {LLP MPI "samples uct_post 85\nsamples window_prog -15\n",
         "HLP_post: UCP is -10.00 ns, Post_prog is -3.00 ns", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct measurement measurement;
        struct measure_result result;
        char text[2048];
        snprintf(text, sizeof text, HEAD "%send\n", cases[i].text);
        judged(&measurement, &result, text);
        assert_string_equal(guard(&measurement, "components")->reason, cases[i].because);
        assert_false(guard(&measurement, "components")->passed);
        assert_int_equal(result.negative_count, cases[i].count);
        assert_false(result.guards_passed);
        measure_free(&measurement);
    }
}

static void the_system_file_gives_the_prediction_back(void **state)
{
    (void)state;
    struct measurement measurement;
    struct measure_result result;
    char *text = NULL;
    size_t length = 0;
    judged(&measurement, &result, HEAD LLP MPI "end\n");
    FILE *out = open_memstream(&text, &length);
    assert_int_equal(measure_write_system(&measurement, &result, out), STATUS_OK);
    fclose(out);
    struct system_file file;
    struct model model;
    assert_int_equal(system_init_text(&file, "made.yaml", text, length), STATUS_OK);
    model_init(&model, &file.system, 8);
    assert_int_equal(model_sum(&model, END_TO_END_LATENCY), 163000);
    assert_int_equal(model_sum(&model, LLP_LATENCY), 120000);
    system_free(&file);
    free(text);
    measure_free(&measurement);
}

static void the_name_of_a_stack_stays_a_name(void **state)
{
    (void)state;
    struct measurement measurement;
    struct measure_result result;
    char *text = NULL;
    size_t length = 0;
    judged(&measurement, &result,
           "helioprobe 1\nkind mpich\nstack a\"b\\c: &d\xff\ntimer 20 0.5\nguard clock ok steady\n" LLP MPI
           "end\n");
    FILE *out = open_memstream(&text, &length);
    assert_int_equal(measure_write_system(&measurement, &result, out), STATUS_OK);
    fclose(out);
    struct system_file file;
    assert_int_equal(system_init_text(&file, "made.yaml", text, length), STATUS_OK);
    assert_string_equal(file.system.name, "a\"b\\c: &d\\xff");
    system_free(&file);
    free(text);
    measure_free(&measurement);
}

static void text_that_no_probe_prints_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *because;
    } wrong[] = {
        {"helioprobe 2\nend\n", "begins with 'helioprobe 1'"},
        {HEAD "samples llp_pots 1\nend\n", "made.probe:6:9: error: no quantity"},
        {HEAD "samples llp_post 1 two\nend\n", "made.probe:6:20: error: a number"},
        {HEAD "samples llp_post 1 inf\nend\n", "a number"},
        {HEAD "delay LLP_post 100\nend\n", "has no half round trips"},
        {HEAD "guard clock perhaps\nend\n", "ok or failed"},
        {HEAD "smaples llp_post 1\nend\n", "begins with samples"},
        {HEAD LLP, "has no end"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct measurement measurement;
        assert_int_not_equal(read_text(&measurement, wrong[i].text), STATUS_OK);
        if (!strstr(said, wrong[i].because))
            fail_msg("expected '%s' in: %s", wrong[i].because, said);
        measure_free(&measurement);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summaries_are_of_all_samples),
        cmocka_unit_test(latency_is_predicted_from_its_layers),
        cmocka_unit_test(a_latency_beyond_five_percent_is_not_within),
        cmocka_unit_test(half_a_polling_period_is_added),
        cmocka_unit_test(a_rate_has_a_verdict),
        cmocka_unit_test(added_delays_give_slopes),
        cmocka_unit_test(guards_fail_for_spoilt_measurements),
        cmocka_unit_test(a_negative_component_is_named),
        cmocka_unit_test(the_system_file_gives_the_prediction_back),
        cmocka_unit_test(the_name_of_a_stack_stays_a_name),
        cmocka_unit_test(text_that_no_probe_prints_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
