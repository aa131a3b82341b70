#include "fabric/packet/ports.h"

#include "base/estimate.h"
#include "base/mem.h"

uint32_t ports_between(struct ports *ports, uint32_t from, uint32_t to)
{
    uint32_t *slot = hashmap_slot(&ports->index, (uint64_t)from << 32 | to);
    if (!*slot) {
        *slot = ++ports->count;
        ports->items = mem_grow(ports->items, &ports->capacity, ports->count, "ports of links");
        ports->items[*slot - 1] = (struct queue_port){.from = from, .to = to};
    }
    return *slot - 1;
}

void ports_free(struct ports *ports)
{
    free(ports->items);
    hashmap_free(&ports->index);
}

size_t ports_bytes(const struct ports *ports)
{
    return ports->capacity * sizeof *ports->items +
           (ports->index.entries ? (ports->index.mask + 1) * sizeof *ports->index.entries : 0);
}

double ports_estimate(double ports)
{
    return estimate_array(ports, sizeof(struct queue_port)) +
           estimate_power(2 * ports, 64) * (double)sizeof(struct hashmap_entry);
}
