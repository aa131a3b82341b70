#ifndef HELIO_FABRIC_PACKET_RATES_H
#define HELIO_FABRIC_PACKET_RATES_H

#include "fabric/packet/credits.h"
#include "fabric/packet/maxmin.h"

/* The rates of flows under the congestion of the run. Without congestion, and with windows, they are max-min
 * fair; with windows, packet.c gives a flow a link of its own, as fast as its window. docs/models/packet.md
 */
enum packet_congestion {
    CONGESTION_NONE,
    CONGESTION_WINDOW, /* a pair of nodes has at most so many bytes under way */
    CONGESTION_QUEUES, /* the same, and the queues of full links add to its round trip */
    CONGESTION_INCAST, /* a link that many others lead to carries less */
    CONGESTION_CREDITS /* full links hold the queues before them */
};

/* What part of its rate a link carries that flows from k inputs come to. */
enum incast_law {
    INCAST_FIFO,  /* Karol, Hluchyj and Morgan, IEEE Trans. Commun. 1987: k queues with random destinations */
    INCAST_LINEAR /* 1 / (1 + penalty (k - 1)) */
};

struct incast_config {
    int law;        /* enum incast_law */
    double penalty; /* of INCAST_LINEAR */
};

double incast_part(const struct incast_config *config, uint32_t inputs);

/* With queues, incast and credits: queues are numbered as in ports.h, and flows have `nodes` and `is_two_way`
 * of that file. */
struct rates_shape {
    uint32_t links, links_per_flow, nodes;
    bool is_two_way;
    bool is_spread;   /* only without congestion, and with windows */
    bool keeps_order; /* maxmin_keep_order */
    enum packet_congestion congestion;
    struct incast_config incast;
};

struct rates;

/* `capacities` in bytes per second. */
struct rates *rates_open(const struct rates_shape *shape, const uint64_t *capacities);
void rates_close(struct rates *rates); /* NULL: does nothing */
size_t rates_bytes(const struct rates *rates);
double rates_estimate(const struct rates_shape *shape, double flows, double links_per_flow);

/* The way of a flow. `parts` is NULL unless flows are spread. With queues, incast and
 * credits: the queues that it passes; with queues and credits: what the links let it have that give each
 * message their whole rate; with queues: its window, as in queues.h. */
struct rates_way {
    const uint32_t *links, *parts, *queues;
    uint32_t count, queue_count;
    uint64_t most; /* bytes per second; UINT64_MAX: no limit */
    uint64_t window, window_rate;
};

/* As the functions of maxmin.h. */
uint32_t rates_add(struct rates *rates, const struct rates_way *way);
void rates_remove(struct rates *rates, uint32_t flow);
uint32_t rates_add_link(struct rates *rates, uint64_t capacity); /* not with queues or credits */
void rates_set_capacity(struct rates *rates, uint32_t link, uint64_t capacity);
const uint32_t *rates_solve(struct rates *rates, size_t *count);
uint64_t rates_of(const struct rates *rates, uint32_t flow);
uint64_t
rates_unsettled(const struct rates *rates); /* of queues and credits: solutions that have not settled */

#endif
