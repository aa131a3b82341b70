#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/units.h"
#include "cli/coll.h"
#include "cli/coll_algorithms.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/values.h"
#include "coll/measured.h"
#include "output/output.h"
#include "output/standard.h"

/* `bench` and `tune` start a program of the MPI that measures the algorithms in turns, within one launch
 * (live/bench). They print its samples (coll/measured.h), and write a table of choices. */

enum bench_option {
    BENCH_OP,
    BENCH_MPI,
    BENCH_BYTES,
    BENCH_ALGORITHMS,
    BENCH_SAMPLES,
    BENCH_LIMIT,
    BENCH_YIELD,
    BENCH_JSON,
    BENCH_OUT
};

/* The defaults of the two commands, as they are used and as they are documented. */
#define BENCH_SIZES          "1,64,1KiB,16KiB"
#define TUNE_SIZES           "1,8,64,256,1KiB,4KiB,16KiB,64KiB"
#define BENCH_ALGORITHM_LIST "mpi,auto,leaders"
#define TUNE_ALGORITHM_LIST  "mpi,leaders"

#define OPTIONS(sizes, algorithms, path)                                                                     \
    {                                                                                                        \
        [BENCH_OP] = {"--op", 0, "NAME",                                                                     \
                      "the collective: alltoall (the default), alltoallv, alltoallw, allreduce,\n"           \
                      "allgather, allgatherv, bcast, reduce, reduce_scatter (of equal blocks),\n"            \
                      "reduce_scatterv (of blocks that differ), gather, gatherv, scatter, scatterv or\n"     \
                      "barrier"},                                                                            \
        [BENCH_MPI] = {"--mpi", 'm', "NAME", "of the launcher: openmpi or mpich"},                           \
        [BENCH_BYTES] = {"--bytes", 'b', "LIST",                                                             \
                         "sizes as MPI counts them: " sizes " (the default);\n"                              \
                         "of blocks of different lengths (the v forms, alltoallw) their mean"},              \
        [BENCH_ALGORITHMS] =                                                                                 \
            {"--algorithms", 'a', "LIST",                                                                    \
             "the others are compared with the first; mpi is the MPI's default algorithm,\n"                 \
             "mpi:NAME forces one of its own, control is the default once more, which shows\n"               \
             "by how much equals differ; by default " algorithms},                                           \
        [BENCH_SAMPLES] = {"--samples", 's', "N", "of each size and algorithm; 15 by default"},              \
        [BENCH_LIMIT] =                                                                                      \
            {"--limit", 0, "TIME",                                                                           \
             "an algorithm may take this long for a size, 60s by default: then that size has no\n"           \
             "further samples. A sample that alone takes as long ends the measurement"},                     \
        [BENCH_YIELD] =                                                                                      \
            {"--yield", 0, NULL,                                                                             \
             "let MPICH's ranks yield their core while they poll TCP in vain, as Open MPI's do\n"            \
             "with --mca mpi_yield_when_idle 1: for more ranks than cores"},                                 \
        [BENCH_JSON] = {"--json", 0, NULL,                                                                   \
                        "print one JSON object, every sample in it, instead of the table"},                  \
        [BENCH_OUT] = {                                                                                      \
            "--output",                                                                                      \
            'o',                                                                                             \
            "FILE",                                                                                          \
            path                                                                                             \
        }                                                                                                    \
    }

static const struct cli_option options[] =
    OPTIONS(BENCH_SIZES, BENCH_ALGORITHM_LIST, "write which algorithm won, for HELIO_COLL_TABLE");
static const struct cli_option tune_options[] =
    OPTIONS(TUNE_SIZES, TUNE_ALGORITHM_LIST, "the table for HELIO_COLL_TABLE");

static const struct cli_command command = {
    .name = "coll bench",
    .words = "-- LAUNCHER...",
    .doc = "Measures a collective on a real cluster: the MPI's default algorithm, the MPI's other algorithms "
           "when\n"
           "forced, and those of the preloaded library, in turns within one launch. The data of every sample "
           "is\n"
           "checked. A ratio compares samples taken one after the other; its median and 95 % interval are "
           "printed.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Examples:\n"
             "  helio coll bench --op allreduce --mpi openmpi -- mpirun -n 64\n"
             "  helio coll bench --mpi mpich -a mpi,mpi:brucks,leaders -- tools/cluster mpich 4 4\n\n"
             "docs/coll.md says what was measured.",
};

static const struct cli_command tune_command = {
    .name = "coll tune",
    .words = "-- LAUNCHER...",
    .doc = "Measures as `helio coll bench` does, and writes to --output which algorithm is best for each "
           "size:\n"
           "the best of those that the whole interval shows to be faster than the first, or else the MPI's "
           "own.\n"
           "In alltoallv, alltoallw, gatherv and scatterv the ranks do not know the size: the file gets one\n"
           "line for all sizes, or none if the best depends on the size.\n"
           "The library reads the file that HELIO_COLL_TABLE names.",
    .options = tune_options,
    .option_count = sizeof tune_options / sizeof *tune_options,
    .after = "Example:\n"
             "  helio coll tune --mpi openmpi -o table.txt -- mpirun -n 64\n"
             "  mpirun -n 64 -x HELIO_COLL_TABLE=$PWD/table.txt -x LD_PRELOAD=... ./program",
};

struct bench_request {
    enum coll_kind kind;
    const char *op, *mpi, *bytes, *algorithms, *samples, *limit, *path;
    bool yield, json;
    char **launcher;
    int launcher_count;
};

/* ---------------------------------------------------------------- launching */

/* What the launcher starts: the benchmark, with the library preloaded. */
struct bench_program {
    char *path, *libraries, *folders; /* the last two are assignments of env; folders may be NULL */
};

static void program_free(struct bench_program *program)
{
    free(program->path);
    free(program->libraries);
    free(program->folders);
}

static bool program_find(const char *mpi, struct bench_program *program)
{
    struct launch_preload preload;
    char *own = launch_own_folder(), *library = launch_library("coll", mpi);
    *program = (struct bench_program){.path = mem_format("%s/helio-coll-bench-%s", own, mpi)};
    free(own);
    bool is_there = library && access(program->path, X_OK) == 0;
    if (!is_there)
        diag_error("there is no %s, or not its library: they are built where %s is (helio doctor)",
                   program->path, mpi);
    bool can_load = is_there && launch_preload(library, &preload);
    free(library);
    if (!can_load)
        return false;
    program->libraries = mem_format("LD_PRELOAD=%s", preload.libraries);
    program->folders = preload.folders ? mem_format("LD_LIBRARY_PATH=%s", preload.folders) : NULL;
    launch_preload_free(&preload);
    return true;
}

static char **command_line(const struct bench_request *request, const struct bench_program *program,
                           char *limit)
{
    char **words = mem_alloc((size_t)request->launcher_count + 11, sizeof *words, "a command line");
    int count = 0;
    for (int i = 0; i < request->launcher_count; i++)
        words[count++] = request->launcher[i];
    words[count++] = "env";
    words[count++] = program->libraries;
    if (program->folders)
        words[count++] = program->folders;
    if (request->yield)
        words[count++] = (char *)(uintptr_t) "HELIO_BENCH_YIELD=1";
    words[count++] = program->path;
    words[count++] = (char *)(uintptr_t)request->op;
    words[count++] = (char *)(uintptr_t)request->bytes;
    words[count++] = (char *)(uintptr_t)request->algorithms;
    words[count++] = (char *)(uintptr_t)request->samples;
    words[count] = limit;
    return words;
}

static void pass_on(const char *line)
{
    progress_hide();
    fputs(line, stderr);
    progress_show();
}

static void report_late(const struct bench_request *request, const struct measured *measured)
{
    char size[64];
    if (measured->late_bytes == 0)
        diag_error(
            "the first call of %s by %s, in which the library reads its settings, has not ended within "
            "%s, so the measurement was ended; measure without this algorithm, or set a longer --limit",
            request->op, measured->late, request->limit);
    else
        diag_error(
            "a sample of %s of %s by %s has not ended within %s, so the measurement was ended; measure "
            "without this algorithm or size, or set a longer --limit",
            request->op, units_print_size(measured->late_bytes, size, sizeof size), measured->late,
            request->limit);
}

/* Lines that are not the program's come from the MPI; they are passed on to standard error. */
static enum status run_launcher(const struct bench_request *request, char **words, struct measured *measured)
{
    struct launch launch;
    struct file_line line = {.length = 0};
    if (!launch_start(&launch, words))
        return STATUS_FAILED;
    while (file_next_line(launch.lines, &line))
        if (!measured_read(measured, line.text))
            pass_on(line.text);
    free(line.text);
    launch_end(&launch);
    if (measured->is_done)
        return STATUS_OK;
    if (*measured->refused) {
        diag_error("%s", measured->refused);
        return STATUS_BAD_INPUT;
    }
    if (*measured->late) {
        report_late(request, measured);
        return STATUS_FAILED;
    }
    diag_error("the measurement did not come to its end; what its launcher said is above");
    return STATUS_FAILED;
}

/* ------------------------------------------------------------------- output */

static void print_table(const struct bench_request *request, const struct measured *measured)
{
    char size[64];
    printf("%s, %u rank%s on %u node%s; a call, median; times as fast as %s, median and 95 %% interval\n\n",
           request->op, measured->ranks, measured->ranks == 1 ? "" : "s", measured->nodes,
           measured->nodes == 1 ? "" : "s", measured->count ? measured->series[0].algorithm : "");
    printf("%-10s %-28s %12s %14s %8s %16s\n", "bytes", "algorithm", "us", "processor us", "ratio",
           "interval");
    for (size_t i = 0; i < measured->count; i++) {
        const struct measured_series *series = &measured->series[i];
        struct median_estimate ratio = measured_ratio(measured, series);
        printf("%-10s %-28s %12.1f %14.1f %8.2f %7.2f - %6.2f\n",
               units_print_size(series->bytes, size, sizeof size), series->algorithm,
               measured_median_ns(series) / 1e3, measured_median_processor_ns(series) / 1e3, ratio.median,
               ratio.low, ratio.high);
    }
}

enum { BENCH_DIGITS = 12 };

static json_t *series_json(const struct measured *measured, const struct measured_series *series)
{
    struct median_estimate ratio = measured_ratio(measured, series);
    json_t *object = json_make_object(), *samples = json_make_list();
    for (size_t i = 0; i < series->count; i++)
        json_add_number(samples, series->ns[i]);
    json_put_count(object, "bytes", series->bytes);
    json_put_text(object, "algorithm", series->algorithm);
    if (series->was_left)
        json_put_flag(object, "left_to_mpi", true);
    json_put_number(object, "median_ns", measured_median_ns(series));
    json_put_number(object, "processor_median_ns", measured_median_processor_ns(series));
    json_put_number(object, "ratio", ratio.median);
    json_put_number(object, "ratio_low", ratio.low);
    json_put_number(object, "ratio_high", ratio.high);
    json_put(object, "samples_ns", samples);
    return object;
}

static enum status print_json(const struct bench_request *request, const struct measured *measured)
{
    json_t *object = json_make_object(), *rows = json_make_list();
    for (size_t i = 0; i < measured->count; i++)
        json_add(rows, series_json(measured, &measured->series[i]));
    json_put_text(object, "schema", "helio-coll-bench-1");
    json_put_text(object, "collective", request->op);
    json_put_text(object, "cluster", measured->cluster);
    json_put_count(object, "nodes", measured->nodes);
    json_put_count(object, "ranks", measured->ranks);
    if (*measured->busy) {
        json_t *guards = json_make_list();
        json_add(guards, cli_guard_json("busy", !measured->is_busy, measured->busy));
        json_put(object, "guards", guards);
    }
    json_put(object, "results", rows);
    return cli_print_json(object, BENCH_DIGITS);
}

static void warn_of_limits(const struct bench_request *request, const struct measured *measured)
{
    char size[64];
    for (size_t i = 0; i < measured->count; i++) {
        const struct measured_series *series = &measured->series[i];
        if (series->was_slow)
            diag_warning("%s of %s has %zu of %s samples: %s has taken %s (--limit)", request->op,
                         units_print_size(series->bytes, size, sizeof size), series->count, request->samples,
                         series->algorithm, request->limit);
    }
}

static void warn_of_calls_left(const struct bench_request *request, const struct measured *measured)
{
    char size[64];
    for (size_t i = 0; i < measured->count; i++) {
        const struct measured_series *series = &measured->series[i];
        if (series->was_left)
            diag_warning("%s of %s: the library leaves the calls of %s to the MPI, whose time this is; "
                         "HELIO_VERBOSE=1 says why",
                         request->op, units_print_size(series->bytes, size, sizeof size), series->algorithm);
    }
}

static void warn_of_other_work(const struct measured *measured)
{
    if (measured->is_busy)
        diag_warning("guard busy: %s; times and their medians may be those of the other work. Ratios compare "
                     "samples taken one after the other, and may contradict them: measure again on a quiet "
                     "machine",
                     measured->busy);
}

/* Whether the calls are those of which no rank knows all blocks. The library has an exchange of its own for
 * them, and no schedules. */
static bool has_own_exchange(enum coll_kind kind)
{
    return kind == COLL_ALLTOALLV || kind == COLL_GATHERV || kind == COLL_SCATTERV;
}

static void write_choices(const struct bench_request *request, const struct measured *measured, FILE *file)
{
    if (!has_own_exchange(request->kind))
        measured_write_choices(measured, request->op, file);
    else if (!measured_write_choice_of_all(measured, request->op, file))
        diag_warning("the table has no line for %s: which way is faster depends on the size, which the ranks "
                     "do not know in such a call; auto goes on trying both",
                     request->op);
}

static enum status write_output(const struct bench_request *request, const struct measured *measured,
                                struct output *output)
{
    enum status status = STATUS_OK;
    if (output->file) {
        write_choices(request, measured, output->file);
        status = output_close(output, STATUS_OK);
    }
    warn_of_limits(request, measured);
    warn_of_calls_left(request, measured);
    warn_of_other_work(measured);
    if (!request->json)
        print_table(request, measured);
    else if (print_json(request, measured) != STATUS_OK)
        return STATUS_FAILED;
    return status;
}

/* ------------------------------------------------------------------ reading */

/* "1,64,1KiB" as "1,64,1024", to be freed; NULL: reported. */
static char *plain_sizes(const char *text)
{
    char *words = mem_text(text), *rest = words, *plain = mem_text("");
    for (char *word; plain && (word = strsep(&rest, ","));) {
        uint64_t bytes;
        char *longer = NULL;
        if (!cli_value_bytes("--bytes", word, &bytes)) {
            free(plain);
            plain = NULL;
            break;
        }
        if (bytes == 0 || bytes > (UINT64_C(1) << 24))
            diag_error("--bytes: a block has 1 B to 16 MiB, not %s", word);
        else
            longer = mem_format("%s%s%llu", plain, *plain ? "," : "", (unsigned long long)bytes);
        free(plain);
        plain = longer;
    }
    free(words);
    return plain;
}

static int read_arguments(const struct cli_command *asked, int argc, char **argv,
                          struct bench_request *request)
{
    struct cli_reader reader = {.command = asked, .argc = argc, .argv = argv, .next = 1};
    const char *value,
        **fields[] = {[BENCH_OP] = &request->op,           [BENCH_MPI] = &request->mpi,
                      [BENCH_BYTES] = &request->bytes,     [BENCH_ALGORITHMS] = &request->algorithms,
                      [BENCH_SAMPLES] = &request->samples, [BENCH_LIMIT] = &request->limit,
                      [BENCH_OUT] = &request->path};
    for (int found; (found = cli_read(&reader, &value)) != CLI_END;) {
        if (found == CLI_HELP || found == CLI_ERROR)
            return found;
        if (found == CLI_WORD) { /* the launcher, options and all */
            request->launcher = argv + reader.next - 1;
            request->launcher_count = argc - reader.next + 1;
            break;
        }
        if (found - CLI_OPTION == BENCH_JSON)
            request->json = true;
        else if (found - CLI_OPTION == BENCH_YIELD)
            request->yield = true;
        else
            *fields[found - CLI_OPTION] = value;
    }
    return CLI_END;
}

/* Whether the preloaded library replaces the collective. */
static bool is_measured(enum coll_kind kind)
{
    return kind != COLL_SCAN && kind != COLL_EXSCAN;
}

/* Whether the library has an algorithm of this name for the collective; reported. In calls of which no rank
 * knows all blocks it has one. */
static bool is_algorithm(enum coll_kind kind, const char *op, const char *name)
{
    const bool is_vector = has_own_exchange(kind);
    if (measured_is_of_mpi(name) || !strcmp(name, "auto"))
        return true;
    if (is_vector && strcmp(name, "leaders") == 0)
        return true;
    if (!is_vector)
        return coll_kind_algorithm(kind == COLL_ALLGATHERV ? COLL_ALLGATHER : kind, name);
    diag_error(
        "--algorithms: of %s the library has auto and leaders, not '%s'; mpi is the MPI's own, mpi:NAME "
        "one of its algorithms",
        op, name);
    return false;
}

/* Series have the names of their algorithms, so each is there once; else reported. */
static bool is_named_once(const char *list, const char *name)
{
    char *words = mem_text(list), *rest = words;
    int times = 0;
    for (char *word; (word = strsep(&rest, ","));)
        times += !strcmp(word, name);
    free(words);
    if (times > 1)
        diag_error("--algorithms names %s %d times; to compare the MPI's default with itself name control",
                   name, times);
    return times == 1;
}

static bool check_algorithms(const struct bench_request *request)
{
    char *words = mem_text(request->algorithms), *rest = words;
    bool is_right = true;
    for (char *name; is_right && (name = strsep(&rest, ","));)
        is_right = is_algorithm(request->kind, request->op, name) && is_named_once(request->algorithms, name);
    if (is_right && request->path && strcmp(words, "mpi")) {
        diag_error(
            "-o: a table says what is faster than the MPI's default: --algorithms begins with mpi then, "
            "not with %s",
            words);
        is_right = false;
    }
    free(words);
    return is_right;
}

/* Whole seconds, which the program gives to alarm(). */
static bool read_limit(const char *text, uint64_t *seconds)
{
    struct units_problem problem;
    ps_t limit_ps;
    if (!units_time(text, &limit_ps, &problem))
        diag_error("--limit: %s", problem.text);
    else if (limit_ps < PS_PER_S || limit_ps > 24 * 3600 * PS_PER_S)
        diag_error("--limit is a time from 1s to 24h, not %s", text);
    else {
        *seconds = (uint64_t)((limit_ps + PS_PER_S - 1) / PS_PER_S);
        return true;
    }
    return false;
}

static bool check_request(const struct cli_command *asked, struct bench_request *request)
{
    struct units_problem problem;
    uint64_t samples;
    if (!coll_function_read(request->op, &request->kind))
        return false;
    if (!is_measured(request->kind))
        diag_error("--op: %s is not measured", request->op);
    else if (!request->launcher)
        diag_error("helio %s needs a launcher behind --, such as -- mpirun -n 16", asked->name);
    else if (asked == &tune_command && !request->path)
        diag_error("helio coll tune needs a file to write, as in -o table.txt");
    else if (!request->mpi || (strcmp(request->mpi, "openmpi") && strcmp(request->mpi, "mpich")))
        diag_error("--mpi is openmpi or mpich%s%s", request->mpi ? ", not " : "",
                   request->mpi ? request->mpi : "");
    else if (request->yield && strcmp(request->mpi, "mpich"))
        diag_error("--yield is for mpich; Open MPI yields with --mca mpi_yield_when_idle 1");
    else if (!units_count(request->samples, &samples, &problem) || samples < 1 || samples > 100000)
        diag_error("--samples is a number from 1 to 100000, not %s", request->samples);
    else
        return check_algorithms(request);
    return false;
}

static int measure(const struct cli_command *asked, int argc, char **argv, struct bench_request request)
{
    struct measured measured = {.is_done = false};
    const char *default_sizes = request.bytes;
    uint64_t limit_s;
    int found = read_arguments(asked, argc, argv, &request);
    if (found != CLI_END)
        return cli_status(found);
    if (!check_request(asked, &request) || !read_limit(request.limit, &limit_s))
        return STATUS_BAD_INPUT;
    if (request.kind == COLL_BARRIER && request.bytes == default_sizes)
        request.bytes = "1"; /* a barrier has no bytes, and so one size */
    struct bench_program program = {.path = NULL};
    struct output output = {.file = NULL}; /* opened before the measurement, which may take long */
    char *sizes = plain_sizes(request.bytes);
    enum status status = STATUS_BAD_INPUT;
    if (sizes && program_find(request.mpi, &program))
        status = request.path ? output_open(&output, request.path) : STATUS_OK;
    if (status == STATUS_OK) {
        request.bytes = sizes;
        char *limit = mem_format("%llu", (unsigned long long)limit_s);
        char **words = command_line(&request, &program, limit);
        status = run_launcher(&request, words, &measured);
        free(words);
        free(limit);
    }
    if (status == STATUS_OK)
        status = write_output(&request, &measured, &output);
    output_close(&output, STATUS_FAILED);
    free(sizes);
    program_free(&program);
    measured_free(&measured);
    return status == STATUS_OK ? standard_flush() : status;
}

int cli_coll_bench(int argc, char **argv)
{
    return measure(&command, argc, argv,
                   (struct bench_request){.op = "alltoall",
                                          .bytes = BENCH_SIZES,
                                          .algorithms = BENCH_ALGORITHM_LIST,
                                          .samples = "15",
                                          .limit = "60s"});
}

int cli_coll_tune(int argc, char **argv)
{
    return measure(&tune_command, argc, argv,
                   (struct bench_request){.op = "alltoall",
                                          .bytes = TUNE_SIZES,
                                          .algorithms = TUNE_ALGORITHM_LIST,
                                          .samples = "15",
                                          .limit = "60s"});
}
