#include <inttypes.h>
#include <stdio.h>

#include "cli/tolerance.h"

enum { EXACT_TEXT = 80, PLACES = 20 };

static void put_point(json_t *object, const char *name, const struct tolerance_point *point)
{
    if (point->exists)
        json_put_number(object, name, point->value);
    else
        json_put(object, name, json_make_text(NULL));
}

static void put_exact(json_t *object, const char *name, const struct tolerance_answer *answer,
                      const struct tolerance_point *point)
{
    char text[EXACT_TEXT];
    if (point->exists && !answer->why)
        json_put_value(object, name, tolerance_exact_text(answer->kind, point->x, text, sizeof text));
}

static json_t *breakpoints(const struct tolerance_answer *answer)
{
    json_t *points = json_make_list();
    for (size_t i = 1; i < answer->pieces.count; i++) {
        const struct tolerance_piece *piece = &answer->pieces.pieces[i];
        const struct tolerance_point at = {true, tolerance_value_of(answer->kind, piece->from), piece->from};
        json_t *point = json_make_object();
        put_point(point, "at", &at);
        put_exact(point, "at_exact", answer, &at);
        json_put_number(point, "slope", (double)piece->line.k);
        json_add(points, point);
    }
    return points;
}

/* Of limits that no value reaches: how far the parameter goes. */
static void put_ends(json_t *object, const struct tolerance_answer *answer)
{
    json_t *ends = json_make_object();
    bool has_ends = false;
    for (size_t i = 0; i < TOLERANCE_LIMITS; i++) {
        const struct tolerance_point *limit = &answer->limits[i];
        char name[16];
        if (limit->exists || limit->value <= 0)
            continue;
        snprintf(name, sizeof name, "%u%%", tolerance_percents[i]);
        json_put_number(ends, name, limit->value);
        has_ends = true;
    }
    if (has_ends)
        json_put(object, "not_up_to", ends);
    else
        json_decref(ends);
}

/* ----------------------------------------------------------- longest path */

/* Messages of a critical path have no part of a slope. */
static json_t *share_json(const struct tolerance_share *share, bool has_slope)
{
    json_t *object = json_make_object();
    json_put_count(object, "messages", share->messages);
    json_put_count(object, "bytes", share->bytes);
    if (has_slope)
        json_put_number(object, "slope", (double)share->slope);
    return object;
}

/* null: messages of calls whose place is not known. */
static json_t *sites_json(const struct tolerance_shares *shares, bool has_slope)
{
    json_t *sites = json_make_list();
    for (size_t i = 0; i < shares->sites; i++) {
        json_t *site = share_json(&shares->by_site[i], has_slope);
        json_put_text(site, "site", shares->by_site[i].site_name);
        json_add(sites, site);
    }
    return sites;
}

static json_t *path_json(const struct tolerance_shares *shares, bool has_slope)
{
    json_t *path = json_make_object(), *ranks = json_make_list(), *calls = json_make_list();
    json_t *sizes = json_make_list();
    for (size_t i = 0; i < shares->ranks; i++) {
        json_t *rank = share_json(&shares->by_rank[i], has_slope);
        json_put_count(rank, "rank", shares->by_rank[i].rank);
        json_add(ranks, rank);
    }
    for (size_t i = 0; i < shares->calls; i++) {
        const struct tolerance_share *share = &shares->by_call[i];
        json_t *call = share_json(share, has_slope);
        json_put_value(call, "call", call_op_name(share->call));
        if (share->place.file)
            json_put_value(call, "first_file", share->place.file);
        if (has_slope)
            json_put_count(call, "first_line", share->place.line);
        json_add(calls, call);
    }
    for (size_t i = 0; i < shares->sizes; i++) {
        uint32_t class = shares->by_size[i].size_class;
        json_t *size = share_json(&shares->by_size[i], has_slope);
        json_put_count(size, "from_bytes", class ? UINT64_C(1) << (class - 1) : 0);
        json_add(sizes, size);
    }
    json_put_count(path, "messages", shares->messages);
    if (shares->is_between_nodes)
        json_put_flag(path, "between_nodes", true);
    if (shares->listed_since)
        json_put_number(path, "listed_from_s", (double)shares->listed_since / (double)PS_PER_S);
    json_put(path, "by_rank", ranks);
    json_put(path, "by_call", calls);
    json_put(path, "by_size", sizes);
    if (shares->by_site)
        json_put(path, "by_site", sites_json(shares, has_slope));
    return path;
}

/* Runs that take another time than the longest path. */
static json_t *differing_runs(const struct tolerance_answer *answer)
{
    json_t *runs = json_make_list();
    for (size_t i = 0; i < answer->beside_count; i++) {
        json_t *run = json_make_object();
        json_put_number(run, "at", answer->beside[i].value);
        json_put_number(run, "longest_path_s", answer->beside[i].path_s);
        json_put_number(run, "run_s", answer->beside[i].run_s);
        json_add(runs, run);
    }
    return runs;
}

/* ------------------------------------------------------------------ curve */

/* [x, seconds]: x in seconds of a time or a byte, so that an exact curve consists of straight lines. */
static void add_point(json_t *curve, double x, double seconds)
{
    json_t *point = json_make_list();
    json_add_number(point, x);
    json_add_number(point, seconds);
    json_add(curve, point);
}

static double seconds_on(const struct tolerance_piece *piece, struct tolerance_at at)
{
    return tolerance_time(piece->line, at) / (double)PS_PER_S;
}

static json_t *curve_json(const struct tolerance_answer *answer)
{
    json_t *curve = json_make_list();
    for (size_t i = 0; i < answer->pieces.count; i++) {
        const struct tolerance_piece *piece = &answer->pieces.pieces[i];
        add_point(curve, tolerance_value(piece->from) / (double)PS_PER_S, seconds_on(piece, piece->from));
    }
    if (answer->pieces.count)
        add_point(curve, tolerance_value(answer->to) / (double)PS_PER_S,
                  seconds_on(&answer->pieces.pieces[answer->pieces.count - 1], answer->to));
    for (size_t i = 0; i < answer->sample_count; i++) {
        double value = answer->samples[i].value;
        add_point(curve, answer->kind == TOLERANCE_RATE ? 1 / value : value, answer->samples[i].seconds);
    }
    return curve;
}

/* ----------------------------------------------------------------- answer */

static json_t *answer_json(const struct tolerance_answer *answer, const struct tolerance_shares *critical,
                           bool has_curve)
{
    static const char *const kinds[] = {"time", "rate", "time per byte"};
    json_t *object = json_make_object(), *limits = json_make_object(), *exactly = json_make_object();
    json_put_value(object, "of", answer->param->name);
    json_put_text(object, "kind", kinds[answer->kind]);
    json_put_number(object, "base", answer->base);
    json_put_number(object, "makespan_s", answer->makespan_s);
    json_put_number(object, "slope", answer->slope);
    json_put(object, "breakpoints", breakpoints(answer));
    for (size_t i = 0; i < TOLERANCE_LIMITS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%u%%", tolerance_percents[i]);
        put_point(limits, name, &answer->limits[i]);
        put_exact(exactly, name, answer, &answer->limits[i]);
    }
    json_put(object, "tolerance", limits);
    json_put(object, "tolerance_exact", exactly);
    put_point(object, "no_gain_beyond", &answer->gain_end);
    put_ends(object, answer);
    put_exact(object, "no_gain_beyond_exact", answer, &answer->gain_end);
    json_put_number(object, "best_s", answer->best_s);
    if (answer->better_s > 0) {
        json_put_number(object, "better_s", answer->better_s);
        json_put_number(object, "worse_s", answer->worse_s);
    }
    json_put_flag(object, "exact", !answer->why);
    if (answer->why) {
        json_put_value(object, "why_not_exact", answer->why);
        json_put_count(object, "runs", answer->runs);
        json_put_flag(object, "monotone", answer->is_monotone);
        json_put_flag(object, "best_is_fastest_run", answer->is_fastest);
        if (critical->messages)
            json_put(object, "critical_path", path_json(critical, false));
    } else {
        json_put(object, "longest_path", path_json(&answer->shares, true));
        json_put(object, "differing_runs", differing_runs(answer));
    }
    if (has_curve)
        json_put(object, "curve", curve_json(answer));
    if (has_curve && answer->pieces.count)
        json_put_number(object, "first_slope", (double)answer->pieces.pieces[0].line.k);
    return object;
}

json_t *tolerance_json(const struct tolerance_report *report, bool has_curve)
{
    json_t *object, *list = json_make_list();
    for (size_t i = 0; i < report->count; i++)
        json_add(list, answer_json(&report->answers[i], report->critical, has_curve));
    if (report->count == 1 && !has_curve) {
        object = json_copy_members(json_array_get(list, 0));
        json_decref(list);
    } else {
        object = json_make_object();
        json_put(object, "parameters", list);
    }
    json_put_value(object, "program", report->experiment->program->name);
    json_put_value(object, "fabric", report->experiment->fabrics[0]->name);
    if (report->by > 0)
        json_put_number(object, "by", report->by);
    return object;
}
