#include "schedule/circuit/player.h"

#include <inttypes.h>

#include "base/diag.h"
#include "base/mem.h"

enum { MOST_SLOTS = 1 << 22, MOST_CIRCUITS = 1 << 30 };

void player_init(struct player *player, const struct circuit_problem *problem,
                 struct circuit_schedule *schedule)
{
    size_t ports = (size_t)problem->switches * problem->senders;
    *player = (struct player){.problem = problem, .schedule = schedule, .unfinished = problem->count};
    player->most_slots = MOST_CIRCUITS / problem->senders;
    if (player->most_slots > MOST_SLOTS)
        player->most_slots = MOST_SLOTS;
    player->left_ps = mem_alloc((size_t)problem->count + 1, sizeof *player->left_ps, "a schedule");
    player->up = mem_alloc(ports + 1, sizeof *player->up, "circuits that are up");
    player->last = mem_alloc(ports + 1, sizeof *player->last, "circuits that are up");
    player->free_at_ps = mem_alloc(problem->switches, sizeof *player->free_at_ps, "switches");
    for (uint32_t i = 0; i < problem->count; i++)
        player->left_ps[i] = problem->entries[i].time_ps;
    for (size_t i = 0; i < ports; i++)
        player->up[i] = CIRCUIT_NONE;
}

void player_free(struct player *player)
{
    free(player->left_ps);
    free(player->up);
    free(player->last);
    free(player->free_at_ps);
}

static uint32_t first_free(const struct player *player)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < player->problem->switches; i++)
        if (player->free_at_ps[i] < player->free_at_ps[best])
            best = i;
    return best;
}

/* A piece that goes on without a break makes the piece before longer. */
static void carry(struct player *player, uint32_t crossbar, uint32_t entry, ps_t begin_ps, ps_t end_ps)
{
    uint32_t *last =
        &player->last[(size_t)crossbar * player->problem->senders + player->problem->entries[entry].sender];
    ps_t left_ps = player->left_ps[entry];
    if (end_ps <= begin_ps)
        return;
    if (end_ps - begin_ps >= left_ps) {
        end_ps = begin_ps + left_ps;
        player->unfinished--;
    }
    player->left_ps[entry] -= end_ps - begin_ps;
    struct circuit_piece *before = *last ? &player->schedule->pieces[*last - 1] : NULL;
    if (before && before->entry == entry && before->end_ps == begin_ps) {
        before->end_ps = end_ps;
        player->schedule->makespan_ps = ps_max(player->schedule->makespan_ps, end_ps);
        return;
    }
    circuit_add(player->schedule, entry, crossbar, begin_ps, end_ps);
    *last = (uint32_t)player->schedule->count;
}

static bool changes(const uint32_t *up, const uint32_t *entries, uint32_t senders)
{
    for (uint32_t sender = 0; sender < senders; sender++)
        if (up[sender] != entries[sender] && entries[sender] != CIRCUIT_NONE)
            return true;
    return false;
}

bool player_slot(struct player *player, const uint32_t *entries, ps_t slot_ps)
{
    const struct circuit_problem *problem = player->problem;
    uint32_t crossbar = first_free(player);
    uint32_t *up = player->up + (size_t)crossbar * problem->senders;
    ps_t begin_ps = player->free_at_ps[crossbar], ready_ps = begin_ps + problem->delta_ps;
    if (!player->unfinished)
        return false;
    if (player->slots++ == player->most_slots || begin_ps > PS_NEVER / 4) {
        player->slots = player->most_slots + 1;
        return false;
    }
    if (problem->all_stop && !changes(up, entries, problem->senders))
        ready_ps = begin_ps;
    for (uint32_t sender = 0; sender < problem->senders; sender++) {
        uint32_t entry = entries[sender];
        bool carries_on = entry == up[sender] && !problem->all_stop;
        up[sender] = entry;
        if (entry != CIRCUIT_NONE && player->left_ps[entry])
            carry(player, crossbar, entry, carries_on ? begin_ps : ready_ps, ready_ps + slot_ps);
    }
    player->free_at_ps[crossbar] = ready_ps + slot_ps;
    return player->unfinished;
}

void player_matched(const struct player *player, const uint32_t *receiver_of, uint32_t *entries)
{
    const struct circuit_problem *problem = player->problem;
    for (uint32_t sender = 0; sender < problem->senders; sender++) {
        uint32_t receiver = receiver_of[sender];
        uint32_t entry = receiver < problem->receivers ? circuit_at(problem, sender, receiver) : CIRCUIT_NONE;
        entries[sender] = entry != CIRCUIT_NONE && player->left_ps[entry] ? entry : CIRCUIT_NONE;
    }
}

static int compare_times(const void *a, const void *b)
{
    const ps_t *left = a, *right = b;
    return *left < *right ? -1 : *left > *right;
}

uint32_t player_sort_left(const struct player *player, ps_t *sorted_ps)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < player->problem->count; i++)
        if (player->left_ps[i])
            sorted_ps[count++] = player->left_ps[i];
    if (count)
        qsort(sorted_ps, count, sizeof *sorted_ps, compare_times);
    return count;
}

enum status player_end(struct player *player)
{
    bool is_done = !player->unfinished;
    player_free(player);
    if (is_done)
        return STATUS_OK;
    diag_error("the schedule has more than %" PRIu64 " slots; longer slots are needed (--slot)",
               player->most_slots);
    return STATUS_FAILED;
}
