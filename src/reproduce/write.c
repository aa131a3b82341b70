#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "output/quote.h"
#include "reproduce/internal.h"

static void put_field(FILE *out, const char *text, char after)
{
    quote_csv(out, text);
    fputc(after, out);
}

static void put_number(FILE *out, const char *format, bool known, double value)
{
    if (known)
        fprintf(out, format, value);
    fputc(',', out);
}

void rows_write_header(FILE *out)
{
    fputs("paper,item,published,ours,unit,deviation_percent,tolerance_percent,verdict,note\n", out);
}

void rows_write(const struct reproduction *reproduction, FILE *out)
{
    for (size_t i = 0; i < reproduction->row_count; i++) {
        const struct reproduction_row *row = &reproduction->rows[i];
        put_field(out, reproduction->paper->name, ',');
        put_field(out, row->name, ',');
        put_number(out, "%.10g", row->published->has_value, row->published->value);
        put_number(out, "%.7g", !isnan(row->ours), row->ours);
        put_field(out, row->published->unit, ',');
        put_number(out, "%.3f", !isnan(row->deviation_percent), row->deviation_percent);
        put_number(out, "%.4g", row->published->has_tolerance, row->published->tolerance_percent);
        put_field(out, verdict_name(row->verdict), ',');
        put_field(out, row->note, '\n');
    }
}

void figures_write(const struct reproduction *reproduction, FILE *out)
{
    size_t index, at;
    json_t *figure, *point;
    fputs("figure,panel,series,x,y\n", out);
    json_array_foreach(reproduction->figures, index, figure)
    {
        json_array_foreach(json_object_get(figure, "points"), at, point)
        {
            put_field(out, json_string_value(json_object_get(figure, "id")), ',');
            put_field(out, json_string_value(json_object_get(point, "panel")), ',');
            put_field(out, json_string_value(json_object_get(point, "series")), ',');
            put_field(out, json_string_value(json_object_get(point, "x")), ',');
            fprintf(out, "%.7g\n", json_real_value(json_object_get(point, "y")));
        }
    }
}

static void put_counts(FILE *out, size_t all, const char *of_what, const size_t counts[static VERDICTS])
{
    fprintf(out, "%zu %s: ", all, of_what);
    for (int i = 0; i < VERDICTS; i++)
        fprintf(out, "%s%zu %s", i ? ", " : "", counts[i], verdict_name((enum verdict)i));
    fputc('\n', out);
}

/* What deviates, and how many of each verdict there are. */
void summary_write(const struct reproduction *reproduction, FILE *out)
{
    fprintf(out, "%s: %s\n\n", reproduction->paper->name, reproduction->paper->title);
    for (size_t i = 0; i < reproduction->row_count; i++) {
        const struct reproduction_row *row = &reproduction->rows[i];
        if (row->verdict != VERDICT_DEVIATES)
            continue;
        fprintf(out, "%-50s published %-9.6g ours %-9.4g %-6s %+.1f %%\n", row->name, row->published->value,
                row->ours, row->published->unit, row->deviation_percent);
        if (*row->note)
            fprintf(out, "    %s\n", row->note);
    }
    size_t values[VERDICTS], numbers[VERDICTS];
    numbers_count(reproduction, numbers);
    for (int i = 0; i < VERDICTS; i++)
        values[i] = rows_count(reproduction, (enum verdict)i);
    fputc('\n', out);
    put_counts(out, reproduction->published.count,
               "published numbers and claims, each in the way that fits best", numbers);
    put_counts(out, reproduction->row_count, "values of ours", values);
}
