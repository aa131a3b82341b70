#include "report/tolerance_page.h"

#include <stdlib.h>

#include "report/page.h"

enum status tolerance_page_save(const char *path, const char *title, json_t *results)
{
    json_put_text(results, "schema", "helio-tolerance-page-1");
    json_put_text(results, "version", HELIO_VERSION);
    char *text = json_take_line(results, JSON_EXACT);
    enum status status = report_page_save(
        path, &(struct report_content){
                  .title = title, .results = text, .meanings = "{}", .program = REPORT_OF_TOLERANCE});
    free(text);
    return status;
}
