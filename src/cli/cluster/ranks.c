#include "cli/cluster/ranks.h"

#include <limits.h>
#include <mpi.h>
#include <string.h>
#include <time.h>

#include "base/diag.h"
#include "base/mem.h"

enum tag { TAG_ORDER, TAG_ANSWER, TAG_BYTES };

static const uint64_t shutdown_order = UINT64_MAX; /* sent in place of an index */

/* Sent before the bytes of a result. */
struct head {
    uint64_t length;
    int32_t has_bytes; /* 0: the process of the run ended, and `cause` says how */
    char cause[sizeof((struct worker_answer *)NULL)->cause];
};

/* ---------------------------------------------------------------- transport */

/* MPI waits by spinning, which would take a core from a rank that runs something. */
static MPI_Status wait_for(int source, enum tag tag)
{
    const struct timespec pause = {.tv_nsec = 100000};
    MPI_Status status;
    int is_there = 0;
    while (MPI_Iprobe(source, tag, MPI_COMM_WORLD, &is_there, &status) == MPI_SUCCESS && !is_there)
        nanosleep(&pause, NULL);
    return status;
}

/* MPI counts in int, so longer messages are sent in parts. */
static int part_of(uint64_t left)
{
    return left < INT_MAX ? (int)left : INT_MAX;
}

static void send_bytes(char *bytes, uint64_t length)
{
    for (uint64_t at = 0; at < length;) {
        int part = part_of(length - at);
        MPI_Send(bytes + at, part, MPI_BYTE, 0, TAG_BYTES, MPI_COMM_WORLD);
        at += (uint64_t)part;
    }
}

static void receive_bytes(char *bytes, uint64_t length, int rank)
{
    for (uint64_t at = 0; at < length;) {
        int part = part_of(length - at);
        MPI_Recv(bytes + at, part, MPI_BYTE, rank, TAG_BYTES, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        at += (uint64_t)part;
    }
}

/* ------------------------------------------------------------------- rank 0 */

static void order(size_t worker, uint64_t what)
{
    MPI_Send(&what, 1, MPI_UINT64_T, (int)worker + 1, TAG_ORDER, MPI_COMM_WORLD);
}

static bool submit_point(struct worker_pool *worker_pool, size_t worker, size_t point,
                         struct worker_answer *answer)
{
    (void)worker_pool;
    (void)answer; /* a rank that cannot be reached is an error of MPI, which ends the program */
    order(worker, point);
    return true;
}

static bool wait_for_answer(struct worker_pool *worker_pool, struct worker_answer *answer)
{
    (void)worker_pool;
    struct head head;
    int rank = wait_for(MPI_ANY_SOURCE, TAG_ANSWER).MPI_SOURCE;
    MPI_Recv(&head, sizeof head, MPI_BYTE, rank, TAG_ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *answer = (struct worker_answer){.worker = (size_t)rank - 1, .length = head.length};
    memcpy(answer->cause, head.cause, sizeof answer->cause);
    if (!head.has_bytes)
        return true;
    answer->bytes = mem_alloc(head.length, 1, "results on their way");
    receive_bytes(answer->bytes, head.length, rank);
    return true;
}

static void shut_down(struct worker_pool *worker_pool)
{
    for (size_t i = 0; i < worker_pool->workers; i++)
        order(i, shutdown_order);
}

void rank_pool_init(struct worker_pool *worker_pool)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    *worker_pool = (struct worker_pool){
        .workers = (size_t)ranks - 1, .submit = submit_point, .wait = wait_for_answer, .shutdown = shut_down};
}

/* ---------------------------------------------------------- the other ranks */

static void run_point(struct worker_pool *own, size_t point)
{
    struct worker_answer answer;
    if (own->submit(own, 0, point, &answer))
        own->wait(own, &answer);
    struct head head = {.length = answer.length, .has_bytes = answer.bytes != NULL};
    memcpy(head.cause, answer.cause, sizeof head.cause);
    MPI_Send(&head, sizeof head, MPI_BYTE, 0, TAG_ANSWER, MPI_COMM_WORLD);
    if (answer.bytes)
        send_bytes(answer.bytes, answer.length);
    free(answer.bytes);
}

unsigned ranks_of_machine(void)
{
    MPI_Comm machine;
    int ranks;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &ranks);
    MPI_Comm_free(&machine);
    return (unsigned)ranks;
}

void ranks_serve(struct worker_pool *own)
{
    for (uint64_t what;;) {
        wait_for(0, TAG_ORDER);
        MPI_Recv(&what, 1, MPI_UINT64_T, 0, TAG_ORDER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (what == shutdown_order)
            break;
        run_point(own, what);
    }
    own->shutdown(own);
}

/* ----------------------------------------------------------------- together */

bool ranks_agree_to_go_on(bool go_on)
{
    int verdict = go_on;
    MPI_Bcast(&verdict, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return verdict;
}

bool ranks_have_the_same(uint64_t mine, const char *what, const char *name)
{
    int rank, ranks, other = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    uint64_t *all = mem_alloc((size_t)ranks, sizeof *all, "workers");
    MPI_Gather(&mine, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    while (rank == 0 && other < ranks && all[other] == mine)
        other++;
    free(all);
    if (rank == 0 && other < ranks)
        diag_error("rank %d has not read the same %s as rank 0: is %s the same there, and helio-%s the same "
                   "program?",
                   other, what, name, what);
    return ranks_agree_to_go_on(other == ranks);
}
