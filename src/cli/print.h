#ifndef HELIO_CLI_PRINT_H
#define HELIO_CLI_PRINT_H

#include "output/json.h"

/* What commands print to standard output. STATUS_FAILED is reported. */

/* Prints a line for people. `text` may come from outside. */
void cli_print_text(const char *before, const char *text);

/* A guard of a measurement: whether it passed, and why. Its texts may come from outside. */
void cli_print_guard(const char *name, bool passed, const char *reason);
json_t *cli_guard_json(const char *name, bool passed, const char *reason);

/* Prints the object, and frees it; real numbers have so many digits. */
enum status cli_print_json(json_t *object, int digits);

#endif
