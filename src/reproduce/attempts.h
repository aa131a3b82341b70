#ifndef HELIO_REPRODUCE_ATTEMPTS_H
#define HELIO_REPRODUCE_ATTEMPTS_H

#include "reproduce/internal.h"

/* The configurations that a search has tried, with what each gives for the searched items. They are kept in
 * FOLDER/PAPER-search.csv (PAPER-search-quick.csv with --quick), a line for each try: the version, a value
 * for each unknown, and a number for each item. A search that is started again goes on with what is there. */
struct attempt {
    struct configuration configuration;
    double *ours;  /* of each searched item; NaN: none */
    bool is_known; /* computed */
    /* How many items are within their tolerance: of those that choose, and of those that are held out. */
    size_t met, predicted;
    double distance; /* of those that choose, the mean deviation in tolerances, each at most 10 */
    size_t from;     /* the try that this one changes; itself: none */
    size_t place;    /* in the order in which this search wants its tries; SIZE_MAX: not wanted yet */
};

struct attempts {
    struct reproduction *of;
    const struct published_item **items; /* searched */
    size_t item_count, chosen_count;     /* all, and those that choose */
    struct attempt *list;
    size_t count, capacity;
};

/* Finds the searched items of the paper. STATUS_FAILED, reported: it has none. STATUS_BAD_INPUT, reported:
 * what is held out is none of them, or leaves none that chooses. */
enum status attempts_init(struct attempts *attempts, struct reproduction *reproduction);
/* Finds them and reads the tries that are kept. STATUS_FAILED or STATUS_BAD_INPUT, reported. */
enum status attempts_open(struct attempts *attempts, struct reproduction *reproduction, const char *folder);
/* The tries in the text of a file. A text of another version, or of other unknowns or items, says nothing
 * here.
 */
enum status attempts_read(struct attempts *attempts, const char *path, const char *text, size_t length);
size_t attempts_known(const struct attempts *attempts); /* how many */
void attempts_put(FILE *out, const void *attempts); /* those that are known, in the order of their places */
void attempts_close(struct attempts *attempts);
enum status attempts_write(const struct attempts *attempts, const char *folder);

/* The index of the try with these choices; attempts->count: there is none. */
size_t attempts_find(const struct attempts *attempts, const char *const *choices);
/* Adds a try with these choices, whose numbers are still unknown. Returns its index. */
size_t attempts_add(struct attempts *attempts, const char *const *choices);
/* Computes the paper in the configuration of a try and takes its numbers. They are known unless runs are
 * missing, which are wanted from then on (runs.h). */
void attempt_compute(const struct attempts *attempts, struct attempt *attempt);
/* Counts what a try meets, when its numbers are known. */
void attempt_judge(const struct attempts *attempts, struct attempt *attempt);
/* More numbers that choose are met, or as many and the others are nearer. */
bool attempt_is_better(const struct attempt *a, const struct attempt *b);

#endif
