#include "sweep/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "output/output.h"
#include "output/quote.h"

struct plot {
    const struct results_table *results_table;
    const char *x;
    bool shows_speedup;
    struct text_index values, series;
    const struct results_table_group **cells; /* [value * series.count + series]; NULL = no run */
};

/* Takes ownership of `name`. */
static size_t index_of(struct text_index *names, char *name)
{
    size_t index = text_index_add(names, name);
    free(name);
    return index;
}

/* --------------------------------------------------------------------- axes */

static const char *varied_at(const struct results_table *results_table, size_t index)
{
    return json_string_value(json_array_get(results_table->varied, index));
}

/* Fabrics are series, and results of several seeds are averaged. */
static bool is_axis(const char *name)
{
    return strcmp(name, "fabric") != 0 && strcmp(name, "seed") != 0;
}

static enum status choose_x(struct plot *plot, const char *wanted)
{
    const char *first = NULL;
    for (size_t i = 0; i < json_array_size(plot->results_table->varied); i++) {
        const char *name = varied_at(plot->results_table, i);
        if (!is_axis(name))
            continue;
        first = first ? first : name;
        if (wanted && strcmp(name, wanted) == 0)
            plot->x = name;
    }
    if (!wanted)
        plot->x = first;
    if (plot->x)
        return STATUS_OK;
    if (!wanted)
        diag_error("only fabrics and seeds are varied, so the figure has no x axis; helio report draws bars");
    else
        diag_error("%s was not varied", wanted);
    for (size_t i = 0; wanted && i < json_array_size(plot->results_table->varied); i++)
        if (is_axis(varied_at(plot->results_table, i)))
            diag_note("varied: %s", varied_at(plot->results_table, i));
    return STATUS_BAD_INPUT;
}

/* "fmu, fmu.t_switch=500 ns": the fabric and the varied parameters except x. */
static char *series_of(const struct plot *plot, const struct results_table_row *row)
{
    char *name = mem_text(row->fabric);
    for (size_t i = 0; i < json_array_size(plot->results_table->varied); i++) {
        const char *parameter = varied_at(plot->results_table, i);
        const char *value = results_table_value(row, parameter);
        if (!is_axis(parameter) || strcmp(parameter, plot->x) == 0 || !value)
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

/* Of values on the axis times lines: far more than a figure can show. */
enum { MOST_CELLS = 1 << 24 };

/* STATUS_BAD_INPUT, reported: the figure would have too many points. */
static enum status place_groups(struct plot *plot)
{
    const struct results_table *results_table = plot->results_table;
    for (size_t i = 0; i < results_table->group_count; i++) {
        const struct results_table_row *row = &results_table->rows[results_table->groups[i].first];
        index_of(&plot->values, value_of(plot, row));
        index_of(&plot->series, series_of(plot, row));
    }
    if (plot->values.count > MOST_CELLS / plot->series.count) {
        diag_error("the figure would have %zu lines of %zu values of %s, more than %d points; sweep fewer "
                   "parameters, or choose another x axis",
                   plot->series.count, plot->values.count, plot->x, MOST_CELLS);
        return STATUS_BAD_INPUT;
    }
    plot->cells = mem_alloc(plot->values.count * plot->series.count, sizeof *plot->cells, "a plot");
    for (size_t i = 0; i < results_table->group_count; i++) {
        const struct results_table_row *row = &results_table->rows[results_table->groups[i].first];
        size_t value = index_of(&plot->values, value_of(plot, row));
        size_t series = index_of(&plot->series, series_of(plot, row));
        plot->cells[value * plot->series.count + series] = &results_table->groups[i];
    }
    return STATUS_OK;
}

/* ------------------------------------------------------------------ numbers */

/* A quantity in base units, and the text that names them. False: not a quantity. */
static bool number_of(const char *text, double *number, const char **unit)
{
    struct units_problem problem;
    ps_t time;
    uint64_t whole;
    if (units_number(text, number, &problem)) {
        *unit = "";
        return true;
    }
    if (units_time(text, &time, &problem)) {
        *number = (double)time / (double)PS_PER_S;
        *unit = " (s)";
        return true;
    }
    bool size = units_size(text, &whole, &problem);
    bool rate = !size && units_rate(text, &whole, &problem);
    *number = (double)whole;
    *unit = size ? " (B)" : " (B/s)";
    return size || rate;
}

/* Whether all values of x are numbers of one kind. */
static bool is_numeric(const struct plot *plot, const char **unit)
{
    const char *first = NULL;
    double number;
    for (size_t i = 0; i < plot->values.count; i++) {
        if (!number_of(plot->values.texts[i], &number, unit) || (first && strcmp(first, *unit) != 0))
            return false;
        first = *unit;
    }
    return first != NULL;
}

/* -------------------------------------------------------------------- files */

static const struct mean_estimate *estimate_at(const struct plot *plot, size_t cell)
{
    const struct results_table_group *group = plot->cells[cell];
    if (!group)
        return NULL;
    const struct mean_estimate *estimate = plot->shows_speedup ? &group->speedup : &group->makespan_s;
    return estimate->count ? estimate : NULL;
}

static double x_of(const struct plot *plot, size_t value, bool numeric)
{
    const char *unit;
    double x = (double)value;
    if (numeric)
        number_of(plot->values.texts[value], &x, &unit);
    return x;
}

static void write_csv(const struct plot *plot, bool numeric, FILE *out)
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
        fprintf(out, ",%.12g", x_of(plot, value, numeric));
        for (size_t i = 0; i < plot->series.count; i++) {
            const struct mean_estimate *estimate = estimate_at(plot, value * plot->series.count + i);
            if (estimate)
                fprintf(out, ",%.12g,%.12g", estimate->mean, estimate->half_width);
            else
                fputs(",,", out);
        }
    }
    fputc('\n', out);
}

/* The points of each series stand in the script itself, because gnuplot drops a line of CSV in which a name
 * contains a double quote. */
static void write_points(const struct plot *plot, bool numeric, FILE *out)
{
    fputs("$points << END\n", out);
    for (size_t i = 0; i < plot->series.count; i++) {
        for (size_t value = 0; value < plot->values.count; value++) {
            const struct mean_estimate *estimate = estimate_at(plot, value * plot->series.count + i);
            fprintf(out, "%.12g %.12g %.12g\n", x_of(plot, value, numeric), estimate ? estimate->mean : NAN,
                    estimate ? estimate->half_width : NAN);
        }
        fputs("\n\n", out);
    }
    fputs("END\n", out);
}

static void write_axes(const struct plot *plot, bool numeric, const char *unit, FILE *out)
{
    char *x = mem_format("%s%s", plot->x, numeric ? unit : "");
    fprintf(out, "set ylabel \"%s\"\nset xlabel ", plot->shows_speedup ? "speedup" : "time (s)");
    quote_gnuplot(out, x);
    fputc('\n', out);
    free(x);
    if (numeric)
        return;
    fputs("set xtics (", out);
    for (size_t value = 0; value < plot->values.count; value++) {
        fputs(value ? ", " : "", out);
        quote_gnuplot_tic(out, plot->values.texts[value]);
        fprintf(out, " %zu", value);
    }
    fputs(")\n", out);
}

static void write_script(const struct plot *plot, bool numeric, const char *unit, FILE *out)
{
    fputs("# gnuplot plot.gp, in this folder, draws plot.pdf. The numbers are those of plot.csv.\n"
          "set terminal pdfcairo noenhanced size 9cm,6cm font \"Helvetica,9\"\n"
          "set output \"plot.pdf\"\n"
          "set key outside top center horizontal noenhanced\n"
          "set grid ytics\n"
          "set yrange [0:*]\n"
          "set format y \"%.1s %c\"\n",
          out);
    write_axes(plot, numeric, unit, out);
    write_points(plot, numeric, out);
    fputs("plot ", out);
    for (size_t i = 0; i < plot->series.count; i++) {
        fprintf(out, "%s$points index %zu with yerrorlines linewidth 1.5 pointsize 0.5 title ",
                i ? ", \\\n     " : "", i);
        quote_gnuplot(out, plot->series.texts[i]);
    }
    fputc('\n', out);
}

static enum status write_file(const struct plot *plot, const struct output_folder *folder, const char *name,
                              bool numeric, const char *unit, bool is_script)
{
    struct output output;
    enum status status = output_folder_file(folder, name, &output);
    if (status != STATUS_OK)
        return status;
    if (is_script)
        write_script(plot, numeric, unit, output.file);
    else
        write_csv(plot, numeric, output.file);
    return output_close(&output, STATUS_OK);
}

static enum status write_files(const struct plot *plot, const char *path)
{
    const char *unit = "";
    bool numeric = is_numeric(plot, &unit);
    struct output_folder folder;
    enum status status = output_folder_open(&folder, path);
    if (status == STATUS_OK)
        status = write_file(plot, &folder, "plot.csv", numeric, unit, false);
    if (status == STATUS_OK)
        status = write_file(plot, &folder, "plot.gp", numeric, unit, true);
    return output_folder_close(&folder, status);
}

enum status plot_write(const struct results_table *results_table, const struct plot_request *request,
                       const char *folder)
{
    struct plot plot = {.results_table = results_table, .shows_speedup = request->shows_speedup};
    if (results_table->group_count == 0) {
        diag_error("there are no finished runs to draw");
        return STATUS_BAD_INPUT;
    }
    if (request->shows_speedup && json_object_size(results_table->baseline) == 0) {
        diag_error("speedups need a baseline; name one in the sweep's experiment file");
        return STATUS_BAD_INPUT;
    }
    enum status status = choose_x(&plot, request->x);
    if (status == STATUS_OK)
        status = place_groups(&plot);
    if (status == STATUS_OK)
        status = write_files(&plot, folder);
    text_index_free(&plot.values);
    text_index_free(&plot.series);
    free(plot.cells);
    return status;
}
