#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/rng.h"
#include "schedule/schedule.h"

/* Swap search fills one slot after another. A try takes a link that is open in the slot (some requests that
 * pass it wait, and none of them is in the slot), the heavier of two drawn at random, and one of its
 * requests. The request enters the slot if it weighs at least as much as all requests of the slot that it
 * conflicts with. Those leave the slot and wait again.
 *
 * A link weighs (load that is left on it / largest such load)^64, as in slot_by_slot.c, plus a little: a link
 * that does not decide the degree is used as well where it costs nothing. A request weighs as much as its
 * links. Weights are whole numbers, so that results repeat. */
enum { STEEPNESS_LOG = 6, WEIGHT_SHIFT = 16, LEAST_WEIGHT = 1250 };

/* All requests are weighed anew in each slot when they are few, else in every (1 + left / this)th. */
enum { WEIGHED_REQUESTS = 1 << 15 };
enum { TRIES_BETWEEN_CHECKS = 1 << 11 };

/* The tries where there is no limit: more gain next to nothing. */
enum { TRIES_PER_REQUEST = 1 << 12 };

/* Every try takes another request at random, and its time is mostly that of reading memory. So all that is
 * known of a request lies side by side, in a record of 32-bit words. A request is named by the place of its
 * record, which is never 0. */
enum { RECORD_REQUEST, RECORD_WEIGHT, RECORD_COUNT, RECORD_LINKS };
enum { PLACED = 0 }; /* a weight: the request has a slot */

struct swap_search {
    const struct tdm_problem *problem;
    struct tdm_limit limit;
    uint32_t *records;
    struct tdm_users users; /* of links: records of requests that wait, and of some that no longer do */
    uint32_t *user_count;   /* [link] */
    uint32_t *left;         /* [link]: requests that wait */
    uint32_t *link_weight;
    uint32_t *owner;   /* [link]: the request that has it in this slot; 0 = none */
    uint32_t *open;    /* links with load left and no owner */
    uint32_t *open_at; /* [link]: where it is in open[] */
    uint32_t *waiting; /* requests that wait */
    uint32_t *leaving; /* the requests that a try drives out */
    uint32_t open_count, waiting_count, leaving_count, placed;
    struct rng rng;
    double begun_s;
    uint64_t tries;
};

/* (left / most)^64 in units of 2^-WEIGHT_SHIFT. */
static uint32_t steep(uint32_t left, uint32_t most)
{
    uint64_t share = ((uint64_t)left << 32) / most;
    for (int i = 0; i < STEEPNESS_LOG; i++) /* of 1.0, too, a square fits */
        share = share >> 32 ? share : share * share >> 32;
    return (uint32_t)(share >> (32 - WEIGHT_SHIFT));
}

static uint32_t most_left(const struct swap_search *search)
{
    uint32_t most = 0;
    for (uint32_t link = 0; link < search->problem->links; link++)
        most = search->left[link] > most ? search->left[link] : most;
    return most;
}

static void weigh(struct swap_search *search)
{
    uint32_t most = most_left(search), kept = 0;
    for (uint32_t link = 0; link < search->problem->links; link++)
        search->link_weight[link] = LEAST_WEIGHT + steep(search->left[link], most);
    for (uint32_t i = 0; i < search->waiting_count; i++) {
        uint32_t *record = search->records + search->waiting[i], sum = 0;
        if (record[RECORD_WEIGHT] == PLACED)
            continue;
        for (uint32_t j = 0; j < record[RECORD_COUNT]; j++)
            sum += search->link_weight[record[RECORD_LINKS + j]];
        record[RECORD_WEIGHT] = sum;
        search->waiting[kept++] = search->waiting[i];
    }
    search->waiting_count = kept;
}

static void open_slot(struct swap_search *search)
{
    uint32_t links = search->problem->links;
    memset(search->owner, 0, links * sizeof *search->owner);
    search->open_count = 0;
    for (uint32_t link = 0; link < links; link++)
        if (search->left[link]) {
            search->open_at[link] = search->open_count;
            search->open[search->open_count++] = link;
        }
}

static uint32_t open_link(struct swap_search *search)
{
    uint32_t one = search->open[rng_below(&search->rng, search->open_count)];
    uint32_t other = search->open[rng_below(&search->rng, search->open_count)];
    return search->link_weight[other] > search->link_weight[one] ? other : one;
}

/* What is tried next: several at a time, so that memory is read for all of them at once. */
enum { TRIES_AHEAD = 16 };

struct swap_candidate {
    uint32_t link;
    uint32_t *user; /* in the link's list */
    uint32_t request;
};

static void draw_candidates(struct swap_search *search, struct swap_candidate candidates[static TRIES_AHEAD])
{
    for (int i = 0; i < TRIES_AHEAD; i++) {
        uint32_t link = open_link(search);
        uint64_t at = rng_below(&search->rng, search->user_count[link]);
        candidates[i].link = link;
        candidates[i].user = search->users.requests + search->users.first[link] + at;
        __builtin_prefetch(candidates[i].user);
    }
    for (int i = 0; i < TRIES_AHEAD; i++) {
        candidates[i].request = *candidates[i].user;
        __builtin_prefetch(search->records + candidates[i].request);
    }
}

/* Whether the candidate still waits, and its link has no owner. A candidate that has a slot is taken off the
 * link's list, unless the place in the list has changed since it was drawn. */
static bool is_waiting(struct swap_search *search, const struct swap_candidate *candidate)
{
    if (search->records[candidate->request + RECORD_WEIGHT] != PLACED)
        return search->owner[candidate->link] == 0;
    uint32_t *users = search->users.requests + search->users.first[candidate->link];
    uint32_t *count = &search->user_count[candidate->link];
    if (candidate->user < users + *count && *candidate->user == candidate->request)
        *candidate->user = users[--*count];
    return false;
}

static bool is_leaving(const struct swap_search *search, uint32_t request)
{
    for (uint32_t i = 0; i < search->leaving_count; i++)
        if (search->leaving[i] == request)
            return true;
    return false;
}

/* The requests of the slot that this one conflicts with, into leaving[]; false if they weigh more. */
static bool outweighs(struct swap_search *search, uint32_t request)
{
    const uint32_t *record = search->records + request;
    uint32_t rest = record[RECORD_WEIGHT], before = 0;
    search->leaving_count = 0;
    for (uint32_t i = 0; i < record[RECORD_COUNT]; i++) {
        uint32_t owner = search->owner[record[RECORD_LINKS + i]];
        if (!owner || owner == before || is_leaving(search, owner))
            continue;
        before = owner;
        uint32_t weight = search->records[owner + RECORD_WEIGHT];
        if (weight > rest)
            return false;
        rest -= weight;
        search->leaving[search->leaving_count++] = owner;
    }
    return true;
}

static void leave_slot(struct swap_search *search, uint32_t request)
{
    const uint32_t *record = search->records + request;
    for (uint32_t i = 0; i < record[RECORD_COUNT]; i++) {
        uint32_t link = record[RECORD_LINKS + i];
        search->owner[link] = 0;
        search->open_at[link] = search->open_count;
        search->open[search->open_count++] = link;
    }
}

static void enter_slot(struct swap_search *search, uint32_t request)
{
    const uint32_t *record = search->records + request;
    for (uint32_t i = 0; i < record[RECORD_COUNT]; i++) {
        uint32_t link = record[RECORD_LINKS + i];
        uint32_t at = search->open_at[link], last = search->open[--search->open_count];
        search->owner[link] = request;
        search->open[at] = last;
        search->open_at[last] = at;
    }
}

static bool is_stopped(const struct swap_search *search)
{
    return search->limit.stopped && search->limit.stopped(search->limit.context);
}

static bool try_request(struct swap_search *search, uint32_t request)
{
    if (!outweighs(search, request))
        return false;
    for (uint32_t i = 0; i < search->leaving_count; i++)
        leave_slot(search, search->leaving[i]);
    enter_slot(search, request);
    return true;
}

/* What is left of seconds or of tries is shared equally by the slots that are still to come, of which there
 * are at least as many as `most` requests on one link. */
static void fill(struct swap_search *search, uint32_t most)
{
    const struct tdm_limit *limit = &search->limit;
    double now_s = clock_seconds_now(), end_s = now_s + (search->begun_s + limit->seconds - now_s) / most;
    uint64_t share = limit->moves > search->tries ? (limit->moves - search->tries) / most : 0, tries = 0;
    bool is_empty = true, is_over = false;
    while (search->open_count && (!is_over || is_empty)) {
        struct swap_candidate candidates[TRIES_AHEAD];
        draw_candidates(search, candidates);
        for (int i = 0; i < TRIES_AHEAD; i++)
            if (is_waiting(search, &candidates[i]) && try_request(search, candidates[i].request))
                is_empty = false;
        tries += TRIES_AHEAD;
        if (tries % TRIES_BETWEEN_CHECKS != 0)
            continue;
        double now = clock_seconds_now();
        tdm_limit_tell(limit, search->tries + tries, now - search->begun_s);
        is_over = is_stopped(search) || (limit->moves ? tries >= share : now >= end_s);
    }
    search->tries += tries;
}

static void close_slot(struct swap_search *search, struct tdm_schedule *schedule)
{
    for (uint32_t link = 0; link < search->problem->links; link++) {
        if (!search->owner[link])
            continue;
        uint32_t *record = search->records + search->owner[link], request = record[RECORD_REQUEST];
        search->left[link]--;
        if (record[RECORD_WEIGHT] == PLACED)
            continue;
        record[RECORD_WEIGHT] = PLACED;
        search->placed++;
        schedule->slot[request] = schedule->degree;
        schedule->route[request] = search->problem->first_route[request];
    }
    schedule->degree++;
}

/* Makes a record for each request, and puts records in place of requests among the users of links. */
static void write_records(struct swap_search *search)
{
    const struct tdm_problem *problem = search->problem;
    size_t words = 1;
    uint32_t *record_of = mem_alloc((size_t)problem->requests + 1, sizeof *record_of, "records of requests");
    for (uint32_t request = 0; request < problem->requests; request++) {
        uint32_t count;
        tdm_route(problem, problem->first_route[request], &count);
        record_of[request] = search->waiting[search->waiting_count++] = (uint32_t)words;
        words += RECORD_LINKS + count;
    }
    search->records = mem_alloc(words, sizeof *search->records, "records of requests");
    for (uint32_t request = 0; request < problem->requests; request++) {
        uint32_t count, *record = search->records + record_of[request];
        const uint32_t *links = tdm_route(problem, problem->first_route[request], &count);
        record[RECORD_REQUEST] = request;
        record[RECORD_WEIGHT] = PLACED + 1; /* until it is weighed */
        record[RECORD_COUNT] = count;
        memcpy(record + RECORD_LINKS, links, count * sizeof *links);
    }
    for (uint32_t at = 0; at < search->users.first[problem->links]; at++)
        search->users.requests[at] = record_of[search->users.requests[at]];
    free(record_of);
}

static void swap_search_init(struct swap_search *search)
{
    const struct tdm_problem *problem = search->problem;
    size_t links = (size_t)problem->links + 1, requests = (size_t)problem->requests + 1;
    search->users = tdm_problem_users(problem);
    search->left = tdm_problem_loads(problem);
    search->user_count = tdm_problem_loads(problem);
    search->link_weight = mem_alloc(links, sizeof *search->link_weight, "weights of links");
    search->owner = mem_alloc(links, sizeof *search->owner, "owners of links");
    search->open = mem_alloc(links, sizeof *search->open, "open links");
    search->open_at = mem_alloc(links, sizeof *search->open_at, "open links");
    search->waiting = mem_alloc(requests, sizeof *search->waiting, "requests");
    search->leaving = mem_alloc(links, sizeof *search->leaving, "requests");
    write_records(search);
    search->begun_s = clock_seconds_now();
}

static void swap_search_free(struct swap_search *search)
{
    tdm_users_free(&search->users);
    free(search->records);
    free(search->left);
    free(search->user_count);
    free(search->link_weight);
    free(search->owner);
    free(search->open);
    free(search->open_at);
    free(search->waiting);
    free(search->leaving);
}

uint64_t tdm_swap_search(const struct tdm_problem *problem, uint64_t seed, const struct tdm_limit *limit,
                         struct tdm_schedule *schedule)
{
    struct swap_search search = {.problem = problem, .limit = *limit, .rng = rng_init(seed, "tdm.exchange")};
    if (limit->seconds <= 0 && limit->moves == 0)
        search.limit.moves = (uint64_t)TRIES_PER_REQUEST * problem->requests;
    swap_search_init(&search);
    schedule->degree = 0;
    tdm_limit_begin(&search.limit);
    for (uint32_t until_weighed = 0; search.placed < problem->requests; until_weighed--) {
        if (until_weighed == 0) {
            weigh(&search);
            until_weighed = 1 + search.waiting_count / WEIGHED_REQUESTS;
        }
        open_slot(&search);
        fill(&search, most_left(&search));
        close_slot(&search, schedule);
    }
    progress_end();
    swap_search_free(&search);
    return search.tries;
}
