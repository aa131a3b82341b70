/* A byte of choices, then any text as a demand of a small topology and, behind a line `=`, as a schedule of
 * it: read or refused. A small demand is scheduled by every algorithm, and the verifier must accept the
 * written schedules. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "schedule/path/path.h"
#include "schedule/path/verify.h"
#include "schedule/path/write.h"

enum { MOST_ENTRIES = 24 };

static const char *const topologies[] = {"linear:4",  "ring:5",      "mesh:3x3",        "torus:4x4",
                                         "slimfly:5", "fattree:2x3", "dragonfly:2x2x1", "crossbar:6"};

static void schedule(const struct path_problem *problem, const struct circuit_demand *demand,
                     const struct circuit_switching *switching, const struct path_algorithm *algorithm)
{
    struct path_schedule made;
    struct circuit_verdict verdict;
    char *text = NULL;
    size_t size = 0;
    const struct circuit_effort effort = {.moves = 4, .seed = 1};
    if (path_schedule_make(problem, algorithm, &effort, &made) != STATUS_OK)
        return;
    FILE *file = open_memstream(&text, &size);
    path_write(problem, &made, file);
    fclose(file);
    fuzz_must(path_bounds_of(problem).best_ps <= made.makespan_ps &&
                  path_verify(&problem->topo, demand, switching, "schedule", text, size, made.makespan_ps,
                              &verdict) == STATUS_OK &&
                  verdict.makespan_ps == made.makespan_ps,
              "%s makes a schedule that the verifier refuses:\n%s", algorithm->name, text);
    free(text);
    path_schedule_free(&made);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    static const ps_t deltas_ps[] = {0, 10 * 1000 * 1000};
    struct circuit_demand demand;
    struct topo topo;
    struct path_problem problem;
    struct circuit_verdict verdict;
    const struct path_algorithm *algorithm;
    if (!size)
        return false;
    const struct circuit_switching switching = {.delta_ps = deltas_ps[data[0] & 1],
                                                .rate_bytes_per_s = 125000000,
                                                .switches = data[0] & 0x80 ? 3 : 1,
                                                .hops = data[0] & 0x40 ? 1 : 2,
                                                .all_stop = data[0] >> 1 & 1};
    struct fuzz_piece rest = {(const char *)data + 1, size - 1};
    struct fuzz_piece text = fuzz_cut(&rest, "=\n");
    if (circuit_demand_parse("demand", text.bytes, text.size, &demand) != STATUS_OK)
        return false;
    bool is_accepted = tdm_topology("topology", topologies[data[0] >> 3 & 7], &topo) == STATUS_OK &&
                       path_problem_init(&problem, &topo, data[0] >> 2 & 1, &demand, &switching) == STATUS_OK;
    if (is_accepted) {
        path_verify(&topo, &demand, &switching, "schedule", rest.bytes, rest.size, 0, &verdict);
        for (size_t i = 0;
             demand.count * switching.hops <= MOST_ENTRIES && (algorithm = path_algorithm_at(i)); i++)
            schedule(&problem, &demand, &switching, algorithm);
        path_problem_free(&problem);
    }
    circuit_demand_free(&demand);
    topo_forget();
    return is_accepted;
}
