#include "live/capture/times.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "live/capture/diagnostics.h"
#include "live/capture/symbols.h"
#include "live/quiet/processor_time.h"

static struct {
    const char *prefix;
    double began_s, own_s, machine_s;
    struct times_call *calls; /* in any order */
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

static unsigned kernel_number(void)
{
    char text[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!file || !fgets(text, sizeof text, file))
        gethostname(text, sizeof text - 1);
    if (file)
        fclose(file);
    return number_of(text);
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
    REAL(Barrier)(MPI_COMM_WORLD);
    times.own_s = processor_own_s();
    times.machine_s = processor_machine_s();
    times.began_s = now_s();
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
    gethostname(host, sizeof host - 1);
    FILE *file = (size_t)snprintf(path, sizeof path, "%s-%d", times.prefix, world_rank) < sizeof path
                     ? fopen(path, "w")
                     : NULL;
    if (file) {
        fprintf(file, "time %d %.9f %u %u %ld %.6f %.6f\n", world_rank, elapsed, kernel_number(),
                number_of(host), sysconf(_SC_NPROCESSORS_ONLN), machine, own);
        write_calls(file, world_rank);
    }
    if (!file || fclose(file) != 0)
        capture_warn("%s cannot be written", path);
}
