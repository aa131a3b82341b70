#ifndef HELIO_CLI_BREAKDOWN_VALUES_H
#define HELIO_CLI_BREAKDOWN_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"
#include "output/json.h"

/* Values that the commands of `helio breakdown` read and print. */

/* The value of --payload: "4096", which are bytes, or "4 KiB". False: reported. */
bool breakdown_read_payload(const char *text, uint64_t *bytes);

/* Nanoseconds for JSON: a number. */
json_t *breakdown_json_ns(ps_t time_ps);

enum { BREAKDOWN_DIGITS = 15 }; /* of numbers in JSON */

#endif
