#ifndef HELIO_REPORT_COMPARE_PAGE_H
#define HELIO_REPORT_COMPARE_PAGE_H

#include "base/status.h"
#include "output/json.h"

/* One of the two results that a page compares. */
struct compare_page_side {
    const char *name;     /* of its file */
    const json_t *result; /* the object of helio run --json */
};

/* Writes the page that compares two results, A and B. `comparison` is the object of helio compare --json, and
 * becomes the page's. STATUS_FAILED, reported. */
enum status compare_page_save(const char *path, const struct compare_page_side *a,
                              const struct compare_page_side *b, json_t *comparison);

#endif
