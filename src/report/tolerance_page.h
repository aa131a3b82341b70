#ifndef HELIO_REPORT_TOLERANCE_PAGE_H
#define HELIO_REPORT_TOLERANCE_PAGE_H

#include "output/json.h"

/* Writes a page of how a program's time depends on parameters: the curve of each, and the tornado. `results`
 * is what `helio tolerance --json` prints, with curves; it is freed. */
enum status tolerance_page_save(const char *path, const char *title, json_t *results);

#endif
