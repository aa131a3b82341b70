#include "schedule/circuit/relay_plan.h"

#include <string.h>

#include "base/mem.h"

enum { PASSES = 12, POWER_DOUBLINGS = 4 };
#define MOST_STEPS 4e8 /* of improvements */

/* -------------------------------------------------------------------- ports */

void relay_ports_init(struct relay_ports *ports, const struct circuit_problem *problem)
{
    uint32_t *index = mem_alloc(CIRCUIT_MOST_PORTS, sizeof *index, "ports");
    *ports = (struct relay_ports){.count = 0};
    ports->port = mem_alloc(CIRCUIT_MOST_PORTS, sizeof *ports->port, "ports");
    ports->of_sender = mem_alloc((size_t)problem->senders + 1, sizeof *ports->of_sender, "ports");
    ports->of_receiver = mem_alloc((size_t)problem->receivers + 1, sizeof *ports->of_receiver, "ports");
    for (uint32_t i = 0; i < problem->senders; i++)
        index[problem->sender_port[i]] = 1;
    for (uint32_t i = 0; i < problem->receivers; i++)
        index[problem->receiver_port[i]] = 1;
    for (uint32_t port = 0; port < CIRCUIT_MOST_PORTS; port++)
        if (index[port]) {
            index[port] = ports->count;
            ports->port[ports->count++] = port;
        }
    ports->places = 2 * ports->count;
    for (uint32_t i = 0; i < problem->senders; i++)
        ports->of_sender[i] = index[problem->sender_port[i]];
    for (uint32_t i = 0; i < problem->receivers; i++)
        ports->of_receiver[i] = index[problem->receiver_port[i]];
    free(index);
}

void relay_ports_free(struct relay_ports *ports)
{
    free(ports->port);
    free(ports->of_sender);
    free(ports->of_receiver);
}

ps_t relay_way_most(const struct relay_ports *ports, const ps_t *load_ps, uint32_t from, uint32_t to)
{
    uint32_t both[2], count;
    const uint32_t *way = relay_way(ports, from, to, both, &count);
    ps_t most_ps = 0;
    for (uint32_t i = 0; i < count; i++)
        most_ps = ps_max(most_ps, load_ps[way[i]]);
    return most_ps;
}

static void add_to_way(const struct relay_ports *ports, ps_t *load_ps, uint32_t from, uint32_t to,
                       ps_t more_ps)
{
    uint32_t both[2], count;
    const uint32_t *way = relay_way(ports, from, to, both, &count);
    for (uint32_t i = 0; i < count; i++)
        load_ps[way[i]] += more_ps;
}

/* --------------------------------------------------------------------- ways */

enum { HOPS = SECOND_HOP + 1 };

struct planner {
    const struct circuit_problem *problem;
    const struct relay_ports *ports;
    struct relay_plan *plan;
    uint32_t *uses[HOPS]; /* [ports][ports]: how many entries have this hop there */
    ps_t *load_ps;        /* [places]: to do, set-ups included */
    double scale_ps;
    ps_t enough_ps;
};

/* Direct bytes share a circuit of a phase if there is one. */
static int circuits(const struct planner *planner, size_t pair)
{
    bool first = planner->uses[FIRST_HOP][pair] > 0, second = planner->uses[SECOND_HOP][pair] > 0;
    return first + second + (!first && !second && planner->uses[DIRECT][pair] > 0);
}

static void use(struct planner *planner, uint32_t from, uint32_t to, enum relay_hop kind, ps_t time_ps,
                int sign)
{
    size_t pair = (size_t)from * planner->ports->count + to;
    int before = circuits(planner, pair);
    planner->uses[kind][pair] += (uint32_t)sign;
    ps_t more_ps = sign * time_ps + (circuits(planner, pair) - before) * planner->problem->delta_ps;
    add_to_way(planner->ports, planner->load_ps, from, to, more_ps);
}

/* Takes the entry's bytes to a way, or off it (sign -1). */
static void take(struct planner *planner, uint32_t index, uint32_t via, int sign)
{
    const struct circuit_entry *entry = &planner->problem->entries[index];
    uint32_t from = planner->ports->of_sender[entry->sender],
             to = planner->ports->of_receiver[entry->receiver];
    if (via == CIRCUIT_NONE) {
        use(planner, from, to, DIRECT, entry->time_ps, sign);
        return;
    }
    use(planner, from, via, FIRST_HOP, entry->time_ps, sign);
    use(planner, via, to, SECOND_HOP, entry->time_ps, sign);
}

/* Much more for a busy place than for two others. */
static double weight(const struct planner *planner, ps_t load_ps)
{
    double share = (double)load_ps / planner->scale_ps;
    for (int i = 0; i < POWER_DOUBLINGS; i++)
        share *= share;
    return share;
}

static double weight_of_way(const struct planner *planner, uint32_t from, uint32_t to)
{
    uint32_t both[2], count;
    const uint32_t *way = relay_way(planner->ports, from, to, both, &count);
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += weight(planner, planner->load_ps[way[i]]);
    return sum;
}

static double weight_of(const struct planner *planner, uint32_t from, uint32_t via, uint32_t to)
{
    const ps_t *sent_ps = planner->load_ps, *got_ps = sent_ps + planner->ports->count; /* of a crossbar */
    if (via == CIRCUIT_NONE)
        return weight_of_way(planner, from, to);
    if (planner->ports->ways)
        return weight_of_way(planner, from, via) + weight_of_way(planner, via, to);
    return weight_of_way(planner, from, to) + weight(planner, sent_ps[via]) + weight(planner, got_ps[via]);
}

/* What the way adds to the weights of its places; the entry is on no way. */
static double price(struct planner *planner, uint32_t index, uint32_t via)
{
    const struct circuit_entry *entry = &planner->problem->entries[index];
    uint32_t from = planner->ports->of_sender[entry->sender],
             to = planner->ports->of_receiver[entry->receiver];
    double before = weight_of(planner, from, via, to);
    take(planner, index, via, 1);
    double after = weight_of(planner, from, via, to);
    take(planner, index, via, -1);
    return after - before;
}

/* Whether the entry has changed its way. */
static bool improve(struct planner *planner, uint32_t index)
{
    const struct circuit_entry *entry = &planner->problem->entries[index];
    uint32_t from = planner->ports->of_sender[entry->sender],
             to = planner->ports->of_receiver[entry->receiver];
    uint32_t *via = &planner->plan->via[index], before = *via;
    if (relay_way_most(planner->ports, planner->load_ps, from, to) <= planner->enough_ps)
        return false;
    take(planner, index, before, -1);
    double least = price(planner, index, before) * (1 - 1e-9);
    double direct = before == CIRCUIT_NONE ? least : price(planner, index, CIRCUIT_NONE);
    if (direct < least) {
        *via = CIRCUIT_NONE;
        least = direct;
    }
    for (uint32_t port = 0; port < planner->ports->count; port++) {
        if (port == from || port == to || port == before)
            continue;
        double with = price(planner, index, port);
        if (with < least) {
            *via = port;
            least = with;
        }
    }
    take(planner, index, *via, 1);
    return *via != before;
}

/* --------------------------------------------------------------------- plan */

/* Where the entry's row and the other one's column meet. */
static uint32_t start_of(const struct planner *planner, const struct relay_start *start, uint32_t index)
{
    const struct circuit_entry *entry = &planner->problem->entries[index];
    uint32_t from = planner->ports->of_sender[entry->sender],
             to = planner->ports->of_receiver[entry->receiver];
    if (!start->columns || entry->time_ps > start->large_ps)
        return CIRCUIT_NONE;
    uint32_t via = from / start->columns * start->columns + to % start->columns;
    return via == from || via == to || via >= planner->ports->count ? CIRCUIT_NONE : via;
}

struct planned_entry {
    ps_t time_ps;
    uint32_t entry;
};

static int compare_planned(const void *a, const void *b)
{
    const struct planned_entry *left = a, *right = b;
    if (left->time_ps != right->time_ps)
        return left->time_ps < right->time_ps ? -1 : 1;
    return left->entry < right->entry ? -1 : left->entry > right->entry;
}

/* The smallest entries first: their second hop costs least. */
static void improve_all(struct planner *planner)
{
    uint32_t count = planner->problem->count;
    double steps = 0, each = (double)count * planner->ports->count;
    struct planned_entry *order = mem_alloc((size_t)count + 1, sizeof *order, "entries by size");
    for (uint32_t i = 0; i < count; i++)
        order[i] = (struct planned_entry){planner->problem->entries[i].time_ps, i};
    qsort(order, count, sizeof *order, compare_planned);
    bool goes_on = true;
    for (int pass = 0; pass < PASSES && goes_on && (steps += each) <= MOST_STEPS; pass++) {
        goes_on = false;
        for (uint32_t i = 0; i < count; i++)
            goes_on = improve(planner, order[i].entry) || goes_on;
    }
    free(order);
}

/* Direct bytes whose pair has a circuit in one phase only are in that one; the others where their busiest
 * place has less to do so far. */
static void choose_phases(struct planner *planner)
{
    const struct circuit_problem *problem = planner->problem;
    const struct relay_ports *ports = planner->ports;
    uint32_t count = ports->count;
    ps_t *phase_ps[2];
    for (int phase = 0; phase < 2; phase++)
        phase_ps[phase] = mem_alloc((size_t)ports->places + 1, sizeof **phase_ps, "loads of ports");
    for (uint32_t from = 0; from < count; from++)
        for (uint32_t to = 0; to < count; to++)
            for (int phase = 0; phase < 2; phase++)
                if (planner->uses[phase ? SECOND_HOP : FIRST_HOP][(size_t)from * count + to])
                    add_to_way(ports, phase_ps[phase], from, to, problem->delta_ps);
    for (uint32_t i = 0; i < problem->count; i++) {
        const struct circuit_entry *entry = &problem->entries[i];
        uint32_t from = ports->of_sender[entry->sender], to = ports->of_receiver[entry->receiver],
                 via = planner->plan->via[i];
        if (via == CIRCUIT_NONE)
            continue;
        add_to_way(ports, phase_ps[0], from, via, entry->time_ps);
        add_to_way(ports, phase_ps[1], via, to, entry->time_ps);
    }
    for (uint32_t i = 0; i < problem->count; i++) {
        const struct circuit_entry *entry = &problem->entries[i];
        uint32_t from = ports->of_sender[entry->sender], to = ports->of_receiver[entry->receiver];
        size_t pair = (size_t)from * count + to;
        if (planner->plan->via[i] != CIRCUIT_NONE)
            continue;
        bool first = planner->uses[FIRST_HOP][pair] > 0, second = planner->uses[SECOND_HOP][pair] > 0;
        bool is_late = first != second ? second
                                       : relay_way_most(ports, phase_ps[1], from, to) <
                                             relay_way_most(ports, phase_ps[0], from, to);
        ps_t time_ps = entry->time_ps + (first || second ? 0 : problem->delta_ps);
        planner->plan->is_late[i] = is_late;
        add_to_way(ports, phase_ps[is_late], from, to, time_ps);
    }
    free(phase_ps[0]);
    free(phase_ps[1]);
}

static ps_t most_load(const struct planner *planner)
{
    ps_t most_ps = 0;
    for (uint32_t place = 0; place < planner->ports->places; place++)
        most_ps = ps_max(most_ps, planner->load_ps[place]);
    return most_ps;
}

void relay_plan_init(struct relay_plan *plan, const struct circuit_problem *problem,
                     const struct relay_ports *ports, const struct relay_start *start)
{
    struct planner planner = {
        .problem = problem, .ports = ports, .plan = plan, .enough_ps = start->enough_ps};
    size_t count = ports->count;
    *plan = (struct relay_plan){.load_ps = 0};
    plan->via = mem_alloc((size_t)problem->count + 1, sizeof *plan->via, "hops of entries");
    plan->is_late = mem_alloc((size_t)problem->count + 1, sizeof *plan->is_late, "hops of entries");
    for (int kind = 0; kind < HOPS; kind++)
        planner.uses[kind] = mem_alloc(count * count, sizeof *planner.uses[kind], "circuits of ports");
    planner.load_ps = mem_alloc((size_t)ports->places + 1, sizeof *planner.load_ps, "loads of ports");
    for (uint32_t i = 0; i < problem->count; i++) {
        plan->via[i] = start_of(&planner, start, i);
        take(&planner, i, plan->via[i], 1);
    }
    planner.scale_ps = (double)most_load(&planner);
    improve_all(&planner);
    choose_phases(&planner);
    plan->load_ps = most_load(&planner);
    for (int kind = 0; kind < HOPS; kind++)
        free(planner.uses[kind]);
    free(planner.load_ps);
}

void relay_plan_free(struct relay_plan *plan)
{
    free(plan->via);
    free(plan->is_late);
}

/* -------------------------------------------------------------------- parts */

void relay_parts_init(struct relay_parts *parts, const struct circuit_problem *problem)
{
    *parts = (struct relay_parts){.count = 0};
    parts->list = mem_alloc(2 * (size_t)problem->count + 1, sizeof *parts->list, "hops of entries");
}

void relay_parts_free(struct relay_parts *parts)
{
    free(parts->list);
}

static int compare_parts(const void *a, const void *b)
{
    const struct relay_part *left = a, *right = b;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    if (left->to != right->to)
        return left->to < right->to ? -1 : 1;
    if (left->hop != right->hop)
        return left->hop < right->hop ? -1 : 1;
    return left->entry < right->entry ? -1 : left->entry > right->entry;
}

void relay_parts_list(struct relay_parts *parts, const struct circuit_problem *problem,
                      const struct relay_ports *ports, const struct relay_plan *plan,
                      enum relay_stage_of stage)
{
    parts->count = 0;
    for (uint32_t i = 0; i < problem->count; i++) {
        const struct circuit_entry *entry = &problem->entries[i];
        uint32_t from = ports->of_sender[entry->sender], to = ports->of_receiver[entry->receiver];
        uint32_t via = plan->via[i];
        if (via == CIRCUIT_NONE && (stage == RELAY_ALL || plan->is_late[i] == (stage == RELAY_LATE)))
            parts->list[parts->count++] = (struct relay_part){from, to, i, DIRECT, entry->time_ps};
        if (via != CIRCUIT_NONE && stage != RELAY_LATE)
            parts->list[parts->count++] = (struct relay_part){from, via, i, FIRST_HOP, entry->time_ps};
        if (via != CIRCUIT_NONE && stage != RELAY_EARLY)
            parts->list[parts->count++] = (struct relay_part){via, to, i, SECOND_HOP, entry->time_ps};
    }
    if (parts->count)
        qsort(parts->list, parts->count, sizeof *parts->list, compare_parts);
}

void relay_part_add(const struct relay_part *part, const struct relay_ports *ports,
                    const struct relay_plan *plan, uint32_t crossbar, ps_t start_ps, ps_t end_ps,
                    struct circuit_schedule *schedule)
{
    circuit_add(schedule, part->entry, crossbar, start_ps, end_ps);
    if (part->hop == DIRECT)
        return;
    struct circuit_piece *piece = &schedule->pieces[schedule->count - 1];
    piece->via = ports->port[plan->via[part->entry]];
    piece->is_second = part->hop == SECOND_HOP;
}
