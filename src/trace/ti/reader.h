#ifndef HELIO_TRACE_TI_READER_H
#define HELIO_TRACE_TI_READER_H

#include "base/hashmap.h"
#include "trace/ti/line.h"
#include "trace/ti/requests.h"

/* Reads the text of one rank of a TI trace after another, and gives its calls to the image writer. Equal
 * lines of a rank are parsed once. */
enum { RANK_PREFIX_BYTES = 16 };

enum rank_phase { BEFORE_INIT, RUNNING, FINALIZED };

struct ti_reader {
    struct action_reader line;
    struct requests requests;

    /* Of the rank that is being read. */
    char prefix[RANK_PREFIX_BYTES]; /* "12 " */
    size_t prefix_length;
    enum rank_phase phase;
    bool order_reported;
    struct distinct_line *distincts;
    size_t distinct_count, distinct_capacity;
    struct hashmap lines_index; /* by hash of the text */
    struct hashmap variants;    /* by distinct << 32 | slot */
};

/* `reader` is all zeros before the first rank. Errors are reported with file, line and column. */
void ti_reader_read(struct ti_reader *reader, struct image_writer *writer, uint32_t rank, const char *text,
                    size_t size);
void ti_reader_free(struct ti_reader *reader);

#endif
