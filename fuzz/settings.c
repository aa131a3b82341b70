/* Any text as a quantity and as an argument of --set: read or refused. A quantity that was read is printed
 * and read again, and must be the same. The place of a problem must be inside the text. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/mem.h"
#include "base/units.h"
#include "sim/components.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void say_nothing(void *self, enum diag_level level, const char *message)
{
    (void)self;
    (void)level;
    (void)message;
}

static void must(bool holds, const char *what, const char *text)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s: '%s'\n", what, text);
    abort();
}

static void try_time(const char *text)
{
    struct units_problem problem;
    ps_t value, again;
    char printed[64];
    if (!units_time(text, &value, &problem)) {
        must(problem.at <= strlen(text), "a problem behind the text", text);
        return;
    }
    units_print_time(value, printed, sizeof printed);
    must(units_time(printed, &again, &problem) && again == value, "printed otherwise", printed);
}

static void try_number(const char *text)
{
    struct units_problem problem;
    double value, again;
    char printed[64];
    if (!units_number(text, &value, &problem)) {
        must(problem.at <= strlen(text), "a problem behind the text", text);
        return;
    }
    units_print_number(value, printed, sizeof printed);
    must(units_number(printed, &again, &problem) && again == value, "printed otherwise", printed);
}

static void try_quantity(const char *text, bool (*parse)(const char *, uint64_t *, struct units_problem *),
                         const char *(*print)(uint64_t, char *, size_t))
{
    struct units_problem problem;
    uint64_t value, again;
    char printed[64];
    if (!parse(text, &value, &problem)) {
        must(problem.at <= strlen(text), "a problem behind the text", text);
        return;
    }
    print(value, printed, sizeof printed);
    must(parse(printed, &again, &problem) && again == value, "printed otherwise", printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    diag_set_sink(say_nothing, NULL);
    char *text = mem_alloc(size + 1, 1, "a text");
    if (size)
        memcpy(text, data, size);
    try_time(text);
    try_number(text);
    try_quantity(text, units_size, units_print_size);
    try_quantity(text, units_rate, units_print_rate);
    try_quantity(text, units_flops, units_print_flops);

    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    config_set(config, text);
    config_close(config);
    free(text);
    return 0;
}
