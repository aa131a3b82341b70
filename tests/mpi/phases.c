/* Three phases of MPI_Pcontrol: before it, one of 3 x 20 ms, which begins three times, and one that ends with
 * 10 ms. */
#include <mpi.h>
#include <time.h>

/* Uses so much time of the processor, which is what a trace records of computation. */
static void work(double ms)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    for (double end = 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec + ms;
         1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec < end;)
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) {
        MPI_Pcontrol(7);
        work(20);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Pcontrol(-2);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    work(10);
    MPI_Finalize();
    return 0;
}
