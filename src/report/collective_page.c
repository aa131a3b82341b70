#include "report/collective_page.h"

#include "report/page.h"

enum status collective_page_save(const char *path, const char *title, json_t *results)
{
    json_put_text(results, "title", title);
    return report_page_save_json(path, title, REPORT_OF_COLLECTIVE, "helio-coll-circuits-page-1", results);
}
