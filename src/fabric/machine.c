#include "fabric/machine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"

PARAM_TABLE(machine_params, "machine", struct machine_config,
            "the machine: what every fabric derives its rate and its latency from (docs/machines.md)",
            {.name = "nic.rate",
             .type = PARAM_RATE,
             .offset = offsetof(struct machine_config, nic_rate_bytes_per_s),
             .default_text = "0 B/s",
             .max = "1 TB/s",
             .doc = "of one NIC, each way; 0: not given, no rate is derived"},
            {.name = "nic.count",
             .type = PARAM_COUNT,
             .offset = offsetof(struct machine_config, nic_count),
             .default_text = "1",
             .min = "1",
             .max = "64",
             .doc = "NICs of a node; its rate is nic.count x nic.rate, however its ranks share them"},
            {.name = "nic.latency",
             .type = PARAM_TIME,
             .offset = offsetof(struct machine_config, nic_latency_ps),
             .default_text = "0 ps",
             .min = "0 ps",
             .max = "1 s",
             .doc = "PCIe and NIC of one end, between memory and the wire"},
            {.name = "wire.latency",
             .type = PARAM_TIME,
             .offset = offsetof(struct machine_config, wire_latency_ps),
             .default_text = "0 ps",
             .min = "0 ps",
             .max = "100 us",
             .doc = "of one cable, between a node and a switch or between two switches"},
            {.name = "switch.latency",
             .type = PARAM_TIME,
             .offset = offsetof(struct machine_config, switch_latency_ps),
             .default_text = "0 ps",
             .min = "0 ps",
             .max = "100 us",
             .doc = "of one packet switch, from port to port"},
            {.name = "host.send",
             .type = PARAM_TIME,
             .offset = offsetof(struct machine_config, send_ps),
             .default_text = "0 ps",
             .min = "0 ps",
             .max = "1 s",
             .doc = "time of the sender's core for a message to another node (docs/models/host.md)"},
            {.name = "host.receive",
             .type = PARAM_TIME,
             .offset = offsetof(struct machine_config, receive_ps),
             .default_text = "0 ps",
             .min = "0 ps",
             .max = "1 s",
             .doc = "time of the receiver's core for a message from another node"});

uint64_t machine_node_rate(const struct machine_config *machine)
{
    uint64_t rate;
    bool too_large = __builtin_mul_overflow(machine->nic_rate_bytes_per_s, machine->nic_count, &rate);
    return too_large ? UINT64_MAX : rate;
}

/* --------------------------------------------------------------- derivation */

bool derivation_may_set(const struct derivation *derivation, const char *param)
{
    const char *origin = config_origin(derivation->config, param);
    return strcmp(origin, "default") == 0 || strcmp(origin, derivation->origin) == 0;
}

static void derive(struct derivation *derivation, const char *param, const char *value, const char *formula)
{
    struct param_problem problem;
    if (derivation_may_set(derivation, param) &&
        !config_try(derivation->config, param, value, derivation->origin, &problem)) {
        diag_error("%s: %s = %s: %s", derivation->origin, param, formula, problem.text);
        derivation->status = STATUS_BAD_INPUT;
    }
    if (derivation->tell)
        derivation->tell(derivation->self,
                         &(struct derived){.param = param,
                                           .value = config_text(derivation->config, param),
                                           .formula = formula,
                                           .origin = config_origin(derivation->config, param)});
}

void derive_nothing(struct derivation *derivation, const char *param, const char *why)
{
    if (derivation->tell)
        derivation->tell(derivation->self, &(struct derived){.param = param,
                                                             .value = config_text(derivation->config, param),
                                                             .formula = why,
                                                             .origin = derivation->origin});
}

void derive_time(struct derivation *derivation, const char *param, ps_t value, const char *formula)
{
    char text[64];
    derive(derivation, param, units_print_time(value, text, sizeof text), formula);
}

void derive_rate(struct derivation *derivation, const char *param, uint64_t value, const char *formula)
{
    char text[64];
    if (derivation->node_rate_bytes_per_s)
        derive(derivation, param, units_print_rate(value, text, sizeof text), formula);
}

void derive_size(struct derivation *derivation, const char *param, uint64_t value, const char *formula)
{
    char text[64];
    if (derivation->node_rate_bytes_per_s)
        derive(derivation, param, units_print_size(value, text, sizeof text), formula);
}

static ps_t one_switch(const struct machine_config *machine)
{
    return 2 * machine->wire_latency_ps + machine->switch_latency_ps;
}

ps_t derivation_one_switch(const struct derivation *derivation)
{
    return one_switch(derivation->machine);
}

/* -------------------------------------------------------------- description */

void description_add(struct description_texts *texts, const char *format, ...)
{
    va_list args;
    if (texts->count == DESCRIPTION_TEXTS)
        return;
    va_start(args, format);
    vsnprintf(texts->text[texts->count++], DESCRIPTION_TEXT, format, args);
    va_end(args);
}

void description_unused(struct fabric_description *description, bool is_unused, const char *param)
{
    size_t count = 0;
    while (count < DESCRIPTION_UNUSED && description->unused[count])
        count++;
    if (is_unused && count < DESCRIPTION_UNUSED)
        description->unused[count] = param;
}

const char *description_time(ps_t time, char buffer[static DESCRIPTION_TIME])
{
    units_show_time(time, 6, buffer, DESCRIPTION_TIME);
    char *unit = strchr(buffer, ' '), *end = unit;
    if (!memchr(buffer, '.', (size_t)(unit - buffer)))
        return buffer;
    while (end[-1] == '0')
        end--;
    if (end[-1] == '.')
        end--;
    memmove(end, unit, strlen(unit) + 1);
    return buffer;
}

static const char with_wires[] = "with the wires of the machine";

/* Whether the run has a machine. */
static bool has_machine(const struct config *config)
{
    const char *machine = config_text(config, "machine");
    return machine && strcmp(machine, MACHINE_AS_PUBLISHED) != 0;
}

void description_base(struct fabric_description *description, const struct config *config, const char *param,
                      ps_t value, ps_t derived, const char *published)
{
    char *basis = description->basis;
    if (has_machine(config) && value && value == derived)
        snprintf(basis, sizeof description->basis, "%s", with_wires);
    else if (!value)
        snprintf(basis, sizeof description->basis, "%s",
                 has_machine(config) ? "without wires" : "without wires and hosts");
    else if (published && config_has_default(config, param))
        snprintf(basis, sizeof description->basis, "%s", published);
    else if (published)
        snprintf(basis, sizeof description->basis, "set to %s", config_text(config, param));
    else
        snprintf(basis, sizeof description->basis, "with %s set to %s", strrchr(param, '.') + 1,
                 config_text(config, param));
}

void description_add_times(struct fabric_description *description, uint64_t count, const char *one,
                           const char *many, ps_t each)
{
    char time[DESCRIPTION_TIME];
    if (count && each)
        description_add(&description->includes, "%" PRIu64 " %s of %s", count, count == 1 ? one : many,
                        description_time(each, time));
}

void description_add_hops(struct fabric_description *description, const struct config *config, uint32_t hops,
                          ps_t each)
{
    const struct machine_config *machine = config_of(config, &machine_params);
    char time[DESCRIPTION_TIME], *basis = description->basis;
    size_t length = strlen(basis);
    description_add_times(description, hops, "hop", "hops", each);
    if (hops && has_machine(config) && each != machine->wire_latency_ps + machine->switch_latency_ps)
        snprintf(basis + length, sizeof description->basis - length, " and hops of %s",
                 description_time(each, time));
}

void description_base_one_switch(struct fabric_description *description, const struct config *config,
                                 const char *param, ps_t value)
{
    const struct machine_config *machine = config_of(config, &machine_params);
    description_base(description, config, param, value, one_switch(machine), FABRIC_END_TO_END);
    if (strcmp(description->basis, with_wires) != 0) {
        description_add(&description->includes, "%s", description->basis);
        return;
    }
    description_add_times(description, 2, "wire", "wires", machine->wire_latency_ps);
    description_add_times(description, 1, "switch", "switches", machine->switch_latency_ps);
}
