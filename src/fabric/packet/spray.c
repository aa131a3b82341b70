#include "fabric/packet/spray.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool are_alike(const struct topo *topo, bool changes)
{
    return topo->ops->alike && !topo->faults && !topo->updown && !changes;
}

struct spray *spray_open(const struct topo *topo, bool changes)
{
    struct spray *spray = mem_alloc(1, sizeof *spray, "routes");
    spray->is_alike = are_alike(topo, changes);
    if (spray->is_alike) {
        sums_init(&spray->of_each, topo->links);
        return spray;
    }
    spray->inflow = mem_alloc(topo->switches, sizeof *spray->inflow, "routes");
    spray->queue = mem_alloc(topo->switches, sizeof *spray->queue, "routes");
    return spray;
}

void spray_close(struct spray *spray)
{
    if (!spray)
        return;
    free(spray->inflow);
    free(spray->queue);
    sums_free(&spray->of_each);
    free(spray);
}

size_t spray_bytes(const struct spray *spray, const struct topo *topo)
{
    return spray->is_alike ? sums_bytes(&spray->of_each)
                           : topo->switches * (sizeof *spray->inflow + sizeof *spray->queue);
}

/* ------------------------------------------------------------------- routes */

/* The fixed route, in which each link stands for those that are alike: each carries as much. */
static uint32_t route_alike(const struct topo *topo, uint32_t source, uint32_t destination, uint32_t *links)
{
    uint32_t count = topo_route(topo, source, destination, links), step, others;
    links[count] = links[2 * count - 1] = MAXMIN_WHOLE;
    for (uint32_t i = 1; i + 1 < count; i++) {
        links[i] = topo->ops->alike(topo, links[i], &step, &others);
        links[count + i] = MAXMIN_WHOLE / others ? MAXMIN_WHOLE / others : 1;
    }
    return count;
}

/* Behind the `count` links and the `room` parts: what leads on from the switch, in equal parts; the first
 * from the preferred one on have a unit more if there is a remainder. Returns how many there are then, or
 * more than `room`. */
static uint32_t divide(struct spray *spray, const struct topo *topo, uint32_t at, uint32_t destination,
                       uint32_t *links, uint32_t count, uint32_t room, uint32_t *queued)
{
    struct topo_choice choice = topo_choose(topo, at, destination);
    uint32_t part = spray->inflow[at] / choice.count, rest = spray->inflow[at] % choice.count;
    for (uint32_t i = 0; i < choice.count; i++) {
        uint32_t link = topo_candidate(choice, (choice.preferred + i) % choice.count);
        uint32_t here = part + (i < rest);
        if (!topo_is_network(topo, link) || !here)
            continue;
        uint32_t to = topo_link_to(topo, link);
        if (!spray->inflow[to])
            spray->queue[(*queued)++] = to;
        spray->inflow[to] += here;
        if (count < room) {
            links[count] = link;
            links[room + count] = here;
        }
        count++;
    }
    return count;
}

/* All minimal ways have the same length. So breadth-first, all that comes into a switch has come when its
 * turn is. Returns how many links there are; beyond `room` only their number is right. */
static uint32_t route_apart(struct spray *spray, const struct topo *topo, uint32_t source,
                            uint32_t destination, uint32_t *links, uint32_t room)
{
    uint32_t queued = 0, count = 1, at = topo_switch_of(topo, source);
    links[0] = topo_injection(topo, source);
    links[room] = MAXMIN_WHOLE;
    spray->inflow[at] = MAXMIN_WHOLE;
    spray->queue[queued++] = at;
    for (uint32_t i = 0; i < queued; i++)
        count = divide(spray, topo, spray->queue[i], destination, links, count, room, &queued);
    for (uint32_t i = 0; i < queued; i++)
        spray->inflow[spray->queue[i]] = 0;
    if (count < room) {
        links[count] = topo_ejection(topo, destination);
        links[room + count] = MAXMIN_WHOLE;
    }
    return count + 1;
}

uint32_t spray_route(struct spray *spray, const struct topo *topo, uint32_t source, uint32_t destination,
                     uint32_t *links)
{
    enum { ROOM = MAXMIN_LINKS_PER_FLOW };
    uint32_t all[2 * ROOM];
    if (spray->is_alike)
        return route_alike(topo, source, destination, links);
    uint32_t count = route_apart(spray, topo, source, destination, all, ROOM);
    memcpy(links, all, count * sizeof *links);
    memcpy(links + count, all + ROOM, count * sizeof *links);
    return count;
}

/* ------------------------------------------------------------------- limits */

/* A node of each switch that has nodes; returns how many. */
static uint32_t list_nodes(const struct topo *topo, uint32_t *nodes)
{
    uint8_t *has = mem_alloc(topo->switches, sizeof *has, "nodes");
    uint32_t count = 0;
    for (uint32_t node = 0; node < topo->nodes; node++) {
        uint32_t at = topo_switch_of(topo, node);
        if (!has[at])
            nodes[count++] = node;
        has[at] = 1;
    }
    free(has);
    return count;
}

/* Where links are alike or no choice is left, a route has a link for each hop. Else all pairs are tried. */
uint32_t spray_limit(const struct topo *topo, bool changes)
{
    uint32_t limit = topo_route_limit(topo), links[2];
    if (are_alike(topo, changes) || !topo_has_choices(topo))
        return limit;
    struct spray *spray = spray_open(topo, changes);
    uint32_t *nodes = mem_alloc(topo->nodes, sizeof *nodes, "nodes"), count = list_nodes(topo, nodes);
    for (uint32_t i = 0; i < count && limit <= MAXMIN_LINKS_PER_FLOW; i++)
        for (uint32_t k = 0; k < count; k++) {
            if (!topo_reaches(topo, nodes[i], nodes[k]))
                continue;
            uint32_t of_pair = route_apart(spray, topo, nodes[i], nodes[k], links, 1);
            limit = of_pair > limit ? of_pair : limit;
        }
    free(nodes);
    spray_close(spray);
    return limit;
}

/* -------------------------------------------------------------------- bytes */

const struct sums *spray_link_bytes(struct spray *spray, const struct topo *topo, const struct sums *bytes)
{
    if (!spray->is_alike)
        return bytes;
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++) {
        uint32_t step, count, first = topo->ops->alike(topo, link, &step, &count);
        uint32_t place = (link - first) / step;
        sum_t all = sum_at(bytes->low, bytes->high, first);
        sums_set(&spray->of_each, link, all / count + (place < (uint64_t)(all % count)));
    }
    return &spray->of_each;
}
