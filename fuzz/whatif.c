/* Any text as a change of a component: refused; or else every time of the system stays between 0 and 1 s. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "breakdown/whatif.h"
#include "fuzz/fuzz.h"

bool fuzz_target(const uint8_t *data, size_t size)
{
    char text[256];
    static struct system_file file; /* open for ever */
    fuzz_is_too_large = size >= sizeof text;
    if (fuzz_is_too_large)
        return false;
    memcpy(text, data, size);
    text[size] = '\0';
    if (!file.config && system_init(&file, NULL) != STATUS_OK)
        abort();
    struct system system = file.system;
    bool is_applied = whatif_apply(&system, 8, "--set", text) == STATUS_OK;
    for (enum system_time time = 0; time < SYSTEM_TIMES; time++)
        fuzz_must(system.times[time].time_ps >= 0 && system.times[time].time_ps <= PS_PER_S,
                  "%s is out of range after %s", system_time_name(time), text);
    return is_applied;
}
