/* Any bytes as what ranks write about their times: read or refused. Runs that were read can be judged. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "calibrate/forecast.h"
#include "fuzz/fuzz.h"

static void use(struct forecast_times *times)
{
    struct forecast forecast;
    if (forecast_measure(times, times->count) != STATUS_OK || times->count == 0)
        return;
    uint32_t each = forecast_ranks_per_node(times);
    fuzz_must(each <= times->count, "a node has more ranks than the program");
    const struct forecast_run run = {
        .plain = *times, .captured = *times, .forecast_s = 1, .phases = times->phases};
    forecast_judge(&run, 1, 1e-6, &forecast);
    for (size_t kind = 0; kind < FORECAST_KINDS; kind++)
        fuzz_must(forecast.kinds[kind].measured_s.value >= 0 &&
                      isfinite(forecast.kinds[kind].off_percent.value),
                  "a kind of call has no time");
    for (size_t i = 0; i < forecast.phase_count; i++)
        fuzz_must(forecast.phases[i].measured_s.value > 0 && forecast.phases[i].error_percent.value == 0,
                  "a phase that is forecast as measured has an error");
    fuzz_must(forecast.measured_s.value > 0 && isfinite(forecast.error_percent.value), "a time is no time");
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    FILE *file = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
    struct forecast_times times = {.count = 0};
    if (!file)
        return false;
    bool is_read = forecast_read(&times, file, "fuzz") == STATUS_OK;
    fclose(file);
    /* The guards look at each rank for each rank. */
    if (is_read && times.count <= 4096)
        use(&times);
    forecast_free(&times);
    return is_read;
}
