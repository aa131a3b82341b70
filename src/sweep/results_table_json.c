#include <string.h>

#include "base/mem.h"
#include "base/text_index.h"
#include "base/units.h"
#include "sim/network.h"
#include "sweep/results_table.h"

/* The table of results as JSON for the report page of a sweep. */

static json_t *estimate_json(const struct mean_estimate *estimate)
{
    if (!estimate->count)
        return json_make_text(NULL);
    json_t *object = json_make_object();
    json_put_number(object, "mean", estimate->mean);
    if (estimate->count > 1) /* one value has no interval */
        json_put_number(object, "half_width", estimate->half_width);
    else
        json_put_text(object, "half_width", NULL);
    return object;
}

static bool is_seed(const char *parameter)
{
    return strcmp(parameter, "seed") == 0;
}

/* The varied parameters without the fabric, which has a field of its own, and without the seed, which is
 * averaged. */
static json_t *axes_json(const struct results_table *results_table)
{
    json_t *axes = json_make_list();
    for (size_t i = 0; i < json_array_size(results_table->varied); i++) {
        const char *name = json_string_value(json_array_get(results_table->varied, i));
        if (!is_seed(name) && strcmp(name, "fabric") != 0)
            json_add_value(axes, name);
    }
    return axes;
}

static json_t *settings_json(const json_t *axes, const struct results_table_row *row)
{
    json_t *settings = json_make_object();
    for (size_t i = 0; i < json_array_size(axes); i++) {
        const char *name = json_string_value(json_array_get(axes, i));
        const char *value = results_table_value(row, name);
        json_put_value(settings, name, value ? value : "");
    }
    return settings;
}

/* A group as one object. Results other than time and speedup are those of its first row. */
static json_t *group_json(const struct results_table *results_table, const struct results_table_group *group,
                          const json_t *axes)
{
    const struct results_table_row *row = &results_table->rows[group->first];
    json_t *object = json_make_object();
    json_put_count(object, "id", row->id);
    json_put_value(object, "program", row->program);
    json_put_value(object, "fabric", row->fabric);
    json_put(object, "settings", settings_json(axes, row));
    json_put_count(object, "runs", group->makespan_s.count);
    json_put(object, "makespan_s", estimate_json(&group->makespan_s));
    json_put(object, "speedup", estimate_json(&group->speedup));
    if (group->speedup.count)
        json_put_text(object, "compared", units_speed_of(group->speedup.mean).text);
    if (*results_table_reason(results_table, row))
        json_put_count(object, "reason", row->reason);
    json_put_number(object, "idle_fraction", row->idle_fraction);
    json_put_count(object, "messages", row->messages);
    json_put_count(object, "bytes", row->bytes);
    json_put(object, "metrics", json_incref(row->metrics));
    json_put(object, "measures", json_make_object());
    return object;
}

/* What some workloads measure beside their time, as the metrics of a run name it. */
static void put_measure(const struct results_table *results_table, const char *name, json_t *groups)
{
    struct mean_estimate *estimates = results_table_estimate(results_table, name);
    for (size_t i = 0; i < results_table->group_count; i++)
        if (estimates[i].count)
            json_put(json_object_get(json_array_get(groups, i), "measures"), name,
                     estimate_json(&estimates[i]));
    free(estimates);
}

/* The parameters that are the same in all rows. */
static json_t *fixed_json(const struct results_table *results_table)
{
    json_t *fixed =
        results_table->count ? json_copy_members(results_table->rows[0].parameters) : json_make_object();
    for (size_t i = 0; i < json_array_size(results_table->varied); i++)
        json_object_del(fixed, json_string_value(json_array_get(results_table->varied, i)));
    json_object_del(fixed, "fabric");
    return fixed;
}

/* Why groups are not compared fairly, by the number that is their `reason`. */
static json_t *reasons_json(const struct results_table *results_table)
{
    json_t *reasons = json_make_list();
    for (size_t i = 0; i < results_table->reasons.count; i++)
        json_add_value(reasons, results_table->reasons.texts[i]);
    return reasons;
}

/* How each fabric is drawn. */
static json_t *styles_json(const struct results_table *results_table)
{
    struct text_index known = {.count = 0};
    json_t *styles = json_make_list();
    for (size_t i = 0; i < results_table->group_count; i++) {
        const char *name = results_table->rows[results_table->groups[i].first].fabric;
        if (text_index_add(&known, name) == json_array_size(styles))
            json_add(styles, network_style_json(json_make_value(name)));
    }
    text_index_free(&known);
    return styles;
}

char *results_table_json(const struct results_table *results_table)
{
    json_t *whole = json_make_object(), *axes = axes_json(results_table), *groups = json_make_list();
    for (size_t i = 0; i < results_table->group_count; i++)
        json_add(groups, group_json(results_table, &results_table->groups[i], axes));
    put_measure(results_table, "bandwidth_bytes_per_s", groups);
    put_measure(results_table, "message_rate_per_s", groups);
    put_measure(results_table, "mean_latency_s", groups);
    put_measure(results_table, "largest_latency_s", groups);
    json_put_count(whole, "schema", 1);
    json_put_text(whole, "version", HELIO_VERSION);
    json_put_count(whole, "runs", results_table->count);
    json_put(whole, "axes", axes);
    json_put(whole, "baseline", json_incref(results_table->baseline));
    json_put(whole, "groups", groups);
    json_put(whole, "reasons", reasons_json(results_table));
    json_put_count(whole, "unfinished", (int64_t)results_table->unfinished);
    json_put(whole, "fabrics", styles_json(results_table));
    json_put(whole, "fixed", fixed_json(results_table));
    return json_take_line(whole, 15);
}
