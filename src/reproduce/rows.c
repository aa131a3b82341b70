#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/diag.h"
#include "reproduce/internal.h"

static const char *const verdict_names[] = {[VERDICT_REPRODUCED] = "reproduced",
                                            [VERDICT_DEVIATES] = "deviates",
                                            [VERDICT_MEASURED] = "measured",
                                            [VERDICT_NOT_RUN] = "not run"};

const char *verdict_name(enum verdict verdict)
{
    return verdict_names[verdict];
}

/* --------------------------------------------------------------------- rows */

static char *row_name(const char *item, const char *variant)
{
    return variant ? mem_format("%s/%s", item, variant) : mem_text(item);
}

/* A row to be filled, or NULL for an item that no paper published. */
static struct reproduction_row *add_row(struct reproduction *reproduction, const char *item,
                                        const char *variant)
{
    const struct published_item *published = published_find(&reproduction->published, item);
    if (!published) {
        diag_error("papers/%s/published.csv has no item '%s'", reproduction->paper->name, item);
        reproduction->broken = true;
        return NULL;
    }
    reproduction->rows =
        mem_grow(reproduction->rows, &reproduction->row_capacity, reproduction->row_count + 1, "items");
    struct reproduction_row *row = &reproduction->rows[reproduction->row_count++];
    *row = (struct reproduction_row){
        .published = published, .name = row_name(item, variant), .ours = NAN, .deviation_percent = NAN};
    return row;
}

static void judge(struct reproduction_row *row)
{
    const struct published_item *published = row->published;
    row->verdict = VERDICT_MEASURED;
    if (!published->has_value)
        return;
    if (published->value != 0)
        row->deviation_percent = 100 * (row->ours - published->value) / fabs(published->value);
    else if (row->ours == 0)
        row->deviation_percent = 0;
    if (!published->has_tolerance)
        return;
    /* The tolerances are decimal; half of one unit in the ninth digit keeps a value on the edge inside. */
    bool within = fabs(row->deviation_percent) <= published->tolerance_percent * (1 + 5e-10);
    row->verdict = within ? VERDICT_REPRODUCED : VERDICT_DEVIATES;
}

void reproduction_item(struct reproduction *reproduction, const char *item, const char *variant, double ours)
{
    const char *reason = reproduction->failed_because;
    reproduction->failed_because = NULL;
    if (isnan(ours)) {
        reproduction_skip(reproduction, item, variant, reason ? reason : "there is no such number");
        return;
    }
    struct reproduction_row *row = add_row(reproduction, item, variant);
    if (!row)
        return;
    row->ours = ours;
    row->note = mem_text(published_note(&reproduction->published, item, variant));
    judge(row);
}

void reproduction_item_format(struct reproduction *reproduction, const char *variant, double ours,
                              const char *format, ...)
{
    char item[160];
    va_list args;
    va_start(args, format);
    vsnprintf(item, sizeof item, format, args);
    va_end(args);
    reproduction_item(reproduction, item, variant, ours);
}

void reproduction_skip(struct reproduction *reproduction, const char *item, const char *variant,
                       const char *reason)
{
    struct reproduction_row *row = add_row(reproduction, item, variant);
    if (!row)
        return;
    row->verdict = VERDICT_NOT_RUN;
    row->note = mem_text(reason);
}

void rows_clear(struct reproduction *reproduction)
{
    for (size_t i = 0; i < reproduction->row_count; i++) {
        free(reproduction->rows[i].name);
        free(reproduction->rows[i].note);
    }
    reproduction->row_count = 0;
}

/* In the order of the published items, and each item's in the order in which they were given. */
static void sort_rows(struct reproduction *reproduction)
{
    struct reproduction_row *sorted = mem_alloc(reproduction->row_capacity, sizeof *sorted, "items");
    size_t count = 0;
    for (size_t i = 0; i < reproduction->published.count; i++)
        for (size_t k = 0; k < reproduction->row_count; k++)
            if (reproduction->rows[k].published == &reproduction->published.items[i])
                sorted[count++] = reproduction->rows[k];
    free(reproduction->rows);
    reproduction->rows = sorted;
}

void rows_complete(struct reproduction *reproduction)
{
    for (size_t i = 0; i < reproduction->published.count; i++) {
        const struct published_item *item = &reproduction->published.items[i];
        bool given = false;
        for (size_t k = 0; k < reproduction->row_count && !given; k++)
            given = reproduction->rows[k].published == item;
        if (!given)
            reproduction_skip(reproduction, item->item, NULL,
                              reproduction->quick ? "left out by --quick" : "not computed");
    }
    sort_rows(reproduction);
}

size_t rows_count(const struct reproduction *reproduction, enum verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < reproduction->row_count; i++)
        count += reproduction->rows[i].verdict == verdict;
    return count;
}

/* The verdicts stand in the order of how much they say. */
static enum verdict best_verdict(const struct reproduction *reproduction, const struct published_item *item)
{
    enum verdict best = VERDICT_NOT_RUN;
    for (size_t i = 0; i < reproduction->row_count; i++)
        if (reproduction->rows[i].published == item && reproduction->rows[i].verdict < best)
            best = reproduction->rows[i].verdict;
    return best;
}

void numbers_count(const struct reproduction *reproduction, size_t counts[static VERDICTS])
{
    memset(counts, 0, VERDICTS * sizeof *counts);
    for (size_t i = 0; i < reproduction->published.count; i++)
        counts[best_verdict(reproduction, &reproduction->published.items[i])]++;
}

/* ------------------------------------------------------------------ writing */

static void put_field(FILE *out, const char *text, char after)
{
    if (strpbrk(text, ",\"\n")) {
        fputc('"', out);
        for (; *text; text++) {
            if (*text == '"')
                fputc('"', out);
            fputc(*text, out);
        }
        fputc('"', out);
    } else {
        fputs(text, out);
    }
    fputc(after, out);
}

static void put_number(FILE *out, const char *format, bool known, double value)
{
    if (known)
        fprintf(out, format, value);
    fputc(',', out);
}

void write_rows_header(FILE *out)
{
    fputs("paper,item,published,ours,unit,deviation_percent,tolerance_percent,verdict,note\n", out);
}

void write_rows(const struct reproduction *reproduction, FILE *out)
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

void write_figures(const struct reproduction *reproduction, FILE *out)
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
        fprintf(out, "%s%zu %s", i ? ", " : "", counts[i], verdict_names[i]);
    fputc('\n', out);
}

/* What deviates, and how many of each verdict there are. */
enum status write_summary(const struct reproduction *reproduction, FILE *out)
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
    if (fflush(out) || ferror(out)) {
        diag_error("cannot write the summary: %s", strerror(errno));
        return STATUS_FAILED;
    }
    return STATUS_OK;
}
