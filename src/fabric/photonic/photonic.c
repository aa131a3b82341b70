#include "fabric/photonic/photonic.h"

#include <inttypes.h>

#include "base/diag.h"
#include "base/estimate.h"
#include "base/mem.h"
#include "base/units.h"
#include "fabric/topology.h"

/* A record with room for so many links, rounded up so that every record is aligned. */
static size_t record_bytes(size_t record, uint32_t links)
{
    size_t align = sizeof(uint64_t) - 1;
    return (record + links * sizeof(uint32_t) + align) & ~align;
}

static size_t transmission_bytes(const struct photonic *photonic)
{
    uint32_t links = photonic->is_adaptive ? 0 : photonic->hops_most;
    return record_bytes(sizeof(struct photonic_transmission), links);
}

static size_t packet_record_bytes(const struct photonic *photonic)
{
    uint32_t links = photonic->is_adaptive ? photonic->hops_most : 0;
    return record_bytes(sizeof(struct photonic_packet), links);
}

static void init_pools(struct photonic *photonic)
{
    pool_init(&photonic->transmissions, transmission_bytes(photonic), "messages");
    pool_init(&photonic->packets, packet_record_bytes(photonic), "packets");
    pool_init(&photonic->steps, sizeof(struct packet_trace_step), "steps of packets");
}

enum status photonic_topology(struct photonic *photonic, uint32_t nodes)
{
    const struct config *config = photonic->fabric.params.config;
    const struct photonic_config *chosen = config_of(config, &photonic_params);
    return topology_for_circuits(config, nodes, (uint32_t)chosen->channels, &photonic->topo);
}

/* A run of more packets takes seconds, so the user is told before it, or as soon as the messages are there.
 * The rate is that of packets that meet no others, on a machine of 2023. */
#define PACKETS_IN_SILENCE UINT64_C(20000000)
#define PACKETS_PER_S      1e7

static const char *show_run_time(double packets, char *text, size_t size)
{
    double seconds = packets / PACKETS_PER_S;
    ps_t estimate = seconds < (double)(PS_NEVER / PS_PER_S) ? (ps_t)(seconds * (double)PS_PER_S) : PS_NEVER;
    return units_show_time(estimate, 2, text, size);
}

/* The whole run: what it has, and with which packets it would have few. */
static void announce_run(struct photonic *photonic)
{
    const struct fabric_work *work = &photonic->fabric.params.work;
    uint64_t mtu = photonic->settings.photonic.mtu_bytes, larger = mtu;
    char size[64], other[64], time[64];
    double packets = work->messages + work->bytes / (double)mtu;
    if (photonic->switching == PHOTONIC_CIRCUIT || packets <= (double)PACKETS_IN_SILENCE)
        return;
    photonic->announced = PACKETS_IN_SILENCE + 1;
    while (larger < UINT64_C(1) << 40 &&
           work->messages + work->bytes / (double)larger > (double)PACKETS_IN_SILENCE)
        larger *= 2;
    diag_warning("fabric %s simulates each packet, and this program has about %.0f million of "
                 "photonic.mtu=%s: about %s, or more",
                 photonic->fabric.ops->name, packets / 1e6, units_print_size(mtu, size, sizeof size),
                 show_run_time(packets, time, sizeof time));
    if (larger == mtu)
        return;
    units_print_size(larger, other, sizeof other);
    bool is_too_large =
        photonic->switching == PHOTONIC_SEGMENT && photonic->settings.segment.buffer_bytes < larger;
    diag_note("photonic.mtu=%s%s%s makes about %.0f million; the simulated time becomes shorter too, since "
              "each set-up of a circuit then serves %s",
              other, is_too_large ? " with segment.buffer_size=" : "", is_too_large ? other : "",
              (work->messages + work->bytes / (double)larger) / 1e6, other);
}

/* Where that is not known: the messages so far. */
static void announce_packets(struct photonic *photonic, uint64_t bytes, uint64_t packets)
{
    char size[64], mtu[64], time[64];
    if (photonic->announced > PACKETS_IN_SILENCE)
        return;
    photonic->announced += packets;
    if (photonic->announced <= PACKETS_IN_SILENCE)
        return;
    diag_warning(
        "fabric %s simulates each packet, and the messages so far have %" PRIu64
        ", the last message of %s among them: about %s for these, or more; a larger photonic.mtu than %s "
        "makes fewer packets",
        photonic->fabric.ops->name, photonic->announced, units_print_size(bytes, size, sizeof size),
        show_run_time((double)photonic->announced, time, sizeof time),
        units_print_size(photonic->settings.photonic.mtu_bytes, mtu, sizeof mtu));
}

enum status photonic_init(struct fabric *fabric, enum photonic_switching switching,
                          const struct segment_config *segment)
{
    struct photonic *photonic = (struct photonic *)fabric;
    struct event_loop *loop = fabric->params.loop;
    photonic->switching = switching;
    enum status status = photonic_topology(photonic, fabric->params.nodes);
    if (status == STATUS_OK) {
        faults_hold(&photonic->topo);
        status = photonic_resolve(photonic, segment);
    }
    if (status != STATUS_OK)
        return status;
    bool is_at_once = photonic->settings.photonic.reservation == RESERVATION_ATOMIC;
    photonic->reservation = is_at_once ? &reservation_at_once : &reservation_hop_by_hop;
    photonic->rng = rng_init(fabric->params.seed, "photonic");
    photonic->spread.width_ps = 1;
    links_init(photonic);
    init_pools(photonic);
    photonic->end_kind = loop_register(loop, transfer_on_end, photonic);
    loop_prefetch(loop, photonic->end_kind, prefetch_for_end);
    photonic->step_kind = loop_register(loop, probe_on_step, photonic);
    loop_prefetch(loop, photonic->step_kind, prefetch_for_step);
    photonic->watch_kind = loop_register(loop, watchdog_on_watch, photonic);
    announce_run(photonic);
    return STATUS_OK;
}

void photonic_free(struct fabric *fabric)
{
    struct photonic *photonic = (struct photonic *)fabric;
    links_free(photonic);
    faults_release(&photonic->topo);
    pool_free(&photonic->transmissions);
    pool_free(&photonic->packets);
    pool_free(&photonic->steps);
    free(photonic->traces);
    free(photonic->high);
    free(photonic->spread.high);
}

void photonic_submit(struct fabric *fabric, uint32_t index)
{
    struct photonic *photonic = (struct photonic *)fabric;
    const struct message *message = fabric_message(fabric, index);
    uint64_t bytes = message->bytes, mtu = photonic->settings.photonic.mtu_bytes;
    bool is_cut = photonic->switching != PHOTONIC_CIRCUIT && bytes > mtu;
    if (!topology_check_way(fabric, &photonic->topo, message, 0))
        return;
    uint32_t taken = pool_take(&photonic->transmissions);
    struct photonic_transmission *transmission = transmission_at(photonic, taken);
    *transmission = (struct photonic_transmission){.bytes = bytes,
                                                   .generated = fabric_now(fabric),
                                                   .sent_at = -1,
                                                   .packets = is_cut ? (bytes - 1) / mtu + 1 : 1,
                                                   .id = index,
                                                   .source = message->source_node,
                                                   .destination = message->destination_node};
    announce_packets(photonic, bytes, transmission->packets);
    links_route(photonic, transmission);
    photonic->statistics.hop_bytes += (sum_t)bytes * transmission->hops;
    transfer_begin(photonic, taken);
    watchdog_begin(photonic);
}

size_t photonic_bytes(const struct fabric *fabric)
{
    const struct photonic *photonic = (const struct photonic *)fabric;
    return links_bytes(photonic) + photonic->transmissions.capacity * photonic->transmissions.size +
           photonic->packets.capacity * photonic->packets.size +
           photonic->trace_capacity * sizeof *photonic->traces +
           photonic->steps.capacity * photonic->steps.size;
}

/* The packets that are on their way, or in the buffers of switches, if messages have as many. Buffers are
 * nearly empty most of the time and full in few places: runs of docs/models/photonic.md have 3 to 10 % of
 * their slots in use. */
static double packets_at_once(const struct photonic *photonic, const struct fabric_demand *demand)
{
    double mtu = (double)photonic->settings.photonic.mtu_bytes;
    double of_message =
        photonic->switching != PHOTONIC_CIRCUIT && demand->bytes > mtu ? demand->bytes / mtu : 1;
    double all = demand->messages * of_message;
    const double in_use = 1.0 / 16;
    double places = (double)demand->nodes * (double)photonic->settings.photonic.injection +
                    (double)photonic->buffer_count * photonic->settings.slots_of_a_buffer * in_use;
    return all < places ? all : places;
}

enum status photonic_estimate(const struct fabric_demand *demand, enum photonic_switching switching,
                              const struct segment_config *segment, struct estimate *estimate)
{
    struct photonic *photonic = mem_alloc(1, sizeof *photonic, "a fabric");
    photonic->fabric = (struct fabric){.ops = demand->ops, .params = {.config = demand->config}};
    photonic->switching = switching;
    enum status status = photonic_topology(photonic, demand->nodes);
    if (status == STATUS_OK)
        status = photonic_resolve(photonic, segment);
    if (status == STATUS_OK) {
        fabric_estimate_add(estimate, (double)links_estimate(photonic) +
                                          estimate_pool(demand->messages, transmission_bytes(photonic)));
        double packets = packets_at_once(photonic, demand);
        estimate_add(estimate, "packets",
                     "a larger photonic.mtu, smaller buffers or fewer transfers at a time",
                     estimate_pool(packets, packet_record_bytes(photonic)) + loop_estimate(packets));
    }
    free(photonic);
    return status;
}
