#ifndef HELIO_COMPARE_COMPARE_H
#define HELIO_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"
#include "base/units.h"
#include "engine/critical.h"
#include "output/json.h"

/* Two results of helio run --json, beside each other: which parameters differ, how long the program takes on
 * each fabric, and what part of the critical path makes the difference.
 *
 *     compare.h, .c       reads two results and compares them
 *     result_file.h, .c   the file of one result
 *     print.c             the comparison as text and as JSON */

/* Texts belong to the comparison, and numbers that a result does not have are NAN. */
struct compare_side {
    const char *file;
    const char *program, *version;
    bool is_interrupted; /* some fabrics have no run */
    json_t *json;
};

/* What differs between the two: a parameter, the program, the seed. */
struct compare_setting {
    const char *name;
    char *values[2]; /* NULL: that side has no such setting */
};

/* A fabric. If the two files have one fabric each, these are compared whatever their names. */
struct compare_run {
    const char *fabrics[2]; /* NULL: that side has no run on the fabric */
    double makespan_s[2];
    double ratio;   /* of the first time to the second: above 1, the second is faster */
    bool has_paths; /* both sides have critical paths, so the fields below are known */
    double kinds_s[2][CRITICAL_KINDS];
    bool has_cause;           /* the times differ */
    enum critical_kind cause; /* the kind of time that makes most of the difference */
    double cause_share;       /* of the difference; above 1 where other kinds are the other way round */
    char *text;               /* what that means, in a sentence; NULL: one side has no run, or no time */
    struct units_speed speed; /* of the second; only if there is a text */
};

struct comparison {
    struct compare_side sides[2];
    struct compare_setting *settings;
    size_t setting_count, setting_capacity;
    struct compare_run *runs;
    size_t run_count, run_capacity;
};

/* Free the comparison also after an error. STATUS_BAD_INPUT, reported: a file is not such a result. */
enum status compare_files(const char *first, const char *second, struct comparison *comparison);
/* The same of texts; the names are for messages. */
enum status compare_texts(const char *const names[2], const char *const texts[2], const size_t lengths[2],
                          struct comparison *comparison);
void comparison_free(struct comparison *comparison);

void comparison_print(const struct comparison *comparison, FILE *out);
json_t *comparison_json(const struct comparison *comparison);

#endif
