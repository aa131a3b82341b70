#include <math.h>
#include <stdio.h>
#include <string.h>

#include "papers/fmu/fmu.h"
#include "papers/fmu/runs.h"

/* Tables 3 to 5 of the FMU paper. */

/* ------------------------------------------------------------------ Table 3 */

/* Measured on the running model, and not read from its parameters: latency from an empty message, bandwidth
 * from the time of ten megabytes more. */
static void table_3(struct reproduction *reproduction, const struct fmu_way *way)
{
    double infiniband_s = fmu_one_way_s(reproduction, way, "packet", 0);
    double fmu_s = fmu_one_way_s(reproduction, way, "fmu", 0);
    reproduction_item(reproduction, "table-3/node-rate", NULL, 1e-9 * reproduction_parameter("compute.rate"));
    reproduction_item(reproduction, "table-3/fmus", NULL, reproduction_parameter("fmu.count"));
    reproduction_item(reproduction, "table-3/eager-threshold", NULL,
                      reproduction_parameter("mpi.eager_threshold"));
    reproduction_item(reproduction, "table-3/infiniband-latency", NULL, 1e6 * infiniband_s);
    reproduction_item(reproduction, "table-3/infiniband-bandwidth", NULL,
                      1e-9 * fmu_bytes_per_s(reproduction, way, "packet"));
    reproduction_item(reproduction, "table-3/infiniband-cost-of-1MB", NULL,
                      1e6 * fmu_one_way_s(reproduction, way, "packet", 1e6));
    /* A message is written and read: it takes two switches, and its bytes pass twice. */
    reproduction_item(reproduction, "table-3/fmu-switch", NULL, 1e6 * fmu_s / 2);
    reproduction_item(reproduction, "table-3/fmu-bandwidth", NULL,
                      2e-9 * fmu_bytes_per_s(reproduction, way, "fmu"));
    reproduction_item(reproduction, "table-3/fmu-cost-of-1MB", NULL,
                      1e6 * fmu_one_way_s(reproduction, way, "fmu", 1e6));
}

/* ------------------------------------------------------------------ Table 4 */

static void table_4(struct reproduction *reproduction, const struct fmu_way *way)
{
    static const char *const rings[] = {"bcast", "reduce", "allreduce"};
    double least_idle = 1;
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) {
        const struct run_facts *run =
            fmu_ring_run(reproduction, way, "packet", rings[i], "16MiB", FMU_RING_RANKS);
        reproduction_item_format(reproduction, NULL, run->messages, "table-4/ring-%s/messages", rings[i]);
        reproduction_item_format(reproduction, NULL, run_idles_most_in(run, rings[i]),
                                 "table-4/ring-%s/idleness-source", rings[i]);
        least_idle =
            run->idle_fraction < least_idle || isnan(run->idle_fraction) ? run->idle_fraction : least_idle;
    }
    reproduction_item(reproduction, "section-VII-A/ring-idleness", NULL, 100 * least_idle);
}

/* ------------------------------------------------------------------ Table 5 */

/* What the table names as the source of a program's idleness. */
static const char *idle_cause(const char *program, char class, int ranks)
{
    if (strcmp(program, "is") == 0)
        return class == 'D' && ranks == 64 ? "bcast" : "alltoallv";
    return strcmp(program, "ft") == 0 ? "alltoall" : "p2p";
}

/* The hybrid sends messages above the pivot through FMUs, except those of a rank to itself, which the correct
 * model's fabrics never see. Only CG has such messages, and all have the size of its exchanges, which is
 * above the pivot. */
static double messages_to_oneself(struct reproduction *reproduction, const char *workload)
{
    const struct run_facts *hybrid = fmu_run_generated(reproduction, "hybrid", workload, "compat=none");
    return hybrid->messages - run_metric(hybrid, "network_messages") - run_metric(hybrid, "fmu_messages");
}

/* Table 5 has whole percents. Rounded up, what is left behind the first decimal is cut off before. */
static double whole_share(struct reproduction *reproduction, double percent)
{
    return reproduction_chooses(reproduction, "shares", "up") ? ceil(floor(10 * percent) / 10) : percent;
}

/* A row. Messages do not depend on computation: they are those of the generated program. */
static void table_5_row(struct reproduction *reproduction, const struct fmu_way *way, const char *program,
                        char class, int ranks)
{
    char workload[FMU_WORKLOAD_TEXT], row[32];
    fmu_npb_text(workload, program, class, ranks);
    snprintf(row, sizeof row, "table-5/%s.%c.%d/", program, class, ranks);
    if (!reproduction_wants(reproduction, row))
        return;
    *strrchr(row, '/') = '\0';
    const struct run_facts *network = fmu_run_generated(reproduction, "packet", workload, "");
    bool lacks_barrier = !way->simplecomm && reproduction_chooses(reproduction, "finalize", "barrier");
    double messages = network->messages + (lacks_barrier ? 2 * (ranks - 1) : 0);
    double large = run_metric(fmu_run_generated(reproduction, "hybrid", workload, ""), "fmu_messages") +
                   messages_to_oneself(reproduction, workload);
    reproduction_item_format(reproduction, NULL, messages, "%s/messages", row);
    reproduction_item_format(reproduction, NULL, network->bytes / messages, "%s/mean-size", row);
    reproduction_item_format(reproduction, NULL, whole_share(reproduction, 100 * large / messages),
                             "%s/above-37KB", row);
    reproduction_item_format(reproduction, NULL,
                             100 * fmu_idle_run(reproduction, way, workload)->idle_fraction, "%s/idleness",
                             row);
    reproduction_item_format(
        reproduction, NULL,
        run_idles_most_in(fmu_idle_run(reproduction, way, workload), idle_cause(program, class, ranks)),
        "%s/idleness-source", row);
}

/* What section VII-B says of the idleness of a program as its ranks become more: 1 it increases, -1 it
 * reduces, 0 it remains the same. In each class. */
static double idleness_goes(struct reproduction *reproduction, const struct fmu_way *way, const char *program,
                            int direction)
{
    double known = 0;
    bool so = true;
    for (const char *class = fmu_programs_are_recorded(reproduction) ? "C" : "CD"; *class; class ++)
        for (int ranks = 16; ranks <= FMU_RANKS_AT_MOST; ranks *= 4) {
            char fewer[FMU_WORKLOAD_TEXT], more[FMU_WORKLOAD_TEXT];
            fmu_npb_text(fewer, program, *class, ranks / 4);
            fmu_npb_text(more, program, *class, ranks);
            double factor = fmu_idle_run(reproduction, way, more)->idle_fraction /
                            fmu_idle_run(reproduction, way, fewer)->idle_fraction;
            known += factor;
            so = so && (direction ? direction * (factor - 1) > 0 : fabs(factor - 1) <= 0.1);
        }
    return fmu_holds(known, so);
}

static void table_5(struct reproduction *reproduction, const struct fmu_way *way)
{
    static const int directions[FMU_PROGRAMS] = {0, -1, 1, 1}; /* of LU, CG, FT, IS */
    for (int i = 0; i < FMU_PROGRAMS; i++) {
        for (const char *class = "CD"; *class; class ++)
            for (int ranks = 4; ranks <= FMU_RANKS_AT_MOST; ranks *= 4)
                table_5_row(reproduction, way, fmu_programs[i], *class, ranks);
        if (!reproduction_wants(reproduction, "section-VII-B/idleness-by-ranks/"))
            continue;
        reproduction_item_format(reproduction, NULL,
                                 idleness_goes(reproduction, way, fmu_programs[i], directions[i]),
                                 "section-VII-B/idleness-by-ranks/%s", fmu_programs[i]);
    }
}

void fmu_tables(struct reproduction *reproduction)
{
    struct fmu_way way = fmu_way_chosen(reproduction);
    if (reproduction_wants(reproduction, "table-3/"))
        table_3(reproduction, &way);
    if (reproduction_wants(reproduction, "table-4/") ||
        reproduction_wants(reproduction, "section-VII-A/ring-idleness"))
        table_4(reproduction, &way);
    table_5(reproduction, &way);
}
