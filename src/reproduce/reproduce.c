#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "base/progress.h"
#include "output/standard.h"
#include "reproduce/folder.h"
#include "reproduce/internal.h"
#include "sim/components.h"

/* ------------------------------------------------------ what papers ask for */

bool reproduction_is_quick(const struct reproduction *reproduction)
{
    return reproduction->quick;
}

bool reproduction_is_try(const struct reproduction *reproduction)
{
    return reproduction->searches;
}

bool reproduction_wants(const struct reproduction *reproduction, const char *prefix)
{
    const struct published *published = &reproduction->published;
    for (size_t i = 0; i < published->count; i++) {
        const struct published_item *item = &published->items[i];
        if (strncmp(item->item, prefix, strlen(prefix)) == 0 &&
            (!reproduction->searches || published_is_searched(published, item)) &&
            (!reproduction->wanted || fnmatch(reproduction->wanted, item->item, 0) == 0))
            return true;
    }
    return false;
}

bool reproduction_draws(const struct reproduction *reproduction)
{
    return !reproduction->searches && !reproduction->wanted;
}

const struct run_facts *reproduction_run(struct reproduction *reproduction, const char *fabric,
                                         const char *workload, const char *settings)
{
    const char *chosen = reproduction->configuration->settings;
    char *all =
        mem_format("%s%s%s", chosen, *chosen && settings && *settings ? " " : "", settings ? settings : "");
    const struct run_facts *facts =
        runs_ask(reproduction->runs, fabric, workload, all, &reproduction->failed_because);
    free(all);
    return facts;
}

size_t reproduction_series(struct reproduction *reproduction, const struct run_facts *facts, const char *name,
                           double **values)
{
    return runs_series(reproduction->runs, facts, name, values);
}

const struct run_facts *reproduction_run_missing(struct reproduction *reproduction, const char *reason)
{
    reproduction->failed_because = reason;
    return &run_unknown;
}

const char *reproduction_choice(struct reproduction *reproduction, const char *unknown)
{
    const struct configurations *configurations = &reproduction->configurations;
    size_t index = configurations_unknown(configurations, unknown);
    if (index < configurations->unknown_count)
        return reproduction->configuration->choices[index];
    diag_error("papers/%s/unknowns.csv has no unknown '%s'", reproduction->paper->name, unknown);
    reproduction->broken = true;
    return "";
}

bool reproduction_chooses(struct reproduction *reproduction, const char *unknown, const char *value)
{
    return strcmp(reproduction_choice(reproduction, unknown), value) == 0;
}

bool reproduction_is_first(const struct reproduction *reproduction)
{
    return reproduction->configuration == reproduction->configurations.list;
}

double reproduction_parameter(const char *name)
{
    const struct param *param = components_param(name);
    struct param_problem problem;
    uint64_t value = 0;
    if (!param || param->type > PARAM_COUNT)
        return NAN;
    return param_parse(param, param->default_text, &value, NULL, &problem) ? (double)value : NAN;
}

double reproduction_published(const struct reproduction *reproduction, const char *item)
{
    const struct published_item *published = published_find(&reproduction->published, item);
    return published && published->has_value ? published->value : NAN;
}

/* ---------------------------------------------------------------- one paper */

enum status reproduction_complete(struct reproduction *reproduction)
{
    enum status status;
    size_t made;
    do {
        rows_clear(reproduction);
        json_array_clear(reproduction->figures);
        progress_begin(reproduction->paper->name, 0);
        for (size_t i = 0; i < reproduction->configurations.count; i++)
            reproduction_compute(reproduction, &reproduction->configurations.list[i]);
        progress_end();
        status = runs_catch_up(reproduction->runs, reproduction->paper->name, &made);
    } while (status == STATUS_OK && made);
    rows_complete(reproduction);
    return status == STATUS_OK && reproduction->broken ? STATUS_FAILED : status;
}

static enum status write_page(const struct reproduction *reproduction, struct report_page *page)
{
    char *results = page_json(reproduction);
    enum status status = folder_put_page(page, reproduction->paper->title, results, REPORT_OF_PAPER);
    free(results);
    return status;
}

static void put_rows(FILE *out, const void *reproduction)
{
    rows_write_header(out);
    rows_write(reproduction, out);
}

static void put_figures(FILE *out, const void *reproduction)
{
    figures_write(reproduction, out);
}

static void put_gnuplot(FILE *out, const void *reproduction)
{
    gnuplot_write(reproduction, out);
}

static void note_headline(const struct reproduction *reproduction)
{
    const char *named = reproduction->paper->headline, *best = configuration_best(reproduction)->name;
    if (named && strcmp(named, best) != 0)
        diag_note("%s names %s as its best configuration, and %s meets more numbers here",
                  reproduction->paper->name, named, best);
}

static enum status write_all(const struct reproduction *reproduction, const char *folder,
                             struct report_page *page)
{
    const char *name = reproduction->paper->name;
    summary_write(reproduction, stdout);
    note_headline(reproduction);
    enum status status = standard_flush();
    if (status == STATUS_OK)
        status = folder_put_file(folder, name, ".csv", put_rows, reproduction);
    if (status == STATUS_OK)
        status = folder_put_file(folder, name, "-figures.csv", put_figures, reproduction);
    if (status == STATUS_OK)
        status = folder_put_file(folder, name, "-figures.gp", put_gnuplot, reproduction);
    if (page)
        status = status == STATUS_OK ? write_page(reproduction, page) : report_page_close(page, status);
    if (status == STATUS_OK)
        diag_note("in %s: %s.csv, %s-figures.csv and its gnuplot script%s", folder, name, name,
                  page ? ", and both drawn as a page" : "");
    return status;
}

enum status reproduction_open(struct reproduction *reproduction, const struct paper *paper,
                              const struct reproduce_options *options)
{
    *reproduction = (struct reproduction){.paper = paper, .quick = options->quick};
    char *path = options->folder && !options->workers ? mem_format("%s/runs.db", options->folder)
                                                      : mem_text(":memory:");
    enum status status = published_load(&reproduction->published, paper->name);
    if (status == STATUS_OK)
        status = configurations_load(&reproduction->configurations, paper->name);
    if (status == STATUS_OK && options->folder)
        status = folder_make(options->folder);
    if (status == STATUS_OK)
        status = runs_open(path, options->jobs, &reproduction->runs);
    reproduction->figures = json_make_list();
    free(path);
    return status;
}

void reproduction_close(struct reproduction *reproduction)
{
    rows_clear(reproduction);
    free(reproduction->rows);
    json_decref(reproduction->figures);
    if (reproduction->runs)
        runs_close(reproduction->runs);
    configurations_free(&reproduction->configurations);
    published_free(&reproduction->published);
}

void reproduction_compute(struct reproduction *reproduction, const struct configuration *configuration)
{
    reproduction->configuration = configuration;
    reproduction->failed_because = NULL;
    reproduction->paper->reproduce(reproduction);
}

enum status reproduce_paper(const struct paper *paper, const struct reproduce_options *options)
{
    return reproduce_paper_seen(paper, options, NULL, NULL);
}

enum status reproduce_paper_seen(const struct paper *paper, const struct reproduce_options *options,
                                 reproduction_seen *seen, void *self)
{
    struct reproduction reproduction;
    struct report_page *page = NULL;
    enum status status = reproduction_open(&reproduction, paper, options);
    if (status == STATUS_OK)
        status = folder_open_page(options->folder, paper->name, &page);
    if (status == STATUS_OK) {
        status = reproduction_complete(&reproduction);
        status = status == STATUS_OK ? write_all(&reproduction, options->folder, page)
                                     : report_page_close(page, status);
    }
    if (seen && status == STATUS_OK)
        seen(self, &reproduction);
    reproduction_close(&reproduction);
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
