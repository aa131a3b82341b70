/* Compares with the results of the published SimpleComm, message by message and sum by sum.
 * tests/compat/TRACE__RUN.csv has its output, with the summary after the line '#'. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "sim/message_log.h"
#include "support/traces.h"

#define SET(...) ((const char *const[]){"compat=simplecomm", __VA_ARGS__, NULL})

/* SimpleComm's time to 1e-9 of it, and to the picosecond, the unit of our results. */
static void assert_seconds(double ours_s, double theirs_s)
{
    if (fabs(ours_s - theirs_s) > 1e-9 * fabs(theirs_s) + 0.51e-12)
        fail_msg("%.15g s, SimpleComm has %.15g s", ours_s, theirs_s);
}

/* ----------------------------------------------------------------- the run */

static const char *log_path(void)
{
    return traces_path("messages.csv");
}

/* SimpleComm's engine tells of each 4096th step of a rank. */
static uint64_t told;

static bool count_told(void *self, const struct experiment_progress *at)
{
    (void)self, (void)at;
    told++;
    return true;
}

static enum status run(const char *const *settings, bool logged, struct result *result)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    for (; *settings; settings++)
        assert_int_equal(config_set(config, *settings), STATUS_OK);
    struct experiment experiment;
    struct experiment_watch watch = {.progress = count_told};
    told = 0;
    if (logged)
        assert_int_equal(message_log_open(log_path(), &watch.messages), STATUS_OK);
    enum status status = experiment_init(&experiment, config);
    if (status == STATUS_OK)
        status = experiment_run(&experiment, 0, &watch, result);
    if (logged)
        message_log_close(watch.messages, status);
    experiment_free(&experiment);
    config_close(config);
    return status;
}

static const void *statistic(const struct result *result, const char *name)
{
    for (size_t i = 0; i < result->metrics->count; i++)
        if (strcmp(result->metrics->metrics[i].name, name) == 0)
            return (const char *)result->statistics + result->metrics->metrics[i].offset;
    fail_msg("there is no statistic %s", name);
    return NULL;
}

/* ---------------------------------------------------------------- messages */

struct csv_row {
    unsigned source, destination;
    uint64_t bytes;
    char kind[32];
    double send_start_s, send_end_s, recv_start_s, recv_end_s;
};

static bool read_theirs(const char *line, struct csv_row *row)
{
    return sscanf(line, "%u,%u,%lf,%lf,%lf,%lf,%" SCNu64 ",%31s", &row->source, &row->destination,
                  &row->send_start_s, &row->send_end_s, &row->recv_start_s, &row->recv_end_s, &row->bytes,
                  row->kind) == 8;
}

static bool read_ours(const char *line, struct csv_row *row)
{
    return sscanf(line, "%*[^,],%u,%u,%*d,%" SCNu64 ",%31[^,],%lf,%lf,%lf,%lf", &row->source,
                  &row->destination, &row->bytes, row->kind, &row->send_start_s, &row->send_end_s,
                  &row->recv_start_s, &row->recv_end_s) == 8;
}

/* SimpleComm names a message after the sending call. */
static const char *kind_of(const struct csv_row *theirs)
{
    bool p2p = strcmp(theirs->kind, "send") == 0 || strcmp(theirs->kind, "isend") == 0;
    return p2p ? "p2p" : theirs->kind;
}

static void compare_messages(FILE *theirs, FILE *ours)
{
    char line[4096], our_line[4096];
    assert_non_null(fgets(line, sizeof line, theirs));
    assert_non_null(fgets(our_line, sizeof our_line, ours));
    while (fgets(line, sizeof line, theirs) && *line != '#') {
        struct csv_row a, b;
        assert_true(read_theirs(line, &a));
        assert_non_null(fgets(our_line, sizeof our_line, ours));
        assert_true(read_ours(our_line, &b));
        assert_int_equal(b.source, a.source);
        assert_int_equal(b.destination, a.destination);
        assert_int_equal(b.bytes, a.bytes);
        assert_string_equal(b.kind, kind_of(&a));
        assert_seconds(b.send_start_s, a.send_start_s);
        assert_seconds(b.send_end_s, a.send_end_s);
        assert_seconds(b.recv_start_s, a.recv_start_s);
        assert_seconds(b.recv_end_s, a.recv_end_s);
    }
    assert_null(fgets(our_line, sizeof our_line, ours));
}

/* ----------------------------------------------------------------- summary */

enum line_kind { LINE_COUNT, LINE_TIME, LINE_TIMES, LINE_COUNTS, LINE_SHARES, LINE_PERCENT };

/* A line of SimpleComm's summary and our statistic. */
static const struct line {
    const char *theirs, *ours;
    enum line_kind kind;
} lines[] = {
    {"recv_after_send_conclusion", "late_receives", LINE_PERCENT},
    {"biggest_buffer_size", "biggest_buffer_bytes", LINE_COUNT},
    {"number_of_messages_on_biggest_buffer_size", "biggest_buffer_messages", LINE_COUNT},
    {"proportion_fmu_usage", "fmu_messages", LINE_PERCENT},
    {"fmu_data_written", "written_bytes", LINE_COUNTS},
    {"fmu_congestion_time", "congestion_s", LINE_TIMES},
    {"fmu_total_congestion_time", "congestion_sum_s", LINE_TIME},
    {"number_single_switch_sends", "coalesced_writes", LINE_COUNT},
    {"number_single_switch_recvs", "coalesced_reads", LINE_COUNT},
    {"fmu_channel_congestion_time", "channel_congestion_s", LINE_TIMES},
    {"fmu_idle_mapping", "idle_mappings", LINE_COUNT},
    {"fmu_heuristic_mapping", "other_mappings", LINE_COUNT},
    {"fmu_total_usage_time", "usage_s", LINE_SHARES},
};
enum { LINES = sizeof lines / sizeof *lines };

/* "[0.1, 0.2]": one value per FMU or rank. Shares are percentages of the sum. */
static void compare_list(const struct line *line, const char *values, const struct metric_series *series)
{
    int64_t sum = 0;
    for (size_t i = 0; i < series->count; i++)
        sum += series->values[i];
    for (size_t i = 0; i < series->count; i++) {
        char *end;
        double theirs = strtod(values + 1, &end), ours = (double)series->values[i];
        if (line->kind == LINE_TIMES)
            assert_seconds(ours / 1e12, theirs);
        else if (line->kind == LINE_COUNTS)
            assert_true(ours == theirs);
        else
            assert_true(fabs((sum ? ours / (double)sum * 100 : 0) - theirs) < 1e-6);
        values = end + (*end == ',');
    }
    assert_int_equal(*values, ']');
}

static void compare_statistic(const struct line *line, const char *value, const struct result *result)
{
    const void *ours = statistic(result, line->ours);
    uint64_t count;
    ps_t time;
    switch (line->kind) {
    case LINE_COUNT:
        memcpy(&count, ours, sizeof count);
        assert_int_equal(count, strtoull(value, NULL, 10));
        break;
    case LINE_PERCENT:
        memcpy(&count, ours, sizeof count);
        assert_true(fabs((double)count / (double)result->messages * 100 - atof(value)) < 1e-9);
        break;
    case LINE_TIME:
        memcpy(&time, ours, sizeof time);
        assert_seconds((double)time / 1e12, atof(value));
        break;
    default:
        compare_list(line, value, ours);
        break;
    }
}

/* "rank0,endTime,haltedTime,percentHaltedTime,numCommunications,...". An idle time is a sum of parts. We
 * round each part to the picosecond. */
static bool compare_rank(const char *text, const struct result *result)
{
    unsigned rank, communications;
    double end_s, halted_s;
    if (sscanf(text, "rank%u,%lf,%lf,%*[^,],%u", &rank, &end_s, &halted_s, &communications) != 4)
        return false;
    assert_seconds((double)result->rows[rank].finish / 1e12, end_s);
    assert_true(fabs((double)result->rows[rank].idle / 1e12 - halted_s) < 1e-12 * communications);
    return true;
}

static bool compare_line(const char *text, const struct result *result)
{
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : 0;
    for (int i = 0; i < LINES; i++)
        if (strlen(lines[i].theirs) == length && strncmp(lines[i].theirs, text, length) == 0) {
            compare_statistic(&lines[i], colon + 1, result);
            return true;
        }
    double value;
    if (sscanf(text, "biggest:%lf", &value) == 1)
        assert_seconds((double)result->makespan / 1e12, value);
    else if (sscanf(text, "halted_time_percentage:%lf", &value) == 1)
        assert_true(fabs(result_idle_fraction(result) * 100 - value) <= 0.005 + 1e-9);
    else if (sscanf(text, "number_of_messages:%lf", &value) == 1)
        assert_true((double)result->messages == value);
    else if (sscanf(text, "average_message_size:%lf", &value) == 1)
        assert_true(fabs(result_mean_bytes(result) - value) < 1e-9);
    else
        return compare_rank(text, result);
    return true;
}

static size_t compare_summary(FILE *theirs, const struct result *result)
{
    size_t compared = 0;
    for (char line[4096]; fgets(line, sizeof line, theirs);)
        compared += compare_line(line, result);
    return compared;
}

/* -------------------------------------------------------------------- runs */

/* Number of summary lines that are compared: general ones, those about FMUs, one per rank. KAHUNA has
 * fewer. */
enum { OF_NETWORK = 5, OF_FMUS = 4 + LINES + 4 };

static void compare(const char *trace, const char *name, const char *const *settings, size_t summary_lines)
{
    char *path = mem_format("tests/compat/%s__%s.csv", trace, name);
    struct result result = {0};
    assert_int_equal(run(settings, true, &result), STATUS_OK);
    assert_string_equal(traces_messages(), "");
    FILE *theirs = fopen(path, "r"), *ours = fopen(log_path(), "r");
    assert_non_null(theirs);
    assert_non_null(ours);
    compare_messages(theirs, ours);
    assert_int_equal(compare_summary(theirs, &result), summary_lines);
    fclose(theirs);
    fclose(ours);
    free(path);
    result_free(&result);
}

#define IS "trace=tests/traces/is.S.4.tar.zst"
#define FT "trace=tests/traces/ft.S.4.tar.zst"

static void packet_is_kahuna(void **state)
{
    (void)state;
    compare("is.S.4", "KAHUNA", SET(IS, "fabric=packet"), OF_NETWORK);
    compare("ft.S.4", "KAHUNA", SET(FT, "fabric=packet"), OF_NETWORK);
}

static void fmu_with_one_unit(void **state)
{
    (void)state;
    compare("is.S.4", "FMU1_NONE_INTERLEAVE", SET(IS, "fabric=fmu", "fmu.count=1"), OF_FMUS);
    compare("ft.S.4", "FMU1_NONE_INTERLEAVE", SET(FT, "fabric=fmu", "fmu.count=1"), OF_FMUS);
}

static void fmu_with_four_units(void **state)
{
    (void)state;
    compare("is.S.4", "FMU4_NONE_INTERLEAVE", SET(IS, "fabric=fmu", "fmu.count=4"), OF_FMUS);
    compare("ft.S.4", "FMU4_NONE_INTERLEAVE", SET(FT, "fabric=fmu", "fmu.count=4"), OF_FMUS);
}

static void fmu_with_idle_search_takes_as_long(void **state)
{
    (void)state;
    const char *const of_is[] = {
        "compat=simplecomm",    IS,  "fabric=fmu", "fmu.count=4", "fmu.try_idle=LEAST_S",
        "fmu.among_all=STATIC", NULL};
    const char *const of_ft[] = {
        "compat=simplecomm",    FT,  "fabric=fmu", "fmu.count=4", "fmu.try_idle=LEAST_S",
        "fmu.among_all=STATIC", NULL};
    compare("is.S.4", "FMU4_LEAST_USED_FMU_STATIC", of_is, OF_FMUS);
    compare("ft.S.4", "FMU4_LEAST_USED_FMU_STATIC", of_ft, OF_FMUS);
}

static void hybrid_takes_as_long_as_simplecomms(void **state)
{
    (void)state;
    compare("is.S.4", "HYBRID4_NONE_INTERLEAVE", SET(IS, "fabric=hybrid", "fmu.count=4"), OF_FMUS);
    compare("ft.S.4", "HYBRID4_NONE_INTERLEAVE", SET(FT, "fabric=hybrid", "fmu.count=4"), OF_FMUS);
}

static void other_fabrics_are_refused(void **state)
{
    (void)state;
    struct result result = {0};
    assert_int_equal(run(SET(IS, "fabric=packet,hockney"), false, &result), STATUS_BAD_INPUT);
    assert_non_null(strstr(traces_messages(), "SimpleComm has no fabric hockney"));
}

/* ------------------------------------------------------------------- rings */

static double makespan_s(const char *workload, const char *fabric, const char *count)
{
    struct result result = {0};
    char *program = mem_format("workload=%s", workload), *on = mem_format("fabric=%s", fabric);
    char *units = mem_format("fmu.count=%s", count);
    assert_int_equal(run(SET(program, on, units), false, &result), STATUS_OK);
    double seconds = (double)result.makespan / 1e12;
    result_free(&result);
    free(program);
    free(on);
    free(units);
    return seconds;
}

/* Two rounds of 16 MiB on 64 ranks: the times that SimpleComm printed ("biggest"). */
static void rings_take_as_long_as_theirs(void **state)
{
    (void)state;
    static const char bcast[] = "fmu-bcast:ranks=64,bytes=16MiB,iterations=2";
    static const char reduce[] = "fmu-reduce:ranks=64,bytes=16MiB,iterations=2";
    static const char allreduce[] = "fmu-allreduce:ranks=64,bytes=16MiB,iterations=2";
    assert_seconds(makespan_s(bcast, "packet", "64"), 1.0369532953600091);
    assert_seconds(makespan_s(bcast, "fmu", "64"), 0.2016616547916667);
    assert_seconds(makespan_s(reduce, "packet", "64"), 1.0369532172800027);
    assert_seconds(makespan_s(reduce, "fmu", "64"), 0.3435546537499895);
    assert_seconds(makespan_s(allreduce, "packet", "64"), 2.073890270720034);
    assert_seconds(makespan_s(allreduce, "fmu", "16"), 0.8012209527084206);
}

/* SimpleComm's speedups of 1, 2, 4 ... 64 FMUs over InfiniBand, for two rounds on 64 ranks. */
static const struct ring {
    const char *workload;
    double speedup[7];
} rings[] = {
    {"fmu-bcast:ranks=64,bytes=32KiB,iterations=2", {.02, .03, .06, .13, .23, .29, .28}},
    {"fmu-bcast:ranks=64,bytes=256KiB,iterations=2", {.16, .33, .65, 1.28, 2.13, 2.82, 2.73}},
    {"fmu-bcast:ranks=64,bytes=2MiB,iterations=2", {.26, .52, 1.03, 2.03, 3.41, 4.60, 4.56}},
    {"fmu-bcast:ranks=64,bytes=16MiB,iterations=2", {.29, .57, 1.15, 2.26, 3.80, 5.15, 5.14}},
    {"fmu-reduce:ranks=64,bytes=32KiB,iterations=2", {.09, .18, .37, .73, .96, .95, .93}},
    {"fmu-reduce:ranks=64,bytes=16MiB,iterations=2", {.29, .57, 1.15, 2.28, 3.01, 3.02, 3.02}},
    {"fmu-allreduce:ranks=64,bytes=16MiB,iterations=2", {.29, .57, 1.07, 1.81, 2.59, 3.02, 3.02}},
};

static void rings_speed_up_as_theirs(void **state)
{
    (void)state;
    static const char *const counts[] = {"1", "2", "4", "8", "16", "32", "64"};
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) {
        double network_s = makespan_s(rings[i].workload, "packet", "1");
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            double speedup = network_s / makespan_s(rings[i].workload, "fmu", counts[k]);
            if (fabs(speedup - rings[i].speedup[k]) > 0.005 + 1e-9)
                fail_msg("%s on %s FMUs: %g, SimpleComm has %g", rings[i].workload, counts[k], speedup,
                         rings[i].speedup[k]);
        }
    }
}

/* "5.18x", the paper's largest speedup (section VI). */
static void a_hundred_rounds_take_5_18_times_as_long_on_infiniband(void **state)
{
    (void)state;
    const char *ring = "fmu-bcast:ranks=64,bytes=16MiB,iterations=100";
    double network_s = makespan_s(ring, "packet", "64"), fmu_s = makespan_s(ring, "fmu", "64");
    assert_true(fabs(network_s - 51.847) < 0.0005);
    assert_true(fabs(fmu_s - 10.012) < 0.0005);
    assert_true(fabs(network_s / fmu_s - 5.178) < 0.001);
}

/* CA_Reduce = alltoroot: on KAHUNA, the three ranks that send at once share the root's port, for each root in
 * turn. */
static void a_linear_reduce_goes_straight_to_the_root(void **state)
{
    (void)state;
    enum { MIB = 1 << 20 };
    double seconds[2];
    for (int i = 0; i < 2; i++) {
        struct result result = {0};
        char *workload = mem_format("workload=fmu-reduce:ranks=4,iterations=1,bytes=%dMiB", 1 + i);
        assert_int_equal(run(SET(workload, "fabric=packet", "mpi.reduce=linear"), false, &result), STATUS_OK);
        assert_int_equal(result.messages, 4 * 3 + 2 * 3);
        seconds[i] = (double)result.makespan / 1e12;
        result_free(&result);
        free(workload);
    }
    assert_true(fabs(seconds[1] - seconds[0] - 4 * 3 * MIB / 12.5e9) < 1e-9);
}

/* Ranks that have nothing to do take no steps: with a step of each rank for each message there would be
 * several million. */
static void ranks_that_wait_take_no_steps(void **state)
{
    (void)state;
    enum { RANKS = 500, ROUNDS = 2000, LINE = 64 };
    static char text[2][(2 * ROUNDS + 2) * LINE];
    for (int rank = 0; rank < 2; rank++) {
        size_t used = (size_t)sprintf(text[rank], "%d init\n", rank);
        for (int i = 0; i < ROUNDS; i++) {
            const char *first = rank ? "recv" : "send", *second = rank ? "send" : "recv";
            used += (size_t)sprintf(text[rank] + used, "%d %s %d 1 8 2\n%d %s %d 1 8 2\n", rank, first,
                                    1 - rank, rank, second, 1 - rank);
        }
        sprintf(text[rank] + used, "%d finalize\n", rank);
    }
    for (int rank = 0; rank < RANKS; rank++) {
        char name[LINE], idle[LINE];
        snprintf(name, sizeof name, "busy/rank-%d.txt", rank + 1);
        snprintf(idle, sizeof idle, "%d init\n%d finalize\n", rank, rank);
        const char *program = rank < 2 ? text[rank] : idle;
        traces_write(name, program, strlen(program));
    }
    char trace[256];
    struct result result;
    snprintf(trace, sizeof trace, "trace=%s", traces_path("busy"));
    assert_int_equal(run(SET(trace, "fabric=packet"), false, &result), STATUS_OK);
    assert_int_equal(result.messages, 2 * ROUNDS + 2 * (RANKS - 1)); /* and those of the barrier */
    assert_in_range(told, 1, 30);
    result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packet_is_kahuna),
        cmocka_unit_test(fmu_with_one_unit),
        cmocka_unit_test(fmu_with_four_units),
        cmocka_unit_test(fmu_with_idle_search_takes_as_long),
        cmocka_unit_test(hybrid_takes_as_long_as_simplecomms),
        cmocka_unit_test(other_fabrics_are_refused),
        cmocka_unit_test(rings_take_as_long_as_theirs),
        cmocka_unit_test(rings_speed_up_as_theirs),
        cmocka_unit_test(a_hundred_rounds_take_5_18_times_as_long_on_infiniband),
        cmocka_unit_test(a_linear_reduce_goes_straight_to_the_root),
        cmocka_unit_test(ranks_that_wait_take_no_steps),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
