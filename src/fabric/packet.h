#ifndef HELIO_FABRIC_PACKET_H
#define HELIO_FABRIC_PACKET_H

#include "base/time.h"

enum packet_duplex { PACKET_DUPLEX_FULL, PACKET_DUPLEX_HALF };
enum packet_injection { PACKET_INJECTION_SHARED, PACKET_INJECTION_ORDERED };

struct packet_config {
    ps_t latency_ps;
    uint64_t bandwidth_bytes_per_s;
    int duplex;    /* enum packet_duplex */
    int injection; /* enum packet_injection */
    ps_t hop_latency_ps;
    int routing; /* enum path_choice */
};

#endif
