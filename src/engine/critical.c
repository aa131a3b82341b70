#include "engine/critical.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "fabric/message.h"

/* What the list of the path says of a link: a cache line, as the link itself. */
struct critical_detail {
    uint32_t before; /* the link before this one; POOL_NONE: the beginning, or forgotten */
    uint32_t rank;   /* whose time comes before the message */
    uint32_t source, destination;
    uint64_t bytes;
    ps_t computed, start;
    ps_t awaited_ps;
    uint32_t which;
    uint32_t number;        /* of the link, in the order in which links began, modulo 2^32 */
    uint64_t messages : 46; /* of the chain */
    uint64_t op : 8;
    uint64_t awaited : 8; /* the number of its text, from 1 on; 0: nothing */
    uint64_t is_signal : 1;
    uint64_t is_cut : 1; /* what came before has been forgotten */
};
static_assert(sizeof(struct critical_detail) == 64, "a cache line");

struct critical {
    struct causes causes; /* the first member: parts that need more than adding come with it */
    struct critical_strand *ranks;
    struct critical_strand *present;
    enum critical_kind rest; /* what a strand does when it neither computes nor waits */
    struct pool links;
    struct critical_detail *details; /* per link, if the path is listed; else NULL */
    size_t detail_capacity;
    uint64_t *numbers; /* with `details`: of the message of each link among those that its source sends */
    size_t number_capacity;
    uint64_t *sent;     /* by each rank; with `details` */
    struct waits waits; /* of all messages */
    uint32_t cause;     /* of what is completed; POOL_NONE: there is none */
    bool owns_cause;    /* nobody else holds it */
    uint32_t keep;      /* links, before old ones are forgotten; 0: the path is not listed */
    uint32_t begun;     /* links, modulo 2^32 */
    uint32_t last;      /* the rank that has ended last; POOL_NONE: none has ended */
    ps_t length;
};

const char *critical_kind_name(enum critical_kind kind)
{
    static const char *const names[] = {[CRITICAL_COMPUTATION] = "computation",
                                        [CRITICAL_SOFTWARE] = "software",
                                        [CRITICAL_SETUP] = "setup",
                                        [CRITICAL_LATENCY] = "latency",
                                        [CRITICAL_BANDWIDTH] = "bandwidth",
                                        [CRITICAL_CONTENTION] = "contention",
                                        [CRITICAL_OTHER] = "other"};
    return names[kind];
}

/* ------------------------------------------------------------------- links */

static inline struct cause_link *link_at(const struct critical *critical, uint32_t index)
{
    return &critical->causes.links[index];
}

static inline uint32_t hold(const struct critical *critical, uint32_t index)
{
    if (index != POOL_NONE)
        link_at(critical, index)->uses++;
    return index;
}

/* Frees the link, and those before it that nobody uses any more. */
__attribute__((noinline)) static void free_chain(struct critical *critical, uint32_t index)
{
    do {
        pool_give(&critical->links, index);
        index = critical->details[index].before;
    } while (index != POOL_NONE && --link_at(critical, index)->uses == 0);
}

static inline void drop(struct critical *critical, uint32_t index)
{
    if (index == POOL_NONE || --link_at(critical, index)->uses > 0)
        return;
    if (critical->keep)
        free_chain(critical, index);
    else
        pool_give(&critical->links, index);
}

/* Each link has a place in the list of the path. */
static inline void grow_list(struct critical *critical)
{
    critical->details =
        mem_grow(critical->details, &critical->detail_capacity, critical->links.capacity, "critical path");
    critical->numbers =
        mem_grow(critical->numbers, &critical->number_capacity, critical->links.capacity, "critical path");
}

/* A link without contents, whose user is the caller. */
static inline uint32_t take_link(struct critical *critical)
{
    uint32_t index = pool_take(&critical->links);
    assert(index < CAUSE_RARE);
    critical->causes.links = (struct cause_link *)(void *)critical->links.records; /* which may have moved */
    link_at(critical, index)->uses = 1;
    if (critical->keep)
        grow_list(critical);
    return index;
}

/* For the list of the path. Not inlined, as a plain run has none. */
__attribute__((noinline)) static void list_link(struct critical *critical, uint32_t index,
                                                const struct critical_strand *strand, ps_t now)
{
    struct critical_detail *detail = &critical->details[index];
    *detail = (struct critical_detail){.before = hold(critical, strand->link),
                                       .rank = strand->rank,
                                       .computed = strand->computed,
                                       .start = now,
                                       .number = critical->begun++};
    if (strand->link != POOL_NONE)
        detail->messages = critical->details[strand->link].messages;
}

/* The link begins with the chain of the strand, and what that has done until now. */
static inline void begin(struct critical *critical, uint32_t index, const struct critical_strand *strand,
                         ps_t now)
{
    struct cause_link *link = link_at(critical, index);
    ps_t worked = now - strand->computed;
    if (strand->link == POOL_NONE) {
        memset(link->kinds, 0, sizeof link->kinds);
    } else {
        const struct cause_link *before = link_at(critical, strand->link);
        memcpy(link->kinds, before->kinds, sizeof link->kinds);
        worked -= before->end;
    }
    link->last_kind = CRITICAL_COMPUTATION;
    link->is_closed = false;
    link->end = now;
    link->kinds[CRITICAL_COMPUTATION] += strand->computed;
    if (critical->rest != CRITICAL_OTHER)
        link->kinds[critical->rest] += worked;
    if (critical->keep)
        list_link(critical, index, strand, now);
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
    if (critical->keep) {
        critical->details[taken] = critical->details[index];
        critical->numbers[taken] = critical->numbers[index];
        hold(critical, critical->details[taken].before);
    }
    return taken;
}

/* The link is that of a message, or of a signal. */
static void note_message(struct critical *critical, uint32_t index, const struct critical_detail *told)
{
    struct critical_detail *detail = &critical->details[index];
    detail->source = told->source;
    detail->destination = told->destination;
    detail->bytes = told->bytes;
    detail->op = told->op;
    detail->is_signal = told->is_signal;
    detail->messages += !told->is_signal;
}

/* The message begins anew, with what the strand has done until now. */
__attribute__((noinline)) static void begin_anew(struct critical *critical, uint32_t index,
                                                 const struct critical_strand *strand, ps_t now)
{
    if (!critical->keep) {
        begin(critical, index, strand, now);
        return;
    }
    struct critical_detail old = critical->details[index];
    begin(critical, index, strand, now);
    note_message(critical, index, &old);
    drop(critical, old.before);
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
    if (critical->keep && awaited->what)
        note_wait(critical, index, awaited, waited);
    return waited;
}

static void take_rare_part(struct causes *causes, struct cause_ends ends, enum critical_kind kind, ps_t since,
                           ps_t at, const struct tap_awaited *awaited)
{
    struct critical *critical = (struct critical *)causes;
    static const struct tap_awaited nothing = {.what = NULL};
    if (ends.link == POOL_NONE)
        return;
    ps_t waited =
        add_waiting(critical, ends.link & ~CAUSE_RARE, kind, since, at, awaited ? awaited : &nothing);
    if (awaited && waited)
        waits_add(&critical->waits, awaited->what, awaited->which, waited);
    if (ends.of_sender != POOL_NONE)
        add_waiting(critical, ends.of_sender, kind, since, at, awaited ? awaited : &nothing);
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

/* Forgets what came before links that are older than the keep / 2 newest ones. An age is modulo 2^32: a link
 * that looks younger than it is remains for longer. */
static void forget(struct critical *critical)
{
    for (uint32_t i = 0; i < critical->links.fresh; i++) {
        struct critical_detail *detail = &critical->details[i];
        uint32_t before = detail->before;
        if (link_at(critical, i)->uses == 0 || before == POOL_NONE ||
            critical->begun - critical->details[before].number <= critical->keep / 2)
            continue;
        detail->before = POOL_NONE;
        detail->is_cut = true;
        drop(critical, before);
    }
    if (critical->links.live > critical->keep / 2)
        critical->keep = critical->links.live * 2;
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
    if (critical->keep) {
        note_message(critical, link,
                     &(struct critical_detail){.source = message->source,
                                               .destination = message->destination,
                                               .bytes = message->bytes,
                                               .op = message->op});
        critical->numbers[link] = ++critical->sent[message->source];
    }
    set_link_of(critical, index, link);
}

void critical_bind(struct critical *critical, uint32_t index, ps_t now)
{
    uint32_t link = link_of(critical, index);
    if (link != POOL_NONE)
        begin_anew(critical, link, critical->present, now);
}

void critical_bind_receiver(struct critical *critical, uint32_t index, ps_t now)
{
    uint32_t link = link_of(critical, index);
    if (link == POOL_NONE)
        return;
    critical->causes.messages[index] =
        (struct cause_ends){.link = link | CAUSE_RARE, .of_sender = copy_of(critical, link)};
    begin_anew(critical, link, critical->present, now);
}

void critical_polled(struct critical *critical, uint32_t index, uint32_t rank, ps_t now)
{
    uint32_t link = link_of(critical, index);
    if (link != POOL_NONE && link_at(critical, link)->end < now)
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
}

/* ------------------------------------------------------------------ causes */

/* The message holds its link while its completion is told. */
void critical_received(struct critical *critical, uint32_t index, ps_t at)
{
    critical->cause = link_of(critical, index);
    critical->causes.messages[index].link |= CAUSE_RARE;
    close_link(link_at(critical, critical->cause), at, CRITICAL_OTHER);
}

void critical_sent(struct critical *critical, uint32_t index, ps_t at)
{
    uint32_t of_sender = critical->causes.messages[index].of_sender;
    uint32_t of = of_sender == POOL_NONE ? link_of(critical, index) : of_sender;
    critical->cause = of;
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
    if (critical->keep)
        note_message(critical, critical->cause, told);
    close_link(link_at(critical, critical->cause), at, CRITICAL_LATENCY);
}

void critical_answered(struct critical *critical, uint32_t index, const struct message *message, ps_t at)
{
    const struct critical_strand receiver = {.link = link_of(critical, index), .rank = message->destination};
    signal_from(critical, &receiver, link_at(critical, receiver.link)->end, at,
                &(struct critical_detail){.source = message->destination,
                                          .destination = message->source,
                                          .op = message->op,
                                          .is_signal = true});
}

void critical_signal(struct critical *critical, ps_t at)
{
    uint32_t rank = critical->present->rank;
    signal_from(critical, critical->present, at, at,
                &(struct critical_detail){.source = rank, .destination = rank, .is_signal = true});
}

void critical_complete(struct critical *critical, const struct critical_strand *strand)
{
    critical->cause = strand->waited ? strand->link : POOL_NONE;
}

void critical_told(struct critical *critical)
{
    if (critical->owns_cause)
        drop(critical, critical->cause);
    critical->cause = POOL_NONE;
    critical->owns_cause = false;
}

void critical_resume(struct critical *critical, uint32_t held)
{
    critical_told(critical);
    critical->cause = held;
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

void critical_waited(struct critical *critical, struct critical_strand *strand, uint32_t *held)
{
    if (*held == POOL_NONE)
        return;
    drop(critical, strand->link);
    *strand = (struct critical_strand){.link = *held, .rank = strand->rank, .waited = true};
    *held = POOL_NONE;
    if (critical->keep && critical->links.live >= critical->keep)
        forget(critical);
}

/* ------------------------------------------------------------------ the end */

void critical_end(struct critical *critical, uint32_t rank, ps_t at)
{
    if (critical->last != POOL_NONE && at <= critical->length) {
        critical_leave(critical, &critical->ranks[rank]);
        return;
    }
    if (critical->last != POOL_NONE)
        critical_leave(critical, &critical->ranks[critical->last]);
    critical->last = rank;
    critical->length = at;
}

/* The kinds of the chain up to the link. */
static void kinds_of(const struct cause_link *link, ps_t kinds[CRITICAL_KINDS])
{
    memcpy(kinds, link->kinds, sizeof link->kinds);
    kinds[CRITICAL_OTHER] = link->end;
    for (int i = 0; i < CAUSE_KINDS; i++)
        kinds[CRITICAL_OTHER] -= link->kinds[i];
}

/* Two links of the chain differ by what the later one adds: its message, and the time before it. */
static struct critical_step step_of(const struct critical *critical, uint32_t index)
{
    static const struct cause_link beginning = {.end = 0};
    const struct critical_detail *detail = &critical->details[index];
    const struct cause_link *link = link_at(critical, index),
                            *before =
                                detail->before == POOL_NONE ? &beginning : link_at(critical, detail->before);
    struct critical_step step = {.rank = detail->rank,
                                 .source = detail->source,
                                 .destination = detail->destination,
                                 .op = (uint8_t)detail->op,
                                 .is_signal = detail->is_signal,
                                 .bytes = detail->bytes,
                                 .number = detail->is_signal ? 0 : critical->numbers[index],
                                 .since = before->end,
                                 .computed = detail->computed,
                                 .start = detail->start,
                                 .end = link->end,
                                 .awaited =
                                     detail->awaited ? critical->waits.texts[detail->awaited - 1] : NULL,
                                 .which = detail->which,
                                 .awaited_ps = detail->awaited_ps};
    ps_t kinds_before[CRITICAL_KINDS];
    kinds_of(before, kinds_before);
    kinds_of(link, step.kinds);
    for (int i = 0; i < CRITICAL_KINDS; i++)
        step.kinds[i] -= kinds_before[i];
    step.kinds[CRITICAL_COMPUTATION] -= step.computed;
    step.kinds[critical->rest] -= step.start - step.since - step.computed;
    return step;
}

/* A link that is cut is not listed: nothing tells what it adds. */
static bool is_listed(const struct critical *critical, uint32_t index)
{
    return index != POOL_NONE && !critical->details[index].is_cut;
}

static void list_steps(const struct critical *critical, uint32_t last, struct critical_path *path)
{
    uint32_t i;
    for (i = last; is_listed(critical, i); i = critical->details[i].before)
        path->count++;
    path->listed_since = i == POOL_NONE ? 0 : link_at(critical, i)->end;
    path->messages = critical->details[last].messages;
    path->steps = mem_alloc(path->count, sizeof *path->steps, "critical path");
    size_t left = path->count;
    for (i = last; left > 0; i = critical->details[i].before)
        path->steps[--left] = step_of(critical, i);
}

void critical_result(const struct critical *critical, struct critical_path *path)
{
    *path =
        (struct critical_path){.rank = critical->last, .length = critical->length, .rest = critical->rest};
    const struct waits_place *longest = waits_longest(&critical->waits, &path->longest_share);
    if (longest)
        path->longest = *longest;
    if (critical->last == POOL_NONE)
        return;
    const struct critical_strand *strand = &critical->ranks[critical->last];
    path->last_rank = strand->rank;
    path->last_computed = strand->computed;
    if (strand->link != POOL_NONE) {
        const struct cause_link *last = link_at(critical, strand->link);
        kinds_of(last, path->kinds);
        path->last_since = last->end;
    }
    path->kinds[CRITICAL_COMPUTATION] += strand->computed;
    path->kinds[critical->rest] += critical->length - path->last_since - strand->computed;
    if (critical->keep && strand->link != POOL_NONE)
        list_steps(critical, strand->link, path);
}

void critical_path_free(struct critical_path *path)
{
    free(path->steps);
    *path = (struct critical_path){0};
}

/* -------------------------------------------------------------- life cycle */

struct critical *critical_open(uint32_t ranks, bool has_software, uint32_t keep, struct tap *tap)
{
    struct critical *critical = mem_alloc(1, sizeof *critical, "critical path");
    *critical = (struct critical){.causes.take_rare_part = take_rare_part,
                                  .rest = has_software ? CRITICAL_SOFTWARE : CRITICAL_OTHER,
                                  .cause = POOL_NONE,
                                  .keep = keep,
                                  .last = POOL_NONE};
    pool_init(&critical->links, sizeof(struct cause_link), "critical path");
    critical->ranks = mem_alloc(ranks, sizeof *critical->ranks, "critical path");
    for (uint32_t i = 0; i < ranks; i++)
        critical->ranks[i] = (struct critical_strand){.link = POOL_NONE, .rank = i};
    if (keep)
        critical->sent = mem_alloc(ranks, sizeof *critical->sent, "critical path");
    tap_add_up(tap, &critical->causes);
    return critical;
}

void critical_close(struct critical *critical)
{
    if (!critical)
        return;
    pool_free(&critical->links);
    free(critical->ranks);
    free(critical->details);
    free(critical->numbers);
    free(critical->sent);
    free(critical->causes.messages);
    waits_free(&critical->waits);
    free(critical);
}

double critical_estimate(double ranks, double at_once, uint32_t keep)
{
    double links = at_once + fmax(keep, ranks);
    double listed = estimate_array(links, sizeof(struct critical_detail) + sizeof(uint64_t)) +
                    ranks * (double)sizeof(uint64_t);
    return ranks * (double)sizeof(struct critical_strand) + estimate_pool(links, sizeof(struct cause_link)) +
           (keep ? listed : 0) + estimate_array(at_once, sizeof(struct cause_ends));
}
