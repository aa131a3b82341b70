#ifndef HELIO_TRACE_IMAGE_MATCH_H
#define HELIO_TRACE_IMAGE_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "call/call.h"
#include "trace/image/image.h"
#include "trace/ti/action.h"

/* What the compiler keeps of every rank until all have been read: its distinct calls. The rest has been
 * written out by then. */
struct rank_call {
    uint64_t uses;
    uint64_t first_line;
    uint32_t start; /* of its text */
    uint32_t key;   /* of the request that it starts, waits for or tests; else KEY_NONE */
    enum action_doubt doubt;
};

#define KEY_NONE UINT32_MAX

struct rank_calls {
    struct call *calls;
    struct rank_call *about;
    size_t count, capacity, about_capacity;
    uint64_t order_hash; /* of the kinds and roots of its collectives, one after another */
    uint64_t order_count;
    uint64_t first_collective_line;
};

/* Notes, one per kind: the first place, and how many there are. */
struct notes {
    struct image_note kinds[NOTE_KINDS];
};

static inline void notes_add(struct notes *notes, enum image_note_kind kind, uint32_t rank, uint64_t line,
                             uint64_t count)
{
    struct image_note *note = &notes->kinds[kind];
    if (!note->count || rank < note->rank || (rank == note->rank && line < note->line)) {
        note->kind = kind;
        note->rank = rank;
        note->line = line;
    }
    note->count += count;
}

/* Gives every send and receive its channel, decides what an undefined source means, and notes what does not
 * fit together. Returns the number of channels. */
uint32_t match_ranks(struct rank_calls *ranks, uint32_t count, struct notes *notes);

#endif
