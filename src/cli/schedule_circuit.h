#ifndef HELIO_CLI_SCHEDULE_CIRCUIT_H
#define HELIO_CLI_SCHEDULE_CIRCUIT_H

#include <stdio.h>

#include "cli/schedule.h"
#include "output/json.h"
#include "schedule/circuit/verify.h"

/* What the files of `helio schedule --switching` share. */

enum { CIRCUIT_TIMES = 64, CIRCUIT_ALGORITHMS = 32 };
enum { CIRCUIT_TIME_DIGITS = 15, CIRCUIT_TIME_TEXT = 64, CIRCUIT_SHOWN_DIGITS = 6 };

struct circuit_run {
    const struct schedule_settings *settings;
    struct circuit_demand demand;
    struct circuit_switching switching;
    ps_t times_ps[CIRCUIT_TIMES]; /* of --switching */
    size_t time_count;
    ps_t deadline_ps;
    size_t algorithm; /* index into those of the network */
    struct circuit_effort effort;
};

/* One of the lower bounds, as it is called in results. */
struct circuit_bound {
    const char *name;
    ps_t time_ps;
};

/* A schedule for one switching time: the head of a struct in which the network has the rest. */
enum { CIRCUIT_BOUNDS = 2 };
struct circuit_outcome {
    const char *algorithm;
    ps_t makespan_ps, bound_ps;
    struct circuit_bound parts[CIRCUIT_BOUNDS]; /* without a name behind the last */
    double seconds;
};

/* What carries the circuits: parallel switches, or a topology of switches. */
struct circuit_network {
    const char *(*algorithm_at)(size_t index); /* NULL behind the last */
    /* Schedules the demand. STATUS_OK: `free` frees the outcome. */
    enum status (*make)(const struct circuit_run *run, size_t algorithm, ps_t delta_ps,
                        struct circuit_outcome **outcome);
    void (*free)(struct circuit_outcome *outcome);
    /* The outcome as JSON, as text, as the lines of its circuits, and as a page; `results` is its JSON. */
    json_t *(*json)(const struct circuit_run *run, const struct circuit_outcome *outcome);
    void (*print)(const struct circuit_run *run, const struct circuit_outcome *outcome);
    void (*write)(const struct circuit_outcome *outcome, FILE *file);
    enum status (*save_page)(const struct circuit_run *run, const struct circuit_outcome *outcome,
                             json_t *results);
    /* Replays a schedule. STATUS_FAILED: it is wrong, which is reported. */
    enum status (*verify)(const struct circuit_run *run, const char *text, size_t size,
                          struct circuit_verdict *verdict, ps_t *bound_ps);
};

extern const struct circuit_network circuit_switches; /* cli/schedule_switches.c */
extern const struct circuit_network circuit_topology; /* cli/schedule_paths.c */

/* The makespans of one algorithm, or all, over all switching times (cli/schedule_curve.c). */
enum status schedule_curve(const struct circuit_run *run, const struct circuit_network *network);

static inline double circuit_seconds(ps_t time_ps)
{
    return (double)time_ps / (double)PS_PER_S;
}

/* The demand's file or program. */
const char *circuit_source(const struct circuit_run *run);

/* The effort of a search that begins now. */
struct circuit_effort circuit_effort_now(const struct circuit_run *run);

/* A line `label  time`, and the lines that all results have. */
void circuit_print_time(const char *label, ps_t time_ps, const char *more);
void circuit_print_switching(ps_t delta_ps, uint64_t rate, const char *before);
void circuit_print_result(const char *algorithm, const char *made_by, ps_t makespan_ps, ps_t bound_ps,
                          bool is_optimal);
/* The fields that all results have. */
void circuit_json_begin(json_t *object, const char *algorithm, const char *made_by, bool all_stop);
void circuit_json_result(json_t *object, ps_t makespan_ps, ps_t bound_ps, bool is_optimal);

#endif
