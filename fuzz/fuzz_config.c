#include "fuzz/fuzz_config.h"

#include "fuzz/fuzz.h"
#include "sim/components.h"

struct config *fuzz_config_open(void)
{
    static struct config *defaults;
    if (!defaults) {
        size_t count;
        const struct param_table *const *tables = components_params(&count);
        defaults = config_open(tables, count);
        fuzz_must(defaults != NULL, "a default is wrong");
    }
    return config_copy(defaults);
}
