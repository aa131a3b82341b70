#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/param.h"
#include "plugin/plugin.h"
#include "sim/components.h"

enum { LONGEST_NAME = 64 };

static const enum param_type types[] = {
    [HELIOGRAPH_TIME] = PARAM_TIME,   [HELIOGRAPH_RATE] = PARAM_RATE,     [HELIOGRAPH_SIZE] = PARAM_SIZE,
    [HELIOGRAPH_COUNT] = PARAM_COUNT, [HELIOGRAPH_NUMBER] = PARAM_NUMBER, [HELIOGRAPH_TEXT] = PARAM_TEXT};

static char *text_or_null(const char *text)
{
    return text ? mem_text(text) : NULL;
}

static bool is_parameter_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    if (!name || !*name || strlen(name) > LONGEST_NAME || strspn(name, letters) != strlen(name))
        return false;
    return name[0] != '.' && name[strlen(name) - 1] != '.' && !strstr(name, "..");
}

/* The value's place in the array of unions. All members begin where the union does. */
static bool convert(const struct heliograph_parameter *from, size_t offset, const char *prefix,
                    struct param *to)
{
    if (!is_parameter_name(from->name) || (size_t)from->type >= sizeof types / sizeof *types || !from->doc ||
        (!from->default_value && from->type != HELIOGRAPH_TEXT))
        return false;
    *to = (struct param){.name = prefix ? mem_format("%s.%s", prefix, from->name) : mem_text(from->name),
                         .type = types[from->type],
                         .offset = offset,
                         .default_text = text_or_null(from->default_value),
                         .doc = mem_text(from->doc),
                         .min = text_or_null(from->min),
                         .max = text_or_null(from->max)};
    return true;
}

static void free_params(struct param *params, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free((char *)params[i].name);
        free((char *)params[i].default_text);
        free((char *)params[i].doc);
        free((char *)params[i].min);
        free((char *)params[i].max);
    }
    free(params);
}

/* Whether one is the other, or a map in which the other is: in an experiment file both cannot be there. */
static bool names_clash(const char *one, const char *other)
{
    size_t length = strlen(one), other_length = strlen(other);
    size_t common = length < other_length ? length : other_length;
    const char *longer = length < other_length ? other : one;
    return strncmp(one, other, common) == 0 && (!longer[common] || longer[common] == '.');
}

static const char *find_clash(const struct param_table *table, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (names_clash(table->params[i].name, name))
            return table->params[i].name;
    return NULL;
}

/* `is_global`: the names stand beside those of all components. */
static bool has_free_names(const struct param_table *table, bool is_global)
{
    size_t components;
    const struct param_table *const *all = components_params(&components);
    for (size_t i = 0; i < table->count; i++) {
        const char *name = table->params[i].name, *clash = find_clash(table, i, name);
        for (size_t j = 0; is_global && !clash && j < components; j++)
            clash = find_clash(all[j], all[j]->count, name);
        if (!clash)
            continue;
        diag_error("%s cannot have the parameter %s: there is %s already", table->component, name, clash);
        return false;
    }
    return true;
}

/* A bound is a value of the parameter without bounds. */
static bool has_good_bounds(const struct param_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        struct param unbounded = table->params[i];
        const char *const bounds[] = {unbounded.min, unbounded.max};
        struct param_problem problem;
        union heliograph_value value;
        unbounded.min = unbounded.max = NULL;
        for (size_t j = 0; j < 2; j++) {
            if (!bounds[j])
                continue;
            if (unbounded.type == PARAM_TEXT) {
                diag_error("%s has a bound of %s, which is a text", table->component, unbounded.name);
                return false;
            }
            if (!param_parse(&unbounded, bounds[j], &value, NULL, &problem)) {
                diag_error("%s has a wrong bound of %s: %s", table->component, unbounded.name, problem.text);
                return false;
            }
        }
    }
    return true;
}

static bool has_good_defaults(const struct param_table *table)
{
    struct arena texts = {0};
    struct param_problem problem;
    void *values = mem_alloc(1, table->size, "parameters");
    bool good = param_defaults(table, values, &texts, &problem);
    if (!good)
        diag_error("%s has a parameter whose default is wrong: %s", table->component, problem.text);
    free(values);
    arena_free(&texts);
    return good;
}

const struct param_table *plugin_parameters(const char *what, const char *component, const char *prefix,
                                            const struct heliograph_parameter *parameters, size_t count,
                                            size_t at)
{
    if (count && !parameters) {
        diag_error("%s has %zu parameters, and the array of them is NULL", component, count);
        return NULL;
    }
    struct param *params = mem_alloc(count + 1, sizeof *params, "parameters");
    for (size_t i = 0; i < count; i++)
        if (!convert(&parameters[i], at + i * sizeof(union heliograph_value), prefix, &params[i])) {
            diag_error("parameter %zu of %s is wrong: it needs a name of letters, digits, _ and single dots "
                       "inside, of at most %d bytes, a type, a line of documentation and, if it is no text, "
                       "a default",
                       i + 1, component, LONGEST_NAME);
            free_params(params, i);
            return NULL;
        }
    struct param_table *table = mem_alloc(1, sizeof *table, "parameters");
    *table = (struct param_table){.component = component,
                                  .doc = what,
                                  .params = params,
                                  .count = count,
                                  .size = at + (count + 1) * sizeof(union heliograph_value)};
    if (has_free_names(table, prefix) && has_good_bounds(table) && has_good_defaults(table))
        return table;
    free_params(params, count);
    free(table);
    return NULL;
}
