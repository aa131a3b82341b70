#ifndef HELIO_CALIBRATE_FORECAST_H
#define HELIO_CALIBRATE_FORECAST_H

#include "calibrate/calibration.h"

/* Runs of a program beside their forecasts: docs/models/calibrate.md. */

/* What the time of a rank is spent on: computation, point-to-point calls with all waits, each collective, and
 * calls that are none of these. */
enum { FORECAST_KINDS = 18, FORECAST_COMPUTATION = 0, FORECAST_OTHER = FORECAST_KINDS - 1 };
const char *forecast_kind_name(size_t kind);
/* The kind of an operation of a trace, or of a function of MPI without MPI_, in any case of letters. */
size_t forecast_kind(const char *name);

/* What a rank has written at its end (live/capture/times.c); of captured ranks with its calls, by function:
 *
 *   time RANK SECONDS KERNEL NODE PROCESSORS MACHINE_SECONDS OWN_SECONDS
 *   call RANK NAME COUNT SECONDS
 *
 * rank 0, if it is not alone, how long half a round trip of no bytes to rank 1 was before the program began:
 *
 *   half SECONDS
 *
 * and, by the numbers that it has given to MPI_Pcontrol, how long each phase was:
 *
 *   phase RANK NUMBER SECONDS */
enum { FORECAST_PHASES = 64 };
struct forecast_phases {
    size_t count;
    struct forecast_phase {
        int number;
        double seconds; /* of all ranks together */
    } list[FORECAST_PHASES];
};
/* Adds the time to that of the phase; beyond FORECAST_PHASES phases it is lost. */
void forecast_add_phase(struct forecast_phases *phases, int number, double seconds);

struct forecast_rank {
    bool is_known;
    double seconds;
    double kinds_s[FORECAST_KINDS]; /* of its calls */
    uint64_t kernel, node;          /* numbers of the kernel and the node that it ran on */
    uint64_t processors;            /* of the machine */
    double machine_s, own_s; /* processor time of all processes of the machine meanwhile, and of the rank */
};

/* The ranks of one execution of the program. */
struct forecast_times {
    struct forecast_rank *ranks;
    size_t count, capacity;
    double longest_s; /* of its ranks */
    double half_s;    /* of a message of no bytes between ranks 0 and 1; 0: not measured */
    struct forecast_phases phases;
    double kinds_s[FORECAST_KINDS]; /* the mean of its ranks; what is not in calls is computation */
};

/* The program is executed twice: as it is, which is what the forecast is for, and captured. */
struct forecast_run {
    struct forecast_times plain, captured;
    double forecast_s;              /* the replay of what was captured */
    double kinds_s[FORECAST_KINDS]; /* of the replay: the mean of its ranks */
    struct forecast_phases phases;  /* of the replay */
};

/* Takes the lines of ranks. STATUS_BAD_INPUT, reported: one is none of theirs, or a rank's second time. */
enum status forecast_read(struct forecast_times *times, FILE *file, const char *name);
void forecast_free(struct forecast_times *times);
/* Finds the longest of its ranks, and the means. STATUS_FAILED, reported: it has not as many as the trace. */
enum status forecast_measure(struct forecast_times *times, size_t ranks);
/* Ranks of a node, if each node but the last has as many consecutive ranks; 0: they are placed otherwise. */
uint32_t forecast_ranks_per_node(const struct forecast_times *times);

/* Of one kind, in the executions that were captured. `off_percent`: how much longer the forecast of it is, as
 * a share of the whole time. */
struct forecast_of_kind {
    struct calibrate_value measured_s, forecast_s, off_percent;
};

/* Of one phase, the mean of its ranks, in the executions that were not captured. */
struct forecast_of_phase {
    int number;
    struct calibrate_value measured_s, forecast_s, error_percent;
};

enum { FORECAST_GUARDS = 5 };
struct forecast {
    struct calibrate_value measured_s, captured_s, forecast_s, error_percent; /* medians of the runs */
    struct forecast_of_kind kinds[FORECAST_KINDS];
    struct forecast_of_phase phases[FORECAST_PHASES]; /* in ascending order of their numbers */
    size_t phase_count;                               /* 0: the program has no phases but the first */
    struct calibrate_guard guards[FORECAST_GUARDS];
    bool is_sound;
};

/* `half_s`: of a message of no bytes between ranks 0 and 1 on the machine; 0: there is one rank. */
void forecast_judge(const struct forecast_run *runs, size_t count, double half_s, struct forecast *forecast);

#endif
