/* Planted machines: times with noise and outliers are made from known numbers, and calibration finds them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/rng.h"
#include "calibrate/calibration.h"
#include "calibrate/forecast.h"
#include "calibrate/machine_file.h"
#include "call/call.h"
#include "engine/node_times.h"
#include "machine/machine.h"
#include "sim/components.h"

static char said[4096];

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    strncat(said, message, sizeof said - strlen(said) - 1);
}

static enum status read_text(struct calibrate_samples *samples, const char *text)
{
    said[0] = '\0';
    diag_set_sink(keep_message, NULL);
    FILE *file = fmemopen((void *)text, strlen(text), "r");
    assert_non_null(file);
    enum status status = calibrate_read(samples, file, "made", NULL);
    fclose(file);
    return status;
}

/* ----------------------------------------------------------------- planting */

struct planted {
    double latency_ns, rate, small_rate; /* rates in bytes per ns; small_rate: of eager messages */
    uint64_t eager;
    double jump_ns, send_ns, receive_ns, gap_ns;
};

static const struct planted infiniband = {1700, 11.5, 3.1, 16384, 2750, 240, 310, 190};
static const struct planted ethernet = {24000, 1.17, 0.6, 65536, 41000, 3100, 2800, 2600};
static const struct planted shared_memory = {270, 9.3, 2.2, 4032, 330, 60, 70, 55};
/* One line for all sizes, and no rendezvous. */
static const struct planted simple = {5000, 4, 4, UINT64_C(1) << 40, 0, 500, 600, 450};

/* Normal errors of `noise`, and one sample in ten that something has delayed by up to three times. */
static double noisy(struct rng *rng, double ns, double noise)
{
    double normal = 0;
    for (int i = 0; i < 12; i++)
        normal += rng_share(rng);
    double off = noise * (normal - 6);
    return rng_below(rng, 10) == 0 ? ns * (1 + 2 * rng_share(rng)) : ns * (1 + off);
}

static double time_of(const struct planted *planted, double bytes)
{
    bool is_eager = bytes <= (double)planted->eager;
    double eager = fmin(bytes, (double)planted->eager);
    return planted->latency_ns + eager / planted->small_rate + (bytes - eager) / planted->rate +
           (is_eager ? 0 : planted->jump_ns);
}

static void put(FILE *out, struct rng *rng, const char *kind, const char *place, double bytes, double ns,
                double noise)
{
    fprintf(out, "sample %s %s 1 %.0f %.3f\n", kind, place, bytes, noisy(rng, ns, noise));
}

static void plant_place(FILE *out, struct rng *rng, const struct planted *planted, const char *place,
                        double noise)
{
    for (int round = 0; round < 25; round++) {
        for (double bytes = 0; bytes <= 1 << 22; bytes = bytes == 0 ? 8 : bytes * 2) {
            put(out, rng, "half", place, bytes, time_of(planted, bytes), noise);
            if (bytes >= 8)
                put(out, rng, "half", place, 1.5 * bytes, time_of(planted, 1.5 * bytes), noise);
        }
        put(out, rng, "send", place, 8, planted->send_ns, noise);
        put(out, rng, "receive", place, 8, planted->receive_ns, noise);
        put(out, rng, "gap", place, 8, planted->gap_ns, noise);
    }
    fprintf(out, "eager %s %llu\n", place, (unsigned long long)planted->eager);
}

/* The text of a probe, to be freed. */
static char *plant(const struct planted *between, const struct planted *within, double noise, uint64_t seed)
{
    char *text = NULL;
    size_t length;
    struct rng rng = rng_init(seed, "planted");
    FILE *out = open_memstream(&text, &length);
    fprintf(out,
            "heliocalibrate 1\nmpi openmpi\nlibrary Open MPI: made\nworld %d 4 4 8\nguard cores ok made\n",
            between ? 2 : 1);
    if (between)
        plant_place(out, &rng, between, "between", noise);
    if (within)
        plant_place(out, &rng, within, "within", noise);
    fputs("end\n", out);
    fclose(out);
    return text;
}

static void calibrate(const char *text, struct calibrate_samples *samples, struct calibration *calibration)
{
    assert_int_equal(read_text(samples, text), STATUS_OK);
    assert_int_equal(calibrate_judge(samples, calibration), STATUS_OK);
}

static void within_percent(const char *what, double found, double planted, double percent)
{
    if (!(fabs(found - planted) <= planted * percent / 100))
        fail_msg("%s: planted %g, found %g", what, planted, found);
}

/* -------------------------------------------------------------------- tests */

static void check_planted(const struct planted *planted, double noise, uint64_t seed)
{
    struct calibrate_samples samples;
    struct calibration calibration;
    char *text = plant(planted, NULL, noise, seed);
    calibrate(text, &samples, &calibration);
    const struct calibrate_messages *found = &calibration.places[CALIBRATE_BETWEEN];
    bool one_line = planted->small_rate == planted->rate;
    within_percent("latency", found->latency_ns.value, planted->latency_ns, 3);
    within_percent("rate", found->rate.value, 1e9 * planted->rate, 3);
    within_percent("send", found->send_ns.value, planted->send_ns, 3);
    within_percent("receive", found->receive_ns.value, planted->receive_ns, 3);
    within_percent("gap", found->gap_ns.value, planted->gap_ns, 3);
    assert_int_equal(found->pieces.count, one_line ? 1 : 2);
    assert_int_equal(found->handshakes, one_line ? 0 : 2);
    if (!one_line)
        within_percent("jump", found->jump_ns.value, planted->jump_ns, 12);
    assert_true(calibration.is_sound);
    calibrate_free(&samples);
    free(text);
}

static void planted_numbers_are_found(void **state)
{
    (void)state;
    const struct planted *const all[] = {&infiniband, &ethernet, &shared_memory, &simple};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (uint64_t seed = 1; seed <= 10; seed++)
            check_planted(all[i], 0.02, seed);
}

static void without_noise_they_are_exact(void **state)
{
    (void)state;
    double x[40], y[40];
    size_t count = 0;
    for (double bytes = 0; bytes <= 1 << 22; bytes = bytes == 0 ? 8 : bytes * 2, count++) {
        x[count] = bytes;
        y[count] = time_of(&infiniband, bytes);
    }
    struct pieces fit;
    pieces_fit(x, y, count, 0, &fit);
    assert_int_equal(fit.count, 2);
    assert_float_equal(x[fit.list[1].first], 32768, 0); /* the first size that is no longer eager */
    assert_float_equal(fit.list[0].at_zero, infiniband.latency_ns, 1e-6);
    assert_float_equal(1 / fit.list[0].slope, infiniband.small_rate, 1e-9);
    assert_float_equal(1 / fit.list[1].slope, infiniband.rate, 1e-9);
    assert_true(fit.deviation < 1e-9);
}

/* The breaks that are found are those of the least squares: no other place of a break does better. */
static void breaks_are_the_best(void **state)
{
    (void)state;
    struct rng rng = rng_init(7, "breaks");
    double x[24], y[24];
    for (size_t i = 0; i < 24; i++) {
        x[i] = (double)(i * i);
        y[i] = noisy(&rng, i < 9 ? 100 + x[i] : 300 + 0.2 * x[i], 0.03);
    }
    struct pieces fit;
    pieces_fit(x, y, 24, 0.02, &fit);
    for (size_t begin = PIECE_POINTS; fit.count == 2 && begin + PIECE_POINTS <= 24; begin++) {
        struct pieces other = {.count = 2, .list = {{0, begin, 0, 0}, {begin, 24 - begin, 0, 0}}}, refit;
        pieces_refit(x, y, &other, &refit);
        assert_true(refit.deviation >= fit.deviation - 1e-12);
    }
    assert_int_equal(fit.count, 2);
}

/* 95 % intervals hold the planted number about as often as they say. */
static void intervals_hold_the_truth(void **state)
{
    (void)state;
    int held_latency = 0, held_rate = 0, held_send = 0;
    enum { SEEDS = 100 };
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct calibrate_samples samples;
        struct calibration calibration;
        /* Without outliers the median is the planted number. */
        char *text = plant(&simple, NULL, 0.02, seed);
        calibrate(text, &samples, &calibration);
        const struct calibrate_messages *found = &calibration.places[CALIBRATE_BETWEEN];
        assert_true(found->latency_ns.low <= found->latency_ns.value &&
                    found->rate.value <= found->rate.high);
        held_latency +=
            found->latency_ns.low <= simple.latency_ns * 1.005 && simple.latency_ns <= found->latency_ns.high;
        held_rate += found->rate.low <= 1e9 * simple.rate && 1e9 * simple.rate * 0.995 <= found->rate.high;
        held_send += found->send_ns.low <= simple.send_ns && simple.send_ns <= found->send_ns.high;
        calibrate_free(&samples);
        free(text);
    }
    assert_in_range(held_latency, 85, SEEDS);
    assert_in_range(held_rate, 85, SEEDS);
    assert_in_range(held_send, 85, SEEDS);
}

static const struct calibrate_guard *guard(const struct calibrate_samples *samples, const char *name)
{
    for (size_t i = 0; i < samples->guard_count; i++)
        if (strcmp(samples->guards[i].name, name) == 0)
            return &samples->guards[i];
    fail_msg("no guard %s", name);
    return NULL;
}

/* A guard fails for the samples that it is for, and passes for others. */
static void guards_fail_for_spoilt_samples(void **state)
{
    (void)state;
    static const struct {
        struct planted planted;
        double noise;
        const char *more, *guard;
    } cases[] = {
        {{5000, 4, 4, 1, 0, 500, 600, 450}, 0.6, "", "spread"},
        {{5000, 4, 4, 1, 0, 3000, 2600, 450}, 0.01, "", "overlap"},
        {{5000, INFINITY, INFINITY, 1, 0, 500, 600, 450}, 0.01, "", "line"},
        {{5000, 4, 4, 1, 0, 500, 600, 450}, 0.01, "guard busy failed made\n", "busy"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct calibrate_samples samples;
        struct calibration calibration;
        char *text = plant(&cases[i].planted, NULL, cases[i].noise, 3), whole[400000];
        snprintf(whole, sizeof whole, "%.*s%send\n", (int)(strlen(text) - 4), text, cases[i].more);
        calibrate(whole, &samples, &calibration);
        if (guard(&samples, cases[i].guard)->passed)
            fail_msg("guard %s has not failed", cases[i].guard);
        assert_false(calibration.is_sound);
        calibrate_free(&samples);
        free(text);
    }
}

static void a_machine_that_changes_is_not_steady(void **state)
{
    (void)state;
    struct calibrate_samples samples;
    struct calibration calibration;
    char text[8192] = "heliocalibrate 1\nmpi mpich\nworld 1 2 2 4\n";
    for (int round = 0; round < 20; round++)
        for (int bytes = 0; bytes < 3; bytes++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "sample half within 1 %d %d\n",
                     bytes * 1000, (round < 10 ? 100 : 112) + bytes * 50);
    strcat(text, "end\n");
    calibrate(text, &samples, &calibration);
    assert_false(guard(&samples, "steady")->passed);
    assert_true(guard(&samples, "spread")->passed);
    calibrate_free(&samples);
}

/* The machine file is accepted, and a message takes the planted time with it. */
static void the_machine_file_is_a_machine(void **state)
{
    (void)state;
    const struct planted *const places[][2] = {
        {&infiniband, NULL}, {NULL, &shared_memory}, {&ethernet, &shared_memory}};
    size_t table_count;
    const struct param_table *const *tables = components_params(&table_count);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct calibrate_samples samples;
        struct calibration calibration;
        struct calibrate_entries entries;
        struct machine machine;
        char *probe = plant(places[i][0], places[i][1], 0.01, 5), *text = NULL;
        size_t length;
        calibrate(probe, &samples, &calibration);
        calibrate_list(&samples, &calibration, &entries);
        FILE *out = open_memstream(&text, &length);
        calibrate_write(&samples, &calibration, &entries, out);
        fclose(out);
        struct config *config = config_open(tables, table_count);
        assert_int_equal(machine_open_text(&machine, "made.yaml", text, length, config), STATUS_OK);
        assert_int_equal(machine_check(&machine), STATUS_OK);
        const struct machine_config *values = config_of(machine.config, &machine_params);
        if (places[i][0])
            within_percent("latency",
                           (double)(2 * values->nic_latency_ps + values->send_ps + values->receive_ps) / 1e3,
                           places[i][0]->latency_ns, 3);
        within_percent("rate", (double)values->nic_rate_bytes_per_s,
                       1e9 * (places[i][0] ? places[i][0]->rate : places[i][1]->rate), 3);
        assert_string_equal(config_text(machine.config, "ranks_per_node"), places[i][0] ? "4" : "8");
        assert_string_equal(config_text(machine.config, "mpi.tuning"), "openmpi");
        assert_true(machine.measured_count > 3);
        machine_close(&machine);
        config_close(config);
        calibrate_free_entries(&entries);
        calibrate_free(&samples);
        free(text);
        free(probe);
    }
}

/* Within a node the file has times by size. With the handshakes that a simulation adds, they are the planted
 * ones, also at the sizes around both thresholds, its own and that of messages between nodes. */
static void times_within_a_node_are_the_planted_ones(void **state)
{
    (void)state;
    for (int alone = 0; alone < 2; alone++) {
        struct calibrate_samples samples;
        struct calibration calibration;
        struct calibrate_entries entries;
        struct node_times times = {.count = 0};
        struct param_problem problem;
        char *probe = plant(alone ? NULL : &infiniband, &shared_memory, 0.01, 7);
        calibrate(probe, &samples, &calibration);
        calibrate_list(&samples, &calibration, &entries);
        const struct calibrate_messages *protocol =
            &calibration.places[alone ? CALIBRATE_WITHIN : CALIBRATE_BETWEEN];
        const uint64_t eager = alone ? shared_memory.eager : infiniband.eager;
        for (size_t i = 0; i < entries.count; i++)
            if (strcmp(entries.list[i].name, "intranode.times") == 0)
                assert_true(node_times_parse(NULL, entries.list[i].value, &times, &problem));
        assert_true(times.count >= 4);
        assert_int_equal(protocol->handshakes, alone ? 1 : 2);
        const uint64_t sizes[] = {0,     8,     100,   1000,    3000,    4032,   8192,
                                  16384, 16385, 20000, 1 << 17, 1 << 22, 1 << 24};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            double time = (double)node_times_of(&times, sizes[i]) / 1e3;
            if (sizes[i] > eager)
                time += protocol->handshakes * calibration.places[CALIBRATE_WITHIN].latency_ns.value;
            within_percent("time within a node", time, time_of(&shared_memory, (double)sizes[i]), 3);
        }
        calibrate_free_entries(&entries);
        calibrate_free(&samples);
        free(probe);
    }
}

static void text_that_no_probe_prints_is_refused(void **state)
{
    (void)state;
#define HEAD "heliocalibrate 1\nmpi openmpi\n"
    static const struct {
        const char *text, *because;
    } wrong[] = {
        {"heliocalibrate 2\n", "made:1:1: error: the output of the probe begins with 'heliocalibrate 1'"},
        {HEAD "smaple half between 1 8 1\n", "made:3:1: error: a line of the probe begins with"},
        {HEAD "sample whole between 1 8 1\n", "made:3:8: error: a sample is of half"},
        {HEAD "sample half beside 1 8 1\n", "made:3:13: error: a place is between or within"},
        {HEAD "sample half between 0 8 1\n", "made:3:21: error: a whole number"},
        {HEAD "sample half between 1 -8 1\n", "made:3:23: error: a whole number"},
        {HEAD "sample half between 1 8 one\n", "made:3:25: error: a number of nanoseconds"},
        {HEAD "sample half between 1 8 inf\n", "a number of nanoseconds"},
        {HEAD "guard busy perhaps\n", "ok or failed"},
        {"heliocalibrate 1\nmpi lam\n", "openmpi or mpich"},
        {HEAD, "did not come to its end"},
        {HEAD "sample half between 1 8 1\nend", "did not come to its end"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct calibrate_samples samples;
        assert_int_not_equal(read_text(&samples, wrong[i].text), STATUS_OK);
        if (!strstr(said, wrong[i].because))
            fail_msg("expected '%s' in: %s", wrong[i].because, said);
        calibrate_free(&samples);
    }
}

static void too_little_is_refused(void **state)
{
    (void)state;
    struct calibrate_samples samples;
    struct calibration calibration;
    assert_int_equal(read_text(&samples, HEAD "world 1 2 2 4\nsample half within 1 8 1\nend\n"), STATUS_OK);
    assert_int_equal(calibrate_judge(&samples, &calibration), STATUS_FAILED);
    assert_non_null(strstr(said, "fewer than three sizes"));
    calibrate_free(&samples);
}

/* ---------------------------------------------------------------- forecasts */

static enum status read_times(struct forecast_times *times, const char *text)
{
    said[0] = '\0';
    diag_set_sink(keep_message, NULL);
    FILE *file = fmemopen((void *)text, strlen(text), "r");
    assert_non_null(file);
    enum status status = forecast_read(times, file, "times");
    fclose(file);
    return status;
}

static void a_run_takes_as_long_as_its_longest_rank(void **state)
{
    (void)state;
    struct forecast_times times = {.count = 0};
    assert_int_equal(read_times(&times, "time 1 1.5 7 3 4 2.0 1.0\n"), STATUS_OK);
    assert_int_equal(forecast_measure(&times, 2), STATUS_FAILED);
    assert_non_null(strstr(said, "rank 0 has not said"));
    assert_int_equal(read_times(&times, "time 0 1.25 7 3 4 2.0 1.0\n"), STATUS_OK);
    assert_int_equal(forecast_measure(&times, 2), STATUS_OK);
    assert_float_equal(times.longest_s, 1.5, 1e-12);
    assert_int_equal(forecast_measure(&times, 1), STATUS_FAILED);
    assert_non_null(strstr(said, "rank 1 was not captured"));
    assert_int_equal(read_times(&times, "time 0 1.25 7 3 4 2.0 1.0\n"), STATUS_BAD_INPUT);
    assert_non_null(strstr(said, "ended twice"));
    forecast_free(&times);
}

static const char *kind_of(const char *function)
{
    return forecast_kind_name(forecast_kind(function));
}

/* Functions of MPI, and operations of traces. */
static void calls_have_their_kinds(void **state)
{
    (void)state;
    static const char *const kinds[][2] = {{"Send", "p2p"},
                                           {"Isend", "p2p"},
                                           {"Sendrecv_replace", "p2p"},
                                           {"Irecv_c", "p2p"},
                                           {"Waitall", "p2p"},
                                           {"Recv_init", "p2p"},
                                           {"Iprobe", "p2p"},
                                           {"Improbe", "p2p"},
                                           {"Ineighbor_alltoallw", "p2p"},
                                           {"Barrier", "barrier"},
                                           {"Iallreduce", "allreduce"},
                                           {"Allreduce_init_c", "allreduce"},
                                           {"Bcast_c", "bcast"},
                                           {"Alltoallw", "alltoallv"},
                                           {"Reduce_scatter_block", "reducescatter"},
                                           {"Exscan", "exscan"},
                                           {"Igatherv", "gatherv"},
                                           {"Comm_split", "other"},
                                           {"Pcontrol", "other"},
                                           {"compute", "computation"},
                                           {"sleep", "computation"},
                                           {"waitall", "p2p"},
                                           {"reducescatter", "reducescatter"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        assert_string_equal(kind_of(kinds[i][0]), kinds[i][1]);
    for (int op = CALL_COMPUTE; op < CALL_OPS; op++)
        if (op != CALL_NOTHING && strcmp(kind_of(call_op_name((enum call_op)op)), "other") == 0)
            fail_msg("%s has no kind", call_op_name((enum call_op)op));
}

/* Two ranks of 2 s and 1 s. What is in no call is computation. */
static void a_rank_has_the_mean_of_all(void **state)
{
    (void)state;
    struct forecast_times times = {.count = 0};
    assert_int_equal(read_times(&times, "time 0 2 7 3 4 2.0 1.0\ncall 0 Send 3 0.25\ncall 0 Waitall 1 0.5\n"
                                        "call 0 Allreduce 2 0.75\n"),
                     STATUS_OK);
    assert_int_equal(read_times(&times, "time 1 1 7 3 4 2.0 1.0\ncall 1 Comm_dup 3 0.125\n"), STATUS_OK);
    assert_int_equal(forecast_measure(&times, 2), STATUS_OK);
    assert_float_equal(times.kinds_s[forecast_kind("send")], 0.375, 1e-12);
    assert_float_equal(times.kinds_s[forecast_kind("allreduce")], 0.375, 1e-12);
    assert_float_equal(times.kinds_s[FORECAST_OTHER], 0.0625, 1e-12);
    assert_float_equal(times.kinds_s[FORECAST_COMPUTATION], (0.5 + 0.875) / 2, 1e-12);
    struct forecast_run run = {.plain = times, .captured = times, .forecast_s = 2};
    struct forecast forecast;
    run.kinds_s[forecast_kind("allreduce")] = 0.4;
    forecast_judge(&run, 1, 0, &forecast);
    const struct forecast_of_kind *of = &forecast.kinds[forecast_kind("allreduce")];
    assert_float_equal(of->measured_s.value, 0.375, 1e-12);
    assert_float_equal(of->forecast_s.value, 0.4, 1e-12);
    assert_float_equal(of->off_percent.value, 100 * 0.025 / 2, 1e-9);
    forecast_free(&times);
}

/* Two ranks, whose phase 2 takes 0.5 s and 1 s in one run, and 1 s and 1 s in the other; forecast are 1.5 s
 * of both together. Phase 9 is in one run only, and the phases of a program that has but one are none. */
static void phases_have_errors_of_their_own(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"time 0 2 7 3 4 2 1\nphase 0 5 0.5\nphase 0 2 0.5\n",
         "time 1 2 7 3 4 2 1\nphase 1 2 1\nphase 1 9 1\n"},
        {"time 0 2 7 3 4 2 1\nphase 0 2 1\nphase 0 5 0.5\n", "time 1 2 7 3 4 2 1\nphase 1 2 1\n"}};
    struct forecast_run runs[2];
    struct forecast forecast;
    memset(runs, 0, sizeof runs);
    for (size_t i = 0; i < 2; i++) {
        for (size_t rank = 0; rank < 2; rank++)
            assert_int_equal(read_times(&runs[i].plain, texts[i][rank]), STATUS_OK);
        assert_int_equal(forecast_measure(&runs[i].plain, 2), STATUS_OK);
        runs[i].captured.longest_s = runs[i].forecast_s = 1;
        forecast_add_phase(&runs[i].phases, 5, 0.75);
        forecast_add_phase(&runs[i].phases, 2, 0.75);
        forecast_add_phase(&runs[i].phases, 2, 0.75);
    }
    forecast_judge(runs, 2, 0, &forecast);
    assert_int_equal(forecast.phase_count, 2);
    assert_int_equal(forecast.phases[0].number, 2);
    assert_int_equal(forecast.phases[1].number, 5);
    assert_float_equal(forecast.phases[0].measured_s.value, (0.75 + 1) / 2, 1e-12);
    assert_float_equal(forecast.phases[0].forecast_s.value, 0.75, 1e-12);
    assert_float_equal(forecast.phases[0].error_percent.value, (0 - 25) / 2.0, 1e-9);
    assert_float_equal(forecast.phases[1].error_percent.value, 50, 1e-9);
    for (size_t i = 0; i < 2; i++)
        forecast_free(&runs[i].plain);
    assert_int_equal(read_times(&runs[0].plain, "time 0 2 7 3 4 2 1\nphase 0 1 2\n"), STATUS_OK);
    assert_int_equal(forecast_measure(&runs[0].plain, 1), STATUS_OK);
    forecast_judge(runs, 1, 0, &forecast);
    assert_int_equal(forecast.phase_count, 0);
    forecast_free(&runs[0].plain);
}

static void times_that_no_rank_writes_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "call 0 Send 3 0.25\n",
                                        "time 0 1 7 3 4 2 1\ncall 1 Send 3 0.25\n",
                                        "phase 0 1 0.25\n",
                                        "time 0 1 7 3 4 2 1\nphase 1 1 0.25\n",
                                        "time 0 1 7 3 4 2 1\nphase 0 1 -1\n",
                                        "time 0 1 7 3 4 2 1\nphase 0 x 1\n",
                                        "time 0 1 7 3 4 2 1\nphase 0 1 1 1\n",
                                        "half 0\n",
                                        "half nan\n",
                                        "half 1 1\n",
                                        "half 1e-6\nhalf 1e-6\n",
                                        "time 0 1 7 3 4 2 1\ncall 0 Send 3 -1\n",
                                        "time 0 1 7 3 4 2 1\ncall 0 Send 3 inf\n",
                                        "time 0 1 7 3 4 2 1\ncall 0 3 0.25\n",
                                        "time 0 1 7 3 4 2 1\ncall 0 Send 3 0.25 1\n",
                                        "time 0 1 7 3 4 2\n",
                                        "time 0 -1 7 3 4 2 1\n",
                                        "time 0 nan 7 3 4 2 1\n",
                                        "time 0 1 7 3 0 2 1\n",
                                        "time 0 1 7 3 4 2 1 5\n",
                                        "time 0 1 7 3 4 2 1",
                                        "time 1048576 1 7 3 4 2 1\n"};
    for (size_t i = 1; i < sizeof wrong / sizeof *wrong; i++) {
        struct forecast_times times = {.count = 0};
        if (read_times(&times, wrong[i]) != STATUS_BAD_INPUT)
            fail_msg("accepted: %s", wrong[i]);
        forecast_free(&times);
    }
}

/* The ranks of one execution, of `nodes` (a letter for each), that all took so long. */
static struct forecast_times made_times(const char *nodes, double seconds, double others_s)
{
    struct forecast_times times = {.count = 0};
    size_t count = strlen(nodes);
    for (size_t i = 0; i < count; i++) {
        char line[128];
        snprintf(line, sizeof line, "time %zu %.9f 7 %d 4 %.6f %.6f\n", i, seconds, nodes[i],
                 seconds * (double)count + others_s, seconds);
        assert_int_equal(read_times(&times, line), STATUS_OK);
    }
    assert_int_equal(forecast_measure(&times, count), STATUS_OK);
    return times;
}

static void ranks_of_a_node_are_consecutive(void **state)
{
    (void)state;
    static const struct {
        const char *nodes;
        uint32_t each;
    } cases[] = {{"aaaa", 4}, {"aabb", 2}, {"aab", 2},   {"ab", 1},
                 {"abab", 1}, {"abb", 0},  {"aabbb", 0}, {"aabaab", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct forecast_times times = made_times(cases[i].nodes, 1, 0);
        assert_int_equal(forecast_ranks_per_node(&times), cases[i].each);
        forecast_free(&times);
    }
}

/* Of the guards in their order, those that are expected to fail. A message takes 1 us in the runs. */
static void runs_fail(const char *nodes, const double *seconds, double others_s, double others_captured_s,
                      double half_s, const char *failed)
{
    struct forecast_run runs[8];
    struct forecast forecast;
    size_t count = 0;
    for (; seconds[count] > 0; count++) {
        runs[count].plain = made_times(nodes, seconds[count], others_s);
        assert_int_equal(read_times(&runs[count].plain, "half 1e-6\n"), STATUS_OK);
        runs[count].captured = made_times(nodes, 2 * seconds[count], others_captured_s);
        runs[count].forecast_s = seconds[count] * 0.9;
    }
    forecast_judge(runs, count, half_s, &forecast);
    for (size_t i = 0; i < FORECAST_GUARDS; i++)
        if (forecast.guards[i].passed == (strcmp(forecast.guards[i].name, failed) == 0))
            fail_msg("guard %s: %s", forecast.guards[i].name, forecast.guards[i].reason);
    assert_int_equal(forecast.is_sound, !*failed);
    assert_float_equal(forecast.error_percent.value, -10, 1e-9);
    assert_float_equal(forecast.error_percent.low, -10, 1e-9);
    assert_float_equal(forecast.captured_s.value, 2 * forecast.measured_s.value, 1e-9);
    for (size_t i = 0; i < count; i++) {
        forecast_free(&runs[i].plain);
        forecast_free(&runs[i].captured);
    }
}

static void a_forecast_is_judged_on_a_quiet_machine(void **state)
{
    (void)state;
    static const double steady[] = {1, 1.02, 1.01, 0.99, 1, 1.03, 0}, jumpy[] = {1, 1.02, 1.3, 0},
                        brief[] = {0.1, 0.101, 0};
    runs_fail("aabb", steady, 0.1, 0.1, 1e-6, "");
    runs_fail("aabb", steady, 0.1, 0.1, 0, ""); /* one rank */
    runs_fail("aabb", steady, 0.25, 0, 1e-6, "busy");
    runs_fail("aabb", steady, 0, 0.5, 1e-6, "busy");
    runs_fail("aabbc", steady, 0, 0, 1e-6, "cores"); /* four processors */
    runs_fail("aabb", jumpy, 0, 0, 1e-6, "spread");
    runs_fail("aabb", brief, 0, 0, 1e-6, "length");
    runs_fail("aabb", steady, 0, 0, 1.24e-6, "");
    runs_fail("aabb", steady, 0, 0, 1.26e-6, "machine");
    runs_fail("aabb", steady, 0, 0, 0.79e-6, "machine");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_numbers_are_found),
        cmocka_unit_test(without_noise_they_are_exact),
        cmocka_unit_test(breaks_are_the_best),
        cmocka_unit_test(intervals_hold_the_truth),
        cmocka_unit_test(guards_fail_for_spoilt_samples),
        cmocka_unit_test(a_machine_that_changes_is_not_steady),
        cmocka_unit_test(the_machine_file_is_a_machine),
        cmocka_unit_test(times_within_a_node_are_the_planted_ones),
        cmocka_unit_test(text_that_no_probe_prints_is_refused),
        cmocka_unit_test(too_little_is_refused),
        cmocka_unit_test(a_run_takes_as_long_as_its_longest_rank),
        cmocka_unit_test(calls_have_their_kinds),
        cmocka_unit_test(a_rank_has_the_mean_of_all),
        cmocka_unit_test(phases_have_errors_of_their_own),
        cmocka_unit_test(times_that_no_rank_writes_are_refused),
        cmocka_unit_test(ranks_of_a_node_are_consecutive),
        cmocka_unit_test(a_forecast_is_judged_on_a_quiet_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
