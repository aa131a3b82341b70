/* Collectives on a communicator of a session of MPI 4, without MPI_Init. MPIs before version 4 have none: the
 * program says so. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#if MPI_VERSION < 4

int main(void)
{
    puts("this MPI has no sessions");
    return 77;
}

#else

enum { CALLS = 200 };

static void wrong(const char *what, int got, int expected)
{
    fprintf(stderr, "%s is %d, not %d\n", what, got, expected);
    exit(1);
}

/* Its rank in the communicator. */
static int call_often(MPI_Comm comm)
{
    int rank, size, sum = -1, told;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < CALLS; i++) {
        int number = rank + i;
        MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, comm);
        if (sum != size * (size - 1) / 2 + size * i)
            wrong("a sum", sum, size * (size - 1) / 2 + size * i);
        told = rank == i % size ? i : -1;
        MPI_Bcast(&told, 1, MPI_INT, i % size, comm);
        if (told != i)
            wrong("what the root told", told, i);
        MPI_Barrier(comm);
    }
    if (rank == 0)
        puts("ok session"), fflush(stdout);
    return rank;
}

int main(void)
{
    MPI_Session session, second;
    MPI_Group group;
    MPI_Comm comm, copy;
    int initialized = 1;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
    MPI_Initialized(&initialized);
    if (initialized)
        wrong("MPI_Initialized", initialized, 0);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "helio", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    int rank = call_often(comm);
    MPI_Session_finalize(&second); /* the first one goes on */
    MPI_Comm_dup(comm, &copy);
    call_often(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    if (rank == 0) /* a launcher may mix the lines of several ranks */
        puts("finalized");
    return 0;
}

#endif
