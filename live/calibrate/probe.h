#ifndef HELIO_CALIBRATE_PROBE_H
#define HELIO_CALIBRATE_PROBE_H

/* The program that `helio calibrate` starts under each MPI: it measures messages between two nodes, and
 * within one, and prints the lines that src/calibrate/samples.h reads. Each file uses only those above it in
 * this map.
 *
 *   world.c     nodes, machines and pairs; whether the ranks have the processors to themselves
 *   blocks.c    what is timed, in blocks of some calls
 *   eager.c     the largest message that needs no receive
 *   main.c      all blocks, round by round in random order */

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum place { BETWEEN, WITHIN, PLACES };
extern const char *const place_names[PLACES];

struct world {
    int rank, size;
    MPI_Comm machine; /* ranks under one kernel, which may be several nodes, as in containers */
    int nodes, most;  /* most: ranks of the largest node */
    int processors;   /* that the ranks of this machine may use; the least of all machines */
    bool has_cores;   /* on each machine a processor for each rank */
    int here;         /* ranks of the first node */
    int place_here;   /* number of this rank among those of the first node; -1: it is on another one */
    /* Ranks work in pairs, of which the first rank leads. */
    int pairs[PLACES];
    int pair[PLACES]; /* the pair of this rank; -1: none */
    int peer[PLACES];
    bool leads[PLACES];
};

void world_open(struct world *world);
/* Without spinning on a core that another rank may need. */
void world_barrier(void);
/* How often this process has lost its processor so far, also by yielding it in a barrier. */
long world_switches(void);

/* The other work on the machines while the ranks measured. */
struct quiet {
    double began, processor_s, others_s;
    long blocks, disturbed; /* disturbed: a rank lost its processor */
};
void quiet_begin(struct quiet *quiet, const struct world *world);
void quiet_count(struct quiet *quiet, bool lost_processor); /* after each block */
/* Rank 0 prints the guards. */
void quiet_print(struct quiet *quiet, const struct world *world);

enum kind { HALF, SEND, RECEIVE, GAP, STREAM, COPY, COMPUTE, KINDS };

struct block {
    enum kind kind;
    enum place place;
    int at_once; /* pairs, or ranks of the first node */
    long bytes;
    int calls; /* of a block; 0: to be found */
};

double now_ns(void);
void buffers_open(long largest);
/* Runs a block on all ranks; the mean of what its leaders measured, on rank 0. `lost_processor`: this rank
 * did, while it worked. */
double block_run(const struct world *world, const struct block *block, bool *lost_processor);

/* The largest message of at most `largest` bytes that MPI_Isend ends before its receive is posted; -1: it was
 * not the same twice. On rank 0. */
long eager_find(const struct world *world, enum place place, long largest);

#endif
