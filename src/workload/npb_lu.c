#include "workload/list.h"
#include "workload/npb.h"

/* LU: symmetric successive over-relaxation on a cube. The ranks form a grid of x columns by y rows, and each
 * holds whole columns of cells. A sweep passes through the cube plane by plane as a wavefront: a rank waits
 * for the edges of its neighbours, computes its part of the plane, and sends its own edges on. */

struct lu {
    struct npb npb;
    uint64_t wanted_iterations; /* 0: those of the class */
    uint32_t cells, iterations; /* of the cube's edge; of the method */
    uint32_t x_ranks, y_ranks;
    double operations; /* of one iteration, all ranks */
};

PARAM_TABLE(lu_params, "npb:lu", struct lu, "LU of the NAS Parallel Benchmarks",
            NPB_PARAMS(struct lu, npb_classes), NPB_ITERATIONS(struct lu, wanted_iterations));

static const struct {
    uint32_t cells, iterations;
} classes[NPB_CLASSES] = {
    [NPB_S] = {12, 50},   [NPB_W] = {33, 300},  [NPB_A] = {64, 250},   [NPB_B] = {102, 250},
    [NPB_C] = {162, 250}, [NPB_D] = {408, 300}, [NPB_E] = {1020, 300},
};

enum { VARIABLES = 5, MIN_CELLS = 3 };

/* A tag names the side from which the message comes. */
enum { FROM_SOUTH = 1, FROM_NORTH, FROM_EAST, FROM_WEST };

/* The grid nearest to a square, at most twice as long as wide. 0 if there is none. */
static uint32_t grid_rows(uint64_t ranks)
{
    for (uint64_t x = 1; x <= ranks; x++)
        if (x * x >= ranks && ranks % x == 0)
            return 2 * (ranks / x) >= x ? (uint32_t)x : 0;
    return 0;
}

static bool lu_fits(const struct npb *npb, uint64_t ranks)
{
    uint32_t x = grid_rows(ranks);
    return x && classes[npb->class].cells / x >= MIN_CELLS;
}

static bool lu_prepare(const struct workload *workload, void *config, struct program *program,
                       struct workload_problem *problem)
{
    (void)workload;
    (void)program;
    struct lu *lu = config;
    lu->cells = classes[lu->npb.class].cells;
    lu->iterations =
        lu->wanted_iterations ? (uint32_t)lu->wanted_iterations : classes[lu->npb.class].iterations;
    uint64_t most = (uint64_t)(lu->cells / MIN_CELLS) * (lu->cells / MIN_CELLS);
    if (lu->npb.ranks > most || !lu_fits(&lu->npb, lu->npb.ranks))
        return npb_refuse_ranks(&lu->npb, "LU", most, lu_fits, problem);
    lu->x_ranks = grid_rows(lu->npb.ranks);
    lu->y_ranks = (uint32_t)(lu->npb.ranks / lu->x_ranks);
    double n = lu->cells;
    lu->operations = 1984.77 * n * n * n - 10923.3 * n * n + 27770.9 * n - 144010.0;
    return true;
}

/* ------------------------------------------------------------------- blocks */

struct lu_block {
    uint32_t rank;
    uint32_t north, south, west, east; /* ranks, where there are such */
    bool has_north, has_south, has_west, has_east;
    uint32_t nx, ny, nz;
};

static uint32_t share(uint32_t cells, uint32_t ranks, uint32_t index)
{
    return cells / ranks + (index < cells % ranks);
}

static struct lu_block block_of(const struct lu *lu, uint32_t rank)
{
    uint32_t x = rank % lu->x_ranks, y = rank / lu->x_ranks;
    return (struct lu_block){
        .rank = rank,
        .north = rank - 1,
        .south = rank + 1,
        .west = rank - lu->x_ranks,
        .east = rank + lu->x_ranks,
        .has_north = x > 0,
        .has_south = x + 1 < lu->x_ranks,
        .has_west = y > 0,
        .has_east = y + 1 < lu->y_ranks,
        .nx = share(lu->cells, lu->x_ranks, x),
        .ny = share(lu->cells, lu->y_ranks, y),
        .nz = lu->cells,
    };
}

/* A part of the operations of one iteration, on this rank. */
static double part(const struct lu *lu, const struct lu_block *block, double fraction)
{
    double cells = (double)lu->cells * lu->cells;
    return npb_whole(lu->operations * fraction * ((double)block->nx * block->ny / cells));
}

/* Shares of an iteration, measured in the class A traces. One half of the share of a sweep is before its
 * messages, one half after them. */
#define SWEEP_SHARE  0.37
#define UPDATE_SHARE 0.04
#define RHS_SHARE    0.22

/* ----------------------------------------------------------------- messages */

enum { REQUEST = SLOT_FIRST };

static void receive(struct phase *phase, uint32_t from, int32_t tag, uint32_t count)
{
    phase_irecv(phase, REQUEST, from, tag, count, DATATYPE_DOUBLE);
    phase_wait(phase, REQUEST);
}

/* Sends to `to` and receives from `from`, if there are such neighbours. */
static void shift(struct phase *phase, bool sends, uint32_t to, bool receives, uint32_t from, int32_t tag,
                  uint32_t count)
{
    if (receives)
        phase_irecv(phase, REQUEST, from, tag, count, DATATYPE_DOUBLE);
    if (sends)
        phase_send(phase, to, tag, count, DATATYPE_DOUBLE);
    if (receives)
        phase_wait(phase, REQUEST);
}

/* Two layers of cells to each neighbour, before the right-hand side is computed. */
static void exchange_faces(struct phase *phase, const struct lu_block *b)
{
    uint32_t x_face = 2 * VARIABLES * b->ny * b->nz, y_face = 2 * VARIABLES * b->nx * b->nz;
    shift(phase, b->has_south, b->south, b->has_north, b->north, FROM_NORTH, x_face);
    shift(phase, b->has_north, b->north, b->has_south, b->south, FROM_SOUTH, x_face);
    shift(phase, b->has_east, b->east, b->has_west, b->west, FROM_WEST, y_face);
    shift(phase, b->has_west, b->west, b->has_east, b->east, FROM_EAST, y_face);
}

/* One plane of a sweep. Cells at the surface of the cube are fixed, so edges end before them. */
static void sweep(struct phase *phase, const struct lu *lu, const struct lu_block *b, bool is_lower)
{
    uint32_t x_edge = VARIABLES * (b->ny - !b->has_west - !b->has_east);
    uint32_t y_edge = VARIABLES * (b->nx - !b->has_north - !b->has_south);
    double half = part(lu, b, SWEEP_SHARE / 2 / (lu->cells - 2));
    phase_compute(phase, half);
    if (is_lower ? b->has_north : b->has_south)
        phase_recv(phase, is_lower ? b->north : b->south, is_lower ? FROM_NORTH : FROM_SOUTH, x_edge,
                   DATATYPE_DOUBLE);
    if (is_lower ? b->has_west : b->has_east)
        phase_recv(phase, is_lower ? b->west : b->east, is_lower ? FROM_WEST : FROM_EAST, y_edge,
                   DATATYPE_DOUBLE);
    phase_compute(phase, half);
    if (is_lower ? b->has_south : b->has_north)
        phase_send(phase, is_lower ? b->south : b->north, is_lower ? FROM_NORTH : FROM_SOUTH, x_edge,
                   DATATYPE_DOUBLE);
    if (is_lower ? b->has_east : b->has_west)
        phase_send(phase, is_lower ? b->east : b->west, is_lower ? FROM_WEST : FROM_EAST, y_edge,
                   DATATYPE_DOUBLE);
}

static void norm(struct phase *phase)
{
    phase_collective(phase, CALL_ALLREDUCE, VARIABLES, DATATYPE_DOUBLE);
}

/* -------------------------------------------------------------- the program */

static void setup(struct phase *phase, const struct npb *npb)
{
    npb_begin(phase, npb);
    for (int i = 0; i < 3; i++) /* how often to print, to compute norms, to iterate */
        phase_collective(phase, CALL_BCAST, 1, DATATYPE_INT);
    for (int i = 0; i < 2; i++) /* time step, relaxation factor */
        phase_collective(phase, CALL_BCAST, 1, DATATYPE_DOUBLE);
    phase_collective(phase, CALL_BCAST, VARIABLES, DATATYPE_DOUBLE); /* tolerances */
    for (int i = 0; i < 3; i++)
        phase_collective(phase, CALL_BCAST, 1, DATATYPE_INT); /* cells */
    phase_collective(phase, CALL_BCAST, 1, DATATYPE_LOGICAL); /* timers? */
}

static void begin_iterations(struct phase *phase, const struct lu *lu, const struct lu_block *block)
{
    exchange_faces(phase, block);
    phase_compute(phase, part(lu, block, RHS_SHARE));
    norm(phase);
    phase_plain(phase, CALL_BARRIER);
}

/* Norms are computed in the last iteration only. */
static void end_iteration(struct phase *phase, const struct lu *lu, const struct lu_block *block,
                          bool is_last)
{
    phase_compute(phase, part(lu, block, UPDATE_SHARE));
    if (is_last)
        norm(phase);
    exchange_faces(phase, block);
    phase_compute(phase, part(lu, block, RHS_SHARE));
    if (is_last)
        norm(phase);
}

static bool iterate(struct phase *phase, const struct lu *lu, const struct lu_block *block, uint64_t *number,
                    uint32_t iterations)
{
    uint64_t planes = lu->cells - 2, per_iteration = 2 * planes + 1;
    if (phase_within(number, 1)) {
        begin_iterations(phase, lu, block);
        return true;
    }
    if (phase_within(number, per_iteration * iterations)) {
        uint64_t plane = *number % per_iteration;
        if (plane < 2 * planes)
            sweep(phase, lu, block, plane < planes);
        else
            end_iteration(phase, lu, block, *number / per_iteration + 1 == lu->iterations);
        return true;
    }
    if (!phase_within(number, 1))
        return false;
    phase_collective(phase, CALL_ALLREDUCE, 1, DATATYPE_DOUBLE); /* the slowest rank's time */
    return true;
}

/* A line of values towards lower ranks along one axis, for the surface integrals. */
static void pass_down(struct phase *phase, bool has_up, uint32_t up, bool has_down, uint32_t down,
                      int32_t tag, uint32_t count)
{
    if (has_up)
        receive(phase, up, tag, count);
    if (has_down)
        phase_send(phase, down, tag, count, DATATYPE_DOUBLE);
}

static void verify(struct phase *phase, const struct lu_block *b)
{
    norm(phase); /* the error */
    pass_down(phase, b->has_east, b->east, b->has_west, b->west, FROM_EAST, 2 * b->nx);
    pass_down(phase, b->has_south, b->south, b->has_north, b->north, FROM_SOUTH, 2 * (b->ny + 2));
    phase_collective(phase, CALL_ALLREDUCE, 1, DATATYPE_DOUBLE);
    for (int side = 0; side < 2; side++)
        if (side ? !b->has_east : !b->has_west)
            pass_down(phase, b->has_south, b->south, b->has_north, b->north, FROM_SOUTH, b->nz);
    phase_collective(phase, CALL_ALLREDUCE, 1, DATATYPE_DOUBLE);
    for (int side = 0; side < 2; side++)
        if (side ? !b->has_south : !b->has_north)
            pass_down(phase, b->has_east, b->east, b->has_west, b->west, FROM_EAST, b->nz);
    phase_collective(phase, CALL_ALLREDUCE, 1, DATATYPE_DOUBLE);
    phase_plain(phase, CALL_FINALIZE);
}

static bool lu_calls(const void *config, uint32_t rank, uint64_t number, struct phase *phase)
{
    const struct lu *lu = config;
    struct lu_block block = block_of(lu, rank);
    if (phase_within(&number, 1)) {
        setup(phase, &lu->npb);
        exchange_faces(phase, &block); /* for the forcing terms */
        return true;
    }
    /* One iteration touches all memory before the timed ones start. */
    if (iterate(phase, lu, &block, &number, 1) || iterate(phase, lu, &block, &number, lu->iterations))
        return true;
    if (!phase_within(&number, 1))
        return false;
    verify(phase, &block);
    return true;
}

static bool lu_phase(const void *config, uint32_t rank, uint64_t number, struct phase *phase)
{
    return npb_interrupt(config, rank, number, phase, lu_calls(config, rank, number, phase));
}

const struct workload npb_lu_workload = {
    .name = "npb:lu",
    .doc = "LU, wavefronts of small messages: npb:lu:class=D,ranks=64",
    .params = &lu_params,
    .prepare = lu_prepare,
    .ranks = npb_ranks,
    .phase = lu_phase,
    .slots = REQUEST + 1,
};
