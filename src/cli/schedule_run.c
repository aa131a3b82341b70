#include "cli/schedule.h"

#include <signal.h>
#include <time.h>

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

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Ctrl-C ends the search, not the program: what it has found so far is written. */
enum status outcome_schedule(const struct settings *settings, struct outcome *outcome)
{
    struct tdm_method method = {.algorithm = settings->algorithm,
                                .free_routes = settings->free_routes,
                                .random_order = settings->random_order,
                                .seed = settings->seed,
                                .limit = {.moves = settings->moves, .stopped = is_interrupted}};
    if (!settings->moves)
        method.limit.seconds = (double)settings->limit_ps / (double)PS_PER_S;
    struct sigaction action = {.sa_handler = on_interrupt}, before;
    if (settings->algorithm == TDM_BEST)
        sigaction(SIGINT, &action, &before);
    double begun_s = seconds_now();
    enum status status = tdm_plan_open(&outcome->plan, &outcome->topo, &outcome->pattern, &method);
    outcome->seconds = seconds_now() - begun_s;
    if (settings->algorithm == TDM_BEST)
        sigaction(SIGINT, &before, NULL);
    return status;
}

void outcome_close(struct outcome *outcome)
{
    tdm_plan_close(&outcome->plan);
    tdm_pattern_close(&outcome->pattern);
}
