#include "trace/ti/requests.h"

#include <stdlib.h>

#include "base/mem.h"
#include "call/call.h"

void requests_clear(struct requests *requests)
{
    requests_wait_all(requests);
    hashmap_clear(&requests->index);
    hashmap_clear(&requests->tags);
    requests->tag_count = 0;
    requests->key_count = requests->collective_count = 0;
    requests->serial = 0;
}

void requests_free(struct requests *requests)
{
    hashmap_free(&requests->index);
    hashmap_free(&requests->tags);
    free(requests->keys);
    free(requests->collectives);
    free(requests->by_slot);
    image_slots_free(&requests->slots);
    *requests = (struct requests){0};
}

static uint32_t key_number(struct requests *requests, uint64_t name, bool collective)
{
    uint32_t *known = hashmap_slot(&requests->index, name);
    if (!*known) {
        requests->keys = mem_grow(requests->keys, &requests->key_capacity, requests->key_count + 1,
                                  "the keys of requests");
        requests->keys[requests->key_count] =
            (struct request_key){.oldest = SLOT_NONE, .newest = SLOT_NONE, .collective = collective};
        *known = (uint32_t)++requests->key_count;
        if (collective) {
            requests->collectives = mem_grow(requests->collectives, &requests->collective_capacity,
                                             requests->collective_count + 1, "the keys of collectives");
            requests->collectives[requests->collective_count++] = *known - 1;
        }
    }
    return *known - 1;
}

/* The upper half of a key's name: in the world the tag, and else the number of (communicator, tag), with a
 * bit of the lower half set. Peers are below 2^24 and do not reach that bit. */
static uint64_t tag_part(struct requests *requests, int32_t tag, uint32_t comm)
{
    enum { BIT_OF_COMM = 30 };
    if (comm == 0)
        return (uint64_t)(uint32_t)tag << 32;
    uint32_t *known = hashmap_slot(&requests->tags, (uint64_t)comm << 32 | (uint32_t)tag);
    if (!*known)
        *known = ++requests->tag_count;
    return (uint64_t)*known << 32 | UINT64_C(1) << BIT_OF_COMM;
}

uint32_t requests_key(struct requests *requests, int32_t peer, int32_t tag, bool is_send, uint32_t comm)
{
    uint64_t end = (uint64_t)((uint32_t)(peer + 2)) << 1 | is_send;
    return key_number(requests, end | tag_part(requests, tag, comm), false);
}

uint32_t requests_collective_key(struct requests *requests, int32_t tag, uint32_t comm)
{
    /* No peer has this number: peers are ranks, and ranks are fewer than 2^24. */
    const uint64_t nobody = UINT64_C(1) << 29;
    return key_number(requests, nobody | tag_part(requests, tag, comm), true);
}

uint32_t requests_start(struct requests *requests, uint32_t key_index)
{
    struct request_key *key = &requests->keys[key_index];
    uint32_t slot = image_slots_take(&requests->slots);
    requests->by_slot =
        mem_grow(requests->by_slot, &requests->slot_capacity, (size_t)slot + 1, "outstanding requests");
    requests->by_slot[slot] =
        (struct open_request){.key = key_index, .next = SLOT_NONE, .serial = requests->serial++};
    if (key->newest == SLOT_NONE)
        key->oldest = slot;
    else
        requests->by_slot[key->newest].next = slot;
    key->newest = slot;
    return slot + SLOT_FIRST;
}

/* Versions of SimGrid differ in the tag of a wait for a non-blocking collective. If no request has that tag,
 * the wait is for the oldest collective. */
static uint32_t oldest_collective(const struct requests *requests, uint32_t key_index)
{
    uint64_t oldest = UINT64_MAX;
    for (size_t i = 0; i < requests->collective_count; i++) {
        const struct request_key *key = &requests->keys[requests->collectives[i]];
        if (key->oldest != SLOT_NONE && requests->by_slot[key->oldest].serial < oldest) {
            oldest = requests->by_slot[key->oldest].serial;
            key_index = requests->collectives[i];
        }
    }
    return key_index;
}

static uint32_t meant_key(const struct requests *requests, uint32_t key_index)
{
    const struct request_key *key = &requests->keys[key_index];
    return key->collective && key->oldest == SLOT_NONE ? oldest_collective(requests, key_index) : key_index;
}

uint32_t requests_wait(struct requests *requests, uint32_t key_index)
{
    struct request_key *key = &requests->keys[meant_key(requests, key_index)];
    uint32_t slot = key->oldest;
    if (slot == SLOT_NONE)
        return SLOT_NONE;
    key->oldest = requests->by_slot[slot].next;
    if (key->oldest == SLOT_NONE)
        key->newest = SLOT_NONE;
    image_slots_give(&requests->slots, slot);
    return slot + SLOT_FIRST;
}

uint32_t requests_test(struct requests *requests, uint32_t key_index)
{
    struct request_key *key = &requests->keys[meant_key(requests, key_index)];
    if (key->oldest == SLOT_NONE)
        return SLOT_NONE;
    requests->keys[key_index].explained = key->explained = true;
    return key->oldest + SLOT_FIRST;
}

void requests_wait_all(struct requests *requests)
{
    uint32_t slot = 0;
    while ((slot = image_slots_next(&requests->slots, slot)) != SLOT_NONE) {
        struct request_key *key = &requests->keys[requests->by_slot[slot].key];
        key->oldest = key->newest = SLOT_NONE;
        key->explained = true;
        image_slots_give(&requests->slots, slot);
    }
}

bool requests_explained(const struct requests *requests, uint32_t key_index)
{
    return requests->keys[key_index].explained;
}
