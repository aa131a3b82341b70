#include "schedule/path/two_hops.h"

#define PATH_ALGORITHM(name) extern const struct path_algorithm name##_paths;
#include "schedule/path/algorithms.def"
#undef PATH_ALGORITHM

static const struct path_algorithm *const algorithms[] = {
#define PATH_ALGORITHM(name) &name##_paths,
#include "schedule/path/algorithms.def"
#undef PATH_ALGORITHM
};

const struct path_algorithm *path_algorithm_at(size_t index)
{
    return index < sizeof algorithms / sizeof *algorithms ? algorithms[index] : NULL;
}

enum status path_schedule_make(const struct path_problem *problem, const struct path_algorithm *algorithm,
                               const struct circuit_effort *effort, struct path_schedule *schedule)
{
    *schedule = (struct path_schedule){.made_by = algorithm->name};
    enum status status = problem->hops > 1 ? path_two_hops_make(problem, algorithm, effort, schedule)
                                           : algorithm->run(problem, effort, schedule);
    if (status == STATUS_OK)
        path_finish(problem, schedule);
    else
        path_schedule_free(schedule);
    return status;
}
