#include <string.h>

#include "base/mem.h"
#include "base/param.h"
#include "plugin/plugin.h"

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
    return name && *name && strspn(name, letters) == strlen(name);
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

static bool has_good_defaults(const char *what, const struct param_table *table)
{
    struct arena texts = {0};
    struct param_problem problem;
    void *values = mem_alloc(1, table->size, "parameters");
    bool good = param_defaults(table, values, &texts, &problem);
    if (!good)
        diag_error("%s has a parameter whose default is wrong: %s", what, problem.text);
    free(values);
    arena_free(&texts);
    return good;
}

const struct param_table *plugin_parameters(const char *what, const char *component, const char *prefix,
                                            const struct heliograph_parameter *parameters, size_t count,
                                            size_t at)
{
    struct param *params = mem_alloc(count + 1, sizeof *params, "parameters");
    for (size_t i = 0; i < count; i++)
        if (!convert(&parameters[i], at + i * sizeof(union heliograph_value), prefix, &params[i])) {
            diag_error("parameter %zu of %s is wrong: it needs a name of letters, digits, _ and dots, a "
                       "type, a line "
                       "of documentation and, if it is no text, a default",
                       i + 1, what);
            free_params(params, i);
            return NULL;
        }
    struct param_table *table = mem_alloc(1, sizeof *table, "parameters");
    *table = (struct param_table){.component = component,
                                  .doc = what,
                                  .params = params,
                                  .count = count,
                                  .size = at + (count + 1) * sizeof(union heliograph_value)};
    if (has_good_defaults(what, table))
        return table;
    free_params(params, count);
    free(table);
    return NULL;
}
