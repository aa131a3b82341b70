#include "fabric/packet/rates.h"

#include <string.h>

#include "base/estimate.h"
#include "base/mem.h"
#include "fabric/packet/ports.h"
#include "fabric/packet/queues.h"

/* Of each link, from how many queues flows come to it. */
struct incast {
    struct incast_config config;
    uint64_t *capacities; /* of links with one input */
    uint32_t *inputs;     /* [links] */
    struct ports ports;
    uint32_t
        *of_flows; /* [flow * stride + nth] ports; the first queue has none: [flow * stride] is how many */
    size_t flow_capacity;
};

struct rates {
    struct rates_shape shape;
    struct maxmin *maxmin;   /* NULL with queues and credits */
    struct queues *queues;   /* NULL without */
    struct credits *credits; /* NULL without */
    struct incast incast;    /* unused without */
};

/* ------------------------------------------------------------------- incast */

/* Karol et al., table I, in units of 10^-4; with infinitely many inputs 2 - sqrt(2). Beyond the table, a
 * curve through its end. */
double incast_part(const struct incast_config *config, uint32_t inputs)
{
    static const uint16_t fifo[] = {10000, 10000, 7500, 6825, 6553, 6399, 6302, 6234, 6184};
    if (inputs < 2)
        return 1;
    if (config->law == INCAST_LINEAR)
        return 1 / (1 + config->penalty * (inputs - 1));
    return inputs < sizeof fifo / sizeof *fifo ? fifo[inputs] / 1e4 : 0.5858 + 0.2608 / inputs;
}

static void fit_capacity(struct rates *rates, uint32_t link)
{
    struct incast *incast = &rates->incast;
    double capacity = (double)incast->capacities[link] * incast_part(&incast->config, incast->inputs[link]);
    maxmin_set_capacity(rates->maxmin, link, capacity < 1 ? 1 : (uint64_t)capacity);
}

/* A flow comes, `by` is 1, or goes, -1. */
static void count_flow(struct rates *rates, uint32_t id, uint32_t by)
{
    struct incast *incast = &rates->incast;
    const uint32_t *of_flow = &incast->of_flows[(size_t)id * rates->shape.links_per_flow];
    for (uint32_t i = 1; i < of_flow[0]; i++) {
        struct queue_port *port = &incast->ports.items[of_flow[i]];
        bool was_used = port->flows > 0;
        port->flows += by;
        if (was_used == (port->flows > 0))
            continue;
        uint32_t link = port->to % rates->shape.links;
        incast->inputs[link] += by;
        fit_capacity(rates, link);
    }
}

static void incast_add(struct rates *rates, uint32_t id, const uint32_t *queues, uint32_t count)
{
    struct incast *incast = &rates->incast;
    size_t first = (size_t)id * rates->shape.links_per_flow;
    incast->of_flows = mem_grow(incast->of_flows, &incast->flow_capacity, first + rates->shape.links_per_flow,
                                "ports of flows");
    incast->of_flows[first] = count;
    for (uint32_t i = 1; i < count; i++)
        incast->of_flows[first + i] = ports_between(&incast->ports, queues[i - 1], queues[i]);
    count_flow(rates, id, 1);
}

static void incast_open(struct rates *rates, const uint64_t *capacities)
{
    struct incast *incast = &rates->incast;
    uint32_t links = rates->shape.links;
    incast->config = rates->shape.incast;
    incast->capacities = mem_alloc(links, sizeof *incast->capacities, "links");
    incast->inputs = mem_alloc(links, sizeof *incast->inputs, "links");
    memcpy(incast->capacities, capacities, links * sizeof *capacities);
}

/* -------------------------------------------------------------------- rates */

static bool has_incast(const struct rates *rates)
{
    return rates->shape.congestion == CONGESTION_INCAST;
}

static struct queue_shape queue_shape_of(const struct rates_shape *shape)
{
    return (struct queue_shape){shape->links, shape->links_per_flow, shape->nodes, shape->is_two_way};
}

struct rates *rates_open(const struct rates_shape *shape, const uint64_t *capacities)
{
    struct queue_shape queues = queue_shape_of(shape);
    struct rates *rates = mem_alloc(1, sizeof *rates, "rates");
    rates->shape = *shape;
    if (shape->congestion == CONGESTION_CREDITS)
        rates->credits = credits_open(capacities, &queues);
    else if (shape->congestion == CONGESTION_QUEUES)
        rates->queues = queues_open(capacities, &queues);
    else
        rates->maxmin = (shape->is_spread ? maxmin_open_spread : maxmin_open)(capacities, shape->links,
                                                                              shape->links_per_flow);
    if (has_incast(rates))
        incast_open(rates, capacities);
    if (rates->maxmin && shape->keeps_order)
        maxmin_keep_order(rates->maxmin);
    return rates;
}

void rates_close(struct rates *rates)
{
    if (!rates)
        return;
    maxmin_close(rates->maxmin);
    queues_close(rates->queues);
    credits_close(rates->credits);
    free(rates->incast.capacities);
    free(rates->incast.inputs);
    free(rates->incast.of_flows);
    ports_free(&rates->incast.ports);
    free(rates);
}

uint32_t rates_add(struct rates *rates, const struct rates_way *way)
{
    if (rates->credits)
        return credits_add(rates->credits, way->queues, way->queue_count, way->most);
    if (rates->queues)
        return queues_add(rates->queues, way->queues, way->queue_count,
                          &(struct queues_window){way->window, way->window_rate, way->most});
    if (way->parts)
        return maxmin_add_spread(rates->maxmin, way->links, way->parts, way->count);
    uint32_t id = maxmin_add(rates->maxmin, way->links, way->count);
    if (has_incast(rates))
        incast_add(rates, id, way->queues, way->queue_count);
    return id;
}

void rates_remove(struct rates *rates, uint32_t flow)
{
    if (rates->credits) {
        credits_remove(rates->credits, flow);
        return;
    }
    if (rates->queues) {
        queues_remove(rates->queues, flow);
        return;
    }
    maxmin_remove(rates->maxmin, flow);
    if (has_incast(rates))
        count_flow(rates, flow, UINT32_MAX);
}

uint32_t rates_add_link(struct rates *rates, uint64_t capacity)
{
    return maxmin_add_link(rates->maxmin, capacity);
}

void rates_set_capacity(struct rates *rates, uint32_t link, uint64_t capacity)
{
    if (rates->credits) {
        credits_set_capacity(rates->credits, link, capacity);
    } else if (rates->queues) {
        queues_set_capacity(rates->queues, link, capacity);
    } else if (has_incast(rates) && link < rates->shape.links) {
        rates->incast.capacities[link] = capacity;
        fit_capacity(rates, link);
    } else {
        maxmin_set_capacity(rates->maxmin, link, capacity);
    }
}

const uint32_t *rates_solve(struct rates *rates, size_t *count)
{
    if (rates->queues)
        return queues_solve(rates->queues, count);
    return rates->credits ? credits_solve(rates->credits, count) : maxmin_solve(rates->maxmin, count);
}

uint64_t rates_of(const struct rates *rates, uint32_t flow)
{
    if (rates->queues)
        return queues_rate(rates->queues, flow);
    return rates->credits ? credits_rate(rates->credits, flow) : maxmin_rate(rates->maxmin, flow);
}

uint64_t rates_unsettled(const struct rates *rates)
{
    if (rates->queues)
        return queues_rounds(rates->queues).unsettled;
    return rates->credits ? credits_rounds(rates->credits).unsettled : 0;
}

/* ------------------------------------------------------------------- memory */

size_t rates_bytes(const struct rates *rates)
{
    if (rates->credits)
        return credits_bytes(rates->credits);
    if (rates->queues)
        return queues_bytes(rates->queues);
    const struct incast *incast = &rates->incast;
    size_t of_links =
        has_incast(rates) ? rates->shape.links * (sizeof *incast->capacities + sizeof *incast->inputs) : 0;
    return maxmin_bytes(rates->maxmin) + of_links + incast->flow_capacity * sizeof *incast->of_flows +
           ports_bytes(&incast->ports);
}

double rates_estimate(const struct rates_shape *shape, double flows, double links_per_flow)
{
    double links = shape->links, ports = flows * (links_per_flow - 1);
    struct queue_shape queues = queue_shape_of(shape);
    if (shape->congestion == CONGESTION_CREDITS)
        return credits_estimate(&queues, flows);
    if (shape->congestion == CONGESTION_QUEUES)
        return queues_estimate(&queues, flows);
    double bytes = maxmin_estimate(links, flows, links_per_flow, shape->links_per_flow);
    if (shape->congestion == CONGESTION_INCAST)
        bytes += links * (sizeof(uint64_t) + sizeof(uint32_t)) + ports_estimate(ports) +
                 estimate_array(flows * shape->links_per_flow, sizeof(uint32_t));
    return bytes;
}
