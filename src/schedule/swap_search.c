#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "schedule/schedule.h"

/* One slot after another, each filled by exchanges. A try takes a link that is open in the slot (there are
 * requests left that pass it, and none of them is in the slot), the heavier of two drawn at random, and one
 * of its requests. That one enters the slot if it weighs no less than all those that it meets there, which
 * leave.
 *
 * A link weighs (load that is left on it / largest such load)^64, as in tdm/slot_by_slot.c, and a little for
 * being a link: those that are not about to decide the degree are to be used, too, as long as it costs
 * nothing. A request weighs as much as its links. Weights are whole numbers, so that results repeat. */
enum { STEEPNESS_LOG = 6, WEIGHT_SHIFT = 16, LEAST_WEIGHT = 1250 };

/* All requests are weighed anew in each slot when they are few, else in every (1 + left / this)th. */
enum { WEIGHED_REQUESTS = 1 << 15 };
enum { TRIES_BETWEEN_CHECKS = 1 << 11 };

/* Where there is no limit: more than this gains next to nothing. */
enum { TRIES_PER_REQUEST = 1 << 12 };

/* Every try takes another request at random, and waits for memory more than for anything else. So all that
 * is to be known of one lies side by side, in a card of 32-bit words, and requests are called by the place of
 * their card, which is never 0. */
enum { CARD_REQUEST, CARD_WEIGHT, CARD_COUNT, CARD_LINKS };
enum { PLACED = 0 }; /* a weight: it has a slot */

struct exchange {
    const struct tdm_problem *problem;
    struct tdm_limit limit;
    uint32_t *cards;
    struct tdm_users users; /* of links, as cards: those who wait, and others that are yet to be taken out */
    uint32_t *user_count;   /* [link] */
    uint32_t *left;         /* [link]: requests that wait */
    uint32_t *link_weight;
    uint32_t *owner;   /* [link]: whose it is in this slot; 0 = nobody's */
    uint32_t *open;    /* links with load left and no owner */
    uint32_t *open_at; /* [link]: where it is in open[] */
    uint32_t *waiting; /* requests that wait */
    uint32_t *leaving; /* those that a request meets */
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

static uint32_t most_left(const struct exchange *exchange)
{
    uint32_t most = 0;
    for (uint32_t link = 0; link < exchange->problem->links; link++)
        most = exchange->left[link] > most ? exchange->left[link] : most;
    return most;
}

static void weigh(struct exchange *exchange)
{
    uint32_t most = most_left(exchange), kept = 0;
    for (uint32_t link = 0; link < exchange->problem->links; link++)
        exchange->link_weight[link] = LEAST_WEIGHT + steep(exchange->left[link], most);
    for (uint32_t i = 0; i < exchange->waiting_count; i++) {
        uint32_t *card = exchange->cards + exchange->waiting[i], sum = 0;
        if (card[CARD_WEIGHT] == PLACED)
            continue;
        for (uint32_t j = 0; j < card[CARD_COUNT]; j++)
            sum += exchange->link_weight[card[CARD_LINKS + j]];
        card[CARD_WEIGHT] = sum;
        exchange->waiting[kept++] = exchange->waiting[i];
    }
    exchange->waiting_count = kept;
}

static void open_slot(struct exchange *exchange)
{
    uint32_t links = exchange->problem->links;
    memset(exchange->owner, 0, links * sizeof *exchange->owner);
    exchange->open_count = 0;
    for (uint32_t link = 0; link < links; link++)
        if (exchange->left[link]) {
            exchange->open_at[link] = exchange->open_count;
            exchange->open[exchange->open_count++] = link;
        }
}

static uint32_t open_link(struct exchange *exchange)
{
    uint32_t one = exchange->open[rng_below(&exchange->rng, exchange->open_count)];
    uint32_t other = exchange->open[rng_below(&exchange->rng, exchange->open_count)];
    return exchange->link_weight[other] > exchange->link_weight[one] ? other : one;
}

/* What is tried next: several at a time, so that memory is fetched for all of them at once. */
enum { TRIES_AHEAD = 16 };

struct candidate {
    uint32_t link;
    uint32_t *user; /* in the link's list */
    uint32_t request;
};

static void draw(struct exchange *exchange, struct candidate candidates[static TRIES_AHEAD])
{
    for (int i = 0; i < TRIES_AHEAD; i++) {
        uint32_t link = open_link(exchange);
        uint64_t at = rng_below(&exchange->rng, exchange->user_count[link]);
        candidates[i].link = link;
        candidates[i].user = exchange->users.requests + exchange->users.first[link] + at;
        __builtin_prefetch(candidates[i].user);
    }
    for (int i = 0; i < TRIES_AHEAD; i++) {
        candidates[i].request = *candidates[i].user;
        __builtin_prefetch(exchange->cards + candidates[i].request);
    }
}

/* Whether the candidate still waits, and its link for it. If it has a slot, it leaves the link's list, unless
 * another one has been there since. */
static bool is_waiting(struct exchange *exchange, const struct candidate *candidate)
{
    if (exchange->cards[candidate->request + CARD_WEIGHT] != PLACED)
        return exchange->owner[candidate->link] == 0;
    uint32_t *users = exchange->users.requests + exchange->users.first[candidate->link];
    uint32_t *count = &exchange->user_count[candidate->link];
    if (candidate->user < users + *count && *candidate->user == candidate->request)
        *candidate->user = users[--*count];
    return false;
}

static bool is_leaving(const struct exchange *exchange, uint32_t request)
{
    for (uint32_t i = 0; i < exchange->leaving_count; i++)
        if (exchange->leaving[i] == request)
            return true;
    return false;
}

/* Whom the request meets, into leaving[]; false if they weigh more. */
static bool outweighs(struct exchange *exchange, uint32_t request)
{
    const uint32_t *card = exchange->cards + request;
    uint32_t rest = card[CARD_WEIGHT], before = 0;
    exchange->leaving_count = 0;
    for (uint32_t i = 0; i < card[CARD_COUNT]; i++) {
        uint32_t owner = exchange->owner[card[CARD_LINKS + i]];
        if (!owner || owner == before || is_leaving(exchange, owner))
            continue;
        before = owner;
        uint32_t weight = exchange->cards[owner + CARD_WEIGHT];
        if (weight > rest)
            return false;
        rest -= weight;
        exchange->leaving[exchange->leaving_count++] = owner;
    }
    return true;
}

static void leave(struct exchange *exchange, uint32_t request)
{
    const uint32_t *card = exchange->cards + request;
    for (uint32_t i = 0; i < card[CARD_COUNT]; i++) {
        uint32_t link = card[CARD_LINKS + i];
        exchange->owner[link] = 0;
        exchange->open_at[link] = exchange->open_count;
        exchange->open[exchange->open_count++] = link;
    }
}

static void enter(struct exchange *exchange, uint32_t request)
{
    const uint32_t *card = exchange->cards + request;
    for (uint32_t i = 0; i < card[CARD_COUNT]; i++) {
        uint32_t link = card[CARD_LINKS + i];
        uint32_t at = exchange->open_at[link], last = exchange->open[--exchange->open_count];
        exchange->owner[link] = request;
        exchange->open[at] = last;
        exchange->open_at[last] = at;
    }
}

static bool is_stopped(const struct exchange *exchange)
{
    return exchange->limit.stopped && exchange->limit.stopped(exchange->limit.context);
}

static bool attempt(struct exchange *exchange, uint32_t request)
{
    if (!outweighs(exchange, request))
        return false;
    for (uint32_t i = 0; i < exchange->leaving_count; i++)
        leave(exchange, exchange->leaving[i]);
    enter(exchange, request);
    return true;
}

/* What is left of seconds or of tries is shared equally by the slots that are still to come, of which there
 * are at least as many as `most` requests on one link. */
static void fill(struct exchange *exchange, uint32_t most)
{
    const struct tdm_limit *limit = &exchange->limit;
    double now_s = tdm_seconds_now(), end_s = now_s + (exchange->begun_s + limit->seconds - now_s) / most;
    uint64_t share = limit->moves > exchange->tries ? (limit->moves - exchange->tries) / most : 0, tries = 0;
    bool is_empty = true, is_over = false;
    while (exchange->open_count && (!is_over || is_empty)) {
        struct candidate candidates[TRIES_AHEAD];
        draw(exchange, candidates);
        for (int i = 0; i < TRIES_AHEAD; i++)
            if (is_waiting(exchange, &candidates[i]) && attempt(exchange, candidates[i].request))
                is_empty = false;
        tries += TRIES_AHEAD;
        if (tries % TRIES_BETWEEN_CHECKS == 0)
            is_over = is_stopped(exchange) || (limit->moves ? tries >= share : tdm_seconds_now() >= end_s);
    }
    exchange->tries += tries;
}

static void close_slot(struct exchange *exchange, struct tdm_schedule *schedule)
{
    for (uint32_t link = 0; link < exchange->problem->links; link++) {
        if (!exchange->owner[link])
            continue;
        uint32_t *card = exchange->cards + exchange->owner[link], request = card[CARD_REQUEST];
        exchange->left[link]--;
        if (card[CARD_WEIGHT] == PLACED)
            continue;
        card[CARD_WEIGHT] = PLACED;
        exchange->placed++;
        schedule->slot[request] = schedule->degree;
        schedule->route[request] = exchange->problem->first_route[request];
    }
    schedule->degree++;
}

/* A card for each request, and cards in place of requests among the users of links. */
static void write_cards(struct exchange *exchange)
{
    const struct tdm_problem *problem = exchange->problem;
    size_t words = 1;
    uint32_t *card_of = mem_alloc((size_t)problem->requests + 1, sizeof *card_of, "cards of requests");
    for (uint32_t request = 0; request < problem->requests; request++) {
        uint32_t count;
        tdm_route(problem, problem->first_route[request], &count);
        card_of[request] = exchange->waiting[exchange->waiting_count++] = (uint32_t)words;
        words += CARD_LINKS + count;
    }
    exchange->cards = mem_alloc(words, sizeof *exchange->cards, "cards of requests");
    for (uint32_t request = 0; request < problem->requests; request++) {
        uint32_t count, *card = exchange->cards + card_of[request];
        const uint32_t *links = tdm_route(problem, problem->first_route[request], &count);
        card[CARD_REQUEST] = request;
        card[CARD_WEIGHT] = PLACED + 1; /* until it is weighed */
        card[CARD_COUNT] = count;
        memcpy(card + CARD_LINKS, links, count * sizeof *links);
    }
    for (uint32_t at = 0; at < exchange->users.first[problem->links]; at++)
        exchange->users.requests[at] = card_of[exchange->users.requests[at]];
    free(card_of);
}

static void exchange_open(struct exchange *exchange)
{
    const struct tdm_problem *problem = exchange->problem;
    size_t links = (size_t)problem->links + 1, requests = (size_t)problem->requests + 1;
    exchange->users = tdm_problem_users(problem);
    exchange->left = tdm_problem_loads(problem);
    exchange->user_count = tdm_problem_loads(problem);
    exchange->link_weight = mem_alloc(links, sizeof *exchange->link_weight, "weights of links");
    exchange->owner = mem_alloc(links, sizeof *exchange->owner, "owners of links");
    exchange->open = mem_alloc(links, sizeof *exchange->open, "open links");
    exchange->open_at = mem_alloc(links, sizeof *exchange->open_at, "open links");
    exchange->waiting = mem_alloc(requests, sizeof *exchange->waiting, "requests");
    exchange->leaving = mem_alloc(links, sizeof *exchange->leaving, "requests");
    write_cards(exchange);
    exchange->begun_s = tdm_seconds_now();
}

static void exchange_close(struct exchange *exchange)
{
    tdm_users_close(&exchange->users);
    free(exchange->cards);
    free(exchange->left);
    free(exchange->user_count);
    free(exchange->link_weight);
    free(exchange->owner);
    free(exchange->open);
    free(exchange->open_at);
    free(exchange->waiting);
    free(exchange->leaving);
}

uint64_t tdm_exchange(const struct tdm_problem *problem, uint64_t seed, const struct tdm_limit *limit,
                      struct tdm_schedule *schedule)
{
    struct exchange exchange = {.problem = problem, .limit = *limit, .rng = rng_init(seed, "tdm.exchange")};
    if (limit->seconds <= 0 && limit->moves == 0)
        exchange.limit.moves = (uint64_t)TRIES_PER_REQUEST * problem->requests;
    exchange_open(&exchange);
    schedule->degree = 0;
    for (uint32_t until_weighed = 0; exchange.placed < problem->requests; until_weighed--) {
        if (until_weighed == 0) {
            weigh(&exchange);
            until_weighed = 1 + exchange.waiting_count / WEIGHED_REQUESTS;
        }
        open_slot(&exchange);
        fill(&exchange, most_left(&exchange));
        close_slot(&exchange, schedule);
    }
    exchange_close(&exchange);
    return exchange.tries;
}
