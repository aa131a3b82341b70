#include "fabric/photonic/photonic.h"

/* Millions of packets wait in buffers and for links. What a transfer's end touches is in no cache: its
 * packet, its message, and the packets that wait for it. They are prefetched while earlier events are
 * handled. With it, a run of the paper's size takes three fifths of the time (docs/speed.md). */

enum { CACHE_LINE_BYTES = 64 };

/* Prefetches both cache lines of a record's fields, for writing. */
static inline void prefetch(const void *record)
{
    __builtin_prefetch(record, 1);
    __builtin_prefetch((const char *)record + CACHE_LINE_BYTES, 1);
}

static inline void prefetch_first(const struct photonic *photonic, const struct queue *queue)
{
    if (queue->head != POOL_NONE)
        prefetch(packet_at(photonic, queue->head));
}

/* The packets that wait for the channels that this one gives back, and for the buffer that it leaves. */
static void prefetch_waiters(const struct photonic *photonic, const struct photonic_packet *packet)
{
    const uint32_t *links = links_of(photonic, packet);
    for (uint32_t i = packet->at; i < packet->end; i++)
        prefetch_first(photonic, &photonic->waiters[links[i]]);
    uint32_t buffer = buffer_of(photonic, packet);
    if (buffer != POOL_NONE)
        prefetch_first(photonic, &photonic->buffers[buffer].stored);
}

void prefetch_for_step(const void *self, uint32_t index, unsigned step)
{
    const struct photonic *photonic = self;
    const struct photonic_packet *packet = packet_at(photonic, index);
    if (step == 0)
        prefetch(packet);
    else if (step == 1)
        prefetch(transmission_at(photonic, packet->transmission));
}

void prefetch_for_end(const void *self, uint32_t index, unsigned step)
{
    const struct photonic *photonic = self;
    if (step < 2)
        prefetch_for_step(self, index, step);
    else
        prefetch_waiters(photonic, packet_at(photonic, index));
}
