/* What the programs of this folder share. Each does the work of a program of MPI's daily life on fixed data,
 * so that its calls follow from the number of ranks, and prints a sum that depends on all messages. */
#ifndef TESTS_MPI_DAILY_H
#define TESTS_MPI_DAILY_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int ranks, me;

static inline void daily_begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
}

static inline double *daily_array(int count)
{
    double *array = calloc((size_t)count + 1, sizeof *array);
    if (!array)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return array;
}

/* The elements of `whole` that part `index` of `parts` has: larger parts first. */
static inline int daily_share(int whole, int parts, int index)
{
    return whole / parts + (index < whole % parts);
}

/* Steps of work, in proportion to `steps`. */
static inline double daily_work(long steps, double value)
{
    for (long i = 0; i < steps; i++)
        value = value * 0.999999 + 1e-6;
    return value;
}

static inline void daily_end(double value)
{
    double sum = 0;
    MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (me == 0)
        printf("sum %.6g\n", sum);
    MPI_Finalize();
}

#endif
