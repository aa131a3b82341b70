#ifndef HELIO_FUZZ_FUZZ_RUN_H
#define HELIO_FUZZ_FUZZ_RUN_H

#include "base/config.h"
#include "call/call.h"
#include "fuzz/fuzz.h"

/* Simulations in targets. They are bounded by ranks, nodes, events and counted parameters, never by time. */
enum { FUZZ_RUN_RANKS = 64, FUZZ_RUN_TELLINGS = 2, FUZZ_SETTINGS = 16 };

/* The parameters of a run: settings as --set takes them, separated by semicolons. A setting that is wrong is
 * left out. The config belongs to this file, which keeps it while the settings stay the same. */
const struct config *fuzz_config(struct fuzz_piece settings);

/* The settings that the number chooses, from a list that has every fabric and every engine. */
struct fuzz_piece fuzz_settings(uint64_t number);

/* Opens the program of a text if it stays small: a few ranks, and no file is read. NULL: it is refused. The
 * caller closes it. */
struct program *fuzz_workload(const char *spec);

/* Whether a text that has workloads asks for long ones, or for files. */
bool fuzz_is_large_workload(const char *text);
/* The same as fuzz_workload without that question. */
struct program *fuzz_small_workload(const char *spec);

/* Runs the program on each fabric that the config names. A run that fails must have reported an error. True:
 * a run came to its end. False also if the run would not stay small. */
bool fuzz_run(const struct config *config, struct program *program);

#endif
