#include "schedule/circuit/exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/circuit/player.h"

enum { IDLE = EXACT_PORTS, MOST_ROWS = EXACT_PORTS * EXACT_PORTS + EXACT_PORTS };

/* Values of a programme are quotients whose denominators are determinants of matrices of 0 and 1 of at most
 * EXACT_SLOTS rows, which are at most 144 (OEIS A003432). Two values differ by at least 1 / 144^2 of a unit,
 * or not at all. */
#define NEAR 1e-6

struct exact {
    const struct circuit_problem *problem;
    uint32_t rows, columns, slots;
    double need[EXACT_PORTS][EXACT_PORTS]; /* in units, rows in the order of the search */
    uint32_t row_sender[EXACT_PORTS];
    double delta;
    uint8_t choice[EXACT_PORTS][EXACT_SLOTS]; /* a column or IDLE */
    uint8_t used[EXACT_SLOTS];                /* columns of rows so far, as bits */
    double shortest;                          /* in units, with set-ups */
    uint8_t best[EXACT_PORTS][EXACT_SLOTS];
    double best_time[EXACT_SLOTS];
    uint32_t best_slots; /* 0: the schedule that was there is the shortest */
    uint64_t programmes, most_programmes;
    const struct circuit_effort *effort;
    bool gave_up;
};

/* ---------------------------------------------------------------- programme */

/* min sum t with sums of t over sets of slots at least as large as needed. Its dual, max need y with at most
 * 1 on each slot, starts at y = 0; t are the prices of the dual. */
struct programme {
    uint32_t slots, sets;
    uint32_t members[MOST_ROWS]; /* bits of slots */
    double need[MOST_ROWS];
};

static void pivot(double table[EXACT_SLOTS + 1][MOST_ROWS + EXACT_SLOTS + 1], uint32_t rows, uint32_t width,
                  uint32_t at, uint32_t column)
{
    double factor = table[at][column];
    for (uint32_t i = 0; i < width; i++)
        table[at][i] /= factor;
    for (uint32_t row = 0; row <= rows; row++) {
        double times = table[row][column];
        if (row == at || times == 0)
            continue;
        for (uint32_t i = 0; i < width; i++)
            table[row][i] -= times * table[at][i];
    }
}

/* The first column whose reduced cost is below 0 enters, the first row with the least quotient leaves
 * (Bland), so that the pivots end. */
static double solve(const struct programme *programme, double time[EXACT_SLOTS])
{
    double table[EXACT_SLOTS + 1][MOST_ROWS + EXACT_SLOTS + 1] = {0};
    uint32_t slots = programme->slots, sets = programme->sets, width = sets + slots + 1, basis[EXACT_SLOTS];
    for (uint32_t slot = 0; slot < slots; slot++) {
        for (uint32_t set = 0; set < sets; set++)
            table[slot][set] = programme->members[set] >> slot & 1;
        table[slot][sets + slot] = table[slot][width - 1] = 1;
        basis[slot] = sets + slot;
    }
    for (uint32_t set = 0; set < sets; set++)
        table[slots][set] = -programme->need[set];
    for (;;) {
        uint32_t enters = 0, leaves = slots;
        while (enters < width - 1 && table[slots][enters] > -NEAR)
            enters++;
        if (enters == width - 1)
            break;
        double least = INFINITY;
        for (uint32_t row = 0; row < slots; row++) {
            if (table[row][enters] < NEAR)
                continue;
            double quotient = table[row][width - 1] / table[row][enters];
            if (quotient < least - 1e-12 || (quotient <= least + 1e-12 && basis[row] < basis[leaves])) {
                least = quotient < least ? quotient : least;
                leaves = row;
            }
        }
        if (leaves == slots)
            return INFINITY; /* a set without a slot */
        pivot(table, slots, width, leaves, enters);
        basis[leaves] = enters;
    }
    for (uint32_t slot = 0; slot < slots; slot++)
        time[slot] = table[slots][sets + slot];
    return table[slots][width - 1];
}

/* The least sum of durations for rows 0 ... last. */
static double least_time(struct exact *exact, uint32_t last, double time[EXACT_SLOTS])
{
    struct programme programme = {.slots = exact->slots};
    for (uint32_t column = 0; column < exact->columns; column++) {
        double to_come = 0;
        uint32_t free_slots = 0;
        for (uint32_t row = 0; row < exact->rows; row++) {
            uint32_t members = 0;
            if (row > last)
                to_come += exact->need[row][column];
            if (row > last || exact->need[row][column] == 0)
                continue;
            for (uint32_t slot = 0; slot < exact->slots; slot++)
                members |= (uint32_t)(exact->choice[row][slot] == column) << slot;
            programme.members[programme.sets] = members;
            programme.need[programme.sets++] = exact->need[row][column];
        }
        for (uint32_t slot = 0; slot < exact->slots; slot++)
            free_slots |= (uint32_t) !(exact->used[slot] >> column & 1) << slot;
        if (to_come == 0)
            continue;
        programme.members[programme.sets] = free_slots;
        programme.need[programme.sets++] = to_come;
    }
    exact->programmes++;
    return solve(&programme, time);
}

/* ------------------------------------------------------------------- search */

static void choose(struct exact *exact, uint32_t row, uint32_t slot, uint32_t uncovered);

static bool has_room(const struct exact *exact, uint32_t row)
{
    for (uint32_t column = 0; column < exact->columns; column++) {
        uint32_t wanted = 0, offered = 0;
        for (uint32_t next = row + 1; next < exact->rows; next++)
            wanted += exact->need[next][column] > 0;
        for (uint32_t slot = 0; slot < exact->slots; slot++)
            offered += !(exact->used[slot] >> column & 1);
        if (wanted > offered)
            return false;
    }
    return true;
}

static uint32_t columns_of(const struct exact *exact, uint32_t row)
{
    uint32_t columns = 0;
    for (uint32_t column = 0; column < exact->columns; column++)
        columns |= (uint32_t)(exact->need[row][column] > 0) << column;
    return columns;
}

/* The row has its choices. */
static void end_row(struct exact *exact, uint32_t row)
{
    double time[EXACT_SLOTS];
    if (!has_room(exact, row))
        return;
    double total = least_time(exact, row, time) + exact->delta * exact->slots;
    if (exact->programmes >= exact->most_programmes ||
        (exact->programmes % 1024 == 0 && circuit_effort_is_spent(exact->effort)))
        exact->gave_up = true;
    if (total >= exact->shortest - NEAR)
        return;
    if (row + 1 < exact->rows) {
        choose(exact, row + 1, 0, columns_of(exact, row + 1));
        return;
    }
    exact->shortest = total;
    exact->best_slots = exact->slots;
    memcpy(exact->best, exact->choice, sizeof exact->best);
    memcpy(exact->best_time, time, sizeof exact->best_time);
}

/* Whether the slot and the one before have the same choices in all rows above. */
static bool is_twin(const struct exact *exact, uint32_t row, uint32_t slot)
{
    for (uint32_t above = 0; above < row; above++)
        if (exact->choice[above][slot] != exact->choice[above][slot - 1])
            return false;
    return true;
}

/* Slots of the row from `slot` on; `uncovered` are columns that it still needs. Of twin slots the first one
 * has the smaller choice. */
static void choose(struct exact *exact, uint32_t row, uint32_t slot, uint32_t uncovered)
{
    if (exact->gave_up || (uint32_t)__builtin_popcount(uncovered) > exact->slots - slot)
        return;
    if (slot == exact->slots) {
        end_row(exact, row);
        return;
    }
    uint32_t first = slot > 0 && is_twin(exact, row, slot) ? exact->choice[row][slot - 1] : 0;
    for (uint32_t column = first; column <= IDLE; column++) {
        bool is_idle = column == IDLE;
        if (!is_idle &&
            (column >= exact->columns || exact->need[row][column] == 0 || exact->used[slot] >> column & 1))
            continue;
        uint8_t bit = is_idle ? 0 : (uint8_t)(1u << column);
        exact->choice[row][slot] = (uint8_t)column;
        exact->used[slot] |= bit;
        choose(exact, row, slot + 1, uncovered & ~(uint32_t)bit);
        exact->used[slot] &= (uint8_t)~bit;
    }
}

/* ------------------------------------------------------------------ problem */

static ps_t greatest_common(ps_t a, ps_t b)
{
    while (b) {
        ps_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Rows with much to do come first, since they leave few choices. */
static void order_rows(struct exact *exact, ps_t unit_ps)
{
    const struct circuit_problem *problem = exact->problem;
    double load[EXACT_PORTS] = {0};
    for (uint32_t i = 0; i < problem->count; i++)
        load[problem->entries[i].sender] += (double)(problem->entries[i].time_ps / unit_ps) + exact->delta;
    for (uint32_t row = 0; row < exact->rows; row++) {
        uint32_t at = row;
        for (; at > 0 && load[row] > load[exact->row_sender[at - 1]]; at--)
            exact->row_sender[at] = exact->row_sender[at - 1];
        exact->row_sender[at] = row;
    }
    for (uint32_t row = 0; row < exact->rows; row++)
        for (uint32_t column = 0; column < exact->columns; column++) {
            uint32_t entry = circuit_at(problem, exact->row_sender[row], column);
            if (entry != CIRCUIT_NONE)
                exact->need[row][column] = (double)(problem->entries[entry].time_ps / unit_ps);
        }
}

static bool begin(struct exact *exact, const struct circuit_problem *problem, ps_t makespan_ps, ps_t *unit_ps)
{
    if (!problem->all_stop || problem->switches > 1 || problem->senders > EXACT_PORTS ||
        problem->receivers > EXACT_PORTS || problem->delta_ps == 0)
        return false;
    *unit_ps = problem->delta_ps;
    for (uint32_t i = 0; i < problem->count; i++)
        *unit_ps = greatest_common(*unit_ps, problem->entries[i].time_ps);
    if (makespan_ps / *unit_ps > EXACT_UNITS)
        return false;
    *exact = (struct exact){.problem = problem, .rows = problem->senders, .columns = problem->receivers};
    exact->delta = (double)(problem->delta_ps / *unit_ps);
    exact->shortest = (double)makespan_ps / (double)*unit_ps + (makespan_ps % *unit_ps ? 2 * NEAR : 0);
    order_rows(exact, *unit_ps);
    return true;
}

/* A number of units in picoseconds; rounded up if it is not whole. */
static ps_t in_ps(double units, ps_t unit_ps)
{
    double whole = round(units);
    return fabs(whole - units) < NEAR ? (ps_t)whole * unit_ps : (ps_t)ceil(units * (double)unit_ps);
}

static void write_schedule(const struct exact *exact, ps_t unit_ps, struct circuit_schedule *schedule)
{
    struct player player;
    uint32_t entries[EXACT_PORTS];
    const struct circuit_problem *problem = exact->problem;
    player_init(&player, problem, schedule);
    for (uint32_t slot = 0; slot < exact->best_slots; slot++) {
        for (uint32_t row = 0; row < exact->rows; row++) {
            uint32_t column = exact->best[row][slot];
            entries[exact->row_sender[row]] =
                column == IDLE ? CIRCUIT_NONE : circuit_at(problem, exact->row_sender[row], column);
        }
        ps_t slot_ps = in_ps(exact->best_time[slot], unit_ps);
        if (slot_ps > 0)
            player_slot(&player, entries, slot_ps);
    }
    player_free(&player);
}

/* Takes over what the search has found, unless rounding has made it longer. */
static void take_over(const struct exact *exact, ps_t unit_ps, struct circuit_schedule *schedule)
{
    struct circuit_schedule found = {.made_by = schedule->made_by};
    write_schedule(exact, unit_ps, &found);
    if (found.makespan_ps >= schedule->makespan_ps) {
        circuit_schedule_free(&found);
        return;
    }
    circuit_schedule_free(schedule);
    *schedule = found;
}

bool exact_search(const struct circuit_problem *problem, const struct circuit_effort *effort,
                  uint64_t most_programmes, struct circuit_schedule *schedule)
{
    struct exact exact;
    ps_t unit_ps;
    struct circuit_bounds bounds = circuit_bounds_of(problem);
    if (!begin(&exact, problem, schedule->makespan_ps, &unit_ps))
        return false;
    exact.effort = effort;
    exact.most_programmes = most_programmes;
    double rho = (double)bounds.rho_ps / (double)unit_ps;
    for (exact.slots = bounds.degree; !exact.gave_up; exact.slots++) {
        if (exact.slots * exact.delta + rho >= exact.shortest - NEAR)
            break;
        if (exact.slots > EXACT_SLOTS)
            exact.gave_up = true;
        else
            choose(&exact, 0, 0, columns_of(&exact, 0));
    }
    if (exact.best_slots)
        take_over(&exact, unit_ps, schedule);
    return !exact.gave_up && schedule->makespan_ps <= in_ps(exact.shortest, unit_ps);
}
