#ifndef HELIO_COLL_TUNING_H
#define HELIO_COLL_TUNING_H

#include "coll/coll.h"

/* Which algorithm an MPI library chooses by itself: a decision table for each collective. A row names the
 * algorithm for all calls of fewer ranks and fewer bytes; the first row that fits counts. Rows are data:
 * their header says where they come from, and docs/measurements/tuning.md how they compare with what the
 * library sends. The tables are those for commutative operations.
 */

/* What the bytes of a row are compared with. */
enum coll_tuning_measure {
    COLL_TUNING_BYTES, /* `bytes` of the call */
    COLL_TUNING_MEAN,  /* the mean block */
    COLL_TUNING_TOTAL, /* the blocks of all ranks together */
};

/* What else must hold for a row. */
enum coll_tuning_condition {
    COLL_TUNING_ALWAYS,
    COLL_TUNING_POWER_OF_TWO, /* of ranks */
    COLL_TUNING_NO_POWER_OF_TWO,
    COLL_TUNING_ELEMENTS_BELOW_RANKS, /* the vector has fewer elements than there are ranks */
    COLL_TUNING_ELEMENTS_BELOW_POWER, /* ... than the largest power of two up to the ranks */
};

#define COLL_TUNING_ANY_RANKS UINT32_MAX
#define COLL_TUNING_ANY_BYTES UINT64_MAX

struct coll_tuning_row {
    uint32_t ranks_below; /* COLL_TUNING_ANY_RANKS: no limit */
    uint64_t bytes_below; /* COLL_TUNING_ANY_BYTES: no limit */
    const struct coll_algorithm *algorithm;
    enum coll_tuning_condition only;
};

/* An algorithm that does not serve such a call: the library takes another one. */
struct coll_tuning_exception {
    const struct coll_algorithm *from;
    enum coll_tuning_condition condition;
    const struct coll_algorithm *to;
};

struct coll_tuning_kind {
    enum coll_tuning_measure measure;
    const struct coll_tuning_row *rows; /* the last one always fits */
    size_t count;
    const struct coll_tuning_exception *exceptions;
    size_t exception_count;
};

struct coll_tuning {
    const char *name;    /* as mpi.tuning takes it: "openmpi" */
    const char *library; /* whose choices these are: "Open MPI 4.1.4" */
    struct coll_tuning_kind kinds[COLL_KINDS];
    struct coll_tuning_kind reduce_scatter_block; /* reduce_scatter of equal blocks */
};

extern const struct coll_tuning coll_tuning_openmpi, coll_tuning_mpich;
/* MPICH's choices for ranks that are nodes of their own. */
extern const struct coll_tuning coll_tuning_mpich_flat;

/* The part of the table that serves a call. */
const struct coll_tuning_kind *coll_tuning_kind(const struct coll_tuning *tuning,
                                                const struct coll_call *call);

/* The algorithm that the library chooses. All ranks of a call get the same one. */
const struct coll_algorithm *coll_tuned(const struct coll_tuning *tuning, const struct coll_call *call);

#endif
