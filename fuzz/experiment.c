/* Any bytes as an experiment file: read or refused. A file that was read is written again with canonical
 * values, and must then have the same meaning. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz/fuzz.h"
#include "fuzz/fuzz_config.h"

static void assign(void *self, const struct param *param, const char *value, const char *origin)
{
    (void)origin;
    if (value)
        fuzz_must(config_assign(self, param->name, value, "again") == STATUS_OK,
                  "refuses its own words: %s = %s", param->name, value);
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
    fuzz_must(strcmp(first, value ? value : "") == 0, "means something else when said again: %s = %s",
              param->name, first);
}

static void say_again(const struct config *config)
{
    struct values values = {0};
    struct config *again = fuzz_config_open();
    config_each(config, again, assign);
    config_each(config, &values, keep);
    config_each(again, &values, compare);
    for (size_t i = 0; i < values.count; i++)
        free(values.list[i]);
    free(values.list);
    config_close(again);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct config *config = fuzz_config_open();
    bool is_read = config_read_text(config, "fuzz.yaml", (const char *)data, size) == STATUS_OK;
    if (is_read)
        say_again(config);
    config_close(config);
    return is_read;
}
