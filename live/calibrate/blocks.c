#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "live/calibrate/probe.h"

enum { TAG = 1, WARM = 2, WINDOW = 32, STREAM_WINDOW = 8, OPERATIONS = 1000 };

static char *outgoing, *incoming; /* of WINDOW messages, or of one large message */

double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

void buffers_open(long largest)
{
    outgoing = malloc((size_t)largest);
    incoming = malloc((size_t)largest);
    if (!outgoing || !incoming) {
        fprintf(stderr, "helio-calibrate: out of memory: two buffers of %ld bytes\n", largest);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(outgoing, 1, (size_t)largest);
    memset(incoming, 2, (size_t)largest);
}

static void send_to(int peer, long bytes)
{
    MPI_Send(outgoing, (int)bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
}

static void receive_from(int peer, long bytes)
{
    MPI_Recv(incoming, (int)bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The time of a pair of stamps with nothing between them, which is in each time that two stamps give. */
static double stamps_ns(void)
{
    enum { PAIRS = 200 };
    double began = now_ns();
    for (int i = 0; i < PAIRS - 1; i++)
        now_ns();
    return (now_ns() - began) / PAIRS;
}

/* Half a round trip, timed as a whole. */
static double half(bool leads, int peer, long bytes, int calls)
{
    double began = 0;
    for (int i = -WARM; i < calls; i++) {
        if (i == 0)
            began = now_ns();
        if (leads)
            send_to(peer, bytes);
        receive_from(peer, bytes);
        if (!leads)
            send_to(peer, bytes);
    }
    return (now_ns() - began) / (2.0 * calls);
}

/* MPI_Send of a message that is answered before the next one, so that no queue is full. */
static double send_time(bool leads, int peer, long bytes, int calls)
{
    double sum = 0, stamps = stamps_ns();
    for (int i = -WARM; i < calls; i++) {
        if (!leads) {
            receive_from(peer, bytes);
            send_to(peer, 0);
            continue;
        }
        double began = now_ns();
        send_to(peer, bytes);
        if (i >= 0)
            sum += now_ns() - began - stamps;
        receive_from(peer, 0);
    }
    return sum / calls;
}

/* MPI_Recv of a message that has arrived: the leader asks for it and looks for it only after two round trips
 * and 20 us. */
static double receive_time(bool leads, int peer, long bytes, int calls)
{
    double sum = 0, stamps = stamps_ns(), wait = 4 * half(leads, peer, bytes, WARM) + 2e4;
    for (int i = -WARM; i < calls; i++) {
        if (!leads) {
            receive_from(peer, 0);
            send_to(peer, bytes);
            continue;
        }
        send_to(peer, 0);
        double began = now_ns();
        while (now_ns() - began < wait)
            ;
        began = now_ns();
        receive_from(peer, bytes);
        if (i >= 0)
            sum += now_ns() - began - stamps;
    }
    return sum / calls;
}

/* Messages one after another, and an answer of no bytes; the time of all of it. */
static double window(bool leads, int peer, long bytes, int messages)
{
    MPI_Request requests[WINDOW];
    MPI_Status statuses[WINDOW];
    double began = now_ns();
    for (int i = 0; i < messages; i++)
        if (leads)
            MPI_Isend(outgoing + i * bytes, (int)bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &requests[i]);
        else
            MPI_Irecv(incoming + i * bytes, (int)bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(messages, requests, statuses);
    if (leads)
        receive_from(peer, 0);
    else
        send_to(peer, 0);
    return now_ns() - began;
}

/* The gap of T. Hoefler, A. Lichei, W. Rehm, "Low-Overhead LogGP Parameter Assessment for Modern
 * Interconnection Networks", IPDPS 2007: (T(n) - T(1)) / (n - 1). */
static double gap(bool leads, int peer, long bytes, int calls)
{
    double many = 0, one = 0;
    for (int i = -1; i < calls; i++) {
        double all = window(leads, peer, bytes, WINDOW), alone = window(leads, peer, bytes, 1);
        if (i >= 0) {
            many += all;
            one += alone;
        }
    }
    return (many - one) / (calls * (WINDOW - 1.0));
}

static double stream(bool leads, int peer, long bytes, int calls)
{
    double sum = 0;
    for (int i = -1; i < calls; i++) {
        double all = window(leads, peer, bytes, STREAM_WINDOW);
        if (i >= 0)
            sum += all;
    }
    return sum / (calls * (double)STREAM_WINDOW);
}

static double copy(long bytes, int calls)
{
    double began = now_ns();
    for (int i = 0; i < calls; i++) {
        memcpy(incoming, outgoing, (size_t)bytes);
        __asm__ volatile("" ::"r"(incoming), "r"(outgoing) : "memory");
    }
    return (now_ns() - began) / calls;
}

/* Multiplications and additions on doubles; the time of OPERATIONS of them. */
static double compute(long bytes, int calls)
{
    double *numbers = (double *)(void *)incoming;
    long count = bytes / (long)sizeof *numbers;
    for (long i = 0; i < count; i++)
        numbers[i] = 1 + 1e-9 * (double)i;
    double began = now_ns();
    for (int call = 0; call < calls; call++) {
        for (long i = 0; i < count; i++)
            numbers[i] = numbers[i] * 0.999999 + 1e-6;
        __asm__ volatile("" ::"r"(numbers) : "memory");
    }
    return (now_ns() - began) * OPERATIONS / (2.0 * (double)count * calls);
}

static double run_pair(const struct world *world, const struct block *block)
{
    bool leads = world->leads[block->place];
    int peer = world->peer[block->place];
    switch (block->kind) {
    case HALF:
        return half(leads, peer, block->bytes, block->calls);
    case SEND:
        return send_time(leads, peer, block->bytes, block->calls);
    case RECEIVE:
        return receive_time(leads, peer, block->bytes, block->calls);
    case GAP:
        return gap(leads, peer, block->bytes, block->calls);
    default:
        return stream(leads, peer, block->bytes, block->calls);
    }
}

/* What this rank does in the block; false: nothing. */
static bool run(const struct world *world, const struct block *block, double *time)
{
    bool is_alone = block->kind == COPY || block->kind == COMPUTE;
    int place = is_alone ? world->place_here : world->pair[block->place];
    if (place < 0 || place >= block->at_once)
        return false;
    *time = block->kind == COPY      ? copy(block->bytes, block->calls)
            : block->kind == COMPUTE ? compute(block->bytes, block->calls)
                                     : run_pair(world, block);
    return is_alone || world->leads[block->place];
}

double block_run(const struct world *world, const struct block *block, bool *lost_processor)
{
    double time = 0, sum = 0;
    world_barrier();
    long switches = world_switches();
    if (!run(world, block, &time))
        time = 0;
    *lost_processor = world_switches() > switches;
    world_barrier();
    MPI_Reduce(&time, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return sum / block->at_once;
}
