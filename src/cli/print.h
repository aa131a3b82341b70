#ifndef HELIO_CLI_PRINT_H
#define HELIO_CLI_PRINT_H

#include <jansson.h>

#include "base/status.h"

/* What commands print to standard output. STATUS_FAILED is reported. */

/* Hands on what has been printed, and reports what could not be. */
enum status cli_flush(void);

/* Prints the object, which is taken, with so many digits of its numbers. */
enum status cli_print_json(json_t *object, int digits);

#endif
