#include "live/coll/vector.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll/footprint.h"
#include "coll/nodes.h"

#ifdef OPEN_MPI
enum { IS_OPENMPI = true };
#else
enum { IS_OPENMPI = false };
#endif

/* ---------------------------------------------------------------- progress */

/* Moves messages that are under way, by a probe for a message that nobody sends. The probe must find nothing:
 * an MPI whose probe finds a message at once, such as one of ours that has come early, may return without
 * moving any other, however often it is called. An error of such a probe is one of the communicator. */
static bool progress(void *self)
{
    struct live_comm *comm = self;
    MPI_Status status;
    int flag, error = PMPI_Iprobe(MPI_ANY_SOURCE, LIVE_TAG_NEVER_SENT, comm->mine, &flag, &status);
    if (error != MPI_SUCCESS && comm->broken == MPI_SUCCESS)
        live_break(comm, error);
    return comm->broken == MPI_SUCCESS;
}

bool live_is_broken(struct live_comm *comm)
{
    return !progress(comm);
}

static void init_backoff(struct live_comm *comm, MPI_Comm host)
{
    int ranks_here;
    const struct limits limits = limits_read("");
    PMPI_Comm_size(host, &ranks_here);
    comm->cores = live_cores_of(host, &limits, comm->set_up_words);
    comm->memory = limits.memory;
    comm->backoff =
        (struct backoff){.oversubscribed = live_is_oversubscribed((uint32_t)ranks_here, comm->cores),
                         .progress = progress,
                         .self = comm};
}

/* ------------------------------------------------------------------- nodes */

enum { NO_NODE = UINT32_MAX };

/* Sets `node` to a communicator of the ranks on this node. Returns the number of the node, which is its
 * lowest rank, or NO_NODE if the MPI can make no communicator. */
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

/* Makes the map of nodes. `place` is the number of this rank's node. False, on all ranks, if any rank has
 * NO_NODE: the MPI may have run out of communicators on one node only. */
static bool map_nodes(struct live_comm *comm, uint32_t place)
{
    uint32_t *place_of = comm->set_up_words;
    uint32_t mebibytes = comm->memory >> 20 < UINT32_MAX ? (uint32_t)(comm->memory >> 20) : UINT32_MAX;
    const uint32_t mine[SET_UP_WORDS] = {place, comm->cores, mebibytes};
    if (PMPI_Allgather(mine, SET_UP_WORDS, MPI_UINT32_T, place_of, SET_UP_WORDS, MPI_UINT32_T, comm->mine) !=
        MPI_SUCCESS)
        return false;
    comm->cores = place_of[1];
    for (uint32_t rank = 0; rank < comm->size; rank++) {
        const uint32_t *told = place_of + SET_UP_WORDS * (size_t)rank;
        if (told[0] == NO_NODE)
            return false;
        mebibytes = told[2] < mebibytes ? told[2] : mebibytes;
        place_of[rank] = told[0];
    }
    comm->memory = mebibytes < UINT32_MAX ? (uint64_t)mebibytes << 20 : UINT64_MAX;
    coll_nodes_init(&comm->nodes, comm->size, place_of, comm->node_words);
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

/* ------------------------------------------------------------------ set-up */

/* Of the communicators that the library serves. There are at most COLL_FOOTPRINT_COMMS: each takes address
 * space and one more communicator of the MPI; MPICH has 2048 in all. */
static _Atomic int comm_count;

_Static_assert(sizeof(struct live_comm) == (IS_OPENMPI ? COLL_FOOTPRINT_OPENMPI : COLL_FOOTPRINT_MPICH),
               "src/coll/footprint.h has the size");
_Static_assert(sizeof(struct autotune) * LIVE_CLASSES == COLL_FOOTPRINT_TRIALS,
               "src/coll/footprint.h has it");
_Static_assert(sizeof(struct live_settings) == COLL_FOOTPRINT_SETTINGS, "src/coll/footprint.h has it");
_Static_assert(sizeof(struct shm_counter) == COLL_FOOTPRINT_COUNTER, "src/coll/footprint.h has it");
_Static_assert((int)SET_UP_WORDS == COLL_FOOTPRINT_SET_UP_WORDS, "src/coll/footprint.h has it");
_Static_assert(sizeof(MPI_Request) + sizeof(MPI_Status) + sizeof(int) ==
                   (IS_OPENMPI ? COLL_FOOTPRINT_REQUEST_OPENMPI : COLL_FOOTPRINT_REQUEST_MPICH),
               "src/coll/footprint.h has it");

static void comm_close(struct live_comm *comm)
{
    if (!comm)
        return;
    atomic_fetch_sub(&comm_count, 1);
    live_vector_close(comm->vector);
    live_memory_close(comm);
    for (int function = 0; function < LIVE_FUNCTIONS; function++)
        free(comm->autotunes[function]);
    for (int i = 0; i < LIVE_PLANS; i++)
        coll_plan_free(&comm->plans[i].plan);
    if (comm->mine != MPI_COMM_NULL)
        PMPI_Comm_free(&comm->mine);
    free(comm->node_words);
    free(comm->set_up_words);
    free(comm->requests);
    free(comm->completed);
    free(comm->statuses);
    free(comm->scratch);
    free(comm->packed_send);
    free(comm->packed_recv);
    free(comm);
}

/* NULL: no memory, or too many are open. */
static struct live_comm *comm_open(MPI_Comm theirs)
{
    int rank, size;
    PMPI_Comm_rank(theirs, &rank);
    PMPI_Comm_size(theirs, &size);
    struct live_comm *comm = atomic_load(&comm_count) < COLL_FOOTPRINT_COMMS ? calloc(1, sizeof *comm) : NULL;
    if (!comm)
        return NULL;
    atomic_fetch_add(&comm_count, 1);
    comm->rank = (uint32_t)rank;
    comm->size = (uint32_t)size;
    comm->mine = MPI_COMM_NULL;
    comm->node_words = malloc(coll_nodes_storage(comm->size) * sizeof *comm->node_words);
    comm->set_up_words = malloc(SET_UP_WORDS * (size_t)comm->size * sizeof *comm->set_up_words);
    if (comm->node_words && comm->set_up_words)
        return comm;
    comm_close(comm);
    return NULL;
}

static void report_set_up(const struct live_comm *comm)
{
    if (!comm->settings.verbose || comm->rank != 0)
        return;
    const uint32_t leaders = comm->leaders < comm->most_here ? comm->leaders : comm->most_here;
    fprintf(stderr,
            "helio coll (" HELIO_MPI "): %u rank%s on %u node%s of at most %u, %u leader%s%s; %u core%s\n",
            comm->size, comm->size == 1 ? "" : "s", comm->nodes.count, comm->nodes.count == 1 ? "" : "s",
            comm->most_here, leaders, leaders == 1 ? "" : "s", comm->shared ? "" : "; no shared memory",
            comm->cores, comm->cores == 1 ? "" : "s");
}

/* The first calls that `auto` leaves to the MPI. Set-up costs about as much as so many calls, and a program
 * that makes a communicator for each of its steps would pay that in each. */
enum { CALLS_BEFORE = 8 };

/* Whether the environment names an algorithm for any kind of call. */
static bool is_any_forced(const struct live_settings *settings)
{
    for (int kind = 0; kind < COLL_KINDS; kind++)
        if (strcmp(settings->algorithms[kind], "auto") != 0 && strcmp(settings->algorithms[kind], "mpi") != 0)
            return true;
    return false;
}

/* Whether it leaves all calls to the MPI. */
static bool are_all_left(const struct live_settings *settings)
{
    for (int kind = 0; kind < COLL_KINDS; kind++)
        if (strcmp(settings->algorithms[kind], "mpi") != 0)
            return false;
    return true;
}

/* What is wrong in the environment is said once, and not for each communicator. */
static void read_environment(struct live_settings *settings)
{
    static _Atomic bool is_wrong;
    if (is_wrong)
        return;
    live_settings_read(settings);
    is_wrong = !settings->valid;
}

/* Reads the environment of one rank for all. False: everything is left to the MPI. */
static bool read_settings(struct live_comm *comm, MPI_Comm theirs)
{
    struct live_settings *settings = &comm->settings;
    if (comm->rank == 0)
        read_environment(settings);
    if (PMPI_Bcast(settings, sizeof *settings, MPI_BYTE, 0, theirs) != MPI_SUCCESS)
        return false;
    comm->calls_before = is_any_forced(settings) ? 0 : CALLS_BEFORE;
    return settings->valid && !are_all_left(settings);
}

/* Makes our own communicator by a split; a dup would call the copy functions of the user's attributes. If the
 * MPI has no more communicators, all ranks know it and leave the calls to the MPI; so the user's error
 * handler is not called for it. For errors in our own calls it is called once, by call.c and vector.c. */
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

/* Buffers of GPUs go to the MPI untouched. So if any rank has loaded what GPUs need, all calls do. */
static bool are_devices_used(const struct live_comm *comm, MPI_Comm theirs)
{
    if (live_all_agree(theirs, !live_uses_devices()))
        return false;
    if (comm->settings.verbose && comm->rank == 0)
        fprintf(stderr, "helio coll (" HELIO_MPI "): a rank uses a GPU; the MPI's own is used\n");
    return true;
}

static bool set_up(struct live_comm *comm, MPI_Comm theirs)
{
    MPI_Comm node = MPI_COMM_NULL;
    if (are_devices_used(comm, theirs) || !split_own(comm, theirs))
        return false;
    bool found = map_nodes(comm, find_node(comm, &node));
    if (found) {
        live_known_share(comm);
        live_memory_open(comm, node);
        report_set_up(comm);
    }
    if (node != MPI_COMM_NULL)
        PMPI_Comm_free(&node);
    free(comm->set_up_words);
    comm->set_up_words = NULL;
    return found;
}

/* -------------------------------------------------------------- attributes */

static int keyval = MPI_KEYVAL_INVALID;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The attribute of a communicator that is left to the MPI for good. */
static struct live_comm left_to_mpi;

static int delete_attribute(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    if (value != &left_to_mpi && !live_is_forked()) /* what is here belongs to the parent */
        comm_close(value);
    return MPI_SUCCESS;
}

static uint32_t sessions; /* that the program has begun and not ended */

/* Whether the program is between MPI_Init and MPI_Finalize. */
static bool is_world_open(void)
{
    int initialized = 0, finalized = 0;
    PMPI_Initialized(&initialized);
    PMPI_Finalized(&finalized);
    return initialized && !finalized;
}

static bool have_keyval(void)
{
    pthread_mutex_lock(&lock);
    if (keyval == MPI_KEYVAL_INVALID && (sessions > 0 || is_world_open()))
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &keyval, NULL);
    bool have = keyval != MPI_KEYVAL_INVALID;
    pthread_mutex_unlock(&lock);
    return have;
}

void live_session_began(void)
{
    pthread_mutex_lock(&lock);
    if (sessions == 0 && !is_world_open())
        keyval = MPI_KEYVAL_INVALID; /* one from before MPI_Finalize is forgotten */
    sessions++;
    pthread_mutex_unlock(&lock);
}

/* The MPI forgets the key when all sessions have ended and the world is not open; then no communicator is
 * left that has it. */
void live_session_ends(void)
{
    pthread_mutex_lock(&lock);
    sessions -= sessions > 0;
    if (sessions == 0 && keyval != MPI_KEYVAL_INVALID && !is_world_open())
        PMPI_Comm_free_keyval(&keyval);
    pthread_mutex_unlock(&lock);
}

/* Whether all ranks of the communicator are in MPI_COMM_WORLD. Processes that MPI_Comm_spawn has started or
 * that have joined later may be without this library, which nothing here could find out. All ranks come to
 * the same answer: with ranks of two worlds in a communicator, each of them has some that are not in its own.
 */
static bool is_within_world(MPI_Comm theirs)
{
    MPI_Group group, world, within;
    int size = 0, size_within = 0;
    if (!is_world_open()) /* a communicator of a session: nobody can be started from there */
        return true;
    PMPI_Comm_group(theirs, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_intersection(group, world, &within);
    PMPI_Group_size(group, &size);
    PMPI_Group_size(within, &size_within);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    if (within != MPI_GROUP_EMPTY)
        PMPI_Group_free(&within);
    return size == size_within;
}

/* The first call of a communicator. Collective. */
static struct live_comm *attach(MPI_Comm theirs)
{
    if (!is_within_world(theirs)) {
        PMPI_Comm_set_attr(theirs, keyval, &left_to_mpi);
        return &left_to_mpi;
    }
    struct live_comm *comm = comm_open(theirs);
    if (!live_all_agree(theirs, comm != NULL) || !read_settings(comm, theirs)) {
        comm_close(comm);
        comm = &left_to_mpi;
    }
    PMPI_Comm_set_attr(theirs, keyval, comm);
    return comm;
}

/* A later call of a communicator that is not set up. NULL: it is still too early, or set-up has failed and
 * the communicator is left to the MPI from now on. Collective. */
static struct live_comm *set_up_when_due(struct live_comm *comm, MPI_Comm theirs)
{
    if (comm->calls_before > 0) {
        comm->calls_before--;
        return NULL;
    }
    if (set_up(comm, theirs))
        return comm;
    PMPI_Comm_set_attr(theirs, keyval, &left_to_mpi); /* calls delete_attribute for comm */
    return NULL;
}

void live_revoke(MPI_Comm theirs)
{
    struct live_comm *comm = NULL;
    int found = 0;
    if (live_is_forked() || keyval == MPI_KEYVAL_INVALID ||
        PMPI_Comm_get_attr(theirs, keyval, &comm, &found) != MPI_SUCCESS || !found)
        return;
    if (comm != &left_to_mpi && comm->mine != MPI_COMM_NULL)
        live_break(comm, LIVE_REVOKED);
}

/* The place in a communicator of which nothing is known yet. False: the library does not serve it. */
static bool find_place(MPI_Comm theirs, struct live_place *place)
{
    int is_inter, rank, size;
    if (PMPI_Comm_test_inter(theirs, &is_inter) != MPI_SUCCESS || is_inter ||
        PMPI_Comm_size(theirs, &size) != MPI_SUCCESS || size == 1 ||
        PMPI_Comm_rank(theirs, &rank) != MPI_SUCCESS)
        return false;
    *place = (struct live_place){(uint32_t)rank, (uint32_t)size};
    return true;
}

bool live_comm_find(MPI_Comm theirs, struct live_comm **comm, struct live_place *place, int *error)
{
    int found = 0;
    *comm = NULL;
    *error = MPI_SUCCESS;
    if (theirs == MPI_COMM_NULL || live_is_forked() || !have_keyval())
        return false;
    *error = PMPI_Comm_get_attr(theirs, keyval, comm, &found);
    if (*error != MPI_SUCCESS)
        return false;
    if (!found) {
        *comm = NULL;
        return find_place(theirs, place);
    }
    *place = (struct live_place){(*comm)->rank, (*comm)->size};
    return *comm != &left_to_mpi && (*comm)->broken == MPI_SUCCESS && !(*comm)->calls_differ;
}

struct live_comm *live_comm_enter(MPI_Comm theirs, struct live_comm *comm)
{
    if (!comm)
        comm = attach(theirs);
    if (comm == &left_to_mpi)
        return NULL;
    return comm->mine == MPI_COMM_NULL ? set_up_when_due(comm, theirs) : comm;
}
