#include "workload/npb_solver.h"

enum { AXES = 3, VARIABLES = 5, LAYERS = 2, MIN_CELL = 3 };

static uint32_t side_of(uint64_t ranks)
{
    uint32_t side = 1;
    while ((uint64_t)side * side < ranks)
        side++;
    return side;
}

static bool is_square_up_to(uint64_t ranks, uint32_t side)
{
    return side_of(ranks) <= side && (uint64_t)side_of(ranks) * side_of(ranks) == ranks;
}

bool solver_fits(uint32_t points, uint64_t ranks)
{
    return is_square_up_to(ranks, points / MIN_CELL);
}

bool solver_prepare(struct solver *solver, const char *name,
                    bool (*fits)(const struct npb *npb, uint64_t ranks), struct workload_problem *problem)
{
    uint64_t side = solver->points / MIN_CELL;
    if (!fits(&solver->npb, solver->npb.ranks))
        return npb_refuse_ranks(&solver->npb, name, side * side, fits, problem);
    solver->side = side_of(solver->npb.ranks);
    return true;
}

/* -------------------------------------------------------------------- cells */

struct solver_cell {
    uint32_t at[AXES], size[AXES];
};

static struct solver_cell cell_of(const struct solver *solver, uint32_t rank, uint32_t number)
{
    uint32_t side = solver->side;
    struct solver_cell cell = {
        .at = {(rank % side + number) % side, (rank / side + side - number) % side, number}};
    for (int axis = 0; axis < AXES; axis++)
        cell.size[axis] = solver->points / side + (cell.at[axis] < solver->points % side);
    return cell;
}

/* The cell of the rank in slice `slice` across an axis. */
static struct solver_cell cell_in_slice(const struct solver *solver, uint32_t rank, int axis, uint32_t slice)
{
    uint32_t side = solver->side;
    if (axis == 0)
        return cell_of(solver, rank, (slice + side - rank % side) % side);
    if (axis == 1)
        return cell_of(solver, rank, (rank / side + side - slice) % side);
    return cell_of(solver, rank, slice);
}

/* The rank that holds the cells after (or before) the cells of this rank along an axis. It is the same rank
 * for all of them. */
static uint32_t neighbour(const struct solver *solver, uint32_t rank, int axis, bool is_behind)
{
    static const uint8_t moves_x[AXES] = {1, 0, 1}, moves_y[AXES] = {0, 1, 1};
    uint32_t side = solver->side, back = side - 1;
    uint32_t x = is_behind ? 1 : back, y = x;
    if (axis == 2) /* a step along z is one back in x and one forth in y */
        x = is_behind ? back : 1;
    return (rank % side + (moves_x[axis] ? x : 0)) % side +
           side * ((rank / side + (moves_y[axis] ? y : 0)) % side);
}

static int32_t tag_behind(int axis) /* of what goes to higher cells */
{
    static const int32_t tags[AXES] = {2000, 4000, 7000};
    return tags[axis];
}

static int32_t tag_before(int axis)
{
    static const int32_t tags[AXES] = {3000, 5000, 6000};
    return tags[axis];
}

static void compute(struct phase *phase, const struct solver *solver, double share, double points)
{
    double all = (double)solver->points * solver->points * solver->points;
    phase_compute(phase, npb_whole(solver->operations * share * (points / all)));
}

static double points_of(const struct solver_cell *cell)
{
    return (double)cell->size[0] * cell->size[1] * cell->size[2];
}

static double all_points(const struct solver *solver, uint32_t rank)
{
    double points = 0;
    for (uint32_t number = 0; number < solver->side; number++) {
        struct solver_cell cell = cell_of(solver, rank, number);
        points += points_of(&cell);
    }
    return points;
}

/* ----------------------------------------------------------------- messages */

enum { RECEIVE = SLOT_FIRST, SEND, FACES = 2 * AXES };
_Static_assert(SOLVER_SLOTS == SLOT_FIRST + 2 * FACES, "a slot for each face sent and received");

/* Elements of all faces towards higher cells, except those at the end of the cube. As many go the other way.
 */
static uint32_t faces_of(const struct solver *solver, uint32_t rank, int axis, bool is_behind)
{
    uint32_t elements = 0;
    for (uint32_t number = 0; number < solver->side; number++) {
        struct solver_cell cell = cell_of(solver, rank, number);
        if (cell.at[axis] != (is_behind ? solver->side - 1 : 0))
            elements += cell.size[(axis + 1) % AXES] * cell.size[(axis + 2) % AXES];
    }
    return elements * VARIABLES * LAYERS;
}

static void exchange_faces(struct phase *phase, const struct solver *solver, uint32_t rank)
{
    if (solver->side == 1)
        return;
    for (int i = 0; i < 2 * FACES; i++) {
        int axis = i % FACES / 2;
        bool is_behind = i % 2 == 0, is_send = i >= FACES;
        uint32_t slot = SLOT_FIRST + (uint32_t)i, peer = neighbour(solver, rank, axis, is_behind);
        uint32_t elements = phase_is_wanted(phase) ? faces_of(solver, rank, axis, is_behind) : 0;
        if (is_send)
            phase_isend(phase, slot, peer, is_behind ? tag_behind(axis) : tag_before(axis), elements,
                        DATATYPE_DOUBLE);
        else
            phase_irecv(phase, slot, peer, is_behind ? tag_before(axis) : tag_behind(axis), elements,
                        DATATYPE_DOUBLE);
    }
    phase_waitall(phase, 2 * FACES);
}

/* Elements that pass between the cells of neighbouring slices. SP sends what the inner points across need. BT
 * always sends a whole face of the largest possible cell, and tags it with the place of the cell. */
static uint32_t edge_elements(const struct solver *solver, const struct solver_cell *cell, int axis,
                              bool is_forward)
{
    if (solver->is_block) {
        uint32_t longest = solver->points / solver->side + 1;
        return longest * longest * (is_forward ? VARIABLES * VARIABLES + VARIABLES : VARIABLES);
    }
    uint32_t points = 1;
    for (int other = 0; other < AXES; other++)
        if (other != axis)
            points *= cell->size[other] - (cell->at[other] == 0) - (cell->at[other] == solver->side - 1);
    return (is_forward ? 22 : 10) * points;
}

static int32_t edge_tag(const struct solver *solver, const struct solver_cell *cell, int axis,
                        bool is_forward)
{
    if (!solver->is_block)
        return 0;
    uint32_t first = cell->at[axis == 0 ? 1 : 0], second = cell->at[axis == 2 ? 1 : 2];
    /* A sweep names the side at which a message arrives, an exchange of faces the side at which it leaves. */
    int32_t side = is_forward ? tag_before(axis) : tag_behind(axis);
    return side + (int32_t)(first + second * solver->side);
}

static void await(struct phase *phase, const struct solver *solver)
{
    if (!solver->is_block) {
        phase_waitall(phase, 2);
        return;
    }
    phase_wait(phase, SEND);
    phase_wait(phase, RECEIVE);
}

/* One stage of a sweep: forward through all slices, then backward. */
static void stage(struct phase *phase, const struct solver *solver, uint32_t rank, int axis, uint32_t number)
{
    bool is_forward = number < solver->side;
    uint32_t slice = is_forward ? number : 2 * solver->side - 1 - number;
    struct solver_cell cell = cell_in_slice(solver, rank, axis, slice);
    bool is_first = slice == (is_forward ? 0 : solver->side - 1);
    bool is_last = slice == (is_forward ? solver->side - 1 : 0);
    uint32_t elements = edge_elements(solver, &cell, axis, is_forward);
    int32_t tag = edge_tag(solver, &cell, axis, is_forward);
    if (!is_first) {
        phase_irecv(phase, RECEIVE, neighbour(solver, rank, axis, !is_forward), tag, elements,
                    DATATYPE_DOUBLE);
        await(phase, solver);
    }
    compute(phase, solver, is_forward ? solver->shares.forward : solver->shares.backward, points_of(&cell));
    if (!is_last)
        phase_isend(phase, SEND, neighbour(solver, rank, axis, is_forward), tag, elements, DATATYPE_DOUBLE);
}

/* -------------------------------------------------------------- the program */

static uint64_t iteration_phases(const struct solver *solver)
{
    return 2 + (uint64_t)AXES * 2 * solver->side;
}

static void iterate(struct phase *phase, const struct solver *solver, uint32_t rank, uint64_t number)
{
    if (phase_within(&number, 1)) {
        exchange_faces(phase, solver, rank);
        compute(phase, solver, solver->shares.rhs, all_points(solver, rank));
    } else if (phase_within(&number, (uint64_t)AXES * 2 * solver->side)) {
        stage(phase, solver, rank, (int)(number / (2 * solver->side)),
              (uint32_t)(number % (2 * solver->side)));
    } else {
        compute(phase, solver, solver->shares.update, all_points(solver, rank));
    }
}

static void setup(struct phase *phase, const struct solver *solver)
{
    npb_begin(phase, &solver->npb);
    phase_collective(phase, CALL_BCAST, 1, DATATYPE_INT);    /* iterations */
    phase_collective(phase, CALL_BCAST, 1, DATATYPE_DOUBLE); /* time step */
    phase_collective(phase, CALL_BCAST, AXES, DATATYPE_INT); /* points along the axes */
    for (int i = 0; solver->is_block && i < 2; i++)          /* how often to write and to read */
        phase_collective(phase, CALL_BCAST, 1, DATATYPE_INT);
    phase_collective(phase, CALL_BCAST, 1, DATATYPE_LOGICAL); /* timers? */
}

static void verify(struct phase *phase, const struct solver *solver, uint32_t rank)
{
    phase_collective(phase, CALL_ALLREDUCE, VARIABLES, DATATYPE_DOUBLE);
    exchange_faces(phase, solver, rank);
    phase_collective(phase, CALL_ALLREDUCE, VARIABLES, DATATYPE_DOUBLE);
    phase_collective(phase, CALL_REDUCE, 1, DATATYPE_DOUBLE); /* the slowest rank's time */
    phase_plain(phase, CALL_BARRIER);
    phase_plain(phase, CALL_FINALIZE);
}

static bool solver_calls(const void *config, uint32_t rank, uint64_t number, struct phase *phase)
{
    const struct solver *solver = config;
    if (phase_within(&number, 1)) {
        setup(phase, solver);
    } else if (phase_within(&number,
                            iteration_phases(solver))) { /* touches all memory before the timed ones */
        iterate(phase, solver, rank, number);
    } else if (phase_within(&number, 1)) {
        phase_plain(phase, CALL_BARRIER);
    } else if (phase_within(&number, iteration_phases(solver) * solver->iterations)) {
        iterate(phase, solver, rank, number % iteration_phases(solver));
    } else if (phase_within(&number, 1)) {
        verify(phase, solver, rank);
    } else {
        return false;
    }
    return true;
}

bool solver_phase(const void *config, uint32_t rank, uint64_t number, struct phase *phase)
{
    return npb_interrupt(config, rank, number, phase, solver_calls(config, rank, number, phase));
}
