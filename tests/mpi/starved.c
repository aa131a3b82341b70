/* The preloaded collectives without memory: on one rank its n-th allocation fails, for each n in turn. No
 * rank may wait for ever or return wrong data without an error.
 *
 *   starved_MPI CHECK... */
#include <dlfcn.h>
#include <stddef.h>

#include "checks.h"

/* ------------------------------------------------------------- allocations */

#define PUBLIC __attribute__((visibility("default")))

static void *library;     /* the preloaded library's address; NULL: it is not loaded */
static long allowed = -1; /* its allocations until one fails; negative: none fails */

#if defined(__has_feature)
#define HAS_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

#if HAS_SANITIZER /* sanitizers replace malloc themselves */

static void find_library(void)
{
    if (world_rank == 0)
        printf("nothing fails: sanitizers\n"), fflush(stdout);
}

#else

/* glibc's own functions, under the names that it has for programs that replace malloc. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);

static int fails(void *caller)
{
    Dl_info info;
    if (allowed < 0 || !library || !dladdr(caller, &info) || info.dli_fbase != library)
        return 0;
    return allowed-- == 0;
}

PUBLIC void *malloc(size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

PUBLIC void *calloc(size_t count, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

PUBLIC void *realloc(void *memory, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, bytes);
}

static void find_library(void)
{
    Dl_info info;
    void *function = dlsym(RTLD_DEFAULT, "MPI_Alltoall");
    if (function && dladdr(function, &info) && strstr(info.dli_fname, "helio_coll"))
        library = info.dli_fbase;
}

#endif

/* ------------------------------------------------------------------- calls */

enum { INTS = 5000 }; /* of a long block */

/* Blocks of one int or of INTS ints, with gaps of one int in the buffer; in place or not. */
struct call {
    MPI_Comm comm;
    MPI_Datatype hole;
    int *send, *recv, *counts, *places;
};

static int number_of(int from, int to, int i)
{
    return from * 1000000 + to * 10000 + i;
}

static void fill(int *numbers, int count)
{
    for (int to = 0; to < world_size; to++)
        for (int i = 0; i < count; i++)
            numbers[2 * (to * count + i)] = number_of(world_rank, to, i);
}

/* A rank that returns success must have what was sent to it. But if another rank has failed, it may have no
 * data from that rank and return success. */
static void check(const char *what, const int *numbers, int count, int error, int somebody_fails)
{
    for (int from = 0; error == MPI_SUCCESS && from < world_size; from++)
        for (int i = 0; i < count; i++)
            if (numbers[2 * (from * count + i)] != number_of(from, world_rank, i) && !somebody_fails)
                fail("memory", what, from, numbers[2 * (from * count + i)]);
}

/* MPI_Alltoall and MPI_Alltoallv, in place and not, short blocks and long ones. Returns the first error. */
static int call_all(const struct call *call, int somebody_fails)
{
    int first = MPI_SUCCESS;
    for (int way = 0; way < 8; way++) {
        int in_place = way % 2, count = way / 2 % 2 ? INTS : 1, is_v = way / 4;
        int *from = in_place ? call->recv : call->send;
        for (int peer = 0; peer < world_size; peer++)
            call->counts[peer] = count, call->places[peer] = peer * count;
        memset(call->recv, 0, (size_t)world_size * INTS * 2 * sizeof(int));
        fill(from, count);
        int error =
            is_v ? MPI_Alltoallv(in_place ? MPI_IN_PLACE : from, call->counts, call->places, call->hole,
                                 call->recv, call->counts, call->places, call->hole, call->comm)
                 : MPI_Alltoall(in_place ? MPI_IN_PLACE : from, count, call->hole, call->recv, count,
                                call->hole, call->comm);
        check(is_v ? "MPI_Alltoallv" : "MPI_Alltoall", call->recv, count, error, somebody_fails);
        if (first == MPI_SUCCESS)
            first = error;
    }
    return first;
}

/* Of what the ranks have sent, this rank has the blocks of all or that of rank 0, at distances of two ints.
 */
static void check_blocks(const char *what, const int *numbers, int blocks, int count, int error)
{
    for (int from = 0; error == MPI_SUCCESS && from < blocks; from++)
        for (int i = 0; i < count; i++)
            if (numbers[2 * (from * count + i)] != number_of(from, 0, i))
                fail("others", what, from, numbers[2 * (from * count + i)]);
}

/* One call of another collective, with blocks of `count` ints. Rank 0 is the root; all blocks are those for
 * rank 0. Returns its error. */
enum other { ALLGATHER, GATHERV, BCAST, ALLREDUCE, OTHERS };
static int call_other(const struct call *call, enum other other, int count, int somebody_fails)
{
    int error = MPI_SUCCESS, is_root = world_rank == 0;
    memset(call->send, 0, (size_t)world_size * INTS * 2 * sizeof(int));
    memset(call->recv, 0, (size_t)world_size * INTS * 2 * sizeof(int));
    fill(call->send, count);
    for (int peer = 0; peer < world_size; peer++)
        call->counts[peer] = count, call->places[peer] = peer * count;
    if (other == ALLGATHER)
        error = MPI_Allgather(call->send, count, call->hole, call->recv, count, call->hole, call->comm);
    else if (other == GATHERV)
        error = MPI_Gatherv(call->send, count, call->hole, call->recv, call->counts, call->places, call->hole,
                            0, call->comm);
    else if (other == BCAST)
        error = MPI_Bcast(is_root ? call->send : call->recv, count, call->hole, 0, call->comm);
    else
        error = MPI_Allreduce(call->send, call->recv, 2 * count, MPI_INT, MPI_MIN, call->comm);
    if (somebody_fails)
        return error;
    if (other == ALLGATHER || (other == GATHERV && is_root))
        check_blocks("wrong block: from", call->recv, world_size, count, error);
    else if (other == ALLREDUCE || !is_root)
        check_blocks("wrong vector", call->recv, other == GATHERV ? 0 : 1, count, error);
    return error;
}

/* As many calls as `auto` leaves to the MPI at first, and more. Returns the first error. */
static int call_others(const struct call *call, int somebody_fails)
{
    enum { CALLS = 24 };
    int first = MPI_SUCCESS;
    for (int i = 0; i < CALLS; i++) {
        int error = call_other(call, (enum other)(i % OTHERS), i / OTHERS % 2 ? INTS : 1, somebody_fails);
        if (first == MPI_SUCCESS)
            first = error;
    }
    return first;
}

/* On rank 1 the n-th allocation fails, for n from 1 until it makes fewer than n. Afterwards calls succeed
 * again. */
static void fail_each(int (*call_all_kinds)(const struct call *call, int somebody_fails))
{
    struct call call;
    size_t bytes = (size_t)world_size * INTS * 2 * sizeof(int);
    int goes_on = 1, told = 0;
    find_library();
    call.send = room(bytes), call.recv = room(bytes);
    call.counts = room((size_t)world_size * sizeof(int)),
    call.places = room((size_t)world_size * sizeof(int));
    MPI_Type_create_resized(MPI_INT, 0, 2 * (MPI_Aint)sizeof(int), &call.hole);
    MPI_Type_commit(&call.hole);
    for (long n = 0; goes_on; n++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &call.comm);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(call.comm, MPI_ERRORS_RETURN);
        allowed = world_rank == 1 && library ? n : -1;
        told += call_all_kinds(&call, 1) != MPI_SUCCESS;
        goes_on = world_rank == 1 && library && allowed < 0;
        allowed = -1;
        MPI_Bcast(&goes_on, 1, MPI_INT, 1, MPI_COMM_WORLD);
        if (call_all_kinds(&call, 0) != MPI_SUCCESS)
            fail("memory", "an error without a cause: allocation", n, 0);
        MPI_Comm_free(&call.comm);
        if (world_rank == 1 && !goes_on && library)
            printf("%ld allocations, %d errors\n", n, told), fflush(stdout);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Type_free(&call.hole);
    free(call.send), free(call.recv), free(call.counts), free(call.places);
}

static void check_memory(void)
{
    fail_each(call_all);
}

static void check_others(void)
{
    fail_each(call_others);
}

static const struct check checks[] = {{"memory", check_memory}, {"others", check_others}};

int main(int argc, char **argv)
{
    return run_checks(argc, argv, checks, sizeof checks / sizeof *checks);
}
