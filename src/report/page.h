#ifndef HELIO_REPORT_PAGE_H
#define HELIO_REPORT_PAGE_H

#include <stddef.h>

#include "base/status.h"
#include "output/json.h"
#include "sim/result.h"

/* The room that shows results to people.
 *
 *     page.h             a report: an HTML page, of a run (run_page.c) or of other contents
 *     page_files.h       the page's template, styles and programs (report/page/), built into helio
 *     assets.h           the libraries that draw the charts
 *     topology.h         the network as a picture of the page
 *     breakdown_page.h, schedule_page.h, compare_page.h, circuit_page.h, collective_page.h,
 *     tolerance_page.h, cost_page.h, calibrate_page.h   the contents of other pages
 *     run_plot.h         a figure of a run, for gnuplot
 *     table.h            the table in the terminal; insight.h, memory.h: what stands beside it
 *     timeline/          a room of its own
 *
 * A report is one HTML file with charts, tables, their data, and help to read them. It needs no other file
 * and no network (docs/report.md). */
struct report_page;

/* Loads the libraries that draw the charts, and opens the file. Call it before the runs, so that a user does
 * not wait for runs and learns only then that a library is missing. STATUS_FAILED, reported. */
enum status report_page_open(const char *path, struct report_page **page);

/* The program that draws the page: in report/page/ run.js (with ranks.js, path.js, slack.js, jobs.js,
 * sites.js, bursts.js and fabric.js), paper.js and papers.js (with verdicts.js), sweep.js, breakdown.js,
 * schedule.js, compare.js, circuits.js (with circuit_rows.js and circuit_film.js), collective.js,
 * tolerance.js, cost.js, calibrate.js or forecast.js, each with kit.js. */
enum report_program {
    REPORT_OF_RUN,
    REPORT_OF_PAPER,
    REPORT_OF_PAPERS,
    REPORT_OF_SWEEP,
    REPORT_OF_BREAKDOWN,
    REPORT_OF_SCHEDULE,
    REPORT_OF_COMPARISON,
    REPORT_OF_CIRCUITS,
    REPORT_OF_COLLECTIVE,
    REPORT_OF_TOLERANCE,
    REPORT_OF_COST,
    REPORT_OF_CALIBRATION,
    REPORT_OF_FORECAST
};

struct report_content {
    const char *title;
    const char *results, *meanings; /* JSON texts for the page's elements of these names */
    enum report_program program;
};

/* Writes the page. Call it once. The same content gives the same bytes. */
enum status report_page_put(struct report_page *page, const struct report_content *content);

/* Opens, writes and closes a page, and prints where it is. */
enum status report_page_save(const char *path, const struct report_content *content);
/* The same as report_page_put and report_page_save of a JSON object, to which they add the schema and our
 * version. They free the object. */
enum status report_page_put_json(struct report_page *page, const char *title, enum report_program program,
                                 const char *schema, json_t *results);
enum status report_page_save_json(const char *path, const char *title, enum report_program program,
                                  const char *schema, json_t *results);
void report_page_note(const char *path); /* prints where the page is */

/* The page of an experiment. */
enum status report_page_write(struct report_page *page, const struct manifest *manifest,
                              const struct result *results, size_t count);

/* Keeps the file if `run` is STATUS_OK, else removes it. Returns `run`, or STATUS_FAILED, reported, when the
 * file could not be written. `page` may be NULL. */
enum status report_page_close(struct report_page *page, enum status run);

#endif
