/* A byte of choices, then any text as a demand and, behind a line `=`, as a schedule of it: read or refused.
 * A small demand is scheduled by every algorithm, and the verifier must accept the written schedules. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "schedule/circuit/verify.h"
#include "schedule/circuit/write.h"

enum { MOST_ENTRIES = 24, MOST_BYTES = 100000000 };

static void schedule(const struct circuit_problem *problem, const struct circuit_algorithm *algorithm)
{
    struct circuit_schedule made;
    struct circuit_verdict verdict;
    char *text = NULL;
    size_t size = 0;
    const struct circuit_effort effort = {.moves = 4, .seed = 1};
    if (circuit_schedule_make(problem, algorithm, &effort, &made) != STATUS_OK)
        return;
    FILE *file = open_memstream(&text, &size);
    circuit_write(problem, &made, file);
    fclose(file);
    fuzz_must(circuit_bounds_of(problem).best_ps <= made.makespan_ps &&
                  circuit_verify(problem, "schedule", text, size, made.makespan_ps, &verdict) == STATUS_OK &&
                  verdict.makespan_ps == made.makespan_ps,
              "%s makes a schedule that the verifier refuses:\n%s", algorithm->name, text);
    free(text);
    circuit_schedule_free(&made);
}

static bool is_small(const struct circuit_demand *demand)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < demand->count; i++)
        bytes += demand->lines[i].bytes;
    return demand->count <= MOST_ENTRIES && bytes <= MOST_BYTES;
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    static const ps_t deltas_ps[] = {0, 1, 10 * 1000 * 1000, PS_PER_S / 100};
    struct circuit_demand demand;
    struct circuit_problem problem;
    struct circuit_verdict verdict;
    const struct circuit_algorithm *algorithm;
    if (!size)
        return false;
    const struct circuit_switching switching = {.delta_ps = deltas_ps[data[0] & 3],
                                                .rate_bytes_per_s = 125000000,
                                                .switches = 1 + (data[0] >> 2 & 1),
                                                .hops = 1 + (data[0] >> 4 & 1),
                                                .all_stop = data[0] >> 3 & 1};
    struct fuzz_piece rest = {(const char *)data + 1, size - 1};
    struct fuzz_piece text = fuzz_cut(&rest, "=\n");
    if (circuit_demand_parse("demand", text.bytes, text.size, &demand) != STATUS_OK)
        return false;
    if (circuit_problem_init(&problem, &demand, &switching) == STATUS_OK) {
        circuit_verify(&problem, "schedule", rest.bytes, rest.size, 0, &verdict);
        for (size_t i = 0; is_small(&demand) && (algorithm = circuit_algorithm_at(i)); i++)
            schedule(&problem, algorithm);
        circuit_problem_free(&problem);
    }
    circuit_demand_free(&demand);
    return true;
}
