#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "output/json.h"
#include "plugin/plugin.h"
#include "sim/components.h"
#include "sweep/rerun.h"

static const struct cli_option options[] = {CLI_PLUGIN};

static const struct cli_command command = {
    .name = "rerun",
    .words = "RESULTS.db#ID",
    .doc = "Does one run of a sweep again and prints its result, the object that helio run --json has in "
           "`runs`.\n"
           "Exit status 1: the result differs from the one that is kept.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

/* Says why the run is not the one that it was, where that is known. */
static void explain(const struct store_run *kept, const struct store_run *again)
{
    if (strcmp(kept->input_hash, again->input_hash) != 0)
        diag_note("the trace has changed: the hash of its contents was %s, and is %s", kept->input_hash,
                  again->input_hash);
    else if (strcmp(kept->key, again->key) != 0)
        diag_note(
            "the kept result is of another version of helio, or a file that a parameter names has changed");
}

static enum status compare(const char *name, const struct store_run *kept, const struct store_run *again)
{
    json_print(again->run, stdout);
    putchar('\n');
    if (strcmp(kept->run, again->run) == 0) {
        diag_note("%s: the same bytes as were kept", name);
        return STATUS_OK;
    }
    diag_error("%s: the result differs from the one that is kept", name);
    explain(kept, again);
    return STATUS_FAILED;
}

/* A store of results may come from anybody, so what it names is not loaded: a plug-in is a program. */
static enum status check_plugins(const char *name, const struct store_run *kept)
{
    json_t *parameters = json_read_object(kept->parameters);
    const char *value = json_string_value(json_object_get(parameters, "plugins"));
    char *paths = mem_text(value ? value : ""), *rest = paths;
    enum status status = STATUS_OK;
    for (char *path; (path = strsep(&rest, ","));) {
        if (!*path || plugin_is_loaded(path))
            continue;
        diag_error(
            "%s was made with the plug-in %s, which is a program; if you trust it, --plugin %s loads it",
            name, path, path);
        status = STATUS_BAD_INPUT;
    }
    free(paths);
    json_decref(parameters);
    return status;
}

static enum status rerun(const char *name, const char *path, int64_t id)
{
    struct store *store = NULL;
    struct store_run kept = {0}, again = {0};
    enum status status = store_open(path, STORE_READ, &store);
    if (status == STATUS_OK)
        status = store_get(store, id, &kept);
    store_close(store);
    if (status == STATUS_OK && !kept.done) {
        diag_error("%s has not been run yet; helio sweep makes the missing runs", name);
        status = STATUS_BAD_INPUT;
    }
    if (status == STATUS_OK)
        status = check_plugins(name, &kept);
    if (status == STATUS_OK) {
        size_t count;
        const struct param_table *const *tables = components_params(&count);
        status = sweep_rerun(&kept, tables, count, &again);
    }
    if (status == STATUS_OK)
        status = compare(name, &kept, &again);
    store_run_free(&kept);
    store_run_free(&again);
    return status;
}

/* "results.db#12" */
static enum status rerun_named(const char *name)
{
    const char *hash = strrchr(name, '#');
    struct units_problem problem;
    uint64_t id;
    if (!hash || hash == name || !units_count(hash + 1, &id, &problem) || id > INT64_MAX) {
        diag_error("a run is %s, with the id that helio export prints; not '%s'", command.words, name);
        return STATUS_BAD_INPUT;
    }
    char *path = mem_format("%.*s", (int)(hash - name), name);
    enum status status = rerun(name, path, (int64_t)id);
    free(path);
    return status;
}

static bool take(void *name, int found, const char *value)
{
    (void)found; /* --plugin is taken before */
    if (*(const char **)name) {
        diag_error("helio rerun does one run again, not also '%s'", value);
        return false;
    }
    *(const char **)name = value;
    return true;
}

int cli_rerun(int argc, char **argv)
{
    const char *name = NULL;
    int found = cli_read_all(&command, argc, argv, take, &name);
    if (found != CLI_END)
        return cli_status(found);
    if (name)
        return rerun_named(name);
    diag_error("helio rerun needs a run: %s", command.words);
    return STATUS_BAD_INPUT;
}
