#ifndef HELIO_WORKLOAD_JOBS_H
#define HELIO_WORKLOAD_JOBS_H

#include "base/mem.h"
#include "call/bursts.h"
#include "call/graph.h"
#include "call/jobs.h"
#include "call/lost.h"
#include "call/sites.h"
#include "workload/workload.h"

/* Several programs on one machine, as one program. Its ranks are those of all jobs, and the placement says
 * which job has which. A job sees only its own ranks. docs/jobs.md
 *
 *   jobs.c           the workload's parameters
 *   jobs_place.c     the placement
 *   jobs_file.c      the file that lists the jobs
 *   jobs_program.c   the program: calls of jobs, with the ranks and communicators of the machine
 *   jobs_graph.c     the same for jobs that are graphs of operations
 *   jobs_sites.c     the call sites of the jobs, and what was recorded of their computation */

enum { JOBS_MOST = 256, JOBS_MOST_RANK = (1 << 24) - 1 };

#define JOBS_NONE UINT32_MAX /* the job of a rank of the machine that no job has */

struct job {
    struct program *program;
    uint32_t *world; /* of each of its ranks: the rank of the machine */
    uint32_t first_channel, first_group;
    bool begins_with_init;
    uint64_t first_count; /* what is added to an index of its counts */
    uint32_t first_site;  /* what is added to the number of a call site that is known */
};

struct jobs {
    struct program program; /* first */
    struct program_jobs about;
    struct job *jobs;
    uint32_t *job_of, *rank_of; /* of each rank of the machine: its job or JOBS_NONE, and its rank there */
    const char *placement;      /* a name, if ranks in the file exclude it; NULL: they may be there */
    struct program_queue queue; /* if about.queue is it */
    uint8_t *taken;             /* of ranks of the machine, while the file is read: a job has it */
    size_t taken_count, taken_capacity;
    uint32_t *calls_made; /* of each rank of the machine: 0, 1, or 2 and more */
    struct group *groups;
    uint32_t *members;
    uint64_t *counts;
    struct graph_builder builder; /* of the graphs of all jobs */
    struct graph graph, alone;    /* of all jobs, and of `only` */
    struct graph_rank *alone_ranks;
    struct program_sites sites; /* of all jobs, if one of them has any */
    char **site_names;
    struct program_bursts bursts; /* likewise */
    uint32_t *site_of;            /* of each rank of the machine: of its last call; NULL: there are none */
    struct program_lost lost;
    const struct call *last; /* the job's own call, which the program has copied last */
    struct arena texts;
};

enum jobs_queue { JOBS_NO_QUEUE, JOBS_FCFS, JOBS_EASY };
enum jobs_placement { JOBS_LINEAR, JOBS_INTERLEAVED, JOBS_BLOCKS, JOBS_GROUPS, JOBS_RANDOM };

struct jobs_config {
    const char *file; /* NULL: not given */
    int placement, alone;
    int queue; /* enum jobs_queue */
    uint64_t block, group, seed, nodes;
};

/* Opens the programs that the file lists. STATUS_BAD_INPUT, reported. */
enum status jobs_read(struct jobs *jobs, const char *file);

/* Gives the jobs their ranks of the machine, if the file has not done so. STATUS_BAD_INPUT, reported. */
enum status jobs_place(struct jobs *jobs, const struct jobs_config *config);

/* The ranks of graphs get their operations. Does nothing if no job is a graph. */
void jobs_make_graph(struct jobs *jobs);
/* The graph of the program is that of `only`, or of all jobs. */
void jobs_choose_graph(struct jobs *jobs);

/* Gives the program the call sites of its jobs. Does nothing if they have none. */
void jobs_make_sites(struct jobs *jobs);
/* The same of the names of their lost calls (call/lost.h). */
void jobs_make_lost(struct jobs *jobs);
void jobs_free_sites(struct jobs *jobs);
/* The same of their bursts (call/bursts.h). */
void jobs_make_bursts(struct jobs *jobs);
/* The rank has got this call of its job; NULL: it is of no job. */
void jobs_note_site(struct jobs *jobs, uint32_t rank, const struct call *call);

/* A call of the job with the ranks, channels and communicators of the machine. */
void jobs_translate(const struct job *job, struct call *call);

/* The program of jobs that have been read and placed. STATUS_BAD_INPUT, reported. */
enum status jobs_make_program(struct jobs *jobs);

/* Of jobs in any state. */
void jobs_free(struct jobs *jobs);

/* The program of these programs, which are not graphs: one job behind the other, all from the beginning on.
 * It takes the programs, and closes them also where it fails. STATUS_BAD_INPUT, reported. */
enum status jobs_beside(struct program *const *programs, size_t count, struct program **program);

#endif
