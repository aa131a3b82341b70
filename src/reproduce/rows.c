#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/diag.h"
#include "reproduce/internal.h"

static const char *const verdict_names[] = {[VERDICT_REPRODUCED] = "reproduced",
                                            [VERDICT_PREDICTED] = "predicted",
                                            [VERDICT_FITTED] = "fitted",
                                            [VERDICT_INPUT] = "input",
                                            [VERDICT_DEVIATES] = "deviates",
                                            [VERDICT_MEASURED] = "measured",
                                            [VERDICT_NOT_COMPUTABLE] = "not computable",
                                            [VERDICT_NOT_RUN] = "not run"};

const char *verdict_name(enum verdict verdict)
{
    return verdict_names[verdict];
}

/* --------------------------------------------------------------------- rows */

/* A new row to fill; of all configurations if the paper has one. NULL, reported: the item is not published.
 */
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
        .published = published, .ours = NAN, .deviation_percent = NAN, .experiment = ""};
    if (variant)
        row->variant = variant = arena_text(&reproduction->published.texts, variant, strlen(variant));
    else if (reproduction->configurations.count > 1)
        row->configuration = reproduction->configuration;
    const char *of = variant ? variant : row->configuration ? row->configuration->name : NULL;
    row->name = of ? mem_format("%s/%s", item, of) : mem_text(item);
    return row;
}

/* What a number within its tolerance shows. Only the configuration that a search has found depends on the
 * searched items. */
static enum verdict verdict_of_role(const struct reproduction *reproduction,
                                    const struct published_item *published, enum published_role role)
{
    if (role_is_searched(role) && reproduction->configuration->is_found)
        role = published_is_held_out(&reproduction->published, published) ? ROLE_HELD_OUT : ROLE_FITTED;
    return role == ROLE_FITTED     ? VERDICT_FITTED
           : role == ROLE_HELD_OUT ? VERDICT_PREDICTED
                                   : VERDICT_REPRODUCED;
}

static void set_verdict(const struct reproduction *reproduction, struct reproduction_row *row,
                        enum published_role role)
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
    row->verdict = published_is_met(published, row->ours) ? verdict_of_role(reproduction, published, role)
                                                          : VERDICT_DEVIATES;
    if (role == ROLE_INPUT)
        row->verdict = VERDICT_INPUT;
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
    const char *way = variant ? variant : reproduction->configuration->name;
    const struct published_line *note = published_line(&reproduction->published.notes, item, way),
                                *role = published_line(&reproduction->published.roles, item, way);
    row->ours = ours;
    set_verdict(reproduction, row, role ? role->role : ROLE_NONE);
    if (note && *note->experiment && row->verdict != VERDICT_DEVIATES)
        note = NULL; /* it explains a deviation that this configuration does not have */
    row->note = mem_text(note ? note->text : role && !role_is_searched(role->role) ? role->text : "");
    row->experiment = note ? note->experiment : "";
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

/* Whether two rows of an item say the same. */
static bool is_same(const struct reproduction_row *a, const struct reproduction_row *b)
{
    bool both_unknown = isnan(a->ours) && isnan(b->ours);
    return (a->ours == b->ours || both_unknown) && a->verdict == b->verdict && strcmp(a->note, b->note) == 0;
}

/* Where all configurations give an item the same row, one is left. Returns how many rows there are. */
static size_t merge(const struct reproduction *reproduction, struct reproduction_row *rows, size_t count)
{
    size_t of_configurations = 0;
    while (of_configurations < count && rows[of_configurations].configuration)
        of_configurations++;
    if (of_configurations < 2 || of_configurations < reproduction->configurations.count)
        return count;
    for (size_t i = 1; i < of_configurations; i++)
        if (!is_same(&rows[0], &rows[i]))
            return count;
    free(rows[0].name);
    rows[0].name = mem_text(rows[0].published->item);
    rows[0].configuration = NULL;
    for (size_t i = 1; i < of_configurations; i++) {
        free(rows[i].name);
        free(rows[i].note);
    }
    memmove(rows + 1, rows + of_configurations, (count - of_configurations) * sizeof *rows);
    return count - of_configurations + 1;
}

/* By published item: rows of configurations, in their order, and then the others as they were given. */
static void sort_rows(struct reproduction *reproduction)
{
    struct reproduction_row *sorted = mem_alloc(reproduction->row_capacity, sizeof *sorted, "items");
    size_t count = 0;
    for (size_t i = 0; i < reproduction->published.count; i++) {
        size_t first = count;
        for (int variants = 0; variants < 2; variants++)
            for (size_t k = 0; k < reproduction->row_count; k++) {
                const struct reproduction_row *row = &reproduction->rows[k];
                if (row->published == &reproduction->published.items[i] && (row->variant != NULL) == variants)
                    sorted[count++] = *row;
            }
        count = first + merge(reproduction, sorted + first, count - first);
    }
    free(reproduction->rows);
    reproduction->rows = sorted;
    reproduction->row_count = count;
}

/* A row for an item that the paper's code does not give. */
static void add_missing(struct reproduction *reproduction, const struct published_item *item)
{
    const struct published_line *role = published_line(&reproduction->published.roles, item->item, NULL);
    bool is_possible = !role || role->role != ROLE_NOT_COMPUTABLE;
    reproduction_skip(reproduction, item->item, NULL,
                      !is_possible          ? role->text
                      : reproduction->quick ? "left out by --quick"
                                            : "not computed");
    struct reproduction_row *row = &reproduction->rows[reproduction->row_count - 1];
    row->verdict = is_possible ? VERDICT_NOT_RUN : VERDICT_NOT_COMPUTABLE;
}

void rows_complete(struct reproduction *reproduction)
{
    size_t given_count = reproduction->row_count;
    for (size_t c = 0; c < reproduction->configurations.count; c++) {
        reproduction->configuration = &reproduction->configurations.list[c];
        for (size_t i = 0; i < reproduction->published.count; i++) {
            const struct published_item *item = &reproduction->published.items[i];
            bool given = false;
            for (size_t k = 0; k < given_count && !given; k++)
                given = reproduction->rows[k].published == item &&
                        row_is_of(&reproduction->rows[k], reproduction->configuration);
            if (!given)
                add_missing(reproduction, item);
        }
    }
    sort_rows(reproduction);
}

/* ----------------------------------------------------------------- counting */

bool row_is_of(const struct reproduction_row *row, const struct configuration *configuration)
{
    return !row->variant && (!row->configuration || row->configuration == configuration);
}

size_t rows_count(const struct reproduction *reproduction, enum verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < reproduction->row_count; i++)
        count += reproduction->rows[i].verdict == verdict;
    return count;
}

void numbers_count(const struct reproduction *reproduction, const struct configuration *configuration,
                   enum numbers which, size_t counts[static VERDICTS])
{
    memset(counts, 0, VERDICTS * sizeof *counts);
    for (size_t i = 0; i < reproduction->row_count; i++) {
        const struct reproduction_row *row = &reproduction->rows[i];
        if (row_is_of(row, configuration) &&
            (which == NUMBERS_ALL || (published_is_searched(&reproduction->published, row->published) &&
                                      published_is_held_out(&reproduction->published, row->published))))
            counts[row->verdict]++;
    }
}

size_t numbers_met(const size_t counts[static VERDICTS])
{
    return counts[VERDICT_REPRODUCED] + counts[VERDICT_PREDICTED] + counts[VERDICT_FITTED];
}

const struct configuration *configuration_best(const struct reproduction *reproduction)
{
    const struct configuration *best = reproduction->configurations.list;
    size_t most = 0, counts[VERDICTS];
    for (size_t i = 0; i < reproduction->configurations.count; i++) {
        numbers_count(reproduction, &reproduction->configurations.list[i], NUMBERS_ALL, counts);
        if (numbers_met(counts) > most) {
            most = numbers_met(counts);
            best = &reproduction->configurations.list[i];
        }
    }
    return best;
}
