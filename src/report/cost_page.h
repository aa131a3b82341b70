#ifndef HELIO_REPORT_COST_PAGE_H
#define HELIO_REPORT_COST_PAGE_H

#include "base/config.h"
#include "output/json.h"
#include "report/page.h"

/* Writes the page of `helio cost`: time against cost, where money, power and energy go, and the prices.
 * `results` is what `helio cost --json` prints; it is freed. */
enum status cost_page_put(struct report_page *page, const char *program, json_t *results,
                          const struct config *prices);

#endif
