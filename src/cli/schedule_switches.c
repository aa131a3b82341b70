#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/print.h"
#include "cli/schedule_circuit.h"
#include "report/circuit_page.h"
#include "schedule/circuit/write.h"

/* Circuits of parallel switches, with a link to each from every port. */

struct switch_outcome {
    struct circuit_outcome base;
    struct circuit_problem problem;
    struct circuit_bounds bounds;
    struct circuit_schedule schedule;
};

static const struct switch_outcome *own(const struct circuit_outcome *outcome)
{
    return (const struct switch_outcome *)outcome;
}

static bool is_optimal(const struct switch_outcome *result)
{
    return result->schedule.proven || result->schedule.makespan_ps == result->bounds.best_ps;
}

/* What the schedule itself cannot say: NULL, or why none is worth while. */
static const char *advice_of(const struct switch_outcome *result)
{
    return result->problem.delta_ps > result->bounds.rho_ps
               ? "switching takes longer than the busiest port's bytes: static circuits or a packet network "
                 "suit "
                 "this demand better"
               : NULL;
}

static json_t *result_json(const struct circuit_run *run, const struct circuit_outcome *outcome)
{
    (void)run;
    const struct switch_outcome *result = own(outcome);
    const struct circuit_problem *problem = &result->problem;
    const struct circuit_schedule *schedule = &result->schedule;
    json_t *object = json_make_object();
    circuit_json_begin(object, outcome->algorithm, schedule->made_by, problem->all_stop);
    json_put_count(object, "switches", problem->switches);
    if (problem->hops > 1)
        json_put_count(object, "hops", problem->hops);
    json_put_number(object, "switching_s", circuit_seconds(problem->delta_ps));
    json_put_count(object, "rate_bytes_per_s", problem->rate_bytes_per_s);
    json_put_count(object, "senders", problem->senders);
    json_put_count(object, "receivers", problem->receivers);
    json_put_count(object, "pairs", problem->count);
    circuit_json_result(object, schedule->makespan_ps, result->bounds.best_ps, is_optimal(result));
    json_put_number(object, "rho_s", circuit_seconds(result->bounds.rho_ps));
    json_put_count(object, "degree", result->bounds.degree);
    json_put_number(object, "port_bound_s", circuit_seconds(result->bounds.port_ps));
    json_put_number(object, "all_stop_bound_s", circuit_seconds(result->bounds.all_stop_ps));
    if (problem->hops > 1)
        json_put_number(object, "two_hop_bound_s", circuit_seconds(result->bounds.two_hop_ps));
    json_put_count(object, "configurations", schedule->configurations);
    json_put_count(object, "circuits", schedule->count);
    json_put_text(object, "advice", advice_of(result));
    json_put_number(object, "seconds", outcome->seconds);
    return object;
}

static void print_text(const struct circuit_run *run, const struct circuit_outcome *outcome)
{
    const struct switch_outcome *result = own(outcome);
    const struct circuit_problem *problem = &result->problem;
    const struct circuit_schedule *schedule = &result->schedule;
    cli_print_text("demand         ", circuit_source(run));
    printf("pairs          %" PRIu32 " of %" PRIu32 " senders and %" PRIu32 " receivers\n", problem->count,
           problem->senders, problem->receivers);
    printf("switch         %" PRIu32 ", ", problem->switches);
    circuit_print_switching(problem->delta_ps, problem->rate_bytes_per_s,
                            problem->all_stop ? "all-stop" : "not-all-stop");
    circuit_print_result(outcome->algorithm, schedule->made_by, schedule->makespan_ps, result->bounds.best_ps,
                         is_optimal(result));
    if (problem->hops > 1)
        printf("two hops       %" PRIu64 " of %" PRIu32 " pairs\n", circuit_relayed(problem, schedule),
               problem->count);
    printf("configurations %" PRIu64 ", %zu circuits\n", schedule->configurations, schedule->count);
    if (advice_of(result))
        printf("note           %s\n", advice_of(result));
}

/* The bounds that hold for these switches. */
static void note_bounds(const struct circuit_problem *problem, const struct circuit_bounds *bounds,
                        struct circuit_bound parts[CIRCUIT_BOUNDS])
{
    ps_t one_hop_ps = problem->all_stop ? ps_max(bounds->port_ps, bounds->all_stop_ps) : bounds->port_ps;
    if (problem->hops > 1) {
        parts[0] = (struct circuit_bound){"two_hop_bound_s", bounds->two_hop_ps};
        parts[1] = (struct circuit_bound){"one_hop_bound_s", one_hop_ps};
        return;
    }
    parts[0] = (struct circuit_bound){"port_bound_s", bounds->port_ps};
    if (problem->all_stop)
        parts[1] = (struct circuit_bound){"all_stop_bound_s", bounds->all_stop_ps};
}

static void free_outcome(struct circuit_outcome *outcome)
{
    struct switch_outcome *made = (struct switch_outcome *)outcome;
    circuit_schedule_free(&made->schedule);
    circuit_problem_free(&made->problem);
    free(made);
}

static enum status make(const struct circuit_run *run, size_t algorithm, ps_t delta_ps,
                        struct circuit_outcome **outcome)
{
    struct circuit_switching switching = run->switching;
    struct switch_outcome *made = mem_alloc(1, sizeof *made, "a schedule");
    switching.delta_ps = delta_ps;
    enum status status = circuit_problem_init(&made->problem, &run->demand, &switching);
    if (status != STATUS_OK) {
        free(made);
        return status;
    }
    *outcome = &made->base;
    made->bounds = circuit_bounds_of(&made->problem);
    double begun_s = clock_seconds_now();
    struct circuit_effort effort = circuit_effort_now(run);
    status = circuit_schedule_make(&made->problem, circuit_algorithm_at(algorithm), &effort, &made->schedule);
    made->base = (struct circuit_outcome){.algorithm = circuit_algorithm_at(algorithm)->name,
                                          .makespan_ps = made->schedule.makespan_ps,
                                          .bound_ps = made->bounds.best_ps,
                                          .seconds = clock_seconds_now() - begun_s};
    note_bounds(&made->problem, &made->bounds, made->base.parts);
    if (status != STATUS_OK)
        free_outcome(*outcome);
    return status;
}

static void write_schedule(const struct circuit_outcome *outcome, FILE *file)
{
    circuit_write(&own(outcome)->problem, &own(outcome)->schedule, file);
}

static enum status save_page(const struct circuit_run *run, const struct circuit_outcome *outcome,
                             json_t *results)
{
    return circuit_page_save(run->settings->html, circuit_source(run), results, &own(outcome)->problem,
                             &own(outcome)->schedule);
}

static enum status verify(const struct circuit_run *run, const char *text, size_t size,
                          struct circuit_verdict *verdict, ps_t *bound_ps)
{
    struct circuit_problem problem;
    enum status status = circuit_problem_init(&problem, &run->demand, &run->switching);
    if (status != STATUS_OK)
        return status;
    *bound_ps = circuit_bounds_of(&problem).best_ps;
    status = circuit_verify(&problem, run->settings->verify, text, size, run->deadline_ps, verdict);
    circuit_problem_free(&problem);
    return status;
}

static const char *algorithm_at(size_t index)
{
    const struct circuit_algorithm *algorithm = circuit_algorithm_at(index);
    return algorithm ? algorithm->name : NULL;
}

const struct circuit_network circuit_switches = {algorithm_at, make,           free_outcome, result_json,
                                                 print_text,   write_schedule, save_page,    verify};
