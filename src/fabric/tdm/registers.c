#include "fabric/tdm/registers.h"

#include <string.h>

#include "base/mem.h"

enum status tdm_registers_init(struct tdm_registers *registers, const struct topo *topo,
                               struct tdm_pattern *pattern, const struct tdm_method *method)
{
    struct tdm_plan plan;
    tdm_pattern_unite(pattern);
    enum status status = tdm_plan_init(&plan, topo, pattern, method);
    if (status != STATUS_OK)
        return status;
    size_t count = pattern->count;
    *registers = (struct tdm_registers){.degree = plan.schedule.degree, .count = count};
    registers->pairs = mem_alloc(count + 1, sizeof *registers->pairs, "connections");
    registers->slot = mem_alloc(count + 1, sizeof *registers->slot, "connections");
    registers->first = mem_alloc((size_t)topo->nodes + 1, sizeof *registers->first, "connections");
    for (size_t i = 0; i < count; i++) {
        registers->pairs[i] = pattern->requests[i];
        registers->slot[i] = plan.schedule.slot[i];
        registers->first[pattern->requests[i].source + 1] = i + 1;
    }
    for (uint32_t node = 0; node < topo->nodes; node++)
        if (registers->first[node + 1] < registers->first[node])
            registers->first[node + 1] = registers->first[node];
    tdm_plan_free(&plan);
    return STATUS_OK;
}

void tdm_registers_free(struct tdm_registers *registers)
{
    free(registers->pairs);
    free(registers->slot);
    free(registers->first);
    *registers = (struct tdm_registers){.degree = 0};
}

size_t tdm_registers_find(const struct tdm_registers *registers, uint32_t source, uint32_t destination)
{
    size_t low = registers->first[source], end = registers->first[source + 1], high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (registers->pairs[middle].destination < destination)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && registers->pairs[low].destination == destination ? low : registers->count;
}

size_t tdm_registers_bytes(const struct tdm_registers *registers, uint32_t nodes)
{
    return registers->count * (sizeof *registers->pairs + sizeof *registers->slot) +
           ((size_t)nodes + 1) * sizeof *registers->first;
}
