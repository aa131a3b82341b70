#ifndef HELIO_BASE_MEM_H
#define HELIO_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Allocation that cannot fail: where there is no memory the process says what it wanted and for what, and
 * exits with STATUS_FAILED. `what` names the contents for that message. Memory is zeroed. */
void *mem_alloc(size_t count, size_t size, const char *what);
void *mem_resize(void *old, size_t count, size_t size, const char *what); /* new bytes are not zeroed */
char *mem_text(const char *text);                                         /* a copy */
char *mem_format(const char *format, ...) __attribute__((format(printf, 1, 2), nonnull(1)));

/* mem_grow(array, &capacity, needed): the usual growing array; capacity at least doubles. */
#define mem_grow(array, capacity, needed, what)                                                              \
    ((needed) <= *(capacity)                                                                                 \
         ? (array)                                                                                           \
         : (__typeof__(array))mem_grow_bytes((array), (capacity), (needed), sizeof *(array), (what)))
void *mem_grow_bytes(void *array, size_t *capacity, size_t needed, size_t size, const char *what);

/* An arena: things that live and die together. Blocks are handed out in order and freed all at once. */
struct arena {
    struct arena_chunk *chunks;
    size_t left; /* bytes left in the newest chunk */
    size_t used; /* bytes handed out */
};
void *arena_alloc(struct arena *arena, size_t size); /* zeroed, aligned for anything */
char *arena_text(struct arena *arena, const char *text, size_t length);
void arena_free(struct arena *arena);

/* A pool: equal records named by a 32-bit index that stays valid while the pool grows, with a free list.
 * Taking and giving back allocate nothing once the pool has reached its peak. */
#define POOL_NONE UINT32_MAX
struct pool {
    unsigned char *records;
    size_t size;     /* bytes per record, at least 4 */
    size_t capacity; /* records allocated */
    uint32_t fresh;  /* records ever taken: the peak */
    uint32_t live;   /* records taken now */
    uint32_t free_head;
    const char *what;
};
void pool_init(struct pool *pool, size_t record_size, const char *what);
void pool_free(struct pool *pool);
void pool_grow(struct pool *pool);

static inline void *pool_at(const struct pool *pool, uint32_t index)
{
    return pool->records + (size_t)index * pool->size;
}

/* The record's old contents are whatever its last user left: the taker sets every field. */
static inline uint32_t pool_take(struct pool *pool)
{
    pool->live++;
    if (pool->free_head != POOL_NONE) {
        uint32_t index = pool->free_head;
        pool->free_head = *(uint32_t *)pool_at(pool, index);
        return index;
    }
    if (pool->fresh == pool->capacity)
        pool_grow(pool);
    return pool->fresh++;
}

static inline void pool_give(struct pool *pool, uint32_t index)
{
    *(uint32_t *)pool_at(pool, index) = pool->free_head;
    pool->free_head = index;
    pool->live--;
}

#endif
