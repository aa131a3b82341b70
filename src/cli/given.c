#include "cli/given.h"

#include <stdlib.h>

#include "plugin/plugin.h"
#include "sim/components.h"

enum status given_open(const char *file, const char *trace, struct config **config)
{
    size_t count, length = 0;
    char *text = NULL;
    enum status status = STATUS_OK;
    *config = NULL;
    if (file) {
        text = config_load_file(file, &length);
        status = text ? plugin_load_from_text(file, text, length) : STATUS_BAD_INPUT;
    }
    const struct param_table *const *tables = components_params(&count);
    if (status == STATUS_OK && !(*config = config_open(tables, count)))
        status = STATUS_FAILED;
    if (status == STATUS_OK && text)
        status = config_read_text(*config, file, text, length);
    if (status == STATUS_OK && trace)
        status = config_assign(*config, "trace", trace, "--trace");
    free(text);
    return status;
}
