/* Counts messages below the MPI (count.h). */
#include "live/choices/count.h"

#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

#pragma GCC visibility push(default)

static struct sent *counting; /* NULL: not now */
static bool seen;             /* any message at all */

static void count(int destination, size_t bytes)
{
    seen = true;
    if (!counting || destination < 0 || destination >= SENT_RANKS_MAX)
        return;
    counting->messages[destination]++;
    counting->bytes[destination] += bytes;
}

void sent_begin(struct sent *counts)
{
    memset(counts, 0, sizeof *counts);
    counting = counts;
}

void sent_end(void)
{
    counting = NULL;
}

/* For Open MPI. Its component records if it is enabled, and, where layers are named, is named too. Ranks that
 * wait yield, since there may be more ranks than cores. What somebody has set stays. */
void sent_prepare(void)
{
    const char *layers = getenv("OMPI_MCA_pml");
    char longer[512];
    setenv("OMPI_MCA_pml_monitoring_enable", "1", 0);
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    if (layers && *layers && *layers != '^' && !strstr(layers, "monitoring") &&
        snprintf(longer, sizeof longer, "%s,monitoring", layers) < (int)sizeof longer)
        setenv("OMPI_MCA_pml", longer, 1);
}

/* A message from each rank to each other one. */
static void meet_all(void (*before)(int peer))
{
    int rank, size;
    char nothing = 0, got;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int distance = 1; distance < size; distance++) {
        int to = (rank + distance) % size, from = (rank + size - distance) % size;
        MPI_Request request;
        MPI_Irecv(&got, 1, MPI_CHAR, from, 0, MPI_COMM_WORLD, &request);
        before(to);
        MPI_Send(&nothing, 1, MPI_CHAR, to, 0, MPI_COMM_WORLD);
        before(-1);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

#ifdef OPEN_MPI

void mca_common_monitoring_record_pml(int world_rank, size_t data_size, int tag);

void mca_common_monitoring_record_pml(int world_rank, size_t data_size, int tag)
{
    (void)tag; /* that of a persistent request, as in its linear alltoall, is not told */
    count(world_rank, data_size);
}

static void ignore_peer(int peer)
{
    (void)peer;
}

bool sent_open(const char **why)
{
    meet_all(ignore_peer);
    *why = "Open MPI's component monitoring does not record messages here";
    return seen;
}

#elif defined HELIO_WITH_UCP

#include <ucp/api/ucp.h>

static struct {
    ucp_ep_h endpoint;
    int rank;
} known[SENT_RANKS_MAX];
static size_t known_count;
static int learning = -1;

/* UCX asks for the bytes of a message whose type is not contiguous, when it gets the message to send. */
static size_t (*packed_size_of_mpi)(void *state);
static size_t packed_bytes;

static size_t packed_size(void *state)
{
    packed_bytes = packed_size_of_mpi(state);
    return packed_bytes;
}

static void learn_peer(int peer)
{
    learning = peer;
}

bool sent_open(const char **why)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    meet_all(learn_peer);
    *why = "MPICH does not send its messages with ucp_tag_send_nbx of UCX here";
    return known_count == (size_t)size - 1;
}

static int rank_of(ucp_ep_h endpoint)
{
    for (size_t i = 0; i < known_count; i++)
        if (known[i].endpoint == endpoint)
            return known[i].rank;
    if (learning < 0 || known_count == SENT_RANKS_MAX)
        return -1;
    known[known_count].endpoint = endpoint;
    known[known_count].rank = learning;
    return known[known_count++].rank;
}

ucs_status_t ucp_dt_create_generic(const ucp_generic_dt_ops_t *ops, void *context, ucp_datatype_t *datatype)
{
    ucs_status_t (*next)(const ucp_generic_dt_ops_t *, void *, ucp_datatype_t *);
    ucp_generic_dt_ops_t changed = *ops; /* those of MPICH are the same for all its types */
    *(void **)&next = dlsym(RTLD_NEXT, "ucp_dt_create_generic");
    packed_size_of_mpi = ops->packed_size;
    changed.packed_size = packed_size;
    return next(&changed, context, datatype);
}

typedef ucs_status_ptr_t send_function(ucp_ep_h, const void *, size_t, ucp_tag_t,
                                       const ucp_request_param_t *);

/* Passes the message on to the function `name` of UCX. */
static ucs_status_ptr_t pass_on(const char *name, ucp_ep_h endpoint, const void *buffer, size_t elements,
                                ucp_tag_t tag, const ucp_request_param_t *param)
{
    send_function *next;
    *(void **)&next = dlsym(RTLD_NEXT, name);
    bool typed = param->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE;
    uint64_t class = typed ? param->datatype & UCP_DATATYPE_CLASS_MASK : UCP_DATATYPE_CONTIG;
    size_t element_bytes = typed ? (size_t)(param->datatype >> UCP_DATATYPE_SHIFT) : 1;
    ucs_status_ptr_t result = next(endpoint, buffer, elements, tag, param);
    count(rank_of(endpoint), class == UCP_DATATYPE_GENERIC ? packed_bytes : elements * element_bytes);
    return result;
}

ucs_status_ptr_t ucp_tag_send_nbx(ucp_ep_h endpoint, const void *buffer, size_t elements, ucp_tag_t tag,
                                  const ucp_request_param_t *param)
{
    return pass_on("ucp_tag_send_nbx", endpoint, buffer, elements, tag, param);
}

/* A synchronous send, as in the gatherv of 32 and more ranks. */
ucs_status_ptr_t ucp_tag_send_sync_nbx(ucp_ep_h endpoint, const void *buffer, size_t elements, ucp_tag_t tag,
                                       const ucp_request_param_t *param)
{
    return pass_on("ucp_tag_send_sync_nbx", endpoint, buffer, elements, tag, param);
}

/* A rank that waits yields and then sleeps, since there may be more ranks than cores. */
unsigned ucp_worker_progress(ucp_worker_h worker)
{
    enum { YIELDS = 8, SLEEP_NS = 20000 };
    static unsigned (*next)(ucp_worker_h);
    static unsigned idle; /* calls in a row without an event */
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned events = next(worker);
    idle = events > 0 ? 0 : idle + 1;
    if (idle > YIELDS)
        nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
    else if (idle > 0)
        sched_yield();
    return events;
}

#else

static void ignore_peer(int peer)
{
    (void)peer;
}

bool sent_open(const char **why)
{
    meet_all(ignore_peer);
    *why = "this was built without the headers of UCX (Debian: libucx-dev), below which messages are counted";
    return false;
}

#endif
