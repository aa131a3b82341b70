/* Checks of blocking collective calls that a replacement must pass. They run with the library preloaded and
 * without it; the MPI's own functions must pass them too. reductions.c has the operations,
 * collectives_among.c errors, threads and other calls in between.
 *
 *   collectives_MPI CHECK... */
#include <time.h>

#include "coll_checks.h"

/* ------------------------------------------------------------------- movers */

/* Each kind that moves data, with each root, in place and not, with types that differ between ranks. */
static void move_all_kinds(const char *check, MPI_Comm comm, int elements, unsigned seed, bool differ)
{
    int size;
    MPI_Comm_size(comm, &size);
    for (int kind = BCAST; kind < REDUCE; kind++)
        for (int root = 0; root < (coll_has_root((enum coll_kind)kind) ? size : 1); root++)
            for (int in_place = 0; in_place < 2; in_place++) {
                struct coll_spec spec = spec_of((enum coll_kind)kind, comm, elements, seed++);
                spec.root = root;
                spec.in_place = in_place;
                spec.plain = !differ && seed % 2;
                spec.differ = differ;
                run_case(check, &spec);
            }
}

static void check_movers(void)
{
    static const int sizes[] = {0, 6, 12, 60, 300, 1002, 6000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (unsigned turn = 0; turn < 3; turn++)
            move_all_kinds("movers", MPI_COMM_WORLD, sizes[s], 100 * turn + (unsigned)s, false);
    move_all_kinds("movers", MPI_COMM_SELF, 60, 1, false);
}

/* Derived types that differ between ranks, in blocks so long that the MPIs themselves fail. */
static void check_layouts(void)
{
    for (unsigned turn = 0; turn < 3; turn++)
        move_all_kinds("layouts", MPI_COMM_WORLD, 6000, 10 * turn, true);
}

/* Numbers of bytes that are no multiples of anything. */
static void check_bytes(void)
{
    static const int sizes[] = {1, 2, 3, 5, 7, 9, 63, 65, 1001, 4097, 16385, 100003};
    unsigned char *buffer = room((size_t)world_size * 100003), *mine = room(100003);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int bytes = sizes[s], root = (int)s % world_size;
        memset(mine, world_rank + 1, (size_t)bytes);
        MPI_Allgather(mine, bytes, MPI_BYTE, buffer, bytes, MPI_BYTE, MPI_COMM_WORLD);
        for (int i = 0; i < world_size * bytes; i++)
            if (buffer[i] != i / bytes + 1)
                fail("bytes", "allgather: wrong byte: bytes, index", bytes, i);
        memset(buffer, 0, (size_t)world_size * (size_t)bytes);
        MPI_Gather(mine, bytes, MPI_BYTE, buffer, bytes, MPI_BYTE, root, MPI_COMM_WORLD);
        MPI_Bcast(buffer, world_size * bytes, MPI_BYTE, root, MPI_COMM_WORLD);
        for (int i = 0; i < world_size * bytes; i++)
            if (buffer[i] != i / bytes + 1)
                fail("bytes", "gather and bcast: wrong byte: bytes, index", bytes, i);
        memset(mine, 0, (size_t)bytes);
        MPI_Scatter(buffer, bytes, MPI_BYTE, mine, bytes, MPI_BYTE, root, MPI_COMM_WORLD);
        for (int i = 0; i < bytes; i++)
            if (mine[i] != world_rank + 1)
                fail("bytes", "scatter: wrong byte: bytes, index", bytes, i);
    }
    free(buffer), free(mine);
}

static void check_large(void)
{
    for (int kind = BCAST; kind < COLL_KINDS; kind++) {
        struct coll_spec spec = spec_of((enum coll_kind)kind, MPI_COMM_WORLD, 131070, (unsigned)kind);
        spec.plain = true;
        run_case("large", &spec);
    }
}

/* Types with absolute addresses, used with MPI_BOTTOM. */
static void check_bottom(void)
{
    int all[64] = {0}, mine = 0;
    MPI_Datatype at_mine, at_all;
    MPI_Aint place;
    if (world_size > 64)
        return;
    MPI_Get_address(&mine, &place);
    MPI_Type_create_hindexed(1, (int[]){1}, &place, MPI_INT, &at_mine);
    MPI_Type_commit(&at_mine);
    MPI_Get_address(all, &place);
    MPI_Type_create_hindexed(1, (int[]){1}, &place, MPI_INT, &at_all);
    MPI_Type_create_resized(at_all, 0, sizeof(int), &at_all); /* block i is i ints further */
    MPI_Type_commit(&at_all);
    for (int root = 0; root < world_size; root++) {
        mine = world_rank == root ? 1000 + root : -1;
        MPI_Bcast(MPI_BOTTOM, 1, at_mine, root, MPI_COMM_WORLD);
        if (mine != 1000 + root)
            fail("bottom", "bcast: root, number", root, mine);
        mine = world_rank + root;
        MPI_Gather(MPI_BOTTOM, 1, at_mine, MPI_BOTTOM, 1, at_all, root, MPI_COMM_WORLD);
        for (int rank = 0; world_rank == root && rank < world_size; rank++)
            if (all[rank] != rank + root)
                fail("bottom", "gather: root, number", root, all[rank]);
        mine = -1;
        MPI_Scatter(MPI_BOTTOM, 1, at_all, MPI_BOTTOM, 1, at_mine, root, MPI_COMM_WORLD);
        if (mine != world_rank + root)
            fail("bottom", "scatter: root, number", root, mine);
        memset(all, -1, sizeof all);
        MPI_Allgather(MPI_BOTTOM, 1, at_mine, MPI_BOTTOM, 1, at_all, MPI_COMM_WORLD);
        for (int rank = 0; rank < world_size; rank++)
            if (all[rank] != rank + root)
                fail("bottom", "allgather: root, number", root, all[rank]);
    }
    MPI_Type_free(&at_mine);
    MPI_Type_free(&at_all);
}

/* ------------------------------------------------------------ communicators */

/* A call of each kind. */
static void call_all_kinds(const char *check, MPI_Comm comm, int elements, unsigned seed)
{
    for (int kind = 0; kind < COLL_KINDS; kind++) {
        struct coll_spec spec = spec_of((enum coll_kind)kind, comm, elements, seed + (unsigned)kind);
        spec.in_place = (seed + (unsigned)kind) % 4 == 0;
        run_case(check, &spec);
    }
}

static void check_comms(void)
{
    MPI_Comm comm;
    for (unsigned round = 0; round < 3; round++) {
        MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &comm); /* ranks in reverse */
        call_all_kinds("comms", comm, 24, round);
        call_all_kinds("comms", comm, 600, round);
        MPI_Comm_free(&comm);
        MPI_Comm_split(MPI_COMM_WORLD, world_rank % 3, (world_rank * 5) % 7, &comm);
        call_all_kinds("comms", comm, 60, round);
        MPI_Comm_free(&comm);
        MPI_Comm_split(MPI_COMM_WORLD, world_rank == 0 ? MPI_UNDEFINED : 0, world_rank, &comm);
        if (comm != MPI_COMM_NULL) {
            call_all_kinds("comms", comm, 12, round);
            MPI_Comm_free(&comm);
        }
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (unsigned round = 0; round < 12; round++) /* two communicators in turn */
        call_all_kinds("comms", round % 2 ? comm : MPI_COMM_WORLD, 6, round);
    MPI_Comm_free(&comm);
}

/* A new communicator in each step, with one call or a few. */
static void check_steps(void)
{
    for (unsigned step = 0; step < 60; step++) {
        MPI_Comm comm;
        if (step % 2)
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        else
            MPI_Comm_split(MPI_COMM_WORLD, 0, step % 4 ? world_rank : -world_rank, &comm);
        for (unsigned call = 0; call < 1 + step % 5; call++) {
            struct coll_spec spec = spec_of((enum coll_kind)((step + call) % COLL_KINDS), comm, 30, step);
            run_case("steps", &spec);
        }
        MPI_Comm_free(&comm);
    }
}

static void inter_rooted(MPI_Comm inter, int side, int mine, int others)
{
    int number = mine == 0 && side == 0 ? 42 : -1, *all = room((size_t)others * sizeof(int));
    int root = side == 1 ? 0 : mine == 0 ? MPI_ROOT : MPI_PROC_NULL; /* of the first group */
    MPI_Bcast(&number, 1, MPI_INT, root, inter);
    if (side == 1 && number != 42)
        fail("inter", "bcast: number", number, 0);
    number = mine + 1;
    MPI_Gather(&number, 1, MPI_INT, all, 1, MPI_INT, root, inter);
    for (int i = 0; root == MPI_ROOT && i < others; i++)
        if (all[i] != i + 1)
            fail("inter", "gather: index, number", i, all[i]);
    number = -1;
    MPI_Scatter(all, 1, MPI_INT, &number, 1, MPI_INT, root, inter);
    if (side == 1 && number != mine + 1)
        fail("inter", "scatter: number", number, 0);
    int *one = room((size_t)others * sizeof(int)), *places = room((size_t)others * sizeof(int));
    for (int i = 0; i < others; i++)
        one[i] = 1, places[i] = others - 1 - i;
    MPI_Gatherv(&number, 1, MPI_INT, all, one, places, MPI_INT, root, inter);
    for (int i = 0; root == MPI_ROOT && i < others; i++)
        if (all[i] != others - i)
            fail("inter", "gatherv: index, number", i, all[i]);
    MPI_Scatterv(all, one, places, MPI_INT, &number, 1, MPI_INT, root, inter);
    if (side == 1 && number != mine + 1)
        fail("inter", "scatterv: number", number, 0);
    free(one), free(places);
    int sum = -1, part = mine + 1;
    MPI_Reduce(&part, &sum, 1, MPI_INT, MPI_SUM, root, inter);
    if (root == MPI_ROOT && sum != others * (others + 1) / 2)
        fail("inter", "reduce: sum", sum, 0);
    free(all);
}

/* Intercommunicators are left to the MPI. */
static void check_inter(void)
{
    MPI_Comm half, inter;
    int side = world_rank >= world_size / 2, others, mine;
    if (world_size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, side, world_rank, &half);
    MPI_Comm_rank(half, &mine);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, side ? 0 : world_size / 2, 5, &inter);
    MPI_Comm_remote_size(inter, &others);
    for (int round = 0; round < 3; round++) {
        int *all = room((size_t)others * sizeof(int)), sum = -1, number = mine + 1;
        MPI_Barrier(inter);
        MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, inter);
        if (sum != others * (others + 1) / 2)
            fail("inter", "allreduce: sum", sum, others);
        MPI_Allgather(&number, 1, MPI_INT, all, 1, MPI_INT, inter);
        for (int i = 0; i < others; i++)
            if (all[i] != i + 1)
                fail("inter", "allgather: index, number", i, all[i]);
        inter_rooted(inter, side, mine, others);
        free(all);
    }
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

/* --------------------------------------------------------------------- rows */

/* Calls of all kinds and sizes in a row, with nothing between them that synchronises the ranks: what a rank
 * has not yet read in shared memory must not be overwritten. */
static void rows(const char *check, MPI_Comm comm, int calls, int late_every)
{
    enum { ROW = 11 };
    static const int sizes[] = {6, 60, 6, 600, 1, 3000, 12, 6};
    struct coll_case made[ROW];
    int errors[ROW];
    for (int first = 0; first < calls; first += ROW) {
        for (int i = 0; i < ROW; i++) {
            unsigned seed = (unsigned)(first + i);
            struct coll_spec spec = spec_of((enum coll_kind)(coll_random(seed, 1, 1) % COLL_KINDS), comm,
                                            sizes[coll_random(seed, 1, 2) % 8], seed);
            spec.in_place = coll_random(seed, 1, 3) % 3 == 0;
            coll_case_make(&made[i], &spec);
        }
        for (int i = 0; i < ROW; i++) {
            if ((first + i + world_rank * 7) % late_every == 0)
                usleep(3000);
            errors[i] = coll_case_run(&made[i]);
        }
        for (int i = 0; i < ROW; i++) {
            coll_case_expect(&made[i]);
            judge(check, &made[i], errors[i]);
            coll_case_free(&made[i]);
        }
    }
}

static void check_rows(void)
{
    rows("rows", MPI_COMM_WORLD, 1100, 397);
}

/* The same kind again and again, so that a fast rank may be a call ahead of a slow one. */
static void check_streams(void)
{
    enum { CALLS = 400, INTS = 5 };
    for (int call = 0; call < CALLS; call++) { /* the root does not wait */
        int numbers[INTS];
        for (int i = 0; i < INTS; i++)
            numbers[i] = world_rank == 0 ? call * INTS + i : -1;
        if (call % 100 == 50 && world_rank == world_size - 1)
            usleep(5000);
        MPI_Bcast(numbers, INTS, MPI_INT, 0, MPI_COMM_WORLD);
        if (numbers[0] != call * INTS || numbers[INTS - 1] != call * INTS + INTS - 1)
            fail("streams", "bcast: call, number", call, numbers[0]);
    }
    for (int call = 0; call < CALLS; call++) { /* only the root waits */
        int number = world_rank + call, sum = -1;
        if (call % 100 == 50 && world_rank == 0)
            usleep(5000);
        MPI_Reduce(&number, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        if (world_rank == 0 && sum != world_size * (world_size - 1) / 2 + world_size * call)
            fail("streams", "reduce: call, sum", call, sum);
    }
    for (int call = 0; call < CALLS; call++) { /* the root changes */
        int number = world_rank == call % world_size ? call : -1;
        MPI_Bcast(&number, 1, MPI_INT, call % world_size, MPI_COMM_WORLD);
        if (number != call)
            fail("streams", "bcast of another root: call, number", call, number);
    }
}

static long now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now); /* the same clock for all ranks of a machine */
    return (long)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* No rank leaves a barrier before the last one has entered it. */
static void check_barrier(void)
{
    for (int round = 0; round < 20; round++) {
        long entered, left, last;
        if (round % world_size == world_rank)
            usleep(3000);
        entered = now_us();
        MPI_Barrier(MPI_COMM_WORLD);
        left = now_us();
        PMPI_Allreduce(&entered, &last, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
        if (left < last)
            fail("barrier", "left before the last one entered: microseconds, round", last - left, round);
    }
}

static const struct check checks[] = {
    {"movers", check_movers}, {"layouts", check_layouts}, {"bytes", check_bytes},     {"large", check_large},
    {"bottom", check_bottom}, {"comms", check_comms},     {"steps", check_steps},     {"inter", check_inter},
    {"rows", check_rows},     {"streams", check_streams}, {"barrier", check_barrier},
};

int main(int argc, char **argv)
{
    return run_checks(argc, argv, checks, sizeof checks / sizeof *checks);
}
