#ifndef HELIO_ENGINE_CRITICAL_H
#define HELIO_ENGINE_CRITICAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/causes.h"
#include "base/estimate.h"
#include "base/mem.h"
#include "base/tap.h"
#include "base/time.h"
#include "engine/slack.h"
#include "engine/waits.h"

/* The critical path of a run: the chain of causes that ends with the rank that ends last. At each moment the
 * path is on a rank that computes or works for messages, or on a message for which a rank waits. The lengths
 * of its parts add up to the makespan. docs/models/insight.md says what is computed, and where it is not
 * valid.
 *
 * An engine tells what happens, and this keeps for each strand the cause of its last wait. A *strand* is what
 * executes one thing after another: a rank, or a non-blocking collective call of a rank. A *link* of the
 * chain is a time on a strand and the message that the strand sent at its end. A link knows what the whole
 * chain before it consists of. A link that no strand or message needs is free again, so the memory of a run
 * does not grow with its messages but with those under way. For the list of the path links become steps of a
 * log (engine/critical_log.h), whose memory has a limit. */

/* "computation", ... */
const char *critical_kind_name(enum critical_kind kind);

/* What executes one thing after another, and where its chain ends. */
struct critical_strand {
    uint32_t link; /* of its last wait; POOL_NONE: it has not waited */
    uint32_t rank;
    ps_t computed;        /* since then */
    uint32_t site;        /* of the call that it executes (call/sites.h); 0: not known */
    uint32_t waited_site; /* of the call in which it waited last */
    struct slack_strand slack;
    bool waited; /* since it began */
};

/* One link of the path. It begins at the end of the link before it, on `rank`, which computes for `computed`
 * and works for messages until `start`. Then the message is under way until `end`. */
struct critical_step {
    uint32_t rank;
    uint32_t source, destination; /* of the message */
    uint8_t op;                   /* enum call_op that caused the message */
    bool is_signal;               /* no message: the ranks of a node wait for each other, or a final answer */
    uint64_t bytes;
    uint64_t number; /* of the message, as in engine/free.h; 0: it is none */
    ps_t since, computed, start, end;
    ps_t kinds[CRITICAL_KINDS]; /* of the time from `start` to `end` */
    const char *awaited;        /* what it waited for longest; NULL: nothing */
    uint32_t which;             /* its number */
    ps_t awaited_ps;
    /* Call sites (call/sites.h): of the call after which the message could go, and of the call that waited
     * for it where the path goes on. 0: not known. */
    uint32_t sent_site, waited_site;
};

struct critical_path {
    uint32_t rank; /* that ends last; the first of several */
    ps_t length;   /* the makespan */
    ps_t kinds[CRITICAL_KINDS];
    enum critical_kind rest;     /* what a rank does when it neither computes nor waits */
    struct waits_place longest;  /* of all messages of the run: what they waited for longest; or NULL */
    double longest_share;        /* of all waiting for other messages */
    uint64_t messages;           /* on the path */
    ps_t listed_since;           /* from here on `steps` have the path; 0: all of it */
    struct critical_step *steps; /* in the order of time, from the first message on */
    size_t count;
    uint32_t last_rank; /* behind the last step */
    ps_t last_since, last_computed;
};

void critical_path_free(struct critical_path *path);

struct critical;

/* To list the path a run keeps the `keep` newest steps of the chains that are still candidates, or half as
 * many where they are long (engine/critical_log.h); with 0 the path has no list and no messages, and costs
 * less. */
enum { CRITICAL_KEEP = 1 << 18 };
struct critical *critical_open(uint32_t ranks, bool has_software, uint32_t keep, struct tap *tap);
/* The list of the path will have call sites. Comes before the run. */
void critical_want_sites(struct critical *critical);
/* What a rank does when it neither computes nor waits is software. */
void critical_has_cores(struct critical *critical);
/* The run is recorded in `slack`, which outlives it. Comes before the run. */
void critical_want_slack(struct critical *critical, struct slack *slack);
/* Whether anybody asks which call has caused a message. */
bool critical_wants_calls(const struct critical *critical);
void critical_close(struct critical *critical); /* NULL: does nothing */
/* Bytes of a run with so many ranks, and messages under way at once. */
double critical_estimate(double ranks, double at_once, uint32_t keep);

/* -------------------------------------------------------------- for engines */

/* The strands of the ranks are an array. */
struct critical_strand *critical_rank(struct critical *critical, uint32_t rank);

/* The strand that executes from now on; returns the one before. */
struct critical_strand *critical_enter(struct critical *critical, struct critical_strand *strand);

/* A strand that begins where the present one is; and its end. */
struct critical_strand critical_fork(struct critical *critical);
void critical_leave(struct critical *critical, struct critical_strand *strand);

struct message;

/* The present strand has sent the message `index`. */
void critical_send(struct critical *critical, uint32_t index, const struct message *message, ps_t now);
/* The message could not go before the present strand was ready for it, now. */
void critical_bind(struct critical *critical, uint32_t index, ps_t now);
/* The same, where only its receiver had to wait: its sender waits for what the message did before. If that
 * takes longer, the message does not wait for the strand. */
void critical_bind_receiver(struct critical *critical, uint32_t index, ps_t now);
/* The same of the rank that receives it, whose core did not look before; nothing where it came just now. */
void critical_polled(struct critical *critical, uint32_t index, uint32_t rank, ps_t now);

/* The completion of a receive, of a send, or of a send by a final answer, at `at`: what is completed next has
 * this cause, until critical_told(). The message itself is there at `delivered`, perhaps before its receive.
 */
void critical_received(struct critical *critical, uint32_t index, ps_t delivered, ps_t at);
void critical_sent(struct critical *critical, uint32_t index, ps_t at);
void critical_answered(struct critical *critical, uint32_t index, const struct message *message, ps_t at);
/* What the present strand does at `at` for another rank of its node, without a message. */
void critical_signal(struct critical *critical, ps_t at);
/* The strand itself has reached the end, now, of what is completed next. */
void critical_complete(struct critical *critical, const struct critical_strand *strand, ps_t now);
/* The cause that is held is the present one again, until critical_told(), as long as it is held; and the
 * moment, which critical_moment() has told. */
void critical_resume(struct critical *critical, uint32_t held, struct slack_moment moment);
void critical_told(struct critical *critical);

/* The strand begins no earlier than `at`, and neither works nor waits for anything from now on. */
void critical_begin_later(struct critical *critical, struct critical_strand *strand, ps_t now, ps_t at);

/* Whether there is a present cause. */
bool critical_has_cause(const struct critical *critical);
/* Holds the present cause, in place of that in *held, for a strand that may wait for it. POOL_NONE: none. */
void critical_hold(struct critical *critical, uint32_t *held);
void critical_drop(struct critical *critical, uint32_t *held);
/* The strand has waited for the cause, which is then no longer held. It came to its wait at `own`. */
void critical_waited(struct critical *critical, struct critical_strand *strand, uint32_t *held, ps_t own);

/* For slack, which has all causes of a wait, not only the latest. */
bool critical_has_slack(const struct critical *critical);
/* All that follow do nothing where nobody asks for slack. */
/* The moment of the present cause. */
struct slack_moment critical_moment(const struct critical *critical);
/* The strand waits for the moment, among others. */
void critical_await(struct critical *critical, struct critical_strand *strand, struct slack_moment moment);
/* The strand of a rank is in a collective call, where it goes on by itself, until it leaves the call, now. */
void critical_enter_call(struct critical *critical, struct critical_strand *strand);
void critical_leave_call(struct critical *critical, struct critical_strand *strand, ps_t now);
/* The strand did not have to wait for what it awaited. */
void critical_passed(struct critical *critical, struct critical_strand *strand, ps_t now);
/* The event waits for the moment, among others, and is made where *event is SLACK_NONE: of the rank, or, with
 * SLACK_NONE, of nobody. Returns the moment of all that it waits for so far. */
struct slack_moment critical_join(struct critical *critical, uint32_t *event, uint32_t rank,
                                  struct slack_moment moment);
/* The present strand posts the receive `index`, and this receive has found its message. */
void critical_receive(struct critical *critical, uint32_t index, ps_t now);
void critical_meet(struct critical *critical, uint32_t receive, uint32_t message);
/* The message goes on now, with its receive, if it is not bound to that yet; or its receiver's part does. */
void critical_match(struct critical *critical, uint32_t index, ps_t now, bool for_receiver);
/* Nobody waits for the moment but the end of the run. */
void critical_last(struct critical *critical, struct slack_moment moment);

/* For engines whose cores and NICs work for messages, each with an end of its own: links that the caller
 * holds, and gives up by critical_drop() or by handing them over. */

/* The chain of the strand until `at`, without a message. */
uint32_t critical_link(struct critical *critical, const struct critical_strand *strand, ps_t at);
/* That of a message, which holds it until it is over. */
uint32_t critical_link_of(const struct critical *critical, uint32_t index);
/* A copy of that, which ends at `at`. */
uint32_t critical_link_copy(struct critical *critical, uint32_t index, ps_t at);
/* The same link, held once more. */
uint32_t critical_share(struct critical *critical, uint32_t link);
/* A part of the link, behind those that it has; and its end. */
void critical_add(struct critical *critical, uint32_t link, enum critical_kind kind, ps_t since, ps_t at);
void critical_close_link(struct critical *critical, uint32_t link, ps_t at);
ps_t critical_link_end(const struct critical *critical, uint32_t link);
/* The strand goes on at the end of the link, which it takes over. It has not waited. */
void critical_go_on(struct critical *critical, struct critical_strand *strand, uint32_t link);
/* For slack: the message is where it has come to at `at`. */
struct slack_moment critical_message_moment(struct critical *critical, uint32_t index, ps_t at);

/* The message is over. */
void critical_finish(struct critical *critical, uint32_t index);
/* A rank has ended. */
void critical_end(struct critical *critical, uint32_t rank, ps_t at);

/* The path, when all ranks have ended. The caller frees it. */
void critical_result(struct critical *critical, struct critical_path *path);

#endif
