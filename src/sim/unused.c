#include "sim/unused.h"

#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "coll/coll.h"
#include "engine/params.h"
#include "fabric/topology.h"
#include "host/rnic.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "sim/network.h"
#include "sim/result.h"

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

static bool is_among(const struct param *const *params, size_t count, const struct param *param)
{
    bool found = false;
    for (size_t i = 0; !found && i < count; i++)
        found = params[i] == param;
    return found;
}

static bool is_ignored(const struct result_network *network, const char *name)
{
    bool found = false;
    for (size_t i = 0; !found && i < network->ignores.count; i++)
        found = strcmp(network->ignores.text[i], name) == 0;
    return found;
}

/* The engine of compat. */
static bool reads_any_parameter(const struct experiment *experiment)
{
    bool reads_any = false;
    for (size_t i = 0; i < experiment->fabric_count; i++)
        reads_any |= !experiment->engines[i]->params;
    return reads_any;
}

static bool is_name_among(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names;
}

/* Whether something else takes the place of this parameter. A workload has an algorithm of its own;
 * host.system has times of its own for the software of hosts and their NICs and for copies within a node, and
 * intranode.times for messages within a node. Where each rank has a node, there are none of these. */
static bool is_replaced(const struct experiment *experiment, const char *name)
{
    static const char *const by_system[] = {"host.send", "host.receive", "nic.latency", "intranode.bandwidth",
                                            NULL},
                             *const by_times[] = {"intranode.latency", "intranode.bandwidth", NULL},
                             *const within_node[] = {"intranode.latency", "intranode.bandwidth",
                                                     "intranode.times", NULL};
    const struct config *config = experiment->config;
    const char *of_program = experiment->program->setting.parameter;
    const bool is_alone =
        !experiment->program->openloop && node_config_ranks(config_of(config, &node_params)) == 1;
    if (reads_any_parameter(experiment))
        return false;
    return (of_program && strcmp(name, of_program) == 0) ||
           (experiment->has_host && is_name_among(by_system, name)) ||
           (!config_has_default(config, "intranode.times") && is_name_among(by_times, name)) ||
           (is_alone && is_name_among(within_node, name));
}

static void keep(const struct param ***list, size_t *count, size_t *capacity, const struct param *param)
{
    if (is_among(*list, *count, param))
        return;
    *list = mem_grow(*list, capacity, *count + 1, "parameters");
    (*list)[(*count)++] = param;
}

/* Those that are set and that no other one replaces. */
static void add_needed(struct unused_params *unused, const struct experiment *experiment)
{
    for (size_t i = 0; i < unused->set_count; i++)
        if (!is_replaced(experiment, unused->set[i]->name))
            keep(&unused->needed, &unused->needed_count, &unused->needed_capacity, unused->set[i]);
}

/* Of the parameters that are set and have another value than the default here: those that the tables have and
 * the network does not ignore. */
static void add_effects(struct unused_params *unused, const struct experiment *experiment,
                        const struct unused_params *tables, const struct result_network *network)
{
    for (size_t i = 0; i < unused->set_count; i++) {
        const struct param *param = unused->set[i];
        const struct param_table *table = components_table_of(param);
        if (!config_has_default(experiment->config, param->name) && !is_ignored(network, param->name) &&
            !is_replaced(experiment, param->name) && (!table || is_read(tables, table)))
            keep(&unused->effective, &unused->effective_count, &unused->effective_capacity, param);
    }
}

/* The fabric's own table, and those that it shares with others. */
static void add_tables(struct unused_params *tables, const struct experiment *experiment,
                       const struct fabric_ops *fabric, struct result_network *network)
{
    size_t count;
    const struct param_table *const *all = components_params(&count);
    const struct diag_silence silence = diag_begin_silence(); /* the run reports what is wrong */
    config_forget_reads(experiment->config);
    network_describe(experiment, fabric, network);
    diag_end_silence(&silence);
    for (size_t i = 0; i < count; i++)
        if (config_was_read(experiment->config, all[i]))
            add_table(tables, all[i]);
    add_table(tables, fabric->params);
}

/* All but the fabrics. */
static void add_parts(struct unused_params *tables, const struct experiment *experiment)
{
    static const struct param_table *const always[] = {&experiment_params, &machine_params, &topology_params,
                                                       &host_params};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        add_table(tables, always[i]);
    for (size_t i = 0; i < experiment->fabric_count; i++)
        for (const struct param_table *const *table = experiment->engines[i]->params; *table; table++)
            add_table(tables, *table);
    if (experiment->has_host)
        add_table(tables, &rnic_params);
}

static void add_fabrics(struct unused_params *unused, const struct experiment *experiment)
{
    add_parts(unused, experiment);
    for (size_t i = 0; i < experiment->fabric_count; i++) {
        struct unused_params tables = {.read = NULL};
        struct result_network network;
        add_parts(&tables, experiment);
        add_tables(&tables, experiment, experiment->fabrics[i], &network);
        add_effects(unused, experiment, &tables, &network);
        for (size_t k = 0; k < tables.read_count; k++)
            add_table(unused, tables.read[k]);
        unused_params_free(&tables);
    }
}

/* Where a parameter is set. */
struct setting_finder {
    struct unused_params *unused;
    const struct config *given;
};

static void add_setting(void *self, const struct param *param, const char *value, const char *origin)
{
    const struct setting_finder *finder = self;
    struct unused_params *unused = finder->unused;
    if (value && strcmp(origin, "default") != 0 && !config_has_default(finder->given, param->name))
        keep(&unused->set, &unused->set_count, &unused->set_capacity, param);
}

void unused_params_add(struct unused_params *unused, const struct config *given,
                       const struct experiment *experiment)
{
    size_t count;
    const struct param_table *const *all = components_params(&count);
    config_each(given, &(struct setting_finder){unused, given}, add_setting);
    add_needed(unused, experiment);
    unused->reads_any |= reads_any_parameter(experiment);
    if (!reads_any_parameter(experiment)) {
        add_fabrics(unused, experiment);
        return;
    }
    for (size_t i = 0; i < count; i++)
        add_table(unused, all[i]);
    add_effects(unused, experiment, unused, &(struct result_network){.is_bound = false});
}

static bool has_effect(const struct unused_params *unused, const struct param *param)
{
    const struct param_table *table = components_table_of(param);
    return (!table || is_read(unused, table)) && is_among(unused->needed, unused->needed_count, param);
}

static void warn(const struct unused_params *unused,
                 bool (*is_used)(const struct unused_params *unused, const struct param *param))
{
    char *names = mem_text("");
    size_t count = 0;
    for (size_t i = 0; i < unused->set_count; i++) {
        if (is_used(unused, unused->set[i]))
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

void unused_params_warn(const struct unused_params *unused)
{
    warn(unused, has_effect);
}

static bool is_effective(const struct unused_params *unused, const struct param *param)
{
    return is_among(unused->effective, unused->effective_count, param);
}

void unused_params_warn_of_points(const struct unused_params *unused)
{
    warn(unused, is_effective);
}

bool unused_result_calls(void *self, const char *operation)
{
    const struct result *result = self;
    bool found = false;
    for (size_t i = 0; !found && i < result->collectives.count; i++)
        found = strcmp(result->collectives.entries[i].operation, operation) == 0;
    return found;
}

void unused_algorithms_warn(const struct unused_params *unused,
                            bool (*calls)(void *self, const char *operation), void *self)
{
    for (size_t i = 0; !unused->reads_any && i < unused->effective_count; i++) {
        const char *name = unused->effective[i]->name;
        for (enum coll_kind kind = 0; kind < COLL_KINDS; kind++) {
            const char *operation = coll_kind_name(kind);
            if (strncmp(name, "mpi.", 4) == 0 && strcmp(name + 4, operation) == 0 && !calls(self, operation))
                diag_warning("%s has no effect: the program does not call %s", name, operation);
        }
    }
}

static bool has_segments(const struct coll_algorithm *algorithm)
{
    return algorithm->has_segments;
}

static bool has_windows(const struct coll_algorithm *algorithm)
{
    return algorithm->has_windows;
}

/* An algorithm from outside the program may have anything. */
static bool has_some(const struct result *result, bool (*has)(const struct coll_algorithm *algorithm))
{
    bool found = false;
    for (size_t i = 0; !found && i < result->collectives.count; i++) {
        const struct result_collective *calls = &result->collectives.entries[i];
        const struct coll_algorithm *algorithm = coll_find((enum coll_kind)calls->kind, calls->algorithm);
        found = !algorithm || algorithm->external || has(algorithm);
    }
    return found;
}

void unused_shapes_warn(const struct unused_params *unused, const struct result *result)
{
    static const struct {
        const char *param, *what;
        bool (*has)(const struct coll_algorithm *algorithm);
    } shapes[] = {{"mpi.segment", "segments", has_segments}, {"mpi.alltoall_window", "windows", has_windows}};
    for (size_t i = 0; !unused->reads_any && i < unused->effective_count; i++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            if (strcmp(unused->effective[i]->name, shapes[k].param) == 0 && !has_some(result, shapes[k].has))
                diag_warning("%s has no effect: the program calls no collective whose algorithm has %s",
                             shapes[k].param, shapes[k].what);
}

void unused_computation_warn(const struct unused_params *unused, const struct result *result)
{
    for (size_t i = 0; !unused->reads_any && !result->has_operations && i < unused->effective_count; i++) {
        const char *name = unused->effective[i]->name;
        if (components_table_of(unused->effective[i]) != &compute_params)
            continue;
        if (!result->has_times)
            diag_warning("%s has no effect: the program computes nothing", name);
        else if (strcmp(name, "compute.rate") == 0)
            diag_warning("%s has no effect: the program's computation is given as times, which compute.scale "
                         "multiplies",
                         name);
    }
}

void unused_params_free(struct unused_params *unused)
{
    free(unused->set);
    free(unused->read);
    free(unused->effective);
    free(unused->needed);
}

bool experiment_reads(const struct experiment *experiment, const struct param *param)
{
    struct unused_params unused = {.read = NULL};
    if (reads_any_parameter(experiment))
        return true;
    add_fabrics(&unused, experiment);
    const struct param_table *table = components_table_of(param);
    bool reads = (!table || is_read(&unused, table)) && !is_replaced(experiment, param->name);
    unused_params_free(&unused);
    return reads;
}
