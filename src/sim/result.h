#ifndef HELIO_SIM_RESULT_H
#define HELIO_SIM_RESULT_H

#include <stdio.h>

#include "base/config.h"
#include "base/metric.h"
#include "base/status.h"
#include "base/tap.h"
#include "call/call.h"
#include "engine/engine.h"

/* What a run is once it is done. */
struct rank_row {
    ps_t finish, compute, idle;
    ps_t software; /* spent on messages, with a host model */
};

/* Messages by size: class 0 has those without bytes, class k > 0 those of 2^(k-1) up to below 2^k bytes. */
enum { RESULT_SIZE_CLASSES = 65 };
struct size_class {
    uint64_t count, bytes;
};

struct result {
    const char *fabric;                 /* its name */
    bool has_host;                      /* messages cost something at their ends */
    const struct metric_table *metrics; /* NULL when the fabric has none */
    void *statistics;                   /* a copy of its struct of statistics */
    uint32_t ranks;
    struct rank_row *rows; /* per rank */
    ps_t makespan;
    ps_t idle_by_cause[CALL_OPS]; /* summed over ranks; p2p calls under CALL_SEND and CALL_RECV */
    uint64_t messages, bytes;     /* between ranks, handshakes not counted */
    struct size_class sizes[RESULT_SIZE_CLASSES]; /* of the same messages */
    struct engine_usage usage;
    double wall_s; /* of the simulation itself; for people, never part of what is written as result */
};

/* Of the JSON below; it counts up when the meaning of what is there changes. */
enum { RESULT_SCHEMA = 1 };

void result_free(struct result *result);

/* Share of the ranks' time that they were blocked: sum of idle / sum of finish (FMU paper, Table 5's column).
 */
double result_idle_fraction(const struct result *result);

/* Share of the ranks' time that their cores spent on messages: sum of software / sum of finish. */
double result_software_fraction(const struct result *result);

/* Bytes per message; 0 without messages. */
double result_mean_bytes(const struct result *result);

/* The smallest size in bytes that belongs to a class. */
uint64_t result_size_from(uint32_t size_class);

/* Fills in a result from what the tap tells of one run. */
void result_collect(struct result *result, uint32_t ranks, struct tap *tap);
/* At the end of the run, while the fabric's statistics exist: keeps a copy. `metrics` may be NULL. */
void result_keep_statistics(struct result *result, const struct metric_table *metrics,
                            const void *statistics);

/* Checks on the tap that nothing is lost or made up: every message is delivered exactly once, not before it
 * was injected, and no byte of it changes. */
struct conservation {
    uint64_t injected, injected_bytes, delivered, delivered_bytes, early;
};
void conservation_attach(struct conservation *conservation, struct tap *tap);
enum status conservation_check(const struct conservation *conservation, const char *fabric);

/* The log of every message, one file for all fabrics of an experiment:
 * fabric,src,dst,tag,bytes,kind,send_start_s,send_end_s,recv_start_s,recv_end_s. Written beside `path` and
 * renamed at the end, so that a half-written file never bears the name. */
struct message_log;
enum status message_log_open(const char *path, struct message_log **log);
void message_log_attach(struct message_log *log, const char *fabric, struct tap *tap);
enum status message_log_close(struct message_log *log,
                              enum status run); /* discards it unless `run` went well */

/* Everything that is needed to do it again. */
struct manifest {
    const struct config *config;
    uint64_t seed;
    const char *program; /* "cg.S.4", "alltoall:ranks=64,bytes=8KiB" */
    const char *input;   /* path of the trace, NULL for a generated workload */
    const char *input_hash;
};

/* One JSON object: schema, manifest, runs; the same bytes for the same input. */
enum status result_print_json(const struct manifest *manifest, const struct result *results, size_t count,
                              FILE *out);

/* One of these runs, and those statistics of its fabric that are single numbers (an object of name: number),
 * each as JSON in one line. To be freed. */
char *result_run_text(const struct result *result);
char *result_metrics_text(const struct result *result);

#endif
