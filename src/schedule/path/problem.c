#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "schedule/path/two_hops.h"

/* ------------------------------------------------------------------ problem */

static bool fits_topology(const struct topo *topo, const struct circuit_demand *demand)
{
    char text[TOPO_TEXT];
    for (size_t i = 0; i < demand->count; i++) {
        const struct circuit_demand_line *line = &demand->lines[i];
        uint32_t most = line->source > line->destination ? line->source : line->destination;
        if (most >= topo->nodes) {
            diag_error("node %" PRIu32 " has bytes to send or to receive; %s has the nodes 0 to %" PRIu32,
                       most, topo_print(topo, text, sizeof text), topo->nodes - 1);
            return false;
        }
        if (line->source == line->destination) {
            diag_error("node %" PRIu32 " sends to itself, and no circuit of a topology leads there; a demand "
                       "with --topology is between different nodes",
                       most);
            return false;
        }
    }
    return true;
}

static bool has_alike_links(const struct topo *topo)
{
    char text[TOPO_TEXT];
    if (!topo_has_rates(topo) && !topo->has_ports)
        return true;
    diag_error("--topology: links of %s have rates of their own, or nodes have several links; circuits need "
               "nodes with one link, and all links with the rate of --rate",
               topo_print(topo, text, sizeof text));
    return false;
}

static bool has_few_links(const struct topo *topo, uint32_t planes)
{
    char text[TOPO_TEXT];
    if (planes == 1 || (uint64_t)planes * topo->links <= PATH_MOST_LINKS)
        return true;
    diag_error("--switches: %" PRIu32 " planes of %s have more than %d links together; fewer planes or a "
               "smaller topology are needed",
               planes, topo_print(topo, text, sizeof text), PATH_MOST_LINKS);
    return false;
}

static void add_entries(struct path_problem *problem, const struct circuit_demand *demand)
{
    problem->entries = mem_alloc(demand->count + 1, sizeof *problem->entries, "a demand");
    problem->count = (uint32_t)demand->count;
    for (size_t i = 0; i < demand->count; i++) {
        const struct circuit_demand_line *line = &demand->lines[i];
        problem->entries[i] =
            (struct path_entry){.source = line->source,
                                .destination = line->destination,
                                .bytes = line->bytes,
                                .time_ps = service_ps(line->bytes, problem->rate_bytes_per_s)};
        tdm_pattern_add(&problem->pattern, line->source, line->destination);
    }
}

/* All entries one after another, each with a set-up, are the longest schedule that any algorithm makes. */
static bool is_countable(const struct path_problem *problem)
{
    sum_t sum_ps = 0;
    for (uint32_t i = 0; i < problem->count; i++)
        sum_ps += (sum_t)problem->entries[i].time_ps + (sum_t)problem->delta_ps;
    if (sum_ps < PS_NEVER / 16)
        return true;
    diag_error("all circuits take 6 days or more one after another; fewer bytes, a higher rate or a shorter "
               "switching time are needed");
    return false;
}

enum status path_problem_init(struct path_problem *problem, const struct topo *topo, bool free_routes,
                              const struct circuit_demand *demand, const struct circuit_switching *switching)
{
    *problem = (struct path_problem){.topo = *topo,
                                     .delta_ps = switching->delta_ps,
                                     .rate_bytes_per_s = switching->rate_bytes_per_s,
                                     .planes = switching->switches,
                                     .hops = switching->hops > 1 ? 2 : 1,
                                     .all_stop = switching->all_stop};
    if (!has_alike_links(topo) || !has_few_links(topo, problem->planes) || !fits_topology(topo, demand))
        return STATUS_BAD_INPUT;
    add_entries(problem, demand);
    enum status status = is_countable(problem) ? tdm_problem_from_pattern(topo, &problem->pattern,
                                                                          free_routes, &problem->routes)
                                               : STATUS_BAD_INPUT;
    if (status == STATUS_OK && problem->hops > 1)
        path_ways_init(problem);
    if (status == STATUS_OK)
        return STATUS_OK;
    tdm_pattern_free(&problem->pattern);
    free(problem->entries);
    return status;
}

void path_problem_free(struct path_problem *problem)
{
    tdm_problem_free(&problem->routes);
    tdm_problem_free(&problem->ways);
    free(problem->way_index);
    tdm_pattern_free(&problem->pattern);
    free(problem->entries);
    *problem = (struct path_problem){.count = 0};
}

/* ----------------------------------------------------------------- schedule */

void path_schedule_free(struct path_schedule *schedule)
{
    free(schedule->pieces);
    *schedule = (struct path_schedule){.count = 0};
}

void path_schedule_clear(struct path_schedule *schedule)
{
    schedule->count = 0;
    schedule->makespan_ps = 0;
    schedule->configurations = 0;
}

void path_add(struct path_schedule *schedule, const struct path_piece *piece)
{
    schedule->pieces = mem_grow(schedule->pieces, &schedule->capacity, schedule->count + 1, "a schedule");
    schedule->pieces[schedule->count++] = *piece;
    schedule->makespan_ps = ps_max(schedule->makespan_ps, piece->end_ps);
}

void path_keep_shorter(struct path_schedule *schedule, struct path_schedule *other, const char *made_by)
{
    if (schedule->count && schedule->makespan_ps <= other->makespan_ps)
        return;
    struct path_schedule before = *schedule;
    *schedule = *other;
    schedule->made_by = made_by;
    *other = before;
}

static int compare_pieces(const void *a, const void *b)
{
    const struct path_piece *left = a, *right = b;
    if (left->start_ps != right->start_ps)
        return left->start_ps < right->start_ps ? -1 : 1;
    if (left->plane != right->plane)
        return left->plane < right->plane ? -1 : 1;
    return left->entry < right->entry ? -1 : left->entry > right->entry;
}

uint32_t path_relayed(const struct path_problem *problem, const struct path_schedule *schedule)
{
    uint32_t count = 0;
    bool *is_counted = mem_alloc((size_t)problem->count + 1, sizeof *is_counted, "entries of two hops");
    for (size_t i = 0; i < schedule->count; i++) {
        const struct path_piece *piece = &schedule->pieces[i];
        count += piece->between && !is_counted[piece->entry];
        is_counted[piece->entry] = is_counted[piece->entry] || piece->between;
    }
    free(is_counted);
    return count;
}

/* A piece needs a set-up unless the piece before on its first link is on all of its links. */
static bool needs_setup(const struct path_problem *problem, const struct path_piece *piece, uint32_t *last)
{
    uint32_t count;
    bool changes = false;
    const uint32_t *links = path_route(problem, piece->route, &count);
    last += (size_t)piece->plane * problem->topo.links;
    for (uint32_t i = 0; i < count; i++) {
        changes = changes || last[links[i]] != piece->route + 1;
        last[links[i]] = piece->route + 1;
    }
    return changes;
}

void path_finish(const struct path_problem *problem, struct path_schedule *schedule)
{
    uint32_t *last = mem_alloc(path_links(problem) + 1, sizeof *last, "circuits that are up"), plane = 0;
    ps_t setup_ps = -1;
    if (schedule->count)
        qsort(schedule->pieces, schedule->count, sizeof *schedule->pieces, compare_pieces);
    schedule->configurations = 0;
    schedule->makespan_ps = 0;
    for (size_t i = 0; i < schedule->count; i++) {
        const struct path_piece *piece = &schedule->pieces[i];
        schedule->makespan_ps = ps_max(schedule->makespan_ps, piece->end_ps);
        if (needs_setup(problem, piece, last) && (piece->start_ps != setup_ps || piece->plane != plane)) {
            schedule->configurations++;
            setup_ps = piece->start_ps;
            plane = piece->plane;
        }
    }
    free(last);
}
