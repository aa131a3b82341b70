#include "breakdown/whatif.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/param.h"
#include "base/units.h"

#define BIT(time) (UINT32_C(1) << (time))

enum {
    POST_TIMES = 1 << TIME_MD_SETUP | 1 << TIME_MD_BARRIER | 1 << TIME_DBC_BARRIER | 1 << TIME_PIO_COPY |
                 1 << TIME_LLP_POST_MISC,
    LLP_TIMES = POST_TIMES | 1 << TIME_LLP_PROG,
    HLP_POST_TIMES = 1 << TIME_HLP_POST_MPI | 1 << TIME_HLP_POST_UCP,
    HLP_RX_TIMES = 1 << TIME_CALLBACK_MPI | 1 << TIME_CALLBACK_UCP | 1 << TIME_AFTER_PROGRESS_MPI,
    HLP_TIMES = HLP_POST_TIMES | 1 << TIME_HLP_TX_PROG | HLP_RX_TIMES,
    MEMORY_TIMES = 1 << TIME_RC_TO_MEM_8B | 1 << TIME_RC_TO_MEM_64B,
    IO_TIMES = 1 << TIME_PCIE | MEMORY_TIMES | 1 << TIME_MEM_READ,
    NETWORK_TIMES = 1 << TIME_WIRE | 1 << TIME_SWITCH,
};

/* Single components come first, and of these the ones that are ranked; the others are sets. */
enum { RANKED_TARGETS = 19, SINGLE_TARGETS = 22 };

static const struct whatif_target targets[] = {
    {"MD_setup", BIT(TIME_MD_SETUP), 0},
    {"MD_barrier", BIT(TIME_MD_BARRIER), 0},
    {"DBC_barrier", BIT(TIME_DBC_BARRIER), 0},
    {"PIO", BIT(TIME_PIO_COPY), 0},
    {"LLP_post_misc", BIT(TIME_LLP_POST_MISC), 0},
    {"LLP_prog", BIT(TIME_LLP_PROG), 0},
    {"doorbell", BIT(TIME_DOORBELL), 0},
    {"PCIe", BIT(TIME_PCIE), 0},
    {"Wire", BIT(TIME_WIRE), 0},
    {"Switch", BIT(TIME_SWITCH), 0},
    {"RC_to_MEM", MEMORY_TIMES, 0},
    {"HLP_post_MPI", BIT(TIME_HLP_POST_MPI), 0},
    {"HLP_post_UCP", BIT(TIME_HLP_POST_UCP), 0},
    {"HLP_tx_prog", BIT(TIME_HLP_TX_PROG), 0},
    {"Misc", BIT(TIME_MISC), 0},
    {"MPI_callback", BIT(TIME_CALLBACK_MPI), 0},
    {"UCP_callback", BIT(TIME_CALLBACK_UCP), 0},
    {"MPI_after", BIT(TIME_AFTER_PROGRESS_MPI), 0},
    {"MEM_read", BIT(TIME_MEM_READ), 0},
    {"PIO_copy", BIT(TIME_PIO_COPY), 0},
    {"busy_post", BIT(TIME_BUSY_POST), 0},
    {"measurement_update", BIT(TIME_MEASUREMENT_UPDATE), 0},
    {"LLP_post", POST_TIMES, LLP_POST},
    {"LLP", LLP_TIMES, LLP_POST | PART_BIT(PART_LLP_PROG)},
    {"HLP_post", HLP_POST_TIMES, HLP_POST},
    {"HLP_rx_prog", HLP_RX_TIMES, HLP_RX_PROG},
    {"HLP", HLP_TIMES, HLP_POST | HLP_RX_PROG},
    {"CPU", LLP_TIMES | HLP_TIMES, LLP_POST | PART_BIT(PART_LLP_PROG) | HLP_POST | HLP_RX_PROG},
    {"I/O", IO_TIMES, TX_IO | RX_IO},
    {"Network", NETWORK_TIMES, NETWORK},
};

enum { TARGETS = sizeof targets / sizeof *targets };

const struct whatif_optimisation whatif_optimisations[] = {
    {"integrated-nic", "I/O=-50%",
     "a NIC on the processor's die: \"even with a modest 50% reduction in I/O time\""},
    {"pio", "PIO=15ns", "writes to device memory nearly as fast as to normal memory"},
    {"hlp", "HLP=-20%", "software above the LLP: what the authors hold likely at most"},
    {"llp", "LLP=-20%", "the LLP: likewise"},
    {"wire", "Wire=+300ns", "forward error correction of links beyond 100 Gb/s: worse"},
    {"switch", "Switch=30ns", "what Gen-Z forecasts at best"},
};
const size_t whatif_optimisation_count = sizeof whatif_optimisations / sizeof *whatif_optimisations;

const struct whatif_curve whatif_curves[] = {
    {'a', "HLP", HLP_TIMES},
    {'a', "HLP_post", HLP_POST_TIMES},
    {'a', "HLP_tx_prog", BIT(TIME_HLP_TX_PROG)},
    {'a', "LLP", LLP_TIMES},
    {'a', "LLP_post", POST_TIMES},
    {'a', "PIO", BIT(TIME_PIO_COPY)},
    {'b', "HLP", HLP_TIMES},
    {'b', "HLP_post", HLP_POST_TIMES},
    {'b', "HLP_rx_prog", HLP_RX_TIMES},
    {'b', "LLP", LLP_TIMES},
    {'b', "LLP_post", POST_TIMES},
    {'b', "LLP_prog", BIT(TIME_LLP_PROG)},
    {'b', "PIO", BIT(TIME_PIO_COPY)},
    {'c', "Integrated NIC", IO_TIMES},
    {'c', "PCIe", BIT(TIME_PCIE)},
    {'c', "RC-to-MEM", MEMORY_TIMES},
    {'d', "Wire", BIT(TIME_WIRE)},
    {'d', "Switch", BIT(TIME_SWITCH)},
};
const size_t whatif_curve_count = sizeof whatif_curves / sizeof *whatif_curves;

const unsigned whatif_degrees_percent[WHATIF_DEGREES] = {10, 30, 50, 70, 90};

/* -------------------------------------------------------------------- names */

static bool same_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a && !isalnum((unsigned char)*a))
            a++;
        while (*b && !isalnum((unsigned char)*b))
            b++;
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        if (!*a)
            return true;
    }
}

const struct whatif_target *whatif_target_at(size_t index)
{
    return index < TARGETS ? &targets[index] : NULL;
}

bool whatif_is_set(const struct whatif_target *target)
{
    return target >= &targets[SINGLE_TARGETS];
}

const struct whatif_target *whatif_find(const char *name)
{
    for (size_t i = 0; i < TARGETS; i++)
        if (same_name(targets[i].name, name))
            return &targets[i];
    return NULL;
}

static const char *target_name_at(const void *list, size_t index)
{
    return ((const struct whatif_target *)list)[index].name;
}

/* ------------------------------------------------------------------ changes */

static ps_t sum_of(const struct system *system, uint32_t times)
{
    ps_t sum = 0;
    for (unsigned time = 0; time < SYSTEM_TIMES; time++)
        if (times & BIT(time))
            sum += system->times[time].time_ps;
    return sum;
}

/* Scales the times in proportion to the sum `wanted_ps`. The largest takes the rounding error. */
static void scale_to(struct system *system, uint32_t times, ps_t wanted_ps)
{
    ps_t before = sum_of(system, times), after = 0;
    unsigned largest = SYSTEM_TIMES;
    for (unsigned time = 0; time < SYSTEM_TIMES; time++) {
        ps_t *value = &system->times[time].time_ps;
        if (!(times & BIT(time)))
            continue;
        if (largest == SYSTEM_TIMES || *value > system->times[largest].time_ps)
            largest = time;
        *value = before ? (ps_t)((__int128)*value * wanted_ps / before) : 0;
        after += *value;
    }
    if (largest < SYSTEM_TIMES)
        system->times[largest].time_ps += wanted_ps - after;
}

void whatif_reduce(struct system *system, uint32_t times, unsigned hundredths)
{
    for (unsigned time = 0; time < SYSTEM_TIMES; time++)
        if (times & BIT(time)) {
            ps_t *value = &system->times[time].time_ps;
            *value -= (ps_t)(((__int128)*value * hundredths + 5000) / 10000);
        }
}

static bool fail(struct units_problem *problem, const char *format, const char *text)
{
    snprintf(problem->text, sizeof problem->text, format, text);
    problem->at = 0;
    return false;
}

static bool is_in_range(ps_t time_ps, const char *text, struct units_problem *problem)
{
    if (time_ps < 0)
        return fail(problem, "'%s' would make it shorter than 0 s", text);
    if (time_ps > PS_PER_S)
        return fail(problem, "'%s' would make it longer than 1 s", text);
    return true;
}

/* "-50%": every time of the target alike. */
static bool change_by_percent(struct system *system, const struct whatif_target *target, const char *text,
                              struct units_problem *problem)
{
    const ps_t before_ps = sum_of(system, target->times);
    double percent;
    char number[64];
    if (*text != '+' && *text != '-')
        return fail(problem, "a change in percent has its sign, such as -50%% or +10%%, not '%s'", text);
    snprintf(number, sizeof number, "%.*s", (int)(strlen(text) - 2), text + 1);
    if (!units_number(number, &percent, problem) || percent < 0 || percent > 1e6)
        return fail(problem, "'%s' is not a change in percent, such as -50%% or +10%%", text);
    const ps_t amount_ps = (ps_t)((double)before_ps * percent / 100 + 0.5),
               after_ps = *text == '-' ? before_ps - amount_ps : ps_add(before_ps, amount_ps);
    if (!is_in_range(after_ps, text, problem))
        return false;
    scale_to(system, target->times, after_ps);
    return true;
}

/* What a target takes of the latency of a message. Each of its times counts as often as a message spends it:
 * PCIe is crossed twice or more often, and HLP_tx_prog is beside the way. A single component counts as it is,
 * and RC-to-MEM as that of 8 bytes. */
struct share {
    ps_t counts[SYSTEM_TIMES];
    ps_t times_ps; /* of the times, which a change scales */
    ps_t bytes_ps; /* of the payload behind its first block, at the rates of the system */
};

static ps_t latency_part(const struct system *system, uint64_t bytes, uint32_t parts)
{
    struct model model;
    model_init(&model, system, bytes);
    return model_sum(&model, parts);
}

static struct share share_of(const struct system *system, uint64_t bytes, const struct whatif_target *target)
{
    struct share share = {.times_ps = 0};
    const ps_t part_ps = latency_part(system, bytes, target->parts);
    bool is_counted = false;
    for (unsigned time = 0; time < SYSTEM_TIMES; time++) {
        if (!(target->times & BIT(time)))
            continue;
        struct system longer = *system;
        longer.times[time].time_ps++;
        share.counts[time] =
            target->parts ? latency_part(&longer, bytes, target->parts) - part_ps : !is_counted;
        share.times_ps += share.counts[time] * system->times[time].time_ps;
        is_counted = true;
    }
    share.bytes_ps = target->parts ? part_ps - share.times_ps : 0;
    return share;
}

/* Scales the times of the target so that its share is `wanted_ps`. The largest takes the rounding error. */
static void scale_share(struct system *system, uint32_t times, const struct share *share, ps_t wanted_ps)
{
    ps_t after = 0;
    unsigned largest = SYSTEM_TIMES;
    for (unsigned time = 0; time < SYSTEM_TIMES; time++) {
        ps_t *value = &system->times[time].time_ps;
        if (!(times & BIT(time)))
            continue;
        if (share->counts[time] && (largest == SYSTEM_TIMES || *value > system->times[largest].time_ps))
            largest = time;
        *value = share->times_ps ? (ps_t)((__int128)*value * wanted_ps / share->times_ps) : wanted_ps;
        after += share->counts[time] * *value;
    }
    if (largest < SYSTEM_TIMES)
        system->times[largest].time_ps += (wanted_ps - after) / share->counts[largest];
}

/* "+300ns" or "15ns": what the target takes of the latency. */
static bool change_by_time(struct system *system, uint64_t bytes, const struct whatif_target *target,
                           const char *text, struct units_problem *problem)
{
    const struct share share = share_of(system, bytes, target);
    const size_t sign = *text == '+' || *text == '-';
    ps_t amount_ps = 0;
    if (!units_time(text + sign, &amount_ps, problem)) {
        problem->at += (uint32_t)sign;
        return false;
    }
    const ps_t after_ps = *text == '-'   ? share.times_ps - amount_ps
                          : *text == '+' ? ps_add(share.times_ps, amount_ps)
                                         : amount_ps - share.bytes_ps;
    if (!sign && after_ps < 0)
        return fail(problem, "'%s' is less than the bytes of the payload alone take", text);
    if (!is_in_range(after_ps, text, problem))
        return false;
    if (target->parts && !share.times_ps && after_ps)
        return fail(problem, "it takes no time in this system, which '%s' could scale; change one component",
                    text);
    struct system changed = *system;
    scale_share(&changed, target->times, &share, after_ps);
    for (unsigned time = 0; time < SYSTEM_TIMES; time++)
        if (!is_in_range(changed.times[time].time_ps, text, problem))
            return false;
    *system = changed;
    return true;
}

static bool change(struct system *system, uint64_t bytes, const struct whatif_target *target,
                   const char *text, struct units_problem *problem)
{
    return text[strlen(text) - 1] == '%' ? change_by_percent(system, target, text, problem)
                                         : change_by_time(system, bytes, target, text, problem);
}

enum status whatif_apply(struct system *system, uint64_t bytes, const char *what, const char *text)
{
    struct param_assignment assignment;
    param_split(text, 0, strlen(text), &assignment);
    const struct whatif_target *target = whatif_find(assignment.name);
    struct diag_place place = {.file = what,
                               .line = 1,
                               .column = (uint32_t)assignment.name_at + 1,
                               .span = (uint32_t)strlen(assignment.name),
                               .source = text,
                               .source_length = strlen(text)};
    struct units_problem problem;
    enum status status = STATUS_BAD_INPUT;
    if (!target) {
        diag_report(DIAG_ERROR, &place, "there is no component '%s'%s", assignment.name,
                    diag_did_you_mean(diag_nearest(assignment.name, targets, TARGETS, target_name_at)));
    } else if (!assignment.value || !*assignment.value) {
        diag_report(DIAG_ERROR, &place, "a change is missing: %s=-50%%, %s=+300ns or %s=15ns", target->name,
                    target->name, target->name);
    } else if (!change(system, bytes, target, assignment.value, &problem)) {
        place.column = (uint32_t)(assignment.value_at + problem.at) + 1;
        place.span = (uint32_t)(strlen(assignment.value) - problem.at);
        diag_report(DIAG_ERROR, &place, "%s", problem.text);
    } else {
        status = STATUS_OK;
    }
    free(assignment.name);
    free(assignment.value);
    return status;
}

/* ------------------------------------------------------------------ results */

double whatif_reduction_percent(ps_t before_ps, ps_t after_ps)
{
    return before_ps ? 100 * (double)(before_ps - after_ps) / (double)before_ps : 0;
}

double whatif_speedup_percent(ps_t before_ps, ps_t after_ps)
{
    return after_ps ? 100 * (double)(before_ps - after_ps) / (double)after_ps : 0;
}

struct whatif_totals whatif_totals_of(const struct system *system, uint64_t bytes)
{
    struct model model;
    model_init(&model, system, bytes);
    return (struct whatif_totals){model_sum(&model, OVERALL_INJECTION),
                                  model_sum(&model, END_TO_END_LATENCY)};
}

struct whatif_totals whatif_totals_reduced(const struct system *system, uint64_t bytes, uint32_t times,
                                           unsigned hundredths)
{
    struct system changed = *system;
    whatif_reduce(&changed, times, hundredths);
    return whatif_totals_of(&changed, bytes);
}

struct whatif_totals whatif_totals_optimised(const struct system *system, uint64_t bytes,
                                             const struct whatif_optimisation *optimisation)
{
    struct system changed = *system;
    whatif_apply(&changed, bytes, "--optimise", optimisation->change);
    return whatif_totals_of(&changed, bytes);
}

ps_t whatif_curve_total(const struct whatif_curve *curve, const struct whatif_totals *totals)
{
    return curve->panel == 'a' ? totals->injection_ps : totals->latency_ps;
}

static int by_gain(const void *left, const void *right)
{
    const struct whatif_rank *a = left, *b = right;
    if (a->totals.latency_ps != b->totals.latency_ps)
        return a->totals.latency_ps < b->totals.latency_ps ? -1 : 1;
    if (a->totals.injection_ps != b->totals.injection_ps)
        return a->totals.injection_ps < b->totals.injection_ps ? -1 : 1;
    return strcmp(a->name, b->name);
}

size_t whatif_ranking(const struct system *system, uint64_t bytes, unsigned hundredths,
                      struct whatif_rank ranks[WHATIF_RANKS])
{
    size_t count = 0;
    for (size_t i = 0; i < RANKED_TARGETS; i++)
        if (sum_of(system, targets[i].times) != 0)
            ranks[count++] = (struct whatif_rank){
                .name = targets[i].name,
                .totals = whatif_totals_reduced(system, bytes, targets[i].times, hundredths)};
    qsort(ranks, count, sizeof *ranks, by_gain);
    return count;
}
