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
    ps_t start;
};

enum { PROGRAM_JOBS_ALL = -1 };

struct program_jobs {
    struct program_job *list;
    size_t count;
    const uint32_t *job_of; /* of each rank of the program */
    int only;               /* the job that runs alone: ranks of others have no calls; PROGRAM_JOBS_ALL */
    bool alone;             /* each job shall also run alone, so that its slowdown is known */
};

#endif
