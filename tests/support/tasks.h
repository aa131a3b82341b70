#ifndef HELIO_TESTS_SUPPORT_TASKS_H
#define HELIO_TESTS_SUPPORT_TASKS_H

#include <stdint.h>

/* Records the tasks that code tells to base/progress.h, for tests of how far they say to be. */
struct recorded_task {
    char name[64];
    uint64_t done, total; /* when it ended, or was renamed to this name */
};

void tasks_record(void); /* from now on, and nothing yet */
void tasks_stop(void);

/* The recorded task that begins with this name; it fails the test if there is none. */
const struct recorded_task *tasks_find(const char *name);

/* The task's total is known, and is reached: at least this share of it was told, and not more than
 * `most_share` of it, which is 1 unless the total is an estimate. */
void tasks_assert_reached(const char *name, double least_share, double most_share);

#endif
