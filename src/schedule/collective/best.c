#include <stdio.h>

#include "base/mem.h"
#include "schedule/collective/bound.h"
#include "schedule/collective/choice.h"

bool collective_is_known(enum coll_kind kind)
{
    return kind != COLL_ALLTOALLV && kind != COLL_ALLGATHERV && kind != COLL_GATHERV &&
           kind != COLL_SCATTERV && coll_default(kind);
}

bool collective_is_for_nodes(const struct coll_algorithm *algorithm)
{
    return algorithm->node_aware || algorithm->shared || algorithm->flags;
}

static void add_stretch(struct collective_plan *plan, const struct collective_space *space,
                        const uint32_t *up, uint32_t first, uint32_t end)
{
    const struct collective_configuration *configuration = &space->configurations[up[first]];
    struct collective_stretch *stretch = &plan->stretches[plan->stretch_count++];
    *stretch = (struct collective_stretch){
        .first = first, .last = end - 1, .is_changed = first > 0 || up[0] >= space->starts};
    for (uint32_t step = first; step < end; step++) {
        size_t at = (size_t)step * space->count + up[step];
        stretch->time_ps = ps_add(stretch->time_ps, space->times_ps[at]);
        if (space->loads[at].hops > stretch->hops)
            stretch->hops = space->loads[at].hops;
    }
    snprintf(stretch->circuits, sizeof stretch->circuits, "%s", configuration->name);
}

static void list_stretches(struct collective_plan *plan, const struct collective_space *space,
                           const uint32_t *up)
{
    plan->stretches = mem_alloc((size_t)plan->best.changes + 1, sizeof *plan->stretches, "a plan");
    for (uint32_t first = 0; first < plan->steps;) {
        uint32_t end = first;
        while (end < plan->steps && up[end] == up[first])
            end++;
        add_stretch(plan, space, up, first, end);
        first = end;
    }
}

/* The plans of an algorithm for all switching times. False: it does not suit the call. */
static bool plan(struct collective_plan *plans, const struct coll_algorithm *algorithm,
                 const struct collective_task *collective, const struct collective_network *network,
                 const ps_t *switching_ps, size_t times)
{
    struct collective_steps steps;
    struct collective_space space;
    if (!collective_steps_init(&steps, algorithm, collective, network->switches))
        return false;
    collective_space_init(&space, &steps, network);
    uint32_t *up = mem_alloc((size_t)steps.count + 1, sizeof *up, "a plan");
    ps_t packet_ps = collective_packet_ps(&steps, network);
    struct collective_way kept = collective_kept(&space);
    for (size_t i = 0; i < times; i++) {
        plans[i] = (struct collective_plan){.algorithm = algorithm,
                                            .rounds = steps.rounds,
                                            .steps = steps.count,
                                            .configurations = space.count,
                                            .kept = kept,
                                            .every = collective_every(&space, switching_ps[i]),
                                            .best = collective_choose(&space, switching_ps[i], up),
                                            .packet_ps = packet_ps};
        list_stretches(&plans[i], &space, up);
    }
    free(up);
    collective_space_free(&space);
    collective_steps_free(&steps);
    return true;
}

static bool is_same_way(struct collective_way a, struct collective_way b)
{
    return a.time_ps == b.time_ps && a.changes == b.changes;
}

/* With one rank for each port most algorithms that are made for nodes are one of the others. */
static bool is_known_by_another_name(const struct collective_answer *answer)
{
    for (size_t i = 0; i < answer->algorithms; i++) {
        size_t same = 0;
        for (size_t time = 0; time < answer->times; time++) {
            const struct collective_plan *plan = collective_plan_at(answer, answer->algorithms, time);
            const struct collective_plan *other = collective_plan_at(answer, i, time);
            same += plan->rounds == other->rounds && plan->steps == other->steps &&
                    plan->packet_ps == other->packet_ps && is_same_way(plan->kept, other->kept) &&
                    is_same_way(plan->every, other->every) && is_same_way(plan->best, other->best);
        }
        if (same == answer->times)
            return true;
    }
    return false;
}

static void free_plans(struct collective_answer *answer, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++)
        free(answer->plans[i].stretches);
}

/* Plans the algorithms of the kind that are made for nodes, or the others. */
static void plan_all(struct collective_answer *answer, const struct collective_task *collective,
                     const struct collective_network *network, const ps_t *switching_ps,
                     const struct coll_algorithm *only, bool for_nodes)
{
    size_t times = answer->times;
    for (size_t i = 0; coll_algorithms[i]; i++) {
        const struct coll_algorithm *algorithm = coll_algorithms[i];
        size_t first = answer->algorithms * times;
        if (algorithm->kind != collective->kind || collective_is_for_nodes(algorithm) != for_nodes ||
            (only && algorithm != only))
            continue;
        answer->plans = mem_grow(answer->plans, &answer->capacity, first + times, "plans");
        if (!plan(&answer->plans[first], algorithm, collective, network, switching_ps, times))
            continue;
        if (for_nodes && is_known_by_another_name(answer))
            free_plans(answer, first, first + times);
        else
            answer->algorithms++;
    }
}

static void find_best(struct collective_answer *answer)
{
    for (size_t time = 0; time < answer->times; time++)
        for (size_t i = 1; i < answer->algorithms; i++)
            if (collective_plan_at(answer, i, time)->best.time_ps <
                collective_plan_at(answer, answer->best[time], time)->best.time_ps)
                answer->best[time] = i;
    for (size_t i = 1; i < answer->algorithms; i++)
        if (collective_plan_at(answer, i, 0)->packet_ps <
            collective_plan_at(answer, answer->packet_best, 0)->packet_ps)
            answer->packet_best = i;
}

void collective_answer_init(struct collective_answer *answer, const struct collective_task *collective,
                            const struct collective_network *network, const ps_t *switching_ps, size_t times,
                            const struct coll_algorithm *only)
{
    *answer = (struct collective_answer){
        .times = times,
        .bound_ps = mem_alloc(times, sizeof *answer->bound_ps, "lower bounds"),
        .best = mem_alloc(times, sizeof *answer->best, "best algorithms"),
    };
    plan_all(answer, collective, network, switching_ps, only, false);
    plan_all(answer, collective, network, switching_ps, only, true);
    for (size_t time = 0; time < times; time++)
        answer->bound_ps[time] = collective_bound_ps(collective, network, switching_ps[time]);
    find_best(answer);
}

void collective_answer_free(struct collective_answer *answer)
{
    free_plans(answer, 0, answer->algorithms * answer->times);
    free(answer->plans);
    free(answer->bound_ps);
    free(answer->best);
}
