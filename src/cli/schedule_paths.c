#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/print.h"
#include "cli/schedule_circuit.h"
#include "report/circuit_page.h"
#include "schedule/path/path.h"
#include "schedule/path/verify.h"
#include "schedule/path/write.h"

/* Circuits through a topology of optical switches. */

struct path_outcome {
    struct circuit_outcome base;
    struct path_problem problem;
    struct path_bounds bounds;
    struct path_schedule schedule;
};

static const struct path_outcome *own(const struct circuit_outcome *outcome)
{
    return (const struct path_outcome *)outcome;
}

static enum status init_problem(const struct circuit_run *run, ps_t delta_ps, struct path_problem *problem)
{
    struct topo topo;
    struct circuit_switching switching = run->switching;
    switching.delta_ps = delta_ps;
    enum status status = tdm_topology("--topology", run->settings->topology_text, &topo);
    return status == STATUS_OK ? path_problem_init(problem, &topo, run->settings->method.free_routes,
                                                   &run->demand, &switching)
                               : status;
}

static void free_outcome(struct circuit_outcome *outcome)
{
    struct path_outcome *made = (struct path_outcome *)outcome;
    path_schedule_free(&made->schedule);
    path_problem_free(&made->problem);
    free(made);
}

/* The bounds that hold for these switches. */
static void note_bounds(const struct path_problem *problem, const struct path_bounds *bounds,
                        struct circuit_bound parts[CIRCUIT_BOUNDS])
{
    ps_t one_hop_ps = problem->all_stop ? ps_max(bounds->link_ps, bounds->all_stop_ps) : bounds->link_ps;
    if (problem->hops > 1) {
        parts[0] = (struct circuit_bound){"two_hop_bound_s", bounds->two_hop_ps};
        parts[1] = (struct circuit_bound){"one_hop_bound_s", one_hop_ps};
        return;
    }
    parts[0] = (struct circuit_bound){"link_bound_s", bounds->link_ps};
    if (problem->all_stop)
        parts[1] = (struct circuit_bound){"all_stop_bound_s", bounds->all_stop_ps};
}

static enum status make(const struct circuit_run *run, size_t algorithm, ps_t delta_ps,
                        struct circuit_outcome **outcome)
{
    struct path_outcome *made = mem_alloc(1, sizeof *made, "a schedule");
    enum status status = init_problem(run, delta_ps, &made->problem);
    if (status != STATUS_OK) {
        free(made);
        return status;
    }
    *outcome = &made->base;
    made->bounds = path_bounds_of(&made->problem);
    double begun_s = clock_seconds_now();
    struct circuit_effort effort = circuit_effort_now(run);
    status = path_schedule_make(&made->problem, path_algorithm_at(algorithm), &effort, &made->schedule);
    made->base = (struct circuit_outcome){.algorithm = path_algorithm_at(algorithm)->name,
                                          .makespan_ps = made->schedule.makespan_ps,
                                          .bound_ps = made->bounds.best_ps,
                                          .seconds = clock_seconds_now() - begun_s};
    note_bounds(&made->problem, &made->bounds, made->base.parts);
    if (status != STATUS_OK)
        free_outcome(*outcome);
    return status;
}

static bool is_optimal(const struct path_outcome *outcome)
{
    return outcome->schedule.makespan_ps == outcome->bounds.best_ps;
}

static const char *routes_of(const struct circuit_run *run)
{
    return run->settings->method.free_routes ? "free" : "fixed";
}

static json_t *result_json(const struct circuit_run *run, const struct circuit_outcome *outcome)
{
    const struct path_outcome *result = own(outcome);
    char topology[TOPO_TEXT];
    const struct path_problem *problem = &result->problem;
    json_t *object = json_make_object();
    circuit_json_begin(object, outcome->algorithm, result->schedule.made_by, problem->all_stop);
    json_put_text(object, "topology", topo_print(&problem->topo, topology, sizeof topology));
    json_put_text(object, "routes", routes_of(run));
    if (problem->planes > 1)
        json_put_count(object, "planes", problem->planes);
    if (problem->hops > 1)
        json_put_count(object, "hops", problem->hops);
    json_put_number(object, "switching_s", circuit_seconds(problem->delta_ps));
    json_put_count(object, "rate_bytes_per_s", problem->rate_bytes_per_s);
    json_put_count(object, "pairs", problem->count);
    circuit_json_result(object, result->schedule.makespan_ps, result->bounds.best_ps, is_optimal(result));
    json_put_number(object, "rho_s", circuit_seconds(result->bounds.rho_ps));
    json_put_count(object, "degree", result->bounds.degree);
    json_put_number(object, "link_bound_s", circuit_seconds(result->bounds.link_ps));
    json_put_number(object, "all_stop_bound_s", circuit_seconds(result->bounds.all_stop_ps));
    if (problem->hops > 1)
        json_put_number(object, "two_hop_bound_s", circuit_seconds(result->bounds.two_hop_ps));
    json_put_count(object, "configurations", result->schedule.configurations);
    json_put_count(object, "circuits", result->schedule.count);
    json_put_number(object, "seconds", outcome->seconds);
    return object;
}

static void print_text(const struct circuit_run *run, const struct circuit_outcome *outcome)
{
    const struct path_outcome *result = own(outcome);
    char topology[TOPO_TEXT];
    const struct path_problem *problem = &result->problem;
    cli_print_text("demand         ", circuit_source(run));
    printf("pairs          %" PRIu32 " of %" PRIu32 " nodes\n", problem->count, problem->topo.nodes);
    printf("topology       %s, %" PRIu32 " switches, %s routes\n",
           topo_print(&problem->topo, topology, sizeof topology), problem->topo.switches, routes_of(run));
    if (problem->planes > 1)
        printf("planes         %" PRIu32 ", a circuit is in one of them\n", problem->planes);
    circuit_print_switching(problem->delta_ps, problem->rate_bytes_per_s,
                            problem->all_stop ? "switches       all-stop" : "switches       not-all-stop");
    circuit_print_result(outcome->algorithm, result->schedule.made_by, result->schedule.makespan_ps,
                         result->bounds.best_ps, is_optimal(result));
    if (problem->hops > 1)
        printf("two hops       %" PRIu32 " of %" PRIu32 " pairs\n", path_relayed(problem, &result->schedule),
               problem->count);
    printf("configurations %" PRIu64 ", %zu circuits\n", result->schedule.configurations,
           result->schedule.count);
}

static void write_schedule(const struct circuit_outcome *outcome, FILE *file)
{
    path_write(&own(outcome)->problem, &own(outcome)->schedule, file);
}

static enum status save_page(const struct circuit_run *run, const struct circuit_outcome *outcome,
                             json_t *results)
{
    return path_page_save(run->settings->html, circuit_source(run), results, &own(outcome)->problem,
                          &own(outcome)->schedule);
}

static enum status verify(const struct circuit_run *run, const char *text, size_t size,
                          struct circuit_verdict *verdict, ps_t *bound_ps)
{
    struct path_problem problem;
    enum status status = init_problem(run, run->switching.delta_ps, &problem);
    if (status != STATUS_OK)
        return status;
    *bound_ps = path_bounds_of(&problem).best_ps;
    status = path_verify(&problem.topo, &run->demand, &run->switching, run->settings->verify, text, size,
                         run->deadline_ps, verdict);
    path_problem_free(&problem);
    return status;
}

static const char *algorithm_at(size_t index)
{
    const struct path_algorithm *algorithm = path_algorithm_at(index);
    return algorithm ? algorithm->name : NULL;
}

const struct circuit_network circuit_topology = {algorithm_at, make,           free_outcome, result_json,
                                                 print_text,   write_schedule, save_page,    verify};
