#ifndef HELIO_CLI_BREAKDOWN_H
#define HELIO_CLI_BREAKDOWN_H

#include <jansson.h>

#include "base/time.h"

/* The commands of `helio breakdown`; argv[0] is the command's own name. Each returns the exit status. */
int cli_breakdown_model(int argc, char **argv);

/* Nanoseconds for JSON: a number. */
json_t *breakdown_json_ns(ps_t time_ps);

/* Prints the object, which is taken, and returns STATUS_OK, or STATUS_FAILED, reported. */
int breakdown_print_json(json_t *object);
int breakdown_flush(void);

#endif
