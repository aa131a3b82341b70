#include <string.h>

#include "base/clock.h"
#include "schedule/circuit/two_hops.h"

#define CIRCUIT_ALGORITHM(name) extern const struct circuit_algorithm name##_circuits;
#include "schedule/circuit/algorithms.def"
#undef CIRCUIT_ALGORITHM

static const struct circuit_algorithm *const algorithms[] = {
#define CIRCUIT_ALGORITHM(name) &name##_circuits,
#include "schedule/circuit/algorithms.def"
#undef CIRCUIT_ALGORITHM
};

const struct circuit_algorithm *circuit_algorithm_at(size_t index)
{
    return index < sizeof algorithms / sizeof *algorithms ? algorithms[index] : NULL;
}

const struct circuit_algorithm *circuit_algorithm_find(const char *name)
{
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        if (strcmp(algorithms[i]->name, name) == 0)
            return algorithms[i];
    return NULL;
}

bool circuit_effort_is_spent(const struct circuit_effort *effort)
{
    return (effort->until_s > 0 && clock_seconds_now() > effort->until_s) ||
           (effort->stopped && effort->stopped(effort->context));
}

enum status circuit_schedule_make(const struct circuit_problem *problem,
                                  const struct circuit_algorithm *algorithm,
                                  const struct circuit_effort *effort, struct circuit_schedule *schedule)
{
    *schedule = (struct circuit_schedule){.made_by = algorithm->name};
    enum status status = problem->hops > 1 ? two_hops_make(problem, algorithm, effort, schedule)
                                           : algorithm->run(problem, effort, schedule);
    if (status == STATUS_OK)
        circuit_finish(problem, schedule);
    else
        circuit_schedule_free(schedule);
    return status;
}
