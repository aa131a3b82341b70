#ifndef HELIO_SWEEP_STORE_H
#define HELIO_SWEEP_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/time.h"

/* A file of results (SQLite, write-ahead log): runs that are planned and runs that are done, each under the
 * key of its contents, so that nothing is run twice. A run is added to it as a whole; a process that is
 * killed loses what it has not finished, and nothing else. */
struct store;

enum store_mode {
    STORE_READ, /* what is there and whole */
    STORE_WRITE /* made where it is not there; ":memory:" leaves no file */
};

/* Instead of a path: a file without a name, which is gone when it is closed. */
#define STORE_TEMPORARY ""

/* One run. The store copies the texts that it is given. */
struct store_run {
    int64_t id;             /* from 1, in the order of planning */
    const char *key;        /* names its contents: program, input, every parameter */
    const char *fabric;     /* its name */
    const char *program;    /* "cg.S.4", "alltoall:ranks=64,bytes=8KiB" */
    const char *parameters; /* a JSON object of all parameters, by name; null = none */
    const char *input_hash; /* of a trace; "" = generated */
    uint64_t calls;         /* of the program; 0 = unknown */
    uint32_t ranks;

    bool done; /* what follows is there */
    ps_t makespan_ps;
    double idle_fraction;
    uint64_t messages, bytes;
    double mean_bytes;     /* per message */
    const char *metrics;   /* a JSON object: what the fabric counted, by name */
    const char *run;       /* a JSON object, as `helio run --json` has it in `runs` */
    double wall_s;         /* that it took; no result */
    uint64_t memory_bytes; /* that it took, the program's mapped input not counted */
};

/* STATUS_BAD_INPUT: there is no such file, or it is no file of results; STATUS_FAILED: it cannot be used. */
enum status store_open(const char *path, enum store_mode mode, struct store **store);
void store_close(struct store *store); /* NULL is fine */
const char *store_path(const struct store *store);

/* Makes what follows one change, which is there as a whole after store_commit or not at all. */
enum status store_begin(struct store *store);
enum status store_commit(struct store *store);
void store_rollback(struct store *store);

/* Looks for the run's key and sets run->id, 0 where it is not there, and run->done. */
enum status store_find(struct store *store, struct store_run *run);
/* The same; where it is not there the run is added as planned. */
enum status store_plan(struct store *store, struct store_run *run);
/* Adds the results to the planned run `run->id`. */
enum status store_finish(struct store *store, const struct store_run *run);
/* STATUS_BAD_INPUT, reported, where there is no such run. To be freed with store_run_free. */
enum status store_get(struct store *store, int64_t id, struct store_run *run);
void store_run_free(struct store_run *run);

/* Every run, planned or done, by its id. The run's texts are the store's and gone after the visit, which ends
 * the walk with what is not STATUS_OK. */
enum status store_each(struct store *store, void *self,
                       enum status (*visit)(void *self, const struct store_run *run));

/* Texts by name that concern all runs. NULL where there is none; to be freed. */
#define STORE_VARIED   "varied"   /* a JSON list: the parameters that sweeps have varied */
#define STORE_BASELINE "baseline" /* a JSON object: the parameters that make a run what speedups are over */
enum status store_note(struct store *store, const char *name, const char *text);
enum status store_noted(struct store *store, const char *name, char **text);

#endif
