#include "base/param.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "base/units.h"

bool param_fail(struct param_problem *problem, size_t at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(problem->text, sizeof problem->text, format, args);
    va_end(args);
    problem->at = (uint32_t)at;
    return false;
}

static void append(struct param_problem *problem, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void append(struct param_problem *problem, const char *format, ...)
{
    va_list args;
    size_t used = strlen(problem->text);
    va_start(args, format);
    vsnprintf(problem->text + used, sizeof problem->text - used, format, args);
    va_end(args);
}

/* -------------------------------------------------------- types with a size */

bool param_quantity_read(enum param_type type, const char *text, union param_quantity *value,
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
        good = units_number_or_percent(text, &value->number, &unit_problem);
        break;
    }
    return good || param_fail(problem, unit_problem.at, "%s", unit_problem.text);
}

int param_quantity_compare(enum param_type type, const union param_quantity *a, const union param_quantity *b)
{
    if (type == PARAM_TIME)
        return (a->time > b->time) - (a->time < b->time);
    if (type == PARAM_NUMBER)
        return (a->number > b->number) - (a->number < b->number);
    return (a->whole > b->whole) - (a->whole < b->whole);
}

static bool within_bounds(const struct param *param, const char *text, const union param_quantity *value,
                          struct param_problem *problem)
{
    union param_quantity bound;
    if (param->min && param_quantity_read(param->type, param->min, &bound, problem) &&
        param_quantity_compare(param->type, value, &bound) < 0)
        return param_fail(problem, 0, "%s is at least %s, not %s", param->name, param->min, text);
    if (param->max && param_quantity_read(param->type, param->max, &bound, problem) &&
        param_quantity_compare(param->type, value, &bound) > 0)
        return param_fail(problem, 0, "%s is at most %s, not %s", param->name, param->max, text);
    return true;
}

static bool parse_quantity(const struct param *param, const char *text, void *field,
                           struct param_problem *problem)
{
    union param_quantity value;
    if (!param_quantity_read(param->type, text, &value, problem) ||
        !within_bounds(param, text, &value, problem))
        return false;
    memcpy(field, &value, sizeof value);
    return true;
}

/* ----------------------------------------------------------- types of words */

static bool parse_bool(const char *text, void *field, struct param_problem *problem)
{
    bool value = strcmp(text, "true") == 0;
    if (!value && strcmp(text, "false") != 0)
        return param_fail(problem, 0, "'%s' is neither true nor false", text);
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
    param_fail(problem, 0, "%s cannot be '%s'; it is one of", param->name, text);
    for (size_t i = 0; i < count; i++)
        append(problem, "%s %s", i ? "," : "", param->choices[i]);
    append(problem, "%s", diag_did_you_mean(diag_nearest_of(text, param->choices, count)));
    return false;
}

/* Texts are given in their text form; fields have the bytes. */
static bool parse_bytes(const struct param *param, const char *text, void *field, struct arena *texts,
                        struct param_problem *problem)
{
    size_t at;
    char *bytes = mem_alloc(strlen(text) + 1, 1, "a text");
    const char *fault = bytes_from_text(text, bytes, &at);
    bool good = !fault || param_fail(problem, (uint32_t)at, "%s", fault);
    if (good && !*bytes)
        good = param_fail(problem, 0, "%s needs a value", param->name);
    else if (good && param->type == PARAM_TEXT)
        *(const char **)field = arena_text(texts, bytes, strlen(bytes));
    else if (good)
        good = param->parse(param, bytes, field, problem);
    if (!good && !fault && bytes_are_encoded(text))
        problem->at = 0; /* it is a place in the bytes */
    free(bytes);
    return good;
}

bool param_parse(const struct param *param, const char *text, void *field, struct arena *texts,
                 struct param_problem *problem)
{
    if (!text[strspn(text, " \t")])
        return param_fail(problem, 0, "%s needs a value%s%s", param->name,
                          param->default_text ? ", such as " : "",
                          param->default_text ? param->default_text : "");
    switch (param->type) {
    case PARAM_BOOL:
        return parse_bool(text, field, problem);
    case PARAM_CHOICE:
        return parse_choice(param, text, field, problem);
    case PARAM_TEXT:
    case PARAM_CUSTOM:
        return parse_bytes(param, text, field, texts, problem);
    default:
        return parse_quantity(param, text, field, problem);
    }
}

bool param_defaults(const struct param_table *table, void *config, struct arena *texts,
                    struct param_problem *problem)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct param *param = &table->params[i];
        struct param_problem cause;
        if (param->default_text &&
            !param_parse(param, param->default_text, (char *)config + param->offset, texts, &cause))
            return param_fail(problem, 0, "%s = '%s': %.400s", param->name, param->default_text, cause.text);
    }
    return true;
}

const char *param_quantity_print(enum param_type type, const union param_quantity *value, char *buffer,
                                 size_t size)
{
    switch (type) {
    case PARAM_TIME:
        return units_print_time(value->time, buffer, size);
    case PARAM_RATE:
        return units_print_rate(value->whole, buffer, size);
    case PARAM_FLOPS:
        return units_print_flops(value->whole, buffer, size);
    case PARAM_SIZE:
        return units_print_size(value->whole, buffer, size);
    case PARAM_NUMBER:
        return units_print_number(value->number, buffer, size);
    default:
        snprintf(buffer, size, "%llu", (unsigned long long)value->whole);
        return buffer;
    }
}

const char *param_canonical(const struct param *param, const char *text, char *buffer, size_t size)
{
    union param_quantity value;
    struct param_problem problem;
    if (param->type <= PARAM_NUMBER && param_quantity_read(param->type, text, &value, &problem))
        return param_quantity_print(param->type, &value, buffer, size);
    snprintf(buffer, size, "%s", text);
    return buffer;
}

/* A quantity in its shortest form, bytes in their text form. */
const char *param_keep(const struct param *param, const char *text, struct arena *texts)
{
    char quantity[64];
    size_t at;
    if (param->type <= PARAM_NUMBER)
        text = param_canonical(param, text, quantity, sizeof quantity);
    if (bytes_are_text(text))
        return arena_text(texts, text, strlen(text));
    char *bytes = mem_alloc(strlen(text) + 1, 1, "a text");
    bytes_from_text(text, bytes, &at);
    char *form = bytes_to_text(bytes);
    const char *kept = arena_text(texts, form, strlen(form));
    free(bytes);
    free(form);
    return kept;
}

/* The size of a PARAM_CUSTOM value is not known, so a whole struct of the component is scratch. */
const char *param_check(const struct param_table *table, const struct param *param, const char *text,
                        struct arena *texts, struct param_problem *problem)
{
    struct arena scratch_texts = {0};
    char *scratch = mem_alloc(1, table->size, "a value");
    bool good = param_parse(param, text, scratch + param->offset, &scratch_texts, problem);
    free(scratch);
    arena_free(&scratch_texts);
    return good ? param_keep(param, text, texts) : NULL;
}

/* -------------------------------------------------------------- short texts */

static const char *param_name_at(const void *params, size_t index)
{
    return ((const struct param *)params)[index].name;
}

const struct param *param_find(const struct param_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->params[i].name, name) == 0)
            return &table->params[i];
    return NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* A copy of text[*at .. end) without blanks at both ends; *at becomes its first byte. */
static char *trimmed(const char *text, size_t *at, size_t end)
{
    while (*at < end && is_blank(text[*at]))
        ++*at;
    while (end > *at && is_blank(text[end - 1]))
        end--;
    return mem_format("%.*s", (int)(end - *at), text + *at);
}

void param_split(const char *text, size_t at, size_t end, struct param_assignment *assignment)
{
    const char *equals = memchr(text + at, '=', end - at);
    size_t name_end = equals ? (size_t)(equals - text) : end;
    *assignment = (struct param_assignment){.name_at = at, .value_at = name_end + (equals != NULL)};
    assignment->name = trimmed(text, &assignment->name_at, name_end);
    if (equals)
        assignment->value = trimmed(text, &assignment->value_at, end);
}

/* A list that is being parsed. */
struct param_list {
    const struct param_table *table;
    const char *what, *origin;
    bool *seen; /* of each parameter: the list has set it */
    void *config;
    struct arena *texts;
};

static bool report(const struct param_list *list, size_t at, size_t span, const struct param_problem *problem)
{
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = list->what,
                                     .line = 1,
                                     .column = (uint32_t)at + 1,
                                     .span = (uint32_t)span,
                                     .source = list->origin,
                                     .source_length = strlen(list->origin)},
                "%s", problem->text);
    return false;
}

/* The parameter of an assignment. NULL, reported: the assignment is wrong. */
static const struct param *find_assigned(const struct param_list *list,
                                         const struct param_assignment *assignment)
{
    struct param_problem problem;
    const struct param_table *table = list->table;
    const char *name = assignment->name;
    const struct param *param = param_find(table, name), *example = param ? param : table->params;
    const char *value = example->default_text ? example->default_text : "...";
    if (!*name)
        param_fail(&problem, 0, "a parameter is missing here, such as %s=%s", example->name, value);
    else if (!param)
        param_fail(&problem, 0, "%s has no parameter '%s'%s", table->component, name,
                   diag_did_you_mean(diag_nearest(name, table->params, table->count, param_name_at)));
    else if (!assignment->value)
        param_fail(&problem, 0, "%s needs a value: %s=%s", name, name, value);
    else if (list->seen[param - table->params])
        param_fail(&problem, 0, "%s is given twice", name);
    else
        return param;
    report(list, assignment->name_at, strlen(name), &problem);
    return NULL;
}

/* Parses "name=value" at origin[at .. end). */
static bool parse_item(const struct param_list *list, size_t at, size_t end)
{
    struct param_assignment item;
    struct param_problem problem;
    param_split(list->origin, at, end, &item);
    const struct param *param = find_assigned(list, &item);
    bool good = param != NULL;
    if (param) {
        list->seen[param - list->table->params] = true;
        good = param_parse(param, item.value, (char *)list->config + param->offset, list->texts, &problem) ||
               report(list, item.value_at + problem.at, strlen(item.value) - problem.at, &problem);
    }
    free(item.name);
    free(item.value);
    return good;
}

enum status param_parse_list(const struct param_table *table, const char *what, const char *origin, size_t at,
                             void *config, struct arena *texts)
{
    struct param_problem problem;
    if (!param_defaults(table, config, texts, &problem)) {
        diag_error("a default of %s is wrong: %s", table->component, problem.text);
        return STATUS_BAD_INPUT;
    }
    struct param_list list = {table, what, origin, NULL, config, texts};
    list.seen = mem_alloc(table->count, sizeof *list.seen, "parameters");
    bool good = true;
    while (origin[at]) {
        size_t end = at + strcspn(origin + at, ",");
        good = parse_item(&list, at, end) && good;
        at = end + (origin[end] == ',');
        if (origin[end] == ',' && !origin[at]) /* reports that nothing follows the last comma */
            good = parse_item(&list, at, at);
    }
    free(list.seen);
    return good ? STATUS_OK : STATUS_BAD_INPUT;
}
