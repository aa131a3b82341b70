#ifndef HELIO_CALIBRATE_FORECAST_H
#define HELIO_CALIBRATE_FORECAST_H

#include "calibrate/calibration.h"

/* Runs of a program beside their forecasts: docs/models/calibrate.md. */

/* What a rank has written at its end (live/capture/times.c):
 *
 *   time RANK SECONDS KERNEL NODE PROCESSORS MACHINE_SECONDS OWN_SECONDS */
struct forecast_rank {
    bool is_known;
    double seconds;
    uint64_t kernel, node;   /* numbers of the kernel and the node that it ran on */
    uint64_t processors;     /* of the machine */
    double machine_s, own_s; /* processor time of all processes of the machine meanwhile, and of the rank */
};

/* The ranks of one execution of the program. */
struct forecast_times {
    struct forecast_rank *ranks;
    size_t count, capacity;
    double longest_s; /* of its ranks */
};

/* The program is executed twice: as it is, which is what the forecast is for, and captured. */
struct forecast_run {
    struct forecast_times plain, captured;
    double forecast_s; /* the replay of what was captured */
};

/* Takes the line of a rank. STATUS_BAD_INPUT, reported: it is none, or the rank's second one. */
enum status forecast_read(struct forecast_times *times, FILE *file, const char *name);
void forecast_free(struct forecast_times *times);
/* Finds the longest of its ranks. STATUS_FAILED, reported: it has not as many as the trace. */
enum status forecast_measure(struct forecast_times *times, size_t ranks);
/* Ranks of a node, if each node but the last has as many consecutive ranks; 0: they are placed otherwise. */
uint32_t forecast_ranks_per_node(const struct forecast_times *times);

enum { FORECAST_GUARDS = 4 };
struct forecast {
    struct calibrate_value measured_s, captured_s, forecast_s, error_percent; /* medians of the runs */
    struct calibrate_guard guards[FORECAST_GUARDS];
    bool is_sound;
};

void forecast_judge(const struct forecast_run *runs, size_t count, struct forecast *forecast);

#endif
