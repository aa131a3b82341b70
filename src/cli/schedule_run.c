#include "cli/schedule.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

static bool is_interrupted(void *context)
{
    (void)context;
    return interrupted;
}

/* Ctrl-C ends the search, not the program: what it has found so far is written. */
static void search_best(const struct settings *settings, const uint32_t *phase, uint32_t phases,
                        struct outcome *outcome)
{
    struct sigaction action = {.sa_handler = on_interrupt}, before;
    struct tdm_limit limit = {.moves = settings->moves, .stopped = is_interrupted};
    if (!settings->moves)
        limit.seconds = (double)settings->limit_ps / (double)PS_PER_S;
    sigaction(SIGINT, &action, &before);
    outcome->moves = tdm_best(&outcome->problem, phase, phases, outcome->bound, settings->seed, &limit,
                              &outcome->schedule);
    sigaction(SIGINT, &before, NULL);
}

static enum status run_algorithm(const struct settings *settings, struct outcome *outcome)
{
    const struct tdm_problem *problem = &outcome->problem;
    struct tdm_schedule *schedule = &outcome->schedule;
    uint32_t phases = 0, *phase = NULL, *order = NULL;
    enum status status = STATUS_OK;
    bool wants_phases = settings->algorithm == AAPC || settings->algorithm == COMBINED;
    if (wants_phases || (settings->algorithm == BEST && tdm_has_closed_aapc(&outcome->topo))) {
        phase = mem_alloc((size_t)problem->requests + 1, sizeof *phase, "phases of requests");
        status = tdm_aapc_phases(&outcome->topo, &outcome->pattern, phase, &phases);
    }
    if (status == STATUS_OK)
        switch (settings->algorithm) {
        case GREEDY:
            order = settings->random_order ? tdm_random_order(problem->requests, settings->seed, "tdm.greedy")
                                           : NULL;
            tdm_greedy(problem, order, schedule);
            break;
        case COLORING:
            status = tdm_coloring(problem, TDM_COLORING_FITTED, settings->seed, schedule);
            break;
        case COLORING_LITERAL:
            status = tdm_coloring(problem, TDM_COLORING_LITERAL, settings->seed, schedule);
            break;
        case AAPC:
            tdm_ordered_aapc(problem, phase, phases, schedule);
            break;
        case COMBINED:
            status = tdm_combined(problem, phase, phases, settings->seed, schedule);
            break;
        case BEST:
            search_best(settings, phase, phases, outcome);
            break;
        }
    free(order);
    free(phase);
    return status;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

enum status outcome_schedule(const struct settings *settings, struct outcome *outcome)
{
    double begun_s = seconds_now();
    enum status status =
        tdm_problem_of(&outcome->topo, &outcome->pattern, settings->free_routes, &outcome->problem);
    if (status != STATUS_OK)
        return status;
    tdm_schedule_open(&outcome->schedule, outcome->problem.requests);
    outcome->bound = tdm_lower_bound(&outcome->problem);
    status = run_algorithm(settings, outcome);
    outcome->seconds = seconds_now() - begun_s;
    return status;
}

void outcome_close(struct outcome *outcome)
{
    tdm_schedule_close(&outcome->schedule);
    tdm_problem_close(&outcome->problem);
    tdm_pattern_close(&outcome->pattern);
}
