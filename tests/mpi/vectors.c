/* Compares the results of the library's MPI_Alltoallv and MPI_Alltoallw with those of the MPI, byte by byte,
 * for random counts, types and displacements, also in the forms of MPI 4. The checks run with the library
 * preloaded and without it; the MPI's own functions must pass them too.
 *
 *   vectors_MPI CHECK... */
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "checks.h"
#include "threads.h"

/* ------------------------------------------------------------------ counts */

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t chance(int a, int b, int round, int what)
{
    return mix(((uint64_t)(unsigned)a << 40) + ((uint64_t)(unsigned)b << 20) +
               (uint64_t)(unsigned)round * 16 + (uint64_t)(unsigned)what);
}

/* The matrix of counts: mixed; nearly empty; empty; only long blocks. */
enum matrix { ANYTHING, SPARSE, EMPTY, LONG, MATRICES };

/* The ints that `from` sends to `to`: none, few, many, or more than the library stages. The number is even,
 * as some types are pairs. */
static int ints_of(enum matrix matrix, int from, int to, int round)
{
    uint64_t any = chance(from, to, round, 0), kind = any % 16;
    int random = (int)(any >> 8 & 0xffff);
    if (matrix == EMPTY || (matrix == SPARSE && random % 7 != 0))
        return 0;
    if (matrix == LONG || kind == 15)
        return 4000 + 2 * (random % 3000);
    if (kind < 5)
        return 0;
    return kind < 11 ? 2 * (1 + random % 4) : 2 * (1 + random % 300);
}

/* ---------------------------------------------------------------- one side */

enum { PLAIN, HOLES, SWAPPED, KINDS };

static void kinds_make(MPI_Datatype *kinds)
{
    kinds[PLAIN] = MPI_INT;
    MPI_Type_create_resized(MPI_INT, 0, 2 * (MPI_Aint)sizeof(int), &kinds[HOLES]);
    MPI_Type_indexed(2, (int[]){1, 1}, (int[]){1, 0}, MPI_INT, &kinds[SWAPPED]);
    MPI_Type_commit(&kinds[HOLES]);
    MPI_Type_commit(&kinds[SWAPPED]);
}

static void kinds_free(MPI_Datatype *kinds)
{
    MPI_Type_free(&kinds[HOLES]);
    MPI_Type_free(&kinds[SWAPPED]);
}

/* The blocks of a side, in random order and with gaps. Displacements are in extents (v) or in bytes (w). */
struct side {
    int *counts, *displacements;
    MPI_Datatype *types;
    int kind;
    size_t ints; /* of the whole buffer */
};

static int extent_ints(int kind)
{
    return kind == PLAIN ? 1 : 2;
}

struct call {
    MPI_Comm comm;
    int rank, size, round;
    enum matrix matrix;
    int in_place, is_w, is_large; /* is_large: a form of MPI 4 with counts of 64 bits */
    MPI_Datatype kinds[KINDS];
};

/* `kind`: the type of all blocks, or KINDS: each block has a type of its own (w). */
static struct side side_make(const struct call *call, int kind, const int *ints, int round)
{
    int size = call->size, rank = call->rank;
    struct side side = {room((size_t)size * sizeof(int)), room((size_t)size * sizeof(int)),
                        room((size_t)size * sizeof(MPI_Datatype)), kind, 6};
    for (int i = 0; i < size; i++) {
        int peer = (i * 5 + rank) % size; /* each peer once, unless 5 divides size */
        if (size % 5 == 0)
            peer = (size - 1 - i + rank) % size;
        int is = kind == KINDS ? (int)(chance(rank, peer, round, 3) % KINDS) : kind;
        side.types[peer] = call->kinds[is];
        side.counts[peer] = is == SWAPPED ? ints[peer] / 2 : ints[peer];
        side.displacements[peer] =
            kind == KINDS ? (int)(side.ints * sizeof(int)) : (int)side.ints / extent_ints(is);
        side.ints +=
            (size_t)(side.counts[peer] * extent_ints(is)) + 2 * (size_t)(chance(peer, i, round, 4) % 3);
    }
    return side;
}

static void side_free(struct side *side)
{
    free(side->counts);
    free(side->displacements);
    free(side->types);
}

/* ------------------------------------------------------------------- calls */

#if MPI_VERSION >= 4

static MPI_Count *long_numbers(const int *numbers, int size)
{
    MPI_Count *longs = room((size_t)size * sizeof *longs);
    for (int i = 0; i < size; i++)
        longs[i] = numbers[i];
    return longs;
}

static int call_large(const struct call *call, const void *send, const struct side *from, void *recv,
                      const struct side *into)
{
    MPI_Count *sent = long_numbers(from->counts, call->size),
              *received = long_numbers(into->counts, call->size);
    MPI_Aint *sent_at = (MPI_Aint *)long_numbers(from->displacements, call->size),
             *received_at = (MPI_Aint *)long_numbers(into->displacements, call->size);
    int error = call->is_w ? MPI_Alltoallw_c(send, sent, sent_at, from->types, recv, received, received_at,
                                             into->types, call->comm)
                           : MPI_Alltoallv_c(send, sent, sent_at, call->kinds[from->kind], recv, received,
                                             received_at, call->kinds[into->kind], call->comm);
    free(sent), free(received), free(sent_at), free(received_at);
    return error;
}

#else

static int call_large(const struct call *call, const void *send, const struct side *from, void *recv,
                      const struct side *into)
{
    (void)call, (void)send, (void)from, (void)recv, (void)into;
    return MPI_ERR_OTHER; /* this MPI has no such forms, and is_large is 0 */
}

#endif

static int call_ours(const struct call *call, const void *send, const struct side *from, void *recv,
                     const struct side *into)
{
    if (call->is_large)
        return call_large(call, send, from, recv, into);
    if (call->is_w)
        return MPI_Alltoallw(send, from->counts, from->displacements, from->types, recv, into->counts,
                             into->displacements, into->types, call->comm);
    return MPI_Alltoallv(send, from->counts, from->displacements, call->kinds[from->kind], recv, into->counts,
                         into->displacements, call->kinds[into->kind], call->comm);
}

static int call_theirs(const struct call *call, const void *send, const struct side *from, void *recv,
                       const struct side *into)
{
    if (call->is_w)
        return PMPI_Alltoallw(send, from->counts, from->displacements, from->types, recv, into->counts,
                              into->displacements, into->types, call->comm);
    return PMPI_Alltoallv(send, from->counts, from->displacements, call->kinds[from->kind], recv,
                          into->counts, into->displacements, call->kinds[into->kind], call->comm);
}

static void fill(int *ints, size_t count, int rank, int round)
{
    for (size_t i = 0; i < count; i++)
        ints[i] = (int)chance(rank, (int)i, round, 5);
}

/* MPI requires that j receives from i as many as i sends to j. In place, i also sends to j as many as it
 * receives from j. */
static int ints_between(const struct call *call, int from, int to)
{
    if (call->in_place && from > to)
        return ints_of(call->matrix, to, from, call->round);
    return ints_of(call->matrix, from, to, call->round);
}

static void compare(const char *check, const struct call *call)
{
    int *sent = room((size_t)call->size * sizeof(int)), *received = room((size_t)call->size * sizeof(int));
    for (int peer = 0; peer < call->size; peer++) {
        sent[peer] = ints_between(call, call->rank, peer);
        received[peer] = ints_between(call, peer, call->rank);
    }
    int kind_out = (int)(chance(call->rank, 0, call->round, 1) % KINDS);
    int kind_in = (int)(chance(call->rank, 0, call->round, 2) % KINDS);
    struct side from = side_make(call, call->is_w ? KINDS : kind_out, sent, call->round);
    struct side into = side_make(call, call->is_w ? KINDS : kind_in, received, call->round + 1000);
    int *send = room(from.ints * sizeof(int)), *ours = room(into.ints * sizeof(int)),
        *theirs = room(into.ints * sizeof(int));
    fill(send, from.ints, call->rank, call->round);
    fill(ours, into.ints, call->rank, call->round + 1);
    memcpy(theirs, ours, into.ints * sizeof(int));
    if (call_ours(call, call->in_place ? MPI_IN_PLACE : send, &from, ours, &into) != MPI_SUCCESS)
        fail(check, "error returned: round", call->round, call->is_w);
    call_theirs(call, call->in_place ? MPI_IN_PLACE : send, &from, theirs, &into);
    for (size_t i = 0; i < into.ints; i++)
        if (ours[i] != theirs[i])
            fail(check, "not what the MPI gives: round, int", call->round, (long)i);
    free(send), free(ours), free(theirs), free(sent), free(received);
    side_free(&from);
    side_free(&into);
}

/* ------------------------------------------------------------------ checks */

#if MPI_VERSION >= 4
enum { WAYS = 8 };
#else
enum { WAYS = 4 };
#endif

/* Communicators of one rank are left out: the library leaves their calls to the MPI, and MPI_Alltoallw of
 * Open MPI 4.1.4 then writes behind the buffer. */
static void compare_many(const char *check, MPI_Comm comm, int rounds)
{
    struct call call = {.comm = comm};
    MPI_Comm_rank(comm, &call.rank);
    MPI_Comm_size(comm, &call.size);
    if (call.size == 1)
        return;
    kinds_make(call.kinds);
    for (call.round = 0; call.round < rounds; call.round++) {
        call.matrix = call.round % 8 < 5 ? ANYTHING : (enum matrix)(call.round % 8 - 4);
        for (int way = 0; way < WAYS; way++) {
            call.is_w = way % 2;
            call.in_place = way / 2 % 2;
            call.is_large = way / 4;
            compare(check, &call);
        }
    }
    kinds_free(call.kinds);
}

static void check_random(void)
{
    compare_many("random", MPI_COMM_WORLD, 16);
}

static void check_comms(void)
{
    MPI_Comm comm;
    for (int round = 0; round < 2; round++) {
        MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &comm); /* ranks in reverse */
        compare_many("comms", comm, 6);
        MPI_Comm_free(&comm);
        MPI_Comm_split(MPI_COMM_WORLD, world_rank % 3, (world_rank * 5) % 7, &comm);
        compare_many("comms", comm, 4);
        MPI_Comm_free(&comm);
    }
}

/* MPI_Alltoallv calls of blocks of a few ints, with nothing between them that synchronises the ranks. Some
 * ranks are late. MPI_Alltoall calls, which use the same shared memory, are among them. */
static void check_rows(void)
{
    enum { ROUNDS = 400 };
    int *counts = room((size_t)world_size * sizeof(int)), *places = room((size_t)world_size * sizeof(int));
    int *send = room((size_t)world_size * 2 * sizeof(int)),
        *recv = room((size_t)world_size * 2 * sizeof(int));
    for (int peer = 0; peer < world_size; peer++)
        places[peer] = 2 * peer;
    for (int round = 0; round < ROUNDS; round++) {
        for (int peer = 0; peer < world_size; peer++) {
            counts[peer] = 1 + (peer + world_rank + round) % 2;
            send[2 * peer] = send[2 * peer + 1] = world_rank * 10000 + peer * 100 + round % 100;
        }
        if ((round + world_rank) % 97 == 0)
            usleep(2000);
        if (round % 3 == 0)
            MPI_Alltoall(send, 2, MPI_INT, recv, 2, MPI_INT, MPI_COMM_WORLD);
        else
            MPI_Alltoallv(send, counts, places, MPI_INT, recv, counts, places, MPI_INT, MPI_COMM_WORLD);
        for (int peer = 0; peer < world_size; peer++)
            if (recv[2 * peer] != peer * 10000 + world_rank * 100 + round % 100)
                fail("rows", "wrong number: round, from", round, peer);
    }
    free(counts), free(places), free(send), free(recv);
}

/* A rank sends a long message and enters the alltoallv; the receiver enters it only after the message has
 * come. */
static void check_progress(void)
{
    enum { BYTES = 4 << 20 };
    char *message = room(BYTES), *received = room(BYTES);
    int to = (world_rank + 1) % world_size, from = (world_rank + world_size - 1) % world_size;
    MPI_Request request = MPI_REQUEST_NULL;
    memset(message, world_rank, BYTES);
    if (world_rank < to)
        MPI_Isend(message, BYTES, MPI_BYTE, to, 1, MPI_COMM_WORLD, &request);
    if (from < world_rank)
        MPI_Recv(received, BYTES, MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compare_many("progress", MPI_COMM_WORLD, 1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (from < world_rank && received[BYTES - 1] != (char)from)
        fail("progress", "wrong message", from, received[BYTES - 1]);
    free(message), free(received);
}

#ifdef OPEN_MPI
enum { IN_PLACE_CLASS = MPI_ERR_ARG };
#else
enum { IN_PLACE_CLASS = MPI_ERR_BUFFER };
#endif

static void check_errors(void)
{
    MPI_Errhandler handler;
    MPI_Comm comm;
    int *minus = room((size_t)world_size * sizeof(int)), *zero = room((size_t)world_size * sizeof(int)),
        *one = room((size_t)world_size * sizeof(int)), *recv = room((size_t)world_size * sizeof(int));
    MPI_Datatype *none = room((size_t)world_size * sizeof *none);
    for (int i = 0; i < world_size; i++)
        minus[i] = -1, zero[i] = 0, one[i] = 1, none[i] = MPI_DATATYPE_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    compare_many("errors", comm, 1);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler); /* to which Open MPI turns for one of them */
    check_error("errors", "negative count: class, expected",
                MPI_Alltoallv(minus, minus, zero, MPI_INT, recv, minus, zero, MPI_INT, comm), MPI_ERR_COUNT);
    check_error("errors", "null type: class, expected",
                MPI_Alltoallw(one, one, zero, none, recv, one, zero, none, comm), MPI_ERR_TYPE);
    check_error("errors", "received in place: class, expected",
                MPI_Alltoallv(zero, one, zero, MPI_INT, MPI_IN_PLACE, one, zero, MPI_INT, comm),
                IN_PLACE_CLASS);
#ifndef OPEN_MPI /* it does not check these */
    check_error("errors", "sent from nowhere: class, expected",
                MPI_Alltoallv(NULL, one, zero, MPI_INT, recv, one, zero, MPI_INT, comm), MPI_ERR_BUFFER);
    check_error("errors", "received nowhere: class, expected",
                MPI_Alltoallv(zero, one, zero, MPI_INT, NULL, one, zero, MPI_INT, comm), MPI_ERR_BUFFER);
#endif
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    compare_many("errors", comm, 1);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
    free(minus), free(zero), free(one), free(recv), free(none);
}

/* Long blocks that are longer at the sender than at the receiver. */
static void check_lengths(void)
{
    enum { SENT = 40000, RECEIVED = 30000 };
    size_t ranks = (size_t)world_size;
    int *sent = room(ranks * sizeof(int)), *received = room(ranks * sizeof(int)),
        *places = room(ranks * sizeof(int));
    int *send = room(ranks * SENT * sizeof(int)), *recv = room(ranks * SENT * sizeof(int));
    MPI_Errhandler handler;
    MPI_Comm comm;
    memset(send, 0, ranks * SENT * sizeof(int));
    for (int peer = 0; peer < world_size; peer++)
        sent[peer] = SENT, received[peer] = peer == world_rank ? SENT : RECEIVED, places[peer] = SENT * peer;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    /* MPICH calls the error handler of MPI_COMM_WORLD for errors of messages in any communicator. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check_error("lengths", "more than was expected: class, expected",
                MPI_Alltoallv(send, sent, places, MPI_INT, recv, received, places, MPI_INT, comm),
                MPI_ERR_TRUNCATE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
    free(sent), free(received), free(places), free(send), free(recv);
}

/* -------------------------------------------------------------------- gaps */

/* Two pieces of memory for each rank. The memory between the two cannot be read. */
struct pieces {
    char *first, *second;
    size_t bytes, span;
};

static struct pieces pieces_make(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), ranks = (size_t)world_size;
    size_t room_bytes = (ranks * bytes + page - 1) / page * page;
    struct pieces pieces = {.bytes = bytes, .span = (64u << 20) + 2 * room_bytes};
    pieces.first = mmap(NULL, pieces.span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pieces.first == MAP_FAILED)
        fail("gaps", "no memory", (long)pieces.span, 0);
    pieces.second = pieces.first + pieces.span - room_bytes;
    mprotect(pieces.first, room_bytes, PROT_READ | PROT_WRITE);
    mprotect(pieces.second, room_bytes, PROT_READ | PROT_WRITE);
    return pieces;
}

static MPI_Datatype pieces_of(const struct pieces *pieces, int peer)
{
    MPI_Datatype type;
    MPI_Aint at[2];
    MPI_Get_address(pieces->first + (size_t)peer * pieces->bytes, &at[0]);
    MPI_Get_address(pieces->second + (size_t)peer * pieces->bytes, &at[1]);
    MPI_Type_create_hindexed_block(2, (int)pieces->bytes, at, MPI_CHAR, &type);
    MPI_Type_commit(&type);
    return type;
}

static char char_of(int from, int to, size_t i)
{
    return (char)(from * 31 + to * 7 + (int)(i % 101));
}

static void fill_pieces(const struct pieces *pieces)
{
    for (int peer = 0; peer < world_size; peer++)
        for (size_t i = 0; i < pieces->bytes; i++) {
            pieces->first[(size_t)peer * pieces->bytes + i] = char_of(world_rank, peer, i);
            pieces->second[(size_t)peer * pieces->bytes + i] = char_of(world_rank, peer, i + 50);
        }
}

static void check_pieces(const struct pieces *pieces)
{
    for (int peer = 0; peer < world_size; peer++)
        for (size_t i = 0; i < pieces->bytes; i++)
            if (pieces->first[(size_t)peer * pieces->bytes + i] != char_of(peer, world_rank, i) ||
                pieces->second[(size_t)peer * pieces->bytes + i] != char_of(peer, world_rank, i + 50))
                fail("gaps", "wrong byte: from, index", peer, (long)i);
}

/* Types with absolute addresses, used with MPI_BOTTOM: short blocks and long ones, in place and not. */
static void exchange_pieces(size_t bytes, int in_place)
{
    struct pieces sent = pieces_make(bytes), received = pieces_make(bytes);
    size_t ranks = (size_t)world_size;
    int *one = room(ranks * sizeof(int)), *zero = room(ranks * sizeof(int));
    MPI_Datatype *from = room(ranks * sizeof *from), *into = room(ranks * sizeof *into);
    for (int peer = 0; peer < world_size; peer++) {
        one[peer] = 1, zero[peer] = 0;
        from[peer] = pieces_of(&sent, peer), into[peer] = pieces_of(&received, peer);
    }
    fill_pieces(in_place ? &received : &sent);
    MPI_Alltoallw(in_place ? MPI_IN_PLACE : MPI_BOTTOM, one, zero, from, MPI_BOTTOM, one, zero, into,
                  MPI_COMM_WORLD);
    check_pieces(&received);
    for (int peer = 0; peer < world_size; peer++)
        MPI_Type_free(&from[peer]), MPI_Type_free(&into[peer]);
    munmap(sent.first, sent.span), munmap(received.first, received.span);
    free(one), free(zero), free(from), free(into);
}

static void check_gaps(void)
{
    for (int in_place = 0; in_place < 2; in_place++) {
        exchange_pieces(100, in_place);
        exchange_pieces(16384, in_place);
        exchange_pieces(500000, in_place);
    }
}

/* Rank 1 waits for a block of rank `late`, which sleeps; the other ranks have nothing to wait for and go on
 * to a bcast and a reduction with root 1. */
static void check_ahead(void)
{
    enum { CALLS = 24 };
    int late = world_size / 2, *sent = calloc((size_t)world_size, sizeof *sent);
    int *received = calloc((size_t)world_size, sizeof *received),
        *at = calloc((size_t)world_size, sizeof *at);
    if (world_rank == late)
        sent[1] = 1;
    if (world_rank == 1)
        received[late] = 1;
    for (int call = 0; call < CALLS; call++) {
        int block = world_rank == late ? call : -1, got = -1, root = world_rank == 1 ? call : -1, sum = 0;
        if (world_rank == late)
            usleep(20000);
        MPI_Alltoallv(&block, sent, at, MPI_INT, &got, received, at, MPI_INT, MPI_COMM_WORLD);
        MPI_Bcast(&root, 1, MPI_INT, 1, MPI_COMM_WORLD);
        MPI_Reduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
        if (root != call || (world_rank == 1 && (got != call || sum != world_size * (world_size - 1) / 2)))
            fail("ahead", "call and what has come", call, world_rank == 1 ? got : root);
    }
    free(sent);
    free(received);
    free(at);
}

static void *compare_in_thread(void *comm)
{
    compare_many("threads", *(MPI_Comm *)comm, 8);
    return NULL;
}

static void check_threads(void)
{
    call_in_two_threads(compare_in_thread);
}

static void check_leaks(void)
{
    enum { WARM = 4, COMMS = 8, GROWTH_KIB = 4096 };
    struct rusage before = {0}, after;
    MPI_Comm comm;
    for (int i = 0; i < COMMS; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, world_rank, &comm);
        compare_many("leaks", comm, 1);
        MPI_Comm_free(&comm);
        if (i == WARM)
            getrusage(RUSAGE_SELF, &before);
    }
    getrusage(RUSAGE_SELF, &after);
    if (after.ru_maxrss - before.ru_maxrss > GROWTH_KIB)
        fail("leaks", "resident KiB before, after", before.ru_maxrss, after.ru_maxrss);
}

static const struct check checks[] = {
    {"random", check_random},     {"comms", check_comms},     {"rows", check_rows},
    {"progress", check_progress}, {"errors", check_errors},   {"threads", check_threads},
    {"leaks", check_leaks},       {"lengths", check_lengths}, {"gaps", check_gaps},
    {"ahead", check_ahead},
};

int main(int argc, char **argv)
{
    return run_checks(argc, argv, checks, sizeof checks / sizeof *checks);
}
