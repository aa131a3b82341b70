/* Random collective calls. From a seed, all ranks derive the same sequence of kinds, sizes, types,
 * operations, roots and communicators. Several calls in a row go through MPI_, with nothing between them that
 * synchronises the ranks, then the same calls through PMPI_ on copies; every byte must be the same. The
 * program runs with the library preloaded and without it.
 *
 *   mixed_MPI FIRST-SEED SEEDS CALLS */
#include <inttypes.h>

#include "coll_checks.h"

enum { ROW = 12 }; /* the most calls between two comparisons */

/* Each rank is in one communicator of each kind. */
enum { WORLD, COPY, REVERSED, HALVES, THIRDS, PAIRS, ALONE, COMMS };
static MPI_Comm comms[COMMS];

static void comms_make(void)
{
    comms[WORLD] = MPI_COMM_WORLD;
    comms[ALONE] = MPI_COMM_SELF;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[COPY]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &comms[REVERSED]);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &comms[HALVES]);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 3, world_rank * 5 % 7, &comms[THIRDS]);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank / 2, world_rank, &comms[PAIRS]);
}

static void comms_free(void)
{
    for (int i = COPY; i < ALONE; i++)
        MPI_Comm_free(&comms[i]);
}

/* A size in bytes: none; mostly few; rarely up to 1 MiB. */
static int random_bytes(uint64_t random)
{
    int kind = (int)(random % 64);
    random /= 64;
    if (kind < 4)
        return 0;
    if (kind < 34)
        return 1 + (int)(random % 64);
    if (kind < 54)
        return 1 + (int)(random % 2048);
    if (kind < 63)
        return 1 + (int)(random % 40000);
    return 1 + (int)(random % (1 << 20));
}

static struct coll_spec random_spec(uint64_t seed, int call)
{
    struct coll_spec spec = {.seed = (unsigned)coll_random(seed, (uint64_t)call, 0)};
    uint64_t random = coll_random(seed, (uint64_t)call, 1), at = coll_random(seed, (uint64_t)call, 2);
    int size, bytes = random_bytes(coll_random(seed, (uint64_t)call, 3));
    spec.kind = (enum coll_kind)(random % COLL_KINDS);
    spec.comm = comms[random >> 8 & 1 ? (random >> 9) % COMMS : WORLD];
    MPI_Comm_size(spec.comm, &size);
    spec.root = (int)(at % (uint64_t)size);
    spec.in_place = random >> 16 & 1;
    spec.plain = random >> 17 & 1 || bytes > 40000;
    spec.base = (enum coll_base)((random >> 20) % COLL_BASES);
    spec.operation = coll_operation((int)((at >> 16) % (uint64_t)coll_operation_count()));
    if (random >> 30 & 1) /* the operations and types that programs use most */
        spec.operation = coll_operation_named(random >> 31 & 1 ? "MPI_SUM" : "MPI_MAX",
                                              random >> 32 & 1 ? "MPI_DOUBLE" : "MPI_INT");
    static const int base_bytes[COLL_BASES] = {1, 4, 8};
    int element = coll_is_reduction(spec.kind) ? (int)spec.operation.number->extent : base_bytes[spec.base];
    spec.elements = (bytes + element - 1) / element;
    return spec;
}

static void mismatch(uint64_t seed, int call, const struct coll_case *made, long at, int error)
{
    char text[256];
    coll_case_text(made, text, sizeof text);
    fprintf(stderr, "mixed: seed %" PRIu64 ", call %d: %s: %s %ld\n", seed, call, text,
            error == MPI_SUCCESS ? "not what PMPI_ gives, byte" : "error returned,",
            error == MPI_SUCCESS ? at : error);
    fail("mixed", "rank in MPI_COMM_WORLD, call", world_rank, call);
}

/* A rank is late now and then. */
static void maybe_late(uint64_t seed, int call)
{
    uint64_t random = coll_random(seed, (uint64_t)call, 4);
    if (random % 16 == 0 && (random >> 8) % (uint64_t)world_size == (uint64_t)world_rank)
        usleep((useconds_t)(random >> 16) % 2000);
}

static void run_row(uint64_t seed, int first, int count)
{
    struct coll_case made[ROW];
    int errors[ROW];
    for (int i = 0; i < count; i++) {
        struct coll_spec spec = random_spec(seed, first + i);
        coll_case_make(&made[i], &spec);
    }
    for (int i = 0; i < count; i++) {
        maybe_late(seed, first + i);
        errors[i] = coll_case_run(&made[i]);
    }
    for (int i = 0; i < count; i++) {
        coll_case_run_other(&made[i]);
        long at = coll_case_difference(&made[i]);
        if (errors[i] != MPI_SUCCESS || at >= 0)
            mismatch(seed, first + i, &made[i], at, errors[i]);
        coll_case_free(&made[i]);
    }
}

static void run_seed(uint64_t seed, int calls)
{
    int count;
    for (int call = 0; call < calls; call += count) {
        count = 1 + (int)(coll_random(seed, (uint64_t)call, 5) % ROW);
        if (count > calls - call)
            count = calls - call;
        run_row(seed, call, count);
    }
}

int main(int argc, char **argv)
{
    begin_checks(&argc, &argv);
    if (argc != 4)
        fail("mixed", "first seed, number of seeds and calls are expected, not arguments", argc - 1, 0);
    uint64_t first = strtoull(argv[1], NULL, 10), seeds = strtoull(argv[2], NULL, 10);
    int calls = (int)strtol(argv[3], NULL, 10);
    coll_case_begin();
    comms_make();
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        run_seed(seed, calls);
        PMPI_Barrier(MPI_COMM_WORLD);
        if (world_rank == 0)
            printf("seed %" PRIu64 ": %d calls\n", seed, calls), fflush(stdout);
    }
    comms_free();
    if (world_rank == 0)
        printf("ok mixed\n"), fflush(stdout);
    return end_checks();
}
