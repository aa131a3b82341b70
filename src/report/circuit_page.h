#ifndef HELIO_REPORT_CIRCUIT_PAGE_H
#define HELIO_REPORT_CIRCUIT_PAGE_H

#include "output/json.h"
#include "schedule/circuit/circuit.h"
#include "schedule/path/path.h"

/* Writes a schedule of circuits as a page: what each port does when, the demand, and what is carried at a
 * time. `results` is what `helio schedule --switching --json` prints; the page's own fields are added to it.
 */
enum status circuit_page_save(const char *path, const char *title, json_t *results,
                              const struct circuit_problem *problem, const struct circuit_schedule *schedule);

/* The same of circuits through a topology: what each link does when, and which are in use at a time. */
enum status path_page_save(const char *path, const char *title, json_t *results,
                           const struct path_problem *problem, const struct path_schedule *schedule);

/* The same of makespans over the switching time. */
enum status circuit_curve_page_save(const char *path, const char *title, json_t *results);

#endif
