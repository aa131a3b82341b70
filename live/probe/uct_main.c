#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/status.h"
#include "live/probe/probe.h"

/* helio-probe-uct: two processes and the low-level protocol, without MPI. */

static void exchange(struct probe_pair *pair, const void *mine, void *theirs, size_t size)
{
    int handle = *(const int *)pair->self;
    size_t sent = 0, received = 0;
    while (sent < size || received < size) {
        ssize_t got = sent < size ? write(handle, (const char *)mine + sent, size - sent) : 0;
        if (got < 0)
            _exit(STATUS_FAILED); /* the other process has ended, with a message */
        sent += (size_t)got;
        if (sent < size)
            continue;
        got = read(handle, (char *)theirs + received, size - received);
        if (got <= 0)
            _exit(STATUS_FAILED);
        received += (size_t)got;
    }
}

static enum status measure(struct probe_pair *pair)
{
    bool prepared = pair_prepare(pair);
    struct llp *llp = prepared ? llp_open(pair) : NULL;
    char stack[256] = "UCT";
    if (llp) {
        struct block_schedule schedule = {.count = 0};
        snprintf(stack, sizeof stack, "UCT, %s", llp_name(llp));
        llp_add_blocks(llp, &schedule);
        block_schedule_run(&schedule, pair);
        record_gather(pair);
        llp_close(llp);
    }
    if (pair->me == 0 && !record_print("uct", stack))
        return STATUS_FAILED;
    return STATUS_OK;
}

int main(void)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        perror("helio-probe-uct: socketpair");
        return STATUS_FAILED;
    }
    pid_t child = fork();
    if (child < 0) {
        perror("helio-probe-uct: fork");
        return STATUS_FAILED;
    }
    int me = child == 0;
    close(ends[!me]);
    struct probe_pair pair = {.me = me, .exchange = exchange, .self = &ends[me]};
    enum status status = measure(&pair);
    int how = 0;
    if (child > 0 && (waitpid(child, &how, 0) != child || how != 0))
        status = STATUS_FAILED;
    return (int)status;
}
