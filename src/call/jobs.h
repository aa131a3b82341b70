#ifndef HELIO_CALL_JOBS_H
#define HELIO_CALL_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"

/* The jobs that a program consists of, where it is several programs on one machine (docs/jobs.md). */
struct program_job {
    const char *name;
    uint32_t ranks;
    ps_t start;    /* of its ranks; with a queue: when it is submitted */
    ps_t estimate; /* of its time, with a queue that backfills */
    /* What the last run with a queue has found. */
    ps_t started;
};

/* Which of the free nodes of the machine a job of a queue gets. */
enum queue_choice { QUEUE_LINEAR, QUEUE_GROUPS, QUEUE_RANDOM };

/* Jobs that wait until enough nodes are free. Ranks i to i + n of the program are those of a job of n ranks,
 * in the order of jobs, and have their nodes from its start on. */
struct program_queue {
    bool backfills; /* EASY; else in the order of submission */
    enum queue_choice choice;
    uint32_t group; /* nodes of a group, for QUEUE_GROUPS */
    uint64_t seed;  /* for QUEUE_RANDOM */
    uint32_t nodes; /* of the machine; 0: as many as the topology has */
    /* Of each rank of the program, while its placement is open (engine/placement.h): the engine writes the
     * nodes of a job when it starts, and they stay for runs of the job alone. */
    uint32_t *node_of;
};

enum { PROGRAM_JOBS_ALL = -1 };

struct program_jobs {
    struct program_job *list;
    size_t count;
    const uint32_t *job_of;      /* of each rank of the program */
    struct program_queue *queue; /* NULL: all jobs have their nodes for the whole run */
    int only;              /* the job that runs alone: ranks of others have no calls; PROGRAM_JOBS_ALL */
    bool alone;            /* each job shall also run alone, so that its slowdown is known */
    char unused[64];       /* parameters of the placement that it does not read, "block, seed"; "": none */
    const char *placement; /* its name */
    bool has_unused_nodes; /* there are `nodes`, but no queue */
};

#endif
