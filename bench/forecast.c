/* The programs of bench/forecast that spend much of their time in MPI.
 *
 *     forecast halo|allreduce|allgatherv|alltoall BYTES STEPS
 *
 * In each step a rank computes on its BYTES bytes, then exchanges them with both neighbours on a ring (halo),
 * or with all ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ranks, me;

static double *array(int count)
{
    double *values = calloc((size_t)count, sizeof *values);
    if (!values)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return values;
}

/* What the rank sends, and what it receives from all. */
struct field {
    int count; /* of what a rank sends, to one rank */
    double *mine, *all;
    int *counts, *starts;
};

static void halo(const struct field *field)
{
    const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
    MPI_Sendrecv(field->mine, field->count, MPI_DOUBLE, right, 1, field->all, field->count, MPI_DOUBLE, left,
                 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(field->mine, field->count, MPI_DOUBLE, left, 2, field->all, field->count, MPI_DOUBLE, right,
                 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void allreduce(const struct field *field)
{
    MPI_Allreduce(field->mine, field->all, field->count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void allgatherv(const struct field *field)
{
    MPI_Allgatherv(field->mine, field->count, MPI_DOUBLE, field->all, field->counts, field->starts,
                   MPI_DOUBLE, MPI_COMM_WORLD);
}

static void alltoall(const struct field *field)
{
    MPI_Alltoall(field->mine, field->count / ranks, MPI_DOUBLE, field->all, field->count / ranks, MPI_DOUBLE,
                 MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*exchange)(const struct field *field);
} kinds[] = {{"halo", halo}, {"allreduce", allreduce}, {"allgatherv", allgatherv}, {"alltoall", alltoall}};

static void compute(const struct field *field)
{
    for (int i = 0; i < field->count; i++)
        field->mine[i] = 0.5 * field->mine[i] + 0.25 * field->all[i] + 1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    size_t kind = 0, kind_count = sizeof kinds / sizeof *kinds;
    while (argc == 4 && kind < kind_count && strcmp(kinds[kind].name, argv[1]) != 0)
        kind++;
    const int count = argc == 4 ? atoi(argv[2]) / (int)sizeof(double) : 0;
    if (kind == kind_count || count < ranks)
        MPI_Abort(MPI_COMM_WORLD, 2);
    struct field field = {.count = count, .mine = array(count), .all = array(count * ranks)};
    field.counts = calloc((size_t)ranks, sizeof *field.counts);
    field.starts = calloc((size_t)ranks, sizeof *field.starts);
    if (!field.counts || !field.starts)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < ranks; i++) {
        field.counts[i] = count;
        field.starts[i] = i * count;
    }
    for (long step = atol(argv[3]); step > 0; step--) {
        compute(&field);
        kinds[kind].exchange(&field);
    }
    if (me == 0)
        printf("%g\n", field.mine[0]);
    free(field.mine);
    free(field.all);
    free(field.counts);
    free(field.starts);
    MPI_Finalize();
    return 0;
}
