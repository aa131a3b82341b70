#ifndef HELIO_CAPTURE_BURSTS_H
#define HELIO_CAPTURE_BURSTS_H

#include <stdbool.h>
#include <stdint.h>

/* What the trace says of a burst, the computation between two calls, besides its processor time: how long it
 * took on the clock of the system, so that waiting for a processor is seen, and how many instructions it had.
 */

/* By HELIO_CAPTURE_BURSTS. */
void bursts_open(void);
bool bursts_are_wanted(void);

/* A burst of the calling thread begins. */
void bursts_begin(void);
/* It ends; what it has is added to what is to be written. */
void bursts_end(void);
/* Writes the line, behind the compute of so much processor time; nothing if it is not asked for. */
void bursts_write(double processor_s);

#endif
