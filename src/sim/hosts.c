#include "sim/hosts.h"

#include "base/units.h"
#include "sim/components.h"

/* The default latency was measured from end to end, so it contains the hosts. Whether a latency that a user
 * sets contains them is unknown, so only the default is refused. */
static enum status check_default(const struct experiment *experiment, const struct param_table *table,
                                 const struct param *param)
{
    struct units_problem problem;
    ps_t published_ps;
    const char *fields = config_of(experiment->config, table);
    if (!units_time(param->default_text, &published_ps, &problem) ||
        *(const ps_t *)(fields + param->offset) != published_ps)
        return STATUS_OK;
    const struct system *system = &experiment->host.system;
    char network[32];
    ps_t network_ps = ps_add(system->times[TIME_WIRE].time_ps, system->times[TIME_SWITCH].time_ps);
    diag_error("%s is %s, which was measured from end to end; with host.system the hosts in it would count "
               "twice. Set it to the time of wires and switches alone: Wire + Switch of %s are %s",
               param->name, param->default_text, system->name ? system->name : "this system",
               units_show_time(network_ps, 6, network, sizeof network));
    return STATUS_BAD_INPUT;
}

static enum status check_latency(const struct experiment *experiment, const char *name)
{
    const struct param *param = components_param(name);
    return param ? check_default(experiment, components_table_of(param), param) : STATUS_OK;
}

static enum status check_fabric(const struct experiment *experiment, const struct fabric_ops *fabric)
{
    if (fabric->host_path == HOST_PATH_UNKNOWN) {
        diag_error("fabric %s does not declare a host path (the parts of a host that its messages cross), "
                   "so it cannot run with host.system",
                   fabric->name);
        return STATUS_BAD_INPUT;
    }
    return fabric->latency_name ? check_latency(experiment, fabric->latency_name) : STATUS_OK;
}

enum status hosts_init(struct experiment *experiment)
{
    const struct host_config *config = config_of(experiment->config, &host_params);
    if (!config->system && config->change) {
        diag_error("host.change needs host.system, whose times it changes");
        return STATUS_BAD_INPUT;
    }
    if (!config->system && config->caches == HOST_CACHES_PARTS) {
        diag_error("host.caches needs host.system: copies take no time without one");
        return STATUS_BAD_INPUT;
    }
    const struct rnic_config *rnic = config_of(experiment->config, &rnic_params);
    if (!config->system && rnic->transport != RNIC_NONE) {
        diag_error("rnic.transport needs host.system: connections are part of what a host costs");
        return STATUS_BAD_INPUT;
    }
    if (!config->system)
        return STATUS_OK;
    enum status status = host_open(&experiment->host, config, rnic);
    experiment->has_host = status == STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < experiment->fabric_count; i++)
        status = check_fabric(experiment, experiment->fabrics[i]);
    if (status != STATUS_OK)
        hosts_free(experiment);
    return status;
}

void hosts_free(struct experiment *experiment)
{
    if (experiment->has_host)
        host_close(&experiment->host);
    experiment->has_host = false;
}
