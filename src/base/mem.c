#include "base/mem.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/status.h"

static _Thread_local struct {
    void (*give_up)(void *self);
    void *self;
} on_failure;

void mem_on_failure(void (*give_up)(void *self), void *self)
{
    on_failure.give_up = give_up;
    on_failure.self = self;
}

/* What a process does at its end may need memory too: then it ends at once. */
static _Noreturn void leave(void)
{
    static atomic_flag is_leaving = ATOMIC_FLAG_INIT;
    if (on_failure.give_up)
        on_failure.give_up(on_failure.self);
    if (atomic_flag_test_and_set(&is_leaving))
        _exit(STATUS_FAILED);
    exit(STATUS_FAILED);
}

/* A sink may keep messages, which needs memory, for a time that does not come. */
static void speak_directly(void)
{
    if (!on_failure.give_up)
        diag_set_sink(NULL, NULL);
}

_Thread_local bool mem_caller_reports;

void mem_refused(size_t count, size_t size, const char *what)
{
    speak_directly();
    diag_error("out of memory: cannot allocate %zu x %zu bytes for %s", count, size, what);
    leave();
}

void mem_exhausted(const char *what)
{
    speak_directly();
    diag_error("out of memory for %s", what);
    leave();
}

_Thread_local bool mem_prefers_large_pages;

/* To the ends of its small pages, since the system moves a block that grows only if all of it has the same
 * advice. */
void mem_advise_large_pages(void *block, size_t bytes)
{
    const uintptr_t mask = (uintptr_t)sysconf(_SC_PAGESIZE) - 1, at = (uintptr_t)block;
    const uintptr_t first = at & ~mask, end = (at + bytes + mask) & ~mask;
    madvise((void *)first, end - first, MADV_HUGEPAGE);
}

/* Below two large pages a block may have none. */
static void *advised(void *block, size_t bytes)
{
    if (mem_prefers_large_pages && bytes >= 2 * (size_t)MEM_LARGE_PAGE)
        mem_advise_large_pages(block, bytes);
    return block;
}

void *mem_alloc(size_t count, size_t size, const char *what)
{
    mem_caller_reports = true;
    void *block = calloc(count ? count : 1, size ? size : 1);
    mem_caller_reports = false;
    if (!block)
        mem_refused(count, size, what);
    return advised(block, count * size);
}

void *mem_resize(void *old, size_t count, size_t size, const char *what)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        mem_refused(count, size, what);
    mem_caller_reports = true;
    void *block = realloc(old, bytes ? bytes : 1);
    mem_caller_reports = false;
    if (!block)
        mem_refused(count, size, what);
    return advised(block, bytes);
}

void *mem_grow_bytes(void *array, size_t *capacity, size_t needed, size_t size, const char *what)
{
    size_t grown = *capacity ? *capacity * 2 : 16;
    if (grown < needed)
        grown = needed;
    array = mem_resize(array, grown, size, what);
    *capacity = grown;
    return array;
}

/* Where there is no smaller block, the array stays as it is. */
void *mem_fit_bytes(void *array, size_t *capacity, size_t count, size_t size)
{
    void *fitted = count && count < *capacity ? realloc(array, count * size) : NULL;
    if (!fitted)
        return array;
    *capacity = count;
    return fitted;
}

char *mem_text(const char *text)
{
    size_t length = strlen(text) + 1;
    return memcpy(mem_alloc(length, 1, "a text"), text, length);
}

char *mem_format(const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        mem_exhausted("a text");
    char *text = mem_alloc((size_t)length + 1, 1, "a text");
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

/* -------------------------------------------------------------------- arena */

enum { ARENA_CHUNK = 64 * 1024, ARENA_ALIGN = 16 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t size;
    _Alignas(ARENA_ALIGN) unsigned char bytes[];
};

void *arena_alloc(struct arena *arena, size_t size)
{
    size = (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    if (!arena->chunks || size > arena->left) {
        size_t room = size > ARENA_CHUNK ? size : ARENA_CHUNK;
        struct arena_chunk *chunk = mem_alloc(1, sizeof *chunk + room, "an arena");
        chunk->size = room;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
        arena->left = room;
    }
    unsigned char *block = arena->chunks->bytes + (arena->chunks->size - arena->left);
    arena->left -= size;
    arena->used += size;
    return block;
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

void arena_free(struct arena *arena)
{
    while (arena->chunks) {
        struct arena_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        free(chunk);
    }
    *arena = (struct arena){0};
}

/* --------------------------------------------------------------------- pool */

void pool_init(struct pool *pool, size_t record_size, const char *what)
{
    *pool = (struct pool){.size = record_size, .free_head = POOL_NONE, .what = what};
}

void pool_free(struct pool *pool)
{
    free(pool->records);
    pool->records = NULL;
}

void pool_grow(struct pool *pool)
{
    size_t needed = (size_t)pool->fresh + 1;
    if (needed >= POOL_NONE)
        mem_refused(needed, pool->size, pool->what);
    /* By a half, not twofold: pools are most of the memory of a run. */
    size_t grown = pool->capacity + pool->capacity / 2 + 64;
    if (grown > POOL_NONE)
        grown = POOL_NONE;
    pool->records = mem_resize(pool->records, grown, pool->size, pool->what);
    pool->capacity = grown;
}
