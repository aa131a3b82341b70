#include "extrapolate/model.h"

#include "base/progress.h"
#include "extrapolate/communicators.h"
#include "extrapolate/computation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct learner {
    struct program_model *model;
    struct sample *samples;
    size_t count;
    struct grid target;
    struct evidence *evidence[2]; /* by role: [sample] */
    uint32_t **codes;             /* of communicators: [sample] */
    struct rank_events events;
    struct misfit *misfit;
};

static void read_rank(struct learner *learner, size_t index, uint32_t rank)
{
    const struct sample *sample = &learner->samples[index];
    sample->program->ops->rewind(sample->program);
    sample_events(sample, rank, learner->codes[index], &learner->events);
}

/* ----------------------------------------------------------------- patterns */

static uint32_t richest(const struct learner *learner, const struct sample *sample, uint32_t role)
{
    return role ? 0 : sample->richest[learner->model->hypothesis.apart];
}

/* The pattern is that of the rank with the most calls in the largest sample. Other ranks leave calls out. */
static void build_patterns(struct learner *learner)
{
    struct hypothesis hypothesis = learner->model->hypothesis;
    struct sample *largest = &learner->samples[learner->count - 1];
    struct grid grid = grid_of(hypothesis.grid, largest->ranks);
    for (uint32_t role = 0; role <= hypothesis.apart; role++) {
        uint32_t rank = richest(learner, largest, role);
        struct call_pattern *pattern = &learner->model->roles[role].pattern;
        read_rank(learner, learner->count - 1, rank);
        call_pattern_build(pattern, &learner->events, &grid, rank, hypothesis.stages);
        pattern->edges = hypothesis.edges;
    }
}

/* False: a communicator is no part of the grid. */
static bool comms_are_known(struct learner *learner, size_t index, uint32_t rank)
{
    for (size_t i = 0; i < learner->events.count; i++)
        if (learner->events.at[i].comm == COMM_UNKNOWN) {
            struct misfit *misfit = learner->misfit;
            misfit->sample = &learner->samples[index];
            misfit->rank = rank;
            misfit->event = i;
            snprintf(
                misfit->why, sizeof misfit->why,
                "the members of its communicator are neither all ranks nor a row, column or plane of the "
                "ranks, in their order, nor nodes of as many ranks each in all traces, so it is not known "
                "who "
                "they are on other numbers of ranks");
            return false;
        }
    return true;
}

static const char sizes_of_data[] = "its sizes, one for each rank, are not shares of blocks; if they come "
                                    "from the program's data, no trace tells "
                                    "them on other numbers of ranks";

static bool add_rank(struct learner *learner, size_t index, uint32_t rank)
{
    struct misfit *misfit = learner->misfit;
    uint32_t role = program_model_role(learner->model, rank);
    read_rank(learner, index, rank);
    if (!comms_are_known(learner, index, rank))
        return false;
    if (evidence_add(&learner->evidence[role][index], &learner->model->roles[role].pattern, rank,
                     &learner->events, &misfit->event)) {
        misfit->progress++;
        return true;
    }
    misfit->sample = &learner->samples[index];
    misfit->rank = rank;
    bool sizes = misfit->event < learner->events.count && learner->events.at[misfit->event].members;
    snprintf(misfit->why, sizeof misfit->why, "%s",
             sizes ? sizes_of_data
             : misfit->event < learner->events.count
                 ? "the calls of other ranks do not explain this call; if only some ranks make it, as on a "
                   "coarse grid, no trace tells which do on other numbers of ranks"
                 : "other ranks make more calls than this one");
    return false;
}

/* The rank with the most calls comes first: it shows the passes of loops in which others do nothing. */
static bool add_sample(struct learner *learner, size_t index)
{
    const struct sample *sample = &learner->samples[index];
    uint32_t first = richest(learner, sample, 0);
    if (!add_rank(learner, index, first))
        return false;
    bool fits = true;
    progress_begin("learning from the calls", sample->ranks);
    for (uint32_t rank = 0; rank < sample->ranks && fits; rank++) {
        progress_tell(rank);
        fits = rank == first || add_rank(learner, index, rank);
    }
    progress_end();
    return fits;
}

/* --------------------------------------------------------------------- fits */

struct observations {
    struct observation *at;
    size_t count, capacity;
};

static void observe(struct observations *seen, const struct grid *grid, uint32_t rank, uint64_t value)
{
    if (value == UNSEEN)
        return;
    seen->at = mem_grow(seen->at, &seen->capacity, seen->count + 1, "sizes of messages");
    seen->at[seen->count++] = (struct observation){grid, rank, value};
}

/* "640 on 4 ranks, 320 on 16 ranks": the first observation of each sample. */
static void print_observations(const struct observations *seen, char *text, size_t size)
{
    uint32_t ranks = 0;
    size_t length = 0;
    *text = '\0';
    for (size_t i = 0; i < seen->count && length < size; i++) {
        const struct observation *one = &seen->at[i];
        if (one->grid->ranks == ranks)
            continue;
        ranks = one->grid->ranks;
        length += (size_t)snprintf(text + length, size - length, "%s%" PRIu64 " on %u ranks",
                                   length ? ", " : "", one->value, ranks);
    }
}

/* What to capture next. */
static void propose(char *text, size_t size, uint32_t decider)
{
    if (decider)
        snprintf(text, size, "; capture the program on %u ranks too, which would decide", decider);
    else
        snprintf(text, size, "; a trace on another number of ranks would decide");
}

/* Notes as a misfit that no fit was found, at the call that it is for. */
static void miss(struct learner *learner, uint32_t role, size_t event, enum fit_outcome outcome,
                 const char *what, const struct observations *seen, uint32_t decider)
{
    struct misfit *misfit = learner->misfit;
    char values[100];
    print_observations(seen, values, sizeof values);
    misfit->sample = &learner->samples[learner->count - 1];
    misfit->rank = richest(learner, misfit->sample, role);
    misfit->event = event;
    static const char *const reasons[] = {
        [FIT_FOUND] = "",
        [FIT_ONE_SIZE] = "are known on one number of ranks only, so their growth is not known",
        [FIT_NO_FORM] = "follow none of the rules that are known",
        [FIT_UNDIVIDED] = "divide evenly in all traces and not on the ranks asked for",
        [FIT_AMBIGUOUS] = "follow several rules, which disagree on the ranks asked for",
    };
    misfit->undecided = outcome == FIT_AMBIGUOUS || outcome == FIT_UNDIVIDED;
    int length = snprintf(misfit->why, sizeof misfit->why, *values ? "%s (%s) %s" : "%s%s %s", what, values,
                          reasons[outcome]);
    if (misfit->undecided && length < (int)sizeof misfit->why)
        propose(misfit->why + length, sizeof misfit->why - (size_t)length, decider);
}

static bool fit_sizes(struct learner *learner, uint32_t role, uint32_t leaf, bool received,
                      struct observations *seen)
{
    const struct call_pattern *pattern = &learner->model->roles[role].pattern;
    struct site *site = &learner->model->roles[role].sites[leaf];
    if (rank_event_has_entry(&pattern->leaves[leaf]->event))
        return true; /* as its sizes for each peer say */
    seen->count = 0;
    for (size_t s = 0; s < learner->count; s++) {
        const struct evidence *evidence = &learner->evidence[role][s];
        const uint64_t *values = received ? evidence->recv_bytes : evidence->bytes;
        for (uint32_t rank = 0; rank < evidence->grid.ranks; rank++)
            observe(seen, &evidence->grid, rank, values[(size_t)leaf * evidence->grid.ranks + rank]);
    }
    enum fit_outcome outcome =
        fit_find(seen->at, seen->count, &learner->target, false, received ? &site->recv_bytes : &site->bytes);
    if (outcome == FIT_FOUND)
        return true;
    miss(learner, role, pattern->leaves[leaf]->at, outcome, "its bytes", seen,
         (received ? &site->recv_bytes : &site->bytes)->decider);
    return false;
}

static void miss_sizes(struct learner *learner, uint32_t role, size_t event)
{
    struct misfit *misfit = learner->misfit;
    misfit->sample = &learner->samples[learner->count - 1];
    misfit->rank = richest(learner, misfit->sample, role);
    misfit->event = event;
    snprintf(misfit->why, sizeof misfit->why, "%s", sizes_of_data);
}

/* Sizes that differ from peer to peer. */
static bool fit_vector(struct learner *learner, uint32_t role, uint32_t leaf, unsigned side)
{
    struct role_model *part = &learner->model->roles[role];
    const struct rank_event *event = &part->pattern.leaves[leaf]->event;
    struct vector_observation *seen = NULL;
    size_t count = 0, capacity = 0;
    for (size_t s = 0; s < learner->count && rank_event_has_sizes(event, side); s++) {
        const struct evidence *evidence = &learner->evidence[role][s];
        for (uint32_t rank = 0; rank < evidence->grid.ranks; rank++) {
            const uint64_t *sizes = evidence->sizes[side][(size_t)leaf * evidence->grid.ranks + rank];
            if (!sizes)
                continue;
            seen = mem_grow(seen, &capacity, count + 1, "sizes of messages");
            seen[count++] =
                (struct vector_observation){&evidence->grid, comm_size(event->comm, &evidence->grid),
                                            comm_place(event->comm, &evidence->grid, rank), sizes};
        }
    }
    struct vector_rule *rule = &part->sites[leaf].sizes[side];
    enum fit_outcome outcome = count ? vector_find(seen, count, &learner->target, rule) : FIT_FOUND;
    free(seen);
    if (outcome == FIT_NO_FORM)
        miss_sizes(learner, role, part->pattern.leaves[leaf]->at);
    else if (outcome != FIT_FOUND)
        miss(learner, role, part->pattern.leaves[leaf]->at, outcome, "its sizes, one for each rank,",
             &(struct observations){0}, rule->factor.decider);
    if (learner->target.kind == GRID_LINE && !part->whole[0])
        part->whole[0] = rule->own ? rule->own : rule->peer;
    return outcome == FIT_FOUND;
}

static bool fit_tag(struct learner *learner, uint32_t role, uint32_t leaf, struct observations *seen)
{
    struct role_model *part = &learner->model->roles[role];
    seen->count = 0;
    for (size_t s = 0; s < learner->count; s++)
        observe(seen, &learner->evidence[role][s].grid, 0, learner->evidence[role][s].tags[leaf]);
    enum fit_outcome outcome =
        fit_find(seen->at, seen->count, &learner->target, true, &part->sites[leaf].tag);
    if (outcome == FIT_FOUND)
        return true;
    miss(learner, role, part->pattern.leaves[leaf]->at, outcome, "its tag", seen,
         part->sites[leaf].tag.decider);
    return false;
}

static const struct pattern_node *first_leaf(const struct pattern_node *node)
{
    while (node->body && node->body_count)
        node = node->body[0];
    return node;
}

static bool fit_passes(struct learner *learner, uint32_t role, uint32_t loop, struct observations *seen)
{
    struct role_model *part = &learner->model->roles[role];
    seen->count = 0;
    for (size_t s = 0; s < learner->count; s++)
        observe(seen, &learner->evidence[role][s].grid, 0, learner->evidence[role][s].passes[loop]);
    if (loop == 0) { /* the root: one pass on any number of ranks */
        part->passes[0] = (struct fit){.form = FIT_CONSTANT, .value = 1};
        return true;
    }
    enum fit_outcome outcome = fit_find(seen->at, seen->count, &learner->target, true, &part->passes[loop]);
    if (outcome == FIT_FOUND)
        return true;
    miss(learner, role, first_leaf(part->pattern.loops[loop])->at, outcome,
         "the passes of the loop that begins here", seen, part->passes[loop].decider);
    return false;
}

/* Blocks of messages tell how the program divides its arrays. */
static void find_wholes(struct role_model *part)
{
    for (uint32_t leaf = 0; leaf < part->pattern.leaf_count; leaf++) {
        const struct fit *fit = &part->sites[leaf].bytes;
        if (fit->form == FIT_BLOCK && !part->whole[fit->dimension])
            part->whole[fit->dimension] = fit->whole;
    }
}

static bool are_repeated(const struct learner *learner)
{
    bool repeated = true;
    for (size_t s = 0; s < learner->count; s++)
        repeated = repeated && learner->samples[s].traces >= SAMPLE_REPEATED;
    return repeated;
}

static bool fit_role(struct learner *learner, uint32_t role, struct observations *seen)
{
    struct role_model *part = &learner->model->roles[role];
    part->sites = mem_alloc(part->pattern.leaf_count, sizeof *part->sites, "fits of sizes");
    part->bursts = mem_alloc(part->pattern.place_count, sizeof *part->bursts, "computation");
    part->passes = mem_alloc(part->pattern.loop_count, sizeof *part->passes, "fits of passes");
    for (uint32_t loop = 0; loop < part->pattern.loop_count; loop++, learner->misfit->progress++)
        if (!fit_passes(learner, role, loop, seen))
            return false;
    for (uint32_t leaf = 0; leaf < part->pattern.leaf_count; leaf++, learner->misfit->progress++) {
        if (!fit_vector(learner, role, leaf, 0) || !fit_vector(learner, role, leaf, 1))
            return false;
        if (!fit_tag(learner, role, leaf, seen) || !fit_sizes(learner, role, leaf, false, seen) ||
            !fit_sizes(learner, role, leaf, true, seen))
            return false;
    }
    find_wholes(part);
    part->repeated = are_repeated(learner);
    computation_fit(part, role, learner->model->hypothesis.apart, learner->count, SIZE_MAX);
    return true;
}

/* -------------------------------------------------------------------- rules */

/* For the ranks of this role. */
static bool rules_agree(const struct learner *learner, uint32_t role, const struct pattern_node *leaf,
                        unsigned which, uint64_t stages)
{
    const struct grid *grid = &learner->target;
    uint32_t from = role == 0 && learner->model->hypothesis.apart, to = role ? 1 : grid->ranks;
    const struct peer_rule *rules = leaf->rules[which];
    uint32_t first = (uint32_t)__builtin_ctz(leaf->possible[which]);
    for (uint32_t i = first + 1; i < leaf->rule_count[which]; i++)
        for (uint32_t rank = from; leaf->possible[which] >> i & 1 && rank < to; rank++)
            for (uint64_t stage = 0; stage < stages; stage++)
                if (peer_of(&rules[i], grid, rank, (uint32_t)stage) !=
                    peer_of(&rules[first], grid, rank, (uint32_t)stage))
                    return false;
    return true;
}

/* A small number of ranks, other than the one asked for, on which rules that are possible disagree; 0: none
 * is known. */
static uint32_t rules_decider(const struct learner *learner, const struct pattern_node *leaf, unsigned which)
{
    const struct peer_rule *rules = leaf->rules[which];
    uint32_t first = (uint32_t)__builtin_ctz(leaf->possible[which]);
    for (uint32_t ranks = 2; ranks <= GRID_MOST_PROPOSED; ranks++) {
        if (ranks == learner->target.ranks)
            continue;
        struct grid grid = grid_of(learner->target.kind, ranks);
        for (uint32_t i = first + 1; i < leaf->rule_count[which]; i++) {
            bool differ = false, defined = leaf->possible[which] >> i & 1;
            for (uint32_t rank = 0; rank < ranks && defined; rank++) {
                int64_t one = peer_of(&rules[first], &grid, rank, 0),
                        other = peer_of(&rules[i], &grid, rank, 0);
                defined = one != PEER_INVALID && other != PEER_INVALID;
                differ |= one != other;
            }
            if (defined && differ)
                return ranks;
        }
    }
    return 0;
}

/* Round a ring, one rank ahead is as well P - 1 back. On 4, 8 and 16 ranks that is 1 ahead and 15 back. The
 * shortest way is right. */
static void prefer_short(struct pattern_node *leaf, unsigned which)
{
    uint32_t possible = leaf->possible[which];
    for (uint32_t i = 0; i < leaf->rule_count[which]; i++)
        for (uint32_t k = 0; k < leaf->rule_count[which]; k++) {
            const struct peer_rule *a = &leaf->rules[which][i], *b = &leaf->rules[which][k];
            if (!(possible >> i & 1 && possible >> k & 1) || a->kind != b->kind || a->step != b->step ||
                (a->kind != PEER_WRAP && a->kind != PEER_RING))
                continue;
            if (abs(a->a[0]) + abs(a->a[1]) + abs(a->a[2]) < abs(b->a[0]) + abs(b->a[1]) + abs(b->a[2]))
                leaf->possible[which] &= ~(1U << k);
        }
}

/* Partners at distances 1 and 2 in two stages follow rank xor 2^stage as well as rank xor (1 + stage). If
 * there are log2(ranks) stages, the first rule is right: only it reaches all ranks. */
static void prefer_doubling(struct pattern_node *leaf, unsigned which)
{
    uint32_t doubling = 0;
    for (uint32_t i = 0; i < leaf->rule_count[which]; i++) {
        uint8_t kind = leaf->rules[which][i].kind;
        doubling |= (uint32_t)(kind == PEER_XOR_BIT || kind == PEER_RING_POWER) << i;
    }
    if (leaf->possible[which] & doubling)
        leaf->possible[which] &= doubling;
}

/* Rules that agree with all samples must give the same partners on the target. */
static bool decide_rules(struct learner *learner, uint32_t role, const struct pattern_node *loop,
                         uint64_t stages)
{
    const struct role_model *part = &learner->model->roles[role];
    uint64_t passes = 1;
    if (loop->stages && fit_value(&part->passes[loop->index], &learner->target, 0, &passes))
        stages = passes;
    for (uint32_t i = 0; i < loop->body_count; i++) {
        const struct pattern_node *node = loop->body[i];
        if (node->body) {
            if (!decide_rules(learner, role, node, stages))
                return false;
            continue;
        }
        for (unsigned which = 0; which < rank_event_peers(&node->event); which++) {
            if (loop->stages && part->passes[loop->index].form == FIT_LOGARITHM)
                prefer_doubling(loop->body[i], which);
            prefer_short(loop->body[i], which);
            if (!rules_agree(learner, role, node, which, stages)) {
                miss(learner, role, node->at, FIT_AMBIGUOUS, "its partners", &(struct observations){0},
                     rules_decider(learner, node, which));
                return false;
            }
        }
    }
    return true;
}

/* -------------------------------------------------------------------- whole */

static void begin_codes(struct learner *learner)
{
    learner->codes = mem_alloc(learner->count, sizeof *learner->codes, "communicators");
    for (size_t s = 0; s < learner->count; s++) {
        struct grid grid = grid_of(learner->model->hypothesis.grid, learner->samples[s].ranks);
        learner->codes[s] = comm_codes(learner->samples[s].program, &grid);
    }
}

static void end_codes(struct learner *learner)
{
    for (size_t s = 0; s < learner->count; s++)
        free(learner->codes[s]);
    free(learner->codes);
}

static void begin_evidence(struct learner *learner)
{
    for (uint32_t role = 0; role <= learner->model->hypothesis.apart; role++) {
        learner->evidence[role] = learner->model->roles[role].evidence =
            mem_alloc(learner->count, sizeof(struct evidence), "evidence");
        for (size_t s = 0; s < learner->count; s++) {
            struct grid grid = grid_of(learner->model->hypothesis.grid, learner->samples[s].ranks);
            evidence_init(&learner->evidence[role][s], &learner->model->roles[role].pattern, &grid);
        }
    }
}

static bool add_samples(struct learner *learner)
{
    /* The largest comes first: it rules out the most. */
    for (size_t s = learner->count; s-- > 0;)
        if (!add_sample(learner, s))
            return false;
    return true;
}

/* A number that depends on an extent of the grid is known only if the extent differs between samples. */
static bool grid_tells(struct learner *learner)
{
    struct hypothesis hypothesis = learner->model->hypothesis;
    for (int d = 0; d < GRID_DIMENSIONS; d++) {
        uint32_t first = grid_of(hypothesis.grid, learner->samples[0].ranks).size[d];
        bool same = first != learner->target.size[d];
        for (size_t s = 1; s < learner->count; s++)
            same = same && grid_of(hypothesis.grid, learner->samples[s].ranks).size[d] == first;
        if (!same)
            continue;
        learner->misfit->undecided = true;
        uint32_t decider = 2;
        while (decider == learner->target.ranks ||
               (decider <= GRID_MOST_PROPOSED && grid_of(hypothesis.grid, decider).size[d] == first))
            decider++;
        snprintf(learner->misfit->why, sizeof learner->misfit->why,
                 "all traces have %u ranks along one side, where %u ranks have %u; capture another number of "
                 "ranks "
                 "too, such as %u",
                 first, learner->target.ranks, learner->target.size[d], decider);
        return false;
    }
    return true;
}

bool program_model_learn(struct program_model *model, struct hypothesis hypothesis, struct sample *samples,
                         size_t count, uint32_t target, struct misfit *misfit)
{
    struct learner learner = {.model = model,
                              .samples = samples,
                              .count = count,
                              .target = grid_of(hypothesis.grid, target),
                              .misfit = misfit};
    struct observations seen = {0};
    *model = (struct program_model){.hypothesis = hypothesis, .samples = count};
    *misfit = (struct misfit){.hypothesis = hypothesis};
    if (!grid_tells(&learner))
        return false;
    begin_codes(&learner);
    build_patterns(&learner);
    begin_evidence(&learner);
    bool fits = add_samples(&learner);
    if (fits)
        misfit->progress = PROGRESS_READ;
    for (uint32_t role = 0; role <= hypothesis.apart && fits; role++)
        fits = fit_role(&learner, role, &seen) &&
               decide_rules(&learner, role, &model->roles[role].pattern.root, 1);
    free(seen.at);
    end_codes(&learner);
    free(learner.events.at);
    return fits;
}

void program_model_free(struct program_model *model)
{
    for (int role = 0; role < 2; role++) {
        for (size_t s = 0; model->roles[role].evidence && s < model->samples; s++)
            evidence_free(&model->roles[role].evidence[s]);
        free(model->roles[role].evidence);
        rank_classes_free(&model->roles[role].classes);
        call_pattern_free(&model->roles[role].pattern);
        free(model->roles[role].bursts);
        free(model->roles[role].sites);
        free(model->roles[role].passes);
    }
    *model = (struct program_model){0};
}
