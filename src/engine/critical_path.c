#include <string.h>

#include "engine/critical_internal.h"

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

/* The kinds of the chain up to the link. */
static void kinds_of(const struct cause_link *link, ps_t kinds[CRITICAL_KINDS])
{
    memcpy(kinds, link->kinds, sizeof link->kinds);
    kinds[CRITICAL_OTHER] = link->end;
    for (int i = 0; i < CAUSE_KINDS; i++)
        kinds[CRITICAL_OTHER] -= link->kinds[i];
}

/* Lists the chain of the link, which the log gets, too. */
static void list_steps(struct critical *critical, uint32_t last, struct critical_path *path)
{
    const struct critical_log *log = &critical->log;
    uint32_t end = critical_log_link(critical, last);
    struct critical_sum sum = {.messages = 0};
    critical_log_sum(log, end, &sum);
    path->messages = sum.messages;
    for (int i = 0; i < CRITICAL_KINDS; i++)
        path->kinds[i] += sum.kinds[i];
    for (uint32_t i = end; critical_log_has(i); i = log->before[i])
        path->count++;
    path->steps = mem_alloc(path->count, sizeof *path->steps, "critical path");
    path->listed_since = path->last_since;
    size_t left = path->count;
    uint32_t waited_site = critical->ranks[critical->last].waited_site;
    for (uint32_t i = end; critical_log_has(i); i = log->before[i]) {
        struct critical_step *step = &path->steps[--left];
        uint32_t awaited;
        *step = critical_log_step(log, i, path->listed_since, &awaited);
        step->awaited = awaited ? critical->waits.texts[awaited - 1] : NULL;
        path->listed_since = step->since;
        if (!critical->has_sites)
            continue;
        step->sent_site = log->sites[i].sent;
        step->waited_site = waited_site;
        waited_site = log->sites[i].waited;
    }
}

void critical_result(struct critical *critical, struct critical_path *path)
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
        if (!critical->is_listed)
            kinds_of(last, path->kinds);
        path->last_since = last->end;
    }
    path->kinds[CRITICAL_COMPUTATION] += strand->computed;
    path->kinds[critical->rest] += critical->length - path->last_since - strand->computed;
    if (critical->is_listed && strand->link != POOL_NONE)
        list_steps(critical, strand->link, path);
}

void critical_path_free(struct critical_path *path)
{
    free(path->steps);
    *path = (struct critical_path){0};
}
