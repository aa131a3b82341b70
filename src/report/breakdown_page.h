#ifndef HELIO_REPORT_BREAKDOWN_PAGE_H
#define HELIO_REPORT_BREAKDOWN_PAGE_H

#include "breakdown/model.h"
#include "report/page.h"

/* A message as a page of bars, with a slider for each time of the system. */
enum status breakdown_page_write(const struct model *model, struct report_page *page);

#endif
