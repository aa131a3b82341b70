#include "live/capture/waits.h"

#include <stdbool.h>

#include "live/capture/comms.h"
#include "live/capture/diagnostics.h"
#include "live/capture/neighbours.h"
#include "live/capture/output.h"

static void begin_wait(bool is_send, int peer, int tag)
{
    const int rank = capture_rank();
    line_begin("wait", 3);
    line_int(is_send ? rank : peer);
    line_int(is_send ? peer : rank);
    line_int(tag);
}

/* SimGrid ends with an error at a wait for a request that it does not know. So the wait for a collective is
 * written as another action, which SimGrid skips. */
static void write_wait(const struct capture_request *request)
{
    if (request->kind == REQUEST_NEIGHBOURS) {
        neighbours_wait(request->comm);
        return;
    }
    if (request->kind == REQUEST_PARTS) {
        for (const char *lines = request->waits; lines;) {
            lines = line_again(lines);
            line_end();
        }
        return;
    }
    if (request->kind == REQUEST_BOTH) {
        begin_wait(false, request->source, request->recv_tag);
        line_text(request->comm->name);
        line_end();
        begin_wait(true, request->peer, request->tag);
    } else if (request->kind == REQUEST_COLLECTIVE) {
        line_begin("comm_size", 2);
        line_text("#wait");
        line_text(request->action);
    } else {
        begin_wait(request->kind == REQUEST_SEND, request->peer, request->tag);
    }
    line_text(request->comm->name);
    line_end();
}

void record_wait(struct capture_request *request)
{
    if (!request)
        return;
    write_wait(request);
    request_complete(request);
}

/* A waitall in a trace waits for all active requests. If the call waits for fewer, its waits are written one
 * by one. */
void record_waitall(int count, struct capture_request **requests)
{
    unsigned waited = 0;
    bool is_plain = true;
    for (int i = 0; requests && i < count; i++) {
        waited += requests[i] != NULL;
        is_plain = is_plain && (!requests[i] || requests[i]->kind <= REQUEST_RECV);
    }
    if (!waited)
        return;
    bool is_all = is_plain && waited == requests_active();
    if (is_all) {
        line_begin("waitall", 1);
        line_int(waited);
        line_end();
    }
    for (int i = 0; i < count; i++)
        if (requests[i] && is_all)
            request_complete(requests[i]);
        else
            record_wait(requests[i]);
}
