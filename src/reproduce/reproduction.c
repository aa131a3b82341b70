#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/output.h"
#include "report/assets.h"
#include "report/page.h"
#include "reproduce/parts.h"
#include "reproduce/reproduce.h"
#include "sim/components.h"

/* ------------------------------------------------------------------------------------- what papers ask for
 */

bool reproduction_is_quick(const struct reproduction *reproduction)
{
    return reproduction->quick;
}

const struct run_facts *reproduction_run(struct reproduction *reproduction, const char *fabric,
                                         const char *workload, const char *settings)
{
    return runs_ask(reproduction->runs, fabric, workload, settings, &reproduction->failed_because);
}

static const struct param *find_parameter(const char *name)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < tables[i]->count; k++)
            if (strcmp(tables[i]->params[k].name, name) == 0)
                return &tables[i]->params[k];
    return NULL;
}

double reproduction_parameter(const char *name)
{
    const struct param *param = find_parameter(name);
    struct param_problem problem;
    uint64_t value = 0;
    if (!param || param->type > PARAM_COUNT)
        return NAN;
    return param_parse(param, param->fallback, &value, NULL, &problem) ? (double)value : NAN;
}

double reproduction_published(const struct reproduction *reproduction, const char *item)
{
    const struct published_item *published = published_find(&reproduction->published, item);
    return published && published->has_value ? published->value : NAN;
}

/* ------------------------------------------------------------------------------------------------ one paper
 */

/* Until the paper asks for no run that is not there. */
static void compute(struct reproduction *reproduction)
{
    do {
        rows_clear(reproduction);
        json_array_clear(reproduction->figures);
        reproduction->failed_because = NULL;
        reproduction->paper->reproduce(reproduction);
    } while (runs_catch_up(reproduction->runs, reproduction->paper->name));
    rows_complete(reproduction);
}

static enum status write_file(const struct reproduction *reproduction, const char *folder, const char *ending,
                              void (*write)(const struct reproduction *reproduction, FILE *out))
{
    char *path = mem_format("%s/%s%s", folder, reproduction->paper->name, ending);
    struct output output;
    enum status status = output_open(&output, path);
    if (status == STATUS_OK) {
        write(reproduction, output.file);
        status = output_close(&output, STATUS_OK);
    }
    free(path);
    return status;
}

static enum status write_page(const struct reproduction *reproduction, struct report_page *page)
{
    char *results = page_json(reproduction);
    enum status status = report_page_put(page, &(struct report_content){.title = reproduction->paper->title,
                                                                        .results = results,
                                                                        .meanings = "{}",
                                                                        .program = REPORT_OF_PAPER});
    free(results);
    return report_page_close(page, status);
}

static enum status write_all(const struct reproduction *reproduction, const char *folder,
                             struct report_page *page)
{
    enum status status = write_summary(reproduction, stdout);
    if (status == STATUS_OK)
        status = write_file(reproduction, folder, ".csv", write_rows);
    if (status == STATUS_OK)
        status = write_file(reproduction, folder, "-figures.csv", write_figures);
    if (page)
        status = status == STATUS_OK ? write_page(reproduction, page) : report_page_close(page, status);
    if (status == STATUS_OK)
        diag_note("in %s: %s.csv, %s-figures.csv%s", folder, reproduction->paper->name,
                  reproduction->paper->name, page ? ", and both drawn as a page" : "");
    return status;
}

/* The page needs libraries that only the set-up can get; the numbers do not. */
static enum status open_page(const char *folder, const char *name, struct report_page **page)
{
    *page = NULL;
    char *assets = report_assets_folder();
    if (!assets) {
        diag_warning("no page is written: the libraries that draw it are not here (tools/report-assets)");
        return STATUS_OK;
    }
    free(assets);
    char *path = mem_format("%s/%s.html", folder, name);
    enum status status = report_page_open(path, page);
    free(path);
    return status;
}

static enum status make_folder(const char *folder)
{
    struct stat found;
    if (mkdir(folder, 0777) == 0 || (errno == EEXIST && stat(folder, &found) == 0 && S_ISDIR(found.st_mode)))
        return STATUS_OK;
    diag_error("cannot make the folder %s: %s", folder, strerror(errno));
    return STATUS_FAILED;
}

/* Everything between opening the outputs and closing them. */
static enum status compute_and_write(struct reproduction *reproduction, const char *folder,
                                     struct report_page *page)
{
    reproduction->figures = json_array();
    compute(reproduction);
    enum status status =
        reproduction->broken ? report_page_close(page, STATUS_FAILED) : write_all(reproduction, folder, page);
    rows_clear(reproduction);
    free(reproduction->rows);
    json_decref(reproduction->figures);
    return status;
}

enum status reproduce_paper(const struct paper *paper, const struct reproduce_options *options)
{
    struct reproduction reproduction = {.paper = paper, .quick = options->quick};
    struct report_page *page = NULL;
    char *path = mem_format("%s/runs.db", options->folder);
    enum status status = published_load(&reproduction.published, paper->folder);
    if (status == STATUS_OK)
        status = make_folder(options->folder);
    if (status == STATUS_OK)
        status = runs_open(path, options->jobs, &reproduction.runs);
    if (status == STATUS_OK)
        status = open_page(options->folder, paper->name, &page);
    if (status == STATUS_OK)
        status = compute_and_write(&reproduction, options->folder, page);
    if (reproduction.runs)
        runs_close(reproduction.runs);
    published_free(&reproduction.published);
    free(path);
    return status;
}

const char *paper_name(const struct paper *paper)
{
    return paper->name;
}

const char *paper_title(const struct paper *paper)
{
    return paper->title;
}
