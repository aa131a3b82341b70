#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/mem.h"
#include "fabric/message.h"
#include "place/place.h"

static int by_ranks(const void *left, const void *right)
{
    const struct place_pair *a = left, *b = right;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->destination < b->destination ? -1 : a->destination > b->destination;
}

static uint64_t add_bytes(uint64_t left, uint64_t right)
{
    return left > INT64_MAX - right ? INT64_MAX : left + right;
}

/* Every pair from both of its ends: `sent` says which end is `source`. */
struct half {
    struct place_pair pair;
    bool sent;
};

static int by_pair(const void *left, const void *right)
{
    return by_ranks(&((const struct half *)left)->pair, &((const struct half *)right)->pair);
}

static void add_half(struct place_traffic *traffic, const struct half *half, size_t *count,
                     const struct half *before)
{
    const bool is_new = !before || by_pair(before, half) != 0;
    if (is_new) {
        traffic->peers[(*count)++] = (struct place_peer){.rank = half->pair.destination};
        traffic->first[half->pair.source + 1]++;
    }
    struct place_peer *peer = &traffic->peers[*count - 1];
    uint64_t *bytes = half->sent ? &peer->to : &peer->from;
    *bytes = add_bytes(*bytes, half->pair.bytes);
}

void place_traffic_make(struct place_traffic *traffic, uint32_t ranks, const struct place_pair *pairs,
                        size_t count)
{
    struct half *halves = mem_alloc(2 * count + 1, sizeof *halves, "pairs of ranks");
    *traffic = (struct place_traffic){.ranks = ranks};
    for (size_t i = 0; i < count; i++) {
        halves[2 * i] = (struct half){pairs[i], true};
        halves[2 * i + 1] = (struct half){{pairs[i].destination, pairs[i].source, pairs[i].bytes}, false};
        traffic->bytes += pairs[i].bytes;
    }
    qsort(halves, 2 * count, sizeof *halves, by_pair);
    traffic->first = mem_alloc((size_t)ranks + 1, sizeof *traffic->first, "pairs of ranks");
    traffic->peers = mem_alloc(2 * count + 1, sizeof *traffic->peers, "pairs of ranks");
    size_t peers = 0;
    for (size_t i = 0; i < 2 * count; i++)
        add_half(traffic, &halves[i], &peers, i ? &halves[i - 1] : NULL);
    for (uint32_t rank = 0; rank < ranks; rank++)
        traffic->first[rank + 1] += traffic->first[rank];
    free(halves);
}

void place_traffic_free(struct place_traffic *traffic)
{
    free(traffic->first);
    free(traffic->peers);
    *traffic = (struct place_traffic){.ranks = 0};
}

/* ---------------------------------------------------------------- collector */

struct place_collector {
    struct hashmap known; /* source << 32 | destination: which of the pairs */
    struct place_pair *pairs;
    size_t count, capacity;
};

struct place_collector *place_collector_open(void)
{
    return mem_alloc(1, sizeof(struct place_collector), "pairs of ranks");
}

static void collect(void *self, const struct tap_record *record)
{
    struct place_collector *collector = self;
    const struct message *message = record->message;
    if (message->source == message->destination || !message->bytes)
        return;
    uint32_t *slot = hashmap_slot(&collector->known, (uint64_t)message->source << 32 | message->destination);
    if (!*slot) {
        collector->pairs =
            mem_grow(collector->pairs, &collector->capacity, collector->count + 1, "pairs of ranks");
        collector->pairs[collector->count++] =
            (struct place_pair){.source = message->source, .destination = message->destination};
        *slot = (uint32_t)collector->count;
    }
    uint64_t *bytes = &collector->pairs[*slot - 1].bytes;
    *bytes = add_bytes(*bytes, message->bytes);
}

void place_collector_listen(void *collector, uint32_t ranks, struct tap *tap)
{
    (void)ranks;
    tap_handle(tap, TAP_BIT(TAP_FINISHED), collect, collector);
}

void place_collector_take(struct place_collector *collector, uint32_t ranks, struct place_traffic *traffic)
{
    qsort(collector->pairs, collector->count, sizeof *collector->pairs, by_ranks);
    place_traffic_make(traffic, ranks, collector->pairs, collector->count);
}

void place_collector_close(struct place_collector *collector)
{
    hashmap_free(&collector->known);
    free(collector->pairs);
    free(collector);
}
