#include "coll/tuning_rows.h"

/* What MPICH 4.0.2 chooses by default for commutative operations that MPI defines, if each rank is a node of
 * its own. Limits of ranks and bytes are those of maint/tuning/coll/mpir/generic.json, release 4.0.2, which
 * are also the defaults of its documented variables: MPIR_CVAR_BCAST_SHORT_MSG_SIZE,
 * MPIR_CVAR_BCAST_LONG_MSG_SIZE, MPIR_CVAR_BCAST_MIN_PROCS, MPIR_CVAR_REDUCE_SHORT_MSG_SIZE,
 * MPIR_CVAR_ALLTOALL_SHORT_MSG_SIZE, MPIR_CVAR_ALLTOALL_MEDIUM_MSG_SIZE, MPIR_CVAR_ALLGATHER_SHORT_MSG_SIZE,
 * MPIR_CVAR_ALLGATHER_LONG_MSG_SIZE and others of their kind. */

/* "Up to 8 B" is "fewer than 9 B". */
static const struct coll_tuning_row barrier_rows[] = {
    ROW(ANY_RANKS, ANY_BYTES, barrier_dissemination),
};

static const struct coll_tuning_row bcast_rows[] = {
    ROW(8, ANY_BYTES, bcast_binomial),
    ROW(ANY_RANKS, 12 * KIB + 1, bcast_binomial),
    ROW_IF(POWER_OF_TWO, ANY_RANKS, 512 * KIB + 1, bcast_scatter_doubling),
    ROW(ANY_RANKS, ANY_BYTES, bcast_scatter_ring),
};

static const struct coll_tuning_row reduce_rows[] = {
    ROW(ANY_RANKS, 2 * KIB + 1, reduce_binomial),
    ROW_IF(ELEMENTS_BELOW_POWER, ANY_RANKS, ANY_BYTES, reduce_binomial),
    ROW(ANY_RANKS, ANY_BYTES, reduce_rabenseifner_near),
};

static const struct coll_tuning_row allreduce_rows[] = {
    ROW(ANY_RANKS, 9, allreduce_recursive_doubling),
    ROW_IF(ELEMENTS_BELOW_POWER, ANY_RANKS, ANY_BYTES, allreduce_recursive_doubling),
    ROW(ANY_RANKS, ANY_BYTES, allreduce_rabenseifner_near),
};

/* For alltoall the release compares the limit of 8 ranks with "up to" and not with "fewer than". */
static const struct coll_tuning_row alltoall_rows[] = {
    ROW(9, 32 * KIB + 1, alltoall_scatter_destination),
    ROW(9, ANY_BYTES, alltoall_pairwise),
    ROW(ANY_RANKS, 257, alltoall_bruck),
    ROW(ANY_RANKS, 32 * KIB + 1, alltoall_scatter_destination),
    ROW(ANY_RANKS, ANY_BYTES, alltoall_pairwise),
};

static const struct coll_tuning_row alltoallv_rows[] = {
    ROW(ANY_RANKS, ANY_BYTES, alltoallv_scatter_destination),
};

/* Of allgather, allgatherv and reduce_scatter the bytes of all ranks together count. */
static const struct coll_tuning_row allgather_rows[] = {
    ROW_IF(POWER_OF_TWO, ANY_RANKS, 512 * KIB, allgather_recursive_doubling),
    ROW_IF(POWER_OF_TWO, ANY_RANKS, ANY_BYTES, allgather_ring),
    ROW(ANY_RANKS, 80 * KIB, allgather_bruck),
    ROW(ANY_RANKS, ANY_BYTES, allgather_ring),
};

static const struct coll_tuning_row allgatherv_rows[] = {
    ROW_IF(POWER_OF_TWO, ANY_RANKS, 512 * KIB, allgatherv_recursive_doubling),
    ROW_IF(POWER_OF_TWO, ANY_RANKS, ANY_BYTES, allgatherv_ring_segmented),
    ROW(ANY_RANKS, 80 * KIB, allgatherv_bruck),
    ROW(ANY_RANKS, ANY_BYTES, allgatherv_ring_segmented),
};

static const struct coll_tuning_row reduce_scatter_rows[] = {
    ROW(ANY_RANKS, 512 * KIB, reduce_scatter_recursive_halving),
    ROW(ANY_RANKS, ANY_BYTES, reduce_scatter_pairwise),
};

static const struct coll_tuning_row gather_rows[] = {ROW(ANY_RANKS, ANY_BYTES, gather_binomial)};
static const struct coll_tuning_row gatherv_rows[] = {ROW(ANY_RANKS, ANY_BYTES, gatherv_linear)};
static const struct coll_tuning_row scatter_rows[] = {ROW(ANY_RANKS, ANY_BYTES, scatter_binomial)};
static const struct coll_tuning_row scatterv_rows[] = {ROW(ANY_RANKS, ANY_BYTES, scatterv_linear)};
static const struct coll_tuning_row scan_rows[] = {ROW(ANY_RANKS, ANY_BYTES, scan_exchange)};
static const struct coll_tuning_row exscan_rows[] = {ROW(ANY_RANKS, ANY_BYTES, exscan_exchange)};

static const struct coll_tuning_row barrier_smp_rows[] = {ROW(ANY_RANKS, ANY_BYTES, barrier_mpich)};
static const struct coll_tuning_row bcast_smp_rows[] = {ROW(ANY_RANKS, ANY_BYTES, bcast_mpich)};
static const struct coll_tuning_row reduce_smp_rows[] = {ROW(ANY_RANKS, ANY_BYTES, reduce_mpich)};
static const struct coll_tuning_row allreduce_smp_rows[] = {ROW(ANY_RANKS, ANY_BYTES, allreduce_mpich)};
static const struct coll_tuning_row scan_smp_rows[] = {ROW(ANY_RANKS, ANY_BYTES, scan_mpich)};

#define OTHER_KINDS                                                                                          \
    [COLL_ALLTOALL] = {ROWS(alltoall)}, [COLL_ALLTOALLV] = {ROWS(alltoallv)},                                \
    [COLL_ALLGATHER] = {ROWS(allgather), TOTAL}, [COLL_ALLGATHERV] = {ROWS(allgatherv), TOTAL},              \
    [COLL_GATHER] = {ROWS(gather)}, [COLL_GATHERV] = {ROWS(gatherv)}, [COLL_SCATTER] = {ROWS(scatter)},      \
    [COLL_SCATTERV] = {ROWS(scatterv)}, [COLL_REDUCE_SCATTER] = {ROWS(reduce_scatter), TOTAL},               \
    [COLL_EXSCAN] = {ROWS(exscan)}

const struct coll_tuning coll_tuning_mpich_flat = {
    .name = "mpich",
    .library = "MPICH 4.0.2",
    .kinds = {[COLL_BARRIER] = {ROWS(barrier)},
              [COLL_BCAST] = {ROWS(bcast)},
              [COLL_REDUCE] = {ROWS(reduce)},
              [COLL_ALLREDUCE] = {ROWS(allreduce)},
              [COLL_SCAN] = {ROWS(scan)},
              OTHER_KINDS},
    .reduce_scatter_block = {ROWS(reduce_scatter), TOTAL},
};

/* The same for ranks that share nodes: these kinds have parts within nodes and between them (coll/mpich.c).
 */
const struct coll_tuning coll_tuning_mpich = {
    .name = "mpich",
    .library = "MPICH 4.0.2",
    .kinds = {[COLL_BARRIER] = {ROWS(barrier_smp)},
              [COLL_BCAST] = {ROWS(bcast_smp)},
              [COLL_REDUCE] = {ROWS(reduce_smp)},
              [COLL_ALLREDUCE] = {ROWS(allreduce_smp)},
              [COLL_SCAN] = {ROWS(scan_smp)},
              OTHER_KINDS},
    .reduce_scatter_block = {ROWS(reduce_scatter), TOTAL},
};
