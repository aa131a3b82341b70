#ifndef HELIO_SIM_EXPERIMENT_H
#define HELIO_SIM_EXPERIMENT_H

/* The room that turns parameters into runs and runs into results.
 *
 *     experiment.h       opens a program, fabrics and a host model, and runs them
 *     engines.h          the list of engines
 *     components.h       the list of parameter tables
 *     settle.h           the machine of an experiment, which gives parameters their values
 *     network.h          what each fabric's network is: rate, latency, and what they include
 *     unused.h           parameters that are set and that nothing reads
 *     hosts.h            the host model of an experiment
 *     jobs.h             the jobs of a program that consists of several, each alone too
 *     dimensions.h       what the messages of each dimension of a training step take
 *     collectives.h      which algorithm each collective call has
 *     sites.h            how long ranks wait at each call site
 *     bursts.h           what was recorded of the computation between calls
 *     traffic.h          what a program will send, for fabrics that are scheduled before the run
 *     result.h           the result of a run, and its JSON (result_json.c)
 *     path_summary.h     what the critical path of a result consists of
 *     slack.h            how much later things could be without a longer run; top_list.h: the first of many
 *     insight.h          what results mean, in sentences
 *     repeat.h           a result computed again from its JSON
 *     what_if.h          what a run would take if a message took no time
 *     memory.h           the memory that a run will need
 *     conservation.h     checks that a fabric loses no message
 *     message_log.h      the file of all messages
 */

#include <stdbool.h>

#include "base/config.h"
#include "base/hash.h"
#include "call/bursts.h"
#include "call/call.h"
#include "engine/engine.h"
#include "engine/placement.h"
#include "fabric/fabric.h"
#include "host/host.h"
#include "machine/machine.h"
#include "sim/result.h"
#include "trace/trace.h"

/* The semantics of a run: Heliograph's, or those of another simulator, which has an engine of its own. */
enum experiment_compat { COMPAT_NONE, COMPAT_SIMPLECOMM, COMPAT_LOGGOPSIM, COMPAT_ATLAHS };

/* An experiment: one program on one or several fabrics, with one set of parameters. */
struct experiment_config {
    const char *trace;    /* path, NULL when a workload is given */
    const char *workload; /* text, NULL when a trace is given */
    const char *fabric;   /* names joined by commas */
    const char *machine;  /* a preset, a path, or as-published */
    uint64_t seed;
    int compat; /* enum experiment_compat */
};

extern const struct param_table experiment_params; /* struct experiment_config */

enum { EXPERIMENT_FABRICS = 16 };

/* What results have of their critical path. */
enum experiment_path {
    EXPERIMENT_PATH_NONE,
    EXPERIMENT_PATH_KINDS,  /* what its time consists of */
    EXPERIMENT_PATH_LISTED, /* also its messages, which costs more */
    EXPERIMENT_PATH_SLACK,  /* also the slack of all messages, whose memory grows with them */
};

struct experiment {
    const struct config *config; /* the caller's, or own_config */
    struct config *own_config;   /* with what machine, fabrics and program set; NULL: they set nothing */
    const struct experiment_config *chosen;
    const struct engine *engines[EXPERIMENT_FABRICS]; /* of each fabric */
    struct program *program;
    bool program_is_lent;       /* the caller closes it */
    struct placement placement; /* what the program has for as long as the experiment is open */
    const struct fabric_ops *fabrics[EXPERIMENT_FABRICS];
    size_t fabric_count;
    struct host host; /* if has_host */
    bool has_host;
    enum experiment_path path;    /* set it behind experiment_init() */
    struct bursts_summary bursts; /* of the program, when a manifest has asked for it */
    bool has_bursts;
    char hashes[MANIFEST_INPUTS][HASH_FILE_TEXT]; /* of files that parameters name; "": it has none */
};

/* Opens the machine, the program, the fabrics and the host model that the config names. Free the experiment
 * also after an error. The config must outlive it. */
enum status experiment_init(struct experiment *experiment, const struct config *config);
void experiment_free(struct experiment *experiment);
/* The same with the program that the config names, which is open already. The caller closes it. */
enum status experiment_init_with(struct experiment *experiment, const struct config *config,
                                 struct program *program);

/* How far a run is. */
struct experiment_progress {
    const char *fabric;
    struct engine_progress engine;
    uint64_t total_calls; /* 0: not known */
    uint64_t done, total; /* calls, sent and received messages. `total` is estimated; 0: not known */
};

/* Observers of a run. */
struct experiment_watch {
    struct message_log *messages; /* NULL = no log */
    /* Called as in struct engine_params; false cancels the run. NULL: nobody asks. */
    bool (*progress)(void *self, const struct experiment_progress *at);
    void *self;
    bool wants_share; /* `total` of struct experiment_progress, which takes some hundredths of a second */
    /* Adds further handlers to the tap of the run; NULL = none. */
    void (*listen)(void *listener, uint32_t ranks, struct tap *tap);
    void *listener;
};

/* Runs the program on fabrics[index], and tells base/progress.h how far it is. The caller frees the result
 * with result_free, also after an error. */
enum status experiment_run(struct experiment *experiment, size_t index, const struct experiment_watch *watch,
                           struct result *result);

/* About how much a run does, in some hundredths of a second. Zeroes: that is not known. */
struct experiment_work {
    uint64_t calls, messages;
};
struct experiment_work experiment_work(const struct experiment *experiment);

/* The file that a parameter names, and on whose contents the result depends; NULL = none. A trace does not
 * count, since it has a key of its own. Valid as long as the experiment. */
const char *experiment_file(const struct experiment *experiment, const char *param);

/* Reads these files once more, for the hashes that a manifest names them by. To be called before the runs,
 * since a file may change while they last. An error is reported. */
enum status experiment_hash_inputs(struct experiment *experiment);

/* Valid as long as the experiment. */
struct manifest experiment_manifest(struct experiment *experiment);

#endif
