/* A rank that computes, and polls after each microsecond: every function that may find nothing, many times
 * before a message of its own is there, and then until it is. Prints the nanoseconds that it has computed.
 * Then between two barriers it polls without a look at the clock: it prints how long the same work takes with
 * polls and without, in blocks that take turns. At last it polls requests of its own, and the MPI calls a
 * function of it inside the poll that finds one complete. */
#include <inttypes.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { POLLS = 5000, WAYS = 7, REQUESTS = 3 };

static int64_t computed_ns;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void compute(void)
{
    const int64_t since = now_ns();
    int64_t time = 0;
    while (time < 1000)
        time = now_ns() - since;
    computed_ns += time;
}

/* Polls in one of the ways. Returns whether all requests, or the message, are complete. */
static int poll(int way, MPI_Request *requests, MPI_Message *message)
{
    int flag = 0, index, indices[REQUESTS], done = 0, left = 0;
    MPI_Status statuses[REQUESTS];
    switch (way) {
    case 0:
        MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_Testany(REQUESTS, requests, &index, &flag, MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_Testsome(REQUESTS, requests, &done, indices, statuses);
        break;
    case 3:
        MPI_Testall(REQUESTS, requests, &flag, statuses);
        break;
    case 4:
        MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
        return flag;
    case 5:
        MPI_Iprobe(0, way, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        return flag;
    default:
        MPI_Improbe(0, way, MPI_COMM_SELF, &flag, message, MPI_STATUS_IGNORE);
        return flag;
    }
    for (int i = 0; i < REQUESTS; i++)
        left += requests[i] != MPI_REQUEST_NULL;
    return left == 0;
}

static void try(int way)
{
    const int count = way == 0 || way >= 4 ? 1 : REQUESTS;
    int numbers[REQUESTS];
    MPI_Request requests[REQUESTS] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Request sent[REQUESTS];
    MPI_Message message;
    for (int i = 0; i < count && way < 5; i++)
        MPI_Irecv(&numbers[i], 1, MPI_INT, 0, way, MPI_COMM_SELF, &requests[i]);
    for (int i = 0; i < POLLS; i++) {
        compute();
        poll(way, requests, &message);
    }
    for (int i = 0; i < count; i++)
        MPI_Isend(&way, 1, MPI_INT, 0, way, MPI_COMM_SELF, &sent[i]);
    do
        compute();
    while (!poll(way, requests, &message));
    if (way == 4)
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    if (way == 5)
        MPI_Recv(numbers, 1, MPI_INT, 0, way, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    if (way == 6)
        MPI_Mrecv(numbers, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++)
        MPI_Wait(&sent[i], MPI_STATUS_IGNORE);
}

static volatile unsigned sum;

/* The same code with polls and without. */
__attribute__((noinline)) static void work(void)
{
    for (unsigned step = 0; step < 400; step++)
        sum += step;
}

static void work_and_poll(MPI_Request *request)
{
    for (int i = 0, flag; i < 1000; i++) {
        work();
        if (request)
            MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    }
}

static void poll_tightly(void)
{
    enum { BLOCKS = 500 };
    int number = 0, sent = 0;
    int64_t alone_ns = 0, polled_ns = 0;
    MPI_Request request;
    MPI_Irecv(&number, 1, MPI_INT, 0, WAYS, MPI_COMM_SELF, &request);
    MPI_Barrier(MPI_COMM_SELF);
    for (int i = 0; i < BLOCKS; i++) {
        const int64_t began = now_ns();
        work_and_poll(NULL);
        const int64_t between = now_ns();
        work_and_poll(&request);
        alone_ns += between - began;
        polled_ns += now_ns() - between;
    }
    MPI_Barrier(MPI_COMM_SELF);
    printf("tight %" PRId64 " %" PRId64 "\n", alone_ns, polled_ns);
    MPI_Send(&sent, 1, MPI_INT, 0, WAYS, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* What the MPI calls inside a poll is no call of the program: this barrier is not in the trace. */
static int query(void *unused, MPI_Status *status)
{
    (void)unused;
    MPI_Barrier(MPI_COMM_SELF);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    MPI_Status_set_cancelled(status, 0);
    return MPI_Status_set_elements(status, MPI_BYTE, 0);
}

static int release(void *unused)
{
    (void)unused;
    return MPI_SUCCESS;
}

static int cancel(void *unused, int is_complete)
{
    (void)is_complete;
    return release(unused);
}

static void poll_own_requests(void)
{
    enum { ROUNDS = 200, POLLS_BEFORE = 500 };
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request request;
        int flag = 0;
        MPI_Grequest_start(query, release, cancel, NULL, &request);
        for (int i = 0; i < POLLS_BEFORE; i++)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        MPI_Grequest_complete(request);
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int way = 0; way < WAYS; way++)
        try(way);
    printf("computed %" PRId64 "\n", computed_ns);
    poll_tightly();
    poll_own_requests();
    MPI_Finalize();
    return 0;
}
