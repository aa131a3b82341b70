#include "sweep/merge.h"

#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "output/json.h"

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

/* The parameters that are varied in either file. */
static enum status merge_varied(struct store_merging *merging)
{
    char *ours = NULL, *theirs = NULL;
    enum status status = store_get_metadata(merging->into, STORE_VARIED, &ours);
    if (status == STATUS_OK)
        status = store_get_metadata(merging->from, STORE_VARIED, &theirs);
    json_t *list = ours ? json_read_list(ours) : NULL, *more = theirs ? json_read_list(theirs) : NULL;
    if (!list)
        list = json_make_list();
    for (size_t i = 0; i < json_array_size(more); i++) {
        json_t *name = json_array_get(more, i);
        bool known = false;
        for (size_t j = 0; j < json_array_size(list); j++)
            known |= json_equal(json_array_get(list, j), name);
        if (!known)
            json_add(list, json_incref(name));
    }
    char *text = json_take_line(list, JSON_EXACT);
    if (status == STATUS_OK)
        status = store_set_metadata(merging->into, STORE_VARIED, text);
    json_decref(more);
    free(text);
    free(ours);
    free(theirs);
    return status;
}

/* An empty object names no parameter, so no run is the baseline. */
static bool is_baseline(const char *text)
{
    json_t *baseline = text ? json_read_object(text) : NULL;
    bool names_some = json_object_size(baseline) > 0;
    json_decref(baseline);
    return names_some;
}

/* A file has one baseline. The first file that names one wins. */
static enum status merge_baseline(struct store_merging *merging)
{
    char *ours = NULL, *theirs = NULL;
    enum status status = store_get_metadata(merging->into, STORE_BASELINE, &ours);
    if (status == STATUS_OK)
        status = store_get_metadata(merging->from, STORE_BASELINE, &theirs);
    if (status == STATUS_OK && is_baseline(theirs)) {
        if (!is_baseline(ours))
            status = store_set_metadata(merging->into, STORE_BASELINE, theirs);
        else if (strcmp(ours, theirs) != 0)
            diag_warning("%s has another baseline, which is left out: %s", store_path(merging->from), theirs);
    }
    free(ours);
    free(theirs);
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
