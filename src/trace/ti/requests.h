#ifndef HELIO_TRACE_TI_REQUESTS_H
#define HELIO_TRACE_TI_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"

/* Which request a `wait <src> <dst> <tag>` means. A trace names no requests, so the replay keeps, as SimGrid
 * does, one queue per (src, dst, tag) and takes the oldest. Resolved here, once, to a slot: the smallest that
 * is free, so that a rank uses no more slots than it ever has requests outstanding. */

#define SLOT_NONE UINT32_MAX

/* One (src, dst, tag) of a rank. Sends and receives to oneself share a queue. */
struct request_key {
    uint32_t oldest, newest; /* slots; SLOT_NONE when nothing is outstanding */
    bool collective;         /* a non-blocking collective */
    bool explained;          /* a test or a waitall may have completed what a later wait names */
};

struct open_request {
    uint32_t key;
    uint32_t next; /* the next younger of the same key */
    uint64_t serial;
};

struct requests {
    struct hashmap index; /* of keys, by their names */
    struct hashmap tags;  /* numbers for (communicator, tag), for all communicators but the world */
    uint32_t tag_count;
    struct request_key *keys;
    size_t key_count, key_capacity;
    uint32_t *collectives; /* the keys that are collectives: a few kinds */
    size_t collective_count, collective_capacity;
    struct open_request *by_slot;
    size_t slot_capacity;
    uint64_t *taken; /* bit per slot */
    size_t taken_words;
    size_t first_free_word; /* no word before it has a free slot */
    uint32_t slots;         /* slots ever used: the highest plus 1 */
    uint32_t in_use;        /* above the highest slot taken since all were free */
    uint32_t outstanding;
    uint64_t serial;
};

void requests_clear(struct requests *requests); /* for the next rank; keeps the memory */
void requests_free(struct requests *requests);

/* The dense number of a key of this rank. `peer` is the other end (itself for self messages), at least -2. */
uint32_t requests_key(struct requests *requests, int32_t peer, int32_t tag, bool is_send, uint32_t comm);
uint32_t requests_collective_key(struct requests *requests, int32_t tag, uint32_t comm);

uint32_t requests_start(struct requests *requests, uint32_t key);
uint32_t requests_wait(struct requests *requests, uint32_t key); /* SLOT_NONE: nothing outstanding */
uint32_t requests_test(struct requests *requests, uint32_t key); /* likewise; the slot stays taken */
void requests_wait_all(struct requests *requests);
bool requests_explained(const struct requests *requests, uint32_t key); /* nothing outstanding is no error */

#endif
