#ifndef HELIO_SIM_UNUSED_H
#define HELIO_SIM_UNUSED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/param.h"

/* Parameters that a user has set and that no part of an experiment reads, as those of packet in a run on
 * hockney. A part reads a table of parameters or does not: what it reads are the parameters of its fabrics,
 * those that they describe themselves with (fabric_ops.describe), those of its engine, and those of hosts if
 * there is a host model. The engine of compat reads any. `topology` and a machine's parameters are not looked
 * at: each network says itself that it ignores them (sim/network.h). All zero: empty. */
struct unused_params {
    const struct param_table **read; /* by the experiments so far */
    size_t read_count, read_capacity;
    const struct param **set; /* by the user, to a value that is not the default */
    size_t set_count, set_capacity;
    const struct param *
        *needed; /* of these: those that another parameter does not replace, in some experiment */
    size_t needed_count, needed_capacity;
    const struct param **effective; /* and that some fabric reads and does not ignore */
    size_t effective_count, effective_capacity;
    bool reads_any; /* an experiment has the engine of compat */
};

/* Adds an open experiment, or a point of a sweep. `given` is its config before a machine was applied. */
struct config;
struct experiment;
void unused_params_add(struct unused_params *unused, const struct config *given,
                       const struct experiment *experiment);

/* Warns of the parameters that no experiment reads, in one message. */
void unused_params_warn(const struct unused_params *unused);
/* Of a sweep, whose results do not say what each network ignores: also of those that the values of others
 * leave without effect at every point. */
void unused_params_warn_of_points(const struct unused_params *unused);
void unused_params_free(struct unused_params *unused);

/* Warns of algorithms that are set, as mpi.allreduce, for collectives that no program has called: only runs
 * tell, and `calls` says so of an operation. Not of those that the functions above have named. */
void unused_algorithms_warn(const struct unused_params *unused,
                            bool (*calls)(void *self, const char *operation), void *self);
/* `calls` of one result: `self` is a struct result. */
bool unused_result_calls(void *self, const char *operation);

/* Warns of mpi.segment and mpi.alltoall_window, if they are set and no collective call of the result has an
 * algorithm with segments or windows. */
struct result;
void unused_shapes_warn(const struct unused_params *unused, const struct result *result);

/* Warns of parameters of computation that are set: of all if no rank computes, of compute.rate if all
 * computation is given as times. */
void unused_computation_warn(const struct unused_params *unused, const struct result *result);

/* Whether a part of the open experiment reads the parameter. */
bool experiment_reads(const struct experiment *experiment, const struct param *param);

#endif
