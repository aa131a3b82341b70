#ifndef HELIO_WORKLOAD_HELP_H
#define HELIO_WORKLOAD_HELP_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

/* Whether a text asks for help instead of naming a program: "help", "NAME:help". */
bool workload_help_is_wanted(const char *spec);

/* Prints it, from the tables: all workloads with the defaults of their parameters, or the parameters of one.
 * STATUS_BAD_INPUT, reported: there is no workload of this name. */
enum status workload_help_print(const char *spec, FILE *out);

#endif
