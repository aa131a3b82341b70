#include "live/capture/times.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "live/capture/diagnostics.h"
#include "live/capture/symbols.h"
#include "live/quiet/processor_time.h"

enum { PHASES_MAX = 64 };

static struct {
    const char *prefix;
    double began_s, own_s, machine_s;
    double half_s;            /* of a message of no bytes between ranks 0 and 1; 0: not measured */
    struct times_call *calls; /* in any order */
    struct times_phase {
        int level;
        double seconds;
    } phases[PHASES_MAX];
    int phase_count, phase; /* the present one, if there are any */
    double phase_began_s;
} times;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A number for a text, the same in all processes. */
static unsigned number_of(const char *text)
{
    unsigned number = 5381;
    while (*text)
        number = number * 33 + (unsigned char)*text++;
    return number;
}

/* Adds the time since the present phase began. */
static void end_phase(void)
{
    const double now = now_s();
    if (times.phase < times.phase_count)
        times.phases[times.phase].seconds += now - times.phase_began_s;
    times.phase_began_s = now;
}

/* Phases beyond the PHASES_MAX-th number have no time. */
static void begin_phase(int level)
{
    times.phase = 0;
    while (times.phase < times.phase_count && times.phases[times.phase].level != level)
        times.phase++;
    if (times.phase == times.phase_count && times.phase_count < PHASES_MAX)
        times.phases[times.phase_count++].level = level;
}

/* Seconds of half a round trip of no bytes, the mean of so many. */
static double half_of(int rank, int trips)
{
    const int peer = 1 - rank;
    const double began_s = now_s();
    for (int i = 0; i < trips; i++) {
        if (rank == 0)
            REAL(Send)(NULL, 0, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
        REAL(Recv)(NULL, 0, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            REAL(Send)(NULL, 0, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
    }
    return (now_s() - began_s) / (2 * trips);
}

/* How many trips come next, 0: none. Rank 0 says so. */
static int agree_on(int rank, int trips)
{
    if (rank == 0)
        REAL(Send)(&trips, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        REAL(Recv)(&trips, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return trips;
}

/* A message between the first two ranks shows whether the machine is still what its file says. The least of
 * some means, as other work can only make them longer. It takes 20 ms at most, and one mean. */
static void measure_half(void)
{
    enum { TRIPS = 50, MEANS = 20, WARM = 2 };
    static const double most_s = 0.02;
    int rank, size;
    REAL(Comm_rank)(MPI_COMM_WORLD, &rank);
    REAL(Comm_size)(MPI_COMM_WORLD, &size);
    if (size < 2 || rank > 1)
        return;
    const double began_s = now_s(), about_s = 2 * half_of(rank, WARM);
    const int trips = about_s * TRIPS < most_s ? TRIPS : 1;
    for (int i = 0;; i++) {
        const bool goes_on = i == 0 || (i < MEANS && now_s() - began_s < most_s);
        const int next = agree_on(rank, goes_on ? trips : 0);
        if (next == 0)
            return;
        const double half_s = half_of(rank, next);
        if (times.half_s <= 0 || half_s < times.half_s)
            times.half_s = half_s;
    }
}

bool times_are_wanted(void)
{
    return getenv("HELIO_CAPTURE_TIMES") != NULL;
}

void times_begin(void)
{
    times.prefix = getenv("HELIO_CAPTURE_TIMES");
    if (!times.prefix)
        return;
    measure_half();
    REAL(Barrier)(MPI_COMM_WORLD);
    times.own_s = processor_own_s();
    times.machine_s = processor_machine_s();
    times.began_s = now_s();
    times.phase_began_s = times.began_s;
    begin_phase(1);
}

double times_now(void)
{
    return times.prefix ? now_s() : 0;
}

void times_count(struct times_call *call, double began_s, double ended_s)
{
    if (!times.prefix)
        return;
    if (call->count++ == 0) {
        call->next = times.calls;
        times.calls = call;
    }
    call->seconds += ended_s - began_s;
}

void times_phase(int level)
{
    if (!times.prefix)
        return;
    end_phase();
    begin_phase(level);
}

static void write_phases(FILE *file, int world_rank)
{
    for (int i = 0; i < times.phase_count; i++)
        fprintf(file, "phase %d %d %.9f\n", world_rank, times.phases[i].level, times.phases[i].seconds);
}

static void write_calls(FILE *file, int world_rank)
{
    for (const struct times_call *call = times.calls; call; call = call->next)
        fprintf(file, "call %d %s %llu %.9f\n", world_rank, call->function, (unsigned long long)call->count,
                call->seconds);
}

void times_end(int world_rank)
{
    char path[4096], host[256] = "";
    if (!times.prefix)
        return;
    double elapsed = now_s() - times.began_s, machine = processor_machine_s() - times.machine_s,
           own = processor_own_s() - times.own_s;
    end_phase();
    gethostname(host, sizeof host - 1);
    FILE *file = (size_t)snprintf(path, sizeof path, "%s-%d", times.prefix, world_rank) < sizeof path
                     ? fopen(path, "w")
                     : NULL;
    if (file) {
        fprintf(file, "time %d %.9f %d %u %ld %.6f %.6f\n", world_rank, elapsed, processor_kernel_number(),
                number_of(host), sysconf(_SC_NPROCESSORS_ONLN), machine, own);
        if (world_rank == 0 && times.half_s > 0)
            fprintf(file, "half %.9f\n", times.half_s);
        write_calls(file, world_rank);
        write_phases(file, world_rank);
    }
    if (!file || fclose(file) != 0)
        capture_warn("%s cannot be written", path);
}
