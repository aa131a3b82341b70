#ifndef HELIO_PAPERS_FMU_MACHINE_H
#define HELIO_PAPERS_FMU_MACHINE_H

#include "papers/fmu/ways.h"

/* A physical model of the machine on which the paper's traces were made, in place of a rate for each program.
 * What a program computes takes as long as in our own recordings of it, times the scale of the machine, which
 * is one number for all programs. Beside the scale it has few unknowns (unknowns.csv): how often and for how
 * long ranks are interrupted, whether the start-up counts, a cache, and whether the bursts are those that
 * were recorded with as many ranks, or with four. */
struct fmu_pace {
    double rate;               /* counted operations per second of a rank */
    double start;              /* operations before the first communication */
    double noise_every, noise; /* operations between interruptions, and of one; 0: none */
};

struct fmu_pace fmu_machine_pace(struct reproduction *reproduction, const struct fmu_npb *npb);

#endif
