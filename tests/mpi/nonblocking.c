/* Non-blocking alltoalls, which the library leaves to the MPI, among blocking ones, which it executes. All
 * must complete, however the program waits for them. The checks run with the library preloaded and without
 * it.
 *
 *   nonblocking_MPI CHECK... */
#include "checks.h"

enum { REQUESTS = 4, INTS = 300 };

static int number_of(int from, int to, int i, int round)
{
    return from * 1000000 + to * 10000 + i * 7 + round;
}

/* A non-blocking alltoall of each form, each with its own memory, and a message around the ring. */
struct posted {
    int *send[REQUESTS], *recv[REQUESTS], *counts, *places, *bytes;
    MPI_Datatype *types;
    MPI_Request requests[REQUESTS];
    MPI_Status statuses[REQUESTS];
    int round;
};

static void posted_make(struct posted *posted)
{
    size_t all = (size_t)world_size * INTS, ranks = (size_t)world_size;
    for (int i = 0; i < REQUESTS; i++) {
        posted->send[i] = room(all * sizeof(int));
        posted->recv[i] = room(all * sizeof(int));
    }
    posted->counts = room(ranks * sizeof(int));
    posted->places = room(ranks * sizeof(int));
    posted->bytes = room(ranks * sizeof(int));
    posted->types = room(ranks * sizeof(MPI_Datatype));
    for (int peer = 0; peer < world_size; peer++) {
        posted->counts[peer] = INTS;
        posted->places[peer] = peer * INTS;
        posted->bytes[peer] = peer * INTS * (int)sizeof(int);
        posted->types[peer] = MPI_INT;
    }
}

static void posted_free(struct posted *posted)
{
    for (int i = 0; i < REQUESTS; i++)
        free(posted->send[i]), free(posted->recv[i]);
    free(posted->counts), free(posted->places), free(posted->bytes), free(posted->types);
}

static void post(struct posted *posted, MPI_Comm comm, int round)
{
    int up = (world_rank + 1) % world_size, down = (world_rank + world_size - 1) % world_size;
    posted->round = round;
    for (int i = 0; i < REQUESTS; i++)
        for (int at = 0; at < world_size * INTS; at++) {
            posted->send[i][at] = number_of(world_rank, at / INTS, at % INTS, round + i);
            posted->recv[i][at] = -1;
        }
    MPI_Ialltoall(posted->send[0], INTS, MPI_INT, posted->recv[0], INTS, MPI_INT, comm, &posted->requests[0]);
    MPI_Ialltoallv(posted->send[1], posted->counts, posted->places, MPI_INT, posted->recv[1], posted->counts,
                   posted->places, MPI_INT, comm, &posted->requests[1]);
    MPI_Ialltoallw(posted->send[2], posted->counts, posted->bytes, posted->types, posted->recv[2],
                   posted->counts, posted->bytes, posted->types, comm, &posted->requests[2]);
    MPI_Irecv(posted->recv[3], INTS, MPI_INT, down, 5, comm, &posted->requests[3]);
    MPI_Send(posted->send[3], INTS, MPI_INT, up, 5, comm);
}

static void check_one(const char *check, const struct posted *posted, int i)
{
    int down = (world_rank + world_size - 1) % world_size;
    for (int at = 0; i < 3 && at < world_size * INTS; at++)
        if (posted->recv[i][at] != number_of(at / INTS, world_rank, at % INTS, posted->round + i))
            fail(check, "wrong number: request, index", i, at);
    for (int at = 0; i == 3 && at < INTS; at++)
        if (posted->recv[i][at] != number_of(down, 0, at, posted->round + i))
            fail(check, "wrong message: index, number", at, posted->recv[i][at]);
}

/* A blocking call of each form that the library executes. */
static void exchange(const char *check, MPI_Comm comm, int round)
{
    int *send = room((size_t)world_size * sizeof(int)), *recv = room((size_t)world_size * sizeof(int));
    int *counts = room((size_t)world_size * sizeof(int)), *places = room((size_t)world_size * sizeof(int));
    for (int form = 0; form < 2; form++) {
        for (int peer = 0; peer < world_size; peer++) {
            send[peer] = number_of(world_rank, peer, form, round);
            counts[peer] = 1, places[peer] = peer, recv[peer] = -1;
        }
        if (form == 0)
            MPI_Alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, comm);
        else
            MPI_Alltoallv(send, counts, places, MPI_INT, recv, counts, places, MPI_INT, comm);
        for (int peer = 0; peer < world_size; peer++)
            if (recv[peer] != number_of(peer, world_rank, form, round))
                fail(check, "wrong number in a blocking call: from, number", peer, recv[peer]);
    }
    free(send), free(recv), free(counts), free(places);
}

/* Every way to wait, with blocking calls on the same communicator before, meanwhile and after. */

static void by_waitany(struct posted *posted)
{
    for (int left = REQUESTS, i; left > 0; left--) {
        MPI_Waitany(REQUESTS, posted->requests, &i, MPI_STATUS_IGNORE);
        check_one("waitany", posted, i);
    }
}

static void by_waitsome(struct posted *posted)
{
    int count, which[REQUESTS];
    for (int left = REQUESTS; left > 0; left -= count) {
        MPI_Waitsome(REQUESTS, posted->requests, &count, which, posted->statuses);
        for (int i = 0; i < count; i++)
            check_one("waitsome", posted, which[i]);
    }
}

static void by_testsome(struct posted *posted)
{
    int count, which[REQUESTS];
    for (int left = REQUESTS; left > 0; left -= count) {
        MPI_Testsome(REQUESTS, posted->requests, &count, which, posted->statuses);
        for (int i = 0; i < count; i++)
            check_one("testsome", posted, which[i]);
    }
}

static void by_testany(struct posted *posted)
{
    for (int left = REQUESTS, i, found; left > 0; left -= found) {
        MPI_Testany(REQUESTS, posted->requests, &i, &found, MPI_STATUS_IGNORE);
        if (found)
            check_one("testany", posted, i);
    }
}

static void by_testall(struct posted *posted)
{
    for (int done = 0; !done;)
        MPI_Testall(REQUESTS, posted->requests, &done, posted->statuses);
    for (int i = 0; i < REQUESTS; i++)
        check_one("testall", posted, i);
}

static void by_wait(struct posted *posted)
{
    for (int i = REQUESTS - 1; i >= 0; i--) {
        MPI_Wait(&posted->requests[i], MPI_STATUS_IGNORE);
        check_one("wait", posted, i);
    }
}

static void check_ways(void)
{
    static void (*const ways[])(struct posted *) = {by_waitany, by_waitsome, by_testsome,
                                                    by_testany, by_testall,  by_wait};
    enum { WAYS = sizeof ways / sizeof *ways, ROUNDS = 3 * WAYS };
    struct posted posted;
    posted_make(&posted);
    for (int round = 0; round < ROUNDS; round++) {
        exchange("ways", MPI_COMM_WORLD, round);
        post(&posted, MPI_COMM_WORLD, round);
        exchange("ways", MPI_COMM_WORLD, round + 1);
        ways[(round + world_rank) % WAYS](&posted); /* ranks wait in different ways */
    }
    posted_free(&posted);
}

/* Even ranks first wait for the non-blocking calls. Odd ranks first enter the blocking calls, in which they
 * must make progress for the others' non-blocking calls. */
static void check_progress(void)
{
    struct posted posted;
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    posted_make(&posted);
    for (int round = 0; round < 12; round++) {
        post(&posted, MPI_COMM_WORLD, round);
        if (world_rank % 2 == 0)
            by_testsome(&posted);
        exchange("progress", other, round);
        if (world_rank % 2 == 1)
            by_waitany(&posted);
    }
    posted_free(&posted);
    MPI_Comm_free(&other);
}

static const struct check checks[] = {{"ways", check_ways}, {"progress", check_progress}};

int main(int argc, char **argv)
{
    return run_checks(argc, argv, checks, sizeof checks / sizeof *checks);
}
