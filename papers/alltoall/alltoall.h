#ifndef HELIO_PAPERS_ALLTOALL_H
#define HELIO_PAPERS_ALLTOALL_H

#include <stdint.h>

#include "reproduce/paper.h"

/* "OHIO", section IV, played by the simulator: packet fabric, host, copies and RNICs. What its authors
 * compared themselves with is closed, or tuned for their machines, so other things stand for it, as declared
 * here and in docs/reproduce-alltoall.md: a number of ours beside one of the paper's is model over stand-ins.
 */

struct alltoall_cluster {
    const char *system; /* host.system */
    uint32_t ppn;
    bool has_cache; /* RNICs, whose connections are cached; without, connections cost nothing */
};

extern const struct alltoall_cluster alltoall_cluster_a, alltoall_cluster_b, alltoall_cluster_local;

/* One call of MPI_Alltoall. */
struct alltoall_setup {
    const struct alltoall_cluster *cluster;
    uint32_t nodes;
    const char *algorithm, *transport; /* mpi.alltoall, rnic.transport */
    uint64_t bytes;
};

/* What a call among several takes: the second of two, which finds the connections of the first. NaN while the
 * runs are not there, and where they fail. */
double alltoall_latency_us(struct reproduction *reproduction, const struct alltoall_setup *setup);

/* The reads through PCIe of all NICs in such a call: of connections, of translations, of descriptors. */
double alltoall_pcie_reads(struct reproduction *reproduction, const struct alltoall_setup *setup);

/* With fewer than so many ranks, fewer than so many bytes are exchanged by Bruck's algorithm. */
struct alltoall_choice {
    uint32_t ranks;
    uint64_t bruck_bytes;
};

/* What stands for a library that the paper compares itself with. */
struct alltoall_stand_in {
    const char *name, *item;               /* of the library, and of what the paper says of 7168 ranks */
    const struct alltoall_choice *choices; /* the first that has more ranks */
    const char *beyond;                    /* mpi.alltoall of more bytes */
    const char *transports[4];             /* ends with NULL; the best of them */
};

enum { ALLTOALL_STAND_INS = 4 };
enum { LIBRARY_OPEN_MPI, LIBRARY_HPC_X, LIBRARY_INTEL_MPI, LIBRARY_MVAPICH };
extern const struct alltoall_stand_in alltoall_stand_ins[ALLTOALL_STAND_INS];

/* The call as the library's stand-in makes it, over its transport of that number. */
struct alltoall_setup alltoall_as(const struct alltoall_stand_in *stand_in,
                                  const struct alltoall_cluster *cluster, uint32_t nodes, uint64_t bytes,
                                  size_t transport);

/* The least of its transports'. */
double alltoall_stand_in_us(struct reproduction *reproduction, const struct alltoall_stand_in *stand_in,
                            const struct alltoall_cluster *cluster, uint32_t nodes, uint64_t bytes);

/* The message sizes at which figures 7, 9 and 10 are drawn and averaged; ends with 0. */
extern const uint64_t alltoall_sizes[];

/* Section IV: figures 7 to 11, and what the text says of them. */
void alltoall_measured(struct reproduction *reproduction);

#endif
