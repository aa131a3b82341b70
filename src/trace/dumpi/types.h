#ifndef HELIO_TRACE_DUMPI_TYPES_H
#define HELIO_TRACE_DUMPI_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/dumpi/record.h"

/* The sizes of a rank's datatypes, by their numbers. A size comes from the call that makes the type; of types
 * that no call makes, as those of Fortran, from the table in the file. */
struct dumpi_types {
    uint64_t *sizes; /* DUMPI_NO_SIZE: unknown */
    size_t capacity;
    uint32_t set_below; /* types from here on are unknown */
    uint32_t *table;    /* of the file */
    size_t table_capacity;
    uint32_t table_count;
};

#define DUMPI_NO_SIZE UINT64_MAX

/* Forgets the types of the last rank and takes the table of this file. False, reported: it cannot be read. */
bool dumpi_types_begin(struct dumpi_types *types, struct dumpi_file *file);
/* A call of DUMPI_USE_TYPE. */
void dumpi_types_make(struct dumpi_types *types, const struct dumpi_record *record);
void dumpi_types_free(struct dumpi_types *types);

static inline uint64_t dumpi_types_size(const struct dumpi_types *types, uint16_t type)
{
    return types->sizes[type];
}

#endif
