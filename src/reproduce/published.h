#ifndef HELIO_REPRODUCE_PUBLISHED_H
#define HELIO_REPRODUCE_PUBLISHED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/status.h"

/* Published numbers are data: papers/NAME/published.csv, built into the program. Its columns are
 *
 *     item,published,unit,tolerance_percent,source
 *
 * `published` is empty where the paper has words and no number; the tolerance is what the paper's own
 * rounding allows, or a stated judgement, and empty where a number of ours cannot say anything about the
 * paper's, as one of a model whose parts stand for others. papers/NAME/notes.csv has `item,note`: the cause
 * of a deviation, for an item or for one of its variants (`item/variant`), or for all that match a pattern in
 * the manner of file names; the first that fits holds. Lines that begin with # are comments. */
struct published_item {
    const char *item, *unit, *source;
    bool has_value, has_tolerance;
    double value, tolerance_percent;
};

struct published {
    struct arena texts;
    struct published_item *items;
    size_t count, capacity;
    struct published_note {
        const char *item, *note;
    } * notes;
    size_t note_count, note_capacity;
};

/* STATUS_FAILED, reported with the line, where a file is not as it should be. */
enum status published_load(struct published *published, const char *paper);
void published_free(struct published *published);

/* NULL when there is none of that name. */
const struct published_item *published_find(const struct published *published, const char *item);
/* Of the variant, or else of the item; "" where there is nothing to say. `variant` may be NULL. */
const char *published_note(const struct published *published, const char *item, const char *variant);

/* One line of CSV (RFC 4180, no line breaks in fields): at most `most` fields into `fields`, as texts in the
 * arena. Returns how many there are, or 0 when a quote is not closed. *next is moved behind the line. */
size_t published_split(const char **next, const char *end, struct arena *texts, const char **fields,
                       size_t most);

#endif
