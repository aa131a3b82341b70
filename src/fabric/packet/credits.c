#include "fabric/packet/credits.h"

#include <assert.h>

#include "base/estimate.h"
#include "base/mem.h"
#include "fabric/packet/maxmin.h"
#include "fabric/packet/ports.h"

/* In a round, links are visited before the links that lead to them. Where links form a ring, which deadlock
 * would need too, the levels of the round before stand in for those that are not known yet. All numbers are
 * doubles that are added, multiplied and divided in a fixed order: the same bits everywhere. */

enum { ROUNDS_MOST = 400 };
static const double settled = 1e-6; /* no rate changes by more than this part of itself */

/* What part of its way a rate goes in a round. */
static double weight_of(uint32_t round)
{
    return round < 4 ? 1 : round < 40 ? 0.5 : round < 100 ? 0.25 : 0.1;
}

struct credits_flow {
    uint64_t rate; /* 0: new */
    uint8_t links;
    bool alive;
};

/* A link of a flow, and the port by which the flow comes to it; the first link has none. */
struct credits_hop {
    uint32_t link, port;
};

struct credits_link {
    double capacity;
    double limit; /* what it can carry, as far as the links behind it let it */
    double level; /* what each of its ports may carry */
    double rate;  /* of a node's link: of each flow */
    uint32_t flows, starts;
    uint32_t first;         /* flows that start here: the place of the next one in `by_node` */
    uint32_t in, ins, outs; /* in: its ports begin here in `ports_in`; outs: ports that are left to order */
};

/* The flows of a node that take a port. */
struct credits_part {
    uint32_t node, port, to, flows; /* node: its link; to: the link that the port leads to */
};

struct credits {
    struct credits_link *links;
    uint32_t link_count, stride;
    struct credits_flow *flows;
    struct credits_hop *hops; /* [flow * stride + nth] */
    size_t flow_capacity, hop_capacity, unused_capacity, changed_capacity;
    uint32_t flow_count, *unused, unused_count, *changed;
    struct ports ports;
    /* of one solution */
    uint32_t *order, ordered; /* [links] those with flows, each before those that lead to it */
    uint32_t *ports_in;       /* ports with flows, link by link; of a link, in the order of their loads */
    double *loads;            /* of a link's ports */
    double *link_loads,
        *port_loads; /* [links], [ports] apart from what else they have: rounds read little more */
    struct credits_part *parts;
    uint32_t *by_node; /* flows, node by node */
    uint32_t *part_of; /* of ports: the last part */
    uint32_t part_count;
    size_t in_capacity, load_capacity, part_capacity, node_capacity, of_capacity, port_capacity;
    struct credits_rounds rounds;
};

struct credits *credits_open(const uint64_t *capacities, uint32_t links, uint32_t links_per_flow)
{
    assert(links_per_flow <= MAXMIN_LINKS_PER_FLOW);
    struct credits *credits = mem_alloc(1, sizeof *credits, "rates");
    credits->links = mem_alloc(links, sizeof *credits->links, "links");
    credits->order = mem_alloc(links, sizeof *credits->order, "links");
    credits->link_loads = mem_alloc(links, sizeof *credits->link_loads, "links");
    credits->link_count = links;
    credits->stride = links_per_flow;
    for (uint32_t i = 0; i < links; i++)
        credits_set_capacity(credits, i, capacities[i]);
    return credits;
}

void credits_close(struct credits *credits)
{
    if (!credits)
        return;
    free(credits->links);
    free(credits->flows);
    free(credits->hops);
    free(credits->unused);
    free(credits->changed);
    ports_free(&credits->ports);
    free(credits->order);
    free(credits->ports_in);
    free(credits->loads);
    free(credits->link_loads);
    free(credits->port_loads);
    free(credits->parts);
    free(credits->by_node);
    free(credits->part_of);
    free(credits);
}

void credits_set_capacity(struct credits *credits, uint32_t link, uint64_t capacity)
{
    credits->links[link].capacity = (double)(capacity << MAXMIN_SHIFT);
}

uint64_t credits_rate(const struct credits *credits, uint32_t flow)
{
    return credits->flows[flow].rate;
}

struct credits_rounds credits_rounds(const struct credits *credits)
{
    return credits->rounds;
}

static struct credits_hop *hops_of(const struct credits *credits, uint32_t id)
{
    return &credits->hops[(size_t)id * credits->stride];
}

/* -------------------------------------------------------- flows come and go */

static uint32_t new_id(struct credits *credits)
{
    if (credits->unused_count)
        return credits->unused[--credits->unused_count];
    uint32_t id = credits->flow_count++;
    size_t hops = (size_t)credits->flow_count * credits->stride;
    credits->flows = mem_grow(credits->flows, &credits->flow_capacity, credits->flow_count, "flows");
    credits->hops = mem_grow(credits->hops, &credits->hop_capacity, hops, "flows");
    return id;
}

/* One flow more, or one less, on all its links. */
static void count_flow(struct credits *credits, uint32_t id, uint32_t by)
{
    const struct credits_hop *hops = hops_of(credits, id);
    credits->links[hops[0].link].starts += by;
    for (uint32_t i = 0; i < credits->flows[id].links; i++) {
        credits->links[hops[i].link].flows += by;
        if (i)
            credits->ports.items[hops[i].port].flows += by;
    }
}

uint32_t credits_add(struct credits *credits, const uint32_t *links, uint32_t count)
{
    assert(count > 1 && count <= credits->stride);
    uint32_t id = new_id(credits);
    struct credits_hop *hops = hops_of(credits, id);
    for (uint32_t i = 0; i < count; i++)
        hops[i] =
            (struct credits_hop){links[i], i ? ports_between(&credits->ports, links[i - 1], links[i]) : 0};
    credits->flows[id] = (struct credits_flow){.links = (uint8_t)count, .alive = true};
    count_flow(credits, id, 1);
    return id;
}

void credits_remove(struct credits *credits, uint32_t id)
{
    count_flow(credits, id, UINT32_MAX);
    credits->flows[id].alive = false;
    credits->unused = mem_grow(credits->unused, &credits->unused_capacity, (size_t)credits->unused_count + 1,
                               "unused flows");
    credits->unused[credits->unused_count++] = id;
}

/* ------------------------------------------------------- the order of links */

/* The ports with flows, link by link. */
static void list_ports(struct credits *credits)
{
    uint32_t next = 0, most = 0;
    for (uint32_t i = 0; i < credits->link_count; i++)
        credits->links[i].ins = credits->links[i].outs = 0;
    for (uint32_t i = 0; i < credits->ports.count; i++) {
        const struct queue_port *port = &credits->ports.items[i];
        credits->links[port->to].ins += port->flows > 0;
        credits->links[port->from].outs += port->flows > 0;
    }
    for (uint32_t i = 0; i < credits->link_count; i++) {
        struct credits_link *link = &credits->links[i];
        link->in = next;
        next += link->ins;
        most = link->ins > most ? link->ins : most;
        link->ins = 0;
    }
    credits->ports_in = mem_grow(credits->ports_in, &credits->in_capacity, next, "ports of links");
    credits->loads = mem_grow(credits->loads, &credits->load_capacity, most, "ports of links");
    for (uint32_t i = 0; i < credits->ports.count; i++) {
        struct credits_link *to = &credits->links[credits->ports.items[i].to];
        if (credits->ports.items[i].flows)
            credits->ports_in[to->in + to->ins++] = i;
    }
}

static void put_in_order(struct credits *credits, uint32_t link)
{
    credits->order[credits->ordered++] = link;
    credits->links[link].outs = UINT32_MAX;
}

/* The links from order[first] on let those go that lead to them alone. */
static void follow_order(struct credits *credits, uint32_t first)
{
    for (uint32_t k = first; k < credits->ordered; k++) {
        const struct credits_link *link = &credits->links[credits->order[k]];
        for (uint32_t i = 0; i < link->ins; i++) {
            uint32_t from = credits->ports.items[credits->ports_in[link->in + i]].from;
            if (credits->links[from].outs != UINT32_MAX && --credits->links[from].outs == 0)
                put_in_order(credits, from);
        }
    }
}

/* Each link before those that lead to it. Of a ring, the link with the lowest number is first. */
static void order_links(struct credits *credits)
{
    list_ports(credits);
    credits->ordered = 0;
    for (uint32_t i = 0; i < credits->link_count; i++)
        if (credits->links[i].flows && !credits->links[i].outs)
            put_in_order(credits, i);
    follow_order(credits, 0);
    for (uint32_t i = 0; i < credits->link_count; i++)
        if (credits->links[i].flows && credits->links[i].outs != UINT32_MAX) {
            put_in_order(credits, i);
            follow_order(credits, credits->ordered - 1);
        }
}

/* The flows, node by node. Returns how many there are. */
static uint32_t sort_flows(struct credits *credits)
{
    uint32_t next = 0;
    credits->by_node = mem_grow(credits->by_node, &credits->node_capacity, credits->flow_count, "flows");
    for (uint32_t k = 0; k < credits->ordered; k++) {
        struct credits_link *link = &credits->links[credits->order[k]];
        link->first = next;
        next += link->starts;
    }
    for (uint32_t id = 0; id < credits->flow_count; id++)
        if (credits->flows[id].alive)
            credits->by_node[credits->links[hops_of(credits, id)->link].first++] = id;
    return next;
}

/* How many flows of each node take each port. */
static void count_parts(struct credits *credits)
{
    uint32_t flows = sort_flows(credits);
    credits->part_count = 0;
    credits->port_loads =
        mem_grow(credits->port_loads, &credits->port_capacity, credits->ports.count, "ports of links");
    credits->part_of =
        mem_grow(credits->part_of, &credits->of_capacity, credits->ports.count, "ports of links");
    for (uint32_t i = 0; i < credits->ports.count; i++)
        credits->part_of[i] = UINT32_MAX;
    for (uint32_t k = 0; k < flows; k++) {
        const struct credits_hop *hops = hops_of(credits, credits->by_node[k]);
        for (uint32_t i = 1; i < credits->flows[credits->by_node[k]].links; i++) {
            uint32_t *of = &credits->part_of[hops[i].port];
            if (*of != UINT32_MAX && credits->parts[*of].node == hops[0].link) {
                credits->parts[*of].flows++;
                continue;
            }
            *of = credits->part_count++;
            credits->parts =
                mem_grow(credits->parts, &credits->part_capacity, credits->part_count, "ports of links");
            credits->parts[*of] = (struct credits_part){hops[0].link, hops[i].port, hops[i].link, 1};
        }
    }
}

/* ------------------------------------------------------------------- rounds */

static double least_of(double a, double b)
{
    return a < b ? a : b;
}

static void load_ports(struct credits *credits)
{
    double *links = credits->link_loads, *ports = credits->port_loads;
    for (uint32_t i = 0; i < credits->ports.count; i++)
        ports[i] = 0;
    for (uint32_t k = 0; k < credits->ordered; k++) {
        const struct credits_link *link = &credits->links[credits->order[k]];
        links[credits->order[k]] = link->starts * link->rate;
    }
    for (uint32_t i = 0; i < credits->part_count; i++) {
        const struct credits_part *part = &credits->parts[i];
        double load = part->flows * credits->links[part->node].rate;
        ports[part->port] += load;
        links[part->to] += load;
    }
}

/* The ports of the link by their loads, which are in `loads` then. From round to round few change places. */
static void sort_ports(struct credits *credits, const struct credits_link *link)
{
    uint32_t *ports = credits->ports_in + link->in;
    double *loads = credits->loads;
    for (uint32_t i = 0; i < link->ins; i++) {
        uint32_t port = ports[i], at = i;
        double load = credits->port_loads[port];
        for (; at && loads[at - 1] > load; at--) {
            loads[at] = loads[at - 1];
            ports[at] = ports[at - 1];
        }
        loads[at] = load;
        ports[at] = port;
    }
}

/* What each port of the link may carry: ports that carry less leave the rest to the others. If all carry
 * less, the one that carries most may carry the rest too. */
static double level_of(struct credits *credits, const struct credits_link *link)
{
    double left = link->limit;
    const double *loads = credits->loads;
    sort_ports(credits, link);
    for (uint32_t i = 0; i < link->ins; i++) {
        double level = left / (link->ins - i);
        if (loads[i] >= level)
            return level;
        left -= loads[i];
    }
    return left + loads[link->ins - 1];
}

/* The link lets each of the links that lead to it carry no more than makes its port carry the level: their
 * queues pass on what comes in the order in which it came. */
static void limit_before(struct credits *credits, const struct credits_link *link)
{
    for (uint32_t i = 0; i < link->ins; i++) {
        uint32_t port = credits->ports_in[link->in + i], from = credits->ports.items[port].from;
        double limit = link->level * (credits->link_loads[from] / credits->loads[i]);
        credits->links[from].limit = least_of(credits->links[from].limit, limit);
    }
}

/* Returns the greatest way of a rate, as a part of the rate. */
static double play_round(struct credits *credits, double weight)
{
    double most = 0;
    load_ports(credits);
    for (uint32_t k = 0; k < credits->ordered; k++)
        credits->links[credits->order[k]].limit = credits->links[credits->order[k]].capacity;
    for (uint32_t k = 0; k < credits->ordered; k++) {
        struct credits_link *link = &credits->links[credits->order[k]];
        if (link->ins) {
            link->level = level_of(credits, link);
            limit_before(credits, link);
        }
        if (!link->starts)
            continue;
        double rate = link->limit / link->starts;
        double change = rate > link->rate ? rate - link->rate : link->rate - rate;
        most = change / rate > most ? change / rate : most;
        link->rate += weight * (rate - link->rate);
    }
    return most;
}

/* Whatever the rounds have left: no link carries more than its capacity. */
static void fit(struct credits *credits)
{
    load_ports(credits);
    for (uint32_t k = 0; k < credits->ordered; k++) {
        struct credits_link *link = &credits->links[credits->order[k]];
        link->limit = least_of(1, link->capacity / credits->link_loads[credits->order[k]]);
    }
}

/* The rate of a flow, from that of its node and what each of its links has too much. */
static uint64_t rate_of(const struct credits *credits, uint32_t id)
{
    const struct credits_hop *hops = hops_of(credits, id);
    double part = 1, rate = credits->links[hops[0].link].rate;
    for (uint32_t i = 0; i < credits->flows[id].links; i++)
        part = least_of(part, credits->links[hops[i].link].limit);
    rate *= part;
    return rate < 1 ? 1 : (uint64_t)rate;
}

const uint32_t *credits_solve(struct credits *credits, size_t *count)
{
    *count = 0;
    order_links(credits);
    count_parts(credits);
    for (uint32_t k = 0; k < credits->ordered; k++) {
        struct credits_link *link = &credits->links[credits->order[k]];
        if (link->starts)
            link->rate = link->capacity / link->starts;
    }
    uint32_t round = 0;
    while (round < ROUNDS_MOST && play_round(credits, weight_of(round)) > settled)
        round++;
    credits->rounds.rounds += round;
    credits->rounds.unsettled += round == ROUNDS_MOST;
    fit(credits);
    for (uint32_t id = 0; id < credits->flow_count; id++) {
        struct credits_flow *flow = &credits->flows[id];
        uint64_t rate = flow->alive ? rate_of(credits, id) : flow->rate;
        if (rate == flow->rate)
            continue;
        flow->rate = rate;
        credits->changed = mem_grow(credits->changed, &credits->changed_capacity, *count + 1, "flows");
        credits->changed[(*count)++] = id;
    }
    return credits->changed;
}

/* ------------------------------------------------------------------- memory */

size_t credits_bytes(const struct credits *credits)
{
    return sizeof *credits +
           credits->link_count *
               (sizeof *credits->links + sizeof *credits->order + sizeof *credits->link_loads) +
           credits->flow_capacity * sizeof *credits->flows + credits->hop_capacity * sizeof *credits->hops +
           (credits->unused_capacity + credits->changed_capacity + credits->in_capacity) * sizeof(uint32_t) +
           ports_bytes(&credits->ports) + (credits->load_capacity + credits->port_capacity) * sizeof(double) +
           credits->part_capacity * sizeof *credits->parts +
           (credits->node_capacity + credits->of_capacity) * sizeof(uint32_t);
}

/* As many ports as links of flows, at most. */
double credits_estimate(double links, double flows, uint32_t limit)
{
    double hops = flows * limit, ports = flows * (limit - 1);
    return links * (double)(sizeof(struct credits_link) + sizeof(uint32_t) + sizeof(double)) +
           estimate_array(flows, sizeof(struct credits_flow)) +
           estimate_array(hops, sizeof(struct credits_hop)) + 2 * estimate_array(flows, sizeof(uint32_t)) +
           ports_estimate(ports) + 2 * estimate_array(ports, sizeof(uint32_t)) +
           estimate_array(ports, sizeof(double)) + estimate_array(flows, sizeof(uint32_t)) +
           estimate_array(ports, sizeof(struct credits_part));
}
