#include "sweep/plot.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/param.h"
#include "output/output.h"
#include "output/quote.h"
#include "sweep/plot_internal.h"

/* Takes ownership of `name`. */
static size_t index_of(struct text_index *names, char *name)
{
    size_t index = text_index_add(names, name);
    free(name);
    return index;
}

/* --------------------------------------------------------------------- axes */

const char *plot_varied_at(const struct results_table *results_table, size_t index)
{
    return json_string_value(json_array_get(results_table->varied, index));
}

/* Fabrics are series, and results of several seeds are averaged. */
bool plot_is_axis(const char *name)
{
    return strcmp(name, "fabric") != 0 && strcmp(name, "seed") != 0;
}

static void note_varied(const struct results_table *results_table)
{
    for (size_t i = 0; i < json_array_size(results_table->varied); i++)
        if (plot_is_axis(plot_varied_at(results_table, i)))
            diag_note("varied: %s", plot_varied_at(results_table, i));
}

/* Whether the value of a run is a number, which is enough to choose an axis. */
static bool is_numeric(const struct results_table *results_table, const char *name)
{
    double number;
    for (size_t i = 0; i < results_table->count; i++) {
        const char *value = results_table_value(&results_table->rows[i], name);
        if (value && *value)
            return plot_unit_of(value, &number) != PLOT_WORDS;
    }
    return false;
}

static enum status choose_x(struct plot *plot, const char *wanted)
{
    const struct results_table *results_table = plot->results_table;
    const char *first = NULL, *numeric = NULL;
    for (size_t i = 0; i < json_array_size(results_table->varied); i++) {
        const char *name = plot_varied_at(results_table, i);
        if (!plot_is_axis(name))
            continue;
        first = first ? first : name;
        if (!numeric && is_numeric(results_table, name))
            numeric = name;
        if (wanted && strcmp(name, wanted) == 0)
            plot->x = name;
    }
    if (!wanted)
        plot->x = numeric ? numeric : first;
    if (plot->x)
        return STATUS_OK;
    if (!wanted)
        diag_error("only fabrics and seeds are varied, so the figure has no x axis; helio report draws bars");
    else
        diag_error("%s was not varied", wanted);
    if (wanted)
        note_varied(plot->results_table);
    return STATUS_BAD_INPUT;
}

static const char *metric_at(const void *results_table, size_t index)
{
    const struct text_index *metrics = &((const struct results_table *)results_table)->metrics;
    return index < metrics->count ? metrics->texts[index] : NULL;
}

/* STATUS_BAD_INPUT, reported: no run has this number. */
static enum status choose_y(struct plot *plot)
{
    const struct results_table *results_table = plot->results_table;
    size_t have = 0;
    plot->y = plot->request->y ? plot->request->y : "makespan_s";
    if (plot_shows_speedup(plot) && json_object_size(results_table->baseline) == 0) {
        diag_error("speedups need a baseline; name one in the sweep's experiment file");
        return STATUS_BAD_INPUT;
    }
    plot->estimates = results_table_estimate(results_table, plot->y);
    for (size_t i = 0; i < results_table->group_count; i++)
        have += plot->estimates[i].count;
    if (have)
        return STATUS_OK;
    diag_error(
        "no run has a number %s%s", plot->y,
        diag_did_you_mean(diag_nearest(plot->y, results_table, results_table->metrics.count, metric_at)));
    diag_note("helio export prints a column for each number");
    return STATUS_BAD_INPUT;
}

/* STATUS_BAD_INPUT, reported: a parameter of `where` is not varied. */
static enum status check_where(const struct results_table *results_table, const struct plot_request *request)
{
    for (size_t i = 0; i < request->where_count; i++) {
        const char *name = request->where[i].name;
        bool found = strcmp(name, "fabric") == 0;
        for (size_t j = 0; !found && j < json_array_size(results_table->varied); j++)
            found = strcmp(plot_varied_at(results_table, j), name) == 0;
        if (found)
            continue;
        diag_error("--where: %s was not varied", name);
        note_varied(results_table);
        return STATUS_BAD_INPUT;
    }
    return STATUS_OK;
}

/* "fmu, fmu.t_switch=500 ns": the fabric and the varied parameters except x. */
static char *series_of(const struct plot *plot, const struct results_table_row *row)
{
    char *name = mem_text(row->fabric);
    for (size_t i = 0; i < json_array_size(plot->results_table->varied); i++) {
        const char *parameter = plot_varied_at(plot->results_table, i);
        const char *value = results_table_value(row, parameter);
        if (!plot_is_axis(parameter) || strcmp(parameter, plot->x) == 0 || !value)
            continue;
        char *longer = mem_format("%s, %s=%s", name, parameter, value);
        free(name);
        name = longer;
    }
    return name;
}

static char *value_of(const struct plot *plot, const struct results_table_row *row)
{
    const char *value = results_table_value(row, plot->x);
    return mem_text(value ? value : "");
}

static const char *value_at(const struct results_table_row *row, const char *name)
{
    return strcmp(name, "fabric") == 0 ? row->fabric : results_table_value(row, name);
}

/* Whether the row has the value, also if it is written in another way: 1024 B for 1 KiB, or 1024 as helio
 * export has it. */
static bool has_value(const struct results_table_row *row, const struct param_assignment *wanted)
{
    double number, other;
    const char *value = value_at(row, wanted->name);
    if (!value || strcmp(value, wanted->value) == 0)
        return value != NULL;
    const enum plot_unit unit = plot_unit_of(value, &number), given = plot_unit_of(wanted->value, &other);
    return unit != PLOT_WORDS && (given == unit || given == PLOT_NUMBER) && number == other;
}

/* The values that runs have of a parameter: some, if there are many. */
static char *values_text(const struct results_table *results_table, const char *name)
{
    enum { SHOWN = 8 };
    struct text_index values = {.count = 0};
    char *text = mem_text("");
    for (size_t i = 0; i < results_table->group_count; i++) {
        const char *value = value_at(&results_table->rows[results_table->groups[i].first], name);
        if (value)
            text_index_add(&values, value);
    }
    for (size_t i = 0; i < values.count && i < SHOWN; i++) {
        char *longer = mem_format("%s%s%s", text, i ? ", " : "", values.texts[i]);
        free(text);
        text = longer;
    }
    if (values.count > SHOWN) {
        char *longer = mem_format("%s and %zu more", text, values.count - SHOWN);
        free(text);
        text = longer;
    }
    text_index_free(&values);
    return text;
}

static void report_no_run(const struct plot *plot)
{
    diag_error("no run has the values of --where");
    for (size_t i = 0; i < plot->request->where_count; i++) {
        char *values = values_text(plot->results_table, plot->request->where[i].name);
        diag_note("%s is %s", plot->request->where[i].name, values);
        free(values);
    }
}

static bool is_wanted(const struct plot *plot, size_t group)
{
    const struct results_table *results_table = plot->results_table;
    const struct plot_request *request = plot->request;
    bool wanted = true;
    for (size_t i = 0; wanted && i < request->where_count; i++)
        wanted = has_value(&results_table->rows[results_table->groups[group].first], &request->where[i]);
    return wanted;
}

/* Of values on the axis times lines: far more than a figure can show. */
enum { MOST_CELLS = 1 << 24 };

const struct results_table_row *plot_series_row(const struct plot *plot, size_t series)
{
    return &plot->results_table->rows[plot->results_table->groups[plot->first_group[series]].first];
}

/* Adds the value and the series of a group. */
static void add_group(struct plot *plot, size_t group, size_t *capacity)
{
    const struct results_table *results_table = plot->results_table;
    const struct results_table_row *row = &results_table->rows[results_table->groups[group].first];
    size_t known = plot->series.count;
    index_of(&plot->values, value_of(plot, row));
    if (index_of(&plot->series, series_of(plot, row)) < known)
        return;
    plot->first_group = mem_grow(plot->first_group, capacity, known + 1, "a plot");
    plot->first_group[known] = group;
}

/* The values and series of the groups that are wanted. STATUS_BAD_INPUT, reported: the figure would have no
 * point, or too many. */
static enum status choose_groups(struct plot *plot)
{
    size_t capacity = 0, have = 0;
    for (size_t i = 0; i < plot->results_table->group_count; i++)
        if (is_wanted(plot, i)) {
            add_group(plot, i, &capacity);
            have += plot->estimates[i].count;
        }
    if (!have && plot->series.count)
        diag_error("no run with the values of --where has a number %s", plot->y);
    else if (!have)
        report_no_run(plot);
    if (!have)
        return STATUS_BAD_INPUT;
    if (plot->values.count > MOST_CELLS / plot->series.count) {
        diag_error("the figure would have %zu lines of %zu values of %s, more than %d points; sweep fewer "
                   "parameters, or choose another x axis",
                   plot->series.count, plot->values.count, plot->x, MOST_CELLS);
        return STATUS_BAD_INPUT;
    }
    return STATUS_OK;
}

static void place_groups(struct plot *plot)
{
    const struct results_table *results_table = plot->results_table;
    plot->cells = mem_alloc(plot->values.count * plot->series.count, sizeof *plot->cells, "a plot");
    for (size_t i = 0; i < results_table->group_count; i++) {
        const struct results_table_row *row = &results_table->rows[results_table->groups[i].first];
        if (!is_wanted(plot, i))
            continue;
        size_t value = index_of(&plot->values, value_of(plot, row));
        size_t series = index_of(&plot->series, series_of(plot, row));
        plot->cells[value * plot->series.count + series] = &results_table->groups[i];
    }
}

/* ------------------------------------------------------------------ numbers */

/* What all values of x are: numbers of one kind, or words. */
static enum plot_unit unit_of(const struct plot *plot)
{
    double number;
    enum plot_unit unit = plot_unit_of(plot->values.texts[0], &number);
    for (size_t i = 1; i < plot->values.count; i++)
        if (plot_unit_of(plot->values.texts[i], &number) != unit)
            return PLOT_WORDS;
    return unit;
}

const struct mean_estimate *plot_estimate(const struct plot *plot, size_t cell)
{
    const struct results_table_group *group = plot->cells[cell];
    if (!group)
        return NULL;
    const struct mean_estimate *estimate = &plot->estimates[group - plot->results_table->groups];
    return estimate->count ? estimate : NULL;
}

double plot_x(const struct plot *plot, size_t value)
{
    double x = (double)value;
    if (plot->unit != PLOT_WORDS)
        plot_unit_of(plot->values.texts[value], &x);
    return x;
}

/* -------------------------------------------------------------------- files */

static void write_csv(const struct plot *plot, FILE *out)
{
    quote_csv_text(out, plot->x);
    fputs(",x", out);
    for (size_t i = 0; i < plot->series.count; i++) {
        fputc(',', out);
        quote_csv_text(out, plot->series.texts[i]);
        fputs(",half_width", out);
    }
    for (size_t value = 0; value < plot->values.count; value++) {
        fputc('\n', out);
        quote_csv_text(out, plot->values.texts[value]);
        fprintf(out, ",%.12g", plot_x(plot, value));
        for (size_t i = 0; i < plot->series.count; i++) {
            const struct mean_estimate *estimate = plot_estimate(plot, value * plot->series.count + i);
            if (estimate)
                fprintf(out, ",%.12g,", estimate->mean);
            else
                fputs(",,", out);
            if (estimate && estimate->count > 1) /* one value has no interval */
                fprintf(out, "%.12g", estimate->half_width);
        }
    }
    fputc('\n', out);
}

static enum status write_file(const struct plot *plot, const struct output_folder *folder, const char *name,
                              void (*write)(const struct plot *plot, FILE *out))
{
    struct output output;
    enum status status = output_folder_file(folder, name, &output);
    if (status != STATUS_OK)
        return status;
    write(plot, output.file);
    return output_close(&output, STATUS_OK);
}

static enum status write_files(const struct plot *plot, const char *path)
{
    struct output_folder folder;
    enum status status = output_folder_open(&folder, path);
    if (status == STATUS_OK)
        status = write_file(plot, &folder, "plot.csv", write_csv);
    if (status == STATUS_OK)
        status = write_file(plot, &folder, "plot.gp", plot_write_script);
    return output_folder_close(&folder, status);
}

enum status plot_write(const struct results_table *results_table, const struct plot_request *request,
                       const char *folder)
{
    struct plot plot = {.results_table = results_table, .request = request};
    if (results_table->group_count == 0) {
        diag_error("there are no finished runs to draw");
        return STATUS_BAD_INPUT;
    }
    enum status status = choose_y(&plot);
    if (status == STATUS_OK)
        status = check_where(results_table, request);
    if (status == STATUS_OK)
        status = choose_x(&plot, request->x);
    if (status == STATUS_OK)
        status = choose_groups(&plot);
    if (status == STATUS_OK) {
        place_groups(&plot);
        plot.unit = unit_of(&plot);
        status = write_files(&plot, folder);
    }
    text_index_free(&plot.values);
    text_index_free(&plot.series);
    free(plot.first_group);
    free(plot.cells);
    free(plot.estimates);
    return status;
}
