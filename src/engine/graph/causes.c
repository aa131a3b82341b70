#include "base/mem.h"
#include "engine/graph/scheduler.h"

void graph_causes_init(struct graph_causes *causes, const struct graph_scheduler *scheduler)
{
    struct critical *critical = causes->critical = scheduler->layers->context.critical;
    size_t operations = (size_t)scheduler->graph->operations, ranks = scheduler->program->ranks;
    causes->posting = POOL_NONE;
    if (!critical)
        return;
    causes->latest = mem_alloc(operations, sizeof *causes->latest, "critical path");
    if (scheduler->sites)
        causes->before = mem_alloc(operations, sizeof *causes->before, "critical path");
    for (size_t i = 0; i < operations; i++) {
        causes->latest[i] = POOL_NONE;
        if (causes->before)
            causes->before[i] = POOL_NONE;
    }
    if (critical_has_slack(critical)) {
        causes->events = mem_alloc(operations, sizeof *causes->events, "slack");
        causes->ends = mem_alloc(operations, sizeof *causes->ends, "slack");
        for (size_t i = 0; i < operations; i++)
            causes->events[i] = SLACK_NONE;
    }
    causes->strands = mem_alloc(ranks * (scheduler->cores - 1), sizeof *causes->strands, "critical path");
    for (size_t i = 0; i < ranks * (scheduler->cores - 1); i++) {
        const uint32_t rank = (uint32_t)(i / (scheduler->cores - 1));
        causes->strands[i] =
            (struct critical_strand){.link = POOL_NONE, .rank = rank, .slack = slack_rank(rank)};
    }
}

void graph_causes_free(struct graph_causes *causes)
{
    free(causes->latest);
    free(causes->before);
    free(causes->events);
    free(causes->ends);
    free(causes->strands);
}

static struct critical_strand *strand_of(const struct graph_scheduler *scheduler, uint32_t core)
{
    const struct graph_causes *causes = &scheduler->causes;
    uint32_t rank = core / scheduler->cores, number = core % scheduler->cores;
    return number ? &causes->strands[rank * (scheduler->cores - 1) + number - 1]
                  : critical_rank(causes->critical, rank);
}

/* A core that was busy until now goes on with its own chain; one that was free has waited. */
void graph_causes_begin(struct graph_scheduler *scheduler, uint32_t core, uint32_t operation, ps_t free_at)
{
    struct graph_causes *causes = &scheduler->causes;
    if (!causes->critical)
        return;
    struct critical_strand *strand = strand_of(scheduler, core);
    if (causes->before)
        strand->site = graph_scheduler_site(scheduler, causes->before[operation]);
    if (causes->events)
        strand->slack.next = causes->events[operation];
    if (free_at >= scheduler->layers->context.loop.now)
        critical_drop(causes->critical, &causes->latest[operation]);
    critical_waited(causes->critical, strand, &causes->latest[operation], free_at);
    strand->site = graph_scheduler_site(scheduler, operation);
    critical_enter(causes->critical, strand);
}

void graph_causes_computed(struct graph_scheduler *scheduler, uint32_t core, ps_t time)
{
    if (scheduler->causes.critical)
        strand_of(scheduler, core)->computed += time;
}

void graph_causes_begins_later(struct graph_scheduler *scheduler, uint32_t core, ps_t at)
{
    struct critical *critical = scheduler->causes.critical;
    if (critical)
        critical_begin_later(critical, strand_of(scheduler, core), scheduler->layers->context.loop.now, at);
}

void graph_causes_post(struct graph_scheduler *scheduler, uint32_t operation)
{
    struct critical *critical = scheduler->causes.critical;
    if (!critical)
        return;
    critical_signal(critical, scheduler->layers->context.loop.now);
    critical_hold(critical, &scheduler->causes.latest[operation]);
    if (scheduler->causes.ends)
        scheduler->causes.ends[operation] = critical_moment(critical);
    critical_told(critical);
}

/* For slack: the operation ends after it has been posted, and after the present cause. */
static void end_with_cause(struct graph_causes *causes, uint32_t operation)
{
    uint32_t event = SLACK_NONE;
    if (!causes->ends || critical_moment(causes->critical).event == SLACK_NONE)
        return;
    critical_join(causes->critical, &event, SLACK_NONE, causes->ends[operation]);
    causes->ends[operation] =
        critical_join(causes->critical, &event, SLACK_NONE, critical_moment(causes->critical));
}

void graph_causes_complete(struct graph_scheduler *scheduler, uint32_t operation, ps_t at)
{
    struct graph_causes *causes = &scheduler->causes;
    uint32_t cause = POOL_NONE;
    if (!causes->critical)
        return;
    end_with_cause(causes, operation);
    if (causes->posting == operation && at <= scheduler->layers->context.loop.now)
        return;
    critical_hold(causes->critical, &cause);
    if (cause == POOL_NONE)
        return;
    critical_drop(causes->critical, &causes->latest[operation]);
    causes->latest[operation] = cause;
}

void graph_causes_core_ends(struct graph_scheduler *scheduler, uint32_t core, uint32_t operation)
{
    struct critical *critical = scheduler->causes.critical;
    if (!critical)
        return;
    critical_enter(critical, strand_of(scheduler, core));
    graph_causes_post(scheduler, operation);
}

/* The present cause is one of the operation's. */
static void hold_for(struct graph_scheduler *scheduler, uint32_t operation)
{
    struct graph_causes *causes = &scheduler->causes;
    critical_hold(causes->critical, &causes->latest[operation]);
    if (causes->events)
        critical_join(causes->critical, &causes->events[operation], scheduler->operations[operation].rank,
                      critical_moment(causes->critical));
}

void graph_causes_release(struct graph_scheduler *scheduler, uint32_t before, uint32_t after)
{
    struct graph_causes *causes = &scheduler->causes;
    if (!causes->critical)
        return;
    critical_resume(causes->critical, causes->latest[before],
                    causes->ends ? causes->ends[before] : SLACK_NO_MOMENT);
    hold_for(scheduler, after);
    critical_told(causes->critical);
    if (causes->before)
        causes->before[after] = before;
}

void graph_causes_begun(struct graph_scheduler *scheduler, uint32_t core, uint32_t before, uint32_t after)
{
    struct graph_causes *causes = &scheduler->causes;
    if (!causes->critical)
        return;
    critical_enter(causes->critical, strand_of(scheduler, core));
    critical_signal(causes->critical, scheduler->layers->context.loop.now);
    hold_for(scheduler, after);
    critical_told(causes->critical);
    if (causes->before)
        causes->before[after] = before;
}

void graph_causes_ended(struct graph_scheduler *scheduler, uint32_t operation, bool is_last)
{
    struct graph_causes *causes = &scheduler->causes;
    if (!causes->critical)
        return;
    critical_drop(causes->critical, &causes->latest[operation]);
    if (causes->ends && is_last)
        critical_last(causes->critical, causes->ends[operation]);
}

void graph_causes_rank_ends(struct graph_scheduler *scheduler, uint32_t rank, uint32_t operation)
{
    struct graph_causes *causes = &scheduler->causes;
    if (!causes->critical)
        return;
    struct critical_strand *strand = critical_rank(causes->critical, rank);
    strand->site = graph_scheduler_site(scheduler, operation);
    if (operation != POOL_NONE && causes->ends)
        critical_await(causes->critical, strand, causes->ends[operation]);
    if (operation != POOL_NONE)
        critical_waited(causes->critical, strand, &causes->latest[operation],
                        scheduler->core[rank * scheduler->cores].free_at);
    critical_end(causes->critical, rank, scheduler->layers->context.loop.now);
}
