/* Any bytes as an experiment file with a sweep: refused, or read as points that each make a configuration. */
#include <stdint.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "fuzz/fuzz_config.h"
#include "sweep/definition.h"

enum { LOOKED_AT = 50 };

/* Values that were accepted one by one must be accepted together. */
static void look_at(const struct sweep_point *point)
{
    struct config *config = sweep_config(point);
    char *label = sweep_label(point);
    fuzz_must(config != NULL, "a point that was read is no configuration: %s", label);
    free(label);
    config_close(config);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    size_t count;
    struct config *config = fuzz_config_open();
    struct definition definition;
    struct sweep_point *points;
    bool is_read =
        definition_read_text(&definition, config, "fuzz.yaml", (const char *)data, size) == STATUS_OK &&
        definition_points(&definition, config, &points, &count) == STATUS_OK;
    for (size_t i = 0; is_read && i < count && i < LOOKED_AT; i++)
        look_at(&points[i]);
    definition_free(&definition);
    config_close(config);
    return is_read;
}
