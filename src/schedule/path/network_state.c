#include "schedule/path/network_state.h"

#include "base/mem.h"

enum { ROUNDS = 8 };

void network_state_init(struct network_state *state, const struct path_problem *problem)
{
    size_t links = path_links(problem) + 1;
    *state = (struct network_state){.problem = problem};
    state->until_ps = mem_alloc(links, sizeof *state->until_ps, "links");
    state->last = mem_alloc(links, sizeof *state->last, "links");
}

void network_state_free(struct network_state *state)
{
    free(state->until_ps);
    free(state->last);
}

ps_t network_state_earliest(const struct network_state *state, uint32_t plane, uint32_t route)
{
    uint32_t count;
    const uint32_t *links = tdm_route(&state->problem->routes, route, &count);
    const ps_t *until_ps = state->until_ps + (size_t)plane * state->problem->topo.links;
    const uint32_t *last = state->last + (size_t)plane * state->problem->topo.links;
    ps_t start_ps = until_ps[links[0]];
    for (uint32_t i = 1; i < count; i++) {
        ps_t both_ps = ps_max(until_ps[links[i - 1]], until_ps[links[i]]);
        bool is_up = last[links[i]] && last[links[i]] == last[links[i - 1]];
        start_ps = ps_max(start_ps, both_ps + (is_up ? 0 : state->problem->delta_ps));
    }
    return start_ps;
}

uint32_t network_state_plane(const struct network_state *state, uint32_t route)
{
    uint32_t best = 0;
    ps_t best_ps = PS_NEVER;
    for (uint32_t plane = 0; plane < state->problem->planes; plane++) {
        ps_t start_ps = network_state_earliest(state, plane, route);
        if (start_ps < best_ps) {
            best_ps = start_ps;
            best = plane;
        }
    }
    return best;
}

bool network_state_is_up(const struct network_state *state, uint32_t plane, uint32_t route)
{
    uint32_t count;
    const uint32_t *links = tdm_route(&state->problem->routes, route, &count);
    const uint32_t *last = state->last + (size_t)plane * state->problem->topo.links;
    bool is_up = last[links[0]] != 0;
    for (uint32_t i = 1; i < count; i++)
        is_up = is_up && last[links[i]] == last[links[0]];
    return is_up;
}

ps_t network_state_done(const struct network_state *state, uint32_t link)
{
    ps_t done_ps = 0;
    for (size_t at = link; at < path_links(state->problem); at += state->problem->topo.links)
        done_ps = ps_max(done_ps, state->until_ps[at]);
    return done_ps;
}

void network_state_carry(struct network_state *state, const struct path_piece *piece,
                         struct path_schedule *schedule)
{
    uint32_t count;
    const uint32_t *links = tdm_route(&state->problem->routes, piece->route, &count);
    size_t first = (size_t)piece->plane * state->problem->topo.links;
    state->count++;
    for (uint32_t i = 0; i < count; i++) {
        state->until_ps[first + links[i]] = piece->end_ps;
        state->last[first + links[i]] = state->count;
    }
    path_add(schedule, piece);
}

/* ------------------------------------------------------------------- routes */

static void load(const struct path_problem *problem, sum_t *loads_ps, uint32_t route, sum_t time_ps)
{
    uint32_t count;
    const uint32_t *links = tdm_route(&problem->routes, route, &count);
    for (uint32_t i = 0; i < count; i++)
        loads_ps[links[i]] += time_ps;
}

/* The route whose most loaded link has least; of equal ones, that whose links together have least. */
static uint32_t least_loaded(const struct path_problem *problem, const sum_t *loads_ps, uint32_t entry)
{
    uint32_t best = 0;
    sum_t best_most_ps = -1, best_sum_ps = -1;
    for (uint32_t route = problem->routes.first_route[entry]; route < problem->routes.first_route[entry + 1];
         route++) {
        uint32_t count;
        sum_t most_ps = 0, sum_ps = 0;
        const uint32_t *links = tdm_route(&problem->routes, route, &count);
        for (uint32_t i = 0; i < count; i++) {
            most_ps = loads_ps[links[i]] > most_ps ? loads_ps[links[i]] : most_ps;
            sum_ps += loads_ps[links[i]];
        }
        if (best_most_ps < 0 || most_ps < best_most_ps || (most_ps == best_most_ps && sum_ps < best_sum_ps)) {
            best = route;
            best_most_ps = most_ps;
            best_sum_ps = sum_ps;
        }
    }
    return best;
}

uint32_t *network_choose_routes(const struct path_problem *problem)
{
    uint32_t *route_of = mem_alloc((size_t)problem->count + 1, sizeof *route_of, "routes");
    sum_t *loads_ps = mem_alloc((size_t)problem->topo.links + 1, sizeof *loads_ps, "loads of links");
    for (uint32_t i = 0; i < problem->count; i++) {
        route_of[i] = problem->routes.first_route[i];
        load(problem, loads_ps, route_of[i], (sum_t)problem->entries[i].time_ps + problem->delta_ps);
    }
    bool is_fixed = problem->routes.routes == problem->routes.requests;
    for (int round = 0; round < ROUNDS && !is_fixed; round++)
        for (uint32_t i = 0; i < problem->count; i++) {
            sum_t time_ps = (sum_t)problem->entries[i].time_ps + problem->delta_ps;
            load(problem, loads_ps, route_of[i], -time_ps);
            route_of[i] = least_loaded(problem, loads_ps, i);
            load(problem, loads_ps, route_of[i], time_ps);
        }
    free(loads_ps);
    return route_of;
}
