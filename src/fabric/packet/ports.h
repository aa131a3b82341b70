#ifndef HELIO_FABRIC_PACKET_PORTS_H
#define HELIO_FABRIC_PACKET_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hashmap.h"

/* A link that goes both ways, a *two-way* link, has a queue at each end, and both directions take turns. So
 * links are numbered by their queues: 0 .. links-1 each link, links .. 2 links - 1 the same links in the
 * other direction. 2 links + i is the queue of node i before its link i, as fast as this link. */
struct queue_shape {
    uint32_t links, links_per_flow;
    uint32_t nodes;  /* that have a queue before their link */
    bool is_two_way; /* a link may have two queues */
};

#define NO_QUEUE UINT32_MAX

/* Of how many queues there are numbers. */
static inline uint32_t queue_shape_count(const struct queue_shape *shape)
{
    return shape->is_two_way ? 2 * shape->links + shape->nodes : shape->links;
}

/* The link that the queue is behind. */
static inline uint32_t queue_shape_link(const struct queue_shape *shape, uint32_t queue)
{
    return queue % shape->links;
}

/* The queue of the same link in the other direction. */
static inline uint32_t queue_shape_reverse(const struct queue_shape *shape, uint32_t queue)
{
    if (!shape->is_two_way || queue >= 2 * shape->links)
        return NO_QUEUE;
    return queue < shape->links ? queue + shape->links : queue - shape->links;
}

/* What a two-way link carries in one direction: what the other one leaves, and half of it at least, since
 * both take turns. */
static inline double queue_left(double capacity, double load_of_reverse)
{
    double left = capacity - load_of_reverse;
    return left < capacity / 2 ? capacity / 2 : left;
}

/* A port of a link: another link that flows come from. A port stays when its flows have gone. */
struct queue_port {
    uint32_t from, to, flows;
};

struct ports {
    struct queue_port *items;
    uint32_t count;
    size_t capacity;
    struct hashmap index; /* by both links */
};

/* Its index; a new one has no flows. */
uint32_t ports_between(struct ports *ports, uint32_t from, uint32_t to);
void ports_free(struct ports *ports);
size_t ports_bytes(const struct ports *ports);
double ports_estimate(double ports);

#endif
