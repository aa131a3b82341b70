/* Checks of what happens to programs in production: processes that ranks fork, processes that MPI starts,
 * ranks that fail, limits of the system. They run with the library preloaded and without it.
 *
 *   production_MPI CHECK... */

#include <dlfcn.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "coll_checks.h"
#include "holdings.h"

static void call_all_kinds(const char *check, MPI_Comm comm, unsigned seed)
{
    for (int kind = 0; kind < COLL_KINDS; kind++) {
        struct coll_spec spec = spec_of((enum coll_kind)kind, comm, 12, seed);
        run_case(check, &spec);
    }
}

/* --------------------------------------------------------------------- fork */

/* How many mappings of the library's memory this process has. */
static int mappings_of_library(void)
{
    char line[4096];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        found += strstr(line, "memfd:helio-coll") != NULL;
    if (maps)
        fclose(maps);
    return found;
}

/* A child that lives while its parent goes on to call collectives. It ends with the number of mappings. */
static pid_t start_child(void)
{
    enum { LIVES_US = 20000 };
    pid_t child = fork();
    if (child != 0)
        return child;
    int found = mappings_of_library();
    usleep(LIVES_US);
    _exit(found);
}

static void check_fork(void)
{
    int ended = 0, mappings;
    call_all_kinds("fork", MPI_COMM_WORLD, 0);
    mappings = mappings_of_library();
    if (getenv("HELIO_COLL") && world_size > 1 && mappings == 0)
        fail("fork", "the library has no shared memory", 0, 0);
    for (unsigned round = 1; round < 4; round++) {
        pid_t child = start_child();
        call_all_kinds("fork", MPI_COMM_WORLD, round);
        if (child < 0 || waitpid(child, &ended, 0) != child || ended != 0)
            fail("fork", "mappings that the child has, of its parent's", ended, mappings);
        if (system("exit 5") == -1)
            fail("fork", "a command cannot be started", 0, 0);
        call_all_kinds("fork", MPI_COMM_WORLD, round);
    }
}

/* -------------------------------------------------------------------- spawn */

static const char *program;

/* Collectives between two groups, and in the group of all of their processes. */
static void call_with(MPI_Comm others, int is_child)
{
    MPI_Comm all;
    int number = 1, sum = 0, size;
    MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, others); /* of the other group */
    MPI_Comm_remote_size(others, &size);
    if (sum != size)
        fail("spawn", "sum, processes there", sum, size);
    MPI_Intercomm_merge(others, is_child, &all);
    for (unsigned round = 0; round < 12; round++)
        call_all_kinds("spawn", all, round);
    MPI_Comm_free(&all);
}

static void check_spawn(void)
{
    char *arguments[] = {"spawned", NULL};
    MPI_Comm children;
    call_all_kinds("spawn", MPI_COMM_WORLD, 0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                       MPI_ERRCODES_IGNORE) != MPI_SUCCESS) {
        if (world_rank == 0)
            puts("this MPI cannot start processes");
        return;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    call_with(children, 0);
    call_all_kinds("spawn", MPI_COMM_WORLD, 1);
    MPI_Comm_disconnect(&children);
}

/* What a spawned process does. */
static void check_spawned(void)
{
    MPI_Comm parents;
    MPI_Comm_get_parent(&parents);
    call_all_kinds("spawned", MPI_COMM_WORLD, 0);
    call_with(parents, 1);
    MPI_Comm_disconnect(&parents);
}

/* Two halves of the world connect to each other by a port. */
static void check_connect(void)
{
    int is_second = world_rank >= world_size / 2, opened = MPI_SUCCESS;
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm half, others;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (world_rank == 0)
        opened = MPI_Open_port(MPI_INFO_NULL, port);
    PMPI_Bcast(&opened, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (opened != MPI_SUCCESS) {
        if (world_rank == 0)
            puts("this MPI has no ports");
        return;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_split(MPI_COMM_WORLD, is_second, world_rank, &half);
    PMPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (is_second)
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &others);
    else
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &others);
    call_with(others, is_second);
    call_all_kinds("connect", half, 1);
    MPI_Comm_disconnect(&others);
    MPI_Comm_free(&half);
    if (world_rank == 0)
        MPI_Close_port(port);
}

/* ---------------------------------------------------------- ranks that fail */

/* What failing.c does for the program; without it these checks do nothing. */
enum { SUCCEED, FAIL_SOON, COUNT_REVOKED };

static bool can_fail(void)
{
    return MPI_Pcontrol(SUCCEED) != MPI_SUCCESS && getenv("HELIO_COLL") && world_size >= 3;
}

static int class_of_allreduce(MPI_Comm comm)
{
    int number = world_rank, sum = -1, class = MPI_SUCCESS;
    MPI_Error_class(MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, comm), &class);
    return class;
}

/* A rank fails while others wait for it in shared memory, or for the message of its node: they leave with the
 * error that the MPI reports, and later calls go to the MPI. Without this the others would wait for ever. */
static void check_gone(void)
{
    enum { CALLS_MAX = 3 };
    int is_last = world_rank == world_size - 1, class = MPI_SUCCESS;
    MPI_Comm comm;
    if (!can_fail())
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    call_all_kinds("gone", comm, 1);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    class_of_allreduce(comm); /* the ranks agree on their plan */
    MPI_Pcontrol(FAIL_SOON);
    for (int rank = 0; is_last && rank < world_size - 1; rank++) /* until they have left */
        MPI_Recv(NULL, 0, MPI_BYTE, rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    /* What the others did before they left may be enough for the first calls of the last rank. */
    for (int call = 0; call < (is_last ? CALLS_MAX : 1) && class == MPI_SUCCESS; call++)
        class = class_of_allreduce(comm);
    if (class != MPI_ERR_OTHER)
        fail("gone", "class of the error, expected", class, MPI_ERR_OTHER);
    if (!is_last)
        MPI_Send(NULL, 0, MPI_BYTE, world_size - 1, 9, MPI_COMM_WORLD);
    MPI_Pcontrol(SUCCEED);
    call_all_kinds("gone", comm, 2); /* by the MPI */
    MPI_Comm_free(&comm);
}

/* The program revokes a communicator: the library revokes its own first, so that ranks that wait there leave.
 * A real revocation would reach all ranks; here each rank makes its own. */
static void check_revoked(void)
{
    int (*revoke)(MPI_Comm) = (__typeof__(revoke))dlsym(RTLD_DEFAULT, "MPIX_Comm_revoke");
    MPI_Comm comm;
    if (!can_fail())
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    call_all_kinds("revoked", comm, 1);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (!revoke || revoke(comm) != MPI_SUCCESS || MPI_Pcontrol(COUNT_REVOKED) != 2)
        fail("revoked", "communicators", revoke != NULL, MPI_Pcontrol(COUNT_REVOKED));
    MPI_Pcontrol(SUCCEED);
    call_all_kinds("revoked", comm, 2); /* by the MPI, which has not revoked it */
    MPI_Comm_free(&comm);
}

/* ------------------------------------------------------------------- limits */

/* No descriptor is left for the file of the shared memory: the MPI executes the calls. */
static void check_descriptors(void)
{
    struct rlimit was, now;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (unsigned round = 0; round < 3; round++) /* the MPI opens what it needs */
        for (int kind = 0; kind < COLL_KINDS; kind++)
            PMPI_Barrier(comm);
    int lowest = dup(STDIN_FILENO), before = mappings_of_library();
    close(lowest);
    getrlimit(RLIMIT_NOFILE, &was);
    now = was;
    now.rlim_cur = (rlim_t)lowest;
    setrlimit(RLIMIT_NOFILE, &now);
    call_all_kinds("descriptors", comm, 1);
    int mappings = mappings_of_library();
    setrlimit(RLIMIT_NOFILE, &was);
    if (mappings != before)
        fail("descriptors", "there is shared memory", mappings, before);
    call_all_kinds("descriptors", comm, 2);
    MPI_Comm_free(&comm);
}

/* Each rank has a /dev/shm of its own, without room. The MPI has already what it needs there. */
static void check_small(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/dev", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", "/dev/shm", "tmpfs", 0, "size=4k") != 0) {
        if (world_rank == 0)
            puts("/dev/shm cannot be replaced");
        return;
    }
    call_all_kinds("small", MPI_COMM_WORLD, 1);
    if (getenv("HELIO_COLL") && mappings_of_library() == 0)
        fail("small", "there is no shared memory", 0, 0);
}

/* No address space is left for the shared memory. */
static void check_addresses(void)
{
    enum { LEFT = 64 << 20 };
    struct rlimit was, now;
    unsigned long pages = 0;
    MPI_Comm comm;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (!statm || fscanf(statm, "%lu", &pages) != 1)
        fail("addresses", "/proc cannot be read", 0, 0);
    fclose(statm);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int before = mappings_of_library();
    getrlimit(RLIMIT_AS, &was);
    now = was;
    now.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + LEFT;
    setrlimit(RLIMIT_AS, &now);
    call_all_kinds("addresses", comm, 1);
    int mappings = mappings_of_library();
    setrlimit(RLIMIT_AS, &was);
    if (mappings != before)
        fail("addresses", "there is shared memory", mappings, before);
    MPI_Comm_free(&comm);
}

/* --------------------------------------------------------------------- tool */

/* Calls that a tool counts, and what it has counted. */
static void check_tool(void)
{
    int numbers[8] = {world_rank, 1, 2, 3, 4, 5, 6, 7}, sum[8], *all = room((size_t)world_size * sizeof *all),
        *ones = room(2 * (size_t)world_size * sizeof *ones), told = -1;
    MPI_Request request;
    for (int i = 0; i < world_size; i++)
        ones[i] = 1, ones[world_size + i] = i;
    for (int i = 0; i < 100; i++) {
        MPI_Allreduce(numbers, sum, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (sum[0] != world_size * (world_size - 1) / 2 || sum[7] != 7 * world_size)
            fail("tool", "wrong sum", sum[0], sum[7]);
        MPI_Allgather(numbers, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoallv(all, ones, ones + world_size, MPI_INT, sum, ones, ones + world_size, MPI_INT,
                      MPI_COMM_WORLD);
        if (sum[world_size - 1] != world_rank || all[world_size - 1] != world_size - 1)
            fail("tool", "wrong numbers", sum[world_size - 1], all[world_size - 1]);
        told = world_rank == i % world_size ? i : -1;
        MPI_Bcast(&told, 1, MPI_INT, i % world_size, MPI_COMM_WORLD);
        if (told != i)
            fail("tool", "told", told, i);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Isend(&told, 1, MPI_INT, world_rank, 5, MPI_COMM_WORLD, &request);
        MPI_Recv(&told, 1, MPI_INT, world_rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    free(all), free(ones);
    MPI_Pcontrol(0);
}

/* ------------------------------------------------------------------- device */

enum { DEVICE_NUMBERS = 64 };

/* The buffers of a rank: two in memory of its device, which the host sees at another place, or in its own. */
struct device_buffers {
    int *send, *recv;           /* as calls take them */
    int *host_send, *host_recv; /* as the rank sees them */
};

static struct device_buffers buffers_of_rank(bool has_device)
{
    const size_t bytes = 2 * DEVICE_NUMBERS * sizeof(int);
    void *memory, *seen = NULL;
    if (has_device) {
        void *(*device_memory)(size_t, void **) =
            (void *(*)(size_t, void **))dlsym(RTLD_DEFAULT, "device_memory");
        memory = device_memory ? device_memory(bytes, &seen) : NULL;
        if (!memory)
            fail("device", "no memory of a device", 0, 0);
    } else {
        memory = seen = room(bytes);
    }
    return (struct device_buffers){memory, (int *)memory + DEVICE_NUMBERS, seen,
                                   (int *)seen + DEVICE_NUMBERS};
}

static void expect(const struct device_buffers *own, const char *what, int at, int number)
{
    if (own->host_recv[at] != number)
        fail("device", what, own->host_recv[at], number);
}

/* Each rank sends its rank to all. */
static void call_with_device(const struct device_buffers *own)
{
    int ones[DEVICE_NUMBERS], places[DEVICE_NUMBERS], n = world_size, last = n - 1;
    for (int i = 0; i < DEVICE_NUMBERS; i++)
        ones[i] = 1, places[i] = i, own->host_send[i] = world_rank + 1, own->host_recv[i] = 0;
    MPI_Allreduce(own->send, own->recv, DEVICE_NUMBERS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(own, "allreduce", DEVICE_NUMBERS - 1, n * (n + 1) / 2);
    MPI_Allgather(own->send, 1, MPI_INT, own->recv, 1, MPI_INT, MPI_COMM_WORLD);
    expect(own, "allgather", last, n);
    MPI_Alltoall(own->send, 2, MPI_INT, own->recv, 2, MPI_INT, MPI_COMM_WORLD);
    expect(own, "alltoall", 2 * last + 1, n);
    MPI_Alltoallv(own->send, ones, places, MPI_INT, own->recv, ones, places, MPI_INT, MPI_COMM_WORLD);
    expect(own, "alltoallv", 0, 1);
    expect(own, "alltoallv", last, n);
    MPI_Allreduce(MPI_IN_PLACE, own->recv, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    expect(own, "allreduce in place", 0, 1);
    MPI_Reduce_scatter_block(own->send, own->recv, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    expect(own, "reduce_scatter_block", 0, 1);
    MPI_Allgatherv(own->send, 1, MPI_INT, own->recv, ones, places, MPI_INT, MPI_COMM_WORLD);
    expect(own, "allgatherv", last, n);
    for (int root = 0; root < n; root++) {
        own->host_recv[0] = world_rank;
        MPI_Bcast(own->recv, 1, MPI_INT, root, MPI_COMM_WORLD);
        expect(own, "bcast", 0, root);
        MPI_Gather(own->send, 1, MPI_INT, own->recv, 1, MPI_INT, root, MPI_COMM_WORLD);
        expect(own, "gather", world_rank == root ? last : 0, world_rank == root ? n : root);
        MPI_Scatterv(own->send, ones, places, MPI_INT, own->recv, 1, MPI_INT, root, MPI_COMM_WORLD);
        expect(own, "scatterv", 0, root + 1);
        MPI_Reduce(own->send, own->recv, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
        expect(own, "reduce", 0, world_rank == root ? n * (n + 1) / 2 : root + 1);
    }
}

/* Rank 1 loads the library of a device after its first calls (device.c). */
static void check_device(void)
{
    struct device_buffers own = buffers_of_rank(false);
    for (int i = 0; i < 20; i++)
        call_with_device(&own);
    free(own.send);
    bool has_device = world_rank == 1;
    if (has_device && !dlopen(getenv("DEVICE_LIBRARY"), RTLD_NOW))
        fail("device", dlerror(), 0, 0);
    own = buffers_of_rank(has_device);
    for (int i = 0; i < 20; i++)
        call_with_device(&own);
    if (!has_device)
        free(own.send);
}

static const struct check checks[] = {
    {"fork", check_fork},           {"spawn", check_spawn},     {"spawned", check_spawned},
    {"gone", check_gone},           {"revoked", check_revoked}, {"descriptors", check_descriptors},
    {"addresses", check_addresses}, {"small", check_small},     {"tool", check_tool},
    {"device", check_device},       {"connect", check_connect},
};

int main(int argc, char **argv)
{
    program = argv[0];
    return run_checks(argc, argv, checks, sizeof checks / sizeof *checks);
}
