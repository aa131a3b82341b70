#ifndef HELIO_BASE_PART_H
#define HELIO_BASE_PART_H

#include <stdint.h>

#include "base/time.h"

/* What a message does during a part of its time. */
enum tap_part {
    TAP_PART_WAIT,      /* waits for its receiver; a part of another kind at the same time counts instead */
    TAP_PART_HANDSHAKE, /* waits for a control message of its rendezvous */
    TAP_PART_SOFTWARE,  /* a core at one of its ends works for it, or finishes other work first */
    TAP_PART_BUS,       /* moves between core or memory and the NIC */
    TAP_PART_ACQUIRE,   /* requests the resource that moves it */
    TAP_PART_QUEUE,     /* waits in the queue of this resource */
    TAP_PART_SWITCH,    /* a circuit is set up for it */
    TAP_PART_STORED,    /* waits in a buffer on its way */
    TAP_PART_TRANSFER,  /* its bytes enter the network */
    TAP_PART_WIRE,      /* its last bytes move through the network */
    TAP_PART_RELEASE,   /* returns the resource */
    TAP_PARTS
};

/* What a part of a message waits for. */
struct tap_awaited {
    const char *what; /* such as "link"; a constant text */
    uint32_t which;   /* its number */
    ps_t alone;       /* how long the part would take without other messages; 0 = not known */
};

#endif
