#include <inttypes.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "schedule/schedule.h"

/* Half a gigabyte of neighbours. A larger graph would also take hours to color. */
enum { LINKS_OF_NODES = 2 }; /* of each route */
static const uint64_t most_neighbours = UINT64_C(1) << 27;

/* The conflict graph: neighbours of request r are neighbours[first[r]] ... [first[r + 1] - 1]. */
struct conflicts {
    uint64_t *first;
    uint32_t *neighbours;
    size_t capacity;
};

static void conflicts_close(struct conflicts *graph)
{
    free(graph->first);
    free(graph->neighbours);
}

static enum status conflicts_open(const struct tdm_problem *problem, struct conflicts *graph)
{
    struct tdm_users users = tdm_problem_users(problem);
    uint32_t *seen = mem_alloc((size_t)problem->requests + 1, sizeof *seen, "the conflict graph");
    *graph = (struct conflicts){
        .first = mem_alloc((size_t)problem->requests + 1, sizeof *graph->first, "the graph")};
    enum status status = STATUS_OK;
    uint64_t used = 0;
    progress_begin("the conflict graph", problem->requests);
    for (uint32_t request = 0; request < problem->requests && status == STATUS_OK; request++) {
        uint32_t count;
        progress_tell(request);
        const uint32_t *links = tdm_route(problem, problem->first_route[request], &count);
        seen[request] = request + 1;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t at = users.first[links[i]]; at < users.first[links[i] + 1]; at++) {
                uint32_t other = users.requests[at];
                if (seen[other] == request + 1)
                    continue;
                seen[other] = request + 1;
                graph->neighbours =
                    mem_grow(graph->neighbours, &graph->capacity, used + 1, "the conflict graph");
                graph->neighbours[used++] = other;
            }
        graph->first[request + 1] = used;
        if (used > most_neighbours) {
            diag_error("the conflict graph of %" PRIu32
                       " requests is too large for coloring; use greedy, aapc or best",
                       problem->requests);
            status = STATUS_FAILED;
        }
    }
    progress_end();
    tdm_users_free(&users);
    free(seen);
    if (status != STATUS_OK)
        conflicts_close(graph);
    return status;
}

/* A set is a list in random order, which breaks ties, and a mark per request. */
struct painter {
    const struct tdm_problem *problem;
    struct conflicts graph;
    enum tdm_coloring reading;
    uint32_t *links;       /* [request]: how many it uses */
    uint32_t *uncolored;   /* NCSET */
    uint32_t *work;        /* WORK */
    bool *is_uncolored;    /* [request] */
    bool *is_work;         /* [request] */
    uint32_t *degree;      /* [request]: neighbours in NCSET */
    uint32_t *work_degree; /* [request]: neighbours in WORK */
    uint32_t uncolored_count, work_count;
};

static bool is_computed_once(enum tdm_coloring reading)
{
    return reading == TDM_READING_INITIAL || reading == TDM_READING_LONGEST;
}

/* Takes a request out of WORK; its neighbours there have one conflict less. */
static void leave_work(struct painter *painter, uint32_t request)
{
    painter->is_work[request] = false;
    if (painter->reading != TDM_READING_FITTED)
        return;
    for (uint64_t at = painter->graph.first[request]; at < painter->graph.first[request + 1]; at++)
        painter->work_degree[painter->graph.neighbours[at]]--;
}

/* Priorities are compared as fractions, links / degree; without conflicts they are infinite. */
static bool comes_before(const struct painter *painter, uint32_t request, uint32_t other)
{
    const uint32_t *degree = painter->reading == TDM_READING_FITTED ? painter->work_degree : painter->degree;
    const uint32_t *links = painter->links;
    if (painter->reading == TDM_READING_LONGEST && links[request] != links[other])
        return links[request] > links[other];
    return (uint64_t)links[request] * degree[other] > (uint64_t)links[other] * degree[request];
}

/* The request of highest priority in WORK; requests that have left WORK are dropped from its list on the way.
 */
static uint32_t highest_priority(struct painter *painter)
{
    uint32_t kept = 0, best = UINT32_MAX;
    for (uint32_t i = 0; i < painter->work_count; i++) {
        uint32_t request = painter->work[i];
        if (!painter->is_work[request])
            continue;
        painter->work[kept++] = request;
        if (best == UINT32_MAX || comes_before(painter, request, best))
            best = request;
    }
    painter->work_count = kept;
    return best;
}

static void color(struct painter *painter, uint32_t request)
{
    const struct conflicts *graph = &painter->graph;
    painter->is_uncolored[request] = false;
    leave_work(painter, request);
    for (uint64_t at = graph->first[request]; at < graph->first[request + 1]; at++) {
        uint32_t other = graph->neighbours[at];
        if (!is_computed_once(painter->reading))
            painter->degree[other]--;
        if (painter->is_work[other])
            leave_work(painter, other);
    }
}

/* One configuration: lines 6 to 17 of Figure 4. */
static void paint(struct painter *painter, struct tdm_schedule *schedule)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < painter->uncolored_count; i++) {
        uint32_t request = painter->uncolored[i];
        if (!painter->is_uncolored[request])
            continue;
        painter->uncolored[kept] = painter->work[kept] = request;
        kept++;
        painter->is_work[request] = true;
        painter->work_degree[request] = painter->degree[request];
    }
    painter->uncolored_count = painter->work_count = kept;
    for (uint32_t request; (request = highest_priority(painter)) != UINT32_MAX;) {
        schedule->slot[request] = schedule->degree;
        color(painter, request);
    }
    schedule->degree += kept > 0;
}

enum status tdm_coloring(const struct tdm_problem *problem, enum tdm_coloring reading, uint64_t seed,
                         struct tdm_schedule *schedule)
{
    uint32_t requests = problem->requests;
    struct painter painter = {.problem = problem, .reading = reading, .uncolored_count = requests};
    enum status status = conflicts_open(problem, &painter.graph);
    if (status != STATUS_OK)
        return status;
    size_t room = (size_t)requests + 1;
    painter.links = mem_alloc(room, sizeof *painter.links, "the conflict graph");
    painter.uncolored = tdm_random_order(requests, seed, "tdm.coloring");
    painter.work = mem_alloc(room, sizeof *painter.work, "the conflict graph");
    painter.is_uncolored = mem_alloc(room, sizeof *painter.is_uncolored, "the conflict graph");
    painter.is_work = mem_alloc(room, sizeof *painter.is_work, "the conflict graph");
    painter.degree = mem_alloc(room, sizeof *painter.degree, "the conflict graph");
    painter.work_degree = mem_alloc(room, sizeof *painter.work_degree, "the conflict graph");
    for (uint32_t request = 0; request < requests; request++) {
        schedule->route[request] = problem->first_route[request];
        tdm_route(problem, problem->first_route[request], &painter.links[request]);
        if (is_computed_once(reading))
            painter.links[request] -= LINKS_OF_NODES;
        painter.is_uncolored[request] = true;
        painter.degree[request] = (uint32_t)(painter.graph.first[request + 1] - painter.graph.first[request]);
    }
    schedule->degree = 0;
    progress_begin("colouring", requests);
    do {
        progress_tell(requests - painter.uncolored_count);
        paint(&painter, schedule);
    } while (painter.uncolored_count);
    progress_end();
    free(painter.links);
    free(painter.uncolored);
    free(painter.work);
    free(painter.is_uncolored);
    free(painter.is_work);
    free(painter.degree);
    free(painter.work_degree);
    conflicts_close(&painter.graph);
    return STATUS_OK;
}
