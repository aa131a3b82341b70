#include "live/capture/times.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "live/capture/diagnostics.h"
#include "live/capture/symbols.h"

static struct {
    const char *prefix;
    double began_s, own_s, machine_s;
} times;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double own_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* What all processes, and other virtual machines, have used of this machine's processors. */
static double machine_s(void)
{
    unsigned long long user, nice, system, idle, waiting, hard, soft, stolen;
    FILE *file = fopen("/proc/stat", "r");
    int found = file ? fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system,
                              &idle, &waiting, &hard, &soft, &stolen)
                     : 0;
    if (file)
        fclose(file);
    return found == 8 ? (double)(user + nice + system + stolen) / (double)sysconf(_SC_CLK_TCK) : 0;
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

void times_begin(void)
{
    times.prefix = getenv("HELIO_CAPTURE_TIMES");
    if (!times.prefix)
        return;
    REAL(Barrier)(MPI_COMM_WORLD);
    times.own_s = own_s();
    times.machine_s = machine_s();
    times.began_s = now_s();
}

void times_end(int world_rank)
{
    char path[4096], host[256] = "";
    if (!times.prefix)
        return;
    double elapsed = now_s() - times.began_s, machine = machine_s() - times.machine_s,
           own = own_s() - times.own_s;
    gethostname(host, sizeof host - 1);
    FILE *file = (size_t)snprintf(path, sizeof path, "%s-%d", times.prefix, world_rank) < sizeof path
                     ? fopen(path, "w")
                     : NULL;
    if (file)
        fprintf(file, "time %d %.9f %u %u %ld %.6f %.6f\n", world_rank, elapsed, kernel_number(),
                number_of(host), sysconf(_SC_NPROCESSORS_ONLN), machine, own);
    if (!file || fclose(file) != 0)
        capture_warn("%s cannot be written", path);
}
