#ifndef HELIO_BASE_QUEUE_H
#define HELIO_BASE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/* First in, first out: records of a pool (or of an array), each linked to the next one by an index in the
 * record itself. A record is in one queue per link at a time. A queue allocates nothing, and every operation
 * takes constant time. */
struct queue {
    uint32_t head, tail; /* head POOL_NONE: the queue is empty, and tail means nothing */
};

/* Where the links of the records are: the records, and the bytes from one to the next and to the link in
 * each. */
struct queue_links {
    void *records; /* NULL while there is none */
    size_t stride, offset;
};

/* QUEUE_LINKS(pool.records, struct message, next). Made anew for each call: taking from a pool may move its
 * records. */
#define QUEUE_LINKS(records_of_pool, type, link)                                                             \
    ((struct queue_links){                                                                                   \
        .records = (records_of_pool), .stride = sizeof(type), .offset = offsetof(type, link)})

static inline uint32_t *queue_link(struct queue_links links, uint32_t index)
{
    return (uint32_t *)(void *)((unsigned char *)links.records + (size_t)index * links.stride + links.offset);
}

static inline void queue_init(struct queue *queue)
{
    queue->head = queue->tail = POOL_NONE;
}

static inline bool queue_is_empty(const struct queue *queue)
{
    return queue->head == POOL_NONE;
}

static inline void queue_append(struct queue *queue, struct queue_links links, uint32_t index)
{
    *queue_link(links, index) = POOL_NONE;
    if (queue->head == POOL_NONE)
        queue->head = index;
    else
        *queue_link(links, queue->tail) = index;
    queue->tail = index;
}

/* Puts all records of `front` before those of the queue. */
static inline void queue_join(struct queue *queue, struct queue_links links, struct queue front)
{
    if (front.head == POOL_NONE)
        return;
    if (queue->head == POOL_NONE)
        queue->tail = front.tail;
    *queue_link(links, front.tail) = queue->head;
    queue->head = front.head;
}

/* Puts `index` behind `before`, a record of the queue; POOL_NONE: at the head. */
static inline void queue_insert(struct queue *queue, struct queue_links links, uint32_t before,
                                uint32_t index)
{
    uint32_t *link = before == POOL_NONE ? &queue->head : queue_link(links, before);
    *queue_link(links, index) = *link;
    if (*link == POOL_NONE)
        queue->tail = index;
    *link = index;
}

static inline void queue_prepend(struct queue *queue, struct queue_links links, uint32_t index)
{
    queue_join(queue, links, (struct queue){index, index});
}

/* The first record, taken out; POOL_NONE when there is none. Its link keeps the index of the next one. */
static inline uint32_t queue_take(struct queue *queue, struct queue_links links)
{
    uint32_t index = queue->head;
    if (index != POOL_NONE)
        queue->head = *queue_link(links, index);
    return index;
}

/* Takes out `index`, which follows `before` (POOL_NONE: it is the head). Its link keeps the index of the next
 * one. */
static inline void queue_cut(struct queue *queue, struct queue_links links, uint32_t before, uint32_t index)
{
    uint32_t after = *queue_link(links, index);
    if (before == POOL_NONE)
        queue->head = after;
    else
        *queue_link(links, before) = after;
    if (queue->tail == index)
        queue->tail = before;
}

#endif
