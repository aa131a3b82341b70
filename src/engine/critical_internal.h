#ifndef HELIO_ENGINE_CRITICAL_INTERNAL_H
#define HELIO_ENGINE_CRITICAL_INTERNAL_H

#include "engine/critical.h"
#include "engine/critical_log.h"

/* What critical.c, critical_path.c and critical_slack.c share. */

/* Of a message under way, by its index. */
struct critical_events {
    uint32_t event;              /* its last one in the graph of slack; SLACK_NONE: none */
    uint32_t of_sender;          /* of its sender, where that does not wait for the receiver */
    struct slack_moment receive; /* when its receive was posted, until the message is bound to it */
    uint32_t site;               /* of the receive */
};

struct critical {
    struct causes causes; /* the first member: parts that need more than adding come with it */
    struct critical_strand *ranks;
    struct critical_strand *present;
    enum critical_kind rest; /* what a strand does when it neither computes nor waits */
    struct pool links;
    struct critical_detail *details; /* per link, if the path is listed; else NULL */
    size_t detail_capacity;
    struct critical_sites *sites; /* per link, if the path is listed with call sites; else NULL */
    size_t site_capacity;
    struct critical_log log; /* with `details` */
    uint64_t *sent;          /* messages by each rank; with `details` */
    struct waits waits;      /* of all messages */
    uint32_t cause;          /* of what is completed; POOL_NONE: there is none */
    bool owns_cause;         /* nobody else holds it */
    bool is_listed;
    bool has_sites; /* with `details` */
    uint32_t last;  /* the rank that has ended last; POOL_NONE: none has ended */
    ps_t length;
    struct slack *slack; /* NULL: nobody asks */
    struct critical_events *events;
    size_t event_capacity;
    struct slack_moment moment; /* with `cause`: of what is completed */
};

static inline struct cause_link *link_at(const struct critical *critical, uint32_t index)
{
    return &critical->causes.links[index];
}

/* The link as a step of the log. What is closed does not change any more. */
static inline uint32_t critical_log_link(struct critical *critical, uint32_t index)
{
    struct critical_detail *detail = &critical->details[index];
    const struct cause_link *link = link_at(critical, index);
    if (detail->step != POOL_NONE && link->is_closed)
        return detail->step;
    if (critical_log_is_full(&critical->log))
        critical_log_make_room(&critical->log, critical->details, critical->causes.links,
                               critical->links.fresh);
    detail->step = critical_log_append(&critical->log, detail, link);
    if (critical->has_sites)
        critical->log.sites[detail->step] = critical->sites[index];
    return detail->step;
}

/* With `slack` only, for critical.c. The message `index` is sent by the present strand. */
void critical_slack_send(struct critical *critical, uint32_t index, const struct message *message, ps_t now);
/* It had come to `at`, and goes on with its receive, its sender perhaps without; or because the rank polls.
 */
void critical_slack_bind(struct critical *critical, uint32_t index, ps_t at, bool for_receiver);
void critical_slack_polled(struct critical *critical, uint32_t index, uint32_t rank, ps_t at, ps_t now);
/* It completes its receive or, with `to_sender`, its send. */
void critical_slack_complete(struct critical *critical, uint32_t index, bool to_sender, ps_t at);
void critical_slack_finish(struct critical *critical, uint32_t index);

#endif
