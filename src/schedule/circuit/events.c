#include "schedule/circuit/events.h"

#include <string.h>

#include "base/mem.h"

void circuit_ends_init(struct circuit_ends *ends, size_t most)
{
    *ends = (struct circuit_ends){.count = 0};
    ends->heap = mem_alloc(most + 1, sizeof *ends->heap, "circuits that are up");
}

void circuit_ends_free(struct circuit_ends *ends)
{
    free(ends->heap);
}

static bool is_before(const struct circuit_end *a, const struct circuit_end *b)
{
    return a->end_ps != b->end_ps ? a->end_ps < b->end_ps : a->made < b->made;
}

void circuit_ends_push(struct circuit_ends *ends, ps_t end_ps, uint32_t entry, uint32_t crossbar)
{
    struct circuit_end added = {end_ps, ends->made++, entry, crossbar};
    size_t at = ends->count++;
    for (; at && is_before(&added, &ends->heap[(at - 1) / 2]); at = (at - 1) / 2)
        ends->heap[at] = ends->heap[(at - 1) / 2];
    ends->heap[at] = added;
}

struct circuit_end circuit_ends_pop(struct circuit_ends *ends)
{
    struct circuit_end first = ends->heap[0], last = ends->heap[--ends->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < ends->count; at = child) {
        if (child + 1 < ends->count && is_before(&ends->heap[child + 1], &ends->heap[child]))
            child++;
        if (!is_before(&ends->heap[child], &last))
            break;
        ends->heap[at] = ends->heap[child];
    }
    ends->heap[at] = last;
    return first;
}

/* ------------------------------------------------------------------ waiting */

void circuit_waiting_init(struct circuit_waiting *waiting, const struct circuit_problem *problem)
{
    *waiting = (struct circuit_waiting){.sender_words = problem->senders / 64 + 1,
                                        .receiver_words = problem->receivers / 64 + 1};
    waiting->to =
        mem_alloc(problem->senders * waiting->receiver_words, sizeof(uint64_t), "entries that wait");
    waiting->from =
        mem_alloc(problem->receivers * waiting->sender_words, sizeof(uint64_t), "entries that wait");
    waiting->senders = mem_alloc(problem->switches * waiting->sender_words, sizeof(uint64_t), "ports");
    waiting->receivers = mem_alloc(problem->switches * waiting->receiver_words, sizeof(uint64_t), "ports");
    circuit_waiting_reset(waiting, problem);
}

void circuit_waiting_free(struct circuit_waiting *waiting)
{
    free(waiting->to);
    free(waiting->from);
    free(waiting->senders);
    free(waiting->receivers);
}

void circuit_waiting_reset(struct circuit_waiting *waiting, const struct circuit_problem *problem)
{
    memset(waiting->to, 0, problem->senders * waiting->receiver_words * sizeof(uint64_t));
    memset(waiting->from, 0, problem->receivers * waiting->sender_words * sizeof(uint64_t));
    for (uint32_t i = 0; i < problem->count; i++) {
        const struct circuit_entry *entry = &problem->entries[i];
        bit_set(waiting->to + entry->sender * waiting->receiver_words, entry->receiver);
        bit_set(waiting->from + entry->receiver * waiting->sender_words, entry->sender);
    }
    for (uint32_t crossbar = 0; crossbar < problem->switches; crossbar++) {
        for (uint32_t sender = 0; sender < problem->senders; sender++)
            bit_set(waiting->senders + crossbar * waiting->sender_words, sender);
        for (uint32_t receiver = 0; receiver < problem->receivers; receiver++)
            bit_set(waiting->receivers + crossbar * waiting->receiver_words, receiver);
    }
}
