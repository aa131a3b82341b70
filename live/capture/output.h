#ifndef HELIO_CAPTURE_OUTPUT_H
#define HELIO_CAPTURE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The trace file of this rank. If it cannot be written any more, a message says so, and all these functions
 * do nothing from then on. */

/* False: no file can be written; a message says why. */
bool output_open(const char *path, int rank);
void output_close(void);

/* A line is begun with the number of fields that it may have, filled with fields, and ended. Blanks separate
 * the fields. A call to line_text for an empty text adds no field. */
void line_begin(const char *action, unsigned most_fields);
void line_int(int64_t value);
void line_text(const char *text);
void line_long_text(const char *text, size_t length); /* at most 16 bytes per field given to line_begin */
void line_number(double value);                       /* six significant digits, as SimGrid prints amounts */
void line_put_site(void);                             /* #@3: where the call is, if that is known */
void line_end(void);                                  /* with the site */
void line_end_without_site(void);
void line_end_definition(void); /* the same; the line is kept also while lines are muted */

/* In place of line_end: a copy of the line, to be freed, for line_again. NULL: no memory, or no file. */
char *line_take(void);
/* Takes the line and puts it behind others, each of which ends with a newline. *lines is NULL at first, and
 * to be freed. */
void line_keep(char **lines);
/* Begins a line and fills it with all fields of the first of such lines, or of the only one. Returns the line
 * behind it, or NULL. */
const char *line_again(const char *lines);

/* Lines that end while they are muted are not kept. */
void line_mute(bool is_muted);
bool line_is_muted(void);

/* The lines that this thread ends from now on have this call site; 0: none. */
void line_set_site(uint32_t number);

/* The position in the file of the line that has begun. */
int64_t line_at(void);

/* Replaces the line at that position, an isend or irecv, by one that readers skip; at once, or when the trace
 * is completed. No line has begun. */
void line_cancel(int64_t at);

#endif
