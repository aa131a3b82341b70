/* A topology, as a plug-in: the hypercube of 2^n switches with m nodes on each (m = 1 where it is left out).
 *
 *     cc -shared -fPIC $(pkg-config --cflags heliograph) examples/hypercube.c -o examples/hypercube.so
 *     helio topo --plugin examples/hypercube.so hypercube:4 --route 0,11
 *     helio run --plugin examples/hypercube.so --set topology=hypercube:4x4 --fabric packet,segment \
 *         --workload alltoall:ranks=64,bytes=4KiB
 *
 * Switches whose numbers differ in one bit are linked. A message corrects the lowest bit that is wrong first:
 * e-cube routing (Sullivan and Bashkow 1977), which is free of deadlocks. */
#include <heliograph.h>
#include <stdio.h>

static int hypercube_build(void *self, struct heliograph_shape *shape, uint32_t *index, char *problem,
                           size_t size)
{
    uint32_t dimensions = shape->numbers[0];
    uint32_t nodes_per_switch = shape->number_count == 2 ? shape->numbers[1] : 1;
    (void)self;
    if (dimensions > 12 || nodes_per_switch > 1024) {
        *index = dimensions > 12 ? 0 : 1;
        snprintf(problem, size, "a hypercube here has at most 12 dimensions, and 1024 nodes on a switch");
        return 0;
    }
    shape->switches = UINT32_C(1) << dimensions;
    shape->nodes_per_switch = nodes_per_switch;
    shape->nodes = shape->switches * nodes_per_switch;
    shape->links = shape->switches * dimensions;
    return 1;
}

/* Dimension after dimension; in each, pair k joins the two switches whose numbers without that bit are k.
 * Link 2k leads to the switch whose bit is set. */
static void hypercube_ends(void *self, const struct heliograph_shape *shape, uint32_t link, uint32_t *from,
                           uint32_t *to)
{
    uint32_t bit = UINT32_C(1) << link / shape->switches;
    uint32_t pair = link % shape->switches / 2;
    uint32_t low = (pair & ~(bit - 1)) << 1 | (pair & (bit - 1));
    (void)self;
    *from = link % 2 ? low | bit : low;
    *to = *from ^ bit;
}

static uint32_t hypercube_next(void *self, const struct heliograph_shape *shape, uint32_t from, uint32_t to)
{
    uint32_t dimension = 0;
    (void)self;
    while (!((from ^ to) >> dimension & 1))
        dimension++;
    uint32_t bit = UINT32_C(1) << dimension;
    uint32_t pair = (from >> 1 & ~(bit - 1)) | (from & (bit - 1));
    return dimension * shape->switches + 2 * pair + (from & bit ? 1 : 0);
}

static uint32_t hypercube_distance(void *self, const struct heliograph_shape *shape, uint32_t from,
                                   uint32_t to)
{
    uint32_t distance = 0;
    (void)self, (void)shape;
    for (uint32_t different = from ^ to; different; different &= different - 1)
        distance++;
    return distance;
}

static uint64_t hypercube_bisection(void *self, const struct heliograph_shape *shape)
{
    (void)self;
    return shape->switches / 2;
}

enum heliograph_status heliograph_plugin_init(const struct heliograph_plugin_api *api)
{
    static const struct heliograph_topology hypercube = {.struct_size = sizeof hypercube,
                                                         .name = "hypercube",
                                                         .doc = "2^n switches, m nodes on each: n or n x m",
                                                         .least_numbers = 1,
                                                         .most_numbers = 2,
                                                         .example = "hypercube:4, its dimensions",
                                                         .build = hypercube_build,
                                                         .ends = hypercube_ends,
                                                         .next = hypercube_next,
                                                         .distance = hypercube_distance,
                                                         .bisection = hypercube_bisection};
    return api->register_topology(&hypercube);
}
