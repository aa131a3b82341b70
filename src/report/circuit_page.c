#include "report/circuit_page.h"

#include <stdlib.h>

#include "report/page.h"

enum { MOST_PIECES = 20000 }; /* on a page */

static double in_seconds(ps_t time_ps)
{
    return (double)time_ps / (double)PS_PER_S;
}

/* [source, destination, bytes]: arrays, since a page has many of them. */
static json_t *entries_json(const struct circuit_problem *problem)
{
    json_t *entries = json_make_list();
    for (uint32_t i = 0; i < problem->count; i++) {
        const struct circuit_entry *entry = &problem->entries[i];
        json_t *row = json_make_list();
        json_add_count(row, problem->sender_port[entry->sender]);
        json_add_count(row, problem->receiver_port[entry->receiver]);
        json_add_count(row, entry->bytes);
        json_add(entries, row);
    }
    return entries;
}

/* [switch, entry, start, end] */
static json_t *pieces_json(const struct circuit_schedule *schedule)
{
    json_t *pieces = json_make_list();
    for (size_t i = 0; i < schedule->count && i < MOST_PIECES; i++) {
        const struct circuit_piece *piece = &schedule->pieces[i];
        json_t *row = json_make_list();
        json_add_count(row, piece->crossbar);
        json_add_count(row, piece->entry);
        json_add_number(row, in_seconds(piece->start_ps));
        json_add_number(row, in_seconds(piece->end_ps));
        json_add(pieces, row);
    }
    return pieces;
}

static enum status save(const char *path, const char *title, json_t *results)
{
    json_object_del(results, "seconds"); /* the same schedule has the same page */
    json_put_text(results, "demand", title);
    return report_page_save_json(path, title, REPORT_OF_CIRCUITS, "helio-circuits-page-1", results);
}

enum status circuit_page_save(const char *path, const char *title, json_t *results,
                              const struct circuit_problem *problem, const struct circuit_schedule *schedule)
{
    json_put_text(results, "made_by", schedule->made_by);
    json_put_count(results, "pieces_left_out",
                   schedule->count > MOST_PIECES ? schedule->count - MOST_PIECES : 0);
    json_put(results, "entries", entries_json(problem));
    json_put(results, "pieces", pieces_json(schedule));
    return save(path, title, results);
}

enum status circuit_curve_page_save(const char *path, const char *title, json_t *results)
{
    return save(path, title, results);
}
