#ifndef HELIO_SCHEDULE_CIRCUIT_EVENTS_H
#define HELIO_SCHEDULE_CIRCUIT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "schedule/circuit/circuit.h"

/* The ends of the circuits that are up, in a heap: the earliest first, of equal ends the one that was made
 * first. */
struct circuit_end {
    ps_t end_ps;
    uint64_t made;
    uint32_t entry, crossbar;
};

struct circuit_ends {
    struct circuit_end *heap;
    size_t count;
    uint64_t made;
};

void circuit_ends_init(struct circuit_ends *ends, size_t most); /* circuits at a time */
void circuit_ends_free(struct circuit_ends *ends);
void circuit_ends_push(struct circuit_ends *ends, ps_t end_ps, uint32_t entry, uint32_t crossbar);
struct circuit_end circuit_ends_pop(struct circuit_ends *ends); /* there is one */

/* The entries that wait for a circuit, as bits of each sender and of each receiver; and on each switch the
 * ports that are free. */
struct circuit_waiting {
    size_t sender_words, receiver_words;
    uint64_t *to, *from;           /* [senders][receiver_words], [receivers][sender_words] */
    uint64_t *senders, *receivers; /* [switches][words]: those that are free */
};

void circuit_waiting_init(struct circuit_waiting *waiting, const struct circuit_problem *problem);
void circuit_waiting_reset(struct circuit_waiting *waiting, const struct circuit_problem *problem);
void circuit_waiting_free(struct circuit_waiting *waiting);

static inline bool bit_is_set(const uint64_t *bits, uint32_t index)
{
    return bits[index / 64] >> index % 64 & 1;
}

static inline void bit_set(uint64_t *bits, uint32_t index)
{
    bits[index / 64] |= UINT64_C(1) << index % 64;
}

static inline void bit_clear(uint64_t *bits, uint32_t index)
{
    bits[index / 64] &= ~(UINT64_C(1) << index % 64);
}

/* The entry waits no longer. */
static inline void circuit_waiting_take(struct circuit_waiting *waiting, const struct circuit_entry *entry)
{
    bit_clear(waiting->to + entry->sender * waiting->receiver_words, entry->receiver);
    bit_clear(waiting->from + entry->receiver * waiting->sender_words, entry->sender);
}

/* Both ports of the entry on the switch become busy, or free. */
static inline void circuit_waiting_occupy(struct circuit_waiting *waiting, const struct circuit_entry *entry,
                                          uint32_t crossbar)
{
    bit_clear(waiting->senders + crossbar * waiting->sender_words, entry->sender);
    bit_clear(waiting->receivers + crossbar * waiting->receiver_words, entry->receiver);
}

static inline void circuit_waiting_release(struct circuit_waiting *waiting, const struct circuit_entry *entry,
                                           uint32_t crossbar)
{
    bit_set(waiting->senders + crossbar * waiting->sender_words, entry->sender);
    bit_set(waiting->receivers + crossbar * waiting->receiver_words, entry->receiver);
}

#endif
