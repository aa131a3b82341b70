#ifndef HELIO_SWEEP_DEFINITION_H
#define HELIO_SWEEP_DEFINITION_H

#include "base/mem.h"
#include "sweep/sweep.h"

/* What an experiment file says of a sweep:
 *
 *     fabric: [packet, fmu]
 *     sweep:
 *       fmu.count: [16, 32, 64]                       an axis: a parameter and its values
 *       list:                                         an axis of points written out
 *         - {packet.latency: 1 us, mpi.bcast: binomial}
 *         - {packet.latency: 2 us}
 *     seeds: 5                                        each point with as many seeds, from `seed` on
 *     baseline: packet                                or a map of parameters: what speedups are over
 *
 * The points are the product of the axes, the first axis outermost, then of the fabrics, unless the sweep
 * chooses them, then of the seeds. */
struct alternative {
    struct sweep_setting *settings; /* in canonical form */
    size_t count;
};

struct axis {
    struct alternative *alternatives;
    size_t count;
};

struct definition {
    struct axis *axes;
    size_t axis_count, axis_capacity;
    uint64_t seeds; /* 0: not given */
    struct alternative baseline;
    const char **names; /* parameters that are varied, as they first appear */
    size_t name_count, name_capacity;
    struct arena arena; /* of all these, and of the points */
};

/* An experiment file with or without a sweep: parameters into the config, the rest into the definition, which
 * is to be freed also on errors. All errors are reported with their places. */
enum status definition_read_file(struct definition *definition, struct config *config, const char *path);
enum status definition_read_text(struct definition *definition, struct config *config, const char *name,
                                 const char *text, size_t length);
void definition_free(struct definition *definition);

/* Whether all points have a value of their own for the parameter, so that it does not matter what the config
 * says of it. */
bool definition_settles(const struct definition *definition, const char *name);

/* The points, on top of `base`, which they refer to; they live as long as the definition. The runs that
 * speedups are over are among them, at the end those that are no point otherwise. */
enum status definition_points(struct definition *definition, const struct config *base,
                              struct sweep_point **points, size_t *count);

/* Tells the store what is varied and what speedups are over, for those who read it, in a transaction of the
 * caller's; what other sweeps have varied there stays known, and so does their baseline where this has none.
 */
enum status definition_note(const struct definition *definition, struct store *store);

#endif
