#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "fabric/hybrid/hybrid.h"
#include "fabric/list.h"

/* The pivot is the size for which both ways take the same time without contention. For FMUs this is Eq. 7 of
 * the FMU paper, in which a message passes an FMU twice:
 *
 *     T_L + S / BW_network = 2 T_switch + 2 S / BW_FMU
 *
 * and for the others, with what the fabric says of itself (fabric_ops.describe):
 *
 *     T_L + S / BW_network = T_large + S / BW_large
 */
struct hybrid_config {
    struct pivot {
        bool automatic;
        uint64_t bytes; /* the smallest large message, when not automatic */
    } pivot;
    int large;
};

static bool parse_pivot(const struct param *self, const char *text, void *field,
                        struct param_problem *problem)
{
    (void)self;
    struct pivot *pivot = field;
    struct units_problem unit_problem;
    pivot->automatic = strcmp(text, "auto") == 0;
    if (pivot->automatic || units_size(text, &pivot->bytes, &unit_problem))
        return true;
    snprintf(problem->text, sizeof problem->text, "%s; or 'auto', for Eq. 7", unit_problem.text);
    problem->at = unit_problem.at;
    return false;
}

static const char *const large_names[] = {
    [HYBRID_FMU] = "fmu", [HYBRID_OCS] = "ocs", [HYBRID_ROTOR] = "rotor", NULL};

PARAM_TABLE(hybrid_params, "hybrid", struct hybrid_config,
            "small messages by the packet network, large ones by another; their parameters are those of both",
            {.name = "hybrid.pivot",
             .type = PARAM_CUSTOM,
             .offset = offsetof(struct hybrid_config, pivot),
             .default_text = "auto",
             .parse = parse_pivot,
             .doc = "smallest large message; auto: from Eq. 7, 37066 B with FMUs as published"},
            {.name = "hybrid.large",
             .type = PARAM_CHOICE,
             .offset = offsetof(struct hybrid_config, large),
             .default_text = "fmu",
             .choices = large_names,
             .doc = "which fabric large messages take"});

const struct hybrid_way hybrid_ways[HYBRID_LARGE_KINDS] = {
    [HYBRID_FMU] = {.fabric = "fmu",
                    .messages_metric = "fmu_messages",
                    .take = "an FMU",
                    .go = "through FMUs",
                    .costs = "2 T_switch",
                    .rate = "half the FMU's bandwidth"},
    [HYBRID_OCS] = {.fabric = "ocs",
                    .messages_metric = "ocs_messages",
                    .take = "a circuit",
                    .go = "over circuits of ocs",
                    .costs = "the time to get a circuit",
                    .rate = "a circuit's rate"},
    [HYBRID_ROTOR] = {.fabric = "rotor",
                      .messages_metric = "rotor_messages",
                      .take = "a rotor switch",
                      .go = "over rotor switches",
                      .costs = "the mean wait for a rotor switch",
                      .rate = "a message's rate on rotor"},
};

/* What is compared: a message of S bytes takes fixed + passes x S / rate. */
struct way_costs {
    ps_t fixed_ps;
    uint64_t bytes_per_s, passes;
};

/* ceil of the size at which both cost the same, of either sign: what the large way's fixed cost is above the
 * network's, divided by what the network's cost of a byte is above the large way's. False when there is none,
 * because both costs of a byte are equal. */
static bool pivot_of(const struct way_costs *network, const struct way_costs *large, __int128 *root)
{
    const __int128 fixed = (__int128)large->fixed_ps - network->fixed_ps;
    const __int128 bw_network = (__int128)network->bytes_per_s, bw_large = (__int128)large->bytes_per_s;
    const __int128 per_byte =
        bw_large - (__int128)large->passes * bw_network; /* in units of 1 / (bw_network bw_large) s */
    if (per_byte == 0)
        return false;
    /* In double: the product of two rates above 2^50 B/s and a time does not fit 128 bits. */
    double exact =
        (double)fixed / (double)PS_PER_S * (double)bw_network * (double)bw_large / (double)per_byte;
    if (exact > 0x1p62 || exact < -0x1p62) {
        *root = exact > 0 ? (__int128)1 << 62 : -((__int128)1 << 62);
        return true;
    }
    *root = (__int128)exact;
    *root += (double)*root < exact;
    return true;
}

/* The network's NICs, of which FMUs have none. With host.system they belong to the host model, and Eq. 7 has
 * no term for them. */
static ps_t nics_ps(const struct config *config)
{
    const struct machine_config *machine = config_of(config, &machine_params);
    return machine && !config_text(config, "host.system") ? ps_times(machine->nic_latency_ps, 2) : 0;
}

static struct way_costs network_costs(const struct config *config)
{
    return (struct way_costs){.fixed_ps = *(const ps_t *)config_field(config, "packet.latency"),
                              .bytes_per_s = *(const uint64_t *)config_field(config, "packet.bandwidth"),
                              .passes = 1};
}

static struct way_costs fmu_costs(const struct config *config)
{
    return (struct way_costs){.fixed_ps = ps_times(*(const ps_t *)config_field(config, "fmu.t_switch"), 2),
                              .bytes_per_s = *(const uint64_t *)config_field(config, "fmu.bandwidth"),
                              .passes = 2};
}

static struct way_costs described_costs(const struct config *config, const struct fabric_ops *ops,
                                        uint32_t nodes)
{
    struct fabric_description description = {.latency_ps = 0};
    ops->describe(config, nodes, &description);
    uint64_t rate = description.message_rate_bytes_per_s;
    return (struct way_costs){
        .fixed_ps = description.latency_ps, .bytes_per_s = rate ? rate : INT64_MAX, .passes = 1};
}

enum hybrid_large hybrid_large_of(const struct config *config)
{
    return (enum hybrid_large)((const struct hybrid_config *)config_of(config, &hybrid_params))->large;
}

static struct hybrid_sizes automatic_sizes(const struct hybrid_way *way, const struct way_costs *network,
                                           const struct way_costs *large, char *note)
{
    struct hybrid_sizes sizes = {.from = UINT64_MAX, .below = UINT64_MAX};
    bool costs_more = large->fixed_ps > network->fixed_ps;
    bool is_faster = large->bytes_per_s > (unsigned __int128)large->passes * network->bytes_per_s;
    __int128 root;
    bool positive = pivot_of(network, large, &root) && root > 0;
    if (positive && costs_more) {
        sizes.from = (uint64_t)root;
    } else if (positive) {
        sizes.from = 0;
        sizes.below = (uint64_t)root;
        snprintf(
            note, HYBRID_NOTE,
            "hybrid: %s is below the network's latency, and %s is below the network's; so the messages below "
            "the pivot take %s",
            way->costs, way->rate, way->take);
    } else if (is_faster || !costs_more) {
        sizes.from = 0;
        snprintf(note, HYBRID_NOTE,
                 "hybrid: all messages take %s, which is faster than the network at any size (Eq. 7)",
                 way->take);
    } else {
        snprintf(note, HYBRID_NOTE,
                 "hybrid: all messages take the network, which is faster than %s at any size (Eq. 7)",
                 way->take);
    }
    return sizes;
}

struct hybrid_sizes hybrid_sizes_of(const struct config *all, uint32_t nodes, char *note)
{
    const struct hybrid_config *config = config_of(all, &hybrid_params);
    const struct hybrid_way *way = &hybrid_ways[config->large];
    const struct fabric_ops *ops = fabric_find(way->fabric);
    struct hybrid_sizes sizes = {.from = config->pivot.bytes, .below = UINT64_MAX};
    *note = '\0';
    if (!ops)
        sizes.from = UINT64_MAX;
    if (!ops || !config->pivot.automatic)
        return sizes;
    struct way_costs network = network_costs(all);
    if (config->large == HYBRID_FMU)
        network.fixed_ps = ps_add(network.fixed_ps, nics_ps(all));
    const struct way_costs large =
        config->large == HYBRID_FMU ? fmu_costs(all) : described_costs(all, ops, nodes);
    return automatic_sizes(way, &network, &large, note);
}
