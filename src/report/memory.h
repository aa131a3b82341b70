#ifndef HELIO_REPORT_MEMORY_H
#define HELIO_REPORT_MEMORY_H

#include <stdio.h>

#include "sim/memory.h"

/* What --dry-run prints: the memory that each run of an experiment will need, and what there is. */
struct memory_report {
    const char *program;
    struct memory_room room;
    const char *const *fabrics;       /* names */
    const struct estimate *estimates; /* of each fabric */
    size_t count;
};

/* A list of parts for each fabric, or one JSON object. */
enum status memory_report_print(const struct memory_report *report, FILE *out);
enum status memory_report_print_json(const struct memory_report *report, FILE *out);

#endif
