#include "cli/schedule_circuit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/print.h"
#include "cli/values.h"
#include "output/interrupt.h"
#include "output/output.h"
#include "output/standard.h"

/* `helio schedule --switching`: circuits with a price for switching. */

bool schedule_is_circuits(const struct schedule_settings *settings)
{
    return settings->circuits.demand || settings->circuits.switching;
}

/* ------------------------------------------------------------------ options */

static bool read_time(const char *option, const char *text, ps_t *time_ps)
{
    struct units_problem problem;
    if (units_time(text, time_ps, &problem))
        return true;
    diag_error("%s: %s", option, problem.text);
    return false;
}

static bool read_rate(const char *text, uint64_t *rate)
{
    struct units_problem problem;
    if (!units_rate(text, rate, &problem)) {
        diag_error("--rate: %s", problem.text);
        return false;
    }
    if (*rate)
        return true;
    diag_error("--rate: a circuit carries at least 1 B/s");
    return false;
}

/* One time, or several between commas. */
static bool read_times(struct circuit_run *run, const char *text)
{
    char *copy = mem_text(text), *rest = copy;
    bool good = true;
    for (char *time; good && (time = strsep(&rest, ","));) {
        if (run->time_count == CIRCUIT_TIMES) {
            diag_error("--switching takes at most %d times", CIRCUIT_TIMES);
            good = false;
        } else {
            good = read_time("--switching", time, &run->times_ps[run->time_count++]);
        }
    }
    free(copy);
    return good;
}

static bool read_switches(const char *text, uint32_t *switches)
{
    uint64_t count;
    if (!cli_value_count("--switches", text, &count))
        return false;
    if (count < 1 || count > CIRCUIT_MOST_SWITCHES) {
        diag_error("--switches: with --switching it is the number of parallel switches, or of planes of the "
                   "topology, 1 to %d",
                   CIRCUIT_MOST_SWITCHES);
        return false;
    }
    *switches = (uint32_t)count;
    return true;
}

static bool read_algorithm(struct circuit_run *run, const struct circuit_network *network)
{
    const char *names[CIRCUIT_ALGORITHMS], *name = run->settings->algorithm;
    size_t count = 0;
    int index;
    for (const char *at; count < CIRCUIT_ALGORITHMS && (at = network->algorithm_at(count));)
        names[count++] = at;
    if (!cli_value_choice("--algorithm", name ? name : "best", names, count, &index))
        return false;
    run->algorithm = (size_t)index;
    return true;
}

static bool read_stop(struct circuit_run *run)
{
    int index = 0;
    const char *stop = run->settings->circuits.stop;
    bool good = !stop || cli_value_choice("--switch", stop, (const char *const[]){"not-all-stop", "all-stop"},
                                          2, &index);
    run->switching.all_stop = index == 1;
    return good;
}

static bool read_slot(struct circuit_run *run)
{
    const char *slot = run->settings->circuits.slot;
    if (!slot)
        return true;
    if (!read_time("--slot", slot, &run->switching.slot_ps))
        return false;
    if (run->switching.slot_ps && run->switching.slot_ps < PS_NEVER / 16)
        return true;
    diag_error("--slot: a slot takes at least 1 ps, and less than 6 days");
    return false;
}

/* Says what a topology of switches does not have, if the settings want that. */
static bool refuse_of_topology(const struct schedule_settings *settings)
{
    if (settings->circuits.slot)
        diag_error(
            "--slot is for edmonds, tms and round-robin, which match the ports of one switch; no algorithm "
            "for a topology has such slots; leave out --slot or --topology");
    else
        return false;
    return true;
}

/* What has no meaning for circuits with a price, or for those of this network. */
static bool refuse_others(const struct schedule_settings *settings)
{
    const char *usage =
        "helio schedule --demand FILE.csv|--trace PATH|--workload SPEC --switching TIME --rate RATE";
    const char *other = settings->pattern_name          ? "pattern"
                        : settings->against             ? "--against"
                        : settings->only                ? "--only"
                        : settings->method.random_order ? "--order random"
                                                        : NULL;
    if (other) {
        diag_error("circuits with a price for switching take no %s: %s", other, usage);
        return false;
    }
    if (settings->topology_text && refuse_of_topology(settings))
        return false;
    if (!settings->topology_text && settings->method.free_routes) {
        diag_error("--routes free needs a network with routes to choose from: --topology");
        return false;
    }
    return true;
}

static bool check_sources(const struct schedule_settings *settings)
{
    const struct schedule_circuits *circuits = &settings->circuits;
    if (!refuse_others(settings))
        return false;
    if (!!circuits->demand + !!settings->trace + !!settings->workload != 1 || !circuits->switching ||
        !circuits->rate) {
        diag_error("circuits with a price for switching need one demand, a switching time and a rate: helio "
                   "schedule --demand FILE.csv|--trace PATH|--workload SPEC --switching TIME --rate RATE");
        return false;
    }
    if (circuits->demand && settings->machine) {
        diag_error("--machine needs a program: --trace or --workload");
        return false;
    }
    return true;
}

static bool is_interrupted(void *context)
{
    (void)context;
    return interrupt_wanted();
}

static bool read_hops(struct circuit_run *run)
{
    int index = 0;
    const char *hops = run->settings->circuits.hops;
    bool good = !hops || cli_value_choice("--hops", hops, (const char *const[]){"1", "2"}, 2, &index);
    run->switching.hops = (uint32_t)index + 1;
    return good;
}

static bool read_settings(struct circuit_run *run, const struct circuit_network *network)
{
    const struct schedule_settings *settings = run->settings;
    const struct schedule_circuits *circuits = &settings->circuits;
    if (!check_sources(settings) || !read_times(run, circuits->switching) ||
        !read_rate(circuits->rate, &run->switching.rate_bytes_per_s) || !read_stop(run) || !read_slot(run) ||
        (settings->switches && !read_switches(settings->switches, &run->switching.switches)) ||
        !read_hops(run) ||
        (circuits->deadline && !read_time("--deadline", circuits->deadline, &run->deadline_ps)) ||
        !read_algorithm(run, network))
        return false;
    if (circuits->deadline && !settings->verify) {
        diag_error("--deadline needs a schedule: --verify SCHEDULE.csv");
        return false;
    }
    if (settings->verify && (run->time_count > 1 || settings->html || settings->output)) {
        diag_error("--verify takes one switching time, and writes no file");
        return false;
    }
    run->effort = (struct circuit_effort){
        .moves = settings->method.limit.moves, .seed = settings->method.seed, .stopped = is_interrupted};
    return true;
}

/* ------------------------------------------------------------------- demand */

/* Adds up the bytes of a program's messages. */
struct traffic_adder {
    struct patterns_listener base;
    struct circuit_demand *demand;
    size_t united; /* lines that are distinct */
    bool is_too_large, is_too_wide;
};

static void add_pair(struct patterns_listener *listener, uint32_t source, uint32_t destination, sum_t bytes)
{
    struct traffic_adder *adder = (struct traffic_adder *)listener;
    if (bytes >> 63 || source >= CIRCUIT_MOST_PORTS || destination >= CIRCUIT_MOST_PORTS) {
        adder->is_too_large |= bytes >> 63 != 0;
        adder->is_too_wide |= source >= CIRCUIT_MOST_PORTS || destination >= CIRCUIT_MOST_PORTS;
        return;
    }
    circuit_demand_add(adder->demand, source, destination, (uint64_t)bytes);
    if (adder->demand->count < 2 * adder->united + CIRCUIT_MOST_PORTS)
        return;
    adder->is_too_large |= !circuit_demand_unite(adder->demand);
    adder->united = adder->demand->count;
}

static enum status add_program(const struct schedule_settings *settings, struct circuit_demand *demand)
{
    struct patterns patterns;
    struct traffic_adder adder = {.base = {add_pair}, .demand = demand};
    const char *name = schedule_program_name(settings);
    enum status status = schedule_program_patterns(settings, &adder.base, &patterns);
    if (status != STATUS_OK)
        return status;
    patterns_free(&patterns);
    if (adder.is_too_wide)
        diag_error("%s runs on more nodes than a switch has ports: %d", name, CIRCUIT_MOST_PORTS);
    else if (adder.is_too_large || !circuit_demand_unite(demand))
        diag_error("%s sends 2^63 bytes or more", name);
    else if (!demand->count)
        diag_error("%s sends no byte from node to node", name);
    else
        return STATUS_OK;
    return STATUS_BAD_INPUT;
}

/* ------------------------------------------------------------------ results */

const char *circuit_source(const struct circuit_run *run)
{
    return run->settings->circuits.demand ? run->settings->circuits.demand
                                          : schedule_program_name(run->settings);
}

struct circuit_effort circuit_effort_now(const struct circuit_run *run)
{
    struct circuit_effort effort = run->effort;
    if (run->settings->limit_ps > 0)
        effort.until_s = clock_seconds_now() + circuit_seconds(run->settings->limit_ps);
    return effort;
}

void circuit_print_time(const char *label, ps_t time_ps, const char *more)
{
    char text[CIRCUIT_TIME_TEXT];
    printf("%-15s%s%s\n", label, units_show_time(time_ps, CIRCUIT_SHOWN_DIGITS, text, sizeof text), more);
}

void circuit_print_switching(ps_t delta_ps, uint64_t rate, const char *before)
{
    char switching[CIRCUIT_TIME_TEXT], rate_text[CIRCUIT_TIME_TEXT];
    printf("%s, %s to change, circuits of %s\n", before,
           units_print_time(delta_ps, switching, sizeof switching),
           units_print_rate(rate, rate_text, sizeof rate_text));
}

void circuit_print_result(const char *algorithm, const char *made_by, ps_t makespan_ps, ps_t bound_ps,
                          bool is_optimal)
{
    bool is_own = strcmp(algorithm, made_by) == 0;
    printf("algorithm      %s%s%s\n", algorithm, is_own ? "" : ", here ", is_own ? "" : made_by);
    circuit_print_time("makespan", makespan_ps, is_optimal ? ", proven optimal" : "");
    circuit_print_time("lower bound", bound_ps, "");
    printf("above bound    %.3f %%\n", 100 * (circuit_seconds(makespan_ps) / circuit_seconds(bound_ps) - 1));
}

void circuit_json_begin(json_t *object, const char *algorithm, const char *made_by, bool all_stop)
{
    json_put_text(object, "algorithm", algorithm);
    if (strcmp(algorithm, made_by) != 0)
        json_put_text(object, "made_by", made_by);
    json_put_text(object, "switch", all_stop ? "all-stop" : "not-all-stop");
}

void circuit_json_result(json_t *object, ps_t makespan_ps, ps_t bound_ps, bool is_optimal)
{
    json_put_number(object, "makespan_s", circuit_seconds(makespan_ps));
    json_put_number(object, "lower_bound_s", circuit_seconds(bound_ps));
    json_put_flag(object, "optimal", is_optimal);
}

/* ------------------------------------------------------------------- verify */

static enum status print_verdict(const struct circuit_run *run, const struct circuit_verdict *verdict,
                                 ps_t bound_ps)
{
    char time[CIRCUIT_TIME_TEXT], bound[CIRCUIT_TIME_TEXT];
    if (!run->settings->json) {
        cli_print_text("", run->settings->verify);
        printf("valid: %" PRIu64 " circuits carry every byte in %s; the lower bound is %s\n",
               verdict->circuits,
               units_show_time(verdict->makespan_ps, CIRCUIT_SHOWN_DIGITS, time, sizeof time),
               units_show_time(bound_ps, CIRCUIT_SHOWN_DIGITS, bound, sizeof bound));
        return standard_flush();
    }
    json_t *object = json_make_object();
    json_put_text(object, "schedule", run->settings->verify);
    bool is_valid = !*verdict->first_problem;
    json_put_flag(object, "valid", is_valid);
    json_put_text(object, "first_problem", is_valid ? NULL : verdict->first_problem);
    json_put_count(object, "circuits", verdict->circuits);
    json_put_number(object, "makespan_s", circuit_seconds(verdict->makespan_ps));
    json_put_number(object, "lower_bound_s", circuit_seconds(bound_ps));
    json_put_flag(object, "optimal", is_valid && verdict->makespan_ps == bound_ps);
    return cli_print_json(object, CIRCUIT_TIME_DIGITS);
}

static enum status verify(const struct circuit_run *run, const struct circuit_network *network)
{
    char *text;
    size_t size;
    ps_t bound_ps;
    struct circuit_verdict verdict;
    enum status status =
        file_load(run->settings->verify, CIRCUIT_SCHEDULE_AT_MOST, "a schedule of circuits", &text, &size);
    if (status != STATUS_OK)
        return status;
    status = network->verify(run, text, size, &verdict, &bound_ps);
    if (status == STATUS_OK || (status == STATUS_FAILED && run->settings->json)) {
        enum status printed = print_verdict(run, &verdict, bound_ps);
        status = status == STATUS_OK ? printed : status;
    }
    free(text);
    return status;
}

/* ----------------------------------------------------------------- schedule */

static enum status write_schedule(const struct circuit_run *run, const struct circuit_network *network,
                                  const struct circuit_outcome *outcome)
{
    struct output output = {0};
    enum status status = output_open(&output, run->settings->output);
    if (status == STATUS_OK)
        network->write(outcome, output.file);
    return output_close(&output, status);
}

static enum status print_text(const struct circuit_run *run, const struct circuit_network *network,
                              const struct circuit_outcome *outcome)
{
    network->print(run, outcome);
    enum status status = standard_flush();
    if (status == STATUS_OK && isatty(STDERR_FILENO))
        diag_note("scheduled in %.3g s", outcome->seconds);
    return status;
}

static enum status schedule(const struct circuit_run *run, const struct circuit_network *network)
{
    struct circuit_outcome *outcome;
    const struct schedule_settings *settings = run->settings;
    enum status status = network->make(run, run->algorithm, run->switching.delta_ps, &outcome);
    if (status != STATUS_OK)
        return status;
    if (settings->output)
        status = write_schedule(run, network, outcome);
    if (status == STATUS_OK && settings->html)
        status = network->save_page(run, outcome, network->json(run, outcome));
    if (status == STATUS_OK)
        status = settings->json ? cli_print_json(network->json(run, outcome), CIRCUIT_TIME_DIGITS)
                                : print_text(run, network, outcome);
    network->free(outcome);
    return status;
}

enum status schedule_circuits(const struct schedule_settings *settings)
{
    struct circuit_run run = {.settings = settings, .switching = {.switches = 1}};
    const struct circuit_network *network = settings->topology_text ? &circuit_topology : &circuit_switches;
    if (!read_settings(&run, network))
        return STATUS_BAD_INPUT;
    enum status status = settings->circuits.demand
                             ? circuit_demand_load(settings->circuits.demand, &run.demand)
                             : add_program(settings, &run.demand);
    /* Ctrl-C ends the search of best, and any other algorithm with the program. */
    bool searches = status == STATUS_OK && !settings->verify && run.time_count == 1 &&
                    strcmp(network->algorithm_at(run.algorithm), "best") == 0;
    run.switching.delta_ps = run.times_ps[0];
    if (searches)
        interrupt_accept();
    if (status == STATUS_OK)
        status = settings->verify     ? verify(&run, network)
                 : run.time_count > 1 ? schedule_curve(&run, network)
                                      : schedule(&run, network);
    if (searches)
        interrupt_refuse();
    circuit_demand_free(&run.demand);
    return status;
}
