#include "fabric/packet/credits.h"

#include <assert.h>
#include <math.h>

#include "base/estimate.h"
#include "base/mem.h"
#include "fabric/packet/maxmin.h"

/* In a round, links are visited before the links that lead to them. Where links form a ring, which deadlock
 * would need too, one of them is visited before the link behind it, which does not hold it. All numbers are
 * doubles that are added, multiplied and divided in a fixed order: the same bits everywhere. */

enum { ROUNDS_MOST = 400 };
#define NOT_IN_ORDER UINT32_MAX
static const double settled = 1e-6; /* no rate changes by more than this part of itself */

struct credits_flow {
    uint64_t rate; /* 0: new */
    double most;
    uint8_t links;
    bool alive;
};

/* A link of a flow, and the port by which the flow comes to it; the first link has none. */
struct credits_hop {
    uint32_t link, port;
};

struct credits_link {
    double capacity;
    double limit;  /* what it can carry, as far as the links behind it let it */
    double level;  /* what each of its ports may carry */
    double rate;   /* of a node's link: of each flow */
    double change; /* of a node's link: that its rate was to have in the last round */
    double weight; /* of a node's link: what part of it the rate got */
    double most;   /* of a node's link: the least of what its flows may have */
    uint32_t flows, starts;
    uint32_t first;     /* flows that start here: the place of the next one in `by_node` */
    uint32_t in, ins;   /* in: its ports begin here in `ports_in` */
    uint32_t out, outs; /* the ports that it leads to, in `ports_out` */
    uint32_t left;      /* of these, those whose links are not in order yet */
    uint32_t place;     /* in order; NOT_IN_ORDER */
    uint32_t walk;      /* the last one that came by */
};

/* The flows of a node that take a port. */
struct credits_part {
    uint32_t port, to; /* to: the link that the port leads to */
    double flows;
};

/* The parts of a node lie behind those of the node before. */
struct credits_run {
    uint32_t node, end; /* node: its link; end: of its parts */
};

struct credits {
    struct queue_shape shape;
    struct credits_link *links; /* one for each queue */
    uint32_t link_count;
    struct credits_flow *flows;
    struct credits_hop *hops; /* [flow * stride + nth] */
    size_t flow_capacity, hop_capacity, unused_capacity, changed_capacity;
    uint32_t flow_count, *unused, unused_count, *changed;
    struct ports ports;
    /* of one solution */
    uint32_t *order, ordered; /* [links] those with flows, each before those that lead to it */
    uint32_t *ports_in;       /* ports with flows, link by link; of a link, in the order of their loads */
    uint32_t *ports_out;      /* the same by the links that they come from */
    double *loads;            /* of a link's ports */
    double *link_loads,
        *port_loads; /* [links], [ports] apart from what else they have: rounds read little more */
    struct credits_part *parts;
    struct credits_run *runs; /* of nodes with flows */
    uint32_t *by_node;        /* flows, node by node */
    uint32_t *part_of;        /* of ports: 1 + the last part */
    uint32_t part_count, run_count;
    size_t in_capacity, out_capacity, load_capacity, part_capacity, node_capacity, of_capacity, port_capacity;
    struct credits_rounds rounds;
};

static void set_capacity(struct credits *credits, uint32_t queue, uint64_t capacity)
{
    credits->links[queue].capacity = (double)(capacity << MAXMIN_SHIFT);
}

struct credits *credits_open(const uint64_t *capacities, const struct queue_shape *shape)
{
    uint32_t links = queue_shape_count(shape);
    assert(shape->links_per_flow <= MAXMIN_LINKS_PER_FLOW);
    struct credits *credits = mem_alloc(1, sizeof *credits, "rates");
    credits->links = mem_alloc(links, sizeof *credits->links, "links");
    credits->order = mem_alloc(links, sizeof *credits->order, "links");
    credits->link_loads = mem_alloc(links, sizeof *credits->link_loads, "links");
    credits->runs = mem_alloc(links, sizeof *credits->runs, "links");
    credits->shape = *shape;
    credits->link_count = links;
    for (uint32_t i = 0; i < links; i++)
        set_capacity(credits, i, capacities[queue_shape_link(shape, i)]);
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
    free(credits->ports_out);
    free(credits->loads);
    free(credits->link_loads);
    free(credits->port_loads);
    free(credits->parts);
    free(credits->runs);
    free(credits->by_node);
    free(credits->part_of);
    free(credits);
}

void credits_set_capacity(struct credits *credits, uint32_t link, uint64_t capacity)
{
    for (uint32_t queue = link; queue < credits->link_count; queue += credits->shape.links)
        set_capacity(credits, queue, capacity);
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
    return &credits->hops[(size_t)id * credits->shape.links_per_flow];
}

/* -------------------------------------------------------- flows come and go */

static uint32_t new_id(struct credits *credits)
{
    if (credits->unused_count)
        return credits->unused[--credits->unused_count];
    uint32_t id = credits->flow_count++;
    size_t hops = (size_t)credits->flow_count * credits->shape.links_per_flow;
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

uint32_t credits_add(struct credits *credits, const uint32_t *queues, uint32_t count, uint64_t most)
{
    assert(count && count <= credits->shape.links_per_flow);
    uint32_t id = new_id(credits);
    struct credits_hop *hops = hops_of(credits, id);
    for (uint32_t i = 0; i < count; i++)
        hops[i] =
            (struct credits_hop){queues[i], i ? ports_between(&credits->ports, queues[i - 1], queues[i]) : 0};
    credits->flows[id] = (struct credits_flow){
        .most = (double)most * (double)(UINT64_C(1) << MAXMIN_SHIFT), .links = (uint8_t)count, .alive = true};
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
    uint32_t next = 0, next_out = 0, most = 0;
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
        link->out = next_out;
        next += link->ins;
        next_out += link->outs;
        most = link->ins > most ? link->ins : most;
        link->left = link->outs;
        link->place = NOT_IN_ORDER;
        link->ins = link->outs = link->walk = 0;
    }
    credits->ports_in = mem_grow(credits->ports_in, &credits->in_capacity, next, "ports of links");
    credits->ports_out = mem_grow(credits->ports_out, &credits->out_capacity, next, "ports of links");
    credits->loads = mem_grow(credits->loads, &credits->load_capacity, most, "ports of links");
    for (uint32_t i = 0; i < credits->ports.count; i++) {
        const struct queue_port *port = &credits->ports.items[i];
        struct credits_link *to = &credits->links[port->to], *from = &credits->links[port->from];
        if (!port->flows)
            continue;
        credits->ports_in[to->in + to->ins++] = i;
        credits->ports_out[from->out + from->outs++] = i;
    }
}

static void put_in_order(struct credits *credits, uint32_t link)
{
    credits->links[link].place = credits->ordered;
    credits->order[credits->ordered++] = link;
}

/* The links from order[first] on let those go that lead to them alone. */
static void follow_order(struct credits *credits, uint32_t first)
{
    for (uint32_t k = first; k < credits->ordered; k++) {
        const struct credits_link *link = &credits->links[credits->order[k]];
        for (uint32_t i = 0; i < link->ins; i++) {
            uint32_t from = credits->ports.items[credits->ports_in[link->in + i]].from;
            if (credits->links[from].place == NOT_IN_ORDER && --credits->links[from].left == 0)
                put_in_order(credits, from);
        }
    }
}

/* The first link that this one leads to, of those that are not in order. There is one, since it is not. */
static uint32_t go_on(const struct credits *credits, uint32_t link)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < credits->links[link].outs; i++) {
        uint32_t to = credits->ports.items[credits->ports_out[credits->links[link].out + i]].to;
        if (credits->links[to].place == NOT_IN_ORDER && to < first)
            first = to;
    }
    return first;
}

/* The lowest link of a ring that one comes to from this link. `walk` is another number each time, from 1. */
static uint32_t find_ring(struct credits *credits, uint32_t link, uint32_t walk)
{
    for (; credits->links[link].walk != walk; link = go_on(credits, link))
        credits->links[link].walk = walk;
    uint32_t lowest = link;
    for (uint32_t at = go_on(credits, link); at != link; at = go_on(credits, at))
        lowest = at < lowest ? at : lowest;
    return lowest;
}

/* Each link before those that lead to it. Of a ring, the link with the lowest number is first. */
static void order_links(struct credits *credits)
{
    uint32_t walks = 0;
    list_ports(credits);
    credits->ordered = 0;
    for (uint32_t i = 0; i < credits->link_count; i++)
        if (credits->links[i].flows && !credits->links[i].left)
            put_in_order(credits, i);
    follow_order(credits, 0);
    for (uint32_t i = 0; i < credits->link_count; i++)
        while (credits->links[i].flows && credits->links[i].place == NOT_IN_ORDER) {
            put_in_order(credits, find_ring(credits, i, ++walks));
            follow_order(credits, credits->ordered - 1);
        }
}

static double least_of(double a, double b)
{
    return a < b ? a : b;
}

/* The flows, node by node. Returns how many there are. */
static uint32_t sort_flows(struct credits *credits)
{
    uint32_t next = 0;
    credits->by_node = mem_grow(credits->by_node, &credits->node_capacity, credits->flow_count, "flows");
    for (uint32_t i = 0; i < credits->link_count; i++) {
        struct credits_link *link = &credits->links[i];
        link->first = next;
        link->most = INFINITY;
        next += link->starts;
    }
    for (uint32_t id = 0; id < credits->flow_count; id++)
        if (credits->flows[id].alive) {
            struct credits_link *link = &credits->links[hops_of(credits, id)->link];
            credits->by_node[link->first++] = id;
            link->most = least_of(link->most, credits->flows[id].most);
        }
    return next;
}

/* The parts of the next flow of a node, whose parts begin at `first`. */
static void add_parts(struct credits *credits, uint32_t id, uint32_t first)
{
    const struct credits_hop *hops = hops_of(credits, id);
    uint32_t links = credits->flows[id].links;
    credits->parts = mem_grow(credits->parts, &credits->part_capacity, (size_t)credits->part_count + links,
                              "ports of links");
    for (uint32_t i = 1; i < links; i++) {
        uint32_t *of = &credits->part_of[hops[i].port];
        if (*of > first) {
            credits->parts[*of - 1].flows++;
            continue;
        }
        credits->parts[credits->part_count] = (struct credits_part){hops[i].port, hops[i].link, 1};
        *of = ++credits->part_count;
    }
}

/* How many flows of each node take each port. */
static void count_parts(struct credits *credits)
{
    uint32_t flows = sort_flows(credits), first = 0;
    credits->part_count = credits->run_count = 0;
    credits->port_loads =
        mem_grow(credits->port_loads, &credits->port_capacity, credits->ports.count, "ports of links");
    credits->part_of =
        mem_grow(credits->part_of, &credits->of_capacity, credits->ports.count, "ports of links");
    for (uint32_t i = 0; i < credits->ports.count; i++)
        credits->part_of[i] = 0;
    for (uint32_t k = 0; k < flows; k++) {
        uint32_t node = hops_of(credits, credits->by_node[k])->link;
        if (!credits->run_count || credits->runs[credits->run_count - 1].node != node) {
            first = credits->part_count;
            credits->runs[credits->run_count++].node = node;
        }
        add_parts(credits, credits->by_node[k], first);
        credits->runs[credits->run_count - 1].end = credits->part_count;
    }
}

/* ------------------------------------------------------------------- rounds */

static void load_ports(struct credits *credits)
{
    double *links = credits->link_loads, *ports = credits->port_loads;
    for (uint32_t i = 0; i < credits->ports.count; i++)
        ports[i] = 0;
    for (uint32_t k = 0; k < credits->ordered; k++) {
        const struct credits_link *link = &credits->links[credits->order[k]];
        links[credits->order[k]] = link->starts * link->rate;
    }
    for (uint32_t run = 0, i = 0; run < credits->run_count; run++) {
        double rate = credits->links[credits->runs[run].node].rate;
        for (; i < credits->runs[run].end; i++) {
            const struct credits_part *part = &credits->parts[i];
            double load = part->flows * rate;
            ports[part->port] += load;
            links[part->to] += load;
        }
    }
}

/* The ports of the link by their loads, which are in `loads` then. From round to round few change places. */
static void sort_ports(struct credits *credits, const struct credits_link *link)
{
    double *loads = credits->loads;
    uint32_t *ports = credits->ports_in + link->in;
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

/* The same link in the other direction, if flows go there too. */
static uint32_t other_way(const struct credits *credits, uint32_t queue)
{
    uint32_t other = queue_shape_reverse(&credits->shape, queue);
    return other != NO_QUEUE && credits->links[other].flows ? other : NO_QUEUE;
}

/* What a link carries in one direction. */
static double left_by_other(const struct credits *credits, uint32_t queue)
{
    double capacity = credits->links[queue].capacity;
    uint32_t other = other_way(credits, queue);
    return other == NO_QUEUE ? capacity : queue_left(capacity, credits->link_loads[other]);
}

/* What each port of the link, with its loads sorted, may carry: ports that carry less leave the rest to the
 * others. If all carry less, the one that carries most may carry the rest too. A port alone may carry all.
 */
static double level_of(const struct credits *credits, const struct credits_link *link)
{
    double left = link->limit;
    const double *loads = credits->loads;
    if (link->ins == 1)
        return left;
    for (uint32_t i = 0; i < link->ins; i++) {
        double level = left / (link->ins - i);
        if (loads[i] >= level)
            return level;
        left -= loads[i];
    }
    return left + loads[link->ins - 1];
}

/* The link lets each of the links that lead to it carry no more than makes its port carry the level: their
 * queues pass on what comes in the order in which it came. A link of a ring that was visited goes free. */
static void limit_before(struct credits *credits, const struct credits_link *link)
{
    for (uint32_t i = 0; i < link->ins; i++) {
        uint32_t port = credits->ports_in[link->in + i], from = credits->ports.items[port].from;
        double limit = link->level * (credits->link_loads[from] / credits->loads[i]);
        credits->links[from].limit = least_of(credits->links[from].limit, limit);
    }
}

/* Moves the rate of a node towards this one: if it goes back and forth, in smaller steps, and if it keeps its
 * direction, in larger ones. Returns by what part of itself it would have changed. */
static double move_rate(struct credits_link *link, double rate)
{
    double change = rate - link->rate;
    double weight = link->weight * (change * link->change < 0 ? 0.7 : 1.1);
    link->weight = weight < 0.05 ? 0.05 : least_of(weight, 1);
    link->change = change;
    link->rate += link->weight * change;
    return (change < 0 ? -change : change) / rate;
}

/* Returns the greatest change of a rate, as a part of the rate. */
static double play_round(struct credits *credits)
{
    double most = 0;
    load_ports(credits);
    for (uint32_t k = 0; k < credits->ordered; k++)
        credits->links[credits->order[k]].limit = credits->links[credits->order[k]].capacity;
    for (uint32_t k = 0; k < credits->ordered; k++) {
        struct credits_link *link = &credits->links[credits->order[k]];
        if (link->ins) {
            sort_ports(credits, link);
            link->limit = least_of(link->limit, left_by_other(credits, credits->order[k]));
            link->level = level_of(credits, link);
            limit_before(credits, link);
        }
        if (!link->starts)
            continue;
        double change = move_rate(link, least_of(link->limit / link->starts, link->most));
        most = change > most ? change : most;
    }
    return most;
}

/* Whatever the rounds have left: no link carries more than its capacity. */
static void fit(struct credits *credits)
{
    load_ports(credits);
    for (uint32_t k = 0; k < credits->ordered; k++) {
        struct credits_link *link = &credits->links[credits->order[k]];
        uint32_t other = other_way(credits, credits->order[k]);
        double load = credits->link_loads[credits->order[k]];
        load += other == NO_QUEUE ? 0 : credits->link_loads[other];
        link->limit = least_of(1, link->capacity / load);
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
        link->change = 0;
        link->weight = 1;
        if (link->starts)
            link->rate = least_of(link->capacity / link->starts, link->most);
    }
    uint32_t round = 0;
    while (round < ROUNDS_MOST && play_round(credits) > settled)
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
           credits->link_count * (sizeof *credits->links + sizeof *credits->order +
                                  sizeof *credits->link_loads + sizeof *credits->runs) +
           credits->flow_capacity * sizeof *credits->flows + credits->hop_capacity * sizeof *credits->hops +
           (credits->unused_capacity + credits->changed_capacity + credits->in_capacity +
            credits->out_capacity) *
               sizeof(uint32_t) +
           ports_bytes(&credits->ports) + (credits->load_capacity + credits->port_capacity) * sizeof(double) +
           credits->part_capacity * sizeof *credits->parts +
           (credits->node_capacity + credits->of_capacity) * sizeof(uint32_t);
}

/* As many ports as links of flows, at most. */
double credits_estimate(const struct queue_shape *shape, double flows)
{
    double hops = flows * shape->links_per_flow, ports = hops - flows, links = queue_shape_count(shape);
    return links * (double)(sizeof(struct credits_link) + sizeof(uint32_t) + sizeof(double) +
                            sizeof(struct credits_run)) +
           estimate_array(flows, sizeof(struct credits_flow)) +
           estimate_array(hops, sizeof(struct credits_hop)) + 2 * estimate_array(flows, sizeof(uint32_t)) +
           ports_estimate(ports) + 3 * estimate_array(ports, sizeof(uint32_t)) +
           estimate_array(ports, sizeof(double)) + estimate_array(flows, sizeof(uint32_t)) +
           estimate_array(ports, sizeof(struct credits_part));
}
