#include "sweep/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "sweep/metadata.h"

/* ------------------------------------------------------------------- check */

static bool is_object(const char *text)
{
    json_t *object = json_read_object(text);
    json_decref(object);
    return object != NULL;
}

static enum status check_run(void *store, const struct store_run *run)
{
    const char *what = !is_object(run->parameters)             ? "parameters"
                       : run->done && !is_object(run->metrics) ? "metrics"
                       : run->done && !is_object(run->run)     ? "results"
                                                               : NULL;
    if (!what)
        return STATUS_OK;
    char *text = store_damage_text(store, run->id, what);
    diag_error("%s", text);
    free(text);
    return STATUS_BAD_INPUT;
}

enum status store_check(struct store *store)
{
    json_t *names = NULL, *baseline = NULL;
    enum status status = store_each(store, store, check_run);
    if (status == STATUS_OK)
        status = metadata_read_varied(store, &names);
    if (status == STATUS_OK)
        status = metadata_read_baseline(store, &baseline);
    json_decref(names);
    json_decref(baseline);
    return status;
}

/* ------------------------------------------------------------------- merge */

struct store_merging {
    struct store *into, *from;
};

/* A run that is in both files must have the same result in both. */
static enum status compare(const struct store_merging *merging, const struct store_run *run, int64_t id)
{
    struct store_run other;
    enum status status = store_get(merging->into, id, &other);
    if (status != STATUS_OK)
        return status;
    if (strcmp(other.run, run->run) != 0) {
        diag_error("%s#%" PRId64 " and %s#%" PRId64 " are the same run with different results; `helio rerun` "
                   "shows which of them is right",
                   store_path(merging->from), run->id, store_path(merging->into), id);
        status = STATUS_FAILED;
    }
    store_run_free(&other);
    return status;
}

static enum status add(void *self, const struct store_run *run)
{
    const struct store_merging *merging = self;
    struct store_run planned = *run;
    enum status status = store_plan(merging->into, &planned);
    if (status != STATUS_OK || !run->done)
        return status;
    if (planned.done)
        return compare(merging, run, planned.id);
    planned.done = true;
    return store_finish(merging->into, &planned);
}

static bool has_item(const json_t *list, const json_t *item)
{
    size_t index;
    json_t *known;
    json_array_foreach(list, index, known) if (json_equal(known, item)) return true;
    return false;
}

/* The parameters that are varied in either file. */
static enum status merge_varied(struct store_merging *merging)
{
    json_t *names = NULL, *more = NULL, *name;
    size_t index;
    enum status status = metadata_read_varied(merging->into, &names);
    if (status == STATUS_OK)
        status = metadata_read_varied(merging->from, &more);
    json_array_foreach(more, index, name)
    {
        if (!has_item(names, name))
            json_add(names, json_incref(name));
    }
    if (status == STATUS_OK)
        status = metadata_write(merging->into, STORE_VARIED, json_incref(names));
    json_decref(names);
    json_decref(more);
    return status;
}

/* A file has one baseline. The first file that names one wins. An empty object names no parameter, so no run
 * is the baseline. */
static enum status merge_baseline(struct store_merging *merging)
{
    json_t *ours = NULL, *theirs = NULL;
    enum status status = metadata_read_baseline(merging->into, &ours);
    if (status == STATUS_OK)
        status = metadata_read_baseline(merging->from, &theirs);
    if (status == STATUS_OK && json_object_size(theirs)) {
        if (!json_object_size(ours)) {
            status = metadata_write(merging->into, STORE_BASELINE, json_incref(theirs));
        } else if (!json_equal(ours, theirs)) {
            char *text = json_line(theirs, JSON_EXACT);
            diag_warning("%s has another baseline, which is left out: %s", store_path(merging->from), text);
            free(text);
        }
    }
    json_decref(ours);
    json_decref(theirs);
    return status;
}

enum status store_merge(struct store *into, struct store *from)
{
    struct store_merging merging = {.into = into, .from = from};
    enum status status = store_each(from, &merging, add);
    if (status == STATUS_OK)
        status = merge_varied(&merging);
    return status == STATUS_OK ? merge_baseline(&merging) : status;
}
