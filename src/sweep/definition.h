#ifndef HELIO_SWEEP_DEFINITION_H
#define HELIO_SWEEP_DEFINITION_H

#include "base/mem.h"
#include "sweep/sweep.h"

/* The sweep of an experiment file:
 *
 *     fabric: [packet, fmu]
 *     sweep:
 *       fmu.count: [16, 32, 64]                       an axis: a parameter and its values
 *       packet.latency: 1 us..8 us x2                 a range of values (base/range.h)
 *       alltoall.bytes: [0, 1 KiB..1 MiB x4]          a parameter of the workload
 *       list:                                         an axis whose points are listed
 *         - {packet.latency: 1 us, mpi.bcast: binomial}
 *         - {packet.latency: 2 us}
 *     seeds: 5                                        repeats each point with 5 seeds, from `seed` on
 *     baseline: packet                                or a map of parameters; speedups are over it
 *
 * The points are all combinations of the axes, then of the fabrics, unless an axis chooses them, then of the
 * seeds. The first axis changes slowest. */
struct alternative {
    struct sweep_setting *settings; /* in canonical form */
    size_t count;
};

struct axis {
    struct alternative *alternatives;
    size_t count;
};

/* A parameter of a workload that the file names. */
struct workload_name {
    const char *name;        /* "alltoall.bytes" */
    struct diag_place place; /* where it stands first */
};

struct definition {
    struct axis *axes;
    size_t axis_count, axis_capacity;
    uint64_t seeds; /* 0 = not given */
    struct alternative baseline;
    const char **names; /* the varied parameters, in the order of the file */
    size_t name_count, name_capacity;
    struct workload_name *workload_names;
    size_t workload_name_count, workload_name_capacity;
    size_t values;      /* of all axes */
    struct arena arena; /* memory of all these and of the points */
};

/* Reads an experiment file with or without a sweep: parameters into the config, the sweep into the
 * definition. Free the definition also after an error. All errors are reported with their places. */
enum status definition_read_text(struct definition *definition, struct config *config, const char *name,
                                 const char *text, size_t length);
void definition_free(struct definition *definition);

/* The fabric that speedups are over; NULL: the baseline names none. */
const char *definition_baseline_fabric(const struct definition *definition);

/* Whether every point sets the parameter, so that its value in the config has no effect. */
bool definition_overrides(const struct definition *definition, const char *name);

/* The parameter of a workload that the file names; NULL: it names none of this name. */
const struct workload_name *definition_workload_name(const struct definition *definition, const char *name);

/* The points, which refer to `base` and are valid as long as the definition. Behind them are the points of
 * the baseline, which may repeat earlier ones. */
enum status definition_points(struct definition *definition, const struct config *base,
                              struct sweep_point **points, size_t *count);

/* Adds the varied parameters and the baseline to the store's metadata. Varied parameters of earlier sweeps
 * stay, and so does an earlier baseline if this sweep has none. Call it in a transaction. */
enum status definition_store(const struct definition *definition, struct store *store);

#endif
