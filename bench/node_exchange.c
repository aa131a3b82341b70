#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/futex.h>
#include <mpi.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How fast a small collective can be where a node's ranks share memory and its first rank alone sends to
 * other nodes: the ranks add 8 bytes in shared memory, the first ranks exchange sums, and all others are
 * told. It does nothing else: no plan, no check, no choice. An allreduce does so much, and an allgather, an
 * alltoall and a barrier of all ranks do no less. Each way to wait and to send takes turns with these four,
 * by MPI or by a preloaded library, in one process.
 *
 *   tools/cluster openmpi 4 4 node_exchange [TURNS]
 *
 * A line for each way: microseconds of a call, and how many times as fast it is as each collective of 8
 * bytes, the median of the turns and their middle half. Nodes are a power of two, 8 at most. */
enum { MOST_NODES = 8, MOST_TURNS = 1001, CALLS = 300, MOST_RANKS = 128 };

struct way {
    const char *name;
    bool by_mpi;   /* messages of the MPI; else of TCP itself */
    bool sleeps;   /* else ranks that wait within a node yield their core */
    bool blocks;   /* else a first rank that waits for a message yields its core */
    bool in_steps; /* recursive doubling; else each first rank sends to all others at once */
};
#define WAYS_OF(name, by_mpi, in_steps)                                                                      \
    {name ": sleep, block", by_mpi, true, true, in_steps},                                                   \
        {name ": sleep, yield", by_mpi, true, false, in_steps},                                              \
        {name ": yield, block", by_mpi, false, true, in_steps},                                              \
        {name ": yield, yield", by_mpi, false, false, in_steps},
static const struct way ways[] = {WAYS_OF("TCP at once", false, false) WAYS_OF(
    "TCP doubling", false, true) WAYS_OF("MPI at once", true, false) WAYS_OF("MPI doubling", true, true)};
enum { WAYS = sizeof ways / sizeof *ways };

static const char *const collectives[] = {"allreduce", "allgather", "alltoall", "barrier"};
enum { COLLECTIVES = sizeof collectives / sizeof *collectives };

/* What the ranks of a node share. Each counter is on a line of the cache of its own. */
struct node {
    _Alignas(64) atomic_uint arrived; /* calls of all ranks but the first, in all */
    _Alignas(64) atomic_uint ended;   /* calls that have ended */
    _Alignas(64) atomic_uint first_sleeps;
    int64_t sum;
    struct {
        _Alignas(64) int64_t value;
    } of_rank[MOST_RANKS];
};

static struct node *node;
static int rank, ranks, local, locals, me, nodes; /* me: the number of this node */
static MPI_Comm firsts;                           /* the first ranks of all nodes */
static int sockets[MOST_NODES];                   /* of a first rank: to each other one */
static unsigned calls;

static void stop(const char *what)
{
    perror(what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ------------------------------------------------------------ within a node */

static void sleep_on(atomic_uint *word, unsigned value)
{
    syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

static void wake(atomic_uint *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, MOST_RANKS, NULL, NULL, 0);
}

static void arrive(const struct way *way, int64_t value)
{
    const unsigned all = calls * (unsigned)(locals - 1);
    node->of_rank[local].value = value;
    if (atomic_fetch_add(&node->arrived, 1) + 1 == all && way->sleeps && atomic_load(&node->first_sleeps))
        wake(&node->arrived);
    for (unsigned ended; (ended = atomic_load(&node->ended)) != calls;)
        if (way->sleeps)
            sleep_on(&node->ended, ended);
        else
            sched_yield();
}

static void await_others(const struct way *way)
{
    const unsigned all = calls * (unsigned)(locals - 1);
    for (unsigned arrived; (arrived = atomic_load(&node->arrived)) != all;) {
        if (!way->sleeps) {
            sched_yield();
            continue;
        }
        atomic_store(&node->first_sleeps, 1);
        if (atomic_load(&node->arrived) == arrived)
            sleep_on(&node->arrived, arrived);
        atomic_store(&node->first_sleeps, 0);
    }
}

/* ------------------------------------------------------------ between nodes */

static void send_to(int other, int64_t value)
{
    if (send(sockets[other], &value, sizeof value, 0) != sizeof value)
        stop("send");
}

static int64_t receive_from(const struct way *way, int other)
{
    int64_t value;
    for (;;) {
        ssize_t size = recv(sockets[other], &value, sizeof value, way->blocks ? MSG_WAITALL : MSG_DONTWAIT);
        if (size == sizeof value)
            return value;
        if (way->blocks || size >= 0)
            stop("recv");
        sched_yield();
    }
}

/* The requests of one exchange, at most one message to and one from each node. */
static MPI_Request requests[2 * MOST_NODES];
static MPI_Status statuses[2 * MOST_NODES];
static int64_t come[MOST_NODES];
static int posted;

static void post(int to, int from, const int64_t *value)
{
    PMPI_Irecv(&come[from], 1, MPI_INT64_T, from, 0, firsts, &requests[posted++]);
    PMPI_Isend(value, 1, MPI_INT64_T, to, 0, firsts, &requests[posted++]);
}

static void complete(const struct way *way)
{
    int done = 0;
    if (way->blocks)
        PMPI_Waitall(posted, requests, statuses);
    else
        while (PMPI_Testall(posted, requests, &done, statuses) == MPI_SUCCESS && !done)
            sched_yield();
    posted = 0;
}

/* Sends `sum` to one node and adds what comes from another, or does so with all at once. */
static void exchange_some(const struct way *way, int first, int last, int64_t *sum)
{
    const int64_t own = *sum;
    for (int k = first; k <= last; k++) {
        const int to = way->in_steps ? me ^ k : (me + k) % nodes;
        const int from = way->in_steps ? me ^ k : (me + nodes - k) % nodes;
        if (way->by_mpi)
            post(to, from, &own);
        else
            send_to(to, own);
    }
    if (way->by_mpi)
        complete(way);
    for (int k = first; k <= last; k++) {
        const int from = way->in_steps ? me ^ k : (me + nodes - k) % nodes;
        *sum += way->by_mpi ? come[from] : receive_from(way, from);
    }
}

static int64_t exchange(const struct way *way, int64_t sum)
{
    if (way->in_steps)
        for (int step = 1; step < nodes; step *= 2)
            exchange_some(way, step, step, &sum);
    else
        exchange_some(way, 1, nodes - 1, &sum);
    return sum;
}

static int64_t add_all(const struct way *way, int64_t value)
{
    calls++;
    if (local > 0) {
        arrive(way, value);
        return node->sum;
    }
    await_others(way);
    for (int k = 1; k < locals; k++)
        value += node->of_rank[k].value;
    node->sum = value = exchange(way, value);
    atomic_store(&node->ended, calls);
    if (way->sleeps)
        wake(&node->ended);
    return value;
}

/* ------------------------------------------------------------------- set-up */

static struct in_addr own_address(void)
{
    struct ifaddrs *all;
    struct in_addr found = {0};
    if (getifaddrs(&all) != 0)
        stop("getifaddrs");
    for (struct ifaddrs *one = all; one; one = one->ifa_next)
        if (one->ifa_addr && one->ifa_addr->sa_family == AF_INET && !(one->ifa_flags & IFF_LOOPBACK))
            found = ((struct sockaddr_in *)(void *)one->ifa_addr)->sin_addr;
    freeifaddrs(all);
    return found;
}

/* Each first rank calls those of lower numbers. */
static void connect_nodes(void)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = own_address()}, of_node[MOST_NODES];
    socklen_t length = sizeof own;
    int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&own, sizeof own) != 0 || listen(listener, MOST_NODES) != 0 ||
        getsockname(listener, (struct sockaddr *)&own, &length) != 0)
        stop("listen");
    MPI_Allgather(&own, sizeof own, MPI_BYTE, of_node, sizeof own, MPI_BYTE, firsts);
    for (int k = 0; k < me; k++) {
        sockets[k] = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(sockets[k], (struct sockaddr *)&of_node[k], sizeof of_node[k]) != 0 ||
            send(sockets[k], &me, sizeof me, 0) != sizeof me)
            stop("connect");
    }
    for (int k = me + 1; k < nodes; k++) {
        int other = 0, file = accept(listener, NULL, NULL);
        if (file < 0 || recv(file, &other, sizeof other, MSG_WAITALL) != sizeof other)
            stop("accept");
        sockets[other] = file;
    }
    for (int k = 0; k < nodes; k++)
        if (k != me)
            setsockopt(sockets[k], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    close(listener);
}

static void share_memory(MPI_Comm within)
{
    char name[64];
    snprintf(name, sizeof name, "/dev/shm/node_exchange.%d", (int)getpid());
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, within);
    int file = open(name, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, sizeof *node) != 0)
        stop(name);
    node = mmap(NULL, sizeof *node, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (node == MAP_FAILED)
        stop(name);
    close(file);
    MPI_Barrier(within);
    if (local == 0)
        unlink(name);
}

static void set_up(void)
{
    MPI_Comm within;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &within);
    MPI_Comm_rank(within, &local);
    MPI_Comm_size(within, &locals);
    MPI_Comm_split(MPI_COMM_WORLD, local > 0, rank, &firsts);
    MPI_Comm_rank(firsts, &me);
    MPI_Comm_size(firsts, &nodes);
    MPI_Bcast(&nodes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (nodes > MOST_NODES || (nodes & (nodes - 1)) || locals > MOST_RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    share_memory(within);
    if (local == 0)
        connect_nodes();
}

/* -------------------------------------------------------------- measurement */

static int64_t call(int collective, int64_t value)
{
    static int64_t from[MOST_NODES * MOST_RANKS], into[MOST_NODES * MOST_RANKS];
    int64_t sum = value;
    if (collective == 0)
        MPI_Allreduce(&value, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    else if (collective == 1)
        MPI_Allgather(&value, 1, MPI_INT64_T, into, 1, MPI_INT64_T, MPI_COMM_WORLD);
    else if (collective == 2)
        MPI_Alltoall(from, 1, MPI_INT64_T, into, 1, MPI_INT64_T, MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
    return sum;
}

/* Microseconds of a call, of the slowest rank. `way` NULL: of the collective. */
static double time_of(const struct way *way, int collective)
{
    int64_t sum = 0, right = 0;
    PMPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    for (int i = 0; i < CALLS; i++) {
        sum += way ? add_all(way, rank + i) : call(collective, rank + i);
        right += (int64_t)ranks * (ranks - 1) / 2 + (int64_t)ranks * i;
    }
    double took = (MPI_Wtime() - began) * 1e6 / CALLS, longest;
    if (way && sum != right)
        stop("a sum is wrong");
    PMPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return longest;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the numbers. */
static double median(double *numbers, int count)
{
    qsort(numbers, (size_t)count, sizeof *numbers, compare);
    return numbers[count / 2];
}

static double by_way[WAYS][MOST_TURNS], by_collective[COLLECTIVES][MOST_TURNS];

static void print(int turns)
{
    static double numbers[MOST_TURNS];
    printf("%-30s", "");
    for (int c = 0; c < COLLECTIVES; c++) {
        memcpy(numbers, by_collective[c], sizeof numbers);
        printf("  %s %.1f us", collectives[c], median(numbers, turns));
    }
    for (int w = 0; w < WAYS; w++) {
        memcpy(numbers, by_way[w], sizeof numbers);
        printf("\n%-22s %7.1f", ways[w].name, median(numbers, turns));
        for (int c = 0; c < COLLECTIVES; c++) {
            for (int t = 0; t < turns; t++)
                numbers[t] = by_collective[c][t] / by_way[w][t];
            const double middle = median(numbers, turns);
            printf("  %.2f (%.2f to %.2f)", middle, numbers[turns / 4], numbers[3 * turns / 4]);
        }
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    const int turns = argc > 1 ? atoi(argv[1]) : 21;
    MPI_Init(&argc, &argv);
    set_up();
    if (turns < 1 || turns > MOST_TURNS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int t = -1; t < turns; t++) /* the turn before the first one is not counted */
        for (int i = 0; i < WAYS + COLLECTIVES; i++) {
            const double us = time_of(i < WAYS ? &ways[i] : NULL, i - WAYS);
            if (t >= 0)
                (i < WAYS ? by_way[i] : by_collective[i - WAYS])[t] = us;
        }
    if (rank == 0)
        print(turns);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
