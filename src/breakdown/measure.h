#ifndef HELIO_BREAKDOWN_MEASURE_H
#define HELIO_BREAKDOWN_MEASURE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

/* What the probes (live/probe) measure of one stack of software on one machine, and what follows from it, in
 * nanoseconds, as real numbers. docs/models/breakdown.md says how it is measured. */
enum measure_quantity {
    MEASURED_LLP_POST,
    MEASURED_LLP_PROG,
    MEASURED_BUSY_POST,
    MEASURED_EMPTY_PROG,
    MEASURED_LLP_LATENCY, /* half a round trip without MPI, timed by blocks of round trips */
    MEASURED_LLP_TURN,    /* one turn of that benchmark's polling loop */
    MEASURED_ISEND,       /* MPI_Isend and the layers that it calls */
    MEASURED_UCP_SEND,    /* the part of it in UCP and the layers below */
    MEASURED_UCT_POST,    /* the part of that in the LLP */
    MEASURED_RX_TOTAL,    /* HLP_rx_prog: from the start of UCP's callback until MPI_Wait returns */
    MEASURED_HANDLER,     /* the part of it in UCP's callback and what that calls */
    MEASURED_MPI_CALLBACK,
    MEASURED_LATENCY,     /* half a round trip with MPI, timed by blocks of round trips */
    MEASURED_MPI_TURN,    /* one turn of the MPI library's polling loop */
    MEASURED_WINDOW_POST, /* windows of MPI_Isend and an MPI_Waitall, per message: the sends */
    MEASURED_WINDOW_PROG, /* the same: MPI_Waitall */
    MEASURED_WINDOW_RATE, /* both together, in other windows */
    MEASURED_LINE,        /* a cache line from one core to another */
    MEASURED_QUANTITIES
};

enum { MEASURE_BINS = 24, MEASURE_TEXT = 256, MEASURE_LINES = 24, MEASURE_LAYERS = 16, MEASURE_DELAYS = 8 };

struct measure_series {
    double *ns; /* in ascending order after measure_read */
    size_t count, capacity;
};

/* A series in numbers. The trimmed mean leaves out a hundredth of the values at each end. Bins have equal
 * widths, from the least value to the 99 % quantile; larger values are in no bin. */
struct measure_summary {
    size_t count;
    double mean, trimmed, median, p95, p99, least;
    double bin_width;
    size_t bins[MEASURE_BINS];
};

/* The half round trips with a delay in one layer. */
struct measure_delay {
    double delay_ns;
    struct measure_series half_trips;
};

struct measure_layer {
    char name[32];
    size_t count;
    struct measure_delay delays[MEASURE_DELAYS];
    double slope; /* of the half round trip over the delay: 1 if the layer is on the path of a message */
};

struct measure_guard {
    char name[32];
    bool passed;
    char reason[MEASURE_TEXT];
};

struct measurement {
    char kind[32]; /* "uct", "openmpi", "mpich" */
    char stack[MEASURE_TEXT];
    double timer_ns, resolution_ns; /* of a pair of time stamps; the samples are without it */
    struct measure_series series[MEASURED_QUANTITIES];
    struct measure_summary summaries[MEASURED_QUANTITIES];
    struct measure_layer layers[MEASURE_LAYERS];
    size_t layer_count;
    struct measure_guard guards[MEASURE_LINES];
    size_t guard_count;
    char notes[MEASURE_LINES][MEASURE_TEXT];
    size_t note_count;
};

/* Reads what a probe printed. Errors are reported with their place. The measurement is to be freed in any
 * case. */
enum status measure_read(struct measurement *measurement, FILE *file, const char *name);
void measure_free(struct measurement *measurement);

const char *measure_name(enum measure_quantity quantity);
const char *measure_doc(enum measure_quantity quantity);
bool measure_has(const struct measurement *measurement, enum measure_quantity quantity);

/* The number that represents a quantity: the trimmed mean of what was timed call by call, since a clock with
 * a coarse step makes medians useless; the median of what was timed block by block. */
double measure_value(const struct measurement *measurement, enum measure_quantity quantity);

/* A component that came out below 0 and so is no time. */
struct measure_negative {
    const char *name;
    double ns;
};

enum { MEASURE_COMPONENTS = 10 };

/* What follows from the measurement. A part that is a difference is derived, and so is no evidence for the
 * sum. */
struct measure_result {
    bool complete;                            /* the LLP was measured */
    bool has_mpi;                             /* the layers above it were measured */
    double llp_post_ns, llp_prog_ns, wire_ns; /* wire: the LLP's latency less LLP_post and LLP_prog */
    double hlp_post_mpi_ns, hlp_post_ucp_ns;  /* differences of measured calls */
    double rx_ns, ucp_callback_ns, mpi_callback_ns, mpi_after_ns;
    double polling_ns; /* half the difference of the turns of the two polling loops; not in the model */
    struct measure_verdict {
        double predicted_ns, observed_ns, deviation_percent;
        bool within;             /* 5 %, section 6 */
    } paper, latency, injection; /* the latency of section 6; the same and polling_ns; Eq. 2 */
    bool slopes_are_one;         /* within 0.05, in every layer */
    struct measure_negative negatives[MEASURE_COMPONENTS];
    size_t negative_count;
    bool guards_passed; /* all of them; one is that no component is negative */
};

enum { MEASURE_TOLERANCE_PERCENT = 5 };
#define MEASURE_SLOPE_TOLERANCE 0.05

static inline bool measure_slope_is_one(const struct measure_layer *layer)
{
    double off = layer->slope - 1;
    return off <= MEASURE_SLOPE_TOLERANCE && off >= -MEASURE_SLOPE_TOLERANCE;
}

/* Computes the results, and adds the guards that need all quantities. */
void measure_judge(struct measurement *measurement, struct measure_result *result);

/* Writes a system file for the model, whatif and the simulator. */
enum status measure_write_system(const struct measurement *measurement, const struct measure_result *result,
                                 FILE *out);

#endif
