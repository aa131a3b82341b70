#include <stdlib.h>

#include "base/memory_stream.h"
#include "output/json.h"
#include "report/page.h"
#include "report/topology.h"
#include "sim/network.h"

/* The page of one experiment: the results of `--json`, and the meaning of their names. */

static enum status results_text(const struct manifest *manifest, const struct result *results, size_t count,
                                char **text)
{
    size_t length = 0;
    FILE *memory = memory_stream_open(text, &length);
    enum status status = result_print_json(manifest, results, count, memory);
    fclose(memory);
    return status;
}

static void add_parameter(void *self, const struct param *param, const char *value, const char *origin)
{
    json_t *parameter = json_make_object();
    json_put_text(parameter, "name", param->name);
    json_put_value(parameter, "value", value);
    json_put_text(parameter, "origin", origin);
    json_put_text(parameter, "doc", param->doc);
    json_add(self, parameter);
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

static json_t *metrics_json(const struct result *results, size_t count)
{
    json_t *metrics = json_make_object();
    for (size_t i = 0; i < count; i++) {
        const struct metric_table *table = results[i].metrics;
        for (size_t k = 0; table && k < table->count; k++) {
            json_t *metric = json_make_object();
            json_put_text(metric, "doc", table->metrics[k].doc);
            json_put_text(metric, "unit", unit_of(table->metrics[k].type));
            json_put(metrics, table->metrics[k].name, metric);
        }
    }
    return metrics;
}

static json_t *styles_json(const struct result *results, size_t count)
{
    json_t *styles = json_make_list();
    for (size_t i = 0; i < count; i++)
        json_add(styles, network_style_json(json_make_text(results[i].fabric)));
    return styles;
}

/* What the results of --json do not have: the origin of each parameter's value, the meaning of parameters and
 * metrics, how each fabric is drawn, and the picture of the network. */
static char *meanings_text(const struct manifest *manifest, const struct result *results, size_t count)
{
    json_t *parameters = json_make_list(), *whole = json_make_object();
    config_each(manifest->config, parameters, add_parameter);
    json_put(whole, "parameters", parameters);
    json_put(whole, "metrics", metrics_json(results, count));
    json_put(whole, "fabrics", styles_json(results, count));
    json_put(whole, "topology", report_topology(manifest->config));
    return json_take_line(whole, JSON_EXACT);
}

enum status report_page_write(struct report_page *page, const struct manifest *manifest,
                              const struct result *results, size_t count)
{
    char *results_json = NULL, *meanings_json = meanings_text(manifest, results, count);
    enum status status = results_text(manifest, results, count, &results_json);
    if (status == STATUS_OK)
        status = report_page_put(page, &(struct report_content){.title = manifest->program,
                                                                .results = results_json,
                                                                .meanings = meanings_json,
                                                                .program = REPORT_OF_RUN});
    free(results_json);
    free(meanings_json);
    return status;
}
