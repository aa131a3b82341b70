/* Any bytes as an experiment file: read or refused. A file that was read is written again with canonical
 * values, and must then have the same meaning. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/mem.h"
#include "sim/components.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void say_nothing(void *self, enum diag_level level, const char *message)
{
    (void)self;
    (void)level;
    (void)message;
}

static void must(bool holds, const char *what, const char *name, const char *value)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s: %s = %s\n", what, name, value);
    abort();
}

static void assign(void *self, const struct param *param, const char *value, const char *origin)
{
    (void)origin;
    if (value)
        must(config_assign(self, param->name, value, "again") == STATUS_OK, "refuses its own words",
             param->name, value);
}

/* The values of one configuration in the order of the tables, to compare with another configuration. */
struct values {
    char **list;
    size_t capacity, count, next;
};

static void keep(void *self, const struct param *param, const char *value, const char *origin)
{
    (void)param;
    (void)origin;
    struct values *values = self;
    values->list = mem_grow(values->list, &values->capacity, values->count + 1, "values");
    values->list[values->count++] = mem_text(value ? value : "");
}

static void compare(void *self, const struct param *param, const char *value, const char *origin)
{
    (void)origin;
    struct values *values = self;
    const char *first = values->list[values->next++];
    must(strcmp(first, value ? value : "") == 0, "means something else when said again", param->name, first);
}

static void say_again(const struct config *config, const struct param_table *const *tables, size_t count)
{
    struct values values = {0};
    struct config *again = config_open(tables, count);
    config_each(config, again, assign);
    config_each(config, &values, keep);
    config_each(again, &values, compare);
    for (size_t i = 0; i < values.count; i++)
        free(values.list[i]);
    free(values.list);
    config_close(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    diag_set_sink(say_nothing, NULL);
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    if (config_read_text(config, "fuzz.yaml", (const char *)data, size) == STATUS_OK)
        say_again(config, tables, count);
    config_close(config);
    return 0;
}
