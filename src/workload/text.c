#include "workload/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"

/* --------------------------------------------------------------- full names */

/* "bytes" of "alltoall.bytes". A full name without a dot has an empty one. */
static const char *parameter_of(const char *full_name)
{
    const char *dot = strrchr(full_name, '.');
    return dot ? dot + 1 : "";
}

static size_t workload_length(const char *full_name)
{
    const char *dot = strrchr(full_name, '.');
    return dot ? (size_t)(dot - full_name) : strlen(full_name);
}

const struct workload *workload_of_name(const char *full_name)
{
    return workload_find(full_name, workload_length(full_name));
}

const struct param *workload_parameter(const struct workload *workload, const char *full_name)
{
    return param_find(workload->params, parameter_of(full_name));
}

static const char *workload_name_at(const void *list, size_t index)
{
    return ((const struct workload *const *)list)[index]->name;
}

const struct workload *workload_nearest(const char *full_name)
{
    size_t count = 0;
    while (workloads[count])
        count++;
    char *name = mem_format("%.*s", (int)workload_length(full_name), full_name);
    const char *nearest = diag_nearest(name, workloads, count, workload_name_at);
    free(name);
    return nearest ? workload_find(nearest, strlen(nearest)) : NULL;
}

static const char *param_name_at(const void *params, size_t index)
{
    return ((const struct param *)params)[index].name;
}

const char *workload_nearest_parameter(const struct workload *workload, const char *full_name)
{
    return diag_nearest(parameter_of(full_name), workload->params->params, workload->params->count,
                        param_name_at);
}

bool workload_text_is_of(const char *text, const char *full_name)
{
    size_t length = workload_length(full_name);
    return strncmp(text, full_name, length) == 0 && (!text[length] || text[length] == ':');
}

/* -------------------------------------------------------------- assignments */

/* The assignments of a text, each a copy. */
struct assignments {
    struct param_assignment *items;
    size_t count, capacity;
};

static struct assignments read_assignments(const char *list)
{
    struct assignments read = {.count = 0};
    for (size_t at = 0; list[at];) {
        size_t end = at + strcspn(list + at, ",");
        read.items = mem_grow(read.items, &read.capacity, read.count + 1, "a workload");
        param_split(list, at, end, &read.items[read.count++]);
        at = end + (list[end] == ',');
    }
    return read;
}

/* Takes ownership of `value`. */
static void assign(struct assignments *assignments, const char *name, char *value)
{
    for (size_t i = 0; i < assignments->count; i++)
        if (strcmp(assignments->items[i].name, name) == 0) {
            free(assignments->items[i].value);
            assignments->items[i].value = value;
            return;
        }
    assignments->items =
        mem_grow(assignments->items, &assignments->capacity, assignments->count + 1, "a workload");
    assignments->items[assignments->count++] =
        (struct param_assignment){.name = mem_text(name), .value = value};
}

/* Quantities in their shortest form, without the blank before the unit: "8KiB". */
static void shorten(const struct workload *workload, struct param_assignment *assignment)
{
    char buffer[64];
    const struct param *param = param_find(workload->params, assignment->name);
    if (!param || param->type > PARAM_NUMBER || !assignment->value)
        return;
    const char *canonical = param_canonical(param, assignment->value, buffer, sizeof buffer);
    char *blank = strchr(canonical, ' ');
    if (blank)
        memmove(blank, blank + 1, strlen(blank));
    free(assignment->value);
    assignment->value = mem_text(canonical);
}

/* The place of the parameter in the table; unknown ones are behind all others. */
static size_t place_of(const struct workload *workload, const struct param_assignment *assignment)
{
    const struct param *param = param_find(workload->params, assignment->name);
    return param ? (size_t)(param - workload->params->params) : workload->params->count;
}

/* The order of the table; those of one place keep theirs. */
static void sort_assignments(const struct workload *workload, struct assignments *assignments)
{
    for (size_t i = 1; i < assignments->count; i++) {
        const struct param_assignment item = assignments->items[i];
        size_t at = i;
        for (; at && place_of(workload, &assignments->items[at - 1]) > place_of(workload, &item); at--)
            assignments->items[at] = assignments->items[at - 1];
        assignments->items[at] = item;
    }
}

static void free_assignments(struct assignments *assignments)
{
    for (size_t i = 0; i < assignments->count; i++) {
        free(assignments->items[i].name);
        free(assignments->items[i].value);
    }
    free(assignments->items);
}

/* "alltoall:ranks=64,bytes=8KiB" without the parameter `except`, which may be NULL. */
static char *join(const char *full_name, const struct assignments *assignments, const char *except)
{
    size_t length = workload_length(full_name), room = length + 1;
    for (size_t i = 0; i < assignments->count; i++) {
        const struct param_assignment *item = &assignments->items[i];
        room += strlen(item->name) + (item->value ? strlen(item->value) : 0) + 2;
    }
    char *text = mem_alloc(room, 1, "a workload"), *end = text + length;
    memcpy(text, full_name, length);
    for (size_t i = 0; i < assignments->count; i++) {
        const struct param_assignment *item = &assignments->items[i];
        if (except && strcmp(item->name, except) == 0)
            continue;
        *end = end == text + length ? ':' : ',';
        end = stpcpy(end + 1, item->name);
        if (item->value)
            end = stpcpy(stpcpy(end, "="), item->value);
    }
    return text;
}

/* Whether the list of parameters that begins there leaves the name of the first one out. */
static bool is_unnamed(const struct workload *workload, const char *list)
{
    return workload && workload->unnamed && *list && *list != ',' && list[strcspn(list, "=,")] != '=';
}

char *workload_text_named(const struct workload *workload, const char *text)
{
    size_t length = strlen(workload->name);
    const char *list = text + length + (text[length] == ':');
    if (!is_unnamed(workload, list))
        return mem_text(text);
    return mem_format("%s:%s=%s", workload->name, workload->unnamed, list);
}

static struct assignments assignments_of(const char *text, const char *full_name)
{
    const struct workload *workload = workload_of_name(full_name);
    size_t length = workload_length(full_name);
    const char *list = text + length + (text[length] == ':');
    struct assignments read = read_assignments(list);
    if (is_unnamed(workload, list)) {
        read.items[0].value = read.items[0].name;
        read.items[0].name = mem_text(workload->unnamed);
    }
    return read;
}

char *workload_text_with(const char *text, const char *full_name, const char *value)
{
    const struct workload *workload = workload_of_name(full_name);
    struct assignments assignments = assignments_of(text, full_name);
    assign(&assignments, parameter_of(full_name), mem_text(value));
    bool is_valid = workload && assignments.count <= workload->params->count; /* as a whole it may be wrong */
    for (size_t i = 0; is_valid && i < assignments.count; i++)
        shorten(workload, &assignments.items[i]);
    if (is_valid)
        sort_assignments(workload, &assignments);
    char *joined = join(full_name, &assignments, NULL);
    free_assignments(&assignments);
    return joined;
}

static char *default_of(const char *full_name)
{
    const struct workload *workload = workload_of_name(full_name);
    const struct param *param = workload ? workload_parameter(workload, full_name) : NULL;
    return param && param->default_text ? mem_text(param->default_text) : NULL;
}

/* In canonical form, if the parameter is known. */
static char *value_of(const char *full_name, const char *text)
{
    char buffer[64];
    const struct workload *workload = workload_of_name(full_name);
    const struct param *param = workload ? workload_parameter(workload, full_name) : NULL;
    return mem_text(param && param->type <= PARAM_NUMBER ? param_canonical(param, text, buffer, sizeof buffer)
                                                         : text);
}

char *workload_text_without(const char *text, const char *full_name, char **value)
{
    const char *name = parameter_of(full_name);
    struct assignments assignments = assignments_of(text, full_name);
    if (value) {
        *value = NULL;
        for (size_t i = 0; i < assignments.count && !*value; i++)
            if (strcmp(assignments.items[i].name, name) == 0 && assignments.items[i].value)
                *value = value_of(full_name, assignments.items[i].value);
        if (!*value)
            *value = default_of(full_name);
    }
    char *joined = join(full_name, &assignments, name);
    free_assignments(&assignments);
    return joined;
}

/* -------------------------------------------------------------------- paths */

/* Whether the assignment's value has a path, and where in the list. */
static bool find_in(const struct workload *workload, const struct param_assignment *assignment,
                    struct param_path *path)
{
    const struct param *param = param_find(workload->params, assignment->name);
    if (!assignment->value || !param || !param->find_path || !param->find_path(assignment->value, 0, path))
        return false;
    size_t prefix = bytes_are_encoded(assignment->value) ? strlen(BYTES_PREFIX) : 0;
    if (path->at < prefix) {
        path->length -= prefix - path->at;
        path->at = prefix;
    }
    path->at += assignment->value_at;
    return true;
}

/* The workload that a whole text names. */
static const struct workload *workload_of_text(const char *text)
{
    for (size_t i = 0; workloads[i]; i++)
        if (workload_text_is_of(text, workloads[i]->name))
            return workloads[i];
    return NULL;
}

bool workload_find_path(const char *bytes, size_t from, struct param_path *path)
{
    const struct workload *workload = workload_of_text(bytes);
    size_t at = workload ? strlen(workload->name) : 0;
    if (!workload || !bytes[at])
        return false;
    at++;
    if (from > at) { /* behind a path that has been found: the next assignment */
        at = from + strcspn(bytes + from, ",");
        at += bytes[at] == ',';
    }
    for (bool found; bytes[at];) {
        struct param_assignment assignment;
        size_t end = at + strcspn(bytes + at, ",");
        param_split(bytes, at, end, &assignment);
        if (at == strlen(workload->name) + 1 && is_unnamed(workload, bytes + at)) {
            assignment.value = assignment.name;
            assignment.name = mem_text(workload->unnamed);
            assignment.value_at = at;
        }
        found = find_in(workload, &assignment, path);
        free(assignment.name);
        free(assignment.value);
        if (found)
            return true;
        at = end + (bytes[end] == ',');
    }
    return false;
}
