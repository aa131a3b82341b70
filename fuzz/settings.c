/* Any text as a quantity and as an argument of --set: read or refused. A quantity that was read is printed
 * and read again, and must be the same. The place of a problem must be inside the text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "fuzz/fuzz.h"
#include "fuzz/fuzz_config.h"

static bool try_time(const char *text)
{
    struct units_problem problem;
    ps_t value, again;
    char printed[64];
    if (!units_time(text, &value, &problem)) {
        fuzz_must(problem.at <= strlen(text), "a problem behind the text: '%s'", text);
        return false;
    }
    units_print_time(value, printed, sizeof printed);
    fuzz_must(units_time(printed, &again, &problem) && again == value, "printed otherwise: '%s'", printed);
    return true;
}

static bool try_number(const char *text)
{
    struct units_problem problem;
    double value, again;
    char printed[64];
    if (!units_number(text, &value, &problem)) {
        fuzz_must(problem.at <= strlen(text), "a problem behind the text: '%s'", text);
        return false;
    }
    units_print_number(value, printed, sizeof printed);
    fuzz_must(units_number(printed, &again, &problem) && again == value, "printed otherwise: '%s'", printed);
    return true;
}

static bool try_quantity(const char *text, bool (*parse)(const char *, uint64_t *, struct units_problem *),
                         const char *(*print)(uint64_t, char *, size_t))
{
    struct units_problem problem;
    uint64_t value, again;
    char printed[64];
    if (!parse(text, &value, &problem)) {
        fuzz_must(problem.at <= strlen(text), "a problem behind the text: '%s'", text);
        return false;
    }
    print(value, printed, sizeof printed);
    fuzz_must(parse(printed, &again, &problem) && again == value, "printed otherwise: '%s'", printed);
    return true;
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    bool is_read = try_time(text);
    is_read |= try_number(text);
    is_read |= try_quantity(text, units_size, units_print_size);
    is_read |= try_quantity(text, units_rate, units_print_rate);
    is_read |= try_quantity(text, units_flops, units_print_flops);

    struct config *config = fuzz_config_open();
    is_read |= config_set(config, text) == STATUS_OK;
    config_close(config);
    free(text);
    return is_read;
}
