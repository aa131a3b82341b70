#ifndef HELIO_REPORT_BREAKDOWN_PAGE_H
#define HELIO_REPORT_BREAKDOWN_PAGE_H

#include "breakdown/model.h"

/* Writes a message as a page of bars, with a slider for each time of the system. */
enum status breakdown_page_save(const struct model *model, const char *path);

#endif
