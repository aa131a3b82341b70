/* Ctrl-C is an answer: what is done is printed or kept, and what is not done is named. The signals are real.
 * A fabric sends them at its first message, so that no test depends on a time. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "fabric/fabric.h"
#include "fabric/list.h"
#include "output/interrupt.h"
#include "reproduce/paper.h"
#include "reproduce/reproduce.h"

static char folder[] = "/tmp/heliograph-interrupt-XXXXXX";
static char *said, *printed; /* by the last command */

/* -------------------------------------------------------------- the signals */

/* What a trap does. */
static struct {
    int number;     /* 0: nothing */
    unsigned times; /* how often it sends the signal */
    pid_t command;  /* the process of the command */
} trap;

/* A worker sends the signal to the command, and then never ends by itself. */
static void spring(void)
{
    bool is_worker = getpid() != trap.command;
    for (; trap.number && trap.times; trap.times--)
        kill(trap.command, trap.number);
    while (trap.number && is_worker)
        pause();
}

static void trap_submit(struct fabric *fabric, uint32_t message)
{
    spring();
    fabric_visible(fabric, message, fabric_now(fabric));
    fabric_sender_done(fabric, message, fabric_now(fabric));
    fabric_delivered(fabric, message, fabric_now(fabric));
}

static const struct fabric_ops trap_fabric = {
    .name = "trap",
    .doc = "sends a signal",
    .host_path = HOST_PATH_NIC,
    .size = sizeof(struct fabric),
    .submit = trap_submit,
};

/* ------------------------------------------------------------- the commands */

static char *in_folder(const char *name)
{
    return mem_format("%s/%s", folder, name);
}

static char *contents(const char *name)
{
    char *path = in_folder(name), *text = mem_alloc(1 << 16, 1, "the text of a file");
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, (1 << 16) - 1, file)] = '\0';
    fclose(file);
    free(path);
    return text;
}

static void redirect(int stream, const char *name)
{
    char *path = in_folder(name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, stream);
    free(path);
}

/* Starts a command as main does, in a process of its own. */
static pid_t start(int (*command)(int argc, char **argv), char **argv, int number, unsigned times)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid)
        return pid;
    int argc = 0;
    while (argv[argc])
        argc++;
    redirect(STDOUT_FILENO, "stdout");
    redirect(STDERR_FILENO, "stderr");
    trap.number = number;
    trap.times = times;
    trap.command = getpid();
    interrupt_install();
    int status = command(argc, argv);
    fflush(NULL);
    _exit(status == STATUS_CANCELLED ? interrupt_exit_status(status) : status);
}

static int finish(pid_t pid)
{
    int state;
    assert_int_equal(waitpid(pid, &state, 0), pid);
    free(said);
    free(printed);
    said = contents("stderr");
    printed = contents("stdout");
    return state;
}

static void assert_exits(int (*command)(int argc, char **argv), char **argv, int number, int status)
{
    int state = finish(start(command, argv, number, 1));
    assert_true(WIFEXITED(state));
    assert_int_equal(WEXITSTATUS(state), status);
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in:\n%s", part, text);
}

/* --------------------------------------------------------------------- run */

/* The program has so many messages that a run looks for a signal before it ends. */
#define PROGRAM "pingpong:iterations=20000"

static void run_prints_the_fabrics_that_are_done(void **state)
{
    (void)state;
    char *argv[] = {"run", "-w", PROGRAM, "-f", "ideal,trap,hockney", NULL};
    assert_exits(cli_run, argv, SIGINT, 130);
    assert_has(printed, "\nideal ");
    assert_null(strstr(printed, "\ntrap "));
    assert_null(strstr(printed, "\nhockney "));
    assert_string_equal(said, "helio: error: interrupted: trap is not done\n"
                              "helio: error: interrupted: hockney is not done\n");
    assert_exits(cli_run, argv, SIGTERM, 143);
    assert_exits(cli_run, argv, SIGHUP, 129);
    assert_exits(cli_run, argv, 0, 0);
    assert_has(printed, "\nhockney ");
}

static void json_names_the_fabrics_that_are_not(void **state)
{
    (void)state;
    char *argv[] = {"run", "-w", PROGRAM, "-f", "ideal,trap,hockney", "--json", NULL};
    assert_exits(cli_run, argv, SIGINT, 130);
    assert_has(printed, "\"not_run\": [\n    \"trap\",\n    \"hockney\"\n  ]\n}");
    assert_exits(cli_run, argv, 0, 0);
    assert_null(strstr(printed, "not_run"));
}

static void a_figure_of_an_interrupted_run_says_so(void **state)
{
    (void)state;
    char *json = in_folder("run.json"), *figure = in_folder("figure");
    char *run[] = {"run", "-w", PROGRAM, "-f", "ideal,trap", "--json", NULL};
    char *plot[] = {"plot", json, "-o", figure, NULL};
    assert_exits(cli_run, run, SIGINT, 130);
    FILE *file = fopen(json, "w");
    fputs(printed, file);
    fclose(file);
    assert_exits(cli_plot, plot, 0, 0);
    assert_has(said, "run.json: warning: its run was interrupted: some fabrics are missing");
    free(json);
    free(figure);
}

static void nothing_done_prints_nothing(void **state)
{
    (void)state;
    char *argv[] = {"run", "-w", PROGRAM, "-f", "trap", "--json", NULL};
    assert_exits(cli_run, argv, SIGINT, 130);
    assert_string_equal(printed, "");
}

static void files_of_an_interrupted_run_are_absent(void **state)
{
    (void)state;
    char *path = in_folder("messages.csv");
    char *argv[] = {"run", "-w", PROGRAM, "-f", "ideal,trap", "-m", path, NULL};
    assert_exits(cli_run, argv, SIGINT, 130);
    assert_has(said, "note: the files that --messages, --timeline and --html name are left out");
    assert_int_not_equal(access(path, F_OK), 0);
    free(path);
}

static void a_second_signal_ends_at_once(void **state)
{
    (void)state;
    char *argv[] = {"run", "-w", PROGRAM, "-f", "ideal,trap", NULL};
    int ended = finish(start(cli_run, argv, SIGINT, 2));
    assert_true(WIFSIGNALED(ended));
    assert_int_equal(WTERMSIG(ended), SIGINT);
}

/* ------------------------------------------------------ sweep, reproduction */

static void a_sweep_keeps_what_is_done(void **state)
{
    (void)state;
    char *file = in_folder("sweep.yaml"), *results = in_folder("sweep.db");
    FILE *out = fopen(file, "w");
    fputs("workload: pingpong\nfabric: [ideal, trap, hockney]\n", out);
    fclose(out);
    char *argv[] = {"sweep", file, "-o", results, "-j", "1", NULL};
    char *expected =
        mem_format("helio: error: interrupted: 1 of 3 runs are kept in %s; run it again to go on\n", results);
    assert_exits(cli_sweep, argv, SIGINT, 130);
    assert_string_equal(said, expected);
    assert_exits(cli_sweep, argv, SIGTERM, 143);
    assert_string_equal(said, expected);
    assert_exits(cli_sweep, argv, 0, 0);
    assert_has(said, "3 of 3 runs: 2 new, 1 kept, in ");
    char *export[] = {"export", results, NULL};
    assert_exits(cli_export, export, 0, 0);
    assert_has(printed, ",pingpong,trap,");
    free(expected);
    free(results);
    free(file);
}

static void two_runs(struct reproduction *reproduction)
{
    if (!reproduction_is_first(reproduction))
        return;
    const struct run_facts *one = reproduction_run(reproduction, "packet", "pingpong:bytes=0B", NULL);
    reproduction_run(reproduction, "trap", "pingpong:bytes=0B", NULL);
    reproduction_item(reproduction, "table-3/infiniband-latency", NULL, 1e6 * one->makespan_s / 2);
}

static int reproduce_two_runs(int argc, char **argv)
{
    static const struct paper paper = {.name = "fmu", .title = "two runs", .reproduce = two_runs};
    (void)argc;
    return reproduce_paper(&paper, &(struct reproduce_options){.folder = argv[1], .jobs = 1});
}

static void a_reproduction_keeps_what_is_done(void **state)
{
    (void)state;
    char *results = in_folder("reproduced"), *csv = in_folder("reproduced/fmu.csv");
    char *argv[] = {"reproduce", results, NULL};
    char *expected = mem_format(
        "helio: error: interrupted: 1 of 2 runs of fmu are kept in %s/runs.db; run it again to go on\n",
        results);
    assert_exits(reproduce_two_runs, argv, SIGINT, 130);
    assert_has(said, expected);
    assert_string_equal(printed, "");
    assert_int_not_equal(access(csv, F_OK), 0);
    assert_exits(reproduce_two_runs, argv, 0, 0);
    assert_int_equal(access(csv, F_OK), 0);
    free(expected);
    free(csv);
    free(results);
}

/* ----------------------------------------------------------------- schedule */

/* The command has opened the pattern when the other end of the pipe can be opened. */
static void a_search_ends_with_its_best_schedule(void **state)
{
    (void)state;
    char *path = in_folder("pattern.csv");
    char *argv[] = {"schedule", path, "-t", "torus:5x5", "--limit", "0s", NULL};
    assert_int_equal(mkfifo(path, 0600), 0);
    pid_t pid = start(cli_schedule, argv, 0, 0);
    FILE *pattern = fopen(path, "w");
    assert_non_null(pattern);
    kill(pid, SIGINT);
    for (int source = 0; source < 25; source++)
        for (int destination = 0; destination < 25; destination++)
            if (source != destination)
                fprintf(pattern, "%d,%d\n", source, destination);
    fclose(pattern);
    int ended = finish(pid);
    assert_true(WIFEXITED(ended));
    assert_int_equal(WEXITSTATUS(ended), 0);
    assert_has(printed, "requests     600\n");
    assert_has(printed, "degree ");
    free(path);
}

static int make_folder(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    setenv("HELIO_ASSETS", "/nowhere", 1); /* no page is written */
    unsetenv("CLICOLOR_FORCE");
    return mkdtemp(folder) && setenv("XDG_CACHE_HOME", folder, 1) == 0 ? (int)fabric_add(&trap_fabric) : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char *command = mem_format("rm -r %s", folder);
    int left = system(command);
    free(command);
    free(said);
    free(printed);
    return left;
}

static void *get_signal(void *out)
{
    sigset_t number;
    sigemptyset(&number);
    sigaddset(&number, SIGTERM);
    pthread_sigmask(SIG_UNBLOCK, &number, NULL);
    raise(SIGTERM);
    return write(*(const int *)out, "o", 1) == 1 ? out : NULL;
}

/* Another thread gets a signal that the main thread blocks, and goes on. */
static void end_by_signal_of_another_thread(int out)
{
    pthread_t other;
    sigset_t number;
    interrupt_install();
    sigemptyset(&number);
    sigaddset(&number, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &number, NULL);
    if (pthread_create(&other, NULL, get_signal, &out) != 0)
        _exit(1);
    pthread_join(other, NULL);
    pthread_sigmask(SIG_UNBLOCK, &number, NULL);
    _exit(0);
}

static void signals_are_handled_by_the_main_thread(void **state)
{
    (void)state;
    int ends[2], status;
    char byte = ' ';
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        end_by_signal_of_another_thread(ends[1]);
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    assert_int_equal(byte, 'o');
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_prints_the_fabrics_that_are_done),
        cmocka_unit_test(json_names_the_fabrics_that_are_not),
        cmocka_unit_test(a_figure_of_an_interrupted_run_says_so),
        cmocka_unit_test(nothing_done_prints_nothing),
        cmocka_unit_test(files_of_an_interrupted_run_are_absent),
        cmocka_unit_test(a_second_signal_ends_at_once),
        cmocka_unit_test(a_sweep_keeps_what_is_done),
        cmocka_unit_test(a_reproduction_keeps_what_is_done),
        cmocka_unit_test(a_search_ends_with_its_best_schedule),
        cmocka_unit_test(signals_are_handled_by_the_main_thread),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
