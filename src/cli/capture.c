#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/status.h"
#include "base/units.h"
#include "cli/capture.h"
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/tracer.h"
#include "source/source.h"
#include "trace/ti/site_lines.h"
#include "trace/ti/truncated_trace.h"

enum capture_option {
    CAPTURE_OUT,
    CAPTURE_MPI,
    CAPTURE_RATE,
    CAPTURE_WHERE,
    CAPTURE_COMPRESS,
    CAPTURE_BURSTS,
    CAPTURE_FROM,
    CAPTURE_TO,
    CAPTURE_COLLECT
};

static const char *name_at(size_t option, size_t index)
{
    return option == CAPTURE_MPI ? tracer_mpis[index] : NULL;
}

static const struct cli_option options[] = {
    [CAPTURE_OUT] = {"--output", 'o', "DIR", "the folder to make, of rank-<k>.txt, k = rank + 1"},
    [CAPTURE_MPI] = {"--mpi", 0, "NAME",
                     "the program's MPI, where its launcher does not show it; NAME is one of"},
    [CAPTURE_RATE] = {"--rate", 0, "RATE",
                      "operations that a second of processor time is written as (12 Gflop/s, the\n"
                      "default of compute.rate, which gives the measured times back)"},
    [CAPTURE_WHERE] = {"--where", 0, NULL, "write where in the source of the program each call is"},
    [CAPTURE_COMPRESS] = {"--compress", 0, NULL, "write rank-<k>.txt.zst, compressed while the program runs"},
    [CAPTURE_BURSTS] = {"--bursts", 0, NULL,
                        "write how long each computation waited for a processor, and its instructions"},
    [CAPTURE_FROM] = {"--from", 0, "TIME", "record from TIME after MPI_Init on, such as 90s (from its end)"},
    [CAPTURE_TO] = {"--to", 0, "TIME", "record up to TIME after MPI_Init (to MPI_Finalize)"},
    [CAPTURE_COLLECT] =
        {"--collect", 0, "FOLDER",
         "run no program; take the ranks' files from FOLDER, where a machine has left them" CLI_REPEATS},
};

static const struct cli_command command = {
    .name = "capture",
    .words = "-o DIR (-- LAUNCHER ... PROGRAM ... | --collect FOLDER ...)",
    .doc = "Runs an MPI program as it is and writes the trace of its calls.\n"
           "Exit status 1: the program failed, or its trace is incomplete. What was written is kept.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after =
        "Examples:\n"
        "  helio capture -o trace -- mpirun -np 4 ./program\n"
        "  helio capture -o trace --collect node1/trace --collect node2/trace\n"
        "  helio capture -o trace -- mpiexec.mpich -n 4 ./program; helio run --trace trace --fabric packet",
    .name_at = name_at,
};

/* ---------------------------------------------------------------------- run */

/* False, with errno: it cannot be read, or 0 if it has entries. */
static bool is_empty(const char *path)
{
    DIR *folder = opendir(path);
    bool empty = folder != NULL;
    for (const struct dirent *entry; empty && (entry = readdir(folder));)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (folder) {
        closedir(folder);
        errno = 0;
    }
    return empty;
}

static const char *folder_of_trace; /* this process has it */

/* However the command fails, it leaves no folder without files. */
static void remove_empty_folder(void)
{
    if (folder_of_trace)
        rmdir(folder_of_trace);
}

/* Makes the folder, and locks it as long as this process lives. A folder that is empty and not locked is
 * taken too: a killed command leaves one. False, reported. */
static bool make_folder(const char *path)
{
    bool is_made = mkdir(path, 0777) == 0;
    int descriptor = is_made || errno == EEXIST ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool is_locked = descriptor >= 0 && (flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK);
    int error = is_locked ? 0 : errno;
    if (is_made && (is_locked || descriptor < 0))
        folder_of_trace = path;
    if (is_locked && is_empty(path)) {
        folder_of_trace = path;
        return true;
    }
    if (is_locked)
        error = errno;
    if (error == 0 || error == EWOULDBLOCK || error == ENOTDIR)
        diag_error("%s exists; name a new folder, so that the ranks of two traces do not mix", path);
    else
        diag_error("cannot make %s: %s", path, strerror(error));
    if (descriptor >= 0)
        close(descriptor);
    return false;
}

/* A launcher by its name: such a job may well be started by another one, once for each of its parts. */
static bool is_launcher(const char *word)
{
    static const char *const names[] = {"srun", "mpirun", "mpiexec", "orterun", "prterun"};
    const char *slash = strrchr(word, '/'), *name = slash ? slash + 1 : word;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* The launcher of an MPI may run helio instead of being run by it: then each rank has a helio that wants to
 * make the folder and the whole trace. False: reported. */
static bool is_outside_of_ranks(const struct capture_command *capture)
{
    /* Slurm says how many ranks there are in any case, and with PMIx only that they can communicate. */
    const char *const sizes[] = {getenv("OMPI_COMM_WORLD_SIZE"), getenv("PMI_SIZE"),
                                 getenv("PMIX_RANK") ? getenv("SLURM_STEP_NUM_TASKS") : NULL};
    if (is_launcher(capture->words[0]))
        return true;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct units_problem problem;
        uint64_t count;
        if (!sizes[i] || !units_count(sizes[i], &count, &problem) || count <= 1)
            continue;
        diag_error("this is one of %s ranks; helio capture runs the launcher, and is not run by it: "
                   "helio capture -o DIR -- LAUNCHER ... PROGRAM",
                   sizes[i]);
        return false;
    }
    return true;
}

static enum status prepare(struct capture_command *capture, struct launch_preload *preload)
{
    if (!is_outside_of_ranks(capture))
        return STATUS_BAD_INPUT;
    if (!capture->mpi)
        capture->mpi = tracer_mpi_of(capture->words[0]);
    if (!capture->mpi) {
        diag_error("the MPI of '%s' cannot be seen from its name; say --mpi openmpi or --mpi mpich",
                   capture->words[0]);
        return STATUS_BAD_INPUT;
    }
    char *library = tracer_library(capture->mpi);
    if (!library) {
        diag_error("there is no tracer for %s: it is built where the MPI is installed (helio doctor)",
                   capture->mpi);
        return STATUS_FAILED;
    }
    bool can_load = launch_preload(library, preload);
    free(library);
    if (!can_load)
        return STATUS_FAILED;
    if (!capture->folder || make_folder(capture->folder))
        return STATUS_OK;
    launch_preload_free(preload);
    return STATUS_BAD_INPUT;
}

/* The tracer reads seconds. */
static bool set_time(const char *name, const char *time)
{
    char seconds[40] = "";
    struct units_problem problem;
    ps_t ps;
    if (time && units_time(time, &ps, &problem))
        snprintf(seconds, sizeof seconds, "%.9f", (double)ps / (double)PS_PER_S);
    return setenv(name, seconds, 1) == 0;
}

/* Of the tail of a trace that is compressed (call/tail.h): a frame has so much text. */
#define HALF_BYTES "4194304"

/* In the child process: sets what the tracer reads, and runs the program. */
static void become_program(const struct capture_command *capture, const struct launch_preload *preload)
{
    char folder[PATH_MAX] = "", rate[32];
    snprintf(rate, sizeof rate, "%" PRIu64, capture->rate_flops);
    if ((capture->folder && !realpath(capture->folder, folder)) ||
        setenv("HELIO_CAPTURE_DIR", folder, 1) != 0 || setenv("HELIO_CAPTURE_RATE", rate, 1) != 0 ||
        setenv("LD_PRELOAD", preload->libraries, 1) != 0 || !set_time("HELIO_CAPTURE_FROM", capture->from) ||
        !set_time("HELIO_CAPTURE_TO", capture->to) ||
        setenv("HELIO_CAPTURE_WHERE", capture->has_sites ? "1" : "", 1) != 0 ||
        setenv("HELIO_CAPTURE_BURSTS", capture->has_bursts ? "instructions" : "", 1) != 0 ||
        setenv("HELIO_CAPTURE_COMPRESS", capture->is_packed ? HALF_BYTES : "", 1) != 0 ||
        (preload->folders && setenv("LD_LIBRARY_PATH", preload->folders, 1) != 0)) {
        diag_error("cannot run %s: %s", capture->words[0], strerror(errno));
        _exit(127);
    }
    execvp(capture->words[0], capture->words);
    diag_error("cannot run %s: %s", capture->words[0], strerror(errno));
    _exit(127);
}

static volatile sig_atomic_t launcher; /* 0: not started, or gone */

/* Signals from the keyboard reach the launcher directly, so only the others are passed on. */
static void on_signal(int number)
{
    if (launcher && (number == SIGTERM || number == SIGHUP))
        kill(launcher, number);
}

/* A signal that ends the program does not end helio, which completes the trace. The program starts with its
 * signals unchanged: an exec removes handlers, and a signal that is ignored already, as by nohup, stays
 * ignored. */
static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

static void outlive_signals(void)
{
    const struct sigaction action = {.sa_handler = on_signal};
    struct sigaction before;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

/* These signals wait while the folder is there and the program is not. Returns the mask before. */
static sigset_t hold_signals(void)
{
    sigset_t held, before;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset(&held, numbers[i]);
    sigprocmask(SIG_BLOCK, &held, &before);
    return before;
}

/* One that has come removes the folder, and ends the process as soon as it is let in. */
static void stop_if_asked(const struct capture_command *capture, const sigset_t *before)
{
    sigset_t waiting;
    sigpending(&waiting);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigismember(&waiting, numbers[i]) == 1) {
            if (capture->folder)
                rmdir(capture->folder);
            sigprocmask(SIG_SETMASK, before, NULL);
        }
}

static enum status run_program(const struct capture_command *capture, const struct launch_preload *preload,
                               const sigset_t *before)
{
    int ended = 0;
    outlive_signals();
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, before, NULL);
        become_program(capture, preload);
    }
    launcher = child > 0 ? child : 0;
    sigprocmask(SIG_SETMASK, before, NULL);
    while (child > 0 && waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    launcher = 0;
    if (child < 0) {
        diag_error("cannot start %s: %s", capture->words[0], strerror(errno));
        return STATUS_FAILED;
    }
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return STATUS_OK;
    if (WIFSIGNALED(ended))
        diag_error("%s was ended by signal %d", capture->words[0], WTERMSIG(ended));
    else
        diag_error("%s ended with status %d", capture->words[0], WEXITSTATUS(ended));
    return STATUS_FAILED;
}

/* The user is told what a trace lacks: it cannot be seen from the trace. */
static void warn_of_lost(const struct truncated_trace *prefix)
{
    char *list = mem_text("");
    for (size_t i = 0; i < prefix->lost_count; i++) {
        char *longer = mem_format("%s%s%s (%" PRIu64 ")", list, i ? ", " : "", prefix->lost[i].name,
                                  prefix->lost[i].count);
        free(list);
        list = longer;
    }
    if (prefix->lost_count)
        diag_warning("the trace format cannot express these calls, so the trace lacks them: %s", list);
    free(list);
}

/* Whether the files are of one program and of all its ranks. */
static bool is_one_program(const struct capture_command *capture, const struct truncated_trace *prefix)
{
    if (prefix->has_mixed)
        diag_error("%s: more than one MPI program has run, and a trace holds the ranks of one; its files "
                   "may be of several",
                   capture->folder);
    else if (prefix->missing)
        diag_error("%s: %" PRIu32 " of %" PRIu32 " ranks, rank %" PRIu32
                   " first, left no trace here; --collect takes those that other machines have",
                   capture->folder, prefix->missing, prefix->world, prefix->first_missing);
    return !prefix->has_mixed && !prefix->missing;
}

/* Why no rank has left a trace. `ran` is how the program ended, which has been reported where it failed. */
static void report_none(const struct capture_command *capture, enum status ran)
{
    if (ran != STATUS_OK)
        diag_error("there is no trace: the program failed before one of its ranks had called MPI_Init");
    else
        diag_error(
            "there is no trace here: no process called MPI_Init of %s and reached this folder; a program of "
            "another MPI needs --mpi, one in a container needs the folders of helio and of the trace, and "
            "one "
            "that is linked statically cannot be captured",
            capture->mpi);
}

static enum status report(const struct capture_command *capture, const struct truncated_trace *prefix,
                          enum status ran)
{
    if (prefix->ranks == 0) {
        report_none(capture, ran);
        return STATUS_FAILED;
    }
    if (!is_one_program(capture, prefix))
        return STATUS_FAILED;
    if (prefix->unfinished)
        diag_error("the traces of %" PRIu32 " of %" PRIu32 " ranks, rank %" PRIu32
                   " first, end before MPI_Finalize: they hold what was done until then",
                   prefix->unfinished, prefix->ranks, prefix->first_unfinished);
    warn_of_lost(prefix);
    if (!capture->is_silent)
        diag_note("%s: %" PRIu32 " ranks, %" PRIu64 " lines; helio run --trace %s replays it",
                  capture->folder, prefix->ranks, prefix->lines, capture->folder);
    return prefix->unfinished ? STATUS_FAILED : STATUS_OK;
}

/* Looks up the call sites, which the tracer has written as addresses. */
static enum status name_sites(const struct capture_command *capture)
{
    struct site_lines lines;
    enum status status = site_lines_read(capture->folder, &lines);
    if (status == STATUS_OK && lines.count) {
        struct source_address *addresses = mem_alloc(lines.count, sizeof *addresses, "call sites");
        for (size_t i = 0; i < lines.count; i++)
            addresses[i] = (struct source_address){
                .path = lines.at[i].path, .build = lines.at[i].build, .address = lines.at[i].address};
        char **names = source_names(addresses, lines.count);
        status = site_lines_name(capture->folder, &lines, names);
        for (size_t i = 0; i < lines.count; i++)
            free(names[i]);
        free(names);
        free(addresses);
    }
    site_lines_free(&lines);
    return status;
}

static enum status finish(const struct capture_command *capture, enum status ran)
{
    struct truncated_trace prefix;
    enum status status = truncated_trace_complete(capture->folder, &prefix);
    if (status == STATUS_OK && (capture->has_sites || capture->collected_count))
        status = name_sites(capture);
    const bool has_all = !prefix.missing && !prefix.has_mixed && prefix.ranks;
    if (status == STATUS_OK && has_all && (prefix.has_parts || capture->from || capture->to))
        status = capture_cut_parts(capture, &prefix.lines);
    if (status == STATUS_OK)
        status = report(capture, &prefix, ran);
    truncated_trace_free(&prefix);
    return status == STATUS_OK ? ran : status;
}

/* ---------------------------------------------------------------- arguments */

static bool take_rate(struct capture_command *capture, const char *value)
{
    struct units_problem problem;
    if (units_flops(value, &capture->rate_flops, &problem) && capture->rate_flops > 0)
        return true;
    diag_error("--rate %s: a rate such as 12 Gflop/s is expected", value);
    return false;
}

static bool take_time(const char *option, const char *value, const char **time)
{
    struct units_problem problem;
    ps_t ps;
    if (units_time(value, &ps, &problem) && ps >= 0) {
        *time = value;
        return true;
    }
    diag_error("%s %s: a time such as 90 s is expected", option, value);
    return false;
}

static bool times_are_in_order(const struct capture_command *capture)
{
    struct units_problem problem;
    ps_t from = 0, to = PS_NEVER;
    if (capture->from)
        units_time(capture->from, &from, &problem);
    if (capture->to)
        units_time(capture->to, &to, &problem);
    if (from < to)
        return true;
    diag_error("--from %s is not before --to %s", capture->from ? capture->from : "0 s", capture->to);
    return false;
}

static bool take(struct capture_command *capture, enum capture_option option, const char *value)
{
    switch (option) {
    case CAPTURE_OUT:
        capture->folder = value;
        return true;
    case CAPTURE_RATE:
        return take_rate(capture, value);
    case CAPTURE_COLLECT:
        capture->collected = mem_grow(capture->collected, &capture->collected_capacity,
                                      capture->collected_count + 1, "folders");
        capture->collected[capture->collected_count++] = value;
        return true;
    case CAPTURE_COMPRESS:
        return capture->is_packed = true;
    case CAPTURE_BURSTS:
        return capture->has_bursts = true;
    case CAPTURE_FROM:
        return take_time("--from", value, &capture->from);
    case CAPTURE_TO:
        return take_time("--to", value, &capture->to);
    case CAPTURE_MPI:
        capture->mpi = value;
        return tracer_take_mpi(value);
    case CAPTURE_WHERE:
        if (!source_is_built_in())
            diag_warning(
                "this helio was built without libdw: --where gives addresses, and no lines of the source");
        return capture->has_sites = true;
    }
    return false;
}

/* The program's own words follow "--", or begin at the first word that is no option. */
static int read_arguments(struct capture_command *capture, int argc, char **argv)
{
    struct cli_reader reader = {.command = &command, .argc = argc, .argv = argv, .next = 1};
    const char *value;
    for (int found; (found = cli_read(&reader, &value)) != CLI_END;) {
        if (found == CLI_HELP || found == CLI_ERROR)
            return found;
        if (found == CLI_WORD) {
            capture->words = argv + reader.next - 1;
            break;
        }
        if (!take(capture, (enum capture_option)(found - CLI_OPTION), value))
            return CLI_ERROR;
    }
    if (!times_are_in_order(capture))
        return CLI_ERROR;
    if (capture->folder && !capture->words != !capture->collected)
        return CLI_END;
    diag_error("helio capture needs a folder, and a program or folders to collect: helio capture %s",
               command.words);
    return CLI_ERROR;
}

enum status capture_program(struct capture_command *capture)
{
    struct launch_preload preload;
    atexit(remove_empty_folder);
    sigset_t before = hold_signals();
    enum status status = prepare(capture, &preload);
    if (status != STATUS_OK) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        return status;
    }
    stop_if_asked(capture, &before);
    const double began = clock_seconds_now();
    status = run_program(capture, &preload, &before);
    capture->took_s = clock_seconds_now() - began;
    launch_preload_free(&preload);
    return capture->folder ? finish(capture, status) : status;
}

/* Makes a trace of the files that machines without a common folder have. */
static enum status collect_ranks(const struct capture_command *capture)
{
    enum status status = capture_collect(capture);
    return status == STATUS_OK ? finish(capture, STATUS_OK) : status;
}

int cli_capture(int argc, char **argv)
{
    struct capture_command capture = {.rate_flops = UINT64_C(12000000000)};
    int found = read_arguments(&capture, argc, argv);
    int status = cli_status(found);
    if (found == CLI_END)
        status = capture.collected ? collect_ranks(&capture) : capture_program(&capture);
    free(capture.collected);
    return status;
}
