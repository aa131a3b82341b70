#ifndef HELIO_CAPTURE_SITES_H
#define HELIO_CAPTURE_SITES_H

/* Where in the program its calls are: the return address of the first caller that is neither this library nor
 * one of the MPI's, such as its Fortran bindings. A trace has each place once, as an offset in an executable
 * or a library; helio capture looks up the line of the source when the program has ended. */

void sites_open(void); /* from now on calls have call sites */

/* The call that has entered comes from `caller`; `frame` is that of the function that it has called. Writes
 * the definition of a place that is new; the lines of this thread have its number until sites_leave(). */
void sites_enter(const void *caller, const void *frame);
void sites_leave(void);

#endif
