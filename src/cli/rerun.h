#ifndef HELIO_CLI_RERUN_H
#define HELIO_CLI_RERUN_H

#include "base/status.h"
#include "output/json.h"

/* The parts of helio rerun: rerun.c repeats a run of a store, rerun_result.c the result of helio run --json.
 */

/* A result may come from anybody, so what it names is not loaded: a plug-in is a program. STATUS_BAD_INPUT,
 * reported: the parameters name one that is not loaded. `name` is what was to be repeated. */
enum status rerun_check_plugins(const char *name, const json_t *parameters);

/* Computes the file's runs again, prints the result, and says whether the times are the same. */
enum status rerun_result(const char *file);

#endif
