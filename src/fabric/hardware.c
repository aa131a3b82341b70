#include "fabric/hardware.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/diag.h"
#include "fabric/topology.h"

enum status hardware_add(struct hardware *hardware, const struct config *config, uint32_t nodes,
                         bool passes_light, uint64_t rate_bytes_per_s)
{
    assert(hardware->count < HARDWARE_PLANES);
    struct hardware_plane *plane = &hardware->planes[hardware->count];
    *plane = (struct hardware_plane){
        .copies = 1, .passes_light = passes_light, .rate_bytes_per_s = rate_bytes_per_s};
    enum status status = topology_for_nodes(config, nodes, &plane->topo);
    if (status == STATUS_OK && !plane->topo.ops->choose) {
        diag_error(
            "%s says links and the routes over them, and not which switches with which ports they join, "
            "so that nothing can be counted; give the network as a topology, or as a network file, "
            "which helio topo --yaml writes of a platform without shared links",
            plane->topo.path);
        status = STATUS_BAD_INPUT;
    }
    hardware->count += status == STATUS_OK;
    return status;
}

struct hardware_use hardware_unknown_use(const struct hardware *hardware)
{
    struct hardware_use use = {.switched_bytes = 0, .setups = -1};
    for (uint32_t i = 0; i < hardware->count; i++)
        if (!hardware->planes[i].passes_light)
            use.switched_bytes = -1;
    return use;
}

enum status hardware_add_stars(struct hardware *hardware, uint32_t copies, uint32_t nodes, uint32_t memories,
                               uint64_t rate_bytes_per_s)
{
    char text[TOPO_TEXT];
    assert(hardware->count < HARDWARE_PLANES);
    struct hardware_plane *plane = &hardware->planes[hardware->count];
    *plane = (struct hardware_plane){
        .copies = copies, .memories = memories, .passes_light = true, .rate_bytes_per_s = rate_bytes_per_s};
    snprintf(text, sizeof text, "crossbar:%" PRIu64, (uint64_t)nodes + memories);
    enum status status = topo_parse("the optical switch", text, &plane->topo);
    hardware->count += status == STATUS_OK;
    return status;
}
