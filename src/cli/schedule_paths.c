#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "cli/print.h"
#include "cli/schedule_circuit.h"
#include "output/output.h"
#include "report/circuit_page.h"
#include "schedule/path/path.h"
#include "schedule/path/verify.h"
#include "schedule/path/write.h"

/* Circuits through a topology of optical switches. */

struct path_result {
    struct path_problem problem;
    struct path_bounds bounds;
    struct path_schedule schedule;
    double seconds;
};

static enum status make(const struct circuit_run *run, const struct path_algorithm *algorithm, ps_t delta_ps,
                        struct path_result *result)
{
    struct topo topo;
    struct circuit_switching switching = run->switching;
    switching.delta_ps = delta_ps;
    *result = (struct path_result){.seconds = 0};
    enum status status = tdm_topology("--topology", run->settings->topology_text, &topo);
    if (status == STATUS_OK)
        status = path_problem_init(&result->problem, &topo, run->settings->method.free_routes, &run->demand,
                                   &switching);
    if (status != STATUS_OK)
        return status;
    result->bounds = path_bounds_of(&result->problem);
    double begun_s = clock_seconds_now();
    struct circuit_effort effort = circuit_effort_now(run);
    status = path_schedule_make(&result->problem, algorithm, &effort, &result->schedule);
    result->seconds = clock_seconds_now() - begun_s;
    if (status != STATUS_OK)
        path_problem_free(&result->problem);
    return status;
}

static void free_result(struct path_result *result)
{
    path_schedule_free(&result->schedule);
    path_problem_free(&result->problem);
}

static bool is_optimal(const struct path_result *result)
{
    return result->schedule.makespan_ps == result->bounds.best_ps;
}

static const char *routes_of(const struct circuit_run *run)
{
    return run->settings->method.free_routes ? "free" : "fixed";
}

static json_t *result_json(const struct circuit_run *run, const char *algorithm,
                           const struct path_result *result)
{
    char topology[TOPO_TEXT];
    const struct path_problem *problem = &result->problem;
    json_t *object = json_make_object();
    circuit_json_begin(object, algorithm, result->schedule.made_by, problem->all_stop);
    json_put_text(object, "topology", topo_print(&problem->topo, topology, sizeof topology));
    json_put_text(object, "routes", routes_of(run));
    json_put_number(object, "switching_s", circuit_seconds(problem->delta_ps));
    json_put_count(object, "rate_bytes_per_s", problem->rate_bytes_per_s);
    json_put_count(object, "pairs", problem->count);
    circuit_json_result(object, result->schedule.makespan_ps, result->bounds.best_ps, is_optimal(result));
    json_put_number(object, "rho_s", circuit_seconds(result->bounds.rho_ps));
    json_put_count(object, "degree", result->bounds.degree);
    json_put_number(object, "link_bound_s", circuit_seconds(result->bounds.link_ps));
    json_put_number(object, "all_stop_bound_s", circuit_seconds(result->bounds.all_stop_ps));
    json_put_count(object, "configurations", result->schedule.configurations);
    json_put_count(object, "circuits", result->schedule.count);
    json_put_number(object, "seconds", result->seconds);
    return object;
}

static enum status print_text(const struct circuit_run *run, const char *algorithm,
                              const struct path_result *result)
{
    char topology[TOPO_TEXT];
    const struct path_problem *problem = &result->problem;
    cli_print_text("demand         ", circuit_source(run));
    printf("pairs          %" PRIu32 " of %" PRIu32 " nodes\n", problem->count, problem->topo.nodes);
    printf("topology       %s, %" PRIu32 " switches, %s routes\n",
           topo_print(&problem->topo, topology, sizeof topology), problem->topo.switches, routes_of(run));
    circuit_print_switching(problem->delta_ps, problem->rate_bytes_per_s,
                            problem->all_stop ? "switches       all-stop" : "switches       not-all-stop");
    circuit_print_result(algorithm, result->schedule.made_by, result->schedule.makespan_ps,
                         result->bounds.best_ps, is_optimal(result));
    printf("configurations %" PRIu64 ", %zu circuits\n", result->schedule.configurations,
           result->schedule.count);
    return circuit_print_end(result->seconds);
}

static enum status write_schedule(const struct circuit_run *run, const struct path_result *result)
{
    struct output output = {0};
    enum status status = output_open(&output, run->settings->output);
    if (status == STATUS_OK)
        path_write(&result->problem, &result->schedule, output.file);
    return output_close(&output, status);
}

static enum status schedule(const struct circuit_run *run)
{
    struct path_result result;
    const struct path_algorithm *algorithm = path_algorithm_at(run->algorithm);
    enum status status = make(run, algorithm, run->switching.delta_ps, &result);
    if (status != STATUS_OK)
        return status;
    if (run->settings->output)
        status = write_schedule(run, &result);
    if (status == STATUS_OK && run->settings->html)
        status =
            path_page_save(run->settings->html, circuit_source(run),
                           result_json(run, algorithm->name, &result), &result.problem, &result.schedule);
    if (status == STATUS_OK)
        status = run->settings->json
                     ? cli_print_json(result_json(run, algorithm->name, &result), CIRCUIT_TIME_DIGITS)
                     : print_text(run, algorithm->name, &result);
    free_result(&result);
    return status;
}

static enum status point(const struct circuit_run *run, size_t algorithm, ps_t delta_ps,
                         struct circuit_point *point)
{
    struct path_result result;
    enum status status = make(run, path_algorithm_at(algorithm), delta_ps, &result);
    if (status != STATUS_OK)
        return status;
    *point = (struct circuit_point){.makespan_ps = result.schedule.makespan_ps,
                                    .bound_ps = result.bounds.best_ps,
                                    .parts = {{"link_bound_s", result.bounds.link_ps}}};
    if (result.problem.all_stop)
        point->parts[1] = (struct circuit_bound){"all_stop_bound_s", result.bounds.all_stop_ps};
    free_result(&result);
    return STATUS_OK;
}

static enum status verify(const struct circuit_run *run, const char *text, size_t size,
                          struct circuit_verdict *verdict, ps_t *bound_ps)
{
    struct topo topo;
    struct path_problem problem;
    enum status status = tdm_topology("--topology", run->settings->topology_text, &topo);
    if (status == STATUS_OK)
        status = path_problem_init(&problem, &topo, run->settings->method.free_routes, &run->demand,
                                   &run->switching);
    if (status != STATUS_OK)
        return status;
    *bound_ps = path_bounds_of(&problem).best_ps;
    path_problem_free(&problem);
    return path_verify(&topo, &run->demand, &run->switching, run->settings->verify, text, size,
                       run->deadline_ps, verdict);
}

static const char *algorithm_at(size_t index)
{
    const struct path_algorithm *algorithm = path_algorithm_at(index);
    return algorithm ? algorithm->name : NULL;
}

const struct circuit_network circuit_topology = {algorithm_at, schedule, point, verify};
