#include <math.h>
#include <stdio.h>

#include "papers/fmu/fmu.h"
#include "papers/fmu/runs.h"

/* Which of the paper's conclusions hold, and what they rest on: its main numbers in our model, as the
 * published simulator computes them, and in our model with one assumption changed. NPB programs compute at
 * the fitted rate of our model, or of the published simulator, in all of them. */
static const struct fmu_doubt {
    const char *name, *settings;
    bool is_other_model; /* with rates of its own; its numbers are those of a configuration */
} doubts[] = {
    {"SimpleComm", "compat=simplecomm", true},        {"half-duplex", "packet.duplex=half", false},
    {"alltoall-by-ring", "mpi.alltoall=ring", false}, {"no-coalescing", "fmu.coalesce=off", false},
    {"tag-by-network", "fmu.tag=network", false},     {"tag-in-header", "fmu.tag=header", false},
};
enum { DOUBTS = sizeof doubts / sizeof *doubts };

static struct fmu_way way_of(struct reproduction *reproduction, const struct fmu_doubt *doubt)
{
    struct fmu_way way = fmu_way_chosen(reproduction);
    way.settings = doubt->settings;
    way.rate_settings = doubt->is_other_model ? doubt->settings : "";
    way.simplecomm = doubt->is_other_model;
    return way;
}

static double large_message(struct reproduction *reproduction, const struct fmu_way *way)
{
    return fmu_message_speedup(reproduction, way, 10e6);
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
    bool slows_down; /* the item is the claim that this is a slowdown */
} conclusions[] = {
    {"figure-11/speedup-at-10MB", "one message of 10 MB, times as fast", large_message, false},
    {"figure-12/pivot", "smallest message that FMU carries faster, KB", pivot_kb, false},
    {"figure-13/bcast-16MB", "Ring_Bcast of 16 MB, times as fast", bcast_large, false},
    {"figure-13/reduce-and-allreduce-16MB", "Ring_Reduce and Ring_Allreduce of 16 MB, times as fast",
     reduce_large, false},
    {"figure-13/bcast-32KB-slows-down", "Ring_Bcast of 32 KB, times as fast", bcast_small, true},
    {"figure-13/reduce-32KB-slows-down", "Ring_Reduce of 32 KB, times as fast", reduce_small, true},
    {"figure-14/ft.C.16-on-16-fmus", "FT, class C, 16 ranks, times as fast", ft, false},
    {"figure-14/cg.C.16-gain", "CG, class C, 16 ranks, % gained", cg_16_fmu, false},
    {"figure-15/cg.C.16-gain", "CG, class C, 16 ranks, hybrid, % gained", cg_16_hybrid, false},
    {"figure-14/cg.C.64-gain", "CG, class C, 64 ranks, % gained", cg_64_fmu, false},
    {"figure-15/cg.C.64-gain", "CG, class C, 64 ranks, hybrid, % gained", cg_64_hybrid, false},
};
enum { CONCLUSIONS = sizeof conclusions / sizeof *conclusions };

static void draw(struct reproduction *reproduction, const struct fmu_conclusion *conclusion)
{
    struct fmu_way chosen = fmu_way_chosen(reproduction);
    if (!conclusion->slows_down)
        reproduction_point(reproduction, conclusion->says, "paper", "paper",
                           reproduction_published(reproduction, conclusion->item));
    reproduction_point(reproduction, conclusion->says, "models", "correct",
                       conclusion->of(reproduction, &chosen));
    for (int i = 0; i < DOUBTS; i++) {
        struct fmu_way way = way_of(reproduction, &doubts[i]);
        reproduction_point(reproduction, conclusion->says,
                           doubts[i].is_other_model ? "models" : "correct, but for", doubts[i].name,
                           conclusion->of(reproduction, &way));
    }
}

static void give(struct reproduction *reproduction, const struct fmu_conclusion *conclusion,
                 const struct fmu_doubt *doubt)
{
    struct fmu_way way = way_of(reproduction, doubt);
    double value = conclusion->of(reproduction, &way);
    if (!doubt->is_other_model)
        reproduction_item(reproduction, conclusion->item, doubt->name,
                          conclusion->slows_down ? fmu_holds(value, value < 1) : value);
}

void fmu_conclusions(struct reproduction *reproduction)
{
    if (!reproduction_is_first(reproduction) || !reproduction_draws(reproduction)) /* correct-fitted */
        return;
    reproduction_figure(
        reproduction,
        &(struct figure){
            .id = "conclusions",
            .title = "What the conclusions rest on",
            .says =
                "The paper's headline numbers: published, in the correct model, as its simulator computes "
                "them, and in the correct model with one thing changed. NPB at the fitted rates.",
            .how =
                "half-duplex: a node's InfiniBand port serves one direction at a time, as in the published "
                "simulator. alltoall-by-ring: in rounds, one message of a rank at a time, as in the "
                "published simulator. "
                "no-coalescing: every access pays its switch. tag-by-network: the receiver learns of a "
                "message when its tag has come by InfiniBand, 8 us later. tag-in-header: the receiver learns "
                "of it when the message is in the FMU.",
            .x = "model",
            .y = "",
            .kind = FIGURE_BARS,
            .is_common = true});
    for (int i = 0; i < CONCLUSIONS; i++) {
        draw(reproduction, &conclusions[i]);
        for (int k = 0; k < DOUBTS; k++)
            give(reproduction, &conclusions[i], &doubts[k]);
    }
}
