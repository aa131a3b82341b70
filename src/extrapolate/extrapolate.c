#include "extrapolate/extrapolate.h"

#include <string.h>

#include "base/diag.h"
#include "base/progress.h"
#include "extrapolate/check.h"
#include "extrapolate/communicators.h"
#include "extrapolate/describe.h"
#include "extrapolate/generate.h"

struct extrapolation {
    struct program_model *model;
    struct sample *samples;
    size_t count;
    uint32_t ranks;
    uint32_t held_back; /* the number of ranks whose sample was predicted from the others; 0: none */
    struct computation_check check;
    struct program *program;
};

/* ------------------------------------------------------------------ samples */

/* Sorts by the number of ranks; traces of the same number stay in their order. */
static void sort_traces(struct program **traces, size_t count)
{
    for (size_t end = 1; end < count; end++)
        for (size_t i = end; i > 0 && traces[i - 1]->ranks > traces[i]->ranks; i--) {
            struct program *fewer = traces[i];
            traces[i] = traces[i - 1];
            traces[i - 1] = fewer;
        }
}

/* How many of the sorted traces have as many ranks as the first. */
static size_t alike(struct program *const *traces, size_t count)
{
    size_t same = 1;
    while (same < count && traces[same]->ranks == traces[0]->ranks)
        same++;
    return same;
}

static enum status read_samples(struct extrapolation *work, struct program **traces, size_t count)
{
    enum status status = STATUS_OK;
    sort_traces(traces, count);
    if (alike(traces, count) == count) {
        diag_error("all traces have %u ranks; extrapolation takes traces of two numbers of ranks or more",
                   traces[0]->ranks);
        return STATUS_BAD_INPUT;
    }
    work->samples = mem_alloc(count, sizeof *work->samples, "traces");
    progress_begin("reading the calls", count);
    for (size_t i = 0, same; status == STATUS_OK && i < count; i += same) {
        progress_tell(i);
        same = alike(traces + i, count - i);
        status = sample_read(&work->samples[work->count++], traces + i, same);
    }
    progress_end();
    return status;
}

/* ----------------------------------------------------------------- attempts */

/* Whether the other samples predict sample `held_back`. */
static bool predicts(const struct extrapolation *work, struct hypothesis hypothesis, size_t held_back,
                     struct misfit *misfit)
{
    struct program_model model;
    struct sample *others = mem_alloc(work->count, sizeof *others, "traces");
    size_t count = 0;
    for (size_t i = 0; i < work->count; i++)
        if (i != held_back)
            others[count++] = work->samples[i];
    bool fits =
        program_model_learn(&model, hypothesis, others, count, work->samples[held_back].ranks, misfit) &&
        generate_verify(&model, &work->samples[held_back], misfit);
    program_model_free(&model);
    /* `others` is freed here; the misfit must point to samples that stay. */
    for (size_t i = 0; i < work->count; i++)
        if (misfit->sample && misfit->sample->program == work->samples[i].program)
            misfit->sample = &work->samples[i];
    free(others);
    return fits;
}

/* Predicts the largest sample from the others. If several predictions fit them, it tries the next smaller
 * sample, down to the second smallest. False: a prediction is wrong. *held_back: the number of ranks of the
 * sample that was predicted; 0: none could be. */
static bool test_on_held_back(const struct extrapolation *work, struct hypothesis hypothesis,
                              uint32_t *held_back, struct misfit *misfit)
{
    uint32_t furthest = 0;
    *held_back = 0;
    for (size_t i = work->count; work->count > 2 && i-- > 1;) {
        if (predicts(work, hypothesis, i, misfit)) {
            *held_back = work->samples[i].ranks;
            return true;
        }
        furthest = misfit->progress > furthest ? misfit->progress : furthest;
        misfit->progress = furthest;
        if (!misfit->undecided)
            return false;
    }
    return true;
}

/* Learns a model from all samples. With three or more, the hypothesis is first tested on one that is held
 * back. */
static struct program *attempt(struct extrapolation *work, struct hypothesis hypothesis,
                               struct program_model *model, uint32_t *held_back, struct misfit *misfit)
{
    if (!test_on_held_back(work, hypothesis, held_back, misfit))
        return NULL;
    if (!program_model_learn(model, hypothesis, work->samples, work->count, work->ranks, misfit))
        return NULL;
    for (size_t i = 0; i < work->count; i++)
        if (!generate_verify(model, &work->samples[i], misfit))
            return NULL;
    misfit->progress = PROGRESS_VERIFIED;
    misfit->sample = NULL;
    return generate_open(model, work->ranks, misfit->why, sizeof misfit->why);
}

static bool same_extents(enum grid_kind one, enum grid_kind other, uint32_t ranks)
{
    struct grid a = grid_of(one, ranks), b = grid_of(other, ranks);
    return !memcmp(a.size, b.size, sizeof a.size);
}

static enum status report_ambiguous(const struct extrapolation *work, struct hypothesis other)
{
    char one_grid[GRID_TEXT], other_grid[GRID_TEXT];
    struct grid first = grid_of(work->model->hypothesis.grid, work->ranks),
                second = grid_of(other.grid, work->ranks);
    uint32_t decider = 2;
    while (decider < GRID_MOST_PROPOSED &&
           (decider == work->ranks || same_extents(first.kind, second.kind, decider)))
        decider++;
    diag_error(
        "cannot be extrapolated to %u ranks: the traces fit %s as well as %s ranks, which differ there; "
        "capture the program on %u ranks too, which would decide",
        work->ranks, grid_text(&first, one_grid), grid_text(&second, other_grid), decider);
    return STATUS_BAD_INPUT;
}

static enum status report_misfit(const struct misfit *misfit)
{
    if (!misfit->sample) {
        diag_error("cannot be extrapolated to so many ranks: %s", misfit->why);
        return STATUS_BAD_INPUT;
    }
    char grid_words[GRID_TEXT];
    struct grid grid = grid_of(misfit->hypothesis.grid, misfit->sample->ranks);
    struct call_place at = rank_events_place(misfit->sample->program, misfit->rank, misfit->event);
    diag_report(DIAG_ERROR, &(struct diag_place){.file = at.file, .line = at.line},
                "cannot be extrapolated: %s", misfit->why);
    diag_note("the hypothesis that explains the most calls arranges the %u ranks as %s%s",
              misfit->sample->ranks, grid.kind == GRID_LINE ? "a line of " : "",
              grid_text(&grid, grid_words));
    return STATUS_BAD_INPUT;
}

static void free_model(struct program_model *model)
{
    if (model) {
        program_model_free(model);
        free(model);
    }
}

/* The sample that the calls were tested on is held back again; if there is none, the largest, if two are
 * left. */
static void check_computation(struct extrapolation *work)
{
    size_t held = work->count - 1;
    for (size_t i = 0; i < work->count; i++)
        if (work->samples[i].ranks == work->held_back)
            held = i;
    if (work->count < 3)
        return;
    computation_check(work->model, work->samples, held, &work->check);
    computation_range(work->model, work->ranks, &work->check);
}

/* What only needs another trace explains more than what contradicts a call. */
static bool is_further(const struct misfit *a, const struct misfit *b)
{
    bool a_undecided = a->undecided && a->progress >= PROGRESS_READ;
    bool b_undecided = b->undecided && b->progress >= PROGRESS_READ;
    return a_undecided != b_undecided ? a_undecided : a->progress > b->progress;
}

/* Keeps the first hypothesis that works. A second one that gives another program is an error. */
static enum status try_one(struct extrapolation *work, struct hypothesis hypothesis, struct misfit *furthest)
{
    struct program_model *model = mem_alloc(1, sizeof *model, "a model of a program");
    struct misfit misfit = {0};
    uint32_t held_back;
    struct program *program = attempt(work, hypothesis, model, &held_back, &misfit);
    enum status status = STATUS_OK;
    if (program && !work->program) {
        work->model = model;
        work->held_back = held_back;
        work->program = program;
        return STATUS_OK;
    }
    if (program) {
        if (generate_hash(work->program) != generate_hash(program))
            status = report_ambiguous(work, hypothesis);
        program->ops->close(program);
    } else if (!furthest->why[0] || is_further(&misfit, furthest)) {
        *furthest = misfit;
    }
    free_model(model);
    return status;
}

/* Whether the rows, or the planes, of this arrangement are as long as a node. */
static bool looks_like_nodes(enum grid_kind kind, uint32_t ranks, uint32_t node)
{
    struct grid grid = grid_of(kind, ranks);
    return grid.size[0] == node || grid.size[0] * grid.size[1] == node;
}

static bool explains_nodes(const struct extrapolation *work, enum grid_kind kind, uint32_t node)
{
    bool same = true;
    for (size_t i = 0; i < work->count; i++)
        same = same && looks_like_nodes(kind, work->samples[i].ranks, node);
    return same;
}

/* Whether another arrangement explains the nodes of all samples, and looks like nodes on so many ranks or
 * does not, as `alike` says. */
static bool another_explains(const struct extrapolation *work, uint32_t node, uint32_t ranks, bool alike)
{
    for (int kind = GRID_WIDE; kind < GRID_KINDS; kind++)
        if (explains_nodes(work, (enum grid_kind)kind, node) &&
            looks_like_nodes((enum grid_kind)kind, ranks, node) == alike)
            return true;
    return false;
}

/* All kinds, and those of the nodes that communicators show. */
enum { MOST_GRIDS = GRID_KINDS + 2 };

struct grids {
    enum grid_kind kinds[MOST_GRIDS];
    int count;
    char why[160]; /* nodes are not among them; empty: they are, or communicators show none */
};

static void add_nodes(const struct extrapolation *work, uint32_t node, struct grids *grids)
{
    if (work->ranks % node) {
        snprintf(grids->why, sizeof grids->why,
                 "communicators have %u ranks each in all traces, as nodes have; ask for a multiple of %u",
                 node, node);
    } else if (another_explains(work, node, work->ranks, false)) {
        uint32_t decider = 2 * node;
        while (decider == work->ranks || another_explains(work, node, decider, true))
            decider += node;
        snprintf(grids->why, sizeof grids->why,
                 "communicators of %u ranks are nodes or a side of the grid; capture the program on %u ranks "
                 "too, which would decide",
                 node, decider);
    } else {
        grids->kinds[grids->count++] = (enum grid_kind)(GRID_NODES + node);
    }
}

static void find_grids(const struct extrapolation *work, struct grids *grids)
{
    struct program **programs = mem_alloc(work->count, sizeof *programs, "traces");
    uint32_t node = 0;
    *grids = (struct grids){0};
    for (; grids->count < GRID_KINDS; grids->count++)
        grids->kinds[grids->count] = (enum grid_kind)grids->count;
    for (size_t i = 0; i < work->count; i++)
        programs[i] = work->samples[i].program;
    while (grids->count < MOST_GRIDS && (node = comm_node_size(programs, work->count, node)))
        add_nodes(work, node, grids);
    free(programs);
}

/* All arrangements of the ranks, with and without stages. */
static enum status try_grids(struct extrapolation *work, const struct grids *grids,
                             struct hypothesis hypothesis, struct misfit *furthest)
{
    enum status status = STATUS_OK;
    for (int grid = 0; grid < grids->count && status == STATUS_OK; grid++)
        for (int stages = 0; stages <= 1 && status == STATUS_OK; stages++) {
            hypothesis.grid = grids->kinds[grid];
            hypothesis.stages = stages;
            status = try_one(work, hypothesis, furthest);
            progress_step();
        }
    return status;
}

static enum status search(struct extrapolation *work)
{
    static const struct hypothesis attempts[] = {
        {.apart = false}, {.edges = true}, {.apart = true}, {.apart = true, .edges = true}};
    const size_t count = sizeof attempts / sizeof *attempts;
    struct misfit furthest = {0};
    enum status status = STATUS_OK;
    struct grids grids;
    find_grids(work, &grids);
    progress_begin("trying hypotheses", (uint64_t)count * (uint64_t)grids.count * 2);
    for (size_t i = 0; i < count && status == STATUS_OK && !work->program; i++)
        status = try_grids(work, &grids, attempts[i], &furthest);
    progress_end();
    if (status == STATUS_OK && !work->program && *grids.why) {
        diag_error("cannot be extrapolated to %u ranks: %s", work->ranks, grids.why);
        return STATUS_BAD_INPUT;
    }
    if (status == STATUS_OK && !work->program)
        status = report_misfit(&furthest);
    return status;
}

enum status extrapolation_open(struct program **traces, size_t count, uint32_t ranks,
                               struct extrapolation **extrapolation)
{
    struct extrapolation *work = mem_alloc(1, sizeof *work, "an extrapolation");
    *extrapolation = NULL;
    work->ranks = ranks;
    enum status status = read_samples(work, traces, count);
    if (status == STATUS_OK)
        status = search(work);
    if (status == STATUS_OK)
        check_computation(work);
    if (status == STATUS_OK && !work->held_back)
        diag_warning("no trace is left to test the extrapolation on; add one on another number of ranks");
    if (status == STATUS_OK)
        *extrapolation = work;
    else
        extrapolation_close(work);
    return status;
}

struct program *extrapolation_program(struct extrapolation *extrapolation)
{
    return extrapolation->program;
}

/* How much the traces of the same number of ranks differ. */
static void print_scatter(const struct extrapolation *extrapolation, FILE *to)
{
    const struct sample *widest = &extrapolation->samples[0];
    for (size_t i = 1; i < extrapolation->count; i++)
        if (extrapolation->samples[i].scatter > widest->scatter)
            widest = &extrapolation->samples[i];
    if (widest->traces > 1)
        fprintf(
            to,
            "traces of the same number of ranks: the computation of a rank is up to %.2g %% from its median, "
            "on %u ranks\n",
            100 * widest->scatter, widest->ranks);
}

/* Of all ranks but rank 0, if that has a pattern of its own. */
static void print_fitted_from(const struct extrapolation *extrapolation, FILE *to)
{
    const uint32_t least = extrapolation->model->roles[0].fitted_from;
    if (least)
        fprintf(to,
                "computation is fitted to the traces on %u ranks and more: all ranks together compute least "
                "there, and more on fewer\n",
                least);
}

void extrapolation_print(const struct extrapolation *extrapolation, FILE *to)
{
    for (size_t i = 0; i < extrapolation->count; i++) {
        const struct sample *sample = &extrapolation->samples[i];
        fprintf(to, "%s%u", i ? ", " : "learned from ", sample->ranks);
        if (sample->traces > 1)
            fprintf(to, " (%zu traces)", sample->traces);
    }
    fprintf(to, " ranks, and reproduces every call of them; ");
    if (extrapolation->held_back)
        fprintf(to, "the calls on %u were first predicted from the others\n", extrapolation->held_back);
    else
        fprintf(to, "nothing was held back to test it on\n");
    print_scatter(extrapolation, to);
    print_fitted_from(extrapolation, to);
    struct grid grid = grid_of(extrapolation->model->hypothesis.grid, extrapolation->ranks);
    computation_check_print(&extrapolation->check, &grid, to);
    describe_model(extrapolation->model, extrapolation->ranks, extrapolation->check.ranks, to);
}

void extrapolation_close(struct extrapolation *extrapolation)
{
    if (extrapolation->program)
        extrapolation->program->ops->close(extrapolation->program);
    free_model(extrapolation->model);
    for (size_t i = 0; i < extrapolation->count; i++)
        sample_free(&extrapolation->samples[i]);
    free(extrapolation->samples);
    free(extrapolation);
}
