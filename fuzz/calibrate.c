/* Any bytes as the output of both programs of helio calibrate: read or refused. If it was read and has enough
 * messages, intervals hold their values, and the machine file is a machine. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "calibrate/choices.h"
#include "fuzz/fuzz.h"
#include "fuzz/fuzz_config.h"
#include "machine/machine.h"

static void check_value(struct calibrate_value value)
{
    fuzz_must(value.low <= value.value && value.value <= value.high, "an interval does not hold its value");
}

static void check_messages(const struct calibrate_messages *messages)
{
    size_t points = 0;
    if (!messages->is_known)
        return;
    for (size_t i = 0; i < messages->pieces.count; i++) {
        fuzz_must(messages->pieces.list[i].first == points, "a piece does not follow the one before");
        points += messages->pieces.list[i].count;
        check_value(messages->at_zero_ns[i]);
        check_value(messages->ns_per_byte[i]);
    }
    fuzz_must(points == messages->sizes, "pieces leave sizes out");
    check_value(messages->jump_ns);
    if (messages->has_rate)
        check_value(messages->rate);
}

/* A time or a size may be larger than a machine can have; then the reader says so. */
static void check_machine(const char *text, size_t length)
{
    struct config *like = fuzz_config_open();
    struct machine machine;
    if (machine_open_text(&machine, "calibrated.yaml", text, length, like) == STATUS_OK) {
        const struct machine_config *values = config_of(machine.config, &machine_params);
        fuzz_must(!values->nic_rate_bytes_per_s || machine_check(&machine) == STATUS_OK,
                  "a number has no source, or a source no number");
        machine_close(&machine);
    }
    config_close(like);
}

static void use(struct calibrate_samples *samples, const struct choices *choices)
{
    struct calibration calibration;
    struct calibrate_entries entries;
    char *text = NULL;
    size_t length = 0;
    if (calibrate_judge(samples, &calibration) != STATUS_OK)
        return;
    for (size_t i = 0; i < CALIBRATE_PLACES; i++)
        check_messages(&calibration.places[i]);
    calibrate_list(samples, &calibration, &entries);
    choices_list(choices, &entries);
    FILE *out = open_memstream(&text, &length);
    if (out) {
        calibrate_write(samples, &calibration, &entries, out);
        fclose(out);
        check_machine(text, length);
        free(text);
    }
    calibrate_free_entries(&entries);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    FILE *file = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
    struct calibrate_samples samples;
    struct choices choices = {.count = 0};
    if (!file)
        return false;
    bool is_read = calibrate_read(&samples, file, "fuzz", NULL) == STATUS_OK &&
                   choices_read(&choices, file, "fuzz", samples.lines, NULL) == STATUS_OK;
    fclose(file);
    if (is_read)
        use(&samples, &choices);
    calibrate_free(&samples);
    choices_free(&choices);
    return is_read;
}
