#include "topo/picture.h"

#include <string.h>

#include "topo/faults.h"

bool topo_picture_has(const struct topo_picture *picture, uint32_t link)
{
    for (uint32_t i = 0; i < picture->route_count; i++)
        if (picture->route[i] == link)
            return true;
    return false;
}

bool topo_picture_passes(const struct topo_picture *picture, uint32_t at)
{
    for (uint32_t i = 0; i + 1 < picture->route_count; i++)
        if (topo_link_to(picture->topo, picture->route[i]) == at)
            return true;
    return false;
}

bool topo_picture_ends_at(const struct topo_picture *picture, uint32_t node)
{
    return topo_picture_has(picture, topo_injection(picture->topo, node)) ||
           topo_picture_has(picture, topo_ejection(picture->topo, node));
}

const char *topo_picture_arrow(const struct topo_picture *picture, uint32_t link)
{
    if (faults_has_failed(picture->topo, link))
        return "x";
    return topo_picture_has(picture, link) ? ">>" : ">";
}
