#ifndef HELIO_TRACE_DUMPI_RECORD_H
#define HELIO_TRACE_DUMPI_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/dumpi/file.h"

/* A record of the stream: one call of MPI, with its times and its arguments. All numbers are big endian.
 *
 *     16 bits  the function's number in functions.def
 *      8 bits  what follows, enum dumpi_mask
 *     16 bits  the thread
 *     2 x 12 bytes: beginning and end by the processor's clock and by the wall clock; a time is 16 bits of
 *              seconds since the start of the trace, and 32 bits of ns
 *              performance counters: their number in 8 bits, and 16 bytes for each
 *              the arguments
 *
 * Handles are numbers that each rank gives by itself: communicators, datatypes, groups and requests are not
 * the same on two ranks, and a number is given again when its object has been freed. */

enum dumpi_function {
#define DUMPI_FUNCTION(name, constant, layout, use) DUMPI_##constant,
#include "trace/dumpi/functions.def"
#undef DUMPI_FUNCTION
    DUMPI_FUNCTIONS,
    DUMPI_FUNCTION_ENTER, /* of an instrumented program: not a call of MPI */
    DUMPI_FUNCTION_EXIT,
    DUMPI_END_OF_STREAM
};

/* What the reader does with a call. */
enum dumpi_use {
    DUMPI_USE_LOCAL,  /* nothing: it moves no data between ranks */
    DUMPI_USE_REPLAY, /* becomes calls of the compiled trace */
    DUMPI_USE_TYPE,   /* makes a datatype, or says its size */
    DUMPI_USE_GROUP,  /* makes a group */
    DUMPI_USE_COMM,   /* makes a communicator */
    DUMPI_USE_FREE,   /* frees one, whose handle then stands for nothing */
    DUMPI_USE_LOST,   /* moves data that a trace cannot express */
};

const char *dumpi_name(unsigned function);
enum dumpi_use dumpi_use_of(unsigned function);

enum dumpi_mask {
    DUMPI_HAS_STATUSES = 3,
    DUMPI_HAS_CPU = 1 << 2,
    DUMPI_HAS_WALL = 1 << 3,
    DUMPI_HAS_THREAD = 1 << 6,
    DUMPI_HAS_COUNTERS = 1 << 7,
};

/* Predefined handles. */
enum { DUMPI_COMM_NULL = 1, DUMPI_COMM_WORLD = 2, DUMPI_COMM_SELF = 3 };
enum { DUMPI_GROUP_NULL = 1, DUMPI_GROUP_EMPTY = 2 };
enum { DUMPI_TYPE_NULL = 1 };
enum { DUMPI_REQUEST_NULL = 1 };
enum { DUMPI_ANY = -1 }; /* MPI_ANY_SOURCE and MPI_ANY_TAG; also MPICH's MPI_PROC_NULL */

struct dumpi_time {
    uint16_t seconds;
    uint32_t ns;
};

/* A list in the record. */
struct dumpi_list {
    const unsigned char *bytes;
    uint32_t count;
};

enum { DUMPI_MOST_VALUES = 12, DUMPI_MOST_LISTS = 6 };

struct dumpi_record {
    uint64_t at; /* offset in the file */
    uint16_t function;
    uint16_t thread;
    uint8_t mask;
    struct dumpi_time begin, end;      /* by the wall clock, else by the processor's */
    int32_t values[DUMPI_MOST_VALUES]; /* the single numbers, in their order */
    struct dumpi_list lists[DUMPI_MOST_LISTS];
    struct dumpi_list statuses;
};

static inline uint16_t dumpi_u16(const unsigned char *bytes)
{
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static inline uint32_t dumpi_u32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static inline uint64_t dumpi_u64(const unsigned char *bytes)
{
    return (uint64_t)dumpi_u32(bytes) << 32 | dumpi_u32(bytes + 4);
}

static inline int32_t dumpi_list_at(const struct dumpi_list *list, uint32_t index)
{
    return (int32_t)dumpi_u32(list->bytes + (size_t)4 * index);
}

static inline uint16_t dumpi_type_at(const struct dumpi_list *list, uint32_t index)
{
    return dumpi_u16(list->bytes + (size_t)2 * index);
}

/* A status: bytes, source, cancelled, error, tag. */
enum { DUMPI_STATUS_BYTES = 14 };

static inline int32_t dumpi_status_source(const struct dumpi_list *statuses, uint32_t index)
{
    return (int32_t)dumpi_u32(statuses->bytes + (size_t)DUMPI_STATUS_BYTES * index + 4);
}

static inline bool dumpi_status_cancelled(const struct dumpi_list *statuses, uint32_t index)
{
    return statuses->bytes[(size_t)DUMPI_STATUS_BYTES * index + 8] != 0;
}

enum dumpi_next {
    DUMPI_NEXT_RECORD,
    DUMPI_NEXT_END,
    DUMPI_NEXT_BAD,      /* *fault says what is wrong at record->at */
    DUMPI_NEXT_REPORTED, /* the file could not be read; reported */
};

/* The record at file->at, behind which file->at stands then. Its lists are valid until the next call. */
enum dumpi_next dumpi_next(struct dumpi_file *file, struct dumpi_record *record, const char **fault);

#endif
