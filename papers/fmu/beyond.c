#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "papers/fmu/fmu.h"

/* What the paper did not try: the experiment files beside this one, drawn. */

/* "16MiB" of "alltoall:ranks=64,bytes=16MiB". */
static const char *size_in(const char *workload)
{
    const char *bytes = strstr(workload, "bytes=");
    return bytes ? bytes + strlen("bytes=") : "";
}

/* "fmu-bcast, 64 ranks" of "fmu-bcast:ranks=64,iterations=1,bytes=1KiB". */
static const char *without_size(const char *workload, char *buffer, size_t size)
{
    const char *ranks = strstr(workload, "ranks=");
    int name = (int)strcspn(workload, ":");
    if (strncmp(workload, "npb:", 4) == 0)
        snprintf(buffer, size, "%s", workload);
    else if (ranks)
        snprintf(buffer, size, "%.*s, %d ranks", name, workload, atoi(ranks + strlen("ranks=")));
    else
        snprintf(buffer, size, "%.*s", name, workload);
    return buffer;
}

/* ----------------------------------------------------------- switching time */

static void point_of_map(void *self, struct reproduction *reproduction, const struct swept_run *run)
{
    (void)self;
    char panel[64];
    const char *workload = swept_value(run, "workload");
    reproduction_point(reproduction, without_size(workload, panel, sizeof panel),
                       swept_value(run, "fmu.t_switch"), size_in(workload), run->speedup);
}

static void switch_time(struct reproduction *reproduction)
{
    reproduction_figure(
        reproduction,
        &(struct figure){
            .id = "switch-time",
            .title = "Beyond the paper: where FMU wins, by switching time and message size",
            .says =
                "Speedup over InfiniBand with 64 FMUs (papers/fmu/switch-time.yaml). The times are those of "
                "the devices in the paper's Table 1 and the decades between them.",
            .how = "A row is a switching time. Blue is faster than InfiniBand, orange slower. The 8 us of "
                   "InfiniBand include software, and the times of the FMU do not. So small messages at short "
                   "switching times compare software with hardware.",
            .x = "message size",
            .y = "speedup",
            .kind = FIGURE_MAP,
            .is_common = true});
    reproduction_sweep(reproduction, "papers/fmu/switch-time.yaml", NULL, point_of_map);
}

/* ----------------------------------------------------------------- capacity */

static double capacity_mib(const struct swept_run *run)
{
    uint64_t bytes;
    struct units_problem problem;
    return units_size(swept_value(run, "fmu.capacity"), &bytes, &problem) ? (double)bytes / (1 << 20) : NAN;
}

/* The time as a multiple of that with the paper's 16 GB, which are the default. */
static double slowdown(struct reproduction *reproduction, const struct swept_run *run)
{
    char settings[48];
    snprintf(settings, sizeof settings, "fmu.count=%s", swept_value(run, "fmu.count"));
    const struct run_facts *roomy =
        reproduction_run(reproduction, run->fabric, swept_value(run, "workload"), settings);
    return run->facts->makespan_s / roomy->makespan_s;
}

static double share_that_waited(struct reproduction *reproduction, const struct swept_run *run)
{
    (void)reproduction;
    double share = run_metric(run->facts, "space_waits") / run->facts->messages;
    return share > 1 ? 100 : 100 * share; /* a write may wait more than once */
}

struct fmu_of_capacity {
    double (*of)(struct reproduction *reproduction, const struct swept_run *run);
};

static void point_of_capacity(void *self, struct reproduction *reproduction, const struct swept_run *run)
{
    const struct fmu_of_capacity *wanted = self;
    char panel[64], series[32];
    const char *fmus = swept_value(run, "fmu.count");
    snprintf(series, sizeof series, "%s FMU%s", fmus, strcmp(fmus, "1") == 0 ? "" : "s");
    reproduction_point_at(reproduction, without_size(swept_value(run, "workload"), panel, sizeof panel),
                          series, capacity_mib(run), wanted->of(reproduction, run));
}

static void capacity(struct reproduction *reproduction)
{
    reproduction_figure(
        reproduction,
        &(struct figure){.id = "capacity",
                         .title = "Beyond the paper: what little memory costs",
                         .says = "Time by the memory of an FMU, as a multiple of that with the paper's 16 GB "
                                 "(papers/fmu/capacity.yaml).",
                         .how =
                             "Where a ring is full, its writers wait until the message at its head has been "
                             "read. Below 1 waiting makes it faster: accesses that wait share a switch more "
                             "often. Where a line begins further right, its program deadlocks with less "
                             "memory: all ranks wait for room behind a message that none can read yet.",
                         .x = "memory of an FMU in MiB",
                         .y = "times as long",
                         .kind = FIGURE_LINES,
                         .is_common = true,
                         .x_log = true,
                         .reference = 1});
    reproduction_sweep(reproduction, "papers/fmu/capacity.yaml", &(struct fmu_of_capacity){slowdown},
                       point_of_capacity);
    reproduction_figure(reproduction,
                        &(struct figure){.id = "back-pressure",
                                         .title = "Beyond the paper: how many writes wait for room",
                                         .x = "memory of an FMU in MiB",
                                         .y = "% of messages",
                                         .kind = FIGURE_LINES,
                                         .is_common = true,
                                         .x_log = true});
    reproduction_sweep(reproduction, "papers/fmu/capacity.yaml", &(struct fmu_of_capacity){share_that_waited},
                       point_of_capacity);
}

/* --------------------------------------------------------------- 1024 ranks */

static void bar_of_1024(void *self, struct reproduction *reproduction, const struct swept_run *run)
{
    (void)self;
    reproduction_point(reproduction, swept_value(run, "workload"), run->fabric, swept_value(run, "fmu.count"),
                       run->speedup);
}

static void ranks_1024(struct reproduction *reproduction)
{
    reproduction_figure(reproduction, &(struct figure){.id = "ranks-1024",
                                                       .title = "Beyond the paper: 1024 ranks",
                                                       .says = "Speedup over InfiniBand, one rank per node "
                                                               "(papers/fmu/1024-ranks.yaml).",
                                                       .x = "FMUs",
                                                       .y = "speedup",
                                                       .kind = FIGURE_BARS,
                                                       .is_common = true,
                                                       .reference = 1});
    reproduction_sweep(reproduction, "papers/fmu/1024-ranks.yaml", NULL, bar_of_1024);
}

void fmu_beyond(struct reproduction *reproduction)
{
    switch_time(reproduction);
    if (reproduction_is_quick(reproduction))
        return;
    capacity(reproduction);
    ranks_1024(reproduction);
}
