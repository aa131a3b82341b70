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
    fputs("paper,item,published,ours,unit,deviation_percent,tolerance_percent,verdict,note,configuration,"
          "experiment\n",
          out);
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
        put_field(out, row->note, ',');
        put_field(out, row->configuration ? row->configuration->name : row->variant ? "" : "all", ',');
        put_field(out, row->experiment, '\n');
    }
}

void figures_write(const struct reproduction *reproduction, FILE *out)
{
    size_t index, at;
    json_t *figure, *point;
    fputs("figure,panel,series,x,y,published\n", out);
    json_array_foreach(reproduction->figures, index, figure)
    {
        json_array_foreach(json_object_get(figure, "points"), at, point)
        {
            put_field(out, json_string_value(json_object_get(figure, "id")), ',');
            put_field(out, json_string_value(json_object_get(point, "panel")), ',');
            put_field(out, json_string_value(json_object_get(point, "series")), ',');
            put_field(out, json_string_value(json_object_get(point, "x")), ',');
            const json_t *published = json_object_get(point, "published");
            fprintf(out, "%.7g,", json_real_value(json_object_get(point, "y")));
            if (published)
                fprintf(out, "%.7g", json_number_value(published));
            fputc('\n', out);
        }
    }
}

/* The columns of the tables of verdicts: what came out, in the order of how much it says. */
static const struct verdict_column {
    const char *title;
    enum verdict verdict;
} columns[] = {
    {"reproduced", VERDICT_REPRODUCED}, {"predicted", VERDICT_PREDICTED},      {"fitted", VERDICT_FITTED},
    {"input", VERDICT_INPUT},           {"deviate", VERDICT_DEVIATES},         {"not run", VERDICT_NOT_RUN},
    {"measured", VERDICT_MEASURED},     {"not comp.", VERDICT_NOT_COMPUTABLE},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

void counts_write_header(const char *first, FILE *out)
{
    fprintf(out, "%-24s %7s", first, "numbers");
    for (int i = 0; i < COLUMNS; i++)
        fprintf(out, " %10s", columns[i].title);
    fputc('\n', out);
}

void counts_write(const char *first, const size_t counts[static VERDICTS], FILE *out)
{
    size_t all = 0;
    for (int i = 0; i < VERDICTS; i++)
        all += counts[i];
    fprintf(out, "%-24s %7zu", first, all);
    for (int i = 0; i < COLUMNS; i++)
        fprintf(out, " %10zu", counts[columns[i].verdict]);
    fputc('\n', out);
}

static void write_deviations(const struct reproduction *reproduction, const struct configuration *best,
                             FILE *out)
{
    for (size_t i = 0; i < reproduction->row_count; i++) {
        const struct reproduction_row *row = &reproduction->rows[i];
        if (row->verdict != VERDICT_DEVIATES || !row_is_of(row, best))
            continue;
        fprintf(out, "%-50s published %-9.6g ours %-9.4g %-6s %+.1f %%\n", row->published->item,
                row->published->value, row->ours, row->published->unit, row->deviation_percent);
        if (*row->note)
            fprintf(out, "    %s\n", row->note);
        if (*row->experiment)
            fprintf(out, "    experiment: %s\n", row->experiment);
    }
}

/* A line for each configuration; and where a search has been made, the same for what it did not see. */
static void write_configurations(const struct reproduction *reproduction, enum numbers which, FILE *out)
{
    size_t counts[VERDICTS];
    counts_write_header(which == NUMBERS_ALL ? "configuration" : "held out", out);
    for (size_t i = 0; i < reproduction->configurations.count; i++) {
        const struct configuration *configuration = &reproduction->configurations.list[i];
        numbers_count(reproduction, configuration, which, counts);
        counts_write(configuration->name, counts, out);
    }
}

/* What deviates in the configuration that meets most numbers, and the verdicts in each configuration. */
void summary_write(const struct reproduction *reproduction, FILE *out)
{
    const struct configuration *best = configuration_best(reproduction);
    bool is_found = false;
    fprintf(out, "%s: %s\n\n", reproduction->paper->name, reproduction->paper->title);
    write_deviations(reproduction, best, out);
    fputc('\n', out);
    write_configurations(reproduction, NUMBERS_ALL, out);
    for (size_t i = 0; i < reproduction->configurations.count; i++)
        is_found = is_found || reproduction->configurations.list[i].is_found;
    if (is_found)
        write_configurations(reproduction, NUMBERS_HELD_OUT, out);
    if (reproduction->configurations.count > 1)
        fprintf(out, "\nThe configuration that meets most numbers is %s: %s\n", best->name, best->says);
}
