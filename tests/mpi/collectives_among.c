/* Checks of blocking collective calls among other calls: messages under way, non-blocking collectives,
 * threads, errors, and what many calls leave behind. They run with the library preloaded and without it.
 *
 *   collectives_among_MPI CHECK... */

#include "coll_checks.h"
#include "holdings.h"
#include "threads.h"

static void call_kind(const char *check, enum coll_kind kind, MPI_Comm comm, unsigned seed)
{
    struct coll_spec spec = spec_of(kind, comm, 12, seed);
    run_case(check, &spec);
}

/* A rank sends a long message and enters the collective; the receiver enters it only after the message has
 * come. Only MPI calls of the sender can move the message, and the sender is in the collective. */
static void check_progress(void)
{
    enum { BYTES = 8 << 20 };
    char *message = room(BYTES), *received = room(BYTES);
    for (int kind = 0; kind < COLL_KINDS; kind++) {
        int distance = 1 + kind % (world_size > 1 ? world_size - 1 : 1);
        int to = (world_rank + distance) % world_size,
            from = (world_rank + world_size - distance) % world_size;
        MPI_Request request = MPI_REQUEST_NULL;
        memset(message, world_rank + kind, BYTES);
        if (world_rank < to)
            MPI_Isend(message, BYTES, MPI_BYTE, to, 1, MPI_COMM_WORLD, &request);
        if (from < world_rank) {
            MPI_Recv(received, BYTES, MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (received[0] != (char)(from + kind) || received[BYTES - 1] != (char)(from + kind))
                fail("progress", "wrong message: from, kind", from, kind);
        }
        call_kind("progress", (enum coll_kind)kind, MPI_COMM_WORLD, (unsigned)kind);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    free(message), free(received);
}

/* One rank comes some milliseconds later than the others. */
static void check_late(void)
{
    for (int kind = 0; kind < COLL_KINDS; kind++)
        for (int rank = 0; rank < world_size; rank++) {
            if (rank == world_rank)
                usleep(8000);
            call_kind("late", (enum coll_kind)kind, MPI_COMM_WORLD, (unsigned)rank);
        }
}

/* A receive from MPI_ANY_SOURCE must not match messages of a collective. (MPICH 4.0 does not complete such a
 * receive from the rank itself.) */
static void check_wildcards(void)
{
    if (world_size < 2)
        return;
    int number = -1, to = (world_rank + 1) % world_size;
    MPI_Request request;
    MPI_Irecv(&number, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    for (int kind = 0; kind < COLL_KINDS; kind++)
        for (unsigned round = 0; round < 4; round++)
            call_kind("wildcards", (enum coll_kind)kind, MPI_COMM_WORLD, round);
    MPI_Send(&world_rank, 1, MPI_INT, to, 77, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (number != (world_rank + world_size - 1) % world_size)
        fail("wildcards", "somebody else's message", number, world_rank);
}

/* Non-blocking collectives, which the MPI executes, with blocking ones before, meanwhile and after. Half of
 * the ranks wait before the blocking calls on another communicator, the others after them. */
static void check_nonblocking(void)
{
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int round = 0; round < 2 * COLL_KINDS; round++) {
        int number = world_rank + round, sum = -1, told = world_rank == round % world_size ? round : -1;
        MPI_Request requests[3];
        MPI_Status statuses[3]; /* gcc warns of MPI_STATUSES_IGNORE */
        call_kind("nonblocking", (enum coll_kind)(round % COLL_KINDS), MPI_COMM_WORLD, (unsigned)round);
        MPI_Iallreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
        MPI_Ibcast(&told, 1, MPI_INT, round % world_size, MPI_COMM_WORLD, &requests[1]);
        MPI_Ibarrier(MPI_COMM_WORLD, &requests[2]);
        call_kind("nonblocking", (enum coll_kind)((round + 3) % COLL_KINDS), MPI_COMM_WORLD, (unsigned)round);
        if (world_rank % 2 == 0)
            MPI_Waitall(3, requests, statuses);
        call_kind("nonblocking", (enum coll_kind)((round + 5) % COLL_KINDS), other, (unsigned)round);
        if (world_rank % 2 == 1)
            MPI_Waitall(3, requests, statuses);
        if (sum != world_size * (world_size - 1) / 2 + world_size * round || told != round)
            fail("nonblocking", "sum, number of the root", sum, told);
    }
    MPI_Comm_free(&other);
}

#if MPI_VERSION >= 4

/* A persistent collective, which the MPI executes, with blocking ones between its start and its end. */
static void check_persistent(void)
{
    enum { STARTS = 3 * COLL_KINDS };
    int number = 0, sum = -1, told = -1;
    MPI_Request requests[2];
    MPI_Status statuses[2]; /* gcc warns of MPI_STATUSES_IGNORE */
    MPI_Allreduce_init(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Bcast_init(&told, 1, MPI_INT, world_size - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < STARTS; round++) {
        number = world_rank + round;
        told = world_rank == world_size - 1 ? round : -1;
        MPI_Startall(2, requests);
        call_kind("persistent", (enum coll_kind)(round % COLL_KINDS), MPI_COMM_WORLD, (unsigned)round);
        MPI_Waitall(2, requests, statuses);
        if (sum != world_size * (world_size - 1) / 2 + world_size * round || told != round)
            fail("persistent", "sum, number of the root", sum, told);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

#else

static void check_persistent(void)
{
} /* this MPI has none */

#endif

/* ------------------------------------------------------------------ threads */

static void *call_in_thread(void *comm)
{
    for (unsigned round = 0; round < 200; round++)
        call_kind("threads", (enum coll_kind)(coll_random(round, 1, 1) % COLL_KINDS), *(MPI_Comm *)comm,
                  round);
    return NULL;
}

/* Two threads of each rank, each with a communicator of its own. */
static void check_threads(void)
{
    coll_case_begin();
    call_in_two_threads(call_in_thread);
}

/* ------------------------------------------------------------------- errors */

/* Arguments that MPI forbids, the same on all ranks. */
struct wrong {
    const char *name;
    int count, root;
    MPI_Datatype type;
    MPI_Op op;
    bool has_no_comm;
};

static int call_wrong(enum coll_kind kind, const struct wrong *wrong, MPI_Comm comm, bool by_library)
{
    int send[64] = {0}, recv[64 * 64] = {0}, counts[64], places[64] = {0}, n = wrong->count,
        root = wrong->root;
    MPI_Datatype type = wrong->type;
    MPI_Op op = wrong->op;
    for (int i = 0; i < 64; i++)
        counts[i] = n;
#define CALL(name, ...) (by_library ? MPI_##name(__VA_ARGS__) : PMPI_##name(__VA_ARGS__))
    switch (kind) {
    case BARRIER:
        return CALL(Barrier, comm);
    case BCAST:
        return CALL(Bcast, send, n, type, root, comm);
    case GATHER:
        return CALL(Gather, send, n, type, recv, n, type, root, comm);
    case GATHERV:
        return CALL(Gatherv, send, n, type, recv, counts, places, type, root, comm);
    case SCATTERV:
        return CALL(Scatterv, recv, counts, places, type, send, n, type, root, comm);
    case SCATTER:
        return CALL(Scatter, recv, n, type, send, n, type, root, comm);
    case ALLGATHER:
        return CALL(Allgather, send, n, type, recv, n, type, comm);
    case ALLGATHERV:
        return CALL(Allgatherv, send, n, type, recv, counts, places, type, comm);
    case ALLTOALL:
        return CALL(Alltoall, send, n, type, recv, n, type, comm);
    case REDUCE:
        return CALL(Reduce, send, recv, n, type, op, root, comm);
    case ALLREDUCE:
        return CALL(Allreduce, send, recv, n, type, op, comm);
    case REDUCE_SCATTER:
        return CALL(Reduce_scatter, send, recv, counts, type, op, comm);
    default:
        return CALL(Reduce_scatter_block, send, recv, n, type, op, comm);
    }
}

static int class_of(int error)
{
    int class = MPI_SUCCESS;
    if (error != MPI_SUCCESS)
        MPI_Error_class(error, &class);
    return class;
}

/* The class of the error is that of the MPI, and the user's handler is called as often. */
static void compare_wrong(enum coll_kind kind, const struct wrong *wrong, MPI_Comm comm)
{
    handled = 0;
    int expected = class_of(call_wrong(kind, wrong, comm, false)), expected_handled = handled;
    handled = 0;
    int class = class_of(call_wrong(kind, wrong, comm, true));
    if (class != expected || handled != expected_handled) {
        fprintf(stderr, "%s, %s: handled %d times, by the MPI %d times\n", coll_kind_names[kind], wrong->name,
                handled, expected_handled);
        fail("errors", "class, expected", class, expected);
    }
    if (expected == MPI_SUCCESS && wrong->root < 0 && coll_has_root(kind))
        fail("errors", "the MPI accepts a wrong root: kind", kind, 0);
}

/* Open MPI 4.1 and MPICH 4.0 crash with these arguments. */
static bool mpi_crashes(enum coll_kind kind, const struct wrong *wrong)
{
#ifdef OPEN_MPI
    return kind == ALLGATHER && wrong->has_no_comm;
#else
    return (kind == REDUCE || kind == ALLREDUCE || kind == REDUCE_SCATTER_BLOCK) && wrong->count < 0;
#endif
}

static void check_errors(void)
{
    const struct wrong wrongs[] = {
        {"negative count", -1, 0, MPI_INT, MPI_SUM, false},
        {"null type", 1, 0, MPI_DATATYPE_NULL, MPI_SUM, false},
        {"negative root", 1, -7, MPI_INT, MPI_SUM, false},
        {"root too large", 1, world_size, MPI_INT, MPI_SUM, false},
        {"null operation", 1, 0, MPI_INT, MPI_OP_NULL, false},
        {"bits of doubles", 1, 0, MPI_DOUBLE, MPI_BAND, false},
        {"pairs of ints", 1, 0, MPI_INT, MPI_MINLOC, false},
        {"a sum of pairs", 1, 0, MPI_2INT, MPI_SUM, false},
        {"a logical operation on integers of Fortran", 1, 0, MPI_INTEGER, MPI_LAND, false},
        {"null communicator", 1, 0, MPI_INT, MPI_SUM, true},
    };
    MPI_Errhandler handler;
    MPI_Comm comm;
    if (world_size > 32)
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(on_error, &handler);
    for (unsigned round = 0; round < 2; round++) {
        for (int kind = 0; kind < COLL_KINDS; kind++)
            for (int turn = 0; turn < 12; turn++) /* the library is in use on the communicator */
                call_kind("errors", (enum coll_kind)kind, comm, round);
        MPI_Comm_set_errhandler(comm, round ? MPI_ERRORS_RETURN : handler);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, round ? MPI_ERRORS_RETURN : handler);
        for (int kind = 0; kind < COLL_KINDS; kind++)
            for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++)
                if (!mpi_crashes((enum coll_kind)kind, &wrongs[i]))
                    compare_wrong((enum coll_kind)kind, &wrongs[i],
                                  wrongs[i].has_no_comm ? MPI_COMM_NULL : comm);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    for (int kind = 0; kind < COLL_KINDS; kind++)
        call_kind("errors", (enum coll_kind)kind, comm, 9);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
}

static void add_up(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* A type that is not committed, in an operation of the program. */
static void reduce_uncommitted(MPI_Comm comm)
{
    static const enum coll_kind reductions[] = {REDUCE, ALLREDUCE, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK};
    struct wrong wrong = {"a type that is not committed", 1, 0, MPI_DATATYPE_NULL, MPI_OP_NULL, false};
    MPI_Type_contiguous(1, MPI_INT, &wrong.type);
    MPI_Op_create(add_up, 1, &wrong.op);
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
        compare_wrong(reductions[i], &wrong, comm);
    MPI_Type_commit(&wrong.type);
    if (call_wrong(ALLREDUCE, &wrong, comm, true) != MPI_SUCCESS)
        fail("handles", "a committed type is refused", 0, 0);
    MPI_Op_free(&wrong.op);
    MPI_Type_free(&wrong.type);
}

/* The handle of a communicator that is no more. In Open MPI its memory may be that of another one. */
static void call_freed(MPI_Comm comm)
{
#ifndef OPEN_MPI
    static const struct wrong wrong = {"no communicator", 1, 0, MPI_INT, MPI_SUM, false};
    MPI_Comm copy;
    MPI_Comm_dup(comm, &copy);
    MPI_Comm gone = copy;
    MPI_Comm_free(&copy);
    for (int kind = 0; kind < COLL_KINDS; kind++)
        compare_wrong((enum coll_kind)kind, &wrong, gone);
#else
    (void)comm;
#endif
}

/* Handles that the MPI refuses, when the library is in use. */
static void check_handles(void)
{
    MPI_Errhandler handler;
    MPI_Comm comm;
    if (world_size > 32)
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(on_error, &handler);
    for (int kind = 0; kind < COLL_KINDS; kind++)
        for (unsigned turn = 0; turn < 12; turn++)
            call_kind("handles", (enum coll_kind)kind, comm, turn);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    reduce_uncommitted(comm);
    call_freed(comm);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
}

/* One rank makes a call that the MPI refuses before each call of all ranks. So it makes more calls, from the
 * first ones on, in which the library is set up. */
static void refuse_one(enum coll_kind kind, MPI_Comm comm)
{
    static const struct wrong wrong = {"null type", 1, 0, MPI_DATATYPE_NULL, MPI_SUM, false};
    if (world_rank == 0 && class_of(call_wrong(kind, &wrong, comm, true)) == MPI_SUCCESS)
        fail("refused", "the MPI accepts a null type: kind", kind, 0);
#ifndef OPEN_MPI
    /* The block of this rank is where it sends from. Open MPI does not look. */
    int numbers[32 * 2];
    if (world_rank == world_size - 1 && class_of(MPI_Allgather(numbers + 2 * world_rank, 2, MPI_INT, numbers,
                                                               2, MPI_INT, comm)) == MPI_SUCCESS)
        fail("refused", "the MPI accepts an alias", 0, 0);
#endif
}

static void check_refused(void)
{
    MPI_Comm comm;
    for (int kind = 0; kind < COLL_KINDS && world_size <= 32; kind++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        for (unsigned turn = 0; turn < 12; turn++) {
            if (kind != BARRIER)
                refuse_one((enum coll_kind)kind, comm);
            call_kind("refused", (enum coll_kind)kind, comm, turn);
        }
        MPI_Comm_free(&comm);
    }
}

/* The ranks of a bcast give different lengths, which an MPI may report or not. The root of the next bcast
 * sends a few bytes and goes on, in this MPI. The other ranks enter it after a message that the root sends
 * behind it: so the library must not make the root wait for them. */
static void check_lengths(void)
{
    enum { LONGEST = 10, TAG = 7 };
    int numbers[LONGEST] = {0}, token = 0;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (unsigned turn = 0; turn < 12; turn++)
        MPI_Bcast(numbers, 1, MPI_INT, 0, comm);
    MPI_Bcast(numbers, world_rank == 0 ? 2 : 4, MPI_INT, 0, comm);
    numbers[0] = world_rank == 0;
    if (world_rank != 0)
        MPI_Recv(&token, 1, MPI_INT, 0, TAG, comm, MPI_STATUS_IGNORE);
    MPI_Bcast(numbers, LONGEST, MPI_INT, 0, comm);
    for (int other = 1; world_rank == 0 && other < world_size; other++)
        MPI_Send(&token, 1, MPI_INT, other, TAG, comm);
    if (numbers[0] != 1)
        fail("lengths", "the bcast that follows has other data", numbers[0], 1);
    MPI_Comm_free(&comm);
}

/* -------------------------------------------------------------------- leaks */

static void call_often(long calls)
{
    int number[4] = {world_rank, 1, 2, 3}, sum[4], *all = room((size_t)world_size * 4 * sizeof(int));
    for (long i = 0; i < calls; i++) {
        MPI_Allreduce(number, sum, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Bcast(number + 1, 3, MPI_INT, (int)(i % world_size), MPI_COMM_WORLD);
        MPI_Allgather(number, 4, MPI_INT, all, 4, MPI_INT, MPI_COMM_WORLD);
        MPI_Reduce_scatter_block(all, sum, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (i % 4 == 0) {
            MPI_Reduce(number, sum, 4, MPI_INT, MPI_SUM, (int)(i / 4 % world_size), MPI_COMM_WORLD);
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    free(all);
}

/* Calls do not leak memory, descriptors or mappings. After the first half the MPI has taken all that it
 * needs. */
static void check_leaks(void)
{
    enum { SLACK_BYTES = 2 << 20, SLACK_MAPPINGS = 4 };
    const char *wanted = getenv("CALLS");
    long calls = wanted ? strtol(wanted, NULL, 10) : 300, slack = SLACK_BYTES / sysconf(_SC_PAGESIZE);
    call_often(calls / 2);
    struct holdings before = holdings_now("leaks");
    call_often(calls / 2);
    struct holdings after = holdings_now("leaks");
    if (after.resident_pages > before.resident_pages + slack)
        fail("leaks", "pages before, after", before.resident_pages, after.resident_pages);
    if (after.descriptors > before.descriptors || after.mappings > before.mappings + SLACK_MAPPINGS)
        fail("leaks", "more descriptors, mappings", after.descriptors - before.descriptors,
             after.mappings - before.mappings);
}

static const struct check checks[] = {
    {"progress", check_progress},     {"late", check_late},
    {"wildcards", check_wildcards},   {"nonblocking", check_nonblocking},
    {"threads", check_threads},       {"errors", check_errors},
    {"handles", check_handles},       {"refused", check_refused},
    {"lengths", check_lengths},       {"leaks", check_leaks},
    {"persistent", check_persistent},
};

int main(int argc, char **argv)
{
    return run_checks(argc, argv, checks, sizeof checks / sizeof *checks);
}
