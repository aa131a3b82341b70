#include "schedule/circuit/list_schedule.h"

#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "base/rng.h"

void lister_init(struct lister *lister, const struct circuit_problem *problem)
{
    size_t ports = (size_t)problem->senders + problem->receivers;
    *lister = (struct lister){.problem = problem};
    circuit_waiting_init(&lister->waiting, problem);
    circuit_waiting_init(&lister->all_waiting, problem);
    circuit_ends_init(&lister->ends, circuit_most_up(problem));
    lister->left_ps = mem_alloc(ports, sizeof *lister->left_ps, "loads of ports");
    lister->all_ps = mem_alloc(ports, sizeof *lister->all_ps, "loads of ports");
    lister->done_ps = mem_alloc(ports, sizeof *lister->done_ps, "loads of ports");
    lister->weight = mem_alloc(ports, sizeof *lister->weight, "weights of ports");
    lister->parts = mem_alloc((size_t)problem->count + 1, sizeof *lister->parts, "parts of a demand");
    lister->part_ps = mem_alloc((size_t)problem->count + 1, sizeof *lister->part_ps, "parts of a demand");
    lister->up = mem_alloc(ports * problem->switches, sizeof *lister->up, "circuits that are up");
    lister->freed = mem_alloc(ports * problem->switches, sizeof *lister->freed, "ports");
}

void lister_free(struct lister *lister)
{
    circuit_waiting_free(&lister->waiting);
    circuit_waiting_free(&lister->all_waiting);
    circuit_ends_free(&lister->ends);
    free(lister->left_ps);
    free(lister->all_ps);
    free(lister->done_ps);
    free(lister->weight);
    free(lister->parts);
    free(lister->part_ps);
    free(lister->up);
    free(lister->freed);
}

/* ---------------------------------------------------------------------- try */

static void copy_waiting(struct circuit_waiting *to, const struct circuit_waiting *from,
                         const struct circuit_problem *problem)
{
    memcpy(to->to, from->to, problem->senders * to->receiver_words * sizeof(uint64_t));
    memcpy(to->from, from->from, problem->receivers * to->sender_words * sizeof(uint64_t));
    memcpy(to->senders, from->senders, problem->switches * to->sender_words * sizeof(uint64_t));
    memcpy(to->receivers, from->receivers, problem->switches * to->receiver_words * sizeof(uint64_t));
}

/* Cuts the entries, and counts what each port has to do. */
static void cut(struct lister *lister, ps_t quantum_ps)
{
    const struct circuit_problem *problem = lister->problem;
    memset(lister->all_ps, 0, ((size_t)problem->senders + problem->receivers) * sizeof *lister->all_ps);
    for (uint32_t i = 0; i < problem->count; i++) {
        const struct circuit_entry *entry = &problem->entries[i];
        ps_t parts = quantum_ps ? (entry->time_ps - 1) / quantum_ps + 1 : 1;
        parts = parts > 1024 ? 1024 : parts;
        lister->part_ps[i] = (entry->time_ps - 1) / parts + 1;
        lister->parts[i] = (uint32_t)((entry->time_ps - 1) / lister->part_ps[i] + 1);
        ps_t work_ps = entry->time_ps + problem->delta_ps * (ps_t)lister->parts[i];
        lister->all_ps[entry->sender] += work_ps;
        lister->all_ps[problem->senders + entry->receiver] += work_ps;
    }
}

static void begin(struct lister *lister, const struct lister_rule *rule)
{
    const struct circuit_problem *problem = lister->problem;
    size_t ports = (size_t)problem->senders + problem->receivers;
    cut(lister, rule->quantum_ps);
    memcpy(lister->left_ps, lister->all_ps, ports * sizeof *lister->left_ps);
    memset(lister->up, 0, ports * problem->switches * sizeof *lister->up);
    copy_waiting(&lister->waiting, &lister->all_waiting, problem);
    lister->ends.count = 0;
    lister->ends.made = 0;
    lister->freed_count = 0;
    for (uint32_t crossbar = 0; crossbar < problem->switches; crossbar++)
        for (uint32_t port = 0; port < ports; port++)
            lister->freed[lister->freed_count++] =
                (struct lister_port){lister->left_ps[port] + lister->weight[port], port, crossbar};
}

static void start(struct lister *lister, uint32_t index, uint32_t crossbar, ps_t now_ps,
                  struct circuit_schedule *schedule)
{
    const struct circuit_problem *problem = lister->problem;
    const struct circuit_entry *entry = &problem->entries[index];
    uint32_t *up = lister->up + (size_t)crossbar * (problem->senders + problem->receivers);
    uint32_t receiver = problem->senders + entry->receiver;
    bool is_up = up[entry->sender] == index + 1 && up[receiver] == index + 1;
    ps_t part_ps = lister->part_ps[index];
    if (--lister->parts[index] == 0) {
        part_ps = entry->time_ps - (entry->time_ps - 1) / part_ps * part_ps;
        circuit_waiting_take(&lister->waiting, entry);
    }
    circuit_waiting_occupy(&lister->waiting, entry, crossbar);
    ps_t start_ps = now_ps + (is_up ? 0 : problem->delta_ps), end_ps = start_ps + part_ps;
    up[entry->sender] = up[receiver] = index + 1;
    lister->left_ps[entry->sender] -= part_ps + problem->delta_ps;
    lister->left_ps[receiver] -= part_ps + problem->delta_ps;
    lister->done_ps[entry->sender] = lister->done_ps[receiver] = end_ps;
    circuit_add(schedule, index, crossbar, start_ps, end_ps);
    circuit_ends_push(&lister->ends, end_ps, index, crossbar);
}

/* The entry that the free port gets; CIRCUIT_NONE: none of its other ports is free. */
static uint32_t choose(const struct lister *lister, const struct lister_rule *rule,
                       const struct lister_port *freed)
{
    const struct circuit_problem *problem = lister->problem;
    const struct circuit_waiting *waiting = &lister->waiting;
    bool sends = freed->port < problem->senders;
    uint32_t own = sends ? freed->port : freed->port - problem->senders, best = CIRCUIT_NONE;
    size_t words = sends ? waiting->receiver_words : waiting->sender_words;
    const uint64_t *wanted = (sends ? waiting->to : waiting->from) + own * words;
    const uint64_t *free_ports = (sends ? waiting->receivers : waiting->senders) + freed->crossbar * words;
    int64_t most = INT64_MIN;
    for (size_t word = 0; word < words; word++)
        for (uint64_t both = wanted[word] & free_ports[word]; both; both &= both - 1) {
            uint32_t other = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(both);
            uint32_t port = sends ? problem->senders + other : other;
            uint32_t entry = sends ? circuit_at(problem, own, other) : circuit_at(problem, other, own);
            int64_t urgency = lister->left_ps[port] + lister->weight[port] +
                              problem->entries[entry].time_ps / 16 * rule->time_sixteenths;
            if (urgency > most) {
                most = urgency;
                best = entry;
            }
        }
    return best;
}

static int compare_urgency(const void *a, const void *b)
{
    const struct lister_port *left = a, *right = b;
    if (left->urgency_ps != right->urgency_ps)
        return left->urgency_ps > right->urgency_ps ? -1 : 1;
    if (left->crossbar != right->crossbar)
        return left->crossbar < right->crossbar ? -1 : 1;
    return left->port < right->port ? -1 : left->port > right->port;
}

static bool is_free(const struct lister *lister, const struct lister_port *freed)
{
    const struct circuit_waiting *waiting = &lister->waiting;
    uint32_t senders = lister->problem->senders;
    return freed->port < senders
               ? bit_is_set(waiting->senders + freed->crossbar * waiting->sender_words, freed->port)
               : bit_is_set(waiting->receivers + freed->crossbar * waiting->receiver_words,
                            freed->port - senders);
}

/* Gives entries to the ports that have become free. False: some port cannot be done before the limit. */
static bool serve(struct lister *lister, const struct lister_rule *rule, ps_t now_ps, ps_t limit_ps,
                  struct circuit_schedule *schedule)
{
    ps_t links = lister->problem->switches;
    if (lister->freed_count > 2 ||
        lister->freed[0].urgency_ps < lister->freed[lister->freed_count - 1].urgency_ps)
        qsort(lister->freed, lister->freed_count, sizeof *lister->freed, compare_urgency);
    for (size_t i = 0; i < lister->freed_count; i++) {
        const struct lister_port *freed = &lister->freed[i];
        if (links == 1 && now_ps + lister->left_ps[freed->port] >= limit_ps && !rule->quantum_ps)
            return false;
        if (now_ps >= limit_ps)
            return false;
        uint32_t entry = is_free(lister, freed) ? choose(lister, rule, freed) : CIRCUIT_NONE;
        if (entry != CIRCUIT_NONE)
            start(lister, entry, freed->crossbar, now_ps, schedule);
    }
    return true;
}

/* All circuits that end at the same time free their ports together. */
static ps_t free_ports(struct lister *lister)
{
    const struct circuit_problem *problem = lister->problem;
    ps_t now_ps = lister->ends.heap[0].end_ps;
    lister->freed_count = 0;
    while (lister->ends.count && lister->ends.heap[0].end_ps == now_ps) {
        struct circuit_end end = circuit_ends_pop(&lister->ends);
        const struct circuit_entry *entry = &problem->entries[end.entry];
        uint32_t ports[] = {entry->sender, problem->senders + entry->receiver};
        circuit_waiting_release(&lister->waiting, entry, end.crossbar);
        for (int i = 0; i < 2; i++)
            lister->freed[lister->freed_count++] = (struct lister_port){
                lister->left_ps[ports[i]] + lister->weight[ports[i]], ports[i], end.crossbar};
    }
    return now_ps;
}

bool lister_try(struct lister *lister, const struct lister_rule *rule, ps_t limit_ps,
                struct circuit_schedule *schedule)
{
    ps_t now_ps = 0;
    circuit_schedule_clear(schedule);
    begin(lister, rule);
    while (serve(lister, rule, now_ps, limit_ps, schedule)) {
        if (!lister->ends.count)
            return schedule->makespan_ps < limit_ps;
        now_ps = free_ports(lister);
    }
    return false;
}

/* ------------------------------------------------------------------- search */

enum { MOST_ROUNDS = 64, KINDS = 6 };

struct list_search {
    struct lister lister;
    struct circuit_schedule candidate, *best;
    struct rng rng;
    int64_t *kept; /* [ports]: the weights of the shortest schedule of this rule */
    ps_t bound_ps, shortest_ps /* of this rule */;
};

/* One switch serves whole entries best; on several ones a large entry has to be cut. */
static ps_t quantum(const struct list_search *search, uint64_t restarts)
{
    static const unsigned one_switch[KINDS] = {0, 2, 3, 4, 5, 6}, several[KINDS] = {1, 2, 3, 0, 4, 5};
    const struct circuit_problem *problem = search->lister.problem;
    unsigned kind = (problem->switches == 1 ? one_switch : several)[restarts % KINDS];
    if (kind == 0)
        return 0;
    ps_t quantum_ps = (search->bound_ps - problem->delta_ps) >> (kind - 1);
    return ps_max(quantum_ps, ps_max(ps_times(problem->delta_ps, 2), 1));
}

/* Ports that were done late become more urgent, and some others a little more or less. */
static void weigh(struct list_search *search, uint64_t round)
{
    const struct circuit_problem *problem = search->lister.problem;
    uint32_t ports = problem->senders + problem->receivers;
    struct lister *lister = &search->lister;
    for (uint32_t port = 0; port < ports; port++) {
        ps_t late_ps = lister->done_ps[port] - search->bound_ps;
        lister->weight[port] = search->kept[port];
        if (late_ps > 0 && round % 4 != 3)
            lister->weight[port] += (int64_t)(rng_share(&search->rng) * 2 * (double)late_ps);
        else if (rng_below(&search->rng, 4) == 0)
            lister->weight[port] += (int64_t)((rng_share(&search->rng) - 0.5) * 0.25 *
                                              (double)(lister->all_ps[port] >> rng_below(&search->rng, 6)));
    }
}

static void keep(struct list_search *search, ps_t makespan_ps)
{
    uint32_t ports = search->lister.problem->senders + search->lister.problem->receivers;
    search->shortest_ps = makespan_ps;
    memcpy(search->kept, search->lister.weight, ports * sizeof *search->kept);
    if (search->best->count && makespan_ps >= search->best->makespan_ps)
        return;
    struct circuit_schedule before = *search->best;
    *search->best = search->candidate;
    search->best->made_by = before.made_by;
    search->candidate = before;
}

static bool is_over(const struct list_search *search, const struct circuit_effort *effort)
{
    return (search->best->count && search->best->makespan_ps <= search->bound_ps) ||
           circuit_effort_is_spent(effort);
}

/* Begins anew with the next rule. */
static struct lister_rule restart(struct list_search *search, uint64_t restarts)
{
    static const int sixteenths[] = {0, 16, 4, -4};
    uint32_t ports = search->lister.problem->senders + search->lister.problem->receivers;
    memset(search->kept, 0, ports * sizeof *search->kept);
    memset(search->lister.weight, 0, ports * sizeof *search->lister.weight);
    search->shortest_ps = PS_NEVER;
    return (struct lister_rule){quantum(search, restarts / 2), sixteenths[restarts % 4]};
}

void lister_search(const struct circuit_problem *problem, const struct circuit_effort *effort, ps_t bound_ps,
                   uint64_t tries, struct circuit_schedule *schedule)
{
    struct list_search search = {
        .best = schedule, .bound_ps = bound_ps, .rng = rng_init(effort->seed, "circuits")};
    struct lister_rule rule = {0};
    uint64_t restarts = 0, rounds = tries / (4 * KINDS) + 1;
    rounds = rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    lister_init(&search.lister, problem);
    search.kept =
        mem_alloc((size_t)problem->senders + problem->receivers, sizeof *search.kept, "weights of ports");
    progress_begin("list schedules", tries);
    for (uint64_t i = 0; i < tries && !is_over(&search, effort); i++) {
        progress_tell(i);
        if (i % rounds == 0)
            rule = restart(&search, restarts++);
        else
            weigh(&search, i);
        ps_t limit_ps = search.shortest_ps == PS_NEVER ? PS_NEVER : search.shortest_ps + 1;
        if (lister_try(&search.lister, &rule, limit_ps, &search.candidate))
            keep(&search, search.candidate.makespan_ps);
    }
    progress_end();
    free(search.kept);
    circuit_schedule_free(&search.candidate);
    lister_free(&search.lister);
}
