#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/units.h"
#include "cli/print.h"
#include "cli/rerun.h"
#include "compare/result_file.h"
#include "output/interrupt.h"
#include "sim/components.h"
#include "sim/repeat.h"

static const json_t *manifest_of(const json_t *result)
{
    return json_object_get(result, "manifest");
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* -------------------------------------------------------------- comparison */

/* Times beyond 2^53 ps have fewer digits in JSON anyway. */
static const char *time_text(double seconds, char *buffer, size_t size)
{
    return units_print_time((ps_t)llround(seconds * (double)PS_PER_S), buffer, size);
}

static bool say_time(const char *file, const struct repeat_run *run)
{
    char kept[64], again[64];
    if (run->is_same_time)
        return true;
    diag_error("%s: %s takes %s, and took %s", file, run->fabric,
               time_text(run->again_s, again, sizeof again), time_text(run->kept_s, kept, sizeof kept));
    return false;
}

static bool say_others(const char *file, const struct repeat_run *run)
{
    if (!*run->others)
        return true;
    diag_note("%s: %s differs in %s", file, run->fabric, run->others);
    return false;
}

/* The files that both results name have other contents. */
static bool say_inputs(const json_t *kept, const json_t *again)
{
    const json_t *before = json_object_get(kept, "inputs"), *now = json_object_get(again, "inputs");
    bool is_same = true;
    for (size_t i = 0; i < json_array_size(before); i++) {
        const json_t *input = json_array_get(before, i);
        for (size_t k = 0; k < json_array_size(now); k++) {
            const json_t *other = json_array_get(now, k);
            if (strcmp(text_of(input, "path"), text_of(other, "path")) != 0 ||
                (strcmp(text_of(input, "xxh3"), text_of(other, "xxh3")) == 0 &&
                 strcmp(text_of(input, "programs_xxh3"), text_of(other, "programs_xxh3")) == 0))
                continue;
            diag_note("%s has changed: the hash of its contents was %s, and is %s", text_of(input, "path"),
                      text_of(input, "xxh3"), text_of(other, "xxh3"));
            is_same = false;
        }
    }
    return is_same;
}

/* Says why the times are not the same, where that is known. */
static void explain(const json_t *kept, const json_t *again)
{
    const char *was = text_of(kept, "version"), *is = text_of(again, "version");
    if (say_inputs(kept, again) && strcmp(was, is) != 0)
        diag_note("the kept result is of helio %s, and this is helio %s", was, is);
}

static enum status compare(const char *file, const json_t *kept, const json_t *again)
{
    struct repeat_run *runs;
    const size_t count = repeat_compare(kept, again, &runs);
    bool same_times = true, same_rest = true;
    for (size_t i = 0; i < count; i++) {
        same_times = say_time(file, &runs[i]) && same_times;
        same_rest = say_others(file, &runs[i]) && same_rest;
    }
    repeat_runs_free(runs, count);
    if (same_times)
        diag_note("%s: the same time%s as %s kept%s", file, count > 1 ? "s" : "", count > 1 ? "were" : "was",
                  same_rest ? ", and the same results in all else" : "");
    else
        explain(manifest_of(kept), manifest_of(again));
    return same_times ? STATUS_OK : STATUS_FAILED;
}

/* --------------------------------------------------------------------- run */

static bool goes_on(void *self, const struct experiment_progress *at)
{
    (void)self, (void)at;
    return !interrupt_wanted();
}

static enum status repeat(const char *file, const json_t *kept)
{
    size_t count;
    json_t *again = NULL;
    const struct experiment_watch watch = {.progress = goes_on};
    const json_t *parameters = json_object_get(manifest_of(kept), "parameters");
    enum status status = rerun_check_plugins(file, parameters);
    if (status != STATUS_OK)
        return status;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = repeat_config(parameters, tables, count);
    if (!config)
        return STATUS_BAD_INPUT;
    interrupt_accept();
    status = repeat_result(kept, config, &watch, &again);
    interrupt_refuse();
    config_close(config);
    if (status == STATUS_OK)
        status = cli_print_json(json_incref(again), RESULT_DIGITS);
    if (status == STATUS_OK)
        status = compare(file, kept, again);
    json_decref(again);
    return status;
}

enum status rerun_result(const char *file)
{
    json_t *kept;
    enum status status = result_file_read(file, &kept);
    if (status == STATUS_OK)
        status = repeat(file, kept);
    json_decref(kept);
    return status;
}
