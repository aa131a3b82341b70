#ifndef HELIO_REPORT_PAGE_FILES_H
#define HELIO_REPORT_PAGE_FILES_H

#include <stddef.h>

/* The files of src/report/page as the build puts them into the program (embed.cmake). */
extern const char page_html[], page_css[], kit_js[], ranks_js[], path_js[], slack_js[], jobs_js[], sites_js[],
    calls_js[], bursts_js[], fabric_js[], run_js[], verdicts_js[], paper_js[], papers_js[], sweep_js[],
    breakdown_js[], schedule_js[], compare_js[], circuit_rows_js[], circuit_film_js[], circuits_js[],
    collective_js[], tolerance_js[], cost_js[], calibrate_js[], forecast_js[];
extern const size_t page_html_length, page_css_length, kit_js_length, ranks_js_length, path_js_length,
    slack_js_length, jobs_js_length, sites_js_length, calls_js_length, bursts_js_length, fabric_js_length,
    run_js_length, verdicts_js_length, paper_js_length, papers_js_length, sweep_js_length,
    breakdown_js_length, schedule_js_length, compare_js_length, circuit_rows_js_length,
    circuit_film_js_length, circuits_js_length, collective_js_length, tolerance_js_length, cost_js_length,
    calibrate_js_length, forecast_js_length;

#endif
