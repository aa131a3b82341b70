/* Any text as the lines of a pattern, as a pattern's name, and as a schedule: read or refused. A pattern that
 * was read is scheduled, and the verifier must accept the written schedule. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "schedule/network.h"
#include "schedule/verify.h"
#include "schedule/write.h"

static void schedule(const struct topo *topo, const struct tdm_pattern *pattern)
{
    struct tdm_problem problem;
    struct tdm_schedule made;
    struct tdm_verdict verdict;
    char *text = NULL;
    size_t size = 0;
    tdm_problem_from_pattern(topo, pattern, true, &problem);
    tdm_schedule_init(&made, problem.requests);
    tdm_greedy(&problem, NULL, &made);
    FILE *file = open_memstream(&text, &size);
    tdm_write_schedule(topo, pattern, &problem, &made, file);
    fclose(file);
    fuzz_must(tdm_lower_bound(&problem) <= made.degree &&
                  tdm_verify(topo, pattern, "schedule", text, size, &verdict) == STATUS_OK &&
                  verdict.degree == made.degree,
              "a schedule that the verifier refuses:\n%s", text);
    free(text);
    tdm_schedule_free(&made);
    tdm_problem_free(&problem);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct topo topo;
    struct tdm_pattern pattern;
    struct tdm_verdict verdict;
    if (tdm_topology("topology", "torus:4x4", &topo) != STATUS_OK)
        abort();
    const char *text = (const char *)data;
    bool is_read = false;
    if (tdm_pattern_parse("pattern", text, size, topo.nodes, &pattern) == STATUS_OK) {
        is_read = true;
        schedule(&topo, &pattern);
        tdm_verify(&topo, &pattern, "schedule", text, size, &verdict);
        tdm_pattern_free(&pattern);
    }
    char *spec = fuzz_text(data, size);
    if (tdm_pattern_named(spec, topo.nodes, &pattern) == STATUS_OK) {
        is_read = true;
        tdm_verify(&topo, &pattern, "schedule", text, size, &verdict);
        if (pattern.count < 1000)
            schedule(&topo, &pattern);
        tdm_pattern_free(&pattern);
    }
    free(spec);
    return is_read;
}
