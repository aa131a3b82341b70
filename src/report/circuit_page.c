#include "report/circuit_page.h"

#include <stdlib.h>

#include "base/mem.h"
#include "report/page.h"
#include "report/topology.h"

enum { MOST_PIECES = 20000 }; /* on a page */

static double in_seconds(ps_t time_ps)
{
    return (double)time_ps / (double)PS_PER_S;
}

/* [source, destination, bytes]: arrays, since a page has many of them. */
static void add_entry(json_t *entries, uint32_t source, uint32_t destination, uint64_t bytes)
{
    json_t *row = json_make_list();
    json_add_count(row, source);
    json_add_count(row, destination);
    json_add_count(row, bytes);
    json_add(entries, row);
}

static json_t *entries_json(const struct circuit_problem *problem)
{
    json_t *entries = json_make_list();
    for (uint32_t i = 0; i < problem->count; i++) {
        const struct circuit_entry *entry = &problem->entries[i];
        add_entry(entries, problem->sender_port[entry->sender], problem->receiver_port[entry->receiver],
                  entry->bytes);
    }
    return entries;
}

/* [place, entry, start, end]: the place is a switch, or a path */
static json_t *add_piece(json_t *pieces, uint32_t place, uint32_t entry, ps_t start_ps, ps_t end_ps)
{
    json_t *row = json_make_list();
    json_add_count(row, place);
    json_add_count(row, entry);
    json_add_number(row, in_seconds(start_ps));
    json_add_number(row, in_seconds(end_ps));
    json_add(pieces, row);
    return row;
}

/* With two hops also the port in between (+ 1; 0: none), and 1 if the circuit leads from there. */
static void add_between(json_t *row, uint32_t between, bool is_second)
{
    if (between)
        json_add_count(row, between - 1);
    if (between && is_second)
        json_add_count(row, 1);
}

static json_t *pieces_json(const struct circuit_schedule *schedule)
{
    json_t *pieces = json_make_list();
    for (size_t i = 0; i < schedule->count && i < MOST_PIECES; i++) {
        const struct circuit_piece *piece = &schedule->pieces[i];
        json_t *row = add_piece(pieces, piece->crossbar, piece->entry, piece->start_ps, piece->end_ps);
        add_between(row, piece->via == CIRCUIT_NONE ? 0 : piece->via + 1, piece->is_second);
    }
    return pieces;
}

static enum status save(const char *path, const char *title, json_t *results)
{
    json_object_del(results, "seconds"); /* the same schedule has the same page */
    json_put_text(results, "demand", title);
    return report_page_save_json(path, title, REPORT_OF_CIRCUITS, "helio-circuits-page-1", results);
}

static void put_schedule(json_t *results, const char *made_by, size_t pieces)
{
    json_put_text(results, "made_by", made_by);
    json_put_count(results, "pieces_left_out", pieces > MOST_PIECES ? pieces - MOST_PIECES : 0);
}

enum status circuit_page_save(const char *path, const char *title, json_t *results,
                              const struct circuit_problem *problem, const struct circuit_schedule *schedule)
{
    put_schedule(results, schedule->made_by, schedule->count);
    json_put(results, "entries", entries_json(problem));
    json_put(results, "pieces", pieces_json(schedule));
    return save(path, title, results);
}

/* ----------------------------------------------------------------- topology */

static json_t *path_entries_json(const struct path_problem *problem)
{
    json_t *entries = json_make_list();
    for (uint32_t i = 0; i < problem->count; i++)
        add_entry(entries, problem->entries[i].source, problem->entries[i].destination,
                  problem->entries[i].bytes);
    return entries;
}

static json_t *links_json(const struct path_problem *problem, uint32_t route)
{
    uint32_t count;
    const uint32_t *links = path_route(problem, route, &count);
    json_t *list = json_make_list();
    for (uint32_t i = 0; i < count; i++)
        json_add_count(list, links[i]);
    return list;
}

/* Pieces name their path by its place in the list of those that are in use; of several planes, a list beside
 * theirs has the plane of each. */
static void put_paths(json_t *results, const struct path_problem *problem,
                      const struct path_schedule *schedule)
{
    json_t *pieces = json_make_list(), *paths = json_make_list(), *planes = json_make_list();
    uint32_t used = 0;
    uint32_t *place = mem_alloc((size_t)problem->routes.routes + problem->ways.routes + 1, sizeof *place,
                                "paths in use"); /* + 1 */
    for (size_t i = 0; i < schedule->count && i < MOST_PIECES; i++) {
        const struct path_piece *piece = &schedule->pieces[i];
        if (!place[piece->route]) {
            json_add(paths, links_json(problem, piece->route));
            place[piece->route] = ++used;
        }
        json_t *row =
            add_piece(pieces, place[piece->route] - 1, piece->entry, piece->start_ps, piece->end_ps);
        add_between(row, piece->between, piece->is_second);
        json_add_count(planes, piece->plane);
    }
    free(place);
    if (problem->planes > 1)
        json_put(results, "piece_planes", json_incref(planes));
    json_decref(planes);
    json_put(results, "pieces", pieces);
    json_put(results, "paths", paths);
}

enum status path_page_save(const char *path, const char *title, json_t *results,
                           const struct path_problem *problem, const struct path_schedule *schedule)
{
    put_schedule(results, schedule->made_by, schedule->count);
    json_put_count(results, "nodes", problem->topo.nodes);
    json_put(results, "entries", path_entries_json(problem));
    put_paths(results, problem, schedule);
    json_put(results, "links", report_link_names(&problem->topo));
    json_put(results, "picture", report_topology_picture(&problem->topo));
    return save(path, title, results);
}

enum status circuit_curve_page_save(const char *path, const char *title, json_t *results)
{
    return save(path, title, results);
}
