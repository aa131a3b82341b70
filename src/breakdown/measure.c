#include "breakdown/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "output/quote.h"

static const struct {
    const char *name, *doc;
    bool by_median; /* the median of blocks, which are whole; parts have means, because means add up and
                       medians do not */
} quantities[MEASURED_QUANTITIES] = {
    [MEASURED_LLP_POST] = {"llp_post", "LLP_post: a post of the LLP alone", false},
    [MEASURED_LLP_PROG] = {"llp_prog", "LLP_prog: a poll that finds a message", false},
    [MEASURED_BUSY_POST] = {"busy_post", "busy post: the queue is full", false},
    [MEASURED_EMPTY_PROG] = {"empty_prog", "a poll that finds nothing", false},
    [MEASURED_LLP_LATENCY] = {"llp_latency", "half a round trip of the LLP alone", true},
    [MEASURED_LLP_TURN] = {"llp_turn", "a turn of its loop that polls", true},
    [MEASURED_ISEND] = {"isend", "MPI_Isend, all of it", false},
    [MEASURED_UCP_SEND] = {"ucp_send", "of it, UCP's send", false},
    [MEASURED_UCT_POST] = {"uct_post", "of that, the LLP's post", false},
    [MEASURED_RX_TOTAL] = {"rx_total", "HLP_rx_prog: UCP's callback to MPI_Wait's end", false},
    [MEASURED_HANDLER] = {"handler", "of it, UCP's callback", false},
    [MEASURED_MPI_CALLBACK] = {"mpi_callback", "of that, MPI's callback", false},
    [MEASURED_LATENCY] = {"latency", "half a round trip with MPI", true},
    [MEASURED_MPI_TURN] = {"mpi_turn", "a turn of MPI's loop that polls", true},
    [MEASURED_WINDOW_POST] = {"window_post", "64 MPI_Isend, each", false},
    [MEASURED_WINDOW_PROG] = {"window_prog", "Post_prog: their MPI_Waitall, each", false},
    [MEASURED_WINDOW_RATE] = {"window_rate", "injection: both, as a whole", false},
    [MEASURED_LINE] = {"line", "a cache line from core to core", true},
};

const char *measure_name(enum measure_quantity quantity)
{
    return quantities[quantity].name;
}

const char *measure_doc(enum measure_quantity quantity)
{
    return quantities[quantity].doc;
}

bool measure_has(const struct measurement *measurement, enum measure_quantity quantity)
{
    return measurement->series[quantity].count > 0;
}

double measure_value(const struct measurement *measurement, enum measure_quantity quantity)
{
    const struct measure_summary *summary = &measurement->summaries[quantity];
    return quantities[quantity].by_median ? summary->median : summary->trimmed;
}

void measure_free(struct measurement *measurement)
{
    for (size_t i = 0; i < MEASURED_QUANTITIES; i++)
        free(measurement->series[i].ns);
    for (size_t i = 0; i < measurement->layer_count; i++)
        for (size_t j = 0; j < measurement->layers[i].count; j++)
            free(measurement->layers[i].delays[j].half_trips.ns);
}

/* ------------------------------------------------------------------- guards */

static void add_guard(struct measurement *measurement, const char *name, bool passed, const char *reason)
{
    if (measurement->guard_count == MEASURE_LINES)
        return;
    struct measure_guard *guard = &measurement->guards[measurement->guard_count++];
    guard->passed = passed;
    snprintf(guard->name, sizeof guard->name, "%s", name);
    snprintf(guard->reason, sizeof guard->reason, "%s", reason);
}

/* Half of the probes of the cache line were made before everything else, and half after it. Here they are
 * sorted by size, so their spread is checked: the middle half lies within a quarter of the median. */
static void guard_distance(struct measurement *measurement)
{
    const struct measure_series *line = &measurement->series[MEASURED_LINE];
    char reason[MEASURE_TEXT];
    if (line->count < 4)
        return;
    double low = line->ns[line->count / 4], high = line->ns[line->count - 1 - line->count / 4];
    snprintf(reason, sizeof reason, "a cache line takes %.0f to %.0f ns between the cores, before and after",
             low, high);
    add_guard(measurement, "distance", high <= 1.25 * low, reason);
}

static void guard_parts(struct measurement *measurement, const struct measure_result *result)
{
    char reason[MEASURE_TEXT];
    double parts_ns = result->llp_post_ns + result->llp_prog_ns;
    double whole_ns = measure_value(measurement, MEASURED_LLP_LATENCY);
    snprintf(reason, sizeof reason, "LLP_post + LLP_prog are %.0f ns of a latency of %.0f ns%s", parts_ns,
             whole_ns, parts_ns > whole_ns ? ": the layers overlap, and the model does not hold" : "");
    add_guard(measurement, "overlap", parts_ns <= whole_ns, reason);
}

/* No component is shorter than nothing: a difference, if a layer came out shorter than the one below it; a
 * measured time, if it is less than that of the time stamps, which is taken off. */
static void guard_components(struct measurement *measurement, const struct measure_result *result)
{
    char reason[MEASURE_TEXT] = "no component is negative";
    size_t length = 0;
    for (size_t i = 0; i < result->negative_count && length < sizeof reason; i++)
        length += (size_t)snprintf(reason + length, sizeof reason - length, "%s%s is %.2f ns", i ? ", " : "",
                                   result->negatives[i].name, result->negatives[i].ns);
    add_guard(measurement, "components", result->negative_count == 0, reason);
}

/* ------------------------------------------------------------------ results */

/* Least squares of the lower quartiles, which other work on the cores affects least. Only differences between
 * delays count, because every delay also has a cost of its own. */
static double slope_of(const struct measure_layer *layer)
{
    double n = (double)layer->count, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < layer->count; i++) {
        const struct measure_delay *delay = &layer->delays[i];
        double half_ns = delay->half_trips.ns[delay->half_trips.count / 4];
        x += delay->delay_ns;
        y += half_ns;
        xx += delay->delay_ns * delay->delay_ns;
        xy += delay->delay_ns * half_ns;
    }
    double spread = n * xx - x * x;
    return spread > 0 ? (n * xy - x * y) / spread : 0;
}

static void judge_layers(struct measurement *measurement, struct measure_result *result)
{
    result->slopes_are_one = measurement->layer_count > 0;
    for (size_t i = 0; i < measurement->layer_count; i++) {
        struct measure_layer *layer = &measurement->layers[i];
        layer->slope = slope_of(layer);
        if (!measure_slope_is_one(layer))
            result->slopes_are_one = false;
    }
}

static struct measure_verdict verdict(double predicted_ns, double observed_ns)
{
    double deviation_percent = 100 * (predicted_ns - observed_ns) / observed_ns;
    return (struct measure_verdict){.predicted_ns = predicted_ns,
                                    .observed_ns = observed_ns,
                                    .deviation_percent = deviation_percent,
                                    .within = fabs(deviation_percent) <= MEASURE_TOLERANCE_PERCENT};
}

/* A message arrives at some point in a turn of the polling loop, and waits for the rest of the turn: half a
 * turn on average. The LLP's latency includes half a turn of the probe's loop. */
static double polling_of(const struct measurement *measurement)
{
    if (!measure_has(measurement, MEASURED_LLP_TURN) || !measure_has(measurement, MEASURED_MPI_TURN))
        return 0;
    return (measure_value(measurement, MEASURED_MPI_TURN) - measure_value(measurement, MEASURED_LLP_TURN)) /
           2;
}

static void judge_mpi(const struct measurement *measurement, struct measure_result *result)
{
    double isend = measure_value(measurement, MEASURED_ISEND),
           ucp = measure_value(measurement, MEASURED_UCP_SEND);
    double handler = measure_value(measurement, MEASURED_HANDLER);
    result->hlp_post_mpi_ns = isend - ucp;
    result->hlp_post_ucp_ns = ucp - measure_value(measurement, MEASURED_UCT_POST);
    result->rx_ns = measure_value(measurement, MEASURED_RX_TOTAL);
    result->mpi_callback_ns = measure_value(measurement, MEASURED_MPI_CALLBACK);
    result->ucp_callback_ns = handler - result->mpi_callback_ns;
    result->mpi_after_ns = result->rx_ns - handler;
    result->polling_ns = polling_of(measurement);
    double observed_ns = measure_value(measurement, MEASURED_LATENCY);
    double sum_ns = measure_value(measurement, MEASURED_LLP_LATENCY) + result->hlp_post_mpi_ns +
                    result->hlp_post_ucp_ns + result->rx_ns;
    result->paper = verdict(sum_ns, observed_ns);
    result->latency = verdict(sum_ns + result->polling_ns, observed_ns);
    result->injection = verdict(measure_value(measurement, MEASURED_WINDOW_POST) +
                                    measure_value(measurement, MEASURED_WINDOW_PROG),
                                measure_value(measurement, MEASURED_WINDOW_RATE));
}

static void find_negatives(const struct measurement *measurement, struct measure_result *result)
{
    const bool mpi = result->has_mpi, busy = measure_has(measurement, MEASURED_BUSY_POST);
    const struct measure_negative components[MEASURE_COMPONENTS] = {
        {"HLP_post: MPI", result->hlp_post_mpi_ns},
        {"HLP_post: UCP", result->hlp_post_ucp_ns},
        {"LLP_post", result->llp_post_ns},
        {"busy post", busy ? measure_value(measurement, MEASURED_BUSY_POST) : 0},
        {"wire", result->wire_ns},
        {"LLP_prog", result->llp_prog_ns},
        {"HLP_rx_prog: UCP's callback", result->ucp_callback_ns},
        {"HLP_rx_prog: MPI's callback", result->mpi_callback_ns},
        {"HLP_rx_prog: MPI after progress", result->mpi_after_ns},
        {"Post_prog", mpi ? measure_value(measurement, MEASURED_WINDOW_PROG) : 0},
    };
    for (size_t i = 0; i < MEASURE_COMPONENTS; i++)
        if (components[i].ns < 0)
            result->negatives[result->negative_count++] = components[i];
}

static bool has_all(const struct measurement *measurement, enum measure_quantity first,
                    enum measure_quantity last)
{
    for (enum measure_quantity i = first; i <= last; i++)
        if (!measure_has(measurement, i))
            return false;
    return true;
}

void measure_judge(struct measurement *measurement, struct measure_result *result)
{
    *result = (struct measure_result){.guards_passed = true};
    result->complete = measure_has(measurement, MEASURED_LLP_POST) &&
                       measure_has(measurement, MEASURED_LLP_PROG) &&
                       measure_has(measurement, MEASURED_LLP_LATENCY);
    result->has_mpi = result->complete && has_all(measurement, MEASURED_ISEND, MEASURED_LATENCY) &&
                      has_all(measurement, MEASURED_WINDOW_POST, MEASURED_WINDOW_RATE);
    if (result->complete) {
        result->llp_post_ns = measure_value(measurement, MEASURED_LLP_POST);
        result->llp_prog_ns = measure_value(measurement, MEASURED_LLP_PROG);
        result->wire_ns =
            measure_value(measurement, MEASURED_LLP_LATENCY) - result->llp_post_ns - result->llp_prog_ns;
    }
    if (result->has_mpi)
        judge_mpi(measurement, result);
    judge_layers(measurement, result);
    guard_distance(measurement);
    if (result->complete) {
        find_negatives(measurement, result);
        guard_parts(measurement, result);
        guard_components(measurement, result);
    }
    for (size_t i = 0; i < measurement->guard_count; i++)
        if (!measurement->guards[i].passed)
            result->guards_passed = false;
}

/* -------------------------------------------------------------- system file */

static void put(FILE *out, const char *indent, const char *key, double ns, const char *source)
{
    fprintf(out, "%s%s: [%.2f ns, \"%s\"]\n", indent, key, ns > 0 ? ns : 0, source);
}

static void put_llp(const struct measurement *measurement, const struct measure_result *result, FILE *out)
{
    const char *no_nic = "no NIC: not measured";
    bool busy = measure_has(measurement, MEASURED_BUSY_POST);
    fputs("LLP_post: # measured as a whole\n", out);
    put(out, "  ", "MD_setup", 0, "not separable");
    put(out, "  ", "MD_barrier", 0, "not separable");
    put(out, "  ", "DBC_barrier", 0, "not separable");
    put(out, "  ", "PIO_copy", 0, "not separable");
    put(out, "  ", "misc", result->llp_post_ns, "measured, all of LLP_post");
    put(out, "", "LLP_prog", result->llp_prog_ns, "measured");
    put(out, "", "busy_post", busy ? measure_value(measurement, MEASURED_BUSY_POST) : 0,
        busy ? "measured" : "not seen");
    put(out, "", "measurement_update", 0, "the probe has none");
    put(out, "", "PCIe", 0, no_nic);
    put(out, "", "Wire", result->wire_ns, "derived: latency of the LLP less LLP_post and LLP_prog");
    put(out, "", "Switch", 0, no_nic);
    fputs("RC_to_MEM:\n", out);
    put(out, "  ", "8B", 0, no_nic);
}

enum status measure_write_system(const struct measurement *measurement, const struct measure_result *result,
                                 FILE *out)
{
    bool mpi = result->has_mpi;
    const char *above = mpi ? "measured" : "no MPI in this stack";
    const char *difference = mpi ? "difference of two measured calls" : above;
    fputs("# Measured by helio breakdown measure. docs/models/breakdown.md says what the keys mean, and how "
          "it is "
          "done.\n",
          out);
    fputs("name: ", out);
    quote_yaml(out, measurement->stack);
    fputs("\n\n", out);
    put_llp(measurement, result, out);
    fputs("HLP_post:\n", out);
    put(out, "  ", "MPI", result->hlp_post_mpi_ns, difference);
    put(out, "  ", "UCP", result->hlp_post_ucp_ns, difference);
    put(out, "", "Post_prog", mpi ? measure_value(measurement, MEASURED_WINDOW_PROG) : 0, above);
    put(out, "", "Misc", 0, "part of Post_prog here");
    fputs("HLP_rx_prog:\n", out);
    put(out, "  ", "MPI_callback", result->mpi_callback_ns, above);
    put(out, "  ", "UCP_callback", result->ucp_callback_ns, difference);
    put(out, "  ", "MPI_after", result->mpi_after_ns, difference);
    fputs("\nc: 1000000 # sends through shared memory have no completions\n\nobserved:\n", out);
    put(out, "  ", "LLP_latency", measure_value(measurement, MEASURED_LLP_LATENCY),
        "measured, median of blocks");
    put(out, "  ", "LLP_deduction", 0, "the probe's loop has nothing of its own in it");
    if (mpi) {
        put(out, "  ", "overall_injection", measure_value(measurement, MEASURED_WINDOW_RATE),
            "measured, windows of 64");
        put(out, "  ", "latency", result->latency.observed_ns, "measured, median of blocks");
    }
    return ferror(out) ? STATUS_FAILED : STATUS_OK;
}
