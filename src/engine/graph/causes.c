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
    for (size_t i = 0; i < operations; i++)
        causes->latest[i] = POOL_NONE;
    causes->strands = mem_alloc(ranks * (scheduler->cores - 1), sizeof *causes->strands, "critical path");
    for (size_t i = 0; i < ranks * (scheduler->cores - 1); i++)
        causes->strands[i] =
            (struct critical_strand){.link = POOL_NONE, .rank = (uint32_t)(i / (scheduler->cores - 1))};
}

void graph_causes_free(struct graph_causes *causes)
{
    free(causes->latest);
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
    if (free_at < scheduler->layers->context.loop.now)
        critical_waited(causes->critical, strand, &causes->latest[operation]);
    else
        critical_drop(causes->critical, &causes->latest[operation]);
    critical_enter(causes->critical, strand);
}

void graph_causes_computed(struct graph_scheduler *scheduler, uint32_t core, ps_t time)
{
    if (scheduler->causes.critical)
        strand_of(scheduler, core)->computed += time;
}

void graph_causes_post(struct graph_scheduler *scheduler, uint32_t operation)
{
    struct critical *critical = scheduler->causes.critical;
    if (!critical)
        return;
    critical_signal(critical, scheduler->layers->context.loop.now);
    critical_hold(critical, &scheduler->causes.latest[operation]);
    critical_told(critical);
}

void graph_causes_complete(struct graph_scheduler *scheduler, uint32_t operation, ps_t at)
{
    struct graph_causes *causes = &scheduler->causes;
    uint32_t cause = POOL_NONE;
    if (!causes->critical || (causes->posting == operation && at <= scheduler->layers->context.loop.now))
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

void graph_causes_release(struct graph_scheduler *scheduler, uint32_t before, uint32_t after)
{
    struct graph_causes *causes = &scheduler->causes;
    if (!causes->critical)
        return;
    critical_resume(causes->critical, causes->latest[before]);
    critical_hold(causes->critical, &causes->latest[after]);
    critical_told(causes->critical);
}

void graph_causes_begun(struct graph_scheduler *scheduler, uint32_t core, uint32_t after)
{
    graph_causes_core_ends(scheduler, core, after);
}

void graph_causes_drop(struct graph_scheduler *scheduler, uint32_t operation)
{
    if (scheduler->causes.critical)
        critical_drop(scheduler->causes.critical, &scheduler->causes.latest[operation]);
}

void graph_causes_rank_ends(struct graph_scheduler *scheduler, uint32_t rank, uint32_t operation)
{
    struct graph_causes *causes = &scheduler->causes;
    if (!causes->critical)
        return;
    if (operation != POOL_NONE)
        critical_waited(causes->critical, critical_rank(causes->critical, rank), &causes->latest[operation]);
    critical_end(causes->critical, rank, scheduler->layers->context.loop.now);
}
