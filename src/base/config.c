#include "base/config.h"

#include <string.h>

#include "base/config_internal.h"
#include "base/mem.h"

static void keep_value(struct config *config, struct config_value *value, const char *text,
                       const char *origin)
{
    value->text = param_keep(value->param, text, &config->texts);
    value->origin = arena_text(&config->texts, origin, strlen(origin));
}

/* Sets the parameters of table `i`, whose values begin at `next`, to their defaults. */
static bool set_defaults(struct config *config, size_t i, size_t next)
{
    struct param_problem problem;
    const struct param_table *table = config->tables[i];
    config->structs[i] = mem_alloc(1, table->size, "parameters");
    for (size_t j = 0; j < table->count; j++) {
        struct config_value *value = &config->values[next++];
        *value = (struct config_value){.param = &table->params[j], .origin = "default"};
        value->field = (char *)config->structs[i] + value->param->offset;
        if (!value->param->default_text)
            continue;
        if (!param_parse(value->param, value->param->default_text, value->field, &config->texts, &problem)) {
            diag_error("the default of %s is wrong: %s", value->param->name, problem.text);
            return false;
        }
        keep_value(config, value, value->param->default_text, "default");
    }
    return true;
}

/* Adds the groups of a parameter's name: "a" and "a.b" of "a.b.c". */
static void add_groups(struct config *config, const char *name)
{
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
        char *group = arena_text(&config->texts, name, (size_t)(dot - name));
        if (config_find_group(config, group))
            continue;
        config->groups =
            mem_grow(config->groups, &config->group_capacity, config->group_count + 1, "parameters");
        config->groups[config->group_count++] = (struct config_group){.name = group, .example = name};
    }
}

bool config_extend(struct config *config, size_t count)
{
    size_t first = config->table_count, next = config->value_count;
    if (count == first)
        return true;
    config->structs = mem_resize(config->structs, count, sizeof *config->structs, "parameters");
    config->was_read = mem_resize(config->was_read, count, sizeof *config->was_read, "parameters");
    memset(config->was_read + first, 0, (count - first) * sizeof *config->was_read);
    for (; config->table_count < count; config->table_count++) {
        config->structs[config->table_count] = NULL;
        config->value_count += config->tables[config->table_count]->count;
    }
    config->values = mem_resize(config->values, config->value_count, sizeof *config->values, "parameters");
    memset(config->values + next, 0, (config->value_count - next) * sizeof *config->values);
    for (size_t i = first; i < count; i++) {
        size_t end = next + config->tables[i]->count;
        if (!set_defaults(config, i, next))
            return false;
        for (; next < end; next++)
            add_groups(config, config->values[next].param->name);
    }
    return true;
}

struct config *config_open(const struct param_table *const *tables, size_t count)
{
    struct config *config = mem_alloc(1, sizeof *config, "parameters");
    config->tables = tables;
    if (config_extend(config, count))
        return config;
    config_close(config);
    return NULL;
}

struct config *config_open_like(const struct config *config)
{
    return config_open(config->tables, config->table_count);
}

void config_close(struct config *config)
{
    for (size_t i = 0; i < config->table_count; i++)
        free(config->structs[i]);
    arena_free(&config->texts);
    free(config->structs);
    free(config->was_read);
    free(config->values);
    free(config->groups);
    free(config);
}

struct config_value *config_find(const struct config *config, const char *name)
{
    for (size_t i = 0; i < config->value_count; i++)
        if (strcmp(config->values[i].param->name, name) == 0)
            return &config->values[i];
    return NULL;
}

static const char *value_name_at(const void *values, size_t index)
{
    return ((const struct config_value *)values)[index].param->name;
}

/* "packet.duplex" for "duplex"; NULL: several names have this end, as "latency", or none has. */
static const char *only_name_that_ends_in(const struct config *config, const char *part)
{
    const char *found = NULL;
    for (size_t i = 0; i < config->value_count; i++) {
        const char *name = config->values[i].param->name, *dot = strrchr(name, '.');
        if (!dot || strcmp(dot + 1, part) != 0)
            continue;
        if (found)
            return NULL;
        found = name;
    }
    return found;
}

const char *config_nearest(const struct config *config, const char *name)
{
    const char *whole = only_name_that_ends_in(config, name);
    return whole ? whole : diag_nearest(name, config->values, config->value_count, value_name_at);
}

struct config_group *config_find_group(const struct config *config, const char *name)
{
    for (size_t i = 0; i < config->group_count; i++)
        if (strcmp(config->groups[i].name, name) == 0)
            return &config->groups[i];
    return NULL;
}

static const char *group_name_at(const void *groups, size_t index)
{
    return ((const struct config_group *)groups)[index].name;
}

const char *config_nearest_group(const struct config *config, const char *name)
{
    return diag_nearest(name, config->groups, config->group_count, group_name_at);
}

bool config_put(struct config *config, struct config_value *value, const char *text, const char *origin,
                struct param_problem *problem)
{
    if (!param_parse(value->param, text, value->field, &config->texts, problem))
        return false;
    keep_value(config, value, text, origin);
    param_tell_paths(value->param, text);
    return true;
}

/* A value of the copy. Its field has the bytes of the original's; those of a text belong to the original. */
static void copy_value(struct config *copy, const struct config_value *from, struct config_value *value)
{
    value->text = from->text ? arena_text(&copy->texts, from->text, strlen(from->text)) : NULL;
    value->origin = arena_text(&copy->texts, from->origin, strlen(from->origin));
    const char **field = value->field;
    if (value->param->type == PARAM_TEXT && *field)
        *field = arena_text(&copy->texts, *field, strlen(*field));
}

/* The values are not parsed again: an experiment makes a copy for each of its points. */
struct config *config_copy(const struct config *config)
{
    struct config *copy = mem_alloc(1, sizeof *copy, "parameters");
    copy->tables = config->tables;
    copy->table_count = config->table_count;
    copy->is_finished = config->is_finished;
    copy->structs = mem_alloc(copy->table_count, sizeof *copy->structs, "parameters");
    copy->was_read = mem_alloc(copy->table_count, sizeof *copy->was_read, "parameters");
    copy->value_count = config->value_count;
    copy->values = mem_alloc(copy->value_count, sizeof *copy->values, "parameters");
    copy->group_count = copy->group_capacity = config->group_count;
    copy->groups = mem_alloc(copy->group_count, sizeof *copy->groups, "parameters");
    size_t next = 0;
    for (size_t i = 0; i < copy->table_count; i++) {
        const struct param_table *table = copy->tables[i];
        copy->structs[i] = mem_alloc(1, table->size, "parameters");
        memcpy(copy->structs[i], config->structs[i], table->size);
        for (size_t j = 0; j < table->count; j++, next++) {
            struct config_value *value = &copy->values[next];
            value->param = &table->params[j];
            value->field = (char *)copy->structs[i] + value->param->offset;
            copy_value(copy, &config->values[next], value);
        }
    }
    for (size_t i = 0; i < copy->group_count; i++) {
        const struct config_group *group = &config->groups[i];
        copy->groups[i] = (struct config_group){
            .name = arena_text(&copy->texts, group->name, strlen(group->name)), .example = group->example};
    }
    return copy;
}

void config_finish(struct config *config)
{
    config->is_finished = true;
}

bool config_is_finished(const struct config *config)
{
    return config->is_finished;
}

const struct param_table *config_table_of(const struct config *config, const struct param *param)
{
    for (size_t i = 0; i < config->table_count; i++) {
        const struct param_table *table = config->tables[i];
        if (param >= table->params && param < table->params + table->count)
            return table;
    }
    return NULL;
}

/* ------------------------------------------------------------- command line */

/* Makes one assignment. `source` is the text that contains it, `origin` is what set it. */
static enum status assign(struct config *config, const struct param_assignment *assignment,
                          const char *source, const char *origin)
{
    struct diag_place place = {.file = origin,
                               .line = 1,
                               .column = (uint32_t)assignment->name_at + 1,
                               .span = (uint32_t)strlen(assignment->name),
                               .source = source,
                               .source_length = strlen(source)};
    struct config_value *value = config_find(config, assignment->name);
    if (!value) {
        diag_report(DIAG_ERROR, &place, "there is no parameter '%s'%s", assignment->name,
                    diag_did_you_mean(config_nearest(config, assignment->name)));
        return STATUS_BAD_INPUT;
    }
    struct param_problem problem;
    if (config_put(config, value, assignment->value, origin, &problem))
        return STATUS_OK;
    place.column = (uint32_t)(assignment->value_at + problem.at) + 1;
    place.span = (uint32_t)(strlen(assignment->value) - problem.at);
    diag_report(DIAG_ERROR, &place, "%s", problem.text);
    return STATUS_BAD_INPUT;
}

enum status config_set(struct config *config, const char *text)
{
    size_t length = strlen(text);
    struct param_assignment assignment;
    param_split(text, 0, length, &assignment);
    enum status status = STATUS_BAD_INPUT;
    if (assignment.value)
        status = assign(config, &assignment, text, "--set");
    else
        diag_report(DIAG_ERROR,
                    &(struct diag_place){.file = "--set",
                                         .line = 1,
                                         .column = (uint32_t)length + 1,
                                         .source = text,
                                         .source_length = length},
                    "a value is missing; write --set PARAMETER=VALUE");
    free(assignment.name);
    free(assignment.value);
    return status;
}

enum status config_assign(struct config *config, const char *name, const char *value, const char *origin)
{
    /* The cast is safe: assign() only reads them. */
    const struct param_assignment assignment = {.name = (char *)name, .value = (char *)value};
    return assign(config, &assignment, value, origin);
}

bool config_try(struct config *config, const char *name, const char *value, const char *origin,
                struct param_problem *problem)
{
    return config_put(config, config_find(config, name), value, origin, problem);
}

/* --------------------------------------------------------------- lookup */

const void *config_of(const struct config *config, const struct param_table *table)
{
    for (size_t i = 0; i < config->table_count; i++)
        if (config->tables[i] == table) {
            config->was_read[i] = true;
            return config->structs[i];
        }
    return NULL;
}

void config_forget_reads(const struct config *config)
{
    for (size_t i = 0; i < config->table_count; i++)
        config->was_read[i] = false;
}

bool config_was_read(const struct config *config, const struct param_table *table)
{
    for (size_t i = 0; i < config->table_count; i++)
        if (config->tables[i] == table)
            return config->was_read[i];
    return false;
}

void config_each(const struct config *config, void *self,
                 void (*visit)(void *self, const struct param *param, const char *value, const char *origin))
{
    for (size_t i = 0; i < config->value_count; i++) {
        const struct config_value *value = &config->values[i];
        visit(self, value->param, value->text, value->origin);
    }
}

/* The parameter of this name, whose table counts as read. */
static const struct config_value *read_value(const struct config *config, const char *name)
{
    const struct config_value *value = config_find(config, name);
    if (value)
        config_of(config, config_table_of(config, value->param));
    return value;
}

const void *config_field(const struct config *config, const char *name)
{
    const struct config_value *value = read_value(config, name);
    return value ? value->field : NULL;
}

const char *config_text(const struct config *config, const char *name)
{
    const struct config_value *value = read_value(config, name);
    return value ? value->text : NULL;
}

void config_note_origin(const struct config *config, const char *name)
{
    const struct config_value *value = config_find(config, name);
    const struct diag_place place = {.file = value->origin};
    if (!strchr(value->origin, ':'))
        return;
    diag_report(DIAG_NOTE, &place, "%s is given here", name);
    char *hint = value->text ? param_path_hint(value->param, value->text, value->origin) : NULL;
    if (hint)
        diag_report(DIAG_NOTE, &place, "%s", hint);
    free(hint);
}

const char *config_origin(const struct config *config, const char *name)
{
    return config_find(config, name)->origin;
}

bool config_has_default(const struct config *config, const char *name)
{
    const struct config_value *value = config_find(config, name);
    struct arena texts = {0};
    if (!value->text || !value->param->default_text)
        return !value->text;
    bool is_same = strcmp(param_keep(value->param, value->param->default_text, &texts), value->text) == 0;
    arena_free(&texts);
    return is_same;
}
