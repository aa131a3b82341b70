#include "sweep/results_network.h"

#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "fabric/list.h"
#include "sim/components.h"
#include "sim/network.h"

/* ------------------------------------------------------ parameters of a row */

/* A config with the parameters of a row. Rows that follow one another differ in few of them. */
struct row_config {
    struct config *config;               /* NULL: not open yet, or a default is wrong */
    const struct results_table_row *row; /* whose parameters it has; NULL: none */
    bool is_right;                       /* all values are valid */
};

static void restart(struct row_config *now)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    if (now->config)
        config_close(now->config);
    *now = (struct row_config){.config = config_open(tables, count), .is_right = true};
    /* Results from before there were machines have none. */
    if (now->config)
        config_assign(now->config, "machine", MACHINE_AS_PUBLISHED, "results");
}

/* Whether the row sets every parameter that the config has from the row before. */
static bool covers(const struct results_table_row *row, const struct results_table_row *before)
{
    const char *name;
    json_t *value;
    if (json_object_size(row->parameters) != json_object_size(before->parameters))
        return false;
    json_object_foreach(before->parameters, name, value)
    {
        if (json_is_string(value) && !results_table_value(row, name))
            return false;
    }
    return true;
}

static void take_row(struct row_config *now, const struct results_table_row *row)
{
    struct param_problem problem;
    const char *name;
    json_t *value;
    if (!now->row || !now->is_right || !covers(row, now->row))
        restart(now);
    json_object_foreach(row->parameters, name, value)
    {
        const char *text = json_string_value(value);
        const char *before = now->row ? results_table_value(now->row, name) : NULL;
        if (!text || (before && strcmp(text, before) == 0) || !now->config ||
            !config_field(now->config, name))
            continue;
        now->is_right &= config_try(now->config, name, text, "results", &problem);
    }
    now->row = row;
}

static void close_row(struct row_config *now)
{
    if (now->config)
        config_close(now->config);
}

/* ----------------------------------------------------------------- networks */

/* The network of a fabric with the parameters of the config. It is not described if the fabric is not in this
 * process, or if another program has changed the parameters. */
static void describe(const struct row_config *now, const char *name, struct result_network *network)
{
    const struct fabric_ops *fabric = fabric_find(name);
    *network = (struct result_network){.is_described = false};
    if (fabric && now->config && now->is_right && now->row->ranks)
        network_describe_alone(now->config, fabric, now->row->ranks, network);
}

/* The first fabric that is no bound; NULL: there is none. */
static const char *first_network(const struct results_table *results_table)
{
    for (size_t i = 0; i < results_table->count; i++) {
        const struct fabric_ops *fabric = fabric_find(results_table->rows[i].fabric);
        if (!fabric || !fabric->is_bound)
            return results_table->rows[i].fabric;
    }
    return NULL;
}

/* The row's config and that of the row that it is compared with. */
struct network_comparison {
    struct results_table *results_table;
    struct row_config own, other;
};

/* Compares the row with the fabric `name`, on the parameters of `versus`; NULL: on the row's own. The
 * networks of one fabric differ in what the baseline names, which is what is compared. */
static void compare_row(struct network_comparison *comparison, struct results_table_row *row,
                        const struct results_table_row *versus, const char *name)
{
    struct result_network own, other;
    struct description_texts reasons;
    if (strcmp(row->fabric, name) == 0)
        return;
    take_row(&comparison->own, row);
    describe(&comparison->own, row->fabric, &own);
    if (versus)
        take_row(&comparison->other, versus);
    describe(versus ? &comparison->other : &comparison->own, name, &other);
    network_differs(&other, name, &own, &reasons);
    char *text = network_reasons_line(&reasons);
    row->reason = text_index_add(&comparison->results_table->reasons, text);
    free(text);
}

void results_network_compare(struct results_table *results_table, const size_t *versus)
{
    struct network_comparison comparison = {.results_table = results_table};
    const char *name = versus ? NULL : first_network(results_table);
    text_index_add(&results_table->reasons, ""); /* number 0: there is none */
    /* Parameters that somebody else has written may not fit together. */
    const struct diag_silence silence = diag_begin_silence();
    for (size_t i = 0; i < results_table->count; i++) {
        struct results_table_row *row = &results_table->rows[i];
        const struct results_table_row *other =
            versus && versus[i] != SIZE_MAX ? &results_table->rows[versus[i]] : NULL;
        if (other || name)
            compare_row(&comparison, row, other, other ? other->fabric : name);
    }
    diag_end_silence(&silence);
    close_row(&comparison.own);
    close_row(&comparison.other);
}
