#include "reproduce/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/mem.h"
#include "output/fabric_style.h"
#include "output/output.h"
#include "report/assets.h"

enum status folder_make(const char *folder)
{
    struct stat found;
    if (mkdir(folder, 0777) == 0 || (errno == EEXIST && stat(folder, &found) == 0 && S_ISDIR(found.st_mode)))
        return STATUS_OK;
    diag_error("cannot make the folder %s: %s", folder, strerror(errno));
    return STATUS_FAILED;
}

enum status folder_put_file(const char *folder, const char *name, const char *ending,
                            void (*put)(FILE *out, const void *what), const void *what)
{
    char *path = mem_format("%s/%s%s", folder, name, ending);
    struct output output;
    enum status status = output_open(&output, path);
    if (status == STATUS_OK) {
        put(output.file, what);
        status = output_close(&output, STATUS_OK);
    }
    free(path);
    return status;
}

enum status folder_open_page(const char *folder, const char *name, struct report_page **page)
{
    *page = NULL;
    char *assets = report_assets_folder();
    if (!assets) {
        diag_warning(
            "no page is written: the libraries that draw it are missing (tools/report-assets gets them)");
        return STATUS_OK;
    }
    free(assets);
    char *path = mem_format("%s/%s.html", folder, name);
    enum status status = report_page_open(path, page);
    free(path);
    return status;
}

enum status folder_put_page(struct report_page *page, const char *title, const char *results,
                            enum report_program program)
{
    json_t *whole = json_make_object();
    json_put(whole, "fabrics", fabric_style_list_json());
    char *meanings = json_take_line(whole, JSON_EXACT);
    enum status status = report_page_put(
        page, &(struct report_content){
                  .title = title, .results = results, .meanings = meanings, .program = program});
    free(meanings);
    return report_page_close(page, status);
}
