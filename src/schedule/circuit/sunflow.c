#include <inttypes.h>

#include "base/diag.h"
#include "base/mem.h"
#include "schedule/circuit/events.h"

/* Sunflow ("Sunflow: Efficient Optical Circuit Scheduling for Coflows", Huang, Sun and Ng, CoNEXT 2016), for
 * one coflow: entries in order of (sender, receiver). An entry whose two ports are free gets them until its
 * last byte. At the end of the list the circuit that ends first (of equal ends the one made first) frees its
 * ports, and the list is walked again. After the first walk only entries of these two ports can start, so
 * that a walk takes a few steps over bits.
 *
 * With several switches an entry takes the first one where its ports are free. On an all-stop switch the same
 * rule runs in the time in which circuits carry; then each instant at which circuits are set up stops all
 * circuits of the switch. */

enum { MOST_PIECES = 1 << 26 };

struct sunflow {
    const struct circuit_problem *problem;
    struct circuit_schedule *schedule;
    struct circuit_waiting waiting;
    struct circuit_ends ends;
    ps_t delta_ps, now_ps;
};

static void start(struct sunflow *sunflow, uint32_t index, uint32_t crossbar)
{
    const struct circuit_entry *entry = &sunflow->problem->entries[index];
    ps_t start_ps = sunflow->now_ps + sunflow->delta_ps;
    circuit_waiting_take(&sunflow->waiting, entry);
    circuit_waiting_occupy(&sunflow->waiting, entry, crossbar);
    circuit_add(sunflow->schedule, index, crossbar, start_ps, start_ps + entry->time_ps);
    circuit_ends_push(&sunflow->ends, start_ps + entry->time_ps, index, crossbar);
}

static void first_walk(struct sunflow *sunflow)
{
    const struct circuit_problem *problem = sunflow->problem;
    struct circuit_waiting *waiting = &sunflow->waiting;
    for (uint32_t i = 0; i < problem->count; i++)
        for (uint32_t crossbar = 0; crossbar < problem->switches; crossbar++)
            if (bit_is_set(waiting->senders + crossbar * waiting->sender_words, problem->entries[i].sender) &&
                bit_is_set(waiting->receivers + crossbar * waiting->receiver_words,
                           problem->entries[i].receiver)) {
                start(sunflow, i, crossbar);
                break;
            }
}

/* The first index, at or after `from`, of both sets of bits; CIRCUIT_NONE: there is none. */
static uint32_t first_of_both(const uint64_t *a, const uint64_t *b, size_t words, uint32_t from)
{
    uint64_t mask = UINT64_MAX << from % 64;
    for (size_t word = from / 64; word < words; word++, mask = UINT64_MAX) {
        uint64_t both = a[word] & b[word] & mask;
        if (both)
            return (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(both);
    }
    return CIRCUIT_NONE;
}

/* The walk after the ports of `freed` have become free: first the senders before its own, then its own
 * sender, then those behind. */
static void next_walk(struct sunflow *sunflow, const struct circuit_entry *freed, uint32_t crossbar)
{
    const struct circuit_problem *problem = sunflow->problem;
    struct circuit_waiting *waiting = &sunflow->waiting;
    const uint64_t *senders = waiting->senders + crossbar * waiting->sender_words;
    const uint64_t *receivers = waiting->receivers + crossbar * waiting->receiver_words;
    const uint64_t *from = waiting->from + freed->receiver * waiting->sender_words;
    uint32_t sender = first_of_both(senders, from, waiting->sender_words, 0);
    if (sender < freed->sender)
        start(sunflow, circuit_at(problem, sender, freed->receiver), crossbar);
    uint32_t receiver = first_of_both(receivers, waiting->to + freed->sender * waiting->receiver_words,
                                      waiting->receiver_words, 0);
    if (receiver != CIRCUIT_NONE)
        start(sunflow, circuit_at(problem, freed->sender, receiver), crossbar);
    if (!bit_is_set(receivers, freed->receiver))
        return;
    sender = first_of_both(senders, from, waiting->sender_words, freed->sender);
    if (sender != CIRCUIT_NONE)
        start(sunflow, circuit_at(problem, sender, freed->receiver), crossbar);
}

static void walk(const struct circuit_problem *problem, ps_t delta_ps, struct circuit_schedule *schedule)
{
    struct sunflow sunflow = {.problem = problem, .schedule = schedule, .delta_ps = delta_ps};
    circuit_waiting_init(&sunflow.waiting, problem);
    circuit_ends_init(&sunflow.ends, circuit_most_up(problem));
    first_walk(&sunflow);
    while (sunflow.ends.count) {
        struct circuit_end end = circuit_ends_pop(&sunflow.ends);
        sunflow.now_ps = end.end_ps;
        circuit_waiting_release(&sunflow.waiting, &problem->entries[end.entry], end.crossbar);
        next_walk(&sunflow, &problem->entries[end.entry], end.crossbar);
    }
    circuit_ends_free(&sunflow.ends);
    circuit_waiting_free(&sunflow.waiting);
}

/* ----------------------------------------------------------------- all-stop */

static int compare_starts(const void *a, const void *b)
{
    const ps_t *left = a, *right = b;
    return *left < *right ? -1 : *left > *right;
}

/* The instants of the crossbar at which circuits start, ascending and distinct. */
static size_t list_starts(const struct circuit_schedule *schedule, uint32_t crossbar, ps_t *starts_ps)
{
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < schedule->count; i++)
        if (schedule->pieces[i].crossbar == crossbar)
            starts_ps[count++] = schedule->pieces[i].start_ps;
    if (count)
        qsort(starts_ps, count, sizeof *starts_ps, compare_starts);
    for (size_t i = 0; i < count; i++)
        if (!kept || starts_ps[i] != starts_ps[kept - 1])
            starts_ps[kept++] = starts_ps[i];
    return kept;
}

/* Splits a piece at the instants at which its switch stops, each of which takes delta. */
static bool split(const struct circuit_problem *problem, const struct circuit_piece *piece,
                  const ps_t *starts_ps, size_t count, struct circuit_schedule *schedule)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (starts_ps[middle] <= piece->start_ps)
            low = middle;
        else
            high = middle;
    }
    for (ps_t begin_ps = piece->start_ps; begin_ps < piece->end_ps; low++) {
        ps_t end_ps =
            low + 1 < count && starts_ps[low + 1] < piece->end_ps ? starts_ps[low + 1] : piece->end_ps;
        ps_t stops_ps = (ps_t)(low + 1) * problem->delta_ps;
        circuit_add(schedule, piece->entry, piece->crossbar, begin_ps + stops_ps, end_ps + stops_ps);
        if (schedule->count > MOST_PIECES)
            return false;
        begin_ps = end_ps;
    }
    return true;
}

static enum status stop_all(const struct circuit_problem *problem, const struct circuit_schedule *carried,
                            struct circuit_schedule *schedule)
{
    ps_t *starts_ps = mem_alloc(carried->count + 1, sizeof *starts_ps, "set-ups");
    bool fits = true;
    for (uint32_t crossbar = 0; crossbar < problem->switches && fits; crossbar++) {
        size_t count = list_starts(carried, crossbar, starts_ps);
        for (size_t i = 0; i < carried->count && fits; i++)
            if (carried->pieces[i].crossbar == crossbar)
                fits = split(problem, &carried->pieces[i], starts_ps, count, schedule);
    }
    free(starts_ps);
    if (!fits)
        diag_error("the circuits stop and go on more than %d times; --switch not-all-stop avoids that",
                   MOST_PIECES);
    return fits ? STATUS_OK : STATUS_FAILED;
}

static enum status run(const struct circuit_problem *problem, const struct circuit_effort *effort,
                       struct circuit_schedule *schedule)
{
    (void)effort;
    if (!problem->all_stop) {
        walk(problem, problem->delta_ps, schedule);
        return STATUS_OK;
    }
    struct circuit_schedule carried = {.count = 0};
    walk(problem, 0, &carried);
    enum status status = stop_all(problem, &carried, schedule);
    circuit_schedule_free(&carried);
    return status;
}

static double cost(const struct circuit_problem *problem)
{
    double size = problem->senders + problem->receivers;
    return problem->count * (50 + size / 32) * (problem->all_stop ? size / 4 + 1 : 1);
}

const struct circuit_algorithm sunflow_circuits = {.name = "sunflow", .run = run, .cost = cost};
