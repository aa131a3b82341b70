/* Any bytes as the output of a probe: read or refused. If it was read, least <= median <= p95 <= p99, and the
 * system file made from it is valid. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "breakdown/measure.h"
#include "breakdown/system.h"
#include "fuzz/fuzz.h"

static void check(const struct measure_summary *summary)
{
    fuzz_must(!summary->count || (summary->least <= summary->median && summary->median <= summary->p95 &&
                                  summary->p95 <= summary->p99),
              "a summary's values are out of order");
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

bool fuzz_target(const uint8_t *data, size_t size)
{
    if (size == 0)
        return false;
    FILE *file = fmemopen((void *)data, size, "r");
    if (!file)
        return false;
    struct measurement measurement;
    bool is_read = measure_read(&measurement, file, "fuzz") == STATUS_OK;
    if (is_read)
        use(&measurement);
    measure_free(&measurement);
    fclose(file);
    return is_read;
}
