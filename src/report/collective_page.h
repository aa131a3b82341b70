#ifndef HELIO_REPORT_COLLECTIVE_PAGE_H
#define HELIO_REPORT_COLLECTIVE_PAGE_H

#include "base/status.h"
#include "output/json.h"

/* Writes the page of a collective on circuit switches: which algorithm wins at which size and switching time,
 * and what a packet network takes. `results` is what `helio coll circuits --json` prints; it is freed. */
enum status collective_page_save(const char *path, const char *title, json_t *results);

#endif
