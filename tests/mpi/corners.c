/* Programs by which a tracer is easily misled, each by its name: tests/mpi/capture.sh says what is expected.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank;

/* Until somebody ends it, but no longer than a test may take. */
static void endless(void)
{
    alarm(100);
    for (;;) {
        MPI_Barrier(MPI_COMM_WORLD);
        usleep(20000);
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} programs[] = {
    {"endless", endless},
};

int main(int argc, char **argv)
{
    int found = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; argc == 2 && i < sizeof programs / sizeof *programs; i++)
        if (strcmp(argv[1], programs[i].name) == 0) {
            programs[i].run();
            found = 1;
        }
    MPI_Finalize();
    if (!found)
        fprintf(stderr, "no program of that name\n");
    return found ? 0 : 2;
}
