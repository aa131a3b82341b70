#include "base/mem.h"
#include "base/time.h"
#include "collfile/collfile.h"

/* What each GPU has to send, and to receive, at least: on a network in which every GPU has one port of this
 * rate each way and nothing is summed on the way. An allreduce sends 2 (n - 1) / n of its vector (Patarasuk
 * and Yuan, J. Parallel Distrib. Comput. 69, 2009). */
static double least_bytes(const struct collfile_proof *proof)
{
    double bytes = (double)proof->bytes, ranks = (double)proof->ranks;
    switch (proof->op) {
    case COLLFILE_ALLREDUCE:
        return 2 * (ranks - 1) / ranks * bytes;
    case COLLFILE_REDUCE_SCATTER:
        return (ranks - 1) / ranks * bytes;
    default:
        return (ranks - 1) * bytes;
    }
}

struct port {
    uint32_t gpu;
    uint64_t sent, received;
};

static int compare_ports(const void *a, const void *b)
{
    const struct port *left = a, *right = b;
    return left->gpu < right->gpu ? -1 : left->gpu > right->gpu;
}

/* One entry for each end of a link, then one for each GPU. */
static size_t add_up(struct port *ports, size_t count)
{
    size_t kept = 0;
    qsort(ports, count, sizeof *ports, compare_ports);
    for (size_t i = 0; i < count; i++) {
        if (kept && ports[kept - 1].gpu == ports[i].gpu) {
            ports[kept - 1].sent += ports[i].sent;
            ports[kept - 1].received += ports[i].received;
        } else {
            ports[kept++] = ports[i];
        }
    }
    return kept;
}

struct collfile_ports collfile_ports_of(const struct collfile_proof *proof, uint64_t rate_bytes_per_s)
{
    struct collfile_ports found = {.bound_s = 0};
    double rate = (double)rate_bytes_per_s;
    if (proof->bytes == 0 || proof->link_count == 0 || rate_bytes_per_s == 0)
        return found;
    struct port *ports = mem_alloc(2 * proof->link_count, sizeof *ports, "ports");
    for (size_t i = 0; i < proof->link_count; i++) {
        const struct collfile_link *link = &proof->links[i];
        ports[2 * i] = (struct port){.gpu = link->from, .sent = link->bytes};
        ports[2 * i + 1] = (struct port){.gpu = link->to, .received = link->bytes};
    }
    size_t count = add_up(ports, 2 * proof->link_count);
    found.bound_s = least_bytes(proof) / rate;
    for (size_t i = 0; i < count; i++) {
        uint64_t most = ports[i].sent > ports[i].received ? ports[i].sent : ports[i].received;
        if ((double)most / rate > found.load_s) {
            found.load_s = (double)most / rate;
            found.busiest_gpu = ports[i].gpu;
        }
    }
    free(ports);
    return found;
}
