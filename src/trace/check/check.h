#ifndef HELIO_TRACE_CHECK_CHECK_H
#define HELIO_TRACE_CHECK_CHECK_H

#include <stdint.h>

#include "trace/image/compiled.h"

/* What can be wrong with a trace though each of its lines is right: sends and receives that do not pair up,
 * messages larger than the receive posted for them, ranks that disagree about their collectives. Each finding
 * is reported as an error with both lines, up to CHECK_MOST_REPORTS of a kind; all are counted.
 *
 *   check              all of this, in turn
 *   coll_consistency   the sizes within collectives
 *   comm_order         communicators whose members disagree */

struct trace_check {
    uint64_t channels;      /* all are checked, message by message */
    uint64_t mailboxes;     /* ranks with wildcards; only their numbers of messages are checked */
    uint64_t collectives;   /* of rank 0; those of every other rank are compared with them */
    uint64_t communicators; /* others than that of all ranks, with collectives, which are compared, too */
    uint64_t unmatched;     /* channels and mailboxes whose sends and receives differ in number */
    uint64_t truncated;     /* messages larger than their receive */
    uint64_t disagreements; /* ranks whose collectives differ from rank 0's; communicators with such ranks */
    uint64_t unequal;       /* sizes within collectives that are not those the receiving rank expects */
};

/* True: nothing is wrong. */
bool check_trace(const struct compiled_trace *compiled, struct trace_check *check);

#endif
