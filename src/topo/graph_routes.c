#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "topo/graph.h"

/* The routes of a graph: of the fewest hops, through no switch that passes nothing on.
 *
 * The switches that pass messages on fall into *parts*, which only other switches join: a network is one, and
 * each NVSwitch another. A message to an end goes to one of its neighbours in a part, and from there to it.
 * So a part has a table with a row for each of its switches, and a *column* for each set of them that some
 * switch with nodes is reached over: all ends at the same switches share it. What an end itself sends follows
 * from the rows of its neighbours. */

enum { FAR = UINT16_MAX };
#define NONE UINT32_MAX

static bool is_end(const struct topo_graph *graph, uint32_t at)
{
    return graph_is_kind(graph, at, GRAPH_ENDS);
}

/* ----------------------------------------------------------- parts, columns */

/* The part of each switch that passes messages on, and its row there. Returns how many parts there are. */
static uint32_t find_parts(struct topo_graph *graph, uint32_t *queue)
{
    struct graph_routes *routes = &graph->table;
    uint32_t parts = 0;
    memset(routes->part, 0xff, graph->switches * sizeof *routes->part);
    for (uint32_t i = 0; i < graph->switches; i++) {
        if (routes->part[i] != NONE || is_end(graph, i))
            continue;
        size_t count = 0;
        routes->part[i] = parts;
        queue[count++] = i;
        for (size_t at = 0; at < count; at++) {
            uint32_t from = queue[at];
            routes->row[from] = (uint32_t)at;
            for (uint32_t k = graph->first[from]; k < graph->first[from + 1]; k++) {
                uint32_t to = graph_link_end(graph, graph->out[k]);
                if (routes->part[to] != NONE || is_end(graph, to))
                    continue;
                routes->part[to] = parts;
                queue[count++] = to;
            }
        }
        routes->parts = mem_grow(routes->parts, &routes->part_capacity, (size_t)parts + 1, "routes");
        routes->parts[parts++] = (struct graph_part){.rows = (uint32_t)count};
    }
    return parts;
}

/* The column of the set that stands behind the others in `ways`, of a part. */
static uint32_t column_of(struct graph_routes *routes, uint32_t part)
{
    size_t before = routes->ways.count;
    uint32_t place = link_sets_end(&routes->ways);
    routes->column_at = mem_grow(routes->column_at, &routes->place_capacity, routes->ways.count, "routes");
    if (routes->ways.count > before) {
        routes->columns =
            mem_grow(routes->columns, &routes->column_capacity, (size_t)routes->column_count + 1, "routes");
        routes->columns[routes->column_count] =
            (struct graph_column){.part = part, .place = place, .index = routes->parts[part].columns++};
        routes->column_at[place] = routes->column_count++;
    }
    return routes->column_at[place];
}

/* Adds a switch to the set in ascending order, once. */
static void insert(uint32_t *set, uint32_t at)
{
    uint32_t i = set[0];
    for (uint32_t k = 1; k <= set[0]; k++)
        if (set[k] == at)
            return;
    for (; i && set[i] > at; i--)
        set[i + 1] = set[i];
    set[i + 1] = at;
    set[0]++;
}

static void add_target(struct graph_routes *routes, uint32_t column)
{
    routes->targets =
        mem_grow(routes->targets, &routes->target_capacity, (size_t)routes->target_count + 1, "routes");
    routes->targets[routes->target_count++] = column;
}

/* The columns of an end: one for each part that its neighbours are of. */
static void find_targets(struct topo_graph *graph, uint32_t at)
{
    struct graph_routes *routes = &graph->table;
    uint32_t begin = graph->first[at], end = graph->first[at + 1];
    for (uint32_t i = begin; i < end; i++) {
        uint32_t part = routes->part[graph_link_end(graph, graph->out[i])];
        bool is_new = part != NONE;
        for (uint32_t k = begin; is_new && k < i; k++)
            is_new = routes->part[graph_link_end(graph, graph->out[k])] != part;
        if (!is_new)
            continue;
        uint32_t *set = link_sets_begin(&routes->ways, end - begin);
        set[0] = 0;
        for (uint32_t k = i; k < end; k++) {
            uint32_t to = graph_link_end(graph, graph->out[k]);
            if (routes->part[to] == part)
                insert(set, to);
        }
        add_target(routes, column_of(routes, part));
    }
}

/* Over which columns each switch with nodes, and each end, is reached. */
static void find_columns(struct topo_graph *graph, const uint32_t *nodes)
{
    struct graph_routes *routes = &graph->table;
    for (uint32_t i = 0; i < graph->switches; i++) {
        routes->first_target[i] = routes->target_count;
        if (is_end(graph, i)) {
            find_targets(graph, i);
        } else if (nodes[i]) {
            uint32_t *set = link_sets_begin(&routes->ways, 1);
            set[0] = 1;
            set[1] = i;
            add_target(routes, column_of(routes, routes->part[i]));
        }
    }
    routes->first_target[graph->switches] = routes->target_count;
}

/* ---------------------------------------------------------------- distances */

static size_t cell_of(const struct graph_routes *routes, uint32_t at, const struct graph_column *column)
{
    const struct graph_part *part = &routes->parts[column->part];
    return part->cells + (size_t)routes->row[at] * part->columns + column->index;
}

/* The column over which a switch that passes messages on reaches `to`; NULL: none. */
static const struct graph_column *column_to(const struct graph_routes *routes, uint32_t from, uint32_t to)
{
    for (uint32_t i = routes->first_target[to]; i < routes->first_target[to + 1]; i++)
        if (routes->columns[routes->targets[i]].part == routes->part[from])
            return &routes->columns[routes->targets[i]];
    return NULL;
}

/* Hops to `to` from a switch that a message may come through, or that is `to` itself. */
static uint32_t hops_through(const struct topo_graph *graph, uint32_t from, uint32_t to)
{
    if (from == to)
        return 0;
    const struct graph_column *column = is_end(graph, from) ? NULL : column_to(&graph->table, from, to);
    if (!column)
        return FAR;
    uint32_t hops = graph->table.hops[cell_of(&graph->table, from, column)];
    return hops == FAR ? FAR : hops + is_end(graph, to);
}

static uint32_t hops_from(const struct topo_graph *graph, uint32_t from, uint32_t to)
{
    uint32_t least = FAR;
    if (from == to || !is_end(graph, from))
        return hops_through(graph, from, to);
    for (uint32_t i = graph->first[from]; i < graph->first[from + 1]; i++) {
        uint32_t hops = hops_through(graph, graph_link_end(graph, graph->out[i]), to);
        least = hops < least ? hops : least;
    }
    return least == FAR ? FAR : least + 1;
}

/* Breadth-first from the switches of the column, through its part. */
static void fill_column(struct topo_graph *graph, const struct graph_column *column, uint32_t *queue)
{
    struct graph_routes *routes = &graph->table;
    const uint32_t *set = routes->ways.items + column->place;
    size_t count = 0;
    for (uint32_t i = 1; i <= set[0]; i++) {
        routes->hops[cell_of(routes, set[i], column)] = 0;
        queue[count++] = set[i];
    }
    for (size_t at = 0; at < count; at++) {
        uint32_t from = queue[at], hops = routes->hops[cell_of(routes, from, column)];
        for (uint32_t i = graph->first[from]; i < graph->first[from + 1]; i++) {
            uint32_t to = graph_link_end(graph, graph->out[i]);
            if (is_end(graph, to) || routes->hops[cell_of(routes, to, column)] != FAR)
                continue;
            routes->hops[cell_of(routes, to, column)] = (uint16_t)(hops + 1);
            queue[count++] = to;
        }
    }
}

/* False: the tables would be too large. */
static bool fill_hops(struct topo_graph *graph, uint32_t *queue)
{
    struct graph_routes *routes = &graph->table;
    for (uint32_t i = 0; i < routes->part_count; i++) {
        routes->parts[i].cells = routes->cells;
        routes->cells += (size_t)routes->parts[i].rows * routes->parts[i].columns;
    }
    if (routes->cells > GRAPH_ROUTES_LIMIT)
        return false;
    routes->hops = mem_alloc(routes->cells + 1, sizeof *routes->hops, "routes");
    memset(routes->hops, 0xff, routes->cells * sizeof *routes->hops);
    for (uint32_t i = 0; i < routes->column_count; i++)
        fill_column(graph, &routes->columns[i], queue);
    return true;
}

/* ------------------------------------------------------------------ choices */

/* Where messages go: to a switch, or to all that are reached over a column and no other of the part's
 * neighbours. */
struct goal {
    uint32_t to; /* NONE: the column */
    const struct graph_column *column;
};

static uint32_t hops_to_goal(const struct topo_graph *graph, uint32_t from, const struct goal *goal)
{
    if (goal->to != NONE)
        return hops_through(graph, from, goal->to);
    bool is_there = !is_end(graph, from) && graph->table.part[from] == goal->column->part;
    return is_there ? graph->table.hops[cell_of(&graph->table, from, goal->column)] : FAR;
}

/* Into `set`: the links from a switch that lead to the goal by the fewest hops; of these, those to preferred
 * switches where there are some. From a switch that passes messages on, `hops` says how many are left. */
static void collect(const struct topo_graph *graph, uint32_t from, const struct goal *goal, uint32_t hops,
                    uint32_t *set)
{
    bool has_preferred = false;
    set[0] = 0;
    for (uint32_t i = graph->first[from]; i < graph->first[from + 1]; i++) {
        uint32_t link = graph->out[i], to = graph_link_end(graph, link);
        bool is_preferred = graph_is_kind(graph, to, GRAPH_PREFERRED);
        if (hops_to_goal(graph, to, goal) != hops || (has_preferred && !is_preferred))
            continue;
        if (is_preferred && !has_preferred)
            set[0] = 0;
        has_preferred |= is_preferred;
        set[++set[0]] = 2 * graph->nodes + link;
    }
}

/* The same for a switch from which the hops are not known, an end. */
static void collect_fewest(const struct topo_graph *graph, uint32_t from, const struct goal *goal,
                           uint32_t *set)
{
    uint32_t least = FAR;
    for (uint32_t i = graph->first[from]; i < graph->first[from + 1]; i++) {
        uint32_t hops = hops_to_goal(graph, graph_link_end(graph, graph->out[i]), goal);
        least = hops < least ? hops : least;
    }
    set[0] = 0;
    if (least != FAR)
        collect(graph, from, goal, least, set);
}

/* The links from a switch to an end beside it. */
static void collect_direct(const struct topo_graph *graph, uint32_t from, uint32_t to, uint32_t *set)
{
    set[0] = 0;
    for (uint32_t i = graph->first[to]; i < graph->first[to + 1]; i++)
        if (graph_link_end(graph, graph->out[i]) == from)
            set[++set[0]] = 2 * graph->nodes + (graph->out[i] ^ 1);
}

/* Counts and keeps the set that stands behind the others. */
static uint32_t keep(struct topo_graph *graph, uint32_t from, const uint32_t *set, uint32_t *most)
{
    uint32_t level = graph->level[from];
    graph->has_choices |= set[0] > 1;
    most[level] = set[0] > most[level] ? set[0] : most[level];
    return link_sets_end(&graph->sets);
}

static uint32_t degree_of(const struct topo_graph *graph, uint32_t at)
{
    return graph->first[at + 1] - graph->first[at];
}

static void fill_choices(struct topo_graph *graph, uint32_t *most)
{
    struct graph_routes *routes = &graph->table;
    routes->choice = mem_alloc(routes->cells + 1, sizeof *routes->choice, "routes");
    for (uint32_t i = 0; i < routes->column_count; i++)
        routes->parts[routes->columns[i].part].first_column = NONE;
    for (uint32_t i = routes->column_count; i-- > 0;) {
        struct graph_column *column = &routes->columns[i];
        column->next = routes->parts[column->part].first_column;
        routes->parts[column->part].first_column = i;
    }
    for (uint32_t from = 0; from < graph->switches; from++) {
        bool has_columns = !is_end(graph, from) && routes->parts[routes->part[from]].columns;
        uint32_t i = has_columns ? routes->parts[routes->part[from]].first_column : NONE;
        for (; i != NONE; i = routes->columns[i].next) {
            const struct graph_column *column = &routes->columns[i];
            size_t cell = cell_of(routes, from, column);
            uint32_t *set = link_sets_begin(&graph->sets, degree_of(graph, from));
            set[0] = 0;
            if (routes->hops[cell] && routes->hops[cell] != FAR)
                collect(graph, from, &(struct goal){NONE, column}, routes->hops[cell] - 1u, set);
            routes->choice[cell] = keep(graph, from, set, most);
        }
    }
}

/* The links to each end from the switches beside it. */
static void fill_direct(struct topo_graph *graph, uint32_t *most, const uint32_t *nodes)
{
    for (uint32_t to = 0; to < graph->switches; to++)
        for (uint32_t i = graph->first[to]; is_end(graph, to) && nodes[to] && i < graph->first[to + 1]; i++) {
            uint32_t from = graph_link_end(graph, graph->out[i]);
            uint32_t *set = link_sets_begin(&graph->sets, degree_of(graph, to));
            collect_direct(graph, from, to, set);
            keep(graph, from, set, most);
        }
}

/* ---------------------------------------------------- all pairs of switches */

/* What each column leads to: switches with nodes, by whether they are ends. Those of a part, in a list. */
struct route_survey {
    struct topo_graph *graph;
    const uint32_t *nodes;
    uint32_t *most;                  /* links of a set, by level */
    uint64_t *weight[2];             /* [columns] nodes; of ends in the second */
    uint32_t *count[2];              /* [columns] switches */
    uint32_t *first_member, *member; /* [parts + 1]; switches with nodes that a part leads to */
    uint32_t *stamp;                 /* [switches] the switch that it was looked at from, + 1 */
};

static void open_survey(struct route_survey *survey)
{
    const struct topo_graph *graph = survey->graph;
    const struct graph_routes *routes = &graph->table;
    for (int i = 0; i < 2; i++) {
        survey->weight[i] = mem_alloc((size_t)routes->column_count + 1, sizeof *survey->weight[i], "routes");
        survey->count[i] = mem_alloc((size_t)routes->column_count + 1, sizeof *survey->count[i], "routes");
    }
    survey->first_member = mem_alloc((size_t)routes->part_count + 2, sizeof *survey->first_member, "routes");
    survey->member = mem_alloc((size_t)routes->target_count + 1, sizeof *survey->member, "routes");
    survey->stamp = mem_alloc(graph->switches, sizeof *survey->stamp, "routes");
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t at = 0; at < graph->switches; at++)
            for (uint32_t i = routes->first_target[at]; survey->nodes[at] && i < routes->first_target[at + 1];
                 i++) {
                uint32_t column = routes->targets[i], part = routes->columns[column].part;
                if (pass) {
                    survey->member[survey->first_member[part + 1]++] = at;
                    continue;
                }
                survey->weight[is_end(graph, at)][column] += survey->nodes[at];
                survey->count[is_end(graph, at)][column]++;
                survey->first_member[part + 2]++;
            }
        for (uint32_t part = 0; !pass && part < routes->part_count; part++)
            survey->first_member[part + 2] += survey->first_member[part + 1];
    }
}

static void close_survey(struct route_survey *survey)
{
    for (int i = 0; i < 2; i++) {
        free(survey->weight[i]);
        free(survey->count[i]);
    }
    free(survey->first_member);
    free(survey->member);
    free(survey->stamp);
}

/* Adds so many nodes at a distance. */
static void add_pairs(struct route_survey *survey, uint32_t from, uint64_t nodes, uint32_t hops)
{
    struct topo_distances *distances = &survey->graph->distances;
    distances->sum += (unsigned __int128)survey->nodes[from] * nodes * hops;
    if (survey->nodes[from] && hops > distances->most)
        distances->most = hops;
}

/* A switch is counted one by one, and no longer as one of its columns. Returns how many it is: 1, or 0 where
 * it has been, or there is no way. */
static uint32_t count_alone(struct route_survey *survey, uint32_t from, uint32_t to, int sign)
{
    struct topo_graph *graph = survey->graph;
    const struct graph_routes *routes = &graph->table;
    if (sign < 0 && (survey->stamp[to] == from + 1 || !survey->nodes[to]))
        return 0;
    survey->stamp[to] = sign < 0 ? from + 1 : 0;
    for (uint32_t i = routes->first_target[to]; i < routes->first_target[to + 1]; i++) {
        survey->weight[is_end(graph, to)][routes->targets[i]] += (uint64_t)sign * survey->nodes[to];
        survey->count[is_end(graph, to)][routes->targets[i]] += (uint32_t)sign;
    }
    if (sign > 0 || from == to)
        return from == to;
    uint32_t hops = hops_from(graph, from, to);
    if (hops == FAR)
        return 0;
    add_pairs(survey, from, survey->nodes[to], hops);
    if (is_end(graph, from)) {
        uint32_t *set = link_sets_begin(&graph->sets, degree_of(graph, from));
        collect_fewest(graph, from, &(struct goal){to, NULL}, set);
        keep(graph, from, set, survey->most);
    }
    return 1;
}

/* The part that leads to most of the switches that `from` reaches; NONE: it is beside no part. */
static uint32_t largest_part(const struct route_survey *survey, uint32_t from)
{
    const struct graph_routes *routes = &survey->graph->table;
    uint32_t largest = NONE, most = 0;
    if (!is_end(survey->graph, from))
        return routes->part[from];
    for (uint32_t i = routes->first_target[from]; i < routes->first_target[from + 1]; i++) {
        uint32_t part = routes->columns[routes->targets[i]].part;
        uint32_t members = survey->first_member[part + 1] - survey->first_member[part];
        if (largest == NONE || members > most)
            largest = part, most = members;
    }
    return largest;
}

/* The switches that are counted one by one: itself, those beside it, those of all parts but the largest. */
static uint32_t count_near(struct route_survey *survey, uint32_t from, uint32_t largest, int sign)
{
    const struct topo_graph *graph = survey->graph;
    const struct graph_routes *routes = &graph->table;
    uint32_t reached = sign < 0 || survey->stamp[from] ? count_alone(survey, from, from, sign) : 0;
    if (!is_end(graph, from))
        return reached;
    for (uint32_t i = graph->first[from]; i < graph->first[from + 1]; i++) {
        uint32_t to = graph_link_end(graph, graph->out[i]);
        if (sign < 0 || survey->stamp[to])
            reached += count_alone(survey, from, to, sign);
    }
    for (uint32_t i = routes->first_target[from]; i < routes->first_target[from + 1]; i++) {
        uint32_t part = routes->columns[routes->targets[i]].part;
        for (uint32_t k = survey->first_member[part]; part != largest && k < survey->first_member[part + 1];
             k++)
            if (sign < 0 || survey->stamp[survey->member[k]])
                reached += count_alone(survey, from, survey->member[k], sign);
    }
    return reached;
}

/* All others that the largest part leads to, column by column. */
static uint32_t count_columns(struct route_survey *survey, uint32_t from, uint32_t part)
{
    struct topo_graph *graph = survey->graph;
    struct graph_routes *routes = &graph->table;
    uint32_t reached = 0,
             i = part == NONE || !routes->parts[part].columns ? NONE : routes->parts[part].first_column;
    for (; i != NONE; i = routes->columns[i].next) {
        const struct goal goal = {NONE, &routes->columns[i]};
        if (!survey->count[0][i] && !survey->count[1][i])
            continue;
        uint32_t hops = FAR, *set = link_sets_begin(&graph->sets, degree_of(graph, from));
        if (!is_end(graph, from)) {
            hops = hops_to_goal(graph, from, &goal);
        } else {
            collect_fewest(graph, from, &goal, set);
            if (set[0])
                hops = 1 + hops_to_goal(graph, graph_link_end(graph, set[1] - 2 * graph->nodes), &goal);
            keep(graph, from, set, survey->most);
        }
        for (uint32_t k = 0; k < 2 && hops != FAR; k++) {
            if (survey->count[k][i])
                add_pairs(survey, from, survey->weight[k][i], hops + k);
            reached += survey->count[k][i];
        }
    }
    return reached;
}

/* Between all switches with nodes: distances, and the links that ends take. False: there is no way from
 * *from to *to. */
static bool survey_pairs(struct topo_graph *graph, const uint32_t *nodes, uint32_t *most, uint32_t *from,
                         uint32_t *to)
{
    struct route_survey survey = {.graph = graph, .nodes = nodes, .most = most};
    bool is_whole = true;
    open_survey(&survey);
    for (uint32_t at = 0; is_whole && at < graph->switches; at++) {
        if (!nodes[at] && !is_end(graph, at))
            continue;
        uint32_t largest = largest_part(&survey, at);
        uint32_t reached = count_near(&survey, at, largest, -1) + count_columns(&survey, at, largest);
        count_near(&survey, at, largest, 1);
        is_whole = !nodes[at] || (reached == graph->leaves && (graph->kinds || graph->table.part_count == 1));
        *to = at;
    }
    for (uint32_t other = 0; !is_whole && other < graph->switches; other++) {
        *from = other;
        bool is_missed = nodes[other] ? hops_from(graph, other, *to) == FAR
                                      : !graph->kinds && graph->table.part[other] != graph->table.part[*to];
        if (is_missed)
            break;
    }
    close_survey(&survey);
    return is_whole;
}

/* ------------------------------------------------------------------- routes */

static void set_divisors(struct topo_graph *graph, const uint32_t *most)
{
    uint64_t product = 1;
    graph->divisor = mem_alloc(graph->levels, sizeof *graph->divisor, "a network");
    for (uint32_t level = 0; level < graph->levels; level++) {
        graph->divisor[level] = (uint32_t)product;
        if (product * most[level] <= TOPO_NODES_LIMIT)
            product *= most[level] ? most[level] : 1;
    }
}

/* Sets are looked up while messages go: there is room for one of them, always. */
static void leave_room(struct topo_graph *graph)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < graph->switches; i++)
        if (is_end(graph, i) && degree_of(graph, i) > most)
            most = degree_of(graph, i);
    link_sets_begin(&graph->sets, most);
    if (!most)
        link_sets_finish(&graph->sets);
    link_sets_finish(&graph->table.ways);
}

bool graph_find_routes(struct topo_graph *graph, const uint32_t *nodes, uint32_t *from, uint32_t *to)
{
    struct graph_routes *routes = &graph->table;
    size_t switches = graph->switches;
    uint32_t *queue = mem_alloc(switches, sizeof *queue, "a network");
    uint32_t *most = mem_alloc(graph->levels + 1, sizeof *most, "a network");
    routes->part = mem_alloc(switches, sizeof *routes->part, "a network");
    routes->row = mem_alloc(switches, sizeof *routes->row, "a network");
    routes->first_target = mem_alloc(switches + 1, sizeof *routes->first_target, "a network");
    routes->part_count = find_parts(graph, queue);
    find_columns(graph, nodes);
    *from = *to = GRAPH_TOO_MANY;
    bool is_good = fill_hops(graph, queue);
    if (is_good) {
        fill_choices(graph, most);
        fill_direct(graph, most, nodes);
        is_good = survey_pairs(graph, nodes, most, from, to);
    }
    if (is_good) {
        set_divisors(graph, most);
        leave_room(graph);
    }
    free(queue);
    free(most);
    return is_good;
}

void graph_free_routes(struct graph_routes *routes)
{
    link_sets_free(&routes->ways);
    void *const all[] = {routes->part,         routes->row,       routes->parts,
                         routes->columns,      routes->column_at, routes->targets,
                         routes->first_target, routes->hops,      routes->choice};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* The links from one switch to another, of which the table has those of switches that pass messages on. */
static const uint32_t *set_of(const struct topo *topo, uint32_t from, uint32_t to)
{
    struct topo_graph *graph;
    memcpy(&graph, topo->data, sizeof graph);
    const struct graph_routes *routes = &graph->table;
    static const uint32_t none[1] = {0};
    uint32_t *set;
    if (is_end(graph, from)) {
        set = link_sets_begin(&graph->sets, degree_of(graph, from));
        collect_fewest(graph, from, &(struct goal){to, NULL}, set);
    } else {
        const struct graph_column *column = column_to(routes, from, to);
        if (!column)
            return none;
        size_t cell = cell_of(routes, from, column);
        if (!is_end(graph, to) || routes->hops[cell])
            return graph->sets.items + routes->choice[cell];
        set = link_sets_begin(&graph->sets, degree_of(graph, to));
        collect_direct(graph, from, to, set);
    }
    return graph->sets.items + link_sets_end(&graph->sets);
}

/* What D-mod-k divides the destination by. */
static uint32_t divisor_at(const struct topo_graph *graph, uint32_t from, struct topo_choice choice)
{
    uint32_t first = graph_link_end(graph, choice.links[0] - 2 * graph->nodes);
    uint32_t last = graph_link_end(graph, choice.links[choice.count - 1] - 2 * graph->nodes);
    bool is_bundle_down = first == last && graph->level[first] < graph->level[from];
    return is_bundle_down ? topo_bundle_divisor(choice, graph->divisor[graph->level[first]])
                          : graph->divisor[graph->level[from]];
}

struct topo_choice graph_choose(const struct topo *topo, uint32_t from, uint32_t destination)
{
    const struct topo_graph *graph = graph_of(topo);
    uint32_t to = graph->node_switch[destination];
    if (from == to)
        return topo_only(topo_ejection(topo, destination));
    const uint32_t *set = set_of(topo, from, to);
    struct topo_choice choice = {.first = set[0] ? set[1] : 0, .count = set[0], .links = set + 1};
    if (choice.count > 1)
        choice.preferred =
            topo_prefer(topo, from, destination, divisor_at(graph, from, choice), choice.count);
    return choice;
}

bool graph_has_choices(const struct topo *topo)
{
    return graph_of(topo)->has_choices;
}

uint32_t graph_distance(const struct topo *topo, uint32_t source, uint32_t destination)
{
    const struct topo_graph *graph = graph_of(topo);
    return hops_from(graph, graph->node_switch[source], graph->node_switch[destination]);
}

struct topo_distances graph_distances(const struct topo *topo)
{
    return graph_of(topo)->distances;
}
