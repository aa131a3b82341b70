#include "fabric/fmu/fmu.h"

#include <inttypes.h>

#include "base/config.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"

static const char *const try_idle_names[] = {"NONE", "RANDOM", "SIMPLE", "LEAST_S", "LEAST_SR", NULL};
static const char *const among_all_names[] = {"RANDOM", "LEAST_S", "LEAST_SR", "STATIC", "INCREMENTAL", NULL};
static const char *const tag_names[] = {"free", "network", "header", NULL};
static const char *const coalesce_names[] = {"off", "adjacent", "queued", NULL};

PARAM_TABLE(
    fmu_params, "fmu", struct fmu_config,
    "Flexible Memory Units: messages through an optically disaggregated memory pool (Palma et al.)",
    {.name = "fmu.count",
     .type = PARAM_COUNT,
     .offset = offsetof(struct fmu_config, count),
     .default_text = "64",
     .min = "1",
     .max = "1000000",
     .doc = "M, number of FMUs in the pool (Table 3)"},
    {.name = "fmu.bandwidth",
     .type = PARAM_RATE,
     .offset = offsetof(struct fmu_config, bandwidth_bytes_per_s),
     .default_text = "76.8 GB/s",
     .min = "1 B/s",
     .doc = "BW of an FMU's channel (Table 3: two DDR5-4800 in lockstep)"},
    {.name = "fmu.t_switch",
     .type = PARAM_TIME,
     .offset = offsetof(struct fmu_config, t_switch),
     .default_text = "5 us",
     .min = "0 ps",
     .doc = "T_switch, setting up the optical circuit (Table 3)"},
    {.name = "fmu.t_ocm",
     .type = PARAM_TIME,
     .offset = offsetof(struct fmu_config, t_ocm),
     .default_text = "0 ps",
     .min = "0 ps",
     .doc = "T_ocm, one interaction of CFMU, OCS or FMU; Eq. 1 has four, Eq. 2 neglects them (3.2 ns)"},
    {.name = "fmu.t_map",
     .type = PARAM_TIME,
     .offset = offsetof(struct fmu_config, t_map),
     .default_text = "0 ps",
     .min = "0 ps",
     .doc = "T_map, choosing an FMU at the OCS; Eq. 2 neglects it"},
    {.name = "fmu.try_idle",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct fmu_config, try_idle),
     .default_text = "NONE",
     .choices = try_idle_names,
     .doc = "how to choose among idle FMUs (section III-C)"},
    {.name = "fmu.among_all",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct fmu_config, among_all),
     .default_text = "INCREMENTAL",
     .choices = among_all_names,
     .doc = "how to choose among all FMUs where try_idle finds none (section III-C)"},
    {.name = "fmu.capacity",
     .type = PARAM_SIZE,
     .offset = offsetof(struct fmu_config, capacity_bytes),
     .default_text = "16 GB",
     .min = "16 B",
     .doc = "memory of an FMU for Q_data and Q_header together (section VII-B)"},
    {.name = "fmu.tag",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct fmu_config, tag),
     .default_text = "free",
     .choices = tag_names,
     .doc =
         "how a tag reaches the receiver: free (Eq. 5), by the network (section III-A), in Q_header (III-D)"},
    {.name = "fmu.tag_latency",
     .type = PARAM_TIME,
     .offset = offsetof(struct fmu_config, tag_latency),
     .default_text = "8 us",
     .min = "0 ps",
     .doc = "of the network that carries tags, with fmu.tag = network (Table 3: T_L)"},
    {.name = "fmu.coalesce",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct fmu_config, coalesce),
     .default_text = "queued",
     .choices = coalesce_names,
     .doc = "which accesses of one node to the FMU it holds go under one switch: none, those next in the "
            "queue, all in the queue"},
    {.name = "fmu.coalesce_limit",
     .type = PARAM_COUNT,
     .offset = offsetof(struct fmu_config, coalesce_limit),
     .default_text = "64",
     .min = "1",
     .doc = "accesses under one switch at the most, so that the other nodes of the queue are served"});

#define FMU_METRIC(name, type, field, doc)                                                                   \
    {                                                                                                        \
        name, type, offsetof(struct fmu_statistics, field), doc                                              \
    }
static const struct metric metric_list[] = {
    FMU_METRIC("accesses", METRIC_COUNT, accesses, "writes and reads that were served"),
    FMU_METRIC("switch_count", METRIC_COUNT, switches, "circuits set up, T_switch each"),
    FMU_METRIC("coalesced_count", METRIC_COUNT, coalesced, "accesses under the switch of another"),
    FMU_METRIC("queue_wait_mean_s", METRIC_RATIO, queue_wait_mean_s, "T_queue of an access, mean"),
    FMU_METRIC("queue_wait_max_s", METRIC_TIME, queue_wait_max, "T_queue of an access, longest"),
    FMU_METRIC("space_waits", METRIC_COUNT, space_waits, "writes that waited for room in the rings"),
    FMU_METRIC("q_data_bytes", METRIC_BYTES, peak_q_data_bytes, "peak of Q_data of any FMU"),
    FMU_METRIC("q_header_entries", METRIC_COUNT, peak_q_header_entries, "peak of Q_header of any"),
    FMU_METRIC("q_data_in_bytes", METRIC_BYTES_SUM, q_data_in_bytes, "bytes that got room in a Q_data"),
    FMU_METRIC("q_data_out_bytes", METRIC_BYTES_SUM, q_data_out_bytes, "bytes whose room is free again"),
    FMU_METRIC("profile_bin_s", METRIC_TIME, profile_bin, "width of the bins of the next two"),
    FMU_METRIC("waiting_profile_s", METRIC_TIMES, waiting,
               "over time: accesses that waited for an FMU x how long, in each bin"),
    FMU_METRIC("connected_profile_s", METRIC_TIMES, connected,
               "over time: connected FMUs x how long, in each bin"),
    FMU_METRIC("busy_s", METRIC_TIMES, busy_s, "per FMU: time that it was connected"),
    FMU_METRIC("writes", METRIC_COUNTS, writes, "per FMU: messages written to it"),
};
static const struct metric_table fmu_metrics = {.metrics = metric_list,
                                                .count = sizeof metric_list / sizeof *metric_list,
                                                .size = sizeof(struct fmu_statistics)};

/* ---------------------------------------------------------- a message's way */

static bool fmu_is_buffered(const struct fabric *fabric, const struct message *message)
{
    (void)fabric, (void)message;
    return true;
}

static bool fmu_can_move(const struct fabric *fabric, const struct message *message)
{
    const struct fmu *fmu = (const struct fmu *)fabric;
    return fmu_entry_bytes(message->bytes) <= fmu->config->capacity_bytes;
}

static void report_too_large(const struct fmu *fmu, const struct message *message)
{
    char size[32], capacity[32];
    diag_error("a message of %s from rank %" PRIu32 " to rank %" PRIu32
               " does not fit an FMU of %s; raise fmu.capacity, or use the hybrid fabric, which sends it by "
               "the network",
               units_print_size(message->bytes, size, sizeof size), message->source, message->destination,
               units_print_size(fmu->config->capacity_bytes, capacity, sizeof capacity));
    fabric_failed(&fmu->fabric, STATUS_FAILED);
}

static void fmu_submit(struct fabric *fabric, uint32_t index)
{
    struct fmu *fmu = (struct fmu *)fabric;
    struct message *message = fabric_message(fabric, index);
    uint32_t transfer = pool_take(&fmu->transfers);
    *fmu_transfer_at(fmu, transfer) = (struct fmu_transfer){.message = index,
                                                            .bytes = message->bytes,
                                                            .parked_read = POOL_NONE,
                                                            .source = message->source,
                                                            .destination = message->destination,
                                                            .source_node = message->source_node,
                                                            .destination_node = message->destination_node};
    message->fabric = transfer;
    if (!fmu_can_move(fabric, message)) {
        report_too_large(fmu, message);
        return;
    }
    if (fmu->config->tag != FMU_TAG_HEADER) {
        ps_t latency = fmu->config->tag == FMU_TAG_NETWORK ? fmu->config->tag_latency : 0;
        fabric_visible(fabric, index, ps_add(fabric_now(fabric), latency));
    }
    fmu_request(fmu, transfer, false);
}

/* The receiver knows the tag and wants the message: its request takes its place in the queue now, whether the
 * write has ended or not (Figure 9c). */
static void fmu_match(struct fabric *fabric, uint32_t index)
{
    fmu_request((struct fmu *)fabric, fabric_message(fabric, index)->fabric, true);
}

/* ------------------------------------------------------------------- fabric */

static void make_units(struct fmu *fmu, uint32_t nodes)
{
    fmu->units = mem_alloc(fmu->unit_count, sizeof *fmu->units, "FMUs");
    for (uint32_t i = 0; i < fmu->unit_count; i++) {
        struct fmu_unit *unit = &fmu->units[i];
        unit->serving = unit->blocked_on = POOL_NONE;
        chain_init(&unit->queue);
        queue_init(&unit->parked);
        queue_init(&unit->ring);
    }
    fmu->controllers = mem_alloc(nodes, sizeof *fmu->controllers, "CFMUs");
    for (uint32_t i = 0; i < nodes; i++)
        chain_init(&fmu->controllers[i].waiting);
    fmu->busy = mem_alloc(fmu->unit_count, sizeof *fmu->busy, "statistics");
    fmu->writes = mem_alloc(fmu->unit_count, sizeof *fmu->writes, "statistics");
    profile_init(&fmu->waiting);
    profile_init(&fmu->connected);
    fmu->statistics.busy_s = (struct metric_series){fmu->busy, fmu->unit_count, NULL};
    fmu->statistics.writes = (struct metric_series){fmu->writes, fmu->unit_count, NULL};
}

static enum status fmu_init(struct fabric *fabric)
{
    const struct fabric_params *params = &fabric->params;
    const struct fmu_config *config = config_of(params->config, &fmu_params);
    struct fmu *fmu = (struct fmu *)fabric;
    fmu->config = config;
    fmu->unit_count = (uint32_t)config->count;
    make_units(fmu, params->nodes);
    fmu_mapping_init(&fmu->mapping, fmu->unit_count, (enum fmu_try_idle)config->try_idle,
                     (enum fmu_among_all)config->among_all, params->seed);
    pool_init(&fmu->transfers, sizeof(struct fmu_transfer), "messages in FMUs");
    pool_init(&fmu->accesses, sizeof(struct fmu_access), "FMU accesses");
    queue_table_init(&fmu->same_node);
    fmu->arrive_kind = loop_register(params->loop, fmu_on_arrive, fmu);
    fmu->copied_kind = loop_register(params->loop, fmu_on_copied, fmu);
    fmu->release_kind = loop_register(params->loop, fmu_on_release, fmu);
    return STATUS_OK;
}

static struct metric_series integrals(const struct profile *profile, ps_t end, int64_t *bins, int64_t **high)
{
    struct sums sums = {.low = bins, .high = *high, .count = PROFILE_BINS};
    size_t count = profile_integrals(profile, end, &sums);
    *high = sums.high;
    return (struct metric_series){bins, count, *high};
}

/* Both profiles go up to the end of the run, so that they have the same bins. */
static void sum_profiles(struct fmu *fmu)
{
    ps_t end = fabric_now(&fmu->fabric);
    struct fmu_statistics *statistics = &fmu->statistics;
    profile_widen(&fmu->waiting, end);
    profile_widen(&fmu->connected, end);
    statistics->profile_bin = profile_width(&fmu->connected);
    statistics->waiting = integrals(&fmu->waiting, end, fmu->waiting_bins, &fmu->waiting_high);
    statistics->connected = integrals(&fmu->connected, end, fmu->connected_bins, &fmu->connected_high);
}

static const void *fmu_statistics_of(struct fabric *fabric)
{
    struct fmu_statistics *statistics = &((struct fmu *)fabric)->statistics;
    if (!statistics->accesses)
        return statistics;
    sum_profiles((struct fmu *)fabric);
    statistics->queue_wait_mean_s =
        (double)statistics->queue_wait_sum / (double)statistics->accesses / (double)PS_PER_S;
    return statistics;
}

static size_t fmu_bytes(const struct fabric *fabric)
{
    const struct fmu *fmu = (const struct fmu *)fabric;
    return fmu->unit_count * (sizeof *fmu->units + sizeof *fmu->busy + sizeof *fmu->writes) +
           fabric->params.nodes * sizeof *fmu->controllers + fmu->transfers.capacity * fmu->transfers.size +
           fmu->accesses.capacity * fmu->accesses.size + queue_table_bytes(&fmu->same_node) +
           fmu_mapping_bytes(&fmu->mapping);
}

/* Each message has a write, and later a read, in the queue of an FMU. */
static enum status fmu_estimate(const struct fabric_demand *demand, struct estimate *estimate)
{
    const struct fmu_config *config = config_of(demand->config, &fmu_params);
    double units = (double)config->count, nodes = demand->nodes;
    double queued = config->coalesce == FMU_COALESCE_QUEUED ? demand->messages : 0;
    fabric_estimate_add(estimate, units * (double)(sizeof(struct fmu_unit) + 2 * sizeof(int64_t)) +
                                      fmu_mapping_estimate(units) +
                                      nodes * (double)sizeof(struct fmu_controller) +
                                      estimate_pool(demand->messages, sizeof(struct fmu_transfer)) +
                                      estimate_pool(demand->messages, sizeof(struct fmu_access)) +
                                      queue_table_estimate(queued));
    return STATUS_OK;
}

static void fmu_free(struct fabric *fabric)
{
    struct fmu *fmu = (struct fmu *)fabric;
    fmu_mapping_free(&fmu->mapping);
    queue_table_free(&fmu->same_node);
    pool_free(&fmu->transfers);
    pool_free(&fmu->accesses);
    free(fmu->controllers);
    free(fmu->units);
    free(fmu->busy);
    free(fmu->writes);
    free(fmu->waiting_high);
    free(fmu->connected_high);
}

/* An interaction goes as far as a message does on a network with one switch: over two wires. A tag on a
 * network passes the switch and two NICs as well. */
static void fmu_derive(struct derivation *derivation)
{
    const struct machine_config *machine = derivation->machine;
    derive_rate(derivation, "fmu.bandwidth", derivation->node_rate_bytes_per_s, "nic.count x nic.rate");
    derive_time(derivation, "fmu.t_ocm", 2 * machine->wire_latency_ps, "2 wire.latency");
    derive_time(derivation, "fmu.tag_latency",
                ps_add(derivation_one_switch(derivation), 2 * machine->nic_latency_ps),
                "2 wire.latency + switch.latency + 2 nic.latency");
}

/* The latency: a write, which is over with its release, and a read, whose own release follows the message.
 * The read is requested when its tag is there, and T_ocm and T_map of the request may pass during the write.
 */
static void describe_latency(const struct fmu_config *fmu, struct fabric_description *description)
{
    const ps_t request = ps_add(fmu->t_ocm, fmu->t_map);
    const ps_t access = ps_add(fmu->t_switch, ps_times(fmu->t_ocm, 3));
    const ps_t header = service_ps(fmu_entry_bytes(0), fmu->bandwidth_bytes_per_s);
    const bool is_written = fmu->tag == FMU_TAG_HEADER;
    const bool comes_later = fmu->tag == FMU_TAG_NETWORK && fmu->tag_latency > access;
    const uint64_t requests = is_written ? 2 : 1, accesses = comes_later ? 1 : 2;
    description->latency_ps = ps_add(ps_times(request, requests), ps_times(access, accesses));
    if (is_written)
        description->latency_ps = ps_add(description->latency_ps, ps_times(header, 2));
    if (comes_later)
        description->latency_ps = ps_add(description->latency_ps, fmu->tag_latency);
    description_add_times(description, comes_later, "tag over the network", "", fmu->tag_latency);
    description_add_times(description, accesses, "light-path set-up", "light-path set-ups", fmu->t_switch);
    description_add_times(description, requests, "choice of an FMU", "choices of an FMU", fmu->t_map);
    description_add_times(description, requests + 3 * accesses, "", "trips to or from an FMU", fmu->t_ocm);
    description_add_times(description, is_written ? 2 : 0, "", "copies of the tag", header);
    if (fmu->tag == FMU_TAG_FREE)
        description_add(&description->notes, "tags take no time");
}

/* One optical switch between nodes and FMUs. */
static enum status fmu_hardware(const struct config *config, uint32_t nodes, struct hardware *hardware)
{
    const struct fmu_config *fmu = config_of(config, &fmu_params);
    return hardware_add_stars(hardware, 1, nodes, (uint32_t)fmu->count, fmu->bandwidth_bytes_per_s);
}

static struct hardware_use fmu_use(const struct config *config, uint32_t nodes, const void *statistics)
{
    const struct fmu_statistics *of = statistics;
    (void)config, (void)nodes;
    return (struct hardware_use){.setups = (double)of->switches};
}

static void fmu_describe(const struct config *config, uint32_t nodes, struct fabric_description *description)
{
    const struct fmu_config *fmu = config_of(config, &fmu_params);
    const struct machine_config *machine = config_of(config, &machine_params);
    (void)nodes;
    description->rate_bytes_per_s = fmu->bandwidth_bytes_per_s;
    description->message_rate_bytes_per_s = fmu->bandwidth_bytes_per_s / 2;
    description->ignores_topology = description->has_no_nic = true;
    description_base(description, config, "fmu.t_ocm", fmu->t_ocm, 2 * machine->wire_latency_ps, NULL);
    description_add(&description->notes, "a message is written, then read: alone it has half the rate");
    description_add(&description->notes, "no NIC");
    describe_latency(fmu, description);
    if (!fmu->t_ocm)
        description_add(&description->includes, "%s", description->basis);
}

const struct fabric_ops fmu_fabric = {
    .name = "fmu",
    .doc = "Flexible Memory Units: every message through an optically disaggregated memory pool",
    .params = &fmu_params,
    .metrics = &fmu_metrics,
    .host_path = HOST_PATH_CPU,
    .derive = fmu_derive,
    .describe = fmu_describe,
    .hardware = fmu_hardware,
    .use = fmu_use,
    .size = sizeof(struct fmu),
    .counted_bytes = 16976,
    .init = fmu_init,
    .free = fmu_free,
    .submit = fmu_submit,
    .is_buffered = fmu_is_buffered,
    .match = fmu_match,
    .can_move = fmu_can_move,
    .statistics = fmu_statistics_of,
    .bytes = fmu_bytes,
    .estimate = fmu_estimate,
    .explain = fmu_explain,
};
