#include "engine/critical.h"

#include <string.h>

#include "fabric/message.h"

/* A link of a chain: a message, and the time before it on the strand that sent it. The field `before` is the
 * first one, since the pool overwrites the first bytes of a free record; so `uses` of a free link stays 0. */
struct critical_link {
    uint32_t before; /* POOL_NONE: the beginning, or forgotten */
    uint32_t uses;   /* by strands, messages, causes and other links */
    uint32_t rank;   /* whose time comes before the message */
    uint32_t source, destination;
    uint8_t op;
    bool is_signal;
    bool is_closed; /* later parts belong to another link */
    bool is_summed; /* its sum is known */
    uint64_t bytes;
    ps_t computed, start;
    ps_t end; /* of the parts so far; of the message, once it is closed */
    ps_t kinds[CRITICAL_KINDS];
    ps_t awaited_ps;
    const char *awaited;
    uint32_t which;
};

/* The links of a message. A fabric that buffers takes it from its sender whatever its receiver does: then the
 * two wait for different things. POOL_NONE: there is none. */
struct message_links {
    uint32_t link; /* of its receiver, and of its sender where `of_sender` is POOL_NONE */
    uint32_t of_sender;
};

/* What the chain up to the end of a link consists of. Only links that a strand has waited for have one. */
struct critical_sum {
    ps_t kinds[CRITICAL_KINDS];
    uint64_t messages;
    uint64_t number; /* of the link, in the order in which sums were made */
    ps_t since;      /* the end of the link before it */
};

struct critical {
    struct tap *tap;
    struct critical_strand *ranks;
    struct critical_strand *present;
    uint32_t rank_count;
    enum critical_kind rest; /* what a strand does when it neither computes nor waits */
    struct pool links;
    struct critical_sum *sums; /* per link */
    size_t sum_capacity;
    struct message_links *messages;
    size_t message_capacity;
    uint32_t cause; /* of what is completed; held */
    uint32_t keep;  /* links, before old ones are forgotten */
    uint64_t summed;
    uint32_t last; /* the rank that has ended last; POOL_NONE: none has ended */
    ps_t length;
};

enum { KEEP_BY_DEFAULT = 1 << 18 };

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

static struct critical_link *link_at(const struct critical *critical, uint32_t index)
{
    return (struct critical_link *)(void *)(critical->links.records +
                                            (size_t)index * sizeof(struct critical_link));
}

static uint32_t hold(struct critical *critical, uint32_t index)
{
    if (index != POOL_NONE)
        link_at(critical, index)->uses++;
    return index;
}

static void drop(struct critical *critical, uint32_t index)
{
    while (index != POOL_NONE) {
        struct critical_link *link = link_at(critical, index);
        if (--link->uses > 0)
            return;
        uint32_t before = link->before;
        pool_give(&critical->links, index);
        index = before;
    }
}

/* A link that follows the present chain of the strand. Its user is the caller. */
static uint32_t follow(struct critical *critical, const struct critical_strand *strand, ps_t now)
{
    uint32_t index = pool_take(&critical->links);
    *link_at(critical, index) = (struct critical_link){.before = hold(critical, strand->link),
                                                       .uses = 1,
                                                       .rank = strand->rank,
                                                       .computed = strand->computed,
                                                       .start = now,
                                                       .end = now};
    return index;
}

/* A copy of a link, whose user is the caller. */
static uint32_t copy_of(struct critical *critical, uint32_t index)
{
    uint32_t taken = pool_take(&critical->links);
    struct critical_link *link = link_at(critical, taken);
    *link = *link_at(critical, index);
    link->uses = 1;
    link->is_summed = false;
    hold(critical, link->before);
    return taken;
}

/* The message begins anew, with what the strand has done until now. */
static void begin_anew(struct critical *critical, uint32_t index, const struct critical_strand *strand,
                       ps_t now)
{
    struct critical_link *link = link_at(critical, index);
    uint32_t old = link->before;
    link->before = hold(critical, strand->link);
    link->rank = strand->rank;
    link->computed = strand->computed;
    link->start = link->end = now;
    link->awaited_ps = 0;
    link->awaited = NULL;
    memset(link->kinds, 0, sizeof link->kinds);
    drop(critical, old);
}

static uint32_t link_of(const struct critical *critical, uint32_t message)
{
    return message < critical->message_capacity ? critical->messages[message].link : POOL_NONE;
}

static void set_link_of(struct critical *critical, uint32_t message, uint32_t index)
{
    size_t known = critical->message_capacity;
    critical->messages =
        mem_grow(critical->messages, &critical->message_capacity, (size_t)message + 1, "critical path");
    for (; known < critical->message_capacity; known++)
        critical->messages[known] = (struct message_links){POOL_NONE, POOL_NONE};
    critical->messages[message].link = index;
}

/* ------------------------------------------------------------------- parts */

static const enum critical_kind kinds_of_parts[TAP_PARTS] = {
    [TAP_PART_WAIT] = CRITICAL_LATENCY,       [TAP_PART_HANDSHAKE] = CRITICAL_LATENCY,
    [TAP_PART_SOFTWARE] = CRITICAL_SOFTWARE,  [TAP_PART_BUS] = CRITICAL_SOFTWARE,
    [TAP_PART_ACQUIRE] = CRITICAL_SETUP,      [TAP_PART_QUEUE] = CRITICAL_CONTENTION,
    [TAP_PART_SWITCH] = CRITICAL_SETUP,       [TAP_PART_STORED] = CRITICAL_CONTENTION,
    [TAP_PART_TRANSFER] = CRITICAL_BANDWIDTH, [TAP_PART_WIRE] = CRITICAL_LATENCY,
    [TAP_PART_RELEASE] = CRITICAL_SETUP};

/* Parts come in the order of time. If two overlap, the one that began first counts to its end. */
static void add_part(struct critical_link *link, const struct tap_record *record)
{
    if (link->is_closed || record->at <= link->end)
        return;
    ps_t since = ps_max(record->since, link->end), time = record->at - since, alone = time;
    enum critical_kind kind = kinds_of_parts[record->part];
    if (record->alone && record->alone < time)
        alone = record->alone;
    link->end = record->at;
    link->kinds[kind] += alone;
    link->kinds[CRITICAL_CONTENTION] += time - alone;
    ps_t waited = kind == CRITICAL_CONTENTION ? time : time - alone;
    if (record->awaited && waited > link->awaited_ps) {
        link->awaited = record->awaited;
        link->which = record->which;
        link->awaited_ps = waited;
    }
}

static void take_part(void *self, const struct tap_record *record)
{
    const struct critical *critical = self;
    uint32_t index = link_of(critical, record->index);
    if (index == POOL_NONE)
        return;
    add_part(link_at(critical, index), record);
    uint32_t of_sender = critical->messages[record->index].of_sender;
    if (of_sender != POOL_NONE)
        add_part(link_at(critical, of_sender), record);
}

/* The link ends at `end`. What its parts say of the time behind it is left out, the last kind first; what
 * they do not say is of the kind `rest`. */
static void close_link(struct critical_link *link, ps_t end, enum critical_kind rest)
{
    static const enum critical_kind last_first[] = {CRITICAL_LATENCY, CRITICAL_SETUP, CRITICAL_SOFTWARE,
                                                    CRITICAL_CONTENTION, CRITICAL_BANDWIDTH};
    ps_t beyond = link->end - end, told = 0;
    for (size_t i = 0; beyond > 0 && i < sizeof last_first / sizeof *last_first; i++) {
        ps_t less = link->kinds[last_first[i]] < beyond ? link->kinds[last_first[i]] : beyond;
        link->kinds[last_first[i]] -= less;
        beyond -= less;
    }
    for (int i = 0; i < CRITICAL_KINDS; i++)
        told += link->kinds[i];
    link->kinds[rest] += end - link->start - told;
    link->end = end;
    link->is_closed = true;
}

/* -------------------------------------------------------------------- sums */

/* Forgets what came before the links of more than keep / 2 sums ago. */
static void forget(struct critical *critical)
{
    uint64_t newest = critical->summed, from = newest > critical->keep / 2 ? newest - critical->keep / 2 : 0;
    for (uint32_t i = 0; i < critical->links.fresh; i++) {
        struct critical_link *link = link_at(critical, i);
        uint32_t before = link->before;
        if (link->uses == 0 || !link->is_summed || before == POOL_NONE ||
            critical->sums[before].number >= from)
            continue;
        link->before = POOL_NONE;
        drop(critical, before);
    }
    if (critical->links.live > critical->keep / 2)
        critical->keep = critical->links.live * 2;
}

static void add_link(const struct critical *critical, struct critical_sum *sum,
                     const struct critical_link *link)
{
    sum->kinds[CRITICAL_COMPUTATION] += link->computed;
    sum->kinds[critical->rest] += link->start - sum->since - link->computed;
    for (int i = 0; i < CRITICAL_KINDS; i++)
        sum->kinds[i] += link->kinds[i];
    sum->messages += !link->is_signal;
}

/* The chain of every strand ends with a link whose sum is known, so the sum of the link before is. */
static void sum_up(struct critical *critical, uint32_t index)
{
    struct critical_link *link = link_at(critical, index);
    if (link->is_summed)
        return;
    critical->sums =
        mem_grow(critical->sums, &critical->sum_capacity, critical->links.capacity, "critical path");
    struct critical_sum sum = {.since = 0};
    if (link->before != POOL_NONE) {
        sum = critical->sums[link->before];
        sum.since = link_at(critical, link->before)->end;
    }
    add_link(critical, &sum, link);
    sum.number = critical->summed++;
    critical->sums[index] = sum;
    link->is_summed = true;
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
    uint32_t taken = follow(critical, critical->present, now);
    struct critical_link *link = link_at(critical, taken);
    link->source = message->source;
    link->destination = message->destination;
    link->bytes = message->bytes;
    link->op = message->op;
    set_link_of(critical, index, taken);
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
    critical->messages[index].of_sender = copy_of(critical, link);
    begin_anew(critical, link, critical->present, now);
}

void critical_polled(struct critical *critical, uint32_t index, ps_t now)
{
    uint32_t link = link_of(critical, index);
    if (link != POOL_NONE && link_at(critical, link)->end < now)
        begin_anew(critical, link, &critical->ranks[link_at(critical, link)->destination], now);
}

void critical_finish(struct critical *critical, uint32_t index)
{
    uint32_t link = link_of(critical, index);
    if (link == POOL_NONE)
        return;
    drop(critical, critical->messages[index].of_sender);
    critical->messages[index] = (struct message_links){POOL_NONE, POOL_NONE};
    drop(critical, link);
}

/* ------------------------------------------------------------------ causes */

void critical_received(struct critical *critical, uint32_t index, ps_t at)
{
    critical->cause = hold(critical, link_of(critical, index));
    close_link(link_at(critical, critical->cause), at, CRITICAL_OTHER);
}

void critical_sent(struct critical *critical, uint32_t index, ps_t at)
{
    const struct message_links *message = &critical->messages[index];
    uint32_t of = message->of_sender == POOL_NONE ? message->link : message->of_sender;
    if (link_at(critical, of)->is_closed && link_at(critical, of)->end == at) {
        critical->cause = hold(critical, of);
        return;
    }
    critical->cause = copy_of(critical, of);
    close_link(link_at(critical, critical->cause), at, CRITICAL_BANDWIDTH);
}

void critical_answered(struct critical *critical, uint32_t index, ps_t at)
{
    uint32_t of = link_of(critical, index);
    const struct critical_link *message = link_at(critical, of);
    const struct critical_strand receiver = {.link = of, .rank = message->destination};
    sum_up(critical, of);
    uint32_t taken = follow(critical, &receiver, message->end);
    struct critical_link *link = link_at(critical, taken);
    message = link_at(critical, of);
    link->source = message->destination;
    link->destination = message->source;
    link->op = message->op;
    link->is_signal = true;
    link->end = at;
    link->kinds[CRITICAL_LATENCY] = at - link->start;
    link->is_closed = true;
    critical->cause = taken;
}

void critical_signal(struct critical *critical, ps_t at)
{
    critical->cause = follow(critical, critical->present, at);
    struct critical_link *link = link_at(critical, critical->cause);
    link->source = link->destination = link->rank;
    link->is_signal = true;
    link->is_closed = true;
}

void critical_complete(struct critical *critical, const struct critical_strand *strand)
{
    critical->cause = strand->waited ? hold(critical, strand->link) : POOL_NONE;
}

void critical_resume(struct critical *critical, uint32_t held)
{
    critical->cause = hold(critical, held);
}

void critical_told(struct critical *critical)
{
    drop(critical, critical->cause);
    critical->cause = POOL_NONE;
}

uint32_t critical_hold(struct critical *critical)
{
    return hold(critical, critical->cause);
}

void critical_drop(struct critical *critical, uint32_t held)
{
    drop(critical, held);
}

void critical_waited(struct critical *critical, struct critical_strand *strand, uint32_t held)
{
    if (held == POOL_NONE)
        return;
    sum_up(critical, held);
    drop(critical, strand->link);
    *strand = (struct critical_strand){.link = held, .rank = strand->rank, .waited = true};
    if (critical->links.live >= critical->keep)
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

static struct critical_step step_of(const struct critical_link *link, ps_t since)
{
    struct critical_step step = {.rank = link->rank,
                                 .source = link->source,
                                 .destination = link->destination,
                                 .op = link->op,
                                 .is_signal = link->is_signal,
                                 .bytes = link->bytes,
                                 .since = since,
                                 .computed = link->computed,
                                 .start = link->start,
                                 .end = link->end,
                                 .awaited = link->awaited,
                                 .which = link->which,
                                 .awaited_ps = link->awaited_ps};
    memcpy(step.kinds, link->kinds, sizeof step.kinds);
    return step;
}

static void list_steps(const struct critical *critical, uint32_t last, struct critical_path *path)
{
    for (uint32_t i = last; i != POOL_NONE; i = link_at(critical, i)->before)
        path->count++;
    path->steps = mem_alloc(path->count, sizeof *path->steps, "critical path");
    size_t left = path->count;
    for (uint32_t i = last; i != POOL_NONE; i = link_at(critical, i)->before)
        path->steps[--left] = step_of(link_at(critical, i), critical->sums[i].since);
    if (path->count)
        path->listed_since = path->steps[0].since;
}

void critical_result(const struct critical *critical, struct critical_path *path)
{
    *path =
        (struct critical_path){.rank = critical->last, .length = critical->length, .rest = critical->rest};
    if (critical->last == POOL_NONE)
        return;
    const struct critical_strand *strand = &critical->ranks[critical->last];
    struct critical_sum sum = {.since = 0};
    if (strand->link != POOL_NONE) {
        sum = critical->sums[strand->link];
        sum.since = link_at(critical, strand->link)->end;
    }
    path->last_rank = strand->rank;
    path->last_since = sum.since;
    path->last_computed = strand->computed;
    sum.kinds[CRITICAL_COMPUTATION] += strand->computed;
    sum.kinds[critical->rest] += critical->length - sum.since - strand->computed;
    memcpy(path->kinds, sum.kinds, sizeof path->kinds);
    path->messages = sum.messages;
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
    *critical = (struct critical){.tap = tap,
                                  .rank_count = ranks,
                                  .rest = has_software ? CRITICAL_SOFTWARE : CRITICAL_OTHER,
                                  .cause = POOL_NONE,
                                  .keep = keep ? keep : KEEP_BY_DEFAULT,
                                  .last = POOL_NONE};
    pool_init(&critical->links, sizeof(struct critical_link), "critical path");
    critical->ranks = mem_alloc(ranks, sizeof *critical->ranks, "critical path");
    for (uint32_t i = 0; i < ranks; i++)
        critical->ranks[i] = (struct critical_strand){.link = POOL_NONE, .rank = i};
    tap_handle(tap, TAP_BIT(TAP_PART), take_part, critical);
    return critical;
}

void critical_close(struct critical *critical)
{
    if (!critical)
        return;
    pool_free(&critical->links);
    free(critical->ranks);
    free(critical->sums);
    free(critical->messages);
    free(critical);
}

size_t critical_bytes(const struct critical *critical)
{
    return critical->links.capacity * critical->links.size + critical->sum_capacity * sizeof *critical->sums +
           critical->rank_count * sizeof *critical->ranks +
           critical->message_capacity * sizeof *critical->messages;
}

double critical_estimate(double ranks, double at_once, double messages)
{
    double links = at_once + KEEP_BY_DEFAULT < messages ? at_once + KEEP_BY_DEFAULT : messages;
    return ranks * (double)sizeof(struct critical_strand) +
           estimate_pool(links, sizeof(struct critical_link)) +
           estimate_array(links, sizeof(struct critical_sum)) +
           estimate_array(at_once, sizeof(struct message_links));
}
