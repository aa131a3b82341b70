/* Any bytes as an experiment file with a sweep: refused, or read as points that each make a configuration. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "sim/components.h"
#include "sweep/definition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LOOKED_AT = 50 };

static void say_nothing(void *self, enum diag_level level, const char *message)
{
    (void)self;
    (void)level;
    (void)message;
}

/* Values that were accepted one by one must be accepted together. */
static void look_at(const struct sweep_point *point)
{
    struct config *config = sweep_config(point);
    char *label = sweep_label(point);
    if (!config) {
        fprintf(stderr, "broken: a point that was read is no configuration: %s\n", label);
        abort();
    }
    free(label);
    config_close(config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    diag_set_sink(say_nothing, NULL);
    size_t table_count, count;
    const struct param_table *const *tables = components_params(&table_count);
    struct config *config = config_open(tables, table_count);
    struct definition definition;
    struct sweep_point *points;
    if (definition_read_text(&definition, config, "fuzz.yaml", (const char *)data, size) == STATUS_OK &&
        definition_points(&definition, config, &points, &count) == STATUS_OK)
        for (size_t i = 0; i < count && i < LOOKED_AT; i++)
            look_at(&points[i]);
    definition_free(&definition);
    config_close(config);
    return 0;
}
