#ifndef HELIO_TRACE_OUTPUT_NAME_H
#define HELIO_TRACE_OUTPUT_NAME_H

#include <stdbool.h>

/* The forms in which traces are written, and whose names have an ending: a folder has none. */
enum output_name_form { OUTPUT_NAME_ARCHIVE = 1, OUTPUT_NAME_COMPILED = 2, OUTPUT_NAME_GOAL = 4 };

/* Whether the ending of `path` does not contradict what is written, any of the `forms` or a folder. False,
 * reported with `what`, "a folder": its ending is that of another form, or of an archive that is only read.
 */
bool output_name_fits(const char *path, unsigned forms, const char *what);

bool output_name_ends_in(const char *path, const char *ending);

#endif
