#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "reproduce/internal.h"

static const char *const kind_names[] = {
    [FIGURE_LINES] = "lines", [FIGURE_BARS] = "bars", [FIGURE_MAP] = "map"};

/* Rounded to the digits that are written, so that a number has the same text everywhere. */
static json_t *rounded(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.*g", FIGURE_DIGITS, value);
    return json_make_number(strtod(text, NULL));
}

/* A text that names the configuration, if the figure is that of one of several; to be freed. */
static char *of_configuration(const struct reproduction *reproduction, const struct figure *figure,
                              const char *text, const char *before, const char *after)
{
    if (figure->is_common || reproduction->configurations.count == 1)
        return mem_text(text);
    return mem_format("%s%s%s%s", text, before, reproduction->configuration->name, after);
}

void reproduction_figure(struct reproduction *reproduction, const struct figure *figure)
{
    reproduction->figure_is_left_out =
        !reproduction_draws(reproduction) || (figure->is_common && !reproduction_is_first(reproduction));
    if (reproduction->figure_is_left_out)
        return;
    json_t *object = json_make_object();
    char *id = of_configuration(reproduction, figure, figure->id, "-", ""),
         *title = of_configuration(reproduction, figure, figure->title, " (", ")");
    json_put_text(object, "id", id);
    json_put_text(object, "title", title);
    json_put_text(object, "says", figure->says ? figure->says : "");
    json_put_text(object, "how", figure->how ? figure->how : "");
    json_put_text(object, "x", figure->x);
    json_put_text(object, "y", figure->y);
    json_put_text(object, "kind", kind_names[figure->kind]);
    json_put_flag(object, "x_log", figure->x_log);
    json_put_flag(object, "y_log", figure->y_log);
    json_put_number(object, "reference", figure->reference);
    json_put(object, "points", json_make_list());
    json_add(reproduction->figures, object);
    free(title);
    free(id);
}

void reproduction_point(struct reproduction *reproduction, const char *panel, const char *series,
                        const char *x, double y)
{
    size_t count = json_array_size(reproduction->figures);
    reproduction->point = NULL;
    if (!count || !isfinite(y) || reproduction->figure_is_left_out)
        return;
    json_t *points = json_object_get(json_array_get(reproduction->figures, count - 1), "points");
    json_t *point = json_make_object();
    json_put_text(point, "panel", panel);
    json_put_text(point, "series", series);
    json_put_text(point, "x", x);
    json_put(point, "y", rounded(y));
    json_add(points, point);
    reproduction->point = point;
}

void reproduction_point_of(struct reproduction *reproduction, const char *item)
{
    double published = reproduction_published(reproduction, item);
    if (reproduction->point && !isnan(published))
        json_put(reproduction->point, "published", rounded(published));
}

void reproduction_point_at(struct reproduction *reproduction, const char *panel, const char *series, double x,
                           double y)
{
    char text[40];
    snprintf(text, sizeof text, "%.*g", FIGURE_DIGITS, x);
    reproduction_point(reproduction, panel, series, text, y);
}

/* --------------------------------------------------------------------- page */

static json_t *number_or_null(double value)
{
    return isnan(value) ? json_make_text(NULL) : rounded(value);
}

static json_t *row_json(const struct reproduction_row *row)
{
    const struct published_item *published = row->published;
    json_t *object = json_make_object();
    json_put_text(object, "item", row->name);
    json_put_text(object, "of", published->item);
    json_put_text(object, "configuration", row->configuration ? row->configuration->name : NULL);
    json_put_text(object, "variant", row->variant);
    json_put(object, "published", number_or_null(published->has_value ? published->value : NAN));
    json_put(object, "ours", number_or_null(row->ours));
    json_put_text(object, "unit", published->unit);
    json_put(object, "deviation_percent", number_or_null(row->deviation_percent));
    json_put(object, "tolerance_percent",
             number_or_null(published->has_tolerance ? published->tolerance_percent : NAN));
    json_put_text(object, "verdict", verdict_name(row->verdict));
    json_put_text(object, "source", published->source);
    json_put_text(object, "note", row->note);
    json_put_text(object, "experiment", row->experiment);
    return object;
}

static json_t *numbers_json(const struct reproduction *reproduction,
                            const struct configuration *configuration, enum numbers which)
{
    json_t *object = json_make_object();
    size_t counts[VERDICTS];
    numbers_count(reproduction, configuration, which, counts);
    for (int i = 0; i < VERDICTS; i++)
        json_put_count(object, verdict_name((enum verdict)i), counts[i]);
    return object;
}

static json_t *lines_json(const struct found_lines *lines)
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < lines->count; i++)
        json_add(list, json_make_text(lines->list[i]));
    return list;
}

static json_t *configuration_json(const struct reproduction *reproduction,
                                  const struct configuration *configuration)
{
    const struct configurations *configurations = &reproduction->configurations;
    json_t *object = json_make_object(), *choices = json_make_object();
    for (size_t i = 0; i < configurations->unknown_count; i++)
        json_put_text(choices, configurations->unknowns[i].name, configuration->choices[i]);
    json_put_text(object, "name", configuration->name);
    json_put_text(object, "says", configuration->says);
    json_put(object, "choices", choices);
    json_put(object, "numbers", numbers_json(reproduction, configuration, NUMBERS_ALL));
    json_put(object, "held_out", numbers_json(reproduction, configuration, NUMBERS_HELD_OUT));
    json_put(object, "path", lines_json(&configuration->path));
    json_put(object, "changes", lines_json(&configuration->changes));
    return object;
}

static json_t *unknown_json(const struct unknown *unknown)
{
    json_t *object = json_make_object(), *values = json_make_list();
    for (size_t i = 0; i < unknown->count; i++)
        json_add(values, json_make_text(unknown->values[i]));
    json_put_text(object, "name", unknown->name);
    json_put(object, "values", values);
    json_put_text(object, "says", unknown->says);
    return object;
}

json_t *paper_json(const struct reproduction *reproduction)
{
    const struct configurations *configurations = &reproduction->configurations;
    const struct configuration *best = configuration_best(reproduction);
    json_t *object = json_make_object(), *rows = json_make_list(), *values = json_make_object(),
           *unknowns = json_make_list(), *list = json_make_list();
    for (size_t i = 0; i < reproduction->row_count; i++)
        json_add(rows, row_json(&reproduction->rows[i]));
    for (int i = 0; i < VERDICTS; i++)
        json_put_count(values, verdict_name((enum verdict)i), rows_count(reproduction, (enum verdict)i));
    for (size_t i = 0; i < configurations->unknown_count; i++)
        json_add(unknowns, unknown_json(&configurations->unknowns[i]));
    for (size_t i = 0; i < configurations->count; i++)
        json_add(list, configuration_json(reproduction, &configurations->list[i]));
    json_put_text(object, "paper", reproduction->paper->name);
    json_put_text(object, "title", reproduction->paper->title);
    json_put_text(object, "version", HELIO_VERSION);
    json_put_flag(object, "quick", reproduction->quick);
    json_put_text(object, "configuration", best->name);
    json_put(object, "numbers", numbers_json(reproduction, best, NUMBERS_ALL));
    json_put(object, "held_out", numbers_json(reproduction, best, NUMBERS_HELD_OUT));
    json_put(object, "values", values);
    json_put(object, "unknowns", unknowns);
    json_put(object, "configurations", list);
    json_put(object, "rows", rows);
    return object;
}

char *page_json(const struct reproduction *reproduction)
{
    json_t *whole = paper_json(reproduction);
    json_put(whole, "figures", json_incref(reproduction->figures));
    return json_take_line(whole, FIGURE_DIGITS);
}
