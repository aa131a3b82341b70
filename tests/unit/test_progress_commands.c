/* Commands tell how far they are: the totals of their tasks are reached. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/cli.h"
#include "cli/group.h"
#include "support/tasks.h"

static char folder[] = "/tmp/heliograph-commands-XXXXXX";

/* Runs `helio` with these words, in the folder. What it prints is dropped. */
static void command(char *first, ...)
{
    char name[] = "helio", *argv[16] = {name, first};
    int argc = 2, kept = dup(STDOUT_FILENO), nothing = open("/dev/null", O_WRONLY);
    va_list words;
    va_start(words, first);
    for (char *word; (word = va_arg(words, char *));)
        argv[argc++] = word;
    va_end(words);
    fflush(stdout);
    dup2(nothing, STDOUT_FILENO);
    close(nothing);
    tasks_record();
    int status = cli_group_run(&cli_helio, argc, argv);
    tasks_stop();
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    assert_int_equal(status, 0);
}

/* Most tasks tell a part when they begin it, so that the last one is not told. */
static void reached(const char *task)
{
    tasks_assert_reached(task, 0.9, 1);
}

static void traces_reach_their_totals(void **state)
{
    (void)state;
    command("gen", "alltoall:ranks=64,bytes=8B,iterations=50", "-o", "trace", NULL);
    tasks_assert_reached("writing the trace", 1, 1);
    command("trace", "convert", "trace", "-o", "trace.tar.zst", NULL);
    reached("reading the trace");
    reached("compiling the trace");
    reached("matching messages");
    tasks_assert_reached("writing the trace", 1, 1);
    command("trace", "info", "trace.tar.zst", NULL);
    reached("reading a file");
    reached("unpacking the trace");
    reached("counting calls");
    command("trace", "validate", "trace.tar.zst", NULL);
    reached("checking messages");
    reached("checking collectives");
}

static void schedules_reach_their_totals(void **state)
{
    (void)state;
    command("schedule", "all-to-all", "-t", "torus:5x5", "-a", "greedy", "-o", "s.csv", "--switches",
            "s.json", NULL);
    reached("the routes");
    reached("first fit");
    reached("writing the schedule");
    reached("writing the switches");
    command("schedule", "all-to-all", "-t", "torus:5x5", "--verify", "s.csv", NULL);
    reached("reading the schedule");
    reached("looking for conflicts");
    command("schedule", "all-to-all", "-t", "torus:5x5", "-a", "coloring", NULL);
    reached("the conflict graph");
    tasks_assert_reached("colouring", 0.5, 1);
    command("schedule", "all-to-all", "-t", "torus:5x5", "--moves", "100000", NULL);
    reached("searching");
    command("coll", "plan", "--nodes", "4", "--ppn", "8", "--bytes", "8B", NULL);
    reached("linear");
}

static void results_reach_their_totals(void **state)
{
    (void)state;
    FILE *file = fopen("sweep.yaml", "w");
    fputs("workload: pingpong\nfabric: [ideal, hockney]\n", file);
    fclose(file);
    command("sweep", "sweep.yaml", "-o", "results.db", NULL);
    tasks_assert_reached("2 of 2 runs", 1, 1);
    command("export", "results.db", NULL);
    tasks_assert_reached("reading the results", 1, 1);
    command("merge", "results.db", "-o", "merged.db", NULL);
    tasks_assert_reached("reading the results", 1, 1);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && setenv("XDG_CACHE_HOME", folder, 1) == 0 ? chdir(folder) : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char line[64];
    snprintf(line, sizeof line, "rm -r %s", folder);
    return chdir("/") == 0 ? system(line) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_reach_their_totals),
        cmocka_unit_test(schedules_reach_their_totals),
        cmocka_unit_test(results_reach_their_totals),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
