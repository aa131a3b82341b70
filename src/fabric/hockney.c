#include "base/config.h"
#include "fabric/fabric.h"

/* Hockney's model, Eq. 6 of the FMU paper: T = T_L + S / BW for every message, whatever else is under way. No
 * message depends on another, so everything is known when a message is submitted, and no event is needed.
 * docs/models/hockney.md */
struct hockney_config {
    ps_t latency_ps;
    uint64_t bandwidth_bytes_per_s;
    ps_t clock_ps;
};

PARAM_TABLE(hockney_params, "hockney", struct hockney_config,
            "latency + size / bandwidth for every message, no contention (Hockney; FMU paper, Eq. 6)",
            {.name = "hockney.latency",
             .type = PARAM_TIME,
             .offset = offsetof(struct hockney_config, latency_ps),
             .default_text = "8 us",
             .min = "0 ps",
             .doc = "T_L, the time of a message of no bytes (FMU paper, Table 3: OSU latency)"},
            {.name = "hockney.bandwidth",
             .type = PARAM_RATE,
             .offset = offsetof(struct hockney_config, bandwidth_bytes_per_s),
             .default_text = "12.5 GB/s",
             .min = "1 B/s",
             .doc = "BW, bytes per second of one message (FMU paper, Table 3: 100 Gb/s InfiniBand)"},
            {.name = "hockney.clock",
             .type = PARAM_TIME,
             .offset = offsetof(struct hockney_config, clock_ps),
             .default_text = "0 ps",
             .min = "0 ps",
             .max = "1 us",
             .doc = "the time of each message is cut to whole multiples of this; 0: it is not"});

static ps_t cut(const struct hockney_config *config, ps_t time)
{
    return config->clock_ps && time != PS_NEVER ? time - time % config->clock_ps : time;
}

struct hockney {
    struct fabric fabric;
    const struct hockney_config *config;
};

static enum status hockney_init(struct fabric *fabric)
{
    ((struct hockney *)fabric)->config = config_of(fabric->params.config, &hockney_params);
    return STATUS_OK;
}

static ps_t earlier(ps_t a, ps_t b)
{
    return a < b ? a : b;
}

static void hockney_submit(struct fabric *fabric, uint32_t index)
{
    const struct hockney_config *config = ((const struct hockney *)fabric)->config;
    const struct tap *tap = fabric->params.tap;
    uint64_t bytes = fabric_message_bytes(fabric, fabric_message(fabric, index));
    ps_t now = fabric_now(fabric);
    ps_t sent = service_ps(bytes, config->bandwidth_bytes_per_s);
    ps_t delivered = ps_add(now, cut(config, ps_add(sent, config->latency_ps)));
    ps_t injected = earlier(ps_add(now, sent), delivered);

    tap_emit_part(tap, index, TAP_PART_TRANSFER, now, injected, NULL, 0);
    tap_emit_part(tap, index, TAP_PART_WIRE, injected, delivered, NULL, 0);
    fabric_visible(fabric, index, earlier(ps_add(now, config->latency_ps), delivered));
    fabric_sender_done(fabric, index, injected);
    fabric_delivered(fabric, index, delivered);
}

static void hockney_derive(struct derivation *derivation)
{
    derive_time(derivation, "hockney.latency", derivation_one_switch(derivation),
                "2 wire.latency + switch.latency");
    derive_rate(derivation, "hockney.bandwidth", derivation->node_rate_bytes_per_s, "nic.count x nic.rate");
}

static void hockney_describe(const struct config *config, uint32_t nodes,
                             struct fabric_description *description)
{
    const struct hockney_config *hockney = config_of(config, &hockney_params);
    (void)nodes;
    description->rate_bytes_per_s = description->message_rate_bytes_per_s = hockney->bandwidth_bytes_per_s;
    description->latency_ps = cut(hockney, hockney->latency_ps);
    description->ignores_topology = description->has_no_contention = true;
    description_base_one_switch(description, config, "hockney.latency", description->latency_ps);
    description_add(&description->notes, "no contention: each message has the whole rate");
}

const struct fabric_ops hockney_fabric = {
    .name = "hockney",
    .doc = "latency + size / bandwidth for every message, no contention",
    .params = &hockney_params,
    .host_path = HOST_PATH_NIC,
    .latency_name = "hockney.latency",
    .derive = hockney_derive,
    .describe = hockney_describe,
    .size = sizeof(struct hockney),
    .counted_bytes = 88,
    .init = hockney_init,
    .submit = hockney_submit,
    .is_immediate = true,
};
