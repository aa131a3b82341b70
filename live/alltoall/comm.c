#include "live/alltoall/vector.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll/nodes.h"

/* ---------------------------------------------------------------------------------------------- progress */

/* A call that looks for a message, in vain, moves those that are under way. It must be in vain: an MPI that
 * finds one at once, as one of our own that has come too early, may look no further and move nothing, for
 * ever. */
static void progress(void *self)
{
    struct live_comm *comm = self;
    MPI_Status status;
    int flag;
    PMPI_Iprobe(MPI_ANY_SOURCE, LIVE_TAG_NEVER_SENT, comm->mine, &flag, &status);
}

static void init_backoff(struct live_comm *comm, MPI_Comm host)
{
    int ranks_here;
    PMPI_Comm_size(host, &ranks_here);
    comm->cores = live_cores_of(host);
    comm->backoff =
        (struct backoff){.oversubscribed = live_is_oversubscribed((uint32_t)ranks_here, comm->cores),
                         .progress = progress,
                         .self = comm};
}

/* -------------------------------------------------------------------------------------------------- nodes */

bool live_all_agree(MPI_Comm comm, bool here)
{
    int mine = here, all = 0;
    return PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all;
}

enum { NO_NODE = UINT32_MAX };

/* The ranks that share a node with this one, in `node`, and that node's number: its lowest rank. */
static uint32_t find_node(struct live_comm *comm, MPI_Comm *node)
{
    MPI_Group mine, theirs;
    int first = 0, lowest;
    if (PMPI_Comm_split_type(comm->mine, MPI_COMM_TYPE_SHARED, (int)comm->rank, MPI_INFO_NULL, node) !=
        MPI_SUCCESS)
        return NO_NODE;
    init_backoff(comm, *node);
    if (comm->settings.ranks_per_node) {
        MPI_Comm host = *node;
        bool split = PMPI_Comm_split(host, (int)(comm->rank / comm->settings.ranks_per_node), (int)comm->rank,
                                     node) == MPI_SUCCESS;
        PMPI_Comm_free(&host);
        if (!split) {
            *node = MPI_COMM_NULL;
            return NO_NODE;
        }
    }
    PMPI_Comm_group(comm->mine, &mine);
    PMPI_Comm_group(*node, &theirs);
    PMPI_Group_translate_ranks(theirs, 1, &first, mine, &lowest);
    PMPI_Group_free(&mine);
    PMPI_Group_free(&theirs);
    return (uint32_t)lowest;
}

/* False, on all ranks, when one is nowhere: a node's ranks may find that the MPI can have no more
 * communicators. */
static bool map_nodes(struct live_comm *comm, uint32_t place)
{
    uint32_t *place_of = comm->node_words + coll_nodes_words(comm->size), mine[2] = {place, comm->cores};
    PMPI_Allgather(mine, 2, MPI_UINT32_T, place_of, 2, MPI_UINT32_T, comm->mine);
    comm->cores = place_of[1];
    for (uint32_t rank = 0; rank < comm->size; rank++) {
        place_of[rank] = place_of[2 * (size_t)rank];
        if (place_of[rank] == NO_NODE)
            return false;
    }
    coll_nodes_make(&comm->nodes, comm->size, place_of, comm->node_words);
    live_leaders_find(comm, place_of);
    const struct coll_call call = {.size = comm->size, .nodes = &comm->nodes};
    comm->node = node_of(&call, comm->rank);
    comm->local = node_local_of(&call, comm->rank);
    comm->here = node_ranks(&call, comm->node);
    for (uint32_t node = 0; node < comm->nodes.count; node++)
        if (node_ranks(&call, node) > comm->most_here)
            comm->most_here = node_ranks(&call, node);
    return true;
}

/* --------------------------------------------------------------------------------------------- begin, end */

/* A communicator of our own takes one of the MPI's numbers, of which MPICH has 2048, and address space. */
enum { COMMS_MOST = 64 };

static _Atomic int comms; /* of this process */

static void comm_close(struct live_comm *comm)
{
    if (!comm)
        return;
    atomic_fetch_sub(&comms, 1);
    live_vector_close(comm->vector);
    live_memory_close(comm);
    for (int i = 0; i < LIVE_PLANS; i++)
        live_plan_free(&comm->plans[i].plan);
    if (comm->mine != MPI_COMM_NULL)
        PMPI_Comm_free(&comm->mine);
    free(comm->node_words);
    free(comm->requests);
    free(comm->completed);
    free(comm->statuses);
    free(comm->scratch);
    free(comm->packed_send);
    free(comm->packed_recv);
    free(comm);
}

/* NULL: there is no memory, or enough of them. */
static struct live_comm *comm_open(MPI_Comm theirs)
{
    int rank, size;
    PMPI_Comm_rank(theirs, &rank);
    PMPI_Comm_size(theirs, &size);
    struct live_comm *comm = atomic_load(&comms) < COMMS_MOST ? calloc(1, sizeof *comm) : NULL;
    if (!comm)
        return NULL;
    atomic_fetch_add(&comms, 1);
    comm->rank = (uint32_t)rank;
    comm->size = (uint32_t)size;
    comm->mine = MPI_COMM_NULL;
    comm->node_words =
        malloc((coll_nodes_words(comm->size) + 2 * (size_t)comm->size) * sizeof *comm->node_words);
    if (comm->node_words)
        return comm;
    comm_close(comm);
    return NULL;
}

static void report_set_up(const struct live_comm *comm)
{
    if (!comm->settings.verbose || comm->rank != 0)
        return;
    fprintf(stderr,
            "helio alltoall (" HELIO_MPI
            "): %u ranks on %u nodes of at most %u, %u leader%s; %s%s; %u core%s\n",
            comm->size, comm->nodes.count, comm->most_here, comm->leaders, comm->leaders == 1 ? "" : "s",
            comm->settings.algorithm, comm->shared ? "" : "; no shared memory", comm->cores,
            comm->cores == 1 ? "" : "s");
}

/* What `auto` leaves to the MPI before it begins: to begin costs about as many calls, and who makes a
 * communicator for each step of his program would pay that in each. */
enum { CALLS_BEFORE = 8 };

static bool is_forced(const char *setting)
{
    return strcmp(setting, "auto") != 0 && strcmp(setting, "mpi") != 0;
}

/* Whether anything is to be done, as the environment of one rank has it. */
static bool read_settings(struct live_comm *comm, MPI_Comm theirs)
{
    struct live_settings *settings = &comm->settings;
    if (comm->rank == 0)
        live_settings_read(settings);
    PMPI_Bcast(settings, sizeof *settings, MPI_BYTE, 0, theirs);
    comm->calls_before = is_forced(settings->algorithm) || is_forced(settings->vectors) ? 0 : CALLS_BEFORE;
    return settings->valid &&
           (strcmp(settings->algorithm, "mpi") != 0 || strcmp(settings->vectors, "mpi") != 0);
}

/* Our own communicator: a split and not a dup, which would call the copy functions of the user's attributes.
 * The user's error handler is not to hear that the MPI can have no more: then it was not for us, and all
 * ranks know. Of errors of what is ours it hears once, in call.c. */
static bool split_own(struct live_comm *comm, MPI_Comm theirs)
{
    MPI_Errhandler handler;
    PMPI_Comm_get_errhandler(theirs, &handler);
    PMPI_Comm_set_errhandler(theirs, MPI_ERRORS_RETURN);
    bool joined = PMPI_Comm_split(theirs, 0, (int)comm->rank, &comm->mine) == MPI_SUCCESS;
    PMPI_Comm_set_errhandler(theirs, handler);
    PMPI_Errhandler_free(&handler);
    if (joined)
        PMPI_Comm_set_errhandler(comm->mine, MPI_ERRORS_RETURN);
    else
        comm->mine = MPI_COMM_NULL;
    return joined;
}

static bool set_up(struct live_comm *comm, MPI_Comm theirs)
{
    MPI_Comm node = MPI_COMM_NULL;
    if (!split_own(comm, theirs))
        return false;
    bool found = map_nodes(comm, find_node(comm, &node));
    if (found) {
        live_memory_open(comm, node);
        report_set_up(comm);
    }
    if (node != MPI_COMM_NULL)
        PMPI_Comm_free(&node);
    return found;
}

/* --------------------------------------------------------------------------------------------- attributes */

static int keyval = MPI_KEYVAL_INVALID;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What is remembered of a communicator that is left to the MPI for good. */
static struct live_comm left_to_mpi;

static int delete_attribute(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    if (value != &left_to_mpi)
        comm_close(value);
    return MPI_SUCCESS;
}

static bool have_keyval(void)
{
    int initialized = 0;
    pthread_mutex_lock(&lock);
    if (keyval == MPI_KEYVAL_INVALID && PMPI_Initialized(&initialized) == MPI_SUCCESS && initialized)
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &keyval, NULL);
    pthread_mutex_unlock(&lock);
    return keyval != MPI_KEYVAL_INVALID;
}

/* At the communicator's first call. Collective. */
static struct live_comm *attach(MPI_Comm theirs)
{
    struct live_comm *comm = comm_open(theirs);
    if (!live_all_agree(theirs, comm != NULL) || !read_settings(comm, theirs)) {
        comm_close(comm);
        comm = &left_to_mpi;
    }
    PMPI_Comm_set_attr(theirs, keyval, comm);
    return comm;
}

/* At a later one, and from then on; NULL: it is too early, or not to be. Collective. */
static struct live_comm *set_up_when_due(struct live_comm *comm, MPI_Comm theirs)
{
    if (comm->calls_before > 0) {
        comm->calls_before--;
        return NULL;
    }
    if (set_up(comm, theirs))
        return comm;
    PMPI_Comm_set_attr(theirs, keyval, &left_to_mpi); /* `forget` is called for what was there */
    return NULL;
}

struct live_comm *live_comm_of(MPI_Comm theirs)
{
    struct live_comm *comm = NULL;
    int found = 0, is_inter = 1, size = 1;
    if (!have_keyval() || PMPI_Comm_get_attr(theirs, keyval, &comm, &found) != MPI_SUCCESS)
        return NULL;
    if (!found) {
        if (PMPI_Comm_test_inter(theirs, &is_inter) != MPI_SUCCESS || is_inter ||
            PMPI_Comm_size(theirs, &size) != MPI_SUCCESS || size == 1)
            return NULL;
        comm = attach(theirs);
    }
    if (comm == &left_to_mpi)
        return NULL;
    return comm->mine == MPI_COMM_NULL ? set_up_when_due(comm, theirs) : comm;
}

/* -------------------------------------------------------------------------------------------------- plans */

/* Calls after which what was not used may go. */
enum { STALE_CALLS = 1024 };

/* NULL: all are in use. Where more sizes come in turns than there are places, each would be gone when it is
 * looked for, and to write a plan costs more than it wins. But what is asked for by name is done. */
static struct plan_entry *place_for(struct live_comm *comm)
{
    struct plan_entry *oldest = &comm->plans[0];
    for (int i = 0; i < LIVE_PLANS; i++) {
        if (!comm->plans[i].is_filled)
            return &comm->plans[i];
        if (comm->plans[i].last_call < oldest->last_call)
            oldest = &comm->plans[i];
    }
    if (strcmp(comm->settings.algorithm, "auto") == 0 && comm->calls - oldest->last_call < STALE_CALLS)
        return NULL;
    live_plan_free(&oldest->plan);
    return oldest;
}

bool live_buffer_reserve(unsigned char **buffer, size_t *room, size_t bytes)
{
    if (bytes <= *room)
        return true;
    void *larger = realloc(*buffer, bytes);
    if (!larger)
        return false;
    *buffer = larger;
    *room = bytes;
    return true;
}

bool live_requests_reserve(struct live_comm *comm, uint32_t count)
{
    if (count <= comm->request_room)
        return true;
    MPI_Request *requests = realloc(comm->requests, count * sizeof *requests);
    if (requests)
        comm->requests = requests;
    int *completed = realloc(comm->completed, count * sizeof *completed);
    if (completed)
        comm->completed = completed;
    MPI_Status *statuses = realloc(comm->statuses, count * sizeof *statuses);
    if (statuses)
        comm->statuses = statuses;
    if (!requests || !completed || !statuses)
        return false;
    comm->request_room = count;
    return true;
}

static bool make_plan(struct live_comm *comm, struct live_plan *plan, const struct coll_algorithm *algorithm,
                      uint64_t block_bytes)
{
    const struct coll_call call = {.kind = COLL_ALLTOALL,
                                   .size = comm->size,
                                   .rank = comm->rank,
                                   .leaders = comm->leaders,
                                   .element = 1,
                                   .bytes = block_bytes,
                                   .nodes = &comm->nodes};
    return live_plan_init(plan, algorithm, &call) && live_requests_reserve(comm, plan->messages_max) &&
           live_buffer_reserve(&comm->scratch, &comm->scratch_room, plan->scratch_bytes);
}

static void write_plan(struct live_comm *comm, struct plan_entry *place, uint64_t block_bytes)
{
    char why[128] = "";
    bool tried;
    const struct coll_algorithm *algorithm = live_choose(comm, block_bytes, &tried, why, sizeof why);
    *place = (struct plan_entry){.block_bytes = block_bytes, .is_filled = true};
    if (algorithm && !live_all_agree(comm->mine, make_plan(comm, &place->plan, algorithm, block_bytes))) {
        live_plan_free(&place->plan);
        algorithm = NULL;
        snprintf(why, sizeof why, "a rank has no memory");
    }
    if (algorithm && tried)
        place->autotune = &comm->autotunes[63 - __builtin_clzll(block_bytes)];
    if (comm->settings.verbose && comm->rank == 0)
        fprintf(stderr, "helio alltoall: %llu B: %s (%s)\n", (unsigned long long)block_bytes,
                algorithm ? algorithm->name : "the MPI's own", why);
}

static struct plan_entry *find_plan(struct live_comm *comm, uint64_t block_bytes)
{
    for (int i = 0; i < LIVE_PLANS; i++)
        if (comm->plans[i].is_filled && comm->plans[i].block_bytes == block_bytes)
            return &comm->plans[i];
    struct plan_entry *place = place_for(comm);
    if (place)
        write_plan(comm, place, block_bytes);
    return place;
}

const struct plan_entry *live_plan_find(struct live_comm *comm, uint64_t block_bytes)
{
    comm->calls++;
    struct plan_entry *found = find_plan(comm, block_bytes);
    if (found)
        found->last_call = comm->calls;
    return found && found->plan.algorithm ? found : NULL;
}
