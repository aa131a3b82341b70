#ifndef HELIO_CHOICES_POINT_H
#define HELIO_CHOICES_POINT_H

/* The program that `helio calibrate` starts to see which algorithms the collectives of the MPI are: it counts
 * the messages of a call and compares them with those of our algorithms.
 *
 *   count.h, count.c    the messages that the MPI sends, counted below it
 *   point.h, call.c     one call of the MPI, on memory that is small for messages of any size
 *   ours.c              what one of our algorithms sends in such a call
 *   main.c              all calls and sizes; where the algorithm changes */

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "coll/coll.h"
#include "coll/tuning.h"
#include "live/choices/count.h"

/* Our table of the choices of this MPI. */
#ifdef OPEN_MPI
#define POINT_TUNING coll_tuning_openmpi
#else
#define POINT_TUNING coll_tuning_mpich
#endif

/* One call. Vector kinds have equal blocks; reductions are of floats where 4 divides the bytes. */
struct point {
    enum coll_kind kind;
    bool block; /* MPI_Reduce_scatter_block */
    int root;
    uint64_t bytes;
};

/* The ranks of a call: the first `size` ones of MPI_COMM_WORLD. */
struct point_group {
    MPI_Comm comm;
    int size;
    struct coll_nodes nodes; /* as the MPI sees them */
    uint32_t words[5 * SENT_RANKS_MAX];
};

/* The most bytes that all ranks of a call have together. */
#define POINT_BYTES (UINT64_C(1) << 28)

extern MPI_Op point_sum;       /* of reductions; MPI_SUM unless set */
extern bool point_nonblocking; /* calls are the non-blocking ones */

/* Memory for all calls. */
void point_open(void);
void point_call(const struct point *point, const struct point_group *group);
bool point_has_root(enum coll_kind kind);
bool point_is_reduction(enum coll_kind kind);

/* Collective over `comm`, which has at most SENT_RANKS_MAX ranks: which of them share memory. */
void point_group_open(struct point_group *group, MPI_Comm comm);

/* The algorithm of our table. */
const struct coll_algorithm *point_tuned(const struct point *point, const struct point_group *group);
/* The sizes of such a call from which on our table may have another algorithm; returns how many. */
enum { POINT_LIMITS_MAX = 64 };
size_t point_limits(const struct point *point, const struct point_group *group,
                    uint64_t limits[POINT_LIMITS_MAX]);
/* What all ranks send with the algorithm; `ours` has an entry for each. */
void point_count(const struct point *point, const struct point_group *group,
                 const struct coll_algorithm *algorithm, struct sent *ours);

#endif
