#ifndef HELIO_SIM_RESULT_H
#define HELIO_SIM_RESULT_H

#include <stdio.h>

#include "base/config.h"
#include "base/hash.h"
#include "base/metric.h"
#include "base/status.h"
#include "base/tap.h"
#include "call/call.h"
#include "engine/critical.h"
#include "engine/engine.h"
#include "output/json.h"
#include "sim/network.h"

struct path_summary;
struct slack_summary;

/* The result of a run. result.c collects it from the tap, result_json.c writes it. */
struct rank_row {
    ps_t finish, compute, idle;
    ps_t software; /* the core's time for messages; 0 without a host model */
    ps_t slack;    /* where the result has slack */
};

/* Messages by size: class 0 has those of 0 bytes, class k > 0 those of 2^(k-1) to 2^k - 1 bytes. */
enum { RESULT_SIZE_CLASSES = 65 };
struct size_class {
    uint64_t count;
    sum_t bytes;
};

/* A job of a program that consists of several. */
struct result_job {
    char *name;
    uint32_t ranks;
    ps_t start, time; /* `time` is from the start of the job to the end of its last rank */
    ps_t submitted;   /* with a queue; `start` is then when it got its nodes */
    uint32_t *nodes;  /* that it got, in the order of its ranks; NULL: without a queue */
    uint32_t node_count;
    ps_t alone; /* its time with no other job on the machine */
    bool ran_alone;
};

/* A machine whose nodes jobs wait for. */
struct result_queue {
    const char *order; /* "fcfs", "easy" */
    uint32_t nodes;    /* 0: jobs do not wait */
    sum_t used;        /* node-time in ps: nodes of jobs, from their start to their end */
    sum_t waited;      /* of all jobs, in ps */
    ps_t longest;      /* wait of a job */
};

/* What a dimension of the program's messages took. */
struct result_dimension {
    const char *name;
    uint64_t messages;
    sum_t bytes, idle; /* `idle` in ps, over ranks */
    ps_t path;         /* of messages on the critical path */
};

/* How long ranks wait in the calls of one place in the source. The first one has the calls whose place is not
 * known. */
struct result_site {
    char *name;     /* of the first one: NULL */
    uint64_t waits; /* that took time */
    sum_t idle;     /* in ps, over ranks */
    ps_t path;      /* of messages on the critical path for which a call of this place waited */
    ps_t slack;     /* where the result has slack; PS_NEVER: no call of this place was made */
};

/* Collective calls of one operation and number of ranks, whose sizes are next to each other and which have
 * one algorithm. A call counts once for all of its ranks. */
struct result_collective {
    uint32_t kind; /* enum coll_kind */
    uint32_t ranks;
    bool has_size; /* all ranks know it: not of barriers, and of v forms where they do not */
    const char *operation, *algorithm;
    uint64_t from_bytes, to_bytes; /* as choices by size count them */
    uint64_t calls;
};

/* During the run each size has an entry of its own, which the index finds. */
struct result_collectives {
    struct result_collective *entries; /* by operation, ranks, size */
    size_t count, capacity;
    uint32_t *index; /* entries plus 1 */
    size_t mask;     /* of the index */
};

/* What the run would take if a message of its critical path took no time. */
struct result_what_if {
    const struct critical_step *step; /* of result.path */
    ps_t makespan;
};

struct program_dimensions;

struct result {
    const char *fabric;                 /* a name */
    bool has_host;                      /* the run has a host model */
    bool has_operations, has_times;     /* computation of the program, before compute.scale, and as what */
    bool has_software;                  /* cores spend time on messages: by a host model, or host.send */
    const struct metric_table *metrics; /* NULL: the fabric has none */
    void *statistics;                   /* a copy of the fabric's struct of statistics */
    uint32_t ranks;
    struct rank_row *rows; /* per rank */
    ps_t makespan;
    bool is_openloop; /* of traffic between nodes: the latencies of messages are collected */
    sum_t latency_sum;
    ps_t latency_max;
    sum_t idle_by_cause[CALL_OPS]; /* in ps, over ranks; p2p calls count for CALL_SEND and CALL_RECV */
    uint64_t messages;             /* between ranks, without handshakes */
    uint64_t in_nodes;             /* of these messages, those that stay within a node */
    sum_t bytes;                   /* of these messages */
    struct result_collectives collectives;
    double rate_messages, rate_bytes; /* of a benchmark of rates (struct program); 0: it is none */
    struct size_class sizes[RESULT_SIZE_CLASSES]; /* of the same messages */
    struct engine_usage usage;
    struct result_network network;
    const char *no_path;        /* why its list is absent, if somebody has asked for it; NULL: it is there */
    struct critical_path *path; /* NULL: nobody has asked for it, or the engine does not tell causes */
    struct path_summary *path_summary; /* NULL: the path is not listed */
    struct slack_summary *slack;       /* NULL: nobody has asked, or the engine does not tell causes */
    struct result_what_if *what_if;    /* NULL: nobody has asked */
    size_t what_if_count;
    struct result_job *jobs; /* NULL: the program is one job */
    size_t job_count;
    struct result_queue queue;
    sum_t before_ranks; /* the time before ranks begin, in ps over ranks, as jobs start later */
    struct result_dimension *dimensions; /* NULL: the program does not say what its messages are for */
    size_t dimension_count;
    bool dimensions_have_path;                           /* the path is listed */
    const struct program_dimensions *program_dimensions; /* during the run */
    struct result_site
        *sites; /* by number (call/sites.h); NULL: the program does not say where its calls are */
    uint32_t site_count;
    bool sites_have_path; /* the path is listed */
    double wall_s;        /* time of the simulation itself; for people, and in no file of results */
};

/* The version of the JSON, which grows when the meaning of a field changes, and the digits of its real
 * numbers. */
enum { RESULT_SCHEMA = 1, RESULT_DIGITS = 15 };

void result_free(struct result *result);

/* The share of the ranks' time in which they are blocked: sum of idle / sum of finish, as in Table 5 of the
 * FMU paper. */
double result_idle_fraction(const struct result *result);

/* The share of the ranks' time in which their cores work for messages: sum of software / sum of finish. */
double result_software_fraction(const struct result *result);

/* The mean time from the sending of a message to its end, of open-loop traffic; 0 if there are no messages.
 */
double result_mean_latency_ps(const struct result *result);

/* How long a rank waits for messages of the dimension, on average. */
double result_mean_idle_ps(const struct result *result, const struct result_dimension *dimension);

/* Bytes per message; 0 if there are none. */
double result_mean_bytes(const struct result *result);

/* Messages and bytes per second of a benchmark of rates; 0: it is none, or took no time. */
double result_message_rate(const struct result *result);
double result_bandwidth(const struct result *result);

/* How many times as long as alone a job takes; 0: that is not known. */
double result_slowdown(const struct result_job *job);

/* The part of the nodes' time in which a job has them. */
double result_utilisation(const struct result *result);

/* The smallest size in a class, in bytes. */
uint64_t result_size_from(uint32_t size_class);

/* Fills in a result from the events of one run. `is_openloop` has been set. */
void result_collect(struct result *result, uint32_t ranks, struct tap *tap);
/* Copies the fabric's statistics. Call it at the end of the run, while they exist. `metrics` may be NULL. */
void result_keep_statistics(struct result *result, const struct metric_table *metrics,
                            const void *statistics);

struct fabric_ops;
struct insight;
struct bursts_summary;
struct program_sites;

/* A file whose contents the results depend on. */
struct manifest_input {
    const char *path;
    char hash[HASH_FILE_TEXT];     /* of its contents */
    char programs[HASH_FILE_TEXT]; /* of the programs that a file of jobs names; "": it is something else */
};

enum { MANIFEST_INPUTS = 4 }; /* program, system of hosts, topology, placement */

/* Everything that is needed to repeat a run. */
struct manifest {
    const struct config *config;
    uint64_t seed;
    const struct insight *insight;       /* what the results mean (sim/insight.h); NULL: not known */
    const char *program;                 /* "cg.S.4", "alltoall:ranks=64,bytes=8KiB" */
    const struct bursts_summary *bursts; /* of the program (call/bursts.h); NULL: none are recorded */
    uint64_t lost;                       /* calls of the program that are (call/lost.h) */
    const struct program_sites *sites;   /* of the program (call/sites.h); NULL: none are known */
    struct manifest_input inputs[MANIFEST_INPUTS];
    size_t input_count;
    /* Fabrics of the experiment that an interrupted run has no result for. */
    const struct fabric_ops *const *not_run;
    size_t not_run_count;
};

/* One JSON object: schema, manifest, runs. The same input gives the same bytes. */
json_t *result_json(const struct manifest *manifest, const struct result *results, size_t count);
enum status result_print_json(const struct manifest *manifest, const struct result *results, size_t count,
                              FILE *out);

/* One run of that object, and an object of what the workload measures beside its time (bandwidth_bytes_per_s,
 * mean_latency_s) and of the fabric's metrics that are single numbers, each as JSON in one line. The caller
 * frees them. */
char *result_run_text(const struct result *result);
char *result_metrics_text(const struct result *result);

#endif
