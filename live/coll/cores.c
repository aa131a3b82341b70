#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "live/coll/digits.h"
#include "live/coll/internal.h"

static uint32_t cores_online(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (uint32_t)cores : 1;
}

uint32_t live_cores_of(MPI_Comm host)
{
    cpu_set_t mine, all;
    CPU_ZERO(&mine);
    CPU_ZERO(&all);
    sched_getaffinity(0, sizeof mine, &mine);
    PMPI_Allreduce(&mine, &all, (int)(sizeof mine / sizeof(unsigned long)), MPI_UNSIGNED_LONG, MPI_BOR, host);
    int count = CPU_COUNT(&all);
    return count > 0 ? (uint32_t)count : cores_online(); /* 0: more processors than cpu_set_t has room for */
}

/* The job's ranks on this host, as the launcher tells them; 0: it does not. */
static uint32_t ranks_of_job_here(void)
{
#ifdef OPEN_MPI
    const char *text = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
#else
    const char *text = getenv("MPI_LOCALNRANKS");
#endif
    uint64_t ranks;
    return text && digits_read(&text, UINT32_MAX, &ranks) && !*text ? (uint32_t)ranks : 0;
}

bool live_is_oversubscribed(uint32_t ranks_here, uint32_t cores)
{
    return ranks_here > cores || ranks_of_job_here() > cores_online();
}
