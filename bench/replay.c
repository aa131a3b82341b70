/* The cost of whole processes as the system measures it: wall time, processor time, peak memory.
 *
 *   bench_replay RUNS COMMAND [ARGUMENT...]
 *
 * Runs the command RUNS times, one after another. If RUNS is more than 1, one run before them warms the
 * caches and is not counted. Prints a line: median wall s, least and greatest wall s, median processor s
 * (user and system), peak memory of the largest run in KiB. This includes children that the command waits
 * for. The output of the command is dropped, and its messages are written to standard error. When it fails,
 * bench_replay fails. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/stats.h"
#include "base/status.h"

enum { RUNS_LIMIT = 1000, EXIT_NOT_STARTED = 127 };

struct cost {
    double wall_s, processor_s;
    long peak_kib;
};

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static _Noreturn void become(char **command)
{
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0) {
        perror("bench_replay: /dev/null");
        _exit(EXIT_NOT_STARTED);
    }
    execvp(command[0], command);
    fprintf(stderr, "bench_replay: %s: %s\n", command[0], strerror(errno));
    _exit(EXIT_NOT_STARTED);
}

static enum status run_once(char **command, struct cost *cost)
{
    int how = 0;
    struct rusage usage;
    double start = clock_seconds_now();
    pid_t child = fork();
    if (child == 0)
        become(command);
    pid_t ended = -1;
    while (child > 0 && (ended = wait4(child, &how, 0, &usage)) < 0 && errno == EINTR)
        ;
    if (ended < 0) {
        perror("bench_replay");
        return STATUS_FAILED;
    }
    *cost = (struct cost){.wall_s = clock_seconds_now() - start,
                          .processor_s = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
                          .peak_kib = usage.ru_maxrss};
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0)
        return STATUS_OK;
    fprintf(stderr, "bench_replay: %s %s %d\n", command[0],
            WIFEXITED(how) ? "ended with status" : "died of signal",
            WIFEXITED(how) ? WEXITSTATUS(how) : WTERMSIG(how));
    return STATUS_FAILED;
}

static enum status measure(size_t runs, char **command)
{
    double *wall_s = mem_alloc(runs, sizeof *wall_s, "wall times");
    double *processor_s = mem_alloc(runs, sizeof *processor_s, "processor times");
    long peak_kib = 0;
    struct cost cost;
    enum status status = runs > 1 ? run_once(command, &cost) : STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < runs; i++) {
        status = run_once(command, &cost);
        wall_s[i] = cost.wall_s;
        processor_s[i] = cost.processor_s;
        if (cost.peak_kib > peak_kib)
            peak_kib = cost.peak_kib;
    }
    if (status == STATUS_OK) {
        stats_sort(wall_s, runs);
        stats_sort(processor_s, runs);
        printf("%.4f %.4f %.4f %.4f %ld\n", stats_median(wall_s, runs), wall_s[0], wall_s[runs - 1],
               stats_median(processor_s, runs), peak_kib);
    }
    free(wall_s);
    free(processor_s);
    return status;
}

int main(int argc, char **argv)
{
    char *end = NULL;
    long runs = argc > 2 ? strtol(argv[1], &end, 10) : 0;
    if (runs < 1 || runs > RUNS_LIMIT || *end) {
        fprintf(stderr, "usage: bench_replay RUNS COMMAND [ARGUMENT...]    RUNS is 1 to %d\n", RUNS_LIMIT);
        return STATUS_BAD_INPUT;
    }
    return measure((size_t)runs, argv + 2);
}
