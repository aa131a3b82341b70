/* The program ends with a message as soon as an allocation fails, whoever asked for the memory. Not every
 * library survives a failed allocation, or says that it left something out. The program's own definitions of
 * malloc and its kin are those that all libraries call, the C library included. They take the memory from the
 * next definition, so that a preloaded one still works. No library contains this file: programs that embed
 * Heliograph keep their own. */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

#define EXPORTED __attribute__((visibility("default")))

static void *checked(void *block, size_t count, size_t bytes)
{
    char what[64];
    if (block || !count || !bytes || mem_caller_reports)
        return block;
    snprintf(what, sizeof what, "a library: %zu x %zu bytes", count, bytes);
    mem_exhausted(what);
}

/* Finds the next definition. dlsym itself allocates nothing if it finds a name. */
#define NEXT(function)                                                                                       \
    static __typeof__(&function) next;                                                                       \
    if (!next)                                                                                               \
    next = (__typeof__(next))dlsym(RTLD_NEXT, #function)

EXPORTED void *malloc(size_t bytes)
{
    NEXT(malloc);
    return checked(next(bytes), 1, bytes);
}

EXPORTED void *calloc(size_t count, size_t bytes)
{
    NEXT(calloc);
    return checked(next(count, bytes), count, bytes);
}

EXPORTED void *realloc(void *old, size_t bytes)
{
    NEXT(realloc);
    return checked(next(old, bytes), 1, bytes);
}

EXPORTED int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    NEXT(posix_memalign);
    int error = next(block, alignment, bytes);
    if (error == ENOMEM)
        checked(NULL, 1, bytes);
    return error;
}
