#ifndef HELIO_COLL_MEASURED_H
#define HELIO_COLL_MEASURED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/stats.h"

/* Calls of a collective measured on a cluster (live/bench): the samples of each size and
 * algorithm, what they say about each other, and the table of choices that the preloaded library reads
 * (live/coll/choose.c). */
struct measured_series {
    uint64_t bytes;
    uint64_t
        longest; /* bytes of the longest block, where the blocks of a call differ and all ranks know all */
    char algorithm[48];
    double *ns, *processor_ns; /* of each sample: its time, and its processor time */
    size_t count, ns_capacity, processor_capacity;
    bool was_left; /* the library has left these calls of its algorithm to the MPI */
    bool was_slow; /* it has taken so long that the size has no further samples */
};

struct measured {
    char cluster[128];              /* "4 16 4 Open MPI v4.1.4" */
    unsigned nodes, ranks, most;    /* most: ranks of the largest node */
    struct measured_series *series; /* those of a size stand together; the first is compared with */
    size_t count, capacity;
    char late[48];          /* the algorithm of a sample that has not ended in time; "": none */
    char refused[400];      /* what is wrong in what was asked for; "": nothing */
    uint64_t longest_of[2]; /* a size, and the bytes of its longest block: those of the samples that follow */
    uint64_t late_bytes;    /* its size; 0: it is the first call of a communicator */
    char busy[128];         /* what other work has used meanwhile, in words; "": not known */
    bool is_busy;           /* so much that times may be those of the other work */
    bool is_done;           /* the measurement has come to its end */
};

/* Takes a line of the measuring program. False: the line is not one of its own. */
bool measured_read(struct measured *measured, const char *line);
void measured_free(struct measured *measured);

double measured_median_ns(const struct measured_series *series);
double measured_median_processor_ns(const struct measured_series *series);

/* Whether the MPI executes the calls of the algorithm of this name: "mpi", its default; "mpi:NAME", one of
 * its own; or "control", its default once more, which shows by how much equals differ. */
bool measured_is_of_mpi(const char *algorithm);

/* How many times as fast as the first algorithm of the same size: of the ratios of samples taken one after
 * the other. */
struct median_estimate measured_ratio(const struct measured *measured, const struct measured_series *series);

/* Writes the table of choices for a collective: for each size, as the library knows it, the algorithm of the
 * library with the best ratio among those that the whole interval says are faster than the first; "mpi" where
 * there is none. */
void measured_write_choices(const struct measured *measured, const char *collective, FILE *file);

/* Writes the one line for all sizes, where no rank of the library knows the size: an algorithm of the library
 * that is faster than the first for a size and slower for none; "mpi" where none is faster for a size. False:
 * it depends on the size, and there is no line. */
bool measured_write_choice_of_all(const struct measured *measured, const char *collective, FILE *file);

#endif
