#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cost/cost.h"

/* Racks stand in rows, as many racks in a row as there are rows. The nodes fill racks in their order; a
 * switch stands in the rack of its first node, also if ports lie between them; the switches without nodes
 * fill further racks. */
struct floor {
    const struct cost_config *prices;
    const struct topo *topo;
    uint64_t racks, node_racks;
    uint32_t *rack_of_switch;
    uint32_t *ports; /* of each switch */
};

enum { BITS = 8 };
static const double giga = 1e9;

static double gbps_of(uint64_t rate_bytes_per_s)
{
    return (double)rate_bytes_per_s * BITS / giga;
}

double cost_cable_metres(const struct cost_config *prices, uint64_t racks, uint64_t from, uint64_t to)
{
    if (from == to)
        return prices->in_rack_metres;
    uint64_t row = 1;
    while (row * row < racks)
        row++;
    double across = fabs((double)(from % row) - (double)(to % row)) * prices->rack_width_metres;
    double along = fabs((double)(from / row) - (double)(to / row)) * prices->row_pitch_metres;
    return across + along + prices->slack_metres;
}

/* A switch that the ports of nodes have links to stands where the first of these nodes does. */
static void place_behind_ports(struct floor *floor)
{
    const struct topo *topo = floor->topo;
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++) {
        struct topo_ends ends = topo_link_ends(topo, link);
        const uint32_t rack = floor->rack_of_switch[ends.from.id];
        uint32_t *behind = &floor->rack_of_switch[ends.to.id];
        if (topo_switch_kind(topo, ends.from.id) == TOPO_SWITCH_ENDS &&
            topo_switch_kind(topo, ends.to.id) != TOPO_SWITCH_ENDS && rack < *behind)
            *behind = rack;
    }
}

static void floor_open(struct floor *floor, const struct topo *topo, const struct cost_config *prices)
{
    uint64_t without_nodes = 0;
    *floor = (struct floor){.prices = prices,
                            .topo = topo,
                            .node_racks = (topo->nodes - 1) / prices->rack_nodes + 1,
                            .rack_of_switch = mem_alloc(topo->switches, sizeof(uint32_t), "racks"),
                            .ports = mem_alloc(topo->switches, sizeof(uint32_t), "ports")};
    for (uint32_t i = 0; i < topo->switches; i++)
        floor->rack_of_switch[i] = UINT32_MAX;
    for (uint32_t node = topo->nodes; node-- > 0;)
        floor->rack_of_switch[topo_switch_of(topo, node)] = (uint32_t)(node / prices->rack_nodes);
    place_behind_ports(floor);
    for (uint32_t i = 0; i < topo->switches; i++)
        if (floor->rack_of_switch[i] == UINT32_MAX)
            floor->rack_of_switch[i] =
                (uint32_t)(floor->node_racks + without_nodes++ / prices->rack_switches);
    floor->racks = floor->node_racks + (without_nodes + prices->rack_switches - 1) / prices->rack_switches;
}

static void floor_close(struct floor *floor)
{
    free(floor->rack_of_switch);
    free(floor->ports);
}

static uint64_t rack_of(const struct floor *floor, struct topo_end end)
{
    return end.is_node ? end.id / floor->prices->rack_nodes : floor->rack_of_switch[end.id];
}

static void add_to(struct cost_line *line, uint64_t count, double gbps, double metres)
{
    line->count += count;
    line->gbps += (double)count * gbps;
    line->metres += (double)count * metres;
    line->gbps_metres += (double)count * gbps * metres;
}

static enum topo_switch_kind kind_of(const struct topo *topo, struct topo_end end)
{
    return end.is_node ? TOPO_SWITCH_ENDS : topo_switch_kind(topo, end.id);
}

/* The node itself, or its ports, has a NIC at this end of a cable, unless CPUs write memory units without
 * NICs, or the cable stays within a server. A node has one NIC for all its links, and ports one for each. */
static void add_nic(const struct topo *topo, const struct hardware_plane *plane, struct topo_end end,
                    struct topo_end other, double gbps, struct cost_bill *bill)
{
    if (plane->memories || kind_of(topo, other) == TOPO_SWITCH_PREFERRED)
        return;
    bill->lines[COST_NICS].count += 1;
    bill->lines[COST_NICS].gbps += (end.is_node ? plane->copies : 1) * gbps;
}

/* An end of a cable. Returns whether it converts to light. */
static bool add_end(struct floor *floor, const struct hardware_plane *plane, struct topo_end end,
                    struct topo_end other, double gbps, struct cost_bill *bill)
{
    if (kind_of(floor->topo, end) == TOPO_SWITCH_ENDS) {
        add_nic(floor->topo, plane, end, other, gbps, bill);
        return true;
    }
    struct cost_line *line = &bill->lines[plane->passes_light ? COST_OPTICAL_SWITCHES : COST_SWITCHES];
    floor->ports[end.id]++;
    line->ports += plane->copies;
    line->gbps += plane->copies * gbps;
    return !plane->passes_light;
}

/* A cable for both directions of a link. */
static void add_cable(struct floor *floor, const struct hardware_plane *plane, uint32_t link,
                      struct cost_bill *bill)
{
    struct topo_ends ends = topo_link_ends(floor->topo, link);
    double gbps = gbps_of(topo_link_rate(floor->topo, link, plane->rate_bytes_per_s));
    double metres =
        cost_cable_metres(floor->prices, floor->racks, rack_of(floor, ends.from), rack_of(floor, ends.to));
    unsigned conversions = add_end(floor, plane, ends.from, ends.to, gbps, bill) +
                           add_end(floor, plane, ends.to, ends.from, gbps, bill);
    bool is_copper = !plane->passes_light && metres <= floor->prices->copper_reach_metres;
    add_to(&bill->lines[is_copper ? COST_COPPER : COST_FIBER], plane->copies, gbps, metres);
    if (!is_copper)
        add_to(&bill->lines[COST_TRANSCEIVERS], (uint64_t)conversions * plane->copies, gbps, 0);
}

static void count_plane(const struct hardware_plane *plane, const struct cost_config *prices,
                        struct cost_bill *bill)
{
    const struct topo *topo = &plane->topo;
    uint32_t devices = 0;
    struct floor floor;
    floor_open(&floor, topo, prices);
    for (uint32_t node = 0; node < topo->nodes; node++)
        if (topo_switch_kind(topo, topo_switch_of(topo, node)) != TOPO_SWITCH_ENDS)
            add_cable(&floor, plane, topo_injection(topo, node), bill);
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++)
        if (link < topo_link_reverse(topo, link))
            add_cable(&floor, plane, link, bill);
    struct cost_line *line = &bill->lines[plane->passes_light ? COST_OPTICAL_SWITCHES : COST_SWITCHES];
    for (uint32_t i = 0; i < topo->switches; i++) {
        line->widest = floor.ports[i] > line->widest ? floor.ports[i] : line->widest;
        devices += topo_switch_kind(topo, i) != TOPO_SWITCH_ENDS;
    }
    line->count += (uint64_t)devices * plane->copies;
    bill->lines[COST_MEMORIES].count += plane->memories;
    floor_close(&floor);
}

void cost_count(const struct hardware *hardware, const struct cost_config *prices, struct cost_bill *bill)
{
    *bill = (struct cost_bill){.money = 0};
    for (uint32_t i = 0; i < hardware->count; i++)
        count_plane(&hardware->planes[i], prices, bill);
}
