#ifndef HELIO_BASE_MEM_H
#define HELIO_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Allocation never returns NULL: without memory the process reports the size and the purpose, and exits with
 * STATUS_FAILED. `what` names the purpose for that message. Memory is zeroed. */
void *mem_alloc(size_t count, size_t size, const char *what);
void *mem_resize(void *old, size_t count, size_t size, const char *what); /* new bytes are not zeroed */
char *mem_text(const char *text);                                         /* a copy */
char *mem_format(const char *format, ...) __attribute__((format(printf, 1, 2), nonnull(1)));

/* True in a thread that is about to allocate and reports a failure itself, as the functions above. The
 * program helio ends at any other allocation that fails, also of a library (cli/main_memory.c). */
extern _Thread_local bool mem_caller_reports;

/* True in a thread whose large arrays are used as a whole: then those of 4 MiB or more are in large pages
 * where the system has them. An array of which only parts are used would take more memory. */
extern _Thread_local bool mem_prefers_large_pages;
enum { MEM_LARGE_PAGE = 1 << 21 }; /* bytes, on x86-64 and most others */
/* Asks for large pages; `block` of whatever size. It is advice: without them the block works too. */
void mem_advise_large_pages(void *block, size_t bytes);

/* Memory that another allocator was asked for is not there: end as mem_alloc does. */
_Noreturn void mem_exhausted(const char *what);
_Noreturn void mem_refused(size_t count, size_t size, const char *what); /* an array */

/* In this thread, `give_up` is called in place of the exit, once the message is out, and does not return: it
 * leaves by longjmp, and what was allocated is lost. For callers who must not end the process. NULL: the
 * process ends. */
void mem_on_failure(void (*give_up)(void *self), void *self);

/* mem_grow(array, &capacity, needed, what): an array with room for `needed`. The capacity at least doubles.
 */
#define mem_grow(array, capacity, needed, what)                                                              \
    ((needed) <= *(capacity)                                                                                 \
         ? (array)                                                                                           \
         : (__typeof__(array))mem_grow_bytes((array), (capacity), (needed), sizeof *(array), (what)))
void *mem_grow_bytes(void *array, size_t *capacity, size_t needed, size_t size, const char *what);

/* mem_fit(array, &capacity, count): the array without the room behind its `count` items. */
#define mem_fit(array, capacity, count)                                                                      \
    ((__typeof__(array))mem_fit_bytes((array), (capacity), (count), sizeof *(array)))
void *mem_fit_bytes(void *array, size_t *capacity, size_t count, size_t size);

/* An arena: blocks of memory that are freed together. All zero: empty. */
struct arena {
    struct arena_chunk *chunks;
    size_t left; /* bytes left in the newest chunk */
    size_t used; /* bytes handed out */
};
void *arena_alloc(struct arena *arena, size_t size); /* zeroed, aligned for anything */
char *arena_text(struct arena *arena, const char *text, size_t length);
void arena_free(struct arena *arena);

/* A pool: records of one size, with a free list. A 32-bit index names a record and stays valid when the pool
 * grows, which moves the records. When the pool has reached its peak, taking and giving back allocate
 * nothing. */
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

/* The record has the contents that its last user left, so the caller sets every field. */
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
