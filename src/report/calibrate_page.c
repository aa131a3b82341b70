#include "report/calibrate_page.h"

enum status calibrate_page_save(const char *path, const char *title, json_t *results)
{
    return report_page_save_json(path, title, REPORT_OF_CALIBRATION, "helio-calibrate-page-1", results);
}

enum status forecast_page_put(struct report_page *page, json_t *results)
{
    return report_page_put_json(page, "A forecast and the times", REPORT_OF_FORECAST,
                                "helio-calibrate-check-page-1", results);
}
