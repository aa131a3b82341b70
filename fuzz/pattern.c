/* Any text as the lines of a pattern, as a pattern's name, and as a schedule: read or refused. A pattern that
 * was read is scheduled, and the verifier must accept the written schedule. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "schedule/network.h"
#include "schedule/verify.h"
#include "schedule/write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void say_nothing(void *self, enum diag_level level, const char *message)
{
    (void)self;
    (void)level;
    (void)message;
}

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
    if (tdm_lower_bound(&problem) > made.degree ||
        tdm_verify(topo, pattern, "schedule", text, size, &verdict) != STATUS_OK ||
        verdict.degree != made.degree) {
        fprintf(stderr, "broken: a schedule that the verifier refuses:\n%s", text);
        abort();
    }
    free(text);
    tdm_schedule_free(&made);
    tdm_problem_free(&problem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    diag_set_sink(say_nothing, NULL);
    struct topo topo;
    struct tdm_pattern pattern;
    struct tdm_verdict verdict;
    if (tdm_topology("topology", "torus:4x4", &topo) != STATUS_OK)
        abort();
    const char *text = (const char *)data;
    if (tdm_pattern_parse("pattern", text, size, topo.nodes, &pattern) == STATUS_OK) {
        schedule(&topo, &pattern);
        tdm_verify(&topo, &pattern, "schedule", text, size, &verdict);
        tdm_pattern_free(&pattern);
    }
    char *spec = mem_alloc(size + 1, 1, "a text");
    if (size)
        memcpy(spec, data, size);
    if (tdm_pattern_named(spec, topo.nodes, &pattern) == STATUS_OK) {
        tdm_verify(&topo, &pattern, "schedule", text, size, &verdict);
        if (pattern.count < 1000)
            schedule(&topo, &pattern);
        tdm_pattern_free(&pattern);
    }
    free(spec);
    return 0;
}
