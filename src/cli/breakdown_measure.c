#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "cli/breakdown.h"
#include "cli/breakdown_machine.h"
#include "cli/breakdown_probe.h"
#include "cli/breakdown_values.h"
#include "cli/options.h"
#include "cli/print.h"
#include "output/output.h"
#include "output/quote.h"
#include "output/standard.h"

enum measure_option { MEASURE_MPI, MEASURE_FROM, MEASURE_OUTPUT, MEASURE_INTO, MEASURE_JSON };

static const struct cli_option options[] = {
    [MEASURE_MPI] = {"--mpi", 0, "all|none|mpich|openmpi",
                     "whose stack is measured beside that of UCX alone; all by default"},
    [MEASURE_FROM] =
        {"--from", 'f', "FILE",
         "no measurement: what a probe (helio-probe-uct, -mpich, -openmpi) printed elsewhere" CLI_REPEATS},
    [MEASURE_OUTPUT] = {"--output", 'o', "PREFIX",
                        "write system files, PREFIX-uct.yaml, PREFIX-mpich.yaml, PREFIX-openmpi.yaml"},
    [MEASURE_INTO] =
        {"--into", 0, "FILE.yaml",
         "write the host model of an MPI into this machine file, as its section system; its own\n"
         "MPI (mpi.tuning), or that of --mpi"},
    [MEASURE_JSON] = {"--json", 0, NULL, "print one JSON object, with histograms, instead of the tables"},
};

static const struct cli_command command = {
    .name = "breakdown measure",
    .words = "",
    .doc = "Measures the components of a small message on this machine: UCX's low-level protocol alone, and\n"
           "below each MPI library, as they are installed. Takes up to twenty seconds for each.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after =
        "Exit status 1: a guard failed, or a component came out negative; the times are printed, marked, and "
        "no\nsystem file of that stack is written.\n"
        "The system files are for helio breakdown model and whatif, and for host.system in simulations.\n"
        "HELIO_PROBES names the folder of the probes where they are not beside helio, HELIO_PROBE_SECONDS "
        "how\n"
        "long each may take.\n"
        "docs/models/breakdown.md says how it is done, and what a machine without a NIC cannot show.",
};

enum { STACKS = 8 };

struct measure_arguments {
    const char *mpi; /* NULL: all */
    const char *output, *into;
    struct breakdown_machine machine; /* of --into */
    const char *from[STACKS];
    size_t from_count;
    bool json;
    bool is_unsound; /* a guard has failed */
};

struct measured_stack {
    struct measurement measurement;
    struct measure_result result;
};

/* ------------------------------------------------------------------- tables */

static void print_quantities(const struct measurement *measurement)
{
    printf("  %-48s %8s %9s %9s %9s %9s %9s\n", "ns", "count", "mean", "trimmed", "median", "p95", "p99");
    for (enum measure_quantity i = 0; i < MEASURED_QUANTITIES; i++) {
        const struct measure_summary *summary = &measurement->summaries[i];
        if (measure_has(measurement, i))
            printf("  %-48s %8zu %9.2f %9.2f %9.2f %9.2f %9.2f\n", measure_doc(i), summary->count,
                   summary->mean, summary->trimmed, summary->median, summary->p95, summary->p99);
    }
}

static void print_part(const char *name, double ns, const char *how)
{
    printf("  %-48s %8.2f   %s%s\n", name, ns, ns < 0 ? "NEGATIVE, so no time; " : "", how);
}

static void print_verdict(const char *what, const struct measure_verdict *verdict)
{
    printf("  %s: %.2f ns predicted, %.2f ns observed: %+.2f %%, %s %d %%\n", what, verdict->predicted_ns,
           verdict->observed_ns, verdict->deviation_percent, verdict->within ? "within" : "NOT within",
           MEASURE_TOLERANCE_PERCENT);
}

static void print_parts(const struct measure_result *result)
{
    puts("\n  breakdown of the latency, ns");
    if (result->has_mpi) {
        print_part("HLP_post: MPI", result->hlp_post_mpi_ns, "measured: difference of two calls");
        print_part("HLP_post: UCP", result->hlp_post_ucp_ns, "measured: difference of two calls");
    }
    print_part("LLP_post", result->llp_post_ns, "measured");
    print_part("wire", result->wire_ns, "derived: what is left of the LLP's latency");
    print_part("LLP_prog", result->llp_prog_ns, "measured");
    if (result->has_mpi) {
        print_part("HLP_rx_prog: UCP's callback", result->ucp_callback_ns,
                   "measured: difference of two calls");
        print_part("HLP_rx_prog: MPI's callback", result->mpi_callback_ns, "measured");
        print_part("HLP_rx_prog: MPI after progress", result->mpi_after_ns,
                   "measured: difference of two calls");
        if (result->polling_ns != 0)
            printf("  %-48s %8.2f   measured: MPI's loop less the LLP's; no part of the model\n",
                   "half a turn of polling", result->polling_ns);
        putchar('\n');
        print_verdict("latency with MPI, LLP's latency + HLP_post + HLP_rx_prog", &result->paper);
        if (result->polling_ns != 0)
            print_verdict("  and half a turn of polling", &result->latency);
        print_verdict("injection, posts + progress of other windows", &result->injection);
    }
}

static void print_layers(const struct measurement *measurement)
{
    if (measurement->layer_count)
        puts("\n  delays put into a layer: half round trip over delay");
    for (size_t i = 0; i < measurement->layer_count; i++) {
        const struct measure_layer *layer = &measurement->layers[i];
        char *name = quote_terminal_text(layer->name);
        printf("  %-48s %8.3f   %s\n", name, layer->slope,
               measure_slope_is_one(layer) ? "1 within 0.05" : "NOT 1 within 0.05");
        free(name);
    }
}

static void print_stack(const struct measured_stack *stack)
{
    const struct measurement *measurement = &stack->measurement;
    cli_print_text("", measurement->stack);
    for (size_t i = 0; i < measurement->note_count; i++)
        cli_print_text("  note: ", measurement->notes[i]);
    for (size_t i = 0; i < measurement->guard_count; i++)
        cli_print_guard(measurement->guards[i].name, measurement->guards[i].passed,
                        measurement->guards[i].reason);
    printf("  two time stamps take %.2f ns, which are taken off; the clock's step is %.2f ns\n\n",
           measurement->timer_ns, measurement->resolution_ns);
    print_quantities(measurement);
    if (stack->result.complete)
        print_parts(&stack->result);
    print_layers(measurement);
    putchar('\n');
}

/* --------------------------------------------------------------------- JSON */

static json_t *histogram_json(const struct measure_summary *summary)
{
    json_t *object = json_make_object(), *bins = json_make_list();
    for (size_t i = 0; i < MEASURE_BINS; i++)
        json_add_count(bins, summary->bins[i]);
    json_put_number(object, "from_ns", summary->least);
    json_put_number(object, "bin_ns", summary->bin_width);
    json_put(object, "counts", bins);
    return object;
}

static json_t *summary_json(const struct measure_summary *summary)
{
    json_t *object = json_make_object();
    json_put_count(object, "count", summary->count);
    json_put_number(object, "mean_ns", summary->mean);
    json_put_number(object, "trimmed_mean_ns", summary->trimmed);
    json_put_number(object, "median_ns", summary->median);
    json_put_number(object, "p95_ns", summary->p95);
    json_put_number(object, "p99_ns", summary->p99);
    json_put(object, "histogram", histogram_json(summary));
    return object;
}

static json_t *verdict_json(const struct measure_verdict *verdict)
{
    json_t *object = json_make_object();
    json_put_number(object, "predicted_ns", verdict->predicted_ns);
    json_put_number(object, "observed_ns", verdict->observed_ns);
    json_put_number(object, "deviation_percent", verdict->deviation_percent);
    json_put_flag(object, "within_5_percent", verdict->within);
    return object;
}

/* A component that is negative is no number, but null; negatives_json has what came out. */
static void put_part(json_t *object, const char *key, double ns)
{
    json_put_number(object, key, ns < 0 ? NAN : ns);
}

static json_t *negatives_json(const struct measure_result *result)
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < result->negative_count; i++) {
        json_t *component = json_make_object();
        json_put_text(component, "name", result->negatives[i].name);
        json_put_number(component, "ns", result->negatives[i].ns);
        json_add(list, component);
    }
    return list;
}

static json_t *parts_json(const struct measure_result *result)
{
    json_t *object = json_make_object();
    put_part(object, "LLP_post_ns", result->llp_post_ns);
    put_part(object, "LLP_prog_ns", result->llp_prog_ns);
    put_part(object, "wire_derived_ns", result->wire_ns);
    if (!result->has_mpi)
        return object;
    put_part(object, "HLP_post_MPI_ns", result->hlp_post_mpi_ns);
    put_part(object, "HLP_post_UCP_ns", result->hlp_post_ucp_ns);
    put_part(object, "UCP_callback_ns", result->ucp_callback_ns);
    put_part(object, "MPI_callback_ns", result->mpi_callback_ns);
    put_part(object, "MPI_after_ns", result->mpi_after_ns);
    json_put_number(object, "polling_ns", result->polling_ns);
    json_put(object, "latency_of_the_sum", verdict_json(&result->paper));
    json_put(object, "latency", verdict_json(&result->latency));
    json_put(object, "injection", verdict_json(&result->injection));
    return object;
}

static json_t *guards_json(const struct measurement *measurement)
{
    json_t *guards = json_make_list();
    for (size_t i = 0; i < measurement->guard_count; i++)
        json_add(guards, cli_guard_json(measurement->guards[i].name, measurement->guards[i].passed,
                                        measurement->guards[i].reason));
    return guards;
}

static json_t *stack_json(const struct measured_stack *stack)
{
    const struct measurement *measurement = &stack->measurement;
    json_t *object = json_make_object(), *notes = json_make_list(), *quantities = json_make_object(),
           *slopes = json_make_object();
    for (size_t i = 0; i < measurement->note_count; i++)
        json_add_text(notes, measurement->notes[i]);
    for (enum measure_quantity i = 0; i < MEASURED_QUANTITIES; i++)
        if (measure_has(measurement, i))
            json_put(quantities, measure_name(i), summary_json(&measurement->summaries[i]));
    for (size_t i = 0; i < measurement->layer_count; i++)
        json_put_number(slopes, measurement->layers[i].name, measurement->layers[i].slope);
    json_put_text(object, "kind", measurement->kind);
    json_put_text(object, "stack", measurement->stack);
    json_put_number(object, "timer_ns", measurement->timer_ns);
    json_put_number(object, "resolution_ns", measurement->resolution_ns);
    json_put(object, "notes", notes);
    json_put_flag(object, "sound", stack->result.guards_passed);
    json_put(object, "guards", guards_json(measurement));
    json_put(object, "negative_components", negatives_json(&stack->result));
    json_put(object, "quantities", quantities);
    if (stack->result.complete)
        json_put(object, "breakdown", parts_json(&stack->result));
    json_put(object, "slopes", slopes);
    return object;
}

/* ---------------------------------------------------------------- measuring */

static enum status write_system(const struct measure_arguments *arguments, const struct measured_stack *stack)
{
    if (!arguments->output)
        return STATUS_OK;
    if (!stack->result.complete) {
        diag_warning("no system file of %s is written: some of its times were not measured",
                     stack->measurement.kind);
        return STATUS_OK;
    }
    char *path = mem_format("%s-%s.yaml", arguments->output, stack->measurement.kind);
    struct output output;
    enum status status = output_open(&output, path);
    if (status == STATUS_OK)
        status =
            output_close(&output, measure_write_system(&stack->measurement, &stack->result, output.file));
    if (status == STATUS_OK)
        diag_note("%s: a system file of %s", path, stack->measurement.stack);
    free(path);
    return status;
}

/* False, reported: a guard has failed, so that the times are not those of the components. */
static bool is_sound(const struct measured_stack *stack)
{
    const struct measurement *measurement = &stack->measurement;
    for (size_t i = 0; i < measurement->guard_count; i++)
        if (!measurement->guards[i].passed)
            diag_error("the measurement of %s is not sound: guard %s: %s", measurement->kind,
                       measurement->guards[i].name, measurement->guards[i].reason);
    if (!stack->result.guards_passed)
        diag_note(
            "measure %s again on an idle machine; no system file of it is written. If it fails there too, "
            "the model does not describe this stack",
            measurement->kind);
    return stack->result.guards_passed;
}

/* Prints the measurement and writes its system file, and frees it in any case. */
static enum status finish(struct measure_arguments *arguments, struct measured_stack *stack,
                          enum status measured, json_t *stacks)
{
    if (measured == STATUS_OK) {
        measure_judge(&stack->measurement, &stack->result);
        if (stacks)
            json_add(stacks, stack_json(stack));
        else
            print_stack(stack);
        bool sound = is_sound(stack);
        arguments->is_unsound |= !sound;
        if (sound)
            measured = write_system(arguments, stack);
        if (sound && measured == STATUS_OK && arguments->into)
            measured = breakdown_machine_take(&arguments->machine, &stack->measurement, &stack->result);
    }
    measure_free(&stack->measurement);
    return measured;
}

enum { KIND = sizeof((struct measurement *)0)->kind };

/* A system file is named by the kind of its stack, so a second one of a kind would replace the first. */
static enum status check_kind(const struct measure_arguments *arguments, char kinds[][KIND], size_t index)
{
    const char *kind = kinds[index];
    for (size_t i = 0; arguments->output && i < index; i++)
        if (strcmp(kinds[i], kind) == 0) {
            diag_error(
                "%s and %s are both of %s, so one system file would replace the other: give them one by one",
                arguments->from[i], arguments->from[index], kind);
            return STATUS_BAD_INPUT;
        }
    return STATUS_OK;
}

static enum status read_files(struct measure_arguments *arguments, json_t *stacks)
{
    enum status status = STATUS_OK;
    char kinds[STACKS][KIND];
    for (size_t i = 0; status == STATUS_OK && i < arguments->from_count; i++) {
        struct measured_stack stack = {.result = {.complete = false}};
        const char *path = arguments->from[i];
        FILE *file = fopen(path, "r");
        if (!file) {
            diag_error("cannot read %s: %s", path, strerror(errno));
            return STATUS_BAD_INPUT;
        }
        status = measure_read(&stack.measurement, file, path);
        fclose(file);
        if (status == STATUS_FAILED) /* it was cut off */
            status = STATUS_BAD_INPUT;
        memcpy(kinds[i], stack.measurement.kind, KIND);
        if (status == STATUS_OK)
            status = check_kind(arguments, kinds, i);
        status = finish(arguments, &stack, status, stacks);
    }
    return status;
}

static bool is_wanted(const struct measure_arguments *arguments, const struct probe *probe)
{
    const char *mpi = arguments->mpi;
    return !probe->mpiexec || strcmp(mpi, "all") == 0 || strcmp(mpi, probe->kind) == 0;
}

/* Measures each stack that is there. A stack that is missing is a note; it is an error where it was asked
 * for, or where no stack is there. */
static enum status run_probes(struct measure_arguments *arguments, json_t *stacks)
{
    enum status status = STATUS_OK;
    size_t done = 0;
    for (size_t i = 0; status == STATUS_OK && i < PROBES; i++) {
        struct measured_stack stack = {.result = {.complete = false}};
        char *why;
        if (!is_wanted(arguments, &probes[i]))
            continue;
        if (probe_is_there(&probes[i], &why)) {
            status = finish(arguments, &stack, probe_run(&probes[i], &stack.measurement), stacks);
            done++;
        } else if (strcmp(arguments->mpi, probes[i].kind) == 0) {
            diag_error("%s", why);
            status = STATUS_FAILED;
        } else {
            diag_note("not measured: %s", why);
        }
        free(why);
    }
    if (status == STATUS_OK && done == 0) {
        diag_error("no probe can be run, so nothing was measured");
        return STATUS_FAILED;
    }
    return status;
}

static bool take_mpi(struct measure_arguments *arguments, const char *value)
{
    arguments->mpi = value;
    if (strcmp(value, "all") == 0 || strcmp(value, "none") == 0 || strcmp(value, "mpich") == 0 ||
        strcmp(value, "openmpi") == 0)
        return true;
    diag_error("--mpi is all, none, mpich or openmpi, not '%s'", value);
    return false;
}

static bool take_from(struct measure_arguments *arguments, const char *value)
{
    if (arguments->from_count == STACKS) {
        diag_error("--from is given more than %d times", STACKS);
        return false;
    }
    arguments->from[arguments->from_count++] = value;
    return true;
}

static bool take(void *self, int found, const char *value)
{
    struct measure_arguments *arguments = self;
    if (found == CLI_WORD) {
        diag_error("helio breakdown measure takes no '%s'", value);
        return false;
    }
    switch ((enum measure_option)(found - CLI_OPTION)) {
    case MEASURE_MPI:
        return take_mpi(arguments, value);
    case MEASURE_FROM:
        return take_from(arguments, value);
    case MEASURE_OUTPUT:
        arguments->output = value;
        return true;
    case MEASURE_INTO:
        arguments->into = value;
        return true;
    case MEASURE_JSON:
        arguments->json = true;
        return true;
    }
    return true;
}

/* The MPI whose host model the machine file gets is that of --mpi, or its own one. */
static enum status open_machine(struct measure_arguments *arguments)
{
    const char *mpi = arguments->mpi;
    if (!arguments->into)
        return STATUS_OK;
    if (mpi && strcmp(mpi, "none") == 0) {
        diag_error(
            "--into writes the host model of an MPI, and --mpi none measures none; give --mpi mpich or "
            "openmpi");
        return STATUS_BAD_INPUT;
    }
    enum status status = breakdown_machine_open(&arguments->machine, arguments->into);
    if (status != STATUS_OK)
        return status;
    if (mpi && strcmp(mpi, "all") != 0)
        arguments->machine.mpi = mpi;
    else if (!mpi && arguments->machine.mpi)
        arguments->mpi = arguments->machine.mpi;
    return STATUS_OK;
}

static enum status print_all(json_t *stacks)
{
    if (!stacks)
        return standard_flush();
    json_t *object = json_make_object();
    json_put_text(object, "schema", "helio-breakdown-measure-1");
    json_put(object, "stacks", stacks);
    return cli_print_json(object, BREAKDOWN_DIGITS);
}

int cli_breakdown_measure(int argc, char **argv)
{
    struct measure_arguments arguments = {.mpi = NULL};
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    if (found != CLI_END)
        return cli_status(found);
    json_t *stacks = arguments.json ? json_make_list() : NULL;
    enum status status = open_machine(&arguments);
    if (!arguments.mpi)
        arguments.mpi = "all";
    if (status == STATUS_OK)
        status = arguments.from_count ? read_files(&arguments, stacks) : run_probes(&arguments, stacks);
    if (status == STATUS_OK)
        status = print_all(stacks);
    else
        json_decref(stacks);
    if (status == STATUS_OK && arguments.into)
        status = breakdown_machine_write(&arguments.machine);
    if (arguments.into)
        breakdown_machine_close(&arguments.machine);
    return status == STATUS_OK && arguments.is_unsound ? STATUS_FAILED : status;
}
