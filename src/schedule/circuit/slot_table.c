#include "schedule/circuit/slot_table.h"

#include <string.h>

#include "base/mem.h"

enum { CHAINS = 24 }; /* that are tried for a piece */

void slot_table_init(struct slot_table *table, uint32_t size, uint32_t slots, const ps_t *duration_ps,
                     uint64_t seed)
{
    size_t ports = 2 * (size_t)size;
    *table = (struct slot_table){.size = size,
                                 .slots = slots,
                                 .words = (size_t)slots / 64 + 1,
                                 .rng = rng_init(seed, "circuits.slots")};
    table->other = mem_alloc(ports * slots + 1, sizeof *table->other, "slots");
    table->time_ps = mem_alloc((size_t)size * slots + 1, sizeof *table->time_ps, "slots");
    table->duration_ps = mem_alloc((size_t)slots + 1, sizeof *table->duration_ps, "slots");
    table->idle = mem_alloc(ports * table->words + 1, sizeof *table->idle, "slots");
    table->fits = mem_alloc(table->words, sizeof *table->fits, "slots");
    table->row_slots = mem_alloc((size_t)slots + 1, sizeof *table->row_slots, "slots");
    table->column_slots = mem_alloc((size_t)slots + 1, sizeof *table->column_slots, "slots");
    table->chain = mem_alloc(ports + 1, sizeof *table->chain, "slots");
    memcpy(table->duration_ps, duration_ps, slots * sizeof *duration_ps);
    for (size_t port = 0; port < ports; port++)
        for (uint32_t slot = 0; slot < slots; slot++)
            table->idle[port * table->words + slot / 64] |= UINT64_C(1) << slot % 64;
}

void slot_table_free(struct slot_table *table)
{
    free(table->other);
    free(table->time_ps);
    free(table->duration_ps);
    free(table->idle);
    free(table->fits);
    free(table->row_slots);
    free(table->column_slots);
    free(table->chain);
}

static void put(struct slot_table *table, const struct slot_piece *piece, uint32_t slot)
{
    size_t row = piece->row, column = (size_t)table->size + piece->column;
    uint64_t bit = UINT64_C(1) << slot % 64;
    table->other[row * table->slots + slot] = (uint16_t)(piece->column + 1);
    table->other[column * table->slots + slot] = (uint16_t)(piece->row + 1);
    table->time_ps[row * table->slots + slot] = piece->time_ps;
    table->idle[row * table->words + slot / 64] &= ~bit;
    table->idle[column * table->words + slot / 64] &= ~bit;
}

static void take_out(struct slot_table *table, const struct slot_piece *piece, uint32_t slot)
{
    size_t row = piece->row, column = (size_t)table->size + piece->column;
    uint64_t bit = UINT64_C(1) << slot % 64;
    table->other[row * table->slots + slot] = 0;
    table->other[column * table->slots + slot] = 0;
    table->idle[row * table->words + slot / 64] |= bit;
    table->idle[column * table->words + slot / 64] |= bit;
}

/* The pieces on the path from the column whose slots are `first`, `second`, `first` ... Returns how many, or
 * UINT32_MAX if one of them would not fit the other slot. */
static uint32_t find_chain(struct slot_table *table, uint32_t column, uint32_t first, uint32_t second)
{
    uint32_t port = table->size + column, count = 0, slot = first, next = second;
    for (;;) {
        uint32_t other = table->other[(size_t)port * table->slots + slot];
        if (!other)
            return count;
        bool is_row = port < table->size;
        struct slot_piece *piece = &table->chain[count++];
        piece->row = (uint16_t)(is_row ? port : other - 1);
        piece->column = (uint16_t)(is_row ? other - 1 : port - table->size);
        piece->time_ps = table->time_ps[(size_t)piece->row * table->slots + slot];
        if (piece->time_ps > table->duration_ps[next])
            return UINT32_MAX;
        port = is_row ? table->size + other - 1 : other - 1;
        uint32_t before = slot;
        slot = next;
        next = before;
    }
}

/* Makes the row's idle slot idle at the column too, whose own idle slot is another one. */
static bool free_by_chain(struct slot_table *table, uint32_t column, uint32_t row_slot, uint32_t column_slot)
{
    uint32_t count = find_chain(table, column, row_slot, column_slot);
    if (count == UINT32_MAX)
        return false;
    for (uint32_t i = 0; i < count; i++)
        take_out(table, &table->chain[i], i % 2 ? column_slot : row_slot);
    for (uint32_t i = 0; i < count; i++)
        put(table, &table->chain[i], i % 2 ? row_slot : column_slot);
    return true;
}

/* The slots that are long enough and idle at the port. */
static uint32_t list_slots(const struct slot_table *table, size_t port, uint32_t *slots)
{
    uint32_t count = 0;
    for (size_t word = 0; word < table->words; word++)
        for (uint64_t found = table->idle[port * table->words + word] & table->fits[word]; found;
             found &= found - 1)
            slots[count++] = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(found);
    return count;
}

static bool place_by_chain(struct slot_table *table, const struct slot_piece *piece)
{
    uint32_t rows = list_slots(table, piece->row, table->row_slots);
    uint32_t columns = list_slots(table, (size_t)table->size + piece->column, table->column_slots);
    for (int i = 0; rows && columns && i < CHAINS; i++) {
        uint32_t row_slot = table->row_slots[i ? rng_below(&table->rng, rows) : 0];
        uint32_t column_slot = table->column_slots[rng_below(&table->rng, columns)];
        if (free_by_chain(table, piece->column, row_slot, column_slot)) {
            put(table, piece, row_slot);
            return true;
        }
    }
    return false;
}

/* The first slot that is idle at both ports and long enough, or else the first one that is not. */
static uint32_t find_slot(const struct slot_table *table, const struct slot_piece *piece)
{
    const uint64_t *row = table->idle + piece->row * table->words;
    const uint64_t *column = table->idle + ((size_t)table->size + piece->column) * table->words;
    uint32_t shorter = UINT32_MAX;
    for (size_t word = 0; word < table->words; word++) {
        uint64_t both = row[word] & column[word], long_enough = both & table->fits[word];
        if (long_enough)
            return (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(long_enough);
        if (both && shorter == UINT32_MAX)
            shorter = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(both);
    }
    return shorter;
}

ps_t slot_table_place(struct slot_table *table, const struct slot_piece *piece, ps_t stretch_ps)
{
    struct slot_piece placed = *piece;
    for (; table->fitting < table->slots && table->duration_ps[table->fitting] >= piece->time_ps;
         table->fitting++)
        table->fits[table->fitting / 64] |= UINT64_C(1) << table->fitting % 64;
    uint32_t slot = find_slot(table, piece);
    if (slot != UINT32_MAX && table->duration_ps[slot] >= piece->time_ps) {
        put(table, piece, slot);
        return piece->time_ps;
    }
    if (place_by_chain(table, piece))
        return piece->time_ps;
    if (slot == UINT32_MAX)
        return 0;
    if (table->duration_ps[slot] >= piece->time_ps - stretch_ps) {
        table->duration_ps[slot] = piece->time_ps;
        table->fits[slot / 64] |= UINT64_C(1) << slot % 64;
    }
    placed.time_ps = piece->time_ps < table->duration_ps[slot] ? piece->time_ps : table->duration_ps[slot];
    if (placed.time_ps)
        put(table, &placed, slot);
    return placed.time_ps;
}
