#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "live/bench/bench.h"

/* What rank 0 writes if a sample takes too long. It is in one piece, since the handler may only write. */
static char late[128];

/* Ends this rank, and so all of them: the launcher ends a program of which a rank has failed. It loses output
 * that it has not passed on yet, so the rank waits first. */
static void on_alarm(int signal)
{
    enum { LEAVE_S = 1 };
    (void)signal;
    if (write(STDOUT_FILENO, late, strlen(late)) > 0)
        for (unsigned left = LEAVE_S; left > 0;)
            left = sleep(left);
    _exit(1);
}

void limit_begin(const struct bench *bench, const struct bench_candidate *candidate, long bytes)
{
    struct sigaction action = {.sa_handler = on_alarm};
    if (bench->rank != 0)
        return;
    snprintf(late, sizeof late, "late %ld %s\n", bytes, candidate->name);
    sigaction(SIGALRM, &action, NULL);
    alarm((unsigned)bench->limit_s);
}

void limit_end(void)
{
    alarm(0);
}

bool limit_is_reached(const struct bench *bench, long bytes)
{
    int is_reached = 0;
    for (int c = 0; bench->rank == 0 && c < bench->candidate_count; c++)
        if (bench->candidates[c].spent_s >= bench->limit_s) {
            printf("slow %ld %s\n", bytes, bench->candidates[c].name);
            is_reached = 1;
        }
    PMPI_Bcast(&is_reached, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return is_reached;
}
