#ifndef HELIO_TRACE_IMAGE_MATCH_H
#define HELIO_TRACE_IMAGE_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call/call.h"
#include "trace/image/image.h"

/* What the image writer keeps of every rank until all have been read: its distinct calls. Tokens, amounts and
 * texts are in the file by then. */

/* A call that is replayed, but perhaps not as the program made it. Doubts are reported once per kind. */
enum call_doubt {
    DOUBT_NONE,
    DOUBT_UNDEFINED_SOURCE, /* CALL_ANY_SOURCE stands for MPI_ANY_SOURCE or MPI_PROC_NULL */
    DOUBT_ZERO_COUNTS,      /* MPI_Reduce_scatter_block whose counts the trace has lost */
    DOUBT_LOST,             /* stands for a call that is not in the trace */
};

#define KEY_NONE UINT32_MAX

struct image_call {
    uint64_t uses;
    uint64_t first_token; /* its number in the rank, from 1 */
    uint32_t start;       /* of its text */
    uint32_t key;         /* the same for a request's start, waits and tests; KEY_NONE: no such key */
    enum call_doubt doubt;
    bool is_ordered; /* a collective of the world, whose order all ranks share */
};

struct image_calls {
    struct call *calls;
    struct image_call *about;
    size_t count, capacity, about_capacity;
    uint32_t *sites; /* per call, as far as calls have call sites; NULL: none has one */
    size_t site_count, site_capacity;
    uint64_t order_hash; /* of the kinds and roots of its collectives, one after another */
    uint64_t order_count;
    uint64_t first_collective; /* its token's number, from 1 */
};

/* Notes, one for each kind: the first place, and how many there are. */
struct image_notes {
    struct image_note kinds[NOTE_KINDS];
};

static inline void image_notes_add(struct image_notes *notes, enum image_note_kind kind, uint32_t rank,
                                   uint64_t token, uint64_t count)
{
    struct image_note *note = &notes->kinds[kind];
    if (!note->count || rank < note->rank || (rank == note->rank && token < note->line)) {
        note->kind = kind;
        note->rank = rank;
        note->line = token;
    }
    note->count += count;
}

/* Gives each send and receive its channel, decides what an undefined source is, and notes sends and receives
 * that do not pair up. Returns the number of channels. */
uint32_t match_ranks(struct image_calls *ranks, uint32_t count, struct image_notes *notes);

#endif
