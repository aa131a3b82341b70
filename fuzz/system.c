/* Any bytes as a system file: read or refused. If it was read, the parts of every message sum to their
 * total. */
#include <stdint.h>

#include "breakdown/model.h"
#include "fuzz/fuzz.h"

static void check_sums(const struct system *system, uint64_t bytes)
{
    struct model model;
    model_init(&model, system, bytes);
    for (size_t i = 0; i < model_bar_count(); i++) {
        struct bar bar;
        ps_t sum = 0;
        model_bar(&model, i, &bar);
        for (size_t j = 0; j < bar.count; j++)
            sum = ps_add(sum, bar.parts[j].time_ps);
        fuzz_must(sum == bar.total_ps && sum >= 0, "the parts of %s do not sum to its total", bar.name);
    }
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    static const uint64_t sizes[] = {0, 8, 64, 65, 256, 257, 4096, UINT64_C(1) << 40};
    struct system_file file;
    if (system_init_text(&file, "fuzz.yaml", (const char *)data, size) != STATUS_OK)
        return false;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_sums(&file.system, sizes[i]);
    system_free(&file);
    return true;
}
