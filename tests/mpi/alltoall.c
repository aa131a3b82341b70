/* Checks that a replacement of MPI_Alltoall must pass. They run with the library preloaded and without it;
 * the MPI's own function must pass them too.
 *
 *   alltoall_MPI CHECK... */
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "checks.h"
#include "holdings.h"
#include "threads.h"

/* Byte i of the block from `from` to `to` in call `round`. */
static unsigned char byte_of(int from, int to, long i, int round)
{
    return (unsigned char)(from * 31 + to * 7 + i * 3 + i / 256 + round * 13);
}

static void fill(unsigned char *buffer, int rank, int size, long bytes, int round)
{
    for (int to = 0; to < size; to++)
        for (long i = 0; i < bytes; i++)
            buffer[to * bytes + i] = byte_of(rank, to, i, round);
}

static void check_bytes(const char *check, const unsigned char *buffer, int rank, int size, long bytes,
                        int round)
{
    for (int from = 0; from < size; from++)
        for (long i = 0; i < bytes; i++)
            if (buffer[from * bytes + i] != byte_of(from, rank, i, round))
                fail(check, "wrong byte: from, index", from, i);
}

static void exchange(const char *check, MPI_Comm comm, long bytes, int rounds, int in_place)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    unsigned char *send = room((size_t)(bytes * size)), *recv = room((size_t)(bytes * size));
    for (int round = 0; round < rounds; round++) {
        fill(in_place ? recv : send, rank, size, bytes, round);
        if (!in_place)
            memset(recv, 0xee, (size_t)(bytes * size));
        int error = MPI_Alltoall(in_place ? MPI_IN_PLACE : send, (int)bytes, MPI_BYTE, recv, (int)bytes,
                                 MPI_BYTE, comm);
        if (error != MPI_SUCCESS)
            fail(check, "error returned", error, bytes);
        check_bytes(check, recv, rank, size, bytes, round);
    }
    free(send);
    free(recv);
}

/* ------------------------------------------------------------------- sizes */

static void check_sizes(void)
{
    static const long sizes[] = {1, 2, 7, 8, 64, 100, 1024, 4096, 10000, 16384, 70000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        exchange("sizes", MPI_COMM_WORLD, sizes[i], 4, 0);
        exchange("sizes", MPI_COMM_WORLD, sizes[i], 3, 1);
    }
    exchange("sizes", MPI_COMM_WORLD, 0, 2, 0);
    exchange("sizes", MPI_COMM_SELF, 100, 2, 0);
}

static void check_large(void)
{
    exchange("large", MPI_COMM_WORLD, 1 << 20, 1, 0);
    exchange("large", MPI_COMM_WORLD, 1 << 20, 1, 1);
}

/* More sizes than the library keeps plans for, in an order in which each plan would be replaced before its
 * next use. */
static void check_plans(void)
{
    for (int turn = 0; turn < 3; turn++)
        for (long bytes = 1; bytes <= 200; bytes++)
            exchange("plans", MPI_COMM_WORLD, bytes, 1, turn == 1);
}

/* Enough calls on one communicator for all trials, and some on a second one of the same shape, which the
 * library then sets up with what it knows. */
static void check_known(void)
{
    enum { TRIED = 8 + 3 * 16 + 8, KNOWN = 12 };
    for (int turn = 0; turn < 2; turn++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int call = 0; call < (turn == 0 ? TRIED : KNOWN); call++)
            exchange("known", comm, 8, 1, 0);
        MPI_Comm_free(&comm);
    }
}

/* Calls in a row, with nothing between them that synchronises the ranks. Some ranks are late. */
static void check_rows(void)
{
    enum { ROUNDS = 300 };
    unsigned char *send = room((size_t)world_size * 8), *recv = room((size_t)world_size * 8);
    for (int round = 0; round < ROUNDS; round++) {
        fill(send, world_rank, world_size, 8, round);
        if ((round + world_rank) % 97 == 0)
            usleep(2000);
        MPI_Alltoall(send, 8, MPI_BYTE, recv, 8, MPI_BYTE, MPI_COMM_WORLD);
        check_bytes("rows", recv, world_rank, world_size, 8, round);
    }
    free(send);
    free(recv);
}

/* ------------------------------------------------------------------- types */

/* A pair of ints in swapped order. It has the size and the extent of two ints. */
static MPI_Datatype swapped_pair(void)
{
    MPI_Datatype type;
    MPI_Type_indexed(2, (int[]){1, 1}, (int[]){1, 0}, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

/* An int and a gap of one int. */
static MPI_Datatype int_with_a_hole(void)
{
    MPI_Datatype type;
    MPI_Type_create_resized(MPI_INT, 0, 2 * (MPI_Aint)sizeof(int), &type);
    MPI_Type_commit(&type);
    return type;
}

static int number_of(int from, int to, int i)
{
    return from * 10000 + to * 100 + i;
}

/* Odd ranks send ints with gaps, even ranks plain ints. All receive swapped pairs. */
static void check_types(void)
{
    enum { INTS = 6 };
    MPI_Datatype pair = swapped_pair(), hole = int_with_a_hole();
    int stride = world_rank % 2 ? 2 : 1;
    int *send = room((size_t)(world_size * INTS * stride) * sizeof *send);
    int *recv = room((size_t)(world_size * INTS) * sizeof *recv);
    for (int to = 0; to < world_size; to++)
        for (int i = 0; i < INTS; i++)
            send[(to * INTS + i) * stride] = number_of(world_rank, to, i);
    for (int round = 0; round < 3; round++) {
        memset(recv, 0, (size_t)(world_size * INTS) * sizeof *recv);
        MPI_Alltoall(send, INTS, stride == 2 ? hole : MPI_INT, recv, INTS / 2, pair, MPI_COMM_WORLD);
        for (int from = 0; from < world_size; from++)
            for (int i = 0; i < INTS; i++)
                if (recv[from * INTS + (i ^ 1)] != number_of(from, world_rank, i))
                    fail("types", "wrong number: from, index", from, i);
    }
    /* in place, with gaps, which must keep their content */
    int *both = room((size_t)(world_size * INTS * 2) * sizeof *both);
    for (int at = 0; at < world_size * INTS; at++) {
        both[2 * at] = number_of(world_rank, at / INTS, at % INTS);
        both[2 * at + 1] = -7;
    }
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, both, INTS, hole, MPI_COMM_WORLD);
    for (int at = 0; at < world_size * INTS; at++)
        if (both[2 * at] != number_of(at / INTS, world_rank, at % INTS) || both[2 * at + 1] != -7)
            fail("types", "in place: wrong number or hole: from, index", at / INTS, at % INTS);
    MPI_Type_free(&pair);
    MPI_Type_free(&hole);
    free(send);
    free(recv);
    free(both);
}

/* ------------------------------------------------------------------ places */

/* An int at `at`, every `stride` bytes. */
static MPI_Datatype int_at(MPI_Aint at, MPI_Aint stride)
{
    MPI_Datatype type, resized;
    MPI_Type_create_hindexed(1, (int[]){1}, &at, MPI_INT, &type);
    MPI_Type_create_resized(type, 0, stride, &resized);
    MPI_Type_commit(&resized);
    MPI_Type_free(&type);
    return resized;
}

/* The fields to send and to receive are in one array, so both buffers have the same address: that of the
 * array, or MPI_BOTTOM. */
struct fields {
    int send, recv;
};

static void exchange_fields(MPI_Comm comm, struct fields *fields, int from_bottom)
{
    MPI_Aint base = 0;
    if (from_bottom)
        MPI_Get_address(fields, &base);
    MPI_Datatype send = int_at(base + (MPI_Aint)offsetof(struct fields, send), sizeof *fields),
                 recv = int_at(base + (MPI_Aint)offsetof(struct fields, recv), sizeof *fields);
    void *buffer = from_bottom ? MPI_BOTTOM : fields;
    MPI_Alltoall(buffer, 1, send, buffer, 1, recv, comm);
    MPI_Type_free(&send);
    MPI_Type_free(&recv);
}

/* One rank passes the same address for both sides, the others do not: in the first call of a communicator, in
 * later calls, and in the first call of a size. */
static void check_places(void)
{
    struct fields *fields = room((size_t)world_size * sizeof *fields);
    int *send = room((size_t)world_size * sizeof(int)), *recv = room((size_t)world_size * sizeof(int));
    MPI_Comm comm;
    for (int round = 0; round < 40; round++) {
        if (round % 20 == 0)
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int to = 0; to < world_size; to++)
            fields[to].send = send[to] = number_of(world_rank, to, round);
        if (world_rank == round % world_size)
            exchange_fields(comm, fields, round / 2 % 2);
        else
            MPI_Alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, comm);
        for (int from = 0; from < world_size; from++)
            if ((world_rank == round % world_size ? fields[from].recv : recv[from]) !=
                number_of(from, world_rank, round))
                fail("places", "wrong number: from, round", from, round);
        if (round % 20 == 19)
            MPI_Comm_free(&comm);
    }
    free(fields), free(send), free(recv);
}

/* ----------------------------------------------------------- communicators */

static int copies_made;

static int count_copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)in, (void)out;
    copies_made++;
    *flag = 0;
    return MPI_SUCCESS;
}

static void check_intercommunicator(void)
{
    MPI_Comm half, inter;
    int side = world_rank >= world_size / 2, size;
    if (world_size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, side, world_rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, side ? 0 : world_size / 2, 5, &inter);
    MPI_Comm_remote_size(inter, &size);
    int *send = room((size_t)size * sizeof *send), *recv = room((size_t)size * sizeof *recv);
    for (int to = 0; to < size; to++)
        send[to] = number_of(world_rank, to, 0);
    MPI_Alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, inter);
    int mine = side ? world_rank - world_size / 2 : world_rank, first = side ? 0 : world_size / 2;
    for (int from = 0; from < size; from++)
        if (recv[from] != number_of(first + from, mine, 0))
            fail("comms", "intercommunicator: wrong number", from, recv[from]);
    free(send);
    free(recv);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void check_comms(void)
{
    MPI_Comm comm;
    int key;
    MPI_Comm_create_keyval(count_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &copies_made);
    for (int round = 0; round < 3; round++) {
        MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &comm); /* ranks in reverse */
        exchange("comms", comm, 24, 3, round == 1);
        MPI_Comm_free(&comm);
        MPI_Comm_split(MPI_COMM_WORLD, world_rank % 3, (world_rank * 5) % 7, &comm);
        exchange("comms", comm, 1000, 3, 0);
        MPI_Comm_free(&comm);
    }
    exchange("comms", MPI_COMM_WORLD, 8, 2, 0);
    if (copies_made != 0)
        fail("comms", "the user's attributes were copied", copies_made, 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    exchange("comms", comm, 8, 2, 0);
    MPI_Comm_free(&comm);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
    check_intercommunicator();
}

/* Makes communicators of this rank alone until the MPI has no more, or FULL of them. */
enum { FULL = 2500 };

static int fill_up(MPI_Comm *alone)
{
    int made = 0;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    while (made < FULL && MPI_Comm_dup(MPI_COMM_SELF, &alone[made]) == MPI_SUCCESS)
        made++;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    return made;
}

/* If the MPI has no more communicators, no call may fail for want of one. If it has few, the library must not
 * take a large part of them. */
static void check_many(void)
{
    enum { LEFT = 200, MADE = 120 };
    MPI_Comm *alone = room(FULL * sizeof *alone), comms[MADE];
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    int made = fill_up(alone);
    exchange("many", comms[0], 4, 4, 0);
    for (int i = 0; i < LEFT; i++)
        MPI_Comm_free(&alone[--made]);
    for (int i = 1; i < MADE; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        exchange("many", comms[i], 4, 2, 0);
    }
    while (made > 0)
        MPI_Comm_free(&alone[--made]);
    for (int i = 0; i < MADE; i++)
        MPI_Comm_free(&comms[i]);
    exchange("many", MPI_COMM_WORLD, 4, 2, 0);
    free(alone);
}

/* ---------------------------------------------------------------- progress */

/* A rank sends a long message and enters the alltoall; the receiver enters it only after the message has
 * come. Only MPI calls of the sender can move the message, and the sender is in the alltoall. */
static void check_progress(void)
{
    enum { BYTES = 8 << 20 };
    char *message = room(BYTES);
    for (int distance = 1; distance < world_size; distance++) {
        MPI_Request request = MPI_REQUEST_NULL;
        int to = (world_rank + distance) % world_size,
            from = (world_rank + world_size - distance) % world_size;
        memset(message, world_rank, BYTES);
        if (world_rank < to)
            MPI_Isend(message, BYTES, MPI_BYTE, to, 1, MPI_COMM_WORLD, &request);
        if (from < world_rank) {
            char *received = room(BYTES);
            MPI_Recv(received, BYTES, MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (received[BYTES - 1] != (char)from)
                fail("progress", "wrong message", from, received[BYTES - 1]);
            free(received);
        }
        exchange("progress", MPI_COMM_WORLD, 16, 1, 0);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    free(message);
}

/* A receive from MPI_ANY_SOURCE must not match messages of the alltoall. */
static void check_wildcards(void)
{
    int number = -1, to = (world_rank + 1) % world_size;
    MPI_Request request;
    MPI_Irecv(&number, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    exchange("wildcards", MPI_COMM_WORLD, 4, 5, 0);
    MPI_Send(&world_rank, 1, MPI_INT, to, 77, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (number != (world_rank + world_size - 1) % world_size)
        fail("wildcards", "somebody else's message", number, world_rank);
}

/* ------------------------------------------------------------------ errors */

#ifdef OPEN_MPI
enum { IN_PLACE_CLASS = MPI_ERR_ARG };
#else
enum { IN_PLACE_CLASS = MPI_ERR_BUFFER };
#endif

static void check_errors(void)
{
    MPI_Errhandler handler;
    MPI_Comm comm;
    int *send = room((size_t)world_size * sizeof *send), *recv = room((size_t)world_size * sizeof *recv);
    memset(send, 0, (size_t)world_size * sizeof *send);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(on_error, &handler);
    exchange("errors", comm, 4, 2, 0);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler); /* Open MPI calls this one for one of the errors */
    check_error("errors", "negative count: class, expected",
                MPI_Alltoall(send, -1, MPI_INT, recv, -1, MPI_INT, comm), MPI_ERR_COUNT);
    check_error("errors", "null type: class, expected",
                MPI_Alltoall(send, 1, MPI_DATATYPE_NULL, recv, 1, MPI_INT, comm), MPI_ERR_TYPE);
    check_error("errors", "received in place: class, expected",
                MPI_Alltoall(send, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm), IN_PLACE_CLASS);
#ifndef OPEN_MPI /* it does not check these */
    check_error("errors", "sent from nowhere: class, expected",
                MPI_Alltoall(NULL, 1, MPI_INT, recv, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    check_error("errors", "received nowhere: class, expected",
                MPI_Alltoall(send, 1, MPI_INT, NULL, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    check_error("errors", "one buffer for both: class, expected",
                MPI_Alltoall(recv, 1, MPI_INT, recv, 1, MPI_INT, comm), MPI_ERR_BUFFER);
#endif
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    exchange("errors", comm, 4, 2, 0);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
    free(send);
    free(recv);
}

/* ----------------------------------------------------------------- threads */

static void *exchange_in_thread(void *comm)
{
    for (int round = 0; round < 20; round++)
        exchange("threads", *(MPI_Comm *)comm, 40, 3, round % 2);
    return NULL;
}

static void check_threads(void)
{
    call_in_two_threads(exchange_in_thread);
}

/* ------------------------------------------------------------------- leaks */

static long resident_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Many calls, and many communicators that are made and freed: memory and file descriptors do not grow. */
static void check_leaks(void)
{
    enum { WARM = 40, CALLS = 4000, COMMS = 24, WARM_COMMS = 8, GROWTH_KIB = 4096 };
    MPI_Comm comm;
    long before = 0;
    for (int i = 0; i < CALLS; i++) {
        exchange("leaks", MPI_COMM_WORLD, 8, 1, i % 2);
        if (i == WARM)
            before = resident_kib();
    }
    if (resident_kib() - before > GROWTH_KIB)
        fail("leaks", "calls: resident before, after", before, resident_kib());
    int first = dup(0);
    close(first);
    for (int i = 0; i < COMMS; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, world_rank, &comm);
        exchange("leaks", comm, 1024, 1, 0);
        MPI_Comm_free(&comm);
        if (i == WARM_COMMS)
            before = resident_kib();
    }
    if (resident_kib() - before > GROWTH_KIB)
        fail("leaks", "communicators: resident before, after", before, resident_kib());
    int last = dup(0);
    close(last);
    if (last > first + 8)
        fail("leaks", "file descriptors: before, after", first, last);
}

/* -------------------------------------------------------------- round trip */

/* A message to the last rank and back takes at least ROUND_TRIP_US and at most ten times as long. */
static void check_roundtrip(void)
{
    enum { TRIPS = 30 };
    const char *expected = getenv("ROUND_TRIP_US");
    double least_us = expected ? strtod(expected, NULL) : 0, best_us = 1e9;
    char byte = 0;
    for (int i = 0; i < TRIPS; i++) {
        double began = MPI_Wtime();
        if (world_rank == 0) {
            MPI_Send(&byte, 1, MPI_BYTE, world_size - 1, 2, MPI_COMM_WORLD);
            MPI_Recv(&byte, 1, MPI_BYTE, world_size - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (world_rank == world_size - 1) {
            MPI_Recv(&byte, 1, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&byte, 1, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
        }
        double us = 1e6 * (MPI_Wtime() - began);
        if (us < best_us)
            best_us = us;
    }
    if (world_rank == 0 && (best_us < least_us || best_us > 10 * least_us))
        fail("roundtrip", "microseconds expected, least of all", (long)least_us, (long)best_us);
}

/* ---------------------------------------------------------------- holdings */

/* CALLS calls, a quarter of them MPI_Alltoallv. After the first tenth the MPI has taken all that it needs. */
static void check_calls(void)
{
    enum { SLACK_BYTES = 1 << 20, SLACK_MAPPINGS = 2 };
    const char *wanted = getenv("CALLS");
    long calls = wanted ? strtol(wanted, NULL, 10) : 20000, slack = SLACK_BYTES / sysconf(_SC_PAGESIZE);
    size_t ranks = (size_t)world_size;
    unsigned char *send = room(ranks * 8), *recv = room(ranks * 8);
    int *counts = room(ranks * sizeof(int)), *places = room(ranks * sizeof(int));
    struct holdings before = {0}, after;
    for (int peer = 0; peer < world_size; peer++)
        counts[peer] = 8, places[peer] = 8 * peer;
    for (long i = 0; i < calls; i++) {
        if (i == calls / 10)
            before = holdings_now("calls");
        fill(send, world_rank, world_size, 8, (int)(i % 256));
        if (i % 4 == 3)
            MPI_Alltoallv(send, counts, places, MPI_BYTE, recv, counts, places, MPI_BYTE, MPI_COMM_WORLD);
        else
            MPI_Alltoall(send, 8, MPI_BYTE, recv, 8, MPI_BYTE, MPI_COMM_WORLD);
        check_bytes("calls", recv, world_rank, world_size, 8, (int)(i % 256));
    }
    after = holdings_now("calls");
    if (after.resident_pages > before.resident_pages + slack)
        fail("calls", "pages before, after", before.resident_pages, after.resident_pages);
    if (after.descriptors > before.descriptors || after.mappings > before.mappings + SLACK_MAPPINGS)
        fail("calls", "more descriptors, mappings", after.descriptors - before.descriptors,
             after.mappings - before.mappings);
    free(send), free(recv), free(counts), free(places);
}

/* Opens OWN_FILE under every descriptor that another rank may name to this one. */
static void check_files(void)
{
    enum { FILES = 100 };
    const char *path = getenv("OWN_FILE");
    for (int i = 0; path && i < FILES; i++)
        if (open(path, O_RDWR) < 0)
            fail("files", "the file cannot be opened", i, 0);
}

static void *kill_later(void *unused)
{
    usleep(300000);
    raise(SIGKILL);
    return unused;
}

/* The last rank is killed while all ranks make calls. No rank returns. */
static void check_killed(void)
{
    pthread_t killer;
    if (world_rank == 0)
        printf("calling\n"), fflush(stdout);
    exchange("killed", MPI_COMM_WORLD, 1000, 1, 0); /* all ranks are here, however busy the machine is */
    if (world_rank == world_size - 1)
        pthread_create(&killer, NULL, kill_later, NULL);
    for (;;)
        exchange("killed", MPI_COMM_WORLD, 1000, 1, 0);
}

static const struct check checks[] = {
    {"sizes", check_sizes},   {"large", check_large},       {"plans", check_plans},
    {"known", check_known},   {"rows", check_rows},         {"types", check_types},
    {"comms", check_comms},   {"progress", check_progress}, {"wildcards", check_wildcards},
    {"errors", check_errors}, {"threads", check_threads},   {"leaks", check_leaks},
    {"calls", check_calls},   {"killed", check_killed},     {"roundtrip", check_roundtrip},
    {"places", check_places}, {"many", check_many},         {"files", check_files},
};

int main(int argc, char **argv)
{
    return run_checks(argc, argv, checks, sizeof checks / sizeof *checks);
}
