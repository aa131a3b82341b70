#include "schedule/circuit/tiers.h"

#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "schedule/circuit/matcher.h"
#include "schedule/circuit/player.h"

enum { DURATIONS = 2, TIERS = 3, DELTAS_OF_REST = 4 };

struct tiers {
    const struct circuit_problem *problem;
    struct player player;
    struct edge_matcher matcher;
    uint32_t size, most_degree;
    ps_t *left_ps;    /* [size][size]: what entries have left */
    ps_t *sum_ps;     /* [2 size]: of rows, then of columns */
    uint32_t *degree; /* the same */
    ps_t *busiest_ps; /* what the busiest port's entries have left, ascending */
    ps_t *slack_ps,
        *price_ps; /* [2 size]: how long a port may be idle; what not to finish an entry costs it */
    ps_t rho_ps, slot_ps, best_ps;
    double best_share;
    uint32_t *entries, *order; /* [senders]; rows by work */
    uint32_t *chosen;          /* [size]: columns of the best slot */
};

static void tiers_init(struct tiers *tiers, const struct circuit_problem *problem)
{
    size_t size = circuit_size(problem);
    *tiers = (struct tiers){.problem = problem, .size = (uint32_t)size};
    matcher_init(&tiers->matcher, tiers->size);
    tiers->left_ps = mem_alloc(size * size, sizeof *tiers->left_ps, "a demand");
    tiers->sum_ps = mem_alloc(2 * size, sizeof *tiers->sum_ps, "loads of ports");
    tiers->degree = mem_alloc(2 * size, sizeof *tiers->degree, "loads of ports");
    tiers->slack_ps = mem_alloc(2 * size, sizeof *tiers->slack_ps, "loads of ports");
    tiers->price_ps = mem_alloc(2 * size, sizeof *tiers->price_ps, "loads of ports");
    tiers->busiest_ps = mem_alloc(size, sizeof *tiers->busiest_ps, "loads of ports");
    tiers->entries = mem_alloc(size, sizeof *tiers->entries, "a slot");
    tiers->order = mem_alloc(size, sizeof *tiers->order, "a slot");
    tiers->chosen = mem_alloc(size, sizeof *tiers->chosen, "a slot");
    for (uint32_t i = 0; i < problem->count; i++) {
        const struct circuit_entry *entry = &problem->entries[i];
        tiers->left_ps[entry->sender * size + entry->receiver] = entry->time_ps;
        tiers->sum_ps[entry->sender] += entry->time_ps;
        tiers->sum_ps[size + entry->receiver] += entry->time_ps;
        tiers->degree[entry->sender]++;
        tiers->degree[size + entry->receiver]++;
    }
    for (uint32_t row = 0; row < size; row++)
        tiers->order[row] = row;
}

static void tiers_free(struct tiers *tiers)
{
    matcher_free(&tiers->matcher);
    free(tiers->left_ps);
    free(tiers->sum_ps);
    free(tiers->degree);
    free(tiers->slack_ps);
    free(tiers->price_ps);
    free(tiers->busiest_ps);
    free(tiers->entries);
    free(tiers->order);
    free(tiers->chosen);
}

static int compare_times(const void *a, const void *b)
{
    const ps_t *left = a, *right = b;
    return *left < *right ? -1 : *left > *right;
}

/* What is left of the busiest port's entries; returns how many. */
static uint32_t count_left(struct tiers *tiers)
{
    uint32_t size = tiers->size, busiest = 0, count = 0;
    ps_t most_ps = -1;
    tiers->rho_ps = 0;
    tiers->most_degree = 0;
    for (uint32_t port = 0; port < 2 * size; port++) {
        ps_t work_ps = tiers->sum_ps[port] + tiers->degree[port] * tiers->problem->delta_ps;
        if (work_ps > most_ps) {
            most_ps = work_ps;
            busiest = port;
        }
        tiers->rho_ps = ps_max(tiers->rho_ps, tiers->sum_ps[port]);
        if (tiers->degree[port] > tiers->most_degree)
            tiers->most_degree = tiers->degree[port];
    }
    for (uint32_t i = 0; i < size; i++) {
        ps_t left_ps = busiest < size ? tiers->left_ps[(size_t)busiest * size + i]
                                      : tiers->left_ps[(size_t)i * size + busiest - size];
        if (left_ps)
            tiers->busiest_ps[count++] = left_ps;
    }
    qsort(tiers->busiest_ps, count, sizeof *tiers->busiest_ps, compare_times);
    return count;
}

/* By how much the two ports raise the bound of what is left if they carry this. */
static inline ps_t penalty(const struct tiers *tiers, uint32_t row, uint32_t column, ps_t left_ps,
                           ps_t slot_ps)
{
    ps_t carried_ps = left_ps < slot_ps ? left_ps : slot_ps, idle_ps = slot_ps - carried_ps;
    ps_t row_ps = ps_max(0, idle_ps - tiers->slack_ps[row]);
    ps_t column_ps = ps_max(0, idle_ps - tiers->slack_ps[tiers->size + column]);
    return row_ps + column_ps +
           (left_ps > slot_ps ? tiers->price_ps[row] + tiers->price_ps[tiers->size + column] : 0);
}

static void add_tier(struct tiers *tiers, ps_t slot_ps, ps_t most_ps)
{
    for (uint32_t row = 0; row < tiers->size; row++) {
        const ps_t *left_ps = tiers->left_ps + (size_t)row * tiers->size;
        uint64_t *edges = tiers->matcher.edges + row * tiers->matcher.words;
        for (uint32_t word = 0; word * 64 < tiers->size; word++) {
            uint64_t bits = 0;
            uint32_t end = tiers->size - word * 64 < 64 ? tiers->size - word * 64 : 64;
            for (uint32_t bit = 0; bit < end; bit++) {
                ps_t its_ps = left_ps[word * 64 + bit];
                bits |= (uint64_t)(its_ps > 0 && (most_ps == PS_NEVER || penalty(tiers, row, word * 64 + bit,
                                                                                 its_ps, slot_ps) <= most_ps))
                        << bit;
            }
            edges[word] = bits;
        }
    }
}

/* Each row takes the free column with which it carries most. An entry that does not end counts less: the port
 * needs another slot for it. */
static void take_largest(struct tiers *tiers, ps_t slot_ps)
{
    struct edge_matcher *matcher = &tiers->matcher;
    ps_t cut_ps = ps_max(1, slot_ps - DELTAS_OF_REST * tiers->problem->delta_ps);
    for (uint32_t row = 0; row < tiers->size; row++)
        matcher->column_of[row] = matcher->row_of[row] = MATCHER_NONE;
    for (uint32_t at = 0; at < tiers->size; at++) {
        uint32_t row = tiers->order[at], best = MATCHER_NONE;
        ps_t most_ps = 0;
        const ps_t *left_ps = tiers->left_ps + (size_t)row * tiers->size;
        const uint64_t *edges = matcher->edges + row * matcher->words;
        for (uint32_t word = 0; word < matcher->words; word++)
            for (uint64_t found = edges[word]; found; found &= found - 1) {
                uint32_t column = word * 64 + (uint32_t)__builtin_ctzll(found);
                ps_t worth_ps = left_ps[column] <= slot_ps ? left_ps[column] : cut_ps;
                if (worth_ps > most_ps && matcher->row_of[column] == MATCHER_NONE) {
                    most_ps = worth_ps;
                    best = column;
                }
            }
        if (best != MATCHER_NONE) {
            matcher->column_of[row] = best;
            matcher->row_of[best] = row;
        }
    }
}

static void fill(struct tiers *tiers, ps_t slot_ps)
{
    ps_t delta_ps = tiers->problem->delta_ps;
    const ps_t most_ps[TIERS] = {slot_ps / 64, delta_ps / 2 + slot_ps / 16, PS_NEVER};
    for (uint32_t port = 0; port < 2 * tiers->size; port++) {
        tiers->slack_ps[port] = tiers->rho_ps - tiers->sum_ps[port];
        tiers->price_ps[port] = tiers->degree[port] == tiers->most_degree ? delta_ps : 0;
    }
    for (int tier = 0; tier < TIERS; tier++) {
        add_tier(tiers, slot_ps, most_ps[tier]);
        if (tier == 0)
            take_largest(tiers, slot_ps);
        if (matcher_match(&tiers->matcher, false))
            break;
    }
}

/* The bound with this slot: its time, and the bound of what it leaves. Keeps the slot if that is less. */
static void value(struct tiers *tiers, ps_t slot_ps)
{
    uint32_t size = tiers->size, degree = 0;
    ps_t rho_ps = 0, delta_ps = tiers->problem->delta_ps;
    double carried = 0;
    for (uint32_t port = 0; port < 2 * size; port++) {
        uint32_t other = port < size ? tiers->matcher.column_of[port] : tiers->matcher.row_of[port - size];
        ps_t left_ps = other == MATCHER_NONE ? 0
                       : port < size         ? tiers->left_ps[(size_t)port * size + other]
                                             : tiers->left_ps[(size_t)other * size + port - size];
        ps_t carried_ps = left_ps < slot_ps ? left_ps : slot_ps;
        uint32_t its = tiers->degree[port] - (left_ps && left_ps <= slot_ps);
        carried += (double)carried_ps;
        rho_ps = ps_max(rho_ps, tiers->sum_ps[port] - carried_ps);
        degree = its > degree ? its : degree;
    }
    ps_t bound_ps = slot_ps + delta_ps + rho_ps + degree * delta_ps;
    double share = carried / (double)(slot_ps + delta_ps);
    if (bound_ps > tiers->best_ps || (bound_ps == tiers->best_ps && share <= tiers->best_share))
        return;
    tiers->best_ps = bound_ps;
    tiers->best_share = share;
    tiers->slot_ps = slot_ps;
    memcpy(tiers->chosen, tiers->matcher.column_of, size * sizeof *tiers->chosen);
}

static bool play(struct tiers *tiers)
{
    uint32_t size = tiers->size;
    player_matched(&tiers->player, tiers->chosen, tiers->entries);
    for (uint32_t row = 0; row < tiers->problem->senders; row++) {
        uint32_t column = tiers->chosen[row];
        if (tiers->entries[row] == CIRCUIT_NONE)
            continue;
        ps_t *left_ps = &tiers->left_ps[(size_t)row * size + column];
        ps_t carried_ps = *left_ps < tiers->slot_ps ? *left_ps : tiers->slot_ps;
        *left_ps -= carried_ps;
        tiers->sum_ps[row] -= carried_ps;
        tiers->sum_ps[size + column] -= carried_ps;
        tiers->degree[row] -= *left_ps == 0;
        tiers->degree[size + column] -= *left_ps == 0;
    }
    return player_slot(&tiers->player, tiers->entries, tiers->slot_ps);
}

void tiers_search(const struct circuit_problem *problem, const struct circuit_effort *effort,
                  struct circuit_schedule *schedule)
{
    struct tiers tiers;
    struct circuit_schedule candidate = {.count = 0};
    tiers_init(&tiers, problem);
    player_init(&tiers.player, problem, &candidate);
    progress_begin("slots tier by tier", problem->count);
    bool goes_on = true;
    while (goes_on && !circuit_effort_is_spent(effort) &&
           (!schedule->count || candidate.makespan_ps < schedule->makespan_ps)) {
        progress_tell(problem->count - tiers.player.unfinished);
        uint32_t count = count_left(&tiers);
        tiers.best_ps = PS_NEVER;
        for (uint32_t i = 0; i < DURATIONS; i++) {
            uint32_t at = (uint32_t)((uint64_t)(count - 1) * (2 * i + 1) / (2 * DURATIONS));
            fill(&tiers, tiers.busiest_ps[at]);
            value(&tiers, tiers.busiest_ps[at]);
        }
        goes_on = play(&tiers);
    }
    progress_end();
    bool is_done = !tiers.player.unfinished;
    player_free(&tiers.player);
    tiers_free(&tiers);
    if (is_done)
        circuit_keep_shorter(schedule, &candidate, "best");
    else
        circuit_schedule_free(&candidate);
}
