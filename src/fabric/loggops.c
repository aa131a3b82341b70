#include "fabric/loggops.h"

#include <string.h>

#include "base/config.h"
#include "base/mem.h"
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
 * times. Without this fabric nothing is derived, since o would follow whatever hosts a sweep varies. */
static void derive(struct derivation *derivation)
{
    const struct machine_config *machine = derivation->machine;
    const uint64_t *eager = config_field(derivation->config, "mpi.eager_threshold");
    if (strcmp(config_origin(derivation->config, "machine"), "default") == 0 ||
        !strstr(config_text(derivation->config, "fabric"), loggops_fabric.name))
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

/* Whether the table's machine, the default one, says nothing about this fabric. By values, as a repeated run
 * has them from a result. */
static bool has_own_numbers(const struct config *config)
{
    return config_has_default(config, "machine") && config_has_default(config, "loggops.L") &&
           config_has_default(config, "loggops.G");
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
    if (has_own_numbers(config))
        description_add(&description->notes, "LogGOPSim's numbers; --machine NAME gives a machine's");
}

/* Traffic without ranks has no cpus: of the model g, G and L remain. */
struct loggops_network {
    struct fabric fabric;
    const struct loggops_config *config;
    ps_t *send_nic, *receive_nic; /* of each node: busy until then */
};

static enum status network_init(struct fabric *fabric)
{
    struct loggops_network *network = (struct loggops_network *)fabric;
    network->config = config_of(fabric->params.config, &loggops_params);
    network->send_nic = mem_alloc(fabric->params.nodes, sizeof *network->send_nic, "NICs");
    network->receive_nic = mem_alloc(fabric->params.nodes, sizeof *network->receive_nic, "NICs");
    return STATUS_OK;
}

static void network_free(struct fabric *fabric)
{
    struct loggops_network *network = (struct loggops_network *)fabric;
    free(network->send_nic);
    free(network->receive_nic);
}

static size_t network_bytes(const struct fabric *fabric)
{
    return 2 * fabric->params.nodes * sizeof(ps_t);
}

static void submit(struct fabric *fabric, uint32_t index)
{
    struct loggops_network *network = (struct loggops_network *)fabric;
    const struct loggops_config *config = network->config;
    const struct message *message = fabric_message(fabric, index);
    ps_t bytes = loggops_bytes_ps(config->G, message->bytes), now = fabric_now(fabric);
    ps_t *send = &network->send_nic[message->source_node];
    ps_t *receive = &network->receive_nic[message->destination_node];
    ps_t leaves = ps_max(now, *send), arrives = ps_max(ps_add(leaves, config->L), *receive);
    *send = ps_add(ps_add(leaves, config->g), bytes);
    *receive = ps_add(ps_add(arrives, config->g), bytes);
    fabric_visible(fabric, index, arrives);
    fabric_sender_done(fabric, index, ps_add(leaves, bytes));
    fabric_delivered(fabric, index, ps_add(arrives, bytes));
}

const struct fabric_ops loggops_fabric = {
    .name = "loggops",
    .doc = "LogGOPS: o, O at cpus, g, G at NICs, L between them, as LogGOPSim computes it",
    .params = &loggops_params,
    .host_path = HOST_PATH_NIC,
    .derive = derive,
    .describe = describe,
    .size = sizeof(struct loggops_network),
    .init = network_init,
    .free = network_free,
    .bytes = network_bytes,
    .submit = submit,
    .is_immediate = true,
};
