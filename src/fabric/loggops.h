#ifndef HELIO_FABRIC_LOGGOPS_H
#define HELIO_FABRIC_LOGGOPS_H

#include "base/param.h"
#include "fabric/fabric.h"

/* The LogGOPS model (Hoefler, Schneider, Lumsdaine 2010): L, o, g, G, O, S. It is a model of a network and of
 * the hosts on it at once, so its rules are an engine (engine/loggops), which the fabric loggops names.
 * docs/models/loggops.md */

/* A time per byte: numerator / denominator ps. A rate R is 10^12 / R. */
struct loggops_per_byte {
    uint64_t numerator, denominator;
};

struct loggops_config {
    ps_t L, o, g;
    struct loggops_per_byte G, O;
    uint64_t S;
};

extern const struct param_table loggops_params; /* struct loggops_config */

/* What the bytes behind the first take; PS_NEVER: out of range. */
static inline ps_t loggops_bytes_ps(struct loggops_per_byte each, uint64_t bytes)
{
    unsigned __int128 work =
        (unsigned __int128)(bytes ? bytes - 1 : 0) * each.numerator + each.denominator - 1;
    /* a division of 128 bits is a call */
    unsigned __int128 time = work >> 64 ? work / each.denominator : (uint64_t)work / each.denominator;
    return time > (unsigned __int128)PS_NEVER ? PS_NEVER : (ps_t)time;
}
extern const struct fabric_ops loggops_fabric;

#endif
