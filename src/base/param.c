#include "base/param.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"

static bool fail(struct param_problem *problem, uint32_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(struct param_problem *problem, uint32_t at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(problem->text, sizeof problem->text, format, args);
    va_end(args);
    problem->at = at;
    return false;
}

/* ----------------------------------------------------------------------------------- types with a size */

/* A value that can be compared with bounds. */
union quantity {
    ps_t time;
    uint64_t whole;
    double number;
};

static bool read_quantity(enum param_type type, const char *text, union quantity *value,
                          struct param_problem *problem)
{
    struct units_problem unit_problem;
    bool good = false;
    switch (type) {
    case PARAM_TIME:
        good = units_time(text, &value->time, &unit_problem);
        break;
    case PARAM_RATE:
        good = units_rate(text, &value->whole, &unit_problem);
        break;
    case PARAM_FLOPS:
        good = units_flops(text, &value->whole, &unit_problem);
        break;
    case PARAM_SIZE:
        good = units_size(text, &value->whole, &unit_problem);
        break;
    case PARAM_COUNT:
        good = units_count(text, &value->whole, &unit_problem);
        break;
    default:
        good = units_number(text, &value->number, &unit_problem);
        break;
    }
    return good || fail(problem, unit_problem.at, "%s", unit_problem.text);
}

static int compare(enum param_type type, const union quantity *a, const union quantity *b)
{
    if (type == PARAM_TIME)
        return (a->time > b->time) - (a->time < b->time);
    if (type == PARAM_NUMBER)
        return (a->number > b->number) - (a->number < b->number);
    return (a->whole > b->whole) - (a->whole < b->whole);
}

static bool within_bounds(const struct param *param, const char *text, const union quantity *value,
                          struct param_problem *problem)
{
    union quantity bound;
    if (param->min && read_quantity(param->type, param->min, &bound, problem) &&
        compare(param->type, value, &bound) < 0)
        return fail(problem, 0, "%s is at least %s, not %s", param->name, param->min, text);
    if (param->max && read_quantity(param->type, param->max, &bound, problem) &&
        compare(param->type, value, &bound) > 0)
        return fail(problem, 0, "%s is at most %s, not %s", param->name, param->max, text);
    return true;
}

static bool parse_quantity(const struct param *param, const char *text, void *field,
                           struct param_problem *problem)
{
    union quantity value;
    if (!read_quantity(param->type, text, &value, problem) || !within_bounds(param, text, &value, problem))
        return false;
    memcpy(field, &value, sizeof value);
    return true;
}

/* -------------------------------------------------------------------------------------- types of words */

static bool parse_bool(const char *text, void *field, struct param_problem *problem)
{
    bool value = strcmp(text, "true") == 0;
    if (!value && strcmp(text, "false") != 0)
        return fail(problem, 0, "'%s' is neither true nor false", text);
    *(bool *)field = value;
    return true;
}

static bool parse_choice(const struct param *param, const char *text, void *field,
                         struct param_problem *problem)
{
    size_t count = 0;
    for (; param->choices[count]; count++)
        if (strcmp(param->choices[count], text) == 0) {
            *(int *)field = (int)count;
            return true;
        }
    fail(problem, 0, "%s cannot be '%s'%s; it is one of", param->name, text,
         diag_did_you_mean(diag_nearest_of(text, param->choices, count)));
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(problem->text);
        snprintf(problem->text + used, sizeof problem->text - used, "%s %s", i ? "," : "", param->choices[i]);
    }
    return false;
}

bool param_parse(const struct param *param, const char *text, void *field, struct arena *texts,
                 struct param_problem *problem)
{
    switch (param->type) {
    case PARAM_BOOL:
        return parse_bool(text, field, problem);
    case PARAM_CHOICE:
        return parse_choice(param, text, field, problem);
    case PARAM_TEXT:
        *(const char **)field = arena_text(texts, text, strlen(text));
        return true;
    case PARAM_CUSTOM:
        return param->parse(param, text, field, problem);
    default:
        return parse_quantity(param, text, field, problem);
    }
}

bool param_defaults(const struct param_table *table, void *config, struct arena *texts,
                    struct param_problem *problem)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct param *param = &table->params[i];
        if (param->fallback &&
            !param_parse(param, param->fallback, (char *)config + param->offset, texts, problem))
            return false;
    }
    return true;
}

const char *param_canonical(const struct param *param, const char *text, char *buffer, size_t size)
{
    union quantity value;
    struct param_problem problem;
    if (param->type > PARAM_SIZE || !read_quantity(param->type, text, &value, &problem)) {
        snprintf(buffer, size, "%s", text);
        return buffer;
    }
    switch (param->type) {
    case PARAM_TIME:
        return units_print_time(value.time, buffer, size);
    case PARAM_RATE:
        return units_print_rate(value.whole, buffer, size);
    case PARAM_FLOPS:
        return units_print_flops(value.whole, buffer, size);
    default:
        return units_print_size(value.whole, buffer, size);
    }
}

/* ----------------------------------------------------------------------------------------- short texts */

static const char *param_name_at(const void *params, size_t index)
{
    return ((const struct param *)params)[index].name;
}

static const struct param *find(const struct param_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->params[i].name, name) == 0)
            return &table->params[i];
    return NULL;
}

static void report_at(const char *what, const char *origin, size_t at, size_t span, const char *text)
{
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = what,
                                     .line = 1,
                                     .column = (uint32_t)at + 1,
                                     .span = (uint32_t)span,
                                     .source = origin,
                                     .source_length = strlen(origin)},
                "%s", text);
}

/* One "name=value" at origin[at .. at + length), given as a copy of its own. */
static bool parse_item(const struct param_table *table, const char *what, const char *origin, size_t at,
                       char *item, bool *seen, void *config, struct arena *texts)
{
    struct param_problem problem;
    char *equals = strchr(item, '=');
    if (equals)
        *equals = '\0';
    const struct param *param = find(table, item);
    if (!param) {
        fail(&problem, 0, "%s has no parameter '%s'%s", table->component, item,
             diag_did_you_mean(diag_nearest(item, table->params, table->count, param_name_at)));
        report_at(what, origin, at, strlen(item), problem.text);
        return false;
    }
    if (!equals || seen[param - table->params]) {
        fail(&problem, 0, equals ? "%s is given twice" : "%s needs a value: %s=%s", param->name, param->name,
             param->fallback ? param->fallback : "...");
        report_at(what, origin, at, strlen(item), problem.text);
        return false;
    }
    seen[param - table->params] = true;
    const char *value = equals + 1;
    if (param_parse(param, value, (char *)config + param->offset, texts, &problem))
        return true;
    size_t value_at = at + strlen(item) + 1;
    report_at(what, origin, value_at + problem.at, strlen(value) - problem.at, problem.text);
    return false;
}

enum status param_parse_list(const struct param_table *table, const char *what, const char *origin, size_t at,
                             void *config, struct arena *texts)
{
    struct param_problem problem;
    if (!param_defaults(table, config, texts, &problem)) {
        diag_error("a default of %s is wrong: %s", table->component, problem.text);
        return STATUS_BAD_INPUT;
    }
    bool *seen = mem_alloc(table->count, sizeof *seen, "parameters");
    char *copy = mem_text(origin);
    bool good = true;
    while (good && copy[at]) {
        size_t length = strcspn(copy + at, ",");
        bool last = copy[at + length] == '\0';
        copy[at + length] = '\0';
        good = parse_item(table, what, origin, at, copy + at, seen, config, texts);
        at += length + !last;
    }
    free(copy);
    free(seen);
    return good ? STATUS_OK : STATUS_BAD_INPUT;
}
