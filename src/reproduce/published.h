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
 * rounding or scatter allows; "+2": digits are cut off, so ours may be larger by 2 %, and not smaller. It is
 * empty where our number says nothing about the paper's, as that of a model whose parts stand for others.
 *
 * Two more tables name items, or items in one configuration (`item/configuration`), or all that match a
 * pattern as file names do; the first line that fits holds. notes.csv has `item,note,experiment`: the cause
 * of a deviation, and a command whose result shows it; empty where the note itself is what shows it, such as
 * a sum of the paper's own numbers. roles.csv has `item,role,why`: what keeps a number from being a result of
 * ours. */
struct published_item {
    const char *item, *unit, *source;
    bool has_value, has_tolerance, is_cut; /* is_cut: the tolerance is upwards only */
    double value, tolerance_percent;
};

enum published_role {
    ROLE_NONE,
    ROLE_INPUT,         /* "input": a number of the paper that we put in */
    ROLE_FITTED,        /* "fitted": it chose a value that is put in */
    ROLE_HELD_OUT,      /* "held out": a fit to other numbers gives it */
    ROLE_SEARCHED,      /* "searched": half of these choose the configuration `found`, the others test it */
    ROLE_CHOOSES,       /* "chooses": searched, and chooses, whatever its name */
    ROLE_TESTS,         /* "tests": searched, and tests */
    ROLE_NOT_COMPUTABLE /* "not computable" from what the paper says */
};

/* Whether a search computes items of this role. */
bool role_is_searched(enum published_role role);

/* Lines that say something of the items that fit a pattern. */
struct published_lines {
    struct published_line {
        const char *pattern, *text;
        enum published_role role; /* of roles.csv */
        const char *experiment;   /* of notes.csv; "" = none */
    } * list;
    size_t count, capacity;
};

struct published {
    struct arena texts;
    struct published_item *items;
    size_t count, capacity;
    struct published_lines notes, roles;
    /* A pattern of the searched items that are held out, in place of the roles `chooses` and `tests`; NULL:
     * as the roles say. */
    const char *held_out;
};

/* Reads the files of a paper; roles.csv may be missing. STATUS_FAILED, reported with the line: a file is not
 * as described above. */
enum status published_load(struct published *published, const char *paper);
void published_free(struct published *published);

/* NULL: there is no item of that name. */
const struct published_item *published_find(const struct published *published, const char *item);
/* The first line of the item in this configuration or variant (NULL: none), else of the item; NULL: no line
 * fits. */
const struct published_line *published_line(const struct published_lines *lines, const char *item,
                                            const char *variant);

/* Whether our value is within the tolerance of an item that has one. */
bool published_is_met(const struct published_item *item, double ours);
/* Whether the item has a number, a tolerance, and a role of a search: searched, chooses or tests. */
bool published_is_searched(const struct published *published, const struct published_item *item);
/* Whether the searched item does not choose: what is held out says so, else its role, else a hash of its
 * name. */
bool published_is_held_out(const struct published *published, const struct published_item *item);

#endif
