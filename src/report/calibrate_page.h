#ifndef HELIO_REPORT_CALIBRATE_PAGE_H
#define HELIO_REPORT_CALIBRATE_PAGE_H

#include "report/page.h"

/* Writes a page of a calibration: times by size beside the fitted lines, overheads, contention, guards.
 * `results` is what `helio calibrate --json` prints; it is freed. */
enum status calibrate_page_save(const char *path, const char *title, json_t *results);

/* Writes into an open page the measured times of a program beside their forecasts. `results` is what
 * `helio calibrate --check --json` prints; it is freed. */
enum status forecast_page_put(struct report_page *page, json_t *results);

#endif
