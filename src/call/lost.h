#ifndef HELIO_CALL_LOST_H
#define HELIO_CALL_LOST_H

#include <stddef.h>
#include <stdint.h>

struct call;

/* The lost calls of a program, which have CALL_LOST: calls that moved data where they were
 * recorded, and do nothing in the program. */
struct program_lost {
    uint64_t calls; /* of all ranks */
    /* "MPI_Put", not ended by a zero byte, and any bytes if a file says so; sets *length. `call` is one that
     * the program has returned, itself and not a copy of it. NULL: the name is not known. */
    const char *(*name)(const struct program_lost *lost, uint32_t rank, const struct call *call,
                        size_t *length);
};

#endif
