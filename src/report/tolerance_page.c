#include "report/tolerance_page.h"

#include "report/page.h"

enum status tolerance_page_save(const char *path, const char *title, json_t *results)
{
    return report_page_save_json(path, title, REPORT_OF_TOLERANCE, "helio-tolerance-page-1", results);
}
