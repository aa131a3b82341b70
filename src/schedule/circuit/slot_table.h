#ifndef HELIO_SCHEDULE_CIRCUIT_SLOT_TABLE_H
#define HELIO_SCHEDULE_CIRCUIT_SLOT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "base/time.h"

/* A part of an entry, from the sender of a row to the receiver of a column. */
struct slot_piece {
    ps_t time_ps;
    uint16_t row, column;
};

/* Slots of given durations, and which pieces are in them: at most one of each row and of each column. This
 * colours the edges of a bipartite graph, where a colour has a duration, and an edge takes colours that are
 * as long as its piece. */
struct slot_table {
    uint32_t size, slots, fitting; /* slots 0 ... fitting - 1 were as long as the last piece from the start */
    size_t words;
    uint16_t *other;   /* [2 size][slots]: of rows, then of columns: the port at the other end + 1; 0: none */
    ps_t *time_ps;     /* [size][slots]: the pieces, by row */
    ps_t *duration_ps; /* [slots] */
    uint64_t *idle;    /* [2 size][words]: the slots in which a port has no piece */
    uint64_t *fits;    /* [words]: the slots that are as long as the last piece */
    uint32_t *row_slots, *column_slots; /* [slots] */
    struct slot_piece *chain;           /* [2 size] */
    struct rng rng;
};

/* `duration_ps` descends. */
void slot_table_init(struct slot_table *table, uint32_t size, uint32_t slots, const ps_t *duration_ps,
                     uint64_t seed);
void slot_table_free(struct slot_table *table);

/* Puts the piece into a slot; pieces come in descending order. The first of these that is possible: a slot
 * that is long enough; such a slot once pieces along an alternating path have changed places (Kempe 1879, as
 * in Koenig's proof of 1916); a slot that becomes longer, by at most `stretch_ps`; the longest slot that is
 * shorter, for a part of the piece. Returns how much of the piece is in the slot: 0 if both ports have no
 * slot in common. */
ps_t slot_table_place(struct slot_table *table, const struct slot_piece *piece, ps_t stretch_ps);

static inline uint32_t slot_table_column(const struct slot_table *table, uint32_t slot, uint32_t row)
{
    return table->other[(size_t)row * table->slots + slot] - 1U; /* UINT32_MAX: none */
}

#endif
