#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "schedule/circuit/demand.h"

/* ------------------------------------------------------------------ problem */

/* Numbers the ports with bytes: number[port] becomes its number + 1, and ports[number] the port. */
static uint32_t number_ports(uint32_t *number, uint32_t **ports)
{
    uint32_t count = 0;
    *ports = mem_alloc(CIRCUIT_MOST_PORTS, sizeof **ports, "ports");
    for (uint32_t port = 0; port < CIRCUIT_MOST_PORTS; port++)
        if (number[port]) {
            (*ports)[count] = port;
            number[port] = ++count;
        }
    return count;
}

static void number_entries(struct circuit_problem *problem, const struct circuit_demand *demand)
{
    uint32_t *sender = mem_alloc(CIRCUIT_MOST_PORTS, sizeof *sender, "ports");
    uint32_t *receiver = mem_alloc(CIRCUIT_MOST_PORTS, sizeof *receiver, "ports");
    for (size_t i = 0; i < demand->count; i++)
        sender[demand->lines[i].source] = receiver[demand->lines[i].destination] = 1;
    problem->senders = number_ports(sender, &problem->sender_port);
    problem->receivers = number_ports(receiver, &problem->receiver_port);
    problem->at =
        mem_alloc((size_t)problem->senders * problem->receivers + 1, sizeof *problem->at, "a demand");
    problem->entries = mem_alloc(demand->count + 1, sizeof *problem->entries, "a demand");
    for (size_t i = 0; i < demand->count; i++) {
        const struct circuit_demand_line *line = &demand->lines[i];
        struct circuit_entry *entry = &problem->entries[i];
        *entry = (struct circuit_entry){.sender = sender[line->source] - 1,
                                        .receiver = receiver[line->destination] - 1,
                                        .bytes = line->bytes,
                                        .time_ps = service_ps(line->bytes, problem->rate_bytes_per_s)};
        problem->at[(size_t)entry->sender * problem->receivers + entry->receiver] = (uint32_t)i + 1;
    }
    problem->count = (uint32_t)demand->count;
    free(sender);
    free(receiver);
}

/* Schedules are some times as long as what the busiest port has to do. */
static bool is_countable(const struct circuit_problem *problem)
{
    const sum_t most_ps = PS_NEVER / 16;
    bool counts = true;
    sum_t *ports =
        mem_alloc((size_t)problem->senders + problem->receivers + 1, sizeof *ports, "loads of ports");
    for (uint32_t i = 0; i < problem->count && counts; i++) {
        const struct circuit_entry *entry = &problem->entries[i];
        sum_t *sender = &ports[entry->sender], *receiver = &ports[problem->senders + entry->receiver];
        *sender += (sum_t)entry->time_ps + problem->delta_ps;
        *receiver += (sum_t)entry->time_ps + problem->delta_ps;
        counts = *sender < most_ps && *receiver < most_ps;
    }
    free(ports);
    return counts;
}

enum status circuit_problem_init(struct circuit_problem *problem, const struct circuit_demand *demand,
                                 const struct circuit_switching *switching)
{
    *problem = (struct circuit_problem){.delta_ps = switching->delta_ps,
                                        .rate_bytes_per_s = switching->rate_bytes_per_s,
                                        .switches = switching->switches,
                                        .all_stop = switching->all_stop,
                                        .hops = switching->hops > 1 ? 2 : 1,
                                        .slot_ps = switching->slot_ps};
    number_entries(problem, demand);
    if (is_countable(problem))
        return STATUS_OK;
    diag_error(
        "the circuits of a port take 6 days or more one after another; fewer bytes, a higher rate or a "
        "shorter switching time are needed");
    circuit_problem_free(problem);
    return STATUS_BAD_INPUT;
}

void circuit_problem_free(struct circuit_problem *problem)
{
    free(problem->sender_port);
    free(problem->receiver_port);
    free(problem->entries);
    free(problem->at);
    *problem = (struct circuit_problem){0};
}

/* ----------------------------------------------------------------- schedule */

void circuit_schedule_free(struct circuit_schedule *schedule)
{
    free(schedule->pieces);
    *schedule = (struct circuit_schedule){0};
}

void circuit_schedule_clear(struct circuit_schedule *schedule)
{
    schedule->count = 0;
    schedule->makespan_ps = 0;
    schedule->configurations = 0;
    schedule->proven = false;
}

void circuit_add(struct circuit_schedule *schedule, uint32_t entry, uint32_t crossbar, ps_t start_ps,
                 ps_t end_ps)
{
    schedule->pieces = mem_grow(schedule->pieces, &schedule->capacity, schedule->count + 1, "a schedule");
    schedule->pieces[schedule->count++] = (struct circuit_piece){
        .entry = entry, .crossbar = crossbar, .start_ps = start_ps, .end_ps = end_ps, .via = CIRCUIT_NONE};
    schedule->makespan_ps = ps_max(schedule->makespan_ps, end_ps);
}

static int compare_pieces(const void *a, const void *b)
{
    const struct circuit_piece *left = a, *right = b;
    if (left->start_ps != right->start_ps)
        return left->start_ps < right->start_ps ? -1 : 1;
    if (left->crossbar != right->crossbar)
        return left->crossbar < right->crossbar ? -1 : 1;
    return left->entry < right->entry ? -1 : left->entry > right->entry;
}

void circuit_keep_shorter(struct circuit_schedule *schedule, struct circuit_schedule *other,
                          const char *made_by)
{
    if (schedule->count && schedule->makespan_ps <= other->makespan_ps) {
        circuit_schedule_free(other);
        return;
    }
    circuit_schedule_free(schedule);
    *schedule = *other;
    schedule->made_by = made_by;
}

uint64_t circuit_relayed(const struct circuit_problem *problem, const struct circuit_schedule *schedule)
{
    uint64_t count = 0;
    bool *is_counted = mem_alloc((size_t)problem->count + 1, sizeof *is_counted, "entries");
    for (size_t i = 0; i < schedule->count; i++) {
        const struct circuit_piece *piece = &schedule->pieces[i];
        count += piece->via != CIRCUIT_NONE && !is_counted[piece->entry];
        is_counted[piece->entry] = is_counted[piece->entry] || piece->via != CIRCUIT_NONE;
    }
    free(is_counted);
    return count;
}

/* A piece needs a set-up unless the circuit is up already: the piece before of its sender on the switch is of
 * the same circuit, and so is that of its receiver. */
void circuit_finish(const struct circuit_problem *problem, struct circuit_schedule *schedule)
{
    size_t ports = (size_t)problem->switches * CIRCUIT_MOST_PORTS;
    uint32_t *sent = mem_alloc(ports, sizeof *sent, "circuits that are up"); /* the other port + 1 */
    uint32_t *received = mem_alloc(ports, sizeof *received, "circuits that are up");
    ps_t *setup_ps = mem_alloc(problem->switches, sizeof *setup_ps, "set-ups");
    if (schedule->count)
        qsort(schedule->pieces, schedule->count, sizeof *schedule->pieces, compare_pieces);
    schedule->configurations = 0;
    for (size_t i = 0; i < schedule->count; i++) {
        const struct circuit_piece *piece = &schedule->pieces[i];
        uint32_t source = circuit_piece_source(problem, piece);
        uint32_t destination = circuit_piece_destination(problem, piece);
        uint32_t *sender = &sent[(size_t)piece->crossbar * CIRCUIT_MOST_PORTS + source];
        uint32_t *receiver = &received[(size_t)piece->crossbar * CIRCUIT_MOST_PORTS + destination];
        bool is_up = *sender == destination + 1 && *receiver == source + 1;
        *sender = destination + 1;
        *receiver = source + 1;
        if (is_up || setup_ps[piece->crossbar] == piece->start_ps + 1)
            continue;
        setup_ps[piece->crossbar] = piece->start_ps + 1;
        schedule->configurations++;
    }
    free(sent);
    free(received);
    free(setup_ps);
}
