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

static void compare_ranks(struct burst_comparison *comparison, struct sample *sample)
{
    uint32_t depth = comparison->model->roles[0].pattern.depth,
             other = comparison->model->roles[1].pattern.depth;
    struct model_walk walk = {
        .frames = mem_alloc(depth > other ? depth : other, sizeof(struct loop_frame), "loops")};
    struct rank_events events = {0};
    uint32_t *codes = comm_codes(sample->program, comparison->grid);
    sample->program->ops->rewind(sample->program);
    for (walk.rank = 0; walk.rank < sample->ranks; walk.rank++) {
        rank_events_read(sample->program, walk.rank, codes, &events);
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

/* ----------------------------------------------------------------- printing */

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
        fprintf(to, "%s %.2g %%", comma, percent < 0.01 ? 0 : percent);
        if (check->named)
            fprintf(to, " %s (rank %u)", class_name(grid, sides), check->rank[sides]);
        comma = ",";
    }
    fputc('\n', to);
}
