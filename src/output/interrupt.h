#ifndef HELIO_OUTPUT_INTERRUPT_H
#define HELIO_OUTPUT_INTERRUPT_H

#include <stdbool.h>

/* SIGINT (Ctrl-C), SIGTERM and SIGHUP. Each ends the process by that signal, and removes its unfinished files
 * first. Code that stops by itself says so: between interrupt_accept and interrupt_refuse the first of these
 * signals only sets a flag, which the code polls; the second ends the process at once.
 *
 * SIGPIPE, SIGQUIT and SIGXCPU always end the process in this way. SIGXFSZ does nothing: the write fails, and
 * is reported as any other. */

/* Called by main, whose thread handles all these signals. A signal that is ignored already, as by nohup,
 * stays ignored. */
void interrupt_install(void);

/* These nest. The flag stays set. */
void interrupt_accept(void);
void interrupt_refuse(void);

/* From here on the first signal ends the process at once, also where it is accepted, and *words is printed
 * before: for ranks, which their launcher ends soon after it has passed the signal on. */
void interrupt_end_with(const char *const volatile *words);

/* In a worker, a process made by fork: what the terminal sends to all processes is left to the parent, which
 * ends its workers. Any other signal ends the worker at once. */
void interrupt_leave_to_parent(void);

/* Whether a signal asks the code to stop. */
bool interrupt_wanted(void);

/* The status of a process that stopped by itself: 128 and the signal's number, as a shell says it; `status`
 * if no signal came. */
int interrupt_exit_status(int status);

#endif
