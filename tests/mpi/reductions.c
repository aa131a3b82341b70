/* Checks of MPI_Reduce, Allreduce, Reduce_scatter and Reduce_scatter_block that a replacement must pass:
 * every operation on every type, operations of the user, and the same bits on all ranks. They run with the
 * library preloaded and without it; the MPI's own functions must pass them too.
 *
 *   reductions_MPI CHECK... */
#include "coll_checks.h"

static const enum coll_kind kinds[] = {REDUCE, ALLREDUCE, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK};

enum { REDUCTIONS = sizeof kinds / sizeof *kinds };

static void reduce_all_kinds(const char *check, struct operation operation, int elements, unsigned seed)
{
    for (int i = 0; i < REDUCTIONS; i++)
        for (int in_place = 0; in_place < 2; in_place++) {
            struct coll_spec spec = spec_of(kinds[i], MPI_COMM_WORLD, elements, seed + (unsigned)in_place);
            spec.operation = operation;
            spec.in_place = in_place;
            run_case(check, &spec);
        }
}

/* Every predefined operation on every type on which MPI allows it, in two of the eight ways each; mixed.c
 * chooses among all. */
static void check_operations(void)
{
    coll_case_begin();
    for (int i = 0; i < coll_first_user_operation(); i++)
        for (int way = i % 4; way < 2 * REDUCTIONS; way += 4) {
            struct coll_spec spec = spec_of(kinds[way % REDUCTIONS], MPI_COMM_WORLD, 1 + i % 37, (unsigned)i);
            spec.operation = coll_operation(i);
            spec.in_place = way >= REDUCTIONS;
            run_case("operations", &spec);
        }
}

/* Operations that do not commute must keep the order of ranks. */
static void check_users(void)
{
    static const int sizes[] = {1, 2, 5, 64, 1000, 0, 7000};
    coll_case_begin();
    for (int i = coll_first_user_operation(); i < coll_operation_count(); i++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            reduce_all_kinds("users", coll_operation(i), sizes[s], (unsigned)s);
}

static void check_sizes(void)
{
    static const int sizes[] = {0, 1, 2, 3, 8, 100, 1000, 1023, 4096, 8193, 60000};
    coll_case_begin();
    struct operation sum = coll_operation_named("MPI_SUM", "MPI_DOUBLE"),
                     or = coll_operation_named("MPI_BXOR", "MPI_BYTE");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        reduce_all_kinds("sizes", sum, sizes[s], (unsigned)s);
        reduce_all_kinds("sizes", or, sizes[s] + 1, (unsigned)s);
    }
}

static void check_large(void)
{
    coll_case_begin();
    reduce_all_kinds("large", coll_operation_named("MPI_MAX", "MPI_INT64_T"), 1 << 17, 1);
}

/* --------------------------------------------------------------------- bits */

static void random_doubles(double *numbers, int count, unsigned seed)
{
    for (int i = 0; i < count; i++) {
        uint64_t random = coll_random(seed, (uint64_t)world_rank, (uint64_t)i);
        numbers[i] = ((double)(random >> 11) / 9007199254740992. - 0.5) * (random % 2 ? 1 : 1e9);
    }
}

/* All ranks must have the same result to the bit, although it depends on the order of additions. */
static void check_bits(void)
{
    static const int sizes[] = {1, 3, 17, 500, 5000, 40000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (unsigned round = 0; round < 4; round++) {
            size_t bytes = (size_t)sizes[s] * sizeof(double);
            double *in = room(bytes), *sum = room(bytes), *first = room(bytes);
            random_doubles(in, sizes[s], round);
            if (round % 4 == (unsigned)world_rank % 4)
                usleep(1000);
            memcpy(sum, in, bytes);
            MPI_Allreduce(round % 2 ? in : MPI_IN_PLACE, sum, sizes[s], MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            memcpy(first, sum, bytes);
            PMPI_Bcast(first, sizes[s], MPI_DOUBLE, 0, MPI_COMM_WORLD);
            if (memcmp(first, sum, bytes) != 0)
                fail("bits", "not the bits of rank 0: count, round", sizes[s], round);
            free(in), free(sum), free(first);
        }
}

/* The same numbers give the same bits in each call of one algorithm, whichever rank comes last. */
static void check_again(void)
{
    enum { COUNT = 300, ROUNDS = 30 };
    double in[COUNT], sum[COUNT], before[COUNT] = {0};
    random_doubles(in, COUNT, 1);
    for (int round = 0; round < ROUNDS; round++) {
        if (round % world_size == world_rank)
            usleep(2000);
        MPI_Allreduce(in, sum, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (round > 0 && memcmp(before, sum, sizeof sum) != 0)
            fail("again", "other bits than in the call before: round", round, 0);
        memcpy(before, sum, sizeof sum);
    }
}

/* ------------------------------------------------------------------ handles */

static void take_left(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    memcpy(inout, in, (size_t)*length * sizeof(uint64_t));
}

static void take_sum(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((uint64_t *)inout)[i] += ((uint64_t *)in)[i];
}

/* Operations that are made for one call. The MPI gives a freed handle to the next one, which is another
 * operation and commutes if the one before does not. */
static void check_handles(void)
{
    for (unsigned round = 0; round < 40; round++) {
        struct coll_spec spec = spec_of(kinds[round / 2 % REDUCTIONS], MPI_COMM_WORLD, 5, round);
        spec.operation = coll_operation_named("MPI_SUM", "MPI_UINT64_T");
        spec.operation.commutes = round % 2;
        spec.operation.name = round % 2 ? "sum" : "left";
        MPI_Op_create(round % 2 ? take_sum : take_left, round % 2, &spec.operation.op);
        run_case("handles", &spec);
        MPI_Op_free(&spec.operation.op);
    }
}

/* Floating-point numbers that are no numbers or infinite come through. */
static void check_specials(void)
{
    double in[4] = {1. / 3, -0., 1e308, 0}, out[4];
    if (world_rank == world_size - 1)
        in[3] = -1. / 0.;
    MPI_Allreduce(in, out, 4, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    if (out[0] != 1. / 3 || out[1] != 0 || out[2] != 1e308 || out[3] != -1. / 0.)
        fail("specials", "wrong minimum", 0, 0);
    in[3] = 0. / 0.;
    MPI_Allreduce(in, out, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (out[3] == out[3] || (world_size > 1 && out[2] != 1. / 0.))
        fail("specials", "wrong sum", 0, 0);
}

static const struct check checks[] = {
    {"operations", check_operations}, {"users", check_users},       {"sizes", check_sizes},
    {"large", check_large},           {"bits", check_bits},         {"again", check_again},
    {"handles", check_handles},       {"specials", check_specials},
};

int main(int argc, char **argv)
{
    return run_checks(argc, argv, checks, sizeof checks / sizeof *checks);
}
