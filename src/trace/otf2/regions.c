#include "trace/otf2/regions.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "call/call.h"

/* An ending '*' stands for any further letters. The first that fits counts. */
static const struct {
    const char *name; /* behind "MPI_" */
    uint8_t kind, flags;
} known[] = {
    {"init", OTF2_INIT, 0},
    {"init_thread", OTF2_INIT, 0},
    {"finalize", OTF2_FINALIZE, 0},
    {"waitall", OTF2_WAITALL, 0},
    {"test", OTF2_TEST, 0},
    {"testall", OTF2_TEST, 0},
    {"testany", OTF2_TEST, 0},
    {"testsome", OTF2_TEST, 0},
    {"ssend*", OTF2_CALL, CALL_SYNCHRONOUS},
    {"issend", OTF2_CALL, CALL_SYNCHRONOUS},
    {"bsend*", OTF2_CALL, CALL_BUFFERED},
    {"ibsend", OTF2_CALL, CALL_BUFFERED},
    {"ibarrier", OTF2_LOST, 0},
    {"ibcast", OTF2_LOST, 0},
    {"igather*", OTF2_LOST, 0},
    {"iscatter*", OTF2_LOST, 0},
    {"iall*", OTF2_LOST, 0}, /* Iallgather, Ialltoall, Iallreduce and their kinds */
    {"ireduce*", OTF2_LOST, 0},
    {"iscan", OTF2_LOST, 0},
    {"iexscan", OTF2_LOST, 0},
    {"neighbor_allgather", OTF2_NEIGHBOURS, 0},
    {"neighbor_allgatherv", OTF2_NEIGHBOURS, 0},
    {"neighbor_alltoall", OTF2_NEIGHBOURS, 0},
    {"neighbor_alltoallv", OTF2_NEIGHBOURS, 0},
    {"neighbor_alltoallw", OTF2_NEIGHBOURS, 0},
    {"ineighbor_*", OTF2_LOST_NEIGHBOURS, 0},
    {"graph_create", OTF2_GRAPH, 0},
    {"dist_graph_create*", OTF2_GRAPH, 0},
    {"isendrecv*", OTF2_LOST, 0},
    {"put", OTF2_LOST, 0},
    {"rput", OTF2_LOST, 0},
    {"get", OTF2_LOST, 0},
    {"rget", OTF2_LOST, 0},
    {"accumulate", OTF2_LOST, 0},
    {"raccumulate", OTF2_LOST, 0},
    {"get_accumulate", OTF2_LOST, 0},
    {"rget_accumulate", OTF2_LOST, 0},
    {"fetch_and_op", OTF2_LOST, 0},
    {"compare_and_swap", OTF2_LOST, 0},
    {"win_fence", OTF2_LOST, 0},
    {"win_complete", OTF2_LOST, 0},
    {"win_wait", OTF2_LOST, 0},
    {"win_lock*", OTF2_LOST, 0},
    {"win_unlock*", OTF2_LOST, 0},
    {"win_flush*", OTF2_LOST, 0},
    {"file_*", OTF2_LOST, 0},
};

/* TAU's names have their arguments behind them: "MPI_Send()". */
static bool fits(const char *name, const char *pattern)
{
    while (*pattern && *pattern != '*' && tolower((unsigned char)*name) == *pattern) {
        name++;
        pattern++;
    }
    bool ends = !isalnum((unsigned char)*name) && *name != '_';
    return *pattern == '*' || (!*pattern && ends);
}

struct otf2_region otf2_region_of(const char *name)
{
    struct otf2_region region = {.name = name, .kind = OTF2_USER};
    if (strncasecmp(name, "mpi_", 4) != 0)
        return region;
    region.kind = OTF2_CALL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (fits(name + 4, known[i].name)) {
            region.kind = known[i].kind;
            region.flags = known[i].flags;
            break;
        }
    return region;
}
