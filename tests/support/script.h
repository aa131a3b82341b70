#ifndef TESTS_SUPPORT_SCRIPT_H
#define TESTS_SUPPORT_SCRIPT_H

/* Programs written out call by call, run on a fabric with parameters set as on the command line. */

#include "base/config.h"
#include "call/call.h"
#include "fabric/fabric.h"
#include "sim/result.h"

#define KEYED .channel = CHANNEL_KEYED, .source_channel = CHANNEL_KEYED

#define SEND(to, mark, size)                                                                                 \
    {                                                                                                        \
        .op = CALL_SEND, .peer = (to), .tag = (mark), .bytes = (size), KEYED                                 \
    }
#define RECV(from, mark, size)                                                                               \
    {                                                                                                        \
        .op = CALL_RECV, .peer = (from), .tag = (mark), .recv_bytes = (size), KEYED                          \
    }
#define ISEND(to, mark, size, request)                                                                       \
    {                                                                                                        \
        .op = CALL_SEND, .flags = CALL_IMMEDIATE, .slot = (request), .peer = (to), .tag = (mark),            \
        .bytes = (size), KEYED                                                                               \
    }
#define IRECV(from, mark, size, request)                                                                     \
    {                                                                                                        \
        .op = CALL_RECV, .flags = CALL_IMMEDIATE, .slot = (request), .peer = (from), .tag = (mark),          \
        .recv_bytes = (size), KEYED                                                                          \
    }
#define SENDRECV(to, size, from, room)                                                                       \
    {                                                                                                        \
        .op = CALL_SENDRECV, .peer = (to), .source = (from), .bytes = (size), .recv_bytes = (room), KEYED    \
    }
/* To or at a rank that receives with wildcards. */
#define POST(to, mark, size)                                                                                 \
    {                                                                                                        \
        .op = CALL_SEND, .peer = (to), .tag = (mark), .bytes = (size), .channel = CHANNEL_MAILBOX            \
    }
#define COLLECT(from, mark, size)                                                                            \
    {                                                                                                        \
        .op = CALL_RECV, .peer = (from), .tag = (mark), .recv_bytes = (size), .channel = CHANNEL_MAILBOX     \
    }
#define WAIT(request)                                                                                        \
    {                                                                                                        \
        .op = CALL_WAIT, .slot = (request)                                                                   \
    }
#define WAITALL                                                                                              \
    {                                                                                                        \
        .op = CALL_WAITALL                                                                                   \
    }
#define COMPUTE(operations)                                                                                  \
    {                                                                                                        \
        .op = CALL_COMPUTE, .amount = (operations)                                                           \
    }
#define COLLECTIVE(which, size, from_root)                                                                   \
    {                                                                                                        \
        .op = (which), .peer = (from_root), .bytes = (size), .recv_bytes = (size), .element_bytes = 1        \
    }
#define ICOLLECTIVE(which, size, from_root, request)                                                         \
    {                                                                                                        \
        .op = (which), .flags = CALL_IMMEDIATE, .slot = (request), .peer = (from_root), .bytes = (size),     \
        .recv_bytes = (size), .element_bytes = 1                                                             \
    }
#define FINALIZE                                                                                             \
    {                                                                                                        \
        .op = CALL_FINALIZE                                                                                  \
    }

enum { SCRIPT_RANKS = 64, SCRIPT_MESSAGES = 4096 };

struct script_message {
    uint32_t source, destination;
    int32_t tag;
    uint64_t bytes;
    ps_t send_posted, send_released, recv_posted, received;
};

/* The results of a run of a script; script_run fills them. */
struct script_outcome {
    enum status status;
    ps_t makespan;
    ps_t finish[SCRIPT_RANKS], idle[SCRIPT_RANKS], compute[SCRIPT_RANKS], software[SCRIPT_RANKS];
    ps_t idle_by_cause[CALL_OPS];
    uint64_t message_total;
    struct script_message messages[SCRIPT_MESSAGES]; /* in the order in which they were finished */
    size_t message_count;
    char said[16384]; /* all diagnostics */
};

/* calls[r] is rank r's program, which ends with FINALIZE. `settings` are parameters, "name=value", and end
 * with NULL. Every run checks conservation. */
/* Called with the fabric at the end of every successful run. NULL: none. */
extern void (*script_visit)(void *self, struct fabric *fabric);
/* Handles the parts of messages, if a test has set it. */
extern struct tap_part_handler script_part_handler;

/* Where a test sets it, the critical path of the run, for the test to free; and how many links are kept,
 * with 0 none for the list. */
extern struct critical_path *script_path;
extern uint32_t script_path_keep;
/* With script_path: where a test sets it, the slack of the run, for the test to free. */
extern struct slack_result *script_slack;

/* Adds handlers to the tap of the run, if a test has set it. */
extern void (*script_listen)(struct tap *tap);

/* The program runs as the graph of its calls. */
extern bool script_as_graph;

void script_run(const struct call *const *calls, uint32_t ranks, const char *fabric,
                const char *const *settings, struct script_outcome *outcome);

#endif
