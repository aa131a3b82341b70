#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "fabric/list.h"
#include "output/fabric_style.h"
#include "output/quote.h"
#include "sweep/plot_internal.h"

/* The gnuplot script of a figure: axes with units, a curve for each series, and a legend. */

enum { MERGED_AT_MOST = 256, TOLD_APART = 12 };
#define PIXELS 1.75 /* of plot.svg for a point of plot.pdf */

/* Series of one fabric that have the same results are one curve. */
struct curve {
    size_t series; /* the first of them */
    const char *fabric;
    bool *differs; /* of each varied parameter: they have several values of it */
    size_t number; /* among the curves of this fabric */
    char *title;
};

struct script {
    const struct plot *plot;
    FILE *out;
    struct curve *curves;
    size_t count, fabrics;
    size_t varied;     /* parameters */
    bool *is_in_title; /* of each */
    size_t titles;     /* how many */
    struct plot_caption caption;
    const char *only_one; /* the one, if it is the only one and there is one fabric */
    struct placed {
        double x;
        size_t value; /* its number in the plot */
    } * order;        /* the values of x in ascending order */
};

/* ------------------------------------------------------------------- curves */

static bool same_estimate(const struct mean_estimate *a, const struct mean_estimate *b)
{
    return a && b ? a->mean == b->mean && a->half_width == b->half_width : a == b;
}

static bool same_results(const struct plot *plot, size_t a, size_t b)
{
    for (size_t value = 0; value < plot->values.count; value++)
        if (!same_estimate(plot_estimate(plot, value * plot->series.count + a),
                           plot_estimate(plot, value * plot->series.count + b)))
            return false;
    return true;
}

static const char *setting_of(const struct plot *plot, size_t series, size_t varied)
{
    const char *value =
        results_table_value(plot_series_row(plot, series), plot_varied_at(plot->results_table, varied));
    return value ? value : "";
}

/* The curve that has the results of the series; NULL: none has. */
static struct curve *find_curve(const struct script *script, size_t series)
{
    const struct plot *plot = script->plot;
    const char *fabric = plot_series_row(plot, series)->fabric;
    for (size_t i = 0; i < script->count && plot->series.count <= MERGED_AT_MOST; i++)
        if (strcmp(script->curves[i].fabric, fabric) == 0 &&
            same_results(plot, script->curves[i].series, series))
            return &script->curves[i];
    return NULL;
}

static void add_curve(struct script *script, size_t series)
{
    struct curve *curve = &script->curves[script->count];
    *curve = (struct curve){.series = series,
                            .fabric = plot_series_row(script->plot, series)->fabric,
                            .differs = mem_alloc(script->varied, sizeof(bool), "a plot")};
    for (size_t i = 0; i < script->count; i++)
        curve->number += strcmp(script->curves[i].fabric, curve->fabric) == 0;
    script->fabrics += curve->number == 0;
    script->count++;
}

static void find_curves(struct script *script)
{
    const struct plot *plot = script->plot;
    script->varied = json_array_size(plot->results_table->varied);
    script->curves = mem_alloc(plot->series.count, sizeof *script->curves, "a plot");
    for (size_t i = 0; i < plot->series.count; i++) {
        struct curve *curve = find_curve(script, i);
        if (!curve)
            add_curve(script, i);
        for (size_t j = 0; curve && j < script->varied; j++)
            curve->differs[j] |= strcmp(setting_of(plot, i, j), setting_of(plot, curve->series, j)) != 0;
    }
}

/* ------------------------------------------------------------------- titles */

/* Which parameters tell curves apart. */
static void choose_titles(struct script *script)
{
    const struct plot *plot = script->plot;
    script->is_in_title = mem_alloc(script->varied, sizeof(bool), "a plot");
    for (size_t i = 0; i < script->varied; i++) {
        const char *name = plot_varied_at(plot->results_table, i);
        if (!plot_is_axis(name) || strcmp(name, plot->x) == 0)
            continue;
        for (size_t j = 1; j < plot->series.count && !script->is_in_title[i]; j++)
            script->is_in_title[i] = strcmp(setting_of(plot, j, i), setting_of(plot, 0, i)) != 0;
        script->titles += script->is_in_title[i];
        if (script->is_in_title[i])
            script->only_one = name;
    }
    if (script->fabrics > 1 || script->titles != 1)
        script->only_one = NULL;
}

static const char *behind_dots(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

/* The part before the dot says what the title says too, or is no fabric. */
static bool is_clear_without(const char *prefix, size_t length, const char *fabric)
{
    char *name = mem_format("%.*s", (int)length, prefix);
    bool is_clear = strcmp(name, fabric) == 0 || !fabric_find(name);
    free(name);
    return is_clear;
}

/* "routing" for packet.routing beside the fabric packet, as titles have little room; unless another parameter
 * of the titles ends alike. */
static const char *short_name(const struct script *script, size_t index, const char *fabric)
{
    const char *name = plot_varied_at(script->plot->results_table, index), *end = behind_dots(name);
    if (end > name && !is_clear_without(name, (size_t)(end - name - 1), fabric))
        return name;
    for (size_t i = 0; i < script->varied; i++)
        if (i != index && script->is_in_title[i] &&
            strcmp(behind_dots(plot_varied_at(script->plot->results_table, i)), end) == 0)
            return name;
    return end;
}

/* "fmu, t_switch=500 ns", without what all curves have in common. A machine needs no name of its parameter.
 */
static char *name_of(const struct script *script, const struct curve *curve)
{
    bool has_fabric = script->fabrics > 1 || !script->titles;
    char *title = mem_text(has_fabric ? curve->fabric : "");
    for (size_t i = 0; i < script->varied; i++) {
        const char *value = setting_of(script->plot, curve->series, i);
        if (!script->is_in_title[i] || curve->differs[i] || !*value)
            continue;
        const char *name = short_name(script, i, curve->fabric), *comma = *title ? ", " : "";
        char *longer = script->only_one               ? mem_text(value)
                       : strcmp(name, "machine") == 0 ? mem_format("%s%s%s", title, comma, value)
                                                      : mem_format("%s%s%s=%s", title, comma, name, value);
        free(title);
        title = longer;
    }
    if (*title)
        return title;
    free(title);
    return mem_text(curve->fabric);
}

/* The name, with a * that the caption explains. */
static char *title_of(const struct script *script, const struct curve *curve)
{
    char *name = name_of(script, curve);
    if (!plot_is_marked(script->plot, curve->series))
        return name;
    char *title = mem_format("%s *", name);
    free(name);
    return title;
}

/* ------------------------------------------------------------------- styles */

/* How the curve `index` is drawn. If a fabric has several curves, dashes and markers tell all curves apart,
 * also without colours; colours say the fabric, if there are several. */
static struct fabric_style style_of(const struct script *script, size_t index)
{
    struct fabric_style style = fabric_style_of(script->curves[index].fabric);
    if (script->count == script->fabrics)
        return style;
    if (script->fabrics == 1) {
        size_t named = 0;
        while (fabric_style_name(named))
            named++;
        style = fabric_style_of(fabric_style_name((index + 2) % named)); /* behind the bounds */
    }
    style.dash = (enum fabric_dash)((index + index / FABRIC_MARKERS) % FABRIC_DASHES);
    style.marker = (enum fabric_marker)(index % FABRIC_MARKERS);
    return style;
}

/* --------------------------------------------------------------------- room */

/* Whether words have no room side by side, so that they are slanted. */
static bool are_slanted(const struct plot *plot)
{
    enum { CHARACTERS = 44 }; /* that have room */
    size_t characters = 0;
    for (size_t value = 0; value < plot->values.count; value++)
        characters += strlen(plot->values.texts[value]) + 2;
    return characters > CHARACTERS;
}

/* What slanted words need below the axis; paths may be longer. */
static double slanted_cm(const struct plot *plot)
{
    const double character_cm = 0.1, most_cm = 3; /* 4.4 points x sin 40 degrees */
    size_t longest = 0;
    for (size_t i = 0; plot->unit == PLOT_WORDS && are_slanted(plot) && i < plot->values.count; i++)
        if (strlen(plot->values.texts[i]) > longest)
            longest = strlen(plot->values.texts[i]);
    return fmin(character_cm * (double)longest, most_cm);
}

static size_t longest_title(const struct script *script)
{
    size_t longest = 0;
    for (size_t i = 0; i < script->count; i++)
        if (strlen(script->curves[i].title) > longest)
            longest = strlen(script->curves[i].title);
    return longest;
}

/* The entries of a line of the legend, which has room for so many characters. */
static size_t legend_columns(const struct script *script)
{
    enum { CHARACTERS = 56, SAMPLE = 8 };
    size_t columns = CHARACTERS / (longest_title(script) + SAMPLE);
    return columns ? columns : 1;
}

/* Of letters in the legend, in points. */
static double legend_size(const struct script *script)
{
    enum { CHARACTERS = 40 }; /* that have room in letters of 7 points */
    return longest_title(script) > CHARACTERS ? 6 : 7;
}

static size_t legend_lines(const struct script *script)
{
    size_t columns = legend_columns(script);
    return (script->count + columns - 1) / columns + (script->only_one != NULL);
}

static double height_cm(const struct script *script)
{
    return 5.6 + 0.38 * (double)legend_lines(script) + slanted_cm(script->plot) +
           plot_caption_height_cm(&script->caption);
}

/* --------------------------------------------------------------------- axes */

static int compare_placed(const void *a, const void *b)
{
    const struct placed *left = a, *right = b;
    int order = (left->x > right->x) - (left->x < right->x);
    return order ? order : (left->value > right->value) - (left->value < right->value);
}

static void sort_values(struct script *script)
{
    const struct plot *plot = script->plot;
    script->order = mem_alloc(plot->values.count, sizeof *script->order, "a plot");
    for (size_t i = 0; i < plot->values.count; i++)
        script->order[i] = (struct placed){plot_x(plot, i), i};
    qsort(script->order, plot->values.count, sizeof *script->order, compare_placed);
}

/* Words stand side by side. */
static void put_words(const struct plot *plot, FILE *out)
{
    fprintf(out, "set xrange [-0.5:%zu.5]\nset xtics %s(", plot->values.count - 1,
            are_slanted(plot) ? "rotate by -40 " : "");
    for (size_t value = 0; value < plot->values.count; value++) {
        fputs(value ? ", " : "", out);
        quote_gnuplot_tic(out, plot->values.texts[value]);
        fprintf(out, " %zu", value);
    }
    fputs(")\n", out);
}

static void put_x_axis(const struct script *script, bool *is_log)
{
    const struct plot *plot = script->plot;
    *is_log = false;
    fputs("set xlabel ", script->out);
    quote_gnuplot(script->out, plot->x);
    fputc('\n', script->out);
    if (plot->unit == PLOT_WORDS) {
        put_words(plot, script->out);
        return;
    }
    size_t count = plot->values.count;
    double *values = mem_alloc(count, sizeof *values, "a plot");
    for (size_t i = 0; i < count; i++)
        values[i] = script->order[i].x;
    const struct plot_axis axis = plot_axis_of_values(plot->unit, values, count, plot->request->x_scale);
    plot_axis_print(&axis, 'x', script->out);
    *is_log = axis.is_log;
    if (axis.is_log && values[0] <= 0)
        diag_note("a logarithmic axis has no 0, so plot.pdf is without the runs with %s=%s; they are in "
                  "plot.csv, and --x-scale linear draws them",
                  plot->x, plot->values.texts[script->order[0].value]);
    free(values);
}

/* Ends of names, with the unit of the numbers. The tics have units, so that labels need none. */
static const struct {
    const char *end;
    enum plot_unit unit;
    bool is_label;
} ends_of_names[] = {{"_bytes_per_s", PLOT_RATE, false},
                     {"_per_s", PLOT_NUMBER, true},
                     {"_s", PLOT_TIME, false},
                     {"bytes", PLOT_SIZE, true}};
enum { ENDS_OF_NAMES = sizeof ends_of_names / sizeof *ends_of_names };

/* The place of its end in ends_of_names; ENDS_OF_NAMES: it has none. */
static size_t end_of_name(const char *name)
{
    const size_t length = strlen(name);
    size_t i = 0;
    for (; i < ENDS_OF_NAMES; i++) {
        size_t end = strlen(ends_of_names[i].end);
        if (length >= end && strcmp(name + length - end, ends_of_names[i].end) == 0)
            break;
    }
    return i;
}

static enum plot_unit unit_of_y(const char *name)
{
    const size_t end = end_of_name(name);
    return end < ENDS_OF_NAMES ? ends_of_names[end].unit : PLOT_NUMBER;
}

/* "mean latency" for mean_latency_s. */
static char *label_of_y(const char *name)
{
    if (strcmp(name, "makespan_s") == 0)
        return mem_text("time");
    const size_t end = end_of_name(name);
    char *label = mem_text(name);
    if (end < ENDS_OF_NAMES && !ends_of_names[end].is_label)
        label[strlen(name) - strlen(ends_of_names[end].end)] = '\0';
    for (char *at = label; (at = strchr(at, '_'));)
        *at = ' ';
    return label;
}

/* Results of 0, as the times of ideal, do not decide about the axis: a logarithmic one has no 0. */
static void put_y_axis(const struct script *script, bool *has_intervals, bool *is_log)
{
    const struct plot *plot = script->plot;
    double least = INFINITY, most = 0;
    bool has_zero = false;
    for (size_t i = 0; i < plot->values.count * plot->series.count; i++) {
        const struct mean_estimate *estimate = plot_estimate(plot, i);
        if (!estimate)
            continue;
        double below = estimate->mean - estimate->half_width;
        *has_intervals |= estimate->half_width > 0;
        has_zero |= estimate->mean <= 0;
        if (estimate->mean > 0)
            least = fmin(least, below > 0 ? below : estimate->mean);
        most = fmax(most, estimate->mean + estimate->half_width);
    }
    const struct plot_axis axis =
        plot_axis_of_results(unit_of_y(plot->y), isfinite(least) ? least : 0, most, plot->request->y_scale);
    char *label = label_of_y(plot->y);
    fputs("set ylabel ", script->out);
    quote_gnuplot(script->out, label);
    fputc('\n', script->out);
    free(label);
    plot_axis_print(&axis, 'y', script->out);
    *is_log = axis.is_log;
    if (axis.is_log && has_zero)
        diag_note("a logarithmic axis has no 0, so the figure is without the points of 0; they "
                  "are in plot.csv, and --y-scale linear draws them");
}

/* The caption stands below the label of the x axis, which gnuplot would else put at the bottom. */
static void put_caption(const struct script *script)
{
    const double axis_lines = 3.6, line_cm = 0.36; /* in letters of 8 points */
    double below_cm = slanted_cm(script->plot) + plot_caption_height_cm(&script->caption);
    if (!script->caption.count)
        return;
    fprintf(script->out, "set bmargin %.1f\n", axis_lines + below_cm / line_cm);
    plot_caption_print(&script->caption, 6, height_cm(script), script->out);
}

/* -------------------------------------------------------------------- files */

/* False: the curve has no point, as one that takes no time on a logarithmic axis. */
static bool put_points_of(const struct script *script, const struct curve *curve, bool x_is_log,
                          bool y_is_log)
{
    const struct plot *plot = script->plot;
    bool has_points = false;
    for (size_t at = 0; at < plot->values.count; at++) {
        size_t value = script->order[at].value;
        const struct mean_estimate *estimate =
            plot_estimate(plot, value * plot->series.count + curve->series);
        double x = script->order[at].x;
        if (!estimate || (x_is_log && x <= 0) || (y_is_log && estimate->mean <= 0))
            continue;
        fprintf(script->out, "%.12g %.12g %.12g\n", x, estimate->mean, estimate->half_width);
        has_points = true;
    }
    return has_points;
}

/* The points of each curve stand in the script itself, because gnuplot drops a line of CSV in which a name
 * contains a double quote. A block without a line would not count, and the next one would have its index. */
static void put_points(const struct script *script, bool x_is_log, bool y_is_log)
{
    fputs("$points << END\n", script->out);
    for (size_t i = 0; i < script->count; i++) {
        if (!put_points_of(script, &script->curves[i], x_is_log, y_is_log))
            fputs("NaN NaN NaN\n", script->out);
        fputs("\n\n", script->out);
    }
    fputs("END\n", script->out);
}

static void put_head(const struct script *script)
{
    fprintf(
        script->out,
        "# gnuplot plot.gp, in this folder, draws plot.pdf and plot.svg, as wide as one column of a page;\n"
        "# gnuplot -e columns=2 plot.gp draws them as wide as two. The numbers are those of plot.csv.\n"
        "if (!exists(\"columns\")) columns = 1\n"
        "set terminal pdfcairo noenhanced size 8.8*columns cm,%.2f cm font \"Helvetica,8\" fontscale 0.75\n"
        "set output \"plot.pdf\"\n"
        "set tics nomirror scale 1,0.5\n"
        "set border 3\n"
        "set grid xtics ytics linecolor rgb \"#dddddd\" linetype 1 linewidth 0.5\n",
        height_cm(script));
    fprintf(script->out,
            "set key outside top center horizontal Left reverse samplen 2.5 maxcols %zu*columns noenhanced "
            "font \",%g\"",
            legend_columns(script), legend_size(script));
    if (script->only_one) {
        fputs(" title ", script->out);
        quote_gnuplot(script->out, script->only_one);
    }
    fputc('\n', script->out);
}

static void put_plot(const struct script *script, bool has_intervals)
{
    fputs("plot ", script->out);
    for (size_t i = 0; i < script->count; i++) {
        const struct curve *curve = &script->curves[i];
        const struct fabric_style style = style_of(script, i);
        fprintf(script->out, "%s$points index %zu with %s linewidth 2 pointsize 0.5 ", i ? ", \\\n     " : "",
                i, has_intervals ? "yerrorlines" : "linespoints");
        fabric_style_print_gnuplot(&style, script->out);
        fputs(" title ", script->out);
        quote_gnuplot(script->out, curve->title);
    }
    if (plot_shows_speedup(script->plot))
        fputs(", \\\n     1 with lines linewidth 0.8 dashtype 3 linecolor rgb \"black\" notitle",
              script->out);
    fputc('\n', script->out);
    plot_caption_print(&script->caption, 6 * PIXELS, height_cm(script), script->out);
    fprintf(script->out,
            "set key font \",%g\"\n"
            "set terminal svg noenhanced size 440*columns,%.0f font \"Helvetica,14\" background \"white\"\n"
            "set output \"plot.svg\"\n"
            "replot\n",
            legend_size(script) * PIXELS, 50 * height_cm(script));
}

void plot_write_script(const struct plot *plot, FILE *out)
{
    struct script script = {.plot = plot, .out = out};
    bool x_is_log, y_is_log, has_intervals = false;
    find_curves(&script);
    choose_titles(&script);
    plot_caption_make(plot, &script.caption);
    sort_values(&script);
    for (size_t i = 0; i < script.count; i++)
        script.curves[i].title = title_of(&script, &script.curves[i]);
    if (script.count > TOLD_APART)
        diag_warning("the figure has %zu curves, which are hard to tell apart; --where PARAMETER=VALUE keeps "
                     "those with one value",
                     script.count);
    put_head(&script);
    put_x_axis(&script, &x_is_log);
    put_y_axis(&script, &has_intervals, &y_is_log);
    put_caption(&script);
    put_points(&script, x_is_log, y_is_log);
    put_plot(&script, has_intervals);
    for (size_t i = 0; i < script.count; i++) {
        free(script.curves[i].differs);
        free(script.curves[i].title);
    }
    plot_caption_free(&script.caption);
    free(script.curves);
    free(script.is_in_title);
    free(script.order);
}
