#include "schedule/circuit/verify_relays.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"

/* What is at a port of an entry is checked at each time at which a circuit that brings it or takes it away
 * begins or ends. In between all of them carry at the same rate, so that both sums are straight lines. */

struct relay_change {
    ps_t at_ps;
    uint32_t line;
    int arriving, leaving; /* circuits that begin (1) or end (-1) */
};

void relays_add(struct relays *relays, const struct relay_use *use)
{
    relays->uses = mem_grow(relays->uses, &relays->capacity, relays->count + 1, "bytes between circuits");
    relays->uses[relays->count++] = *use;
}

void relays_free(struct relays *relays)
{
    free(relays->uses);
    *relays = (struct relays){0};
}

static int compare_uses(const void *a, const void *b)
{
    const struct relay_use *left = a, *right = b;
    if (left->entry != right->entry)
        return left->entry < right->entry ? -1 : 1;
    if (left->port != right->port)
        return left->port < right->port ? -1 : 1;
    return left->line < right->line ? -1 : left->line > right->line;
}

static int compare_changes(const void *a, const void *b)
{
    const struct relay_change *left = a, *right = b;
    if (left->at_ps != right->at_ps)
        return left->at_ps < right->at_ps ? -1 : 1;
    return left->line < right->line ? -1 : left->line > right->line;
}

/* The uses of one entry and one port. */
struct relay_port {
    const struct circuit_problem *problem;
    const struct relay_use *uses;
    size_t count;
    const char *place;
    struct schedule_problems *found;
};

static void too_early(const struct relay_port *port, const struct relay_change *at, ps_t at_ps,
                      ps_t arrived_ps)
{
    const struct circuit_entry *entry = &port->problem->entries[port->uses->entry];
    char byte[SCHEDULE_BYTE];
    schedule_problems_add(port->found, at_ps, at->line,
                          "%s, counted at %s %" PRIu32 ", leaves this %s before it has arrived there",
                          schedule_byte(arrived_ps, port->problem->rate_bytes_per_s,
                                        port->problem->sender_port[entry->sender],
                                        port->problem->receiver_port[entry->receiver], byte),
                          port->place, port->uses->port, port->place);
}

/* Walks through the changes; false: bytes have left too early, which is reported once. A byte leaves when all
 * of it has arrived: one byte more than what has left is there when a circuit begins to take bytes away. */
static bool walk(const struct relay_port *port, const struct relay_change *changes, ps_t leaves_ps)
{
    const ps_t byte_ps = service_ps(1, port->problem->rate_bytes_per_s);
    ps_t arrived_ps = 0, left_ps = 0;
    int arriving = 0, leaving = 0;
    for (size_t i = 0; i < 2 * port->count; i++) {
        const struct relay_change *change = &changes[i];
        ps_t since_ps = i ? change->at_ps - change[-1].at_ps : 0, slack_ps = arrived_ps - left_ps;
        ps_t more_ps = ps_times(since_ps, (uint64_t)arriving),
             less_ps = ps_times(since_ps, (uint64_t)leaving);
        if (ps_add(left_ps, less_ps) > ps_add(arrived_ps, more_ps)) {
            too_early(port, &change[-1], change[-1].at_ps + slack_ps / (leaving - arriving),
                      arrived_ps + slack_ps / (leaving - arriving) * arriving);
            return false;
        }
        arrived_ps = ps_add(arrived_ps, more_ps);
        left_ps = ps_add(left_ps, less_ps);
        arriving += change->arriving;
        leaving += change->leaving;
        ps_t first_ps = ps_add(left_ps, byte_ps) < leaves_ps ? ps_add(left_ps, byte_ps) : leaves_ps;
        if (change->leaving > 0 && first_ps > arrived_ps) {
            too_early(port, change, change->at_ps, left_ps);
            return false;
        }
    }
    return true;
}

static void check_port(const struct relay_port *port)
{
    const struct circuit_problem *problem = port->problem;
    const struct circuit_entry *entry = &problem->entries[port->uses->entry];
    struct relay_change *changes = mem_alloc(2 * port->count, sizeof *changes, "bytes between circuits");
    ps_t sum_ps[2] = {0, 0};
    for (size_t i = 0; i < port->count; i++) {
        const struct relay_use *use = &port->uses[i];
        int arrives = !use->leaves, leaves = use->leaves;
        changes[2 * i] = (struct relay_change){use->start_ps, use->line, arrives, leaves};
        changes[2 * i + 1] = (struct relay_change){use->end_ps, use->line, -arrives, -leaves};
        sum_ps[use->leaves] = ps_add(sum_ps[use->leaves], use->end_ps - use->start_ps);
    }
    qsort(changes, 2 * port->count, sizeof *changes, compare_changes);
    uint64_t rate = problem->rate_bytes_per_s;
    if (walk(port, changes, sum_ps[1]) && sum_ps[0] > sum_ps[1])
        schedule_problems_add(port->found, PS_NEVER, 0,
                              "byte %" PRIu64 " of %" PRIu32 ",%" PRIu32 " that comes to %s %" PRIu32
                              " is lost: it stays there; the %s gets %" PRIu64
                              " bytes of them and sends on %" PRIu64,
                              schedule_bytes(sum_ps[1], rate), problem->sender_port[entry->sender],
                              problem->receiver_port[entry->receiver], port->place, port->uses->port,
                              port->place, schedule_bytes(sum_ps[0], rate), schedule_bytes(sum_ps[1], rate));
    free(changes);
}

static void check_sent(const struct circuit_problem *problem, const struct relay_use *use, ps_t sent_ps,
                       struct schedule_problems *found)
{
    const struct circuit_entry *entry = &problem->entries[use->entry];
    if (sent_ps <= entry->time_ps)
        return;
    schedule_problems_add(found, use->start_ps, use->line,
                          "a byte of %" PRIu32 ",%" PRIu32
                          " is on two circuits: they leave their sender with %" PRIu64
                          " bytes, and the demand has %" PRIu64,
                          problem->sender_port[entry->sender], problem->receiver_port[entry->receiver],
                          schedule_bytes(sent_ps, problem->rate_bytes_per_s), entry->bytes);
}

void relays_check(struct relays *relays, const struct circuit_problem *problem, const char *place,
                  const ps_t *sent_ps, struct schedule_problems *found)
{
    if (relays->count)
        qsort(relays->uses, relays->count, sizeof *relays->uses, compare_uses);
    for (size_t begin = 0, end; begin < relays->count; begin = end) {
        const struct relay_use *first = &relays->uses[begin];
        for (end = begin; end < relays->count && relays->uses[end].entry == first->entry &&
                          relays->uses[end].port == first->port;)
            end++;
        check_port(&(struct relay_port){problem, first, end - begin, place, found});
        if (!begin || first[-1].entry != first->entry)
            check_sent(problem, first, sent_ps[first->entry], found);
    }
}
