#include "engine/critical.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "engine/critical_internal.h"
#include "fabric/message.h"

/* ------------------------------------------------------------------- links */

static inline uint32_t hold(const struct critical *critical, uint32_t index)
{
    if (index != POOL_NONE)
        link_at(critical, index)->uses++;
    return index;
}

static inline void drop(struct critical *critical, uint32_t index)
{
    if (index != POOL_NONE && --link_at(critical, index)->uses == 0)
        pool_give(&critical->links, index);
}

/* A link without contents, whose user is the caller. */
static inline uint32_t take_link(struct critical *critical)
{
    uint32_t index = pool_take(&critical->links);
    assert(index < CAUSE_RARE);
    critical->causes.links = (struct cause_link *)(void *)critical->links.records; /* which may have moved */
    link_at(critical, index)->uses = 1;
    if (critical->is_listed)
        critical->details = mem_grow(critical->details, &critical->detail_capacity, critical->links.capacity,
                                     "critical path");
    if (critical->has_sites)
        critical->sites =
            mem_grow(critical->sites, &critical->site_capacity, critical->links.capacity, "critical path");
    return index;
}

/* For the list of the path. Not inlined, as a plain run has none. The log adds up the chain, so that the link
 * has the kinds of its own time alone. */
__attribute__((noinline)) static void list_link(struct critical *critical, uint32_t index,
                                                const struct critical_strand *strand)
{
    struct cause_link *link = link_at(critical, index);
    struct critical_detail *detail = &critical->details[index];
    memset(link->kinds, 0, sizeof link->kinds);
    link->kinds[CRITICAL_COMPUTATION] = strand->computed;
    detail->before = detail->step = POOL_NONE;
    detail->rank = strand->rank;
    detail->awaited = detail->which = 0;
    detail->since = 0;
    detail->start = link->end;
    detail->awaited_ps = 0;
    if (strand->link != POOL_NONE) {
        detail->since = link_at(critical, strand->link)->end;
        detail->before = critical_log_link(critical, strand->link);
    }
    if (critical->has_sites)
        critical->sites[index] = (struct critical_sites){.sent = strand->site, .waited = strand->waited_site};
}

/* The kinds of the chain of the strand, and of what that has done until now. */
static inline void add_up(const struct critical *critical, struct cause_link *link,
                          const struct critical_strand *strand, ps_t now)
{
    ps_t worked = now - strand->computed;
    if (strand->link == POOL_NONE) {
        memset(link->kinds, 0, sizeof link->kinds);
    } else {
        const struct cause_link *before = link_at(critical, strand->link);
        memcpy(link->kinds, before->kinds, sizeof link->kinds);
        worked -= before->end;
    }
    link->kinds[CRITICAL_COMPUTATION] += strand->computed;
    if (critical->rest != CRITICAL_OTHER)
        link->kinds[critical->rest] += worked;
}

/* The link begins with the chain of the strand, and what that has done until now. The message stays. */
static inline void begin(struct critical *critical, uint32_t index, const struct critical_strand *strand,
                         ps_t now)
{
    struct cause_link *link = link_at(critical, index);
    link->last_kind = CRITICAL_COMPUTATION;
    link->is_closed = false;
    link->end = now;
    if (critical->is_listed)
        list_link(critical, index, strand);
    else
        add_up(critical, link, strand, now);
}

/* A link that follows the present chain of the strand. Its user is the caller. */
static inline uint32_t follow(struct critical *critical, const struct critical_strand *strand, ps_t now)
{
    uint32_t index = take_link(critical);
    begin(critical, index, strand, now);
    return index;
}

/* A copy of a link, whose user is the caller. */
static uint32_t copy_of(struct critical *critical, uint32_t index)
{
    uint32_t taken = take_link(critical);
    struct cause_link *link = link_at(critical, taken);
    *link = *link_at(critical, index);
    link->uses = 1;
    if (critical->is_listed) {
        critical->details[taken] = critical->details[index];
        critical->details[taken].step = POOL_NONE;
    }
    if (critical->has_sites)
        critical->sites[taken] = critical->sites[index];
    return taken;
}

/* The link is that of a message, or, without a number, of a signal. */
static void note_message(struct critical *critical, uint32_t index, const struct critical_detail *told)
{
    struct critical_detail *detail = &critical->details[index];
    detail->source = told->source;
    detail->destination = told->destination;
    detail->bytes = told->bytes;
    detail->number = told->number;
    detail->op = told->op;
}

/* The message begins anew, with what the strand has done until now. */
__attribute__((noinline)) static void begin_anew(struct critical *critical, uint32_t index,
                                                 const struct critical_strand *strand, ps_t now)
{
    begin(critical, index, strand, now);
}

static uint32_t link_of(const struct critical *critical, uint32_t message)
{
    uint32_t link =
        message < critical->causes.message_capacity ? critical->causes.messages[message].link : POOL_NONE;
    return link == POOL_NONE ? POOL_NONE : link & ~CAUSE_RARE;
}

__attribute__((noinline)) static void grow_messages(struct critical *critical, uint32_t message)
{
    size_t known = critical->causes.message_capacity;
    critical->causes.messages = mem_grow(critical->causes.messages, &critical->causes.message_capacity,
                                         (size_t)message + 1, "critical path");
    for (; known < critical->causes.message_capacity; known++)
        critical->causes.messages[known] = (struct cause_ends){POOL_NONE, POOL_NONE};
}

static inline void set_link_of(struct critical *critical, uint32_t message, uint32_t index)
{
    if (message >= critical->causes.message_capacity)
        grow_messages(critical, message);
    critical->causes.messages[message].link = index;
}

/* ------------------------------------------------------------------- parts */

/* The link has waited so long. */
static void note_wait(struct critical *critical, uint32_t index, const struct tap_awaited *awaited,
                      ps_t waited)
{
    struct critical_detail *detail = &critical->details[index];
    if (waited <= detail->awaited_ps)
        return;
    uint32_t text = waits_text(&critical->waits, awaited->what) + 1;
    detail->awaited = text <= UINT8_MAX ? text : 0;
    detail->which = awaited->which;
    detail->awaited_ps = waited;
}

/* A part in which the link has waited for nothing. */
static inline void add_alone(struct cause_link *link, enum critical_kind kind, ps_t since, ps_t at)
{
    if (!link->is_closed && at > link->end)
        cause_add(link, kind, since, at);
}

/* A part in which the link may have waited for other messages. Returns how long it has. */
static ps_t add_waiting(struct critical *critical, uint32_t index, enum critical_kind kind, ps_t since,
                        ps_t at, const struct tap_awaited *awaited)
{
    struct cause_link *link = link_at(critical, index);
    if (link->is_closed || at <= link->end)
        return 0;
    ps_t time = at - ps_max(since, link->end), waited = kind == CRITICAL_CONTENTION ? time : 0;
    if (awaited->alone && awaited->alone < time)
        waited = time - awaited->alone;
    cause_add(link, kind, since, at);
    link->kinds[kind] -= waited;
    link->kinds[CRITICAL_CONTENTION] += waited;
    if (critical->is_listed && awaited->what)
        note_wait(critical, index, awaited, waited);
    return waited;
}

static void take_rare_part(struct causes *causes, struct cause_ends ends, enum critical_kind kind, ps_t since,
                           ps_t at, const struct tap_awaited *awaited)
{
    struct critical *critical = (struct critical *)causes;
    if (ends.link == POOL_NONE)
        return;
    uint32_t index = ends.link & ~CAUSE_RARE;
    if (!awaited) {
        add_alone(link_at(critical, index), kind, since, at);
        if (ends.of_sender != POOL_NONE)
            add_alone(link_at(critical, ends.of_sender), kind, since, at);
        return;
    }
    ps_t waited = add_waiting(critical, index, kind, since, at, awaited);
    if (waited)
        waits_add(&critical->waits, awaited->what, awaited->which, waited);
    if (ends.of_sender != POOL_NONE)
        add_waiting(critical, ends.of_sender, kind, since, at, awaited);
}

/* Leaves out what the last part of the link says of the time behind `end`: no more than that lies behind it.
 */
static void cut_part(struct cause_link *link, ps_t end)
{
    ps_t *last = &link->kinds[link->last_kind], beyond = link->end - end;
    assert(beyond <= *last);
    *last -= beyond;
}

/* The link ends at `end`. The time behind its last part is of the kind `rest`. */
static inline void close_link(struct cause_link *link, ps_t end, enum critical_kind rest)
{
    if (link->end > end)
        cut_part(link, end);
    else if (rest != CRITICAL_OTHER)
        link->kinds[rest] += end - link->end;
    link->end = end;
    link->is_closed = true;
}

/* ----------------------------------------------------------------- strands */

struct critical_strand *critical_rank(struct critical *critical, uint32_t rank)
{
    return &critical->ranks[rank];
}

struct critical_strand *critical_enter(struct critical *critical, struct critical_strand *strand)
{
    struct critical_strand *before = critical->present;
    critical->present = strand;
    return before;
}

struct critical_strand critical_fork(struct critical *critical)
{
    struct critical_strand strand = *critical->present;
    hold(critical, strand.link);
    strand.waited = false;
    strand.slack.next = strand.slack.rank = SLACK_NONE;
    return strand;
}

void critical_leave(struct critical *critical, struct critical_strand *strand)
{
    drop(critical, strand->link);
    strand->link = POOL_NONE;
}

/* ---------------------------------------------------------------- messages */

void critical_send(struct critical *critical, uint32_t index, const struct message *message, ps_t now)
{
    uint32_t link = follow(critical, critical->present, now);
    if (critical->is_listed) {
        note_message(critical, link,
                     &(struct critical_detail){.source = message->source,
                                               .destination = message->destination,
                                               .bytes = message->bytes,
                                               .number = ++critical->sent[message->source],
                                               .op = message->op});
    }
    set_link_of(critical, index, link);
    if (critical->slack)
        critical_slack_send(critical, index, message, now);
}

void critical_bind(struct critical *critical, uint32_t index, ps_t now)
{
    uint32_t link = link_of(critical, index);
    if (link == POOL_NONE)
        return;
    if (critical->slack)
        critical_slack_bind(critical, index, link_at(critical, link)->end, false);
    begin_anew(critical, link, critical->present, now);
}

void critical_bind_receiver(struct critical *critical, uint32_t index, ps_t now)
{
    uint32_t link = link_of(critical, index);
    if (link == POOL_NONE)
        return;
    if (critical->slack)
        critical_slack_bind(critical, index, link_at(critical, link)->end, true);
    critical->causes.messages[index] =
        (struct cause_ends){.link = link | CAUSE_RARE, .of_sender = copy_of(critical, link)};
    if (link_at(critical, link)->end <= now)
        begin_anew(critical, link, critical->present, now);
}

void critical_polled(struct critical *critical, uint32_t index, uint32_t rank, ps_t now)
{
    uint32_t link = link_of(critical, index);
    if (link == POOL_NONE || link_at(critical, link)->end >= now)
        return;
    if (critical->slack)
        critical_slack_polled(critical, index, rank, link_at(critical, link)->end, now);
    begin_anew(critical, link, &critical->ranks[rank], now);
}

void critical_finish(struct critical *critical, uint32_t index)
{
    uint32_t link = link_of(critical, index);
    if (link == POOL_NONE)
        return;
    drop(critical, critical->causes.messages[index].of_sender);
    critical->causes.messages[index] = (struct cause_ends){POOL_NONE, POOL_NONE};
    drop(critical, link);
    if (critical->slack)
        critical_slack_finish(critical, index);
}

/* ------------------------------------------------------------------ causes */

/* The message holds its link while its completion is told. */
void critical_received(struct critical *critical, uint32_t index, ps_t delivered, ps_t at)
{
    if (critical->slack)
        critical_slack_complete(critical, index, false, delivered);
    critical->cause = link_of(critical, index);
    critical->causes.messages[index].link |= CAUSE_RARE;
    close_link(link_at(critical, critical->cause), at, CRITICAL_OTHER);
}

void critical_sent(struct critical *critical, uint32_t index, ps_t at)
{
    uint32_t of_sender = critical->causes.messages[index].of_sender;
    uint32_t of = of_sender == POOL_NONE ? link_of(critical, index) : of_sender;
    critical->cause = of;
    if (critical->slack)
        critical_slack_complete(critical, index, true, at);
    if (link_at(critical, of)->is_closed && link_at(critical, of)->end == at)
        return;
    critical->cause = copy_of(critical, of);
    critical->owns_cause = true;
    close_link(link_at(critical, critical->cause), at, CRITICAL_BANDWIDTH);
}

/* What follows the present chain of the strand is caused by it, from `since` to `at`, without a message. */
static void signal_from(struct critical *critical, const struct critical_strand *strand, ps_t since, ps_t at,
                        const struct critical_detail *told)
{
    critical->cause = follow(critical, strand, since);
    critical->owns_cause = true;
    if (critical->is_listed)
        note_message(critical, critical->cause, told);
    close_link(link_at(critical, critical->cause), at, CRITICAL_LATENCY);
}

void critical_answered(struct critical *critical, uint32_t index, const struct message *message, ps_t at)
{
    const struct critical_strand receiver = {.link = link_of(critical, index), .rank = message->destination};
    if (critical->slack)
        critical_slack_complete(critical, index, false, at);
    signal_from(critical, &receiver, link_at(critical, receiver.link)->end, at,
                &(struct critical_detail){
                    .source = message->destination, .destination = message->source, .op = message->op});
}

void critical_signal(struct critical *critical, ps_t at)
{
    uint32_t rank = critical->present->rank;
    critical->moment = slack_moment(&critical->present->slack, at);
    signal_from(critical, critical->present, at, at,
                &(struct critical_detail){.source = rank, .destination = rank});
}

void critical_complete(struct critical *critical, const struct critical_strand *strand, ps_t now)
{
    critical->moment = slack_moment(&strand->slack, now);
    critical->cause = strand->waited ? strand->link : POOL_NONE;
}

void critical_told(struct critical *critical)
{
    if (critical->owns_cause)
        drop(critical, critical->cause);
    critical->cause = POOL_NONE;
    critical->owns_cause = false;
    critical->moment = SLACK_NO_MOMENT;
}

void critical_resume(struct critical *critical, uint32_t held, struct slack_moment moment)
{
    critical_told(critical);
    critical->cause = held;
    critical->moment = moment;
}

bool critical_has_cause(const struct critical *critical)
{
    return critical->cause != POOL_NONE;
}

void critical_hold(struct critical *critical, uint32_t *held)
{
    uint32_t old = *held;
    *held = hold(critical, critical->cause);
    drop(critical, old);
}

void critical_drop(struct critical *critical, uint32_t *held)
{
    drop(critical, *held);
    *held = POOL_NONE;
}

void critical_waited(struct critical *critical, struct critical_strand *strand, uint32_t *held, ps_t own)
{
    if (critical->slack)
        slack_go_on(critical->slack, &strand->slack, own, strand->site);
    if (*held == POOL_NONE)
        return;
    drop(critical, strand->link);
    strand->link = *held;
    strand->computed = 0;
    strand->waited_site = strand->site;
    strand->waited = true;
    *held = POOL_NONE;
}

/* -------------------------------------------------------------- links alone */

uint32_t critical_link(struct critical *critical, const struct critical_strand *strand, ps_t at)
{
    uint32_t link = follow(critical, strand, at);
    if (critical->is_listed)
        note_message(critical, link,
                     &(struct critical_detail){.source = strand->rank, .destination = strand->rank});
    return link;
}

uint32_t critical_link_of(const struct critical *critical, uint32_t index)
{
    return link_of(critical, index);
}

uint32_t critical_link_copy(struct critical *critical, uint32_t index, ps_t at)
{
    uint32_t copy = copy_of(critical, link_of(critical, index));
    close_link(link_at(critical, copy), at, CRITICAL_OTHER);
    return copy;
}

uint32_t critical_share(struct critical *critical, uint32_t link)
{
    return hold(critical, link);
}

void critical_add(struct critical *critical, uint32_t link, enum critical_kind kind, ps_t since, ps_t at)
{
    add_alone(link_at(critical, link), kind, since, at);
}

void critical_close_link(struct critical *critical, uint32_t link, ps_t at)
{
    close_link(link_at(critical, link), at, CRITICAL_OTHER);
}

ps_t critical_link_end(const struct critical *critical, uint32_t link)
{
    return link_at(critical, link)->end;
}

void critical_go_on(struct critical *critical, struct critical_strand *strand, uint32_t link)
{
    drop(critical, strand->link);
    strand->link = link;
    strand->computed = 0;
}

void critical_begin_later(struct critical *critical, struct critical_strand *strand, ps_t now, ps_t at)
{
    const uint32_t link = critical_link(critical, strand, now);
    critical_close_link(critical, link, at);
    critical_go_on(critical, strand, link);
}

/* ------------------------------------------------------------------ the end */

void critical_end(struct critical *critical, uint32_t rank, ps_t at)
{
    if (critical->slack)
        slack_end(critical->slack, slack_moment(&critical->ranks[rank].slack, at));
    if (critical->last != POOL_NONE && at <= critical->length) {
        critical_leave(critical, &critical->ranks[rank]);
        return;
    }
    if (critical->last != POOL_NONE)
        critical_leave(critical, &critical->ranks[critical->last]);
    critical->last = rank;
    critical->length = at;
}

/* -------------------------------------------------------------- life cycle */

struct critical *critical_open(uint32_t ranks, bool has_software, uint32_t keep, struct tap *tap)
{
    struct critical *critical = mem_alloc(1, sizeof *critical, "critical path");
    *critical = (struct critical){.causes.take_rare_part = take_rare_part,
                                  .rest = has_software ? CRITICAL_SOFTWARE : CRITICAL_OTHER,
                                  .cause = POOL_NONE,
                                  .moment = SLACK_NO_MOMENT,
                                  .is_listed = keep > 0,
                                  .last = POOL_NONE};
    pool_init(&critical->links, sizeof(struct cause_link), "critical path");
    critical->ranks = mem_alloc(ranks, sizeof *critical->ranks, "critical path");
    for (uint32_t i = 0; i < ranks; i++)
        critical->ranks[i] = (struct critical_strand){.link = POOL_NONE, .rank = i, .slack = slack_rank(i)};
    if (keep) {
        critical->sent = mem_alloc(ranks, sizeof *critical->sent, "critical path");
        critical_log_open(&critical->log, keep, critical->rest);
    }
    tap_add_up(tap, &critical->causes);
    return critical;
}

void critical_want_sites(struct critical *critical)
{
    critical->has_sites = critical->is_listed;
    if (critical->has_sites)
        critical_log_want_sites(&critical->log);
}

bool critical_wants_calls(const struct critical *critical)
{
    return critical->is_listed || critical->slack;
}

void critical_has_cores(struct critical *critical)
{
    critical->rest = critical->log.rest = CRITICAL_SOFTWARE;
}

void critical_close(struct critical *critical)
{
    if (!critical)
        return;
    pool_free(&critical->links);
    free(critical->ranks);
    free(critical->details);
    free(critical->sites);
    critical_log_free(&critical->log);
    free(critical->sent);
    free(critical->causes.messages);
    free(critical->events);
    waits_free(&critical->waits);
    free(critical);
}

double critical_estimate(double ranks, double at_once, uint32_t keep)
{
    double links = at_once + ranks;
    double listed = estimate_array(links, sizeof(struct critical_detail)) +
                    critical_log_estimate(keep, links) + ranks * (double)sizeof(uint64_t);
    return ranks * (double)sizeof(struct critical_strand) + estimate_pool(links, sizeof(struct cause_link)) +
           (keep ? listed : 0) + estimate_array(at_once, sizeof(struct cause_ends));
}
