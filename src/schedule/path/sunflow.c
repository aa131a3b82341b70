#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "schedule/path/list_search.h"
#include "schedule/path/network_state.h"

/* Sunflow on paths: entries in order of (source, destination). An entry whose links are all free keeps them
 * to its last byte; whenever a circuit ends, the list is walked again. On all-stop switches the same rule
 * runs in the time in which circuits carry; then each instant at which circuits are set up stops the network.
 */

enum { MOST_PIECES = 1 << 26 };

static int compare_starts(const void *a, const void *b)
{
    const ps_t *left = a, *right = b;
    return *left < *right ? -1 : *left > *right;
}

/* The instants at which circuits start, ascending and distinct. */
static ps_t *starts_of(const struct path_schedule *schedule, size_t *count)
{
    ps_t *starts_ps = mem_alloc(schedule->count + 1, sizeof *starts_ps, "set-ups");
    *count = 0;
    for (size_t i = 0; i < schedule->count; i++)
        starts_ps[i] = schedule->pieces[i].start_ps;
    if (schedule->count)
        qsort(starts_ps, schedule->count, sizeof *starts_ps, compare_starts);
    for (size_t i = 0; i < schedule->count; i++)
        if (!*count || starts_ps[i] != starts_ps[*count - 1])
            starts_ps[(*count)++] = starts_ps[i];
    return starts_ps;
}

/* How many of the instants are at or before this one. */
static size_t stops_until(const ps_t *starts_ps, size_t count, ps_t at_ps)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (starts_ps[middle] <= at_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Splits the pieces at the instants at which the network stops, each of which takes delta. */
static enum status stop_all(const struct path_problem *problem, const struct path_schedule *carried,
                            struct path_schedule *schedule)
{
    size_t count;
    ps_t *starts_ps = starts_of(carried, &count);
    for (size_t i = 0; i < carried->count && schedule->count <= MOST_PIECES; i++) {
        struct path_piece piece = carried->pieces[i];
        ps_t end_ps = piece.end_ps;
        for (size_t stops = stops_until(starts_ps, count, piece.start_ps); piece.start_ps < end_ps; stops++) {
            piece.end_ps = stops < count && starts_ps[stops] < end_ps ? starts_ps[stops] : end_ps;
            ps_t stopped_ps = (ps_t)stops * problem->delta_ps;
            path_add(schedule, &(struct path_piece){piece.entry, piece.route, piece.start_ps + stopped_ps,
                                                    piece.end_ps + stopped_ps});
            piece.start_ps = piece.end_ps;
        }
    }
    free(starts_ps);
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
