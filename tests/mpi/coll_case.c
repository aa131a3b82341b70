#include "coll_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const coll_kind_names[COLL_KINDS] = {
    "MPI_Barrier",
    "MPI_Bcast",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Scatter",
    "MPI_Scatterv",
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Alltoall",
    "MPI_Reduce",
    "MPI_Allreduce",
    "MPI_Reduce_scatter",
    "MPI_Reduce_scatter_block",
};

static void *memory_of(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* ------------------------------------------------------------------ layouts */

/* Where element i of a buffer is, counted in elements. Each layout takes one or two places for an element. */
enum layout { PLAIN, HOLES, LATE, SWAPPED, VECTOR, STRUCT, LAYOUTS };

static const int units[LAYOUTS] = {1, 1, 1, 2, 3, 2}; /* elements in one unit of the type */

static size_t places_per_element(int layout)
{
    return layout == PLAIN || layout == SWAPPED ? 1 : 2;
}

static size_t place_of(int layout, size_t i)
{
    switch (layout) {
    case HOLES:
        return 2 * i;
    case LATE:
        return 2 * i + 1;
    case SWAPPED:
        return i ^ 1;
    case VECTOR:
        return i / 3 * 6 + i % 3 * 2;
    case STRUCT:
        return i / 2 * 4 + (i % 2 ? 0 : 2);
    default:
        return i;
    }
}

static MPI_Datatype types[COLL_BASES][LAYOUTS];
static const size_t base_bytes[COLL_BASES] = {1, sizeof(int), sizeof(double)};

static MPI_Datatype resized(MPI_Datatype type, MPI_Aint extent)
{
    MPI_Datatype result;
    MPI_Type_create_resized(type, 0, extent, &result);
    MPI_Type_commit(&result);
    MPI_Type_free(&type);
    return result;
}

static MPI_Datatype type_make(MPI_Datatype base, MPI_Aint bytes, enum layout layout)
{
    MPI_Datatype type = base;
    switch (layout) {
    case HOLES:
        MPI_Type_contiguous(1, base, &type);
        return resized(type, 2 * bytes);
    case LATE:
        MPI_Type_create_hindexed(1, (int[]){1}, &bytes, base, &type);
        return resized(type, 2 * bytes);
    case SWAPPED:
        MPI_Type_indexed(2, (int[]){1, 1}, (int[]){1, 0}, base, &type);
        break;
    case VECTOR:
        MPI_Type_vector(3, 1, 2, base, &type);
        return resized(type, 6 * bytes);
    case STRUCT:
        MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){2 * bytes, 0}, (MPI_Datatype[]){base, base},
                               &type);
        return resized(type, 4 * bytes);
    default:
        return base;
    }
    MPI_Type_commit(&type);
    return type;
}

void coll_case_begin(void)
{
    static bool is_done;
    const MPI_Datatype bases[COLL_BASES] = {MPI_BYTE, MPI_INT, MPI_DOUBLE};
    if (is_done)
        return;
    is_done = true;
    for (int base = 0; base < COLL_BASES; base++)
        for (int layout = 0; layout < LAYOUTS; layout++)
            types[base][layout] = type_make(bases[base], (MPI_Aint)base_bytes[base], (enum layout)layout);
    coll_numbers_begin();
}

/* ----------------------------------------------------------------- contents */

enum { OF_ELEMENT = 1, OF_GAP, OF_BLOCK, OF_LAYOUT, OF_REST };

static uint64_t chance(const struct coll_case *made, uint64_t what, uint64_t a, uint64_t b)
{
    return coll_random(made->spec.seed * 8 + what, a, b);
}

/* Element i of the block that `from` sends to `to`. In kinds that send the same to all, `to` is 0. */
static void element_fill(const struct coll_case *made, int from, int to, size_t i, unsigned char *at)
{
    uint64_t random = chance(made, OF_ELEMENT, (uint64_t)from << 32 | (uint64_t)to, i);
    if (coll_is_reduction(made->spec.kind))
        coll_number_fill(&made->spec.operation, random, at);
    else
        memcpy(at, &random, made->element_bytes);
}

static void garbage_fill(const struct coll_case *made, unsigned char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t random = chance(made, OF_GAP, (uint64_t)made->rank, i);
        memcpy(memory + i, &random, bytes - i < sizeof random ? bytes - i : sizeof random);
    }
}

/* -------------------------------------------------------------------- sides */

static bool is_gather(enum coll_kind kind)
{
    return kind == GATHER || kind == GATHERV;
}

static bool is_scatter(enum coll_kind kind)
{
    return kind == SCATTER || kind == SCATTERV;
}

static bool blocks_differ(enum coll_kind kind)
{
    return kind == GATHERV || kind == SCATTERV || kind == ALLGATHERV || kind == REDUCE_SCATTER;
}

/* The side that has counts, in kinds in which blocks differ. */
static struct coll_side *counted_side(struct coll_case *made)
{
    return made->spec.kind == SCATTERV ? &made->send : &made->recv;
}

/* Elements of rank's block: the same for all, or, in the kinds in which blocks differ, none up to all. */
static int block_elements(const struct coll_case *made, int rank)
{
    int unit = coll_is_reduction(made->spec.kind) ? 1 : BLOCK_UNIT, all = made->spec.elements / unit * unit;
    if (!blocks_differ(made->spec.kind))
        return all;
    uint64_t random = chance(made, OF_BLOCK, (uint64_t)rank, 0);
    if (random % 4 == 0)
        return random % 8 ? all : 0;
    return (int)(random / 8 % (uint64_t)(all / unit + 1)) * unit;
}

/* The index of the first element of rank's block on a side that has one for each rank. */
static size_t first_element(const struct coll_case *made, const struct coll_side *side, int rank)
{
    if (side->places)
        return (size_t)side->places[rank] * (size_t)units[side->layout];
    return (size_t)rank * (size_t)block_elements(made, rank);
}

static size_t element_place(const struct coll_side *side, size_t i)
{
    return place_of(side->layout, i);
}

/* MPI allows different types on each rank, but not all calls of Open MPI 4.1 and MPICH 4.0 can. Long blocks
 * are in segments, whose lengths follow from the type; and Open MPI's MPI_Allgatherv chooses its algorithm by
 * the number of blocks times the size of the type to send. Ranks that do not agree hang. */
static bool layouts_may_differ(const struct coll_case *made)
{
    enum { SHORT_BYTES = 2048 };
    bool is_short = (size_t)made->spec.elements * made->element_bytes <= SHORT_BYTES;
    return made->spec.kind != ALLGATHERV && (made->spec.differ || is_short);
}

static void side_choose(const struct coll_case *made, struct coll_side *side, uint64_t which)
{
    uint64_t random = layouts_may_differ(made) ? chance(made, OF_LAYOUT, (uint64_t)made->rank, which)
                                               : chance(made, OF_LAYOUT, 0, 0);
    side->layout = (int)(random % (LAYOUTS + 2));
    if (made->spec.plain || coll_is_reduction(made->spec.kind) || side->layout >= LAYOUTS)
        side->layout = PLAIN;
    side->type = coll_is_reduction(made->spec.kind) ? made->spec.operation.number->type
                                                    : types[made->spec.base][side->layout];
}

static void side_allocate(const struct coll_case *made, struct coll_side *side, size_t elements)
{
    enum { GUARD = 64 }; /* bytes behind the end, which nobody may write */
    side->bytes = elements * places_per_element(side->layout) * made->element_bytes + GUARD;
    side->memory = memory_of(side->bytes);
    garbage_fill(made, side->memory, side->bytes);
}

/* Blocks are in reverse order of ranks, with gaps; those of MPI_Reduce_scatter have no places. */
static size_t counts_make(struct coll_case *made)
{
    struct coll_side *side = counted_side(made);
    int unit = units[side->layout], next = 0;
    side->counts = memory_of((size_t)made->size * sizeof(int));
    for (int rank = 0; rank < made->size; rank++)
        side->counts[rank] = block_elements(made, rank) / unit;
    if (made->spec.kind != REDUCE_SCATTER)
        side->places = memory_of((size_t)made->size * sizeof(int));
    for (int rank = made->size - 1; rank >= 0; rank--) {
        if (side->places)
            side->places[rank] = next, next += (int)(chance(made, OF_BLOCK, (uint64_t)rank, 1) % 2);
        next += side->counts[rank];
    }
    return (size_t)(next * unit);
}

/* ------------------------------------------------------------------- making */

static bool sends_to_each(enum coll_kind kind)
{
    return is_scatter(kind) || kind == ALLTOALL || kind == REDUCE_SCATTER || kind == REDUCE_SCATTER_BLOCK;
}

/* Writes this rank's contribution to `to`, block `b` at element `first`. */
static void block_fill(const struct coll_case *made, const struct coll_side *side, int from, int b,
                       size_t first, size_t elements, unsigned char *memory)
{
    for (size_t i = 0; i < elements; i++)
        element_fill(made, from, b, i, memory + element_place(side, first + i) * made->element_bytes);
}

/* The contribution of `from` to a reduction, one element after the other. */
static void reduction_fill(const struct coll_case *made, int from, unsigned char *memory)
{
    bool to_each = sends_to_each(made->spec.kind);
    for (int b = 0; b < (to_each ? made->size : 1); b++) {
        int elements = block_elements(made, b);
        block_fill(made, &made->send, from, to_each ? b : 0, 0, (size_t)elements, memory);
        memory += (size_t)elements * made->element_bytes;
    }
}

static void contribution_fill(const struct coll_case *made, const struct coll_side *side,
                              unsigned char *memory)
{
    enum coll_kind kind = made->spec.kind;
    if (coll_is_reduction(kind)) {
        reduction_fill(made, made->rank, memory);
        return;
    }
    for (int b = 0; b < (sends_to_each(kind) ? made->size : 1); b++) {
        bool to_each = sends_to_each(kind);
        size_t elements = (size_t)block_elements(made, kind == SCATTERV ? b : made->rank), first = 0;
        if (to_each)
            first = first_element(made, side, b);
        else if (side == &made->recv && kind != BCAST)
            first = first_element(made, side, made->rank);
        block_fill(made, side, made->rank, b, first, elements, memory);
    }
}

static size_t elements_of_side(struct coll_case *made, bool is_send)
{
    size_t block = (size_t)block_elements(made, made->rank), all = 0;
    switch (made->spec.kind) {
    case BARRIER:
        return 0;
    case GATHER:
    case ALLGATHER:
        return is_send ? block : block * (size_t)made->size;
    case SCATTER:
        return is_send ? block * (size_t)made->size : block;
    case ALLTOALL:
        return block * (size_t)made->size;
    case GATHERV:
    case ALLGATHERV:
        return is_send ? block : counts_make(made);
    case SCATTERV:
        return is_send ? counts_make(made) : block;
    case REDUCE_SCATTER:
    case REDUCE_SCATTER_BLOCK:
        for (int rank = 0; rank < made->size; rank++)
            all += (size_t)block_elements(made, rank);
        if (!is_send && made->spec.kind == REDUCE_SCATTER)
            counts_make(made);
        return is_send || made->spec.in_place ? all : block;
    default:
        return block;
    }
}

/* True if this rank passes MPI_IN_PLACE. */
static bool has_place(const struct coll_case *made)
{
    const struct coll_spec *spec = &made->spec;
    return spec->in_place && spec->kind != BARRIER && spec->kind != BCAST &&
           (!coll_has_root(spec->kind) || made->rank == spec->root);
}

/* Which buffers MPI reads or writes on this rank. */
static void significance(struct coll_case *made)
{
    const struct coll_spec *spec = &made->spec;
    bool is_root = made->rank == spec->root;
    made->sends = spec->kind != BARRIER && spec->kind != BCAST && (!is_scatter(spec->kind) || is_root);
    made->receives = spec->kind != BARRIER && ((!is_gather(spec->kind) && spec->kind != REDUCE) || is_root);
    if (has_place(made)) {
        if (is_scatter(spec->kind))
            made->receives = false;
        else
            made->sends = false;
    }
    made->ignored = chance(made, OF_REST, (uint64_t)made->rank, 0) % 2;
}

/* MPICH 4.0.2 crashes in MPI_Reduce in place with a root other than 0 and more than 2 KiB, and in
 * MPI_Reduce_scatter in place with 512 KiB in all, where a block overlaps the place that it is copied to. */
static bool mpi_crashes(const struct coll_case *made)
{
#ifdef MPICH
    const struct coll_spec *spec = &made->spec;
    size_t bytes = (size_t)spec->elements * made->element_bytes;
    if (spec->kind == REDUCE_SCATTER || spec->kind == REDUCE_SCATTER_BLOCK)
        return bytes * (size_t)made->size >= 1 << 19;
    return spec->kind == REDUCE && spec->root > 0 && bytes > 2048;
#else
    (void)made;
    return false;
#endif
}

void coll_case_make(struct coll_case *made, const struct coll_spec *spec)
{
    memset(made, 0, sizeof *made);
    made->spec = *spec;
    spec = &made->spec;
    MPI_Comm_rank(spec->comm, &made->rank);
    MPI_Comm_size(spec->comm, &made->size);
    made->element_bytes =
        coll_is_reduction(spec->kind) ? spec->operation.number->extent : base_bytes[spec->base];
    made->spec.in_place = spec->in_place && !mpi_crashes(made);
    significance(made);
    side_choose(made, &made->send, 0);
    side_choose(made, &made->recv, 1);
    size_t sent = elements_of_side(made, true), received = elements_of_side(made, false);
    int block = block_elements(made, made->rank);
    made->send.count = block / units[made->send.layout];
    made->recv.count = block / units[made->recv.layout];
    side_allocate(made, &made->send, sent);
    side_allocate(made, &made->recv, received);
    if (made->sends)
        contribution_fill(made, &made->send, made->send.memory);
    else if (spec->kind == BCAST ? made->rank == spec->root : has_place(made) && !is_scatter(spec->kind))
        contribution_fill(made, &made->recv, made->recv.memory);
    made->sent = memory_of(made->send.bytes);
    made->other = memory_of(made->recv.bytes);
    memcpy(made->sent, made->send.memory, made->send.bytes);
    memcpy(made->other, made->recv.memory, made->recv.bytes);
}

void coll_case_free(struct coll_case *made)
{
    free(made->send.memory), free(made->recv.memory), free(made->sent), free(made->other);
    free(made->send.counts), free(made->send.places);
    free(made->recv.counts), free(made->recv.places);
}

/* ------------------------------------------------------------------ running */

struct arguments {
    const void *send;
    void *recv;
    long send_count, recv_count;
    int root;
    MPI_Datatype send_type, recv_type;
};

/* `ignored`: what is not significant on this rank is not valid either. */
static struct arguments arguments_of(const struct coll_case *made, void *recv)
{
    const struct coll_spec *spec = &made->spec;
    struct arguments is = {made->send.memory, recv,           made->send.count, made->recv.count, spec->root,
                           made->send.type,   made->recv.type};
    bool in_place = has_place(made);
    if (!made->sends && spec->kind != BCAST && (made->ignored || in_place)) {
        is.send = in_place ? MPI_IN_PLACE : NULL;
        is.send_count = 0;
        is.send_type = MPI_DATATYPE_NULL;
    }
    if (!made->receives && (made->ignored || in_place)) {
        is.recv = in_place ? MPI_IN_PLACE : NULL;
        if (!coll_is_reduction(spec->kind)) {
            is.recv_count = 0;
            is.recv_type = MPI_DATATYPE_NULL;
        }
    }
    if (coll_is_reduction(spec->kind))
        is.send_type = made->send.type, is.send_count = made->send.count;
    return is;
}

/* At ranks other than the root, counts may be absent where only the root has blocks of all. */
static bool has_counts_here(const struct coll_case *made)
{
    bool is_of_root = made->spec.kind == GATHERV || made->spec.kind == SCATTERV;
    return !is_of_root || !made->ignored || made->rank == made->spec.root;
}

/* Functions with this prefix, P or none, and this suffix, _c or none. `insignificant` is added to counts that
 * MPI does not look at on this rank. */
#define RUN(name, P, S, count_type, place_type, insignificant)                                               \
    static int name##_with(const struct coll_case *made, void *recv, const count_type *counts,               \
                           const place_type *places)                                                         \
    {                                                                                                        \
        struct arguments is = arguments_of(made, recv);                                                      \
        if (made->ignored && !made->receives && made->spec.kind == GATHER)                                   \
            is.recv_count += insignificant;                                                                  \
        if (made->ignored && !made->sends && made->spec.kind == SCATTER)                                     \
            is.send_count += insignificant;                                                                  \
        MPI_Comm comm = made->spec.comm;                                                                     \
        MPI_Op op = made->spec.operation.op;                                                                 \
        switch (made->spec.kind) {                                                                           \
        case BARRIER:                                                                                        \
            return P##MPI_Barrier(comm);                                                                     \
        case BCAST:                                                                                          \
            return P##MPI_Bcast##S(is.recv, is.recv_count, is.recv_type, is.root, comm);                     \
        case GATHER:                                                                                         \
            return P##MPI_Gather##S(is.send, is.send_count, is.send_type, is.recv, is.recv_count,            \
                                    is.recv_type, is.root, comm);                                            \
        case GATHERV:                                                                                        \
            return P##MPI_Gatherv##S(is.send, is.send_count, is.send_type, is.recv, counts, places,          \
                                     is.recv_type, is.root, comm);                                           \
        case SCATTER:                                                                                        \
            return P##MPI_Scatter##S(is.send, is.send_count, is.send_type, is.recv, is.recv_count,           \
                                     is.recv_type, is.root, comm);                                           \
        case SCATTERV:                                                                                       \
            return P##MPI_Scatterv##S(is.send, counts, places, is.send_type, is.recv, is.recv_count,         \
                                      is.recv_type, is.root, comm);                                          \
        case ALLGATHER:                                                                                      \
            return P##MPI_Allgather##S(is.send, is.send_count, is.send_type, is.recv, is.recv_count,         \
                                       is.recv_type, comm);                                                  \
        case ALLGATHERV:                                                                                     \
            return P##MPI_Allgatherv##S(is.send, is.send_count, is.send_type, is.recv, counts, places,       \
                                        is.recv_type, comm);                                                 \
        case ALLTOALL:                                                                                       \
            return P##MPI_Alltoall##S(is.send, is.send_count, is.send_type, is.recv, is.recv_count,          \
                                      is.recv_type, comm);                                                   \
        case REDUCE:                                                                                         \
            return P##MPI_Reduce##S(is.send, is.recv, is.send_count, is.send_type, op, is.root, comm);       \
        case ALLREDUCE:                                                                                      \
            return P##MPI_Allreduce##S(is.send, is.recv, is.send_count, is.send_type, op, comm);             \
        case REDUCE_SCATTER:                                                                                 \
            return P##MPI_Reduce_scatter##S(is.send, is.recv, counts, is.send_type, op, comm);               \
        case REDUCE_SCATTER_BLOCK:                                                                           \
            return P##MPI_Reduce_scatter_block##S(is.send, is.recv, is.send_count, is.send_type, op, comm);  \
        default:                                                                                             \
            return MPI_ERR_OTHER;                                                                            \
        }                                                                                                    \
    }                                                                                                        \
                                                                                                             \
    static int name(struct coll_case *made, void *recv)                                                      \
    {                                                                                                        \
        const struct coll_side *side = counted_side(made);                                                   \
        bool absent = !has_counts_here(made);                                                                \
        count_type *counts = side->counts && !absent ? calloc((size_t)made->size, sizeof *counts) : NULL;    \
        place_type *places = side->places && !absent ? calloc((size_t)made->size, sizeof *places) : NULL;    \
        for (int rank = 0; rank < made->size; rank++) {                                                      \
            if (counts)                                                                                      \
                counts[rank] = side->counts[rank];                                                           \
            if (places)                                                                                      \
                places[rank] = side->places[rank];                                                           \
        }                                                                                                    \
        int error = name##_with(made, recv, counts, places);                                                 \
        free(counts), free(places);                                                                          \
        return error;                                                                                        \
    }

RUN(run_ours, , , int, int, 0)
RUN(run_theirs, P, , int, int, 0)

#if MPI_VERSION >= 4
enum { INSIGNIFICANT_SHIFT = 40 };
RUN(run_large, , _c, MPI_Count, MPI_Aint, 1L << INSIGNIFICANT_SHIFT)
#endif

/* A quarter of the calls goes through the forms of MPI 4 with counts of 64 bits. */
int coll_case_run(struct coll_case *made)
{
#if MPI_VERSION >= 4
    if (made->spec.seed % 4 == 3)
        return run_large(made, made->recv.memory);
#endif
    return run_ours(made, made->recv.memory);
}

int coll_case_run_other(struct coll_case *made)
{
    return run_theirs(made, made->other);
}

/* ---------------------------------------------------------------- comparing */

/* Reduces the contributions of all ranks, the last two first, into bytes of this rank alone. */
static void expect_reduction(struct coll_case *made)
{
    size_t block = (size_t)block_elements(made, made->rank), before = 0, all = 0;
    for (int rank = 0; rank < made->size; rank++) {
        if (rank == made->rank)
            before = all;
        all += (size_t)block_elements(made, rank);
    }
    if (!sends_to_each(made->spec.kind))
        before = 0, all = block;
    const struct number *number = made->spec.operation.number;
    unsigned char *result = memory_of(all * number->extent), *in = memory_of(all * number->extent);
    memset(result, 0, all * number->extent);
    memset(in, 0, all * number->extent);
    reduction_fill(made, made->size - 1, result);
    for (int rank = made->size - 2; rank >= 0; rank--) {
        reduction_fill(made, rank, in);
        PMPI_Reduce_local(in, result, (int)all, number->type, made->spec.operation.op);
    }
    for (size_t i = 0; i < block; i++)
        coll_number_copy(number, result + (before + i) * number->extent, made->other + i * number->extent);
    free(result);
    free(in);
}

void coll_case_expect(struct coll_case *made)
{
    enum coll_kind kind = made->spec.kind;
    if (!made->receives)
        return;
    if (coll_is_reduction(kind)) {
        expect_reduction(made);
        return;
    }
    bool is_from_root = kind == BCAST || is_scatter(kind);
    for (int from = 0; from < made->size; from++) {
        if (is_from_root && from != made->spec.root)
            continue;
        size_t first = is_from_root ? 0 : first_element(made, &made->recv, from);
        block_fill(made, &made->recv, from, sends_to_each(kind) ? made->rank : 0, first,
                   (size_t)block_elements(made, kind == SCATTERV ? made->rank : from), made->other);
    }
}

/* True if byte i of the receiving side is compared. After a reduction in place, what is behind the result is
 * of no meaning. */
static bool counts(const struct coll_case *made, size_t i)
{
    if (!coll_is_reduction(made->spec.kind))
        return true;
    const struct number *number = made->spec.operation.number;
    size_t result = (size_t)block_elements(made, made->rank) * number->extent;
    if (i < result)
        return coll_number_has(number, i % number->extent);
    return !(made->spec.in_place && sends_to_each(made->spec.kind));
}

long coll_case_difference(const struct coll_case *made)
{
    for (size_t i = 0; i < made->recv.bytes; i++)
        if (made->recv.memory[i] != made->other[i] && counts(made, i))
            return (long)i;
    if (memcmp(made->sent, made->send.memory, made->send.bytes) != 0)
        for (size_t i = 0; i < made->send.bytes; i++)
            if (made->sent[i] != made->send.memory[i])
                return (long)i;
    return -1;
}

void coll_case_text(const struct coll_case *made, char *text, size_t size)
{
    const struct coll_spec *spec = &made->spec;
    int length =
        snprintf(text, size, "%s, rank %d of %d, %d elements of %zu bytes", coll_kind_names[spec->kind],
                 made->rank, made->size, spec->elements, made->element_bytes);
    if (coll_is_reduction(spec->kind))
        length += snprintf(text + length, size - (size_t)length, ", %s on %s", spec->operation.name,
                           spec->operation.number->name);
    else
        length += snprintf(text + length, size - (size_t)length, ", layouts %d and %d", made->send.layout,
                           made->recv.layout);
    if (coll_has_root(spec->kind))
        length += snprintf(text + length, size - (size_t)length, ", root %d", spec->root);
    snprintf(text + length, size - (size_t)length, "%s, seed %u", spec->in_place ? ", in place" : "",
             spec->seed);
}
