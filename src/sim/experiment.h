#ifndef HELIO_SIM_EXPERIMENT_H
#define HELIO_SIM_EXPERIMENT_H

#include <stdbool.h>

#include "base/config.h"
#include "call/call.h"
#include "engine/engine.h"
#include "fabric/fabric.h"
#include "host/host.h"
#include "sim/result.h"
#include "trace/trace.h"

/* Whose semantics: Heliograph's own, or those of another simulator, which an engine of its own computes. */
enum experiment_compat { COMPAT_NONE, COMPAT_SIMPLECOMM };

/* An experiment: one program on one or several fabrics, with one set of parameters. */
struct experiment_config {
    const char *trace;    /* path, NULL when a workload is given */
    const char *workload; /* text, NULL when a trace is given */
    const char *fabric;   /* names joined by commas */
    uint64_t seed;
    int compat; /* enum experiment_compat */
};

extern const struct param_table experiment_params; /* struct experiment_config */

enum { EXPERIMENT_FABRICS = 16 };

struct experiment {
    const struct config *config;
    const struct experiment_config *chosen;
    const struct engine *engine;
    struct program *program;
    bool program_is_lent; /* by the caller, who closes it */
    const struct fabric_ops *fabrics[EXPERIMENT_FABRICS];
    size_t fabric_count;
    struct host host; /* when host.system is set */
    bool has_host;
    char trace_key[TRACE_KEY_TEXT];
};

/* Opens what the config names: the program and the fabrics. The config must outlive the experiment. */
enum status experiment_open(struct experiment *experiment, const struct config *config);
void experiment_close(struct experiment *experiment);
/* The same where the program that the config names is open already; it stays the caller's. */
enum status experiment_open_with(struct experiment *experiment, const struct config *config,
                                 struct program *program);

/* What follows a run. */
struct experiment_watch {
    struct message_log *messages; /* NULL = no log */
    /* As in struct engine_params; false cancels the run. NULL: nobody asks. */
    bool (*progress)(void *self, const char *fabric, uint64_t calls, uint64_t total_calls, ps_t now);
    void *self;
    /* Adds handlers to the tap of the run. NULL: there are no others. */
    void (*listen)(void *listener, uint32_t ranks, struct tap *tap);
    void *listener;
};

/* One run of the program on fabrics[index]; the result is to be freed with result_free. */
enum status experiment_run(struct experiment *experiment, size_t index, const struct experiment_watch *watch,
                           struct result *result);

/* The file that is read, and that runs depend on, because of what a parameter says; NULL = none. A trace,
 * which has a key of its own, is no such file. Points into the experiment. */
const char *experiment_file(const struct experiment *experiment, const char *param);

/* Points into the experiment. */
struct manifest experiment_manifest(struct experiment *experiment);

#endif
