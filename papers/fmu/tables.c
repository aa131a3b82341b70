#include <math.h>
#include <stdio.h>
#include <string.h>

#include "papers/fmu/fmu.h"
#include "papers/fmu/runs.h"

/* Tables 3 to 5 of the FMU paper. */

/* ------------------------------------------------------------------ Table 3 */

/* Measured on the running model, and not read from its parameters: latency from an empty message, bandwidth
 * from the time of ten megabytes more. */
static void table_3_measured(struct reproduction *reproduction, const struct fmu_way *way)
{
    double infiniband_s = fmu_one_way_s(reproduction, way, "packet", 0);
    double infiniband_bytes_per_s = 1e7 / (fmu_one_way_s(reproduction, way, "packet", 2e7) -
                                           fmu_one_way_s(reproduction, way, "packet", 1e7));
    double fmu_s = fmu_one_way_s(reproduction, way, "fmu", 0);
    double fmu_bytes_per_s =
        1e7 / (fmu_one_way_s(reproduction, way, "fmu", 2e7) - fmu_one_way_s(reproduction, way, "fmu", 1e7));
    reproduction_item_format(reproduction, way->name, 1e6 * infiniband_s, "table-3/infiniband-latency");
    reproduction_item_format(reproduction, way->name, 1e-9 * infiniband_bytes_per_s,
                             "table-3/infiniband-bandwidth");
    reproduction_item_format(reproduction, way->name, 1e6 * fmu_one_way_s(reproduction, way, "packet", 1e6),
                             "table-3/infiniband-cost-of-1MB");
    /* A message is written and read: it takes two switches, and its bytes pass twice. */
    reproduction_item_format(reproduction, way->name, 1e6 * fmu_s / 2, "table-3/fmu-switch");
    reproduction_item_format(reproduction, way->name, 1e-9 * fmu_bytes_per_s * 2, "table-3/fmu-bandwidth");
    reproduction_item_format(reproduction, way->name, 1e6 * fmu_one_way_s(reproduction, way, "fmu", 1e6),
                             "table-3/fmu-cost-of-1MB");
}

static void table_3(struct reproduction *reproduction)
{
    reproduction_item(reproduction, "table-3/node-rate", NULL, 1e-9 * reproduction_parameter("compute.rate"));
    reproduction_item(reproduction, "table-3/fmus", NULL, reproduction_parameter("fmu.count"));
    reproduction_item(reproduction, "table-3/eager-threshold", NULL,
                      reproduction_parameter("mpi.eager_threshold"));
    for (int way = 0; way < FMU_PLAIN_WAYS; way++)
        table_3_measured(reproduction, &fmu_ways[way]);
}

/* ------------------------------------------------------------------ Table 4 */

static void table_4(struct reproduction *reproduction, const struct fmu_way *way)
{
    static const char *const rings[] = {"bcast", "reduce", "allreduce"};
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) {
        char workload[64];
        snprintf(workload, sizeof workload, "fmu-%s:ranks=64,bytes=16MiB,iterations=100", rings[i]);
        const struct run_facts *run = fmu_run(reproduction, way, "packet", workload);
        reproduction_item_format(reproduction, way->name, run->messages, "table-4/ring-%s/messages",
                                 rings[i]);
        reproduction_item_format(reproduction, way->name, 100 * run->idle_fraction,
                                 "table-4/ring-%s/idleness", rings[i]);
    }
}

/* ------------------------------------------------------------------ Table 5 */

/* What the table names as the source of a program's idleness. */
static const char *idle_cause(const char *program)
{
    return strcmp(program, "ft") == 0 ? "alltoall" : strcmp(program, "is") == 0 ? "alltoallv" : "p2p";
}

/* The hybrid sends messages above the pivot through FMUs, except those of a rank to itself, which the correct
 * model's fabrics never see. Only CG has such messages, and all have the size of its exchanges, which is
 * above the pivot. */
static double messages_to_oneself(struct reproduction *reproduction, const char *workload)
{
    const struct run_facts *hybrid = fmu_run(reproduction, &fmu_ways[FMU_CORRECT], "hybrid", workload);
    return hybrid->messages - run_metric(hybrid, "network_messages") - run_metric(hybrid, "fmu_messages");
}

static void table_5_row(struct reproduction *reproduction, const struct fmu_way *way, const char *program,
                        char class, int ranks)
{
    char workload[FMU_WORKLOAD_TEXT], row[32];
    fmu_npb_text(workload, program, class, ranks);
    snprintf(row, sizeof row, "table-5/%s.%c.%d", program, class, ranks);
    const struct run_facts *network = fmu_run(reproduction, way, "packet", workload);
    reproduction_item_format(reproduction, way->name, 100 * network->idle_fraction, "%s/idleness", row);
    if (way->fitted)
        return; /* messages do not depend on the rate */
    double messages = network->messages + (way->simplecomm ? 0 : 2 * (ranks - 1));
    reproduction_item_format(reproduction, way->name, messages, "%s/messages", row);
    reproduction_item_format(reproduction, way->name, network->bytes / messages, "%s/mean-size", row);
    double large = run_metric(fmu_run(reproduction, way, "hybrid", workload), "fmu_messages");
    large += messages_to_oneself(reproduction, workload);
    reproduction_item_format(reproduction, way->name, 100 * large / messages, "%s/above-37KB", row);
    double in_cause = run_idle_share(network, idle_cause(program));
    reproduction_item_format(reproduction, way->name, 100 * in_cause, "%s/idleness-source", row);
}

static void table_5(struct reproduction *reproduction, const struct fmu_way *way)
{
    for (int i = 0; i < FMU_PROGRAMS; i++)
        for (const char *class = fmu_classes(reproduction); *class; class ++)
            for (int ranks = 4; ranks <= fmu_most_ranks(reproduction, fmu_programs[i]); ranks *= 4)
                table_5_row(reproduction, way, fmu_programs[i], *class, ranks);
}

void fmu_tables(struct reproduction *reproduction)
{
    table_3(reproduction);
    for (int way = 0; way < FMU_PLAIN_WAYS; way++)
        table_4(reproduction, &fmu_ways[way]);
    for (int way = 0; way < FMU_WAYS; way++)
        table_5(reproduction, &fmu_ways[way]);
}
