#include "schedule/circuit/assignment.h"

#include <stddef.h>

#include "base/mem.h"

/* Costs are weights below 0. */

void assignment_init(struct assignment *assignment, uint32_t size)
{
    size_t room = (size_t)size + 1;
    *assignment = (struct assignment){.size = size};
    assignment->weights = mem_alloc((size_t)size * size + 1, sizeof(int64_t), "weights of a matching");
    assignment->row_price = mem_alloc(room, sizeof(int64_t), "a matching");
    assignment->column_price = mem_alloc(room, sizeof(int64_t), "a matching");
    assignment->distance = mem_alloc(room, sizeof(int64_t), "a matching");
    assignment->column_of = mem_alloc(room, sizeof(uint32_t), "a matching");
    assignment->row_of = mem_alloc(room, sizeof(uint32_t), "a matching");
    assignment->reached_from = mem_alloc(room, sizeof(uint32_t), "a matching");
    assignment->columns = mem_alloc(room, sizeof(uint32_t), "a matching");
    assignment_restart(assignment);
}

void assignment_free(struct assignment *assignment)
{
    free(assignment->weights);
    free(assignment->row_price);
    free(assignment->column_price);
    free(assignment->distance);
    free(assignment->column_of);
    free(assignment->row_of);
    free(assignment->reached_from);
    free(assignment->columns);
    *assignment = (struct assignment){0};
}

/* Each column's price is its least cost, so that no reduced cost is negative. */
void assignment_restart(struct assignment *assignment)
{
    uint32_t size = assignment->size;
    for (uint32_t i = 0; i < size; i++) {
        assignment->column_of[i] = assignment->row_of[i] = ASSIGNMENT_NONE;
        assignment->row_price[i] = 0;
        assignment->column_price[i] = 0;
    }
    for (uint32_t row = 0; row < size; row++)
        for (uint32_t column = 0; column < size; column++) {
            int64_t cost = -assignment->weights[(size_t)row * size + column];
            if (cost < assignment->column_price[column])
                assignment->column_price[column] = cost;
        }
}

static int64_t reduced(const struct assignment *assignment, uint32_t row, uint32_t column)
{
    return -assignment->weights[(size_t)row * assignment->size + column] - assignment->row_price[row] -
           assignment->column_price[column];
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Moves the columns at the least distance behind the first `done` ones; returns how many are in front then.
 */
static uint32_t take_nearest(struct assignment *assignment, uint32_t done)
{
    uint32_t *columns = assignment->columns, front = done;
    int64_t least = INT64_MAX;
    for (uint32_t i = done; i < assignment->size; i++) {
        int64_t distance = assignment->distance[columns[i]];
        if (distance > least)
            continue;
        if (distance < least)
            front = done;
        least = distance;
        swap(&columns[i], &columns[front++]);
    }
    return front;
}

/* Passes on from a column at distance `least` to its row and that row's other columns. Returns a free column
 * at the same distance, if there is one. */
static uint32_t pass_on(struct assignment *assignment, uint32_t column, int64_t least, uint32_t *front)
{
    uint32_t row = assignment->row_of[column], *columns = assignment->columns;
    int64_t base = least - reduced(assignment, row, column);
    for (uint32_t i = *front; i < assignment->size; i++) {
        uint32_t next = columns[i];
        int64_t distance = base + reduced(assignment, row, next);
        if (distance >= assignment->distance[next])
            continue;
        assignment->distance[next] = distance;
        assignment->reached_from[next] = row;
        if (distance != least)
            continue;
        if (assignment->row_of[next] == ASSIGNMENT_NONE)
            return next;
        swap(&columns[i], &columns[(*front)++]);
    }
    return ASSIGNMENT_NONE;
}

/* The nearest free column, and in *done how many columns are nearer than `least`. */
static uint32_t search(struct assignment *assignment, uint32_t row, uint32_t *done, int64_t *least)
{
    for (uint32_t column = 0; column < assignment->size; column++) {
        assignment->columns[column] = column;
        assignment->distance[column] = reduced(assignment, row, column);
        assignment->reached_from[column] = row;
    }
    for (*done = 0;;) {
        uint32_t front = take_nearest(assignment, *done), at = *done;
        *least = assignment->distance[assignment->columns[at]];
        for (uint32_t i = at; i < front; i++)
            if (assignment->row_of[assignment->columns[i]] == ASSIGNMENT_NONE)
                return assignment->columns[i];
        for (; at < front; at++) {
            uint32_t end = pass_on(assignment, assignment->columns[at], *least, &front);
            if (end != ASSIGNMENT_NONE)
                return end;
        }
        *done = front;
    }
}

static void place(struct assignment *assignment, uint32_t row)
{
    uint32_t done;
    int64_t least;
    uint32_t column = search(assignment, row, &done, &least);
    for (uint32_t i = 0; i < done; i++) {
        uint32_t near = assignment->columns[i];
        int64_t gain = least - assignment->distance[near];
        assignment->column_price[near] -= gain;
        assignment->row_price[assignment->row_of[near]] += gain;
    }
    assignment->row_price[row] += least;
    while (column != ASSIGNMENT_NONE) {
        uint32_t from = assignment->reached_from[column], next = assignment->column_of[from];
        assignment->row_of[column] = from;
        assignment->column_of[from] = column;
        column = from == row ? ASSIGNMENT_NONE : next;
    }
}

void assignment_solve(struct assignment *assignment)
{
    for (uint32_t row = 0; row < assignment->size; row++) {
        uint32_t column = assignment->column_of[row];
        if (column != ASSIGNMENT_NONE && reduced(assignment, row, column) > 0)
            assignment->column_of[row] = assignment->row_of[column] = ASSIGNMENT_NONE;
    }
    for (uint32_t row = 0; row < assignment->size; row++)
        if (assignment->column_of[row] == ASSIGNMENT_NONE)
            place(assignment, row);
}
