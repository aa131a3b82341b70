#include "sim/repeat.h"

#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "fabric/machine.h"
#include "sim/insight.h"
#include "sim/memory.h"
#include "sim/path_summary.h"
#include "sim/what_if.h"

/* ------------------------------------------------------------------- config */

struct config *repeat_config(const json_t *parameters, const struct param_table *const *tables,
                             size_t table_count)
{
    struct config *config = config_open(tables, table_count);
    if (!config)
        return NULL;
    /* The parameters are kept as the machine left them. Results from before there were machines have none. */
    enum status status = config_assign(config, "machine", MACHINE_AS_PUBLISHED, "rerun");
    config_finish(config);
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)parameters, name, value)
    {
        if (status == STATUS_OK && json_is_string(value)) /* a parameter without a value is null */
            status = config_assign(config, name, json_string_value(value), name);
    }
    if (status == STATUS_OK)
        return config;
    config_close(config);
    return NULL;
}

/* --------------------------------------------------------------------- runs */

static const json_t *runs_of(const json_t *result)
{
    return json_object_get(result, "runs");
}

static const char *fabric_of(const json_t *run)
{
    return json_string_value(json_object_get(run, "fabric"));
}

/* An interrupted result has not all fabrics of its parameters. */
static enum status choose_fabrics(const json_t *kept, struct config *config)
{
    const json_t *runs = runs_of(kept);
    char *names = mem_text("");
    for (size_t i = 0; i < json_array_size(runs); i++) {
        char *longer = mem_format("%s%s%s", names, i ? "," : "", fabric_of(json_array_get(runs, i)));
        free(names);
        names = longer;
    }
    const enum status status = config_assign(config, "fabric", names, "rerun");
    free(names);
    return status;
}

static bool any_run_has(const json_t *kept, const char *field)
{
    const json_t *runs = runs_of(kept);
    for (size_t i = 0; i < json_array_size(runs); i++)
        if (json_object_get(json_array_get(runs, i), field))
            return true;
    return false;
}

static enum experiment_path path_of(const json_t *kept)
{
    if (any_run_has(kept, "slack"))
        return EXPERIMENT_PATH_SLACK;
    return json_object_get(kept, "insight") ? EXPERIMENT_PATH_LISTED : EXPERIMENT_PATH_NONE;
}

static size_t what_ifs_of(const json_t *run)
{
    const size_t count = json_array_size(json_object_get(run, "what_if"));
    return count < PATH_LISTED ? count : PATH_LISTED;
}

static enum status run_all(const json_t *kept, struct experiment *experiment,
                           const struct experiment_watch *watch, struct result *results)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < experiment->fabric_count; i++) {
        const size_t what_ifs = what_ifs_of(json_array_get(runs_of(kept), i));
        status = experiment_run(experiment, i, watch, &results[i]);
        if (status == STATUS_OK && what_ifs && results[i].path)
            status = what_if_run(experiment, i, watch, what_ifs, &results[i]);
    }
    return status;
}

static json_t *json_of(const json_t *kept, struct experiment *experiment, const struct result *results)
{
    struct manifest manifest = experiment_manifest(experiment);
    struct insight insight = {.count = 0};
    if (json_object_get(kept, "insight")) {
        insight_make(&insight, results, experiment->fabric_count, manifest.bursts, manifest.lost);
        manifest.insight = &insight;
    }
    json_t *json = result_json(&manifest, results, experiment->fabric_count);
    insight_free(&insight);
    return json;
}

static enum status run_experiment(const json_t *kept, struct experiment *experiment,
                                  const struct experiment_watch *watch, json_t **again)
{
    struct result results[EXPERIMENT_FABRICS] = {0};
    const struct memory_room room = memory_room_find();
    experiment->path = path_of(kept);
    enum status status = memory_admit(experiment, &room);
    if (status == STATUS_OK)
        status = run_all(kept, experiment, watch, results);
    if (status == STATUS_OK)
        *again = json_of(kept, experiment, results);
    for (size_t i = 0; i < EXPERIMENT_FABRICS; i++)
        result_free(&results[i]);
    return status;
}

enum status repeat_result(const json_t *kept, const struct config *config,
                          const struct experiment_watch *watch, json_t **again)
{
    struct experiment experiment = {.program = NULL};
    struct config *chosen = config_copy(config);
    *again = NULL;
    enum status status = chosen ? choose_fabrics(kept, chosen) : STATUS_FAILED;
    if (status == STATUS_OK) {
        status = experiment_init(&experiment, chosen);
        if (status == STATUS_OK)
            status = experiment_hash_inputs(&experiment);
        if (status == STATUS_OK)
            status = run_experiment(kept, &experiment, watch, again);
        experiment_free(&experiment);
    }
    if (chosen)
        config_close(chosen);
    return status;
}

/* --------------------------------------------------------------- comparison */

/* Two values are the same if they are written the same. */
static bool is_same(const json_t *kept, const json_t *again)
{
    if (!kept || !again)
        return kept == again;
    char *texts[2] = {json_line(kept, RESULT_DIGITS), json_line(again, RESULT_DIGITS)};
    const bool same = strcmp(texts[0], texts[1]) == 0;
    free(texts[0]);
    free(texts[1]);
    return same;
}

static void add_name(char **names, const char *name)
{
    char *longer = mem_format("%s%s%s", *names, **names ? ", " : "", name);
    free(*names);
    *names = longer;
}

static char *others_of(const json_t *kept, const json_t *again)
{
    char *names = mem_text("");
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)kept, name, value)
    {
        if (strcmp(name, "makespan_s") != 0 && !is_same(value, json_object_get(again, name)))
            add_name(&names, name);
    }
    json_object_foreach((json_t *)again, name, value)
    {
        if (!json_object_get(kept, name))
            add_name(&names, name);
    }
    return names;
}

static struct repeat_run compare_run(const json_t *kept, const json_t *again)
{
    const json_t *times[2] = {json_object_get(kept, "makespan_s"), json_object_get(again, "makespan_s")};
    return (struct repeat_run){.fabric = fabric_of(kept),
                               .kept_s = json_number_value(times[0]),
                               .again_s = json_number_value(times[1]),
                               .is_same_time = is_same(times[0], times[1]),
                               .others = others_of(kept, again)};
}

size_t repeat_compare(const json_t *kept, const json_t *again, struct repeat_run **runs)
{
    const size_t count = json_array_size(runs_of(again));
    *runs = mem_alloc(count, sizeof **runs, "runs");
    for (size_t i = 0; i < count; i++)
        (*runs)[i] = compare_run(json_array_get(runs_of(kept), i), json_array_get(runs_of(again), i));
    return count;
}

void repeat_runs_free(struct repeat_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(runs[i].others);
    free(runs);
}
