#ifndef HELIO_TRACE_IMAGE_IMAGE_H
#define HELIO_TRACE_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call/call.h"

/* The layout of a compiled trace: a file that is mapped and executed as it is.
 *
 *   header | per rank: tokens, lines, amounts, texts | per rank: calls, text starts, sites | counts | names
 *   | notes | ranks | groups | members | sites
 *
 * A rank is a sequence of tokens. A token with its upper bit set is a compute, and the rest of its bits are
 * an index into the rank's amounts; any other token is an index into the rank's distinct calls. Call 0 is a
 * blank line. Without IMAGE_HAS_LINES there is one token for each line of the rank's file, so that the k-th
 * token is line k. Offsets are bytes from the file's start.
 *
 * The folder trace/image is what all trace formats share:
 *
 *   format.h    struct trace_format: what a trace format is
 *   writer      the image writer: takes the calls of one rank after another from a format
 *   match       gives each send and its receive their channel
 *   slots       numbers for the requests of a rank
 *   comms       the communicators of a trace
 *   counts      the size vectors of its collectives
 *   sites       the call sites of its source
 *   bursts      what was recorded of its computations
 *   file        writes the parts of an image to a file
 *   image       the layout, and whether a mapped file keeps to it
 *   compiled    a mapped image as a struct program
 *   content     whole files, and the hash of their contents
 *   number      numbers as traces write them */
#define IMAGE_MAGIC      "HELIOTI\n"
#define IMAGE_VERSION    6u
#define IMAGE_BYTE_ORDER 0x01020304u
#define IMAGE_ALIGNMENT  16
#define TOKEN_COMPUTE    UINT32_C(0x80000000)
#define TOKEN_END        UINT32_MAX
#define TOKEN_BLANK      0u

/* Of struct image_header. */
enum image_flag {
    IMAGE_HAS_LINES =
        1, /* the tokens of a rank are followed by their lines (uint64_t, as in struct call_place) */
    IMAGE_TEXTS_ARE_FREE = 2, /* `texts` are for people; without this flag they are TI actions */
    IMAGE_HAS_BURSTS = 4,     /* actions say how long computations lasted (call/bursts.h) */
    IMAGE_FLAGS = 7
};

/* Parts begin at multiples of IMAGE_ALIGNMENT. */
struct image_part {
    uint64_t at;    /* offset */
    uint64_t count; /* records */
};

static inline uint64_t image_aligned(uint64_t at)
{
    return (at + IMAGE_ALIGNMENT - 1) & ~(uint64_t)(IMAGE_ALIGNMENT - 1);
}

struct image_rank {
    struct image_part tokens;  /* uint32_t; the last is TOKEN_END */
    struct image_part amounts; /* double */
    struct image_part texts;   /* char; each text ends with a newline. TI: the distinct actions */
    struct image_part calls;   /* struct call */
    uint64_t starts;           /* uint32_t per call: where its text starts in `texts` */
    uint64_t sites;            /* uint32_t per call: its call site; 0: no call of the rank has one */
    uint64_t name;             /* where the file's name starts in `names` */
    uint32_t slots;
    uint32_t reserved;
};

/* Found while the trace was compiled, and reported as a warning each time it is used. */
enum image_note_kind {
    NOTE_ANY_SOURCE,   /* a receive from one of the two that is taken for MPI_ANY_SOURCE */
    NOTE_NULL_SOURCE,  /* taken for MPI_PROC_NULL: no message is left for it */
    NOTE_ZERO_COUNTS,  /* Reduce_scatter_block without its counts */
    NOTE_WAITALL,      /* a waitall for fewer requests than are outstanding */
    NOTE_TEST,         /* a test of a request that is not outstanding */
    NOTE_NOT_RECEIVED, /* more sends than receives */
    NOTE_NOT_SENT,     /* more receives than sends */
    NOTE_ORDER,        /* ranks disagree about the collectives */
    NOTE_LOST,         /* a call of the program that is not in the trace */
    NOTE_SHARED,       /* an alltoallv of which the trace has the sums of each rank alone */
    NOTE_CANCELLED,    /* a request that was cancelled */
    NOTE_OTHERS,       /* events of locations that are no ranks */
    NOTE_NO_SIZES,     /* a neighbourhood collective whose neighbours are known, and no sizes */
    NOTE_UNUSED_GRID,  /* a grid or graph that no message uses, of a format without such collectives */
    NOTE_KINDS
};

struct image_note {
    uint32_t kind;
    uint32_t rank;
    uint64_t line;  /* the number of the first token, from 1; 0: none */
    uint64_t count; /* how many there are */
};

/* The members of a communicator. Communicator 0 is the world, whose members are not listed. */
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
    uint64_t lines;    /* tokens of all ranks, each without its TOKEN_END */
    uint32_t channels;
    uint32_t flags;            /* enum image_flag, or-ed */
    struct image_part counts;  /* uint64_t */
    struct image_part names;   /* char, each name ended by a zero byte */
    struct image_part notes;   /* struct image_note */
    struct image_part ranks;   /* struct image_rank */
    struct image_part groups;  /* struct image_group */
    struct image_part members; /* uint32_t: ranks */
    struct image_part sites;   /* char, each text ended by a zero byte: the call sites, from number 1 on */
};

/* Where the lines of a rank's tokens are, with IMAGE_HAS_LINES. */
static inline struct image_part image_lines(const struct image_rank *rank)
{
    return (struct image_part){image_aligned(rank->tokens.at + rank->tokens.count * sizeof(uint32_t)),
                               rank->tokens.count - 1};
}

/* What a call may refer to. */
struct image_limits {
    const struct image_group *groups;
    uint64_t group_count, ranks, counts;
};

/* NULL: an amount of computation or sleep is a number, finite and not negative. Else what is wrong. */
const char *image_amount_fault(double amount);

/* NULL: the ranks, the communicator and the vectors of a call exist, and its sizes and its amount are
 * possible. Else what is wrong. */
const char *image_call_fault(const struct call *call, const struct image_limits *limits);

/* NULL: `bytes` are a whole, undamaged image of this version, whose every index is in range, and whose every
 * amount and size a run can take. Else what is wrong with it, with the rank and its line; valid until the
 * thread's next call. */
const char *image_fault(const unsigned char *bytes, uint64_t size);

#endif
