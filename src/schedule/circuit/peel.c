#include "schedule/circuit/peel.h"

#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "base/rng.h"
#include "schedule/circuit/assignment.h"
#include "schedule/circuit/player.h"

enum { GRID = 12, WEIGHT_BITS = 40, TIE_BITS = 12 };

struct peel {
    const struct circuit_problem *problem;
    struct player player;
    struct assignment assignment;
    struct rng rng;
    ps_t *sum_ps;                  /* [senders + receivers]: what a port has left */
    uint32_t *degree;              /* [senders + receivers] */
    uint8_t *covered;              /* [senders + receivers] */
    ps_t *sorted_ps;               /* what is left of the entries, ascending */
    uint32_t *entries, *candidate; /* [senders] */
    ps_t rho_ps, slot_ps, best_ps; /* best_ps: the bound with the chosen slot */
    sum_t carried_ps;              /* by the chosen slot */
    uint32_t most_degree;
    bool is_random;
};

static void peel_init(struct peel *peel, const struct circuit_problem *problem, uint64_t seed)
{
    size_t ports = (size_t)problem->senders + problem->receivers;
    *peel = (struct peel){.problem = problem, .rng = rng_init(seed, "circuits.peel")};
    assignment_init(&peel->assignment, circuit_size(problem));
    peel->sum_ps = mem_alloc(ports, sizeof *peel->sum_ps, "loads of ports");
    peel->degree = mem_alloc(ports, sizeof *peel->degree, "loads of ports");
    peel->covered = mem_alloc(ports, sizeof *peel->covered, "loads of ports");
    peel->sorted_ps = mem_alloc((size_t)problem->count + 1, sizeof *peel->sorted_ps, "a schedule");
    peel->entries = mem_alloc(problem->senders, sizeof *peel->entries, "a slot");
    peel->candidate = mem_alloc(problem->senders, sizeof *peel->candidate, "a slot");
}

static void peel_free(struct peel *peel)
{
    assignment_free(&peel->assignment);
    free(peel->sum_ps);
    free(peel->degree);
    free(peel->covered);
    free(peel->sorted_ps);
    free(peel->entries);
    free(peel->candidate);
}

static void count_left(struct peel *peel)
{
    const struct circuit_problem *problem = peel->problem;
    uint32_t ports = problem->senders + problem->receivers;
    memset(peel->sum_ps, 0, ports * sizeof *peel->sum_ps);
    memset(peel->degree, 0, ports * sizeof *peel->degree);
    for (uint32_t i = 0; i < problem->count; i++) {
        uint32_t sender = problem->entries[i].sender,
                 receiver = problem->senders + problem->entries[i].receiver;
        ps_t left_ps = peel->player.left_ps[i];
        peel->sum_ps[sender] += left_ps;
        peel->sum_ps[receiver] += left_ps;
        peel->degree[sender] += left_ps > 0;
        peel->degree[receiver] += left_ps > 0;
    }
    peel->rho_ps = 0;
    peel->most_degree = 0;
    for (uint32_t port = 0; port < ports; port++) {
        peel->rho_ps = ps_max(peel->rho_ps, peel->sum_ps[port]);
        peel->most_degree = peel->degree[port] > peel->most_degree ? peel->degree[port] : peel->most_degree;
    }
}

/* By how much the port raises the bound if it carries this in a slot. */
static ps_t penalty(const struct peel *peel, uint32_t port, ps_t slot_ps, ps_t carried_ps, bool finishes)
{
    ps_t idle_ps = slot_ps - carried_ps - (peel->rho_ps - peel->sum_ps[port]);
    return (idle_ps > 0 ? idle_ps : 0) +
           (peel->degree[port] == peel->most_degree && !finishes ? peel->problem->delta_ps : 0);
}

/* Weights that fit 61 bits: the bound first, then what is carried, then chance. */
static int64_t weight(struct peel *peel, uint32_t row, uint32_t column, ps_t slot_ps, unsigned shift)
{
    const struct circuit_problem *problem = peel->problem;
    ps_t raised_ps = 0, carried_ps = 0;
    bool finishes = false;
    uint32_t entry = row < problem->senders && column < problem->receivers ? circuit_at(problem, row, column)
                                                                           : CIRCUIT_NONE;
    if (entry != CIRCUIT_NONE && peel->player.left_ps[entry]) {
        ps_t left_ps = peel->player.left_ps[entry];
        finishes = left_ps <= slot_ps;
        carried_ps = finishes ? left_ps : slot_ps;
    }
    if (row < problem->senders)
        raised_ps += penalty(peel, row, slot_ps, carried_ps, finishes);
    if (column < problem->receivers)
        raised_ps += penalty(peel, problem->senders + column, slot_ps, carried_ps, finishes);
    ps_t spared_ps = 2 * (slot_ps + problem->delta_ps) - raised_ps;
    int64_t tie = (int64_t)((double)carried_ps / (double)slot_ps * (1 << (TIE_BITS - 2)));
    if (peel->is_random)
        tie += (int64_t)rng_below(&peel->rng, 1 << (TIE_BITS - 3));
    return ((spared_ps >> shift) << TIE_BITS) + tie;
}

static void match(struct peel *peel, ps_t slot_ps)
{
    const struct circuit_problem *problem = peel->problem;
    struct assignment *assignment = &peel->assignment;
    unsigned shift = 0;
    while ((2 * (slot_ps + problem->delta_ps)) >> shift >> WEIGHT_BITS)
        shift++;
    for (uint32_t row = 0; row < assignment->size; row++)
        for (uint32_t column = 0; column < assignment->size; column++)
            assignment->weights[(size_t)row * assignment->size + column] =
                weight(peel, row, column, slot_ps, shift);
    assignment_restart(assignment);
    assignment_solve(assignment);
    player_matched(&peel->player, assignment->column_of, peel->candidate);
}

/* The bound with this slot: its time, and the bound of what it leaves. Keeps the slot if that is less. */
static void value(struct peel *peel, ps_t slot_ps)
{
    const struct circuit_problem *problem = peel->problem;
    uint32_t ports = problem->senders + problem->receivers, degree = 0;
    ps_t rho_ps = 0;
    sum_t carried_ps = 0;
    memset(peel->covered, 0, ports);
    for (uint32_t sender = 0; sender < problem->senders; sender++) {
        uint32_t entry = peel->candidate[sender];
        if (entry == CIRCUIT_NONE)
            continue;
        ps_t left_ps = peel->player.left_ps[entry], carries_ps = left_ps < slot_ps ? left_ps : slot_ps;
        uint32_t both[] = {sender, problem->senders + problem->entries[entry].receiver};
        carried_ps += carries_ps;
        for (int i = 0; i < 2; i++) {
            uint32_t left = peel->degree[both[i]] - (left_ps <= slot_ps);
            peel->covered[both[i]] = 1;
            rho_ps = ps_max(rho_ps, peel->sum_ps[both[i]] - carries_ps);
            degree = left > degree ? left : degree;
        }
    }
    for (uint32_t port = 0; port < ports; port++)
        if (!peel->covered[port]) {
            rho_ps = ps_max(rho_ps, peel->sum_ps[port]);
            degree = peel->degree[port] > degree ? peel->degree[port] : degree;
        }
    ps_t bound_ps = slot_ps + problem->delta_ps + rho_ps + (ps_t)degree * problem->delta_ps;
    bool is_better =
        bound_ps < peel->best_ps ||
        (bound_ps == peel->best_ps && (double)carried_ps * (double)(peel->slot_ps + problem->delta_ps) >
                                          (double)peel->carried_ps * (double)(slot_ps + problem->delta_ps));
    if (!carried_ps || !is_better)
        return;
    peel->best_ps = bound_ps;
    peel->carried_ps = carried_ps;
    peel->slot_ps = slot_ps;
    memcpy(peel->entries, peel->candidate, problem->senders * sizeof *peel->entries);
}

/* What is left of the entries, ascending and distinct. */
static uint32_t sort_left(struct peel *peel)
{
    uint32_t count = player_sort_left(&peel->player, peel->sorted_ps), kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!kept || peel->sorted_ps[i] != peel->sorted_ps[kept - 1])
            peel->sorted_ps[kept++] = peel->sorted_ps[i];
    return kept;
}

static void choose(struct peel *peel)
{
    const struct circuit_problem *problem = peel->problem;
    count_left(peel);
    uint32_t count = sort_left(peel), times = count < GRID ? count : GRID;
    peel->best_ps = PS_NEVER;
    for (uint32_t i = 0; i < times; i++) {
        uint32_t at = (uint32_t)((uint64_t)(count - 1) * (i + 1) / times);
        if (peel->is_random && count > GRID)
            at = (uint32_t)rng_below(&peel->rng, count);
        match(peel, peel->sorted_ps[at]);
        for (uint32_t sender = 0; sender < problem->senders; sender++)
            if (peel->candidate[sender] != CIRCUIT_NONE)
                value(peel, peel->player.left_ps[peel->candidate[sender]]);
    }
}

static bool is_over(const struct circuit_schedule *schedule, const struct circuit_effort *effort,
                    ps_t bound_ps)
{
    return (schedule->count && schedule->makespan_ps <= bound_ps) || circuit_effort_is_spent(effort);
}

void peel_search(const struct circuit_problem *problem, const struct circuit_effort *effort, ps_t bound_ps,
                 uint64_t tries, struct circuit_schedule *schedule)
{
    struct peel peel;
    struct circuit_schedule candidate = {.count = 0};
    peel_init(&peel, problem, effort->seed);
    progress_begin("slots of few configurations", tries);
    for (uint64_t i = 0; i < tries && !is_over(schedule, effort, bound_ps); i++) {
        progress_tell(i);
        peel.is_random = i > 0;
        circuit_schedule_clear(&candidate);
        player_init(&peel.player, problem, &candidate);
        do {
            choose(&peel);
        } while (player_slot(&peel.player, peel.entries, peel.slot_ps));
        bool is_done = !peel.player.unfinished;
        player_free(&peel.player);
        if (!is_done || (schedule->count && candidate.makespan_ps >= schedule->makespan_ps))
            continue;
        struct circuit_schedule before = *schedule;
        *schedule = candidate;
        schedule->made_by = before.made_by;
        candidate = before;
    }
    progress_end();
    circuit_schedule_free(&candidate);
    peel_free(&peel);
}
