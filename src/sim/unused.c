#include "sim/unused.h"

#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "engine/params.h"
#include "fabric/topology.h"
#include "host/rnic.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "sim/network.h"

static bool is_read(const struct unused_params *unused, const struct param_table *table)
{
    bool found = false;
    for (size_t i = 0; !found && i < unused->read_count; i++)
        found = unused->read[i] == table;
    return found;
}

static void add_table(struct unused_params *unused, const struct param_table *table)
{
    if (!table || is_read(unused, table))
        return;
    unused->read =
        mem_grow(unused->read, &unused->read_capacity, unused->read_count + 1, "tables of parameters");
    unused->read[unused->read_count++] = table;
}

/* The fabric's own table, and those that it shares with others. */
static void add_fabric(struct unused_params *unused, const struct experiment *experiment,
                       const struct fabric_ops *fabric)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct result_network network;
    const struct diag_silence silence = diag_begin_silence(); /* the run reports what is wrong */
    config_forget_reads(experiment->config);
    network_describe(experiment, fabric, &network);
    diag_end_silence(&silence);
    for (size_t i = 0; i < count; i++)
        if (config_was_read(experiment->config, tables[i]))
            add_table(unused, tables[i]);
    add_table(unused, fabric->params);
}

static void add_parts(struct unused_params *unused, const struct experiment *experiment)
{
    static const struct param_table *const always[] = {&experiment_params, &machine_params, &topology_params,
                                                       &host_params};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        add_table(unused, always[i]);
    for (size_t i = 0; i < experiment->fabric_count; i++)
        for (const struct param_table *const *table = experiment->engines[i]->params; *table; table++)
            add_table(unused, *table);
    if (experiment->has_host)
        add_table(unused, &rnic_params);
    for (size_t i = 0; i < experiment->fabric_count; i++)
        add_fabric(unused, experiment, experiment->fabrics[i]);
}

/* Where a parameter is set. */
struct setting_finder {
    struct unused_params *unused;
    const struct config *given;
};

static bool is_known(const struct unused_params *unused, const struct param *param)
{
    bool found = false;
    for (size_t i = 0; !found && i < unused->set_count; i++)
        found = unused->set[i] == param;
    return found;
}

static void add_setting(void *self, const struct param *param, const char *value, const char *origin)
{
    const struct setting_finder *finder = self;
    struct unused_params *unused = finder->unused;
    if (!value || strcmp(origin, "default") == 0 || is_known(unused, param) ||
        config_has_default(finder->given, param->name))
        return;
    unused->set = mem_grow(unused->set, &unused->set_capacity, unused->set_count + 1, "parameters");
    unused->set[unused->set_count++] = param;
}

void unused_params_add(struct unused_params *unused, const struct config *given,
                       const struct experiment *experiment)
{
    for (size_t i = 0; i < experiment->fabric_count; i++)
        if (!experiment->engines[i]->params)
            return;
    config_each(given, &(struct setting_finder){unused, given}, add_setting);
    add_parts(unused, experiment);
}

static bool has_effect(const struct unused_params *unused, const struct param *param)
{
    const struct param_table *table = components_table_of(param);
    return !table || is_read(unused, table);
}

void unused_params_warn(const struct unused_params *unused)
{
    char *names = mem_text("");
    size_t count = 0;
    for (size_t i = 0; i < unused->set_count; i++) {
        if (has_effect(unused, unused->set[i]))
            continue;
        char *longer = mem_format("%s%s%s", names, count++ ? ", " : "", unused->set[i]->name);
        free(names);
        names = longer;
    }
    if (count)
        diag_warning("%s %s no effect: nothing in this experiment reads %s", names,
                     count > 1 ? "have" : "has", count > 1 ? "them" : "it");
    free(names);
}

void unused_params_free(struct unused_params *unused)
{
    free(unused->set);
    free(unused->read);
}

bool experiment_reads(const struct experiment *experiment, const struct param *param)
{
    struct unused_params unused = {.read = NULL};
    for (size_t i = 0; i < experiment->fabric_count; i++)
        if (!experiment->engines[i]->params)
            return true;
    add_parts(&unused, experiment);
    bool reads = has_effect(&unused, param);
    unused_params_free(&unused);
    return reads;
}
