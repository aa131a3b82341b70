/* Stands in for an MPI that can go on after a failure (ULFM), preloaded behind the library. The program
 * controls it by MPI_Pcontrol: 0: nothing fails; 1: from 200 ms on, probes fail; 2: how many communicators
 * are revoked, which it returns. Probes in revoked communicators fail too. */
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

#define PUBLIC __attribute__((visibility("default")))

enum { REVOKED_MAX = 8, FAILS_MS = 200 };

static MPI_Comm revoked[REVOKED_MAX];
static int revoked_count;
static double fails_at; /* MPI_Wtime(); 0: never */

PUBLIC int MPI_Pcontrol(const int level, ...)
{
    fails_at = level == 1 ? MPI_Wtime() + FAILS_MS * 1e-3 : 0;
    if (level == 0)
        revoked_count = 0;
    return level == 0 ? MPI_ERR_OTHER : revoked_count; /* an error: no MPI_Pcontrol of an MPI returns one */
}

PUBLIC int PMPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    static int (*next)(int, int, MPI_Comm, int *, MPI_Status *);
    if (!next)
        next = (__typeof__(next))dlsym(RTLD_NEXT, "PMPI_Iprobe");
    for (int i = 0; i < revoked_count; i++)
        if (revoked[i] == comm)
            return MPI_ERR_COMM;
    return fails_at > 0 && MPI_Wtime() > fails_at ? MPI_ERR_OTHER : next(from, tag, comm, flag, status);
}

static int note_revoked(MPI_Comm comm)
{
    if (revoked_count < REVOKED_MAX)
        revoked[revoked_count++] = comm;
    return MPI_SUCCESS;
}

PUBLIC int PMPIX_Comm_revoke(MPI_Comm comm);
PUBLIC int MPIX_Comm_revoke(MPI_Comm comm);

PUBLIC int PMPIX_Comm_revoke(MPI_Comm comm)
{
    return note_revoked(comm);
}

PUBLIC int MPIX_Comm_revoke(MPI_Comm comm)
{
    return note_revoked(comm);
}
