#include "cli/schedule.h"

#include <signal.h>

#include "base/clock.h"

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

const char *schedule_algorithm(const struct schedule_settings *settings)
{
    return tdm_algorithm_names[settings->method.algorithm];
}

const char *schedule_routes(const struct schedule_settings *settings)
{
    return settings->method.free_routes ? "free" : "fixed";
}

/* Ctrl-C ends the search, and not the program: the best schedule found by then is written. */
enum status schedule_outcome_make(const struct schedule_settings *settings, struct schedule_outcome *outcome)
{
    struct tdm_method method = settings->method;
    method.limit.stopped = is_interrupted;
    if (!method.limit.moves)
        method.limit.seconds = (double)settings->limit_ps / (double)PS_PER_S;
    struct sigaction action = {.sa_handler = on_interrupt}, before;
    if (method.algorithm == TDM_BEST)
        sigaction(SIGINT, &action, &before);
    double begun_s = clock_seconds_now();
    enum status status = tdm_plan_init(&outcome->plan, &outcome->topo, &outcome->pattern, &method);
    outcome->seconds = clock_seconds_now() - begun_s;
    if (method.algorithm == TDM_BEST)
        sigaction(SIGINT, &before, NULL);
    return status;
}

void schedule_outcome_free(struct schedule_outcome *outcome)
{
    tdm_plan_free(&outcome->plan);
    tdm_pattern_free(&outcome->pattern);
}
