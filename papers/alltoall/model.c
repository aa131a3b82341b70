#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "papers/alltoall/alltoall.h"

const struct alltoall_cluster alltoall_cluster_a = {"ohio-a", 56, true};
const struct alltoall_cluster alltoall_cluster_b = {"ohio-b", 80, false};
const struct alltoall_cluster alltoall_cluster_local = {"ohio-local", 28, true};

const uint64_t alltoall_sizes[] = {1, 4, 16, 64, 256, 1024, 4096, 0};

bool alltoall_is_averaged(struct reproduction *reproduction, uint64_t bytes)
{
    uint64_t most = reproduction_chooses(reproduction, "averages", "to-256B")   ? 256
                    : reproduction_chooses(reproduction, "averages", "to-1KiB") ? 1024
                                                                                : 4096;
    return bytes <= most;
}

/* -------------------------------------------------------------------- calls */

/* The paper does not say how the ranks of a node learn in V1 and V2 that a message has arrived. */
static const char *with_rounds(struct reproduction *reproduction, const char *algorithm)
{
    if (!reproduction_chooses(reproduction, "rounds", "barriers"))
        return algorithm;
    return strcmp(algorithm, "v1") == 0   ? "v1-barriers"
           : strcmp(algorithm, "v2") == 0 ? "v2-barriers"
                                          : algorithm;
}

static const struct run_facts *calls(struct reproduction *reproduction, const struct alltoall_setup *setup,
                                     int count)
{
    char workload[96], settings[256];
    snprintf(workload, sizeof workload, "alltoall:ranks=%" PRIu32 ",bytes=%" PRIu64 "B,iterations=%d",
             setup->nodes * setup->cluster->ppn, setup->bytes, count);
    snprintf(settings, sizeof settings,
             "ranks_per_node=%" PRIu32 " mpi.alltoall=%s host.system=%s rnic.transport=%s "
             "packet.latency=382.81ns packet.bandwidth=12.5GB/s",
             setup->cluster->ppn, with_rounds(reproduction, setup->algorithm), setup->cluster->system,
             setup->cluster->has_cache ? setup->transport : "none");
    return reproduction_run(reproduction, "packet", workload, settings);
}

double alltoall_latency_us(struct reproduction *reproduction, const struct alltoall_setup *setup)
{
    int averaged = atoi(reproduction_choice(reproduction, "calls"));
    double whole_s = calls(reproduction, setup, 1 + averaged)->makespan_s;
    return 1e6 * (whole_s - calls(reproduction, setup, 1)->makespan_s) / averaged;
}

static double reads_of(const struct run_facts *facts)
{
    return run_host_metric(facts, "second_level_misses") + run_host_metric(facts, "mtt_reads") +
           run_host_metric(facts, "work_request_reads");
}

double alltoall_pcie_reads(struct reproduction *reproduction, const struct alltoall_setup *setup)
{
    return reads_of(calls(reproduction, setup, 2)) - reads_of(calls(reproduction, setup, 1));
}

double alltoall_queue_pairs(struct reproduction *reproduction, const struct alltoall_setup *setup)
{
    return run_host_metric(calls(reproduction, setup, 1), "queue_pairs");
}

/* ---------------------------------------------------------------- stand-ins */

/* Open MPI's own table (coll/tuned, ompi_coll_tuned_alltoall_intra_dec_fixed of 4.1 and 5.0): "modified
 * Bruck" below these sizes; above them, up to 4 KiB, "linear" and "linear with sync", which post to all ranks
 * at once. The windows of scatter-destination stand for both, which keeps 51 million messages from being
 * outstanding at once. */
static const struct alltoall_choice open_mpi[] = {{512, 1024}, {2048, 512}, {4096, 1024}, {UINT32_MAX, 2048}};

/* The limit of MPICH, which Intel MPI derives from (MPIR_CVAR_ALLTOALL_SHORT_MSG_SIZE). Above it, up to
 * 32 KiB, it sends to all ranks. */
static const struct alltoall_choice mpich[] = {{UINT32_MAX, 257}};

/* MVAPICH2's table for the most ranks per node of those that are published as source (Stampede, 16). */
static const struct alltoall_choice mvapich[] = {{129, 2049}, {UINT32_MAX, 1025}};

/* Transports: UCX leaves RC for DC beyond 256 endpoints (UCX_RC_MAX_NUM_EPS), and Intel MPI uses UCX on such
 * adapters. HPC-X is Open MPI over UCX too; here it uses RC, since the paper saw it run out of queue pairs.
 * MVAPICH2-X "picks the best transport among the three" (section IV-B). */
const struct alltoall_stand_in alltoall_stand_ins[ALLTOALL_STAND_INS] = {
    [LIBRARY_OPEN_MPI] =
        {"Open MPI + UCX", "section-4/open-mpi-7168", open_mpi, "scatter-destination", {"dc"}},
    [LIBRARY_HPC_X] = {"HPC-X", "section-4/hpc-x-7168", open_mpi, "scatter-destination", {"rc"}},
    [LIBRARY_INTEL_MPI] = {"Intel MPI", "section-4/intel-mpi-7168", mpich, "scatter-destination", {"dc"}},
    [LIBRARY_MVAPICH] = {"MVAPICH2-X", "section-4/mvapich2-x-7168", mvapich, "pairwise", {"rc", "dc", "ud"}}};

static const char *choose(const struct alltoall_stand_in *stand_in, uint32_t ranks, uint64_t bytes)
{
    const struct alltoall_choice *choice = stand_in->choices;
    while (ranks >= choice->ranks)
        choice++;
    return bytes < choice->bruck_bytes ? "bruck" : stand_in->beyond;
}

struct alltoall_setup alltoall_as(const struct alltoall_stand_in *stand_in,
                                  const struct alltoall_cluster *cluster, uint32_t nodes, uint64_t bytes,
                                  size_t transport)
{
    return (struct alltoall_setup){.cluster = cluster,
                                   .nodes = nodes,
                                   .algorithm = choose(stand_in, nodes * cluster->ppn, bytes),
                                   .transport = stand_in->transports[transport],
                                   .bytes = bytes};
}

double alltoall_stand_in_us(struct reproduction *reproduction, const struct alltoall_stand_in *stand_in,
                            const struct alltoall_cluster *cluster, uint32_t nodes, uint64_t bytes)
{
    double least_us = NAN;
    for (size_t i = 0; stand_in->transports[i] && (i == 0 || cluster->has_cache); i++) {
        struct alltoall_setup setup = alltoall_as(stand_in, cluster, nodes, bytes, i);
        least_us =
            fmin(least_us, alltoall_latency_us(reproduction, &setup)); /* of NaN and a number, the number */
    }
    return least_us;
}
