/* Sample sort: splitters from all ranks, then MPI_Alltoallv with counts that follow from the numbers. */
#include "daily.h"

enum { NUMBERS = 360000 };

static int by_value(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

int main(int argc, char **argv)
{
    daily_begin(&argc, &argv);
    int own = NUMBERS / ranks, samples = ranks, total = 0;
    int *counts = calloc((size_t)ranks * 4, sizeof *counts), *in = counts + ranks, *starts = in + ranks,
        *in_starts = starts + ranks;
    double *numbers = daily_array(own), *sample = daily_array(samples), *all = daily_array(samples * ranks);
    unsigned long long state = (unsigned long long)me * 2654435761U + 1;
    for (int i = 0; i < own; i++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        numbers[i] = (double)(state >> 11);
    }
    qsort(numbers, (size_t)own, sizeof *numbers, by_value);
    for (int i = 0; i < samples; i++)
        sample[i] = numbers[(long)i * own / samples];
    MPI_Allgather(sample, samples, MPI_DOUBLE, all, samples, MPI_DOUBLE, MPI_COMM_WORLD);
    qsort(all, (size_t)samples * (size_t)ranks, sizeof *all, by_value);
    for (int i = 0, to = 0; i < own; i++) {
        while (to + 1 < ranks && numbers[i] >= all[(to + 1) * samples])
            to++;
        counts[to]++;
    }
    MPI_Alltoall(counts, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++) {
        starts[i] = i ? starts[i - 1] + counts[i - 1] : 0;
        in_starts[i] = total;
        total += in[i];
    }
    double *sorted = daily_array(total);
    MPI_Alltoallv(numbers, counts, starts, MPI_DOUBLE, sorted, in, in_starts, MPI_DOUBLE, MPI_COMM_WORLD);
    qsort(sorted, (size_t)total, sizeof *sorted, by_value);
    double value = total ? sorted[total / 2] : 0;
    free(counts);
    free(numbers);
    free(sample);
    free(all);
    free(sorted);
    daily_end(value);
    return 0;
}
