#include "schedule/circuit/two_hops.h"

#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/rng.h"
#include "schedule/circuit/relay_list.h"

enum {
    MOST_STARTS = 24,
    DIRECT_STARTS = 4,
    GRIDS = 2,
    STAGE_MOVES = 200,
    MOST_VARIED = 2000,
    VARY_TRIES = 4,
    MOVES_OF_WAY = 10
};
#define VARY_STEPS 1e9

/* The circuits of a stage as a demand of its own; its entries have the parts first[i] ... [i + 1] - 1. */
struct relay_stage {
    struct circuit_schedule schedule;
    struct relay_parts parts;
    uint32_t entries, *first;
    uint32_t *at;     /* [entries]: the part that is carried next */
    ps_t *carried_ps; /* [entries]: of this part */
};

struct two_hops {
    const struct circuit_problem *problem;
    const struct two_hops_network *network;
    const struct circuit_effort *effort;
    struct relay_ports ports;
    const struct relay_plan *plan;
    struct relay_stage stage;
    ps_t *arrived_ps; /* [entries]: when all of it is at the port in between */
    ps_t *free_ps;    /* [switches][places]: the end of the last circuit */
    uint32_t *last;   /* the same: its number */
    uint32_t circuits;
};

/* ------------------------------------------------------------------- stages */

/* So many bytes that a circuit needs at least this time for them. */
static uint64_t bytes_in(sum_t time_ps, uint64_t rate)
{
    return (uint64_t)((time_ps * (sum_t)rate + PS_PER_S - 1) / PS_PER_S);
}

/* The demand of the stage: the bytes of all parts of two ports. False: they are too many. */
static bool make_demand(struct two_hops *two, struct circuit_demand *demand)
{
    struct relay_stage *stage = &two->stage;
    uint32_t entries = 0;
    sum_t time_ps = 0;
    for (uint32_t i = 0; i < stage->parts.count; i++) {
        const struct relay_part *part = &stage->parts.list[i];
        bool is_new = i == 0 || part->from != part[-1].from || part->to != part[-1].to;
        bool is_last = i + 1 == stage->parts.count || part->from != part[1].from || part->to != part[1].to;
        time_ps = is_new ? part->time_ps : time_ps + part->time_ps;
        if (is_new)
            stage->first[entries++] = i;
        if (is_last)
            circuit_demand_add(demand, two->ports.port[part->from], two->ports.port[part->to],
                               bytes_in(time_ps, two->problem->rate_bytes_per_s));
    }
    stage->first[entries] = stage->parts.count;
    stage->entries = entries;
    return circuit_demand_unite(demand);
}

/* ----------------------------------------------------------------- circuits */

/* The circuit carries its next parts, from start on. */
static void carry_parts(struct two_hops *two, const struct circuit_piece *piece, ps_t start_ps,
                        struct circuit_schedule *schedule)
{
    struct relay_stage *stage = &two->stage;
    uint32_t entry = piece->entry;
    ps_t time_ps = piece->end_ps - piece->start_ps;
    while (time_ps > 0 && stage->at[entry] < stage->first[entry + 1]) {
        const struct relay_part *part = &stage->parts.list[stage->at[entry]];
        ps_t rest_ps = part->time_ps - stage->carried_ps[entry],
             part_ps = rest_ps < time_ps ? rest_ps : time_ps;
        relay_part_add(part, &two->ports, two->plan, piece->crossbar, start_ps, start_ps + part_ps, schedule);
        start_ps += part_ps;
        time_ps -= part_ps;
        if (part->hop == FIRST_HOP)
            two->arrived_ps[part->entry] = ps_max(two->arrived_ps[part->entry], start_ps);
        stage->carried_ps[entry] += part_ps;
        if (stage->carried_ps[entry] < part->time_ps)
            continue;
        stage->carried_ps[entry] = 0;
        stage->at[entry]++;
    }
}

/* When the last of the circuit's next parts have arrived, so that each is there when its turn comes. */
static ps_t behind_arrivals(const struct two_hops *two, const struct circuit_piece *piece, ps_t start_ps)
{
    const struct relay_stage *stage = &two->stage;
    uint32_t entry = piece->entry;
    ps_t offset_ps = 0, carried_ps = stage->carried_ps[entry], time_ps = piece->end_ps - piece->start_ps;
    for (uint32_t at = stage->at[entry]; at < stage->first[entry + 1] && offset_ps < time_ps; at++) {
        const struct relay_part *part = &stage->parts.list[at];
        if (part->hop == SECOND_HOP)
            start_ps = ps_max(start_ps, two->arrived_ps[part->entry] - offset_ps);
        offset_ps += part->time_ps - carried_ps;
        carried_ps = 0;
    }
    return start_ps;
}

/* The pieces of the stage in the order of their starts: each begins as soon as its ports are free, its
 * circuit is set up and its bytes are there. */
static void place_early(struct two_hops *two, struct circuit_schedule *schedule)
{
    for (size_t i = 0; i < two->stage.schedule.count; i++) {
        const struct circuit_piece *piece = &two->stage.schedule.pieces[i];
        const struct relay_part *part = &two->stage.parts.list[two->stage.first[piece->entry]];
        uint32_t both[2], count;
        const uint32_t *way = relay_way(&two->ports, part->from, part->to, both, &count);
        ps_t *free_ps = two->free_ps + (size_t)piece->crossbar * two->ports.places, start_ps = 0;
        uint32_t *last = two->last + (size_t)piece->crossbar * two->ports.places, up = last[way[0]];
        for (uint32_t at = 0; at < count; at++) {
            up = last[way[at]] == up ? up : 0;
            start_ps = ps_max(start_ps, free_ps[way[at]]);
        }
        start_ps = behind_arrivals(two, piece, start_ps + (up ? 0 : two->problem->delta_ps));
        up = up ? up : ++two->circuits;
        for (uint32_t at = 0; at < count; at++) {
            last[way[at]] = up;
            free_ps[way[at]] = start_ps + (piece->end_ps - piece->start_ps);
        }
        carry_parts(two, piece, start_ps, schedule);
    }
}

/* On all-stop switches a stage begins when the one before has ended. */
static void place_behind(struct two_hops *two, ps_t begin_ps, struct circuit_schedule *schedule)
{
    for (size_t i = 0; i < two->stage.schedule.count; i++) {
        const struct circuit_piece *piece = &two->stage.schedule.pieces[i];
        carry_parts(two, piece, begin_ps + piece->start_ps, schedule);
    }
}

static enum status run_stage(struct two_hops *two, enum relay_stage_of which,
                             struct circuit_schedule *schedule)
{
    struct relay_stage *stage = &two->stage;
    struct circuit_effort effort = *two->effort;
    effort.moves = effort.moves && effort.moves < STAGE_MOVES ? effort.moves : STAGE_MOVES;
    relay_parts_list(&stage->parts, two->problem, &two->ports, two->plan, which);
    if (!stage->parts.count)
        return STATUS_OK;
    struct circuit_demand demand = {0};
    stage->schedule = (struct circuit_schedule){.count = 0};
    enum status status = make_demand(two, &demand)
                             ? two->network->schedule(two->network, &demand, &effort, &stage->schedule)
                             : STATUS_FAILED;
    circuit_demand_free(&demand);
    for (uint32_t i = 0; i < stage->entries; i++) {
        stage->at[i] = stage->first[i];
        stage->carried_ps[i] = 0;
    }
    if (status == STATUS_OK && two->problem->all_stop)
        place_behind(two, schedule->makespan_ps, schedule);
    else if (status == STATUS_OK)
        place_early(two, schedule);
    circuit_schedule_free(&stage->schedule);
    return status;
}

static void stage_init(struct two_hops *two)
{
    size_t entries = 2 * (size_t)two->problem->count + 1; /* hops */
    size_t places = (size_t)two->problem->switches * two->ports.places + 1;
    relay_parts_init(&two->stage.parts, two->problem);
    two->stage.first = mem_alloc(entries, sizeof *two->stage.first, "hops of entries");
    two->stage.at = mem_alloc(entries, sizeof *two->stage.at, "hops of entries");
    two->stage.carried_ps = mem_alloc(entries, sizeof *two->stage.carried_ps, "hops of entries");
    two->arrived_ps = mem_alloc(entries, sizeof *two->arrived_ps, "hops of entries");
    two->free_ps = mem_alloc(places, sizeof *two->free_ps, "ports");
    two->last = mem_alloc(places, sizeof *two->last, "ports");
    two->circuits = 0;
}

static void stage_free(struct two_hops *two)
{
    relay_parts_free(&two->stage.parts);
    free(two->stage.first);
    free(two->stage.at);
    free(two->stage.carried_ps);
    free(two->arrived_ps);
    free(two->free_ps);
    free(two->last);
}

/* One stage behind the other: becomes *schedule if that is shorter. */
static void try_stages(struct two_hops *two, const struct relay_plan *plan, struct circuit_schedule *schedule)
{
    struct circuit_schedule candidate = {.count = 0};
    two->plan = plan;
    stage_init(two);
    struct diag_silence silence = diag_begin_silence();
    enum status status = run_stage(two, RELAY_EARLY, &candidate);
    if (status == STATUS_OK)
        status = run_stage(two, RELAY_LATE, &candidate);
    diag_end_silence(&silence);
    stage_free(two);
    if (status == STATUS_OK)
        circuit_keep_shorter(schedule, &candidate, "two hops");
    else
        circuit_schedule_free(&candidate);
}

/* In two stages, with direct bytes in either or all in the later one; without stops also all circuits
 * together. */
static void try_plan(struct two_hops *two, struct relay_plan *plan, ps_t bound_ps,
                     struct circuit_schedule *schedule)
{
    if (!two->problem->all_stop)
        relay_list_search(two->problem, &two->ports, plan, two->effort, bound_ps, RELAY_TRIES, schedule);
    try_stages(two, plan, schedule);
    for (uint32_t i = 0; i < two->problem->count; i++)
        plan->is_late[i] = true;
    try_stages(two, plan, schedule);
}

/* -------------------------------------------------------------------- plans */

static int compare_plans(const void *a, const void *b)
{
    const struct relay_plan *left = a, *right = b;
    return left->load_ps < right->load_ps ? -1 : left->load_ps > right->load_ps;
}

/* Direct bytes, of which more or less take two hops; rows of 2, 3 ... ports, about as many as fit, with all
 * bytes in the grid, or the small entries. */
static size_t list_starts(const struct two_hops *two, ps_t direct_ps, ps_t bound_ps,
                          struct relay_start *starts)
{
    uint32_t ports = two->ports.count, root = 1, before = 0;
    size_t count = 0;
    while ((root + 1) * (root + 1) <= ports)
        root++;
    for (int i = 0; i < DIRECT_STARTS; i++)
        starts[count++] = (struct relay_start){0, 0, bound_ps + (direct_ps - bound_ps) * i / DIRECT_STARTS};
    const uint32_t columns[] = {root, root + 1, root - 1, root / 2, 2 * root, root / 4, 4 * root, 2};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        if (columns[i] < 2 || columns[i] >= ports || columns[i] == before)
            continue;
        before = columns[i];
        starts[count++] = (struct relay_start){columns[i], PS_NEVER, 0};
        starts[count++] = (struct relay_start){columns[i], two->problem->delta_ps, 0};
    }
    return count;
}

/* Small demands: other ways of one or two entries, as long as the schedule becomes shorter by them. `via` is
 * the plan of *schedule. */
static void vary(struct two_hops *two, uint32_t *via, ps_t bound_ps, struct circuit_schedule *schedule)
{
    const struct circuit_problem *problem = two->problem;
    struct rng rng = rng_init(two->effort->seed, "circuits.ways");
    struct relay_plan plan = {.via = via, .load_ps = schedule->makespan_ps};
    double most = VARY_STEPS / relay_list_cost(2. * problem->count);
    uint64_t tries = most > MOST_VARIED ? MOST_VARIED : (uint64_t)most;
    if (two->effort->moves)
        tries = tries < two->effort->moves * MOVES_OF_WAY ? tries : two->effort->moves * MOVES_OF_WAY;
    for (uint64_t i = 0; i < tries; i++) {
        uint32_t entries[2], before[2];
        ps_t makespan_ps = schedule->makespan_ps;
        if (makespan_ps <= bound_ps || circuit_effort_is_spent(two->effort))
            break;
        for (int at = 0; at < 2; at++) {
            entries[at] = (uint32_t)rng_below(&rng, problem->count);
            before[at] = via[entries[at]];
            const struct circuit_entry *entry = &problem->entries[entries[at]];
            uint32_t port = (uint32_t)rng_below(&rng, two->ports.count + 1);
            bool is_between = port < two->ports.count && port != two->ports.of_sender[entry->sender] &&
                              port != two->ports.of_receiver[entry->receiver];
            via[entries[at]] = is_between ? port : CIRCUIT_NONE;
        }
        relay_list_search(problem, &two->ports, &plan, two->effort, bound_ps, VARY_TRIES, schedule);
        for (int at = 1; at >= 0 && schedule->makespan_ps == makespan_ps; at--)
            via[entries[at]] = before[at];
    }
}

static void try_plans(struct two_hops *two, ps_t bound_ps, struct circuit_schedule *schedule)
{
    struct relay_start starts[MOST_STARTS];
    struct relay_plan plans[MOST_STARTS];
    uint32_t *via = mem_alloc((size_t)two->problem->count + 1, sizeof *via, "hops of entries");
    for (uint32_t i = 0; i < two->problem->count; i++)
        via[i] = CIRCUIT_NONE;
    size_t count = list_starts(two, schedule->makespan_ps, bound_ps, starts), made = 0;
    while (made < count && (made == 0 || !circuit_effort_is_spent(two->effort))) {
        relay_plan_init(&plans[made], two->problem, &two->ports, &starts[made]);
        made++;
    }
    size_t direct = made < DIRECT_STARTS ? made : DIRECT_STARTS;
    qsort(plans + direct, made - direct, sizeof *plans, compare_plans);
    for (size_t i = 0; i < made; i++) {
        bool is_over = schedule->makespan_ps <= bound_ps || circuit_effort_is_spent(two->effort);
        if (i < direct + GRIDS && !is_over &&
            plans[i].load_ps < two->problem->switches * schedule->makespan_ps) {
            ps_t makespan_ps = schedule->makespan_ps;
            try_plan(two, &plans[i], bound_ps, schedule);
            if (schedule->makespan_ps < makespan_ps)
                memcpy(via, plans[i].via, two->problem->count * sizeof *via);
        }
        relay_plan_free(&plans[i]);
    }
    if (!two->problem->all_stop)
        vary(two, via, bound_ps, schedule);
    free(via);
}

void two_hops_search(const struct circuit_problem *problem, const struct two_hops_network *network,
                     const struct circuit_effort *effort, ps_t bound_ps, struct circuit_schedule *schedule)
{
    struct two_hops two = {.problem = problem, .network = network, .effort = effort};
    relay_ports_init(&two.ports, problem);
    if (network->ways) {
        two.ports.ways = network->ways;
        two.ports.places = network->places;
    }
    if (two.ports.count > 2 && two.ports.count <= RELAY_MOST_PORTS && problem->delta_ps)
        try_plans(&two, bound_ps, schedule);
    relay_ports_free(&two.ports);
}

/* ---------------------------------------------------------------- crossbars */

struct crossbars {
    struct two_hops_network base;
    const struct circuit_problem *problem;
    const struct circuit_algorithm *algorithm;
};

static enum status schedule_on_crossbars(const struct two_hops_network *network,
                                         const struct circuit_demand *demand,
                                         const struct circuit_effort *effort,
                                         struct circuit_schedule *schedule)
{
    const struct crossbars *crossbars = (const struct crossbars *)network;
    const struct circuit_problem *problem = crossbars->problem;
    struct circuit_problem stage;
    const struct circuit_switching switching = {.delta_ps = problem->delta_ps,
                                                .rate_bytes_per_s = problem->rate_bytes_per_s,
                                                .switches = problem->switches,
                                                .all_stop = problem->all_stop,
                                                .slot_ps = problem->slot_ps};
    enum status status = circuit_problem_init(&stage, demand, &switching);
    if (status != STATUS_OK)
        return status;
    status = circuit_schedule_make(&stage, crossbars->algorithm, effort, schedule);
    circuit_problem_free(&stage);
    return status;
}

enum status two_hops_make(const struct circuit_problem *problem, const struct circuit_algorithm *algorithm,
                          const struct circuit_effort *effort, struct circuit_schedule *schedule)
{
    struct circuit_problem direct = *problem;
    const struct crossbars crossbars = {{.schedule = schedule_on_crossbars}, problem, algorithm};
    direct.hops = 1;
    enum status status = algorithm->run(&direct, effort, schedule);
    if (status != STATUS_OK)
        return status;
    schedule->proven = false; /* it was about one hop */
    two_hops_search(problem, &crossbars.base, effort, two_hops_bound(problem), schedule);
    return STATUS_OK;
}
