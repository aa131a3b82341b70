#include <sched.h>
#include <stdio.h>

#include "coll/nodes.h"
#include "live/coll/internal.h"

enum { NO_SOCKET = UINT32_MAX };

static int package_of(int processor)
{
    char path[96];
    int package = -1;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id", processor);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%d", &package) != 1)
        package = -1;
    if (file)
        fclose(file);
    return package;
}

/* The socket of this process. NO_SOCKET: it may run on several, or the system does not tell. */
static uint32_t socket_here(void)
{
    cpu_set_t allowed;
    int package = -1;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return NO_SOCKET;
    for (int processor = 0; processor < CPU_SETSIZE; processor++) {
        if (!CPU_ISSET(processor, &allowed))
            continue;
        int found = package_of(processor);
        if (found < 0 || (package >= 0 && found != package))
            return NO_SOCKET;
        package = found;
    }
    return package < 0 ? NO_SOCKET : (uint32_t)package;
}

/* How many of the node's first `count` ranks are on the socket of its rank `local`. */
static uint32_t neighbours(const struct coll_call *call, const uint32_t *sockets, uint32_t node,
                           uint32_t count, uint32_t local)
{
    uint32_t found = 0, socket = sockets[node_member(call, node, local)];
    for (uint32_t i = 0; i < count; i++)
        found += sockets[node_member(call, node, i)] == socket;
    return found;
}

static uint32_t sockets_of_node(const struct coll_call *call, const uint32_t *sockets, uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t local = 0; local < node_ranks(call, node); local++)
        count += neighbours(call, sockets, node, local, local) == 0;
    return count;
}

/* Makes each of local ranks 1 ... leaders - 1 a rank of the socket that has the fewest leaders so far. */
static void spread_leaders(struct live_comm *comm, const struct coll_call *call, const uint32_t *sockets,
                           uint32_t node)
{
    uint32_t ranks = node_ranks(call, node);
    for (uint32_t lead = 1; lead < comm->leaders && lead < ranks; lead++) {
        uint32_t best = lead;
        for (uint32_t local = lead; local < ranks; local++)
            if (neighbours(call, sockets, node, lead, local) < neighbours(call, sockets, node, lead, best))
                best = local;
        coll_nodes_lead(&comm->nodes, comm->node_words, node, best, lead);
    }
}

void live_leaders_find(struct live_comm *comm, uint32_t *sockets)
{
    const struct coll_call call = {.size = comm->size, .nodes = &comm->nodes};
    uint32_t mine = socket_here();
    comm->leaders = comm->settings.leaders;
    if (comm->leaders == 1)
        return;
    if (comm->settings.ranks_per_socket)
        mine = node_local_of(&call, comm->rank) / comm->settings.ranks_per_socket;
    PMPI_Allgather(&mine, 1, MPI_UINT32_T, sockets, 1, MPI_UINT32_T, comm->mine);
    for (uint32_t node = 0; comm->settings.leaders == 0 && node < comm->nodes.count; node++) {
        uint32_t count = sockets_of_node(&call, sockets, node);
        if (count > comm->leaders)
            comm->leaders = count;
    }
    for (uint32_t node = 0; node < comm->nodes.count; node++)
        spread_leaders(comm, &call, sockets, node);
}
