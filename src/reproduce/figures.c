#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "reproduce/internal.h"

static const char *const kind_names[] = {
    [FIGURE_LINES] = "lines", [FIGURE_BARS] = "bars", [FIGURE_MAP] = "map"};

enum { DIGITS = 9 };

/* Rounded to the digits that are written, so that a number has the same text everywhere. */
static json_t *rounded(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.*g", DIGITS, value);
    return json_real(strtod(text, NULL));
}

void reproduction_figure(struct reproduction *reproduction, const struct figure *figure)
{
    json_array_append_new(reproduction->figures,
                          json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:f, s:[]}", "id",
                                    figure->id, "title", figure->title, "says",
                                    figure->says ? figure->says : "", "how", figure->how ? figure->how : "",
                                    "x", figure->x, "y", figure->y, "kind", kind_names[figure->kind], "x_log",
                                    figure->x_log, "y_log", figure->y_log, "reference", figure->reference,
                                    "points"));
}

void reproduction_point(struct reproduction *reproduction, const char *panel, const char *series,
                        const char *x, double y)
{
    size_t count = json_array_size(reproduction->figures);
    if (!count || !isfinite(y))
        return;
    json_t *points = json_object_get(json_array_get(reproduction->figures, count - 1), "points");
    json_array_append_new(
        points, json_pack("{s:s, s:s, s:s, s:o}", "panel", panel, "series", series, "x", x, "y", rounded(y)));
}

void reproduction_point_at(struct reproduction *reproduction, const char *panel, const char *series, double x,
                           double y)
{
    char text[40];
    snprintf(text, sizeof text, "%.*g", DIGITS, x);
    reproduction_point(reproduction, panel, series, text, y);
}

/* --------------------------------------------------------------------- page */

static json_t *number_or_null(double value)
{
    return isnan(value) ? json_null() : rounded(value);
}

static json_t *row_json(const struct reproduction_row *row)
{
    const struct published_item *published = row->published;
    return json_pack("{s:s, s:s, s:o, s:o, s:s, s:o, s:o, s:s, s:s, s:s}", "item", row->name, "of",
                     published->item, "published",
                     number_or_null(published->has_value ? published->value : NAN), "ours",
                     number_or_null(row->ours), "unit", published->unit, "deviation_percent",
                     number_or_null(row->deviation_percent), "tolerance_percent",
                     number_or_null(published->has_tolerance ? published->tolerance_percent : NAN), "verdict",
                     verdict_name(row->verdict), "source", published->source, "note", row->note);
}

char *json_take_text(json_t *taken)
{
    char *text = json_dumps(taken, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    json_decref(taken);
    char *copy = mem_text(text ? text : "{}");
    free(text);
    return copy;
}

json_t *paper_json(const struct reproduction *reproduction)
{
    json_t *rows = json_array(), *values = json_object(), *numbers = json_object();
    size_t counts[VERDICTS];
    numbers_count(reproduction, counts);
    for (size_t i = 0; i < reproduction->row_count; i++)
        json_array_append_new(rows, row_json(&reproduction->rows[i]));
    for (int i = 0; i < VERDICTS; i++) {
        const char *name = verdict_name((enum verdict)i);
        json_object_set_new(values, name,
                            json_integer((json_int_t)rows_count(reproduction, (enum verdict)i)));
        json_object_set_new(numbers, name, json_integer((json_int_t)counts[i]));
    }
    return json_pack("{s:s, s:s, s:s, s:b, s:o, s:o, s:o}", "paper", reproduction->paper->name, "title",
                     reproduction->paper->title, "version", HELIO_VERSION, "quick", reproduction->quick,
                     "numbers", numbers, "values", values, "rows", rows);
}

char *page_json(const struct reproduction *reproduction)
{
    json_t *whole = paper_json(reproduction);
    json_object_set(whole, "figures", reproduction->figures);
    return json_take_text(whole);
}
