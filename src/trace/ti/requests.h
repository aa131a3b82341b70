#ifndef HELIO_TRACE_TI_REQUESTS_H
#define HELIO_TRACE_TI_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"
#include "trace/image/slots.h"

/* Which request a `wait <src> <dst> <tag>` means. A TI trace does not number its requests. Like SimGrid, this
 * keeps a queue of requests for each (src, dst, tag), and a wait takes the oldest. The result is the slot of
 * the request (trace/image/slots.h), so that nothing is searched during a run. */

#define SLOT_NONE UINT32_MAX

/* One (src, dst, tag) of a rank. Sends and receives to oneself share a queue. */
struct request_key {
    uint32_t oldest, newest; /* slots; SLOT_NONE: nothing is outstanding */
    bool collective;         /* a non-blocking collective */
    bool explained;          /* a test or a waitall may have completed the request that a later wait names */
};

struct open_request {
    uint32_t key;
    uint32_t next; /* the next one of the same key, in the order of their start */
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
    struct image_slots slots;
    uint64_t serial;
};

void requests_clear(struct requests *requests); /* before the next rank; keeps the memory */
void requests_free(struct requests *requests);

/* The number of a key of this rank. `peer` is the other end, or the rank itself; it is -2 or more. */
uint32_t requests_key(struct requests *requests, int32_t peer, int32_t tag, bool is_send, uint32_t comm);
uint32_t requests_collective_key(struct requests *requests, int32_t tag, uint32_t comm);

/* Each returns the slot of a request, as struct call has it. */
uint32_t requests_start(struct requests *requests, uint32_t key);
uint32_t requests_wait(struct requests *requests, uint32_t key); /* SLOT_NONE: nothing is outstanding */
uint32_t requests_test(struct requests *requests, uint32_t key); /* as wait; the request stays outstanding */
void requests_wait_all(struct requests *requests);

/* Whether a test or a waitall may have completed what a wait for this key finds missing. */
bool requests_explained(const struct requests *requests, uint32_t key);

#endif
