#ifndef HELIO_REPORT_PAGE_PARTS_H
#define HELIO_REPORT_PAGE_PARTS_H

#include <stddef.h>

/* The files of src/report/page as the build puts them into the program (embed.cmake). */
extern const char page_html[], page_css[], page_js[];
extern const size_t page_html_length, page_css_length, page_js_length;

#endif
