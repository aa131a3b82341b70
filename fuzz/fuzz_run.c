#include "fuzz/fuzz_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "fabric/topology.h"
#include "fuzz/fuzz_config.h"
#include "sim/experiment.h"
#include "workload/workload.h"

/* ----------------------------------------------------------------- settings */

static const char *const settings[] = {
    "fabric=packet",
    "fabric=hockney;machine=nvlink-ndr",
    "fabric=ideal;mpi.eager_threshold=0B",
    "fabric=fmu;fmu.count=4",
    "fabric=hybrid;fmu.try_idle=LEAST_SR",
    "fabric=packet;topology=torus:8x8;ranks_per_node=2",
    "fabric=packet;topology=fattree:8x2;packet.duplex=half",
    "fabric=circuit;topology=torus:8x8",
    "fabric=packetised;topology=mesh:8x8",
    "fabric=segment;topology=torus:8x8",
    "fabric=tdm-compiled;topology=torus:8x8;tdm.moves=100",
    "fabric=tdm-dynamic;topology=torus:8x8",
    "fabric=packet;compat=simplecomm",
    "fabric=fmu;compat=simplecomm",
    "fabric=hybrid;compat=simplecomm",
    "fabric=packet;packet.latency=382810ps;host.system=thunderx2",
};

_Static_assert(sizeof settings / sizeof *settings == FUZZ_SETTINGS, "as the header says");

struct fuzz_piece fuzz_settings(uint64_t number)
{
    const char *text = settings[number % FUZZ_SETTINGS];
    return (struct fuzz_piece){text, strlen(text)};
}

/* Making a config takes longer than most runs of a target. */
enum { CONFIGS = 32 };
static struct kept_config {
    char *settings;
    struct config *config;
} kept[CONFIGS];

static void set_all(struct config *config, struct fuzz_piece rest)
{
    while (rest.size) {
        struct fuzz_piece piece = fuzz_cut(&rest, ";");
        char *setting = mem_format("%.*s", (int)piece.size, piece.bytes);
        config_set(config, setting);
        free(setting);
    }
}

const struct config *fuzz_config(struct fuzz_piece text)
{
    static size_t next;
    for (size_t i = 0; i < CONFIGS; i++)
        if (kept[i].settings && strlen(kept[i].settings) == text.size &&
            memcmp(kept[i].settings, text.bytes, text.size) == 0)
            return kept[i].config;
    struct kept_config *place = &kept[next++ % CONFIGS];
    free(place->settings);
    if (place->config)
        config_close(place->config);
    place->settings = mem_format("%.*s", (int)text.size, text.bytes);
    place->config = fuzz_config_open();
    config_set(place->config, "machine=as-published"); /* the text may name another */
    config_set(place->config, "tdm.moves=200"); /* the search for schedules would take most of the time */
    set_all(place->config, text);
    const struct topology_config *topology = config_of(place->config, &topology_params);
    if (topology->is_given &&
        (topology->topo.node_switch || topology->topo.rates)) { /* its tables do not outlive this input */
        free(place->settings);
        place->settings = NULL;
    }
    return place->config;
}

/* -------------------------------------------------------------------- sizes */

static void find_large(void *self, const struct param *param, const char *value, const char *origin)
{
    (void)origin;
    enum { MOST = 4096 };
    bool *is_large = self;
    if (param->type == PARAM_COUNT && value && strcmp(param->name, "seed") != 0 &&
        strcmp(value, param->default_text) != 0 && strtoull(value, NULL, 10) > MOST)
        *is_large = true;
}

/* Fabrics have memory for each node, link and unit, and some draw a table for each pair of nodes. A system
 * or a placement that is a path would be read. */
static bool is_small(const struct config *config)
{
    enum { NODES = 128, LINKS = 4096 };
    const struct topology_config *topology = config_of(config, &topology_params);
    const char *system = config_text(config, "host.system"), *placement = config_text(config, "placement");
    bool is_large = topology->is_given && (topology->topo.nodes > NODES || topology->topo.links > LINKS);
    config_each(config, &is_large, find_large);
    return !is_large && !(system && strpbrk(system, "./")) && !strpbrk(placement, "./");
}

/* NAS programs of a large class. To find their patterns for tdm-compiled takes seconds. */
static bool is_large_class(const char *spec)
{
    const char *at = strstr(spec, "npb:") ? strstr(spec, "class=") : NULL;
    return at && !strchr("SW", at[strlen("class=")]);
}

bool fuzz_is_large_workload(const char *spec)
{
    enum { DIGITS = 5 };
    for (const char *at = spec; *at; at += strspn(at, "0123456789")) {
        at += strcspn(at, "0123456789");
        if (strspn(at, "0123456789") > DIGITS)
            return true;
    }
    return is_large_class(spec) || (strstr(spec, "npb:is") && !strstr(spec, "class=S")) ||
           strchr(spec, '/') || strstr(spec, "file");
}

struct program *fuzz_workload(const char *spec)
{
    fuzz_is_too_large |= fuzz_is_large_workload(spec);
    return fuzz_is_too_large ? NULL : fuzz_small_workload(spec);
}

struct program *fuzz_small_workload(const char *spec)
{
    struct program *program;
    if (workload_open(spec, &program) != STATUS_OK)
        return NULL;
    if (program->ranks <= FUZZ_RUN_RANKS)
        return program;
    fuzz_is_too_large = true;
    program->ops->close(program);
    return NULL;
}

/* --------------------------------------------------------------------- runs */

static size_t errors;

static void count_errors(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)message;
    errors += level == DIAG_ERROR;
}

/* Engines tell their progress after a number of events, so this bounds the events. */
static bool is_still_small(void *self, const struct experiment_progress *at)
{
    (void)at;
    return ++*(unsigned *)self < FUZZ_RUN_TELLINGS;
}

static bool run_fabric(struct experiment *experiment, size_t index)
{
    unsigned tellings = 0;
    const struct experiment_watch watch = {.progress = is_still_small, .self = &tellings};
    struct result result = {0};
    errors = 0;
    enum status status = experiment_run(experiment, index, &watch, &result);
    if (status == STATUS_OK) {
        fuzz_must(result.makespan >= 0, "a makespan is negative");
        char *text = result_run_text(&result);
        fuzz_must(text != NULL, "a result has no text");
        free(text);
    } else {
        fuzz_must(status == STATUS_CANCELLED || errors > 0, "a run fails without an error");
    }
    result_free(&result);
    return status == STATUS_OK;
}

bool fuzz_run(const struct config *config, struct program *program)
{
    enum { FABRICS = 4 };
    struct experiment experiment;
    bool has_ended = false;
    fuzz_is_too_large = program->ranks > FUZZ_RUN_RANKS || !is_small(config);
    if (fuzz_is_too_large)
        return false;
    diag_set_sink(count_errors, NULL);
    errors = 0;
    if (experiment_init_with(&experiment, config, program) == STATUS_OK)
        for (size_t i = 0; i < experiment.fabric_count && i < FABRICS; i++)
            has_ended |= run_fabric(&experiment, i);
    else
        fuzz_must(errors > 0, "an experiment is refused without an error");
    experiment_free(&experiment);
    fuzz_be_silent();
    return has_ended;
}
