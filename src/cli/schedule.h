#ifndef HELIO_CLI_SCHEDULE_H
#define HELIO_CLI_SCHEDULE_H

#include <stdbool.h>

#include "base/config.h"
#include "base/status.h"
#include "base/time.h"
#include "schedule/method.h"
#include "workload/patterns.h"

/* Circuits with a price for switching (cli/schedule_circuit.c). Options that are NULL are not set. */
struct schedule_circuits {
    const char *demand, *switching, *rate, *stop, *slot, *deadline, *hops;
};

/* What the files of `helio schedule` share. */
struct schedule_settings {
    const char *pattern_name, *topology_text;
    const char *trace, *workload, *against; /* a program instead of a pattern, and another to compare with */
    uint64_t only;                          /* this pattern of the program, from 1; 0 = all */
    const char *machine;                    /* whose calls become messages so; NULL: none */
    struct config *config;                  /* how the program's calls become messages */
    const char *output, *switches, *verify, *html;
    const char *algorithm; /* NULL: best */
    struct tdm_method method;
    bool json;
    ps_t limit_ps; /* -1: not set */
    struct schedule_circuits circuits;
};

/* "combined", "free": names of the method's parts. */
const char *schedule_algorithm(const struct schedule_settings *settings);
const char *schedule_routes(const struct schedule_settings *settings);

/* A pattern and its schedule. */
struct schedule_outcome {
    struct topo topo;
    struct tdm_pattern pattern;
    struct tdm_plan plan;
    double seconds;
};

/* Schedules outcome->pattern on outcome->topo. schedule_outcome_free frees everything, also after an
 * error. */
enum status schedule_outcome_make(const struct schedule_settings *settings, struct schedule_outcome *outcome);
void schedule_outcome_free(struct schedule_outcome *outcome);

/* Whether circuits with a price are wanted, and what is done then. */
bool schedule_is_circuits(const struct schedule_settings *settings);
enum status schedule_circuits(const struct schedule_settings *settings);

/* The program of --trace or --workload: its name, and its patterns, with a listener if it is not NULL. */
const char *schedule_program_name(const struct schedule_settings *settings);
enum status schedule_program_patterns(const struct schedule_settings *settings,
                                      struct patterns_listener *listener, struct patterns *patterns);

/* Prints the patterns of the program that the settings name, a line for each. */
enum status schedule_program(const struct schedule_settings *settings, const struct topo *topo);

/* The one pattern of the program that is wanted. */
enum status schedule_program_pattern(const struct schedule_settings *settings, const struct topo *topo,
                                     struct tdm_pattern *pattern);

enum { SCHEDULE_DIGITS = 9 };   /* of numbers in JSON */
enum { SCHEDULE_SECONDS = 10 }; /* of best on a time-multiplexed network, without --limit and --moves */

#endif
