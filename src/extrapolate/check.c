#include "extrapolate/check.h"

#include <math.h>
#include <string.h>

#include "extrapolate/communicators.h"
#include "extrapolate/computation.h"
#include "extrapolate/model_walk.h"

/* ------------------------------------------------------------------ classes */

/* At how many sides of the grid the rank is. */
static unsigned sides_of(const struct grid *grid, uint32_t rank)
{
    int64_t at[GRID_DIMENSIONS];
    unsigned sides = 0;
    grid_coordinates(grid, rank, at);
    for (int d = 0; d < GRID_DIMENSIONS; d++)
        sides += grid->size[d] > 1 && (at[d] == 0 || at[d] == grid->size[d] - 1);
    return sides;
}

const char *class_name(const struct grid *grid, unsigned sides)
{
    static const char *const names[GRID_DIMENSIONS][CLASS_NAMES] = {
        {"inside", "at an end"},
        {"inside", "at an edge", "at a corner"},
        {"inside", "on a face", "at an edge", "at a corner"}};
    int dimensions = grid_dimensions(grid->kind);
    return names[dimensions - 1][sides];
}

/* ---------------------------------------------------------------- comparing */

/* The computation of a class before a call, summed over its ranks. */
struct class_burst {
    double found, predicted;
};

struct burst_comparison {
    struct program_model *model;
    struct model_instance instance;
    const struct grid *grid;
    struct computation_check *check;
    struct burst *bursts[2];         /* of the model, without the refit: [place] */
    struct class_burst *of_class[2]; /* by role: [sides * leaves + leaf] */
};

static double deviation(double predicted, double found)
{
    return found > 0 ? fabs(predicted / found - 1) : 0;
}

static void compare_rank(struct burst_comparison *comparison, struct model_walk *walk,
                         const struct rank_events *events)
{
    uint32_t role = program_model_role(comparison->model, walk->rank);
    uint32_t leaves = comparison->model->roles[role].pattern.leaf_count;
    unsigned sides = comparison->check->named ? sides_of(comparison->grid, walk->rank) : 0;
    double found = 0, predicted = 0;
    struct rank_event event;
    model_walk_begin(walk, &comparison->instance);
    for (size_t i = 0; i < events->count; i++) {
        if (model_walk_next(walk, &comparison->instance, &event) != WALK_CALL)
            return;
        struct class_burst *burst = &comparison->of_class[role][(size_t)sides * leaves + walk->leaf];
        burst->found += events->at[i].operations;
        burst->predicted += event.operations;
        found += events->at[i].operations;
        predicted += event.operations;
    }
    double off = deviation(predicted, found);
    if (!comparison->check->seen[sides]++ || off > comparison->check->worst[sides]) {
        comparison->check->worst[sides] = off;
        comparison->check->rank[sides] = walk->rank;
    }
}

static struct loop_frame *walk_frames(const struct program_model *model)
{
    uint32_t depth = model->roles[0].pattern.depth, other = model->roles[1].pattern.depth;
    return mem_alloc(depth > other ? depth : other, sizeof(struct loop_frame), "loops");
}

static void compare_ranks(struct burst_comparison *comparison, struct sample *sample)
{
    struct model_walk walk = {.frames = walk_frames(comparison->model)};
    struct rank_events events = {0};
    uint32_t *codes = comm_codes(sample->program, comparison->grid);
    sample->program->ops->rewind(sample->program);
    for (walk.rank = 0; walk.rank < sample->ranks; walk.rank++) {
        sample_events(sample, walk.rank, codes, &events);
        compare_rank(comparison, &walk, &events);
    }
    free(codes);
    free(events.at);
    free(walk.frames);
}

/* The largest error of each call site over the classes. */
static void keep_errors(struct burst_comparison *comparison, uint32_t role)
{
    uint32_t leaves = comparison->model->roles[role].pattern.leaf_count;
    for (uint32_t leaf = 0; leaf < leaves; leaf++) {
        struct site *site = &comparison->model->roles[role].sites[leaf];
        for (unsigned sides = 0; sides < CLASS_NAMES; sides++) {
            const struct class_burst *one = &comparison->of_class[role][(size_t)sides * leaves + leaf];
            double off = deviation(one->predicted, one->found);
            if (off <= site->error)
                continue;
            site->error = off;
            site->error_sides = (uint8_t)sides;
        }
    }
}

/* Replaces the fits by those without the sample. comparison->bursts keeps the others. */
static void refit(struct burst_comparison *comparison, uint32_t role, size_t held,
                  struct rank_classes *classes)
{
    struct role_model *part = &comparison->model->roles[role];
    uint32_t leaves = part->pattern.leaf_count;
    comparison->bursts[role] = part->bursts;
    part->bursts = mem_alloc(part->pattern.place_count, sizeof *part->bursts, "computation");
    comparison->of_class[role] =
        mem_alloc((size_t)CLASS_NAMES * leaves, sizeof(struct class_burst), "computation");
    *classes = part->classes;
    part->classes = (struct rank_classes){0};
    computation_fit(part, role, comparison->model->hypothesis.apart, comparison->model->samples, held);
}

static void put_back(struct burst_comparison *comparison, uint32_t role, const struct rank_classes *classes)
{
    struct role_model *part = &comparison->model->roles[role];
    rank_classes_free(&part->classes);
    part->classes = *classes;
    free(part->bursts);
    part->bursts = comparison->bursts[role];
    free(comparison->of_class[role]);
}

void computation_check(struct program_model *model, struct sample *samples, size_t held,
                       struct computation_check *check)
{
    char why[240];
    struct grid grid = grid_of(model->hypothesis.grid, samples[held].ranks);
    struct burst_comparison comparison = {.model = model, .grid = &grid, .check = check};
    struct rank_classes classes[2];
    *check = (struct computation_check){.ranks = samples[held].ranks,
                                        .named = model->roles[0].classes.count > 1 && grid.kind < GRID_KINDS};
    for (uint32_t role = 0; role <= model->hypothesis.apart; role++)
        refit(&comparison, role, held, &classes[role]);
    if (model_instance_init(&comparison.instance, model, samples[held].ranks, why, sizeof why))
        compare_ranks(&comparison, &samples[held]);
    model_instance_free(&comparison.instance);
    for (uint32_t role = 0; role <= model->hypothesis.apart; role++) {
        keep_errors(&comparison, role);
        put_back(&comparison, role, &classes[role]);
    }
}

/* -------------------------------------------------------------------- range */

enum { RANGE_RANKS = 16 }; /* at most so many are looked at, evenly distributed */

/* What ranks of a model compute on `ranks` ranks. */
static void sum_ranks(const struct program_model *model, uint32_t ranks, double sums[RANGE_RANKS])
{
    char why[240];
    struct model_instance instance;
    struct model_walk walk = {.frames = walk_frames(model)};
    struct rank_event event;
    memset(sums, 0, RANGE_RANKS * sizeof *sums);
    const bool is_defined = model_instance_init(&instance, model, ranks, why, sizeof why);
    for (uint32_t i = 0; is_defined && i < RANGE_RANKS && i < ranks; i++) {
        walk.rank = ranks <= RANGE_RANKS ? i : (uint32_t)((uint64_t)i * (ranks - 1) / (RANGE_RANKS - 1));
        model_walk_begin(&walk, &instance);
        while (model_walk_next(&walk, &instance, &event) == WALK_CALL)
            sums[i] += event.operations;
    }
    model_instance_free(&instance);
    free(walk.frames);
}

void computation_range(struct program_model *model, uint32_t ranks, struct computation_check *check)
{
    struct burst_comparison comparison = {.model = model};
    double forecast[RANGE_RANKS], other[RANGE_RANKS];
    sum_ranks(model, ranks, forecast);
    check->least = check->most = 0;
    for (size_t held = 0; held < model->samples; held++) {
        struct rank_classes classes[2];
        for (uint32_t role = 0; role <= model->hypothesis.apart; role++)
            refit(&comparison, role, held, &classes[role]);
        sum_ranks(model, ranks, other);
        for (uint32_t role = 0; role <= model->hypothesis.apart; role++)
            put_back(&comparison, role, &classes[role]);
        for (int i = 0; i < RANGE_RANKS; i++) {
            const double off = forecast[i] > 0 ? other[i] / forecast[i] - 1 : 0;
            check->least = fmin(check->least, off);
            check->most = fmax(check->most, off);
        }
    }
}

/* ----------------------------------------------------------------- printing */

/* Two digits, and no power of ten: "0.31", "12", "120". */
static void print_percent(double percent, FILE *to)
{
    if (percent < 10)
        fprintf(to, "%.2g %%", percent);
    else
        fprintf(to, "%.0f %%", percent < 100 ? percent : 10 * round(percent / 10));
}

static void print_change(double change, FILE *to)
{
    print_percent(100 * fabs(change), to);
    fputs(change < 0 ? " less" : " more", to);
}

/* Its time says nothing of a run then, although its communication is exact. */
static const double useless_error = 0.5;

static void print_use(const struct computation_check *check, FILE *to)
{
    double worst = 0;
    for (unsigned sides = 0; sides < CLASS_NAMES; sides++)
        if (check->seen[sides])
            worst = fmax(worst, check->worst[sides]);
    if (worst > useless_error)
        fputs(
            "the computation is of no use: errors above 50 % say that it does not follow the number of ranks "
            "as a fit can\n",
            to);
}

void computation_check_print(const struct computation_check *check, const struct grid *grid, FILE *to)
{
    if (!check->ranks)
        return;
    fprintf(to, "largest error of the computation of a rank of %u, predicted from the others:", check->ranks);
    const char *comma = "";
    for (unsigned sides = CLASS_NAMES; sides-- > 0;) {
        if (!check->seen[sides])
            continue;
        double percent = 100 * check->worst[sides];
        fprintf(to, "%s ", comma);
        print_percent(percent < 0.01 ? 0 : percent, to);
        if (check->named)
            fprintf(to, " %s (rank %u)", class_name(grid, sides), check->rank[sides]);
        comma = ",";
    }
    fputc('\n', to);
    print_use(check, to);
    if (check->most - check->least < 1e-4)
        return;
    fprintf(to, "computation of a rank of %u, if a trace is left out of the fits: ", grid->ranks);
    print_change(check->least, to);
    fprintf(to, " to ");
    print_change(check->most, to);
    fputc('\n', to);
}
