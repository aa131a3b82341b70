#include "extrapolate/computation.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "extrapolate/communicators.h"

/* Rounds in which bursts of several possible places are divided; they converge long before. */
enum { ROUNDS = 200, SHAPES = 1 << GRID_DIMENSIONS };
#define NOTHING 1e-7

struct burst_learner {
    struct role_model *part;
    uint32_t role;
    bool apart;
    size_t samples, skip;
    size_t first;        /* the first sample that fits take */
    double **placed;     /* [sample]: [place * ranks + rank], the computation at each place */
    double *totals;      /* [sample]: the computation of a rank, the mean */
    double **visits;     /* [sample]: [place], of any rank */
    uint32_t **class_of; /* [sample]: [rank] */
};

/* ------------------------------------------------------------------ classes */

/* Gathers and scatters have a root that handles the blocks of all ranks. */
static bool has_busy_root(const struct rank_event *event)
{
    return event->op == CALL_GATHER || event->op == CALL_GATHERV || event->op == CALL_SCATTER ||
           event->op == CALL_SCATTERV;
}

uint64_t rank_class(const struct call_pattern *pattern, const struct grid *grid, uint32_t rank)
{
    uint64_t key = 0;
    for (uint32_t i = 0; i < pattern->leaf_count; i++) {
        const struct pattern_node *leaf = pattern->leaves[i];
        if (!comm_has(leaf->event.comm, grid, rank))
            key = hash_add(key, (uint64_t)i << 1);
        for (unsigned which = 0; which < rank_event_peers(&leaf->event); which++) {
            const struct peer_rule *rule = &leaf->rules[which][__builtin_ctz(leaf->possible[which])];
            int64_t peer = peer_of(rule, grid, rank, 0);
            if ((rule->kind == PEER_OFFSET && peer == PEER_NONE) ||
                (has_busy_root(&leaf->event) && peer == comm_place(leaf->event.comm, grid, rank)))
                key = hash_add(key, (uint64_t)i << 1 | which);
        }
    }
    return key;
}

uint32_t rank_class_index(const struct rank_classes *classes, uint64_t key)
{
    for (uint32_t i = 0; i < classes->count; i++)
        if (classes->keys[i] == key)
            return i;
    return UINT32_MAX;
}

void rank_classes_free(struct rank_classes *classes)
{
    free(classes->keys);
    free(classes->scale);
    free(classes->power);
    *classes = (struct rank_classes){0};
}

static const struct evidence *sample_of(const struct burst_learner *learner, size_t sample)
{
    return sample == learner->skip || sample < learner->first ? NULL : &learner->part->evidence[sample];
}

/* Adds the class if it is new. */
static uint32_t note_class(struct rank_classes *classes, uint64_t key, size_t *capacity)
{
    uint32_t found = rank_class_index(classes, key);
    if (found != UINT32_MAX)
        return found;
    classes->keys = mem_grow(classes->keys, capacity, classes->count + UINT64_C(1), "classes");
    classes->keys[classes->count] = key;
    return classes->count++;
}

static void find_classes(struct burst_learner *learner)
{
    struct rank_classes *classes = &learner->part->classes;
    size_t capacity = 0;
    rank_classes_free(classes);
    for (size_t s = 0; s < learner->samples; s++) {
        const struct evidence *evidence = sample_of(learner, s);
        uint32_t end = evidence ? role_end(learner->role, evidence->grid.ranks) : 0;
        learner->class_of[s] = mem_alloc(end, sizeof **learner->class_of, "classes");
        for (uint32_t rank = role_first(learner->role, learner->apart); rank < end; rank++)
            learner->class_of[s][rank] =
                note_class(classes, rank_class(&learner->part->pattern, &evidence->grid, rank), &capacity);
    }
}

/* ------------------------------------------------------------------- places */

static void count_in_loop(const struct evidence *evidence, const struct pattern_node *loop, double times,
                          uint32_t entered, double *visits);

/* The visits of one pass. `entered`: loops entered before the first call. */
static void count_in_body(const struct evidence *evidence, const struct pattern_node *loop, double times,
                          uint32_t entered, double *visits)
{
    for (uint32_t i = 0; i < loop->body_count; i++) {
        const struct pattern_node *node = loop->body[i];
        uint64_t passes = node->body ? evidence->passes[node->index] : 1;
        if (passes == UNSEEN || passes == 0)
            continue;
        if (node->body)
            count_in_loop(evidence, node, times, entered + 1, visits);
        else
            visits[pattern_place(node, entered)] += times;
        entered = 0;
    }
}

/* How often a rank comes by each place, if the loop is entered `times` times. */
static void count_in_loop(const struct evidence *evidence, const struct pattern_node *loop, double times,
                          uint32_t entered, double *visits)
{
    count_in_body(evidence, loop, times, entered, visits);
    if (evidence->passes[loop->index] > 1)
        count_in_body(evidence, loop, times * ((double)evidence->passes[loop->index] - 1), 0, visits);
}

/* By how much of a place's visits the gap consists. */
static double part_of(const struct burst_gap *gap, const double *visits, uint32_t ranks, uint32_t place)
{
    return (double)gap->times / visits[(size_t)place * ranks + gap->rank];
}

/* Divides the burst of a gap among its places, in proportion to `means`. `visits`: of each place and rank. */
static void divide(const struct burst_gap *gap, const double *means, const double *visits, uint32_t ranks,
                   double *placed)
{
    double sum = means[gap->made] * part_of(gap, visits, ranks, gap->made);
    for (uint32_t i = 0; i < gap->left_count; i++)
        sum += means[gap->left[i]] * part_of(gap, visits, ranks, gap->left[i]);
    for (uint32_t i = 0; i <= gap->left_count; i++) {
        uint32_t place = i < gap->left_count ? gap->left[i] : gap->made;
        double share =
            sum > 0 ? means[place] * part_of(gap, visits, ranks, place) / sum : i == gap->left_count;
        placed[(size_t)place * ranks + gap->rank] += gap->operations * share;
    }
}

/* How often each rank comes by each place, whether or not it makes the call: [place * ranks + rank]. */
static double *visits_of(const struct burst_learner *learner, const struct evidence *evidence)
{
    size_t cells = (size_t)learner->part->pattern.place_count * evidence->grid.ranks;
    double *visits = mem_alloc(cells, sizeof *visits, "computation");
    for (size_t i = 0; i < cells; i++)
        visits[i] = (double)evidence->visits[i];
    for (size_t g = 0; g < evidence->gap_count; g++)
        for (uint32_t i = 0; i < evidence->gaps[g].left_count; i++)
            visits[(size_t)evidence->gaps[g].left[i] * evidence->grid.ranks + evidence->gaps[g].rank] +=
                (double)evidence->gaps[g].times;
    return visits;
}

static double mean_of(const struct burst_learner *learner, const double *placed, uint32_t ranks,
                      uint32_t place)
{
    uint32_t first = role_first(learner->role, learner->apart), end = role_end(learner->role, ranks);
    double sum = 0;
    for (uint32_t rank = first; rank < end; rank++)
        sum += placed[(size_t)place * ranks + rank];
    return sum / (end - first);
}

/* Where the bursts of a sample belong. A rank that places calls out shows only the sum of several bursts;
 * ranks that make the calls show how it divides. This is expectation maximization. `means`: first guesses, or
 * 0. */
static double *place_bursts(const struct burst_learner *learner, const struct evidence *evidence,
                            double *means)
{
    uint32_t places = learner->part->pattern.place_count, ranks = evidence->grid.ranks;
    size_t cells = (size_t)places * ranks;
    double *sure = mem_alloc(cells, sizeof *sure, "computation");
    double *placed = mem_alloc(cells, sizeof *placed, "computation");
    double *visits = visits_of(learner, evidence), total = 0, change = INFINITY;
    memcpy(sure, evidence->operations, cells * sizeof *sure);
    for (size_t g = 0; g < evidence->gap_count; g++)
        sure[(size_t)evidence->gaps[g].made * ranks + evidence->gaps[g].rank] -= evidence->gaps[g].operations;
    for (uint32_t place = 0; place < places; place++) {
        double mean = mean_of(learner, sure, ranks, place);
        total += mean_of(learner, evidence->operations, ranks, place);
        means[place] = means[place] > mean ? means[place] : mean;
    }
    for (uint32_t place = 0; place < places; place++) /* what is 0 stays 0 in all rounds */
        means[place] = means[place] > 1e-6 * total ? means[place] : 1e-6 * total;
    for (int round = 0; round < ROUNDS && change > 1e-9 * total; round++) {
        memcpy(placed, sure, cells * sizeof *sure);
        for (size_t g = 0; g < evidence->gap_count; g++)
            divide(&evidence->gaps[g], means, visits, ranks, placed);
        change = 0;
        for (uint32_t place = 0; place < places; place++) {
            double mean = mean_of(learner, placed, ranks, place);
            change = fmax(change, fabs(mean - means[place]));
            means[place] = mean;
        }
    }
    free(sure);
    free(visits);
    return placed;
}

/* The largest sample comes first: in it most ranks make most calls. It guides the others. */
static void place_all(struct burst_learner *learner)
{
    double *means = mem_alloc(learner->part->pattern.place_count, sizeof *means, "computation");
    for (size_t s = learner->samples; s-- > 0;)
        if (s != learner->skip) {
            learner->placed[s] = place_bursts(learner, &learner->part->evidence[s], means);
            for (uint32_t place = 0; place < learner->part->pattern.place_count; place++)
                learner->totals[s] += means[place];
        }
    free(means);
}

/* ------------------------------------------------------------------- shapes */

double burst_share(const struct role_model *part, const struct burst *burst, const struct grid *grid,
                   uint32_t rank)
{
    double share = 1;
    int64_t at[GRID_DIMENSIONS];
    if (!burst->shape)
        return 1;
    grid_coordinates(grid, rank, at);
    for (int d = 0; d < GRID_DIMENSIONS; d++)
        if (burst->shape >> d & 1) {
            uint64_t n = grid->size[d], own = part->whole[d] / n + ((uint64_t)at[d] < part->whole[d] % n);
            share *= (double)own * (double)n / (double)part->whole[d];
        }
    return share;
}

/* By how much ranks deviate from their mean, at most. */
static double spread_of(const struct burst_learner *learner, uint32_t place, const struct burst *burst)
{
    double spread = 0;
    for (size_t s = 0; s < learner->samples; s++) {
        const struct evidence *evidence = sample_of(learner, s);
        uint32_t ranks = evidence ? evidence->grid.ranks : 0,
                 end = ranks ? role_end(learner->role, ranks) : 0;
        double mean = ranks ? mean_of(learner, learner->placed[s], ranks, place) : 0;
        for (uint32_t rank = role_first(learner->role, learner->apart); rank < end && mean > 0; rank++) {
            double share = burst_share(learner->part, burst, &evidence->grid, rank);
            double found = learner->placed[s][(size_t)place * ranks + rank];
            spread = fmax(spread, share > 0 ? fabs(found / (mean * share) - 1) : 1);
        }
    }
    return spread;
}

/* A refinement must halve the deviation, so that it is not one of chance. */
static void choose_shape(struct burst_learner *learner, uint32_t place, struct burst *burst)
{
    struct burst trial = *burst;
    double least = spread_of(learner, place, burst);
    for (unsigned shape = 1; shape < SHAPES; shape++) {
        bool known = true;
        for (int d = 0; d < GRID_DIMENSIONS; d++)
            known = known && (!(shape >> d & 1) || learner->part->whole[d]);
        trial.shape = (uint8_t)shape;
        double spread = known ? spread_of(learner, place, &trial) : INFINITY;
        if (spread > least / 2)
            continue;
        least = spread;
        burst->shape = trial.shape;
    }
}

/* --------------------------------------------------------------------- fits */

/* Sums over the points of one class or of all ranks, for a straight line of log(operations) over log(ranks).
 */
struct power_line {
    double n, x, y, xx, xy, yy;
    uint32_t points;
};

static void add_point(struct power_line *line, double weight, double ranks, double operations)
{
    double x = log(ranks), y = log(operations);
    line->n += weight;
    line->x += weight * x;
    line->y += weight * y;
    line->xx += weight * x * x;
    line->xy += weight * x * y;
    line->yy += weight * y * y;
    line->points++;
}

/* The slope that several lines have in common. */
static double common_power(const struct power_line *lines, size_t count)
{
    double xx = 0, xy = 0;
    for (size_t i = 0; i < count; i++)
        if (lines[i].n > 0) {
            xx += lines[i].xx - lines[i].x * lines[i].x / lines[i].n;
            xy += lines[i].xy - lines[i].x * lines[i].y / lines[i].n;
        }
    return xx > 1e-9 ? xy / xx : 0;
}

/* The root of the mean square error of log(operations): nearly that of the relative error. */
static double line_error(const struct power_line *line, double power)
{
    double xx = line->xx - line->x * line->x / line->n, xy = line->xy - line->x * line->y / line->n,
           yy = line->yy - line->y * line->y / line->n;
    return sqrt(fmax(0, yy - 2 * power * xy + power * power * xx) / line->n);
}

static double scale_of(const struct power_line *line, double power)
{
    return line->n > 0 ? exp((line->y - power * line->x) / line->n) : 0;
}

/* Whether noise may decide how the burst grows, since it is below 1 % of the computation in all samples. */
static bool is_small(const struct burst_learner *learner, uint32_t place)
{
    bool small = true;
    for (size_t s = 0; s < learner->samples; s++)
        if (sample_of(learner, s))
            small = small && mean_of(learner, learner->placed[s], learner->part->evidence[s].grid.ranks,
                                     place) < 0.01 * learner->totals[s];
    return small;
}

static double burst_value(const struct burst *burst, double ranks)
{
    return burst->base + burst->scale * pow(ranks, burst->power);
}

/* What is known of the burst in a sample. 0: nothing. */
static double known_burst(const struct burst_learner *learner, size_t sample, uint32_t place)
{
    const struct evidence *evidence = sample_of(learner, sample);
    double mean = evidence ? mean_of(learner, learner->placed[sample], evidence->grid.ranks, place) : 0;
    bool something = mean > NOTHING * learner->totals[sample] && learner->visits[sample][place] > 0;
    return something ? mean / learner->visits[sample][place] : 0; /* less is left over from rounds */
}

/* The largest error of a fit, relative. *count: of samples that have such a burst. */
static double residual(const struct burst_learner *learner, uint32_t place, const struct burst *burst,
                       size_t *count)
{
    double worst = 0;
    *count = 0;
    for (size_t s = 0; s < learner->samples; s++) {
        double known = known_burst(learner, s, place);
        if (known <= 0)
            continue;
        worst = fmax(worst, fabs(burst_value(burst, learner->part->evidence[s].grid.ranks) / known - 1));
        ++*count;
    }
    return worst;
}

/* A part that does not depend on P, and one that does: base + scale x P^power, with the least squares of
 * relative errors. */
static struct burst fit_sum(const struct burst_learner *learner, uint32_t place, double power)
{
    double aa = 0, ab = 0, bb = 0, a = 0, b = 0;
    for (size_t s = 0; s < learner->samples; s++) {
        double known = known_burst(learner, s, place);
        if (known <= 0)
            continue;
        double one = 1 / known, other = pow(learner->part->evidence[s].grid.ranks, power) / known;
        aa += one * one;
        ab += one * other;
        bb += other * other;
        a += one;
        b += other;
    }
    double determinant = aa * bb - ab * ab;
    if (determinant <= 1e-9 * aa * bb)
        return (struct burst){0};
    return (struct burst){
        .base = (a * bb - b * ab) / determinant, .scale = (b * aa - a * ab) / determinant, .power = power};
}

/* A sum is taken if three samples or more tell, and it halves the largest error of a power. Where noise has
 * been averaged out, a smaller error is enough. */
static void choose_sum(const struct burst_learner *learner, uint32_t place, struct burst *burst)
{
    static const double powers[] = {-1, -0.5, 1};
    size_t count;
    double least = residual(learner, place, burst, &count);
    for (size_t i = 0; i < sizeof powers / sizeof *powers && count > 2 && least > 0.002; i++) {
        struct burst sum = fit_sum(learner, place, powers[i]);
        double worst = residual(learner, place, &sum, &count);
        double enough = learner->part->repeated ? least : least / 2;
        if (sum.base <= 0 || sum.scale <= 0 || worst > enough)
            continue;
        least = worst;
        sum.shape = burst->shape;
        *burst = sum;
    }
}

static void fit_burst(struct burst_learner *learner, uint32_t place, struct burst *burst)
{
    struct power_line line = {0};
    size_t count;
    for (size_t s = 0; s < learner->samples; s++) {
        double known = known_burst(learner, s, place);
        if (known > 0)
            add_point(&line, 1, learner->part->evidence[s].grid.ranks, known);
    }
    burst->power = common_power(&line, 1);
    burst->scale = scale_of(&line, burst->power);
    bool follows = residual(learner, place, burst, &count) < 0.05 && count > 2;
    if (is_small(learner, place) && !follows)
        burst->power = fmin(fmax(burst->power, -1), 0);
    burst->scale = scale_of(&line, burst->power);
    if (!is_small(learner, place) || follows)
        choose_sum(learner, place, burst);
}

/* What the ranks of each class compute before a call that they make, without the shape: the mean. */
static void class_means(const struct burst_learner *learner, size_t sample, uint32_t place, double *means,
                        uint32_t *members)
{
    const struct evidence *evidence = &learner->part->evidence[sample];
    const struct burst *burst = &learner->part->bursts[place];
    uint32_t ranks = evidence->grid.ranks, end = role_end(learner->role, ranks);
    memset(means, 0, learner->part->classes.count * sizeof *means);
    memset(members, 0, learner->part->classes.count * sizeof *members);
    for (uint32_t rank = role_first(learner->role, learner->apart); rank < end; rank++) {
        double share = burst_share(learner->part, burst, &evidence->grid, rank);
        uint32_t class = learner->class_of[sample][rank];
        means[class] += share > 0 ? evidence->operations[(size_t)place * ranks + rank] / share : 0;
        members[class]++;
    }
    for (uint32_t c = 0; c < learner->part->classes.count; c++)
        means[c] /= members[c] ? members[c] : 1;
}

static double class_power(double power, bool small)
{
    return small ? fmin(fmax(power, -1), 0) : power;
}

/* All classes have the same power, but one that it misses by 5 %, such as a root: then a power of its own is
 * taken if it halves the error of three samples or more. */
static double power_of(const struct power_line *line, double common, bool small)
{
    double own = class_power(common_power(line, 1), small);
    return line->points > 2 && line_error(line, common) > 0.05 &&
                   line_error(line, own) <= line_error(line, common) / 2
               ? own
               : common;
}

/* Each class has a scale of its own. */
static void fit_classes_of(struct burst_learner *learner, uint32_t place)
{
    struct rank_classes *classes = &learner->part->classes;
    struct power_line *lines = mem_alloc(classes->count, sizeof *lines, "classes");
    double *means = mem_alloc(classes->count, sizeof *means, "classes");
    uint32_t *members = mem_alloc(classes->count, sizeof *members, "classes");
    bool small = true; /* noise may decide, as in is_small() */
    for (size_t s = 0; s < learner->samples; s++) {
        if (!sample_of(learner, s))
            continue;
        class_means(learner, s, place, means, members);
        for (uint32_t c = 0; c < classes->count; c++) {
            small = small && means[c] < 0.01 * learner->totals[s];
            if (means[c] > 0 && learner->visits[s][place] > 0)
                add_point(&lines[c], members[c], learner->part->evidence[s].grid.ranks,
                          means[c] / learner->visits[s][place]);
        }
    }
    double common = class_power(common_power(lines, classes->count), small);
    for (uint32_t c = 0; c < classes->count; c++) {
        size_t at = (size_t)c * learner->part->pattern.place_count + place;
        classes->power[at] = power_of(&lines[c], common, small);
        classes->scale[at] = scale_of(&lines[c], classes->power[at]);
    }
    free(lines);
    free(means);
    free(members);
}

/* What a rank computes in all, by both fits. */
static void predict(const struct burst_learner *learner, size_t sample, uint32_t rank, uint32_t class,
                    double *alike, double *by_class)
{
    const struct grid *grid = &learner->part->evidence[sample].grid;
    uint32_t places = learner->part->pattern.place_count;
    *alike = *by_class = 0;
    for (uint32_t place = 0; place < places; place++) {
        const struct burst *burst = &learner->part->bursts[place];
        double share = burst_share(learner->part, burst, grid, rank) * learner->visits[sample][place];
        *alike += share * burst_value(burst, grid->ranks);
        *by_class += share * learner->part->classes.scale[(size_t) class * places + place] *
                     pow(grid->ranks, learner->part->classes.power[(size_t) class * places + place]);
    }
}

/* Whether a fit for each class at least halves the largest error of the mean of a class: sums[class] are
 * found, predicted alike, predicted by class. */
static bool classes_differ(const struct burst_learner *learner)
{
    double worst[2] = {0};
    uint32_t count = learner->part->classes.count, places = learner->part->pattern.place_count;
    double(*sums)[3] = mem_alloc(count, sizeof *sums, "classes");
    for (size_t s = 0; s < learner->samples; s++) {
        const struct evidence *evidence = sample_of(learner, s);
        uint32_t end = evidence ? role_end(learner->role, evidence->grid.ranks) : 0;
        memset(sums, 0, count * sizeof *sums);
        for (uint32_t rank = role_first(learner->role, learner->apart); rank < end; rank++) {
            uint32_t class = learner->class_of[s][rank];
            double alike, by_class;
            predict(learner, s, rank, class, &alike, &by_class);
            sums[class][1] += alike;
            sums[class][2] += by_class;
            for (uint32_t place = 0; place < places; place++)
                sums[class][0] += evidence->operations[(size_t)place * evidence->grid.ranks + rank];
        }
        for (uint32_t c = 0; c < count; c++)
            for (int way = 0; way < 2; way++)
                if (sums[c][0] > 0)
                    worst[way] = fmax(worst[way], fabs(sums[c][way + 1] / sums[c][0] - 1));
    }
    free(sums);
    return worst[1] <= worst[0] / 2 && worst[0] > 1e-9;
}

/* -------------------------------------------------------------------- whole */

static void begin(struct burst_learner *learner)
{
    learner->placed = mem_alloc(learner->samples, sizeof *learner->placed, "computation");
    learner->visits = mem_alloc(learner->samples, sizeof *learner->visits, "computation");
    for (size_t s = 0; s < learner->samples; s++) {
        learner->visits[s] = mem_alloc(learner->part->pattern.place_count, sizeof(double), "computation");
        count_in_body(&learner->part->evidence[s], &learner->part->pattern.root, 1, 0, learner->visits[s]);
    }
    learner->totals = mem_alloc(learner->samples, sizeof *learner->totals, "computation");
    learner->class_of = mem_alloc(learner->samples, sizeof *learner->class_of, "classes");
    find_classes(learner);
}

static void end(struct burst_learner *learner)
{
    for (size_t s = 0; s < learner->samples; s++) {
        free(learner->placed[s]);
        free(learner->class_of[s]);
        free(learner->visits[s]);
    }
    free(learner->placed);
    free(learner->class_of);
    free(learner->totals);
    free(learner->visits);
}

/* What all ranks of a sample compute together. */
static double computed_by_all(const struct burst_learner *learner, size_t sample)
{
    return learner->totals[sample] * learner->part->evidence[sample].grid.ranks;
}

/* All ranks together compute as much on each number of ranks, and something more for each further rank. If
 * they compute less from one number to the next at first, the large blocks of the first numbers cost more, as
 * they exceed a cache. If they compute more again behind the least, only this growth goes on beyond the
 * traces, and fits that take the first samples hide it. Noise could do the same, so it must have been
 * averaged out, and both differences are above 1 %. Returns the first sample that fits take. */
static size_t first_like_last(const struct burst_learner *learner)
{
    const double clearly = 1.01;
    size_t first = SIZE_MAX, least = 0, last = 0;
    for (size_t s = 0; s < learner->samples; s++) {
        if (s == learner->skip)
            continue;
        last = s;
        if (first == SIZE_MAX)
            first = least = s;
        else if (computed_by_all(learner, s) < computed_by_all(learner, least))
            least = s;
    }
    const double more = clearly * computed_by_all(learner, least);
    return learner->part->repeated && computed_by_all(learner, first) > more &&
                   computed_by_all(learner, last) > more
               ? least
               : 0;
}

void computation_fit(struct role_model *part, uint32_t role, bool apart, size_t samples, size_t skip)
{
    struct burst_learner learner = {
        .part = part, .role = role, .apart = apart, .samples = samples, .skip = skip};
    uint32_t places = part->pattern.place_count;
    begin(&learner);
    place_all(&learner);
    learner.first = first_like_last(&learner);
    if (skip >= samples) /* the fits that stay */
        part->fitted_from = learner.first > 0 ? part->evidence[learner.first].grid.ranks : 0;
    for (uint32_t place = 0; place < places; place++) {
        struct burst *burst = &part->bursts[place];
        *burst = (struct burst){0};
        choose_shape(&learner, place, burst);
        fit_burst(&learner, place, burst);
    }
    struct rank_classes *classes = &part->classes;
    if (classes->count > 1) {
        classes->scale = mem_alloc((size_t)classes->count * places, sizeof *classes->scale, "classes");
        classes->power = mem_alloc((size_t)classes->count * places, sizeof *classes->power, "classes");
        for (uint32_t place = 0; place < places; place++)
            fit_classes_of(&learner, place);
        classes->differ = classes_differ(&learner);
    }
    end(&learner);
}
