#include "output/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "output/unfinished.h"

static volatile sig_atomic_t accepted, received;

static void on_signal(int number)
{
    if (accepted > 0 && !received) {
        received = number;
        return;
    }
    unfinished_discard_all();
    signal(number, SIG_DFL);
    raise(number); /* it is blocked while its handler runs, and ends the process after it */
}

void interrupt_install(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

void interrupt_accept(void)
{
    accepted++;
}

void interrupt_refuse(void)
{
    accepted--;
}

bool interrupt_wanted(void)
{
    return received != 0;
}

int interrupt_exit_status(int status)
{
    return received ? 128 + received : status;
}
