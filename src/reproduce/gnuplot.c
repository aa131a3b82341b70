#include <string.h>

#include "output/fabric_style.h"
#include "output/quote.h"
#include "reproduce/internal.h"

/* The figures as a gnuplot script: a page for each figure, and a plot for each of its panels. The numbers of
 * PAPER-figures.csv stand in the script itself, because gnuplot would split a name at its comma. Names on the
 * x axis stand in the order in which they appear. */

static void put_set(FILE *out, const char *what, const char *text)
{
    fprintf(out, "set %s ", what);
    quote_gnuplot(out, text);
    fputc('\n', out);
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static bool has(const json_t *names, const char *name)
{
    size_t index;
    json_t *known;
    json_array_foreach(names, index, known)
    {
        if (strcmp(json_string_value(known), name) == 0)
            return true;
    }
    return false;
}

/* The names that the points of a figure have for `key`, each once. `panel` NULL: of all panels. */
static json_t *names_of(const json_t *figure, const char *key, const char *panel)
{
    json_t *names = json_make_list(), *point;
    size_t index;
    json_array_foreach(json_object_get(figure, "points"), index, point)
    {
        if ((!panel || strcmp(text_of(point, "panel"), panel) == 0) && !has(names, text_of(point, key)))
            json_add(names, json_incref(json_object_get(point, key)));
    }
    return names;
}

static void put_tics(FILE *out, const char *axis, const json_t *names)
{
    size_t index;
    json_t *name;
    fprintf(out, "set %stics (", axis);
    json_array_foreach(names, index, name)
    {
        fputs(index ? ", " : "", out);
        quote_gnuplot_tic(out, json_string_value(name));
        fprintf(out, " %zu", index);
    }
    fputs(")\n", out);
}

static size_t place_of(const json_t *names, const char *name)
{
    size_t index;
    json_t *known;
    json_array_foreach(names, index, known)
    {
        if (strcmp(json_string_value(known), name) == 0)
            break;
    }
    return index;
}

/* A line for each point, x and y; `x_names` NULL: x is a number. */
static void put_series(FILE *out, const json_t *figure, const char *panel, const char *series,
                       const json_t *x_names)
{
    size_t index;
    json_t *point;
    json_array_foreach(json_object_get(figure, "points"), index, point)
    {
        if (strcmp(text_of(point, "panel"), panel) != 0 || strcmp(text_of(point, "series"), series) != 0)
            continue;
        if (x_names)
            fprintf(out, "%zu", place_of(x_names, text_of(point, "x")));
        else
            fputs(text_of(point, "x"), out);
        fprintf(out, " %.7g\n", json_real_value(json_object_get(point, "y")));
    }
}

/* How the index-th of `count` series is drawn. */
static void put_columns(FILE *out, enum figure_kind kind, size_t index, size_t count)
{
    double width = 0.8 / (double)count;
    if (kind == FIGURE_LINES)
        fputs(" using 1:2 with linespoints linewidth 1.5 pointsize 0.5", out);
    else if (kind == FIGURE_BARS)
        fprintf(out, " using ($1 + %.4g):2:(%.4g) with boxes",
                ((double)index - (double)(count - 1) / 2) * width, width);
    else
        fprintf(out, " using 1:(%zu):2 with points pointtype 5 pointsize 2.5 palette", index);
}

/* A series that is a fabric has the fabric's style. */
static void put_style(FILE *out, enum figure_kind kind, const char *name)
{
    struct fabric_style style;
    if (kind == FIGURE_MAP || !fabric_style_find(name, &style))
        return;
    fputc(' ', out);
    if (kind == FIGURE_LINES)
        fabric_style_print_gnuplot(&style, out);
    else
        fprintf(out, "linecolor rgb \"#%06x\"", style.light_rgb);
}

/* The points of a panel, series by series, and the names on its axes. */
static void put_points(FILE *out, const json_t *figure, enum figure_kind kind, const char *panel,
                       const json_t *series)
{
    json_t *x_names = kind == FIGURE_LINES ? NULL : names_of(figure, "x", panel), *name;
    size_t index;
    fputs("$points << END\n", out);
    json_array_foreach(series, index, name)
    {
        put_series(out, figure, panel, json_string_value(name), x_names);
        fputs("\n\n", out);
    }
    fputs("END\n", out);
    if (x_names) {
        fprintf(out, "set xtics rotate by -40\nset xrange [-0.5:%zu.5]\n", json_array_size(x_names) - 1);
        put_tics(out, "x", x_names);
    }
    if (kind == FIGURE_MAP)
        put_tics(out, "y", series);
    json_decref(x_names);
}

static void put_panel(FILE *out, const json_t *figure, enum figure_kind kind, const char *panel)
{
    json_t *series = names_of(figure, "series", panel), *name;
    size_t index, count = json_array_size(series);
    double reference = json_number_value(json_object_get(figure, "reference"));
    put_points(out, figure, kind, panel, series);
    put_set(out, "title", panel);
    fputs("plot ", out);
    json_array_foreach(series, index, name)
    {
        fprintf(out, "%s$points index %zu", index ? ", \\\n     " : "", index);
        put_columns(out, kind, index, count);
        put_style(out, kind, json_string_value(name));
        fputs(kind == FIGURE_MAP ? " notitle" : " title ", out);
        if (kind != FIGURE_MAP)
            quote_gnuplot(out, json_string_value(name));
    }
    if (reference != 0 && kind != FIGURE_MAP)
        fprintf(out, ", \\\n     %.9g with lines dashtype 2 linecolor 'black' notitle", reference);
    fputc('\n', out);
    json_decref(series);
}

static enum figure_kind kind_of(const json_t *figure)
{
    const char *name = text_of(figure, "kind");
    return strcmp(name, "lines") == 0 ? FIGURE_LINES : strcmp(name, "bars") == 0 ? FIGURE_BARS : FIGURE_MAP;
}

static void put_axes(FILE *out, const json_t *figure, enum figure_kind kind)
{
    bool y_log = json_is_true(json_object_get(figure, "y_log"));
    fputs("\nreset\nset key outside right top vertical\nset style fill solid 0.8\n", out);
    put_set(out, "xlabel", text_of(figure, "x"));
    put_set(out, kind == FIGURE_MAP ? "cblabel" : "ylabel", text_of(figure, "y"));
    if (kind == FIGURE_LINES)
        fputs("set grid linecolor rgb '#dddddd' linetype 1\n", out);
    if (kind == FIGURE_LINES && json_is_true(json_object_get(figure, "x_log")))
        fputs("set logscale x\n", out);
    if (y_log)
        fputs(kind == FIGURE_MAP ? "set logscale cb\n" : "set logscale y\n", out);
    else if (kind == FIGURE_BARS) /* bars stand on zero */
        fputs("set yrange [*<0:*]\n", out);
}

static void put_figure(FILE *out, const json_t *figure)
{
    json_t *panels = names_of(figure, "panel", NULL), *panel;
    size_t index, count = json_array_size(panels), columns = count < 3 ? count : 3;
    put_axes(out, figure, kind_of(figure));
    fprintf(out, "set multiplot layout %zu,%zu title ", (count + columns - 1) / columns, columns);
    quote_gnuplot(out, text_of(figure, "title"));
    fputc('\n', out);
    json_array_foreach(panels, index, panel)
    {
        put_panel(out, figure, kind_of(figure), json_string_value(panel));
    }
    fputs("unset multiplot\n", out);
    json_decref(panels);
}

void gnuplot_write(const struct reproduction *reproduction, FILE *out)
{
    const char *name = reproduction->paper->name;
    size_t index;
    json_t *figure;
    fprintf(out,
            "# gnuplot %s-figures.gp draws %s-figures.pdf, a page for each figure.\n"
            "set terminal pdfcairo noenhanced size 24cm,15cm font \"Helvetica,9\"\n"
            "set output \"%s-figures.pdf\"\n",
            name, name, name);
    json_array_foreach(reproduction->figures, index, figure)
    {
        if (json_array_size(json_object_get(figure, "points")))
            put_figure(out, figure);
    }
}
