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

/* The thousandths of a core that the control groups of all ranks give together; 0: as many as there are. A
 * group that several ranks are in counts once. */
static uint64_t millicores_of_groups(MPI_Comm host, const struct limits *mine, uint32_t *words)
{
    const uint32_t told[2] = {mine->group, mine->millicores};
    uint64_t sum = 0;
    int ranks = 0;
    PMPI_Comm_size(host, &ranks);
    if (PMPI_Allgather(told, 2, MPI_UINT32_T, words, 2, MPI_UINT32_T, host) != MPI_SUCCESS)
        return 0;
    for (int i = 0; i < ranks; i++) {
        bool counted = false;
        for (int before = 0; before < i && !counted; before++)
            counted = words[2 * (size_t)before] == words[2 * (size_t)i];
        if (words[2 * (size_t)i + 1] == 0)
            return 0;
        sum += counted ? 0 : words[2 * (size_t)i + 1];
    }
    return sum;
}

uint32_t live_cores_of(MPI_Comm host, const struct limits *mine_limits, uint32_t *words)
{
    cpu_set_t mine, all;
    CPU_ZERO(&mine);
    CPU_ZERO(&all);
    sched_getaffinity(0, sizeof mine, &mine);
    PMPI_Allreduce(&mine, &all, (int)(sizeof mine / sizeof(unsigned long)), MPI_UNSIGNED_LONG, MPI_BOR, host);
    int count = CPU_COUNT(&all);
    /* 0: more processors than cpu_set_t has room for */
    uint32_t cores = count > 0 ? (uint32_t)count : cores_online();
    uint64_t given = millicores_of_groups(host, mine_limits, words);
    if (given == 0 || given / 1000 >= cores)
        return cores;
    return given >= 1000 ? (uint32_t)(given / 1000) : 1;
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
