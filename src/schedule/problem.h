#ifndef HELIO_SCHEDULE_PROBLEM_H
#define HELIO_SCHEDULE_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

/* What a scheduler sees: requests, each with one or several routes, each a set of directed links. Injection
 * and ejection links are links like all others, since a node sends and receives one message at a time. Two
 * requests conflict when they share a link ("Compiled Communication for All-optical TDM Networks", section
 * 3). */
struct tdm_problem {
    uint32_t requests, routes, links;
    uint32_t *first_route; /* [requests + 1]: the routes of request r are first_route[r] ... [r + 1] - 1 */
    uint32_t *first_link;  /* [routes + 1]: into route_links */
    uint32_t *route_links; /* links of a route in the order in which a message passes them */
    size_t request_capacity, route_capacity, link_capacity;
};

void tdm_problem_init(struct tdm_problem *problem, uint32_t links);
void tdm_problem_free(struct tdm_problem *problem);

/* Adds a request, and then each of its routes, at least one. `links` are below problem->links, none twice in
 * a route. */
void tdm_problem_add_request(struct tdm_problem *problem);
void tdm_problem_add_route(struct tdm_problem *problem, const uint32_t *links, uint32_t count);

/* The links of a route, and how many there are. */
static inline const uint32_t *tdm_route(const struct tdm_problem *problem, uint32_t route, uint32_t *count)
{
    *count = problem->first_link[route + 1] - problem->first_link[route];
    return problem->route_links + problem->first_link[route];
}

/* How many requests pass each link on their first route: [links]; the caller frees it. */
uint32_t *tdm_problem_loads(const struct tdm_problem *problem);

/* The requests that pass each link: requests[first[link]] ... [first[link + 1] - 1]. */
struct tdm_users {
    uint32_t *first, *requests;
};
struct tdm_users tdm_problem_users(const struct tdm_problem *problem);
void tdm_users_free(struct tdm_users *users);

#endif
