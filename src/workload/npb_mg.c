#include "workload/list.h"
#include "workload/npb.h"

/* MG: V-cycles of a multigrid method on a cube, on a grid of ranks in three dimensions. Each level exchanges
 * faces along the three axes in turn. If a level has fewer points than there are ranks, ranks without points
 * take no part, and get theirs from their neighbours on the way back. */

struct mg {
    struct npb npb;
    uint32_t bits,
        iterations; /* logarithm of the number of points along an edge, which is the finest level */
    uint32_t axis_ranks[3];
    uint64_t room; /* elements posted for any message */
};

PARAM_TABLE(mg_params, "npb:mg", struct mg, "MG of the NAS Parallel Benchmarks",
            NPB_PARAMS(struct mg, npb_classes));

static const struct {
    uint8_t bits, iterations;
} classes[NPB_CLASSES] = {
    [NPB_S] = {5, 4},  [NPB_W] = {7, 4},   [NPB_A] = {8, 4},   [NPB_B] = {8, 20},
    [NPB_C] = {9, 20}, [NPB_D] = {10, 50}, [NPB_E] = {11, 50},
};

enum { AXES = 3, MOST_RANKS = 131072, CHARGES = 10, REQUEST = SLOT_FIRST, SLOTS = SLOT_FIRST + 2 };

/* The last axis has the most ranks. Each rank has at least two points along an axis. */
static bool mg_fits(const struct npb *npb, uint64_t ranks)
{
    return npb_is_power_of_two(ranks) && ranks <= MOST_RANKS &&
           (npb_log2(ranks) + 2) / 3 < classes[npb->class].bits;
}

static bool mg_prepare(const struct workload *workload, void *config, struct program *program,
                       struct workload_problem *problem)
{
    (void)workload;
    (void)program;
    struct mg *mg = config;
    if (!mg_fits(&mg->npb, mg->npb.ranks))
        return npb_refuse_ranks(&mg->npb, "MG", MOST_RANKS, mg_fits, problem);
    uint32_t rank_bits = (uint32_t)npb_log2(mg->npb.ranks), x = rank_bits / 3, y = (rank_bits - x) / 2;
    mg->bits = classes[mg->npb.class].bits;
    mg->iterations = classes[mg->npb.class].iterations;
    mg->axis_ranks[0] = UINT32_C(1) << x;
    mg->axis_ranks[1] = UINT32_C(1) << y;
    mg->axis_ranks[2] = UINT32_C(1) << (rank_bits - x - y);
    uint64_t edge = 2 + (UINT64_C(1) << (mg->bits - x));
    mg->room = 2 * edge * edge;
    return true;
}

/* ------------------------------------------------------------------- levels */

/* What a rank has of one level. */
struct level {
    uint32_t edge[AXES];               /* points, with a layer of points of the neighbours on both sides */
    uint32_t below[AXES], above[AXES]; /* neighbours */
    bool gives[AXES], takes[AXES];     /* points of the coarser level, on the way back */
    bool is_empty;
};

enum { NO_POINTS = 2, ONE_POINT = 3 };

static uint32_t edge_of(uint32_t points, uint32_t ranks, uint32_t index)
{
    return NO_POINTS + (index + 1) * points / ranks - index * points / ranks;
}

static void set_neighbours(const struct mg *mg, struct level *level, const uint32_t *at, const uint32_t *step)
{
    const uint32_t *ranks = mg->axis_ranks;
    for (int axis = 0; axis < AXES; axis++) {
        uint32_t up[AXES] = {at[0], at[1], at[2]}, down[AXES] = {at[0], at[1], at[2]};
        up[axis] = (at[axis] + step[axis]) % ranks[axis];
        down[axis] = (at[axis] + ranks[axis] - step[axis] % ranks[axis]) % ranks[axis];
        level->above[axis] = up[0] + ranks[0] * (up[1] + ranks[1] * up[2]);
        level->below[axis] = down[0] + ranks[0] * (down[1] + ranks[1] * down[2]);
    }
}

/* Level `number` of a rank: 1 is the coarsest, mg->bits the finest. From level to level ranks run out of
 * points, and neighbours are further apart. So all finer levels are computed first, and one coarser one. */
static struct level level_of(const struct mg *mg, uint32_t rank, uint32_t number)
{
    const uint32_t *ranks = mg->axis_ranks;
    const uint32_t at[AXES] = {rank % ranks[0], rank / ranks[0] % ranks[1], rank / ranks[0] / ranks[1]};
    uint32_t step[AXES] = {1, 1, 1};
    struct level level = {.is_empty = false};
    for (uint32_t k = mg->bits; k >= 1 && k + 1 >= number; k--) {
        for (int axis = 0; axis < AXES; axis++) {
            uint32_t points = UINT32_C(1) << k;
            uint32_t mine = edge_of(points, ranks[axis], at[axis]);
            uint32_t next = edge_of(points, ranks[axis], at[axis] + step[axis]);
            if (mine == NO_POINTS || next == NO_POINTS)
                step[axis] *= 2;
            if (k + 1 == number) {
                level.gives[axis] = next == NO_POINTS && mine == ONE_POINT;
                level.takes[axis] = next == ONE_POINT && mine == NO_POINTS;
            } else if (k == number) {
                level.edge[axis] = mine;
                level.is_empty |= mine == NO_POINTS;
            }
        }
        if (k == number)
            set_neighbours(mg, &level, at, step);
    }
    return level;
}

/* ----------------------------------------------------------------- messages */

static int32_t tag_of(int axis, bool is_up)
{
    return 100 * (10 * (axis + 1) + (is_up ? 3 : 1));
}

static void post(struct phase *phase, const struct mg *mg, const struct level *level, int axis)
{
    phase_irecv(phase, REQUEST, level->above[axis], tag_of(axis, false), mg->room, DATATYPE_DOUBLE);
    phase_irecv(phase, REQUEST + 1, level->below[axis], tag_of(axis, true), mg->room, DATATYPE_DOUBLE);
}

static void give(struct phase *phase, const struct level *level, int axis, uint32_t up, uint32_t down)
{
    phase_send(phase, level->above[axis], tag_of(axis, true), up, DATATYPE_DOUBLE);
    phase_send(phase, level->below[axis], tag_of(axis, false), down, DATATYPE_DOUBLE);
}

static void take(struct phase *phase)
{
    phase_wait(phase, REQUEST);
    phase_wait(phase, REQUEST + 1);
}

/* Faces along each axis, with the edges that the exchanges along earlier axes brought. */
static void exchange_faces(struct phase *phase, const struct mg *mg, uint32_t rank, uint32_t number)
{
    struct level level = level_of(mg, rank, number);
    const uint32_t *edge = level.edge;
    if (level.is_empty || mg->npb.ranks == 1)
        return;
    const uint32_t faces[AXES] = {(edge[1] - 2) * (edge[2] - 2), edge[0] * (edge[2] - 2), edge[0] * edge[1]};
    for (int axis = 0; axis < AXES; axis++) {
        post(phase, mg, &level, axis);
        give(phase, &level, axis, faces[axis], faces[axis]);
        take(phase);
    }
}

/* Points for the ranks without points on the coarser level: two layers up, one down. */
static void spread(struct phase *phase, const struct mg *mg, uint32_t rank, uint32_t number)
{
    struct level level = level_of(mg, rank, number);
    const uint32_t *edge = level.edge;
    if (mg->npb.ranks == 1)
        return;
    const uint32_t layers[AXES] = {edge[1] * edge[2], edge[0] * edge[2], edge[0] * edge[1]};
    for (int axis = 0; axis < AXES; axis++) {
        if (level.takes[axis]) {
            post(phase, mg, &level, axis);
            take(phase);
        }
        if (level.gives[axis])
            give(phase, &level, axis, 2 * layers[axis], layers[axis]);
    }
}

static void norms(struct phase *phase)
{
    phase_collective(phase, CALL_ALLREDUCE, 1, DATATYPE_DOUBLE);
    phase_collective(phase, CALL_ALLREDUCE, 1, DATATYPE_DOUBLE);
}

/* -------------------------------------------------------------- the program */

/* The benchmark counts 58 operations for each point of the finest level in each iteration. With 15 for a
 * point of a residual or a smoothing and 30 for a coarse point of a restriction or an interpolation, all
 * levels add up to 405/7, which is scaled to 58. */
enum { STENCIL = 15, TRANSFER = 30 };

static void compute(struct phase *phase, const struct mg *mg, uint32_t rank, uint32_t number, int per_point)
{
    struct level level = level_of(mg, rank, number);
    double points = (double)(level.edge[0] - 2) * (level.edge[1] - 2) * (level.edge[2] - 2);
    phase_compute(phase, npb_whole(points * per_point * 406 / 405));
}

static void apply(struct phase *phase, const struct mg *mg, uint32_t rank, uint32_t number, int per_point)
{
    compute(phase, mg, rank, number, per_point);
    exchange_faces(phase, mg, rank, number);
}

/* A V-cycle and the residual after it, with a phase for each level down and up. */
static uint64_t cycle_phases(const struct mg *mg)
{
    return 2 * (uint64_t)mg->bits;
}

static void cycle(struct phase *phase, const struct mg *mg, uint32_t rank, uint64_t number)
{
    if (phase_within(&number, mg->bits - 1)) {
        apply(phase, mg, rank, mg->bits - 1 - (uint32_t)number, TRANSFER);
    } else if (phase_within(&number, 1)) {
        apply(phase, mg, rank, 1, STENCIL);
    } else if (phase_within(&number, mg->bits - 1)) {
        uint32_t level = 2 + (uint32_t)number;
        compute(phase, mg, rank, level - 1, TRANSFER);
        spread(phase, mg, rank, level);
        apply(phase, mg, rank, level, STENCIL); /* residual */
        apply(phase, mg, rank, level, STENCIL); /* smoothing */
    } else {
        apply(phase, mg, rank, mg->bits, STENCIL);
    }
}

/* The right-hand side: finds the ten greatest and the ten least random numbers, one after another. */
static bool place_charges(struct phase *phase, const struct mg *mg, uint32_t rank, uint64_t *number)
{
    if (phase_within(number, 1)) {
        phase_plain(phase, CALL_BARRIER);
    } else if (phase_within(number, 2 * CHARGES)) {
        phase_collective(phase, CALL_ALLREDUCE, 1, DATATYPE_DOUBLE);
        phase_collective(phase, CALL_ALLREDUCE, 4, DATATYPE_INT); /* who has it, and where */
    } else if (phase_within(number, 1)) {
        phase_plain(phase, CALL_BARRIER);
        exchange_faces(phase, mg, rank, mg->bits);
    } else {
        return false;
    }
    return true;
}

static void setup(struct phase *phase, const struct npb *npb)
{
    npb_begin(phase, npb);
    phase_plain(phase, CALL_BARRIER);
    for (int i = 0; i < 5; i++) /* levels, iterations, points along the axes */
        phase_collective(phase, CALL_BCAST, 1, DATATYPE_INT);
    phase_collective(phase, CALL_BCAST, 8, DATATYPE_INT);     /* what to print */
    phase_collective(phase, CALL_BCAST, 1, DATATYPE_LOGICAL); /* timers? */
}

static bool mg_calls(const void *config, uint32_t rank, uint64_t number, struct phase *phase)
{
    const struct mg *mg = config;
    if (phase_within(&number, 1)) {
        setup(phase, &mg->npb);
    } else if (place_charges(phase, mg, rank, &number)) {
        return true;
    } else if (phase_within(&number, 1)) {
        norms(phase);
        apply(phase, mg, rank, mg->bits, STENCIL);
        norms(phase);
    } else if (phase_within(&number, cycle_phases(mg))) { /* touches all memory before the timed ones start */
        cycle(phase, mg, rank, number);
    } else if (place_charges(phase, mg, rank, &number)) {
        return true;
    } else if (phase_within(&number, 1)) {
        phase_plain(phase, CALL_BARRIER);
        apply(phase, mg, rank, mg->bits, STENCIL);
        norms(phase);
    } else if (phase_within(&number, cycle_phases(mg) * mg->iterations)) {
        cycle(phase, mg, rank, number % cycle_phases(mg));
    } else if (phase_within(&number, 1)) {
        norms(phase);
        phase_collective(phase, CALL_REDUCE, 1, DATATYPE_DOUBLE); /* the slowest rank's time */
        phase_plain(phase, CALL_FINALIZE);
    } else {
        return false;
    }
    return true;
}

static bool mg_phase(const void *config, uint32_t rank, uint64_t number, struct phase *phase)
{
    return npb_interrupt(config, rank, number, phase, mg_calls(config, rank, number, phase));
}

const struct workload npb_mg_workload = {
    .name = "npb:mg",
    .doc = "MG, faces of many sizes: npb:mg:class=D,ranks=64",
    .params = &mg_params,
    .prepare = mg_prepare,
    .ranks = npb_ranks,
    .phase = mg_phase,
    .slots = SLOTS,
};
