#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "fabric/ocs/ocs.h"

/* Plans: a scheduler of schedule/circuit turns the bytes of pairs into circuits with a start and an end.
 * Their order on each switch, and how many bytes each carries, is the plan; when they begin follows from the
 * run. */

enum { RECENT_PLANS = 64 };

struct planned_pair {
    uint32_t source, destination;
    uint64_t bytes;
};

enum status ocs_plan_check(const struct ocs *ocs)
{
    const struct ocs_config *config = ocs->config;
    bool plans =
        config->control == OCS_COMPILED || (config->control == OCS_DEMAND && config->policy == OCS_ROUNDS);
    if (!plans || ocs->nodes <= CIRCUIT_MOST_PORTS)
        return STATUS_OK;
    diag_error("ocs schedules circuits of at most %d nodes, and the run has %" PRIu32
               "; ocs.control=demand with ocs.policy=oldest takes more",
               CIRCUIT_MOST_PORTS, ocs->nodes);
    return STATUS_BAD_INPUT;
}

/* ---------------------------------------------------------------- schedules */

/* The planes that have not failed, by the number of the schedule's switch. */
static uint32_t usable_planes(const struct ocs *ocs, uint32_t *planes)
{
    uint32_t count = 0;
    for (uint32_t plane = 0; plane < ocs->planes; plane++)
        if (!ocs->plane[plane].has_failed)
            planes[count++] = plane;
    return count;
}

static uint64_t bytes_until(const struct ocs *ocs, ps_t time)
{
    unsigned __int128 bytes = (unsigned __int128)time * ocs->rate_bytes_per_s / (uint64_t)PS_PER_S;
    return bytes < INT64_MAX ? (uint64_t)bytes : INT64_MAX;
}

/* The pieces in the order of their starts. Those of an entry carry what its time so far suffices for; the
 * last one carries all that is left. */
static void keep_pieces(const struct ocs *ocs, const struct circuit_problem *problem,
                        const struct circuit_schedule *schedule, const uint32_t *planes,
                        struct ocs_plan *plan)
{
    ps_t *left_ps = mem_alloc((size_t)problem->count + 1, sizeof *left_ps, "a plan");
    uint64_t *taken = mem_alloc((size_t)problem->count + 1, sizeof *taken, "a plan");
    uint64_t group = 0;
    for (uint32_t i = 0; i < problem->count; i++)
        left_ps[i] = problem->entries[i].time_ps;
    plan->pieces = mem_alloc(schedule->count + 1, sizeof *plan->pieces, "a plan");
    for (size_t i = 0; i < schedule->count; i++) {
        const struct circuit_piece *piece = &schedule->pieces[i];
        const struct circuit_entry *entry = &problem->entries[piece->entry];
        left_ps[piece->entry] -= piece->end_ps - piece->start_ps;
        ps_t left = left_ps[piece->entry];
        uint64_t until = left > 0 ? bytes_until(ocs, entry->time_ps - left) : entry->bytes;
        until = until < entry->bytes ? until : entry->bytes;
        group += i > 0 && piece->start_ps != piece[-1].start_ps;
        if (until > taken[piece->entry])
            plan->pieces[plan->count++] = (struct ocs_plan_piece){.pair = piece->entry,
                                                                  .plane = planes[piece->crossbar],
                                                                  .bytes = until - taken[piece->entry],
                                                                  .group = group};
        taken[piece->entry] = until > taken[piece->entry] ? until : taken[piece->entry];
    }
    free(left_ps);
    free(taken);
}

/* Pairs ascend, and have bytes, so that the entry of a pair has its number. */
static enum status schedule(struct ocs *ocs, const struct planned_pair *pairs, size_t count,
                            struct ocs_plan *plan)
{
    const struct ocs_config *config = ocs->config;
    const struct circuit_effort effort = {.moves = config->moves, .seed = ocs->fabric.params.seed};
    uint32_t planes[OCS_MOST_PLANES];
    struct circuit_switching switching = {.delta_ps = config->switching_ps,
                                          .rate_bytes_per_s = ocs->rate_bytes_per_s,
                                          .switches = usable_planes(ocs, planes),
                                          .all_stop = config->switch_kind != 0};
    struct circuit_demand demand = {.lines = NULL};
    struct circuit_problem problem;
    struct circuit_schedule circuits;
    plan->pieces = NULL;
    if (switching.switches == 0)
        return STATUS_OK;
    for (size_t i = 0; i < count; i++)
        circuit_demand_add(&demand, pairs[i].source, pairs[i].destination, pairs[i].bytes);
    if (!circuit_demand_unite(&demand)) {
        diag_error("ocs: the bytes of a phase are 2^63 or more");
        circuit_demand_free(&demand);
        return STATUS_FAILED;
    }
    enum status status = circuit_problem_init(&problem, &demand, &switching);
    circuit_demand_free(&demand);
    if (status != STATUS_OK)
        return STATUS_FAILED;
    status = circuit_schedule_make(&problem, config->algorithm, &effort, &circuits);
    if (status == STATUS_OK) {
        keep_pieces(ocs, &problem, &circuits, planes, plan);
        ocs->statistics.plans++;
        circuit_schedule_free(&circuits);
    }
    circuit_problem_free(&problem);
    return status;
}

/* ------------------------------------------------------------------- phases */

/* Bytes of a pair each time that a phase is executed, without those that the latency includes. */
static uint64_t bytes_of_time(const struct ocs *ocs, const struct fabric_phase *phase,
                              const struct fabric_pair *pair)
{
    unsigned __int128 included = (unsigned __int128)ocs->fabric.params.included_bytes * pair->messages;
    uint64_t bytes = pair->bytes > included ? pair->bytes - (uint64_t)included : 0;
    uint64_t least = pair->messages < INT64_MAX ? pair->messages : INT64_MAX;
    bytes = bytes > least ? bytes : least;
    return bytes / phase->times + (bytes % phase->times != 0);
}

static bool is_same(const struct ocs_plan *plan, uint32_t pattern, const uint64_t *bytes, size_t pairs)
{
    return plan->pattern == pattern && plan->pairs == pairs &&
           memcmp(plan->bytes, bytes, pairs * sizeof *bytes) == 0;
}

static void drop_plans(struct ocs *ocs)
{
    for (size_t i = 0; i < ocs->plan_count; i++) {
        free(ocs->plans[i].bytes);
        free(ocs->plans[i].pieces);
    }
    ocs->plan_count = ocs->plan_bytes = 0;
}

void ocs_plans_free(struct ocs *ocs)
{
    drop_plans(ocs);
    free(ocs->plans);
}

/* The plan of a phase, made once for phases that send the same. NULL: failed, reported. */
static const struct ocs_plan *plan_of(struct ocs *ocs, const struct fabric_phase *phase)
{
    uint64_t *bytes = mem_alloc(phase->count + 1, sizeof *bytes, "a plan");
    for (size_t i = 0; i < phase->count; i++)
        bytes[i] = bytes_of_time(ocs, phase, &phase->pairs[i]);
    for (size_t i = ocs->plan_count; i-- > 0;)
        if (is_same(&ocs->plans[i], phase->pattern, bytes, phase->count)) {
            free(bytes);
            return &ocs->plans[i];
        }
    struct planned_pair *pairs = mem_alloc(phase->count + 1, sizeof *pairs, "a plan");
    for (size_t i = 0; i < phase->count; i++)
        pairs[i] = (struct planned_pair){phase->pairs[i].source, phase->pairs[i].destination, bytes[i]};
    struct ocs_plan plan = {.pattern = phase->pattern, .pairs = phase->count, .bytes = bytes};
    enum status status = schedule(ocs, pairs, phase->count, &plan);
    free(pairs);
    if (status != STATUS_OK) {
        free(bytes);
        fabric_failed(&ocs->fabric, status);
        return NULL;
    }
    if (ocs->plan_count == RECENT_PLANS)
        drop_plans(ocs);
    ocs->plans = mem_grow(ocs->plans, &ocs->plan_capacity, ocs->plan_count + 1, "plans");
    ocs->plans[ocs->plan_count] = plan;
    ocs->plan_bytes += phase->count * sizeof *bytes + plan.count * sizeof *plan.pieces;
    return &ocs->plans[ocs->plan_count++];
}

void ocs_count_phases(struct ocs *ocs)
{
    const struct fabric_traffic *traffic = ocs->fabric.params.traffic;
    for (size_t i = 0; i < traffic->count; i++)
        for (size_t k = 0; k < traffic->phases[i].count; k++) {
            const struct fabric_pair *pair = &traffic->phases[i].pairs[k];
            uint32_t at = ocs_pair_of(ocs, pair->source, pair->destination);
            ocs->pairs[at].phases_ahead++;
        }
}

static void add_piece(struct ocs *ocs, uint32_t pair, const struct ocs_plan_piece *planned, uint64_t stride,
                      uint64_t times)
{
    uint32_t index = ocs_piece_new(ocs, pair);
    struct ocs_piece *piece = ocs_piece(ocs, index);
    piece->plane = planned->plane;
    piece->order = ocs->next_order++;
    piece->group = ocs->next_group + planned->group;
    piece->budget = piece->refill = planned->bytes;
    piece->stride = stride;
    piece->times = times;
    piece->last_message = ocs->pairs[pair].planned;
    piece->is_of_round = times == 0;
    piece->answered = piece->is_of_round ? fabric_now(&ocs->fabric) : 0;
    ocs_piece_append(ocs, index);
}

/* Orders and groups of all times that the pieces repeat. */
static void take_numbers(struct ocs *ocs, size_t count, uint64_t times)
{
    uint64_t further;
    if (__builtin_mul_overflow(count, times, &further))
        further = UINT32_MAX;
    ocs->next_order += further;
    ocs->next_group += further + count;
}

/* Phases follow each other in the lists of ports: those that have ended a phase go on with the next one. */
void ocs_load_phase(struct ocs *ocs)
{
    const struct fabric_phase *phase = &ocs->fabric.params.traffic->phases[ocs->phase++];
    const struct ocs_plan *plan = plan_of(ocs, phase);
    uint32_t *pairs = mem_alloc(phase->count + 1, sizeof *pairs, "pairs of a phase");
    for (size_t i = 0; i < phase->count; i++) {
        pairs[i] = ocs_pair_of(ocs, phase->pairs[i].source, phase->pairs[i].destination);
        ocs->pairs[pairs[i]].phases_ahead--;
        ocs->pairs[pairs[i]].planned += phase->pairs[i].messages;
        ocs->expected += phase->pairs[i].messages;
    }
    ocs->is_off_plan = false;
    for (size_t i = 0; plan && i < plan->count; i++)
        add_piece(ocs, pairs[plan->pieces[i].pair], &plan->pieces[i], plan->count, phase->times);
    if (plan)
        take_numbers(ocs, plan->count, phase->times);
    free(pairs);
}

/* The phase that follows is loaded when all messages of those before have been submitted, so that its
 * circuits can be set up before it begins. */
void ocs_load_ahead(struct ocs *ocs)
{
    while (ocs->config->control == OCS_COMPILED && !ocs->expected &&
           ocs->phase < ocs->fabric.params.traffic->count)
        ocs_load_phase(ocs);
}

/* ------------------------------------------------------------------- rounds */

static int compare_pairs(const void *a, const void *b)
{
    const struct planned_pair *left = a, *right = b;
    if (left->source != right->source)
        return left->source < right->source ? -1 : 1;
    return (left->destination > right->destination) - (left->destination < right->destination);
}

/* The bytes that wait for a round, of pairs that ascend. */
static size_t gather(struct ocs *ocs, struct planned_pair *pairs)
{
    size_t count = 0;
    for (size_t i = 0; i < ocs->round_count; i++) {
        struct ocs_pair *pair = &ocs->pairs[ocs->round_pairs[i]];
        sum_t bytes = pair->waiting_bytes - pair->covered_bytes;
        pair->waits_for_round = false;
        if (bytes > 0)
            pairs[count++] = (struct planned_pair){pair->source, pair->destination,
                                                   bytes < INT64_MAX ? (uint64_t)bytes : INT64_MAX};
    }
    ocs->round_count = 0;
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    return count;
}

void ocs_plan_round(struct ocs *ocs)
{
    struct planned_pair *pairs = mem_alloc(ocs->round_count + 1, sizeof *pairs, "pairs of a round");
    struct ocs_plan plan = {.pairs = 0};
    size_t count = gather(ocs, pairs);
    enum status status = schedule(ocs, pairs, count, &plan);
    if (status != STATUS_OK)
        fabric_failed(&ocs->fabric, status);
    for (size_t i = 0; status == STATUS_OK && i < plan.count; i++) {
        const struct planned_pair *of = &pairs[plan.pieces[i].pair];
        uint32_t at = ocs_pair_of(ocs, of->source, of->destination);
        ocs->pairs[at].planned = UINT64_MAX;
        add_piece(ocs, at, &plan.pieces[i], 0, 0);
    }
    ocs->round_left += plan.count;
    take_numbers(ocs, plan.count, 1);
    bool has_switches = plan.count > 0; /* else they have all failed, and nothing will be carried */
    for (size_t i = 0; has_switches && i < count && status == STATUS_OK; i++)
        ocs_cover(ocs, ocs_pair_of(ocs, pairs[i].source, pairs[i].destination));
    free(pairs);
    free(plan.pieces);
}
