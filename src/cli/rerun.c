#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/rerun.h"
#include "output/json.h"
#include "plugin/plugin.h"
#include "sim/components.h"
#include "sweep/rerun.h"

static const struct cli_option options[] = {CLI_PLUGIN};

static const struct cli_command command = {
    .name = "rerun",
    .words = "RUN.json|RESULTS.db#ID",
    .doc = "Repeats a result of helio run --json, or one run of a sweep, from the parameters that it keeps.\n"
           "Prints the result as JSON, and says whether the times are the same. Exit status 1: they differ; "
           "of a sweep's\nrun, anything differs.",
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

enum status rerun_check_plugins(const char *name, const json_t *parameters)
{
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
    return status;
}

static enum status check_plugins(const char *name, const struct store_run *kept)
{
    json_t *parameters = json_read_object(kept->parameters);
    const enum status status = rerun_check_plugins(name, parameters);
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

/* "results.db#12", or the name of a file: one that exists wins. */
static enum status rerun_named(const char *name)
{
    const char *hash = strrchr(name, '#');
    struct units_problem problem;
    uint64_t id;
    struct stat about;
    if (!hash || hash == name || !units_count(hash + 1, &id, &problem) || id > INT64_MAX ||
        stat(name, &about) == 0)
        return rerun_result(name);
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
