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

/* A new row to fill. NULL, reported: the item is not published. */
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

static void set_verdict(struct reproduction_row *row)
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
    /* Tolerances are decimal numbers: half a unit of the ninth digit more keeps a value on the edge inside.
     */
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
    set_verdict(row);
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

/* By published item; rows of one item keep the order in which they were given. */
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

/* The best verdict of an item's rows: enum verdict begins with the best. */
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
