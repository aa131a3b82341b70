#include "place/place.h"

/* In the place of scotch.c where the library is not installed. */

const bool place_has_scotch = false;

bool place_by_scotch(const struct place_traffic *traffic, const struct topo *topo, uint64_t seed,
                     uint32_t *node_of)
{
    (void)traffic, (void)topo, (void)seed, (void)node_of;
    return false;
}
