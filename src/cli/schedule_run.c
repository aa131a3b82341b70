#include "cli/schedule.h"

#include "base/clock.h"
#include "output/interrupt.h"

static bool is_interrupted(void *context)
{
    (void)context;
    return interrupt_wanted();
}

const char *schedule_algorithm(const struct schedule_settings *settings)
{
    return tdm_algorithm_names[settings->method.algorithm];
}

const char *schedule_routes(const struct schedule_settings *settings)
{
    return settings->method.free_routes ? "free" : "fixed";
}

enum status schedule_outcome_make(const struct schedule_settings *settings, struct schedule_outcome *outcome)
{
    struct tdm_method method = settings->method;
    method.limit.stopped = is_interrupted;
    if (!method.limit.moves)
        method.limit.seconds =
            settings->limit_ps < 0 ? SCHEDULE_SECONDS : (double)settings->limit_ps / (double)PS_PER_S;
    double begun_s = clock_seconds_now();
    enum status status = tdm_plan_init(&outcome->plan, &outcome->topo, &outcome->pattern, &method);
    outcome->seconds = clock_seconds_now() - begun_s;
    return status;
}

void schedule_outcome_free(struct schedule_outcome *outcome)
{
    tdm_plan_free(&outcome->plan);
    tdm_pattern_free(&outcome->pattern);
}
