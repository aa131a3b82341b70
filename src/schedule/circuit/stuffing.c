#include "schedule/circuit/stuffing.h"

#include "base/mem.h"

static uint64_t fill(uint64_t *bytes, uint64_t *row_free, uint64_t *column_free)
{
    uint64_t more = *row_free < *column_free ? *row_free : *column_free;
    *bytes += more;
    *row_free -= more;
    *column_free -= more;
    return *bytes;
}

/* Bytes of all entries are below 2^63 together (circuit_demand_unite), so no sum leaves 64 bits. */
void stuffed_init(struct stuffed *stuffed, const struct circuit_problem *problem)
{
    uint32_t size = circuit_size(problem);
    *stuffed = (struct stuffed){.size = size};
    stuffed->bytes = mem_alloc((size_t)size * size + 1, sizeof *stuffed->bytes, "a stuffed demand");
    uint64_t *row_free = mem_alloc((size_t)size + 1, sizeof *row_free, "sums of ports");
    uint64_t *column_free = mem_alloc((size_t)size + 1, sizeof *column_free, "sums of ports");
    for (uint32_t i = 0; i < problem->count; i++) {
        const struct circuit_entry *entry = &problem->entries[i];
        *stuffed_at(stuffed, entry->sender, entry->receiver) = entry->bytes;
        row_free[entry->sender] += entry->bytes;
        column_free[entry->receiver] += entry->bytes;
    }
    for (uint32_t i = 0; i < size; i++) {
        stuffed->sum = row_free[i] > stuffed->sum ? row_free[i] : stuffed->sum;
        stuffed->sum = column_free[i] > stuffed->sum ? column_free[i] : stuffed->sum;
    }
    for (uint32_t i = 0; i < size; i++) {
        row_free[i] = stuffed->sum - row_free[i];
        column_free[i] = stuffed->sum - column_free[i];
    }
    for (int with_bytes = 1; with_bytes >= 0; with_bytes--)
        for (uint32_t row = 0; row < size; row++)
            for (uint32_t column = 0; column < size; column++) {
                uint64_t *bytes = stuffed_at(stuffed, row, column);
                if ((stuffed_entry(problem, row, column) != CIRCUIT_NONE) != (with_bytes == 1))
                    continue;
                uint64_t filled = fill(bytes, &row_free[row], &column_free[column]);
                stuffed->largest = filled > stuffed->largest ? filled : stuffed->largest;
            }
    free(row_free);
    free(column_free);
}

void stuffed_free(struct stuffed *stuffed)
{
    free(stuffed->bytes);
    *stuffed = (struct stuffed){0};
}
