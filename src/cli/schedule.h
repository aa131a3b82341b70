#ifndef HELIO_CLI_SCHEDULE_H
#define HELIO_CLI_SCHEDULE_H

#include <stdbool.h>

#include "base/config.h"
#include "base/status.h"
#include "base/time.h"
#include "schedule/method.h"

/* What the files of `helio schedule` share. */

struct settings {
    const char *pattern_name, *topology_text;
    const char *trace, *workload, *against; /* a program instead of a pattern, and another to compare with */
    uint64_t only;                          /* this pattern of the program, from 1; 0 = all */
    struct config *config;                  /* how the program's calls become messages */
    const char *output, *switches, *verify, *html;
    int algorithm;
    bool free_routes, random_order, json;
    ps_t limit_ps;
    uint64_t moves, seed;
};

/* What was scheduled, and how it came out. */
struct outcome {
    struct topo topo;
    struct tdm_pattern pattern;
    struct tdm_plan plan;
    double seconds;
};

/* Of outcome->pattern on outcome->topo, by the algorithm of the settings. outcome_close frees everything,
 * whatever comes out. */
enum status outcome_schedule(const struct settings *settings, struct outcome *outcome);
void outcome_close(struct outcome *outcome);

/* The schedule as a page: slots by links, and what each slot connects. `title` names the pattern. */
enum status outcome_write_page(const struct settings *settings, const struct outcome *outcome,
                               const char *title, const char *path);

/* The program that the settings name, and its patterns: a line for each, or into outcome->pattern the one
 * that is wanted alone. */
enum status program_schedule(const struct settings *settings, const struct topo *topo);
enum status program_pattern(const struct settings *settings, const struct topo *topo,
                            struct tdm_pattern *pattern);

#endif
