#ifndef HELIO_WORKLOAD_WORKLOAD_H
#define HELIO_WORKLOAD_WORKLOAD_H

#include <stdbool.h>

#include "base/param.h"
#include "base/status.h"
#include "call/call.h"
#include "workload/openloop.h"

struct phase;

/* What is wrong with parameters that are right one by one, but not together. */
struct workload_problem {
    const char *param; /* the parameter that is wrong: "ranks"; NULL = the problem has been reported */
    char text[512];    /* the sentence behind "error: " */
};

/* Generated programs, named by short texts: "alltoall:ranks=64,bytes=8KiB", "npb:lu:class=D,ranks=64". A
 * workload is a function from (rank, step) to a call, or from (rank, phase) to a few calls. Only the progress
 * of each rank is stored, 16 bytes.
 *
 *     workload.h, workload.c   a program from its text
 *     workloads.def            the list of workloads, one line each
 *     help.h, help.c           prints the workloads and their parameters
 *     list.h, list.c           the same as a table; workload_find, workload_add
 *     windows.c                windows of messages, as the OSU micro-benchmarks have them
 *     pingpong.c, dissemination.c, alltoall.c, collective.c, fmu.c, pattern.c    workloads
 *     training.h, training*.c  steps of training on GPUs
 *     schedule.c               collective schedules of other programs (collfile)
 *     jobs.h, jobs*.c          several programs on one machine
 *     repeat.h, repeat.c       what alltoall and fmu share
 *     phase.h, phase.c         programs that come in phases
 *     npb_*.c                  the NAS Parallel Benchmarks, one file each; npb.h, npb_solver.h: their
 *                              common parts
 *     openloop.h, openloop.c   open-loop traffic
 *     traffic.h, traffic_*.c   its patterns, one file each
 *     patterns.h, patterns*.c, repetition.h, repetition.c    phases, patterns and main loop of a program
 *     messages.h, messages.c   an estimate of its messages */
struct workload {
    const char *name; /* "alltoall", "npb:lu": with its family, if it has one */
    const char *doc;
    const struct param_table *params; /* of its text */
    /* The parameter whose name may be left out if it comes first: "file" of schedule:FILE; NULL = none. */
    const char *unnamed;
    /* A name that users give and that no workload has, and what they may mean by it; NULL = none. */
    const char *misnomer, *meant;
    /* Checks the parameters and derives the rest of *config. May set `groups`, `counts`, `file`, `setting`,
     * `rate_messages` and `rate_bytes` of *program. Returns false and fills *problem if they are wrong. NULL
     * = nothing to do. */
    bool (*prepare)(const struct workload *workload, void *config, struct program *program,
                    struct workload_problem *problem);
    /* Instead of all that follows: a program with its own calls, which keeps no pointer to `config` or
     * `spec`. NULL: none. */
    enum status (*open)(const void *config, const char *spec, struct program **program);
    void (*release)(void *config); /* frees what prepare() has allocated, also if it failed; NULL = nothing */
    uint32_t (*ranks)(const void *config);
    uint64_t (*steps)(const void *config); /* calls of each rank */
    /* Call number `step` of the rank. *call is all zero before. */
    void (*call)(const void *config, uint32_t rank, uint64_t step, struct call *call);
    /* Instead of steps and call: the calls of phase `number` of the rank. Returns false after the last phase.
     * A phase may be empty. It uses fewer than `slots` slots. */
    bool (*phase)(const void *config, uint32_t rank, uint64_t number, struct phase *phase);
    uint32_t slots;                           /* SLOT_FIRST included; 0 = no non-blocking call */
    uint32_t (*slots_of)(const void *config); /* instead of slots, if it depends on the config */
    /* Instead of calls: open-loop traffic of this pattern. Its parameters are a struct openloop_config, and
     * ranks() is the number of nodes. NULL: a program with calls. */
    const struct openloop_pattern *traffic;
};

/* All workloads, those that workload_add() has added last; ends with NULL. */
enum { WORKLOADS_LIMIT = 256 };
extern const struct workload *workloads[];

/* The workload whose name is these `length` bytes, or NULL. */
const struct workload *workload_find(const char *name, size_t length);

/* False, reported: there is a workload of this name, or one that begins with it and a colon, as npb:bt. */
bool workload_name_is_free(const char *name);

/* Adds a workload, which has to live as long as the program. STATUS_BAD_INPUT, reported: the name
 * is not free, or the table is full. */
enum status workload_add(const struct workload *workload);

/* Reports that no workload has the name that the first `length` bytes of the text are. Returns
 * STATUS_BAD_INPUT. */
enum status workload_report_unknown(const char *spec, size_t length);

/* The block of rank i of `ranks` in vector collectives: in a straight line from 1 - imbalance to 1 +
 * imbalance of the mean; imbalance is 0 to 1. */
uint64_t workload_block(uint64_t mean, double imbalance, uint64_t i, uint64_t ranks);

/* Opens the program that a text names, to be closed with its ops. Errors point into the text. */
enum status workload_open(const char *spec, struct program **program);

#endif
