#include "fabric/packet/queues.h"

#include <assert.h>
#include <math.h>

#include "base/estimate.h"
#include "base/mem.h"
#include "fabric/packet/maxmin.h"

/* All numbers are doubles that are added, multiplied and divided in a fixed order: the same bits everywhere.
 * Each solution begins with empty queues, so that rates depend only on the flows that there are. */

enum { ROUNDS_MOST = 400 };
static const double settled = 1e-6; /* no load changes by more than this part of itself */

struct queues_flow {
    uint64_t rate; /* 0: new */
    double window; /* in the units of rates, times seconds */
    double least;  /* seconds: the round trip without queues; 0: there is none to wait for */
    double free;   /* the rate without queues */
    double now;    /* the rate in this round */
    double waits;  /* in this round, how many of its queues have a delay, but 1 at least */
    uint8_t hops;
    bool alive;
};

/* A queue of a flow, and the port by which the flow comes to its link; the first one has none. */
struct queues_hop {
    uint32_t queue, port;
};

struct queues_link {
    double capacity;
    double delay;  /* seconds: of what waits in its queue */
    double change; /* that the delay was to have in the last round */
    double weight; /* what part of it the delay got */
    double load;
    double slope;   /* by how much the load falls with the delay */
    double limit;   /* what the links behind it take from its queue */
    uint32_t flows; /* 0: all else is not used */
    uint32_t starts;
    uint32_t first;   /* flows that start here: the place of the next one in `by_node` */
    uint32_t in, ins; /* in: its ports begin here in `ports_in` */
};

struct queues {
    struct queue_shape shape;
    struct queues_link *links; /* one for each queue */
    uint32_t link_count;
    struct queues_flow *flows;
    struct queues_hop *hops; /* [flow * stride + nth] */
    size_t flow_capacity, hop_capacity, unused_capacity, changed_capacity;
    uint32_t flow_count, *unused, unused_count, *changed;
    struct ports ports;
    /* of one solution */
    uint32_t *used, used_count; /* links with flows */
    uint32_t *ports_in;         /* ports with flows, link by link */
    double *port_loads;         /* [ports] */
    uint32_t *by_node;          /* flows, node by node */
    double *wants; /* what those want that take turns: the ports of a link, the flows of a node */
    size_t in_capacity, port_capacity, node_capacity, want_capacity;
    struct queues_rounds rounds;
};

static double units(uint64_t rate)
{
    return (double)rate * (double)(UINT64_C(1) << MAXMIN_SHIFT);
}

struct queues *queues_open(const uint64_t *capacities, const struct queue_shape *shape)
{
    uint32_t links = queue_shape_count(shape);
    assert(shape->links_per_flow <= MAXMIN_LINKS_PER_FLOW);
    struct queues *queues = mem_alloc(1, sizeof *queues, "rates");
    queues->links = mem_alloc(links, sizeof *queues->links, "links");
    queues->used = mem_alloc(links, sizeof *queues->used, "links");
    queues->shape = *shape;
    queues->link_count = links;
    for (uint32_t i = 0; i < links; i++)
        queues->links[i].capacity = units(capacities[queue_shape_link(shape, i)]);
    return queues;
}

void queues_close(struct queues *queues)
{
    if (!queues)
        return;
    free(queues->links);
    free(queues->used);
    free(queues->flows);
    free(queues->hops);
    free(queues->unused);
    free(queues->changed);
    ports_free(&queues->ports);
    free(queues->ports_in);
    free(queues->port_loads);
    free(queues->by_node);
    free(queues->wants);
    free(queues);
}

void queues_set_capacity(struct queues *queues, uint32_t link, uint64_t capacity)
{
    for (uint32_t queue = link; queue < queues->link_count; queue += queues->shape.links)
        queues->links[queue].capacity = units(capacity);
}

uint64_t queues_rate(const struct queues *queues, uint32_t flow)
{
    return queues->flows[flow].rate;
}

struct queues_rounds queues_rounds(const struct queues *queues)
{
    return queues->rounds;
}

static struct queues_hop *hops_of(const struct queues *queues, uint32_t id)
{
    return &queues->hops[(size_t)id * queues->shape.links_per_flow];
}

/* -------------------------------------------------------- flows come and go */

static uint32_t new_id(struct queues *queues)
{
    if (queues->unused_count)
        return queues->unused[--queues->unused_count];
    uint32_t id = queues->flow_count++;
    size_t hops = (size_t)queues->flow_count * queues->shape.links_per_flow;
    queues->flows = mem_grow(queues->flows, &queues->flow_capacity, queues->flow_count, "flows");
    queues->hops = mem_grow(queues->hops, &queues->hop_capacity, hops, "flows");
    return id;
}

/* One flow more, or one less, on all its links. */
static void count_flow(struct queues *queues, uint32_t id, uint32_t by)
{
    const struct queues_hop *hops = hops_of(queues, id);
    queues->links[hops[0].queue].starts += by;
    for (uint32_t i = 0; i < queues->flows[id].hops; i++) {
        queues->links[hops[i].queue].flows += by;
        if (i)
            queues->ports.items[hops[i].port].flows += by;
    }
}

static struct queues_flow flow_with(const struct queues_window *window, uint32_t hops)
{
    bool is_open = window->rate == UINT64_MAX;
    double free = is_open ? INFINITY : units(window->rate), most = units(window->most);
    return (struct queues_flow){.window = units(window->bytes),
                                .least = is_open ? 0 : (double)window->bytes / (double)window->rate,
                                .free = free < most ? free : most,
                                .hops = (uint8_t)hops,
                                .alive = true};
}

uint32_t queues_add(struct queues *queues, const uint32_t *of_flow, uint32_t count,
                    const struct queues_window *window)
{
    assert(count && count <= queues->shape.links_per_flow);
    uint32_t id = new_id(queues);
    struct queues_hop *hops = hops_of(queues, id);
    hops[0] = (struct queues_hop){.queue = of_flow[0]};
    for (uint32_t i = 1; i < count; i++)
        hops[i] = (struct queues_hop){of_flow[i], ports_between(&queues->ports, of_flow[i - 1], of_flow[i])};
    queues->flows[id] = flow_with(window, count);
    count_flow(queues, id, 1);
    return id;
}

void queues_remove(struct queues *queues, uint32_t id)
{
    count_flow(queues, id, UINT32_MAX);
    queues->flows[id].alive = false;
    queues->unused =
        mem_grow(queues->unused, &queues->unused_capacity, (size_t)queues->unused_count + 1, "unused flows");
    queues->unused[queues->unused_count++] = id;
}

/* ------------------------------------------------------ lists of a solution */

/* The links with flows, with empty queues, and the places of their ports and of the flows that start there.
 * Returns the most of these that take turns. */
static uint32_t list_links(struct queues *queues)
{
    uint32_t in = 0, starts = 0, most = 0;
    queues->used_count = 0;
    for (uint32_t i = 0; i < queues->ports.count; i++)
        queues->links[queues->ports.items[i].to].ins = 0;
    for (uint32_t i = 0; i < queues->ports.count; i++)
        queues->links[queues->ports.items[i].to].ins += queues->ports.items[i].flows > 0;
    for (uint32_t i = 0; i < queues->link_count; i++) {
        struct queues_link *link = &queues->links[i];
        if (!link->flows)
            continue;
        queues->used[queues->used_count++] = i;
        link->delay = link->load = link->change = 0;
        link->weight = 1;
        link->in = in;
        link->first = starts;
        in += link->ins;
        starts += link->starts;
        most = link->ins > most ? link->ins : most;
        most = link->starts > most ? link->starts : most;
        link->ins = 0;
    }
    return most;
}

static void list_all(struct queues *queues)
{
    uint32_t ports = queues->ports.count, most = list_links(queues);
    queues->wants = mem_grow(queues->wants, &queues->want_capacity, most, "flows");
    queues->by_node = mem_grow(queues->by_node, &queues->node_capacity, queues->flow_count, "flows");
    queues->ports_in = mem_grow(queues->ports_in, &queues->in_capacity, ports, "ports of links");
    queues->port_loads = mem_grow(queues->port_loads, &queues->port_capacity, ports, "ports of links");
    for (uint32_t i = 0; i < ports; i++) {
        struct queues_link *link = &queues->links[queues->ports.items[i].to];
        if (queues->ports.items[i].flows)
            queues->ports_in[link->in + link->ins++] = i;
    }
    for (uint32_t id = 0; id < queues->flow_count; id++)
        if (queues->flows[id].alive)
            queues->by_node[queues->links[hops_of(queues, id)->queue].first++] = id;
}

/* ------------------------------------------------------------------- rounds */

/* What each of those may have that take turns for so much: those that want less leave the rest to the others.
 * If all want less, the one that wants most may have the rest too. */
static double level_of(const double *wants, uint32_t count, double room)
{
    double level = room / count;
    for (uint32_t before = count;;) {
        double rest = room, most = 0;
        uint32_t above = 0;
        for (uint32_t i = 0; i < count; i++)
            if (wants[i] < level) {
                rest -= wants[i];
                most = wants[i] > most ? wants[i] : most;
            } else {
                above++;
            }
        if (!above)
            return rest + most;
        if (above >= before)
            return level;
        before = above;
        level = rest / above;
    }
}

/* The same link in the other direction, if flows go there too. */
static uint32_t other_way(const struct queues *queues, uint32_t queue)
{
    uint32_t other = queue_shape_reverse(&queues->shape, queue);
    return other != NO_QUEUE && queues->links[other].flows ? other : NO_QUEUE;
}

/* What a link carries in one direction. */
static double room_of(const struct queues *queues, uint32_t queue)
{
    double capacity = queues->links[queue].capacity;
    uint32_t other = other_way(queues, queue);
    return other == NO_QUEUE ? capacity : queue_left(capacity, queues->links[other].load);
}

/* A window in each round trip. What has come to the last link waits nowhere. */
static double wanted_by(const struct queues *queues, struct queues_flow *flow, const struct queues_hop *hops)
{
    double delay = 0, waits = 0;
    for (uint32_t i = 0; i + 1 < flow->hops; i++) {
        delay += queues->links[hops[i].queue].delay;
        waits += queues->links[hops[i].queue].delay > 0;
    }
    flow->waits = waits > 1 ? waits : 1;
    double with_delay = delay > 0 ? flow->window / (flow->least + delay) : INFINITY;
    return with_delay < flow->free ? with_delay : flow->free;
}

/* The flows of a node take turns at its link. */
static void share_node(struct queues *queues, const struct queues_link *link, double room)
{
    const uint32_t *ids = queues->by_node + link->first - link->starts;
    for (uint32_t i = 0; i < link->starts; i++)
        queues->wants[i] = wanted_by(queues, &queues->flows[ids[i]], hops_of(queues, ids[i]));
    double level = level_of(queues->wants, link->starts, room);
    for (uint32_t i = 0; i < link->starts; i++)
        queues->flows[ids[i]].now = queues->wants[i] < level ? queues->wants[i] : level;
}

static void share_nodes(struct queues *queues)
{
    for (uint32_t k = 0; k < queues->used_count; k++) {
        const struct queues_link *link = &queues->links[queues->used[k]];
        if (link->starts)
            share_node(queues, link, room_of(queues, queues->used[k]));
    }
}

/* A flow that waits in several queues answers to the change of each: so each of them takes it to answer that
 * many times as much, and together they do not go too far. */
static void load_links(struct queues *queues)
{
    for (uint32_t k = 0; k < queues->used_count; k++)
        queues->links[queues->used[k]].load = queues->links[queues->used[k]].slope = 0;
    for (uint32_t i = 0; i < queues->ports.count; i++)
        queues->port_loads[i] = 0;
    for (uint32_t id = 0; id < queues->flow_count; id++) {
        const struct queues_flow *flow = &queues->flows[id];
        const struct queues_hop *hops = hops_of(queues, id);
        double slope = flow->waits * flow->now * flow->now / flow->window;
        for (uint32_t i = 0; flow->alive && i < flow->hops; i++) {
            struct queues_link *link = &queues->links[hops[i].queue];
            link->load += flow->now;
            link->slope += slope;
            if (i)
                queues->port_loads[hops[i].port] += flow->now;
        }
    }
}

/* The link takes from each of the queues before it no more than makes its port carry the level: they pass on
 * what comes in the order in which it came. */
static void limit_before(struct queues *queues, uint32_t queue)
{
    const struct queues_link *link = &queues->links[queue];
    const uint32_t *ports = queues->ports_in + link->in;
    for (uint32_t i = 0; i < link->ins; i++)
        queues->wants[i] = queues->port_loads[ports[i]];
    double level = level_of(queues->wants, link->ins, room_of(queues, queue));
    for (uint32_t i = 0; i < link->ins; i++) {
        struct queues_link *from = &queues->links[queues->ports.items[ports[i]].from];
        double limit = level * (from->load / queues->wants[i]);
        from->limit = limit < from->limit ? limit : from->limit;
    }
}

/* A delay that goes back and forth goes in smaller steps, one that keeps its direction in larger ones. */
static double weight_of(const struct queues_link *link, double change)
{
    double weight = link->weight * (change * link->change < 0 ? 0.7 : 1.1);
    return weight < 0.05 ? 0.05 : weight > 4 ? 4 : weight;
}

/* The queue becomes longer if more comes than goes, and shorter otherwise. What its link cannot bring waits
 * before that link. Returns by what part of itself its load would change. */
static double change_delay(struct queues_link *link, double room)
{
    if (link->limit == INFINITY)
        return 0;
    double load = link->load < room ? link->load : room;
    double delay = link->delay + (load / link->limit - 1) * link->load / link->slope;
    double change = (delay > 0 ? delay : 0) - link->delay;
    link->weight = weight_of(link, change);
    link->change = change;
    delay = link->delay + link->weight * change;
    link->delay = delay > 0 ? delay : 0;
    return fabs(change) * link->slope / link->load;
}

/* Returns the greatest change of a load, as a part of the load. */
static double play_round(struct queues *queues)
{
    double most = 0;
    share_nodes(queues);
    load_links(queues);
    for (uint32_t k = 0; k < queues->used_count; k++)
        queues->links[queues->used[k]].limit = INFINITY;
    for (uint32_t k = 0; k < queues->used_count; k++)
        if (queues->links[queues->used[k]].ins)
            limit_before(queues, queues->used[k]);
    for (uint32_t k = 0; k < queues->used_count; k++) {
        uint32_t queue = queues->used[k];
        double change = change_delay(&queues->links[queue], room_of(queues, queue));
        most = change > most ? change : most;
    }
    return most;
}

/* Whatever the rounds have left: no link carries more than its capacity. */
static void fit(struct queues *queues)
{
    for (uint32_t k = 0; k < queues->used_count; k++) {
        struct queues_link *link = &queues->links[queues->used[k]];
        uint32_t other = other_way(queues, queues->used[k]);
        double load = link->load + (other == NO_QUEUE ? 0 : queues->links[other].load);
        link->limit = load > link->capacity ? link->capacity / load : 1;
    }
}

/* The rate of a flow, less what each of its links has too much. */
static uint64_t fitted_rate(const struct queues *queues, uint32_t id)
{
    const struct queues_flow *flow = &queues->flows[id];
    const struct queues_hop *hops = hops_of(queues, id);
    double part = 1;
    for (uint32_t i = 0; i < flow->hops; i++)
        part = queues->links[hops[i].queue].limit < part ? queues->links[hops[i].queue].limit : part;
    double rate = part * flow->now;
    return rate < 1 ? 1 : (uint64_t)rate;
}

const uint32_t *queues_solve(struct queues *queues, size_t *count)
{
    uint32_t round = 0;
    *count = 0;
    list_all(queues);
    while (round < ROUNDS_MOST && play_round(queues) > settled)
        round++;
    queues->rounds.rounds += round;
    queues->rounds.unsettled += round == ROUNDS_MOST;
    fit(queues);
    for (uint32_t id = 0; id < queues->flow_count; id++) {
        struct queues_flow *flow = &queues->flows[id];
        uint64_t rate = flow->alive ? fitted_rate(queues, id) : flow->rate;
        if (rate == flow->rate)
            continue;
        flow->rate = rate;
        queues->changed = mem_grow(queues->changed, &queues->changed_capacity, *count + 1, "flows");
        queues->changed[(*count)++] = id;
    }
    return queues->changed;
}

/* ------------------------------------------------------------------- memory */

size_t queues_bytes(const struct queues *queues)
{
    return sizeof *queues + queues->link_count * (sizeof *queues->links + sizeof *queues->used) +
           queues->flow_capacity * sizeof *queues->flows + queues->hop_capacity * sizeof *queues->hops +
           (queues->unused_capacity + queues->changed_capacity + queues->in_capacity +
            queues->node_capacity) *
               sizeof(uint32_t) +
           (queues->port_capacity + queues->want_capacity) * sizeof(double) + ports_bytes(&queues->ports);
}

/* As many ports as hops of flows, at most. */
double queues_estimate(const struct queue_shape *shape, double flows)
{
    double hops = flows * shape->links_per_flow, ports = hops - flows, links = queue_shape_count(shape);
    return links * (double)(sizeof(struct queues_link) + sizeof(uint32_t)) +
           estimate_array(flows, sizeof(struct queues_flow)) +
           estimate_array(hops, sizeof(struct queues_hop)) + 3 * estimate_array(flows, sizeof(uint32_t)) +
           estimate_array(ports, sizeof(uint32_t)) + estimate_array(ports, sizeof(double)) +
           ports_estimate(ports);
}
