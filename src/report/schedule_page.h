#ifndef HELIO_REPORT_SCHEDULE_PAGE_H
#define HELIO_REPORT_SCHEDULE_PAGE_H

#include "schedule/method.h"

/* A pattern with its schedule. */
struct scheduled {
    const char *title; /* names the pattern */
    const struct topo *topo;
    const struct tdm_pattern *pattern;
    const struct tdm_method *method;
    const struct tdm_plan *plan;
};

/* Writes it as a page: slots by links, and what each slot connects. */
enum status schedule_page_save(const struct scheduled *scheduled, const char *path);

#endif
