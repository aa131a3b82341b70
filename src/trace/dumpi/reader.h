#ifndef HELIO_TRACE_DUMPI_READER_H
#define HELIO_TRACE_DUMPI_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"
#include "base/mem.h"
#include "trace/dumpi/communicators.h"
#include "trace/dumpi/record.h"
#include "trace/dumpi/types.h"
#include "trace/image/slots.h"
#include "trace/image/writer.h"

/* Reads the calls of one rank after another into an image:
 *
 *     reader         from record to record: times, tokens, and what a call is
 *     messages       sends, receives and their requests
 *     collectives    collective calls
 */

/* A communicator as a rank sees it, by its handle. */
struct dumpi_bound {
    uint32_t comm;        /* DUMPI_NO_COMM: none */
    uint32_t mine, peers; /* lists of ranks: its own group, and the one whose ranks messages name */
};

/* A request, from the call that makes it to the one that completes it. */
struct dumpi_request {
    struct call call; /* of a persistent request: what it starts */
    size_t token;     /* the number of the token that has started it */
    uint32_t slot, key;
    uint32_t next;     /* request with the same handle; POOL_NONE: none */
    uint32_t last;     /* of the first of a handle: the last one */
    uint16_t function; /* that has started it */
    bool is_persistent, is_active;
    bool is_silent; /* with MPI_PROC_NULL, or lost: its wait does nothing */
    bool is_lost;
    bool is_undefined; /* a receive from MPI_ANY_SOURCE or MPI_PROC_NULL */
    bool is_cancelled; /* MPI_Cancel has named it */
};

/* What a token stands for besides its call. */
struct dumpi_token {
    uint16_t function;
    uint8_t doubt;
    uint32_t key;
};

struct dumpi_reader {
    struct image_writer *writer;
    struct dumpi_comms *comms;
    struct dumpi_file *file;
    struct dumpi_record record;
    uint32_t rank;
    int phase;   /* before MPI_Init, between, behind MPI_Finalize */
    size_t made; /* calls so far that make communicators */

    bool has_time;
    struct dumpi_time last; /* the latest end of a call */
    uint64_t computed_ns;   /* since the last token that takes time */

    struct hashmap tokens;
    struct dumpi_token *about;
    size_t about_capacity;

    struct dumpi_types types;
    struct dumpi_bound *bound; /* by handle */
    size_t bound_capacity;
    uint32_t bound_below; /* handles from here on are free */

    struct pool requests;
    struct hashmap handles; /* of requests: the first request plus 2; 1: none */
    struct hashmap keys;    /* of receives from undefined sources, by communicator and tag */
    struct image_slots slots;
    uint32_t *done; /* requests that a call completes */
    size_t done_count, done_capacity;
    uint64_t unknown; /* requests that it names and no call has started */
    uint64_t *vector; /* sizes of a collective */
    size_t vector_capacity;
};

void dumpi_reader_init(struct dumpi_reader *reader, struct dumpi_comms *comms);
void dumpi_reader_free(struct dumpi_reader *reader);

/* Reads the rank whose file is open. Errors go to the writer. STATUS_BAD_INPUT, reported: the file cannot be
 * read. */
enum status dumpi_reader_read(struct dumpi_reader *reader, struct dumpi_file *file,
                              struct image_writer *writer, uint32_t rank);

/* Notes the grids and graphs that nothing has used, when all ranks have been read. */
void dumpi_reader_note_unused(const struct dumpi_reader *reader, struct image_writer *writer);

/* ------------------------------------------------------- within the reader */

/* An error about the record. Returns false. */
bool dumpi_fail(struct dumpi_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends a call, behind the computation before it. Returns its number. */
size_t dumpi_emit(struct dumpi_reader *reader, const struct call *call, uint32_t key, enum call_doubt doubt);
uint32_t dumpi_token_of(struct dumpi_reader *reader, const struct call *call, uint32_t key,
                        enum call_doubt doubt);
void dumpi_emit_nothing(struct dumpi_reader *reader);
void dumpi_emit_lost(struct dumpi_reader *reader); /* a call that a trace cannot express */

/* NULL, reported: it is MPI_COMM_NULL. One that no call has made, as those of MPI 3, has DUMPI_OUTSIDE. */
const struct dumpi_bound *dumpi_bound_of(struct dumpi_reader *reader, uint16_t handle);
/* The same for a call that communicates. */
const struct dumpi_bound *dumpi_bound_used(struct dumpi_reader *reader, uint16_t handle);
static inline const struct dumpi_comm *dumpi_comm_at(const struct dumpi_reader *reader,
                                                     const struct dumpi_bound *bound)
{
    return &reader->comms->comms[bound->comm];
}
/* The rank's place in its group; the group's size: it is not there. */
uint32_t dumpi_my_place(const struct dumpi_reader *reader, const struct dumpi_bound *bound);

/* count elements of a type. False, reported: the count is negative, or the type has no size. */
bool dumpi_bytes(struct dumpi_reader *reader, int32_t count, uint16_t type, uint64_t *bytes);

void dumpi_read_message(struct dumpi_reader *reader);    /* and calls that complete requests */
bool dumpi_read_collective(struct dumpi_reader *reader); /* false: the record is none */
void dumpi_forget_requests(struct dumpi_reader *reader);

#endif
