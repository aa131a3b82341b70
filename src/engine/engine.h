#ifndef HELIO_ENGINE_ENGINE_H
#define HELIO_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "base/estimate.h"
#include "base/status.h"
#include "base/tap.h"
#include "call/call.h"
#include "engine/critical.h"
#include "fabric/fabric.h"
#include "host/node.h"

/* An engine runs a program on a fabric. sim/engines.c lists all engines, and each one says which programs it
 * runs. The files of this folder:
 *
 *   engine.h    what all engines share: this file
 *   critical.c  the critical path of a run
 *   params.c    the parameters of ranks and of their MPI library
 *   batch.c     which job of a queue may start, and on which nodes
 *   rank/       ranks that execute MPI calls one after another
 *   openloop/   traffic of nodes, without ranks
 *   simplecomm/ ranks as the simulator SimpleComm computes them */

/* What an engine is chosen for. */
struct engine_input {
    struct program *program; /* NULL: it is not open yet */
    const struct config *config;
    const struct fabric_ops *fabric;
    const char *compat; /* the simulator whose results are wanted; NULL: our own semantics */
    bool has_host;      /* a host model is wanted */
};

/* How far a run is. */
struct engine_progress {
    uint64_t calls;    /* executed so far; open-loop traffic: messages delivered */
    uint64_t sent;     /* messages, so far */
    uint64_t messages; /* of ranks: done with at both ends */
    ps_t now;
};

/* One run. */
struct engine_params {
    struct program *program; /* at its beginning */
    const struct fabric_ops *fabric;
    const struct config *config; /* engine and fabric take their parameters from it */
    const struct host *host;     /* what a message costs at its ends; NULL: nothing */
    struct tap *tap;
    struct critical *critical; /* told of causes; NULL: nobody asks. */
    uint64_t seed;
    const struct fabric_traffic *traffic; /* for the fabric; NULL where it does not want it */
    struct fabric_work work;              /* for the fabric */
    /* Called at least once in 2^12 calls, messages or events. False: the run ends with STATUS_CANCELLED.
     * NULL: nobody asks. */
    bool (*progress)(void *self, const struct engine_progress *at);
    void *progress_self;
};

/* What a run used. What it did is told on the tap. */
struct engine_usage {
    uint64_t bytes;         /* memory of the run, without the mapped input of the program */
    uint64_t peak_messages; /* outstanding at once */
    uint64_t peak_events;   /* pending at once */
    uint64_t events, calls;
    struct host_statistics host; /* with a host model */
};

/* Sees the fabric at the end of a run, while its statistics exist. */
typedef void engine_visit(void *self, struct fabric *fabric);

struct engine {
    const char *name;
    /* Why its runs have no critical path and no slack, after "since"; NULL in both cases: they have. */
    const char *(*no_path)(const struct config *config);
    bool has_nodes;                          /* ranks are on nodes, and a placement can say on which */
    const struct param_table *const *params; /* tables that it reads itself; ends with NULL. NULL: any */
    /* Adds the memory that a run will need to the estimate; allocates none of it. STATUS_BAD_INPUT, reported:
     * the run would not begin. Of params it uses program, fabric, config, host and seed. */
    enum status (*estimate)(const struct engine_params *params, struct estimate *estimate);
    /* Whether this engine runs such a program. One that is not open counts as a program of ranks. */
    bool (*runs)(const struct engine_input *input);
    /* Called before the program is opened, and again when it is open. Fills in what the program leaves to the
     * configuration. STATUS_BAD_INPUT, reported: the engine cannot run this. NULL: it runs everything. */
    enum status (*prepare)(const struct engine_input *input);
    /* One run from the program's first call to its last; `visit` may be NULL. STATUS_FAILED, reported: the
     * program cannot go on. */
    enum status (*run)(const struct engine_params *params, struct engine_usage *usage, engine_visit *visit,
                       void *self);
};

#endif
