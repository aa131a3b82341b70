#ifndef HELIO_PAPERS_ALLTOALL_H
#define HELIO_PAPERS_ALLTOALL_H

#include <stdint.h>

#include "reproduce/paper.h"

/* "OHIO: Improving RDMA Network Scalability in MPI_Alltoall through Optimized Hierarchical and
 * Intra/Inter-Node Communication Overlap Design" (Tran et al.).
 *
 *     alltoall.c     the paper; Tables I and III, counted from the schedules
 *     model.c        a call on the paper's clusters, simulated; the stand-ins for MPI libraries
 *     figures.c      section IV: Figures 7 to 11
 *
 * The paper measures section IV on its clusters. Here the simulator computes it, with the packet fabric,
 * hosts, copies and RNICs. The libraries that the authors compare with are closed, or tuned for their
 * machines, so algorithms of our own stand for them (docs/reproduce-alltoall.md). */

struct alltoall_cluster {
    const char *system; /* host.system */
    uint32_t ppn;
    bool has_cache; /* its RNICs cache connections; without a cache connections cost nothing */
};

extern const struct alltoall_cluster alltoall_cluster_a, alltoall_cluster_b, alltoall_cluster_local;

/* One call of MPI_Alltoall. */
struct alltoall_setup {
    const struct alltoall_cluster *cluster;
    uint32_t nodes;
    const char *algorithm, *transport; /* mpi.alltoall, rnic.transport */
    uint64_t bytes;
};

/* The mean time of the calls behind the first one, whose connections they find: of the second of two, or of
 * as many as the configuration says. NaN while the runs are missing, and where they fail. */
double alltoall_latency_us(struct reproduction *reproduction, const struct alltoall_setup *setup);

/* The reads of all NICs through PCIe in such a call: of connections, of translations, of descriptors. */
double alltoall_pcie_reads(struct reproduction *reproduction, const struct alltoall_setup *setup);

/* The queue pairs of the NIC that has most of them in the first call. */
double alltoall_queue_pairs(struct reproduction *reproduction, const struct alltoall_setup *setup);

/* With fewer ranks than these, blocks of fewer bytes than these are exchanged by Bruck's algorithm. */
struct alltoall_choice {
    uint32_t ranks;
    uint64_t bruck_bytes;
};

/* What stands for a library that the paper compares itself with. */
struct alltoall_stand_in {
    const char *name, *item;               /* the library; the item of what the paper says of 7168 ranks */
    const struct alltoall_choice *choices; /* the first with more ranks holds */
    const char *beyond;                    /* mpi.alltoall of larger blocks */
    const char *transports[4];             /* ends with NULL; the best of them */
};

enum { ALLTOALL_STAND_INS = 4 };
enum { LIBRARY_OPEN_MPI, LIBRARY_HPC_X, LIBRARY_INTEL_MPI, LIBRARY_MVAPICH };
extern const struct alltoall_stand_in alltoall_stand_ins[ALLTOALL_STAND_INS];

/* The call as the library's stand-in makes it, over the transport of that number. */
struct alltoall_setup alltoall_as(const struct alltoall_stand_in *stand_in,
                                  const struct alltoall_cluster *cluster, uint32_t nodes, uint64_t bytes,
                                  size_t transport);

/* The time over the fastest of its transports. */
double alltoall_stand_in_us(struct reproduction *reproduction, const struct alltoall_stand_in *stand_in,
                            const struct alltoall_cluster *cluster, uint32_t nodes, uint64_t bytes);

/* The message sizes at which figures 7, 9 and 10 are drawn; ends with 0. */
extern const uint64_t alltoall_sizes[];

/* Whether averages over sizes have this one. The paper does not say over which sizes its own are. */
bool alltoall_is_averaged(struct reproduction *reproduction, uint64_t bytes);

/* Section IV: Figures 7 to 11, and what the text says of them. */
void alltoall_measured(struct reproduction *reproduction);

#endif
