#ifndef HELIO_WORKLOAD_JOBS_H
#define HELIO_WORKLOAD_JOBS_H

#include "base/mem.h"
#include "call/jobs.h"
#include "workload/workload.h"

/* Several programs on one machine, as one program. Its ranks are those of all jobs, and the placement says
 * which job has which. A job sees only its own ranks. docs/jobs.md
 *
 *   jobs.c           the workload's parameters, and the placement
 *   jobs_file.c      the file that lists the jobs
 *   jobs_program.c   the program: calls of jobs, with the ranks and communicators of the machine */

enum { JOBS_MOST = 256 };

struct job {
    struct program *program;
    uint32_t *world; /* of each of its ranks: the rank of the machine */
    uint32_t first_channel, first_group;
    bool begins_with_init;
    uint64_t first_count; /* what is added to an index of its counts */
};

struct jobs {
    struct program program; /* first */
    struct program_jobs about;
    struct job *jobs;
    uint32_t *job_of, *rank_of; /* of each rank of the machine: its job, and its rank there */
    uint32_t *calls_made;       /* of each rank of the machine: 0, 1, or 2 and more */
    struct group *groups;
    uint32_t *members;
    uint64_t *counts;
    struct arena texts;
};

/* Opens the programs that the file lists. STATUS_BAD_INPUT, reported. */
enum status jobs_read(struct jobs *jobs, const char *file);

/* The program of jobs that have been read and placed. STATUS_BAD_INPUT, reported. */
enum status jobs_make_program(struct jobs *jobs);

/* Of jobs in any state. */
void jobs_free(struct jobs *jobs);

#endif
