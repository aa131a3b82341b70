#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "report/page.h"
#include "report/topology.h"

/* The page of one experiment: the results of `--json`, and the meaning of their names. */

static enum status results_text(const struct manifest *manifest, const struct result *results, size_t count,
                                char **text)
{
    size_t length = 0;
    FILE *memory = open_memstream(text, &length);
    if (!memory) {
        diag_error("cannot write the report: %s", strerror(errno));
        return STATUS_FAILED;
    }
    enum status status = result_print_json(manifest, results, count, memory);
    fclose(memory);
    return status;
}

static void add_parameter(void *self, const struct param *param, const char *value, const char *origin)
{
    json_array_append_new(self, json_pack("{s:s, s:s?, s:s, s:s}", "name", param->name, "value", value,
                                          "origin", origin, "doc", param->doc));
}

static const char *unit_of(enum metric_type type)
{
    switch (type) {
    case METRIC_BYTES:
    case METRIC_BYTES_SUM:
        return "bytes";
    case METRIC_TIME:
    case METRIC_TIME_SUM:
    case METRIC_TIMES:
        return "seconds";
    default:
        return "";
    }
}

/* What the results of --json do not have: the origin of each parameter's value, the meaning of parameters and
 * metrics, and the picture of the network. */
static enum status meanings_text(const struct manifest *manifest, const struct result *results, size_t count,
                                 char **text)
{
    json_t *parameters = json_array(), *metrics = json_object();
    config_each(manifest->config, parameters, add_parameter);
    for (size_t i = 0; i < count; i++) {
        const struct metric_table *table = results[i].metrics;
        for (size_t k = 0; table && k < table->count; k++)
            json_object_set_new(metrics, table->metrics[k].name,
                                json_pack("{s:s, s:s}", "doc", table->metrics[k].doc, "unit",
                                          unit_of(table->metrics[k].type)));
    }
    json_t *whole = json_pack("{s:o, s:o, s:o*}", "parameters", parameters, "metrics", metrics, "topology",
                              report_topology(manifest->config));
    *text = whole ? json_dumps(whole, JSON_COMPACT) : NULL;
    json_decref(whole);
    if (!*text) {
        diag_error("cannot write the report: a parameter's value or origin is not UTF-8");
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

enum status report_page_write(struct report_page *page, const struct manifest *manifest,
                              const struct result *results, size_t count)
{
    char *results_json = NULL, *meanings_json = NULL;
    enum status status = results_text(manifest, results, count, &results_json);
    if (status == STATUS_OK)
        status = meanings_text(manifest, results, count, &meanings_json);
    if (status == STATUS_OK)
        status = report_page_put(page, &(struct report_content){.title = manifest->program,
                                                                .results = results_json,
                                                                .meanings = meanings_json,
                                                                .program = REPORT_OF_RUN});
    free(results_json);
    free(meanings_json);
    return status;
}
