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
 * `published` is empty where the paper has words and no number. The tolerance is what the paper's own
 * rounding allows, or a stated judgement. It is empty where our number says nothing about the paper's, as
 * that of a model whose parts stand for others. papers/NAME/notes.csv has `item,note`: the cause of a
 * deviation, for an item, for one of its variants (`item/variant`), or for all that match a pattern as file
 * names do. The first that fits holds. Lines that begin with # are comments. */
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

/* Reads both files of a paper. STATUS_FAILED, reported with the line: a file is not as described above. */
enum status published_load(struct published *published, const char *paper);
void published_free(struct published *published);

/* NULL: there is no item of that name. */
const struct published_item *published_find(const struct published *published, const char *item);
/* The note of the variant, else that of the item, else "". `variant` may be NULL. */
const char *published_note(const struct published *published, const char *item, const char *variant);

/* Splits one line of CSV (RFC 4180, no line breaks in fields) into at most `most` fields, texts in the arena.
 * Returns how many there are; 0: there are more, or a quote is not closed. *next is moved behind the line. */
size_t published_split(const char **next, const char *end, struct arena *texts, const char **fields,
                       size_t most);

#endif
