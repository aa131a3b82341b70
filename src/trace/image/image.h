#ifndef HELIO_TRACE_IMAGE_IMAGE_H
#define HELIO_TRACE_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "call/call.h"

/* The compiled form of a trace: a file that is mapped and used as it is.
 *
 *   header | per rank: tokens, amounts, texts | per rank: calls, text starts | counts | names | notes | ranks
 * | groups | members
 *
 * A rank is a string of tokens, one per line of its text, so that a line number is a position. A token with
 * its upper bit set is a compute, the rest an index into the rank's amounts; any other token is an index into
 * the rank's distinct calls. Call 0 is a blank line. Offsets are bytes from the file's start. */
#define IMAGE_MAGIC      "HELIOTI\n"
#define IMAGE_VERSION    2u
#define IMAGE_BYTE_ORDER 0x01020304u
#define TOKEN_COMPUTE    UINT32_C(0x80000000)
#define TOKEN_END        UINT32_MAX
#define TOKEN_BLANK      0u

struct image_part {
    uint64_t at;    /* offset */
    uint64_t count; /* records */
};

struct image_rank {
    struct image_part tokens;  /* uint32_t; one per line, and TOKEN_END */
    struct image_part amounts; /* double */
    struct image_part texts;   /* char: the distinct lines behind the rank field, each ended by a newline */
    struct image_part calls;   /* struct call */
    uint64_t starts;           /* uint32_t per call: where its text starts in `texts` */
    uint64_t name;             /* where the file's name starts in `names` */
    uint32_t slots;
    uint32_t reserved;
};

/* What was found while compiling and is worth a warning each time the trace is used. */
enum image_note_kind {
    NOTE_ANY_SOURCE,   /* -333 as the source of a receive, taken for MPI_ANY_SOURCE */
    NOTE_NULL_SOURCE,  /* likewise, taken for MPI_PROC_NULL: nothing is sent that it could receive */
    NOTE_ZERO_COUNTS,  /* Reduce_scatter_block without its counts */
    NOTE_WAITALL,      /* waits for fewer requests than are outstanding */
    NOTE_TEST,         /* of a request that is not outstanding */
    NOTE_NOT_RECEIVED, /* more sends than receives */
    NOTE_NOT_SENT,     /* more receives than sends */
    NOTE_ORDER,        /* ranks disagree about the collectives */
    NOTE_LOST,         /* the program made a call that the trace cannot say */
    NOTE_KINDS
};

struct image_note {
    uint32_t kind;
    uint32_t rank;
    uint64_t line;  /* the first place */
    uint64_t count; /* how many there are */
};

/* The members of a communicator; that of index 0 is the world, whose members are not listed. */
struct image_group {
    uint64_t first; /* in `members` */
    uint32_t size;
    uint32_t reserved;
};

struct image_header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint32_t call_bytes; /* sizeof(struct call) */
    uint32_t rank_bytes; /* sizeof(struct image_rank) */
    uint64_t file_bytes;
    uint64_t checksum; /* XXH3-64 of everything behind the header */
    uint64_t key[2];   /* XXH3-128 of the trace it was made from */
    uint64_t lines;
    uint32_t channels;
    uint32_t reserved;
    struct image_part counts;  /* uint64_t */
    struct image_part names;   /* char, each name ended by a zero byte */
    struct image_part notes;   /* struct image_note */
    struct image_part ranks;   /* struct image_rank */
    struct image_part groups;  /* struct image_group */
    struct image_part members; /* uint32_t: ranks */
};

/* Writes an image front to back; the header last. */
struct image_writer {
    FILE *file;
    uint64_t at;
    void *hash;
    int error; /* errno of the first failure, which image_finish returns */
};

void image_begin(struct image_writer *writer, FILE *file);
struct image_part image_append(struct image_writer *writer, const void *records, uint64_t count, size_t size);
/* Completes the header and flushes. 0, or the errno of what went wrong since image_begin. */
int image_finish(struct image_writer *writer, struct image_header *header);
void image_abandon(struct image_writer *writer);

/* NULL when `bytes` are a whole, undamaged image of this version whose every index is in range; else what is
 * wrong with it. */
const char *image_fault(const unsigned char *bytes, uint64_t size);

#endif
