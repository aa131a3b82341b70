#include "output/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "output/progress_line.h"
#include "output/unfinished.h"

static volatile sig_atomic_t accepted, received;
static pthread_t main_thread;
static const char *const volatile *last_words; /* NULL: none */

/* The system gives a signal to any thread that does not block it, and libraries have threads of their own.
 * The main thread blocks signals while an unfinished file and its record do not agree, so it handles them
 * all. */
static bool is_passed_to_main(int number)
{
    return !pthread_equal(pthread_self(), main_thread) && pthread_kill(main_thread, number) == 0;
}

static void end(int number)
{
    if (is_passed_to_main(number))
        return;
    progress_line_abandon();
    if (last_words) {
        ssize_t written = write(STDERR_FILENO, *last_words, strlen(*last_words));
        (void)written;
    }
    unfinished_discard_all();
    signal(number, SIG_DFL);
    raise(number); /* it is blocked while its handler runs, and ends the process after it */
}

static void ask_or_end(int number)
{
    if (is_passed_to_main(number))
        return;
    if (accepted > 0 && !received && !last_words)
        received = number;
    else
        end(number);
}

static void do_nothing(int number)
{
    (void)number;
}

/* The programs that helio starts have none of these handlers: an exec removes them. */
static void handle(int number, void (*handler)(int number))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;
    sigfillset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void interrupt_install(void)
{
    main_thread = pthread_self();
    handle(SIGINT, ask_or_end);
    handle(SIGTERM, ask_or_end);
    handle(SIGHUP, ask_or_end);
    handle(SIGPIPE, end);
    handle(SIGQUIT, end);
    handle(SIGXCPU, end);
    handle(SIGXFSZ, do_nothing);
}

void interrupt_accept(void)
{
    accepted++;
}

void interrupt_refuse(void)
{
    accepted--;
}

void interrupt_end_with(const char *const volatile *words)
{
    last_words = words;
}

void interrupt_leave_to_parent(void)
{
    accepted = 0;
    received = 0;
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
}

bool interrupt_wanted(void)
{
    return received != 0;
}

int interrupt_exit_status(int status)
{
    return received ? 128 + received : status;
}
