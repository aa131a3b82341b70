#include "schedule/path/slot_plan.h"

#include <string.h>

#include "base/mem.h"

enum { MORE_SLOTS = 4, MORE_PARTS = 64 };

const uint32_t *slot_plan_links(const struct slot_plan *plan, uint32_t entry, uint32_t *count)
{
    return tdm_route(&plan->problem->routes, plan->route_of[entry], count);
}

static uint32_t *taken_by(const struct slot_plan *plan, uint32_t slot)
{
    return plan->taken + (size_t)slot * plan->problem->topo.links;
}

bool slot_plan_fits(const struct slot_plan *plan, uint32_t entry, uint32_t slot, uint32_t but)
{
    uint32_t count;
    const uint32_t *links = slot_plan_links(plan, entry, &count), *taken = taken_by(plan, slot);
    for (uint32_t i = 0; i < count; i++)
        if (taken[links[i]] && taken[links[i]] != but + 1)
            return false;
    return true;
}

void slot_plan_take(struct slot_plan *plan, uint32_t part)
{
    uint32_t count;
    struct slot_part *at = &plan->parts[part];
    const uint32_t *links = slot_plan_links(plan, at->entry, &count);
    uint32_t *taken = taken_by(plan, at->slot);
    for (uint32_t i = 0; i < count; i++)
        taken[links[i]] = 0;
    if (at->next != NO_PART)
        plan->parts[at->next].before = at->before;
    if (at->before != NO_PART)
        plan->parts[at->before].next = at->next;
    else
        plan->first[at->slot] = at->next;
}

void slot_plan_put(struct slot_plan *plan, uint32_t part, uint32_t slot)
{
    uint32_t count;
    struct slot_part *at = &plan->parts[part];
    const uint32_t *links = slot_plan_links(plan, at->entry, &count);
    uint32_t *taken = taken_by(plan, slot);
    for (uint32_t i = 0; i < count; i++)
        taken[links[i]] = part + 1;
    at->slot = slot;
    at->before = NO_PART;
    at->next = plan->first[slot];
    if (at->next != NO_PART)
        plan->parts[at->next].before = part;
    plan->first[slot] = part;
}

void slot_plan_keep(struct slot_plan *plan)
{
    memcpy(plan->kept, plan->parts, plan->part_count * sizeof *plan->kept);
    memcpy(plan->kept_order, plan->order, plan->slots * sizeof *plan->kept_order);
    memcpy(plan->kept_plane, plan->plane, plan->slots * sizeof *plan->kept_plane);
    plan->kept_count = plan->part_count;
}

void slot_plan_return(struct slot_plan *plan)
{
    for (uint32_t part = 0; part < plan->part_count; part++) {
        if (plan->parts[part].time_ps)
            slot_plan_take(plan, part);
        plan->parts[part].time_ps = 0;
    }
    memcpy(plan->order, plan->kept_order, plan->slots * sizeof *plan->order);
    memcpy(plan->plane, plan->kept_plane, plan->slots * sizeof *plan->plane);
    plan->part_count = plan->kept_count;
    for (uint32_t part = 0; part < plan->part_count; part++) {
        plan->parts[part] = plan->kept[part];
        if (plan->parts[part].time_ps)
            slot_plan_put(plan, part, plan->parts[part].slot);
    }
}

/* Whether a slot begins with the piece; pieces are in the order of their starts, and of planes. */
static bool begins_slot(const struct path_schedule *schedule, size_t piece)
{
    const struct path_piece *at = &schedule->pieces[piece];
    return piece == 0 || at->start_ps != at[-1].start_ps || at->plane != at[-1].plane;
}

static uint32_t count_slots(const struct path_schedule *schedule)
{
    uint32_t slots = 0;
    for (size_t i = 0; i < schedule->count; i++)
        slots += begins_slot(schedule, i);
    return slots;
}

/* Puts the pieces into slots, and the slots that are left over into all planes. */
static void fill(struct slot_plan *plan, const struct path_schedule *schedule)
{
    uint32_t slots = 0;
    for (uint32_t slot = 0; slot < plan->slots; slot++) {
        plan->order[slot] = slot;
        plan->first[slot] = NO_PART;
        plan->plane[slot] = slot % plan->problem->planes;
    }
    for (size_t i = 0; i < schedule->count; i++) {
        const struct path_piece *piece = &schedule->pieces[i];
        if (begins_slot(schedule, i))
            plan->plane[slots++] = piece->plane;
        plan->parts[i] =
            (struct slot_part){.entry = piece->entry, .time_ps = piece->end_ps - piece->start_ps};
        slot_plan_put(plan, plan->part_count++, slots - 1);
    }
}

bool slot_plan_init(struct slot_plan *plan, const struct path_problem *problem,
                    const struct path_schedule *schedule)
{
    uint32_t slots = count_slots(schedule) + MORE_SLOTS, links = problem->topo.links;
    uint32_t *route_of = mem_alloc((size_t)problem->count + 1, sizeof *route_of, "routes"); /* + 1 */
    bool is_one_route = true;
    for (size_t i = 0; i < schedule->count; i++) {
        const struct path_piece *piece = &schedule->pieces[i];
        is_one_route =
            is_one_route && (!route_of[piece->entry] || route_of[piece->entry] == piece->route + 1);
        route_of[piece->entry] = piece->route + 1;
    }
    size_t all_links = problem->planes > 1 ? path_links(problem) : links;
    if (!is_one_route || (size_t)slots * links > SLOT_PLAN_AT_MOST || all_links > SLOT_PLAN_AT_MOST) {
        free(route_of);
        return false;
    }
    for (uint32_t i = 0; i < problem->count; i++)
        route_of[i]--;
    *plan = (struct slot_plan){.problem = problem, .route_of = route_of, .slots = slots};
    plan->part_room = (uint32_t)schedule->count + MORE_PARTS;
    plan->parts = mem_alloc(plan->part_room, sizeof *plan->parts, "configurations");
    plan->kept = mem_alloc(plan->part_room, sizeof *plan->kept, "configurations");
    plan->kept_order = mem_alloc(slots, sizeof *plan->kept_order, "configurations");
    plan->kept_plane = mem_alloc(slots, sizeof *plan->kept_plane, "configurations");
    plan->plane = mem_alloc(slots, sizeof *plan->plane, "configurations");
    plan->end_ps = mem_alloc(plan->part_room, sizeof *plan->end_ps, "configurations");
    plan->first = mem_alloc(slots, sizeof *plan->first, "configurations");
    plan->order = mem_alloc(slots, sizeof *plan->order, "configurations");
    plan->taken = mem_alloc((size_t)slots * links + 1, sizeof *plan->taken, "configurations");
    plan->stop_ps = mem_alloc(path_switches(problem), sizeof *plan->stop_ps, "switches");
    plan->ready_ps = mem_alloc(path_switches(problem), sizeof *plan->ready_ps, "switches");
    plan->last = mem_alloc(path_links(problem) + 1, sizeof *plan->last, "links");
    plan->until_ps = mem_alloc(path_links(problem) + 1, sizeof *plan->until_ps, "links");
    fill(plan, schedule);
    return true;
}

void slot_plan_free(struct slot_plan *plan)
{
    free((void *)plan->route_of);
    free(plan->parts);
    free(plan->kept);
    free(plan->kept_order);
    free(plan->kept_plane);
    free(plan->plane);
    free(plan->end_ps);
    free(plan->first);
    free(plan->order);
    free(plan->taken);
    free(plan->stop_ps);
    free(plan->ready_ps);
    free(plan->last);
    free(plan->until_ps);
    *plan = (struct slot_plan){.part_count = 0};
}

/* The links and switches of the plane of a part, numbered as in the topology. */
struct plan_plane {
    uint32_t *last;
    ps_t *until_ps, *stop_ps, *ready_ps;
};

static struct plan_plane plane_of(const struct slot_plan *plan, uint32_t part)
{
    size_t plane = plan->plane[plan->parts[part].slot], first_link = plane * plan->problem->topo.links;
    size_t first_switch = plane * plan->problem->topo.switches;
    return (struct plan_plane){plan->last + first_link, plan->until_ps + first_link,
                               plan->stop_ps + first_switch, plan->ready_ps + first_switch};
}

/* Switches stop which have to connect two links of the part, one of them in use since they stopped last. */
static void stop_switches(struct slot_plan *plan, uint32_t part)
{
    uint32_t count;
    const uint32_t *links = slot_plan_links(plan, plan->parts[part].entry, &count);
    struct plan_plane plane = plane_of(plan, part);
    for (uint32_t i = 1; i < count; i++) {
        uint32_t at = topo_link_to(&plan->problem->topo, links[i - 1]), from = links[i - 1], to = links[i];
        bool is_up = plane.last[from] && plane.last[from] == plane.last[to];
        if (!is_up && ps_max(plane.until_ps[from], plane.until_ps[to]) > plane.stop_ps[at])
            plane.stop_ps[at] = plane.ready_ps[at];
    }
}

static ps_t start_of(const struct slot_plan *plan, uint32_t part)
{
    uint32_t count;
    const uint32_t *links = slot_plan_links(plan, plan->parts[part].entry, &count);
    struct plan_plane plane = plane_of(plan, part);
    ps_t start_ps = plane.until_ps[links[0]];
    for (uint32_t i = 1; i < count; i++) {
        uint32_t at = topo_link_to(&plan->problem->topo, links[i - 1]);
        start_ps = ps_max(start_ps, plane.stop_ps[at] + plan->problem->delta_ps);
        start_ps = ps_max(start_ps, plane.until_ps[links[i]]);
    }
    return start_ps;
}

static void end_part(struct slot_plan *plan, uint32_t part)
{
    uint32_t count;
    const uint32_t *links = slot_plan_links(plan, plan->parts[part].entry, &count);
    struct plan_plane plane = plane_of(plan, part);
    for (uint32_t i = 0; i < count; i++) {
        plane.last[links[i]] = part + 1;
        plane.until_ps[links[i]] = plan->end_ps[part];
    }
    for (uint32_t i = 1; i < count; i++) {
        ps_t *ready_ps = &plane.ready_ps[topo_link_to(&plan->problem->topo, links[i - 1])];
        *ready_ps = ps_max(*ready_ps, plan->end_ps[part]);
    }
}

ps_t slot_plan_play(struct slot_plan *plan, double *lateness)
{
    size_t switches = path_switches(plan->problem), links = path_links(plan->problem);
    ps_t makespan_ps = 0;
    memset(plan->stop_ps, 0, switches * sizeof *plan->stop_ps);
    memset(plan->ready_ps, 0, switches * sizeof *plan->ready_ps);
    memset(plan->last, 0, links * sizeof *plan->last);
    memset(plan->until_ps, 0, links * sizeof *plan->until_ps);
    for (uint32_t turn = 0; turn < plan->slots; turn++) {
        uint32_t first = plan->first[plan->order[turn]];
        for (uint32_t part = first; part != NO_PART; part = plan->parts[part].next)
            stop_switches(plan, part);
        for (uint32_t part = first; part != NO_PART; part = plan->parts[part].next)
            plan->end_ps[part] = start_of(plan, part) + plan->parts[part].time_ps;
        for (uint32_t part = first; part != NO_PART; part = plan->parts[part].next)
            end_part(plan, part);
    }
    for (size_t at = 0; at < switches; at++)
        makespan_ps = ps_max(makespan_ps, plan->ready_ps[at]);
    *lateness = 0;
    for (size_t at = 0; at < switches && makespan_ps; at++) {
        double share = (double)plan->ready_ps[at] / (double)makespan_ps, square = share * share;
        *lateness += square * square * square * square / (double)switches;
    }
    return makespan_ps;
}

void slot_plan_write(const struct slot_plan *plan, struct path_schedule *schedule)
{
    for (uint32_t part = 0; part < plan->part_count; part++) {
        const struct slot_part *at = &plan->parts[part];
        if (at->time_ps)
            path_add(schedule, &(struct path_piece){.entry = at->entry,
                                                    .route = plan->route_of[at->entry],
                                                    .plane = plan->plane[at->slot],
                                                    .start_ps = plan->end_ps[part] - at->time_ps,
                                                    .end_ps = plan->end_ps[part]});
    }
}
