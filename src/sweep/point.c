#include "sweep/point.h"

#include "base/mem.h"

struct config *sweep_config(const struct sweep_point *point)
{
    struct config *config = config_copy(point->base);
    enum status status = config ? STATUS_OK : STATUS_FAILED;
    for (size_t i = 0; status == STATUS_OK && i < point->count; i++) {
        const struct sweep_setting *setting = &point->settings[i];
        status =
            config_assign(config, setting->name, setting->value, setting->origin ? setting->origin : "sweep");
    }
    if (status == STATUS_OK)
        status = config_assign(config, "fabric", point->fabric, "sweep");
    if (status == STATUS_OK)
        return config;
    if (config)
        config_close(config);
    return NULL;
}

char *sweep_label(const struct sweep_point *point)
{
    char *label = mem_text(point->fabric);
    for (size_t i = 0; i < point->count; i++) {
        char *longer = mem_format("%s, %s=%s", label, point->settings[i].name, point->settings[i].value);
        free(label);
        label = longer;
    }
    return label;
}
