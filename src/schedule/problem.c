#include "schedule/problem.h"

#include <string.h>

#include "base/mem.h"

static const char what[] = "the routes of requests";

void tdm_problem_init(struct tdm_problem *problem, uint32_t links)
{
    *problem = (struct tdm_problem){.links = links};
    problem->first_route = mem_grow(problem->first_route, &problem->request_capacity, 1, what);
    problem->first_link = mem_grow(problem->first_link, &problem->route_capacity, 1, what);
    problem->first_route[0] = problem->first_link[0] = 0;
}

void tdm_problem_free(struct tdm_problem *problem)
{
    free(problem->first_route);
    free(problem->first_link);
    free(problem->route_links);
    *problem = (struct tdm_problem){0};
}

void tdm_problem_add_request(struct tdm_problem *problem)
{
    size_t needed = (size_t)problem->requests + 2;
    problem->first_route = mem_grow(problem->first_route, &problem->request_capacity, needed, what);
    problem->first_route[++problem->requests] = problem->routes;
}

void tdm_problem_add_route(struct tdm_problem *problem, const uint32_t *links, uint32_t count)
{
    size_t needed = (size_t)problem->routes + 2, used = problem->first_link[problem->routes];
    problem->first_link = mem_grow(problem->first_link, &problem->route_capacity, needed, what);
    problem->route_links = mem_grow(problem->route_links, &problem->link_capacity, used + count, what);
    memcpy(problem->route_links + used, links, count * sizeof *links);
    problem->first_link[++problem->routes] = (uint32_t)(used + count);
    problem->first_route[problem->requests] = problem->routes;
}

uint32_t *tdm_problem_loads(const struct tdm_problem *problem)
{
    uint32_t *loads = mem_alloc((size_t)problem->links + 1, sizeof *loads, "the loads of links");
    for (uint32_t request = 0; request < problem->requests; request++) {
        uint32_t count;
        const uint32_t *links = tdm_route(problem, problem->first_route[request], &count);
        for (uint32_t i = 0; i < count; i++)
            loads[links[i]]++;
    }
    return loads;
}

struct tdm_users tdm_problem_users(const struct tdm_problem *problem)
{
    uint32_t *loads = tdm_problem_loads(problem), sum = 0;
    struct tdm_users users = {.first = mem_alloc((size_t)problem->links + 2, sizeof(uint32_t), "link users")};
    for (uint32_t link = 0; link < problem->links; link++) {
        users.first[link + 1] = sum; /* filled from here on, and so the end when all are in */
        sum += loads[link];
    }
    free(loads);
    users.requests = mem_alloc((size_t)sum + 1, sizeof(uint32_t), "link users");
    for (uint32_t request = 0; request < problem->requests; request++) {
        uint32_t count;
        const uint32_t *links = tdm_route(problem, problem->first_route[request], &count);
        for (uint32_t i = 0; i < count; i++)
            users.requests[users.first[links[i] + 1]++] = request;
    }
    return users;
}

void tdm_users_free(struct tdm_users *users)
{
    free(users->first);
    free(users->requests);
    *users = (struct tdm_users){0};
}
