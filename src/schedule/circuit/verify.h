#ifndef HELIO_SCHEDULE_CIRCUIT_VERIFY_H
#define HELIO_SCHEDULE_CIRCUIT_VERIFY_H

#include "schedule/circuit/demand.h"
#include "schedule/schedule_lines.h"

/* What is found out about a schedule from its text, the demand and the switches alone: the check shares no
 * code with the algorithms. */
struct circuit_verdict {
    uint64_t circuits; /* lines */
    ps_t makespan_ps;
    char first_problem[SCHEDULE_PROBLEM]; /* "": there is none */
};

/* Replays lines `switch,start_s,end_s,src,dst` (schedule/circuit/write.h):
 *
 * * lines are in the order of their starts, and end after they start;
 * * a sender, and a receiver, of a switch has one circuit at a time;
 * * a circuit carries only after its set-up, which takes delta and lies behind the last circuit of either
 * port. A circuit that both ports used last is up already. On an all-stop switch nobody carries during a
 * set-up;
 * * circuits carry every byte of the demand, and none later than the deadline (0: there is none).
 *
 * Up to ten problems are reported in the order of their times: the first byte that is lost, late or on two
 * circuits at once. STATUS_OK if there is none, STATUS_BAD_INPUT for lines that are malformed or in a wrong
 * order, STATUS_FAILED for a schedule that is wrong. */
enum status circuit_verify(const struct circuit_problem *problem, const char *name, const char *text,
                           size_t size, ps_t deadline_ps, struct circuit_verdict *verdict);
enum { CIRCUIT_SCHEDULE_AT_MOST = 1 << 30 };

#endif
