/* Any text as the file of jobs: refused, or run. The first line of the input has the parameters of the run,
 * as "fabric=packet;topology=torus:8x8". The size of the input chooses the placement. Behind a line %% stands
 * a file of GOAL, which jobs name as "trace: GOAL". */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "fuzz/fuzz_run.h"

static const char *const rests[] = {"placement=linear",
                                    "placement=interleaved,alone=no",
                                    "placement=blocks,block=3",
                                    "placement=random,alone=no",
                                    "block=1",
                                    "placement=groups,group=4",
                                    "queue=fcfs,nodes=16,placement=groups,group=3",
                                    "queue=easy,nodes=12,placement=random"};
static const char goal_trace[] = "trace: GOAL";

/* Escapes can hide a path, so they count as one. */
static bool is_large(const char *text)
{
    bool large = fuzz_is_large_workload(text) || strchr(text, '\\');
    for (const char *at = text; (at = strstr(at, "trace")); at++)
        large |= strncmp(at, goal_trace, strlen(goal_trace)) != 0;
    return large;
}

/* The jobs, whose graph is in that file. */
static int jobs_file(const char *text, int goal)
{
    char *jobs = mem_text("");
    for (const char *found; (found = strstr(text, goal_trace)); text = found + strlen(goal_trace)) {
        char *more = mem_format("%s%.*strace: /proc/self/fd/%d", jobs, (int)(found - text), text, goal);
        free(jobs);
        jobs = more;
    }
    char *all = mem_format("%s%s", jobs, text);
    int file = fuzz_file(all, strlen(all));
    free(jobs);
    free(all);
    return file;
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct fuzz_piece rest = {(const char *)data, size};
    struct fuzz_piece settings = fuzz_cut(&rest, "\n");
    struct fuzz_piece jobs = fuzz_cut(&rest, "\n%%\n");
    char *text = fuzz_text((const uint8_t *)jobs.bytes, jobs.size);
    bool has_ended = false;
    fuzz_is_too_large = is_large(text);
    if (!fuzz_is_too_large) {
        int goal = fuzz_file(rest.bytes, rest.size), file = jobs_file(text, goal);
        char *spec =
            mem_format("jobs:/proc/self/fd/%d,%s", file, rests[size % (sizeof rests / sizeof *rests)]);
        struct program *program = fuzz_small_workload(spec);
        if (program) {
            has_ended = fuzz_run(fuzz_config(settings), program);
            program->ops->close(program);
        }
        free(spec);
        close(file);
        close(goal);
    }
    free(text);
    return has_ended;
}
