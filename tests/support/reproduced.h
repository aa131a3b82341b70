#ifndef HELIO_TESTS_REPRODUCED_H
#define HELIO_TESTS_REPRODUCED_H

#include "base/diag.h"
#include "reproduce/paper.h"

/* The files that a reproduction writes into a folder of /tmp. */
extern char reproduced_folder[];

/* Reproduces a paper into a new folder, without messages. */
void reproduced_make(const struct paper *paper);
/* The same in the quick form. */
void reproduced_make_quickly(const struct paper *paper);

/* The text of a file of the folder. Removes the file. The text is valid until the next call. */
char *reproduced_take(const char *name);

/* Removes the folder. Only runs.db may remain in it. */
void reproduced_remove(void);

/* Fails the test if the part is not in the text. */
void reproduced_has(const char *text, const char *part);

/* A sink of messages (base/diag.h) that drops them. */
void reproduced_keep_quiet(void *self, enum diag_level level, const char *message);

#endif
