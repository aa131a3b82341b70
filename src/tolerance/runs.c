#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "tolerance/answer.h"

/* Between runs the time may do anything: it may jump, and it may fall. So an answer is a value that is within
 * the limit, next to one that is not. A value is known by how many times as slow it is as that of the
 * experiment: 2 is twice the time, or half the rate. */
enum { DOUBLINGS = 24, HALVINGS = 16, FILLING = 24, ENOUGH = 3, BETTER = 12 };

static const double as_good = 1 + 1e-6; /* less of the time counts as no gain */
static const double far_better = 1000, as_far = 1.001;

enum status tolerance_run(const struct tolerance_question *question, const struct param *param,
                          const char *text, double *seconds)
{
    struct config *copy = config_copy(question->config);
    struct experiment experiment;
    struct result result;
    const struct experiment_watch watch = {.progress = NULL};
    enum status status = copy ? STATUS_OK : STATUS_FAILED;
    if (status == STATUS_OK && text)
        status = config_assign(copy, param->name, text, "--of");
    if (status == STATUS_OK) {
        status = experiment_init_with(&experiment, copy, question->experiment->program);
        if (status == STATUS_OK) {
            status = experiment_run(&experiment, 0, &watch, &result);
            *seconds = (double)result.makespan / (double)PS_PER_S;
            result_free(&result);
        }
        experiment_free(&experiment);
    }
    if (copy)
        config_close(copy);
    return status;
}

struct run_search {
    const struct tolerance_question *question;
    struct tolerance_answer *answer;
    enum status status; /* of the runs so far */
};

/* The time, or the time per byte, as whole ns; the text has 64 bytes. */
static bool whole_ns_at(const struct tolerance_answer *answer, double times, double *value, char *text)
{
    double ns = answer->base * times * (double)(PS_PER_S / PS_PER_NS);
    if (!(ns < 0x1p50))
        return false;
    ps_t rounded = (ps_t)(ns + 0.5) * PS_PER_NS;
    units_print_time(rounded, text, 64);
    *value = (double)rounded / (double)PS_PER_S;
    return true;
}

/* Rounded to what a parameter can be; the text has 64 bytes. False: it is out of range. */
static bool value_at(const struct tolerance_question *question, const struct tolerance_answer *answer,
                     double times, double *value, char *text)
{
    const struct param *param = answer->param;
    if (tolerance_has_whole_ns(question, answer))
        return whole_ns_at(answer, times, value, text);
    union param_quantity quantity, bound;
    struct param_problem problem;
    bool is_time = answer->kind == TOLERANCE_TIME;
    double wanted = answer->kind == TOLERANCE_RATE ? answer->base / times : answer->base * times;
    double units = is_time ? wanted * (double)PS_PER_S : answer->kind == TOLERANCE_RATE ? wanted : 1 / wanted;
    if (!(units < 0x1p62) || (!is_time && units < 1))
        return false;
    enum param_type type = is_time ? PARAM_TIME : PARAM_RATE;
    if (is_time) {
        quantity.time = (ps_t)(units + 0.5);
        units_print_time(quantity.time, text, 64);
        *value = (double)quantity.time / (double)PS_PER_S;
    } else {
        quantity.whole = (uint64_t)(units + 0.5);
        units_print_rate(quantity.whole, text, 64);
        *value = answer->kind == TOLERANCE_RATE ? (double)quantity.whole : 1 / (double)quantity.whole;
    }
    if (param->type != type)
        return true;
    return (!param->min || !param_quantity_read(type, param->min, &bound, &problem) ||
            param_quantity_compare(type, &quantity, &bound) >= 0) &&
           (!param->max || !param_quantity_read(type, param->max, &bound, &problem) ||
            param_quantity_compare(type, &quantity, &bound) <= 0);
}

static double times_of(const struct tolerance_answer *answer, double value)
{
    return answer->kind == TOLERANCE_RATE ? answer->base / value : value / answer->base;
}

/* A better value first. */
static int compare(const struct tolerance_answer *answer, double a, double b)
{
    int order = (a > b) - (a < b);
    return answer->kind == TOLERANCE_RATE ? -order : order;
}

/* The time with a value so many times as slow; each value is run once. False: there is no such value, or the
 * run failed. */
static bool time_at(struct run_search *search, double times, double *seconds)
{
    struct tolerance_answer *answer = search->answer;
    char text[64];
    double value;
    size_t at = 0;
    if (search->status != STATUS_OK || !value_at(search->question, answer, times, &value, text))
        return false;
    while (at < answer->sample_count && compare(answer, answer->samples[at].value, value) < 0)
        at++;
    if (at < answer->sample_count && answer->samples[at].value == value) {
        *seconds = answer->samples[at].seconds;
        return true;
    }
    search->status = tolerance_run(search->question, answer->param, text, seconds);
    if (search->status != STATUS_OK)
        return false;
    answer->runs++;
    answer->samples = mem_grow(answer->samples, &answer->sample_capacity, answer->sample_count + 1, "runs");
    memmove(&answer->samples[at + 1], &answer->samples[at],
            (answer->sample_count++ - at) * sizeof *answer->samples);
    answer->samples[at] = (struct tolerance_sample){value, *seconds};
    return true;
}

/* A value within the limit, and a slower one beyond it, with the time below and above the limit. */
struct bounds {
    double good, below_s, bad, above_s;
    int last; /* what the last run moved: 1: good, -1: bad, 0: there was none */
};

/* Where a straight line between both meets the limit; from there on as far as the answer is to be known, on
 * the side that did not move last: so that both close in. */
static double guess(const struct bounds *bounds, double width)
{
    double range = bounds->bad - bounds->good;
    double at =
        bounds->good + range * bounds->below_s / (bounds->below_s + bounds->above_s) + bounds->last * width;
    double least = bounds->good + width / 2, most = bounds->bad - width / 2;
    return at < least ? least : at > most ? most : at;
}

/* The side that stays twice counts half as much (the Illinois method): the time may be flat there. */
static void move_bound(struct bounds *bounds, double at, double beyond_s)
{
    if (beyond_s > 0) {
        bounds->bad = at;
        bounds->above_s = beyond_s;
        if (bounds->last == -1)
            bounds->below_s /= 2;
        bounds->last = -1;
    } else {
        bounds->good = at;
        bounds->below_s = -beyond_s;
        if (bounds->last == 1)
            bounds->above_s /= 2;
        bounds->last = 1;
    }
}

/* Runs at a value between the bounds. False: there is none, or the run failed. */
static bool try_at(struct run_search *search, double allowed, struct bounds *bounds, double at)
{
    double seconds;
    if (!time_at(search, at, &seconds))
        return false;
    move_bound(bounds, at, seconds - allowed);
    return true;
}

/* Closes in to a part of 2^-HALVINGS. Two runs on straight lines are to halve the range, as they do many
 * times over where the time is straight. Where they do not, halving takes over: once, then twice, and so on.
 */
static void close_in(struct run_search *search, double allowed, struct bounds *bounds)
{
    double width = 1.5 * (bounds->bad - bounds->good) / (1 << HALVINGS);
    unsigned misses = 0, halvings = 0;
    bool runs = true;
    while (runs && bounds->bad - bounds->good > width) {
        double range = bounds->bad - bounds->good;
        for (int i = 0; runs && !halvings && i < 2 && bounds->bad - bounds->good > width; i++)
            runs = try_at(search, allowed, bounds, guess(bounds, width / 1.5));
        if (bounds->bad - bounds->good <= range / 2)
            continue;
        halvings = halvings ? halvings - 1 : ++misses;
        runs = runs && try_at(search, allowed, bounds, (bounds->good + bounds->bad) / 2);
    }
}

/* How many times as slow the slowest value is that the parameter can have, if that is not faster than `times`
 * and no more than twice as slow; else 0. */
static double slowest_from(const struct run_search *search, double times)
{
    const struct tolerance_answer *answer = search->answer;
    const bool is_rate = answer->kind == TOLERANCE_RATE;
    const enum param_type type = is_rate ? PARAM_RATE : PARAM_TIME;
    const char *end = is_rate ? answer->param->min : answer->param->max;
    union param_quantity quantity;
    struct param_problem problem;
    if (answer->kind == TOLERANCE_TIME_PER_BYTE || answer->param->type != type || !end ||
        !param_quantity_read(type, end, &quantity, &problem))
        return 0;
    const double value = is_rate ? (double)quantity.whole : (double)quantity.time / (double)PS_PER_S;
    const double slowest = value > 0 ? times_of(answer, value) : 0;
    return slowest >= times && slowest <= 2 * times ? slowest : 0;
}

/* Runs at a slower value, which is one of the bounds then. False: there is no such value, or the run failed.
 */
static bool go_to(struct run_search *search, double allowed, struct bounds *bounds, double at)
{
    double seconds;
    if (!time_at(search, at, &seconds))
        return false;
    if (seconds > allowed) {
        bounds->bad = at;
        bounds->above_s = seconds - allowed;
    } else {
        bounds->good = at;
        bounds->below_s = allowed - seconds;
    }
    return true;
}

/* Doubles until a value is beyond the limit, or up to the end of what the parameter can have. False: none is,
 * and *end is that end as a value, or 0. */
static bool find_bad(struct run_search *search, double allowed, struct bounds *bounds, double *end)
{
    char text[64];
    *end = 0;
    while (bounds->bad == 0 && bounds->good <= 1 << DOUBLINGS) {
        if (go_to(search, allowed, bounds, bounds->good * 2))
            continue;
        const double slowest = slowest_from(search, bounds->good);
        if (search->status != STATUS_OK || slowest == 0 || !go_to(search, allowed, bounds, slowest))
            return false;
        if (bounds->bad == 0)
            value_at(search->question, search->answer, slowest, end, text);
        break;
    }
    return bounds->bad != 0;
}

/* The slowest value known to be within the limit, from `good` on, which is within it. */
static struct tolerance_point bracket(struct run_search *search, double allowed, double good)
{
    struct bounds bounds = {.good = good};
    double seconds, value = 0;
    char text[64];
    if (!time_at(search, good, &seconds))
        return (struct tolerance_point){.exists = false};
    bounds.below_s = allowed - seconds;
    if (!find_bad(search, allowed, &bounds, &value))
        return (struct tolerance_point){.exists = false, .value = value};
    close_in(search, allowed, &bounds);
    value_at(search->question, search->answer, bounds.good, &value, text);
    return (struct tolerance_point){.exists = true, .value = value};
}

/* The best value that the parameter can have, where half of `times` is out of range. */
static double best_in_range(const struct run_search *search, double times)
{
    double beyond = times / 2, value;
    char text[64];
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (beyond + times) / 2;
        if (value_at(search->question, search->answer, middle, &value, text))
            times = middle;
        else
            beyond = middle;
    }
    return times;
}

/* Values become better until three halvings together gain nothing, at most 2^12 times, or as far as the
 * parameter goes: *is_cut. */
static double find_best(struct run_search *search, bool *is_cut)
{
    double best = 1, seconds = search->answer->makespan_s, before[ENOUGH] = {0};
    for (int i = 0; i < BETTER; i++) {
        *is_cut = !time_at(search, best / 2, &seconds);
        if (*is_cut)
            return best_in_range(search, best);
        best /= 2;
        if (i >= ENOUGH && before[i % ENOUGH] <= seconds * as_good)
            break;
        before[i % ENOUGH] = seconds;
    }
    return best;
}

/* An end of the gain beyond 1000 times is none: there the time falls by less than runs can tell. Nor is one
 * where the parameter ends. */
static void find_gain(struct run_search *search)
{
    struct tolerance_answer *answer = search->answer;
    bool is_cut = false;
    double best = find_best(search, &is_cut), seconds;
    answer->best_s = answer->makespan_s;
    if (search->status != STATUS_OK || !time_at(search, best, &answer->best_s))
        return;
    double good = best;
    while (good < 1 && time_at(search, good * 2, &seconds) && seconds <= answer->best_s * as_good)
        good *= 2;
    answer->gain_end = bracket(search, answer->best_s * as_good, good);
    answer->depends = answer->gain_end.exists;
    if (!answer->depends)
        return;
    double end = times_of(answer, answer->gain_end.value);
    if (end < 1 / far_better || (is_cut && end < best * as_far))
        answer->gain_end = (struct tolerance_point){.exists = answer->kind != TOLERANCE_RATE};
}

/* Runs between the best and the worst value of interest, for a picture. */
static void fill(struct run_search *search)
{
    struct tolerance_answer *answer = search->answer;
    double worst = 2, seconds;
    for (size_t i = 0; i < TOLERANCE_LIMITS; i++) {
        const struct tolerance_point *limit = &answer->limits[i];
        double times = limit->exists ? times_of(answer, limit->value) : 1;
        worst = times > worst ? times : worst;
    }
    for (int i = 1; i <= FILLING; i++)
        time_at(search, worst * 1.25 * i / FILLING, &seconds);
}

static bool is_monotone(const struct tolerance_answer *answer)
{
    for (size_t i = 1; i < answer->sample_count; i++)
        if (answer->samples[i].seconds < answer->samples[i - 1].seconds)
            return false;
    return true;
}

/* Where the time is not monotone, values far better than the present one may be slower than some between. */
static void take_fastest(struct tolerance_answer *answer)
{
    const struct tolerance_sample *fastest = answer->samples;
    for (size_t i = 1; i < answer->sample_count; i++)
        if (answer->samples[i].seconds < fastest->seconds)
            fastest = &answer->samples[i];
    if (!answer->sample_count || fastest->seconds * as_good >= answer->best_s)
        return;
    answer->is_fastest = answer->depends = true;
    answer->best_s = fastest->seconds;
    answer->gain_end = (struct tolerance_point){.exists = true, .value = fastest->value};
}

static void find_answer(struct run_search *search)
{
    const double step = 1.01;
    struct tolerance_answer *answer = search->answer;
    double beyond = 0, by = search->question->by, share = answer->kind == TOLERANCE_RATE ? -by : by;
    if (!time_at(search, 1, &answer->makespan_s) || !time_at(search, step, &beyond))
        return;
    double change = answer->kind == TOLERANCE_RATE ? (step - 1) / answer->base : answer->base * (step - 1);
    answer->slope = (beyond - answer->makespan_s) / change;
    for (size_t i = 0; i < TOLERANCE_LIMITS; i++)
        answer->limits[i] = bracket(search, answer->makespan_s * (1 + tolerance_percents[i] / 100.0), 1);
    find_gain(search);
    if (by > 0) {
        bool is_rate = answer->kind == TOLERANCE_RATE;
        time_at(search, is_rate ? 1 / (1 - share) : 1 - share, &answer->better_s);
        time_at(search, is_rate ? 1 / (1 + share) : 1 + share, &answer->worse_s);
    }
    if (search->question->fills)
        fill(search);
    answer->is_monotone = is_monotone(answer);
    take_fastest(answer);
}

enum status tolerance_answer_by_runs(const struct tolerance_question *question,
                                     struct tolerance_answer *answer)
{
    struct run_search search = {.question = question, .answer = answer};
    char text[64];
    double value;
    if (answer->base == 0) {
        diag_error("%s is 0 here, from which no bracket grows; set it to a small value", answer->param->name);
        return STATUS_BAD_INPUT;
    }
    if (!value_at(question, answer, 1, &value, text)) {
        diag_error("%s has no value here that runs can change", answer->param->name);
        return STATUS_BAD_INPUT;
    }
    find_answer(&search);
    return search.status;
}
