#include "base/config.h"
#include "base/mem.h"
#include "fabric/list.h"

/* Hockney's model, Eq. 6 of the FMU paper: T = T_L + S / BW for every message, whatever else is under way.
 * Since no message depends on another, all is answered when the message is submitted and no event is needed.
 * docs/models/hockney.md */
struct hockney_config {
    ps_t latency_ps;
    uint64_t bandwidth_bytes_per_s;
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
             .doc = "BW, bytes per second of one message (FMU paper, Table 3: 100 Gb/s InfiniBand)"});

struct hockney {
    struct fabric fabric;
    const struct hockney_config *config;
    const struct event_loop *loop;
    const struct pool *messages;
    struct fabric_callbacks callbacks;
    uint64_t included_bytes;
    const struct tap *tap;
};

static enum status hockney_prepare(const struct fabric_params *plan, struct fabric **fabric)
{
    struct hockney *hockney = mem_alloc(1, sizeof *hockney, "the hockney fabric");
    hockney->fabric.ops = &hockney_fabric;
    hockney->config = config_of(plan->config, &hockney_params);
    hockney->loop = plan->loop;
    hockney->messages = plan->messages;
    hockney->callbacks = plan->callbacks;
    hockney->included_bytes = plan->included_bytes;
    hockney->tap = plan->tap;
    *fabric = &hockney->fabric;
    return STATUS_OK;
}

static void hockney_submit(struct fabric *fabric, uint32_t message)
{
    const struct hockney *hockney = (const struct hockney *)fabric;
    const struct hockney_config *config = hockney->config;
    const struct fabric_callbacks *callbacks = &hockney->callbacks;
    uint64_t bytes =
        fabric_bytes_beyond(message_at(hockney->messages, message)->bytes, hockney->included_bytes);
    ps_t now = hockney->loop->now;
    ps_t injected = ps_add(now, service_ps(bytes, config->bandwidth_bytes_per_s));
    ps_t delivered = ps_add(injected, config->latency_ps);

    tap_emit_part(hockney->tap, message, TAP_PART_TRANSFER, now, injected, NULL, 0);
    tap_emit_part(hockney->tap, message, TAP_PART_WIRE, injected, delivered, NULL, 0);
    callbacks->visible(callbacks->self, message, ps_add(now, config->latency_ps));
    callbacks->sender_done(callbacks->self, message, injected);
    callbacks->delivered(callbacks->self, message, delivered);
}

static size_t hockney_bytes(const struct fabric *fabric)
{
    (void)fabric;
    return sizeof(struct hockney);
}

static void hockney_close(struct fabric *fabric)
{
    free(fabric);
}

const struct fabric_ops hockney_fabric = {
    .name = "hockney",
    .doc = "latency + size / bandwidth for every message, no contention",
    .params = &hockney_params,
    .host_path = HOST_PATH_NIC,
    .latency_name = "hockney.latency",
    .prepare = hockney_prepare,
    .submit = hockney_submit,
    .bytes = hockney_bytes,
    .close = hockney_close,
};
