#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "schedule/path/list_search.h"
#include "schedule/path/network_state.h"

/* Sunflow on paths: entries in order of (source, destination). An entry whose links are all free keeps them
 * to its last byte; whenever a circuit ends, the list is walked again. Of several planes an entry takes the
 * first one in which its links are free. On all-stop switches the same rule runs in the time in which
 * circuits carry; then each instant at which circuits are set up stops their plane. */

enum { MOST_PIECES = 1 << 26 };

/* An instant at which circuits of a plane start. */
struct path_start {
    ps_t at_ps;
    uint32_t plane;
};

static int compare_starts(const void *a, const void *b)
{
    const struct path_start *left = a, *right = b;
    if (left->plane != right->plane)
        return left->plane < right->plane ? -1 : 1;
    return left->at_ps < right->at_ps ? -1 : left->at_ps > right->at_ps;
}

/* The instants at which circuits start, plane after plane, ascending and distinct. first[p] ... first[p + 1]
 * - 1 are those of plane p. */
static struct path_start *starts_of(const struct path_schedule *schedule, uint32_t planes, size_t *first)
{
    struct path_start *starts = mem_alloc(schedule->count + 1, sizeof *starts, "set-ups");
    size_t count = 0;
    for (size_t i = 0; i < schedule->count; i++)
        starts[i] = (struct path_start){schedule->pieces[i].start_ps, schedule->pieces[i].plane};
    if (schedule->count)
        qsort(starts, schedule->count, sizeof *starts, compare_starts);
    for (size_t i = 0; i < schedule->count; i++)
        if (!count || compare_starts(&starts[i], &starts[count - 1]) != 0) {
            starts[count++] = starts[i];
            first[starts[i].plane + 1]++;
        }
    for (uint32_t plane = 0; plane < planes; plane++)
        first[plane + 1] += first[plane];
    return starts;
}

/* How many of the instants are at or before this one. */
static size_t stops_until(const struct path_start *starts, size_t count, ps_t at_ps)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (starts[middle].at_ps <= at_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Splits the piece at the instants at which its plane stops, each of which takes delta. */
static void split(const struct path_problem *problem, struct path_piece piece,
                  const struct path_start *starts, size_t count, struct path_schedule *schedule)
{
    ps_t end_ps = piece.end_ps;
    for (size_t stops = stops_until(starts, count, piece.start_ps); piece.start_ps < end_ps; stops++) {
        struct path_piece part = piece;
        piece.end_ps = stops < count && starts[stops].at_ps < end_ps ? starts[stops].at_ps : end_ps;
        part.start_ps = piece.start_ps + (ps_t)stops * problem->delta_ps;
        part.end_ps = piece.end_ps + (ps_t)stops * problem->delta_ps;
        path_add(schedule, &part);
        piece.start_ps = piece.end_ps;
    }
}

static enum status stop_all(const struct path_problem *problem, const struct path_schedule *carried,
                            struct path_schedule *schedule)
{
    size_t *first = mem_alloc((size_t)problem->planes + 1, sizeof *first, "set-ups");
    struct path_start *starts = starts_of(carried, problem->planes, first);
    for (size_t i = 0; i < carried->count && schedule->count <= MOST_PIECES; i++) {
        uint32_t plane = carried->pieces[i].plane;
        split(problem, carried->pieces[i], starts + first[plane], first[plane + 1] - first[plane], schedule);
    }
    free(starts);
    free(first);
    if (schedule->count <= MOST_PIECES)
        return STATUS_OK;
    diag_error("the circuits stop and go on more than %d times; --switch not-all-stop avoids that",
               MOST_PIECES);
    return STATUS_FAILED;
}

static enum status run(const struct path_problem *problem, const struct circuit_effort *effort,
                       struct path_schedule *schedule)
{
    struct path_problem carrying = *problem;
    struct path_schedule carried = {.count = 0};
    (void)effort;
    if (problem->all_stop)
        carrying.delta_ps = 0;
    list_in_order(&carrying, problem->all_stop ? &carried : schedule);
    enum status status = problem->all_stop ? stop_all(problem, &carried, schedule) : STATUS_OK;
    path_schedule_free(&carried);
    return status;
}

const struct path_algorithm sunflow_paths = {.name = "sunflow", .run = run, .cost = list_cost};
