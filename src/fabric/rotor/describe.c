#include <inttypes.h>

#include "fabric/rotor/rotor.h"

void rotor_derive(struct derivation *derivation)
{
    derive_rate(derivation, "rotor.bandwidth", derivation->node_rate_bytes_per_s, "nic.count x nic.rate");
    derive_time(derivation, "rotor.wire", derivation->machine->wire_latency_ps, "wire.latency");
}

/* The mean wait for something that carries for `slot` in each `cycle`, at a random time. */
static ps_t mean_wait(double cycle, double slot)
{
    double wait = (cycle - slot) * (cycle - slot) / (2 * cycle);
    return wait < (double)PS_NEVER ? (ps_t)wait : PS_NEVER;
}

static void add_wait(struct fabric_description *description, const char *for_what, ps_t wait)
{
    char time[DESCRIPTION_TIME];
    if (!wait)
        return;
    description->latency_ps = ps_add(description->latency_ps, wait);
    description_add(&description->includes, "a mean wait of %s for %s", description_time(wait, time),
                    for_what);
}

/* How many circuits a path from node 0 to node 1 takes, as the mean of times in a cycle, each just before
 * switch 0 changes; 0: there is none. */
static uint32_t mean_hops(const struct config *config, uint32_t nodes)
{
    enum { SAMPLES = 32 };
    struct rotor_plan plan;
    struct rotor_routes routes;
    uint64_t sum = 0, count = 0;
    if (nodes < 2 || rotor_plan_init(&plan, config, nodes) != STATUS_OK) {
        rotor_plan_free(&plan);
        return 0;
    }
    rotor_routes_init(&routes, nodes);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        uint64_t slots = i * rotor_positions(&plan, 0) / SAMPLES + 1;
        rotor_routes_at(&routes, &plan, ps_times(plan.period_ps, slots) - 1);
        if (routes.first[1] != ROTOR_NO_WAY) {
            sum += routes.hops[1];
            count++;
        }
    }
    rotor_routes_free(&routes);
    rotor_plan_free(&plan);
    return count ? (uint32_t)((sum + count / 2) / count) : 0;
}

/* An empty message between nodes 0 and 1. */
static void add_latency(struct fabric_description *description, const struct config *config, uint32_t nodes,
                        double cycle)
{
    const struct rotor_config *rotor = config_of(config, &rotor_params);
    double slot = (double)rotor->slot_ps, period = slot + (double)rotor->guard_ps;
    uint32_t hops = 1;
    if (rotor->short_bytes) {
        hops = mean_hops(config, nodes);
        hops += hops == 0;
        add_wait(description, "a circuit", rotor->offset == ROTOR_TOGETHER ? mean_wait(period, slot) : 0);
    } else if (rotor->hops > 1 && nodes > 2) {
        hops = 2;
        add_wait(description, "the first circuit", mean_wait(period, slot));
        add_wait(description, "the second", mean_wait(cycle, slot));
    } else {
        add_wait(description, "the circuit", mean_wait(cycle, slot));
    }
    description->latency_ps = ps_add(description->latency_ps, ps_times(rotor->wire_ps, 2 * hops));
    description_add_times(description, 2 * hops, "wire", "wires", rotor->wire_ps);
    if (!rotor->wire_ps)
        description_add(&description->includes, "%s", description->basis);
}

static uint64_t share_of(uint64_t rate, double share)
{
    double part = (double)rate * share;
    return part < 1 ? 1 : part < (double)UINT64_MAX ? (uint64_t)part : UINT64_MAX;
}

enum status rotor_hardware(const struct config *config, uint32_t nodes, struct hardware *hardware)
{
    const struct rotor_config *rotor = config_of(config, &rotor_params);
    uint32_t switches = rotor_switches(rotor, nodes);
    return hardware_add_stars(hardware, switches, nodes, 0, rotor->bandwidth_bytes_per_s / switches);
}

void rotor_describe(const struct config *config, uint32_t nodes, struct fabric_description *description)
{
    const struct rotor_config *rotor = config_of(config, &rotor_params);
    const struct machine_config *machine = config_of(config, &machine_params);
    uint32_t switches = rotor_switches(rotor, nodes), matchings = nodes > 1 ? nodes - 1 : 1;
    switches = switches < matchings ? switches : matchings;
    double duty = (double)rotor->slot_ps / ((double)rotor->slot_ps + (double)rotor->guard_ps);
    uint32_t positions = (matchings - 1) / switches + 1; /* of switch 0, which connects nodes 0 and 1 */
    double cycle = positions * ((double)rotor->slot_ps + (double)rotor->guard_ps);
    double share = rotor->hops > 1 && nodes > 2 ? duty : duty / positions / switches;
    char time[DESCRIPTION_TIME];
    description->rate_bytes_per_s = rotor->bandwidth_bytes_per_s;
    description->message_rate_bytes_per_s = share_of(rotor->bandwidth_bytes_per_s, share);
    description->ignores_topology = true;
    description_unused(description, rotor->hops == 1 && !rotor->short_bytes, "rotor.cell");
    description_unused(description, rotor->hops == 1, "rotor.accept");
    description_unused(description, rotor->hops == 1, "rotor.stored");
    description_base(description, config, "rotor.wire", rotor->wire_ps, machine->wire_latency_ps, NULL);
    add_latency(description, config, nodes, cycle);
    description_add(&description->notes,
                    "%" PRIu32 " %s, which %s data for %.3g %% of the time; all circuits come up in %s",
                    switches, switches == 1 ? "switch" : "switches", switches == 1 ? "carries" : "carry",
                    100 * duty, description_time(cycle < (double)PS_NEVER ? (ps_t)cycle : PS_NEVER, time));
    if (rotor->hops == 1 && matchings > 1)
        description_add(&description->notes, "over a cycle, a pair of nodes has 1/%.3g of this rate",
                        1 / share);
}
