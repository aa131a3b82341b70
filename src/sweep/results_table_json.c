#include <string.h>

#include "base/mem.h"
#include "sweep/results_table.h"

/* The table of results as JSON for the report page of a sweep. */

static json_t *estimate_json(const struct mean_estimate *estimate)
{
    return estimate->count
               ? json_pack("{s:f, s:f}", "mean", estimate->mean, "half_width", estimate->half_width)
               : json_null();
}

static bool is_seed(const char *parameter)
{
    return strcmp(parameter, "seed") == 0;
}

/* The varied parameters without the fabric, which has a field of its own, and without the seed, which is
 * averaged. */
static json_t *axes_json(const struct results_table *results_table)
{
    json_t *axes = json_array();
    for (size_t i = 0; i < json_array_size(results_table->varied); i++) {
        const char *name = json_string_value(json_array_get(results_table->varied, i));
        if (!is_seed(name) && strcmp(name, "fabric") != 0)
            json_array_append_new(axes, json_string(name));
    }
    return axes;
}

static json_t *settings_json(const json_t *axes, const struct results_table_row *row)
{
    json_t *settings = json_object();
    for (size_t i = 0; i < json_array_size(axes); i++) {
        const char *name = json_string_value(json_array_get(axes, i));
        const char *value = results_table_value(row, name);
        json_object_set_new(settings, name, json_string(value ? value : ""));
    }
    return settings;
}

/* A group as one object. Results other than time and speedup are those of its first row. */
static json_t *group_json(const struct results_table *results_table, const struct results_table_group *group,
                          const json_t *axes)
{
    const struct results_table_row *row = &results_table->rows[group->first];
    json_t *object = json_object();
    json_object_set_new(object, "id", json_integer(row->id));
    json_object_set_new(object, "program", json_string(row->program));
    json_object_set_new(object, "fabric", json_string(row->fabric));
    json_object_set_new(object, "settings", settings_json(axes, row));
    json_object_set_new(object, "runs", json_integer((json_int_t)group->makespan_s.count));
    json_object_set_new(object, "makespan_s", estimate_json(&group->makespan_s));
    json_object_set_new(object, "speedup", estimate_json(&group->speedup));
    json_object_set_new(object, "idle_fraction", json_real(row->idle_fraction));
    json_object_set_new(object, "messages", json_integer((json_int_t)row->messages));
    json_object_set_new(object, "bytes",
                        row->bytes > INT64_MAX ? json_real((double)row->bytes)
                                               : json_integer((json_int_t)row->bytes));
    json_object_set(object, "metrics", row->metrics);
    return object;
}

/* The parameters that are the same in all rows. */
static json_t *fixed_json(const struct results_table *results_table)
{
    json_t *fixed = results_table->count ? json_copy(results_table->rows[0].parameters) : json_object();
    for (size_t i = 0; i < json_array_size(results_table->varied); i++)
        json_object_del(fixed, json_string_value(json_array_get(results_table->varied, i)));
    json_object_del(fixed, "fabric");
    return fixed;
}

char *results_table_json(const struct results_table *results_table)
{
    const size_t flags = JSON_COMPACT | JSON_REAL_PRECISION(15);
    json_t *axes = axes_json(results_table), *groups = json_array();
    for (size_t i = 0; i < results_table->group_count; i++)
        json_array_append_new(groups, group_json(results_table, &results_table->groups[i], axes));
    json_t *whole = json_pack("{s:i, s:s, s:I, s:o, s:O, s:o, s:o}", "schema", 1, "version", HELIO_VERSION,
                              "runs", (json_int_t)results_table->count, "axes", axes, "baseline",
                              results_table->baseline, "groups", groups, "fixed", fixed_json(results_table));
    size_t length = json_dumpb(whole, NULL, 0, flags);
    char *text = mem_alloc(length + 1, 1, "JSON");
    json_dumpb(whole, text, length, flags);
    json_decref(whole);
    return text;
}
