#include "fabric/loggops.h"

#include <string.h>

#include "base/config.h"
#include "base/units.h"

/* "6 ns" of each byte, or "100 Gb/s". */
static bool parse_per_byte(const struct param *self, const char *text, void *field,
                           struct param_problem *problem)
{
    struct loggops_per_byte *value = field;
    struct units_problem as_time, as_rate;
    ps_t time;
    uint64_t rate;
    (void)self;
    if (units_time(text, &time, &as_time)) {
        *value = (struct loggops_per_byte){(uint64_t)time, 1};
        return true;
    }
    if (units_rate(text, &rate, &as_rate) && rate) {
        *value = (struct loggops_per_byte){(uint64_t)PS_PER_S, rate};
        return true;
    }
    return param_fail(problem, as_time.at,
                      "%s; a time for each byte, such as 0.02 ns, or a rate, such as 400 Gb/s", as_time.text);
}

#define LOGGOPS_TIME(key, field, value, text)                                                                \
    {                                                                                                        \
        .name = "loggops." key, .type = PARAM_TIME, .offset = offsetof(struct loggops_config, field),        \
        .default_text = (value), .min = "0 ps", .doc = (text)                                                \
    }

#define LOGGOPS_PER_BYTE(key, field, value, text)                                                            \
    {                                                                                                        \
        .name = "loggops." key, .type = PARAM_CUSTOM, .offset = offsetof(struct loggops_config, field),      \
        .default_text = (value), .parse = parse_per_byte, .doc = (text)                                      \
    }

PARAM_TABLE(loggops_params, "loggops", struct loggops_config,
            "LogGOPS: hosts and network in one (Hoefler, Schneider, Lumsdaine 2010; defaults of LogGOPSim)",
            LOGGOPS_TIME("L", L, "2500 ns", "latency of the network"),
            LOGGOPS_TIME("o", o, "1500 ns", "overhead of a cpu for each message, at each end"),
            LOGGOPS_TIME("g", g, "1000 ns", "gap of a NIC between messages"),
            LOGGOPS_PER_BYTE("G", G, "6 ns", "gap of a NIC for each byte: a time, or a rate"),
            LOGGOPS_PER_BYTE("O", O, "0 ns", "overhead of a cpu for each byte: a time, or a rate"),
            {.name = "loggops.S",
             .type = PARAM_SIZE,
             .offset = offsetof(struct loggops_config, S),
             .default_text = "65535 B",
             .doc = "larger messages are synchronous: their send ends when they are matched"});

/* The published numbers hold unless somebody gives a machine: whoever runs LogGOPSim's programs expects its
 * times. */
static void derive(struct derivation *derivation)
{
    const struct machine_config *machine = derivation->machine;
    const uint64_t *eager = config_field(derivation->config, "mpi.eager_threshold");
    if (strcmp(config_origin(derivation->config, "machine"), "default") == 0)
        return;
    derive_time(derivation, "loggops.L",
                ps_add(derivation_one_switch(derivation), ps_times(machine->nic_latency_ps, 2)),
                "2 nic.latency + 2 wire.latency + switch.latency");
    derive_time(derivation, "loggops.o", (machine->send_ps + machine->receive_ps) / 2,
                "(host.send + host.receive) / 2");
    derive_time(derivation, "loggops.g", 0, "0: a machine has no rate of messages");
    derive_rate(derivation, "loggops.G", derivation->node_rate_bytes_per_s, "nic.count x nic.rate");
    if (eager)
        derive_size(derivation, "loggops.S", *eager, "mpi.eager_threshold");
}

static void describe(const struct config *config, uint32_t nodes, struct fabric_description *description)
{
    const struct loggops_config *loggops = config_of(config, &loggops_params);
    const struct machine_config *machine = config_of(config, &machine_params);
    char time[DESCRIPTION_TIME];
    (void)nodes;
    if (loggops->G.numerator) {
        unsigned __int128 rate = (unsigned __int128)PS_PER_S * loggops->G.denominator / loggops->G.numerator;
        description->rate_bytes_per_s = rate > INT64_MAX ? 0 : (uint64_t)rate;
    }
    description->message_rate_bytes_per_s = description->rate_bytes_per_s;
    description->latency_ps = ps_add(loggops->L, ps_times(loggops->o, 2));
    description->ignores_topology = true;
    description->includes_hosts = true;
    description_base(description, config, "loggops.L", loggops->L,
                     machine->wire_latency_ps * 2 + machine->switch_latency_ps + machine->nic_latency_ps * 2,
                     "of LogGOPSim's defaults");
    description_add(&description->includes, "L of %s", description_time(loggops->L, time));
    description_add_times(description, 2, "o", "o", loggops->o);
    description_add(&description->notes, "no contention but at the two NICs");
}

/* The engine of this fabric moves the messages. */
static void submit(struct fabric *fabric, uint32_t message)
{
    (void)message;
    fabric_failed(fabric, STATUS_FAILED);
}

const struct fabric_ops loggops_fabric = {
    .name = "loggops",
    .doc = "LogGOPS: o, O at cpus, g, G at NICs, L between them, as LogGOPSim computes it",
    .params = &loggops_params,
    .host_path = HOST_PATH_UNKNOWN,
    .derive = derive,
    .describe = describe,
    .size = sizeof(struct fabric),
    .submit = submit,
    .is_immediate = true,
};
