/* One collective call with its memory: a case is made from a description, run through MPI_ (the preloaded
 * library, if there is one) and compared with what PMPI_ gives or with what is expected by definition.
 * Contents, layouts and block sizes follow from the description and the ranks, so that each rank can compute
 * what each other rank contributes. */
#ifndef HELIO_TESTS_MPI_COLL_CASE_H
#define HELIO_TESTS_MPI_COLL_CASE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "coll_numbers.h"

enum coll_kind {
    BARRIER,
    BCAST,
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    REDUCE,
    ALLREDUCE,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    COLL_KINDS
};

extern const char *const coll_kind_names[COLL_KINDS];

/* The size of an element that is only moved: 1, 4 or 8 bytes. */
enum coll_base { BASE_BYTE, BASE_INT, BASE_DOUBLE, COLL_BASES };

/* BLOCK_UNIT: kinds that only move data round `elements` down to a multiple of it, since a unit of each
 * derived type divides it. */
enum { BLOCK_UNIT = 6 };

struct coll_spec {
    enum coll_kind kind;
    MPI_Comm comm;
    int root;
    int elements; /* of a block; where blocks differ, of the longest */
    bool in_place;
    bool differ;         /* derived types differ between ranks in long blocks too, which not every MPI can */
    bool plain;          /* contiguous predefined types on all ranks, no derived ones */
    enum coll_base base; /* kinds that move data */
    struct operation operation; /* reductions */
    unsigned seed;
};

struct coll_side {
    int layout;
    int count;
    int *counts, *places; /* NULL: each block has `count` */
    MPI_Datatype type;
    unsigned char *memory;
    size_t bytes;
};

struct coll_case {
    struct coll_spec spec;
    int rank, size;
    struct coll_side send, recv;
    unsigned char *sent;  /* copy of what is sent, which must stay */
    unsigned char *other; /* the received side of PMPI_, or what is expected */
    bool sends, receives; /* is the buffer significant on this rank? */
    bool ignored;         /* arguments that are not significant are not valid */
    size_t element_bytes;
};

/* Makes the types and operations that all cases use, in the first call. They stay until the program ends. */
void coll_case_begin(void);

void coll_case_make(struct coll_case *made, const struct coll_spec *spec);
void coll_case_free(struct coll_case *made);

int coll_case_run(struct coll_case *made);       /* by MPI_ */
int coll_case_run_other(struct coll_case *made); /* by PMPI_, into `other` */
void coll_case_expect(struct coll_case *made);   /* computes `other` without communication */

/* The first byte that differs between what was received and `other`, or that changed on the sending side; -1:
 * none. */
long coll_case_difference(const struct coll_case *made);

/* The call in words, for messages. */
void coll_case_text(const struct coll_case *made, char *text, size_t size);

static inline bool coll_is_reduction(enum coll_kind kind)
{
    return kind >= REDUCE;
}

static inline bool coll_has_root(enum coll_kind kind)
{
    return kind == BCAST || kind == GATHER || kind == GATHERV || kind == SCATTER || kind == SCATTERV ||
           kind == REDUCE;
}

#endif
