#include "engine/loggops/causes.h"

#include "engine/loggops/internal.h"
#include "fabric/message.h"

/* Each core is a strand. A core that handles a message has waited for it, so most dependences say nothing
 * new: what happens on a core is behind all that this core has done. Only what another core or another host
 * has done is kept for an operation. */

/* A message that has been handled before its receive was posted. */
struct handled {
    uint32_t link; /* held: the core that has handled it, until the end of that */
    uint32_t core;
    struct slack_moment start, end;
};

/* What a NIC was last used for. */
struct nic {
    struct critical_strand strand; /* as it was then */
    ps_t since;
    uint32_t core;
    bool is_known; /* false: not used, or it is free before its only core */
};

/* Why something ends or begins at `at`. */
struct present {
    const struct critical_strand *strand; /* whose chain it is */
    uint32_t link;                        /* held; POOL_NONE: not made yet */
    uint32_t core; /* whose next work is behind this anyway; POOL_NONE: there is none */
    ps_t at;
    struct slack_moment moments[2];
};

/* A core before its last work. */
struct core_before {
    struct critical_strand strand;
    ps_t free_at;
};

/* The latest end of an operation on a host that is not the end of a core's work. */
struct last_end {
    uint32_t link; /* held */
    ps_t at;
    struct slack_moment moment;
};

struct loggops_causes {
    struct critical *critical;
    struct critical_strand *ranks; /* of core 0 of each host */
    bool has_slack;
    bool is_apart; /* there are several cores, or sends that wait for their receives */
    struct present present;
    struct critical_strand start;    /* of the core that handles a message, at the beginning of that */
    struct critical_strand *strands; /* of the cores behind core 0 */
    struct nic *nics;                /* of each host: those that send, then those that receive */
    struct core_before *before;      /* of each core, if is_apart, as all that follow */
    struct last_end *last;           /* of each host */
    uint32_t *latest;                /* of each operation: held, its latest cause; POOL_NONE: none */
    uint32_t *released_by;           /* of each operation: that with its latest cause, if there are sites */
    struct handled *handled;         /* by message */
    size_t handled_capacity;
    uint32_t *events;            /* of each operation: of all its causes, for slack */
    struct slack_moment *posted; /* of each receive, for slack */
};

static const struct slack_moment no_moment = {SLACK_NONE, 0};

/* -------------------------------------------------------------- life cycle */

static bool has_synchronous(const struct loggops *engine)
{
    for (uint32_t host = 0; host < engine->params->program->ranks; host++) {
        const struct graph_rank *rank = &engine->graph->ranks[host];
        for (uint32_t i = 0; i < rank->count; i++)
            if (rank->operations[i].kind == GRAPH_SEND &&
                loggops_is_synchronous(engine, &rank->operations[i]))
                return true;
    }
    return false;
}

static void fill(uint32_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = POOL_NONE;
}

static void open_apart(struct loggops *engine, struct loggops_causes *causes)
{
    static const char purpose[] = "critical path";
    const size_t hosts = engine->params->program->ranks, operations = (size_t)engine->graph->operations;
    const size_t cores = hosts * engine->cores;
    causes->before = mem_alloc(cores, sizeof *causes->before, purpose);
    for (size_t i = 0; i < cores; i++)
        causes->before[i].strand.link = POOL_NONE;
    causes->last = mem_alloc(hosts, sizeof *causes->last, purpose);
    for (size_t i = 0; i < hosts; i++)
        causes->last[i] = (struct last_end){.link = POOL_NONE, .moment = no_moment};
    causes->latest = mem_alloc(operations, sizeof *causes->latest, purpose);
    fill(causes->latest, operations);
    if (engine->sites) {
        causes->released_by = mem_alloc(operations, sizeof *causes->released_by, purpose);
        fill(causes->released_by, operations);
    }
    if (!causes->has_slack)
        return;
    causes->events = mem_alloc(operations, sizeof *causes->events, "slack");
    fill(causes->events, operations); /* SLACK_NONE */
    causes->posted = mem_alloc(operations, sizeof *causes->posted, "slack");
}

void loggops_causes_open(struct loggops *engine)
{
    struct critical *critical = engine->params->critical;
    const size_t hosts = engine->params->program->ranks;
    if (!critical || engine->rules != LOGGOPS_MENDED)
        return;
    struct loggops_causes *causes = engine->causes = mem_alloc(1, sizeof *causes, "critical path");
    causes->critical = critical;
    causes->ranks = critical_rank(critical, 0);
    critical_has_cores(critical);
    causes->has_slack = critical_has_slack(critical);
    engine->tells_releases = causes->is_apart = engine->cores > 1 || has_synchronous(engine);
    causes->present.link = causes->start.link = POOL_NONE;
    causes->nics = mem_alloc(hosts * 2 * engine->nics, sizeof *causes->nics, "critical path");
    const size_t others = hosts * (engine->cores - 1);
    causes->strands = mem_alloc(others, sizeof *causes->strands, "critical path");
    for (size_t i = 0; i < others; i++) {
        const uint32_t host = (uint32_t)(i / (engine->cores - 1));
        causes->strands[i] =
            (struct critical_strand){.link = POOL_NONE, .rank = host, .slack = slack_rank(host)};
    }
    if (causes->is_apart)
        open_apart(engine, causes);
}

void loggops_causes_close(struct loggops *engine)
{
    struct loggops_causes *causes = engine->causes;
    if (!causes)
        return;
    free(causes->strands);
    free(causes->nics);
    free(causes->before);
    free(causes->last);
    free(causes->latest);
    free(causes->released_by);
    free(causes->handled);
    free(causes->events);
    free(causes->posted);
    free(causes);
    engine->causes = NULL;
}

/* ------------------------------------------------------------------ strands */

static uint32_t core_number(const struct loggops *engine, uint32_t host, uint8_t core)
{
    return host * engine->cores + core;
}

static struct critical_strand *strand_of(const struct loggops *engine, uint32_t host, uint8_t core)
{
    const struct loggops_causes *causes = engine->causes;
    return core ? &causes->strands[host * (engine->cores - 1) + core - 1] : &causes->ranks[host];
}

static uint64_t operation_number(const struct loggops *engine, uint32_t host, uint32_t operation)
{
    return engine->graph->ranks[host].first + operation;
}

static uint32_t site_of(const struct loggops *engine, uint32_t host, uint32_t operation)
{
    return engine->sites && operation != POOL_NONE
               ? engine->sites->of_operation(engine->sites, host, operation)
               : 0;
}

static inline void drop(struct critical *critical, uint32_t *link)
{
    if (*link != POOL_NONE)
        critical_drop(critical, link);
}

/* A copy holds the link of its own. */
static inline void copy_strand(struct critical *critical, struct critical_strand *copy,
                               const struct critical_strand *strand)
{
    if (copy->link != strand->link) {
        drop(critical, &copy->link);
        critical_share(critical, strand->link);
    }
    *copy = *strand;
}

static struct nic *nic_of(const struct loggops *engine, uint32_t host, uint8_t nic, bool receives)
{
    return &engine->causes->nics[(host * 2 + receives) * engine->nics + nic];
}

/* The strand uses the NIC from `since` on. With one core, a NIC that is free before that has no effect. */
static void use_nic(struct loggops *engine, struct nic *nic, const struct critical_strand *strand,
                    uint32_t core, ps_t since, bool is_last)
{
    struct critical *critical = engine->causes->critical;
    if (engine->cores == 1 && !is_last) {
        if (nic->is_known)
            critical_drop(critical, &nic->strand.link);
        nic->is_known = false;
        return;
    }
    if (!nic->is_known)
        nic->strand.link = POOL_NONE;
    copy_strand(critical, &nic->strand, strand);
    nic->since = since;
    nic->core = core;
    nic->is_known = true;
}

/* The chain of the last message of the NIC, until that is free. */
static uint32_t link_of_nic(const struct loggops *engine, const struct nic *nic, ps_t free_at)
{
    struct critical *critical = engine->causes->critical;
    const ps_t gap = ps_add(nic->since, (ps_t)engine->g);
    uint32_t link = critical_link(critical, &nic->strand, nic->since);
    critical_add(critical, link, CRITICAL_SOFTWARE, nic->since, gap < free_at ? gap : free_at);
    critical_add(critical, link, CRITICAL_BANDWIDTH, gap, free_at);
    critical_close_link(critical, link, free_at);
    return link;
}

/* What a core begins. */
struct work {
    uint32_t host;
    uint8_t core;
    struct nic *nic; /* NULL: it needs none */
    ps_t at, core_free, nic_free;
    uint32_t held;    /* the cause that is not of this core or NIC; POOL_NONE: none */
    uint32_t waiting; /* the operation that waited for it; POOL_NONE: not known */
};

/* The core was not busy until then, or somebody wants all causes and not the latest only. */
static void wait_for(struct loggops *engine, struct work *work, struct critical_strand *strand)
{
    struct critical *critical = engine->causes->critical;
    const uint32_t core = core_number(engine, work->host, work->core);
    const struct nic *nic = work->nic && work->nic->is_known ? work->nic : NULL;
    if (nic && (nic->core != core || work->nic_free > work->core_free))
        critical_await(critical, strand, slack_moment(&nic->strand.slack, work->nic_free));
    if (work->core_free >= work->at) {
        drop(critical, &work->held);
    } else if (nic && work->nic_free >= work->at) {
        drop(critical, &work->held);
        work->held = link_of_nic(engine, nic, work->nic_free);
    }
    strand->site = site_of(engine, work->host, work->waiting);
    critical_waited(critical, strand, &work->held, work->core_free);
}

/* The core goes on with its own chain if it was busy until then, else with that of its NIC, or with the cause
 * that is held. */
static struct critical_strand *go_on(struct loggops *engine, struct work *work)
{
    struct loggops_causes *causes = engine->causes;
    struct critical_strand *strand = strand_of(engine, work->host, work->core);
    if (causes->is_apart) {
        struct core_before *before = &causes->before[core_number(engine, work->host, work->core)];
        copy_strand(causes->critical, &before->strand, strand);
        before->free_at = work->core_free;
    }
    if (work->core_free >= work->at && !causes->has_slack)
        drop(causes->critical, &work->held);
    else
        wait_for(engine, work, strand);
    return strand;
}

/* ------------------------------------------------------------- what is told */

/* What happens next on the same core is behind this in any case, and need not be told, unless there is
 * something else to say. */
static inline void tell(struct loggops *engine, const struct present *present)
{
    struct loggops_causes *causes = engine->causes;
    drop(causes->critical, &causes->present.link);
    causes->present = *present;
    engine->told_core = present->moments[1].event == SLACK_NONE ? present->core : POOL_NONE;
}

/* The core itself has come to `at`. If there is no other core, all that is released is on it. */
static inline void tell_core(struct loggops *engine, const struct critical_strand *strand, uint32_t core,
                             ps_t at, struct slack_moment other)
{
    if (!engine->causes->is_apart)
        return;
    if (engine->cores == 1 && !engine->causes->has_slack)
        engine->told_core = core;
    else
        tell(engine, &(struct present){.strand = strand,
                                       .link = POOL_NONE,
                                       .core = core,
                                       .at = at,
                                       .moments = {slack_moment(&strand->slack, at), other}});
}

static uint32_t present_link(struct loggops_causes *causes)
{
    struct present *present = &causes->present;
    if (present->link == POOL_NONE) {
        present->link = critical_link(causes->critical, present->strand, present->at);
        critical_close_link(causes->critical, present->link, present->at);
    }
    return present->link;
}

void loggops_causes_release(struct loggops *engine, uint32_t host, uint32_t by, uint32_t operation)
{
    struct loggops_causes *causes = engine->causes;
    const struct present *present = &causes->present;
    const uint64_t number = operation_number(engine, host, operation);
    uint32_t *latest = &causes->latest[number];
    if (*latest == POOL_NONE || critical_link_end(causes->critical, *latest) < present->at) {
        drop(causes->critical, latest);
        *latest = critical_share(causes->critical, present_link(causes));
        if (causes->released_by)
            causes->released_by[number] = by;
    }
    if (!causes->events)
        return;
    critical_join(causes->critical, &causes->events[number], host, present->moments[0]);
    critical_join(causes->critical, &causes->events[number], host, present->moments[1]);
}

void loggops_causes_ended(struct loggops *engine, uint32_t host, uint32_t operation)
{
    struct loggops_causes *causes = engine->causes;
    const struct present *present = &causes->present;
    if (graph_on_end(loggops_operation(engine, host, operation)) == 0) {
        critical_last(causes->critical, present->moments[0]);
        critical_last(causes->critical, present->moments[1]);
    }
    struct last_end *last = &causes->last[host];
    if (present->core != POOL_NONE || (last->link != POOL_NONE && last->at >= present->at))
        return;
    drop(causes->critical, &last->link);
    last->link = critical_share(causes->critical, present_link(causes));
    last->at = present->at;
    last->moment = present->moments[0];
}

/* -------------------------------------------------------------- operations */

void loggops_causes_begin(struct loggops *engine, uint32_t host, uint32_t operation, when_t at)
{
    struct loggops_causes *causes = engine->causes;
    const struct graph_operation *begun = loggops_operation(engine, host, operation);
    struct work work = {.host = host,
                        .core = begun->core,
                        .at = (ps_t)at,
                        .core_free = (ps_t)*loggops_cpu(engine, host, begun->core),
                        .held = POOL_NONE,
                        .waiting = operation};
    if (begun->kind == GRAPH_SEND) {
        work.nic = nic_of(engine, host, begun->nic, false);
        work.nic_free = (ps_t)*loggops_send_nic(engine, host, begun->nic);
    }
    if (causes->is_apart) {
        const uint64_t number = operation_number(engine, host, operation);
        work.held = causes->latest[number];
        causes->latest[number] = POOL_NONE;
        if (causes->released_by && causes->released_by[number] != POOL_NONE)
            work.waiting = causes->released_by[number];
        if (causes->events)
            strand_of(engine, host, begun->core)->slack.next = causes->events[number];
    }
    struct critical_strand *strand = go_on(engine, &work);
    strand->site = site_of(engine, host, operation);
    if (begun->kind == GRAPH_SEND)
        critical_enter(causes->critical, strand);
    if (graph_on_begin(begun))
        tell_core(engine, strand, core_number(engine, host, begun->core), (ps_t)at, no_moment);
}

void loggops_causes_core_ends(struct loggops *engine, uint32_t host, uint32_t operation, when_t at)
{
    const struct graph_operation *ended = loggops_operation(engine, host, operation);
    const struct critical_strand *strand = strand_of(engine, host, ended->core);
    tell_core(engine, strand, core_number(engine, host, ended->core), (ps_t)at, no_moment);
}

void loggops_causes_computed(struct loggops *engine, uint32_t host, uint32_t operation, when_t since,
                             when_t at)
{
    const struct graph_operation *computation = loggops_operation(engine, host, operation);
    struct critical_strand *strand = strand_of(engine, host, computation->core);
    if (loggops_busy_with(computation) == BUSY_STARTS)
        critical_begin_later(engine->causes->critical, strand, (ps_t)since, (ps_t)at);
    else
        strand->computed += (ps_t)(at - since);
    loggops_causes_core_ends(engine, host, operation, at);
}

void loggops_causes_send(struct loggops *engine, uint32_t index, const struct message *shown, when_t at,
                         when_t there)
{
    struct loggops_causes *causes = engine->causes;
    struct critical *critical = causes->critical;
    const struct program *program = engine->params->program;
    const struct loggops_message *message = loggops_message(engine, index);
    if (engine->graph->call && critical_wants_calls(critical)) {
        struct message of_call = *shown;
        of_call.op = engine->graph->call(program, message->source, message->send);
        critical_send(critical, index, &of_call, (ps_t)at);
    } else {
        critical_send(critical, index, shown, (ps_t)at);
    }
    const uint32_t link = critical_link_of(critical, index);
    const ps_t posted = ps_add((ps_t)at, (ps_t)engine->o);
    critical_add(critical, link, CRITICAL_SOFTWARE, (ps_t)at, posted);
    critical_add(critical, link, CRITICAL_LATENCY, posted, (ps_t)there);
    use_nic(engine, nic_of(engine, message->source, message->nic, false),
            strand_of(engine, message->source, message->core),
            core_number(engine, message->source, message->core), (ps_t)at,
            *loggops_send_nic(engine, message->source, message->nic) >
                *loggops_cpu(engine, message->source, message->core));
}

/* A receive has a time, and takes none. It has come when its causes are there, and when its core was free as
 * it became ready. */
void loggops_causes_receive(struct loggops *engine, uint32_t host, uint32_t receive, when_t at)
{
    struct loggops_causes *causes = engine->causes;
    if (!causes->is_apart)
        return;
    const uint8_t core = loggops_operation(engine, host, receive)->core;
    const uint32_t number = core_number(engine, host, core);
    const struct core_before *before = &causes->before[number];
    const bool is_later = *loggops_cpu(engine, host, core) > at;
    const struct critical_strand *strand = is_later ? &before->strand : strand_of(engine, host, core);
    const ps_t free_at = is_later ? before->free_at : (ps_t)*loggops_cpu(engine, host, core);
    const uint64_t operation = operation_number(engine, host, receive);
    uint32_t held = causes->latest[operation];
    struct present present = {.strand = strand,
                              .link = POOL_NONE,
                              .core = number,
                              .at = (ps_t)at,
                              .moments = {slack_moment(&strand->slack, (ps_t)at), no_moment}};
    causes->latest[operation] = POOL_NONE;
    if (causes->events && causes->events[operation] != SLACK_NONE)
        present.moments[0] =
            critical_join(causes->critical, &causes->events[operation], host,
                          slack_moment(&strand->slack, free_at < (ps_t)at ? free_at : (ps_t)at));
    if (held != POOL_NONE && critical_link_end(causes->critical, held) >= (ps_t)at) {
        present.link = held;
        present.core = POOL_NONE;
    } else {
        drop(causes->critical, &held);
    }
    if (causes->posted)
        causes->posted[operation] = present.moments[0];
    tell(engine, &present);
}

/* ----------------------------------------------------------------- messages */

/* The core works for the message: software, and where its bytes take longer than that, bandwidth. */
static void work_for(struct loggops *engine, struct critical_strand *strand, uint32_t link, ps_t at,
                     ps_t until, bool by_nic)
{
    struct critical *critical = engine->causes->critical;
    if (by_nic && link == POOL_NONE)
        link = critical_link(critical, strand, at);
    if (link == POOL_NONE)
        return;
    critical_add(critical, link, CRITICAL_SOFTWARE, at, by_nic ? ps_add(at, (ps_t)engine->o) : until);
    critical_add(critical, link, CRITICAL_BANDWIDTH, at, until);
    critical_close_link(critical, link, until);
    critical_go_on(critical, strand, link);
}

void loggops_causes_handle(struct loggops *engine, uint32_t index, uint32_t met,
                           const struct loggops_handling *handling)
{
    struct loggops_causes *causes = engine->causes;
    struct critical *critical = causes->critical;
    const struct loggops_message *message = loggops_message(engine, index);
    const uint32_t host = message->destination, core = core_number(engine, host, message->core);
    const ps_t at = (ps_t)handling->at, until = (ps_t)*loggops_cpu(engine, host, message->core);
    struct nic *nic = nic_of(engine, host, message->nic, true);
    const bool by_nic = handling->by_nic > handling->by_cpu;
    const bool nic_is_last = *loggops_receive_nic(engine, host, message->nic) > (when_t)until;
    const uint32_t of_message = critical_link_of(critical, index);
    const ps_t arrived = critical_link_end(critical, of_message);
    struct work work = {.host = host,
                        .core = message->core,
                        .nic = nic,
                        .at = at,
                        .core_free = (ps_t)handling->core_free,
                        .nic_free = (ps_t)handling->nic_free,
                        .held = POOL_NONE,
                        .waiting = met};
    const bool is_cause = work.core_free < at && (!nic->is_known || work.nic_free < at);
    const bool wants_start = causes->is_apart || engine->cores > 1 || nic_is_last;
    critical_await(critical, strand_of(engine, host, message->core),
                   critical_message_moment(critical, index, arrived));
    /* The message may go on with its handling, so its chain up to here is a copy where that is wanted too. */
    if (is_cause)
        work.held =
            wants_start ? critical_link_copy(critical, index, at) : critical_share(critical, of_message);
    struct critical_strand *strand = go_on(engine, &work);
    if (wants_start)
        copy_strand(critical, &causes->start, strand);
    use_nic(engine, nic, strand, core, at, nic_is_last);
    work_for(engine, strand, is_cause ? critical_share(critical, of_message) : POOL_NONE, at, until, by_nic);
    critical_finish(critical, index);
    if (!causes->is_apart || met != POOL_NONE)
        return;
    causes->handled =
        mem_grow(causes->handled, &causes->handled_capacity, (size_t)index + 1, "critical path");
    struct handled *handled = &causes->handled[index];
    handled->link = critical_link(critical, strand, until);
    critical_close_link(critical, handled->link, until);
    handled->core = core;
    handled->start = slack_moment(&strand->slack, at);
    handled->end = slack_moment(&strand->slack, until);
}

/* When its receive was posted says something new only where that is on another core. */
static struct slack_moment posted_moment(const struct loggops *engine, uint32_t host, uint32_t receive,
                                         uint32_t core)
{
    const struct loggops_causes *causes = engine->causes;
    const uint64_t number = operation_number(engine, host, receive);
    if (!causes->posted ||
        (core == core_number(engine, host, loggops_operation(engine, host, receive)->core) &&
         causes->events[number] == SLACK_NONE))
        return no_moment;
    return causes->posted[number];
}

void loggops_causes_meet(struct loggops *engine, uint32_t index, uint32_t receive, when_t at,
                         enum loggops_ends what)
{
    struct loggops_causes *causes = engine->causes;
    if (!causes->is_apart)
        return;
    const struct loggops_message *message = loggops_message(engine, index);
    const uint32_t host = message->destination, core = core_number(engine, host, message->core);
    if (what == ENDS_SEND) {
        tell(engine, &(struct present){
                         .strand = &causes->start,
                         .link = POOL_NONE,
                         .core = POOL_NONE,
                         .at = (ps_t)at,
                         .moments = {slack_moment(&causes->start.slack, (ps_t)at),
                                     causes->posted ? causes->posted[operation_number(engine, host, receive)]
                                                    : no_moment}});
        return;
    }
    tell_core(engine, strand_of(engine, host, message->core), core, (ps_t)at,
              posted_moment(engine, host, receive, core));
}

void loggops_causes_meet_handled(struct loggops *engine, uint32_t index, when_t at, when_t end,
                                 enum loggops_ends what)
{
    struct loggops_causes *causes = engine->causes;
    if (!causes->is_apart)
        return;
    struct present *present = &causes->present; /* the beginning of the receive */
    struct handled *handled = &causes->handled[index];
    if (what == ENDS_SEND) {
        present_link(causes);
        present->core = engine->told_core = POOL_NONE;
        present->moments[1] = handled->start;
        return;
    }
    const bool is_same = present->core == handled->core;
    if (end > at) {
        const struct slack_moment begun = is_same || !causes->has_slack ? no_moment : present->moments[0];
        tell(engine, &(struct present){.link = critical_share(causes->critical, handled->link),
                                       .core = handled->core,
                                       .at = (ps_t)end,
                                       .moments = {handled->end, begun}});
    } else if (!is_same && causes->has_slack) {
        present->moments[1] = handled->end;
        engine->told_core = POOL_NONE;
    }
    critical_drop(causes->critical, &handled->link);
}

/* ------------------------------------------------------------------ the end */

/* The chain of the host is that of its core 0. It takes over the one that ends last. */
void loggops_causes_host_ends(struct loggops *engine, uint32_t host, when_t finish)
{
    struct loggops_causes *causes = engine->causes;
    struct critical *critical = causes->critical;
    struct critical_strand *first = critical_rank(critical, host);
    const ps_t own = (ps_t)*loggops_cpu(engine, host, 0), end = (ps_t)finish;
    uint32_t held = POOL_NONE;
    for (uint8_t core = 1; core < engine->cores; core++) {
        const struct critical_strand *strand = strand_of(engine, host, core);
        const ps_t at = (ps_t)*loggops_cpu(engine, host, core);
        critical_await(critical, first, slack_moment(&strand->slack, at));
        if (own < end && at == end && held == POOL_NONE) {
            held = critical_link(critical, strand, at);
            critical_close_link(critical, held, at);
        }
    }
    struct last_end *last = causes->is_apart ? &causes->last[host] : NULL;
    if (last && last->link != POOL_NONE && last->at == end && own < end && held == POOL_NONE) {
        critical_await(critical, first, last->moment);
        held = critical_share(critical, last->link);
    }
    critical_waited(critical, first, &held, own);
    critical_end(critical, host, end);
}
