#ifndef HELIO_CLI_VALUES_H
#define HELIO_CLI_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "base/status.h"

/* Values of options, from their texts. False: the error is reported, with the option's name. */

/* "64" */
bool cli_value_count(const char *option, const char *text, uint64_t *count);

/* A number of bytes, or a size: "64", "4KiB". */
bool cli_value_bytes(const char *option, const char *text, uint64_t *bytes);

/* The value of --jobs: how many runs are made at the same time. */
bool cli_value_jobs(const char *text, unsigned *jobs);

/* The place of the text among the names. */
bool cli_value_choice(const char *option, const char *text, const char *const *names, size_t count,
                      int *index);

/* Assigns what --machine or --as-published, `option`, says. STATUS_BAD_INPUT, reported: the other one has
 * done so, or the value is wrong. */
enum status cli_assign_machine(struct config *config, const char *machine, const char *option);

/* Whether the name of a file has this ending: ".csv". */
bool cli_ends_in(const char *name, const char *ending);

#endif
