/* Any text as a change of a component: refused; or else every time of the system stays between 0 and 1 s. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "breakdown/whatif.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void say_nothing(void *self, enum diag_level level, const char *message)
{
    (void)self;
    (void)level;
    (void)message;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[256];
    struct system_file file;
    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    diag_set_sink(say_nothing, NULL);
    if (system_init(&file, NULL) != STATUS_OK)
        abort();
    whatif_apply(&file.system, "--set", text);
    for (enum system_time time = 0; time < SYSTEM_TIMES; time++)
        if (file.system.times[time].time_ps < 0 || file.system.times[time].time_ps > PS_PER_S) {
            fprintf(stderr, "broken: %s is out of range after %s\n", system_time_name(time), text);
            abort();
        }
    system_free(&file);
    return 0;
}
