#ifndef HELIO_REPORT_CALIBRATE_PAGE_H
#define HELIO_REPORT_CALIBRATE_PAGE_H

#include "output/json.h"

/* Writes a page of a calibration: times by size beside the fitted lines, overheads, contention, guards.
 * `results` is what `helio calibrate --json` prints; it is freed. */
enum status calibrate_page_save(const char *path, const char *title, json_t *results);

#endif
