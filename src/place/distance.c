#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "place/place.h"
#include "topo/topo.h"

void place_machine_make(struct place_machine *machine, const struct topo *topo, uint32_t each)
{
    const uint32_t nodes = topo->nodes;
    *machine = (struct place_machine){.nodes = nodes, .places = nodes * each};
    machine->node_at = mem_alloc(machine->places, sizeof *machine->node_at, "places of ranks");
    machine->hops = mem_alloc((size_t)nodes * nodes, sizeof *machine->hops, "hops between nodes");
    for (uint32_t place = 0; place < machine->places; place++)
        machine->node_at[place] = place / each;
    for (uint32_t from = 0; from < nodes; from++) {
        for (uint32_t to = 0; to < nodes; to++) {
            const uint32_t hops = from == to ? 0 : topo_distance(topo, from, to);
            machine->hops[(size_t)from * nodes + to] = hops < UINT16_MAX ? (uint16_t)hops : UINT16_MAX;
        }
        progress_step();
    }
}

static int ascending(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

void place_machine_keep(struct place_machine *machine, const uint32_t *node_of, uint32_t ranks)
{
    machine->places = ranks;
    memcpy(machine->node_at, node_of, ranks * sizeof *node_of);
    qsort(machine->node_at, ranks, sizeof *machine->node_at, ascending);
}

void place_machine_free(struct place_machine *machine)
{
    free(machine->node_at);
    free(machine->hops);
    *machine = (struct place_machine){.nodes = 0};
}

sum_t place_cost(const struct place_traffic *traffic, const struct place_machine *machine,
                 const uint32_t *node_of)
{
    sum_t cost = 0;
    for (uint32_t rank = 0; rank < traffic->ranks; rank++)
        for (size_t i = traffic->first[rank]; i < traffic->first[rank + 1]; i++)
            cost += (sum_t)traffic->peers[i].to *
                    place_hops(machine, node_of[rank], node_of[traffic->peers[i].rank]);
    return cost;
}

/* -------------------------------------------------------------------- bound */

static int descending(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a > b ? -1 : a < b;
}

static int ascending_hops(const void *left, const void *right)
{
    return (int)*(const uint16_t *)left - (int)*(const uint16_t *)right;
}

/* nearest[k]: no place has its k-th nearest other place nearer, k from 0. */
static uint16_t *find_nearest(const struct place_machine *machine, uint32_t most)
{
    const uint32_t places = machine->places;
    uint16_t *nearest = mem_alloc((size_t)most + 1, sizeof *nearest, "hops to places"),
             *hops = mem_alloc(places, sizeof *hops, "hops to places");
    memset(nearest, UINT8_MAX, ((size_t)most + 1) * sizeof *nearest);
    for (uint32_t place = 0; place < places; place++) {
        const uint32_t node = machine->node_at[place];
        uint32_t count = 0;
        if (place && machine->node_at[place - 1] == node)
            continue;
        for (uint32_t other = 0; other < places; other++) {
            const uint32_t there = place_hops(machine, node, machine->node_at[other]),
                           back = place_hops(machine, machine->node_at[other], node);
            if (other != place)
                hops[count++] = (uint16_t)(there < back ? there : back);
        }
        qsort(hops, count, sizeof *hops, ascending_hops);
        for (uint32_t k = 0; k < most && k < count; k++)
            nearest[k] = hops[k] < nearest[k] ? hops[k] : nearest[k];
    }
    free(hops);
    return nearest;
}

/* Each rank has its peers with most bytes at its nearest places. A pair counts for both of its ranks. */
sum_t place_bound(const struct place_traffic *traffic, const struct place_machine *machine)
{
    size_t most = 0;
    for (uint32_t rank = 0; rank < traffic->ranks; rank++) {
        const size_t peers = traffic->first[rank + 1] - traffic->first[rank];
        most = peers > most ? peers : most;
    }
    uint16_t *nearest = find_nearest(machine, (uint32_t)most);
    uint64_t *bytes = mem_alloc(most + 1, sizeof *bytes, "bytes of peers");
    sum_t twice = 0;
    for (uint32_t rank = 0; rank < traffic->ranks; rank++) {
        const size_t first = traffic->first[rank], count = traffic->first[rank + 1] - first;
        for (size_t i = 0; i < count; i++)
            bytes[i] = traffic->peers[first + i].to + traffic->peers[first + i].from;
        qsort(bytes, count, sizeof *bytes, descending);
        for (size_t i = 0; i < count; i++)
            twice += (sum_t)bytes[i] * nearest[i];
    }
    free(bytes);
    free(nearest);
    return (twice + 1) / 2;
}
