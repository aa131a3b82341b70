#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/output.h"
#include "base/stats.h"
#include "base/units.h"
#include "cli/alltoall.h"
#include "cli/options.h"
#include "cli/print.h"

/* `bench` and `tune`: a program of the MPI's measures, in one launch and in turns (live/alltoall/bench.c);
 * here it is started, and its samples become medians and a table of choices. */

enum bench_option {
    BENCH_MPI,
    BENCH_BYTES,
    BENCH_ALGORITHMS,
    BENCH_SAMPLES,
    BENCH_YIELD,
    BENCH_JSON,
    BENCH_OUT
};

static const struct cli_option options[] = {
    [BENCH_MPI] = {"--mpi", 'm', "NAME", "of the launcher: openmpi or mpich"},
    [BENCH_BYTES] = {"--bytes", 'b', "LIST", "block sizes: 1,64,1KiB,16KiB (the default)"},
    [BENCH_ALGORITHMS] =
        {"--algorithms", 'a', "LIST",
         "the first is what the others are compared with; mpi is the MPI's default, mpi:NAME\n"
         "one of its own by force; by default mpi,leaders,v2,v3"},
    [BENCH_SAMPLES] = {"--samples", 's', "N", "of each size and algorithm; 15 by default"},
    [BENCH_YIELD] = {"--yield", 0, NULL,
                     "let MPICH's ranks give their core up when they poll TCP in vain, as Open MPI's do\n"
                     "with --mca mpi_yield_when_idle 1: for more ranks than cores"},
    [BENCH_JSON] = {"--json", 0, NULL, "print one JSON object, every sample in it, instead of the table"},
    [BENCH_OUT] = {"--output", 'o', "FILE", "write which algorithm won, for HELIO_ALLTOALL_TABLE"},
};

static const struct cli_command command = {
    .name = "alltoall bench",
    .words = "-- LAUNCHER...",
    .doc = "Measures MPI_Alltoall on a real cluster: the MPI's default beside the preloaded library's "
           "algorithms\n"
           "and the MPI's own by force, in turns within one launch, every sample's data checked. Ratios are "
           "those\n"
           "of samples taken one after the other; their median, and the interval that holds it at 95 %.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Examples:\n"
             "  helio alltoall bench --mpi openmpi -- mpirun -n 64\n"
             "  helio alltoall bench --mpi mpich -a mpi,mpi:brucks,leaders -- tools/cluster mpich 4 4\n\n"
             "docs/alltoall.md says what was measured.",
};

static const struct cli_command tune_command = {
    .name = "alltoall tune",
    .words = "-- LAUNCHER...",
    .doc =
        "Measures as `helio alltoall bench` does, and writes to --output which algorithm was best for each\n"
        "size: one that the whole interval says is faster than the first, or else the MPI's own. The "
        "library\n"
        "reads the file that HELIO_ALLTOALL_TABLE names.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Example:\n"
             "  helio alltoall tune --mpi openmpi -o table.txt -- mpirun -n 64\n"
             "  mpirun -n 64 -x HELIO_ALLTOALL_TABLE=$PWD/table.txt -x LD_PRELOAD=... ./program",
};

struct request {
    const char *mpi, *bytes, *algorithms, *samples, *path;
    bool yield, json;
    char **launcher;
    int launcher_count;
};

struct cell {
    uint64_t bytes;
    char algorithm[48];
    double *ns, *processor_ns;
    size_t count, ns_capacity, processor_capacity;
};

struct results {
    char cluster[128]; /* "4 16 4 Open MPI v4.1.4" */
    unsigned nodes, ranks, most;
    struct cell *cells;
    size_t count, capacity;
    bool done;
};

/* --------------------------------------------------------------------------------------------- statistics */

static double median_of(const double *values, size_t count)
{
    double *sorted = mem_alloc(count, sizeof *sorted, "samples");
    memcpy(sorted, values, count * sizeof *sorted);
    stats_sort(sorted, count);
    double median = stats_median(sorted, count);
    free(sorted);
    return median;
}

/* How many times as fast as the first algorithm of its size, turn by turn. */
static struct median_estimate ratio_of(const struct cell *first, const struct cell *cell)
{
    size_t count = first->count < cell->count ? first->count : cell->count;
    double *ratios = mem_alloc(count, sizeof *ratios, "ratios");
    for (size_t i = 0; i < count; i++)
        ratios[i] = first->ns[i] / cell->ns[i];
    stats_sort(ratios, count);
    struct median_estimate estimate = stats_estimate_median(ratios, count);
    free(ratios);
    return estimate;
}

/* ------------------------------------------------------------------------------------------------- reading
 */

static struct cell *cell_of(struct results *results, uint64_t bytes, const char *algorithm)
{
    for (size_t i = 0; i < results->count; i++)
        if (results->cells[i].bytes == bytes && !strcmp(results->cells[i].algorithm, algorithm))
            return &results->cells[i];
    results->cells = mem_grow(results->cells, &results->capacity, results->count + 1, "results");
    struct cell *cell = &results->cells[results->count++];
    *cell = (struct cell){.bytes = bytes};
    snprintf(cell->algorithm, sizeof cell->algorithm, "%s", algorithm);
    return cell;
}

/* Lines that are not the program's are what MPIs say; they are handed on. */
static void read_line(struct results *results, const char *line)
{
    unsigned long long bytes;
    char algorithm[48];
    double ns, processor_ns;
    if (sscanf(line, "sample %llu %47s %lf %lf", &bytes, algorithm, &ns, &processor_ns) == 4) {
        struct cell *cell = cell_of(results, bytes, algorithm);
        cell->ns = mem_grow(cell->ns, &cell->ns_capacity, cell->count + 1, "samples");
        cell->processor_ns =
            mem_grow(cell->processor_ns, &cell->processor_capacity, cell->count + 1, "samples");
        cell->ns[cell->count] = ns;
        cell->processor_ns[cell->count++] = processor_ns;
    } else if (sscanf(line, "cluster %u %u %u", &results->nodes, &results->ranks, &results->most) == 3) {
        snprintf(results->cluster, sizeof results->cluster, "%.*s", (int)strcspn(line + 8, "\n"), line + 8);
    } else if (!strcmp(line, "done\n")) {
        results->done = true;
    } else {
        fputs(line, stderr);
    }
}

static void free_results(struct results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        free(results->cells[i].ns);
        free(results->cells[i].processor_ns);
    }
    free(results->cells);
}

/* ------------------------------------------------------------------------------------------------ launching
 */

/* The file beside this program, in `folder` of the same tree. */
static bool find_part(const char *folder, const char *prefix, const char *mpi, const char *suffix,
                      char **path)
{
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return false;
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    *path = mem_format("%s/../%s/%s%s%s", program, folder, prefix, mpi, suffix);
    if (access(*path, R_OK) == 0)
        return true;
    diag_error("there is no %s: it is built where %s is (helio doctor)", *path, mpi);
    free(*path);
    *path = NULL;
    return false;
}

static char **command_line(const struct request *request, char *preload, char *program)
{
    char **words = mem_alloc((size_t)request->launcher_count + 8, sizeof *words, "a command line");
    int count = 0;
    for (int i = 0; i < request->launcher_count; i++)
        words[count++] = request->launcher[i];
    words[count++] = "env";
    words[count++] = preload;
    if (request->yield)
        words[count++] = (char *)(uintptr_t) "HELIO_BENCH_YIELD=1";
    words[count++] = program;
    words[count++] = (char *)(uintptr_t)request->bytes;
    words[count++] = (char *)(uintptr_t)request->algorithms;
    words[count] = (char *)(uintptr_t)request->samples;
    return words;
}

static enum status run(char **words, struct results *results)
{
    int ends[2], state;
    if (pipe(ends) != 0) {
        diag_error("no pipe to the launcher: %s", strerror(errno));
        return STATUS_FAILED;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execvp(words[0], words);
        fprintf(stderr, "helio: error: cannot start '%s': %s\n", words[0], strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    FILE *lines = child > 0 ? fdopen(ends[0], "r") : NULL;
    char *line = NULL;
    size_t room = 0;
    while (lines && getline(&line, &room, lines) >= 0)
        read_line(results, line);
    free(line);
    if (lines)
        fclose(lines);
    if (child < 0 || waitpid(child, &state, 0) < 0 || !results->done) {
        diag_error("the measurement did not come to its end; what its launcher said is above");
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

/* -------------------------------------------------------------------------------------------------- output
 */

static const struct cell *first_of(const struct results *results, const struct cell *cell)
{
    const struct cell *first = results->cells;
    while (first->bytes != cell->bytes)
        first++;
    return first;
}

static void print_table(const struct results *results)
{
    char size[64];
    printf("%u ranks on %u nodes; a call, median; times as fast as %s, median and 95 %% interval\n\n",
           results->ranks, results->nodes, results->count ? results->cells[0].algorithm : "");
    printf("%-10s %-28s %12s %14s %8s %16s\n", "bytes", "algorithm", "us", "processor us", "ratio",
           "interval");
    for (size_t i = 0; i < results->count; i++) {
        const struct cell *cell = &results->cells[i];
        struct median_estimate ratio = ratio_of(first_of(results, cell), cell);
        printf("%-10s %-28s %12.1f %14.1f %8.2f %7.2f - %6.2f\n",
               units_print_size(cell->bytes, size, sizeof size), cell->algorithm,
               median_of(cell->ns, cell->count) / 1e3, median_of(cell->processor_ns, cell->count) / 1e3,
               ratio.median, ratio.low, ratio.high);
    }
}

static json_t *json_of(const struct results *results, const struct cell *cell)
{
    struct median_estimate ratio = ratio_of(first_of(results, cell), cell);
    json_t *samples = json_array();
    for (size_t i = 0; i < cell->count; i++)
        json_array_append_new(samples, json_real(cell->ns[i]));
    return json_pack("{s:I, s:s, s:f, s:f, s:f, s:f, s:f, s:o}", "bytes", (json_int_t)cell->bytes,
                     "algorithm", cell->algorithm, "median_ns", median_of(cell->ns, cell->count),
                     "processor_median_ns", median_of(cell->processor_ns, cell->count), "ratio", ratio.median,
                     "ratio_low", ratio.low, "ratio_high", ratio.high, "samples_ns", samples);
}

static enum status print_json(const struct results *results)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < results->count; i++)
        json_array_append_new(rows, json_of(results, &results->cells[i]));
    json_t *object = json_pack("{s:s, s:s, s:I, s:I, s:o}", "schema", "helio-alltoall-bench-1", "cluster",
                               results->cluster, "nodes", (json_int_t)results->nodes, "ranks",
                               (json_int_t)results->ranks, "results", rows);
    int failed = !object || json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(object);
    putchar('\n');
    if (failed)
        diag_error("cannot write JSON to standard output");
    return failed ? STATUS_FAILED : STATUS_OK;
}

/* The best of each size, if it is surely better than the first algorithm; else the MPI. */
static void write_choices(const struct results *results, FILE *file)
{
    fprintf(file,
            "# nodes, ranks of the largest node, bytes from which on: algorithm (helio alltoall bench; %s)\n",
            results->cluster);
    for (size_t i = 0; i < results->count; i++) {
        const struct cell *first = first_of(results, &results->cells[i]), *best = first;
        double best_ratio = 1;
        if (first != &results->cells[i])
            continue;
        for (size_t j = i; j < results->count; j++) {
            const struct cell *cell = &results->cells[j];
            if (cell->bytes != first->bytes || !strncmp(cell->algorithm, "mpi", 3))
                continue;
            struct median_estimate ratio = ratio_of(first, cell);
            if (ratio.low > 1 && ratio.median > best_ratio) {
                best = cell;
                best_ratio = ratio.median;
            }
        }
        fprintf(file, "%u %u %llu %s\n", results->nodes, results->most, (unsigned long long)first->bytes,
                best == first ? "mpi" : best->algorithm);
    }
}

static enum status write_output(const struct request *request, const struct results *results)
{
    enum status status = STATUS_OK;
    struct output output;
    if (request->path) {
        status = output_open(&output, request->path);
        if (status == STATUS_OK) {
            write_choices(results, output.file);
            status = output_close(&output, STATUS_OK);
        }
    }
    if (status == STATUS_OK && request->json)
        status = print_json(results);
    else if (status == STATUS_OK)
        print_table(results);
    return status;
}

/* ------------------------------------------------------------------------------------------------- reading
 */

/* "1,64,1KiB" as "1,64,1024", to be freed; NULL: reported. */
static char *plain_sizes(const char *text)
{
    char *words = mem_text(text), *rest = words, *plain = mem_text("");
    for (char *word; plain && (word = strsep(&rest, ","));) {
        struct units_problem problem;
        uint64_t bytes;
        char *longer = NULL;
        if (!units_count(word, &bytes, &problem) && !units_size(word, &bytes, &problem))
            diag_error("--bytes: %s", problem.text);
        else if (bytes == 0 || bytes > (UINT64_C(1) << 24))
            diag_error("--bytes: a block has 1 B to 16 MiB, not %s", word);
        else
            longer = mem_format("%s%s%llu", plain, *plain ? "," : "", (unsigned long long)bytes);
        free(plain);
        plain = longer;
    }
    free(words);
    return plain;
}

static int read_arguments(const struct cli_command *asked, int argc, char **argv, struct request *request)
{
    struct cli_reader reader = {.command = asked, .argc = argc, .argv = argv, .next = 1};
    const char *value;
    for (int found; (found = cli_read(&reader, &value)) != CLI_END;) {
        const char **fields[] = {[BENCH_MPI] = &request->mpi,
                                 [BENCH_BYTES] = &request->bytes,
                                 [BENCH_ALGORITHMS] = &request->algorithms,
                                 [BENCH_SAMPLES] = &request->samples,
                                 [BENCH_OUT] = &request->path};
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
    struct units_problem problem;
    uint64_t samples;
    if (!request->launcher)
        diag_error("helio %s needs a launcher behind --, such as -- mpirun -n 16", asked->name);
    else if (asked == &tune_command && !request->path)
        diag_error("helio alltoall tune needs a file to write, as in -o table.txt");
    else if (!request->mpi || (strcmp(request->mpi, "openmpi") && strcmp(request->mpi, "mpich")))
        diag_error("--mpi is openmpi or mpich%s%s", request->mpi ? ", not " : "",
                   request->mpi ? request->mpi : "");
    else if (request->yield && strcmp(request->mpi, "mpich"))
        diag_error("--yield is for mpich; Open MPI yields with --mca mpi_yield_when_idle 1");
    else if (!units_count(request->samples, &samples, &problem) || samples < 1 || samples > 100000)
        diag_error("--samples is a number from 1 to 100000, not %s", request->samples);
    else
        return CLI_END;
    return CLI_ERROR;
}

static int measure(const struct cli_command *asked, int argc, char **argv, struct request request)
{
    struct results results = {.done = false};
    int found = read_arguments(asked, argc, argv, &request);
    if (found != CLI_END)
        return found == CLI_HELP ? STATUS_OK : STATUS_BAD_INPUT;
    char *sizes = plain_sizes(request.bytes), *library = NULL, *program = NULL;
    enum status status = STATUS_BAD_INPUT;
    if (sizes && find_part("lib", "libhelio_alltoall_", request.mpi, ".so", &library) &&
        find_part("bin", "helio-alltoall-bench-", request.mpi, "", &program)) {
        request.bytes = sizes;
        char *preload = mem_format("LD_PRELOAD=%s", library);
        char **words = command_line(&request, preload, program);
        status = run(words, &results);
        free(words);
        free(preload);
    }
    if (status == STATUS_OK)
        status = write_output(&request, &results);
    free(sizes);
    free(library);
    free(program);
    free_results(&results);
    return status == STATUS_OK ? cli_flush() : status;
}

int cli_alltoall_bench(int argc, char **argv)
{
    return measure(
        &command, argc, argv,
        (struct request){.bytes = "1,64,1KiB,16KiB", .algorithms = "mpi,leaders,v2,v3", .samples = "15"});
}

int cli_alltoall_tune(int argc, char **argv)
{
    return measure(&tune_command, argc, argv,
                   (struct request){.bytes = "1,8,64,256,1KiB,4KiB,16KiB,64KiB",
                                    .algorithms = "mpi,leaders,v2,v3,khorassani",
                                    .samples = "15"});
}
