#include <stdlib.h>

#include "live/calibrate/probe.h"

/* An eager message ends at its sender although nobody has posted a receive; a rendezvous cannot. So the
 * threshold is found without measuring a time. The time limit only ends the wait for a rendezvous. */
enum { TAG_SIZE = 2, TAG_MESSAGE, TAG_GO, TRIES = 3 };
static const double limit_ns = 3e7;

static bool ends_alone(int peer, const char *buffer, long bytes)
{
    MPI_Request request;
    int done = 0, go = 1;
    MPI_Send(&bytes, 1, MPI_LONG, peer, TAG_SIZE, MPI_COMM_WORLD);
    MPI_Isend(buffer, (int)bytes, MPI_BYTE, peer, TAG_MESSAGE, MPI_COMM_WORLD, &request);
    for (double began = now_ns(); !done && now_ns() - began < limit_ns;)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    bool alone = done;
    MPI_Send(&go, 1, MPI_INT, peer, TAG_GO, MPI_COMM_WORLD);
    if (!done)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    return alone;
}

static long bisect(int peer, const char *buffer, long largest)
{
    long eager = 0, beyond = largest + 1;
    while (eager + 1 < beyond) {
        long middle = eager + (beyond - eager) / 2;
        if (ends_alone(peer, buffer, middle))
            eager = middle;
        else
            beyond = middle;
    }
    return eager;
}

static long lead(int peer, const char *buffer, long largest)
{
    long found = -1, end = -1;
    for (int i = 0; i < TRIES && found < 0; i++) {
        long first = bisect(peer, buffer, largest);
        if (ends_alone(peer, buffer, first) && (first == largest || !ends_alone(peer, buffer, first + 1)))
            found = first;
    }
    MPI_Send(&end, 1, MPI_LONG, peer, TAG_SIZE, MPI_COMM_WORLD);
    return found;
}

/* It is in a receive of something else meanwhile, so that its MPI makes progress. */
static void follow(int peer, char *buffer)
{
    for (;;) {
        long bytes;
        int go;
        MPI_Recv(&bytes, 1, MPI_LONG, peer, TAG_SIZE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (bytes < 0)
            return;
        MPI_Recv(&go, 1, MPI_INT, peer, TAG_GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(buffer, (int)bytes, MPI_BYTE, peer, TAG_MESSAGE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

long eager_find(const struct world *world, enum place place, long largest)
{
    long found = -1;
    char *buffer = calloc((size_t)largest + 1, 1);
    if (buffer && world->pair[place] == 0 && world->leads[place])
        found = lead(world->peer[place], buffer, largest);
    else if (buffer && world->pair[place] == 0)
        follow(world->peer[place], buffer);
    free(buffer);
    world_barrier();
    return found;
}
