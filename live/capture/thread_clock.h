#ifndef HELIO_CAPTURE_THREAD_CLOCK_H
#define HELIO_CAPTURE_THREAD_CLOCK_H

#include <stdint.h>

/* The processor time of the calling thread, in nanoseconds. To ask the kernel for it takes up to a
 * microsecond. But a thread that has not left its processor since the last look has used it all the time, so
 * what the system's clock has gone on is the answer, and that is read without a system call. The kernel tells
 * whether the thread has left: at each switch to another thread it clears a word of the thread, that of
 * restartable sequences (rseq(2)), which the C library registers. Where there is no such word, or where it
 * stays while a thread sleeps, the kernel is asked each time. The first call tries this. */
int64_t thread_clock_ns(void);

#endif
