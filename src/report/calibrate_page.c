#include "report/calibrate_page.h"

#include "report/page.h"

enum status calibrate_page_save(const char *path, const char *title, json_t *results)
{
    return report_page_save_json(path, title, REPORT_OF_CALIBRATION, "helio-calibrate-page-1", results);
}
