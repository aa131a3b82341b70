#include "cli/calibrate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/tracer.h"
#include "cli/values.h"
#include "output/output.h"
#include "output/standard.h"
#include "report/calibrate_page.h"

/* `helio calibrate` starts a program of the MPI (live/calibrate), or reads what it has printed elsewhere, and
 * makes a machine file of it (src/calibrate). */

enum calibrate_option {
    CALIBRATE_OUTPUT,
    CALIBRATE_MPI,
    CALIBRATE_FROM,
    CALIBRATE_ROUNDS,
    CALIBRATE_LARGEST,
    CALIBRATE_CHECK,
    CALIBRATE_MACHINE,
    CALIBRATE_FABRIC,
    CALIBRATE_RUNS,
    CALIBRATE_FORCE,
    CALIBRATE_JSON,
    CALIBRATE_HTML
};

static const char *name_at(size_t option, size_t index)
{
    return option == CALIBRATE_MPI ? tracer_mpis[index] : NULL;
}

static const struct cli_option options[] = {
    [CALIBRATE_OUTPUT] = {"--output", 'o', "FILE.yaml", "the machine file to write"},
    [CALIBRATE_MPI] = {"--mpi", 0, "NAME", "the MPI, where its launcher does not show it; NAME is one of"},
    [CALIBRATE_FROM] =
        {"--from", 'f', "FILE",
         "no measurement: what helio-calibrate-openmpi or -mpich printed elsewhere, and behind it what\n"
         "helio-choices-openmpi or -mpich did"},
    [CALIBRATE_ROUNDS] = {"--rounds", 0, "N", "samples of each quantity, from 5 to 1000; 21 by default"},
    [CALIBRATE_LARGEST] = {"--largest", 0, "SIZE",
                           "the largest message, from 64 KiB to 256 MiB; 4 MiB by default"},
    [CALIBRATE_CHECK] =
        {"--check", 0, NULL,
         "no measurement of the machine: the program behind -- is run, then captured and replayed\n"
         "on --machine, and its time is compared with the forecast"},
    [CALIBRATE_MACHINE] = {"--machine", 0, "NAME|FILE.yaml", "with --check: the machine of the forecast"},
    [CALIBRATE_FABRIC] = {"--fabric", 0, "NAME",
                          "with --check: the network of the forecast; packet by default"},
    [CALIBRATE_RUNS] = {"--runs", 0, "N", "with --check: runs of the program, from 1 to 1000; 7 by default"},
    [CALIBRATE_FORCE] = {"--force", 0, NULL,
                         "write the file, or print the comparison, although a guard has failed; marked"},
    [CALIBRATE_JSON] = {"--json", 0, NULL, "print one JSON object instead of the tables"},
    [CALIBRATE_HTML] =
        {"--html", 0, "FILE.html",
         "also write a page with the times by size and the lines through them, or with --check with the\n"
         "forecast beside the measured times; also if a guard has failed"},
};

static const struct cli_command command = {
    .name = "calibrate",
    .words = "-o FILE.yaml -- LAUNCHER... | --check --machine FILE.yaml -- LAUNCHER... PROGRAM...",
    .doc =
        "Measures the machine on which the launcher starts ranks, and writes it as a machine file: latency,\n"
        "rate, overheads, gap, protocol, contention, copies. The ranks work in pairs, between the first two\n"
        "nodes and within the first. Then the messages of collectives are counted, which shows their\n"
        "algorithms. Exit status 1: a guard has failed, and nothing is written.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Examples:\n"
             "  helio calibrate -o machine.yaml -- mpirun -n 2 --map-by node\n"
             "  helio calibrate --mpi mpich -o machine.yaml -- srun -n 8 -N 2\n"
             "  helio machine check machine.yaml; helio run ... --machine machine.yaml\n"
             "  helio calibrate --check --machine machine.yaml -- mpirun -n 8 ./program\n\n"
             "docs/calibrate.md says how to use it, docs/models/calibrate.md how it is done.",
    .name_at = name_at,
};

struct calibrate_request {
    const char *output, *mpi, *from, *html;
    uint64_t rounds, largest;
    const char *machine, *fabric;
    uint64_t runs;
    bool check, force, json;
    char **launcher;
    int launcher_count;
};

/* ---------------------------------------------------------------- measuring */

static void pass_on(const char *line)
{
    progress_hide();
    fprintf(stderr, "%s\n", line);
    progress_show();
}

/* The program helio-NAME-MPI, to be freed. NULL: reported. */
static char *find_program(const char *name, const char *mpi)
{
    char *own = launch_own_folder(), *path = mem_format("%s/helio-%s-%s", own, name, mpi);
    free(own);
    if (access(path, X_OK) == 0)
        return path;
    diag_error("there is no %s: it is built where %s is (helio doctor)", path, mpi);
    free(path);
    return NULL;
}

/* What was measured, and what of it was counted. */
struct found {
    struct calibrate_samples samples;
    struct choices choices;
};

/* Starts the program helio-NAME-MPI under the launcher. False: reported. */
static bool start(const struct calibrate_request *request, const char *name, const char *mpi,
                  char *const *arguments, struct launch *launch)
{
    char *program = find_program(name, mpi);
    size_t count = 0;
    if (!program)
        return false;
    while (arguments[count])
        count++;
    char **words = mem_alloc((size_t)request->launcher_count + count + 2, sizeof *words, "a command line");
    memcpy(words, request->launcher, (size_t)request->launcher_count * sizeof *words);
    words[request->launcher_count] = program;
    memcpy(words + request->launcher_count + 1, arguments, count * sizeof *words);
    bool is_started = launch_start(launch, words);
    free(words);
    free(program);
    return is_started;
}

/* A measurement without choices is a measurement, so nothing that happens here ends the calibration. */
static void count_choices(const struct calibrate_request *request, const char *mpi, char *largest,
                          struct choices *choices)
{
    struct launch launch;
    enum status status = STATUS_FAILED;
    if (start(request, "choices", mpi, (char *[]){largest, NULL}, &launch)) {
        status = choices_read(choices, launch.lines, request->launcher[0], 0, pass_on);
        launch_end(&launch);
    }
    if (status == STATUS_OK && choices->is_there)
        return;
    diag_warning(
        "which algorithms the collectives are was not found, and mpi.tuning is by the name of the MPI");
    choices_free(choices);
    choices->is_there = false;
}

static enum status measure(const struct calibrate_request *request, struct found *found)
{
    const char *mpi = request->mpi ? request->mpi : tracer_mpi_of(request->launcher[0]);
    char rounds[32], largest[32];
    struct launch launch;
    if (!mpi) {
        diag_error("the MPI of '%s' cannot be seen from its name; say --mpi openmpi or --mpi mpich",
                   request->launcher[0]);
        return STATUS_BAD_INPUT;
    }
    snprintf(rounds, sizeof rounds, "%llu", (unsigned long long)request->rounds);
    snprintf(largest, sizeof largest, "%llu", (unsigned long long)request->largest);
    if (!start(request, "calibrate", mpi, (char *[]){rounds, largest, NULL}, &launch))
        return STATUS_FAILED;
    enum status status = calibrate_read(&found->samples, launch.lines, request->launcher[0], pass_on);
    launch_end(&launch);
    if (status == STATUS_OK)
        count_choices(request, mpi, largest, &found->choices);
    return status;
}

/* What both programs have printed elsewhere; the second may be missing. */
static enum status read_file(const char *path, struct found *found)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        diag_error("cannot read %s: %s", path, strerror(errno));
        return STATUS_BAD_INPUT;
    }
    enum status status = calibrate_read(&found->samples, file, path, NULL);
    if (status == STATUS_OK)
        status = choices_read(&found->choices, file, path, found->samples.lines, NULL);
    fclose(file);
    if (status != STATUS_OK || !found->choices.is_there ||
        strcmp(found->samples.mpi, found->choices.mpi) == 0)
        return status;
    diag_error("%s: times are of %s, choices of %s; both must be of one MPI", path, found->samples.mpi,
               found->choices.mpi);
    return STATUS_BAD_INPUT;
}

/* ------------------------------------------------------------------ writing */

static bool has_entry(const struct calibrate_entries *entries, const char *param)
{
    for (size_t i = 0; i < entries->count; i++)
        if (entries->list[i].value && strcmp(entries->list[i].name, param) == 0)
            return true;
    return false;
}

static void report_guards(const struct calibrate_samples *samples)
{
    for (size_t i = 0; i < samples->guard_count; i++)
        if (!samples->guards[i].passed)
            diag_error("the measurement is not sound: guard %s: %s", samples->guards[i].name,
                       samples->guards[i].reason);
}

static enum status write_file(const struct calibrate_request *request,
                              const struct calibrate_samples *samples, const struct calibration *calibration,
                              const struct calibrate_entries *entries)
{
    struct output output;
    if (!has_entry(entries, "nic.rate")) {
        diag_error("%s is not written: no rate was found, without which there is no machine",
                   request->output);
        return STATUS_FAILED;
    }
    enum status status = output_open(&output, request->output);
    if (status != STATUS_OK)
        return status;
    calibrate_write(samples, calibration, entries, output.file);
    status = output_close(&output, STATUS_OK);
    if (status == STATUS_OK)
        diag_note("%s: a machine file; helio machine check %s shows what fabrics derive from it",
                  request->output, request->output);
    return status;
}

static void report_choices(const struct choices *choices)
{
    for (size_t i = 0; i < choices->count; i++) {
        const struct choice_call *call = &choices->calls[i];
        const char *name = coll_kind_name(call->kind), *form = call->block ? "_block" : "";
        if (choice_is_lost(choices, call))
            diag_warning("%s%s of %u ranks has another algorithm than the machine file says "
                         "(choices.%s%s.%u-ranks)",
                         name, form, call->ranks, name, form, call->ranks);
    }
}

/* Prints the calibration and writes its file. */
static enum status finish(const struct calibrate_request *request, const struct found *found,
                          const struct calibration *calibration)
{
    const struct calibrate_samples *samples = &found->samples;
    struct calibrate_entries entries;
    enum status status = STATUS_OK;
    calibrate_list(samples, calibration, &entries);
    choices_list(&found->choices, &entries);
    report_choices(&found->choices);
    if (request->json)
        status = calibrate_print_json(samples, calibration, &found->choices, &entries);
    else
        calibrate_print(samples, calibration, &entries);
    if (status == STATUS_OK)
        status = standard_flush();
    if (status == STATUS_OK && request->html)
        status = calibrate_page_save(request->html, "Calibration",
                                     calibrate_json(samples, calibration, &found->choices, &entries, NULL));
    if (!calibration->is_sound)
        report_guards(samples);
    if (status == STATUS_OK && !calibration->is_sound && !request->force) {
        diag_note("measure again on a quiet machine; nothing is written without --force");
        status = STATUS_FAILED;
    }
    if (status == STATUS_OK && request->output)
        status = write_file(request, samples, calibration, &entries);
    calibrate_free_entries(&entries);
    return status;
}

/* ---------------------------------------------------------------- arguments */

static bool take_rounds(struct calibrate_request *request, const char *value)
{
    struct units_problem problem;
    if (units_count(value, &request->rounds, &problem) && request->rounds >= 5 && request->rounds <= 1000)
        return true;
    diag_error("--rounds is a number from 5 to 1000, not %s", value);
    return false;
}

static bool take_runs(struct calibrate_request *request, const char *value)
{
    struct units_problem problem;
    if (units_count(value, &request->runs, &problem) && request->runs >= 1 && request->runs <= 1000)
        return true;
    diag_error("--runs is a number from 1 to 1000, not %s", value);
    return false;
}

static bool take_largest(struct calibrate_request *request, const char *value)
{
    if (!cli_value_bytes("--largest", value, &request->largest))
        return false;
    if (request->largest >= 1 << 16 && request->largest <= 1 << 28)
        return true;
    diag_error("--largest is a size from 64 KiB to 256 MiB, not %s", value);
    return false;
}

static bool take(struct calibrate_request *request, enum calibrate_option option, const char *value)
{
    switch (option) {
    case CALIBRATE_OUTPUT:
        request->output = value;
        return true;
    case CALIBRATE_MPI:
        request->mpi = value;
        return tracer_take_mpi(value);
    case CALIBRATE_FROM:
        request->from = value;
        return true;
    case CALIBRATE_ROUNDS:
        return take_rounds(request, value);
    case CALIBRATE_LARGEST:
        return take_largest(request, value);
    case CALIBRATE_CHECK:
        request->check = true;
        return true;
    case CALIBRATE_MACHINE:
        request->machine = value;
        return true;
    case CALIBRATE_FABRIC:
        request->fabric = value;
        return true;
    case CALIBRATE_RUNS:
        return take_runs(request, value);
    case CALIBRATE_FORCE:
        request->force = true;
        return true;
    case CALIBRATE_JSON:
        request->json = true;
        return true;
    case CALIBRATE_HTML:
        request->html = value;
        return true;
    }
    return false;
}

/* Whether the options belong together. False: reported. */
static bool is_complete(const struct calibrate_request *request)
{
    if (request->check && (request->from || request->output))
        diag_error("--check writes no machine and reads no measurement: leave %s out",
                   request->from ? "--from" : "--output");
    else if (!request->check && (request->machine || request->fabric))
        diag_error("%s is for --check", request->machine ? "--machine" : "--fabric");
    else if (request->check && !request->machine)
        diag_error("--check needs a machine, as in --machine machine.yaml");
    else if (request->check && !request->launcher)
        diag_error("--check needs a program behind --, such as -- mpirun -n 8 ./program");
    else if (!request->launcher == !request->from)
        diag_error(request->from ? "--from needs no launcher"
                                 : "helio calibrate needs a launcher behind --, such as -- mpirun -n 2");
    else
        return true;
    return false;
}

/* The launcher's own words follow "--", or begin at the first word that is no option. */
static int read_arguments(struct calibrate_request *request, int argc, char **argv)
{
    struct cli_reader reader = {.command = &command, .argc = argc, .argv = argv, .next = 1};
    const char *value;
    for (int found; (found = cli_read(&reader, &value)) != CLI_END;) {
        if (found == CLI_HELP || found == CLI_ERROR)
            return found;
        if (found == CLI_WORD) {
            request->launcher = argv + reader.next - 1;
            request->launcher_count = argc - reader.next + 1;
            break;
        }
        if (!take(request, (enum calibrate_option)(found - CLI_OPTION), value))
            return CLI_ERROR;
    }
    return is_complete(request) ? CLI_END : CLI_ERROR;
}

static enum status check_program(const struct calibrate_request *request)
{
    return calibrate_check_program(
        &(struct calibrate_check){.machine = request->machine,
                                  .fabric = request->fabric ? request->fabric : "packet",
                                  .mpi = request->mpi,
                                  .html = request->html,
                                  .runs = request->runs,
                                  .force = request->force,
                                  .json = request->json,
                                  .words = request->launcher,
                                  .word_count = request->launcher_count});
}

int cli_calibrate(int argc, char **argv)
{
    struct calibrate_request request = {.rounds = 21, .largest = 4 << 20, .runs = 7};
    struct found all = {.samples.count = 0};
    struct calibration calibration;
    int found = read_arguments(&request, argc, argv);
    if (found != CLI_END)
        return cli_status(found);
    if (request.check)
        return check_program(&request);
    enum status status = request.from ? read_file(request.from, &all) : measure(&request, &all);
    if (status == STATUS_OK)
        status = calibrate_judge(&all.samples, &calibration);
    if (status == STATUS_OK)
        status = finish(&request, &all, &calibration);
    calibrate_free(&all.samples);
    choices_free(&all.choices);
    return status;
}
