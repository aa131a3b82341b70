#ifndef HELIO_REPORT_PAGE_H
#define HELIO_REPORT_PAGE_H

#include <stddef.h>

#include "base/status.h"
#include "sim/result.h"

/* A report: one HTML file with charts, tables, everything that led to them, and how to read them; it needs
 * nothing beside itself and no network. docs/report.md */
struct report_page;

/* To be called before the runs: finds the libraries that draw the charts and opens the file, so that what is
 * missing is said before anybody has waited. STATUS_FAILED, reported. */
enum status report_page_open(const char *path, struct report_page **page);

/* Which program draws the page: report/page/run.js (behind ranks.js and fabric.js), paper.js, papers.js,
 * sweep.js, breakdown.js or schedule.js, each behind kit.js. */
enum report_program {
    REPORT_OF_RUN,
    REPORT_OF_PAPER,
    REPORT_OF_PAPERS,
    REPORT_OF_SWEEP,
    REPORT_OF_BREAKDOWN,
    REPORT_OF_SCHEDULE
};

struct report_content {
    const char *title;
    const char *results, *meanings; /* JSON texts for the elements of these names, in any form */
    enum report_program program;
};

/* Writes the page: the same bytes for the same content. To be called once. */
enum status report_page_put(struct report_page *page, const struct report_content *content);

/* A page that is written once everything is known: opens it, writes it, closes it, and says where it is. */
enum status report_page_save(const char *path, const struct report_content *content);
void report_page_note(const char *path); /* says where it is */

/* The page of an experiment. */
enum status report_page_write(struct report_page *page, const struct manifest *manifest,
                              const struct result *results, size_t count);

/* Keeps the file if `run` is STATUS_OK, else removes it. Returns `run`, or STATUS_FAILED, reported, when the
 * file could not be written. `page` may be NULL. */
enum status report_page_close(struct report_page *page, enum status run);

#endif
