#ifndef HELIO_FABRIC_PACKET_PORTS_H
#define HELIO_FABRIC_PACKET_PORTS_H

#include "base/hashmap.h"

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
