#include <math.h>
#include <stdio.h>

#include "breakdown/whatif.h"
#include "reproduce/paper.h"

/* "Breaking Band: A Breakdown of High-performance Communication" (Zambre et al.), from its system file,
 * systems/thunderx2.yaml. Every number is a sum of Table 1, so no run is needed. */
struct breakdown_source {
    struct reproduction *reproduction;
    struct system_file file;
    struct model model; /* of 8 bytes */
};

enum { PAPER_BYTES = 8 };

static double ns(ps_t time_ps)
{
    return (double)time_ps / 1000;
}

static void give(const struct breakdown_source *source, const char *item, double ours)
{
    reproduction_item(source->reproduction, item, NULL, ours);
}

/* A claim in words. */
static void give_claim(const struct breakdown_source *source, const char *item, bool holds)
{
    give(source, item, holds);
}

static ps_t time_of(const struct breakdown_source *source, enum system_time time)
{
    return source->file.system.times[time].time_ps;
}

static ps_t observed_of(const struct breakdown_source *source, enum system_observation observation)
{
    return source->file.system.observed[observation].time_ps;
}

static double error_percent(ps_t model_ps, ps_t observed_ps)
{
    return 100 * (double)(model_ps - observed_ps) / (double)observed_ps;
}

static double percent_of(ps_t part_ps, ps_t total_ps)
{
    return 100 * (double)part_ps / (double)total_ps;
}

/* ---------------------------------------------------------------- section 4 */

static void injection_without_mpi(const struct breakdown_source *source)
{
    const struct model *model = &source->model;
    ps_t injection_ps = model_sum(model, INJ_OVERHEAD);
    double error = error_percent(injection_ps, observed_of(source, OBSERVED_INJ_OVERHEAD));
    give(source, "table-1/LLP_post", ns(model_sum(model, LLP_POST)));
    give(source, "table-1/Misc", ns(model_sum(model, LLP_MISC)));
    give(source, "section-4.2/Misc", ns(model_sum(model, LLP_MISC)));
    give(source, "table-1/Network", ns(model_sum(model, NETWORK)));
    give_claim(source, "section-4.2/16-posts-per-poll-suffice", model_least_p(model) <= 16);
    give(source, "section-4.2/Inj_overhead", ns(injection_ps));
    give(source, "section-4.2/Inj_overhead-error", error);
    give_claim(source, "section-4.2/within-5-percent", fabs(error) <= 5);
}

static void latency_without_mpi(const struct breakdown_source *source)
{
    ps_t latency_ps = model_sum(&source->model, LLP_LATENCY);
    ps_t observed_ps = observed_of(source, OBSERVED_LLP_LATENCY);
    ps_t adjusted_ps = observed_ps - observed_of(source, OBSERVED_LLP_DEDUCTION);
    bool is_deducted = reproduction_chooses(source->reproduction, "deduction", "with");
    double error = error_percent(latency_ps, is_deducted ? adjusted_ps : observed_ps);
    give(source, "section-4.3/Latency", ns(latency_ps));
    give(source, "section-4.3/observed-less-deduction", ns(adjusted_ps));
    give(source, "section-4.3/Latency-error", error);
    give_claim(source, "section-4.3/within-5-percent", fabs(error) <= 5);
}

/* --------------------------------------------------------- sections 5 and 6 */

static void software(const struct breakdown_source *source)
{
    const struct model *model = &source->model;
    ps_t wait_ps = time_of(source, TIME_WAIT_MPI) + time_of(source, TIME_WAIT_UCP);
    ps_t callback_ps = time_of(source, TIME_CALLBACK_MPI),
         after_ps = time_of(source, TIME_AFTER_PROGRESS_MPI);
    give(source, "section-5/MPI_Isend", ns(model_sum(model, HLP_POST)));
    give(source, "section-5/MPI_Wait", ns(wait_ps));
    give(source, "section-6/MPI_Wait-in-MPICH", ns(wait_ps - time_of(source, TIME_WAIT_UCP)));
    give(source, "section-6/Post", ns(model_sum(model, HLP_POST | LLP_POST)));
    give(source, "section-6/LLP_tx_prog", ns(model->time_ps[PART_LLP_TX_PROG]));
    give_claim(source, "section-6/LLP_tx_prog-below-1-ns", model->time_ps[PART_LLP_TX_PROG] < PS_PER_NS);
    give(source, "section-6/HLP_tx_prog", ns(model->time_ps[PART_HLP_TX_PROG]));
    give(source, "section-6/HLP_rx_prog", ns(model_sum(model, HLP_RX_PROG)));
    give(source, "section-6/MPICH-before-progress",
         ns(time_of(source, TIME_WAIT_MPI) - callback_ps - after_ps));
    give(source, "section-6/UCP-outside-callback",
         ns(time_of(source, TIME_WAIT_UCP) - time_of(source, TIME_CALLBACK_UCP)));
}

static void totals_with_mpi(const struct breakdown_source *source)
{
    const struct model *model = &source->model;
    bool is_as_worded = reproduction_chooses(source->reproduction, "latency", "as-worded");
    ps_t injection_ps = model_sum(model, OVERALL_INJECTION),
         counted_twice_ps = is_as_worded ? model->time_ps[PART_LLP_PROG] : 0,
         latency_ps = model_sum(model, END_TO_END_LATENCY) + counted_twice_ps;
    double injection_error = error_percent(injection_ps, observed_of(source, OBSERVED_OVERALL_INJECTION));
    double latency_error = error_percent(latency_ps, observed_of(source, OBSERVED_LATENCY));
    give(source, "section-6/overall-injection", ns(injection_ps));
    give(source, "section-6/overall-injection-error", injection_error);
    give_claim(source, "section-6/overall-injection-within-1-percent", fabs(injection_error) <= 1);
    give(source, "section-6/end-to-end-latency", ns(latency_ps));
    give(source, "section-6/end-to-end-error", latency_error);
    give_claim(source, "section-6/end-to-end-within-4-percent", fabs(latency_error) <= 4);
}

/* Insights in words: a part dominates if it is more than half. */
static void words(const struct breakdown_source *source)
{
    const struct model *model = &source->model;
    const uint32_t target_cpu = PART_BIT(PART_LLP_PROG) | HLP_RX_PROG,
                   target_io = PART_BIT(PART_RX_PCIE) | PART_BIT(PART_RC_TO_MEM),
                   initiator_cpu = HLP_POST | LLP_POST, initiator = initiator_cpu | TX_IO,
                   target = target_cpu | target_io, io = TX_IO | target_io;
    ps_t latency_ps = model_sum(model, END_TO_END_LATENCY), network_ps = model_sum(model, NETWORK),
         io_ps = model_sum(model, io), cpu_ps = latency_ps - network_ps - io_ps;
    give_claim(source, "section-6/LLP-dominates-Post",
               2 * model_sum(model, LLP_POST) > model_sum(model, initiator_cpu));
    give_claim(source, "section-6/Wire-dominates-Network", 2 * time_of(source, TIME_WIRE) > network_ps);
    give_claim(source, "section-6/no-category-dominates",
               2 * cpu_ps < latency_ps && 2 * io_ps < latency_ps && 2 * network_ps < latency_ps);
    give_claim(source, "section-6/network-below-a-third", 3 * network_ps < latency_ps);
    give_claim(source, "section-6/target-has-the-majority",
               model_sum(model, target) > model_sum(model, initiator));
    give_claim(source, "section-6/IO-has-the-majority-on-the-target",
               2 * model_sum(model, target_io) > model_sum(model, target));
    give_claim(source, "section-6/RC-to-MEM-has-the-majority-of-the-target's-IO",
               2 * model_sum(model, PART_BIT(PART_RC_TO_MEM)) > model_sum(model, target_io));
    give_claim(source, "section-6/software-has-the-majority-on-the-initiator",
               2 * model_sum(model, initiator_cpu) > model_sum(model, initiator));
    give_claim(source, "section-6/HLP-dominates-progress-of-a-send",
               2 * model->time_ps[PART_HLP_TX_PROG] > model_sum(model, POST_PROG));
    give_claim(source, "section-6/HLP-dominates-progress-of-a-receive",
               2 * model_sum(model, HLP_RX_PROG) > model_sum(model, target_cpu));
}

static void insights(const struct breakdown_source *source)
{
    const struct model *model = &source->model;
    const uint32_t llp = LLP_POST | PART_BIT(PART_LLP_PROG), hlp = HLP_POST | HLP_RX_PROG;
    const uint32_t memory = PART_BIT(PART_RC_TO_MEM), pcie = TX_IO | PART_BIT(PART_RX_PCIE);
    ps_t latency_ps = model_sum(model, END_TO_END_LATENCY), network_ps = model_sum(model, NETWORK);
    double post = percent_of(model_sum(model, HLP_POST | LLP_POST), model_sum(model, OVERALL_INJECTION));
    double software =
        fabs(percent_of(model_sum(model, hlp) - model_sum(model, llp), model_sum(model, hlp | llp)));
    double io =
        fabs(percent_of(model_sum(model, pcie) - model_sum(model, memory), model_sum(model, pcie | memory)));
    ps_t rx_ps = model_sum(model, PART_BIT(PART_LLP_PROG) | HLP_RX_PROG), tx_ps = model_sum(model, POST_PROG);
    give(source, "section-7.2/off-node-share", percent_of(network_ps, latency_ps));
    give(source, "section-6/CPU-and-IO-share", percent_of(latency_ps - network_ps, latency_ps));
    give(source, "section-6/Post-share", post);
    give_claim(source, "section-6/Post-above-70-percent", post > 70);
    give(source, "section-6/HLP-and-LLP-apart", software);
    give_claim(source, "section-6/HLP-and-LLP-within-4-percent", software <= 4);
    give(source, "section-6/PCIe-and-RC-to-MEM-apart", io);
    give_claim(source, "section-6/PCIe-and-RC-to-MEM-within-4-percent", io <= 4);
    give(source, "section-6/rx-to-tx-progress", (double)rx_ps / (double)tx_ps);
}

/* ---------------------------------------------------------------- section 7 */

/* A total before a change, and after it. */
struct breakdown_change {
    ps_t before_ps, after_ps;
};

static struct breakdown_change change_of(const struct breakdown_source *source, uint32_t total,
                                         const char *first, const char *second)
{
    struct system system = source->file.system;
    struct model model;
    whatif_apply(&system, PAPER_BYTES, "section 7", first);
    if (second)
        whatif_apply(&system, PAPER_BYTES, "section 7", second);
    model_init(&model, &system, PAPER_BYTES);
    return (struct breakdown_change){model_sum(&source->model, total), model_sum(&model, total)};
}

/* What a change, or two, gain: "speedup" in the paper's words, which is the reduction of the total or
 * T / T' - 1. */
static double gain(const struct breakdown_source *source, uint32_t total, const char *first,
                   const char *second)
{
    struct breakdown_change changed = change_of(source, total, first, second);
    return reproduction_chooses(source->reproduction, "improvement", "speedup")
               ? whatif_speedup_percent(changed.before_ps, changed.after_ps)
               : whatif_reduction_percent(changed.before_ps, changed.after_ps);
}

static void initiation(const struct breakdown_source *source)
{
    const struct model *model = &source->model;
    ps_t pio_ps = model->time_ps[PART_PIO_COPY];
    double share = percent_of(pio_ps, model_sum(model, LLP_POST));
    double injection = gain(source, OVERALL_INJECTION, "PIO=15ns", NULL),
           latency = gain(source, END_TO_END_LATENCY, "PIO=15ns", NULL);
    give(source, "section-7.1/PIO-share-of-LLP_post", share);
    give_claim(source, "section-7.1/PIO-above-50-percent", share > 50);
    /* A copy of 64 bytes in normal memory takes less than a nanosecond. */
    give_claim(source, "section-7.1/Normal-and-Device-apart-above-90-percent",
               whatif_reduction_percent(pio_ps, PS_PER_NS) > 90);
    give(source, "section-7.1/PIO-reduction", whatif_reduction_percent(pio_ps, 15 * PS_PER_NS));
    give(source, "section-7.1/PIO-15-on-injection", injection);
    give_claim(source, "section-7.1/PIO-15-on-injection-above-25-percent", injection > 25);
    give(source, "section-7.1/PIO-15-on-latency", latency);
    give_claim(source, "section-7.1/PIO-15-on-latency-above-5-percent", latency > 5);
}

static void on_node(const struct breakdown_source *source)
{
    const struct model *model = &source->model;
    double nic = gain(source, END_TO_END_LATENCY, "I/O=-50%", NULL);
    double hlp = gain(source, END_TO_END_LATENCY, "HLP=-20%", NULL),
           llp = gain(source, END_TO_END_LATENCY, "LLP=-20%", NULL);
    double tx_of_hlp = percent_of(model->time_ps[PART_HLP_TX_PROG],
                                  model->time_ps[PART_HLP_TX_PROG] + model_sum(model, HLP_POST));
    double post_of_llp =
        percent_of(model_sum(model, LLP_POST), model_sum(model, LLP_POST) + model->time_ps[PART_LLP_PROG]);
    give(source, "section-7.1/integrated-NIC-50", nic);
    give_claim(source, "section-7.1/integrated-NIC-above-15-percent", nic > 15);
    initiation(source);
    give(source, "section-7.1/HLP-20-on-injection", gain(source, OVERALL_INJECTION, "HLP=-20%", NULL));
    give(source, "section-7.1/LLP-20-on-injection", gain(source, OVERALL_INJECTION, "LLP=-20%", NULL));
    give(source, "section-7.1/HLP-20-on-latency", hlp);
    give(source, "section-7.1/LLP-20-on-latency", llp);
    give(source, "section-7.1/HLP-and-LLP-20-on-latency",
         gain(source, END_TO_END_LATENCY, "HLP=-20%", "LLP=-20%"));
    give_claim(source, "section-7.1/software-below-5-percent", hlp < 5 && llp < 5);
    give(source, "section-7.1/HLP-progress-near-HLP", tx_of_hlp);
    give(source, "section-7.1/LLP_post-near-LLP", post_of_llp);
}

static void off_node(const struct breakdown_source *source)
{
    bool is_at_70 = reproduction_chooses(source->reproduction, "switch", "at-70-percent");
    double at_30 = gain(source, END_TO_END_LATENCY, is_at_70 ? "Switch=-70%" : "Switch=30ns", NULL);
    give(source, "section-7.2/switch-reduction",
         whatif_reduction_percent(time_of(source, TIME_SWITCH), 30 * PS_PER_NS));
    give(source, "section-7.2/switch-30-on-latency", at_30);
    give_claim(source, "section-7.2/switch-30-substantial", at_30 > 5);
    give(source, "section-7/10-percent-less-is", 1 / (1 - 0.10));
    give(source, "section-7/90-percent-less-is", 1 / (1 - 0.90));
}

/* ------------------------------------------------------------------ figures */

/* Figure 6: the digits of the time stamps behind 0001.429 4, in ns. */
static void figure_6(const struct breakdown_source *source)
{
    static const double stamps_ns[] = {6854.2, 6118.2, 6378.2, 6695.2, 6953.2};
    for (int i = 0; i < 4; i++) {
        char item[32];
        snprintf(item, sizeof item, "figure-6/delta-%d", i + 1);
        give(source, item, stamps_ns[i + 1] - stamps_ns[i]);
    }
}

/* The bars of Figures 4, 8 and 10 to 16. The text has no label of theirs to compare with: the shares that the
 * sums give stand beside the items. */
static void bars(const struct breakdown_source *source)
{
    const char *last = "";
    for (size_t i = 0; i < model_bar_count(); i++) {
        struct bar bar;
        char item[96], id[24];
        model_bar(&source->model, i, &bar);
        snprintf(id, sizeof id, "figure-%s", bar.figure + sizeof "Figure " - 1);
        if (bar.figure != last)
            reproduction_figure(
                source->reproduction,
                &(struct figure){.id = id,
                                 .title = bar.figure,
                                 .is_common = true,
                                 .how = "Each panel is one stacked bar of the paper, its parts side by side.",
                                 .x = "part",
                                 .y = "ns",
                                 .kind = FIGURE_BARS});
        last = bar.figure;
        for (size_t j = 0; j < bar.count; j++) {
            snprintf(item, sizeof item, "%s/%s/%s", id, bar.name, bar.parts[j].name);
            reproduction_item(source->reproduction, item, "sums",
                              percent_of(bar.parts[j].time_ps, bar.total_ps));
            reproduction_point(source->reproduction, bar.name, "model", bar.parts[j].name,
                               ns(bar.parts[j].time_ps));
        }
    }
}

static void figure_17(const struct breakdown_source *source)
{
    static const char *const panels[] = {"(a) overall injection", "(b) latency, CPU", "(c) latency, I/O",
                                         "(d) latency, network"};
    reproduction_figure(source->reproduction,
                        &(struct figure){.id = "figure-17",
                                         .title = "Figure 17: what optimising a component gains",
                                         .is_common = true,
                                         .how = "The reduction (T - T') / T, which the paper calls speedup, "
                                                "by how much less time a component takes.",
                                         .x = "component reduced by, %",
                                         .y = "reduction of the total, %",
                                         .kind = FIGURE_LINES});
    for (size_t i = 0; i < whatif_curve_count; i++) {
        const struct whatif_curve *curve = &whatif_curves[i];
        uint32_t total = curve->panel == 'a' ? OVERALL_INJECTION : END_TO_END_LATENCY;
        for (size_t j = 0; j < WHATIF_DEGREES; j++) {
            struct system system = source->file.system;
            struct model model;
            whatif_reduce(&system, curve->times, whatif_degrees_percent[j] * 100);
            model_init(&model, &system, PAPER_BYTES);
            reproduction_point_at(
                source->reproduction, panels[curve->panel - 'a'], curve->name, whatif_degrees_percent[j],
                whatif_reduction_percent(model_sum(&source->model, total), model_sum(&model, total)));
        }
    }
}

/* Post_prog, which is measured, keeps its time: what a completion costs more of it is no part of HLP_tx_prog.
 */
static void complete_every_55(struct system *system)
{
    system->signal_period = 55;
    system->times[TIME_HLP_TX_PROG].time_ps = system->post_prog.time_ps - system_llp_tx_prog(system);
}

static void reproduce(struct reproduction *reproduction)
{
    struct breakdown_source source = {.reproduction = reproduction};
    if (system_init(&source.file, NULL) != STATUS_OK)
        return;
    if (reproduction_chooses(reproduction, "c", "55"))
        complete_every_55(&source.file.system);
    model_init(&source.model, &source.file.system, PAPER_BYTES);
    injection_without_mpi(&source);
    latency_without_mpi(&source);
    software(&source);
    totals_with_mpi(&source);
    insights(&source);
    words(&source);
    on_node(&source);
    off_node(&source);
    figure_6(&source);
    if (reproduction_is_first(reproduction)) {
        bars(&source);
        figure_17(&source);
    }
    system_free(&source.file);
}

PAPER(breakdown, "Breaking Band: A Breakdown of High-performance Communication", "curves", reproduce);
