#ifndef HELIO_SWEEP_STORE_H
#define HELIO_SWEEP_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/sum.h"
#include "base/time.h"

/* A file of results: an SQLite database with a write-ahead log. It has planned runs and finished runs. A
 * run's key is a hash of everything that its result depends on, so nothing is run twice. A result is added as
 * a whole: a process that is killed loses only the runs that it has not finished. */
struct store;

enum store_mode {
    STORE_READ, /* the file must exist */
    STORE_WRITE /* a file that does not exist is created; ":memory:" leaves no file */
};

/* As a path: a file without a name, which closing deletes. */
#define STORE_TEMPORARY ""

/* One run. The store copies the texts of a run that it takes. */
struct store_run {
    int64_t id;             /* from 1, in the order of planning */
    const char *key;        /* hash of program, input and every parameter */
    const char *fabric;     /* a name */
    const char *program;    /* "cg.S.4", "alltoall:ranks=64,bytes=8KiB" */
    const char *parameters; /* a JSON object of all parameters, by name; null = none */
    const char *input_hash; /* of the trace; "" = the program is generated */
    uint64_t calls;         /* of the program; 0 = unknown */
    uint32_t ranks;

    bool done; /* the fields below are valid */
    ps_t makespan_ps;
    double idle_fraction;
    uint64_t messages;
    sum_t bytes;           /* from 2^63 on, 53 bits of them are kept */
    double mean_bytes;     /* per message */
    const char *metrics;   /* a JSON object: the fabric's metrics, by name */
    const char *run;       /* a JSON object, as in `runs` of `helio run --json` */
    double wall_s;         /* wall time of the run; not a result */
    uint64_t memory_bytes; /* memory of the run, without its mapped input */
};

/* STATUS_BAD_INPUT: the file does not exist or is not a store. STATUS_FAILED: it cannot be used. Reported. */
enum status store_open(const char *path, enum store_mode mode, struct store **store);
void store_close(struct store *store); /* NULL: does nothing */
const char *store_path(const struct store *store);

/* A transaction: all changes up to store_commit become visible together, or none does. */
enum status store_begin(struct store *store);
enum status store_commit(struct store *store);
void store_rollback(struct store *store);

/* Looks for the run's key, and sets run->id, 0 if it is not there, and run->done. */
enum status store_find(struct store *store, struct store_run *run);
/* The same, but adds a run that is not there as planned. */
enum status store_plan(struct store *store, struct store_run *run);
/* Adds the results to the planned run `run->id`. */
enum status store_finish(struct store *store, const struct store_run *run);
/* The caller frees the run with store_run_free. STATUS_BAD_INPUT, reported: there is no such run. */
enum status store_get(struct store *store, int64_t id, struct store_run *run);
void store_run_free(struct store_run *run);

/* "RESULTS.db#12 is damaged: its parameters are not a JSON object": what an error says of a run whose texts
 * another program has changed. The caller frees it. */
char *store_damage_text(const struct store *store, int64_t id, const char *what);

/* Whether a program of the runs that are done calls the collective, "allreduce". */
bool store_calls(struct store *store, const char *operation);

/* Visits every run, planned or done, in the order of ids, until a visit does not return STATUS_OK. The run's
 * texts are valid during the visit. */
enum status store_each(struct store *store, void *self,
                       enum status (*visit)(void *self, const struct store_run *run));

/* Metadata: texts by name that concern all runs. */
#define STORE_VARIED   "varied"   /* a JSON list: the parameters that sweeps vary */
#define STORE_BASELINE "baseline" /* a JSON object: the parameters of the baseline */
enum status store_set_metadata(struct store *store, const char *name, const char *text);
/* The caller frees the text. NULL: there is none of that name. */
enum status store_get_metadata(struct store *store, const char *name, char **text);

#endif
