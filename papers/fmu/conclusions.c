#include <math.h>
#include <stdio.h>

#include "papers/fmu/fmu.h"
#include "papers/fmu/runs.h"

/* Which of the paper's conclusions hold, and what they rest on: its main numbers in the published simulator,
 * in the correct model, and in the correct model with one assumption changed. NPB programs compute at the
 * fitted rate in all of them. */
static const struct fmu_way doubts[] = {
    {.name = "half-duplex", .settings = "packet.duplex=half", .fitted = true},
    {.name = "alltoall-by-ring", .settings = "mpi.alltoall=ring", .fitted = true},
    {.name = "no-coalescing", .settings = "fmu.coalesce=off", .fitted = true},
    {.name = "tag-by-network", .settings = "fmu.tag=network", .fitted = true},
    {.name = "tag-in-header", .settings = "fmu.tag=header", .fitted = true},
};
enum { DOUBTS = sizeof doubts / sizeof *doubts };

static double large_message(struct reproduction *reproduction, const struct fmu_way *way)
{
    return fmu_one_way_s(reproduction, way, "packet", 10e6) / fmu_one_way_s(reproduction, way, "fmu", 10e6);
}

static double pivot_kb(struct reproduction *reproduction, const struct fmu_way *way)
{
    return 1e-3 * fmu_pivot_bytes(reproduction, way);
}

static double bcast_large(struct reproduction *reproduction, const struct fmu_way *way)
{
    return fmu_ring_speedup(reproduction, way, "bcast", "16MiB", 64);
}

static double reduce_large(struct reproduction *reproduction, const struct fmu_way *way)
{
    return (fmu_ring_speedup(reproduction, way, "reduce", "16MiB", 64) +
            fmu_ring_speedup(reproduction, way, "allreduce", "16MiB", 64)) /
           2;
}

static double bcast_small(struct reproduction *reproduction, const struct fmu_way *way)
{
    return fmu_ring_speedup(reproduction, way, "bcast", "32KiB", 64);
}

static double reduce_small(struct reproduction *reproduction, const struct fmu_way *way)
{
    return fmu_ring_speedup(reproduction, way, "reduce", "32KiB", 64);
}

static double ft(struct reproduction *reproduction, const struct fmu_way *way)
{
    return fmu_npb_speedup(reproduction, way, "fmu", "npb:ft:class=C,ranks=16", 16);
}

static double cg_percent(struct reproduction *reproduction, const struct fmu_way *way, const char *fabric,
                         const char *workload)
{
    return 100 * (fmu_npb_speedup(reproduction, way, fabric, workload, 64) - 1);
}

static double cg_16_fmu(struct reproduction *reproduction, const struct fmu_way *way)
{
    return cg_percent(reproduction, way, "fmu", "npb:cg:class=C,ranks=16");
}

static double cg_16_hybrid(struct reproduction *reproduction, const struct fmu_way *way)
{
    return cg_percent(reproduction, way, "hybrid", "npb:cg:class=C,ranks=16");
}

static double cg_64_fmu(struct reproduction *reproduction, const struct fmu_way *way)
{
    return cg_percent(reproduction, way, "fmu", "npb:cg:class=C,ranks=64");
}

static double cg_64_hybrid(struct reproduction *reproduction, const struct fmu_way *way)
{
    return cg_percent(reproduction, way, "hybrid", "npb:cg:class=C,ranks=64");
}

static const struct fmu_conclusion {
    const char *item, *says;
    double (*of)(struct reproduction *reproduction, const struct fmu_way *way);
} conclusions[] = {
    {"figure-11/speedup-at-10MB", "one message of 10 MB, times as fast", large_message},
    {"figure-12/pivot", "smallest message that FMU carries faster, KB", pivot_kb},
    {"figure-13/bcast-16MB", "Ring_Bcast of 16 MB, times as fast", bcast_large},
    {"figure-13/reduce-and-allreduce-16MB", "Ring_Reduce and Ring_Allreduce of 16 MB, times as fast",
     reduce_large},
    {"figure-13/bcast-32KB-slows-down", "Ring_Bcast of 32 KB, times as fast", bcast_small},
    {"figure-13/reduce-32KB-slows-down", "Ring_Reduce of 32 KB, times as fast", reduce_small},
    {"figure-14/ft.C.16-on-16-fmus", "FT, class C, 16 ranks, times as fast", ft},
    {"figure-14/cg.C.16-gain", "CG, class C, 16 ranks, % gained", cg_16_fmu},
    {"figure-15/cg.C.16-gain", "CG, class C, 16 ranks, hybrid, % gained", cg_16_hybrid},
    {"figure-14/cg.C.64-gain", "CG, class C, 64 ranks, % gained", cg_64_fmu},
    {"figure-15/cg.C.64-gain", "CG, class C, 64 ranks, hybrid, % gained", cg_64_hybrid},
};
enum { CONCLUSIONS = sizeof conclusions / sizeof *conclusions };

static void draw(struct reproduction *reproduction, const struct fmu_conclusion *conclusion)
{
    static const int ways[] = {FMU_SIMPLECOMM_FITTED, FMU_CORRECT_FITTED};
    static const char *const names[] = {"published simulator", "correct"};
    reproduction_point(reproduction, conclusion->says, "paper", "paper",
                       reproduction_published(reproduction, conclusion->item));
    for (int i = 0; i < 2; i++)
        reproduction_point(reproduction, conclusion->says, "models", names[i],
                           conclusion->of(reproduction, &fmu_ways[ways[i]]));
    for (int i = 0; i < DOUBTS; i++)
        reproduction_point(reproduction, conclusion->says, "correct, but for", doubts[i].name,
                           conclusion->of(reproduction, &doubts[i]));
}

void fmu_conclusions(struct reproduction *reproduction)
{
    reproduction_figure(
        reproduction,
        &(struct figure){
            .id = "conclusions",
            .title = "What the conclusions rest on",
            .says = "The paper's headline numbers: published, as its simulator computes them, in the correct "
                    "model, and in the correct model with one thing changed. NPB at the fitted rates.",
            .how =
                "half-duplex: a node's InfiniBand port serves one direction at a time, as in the published "
                "simulator. alltoall-by-ring: in rounds, one message of a rank at a time, as in the "
                "published simulator. "
                "no-coalescing: every access pays its switch. tag-by-network: the receiver learns of a "
                "message when its tag has come by InfiniBand, 8 us later. tag-in-header: the receiver learns "
                "of it when the message is in the FMU.",
            .x = "model",
            .y = "",
            .kind = FIGURE_BARS});
    for (int i = 0; i < CONCLUSIONS; i++) {
        draw(reproduction, &conclusions[i]);
        for (int k = 0; k < DOUBTS; k++)
            reproduction_item_format(reproduction, doubts[k].name,
                                     conclusions[i].of(reproduction, &doubts[k]), "%s", conclusions[i].item);
    }
}
