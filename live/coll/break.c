#include "live/coll/internal.h"

/* MPIs that can go on after the failure of a process have it. */
extern int PMPIX_Comm_revoke(MPI_Comm comm) __attribute__((weak));

void live_break(struct live_comm *comm, int error)
{
    int class = MPI_ERR_OTHER;
    PMPI_Error_class(error, &class);
    comm->broken = error;
    if (PMPIX_Comm_revoke && (class == LIVE_REVOKED || class == LIVE_PROC_FAILED))
        PMPIX_Comm_revoke(comm->mine);
}
