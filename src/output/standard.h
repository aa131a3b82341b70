#ifndef HELIO_OUTPUT_STANDARD_H
#define HELIO_OUTPUT_STANDARD_H

#include "base/status.h"

/* Standard output of the program. main calls both; the code between prints to `stdout` and checks nothing.
 *
 * standard_open also gives the descriptors 0 to 2 something to refer to, so that no file of the program is
 * taken for a standard stream that was closed: what is printed there fails. */
void standard_open(void);

/* Writes what is buffered. STATUS_FAILED, reported the first time: not every byte was written. For code that
 * goes on only if what it printed has arrived. */
enum status standard_flush(void);

/* `run`, or STATUS_FAILED, reported: not every byte was written. */
enum status standard_close(enum status run);

#endif
