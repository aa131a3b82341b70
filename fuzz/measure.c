/* Any bytes as the output of a probe: read or refused. If it was read, least <= median <= p95 <= p99, and the
 * system file made from it is valid. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "breakdown/measure.h"
#include "breakdown/system.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void say_nothing(void *self, enum diag_level level, const char *message)
{
    (void)self;
    (void)level;
    (void)message;
}

static void check(const struct measure_summary *summary)
{
    if (summary->count && !(summary->least <= summary->median && summary->median <= summary->p95 &&
                            summary->p95 <= summary->p99)) {
        fprintf(stderr, "broken: a summary's values are out of order\n");
        abort();
    }
}

static void use(struct measurement *measurement)
{
    struct measure_result result;
    char *text = NULL;
    size_t length = 0;
    measure_judge(measurement, &result);
    for (size_t i = 0; i < MEASURED_QUANTITIES; i++)
        check(&measurement->summaries[i]);
    FILE *out = open_memstream(&text, &length);
    if (!out || !result.complete) {
        if (out)
            fclose(out);
        free(text);
        return;
    }
    measure_write_system(measurement, &result, out);
    fclose(out);
    struct system_file file;
    if (system_init_text(&file, "measured.yaml", text, length) == STATUS_OK)
        system_free(&file);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    diag_set_sink(say_nothing, NULL);
    FILE *file = fmemopen((void *)data, size, "r");
    if (!file)
        return 0;
    struct measurement measurement;
    if (measure_read(&measurement, file, "fuzz") == STATUS_OK)
        use(&measurement);
    measure_free(&measurement);
    fclose(file);
    return 0;
}
