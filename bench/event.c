/* The time of the event queue by the hold model: take an event and push one, with N pending. A 4-ary heap
 * that sorts by (time, sequence) is measured in the same run, for comparison. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/event.h"
#include "base/mem.h"

static uint64_t random_state;

static ps_t random_delay(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (ps_t)(random_state % 1000000);
}

/* -------------------------------------------------------------- 4-ary heap */

struct item {
    ps_t at;
    uint64_t sequence;
};

static int before(const struct item *a, const struct item *b)
{
    return a->at < b->at || (a->at == b->at && a->sequence < b->sequence);
}

/* Replaces the top, which is the least work that a hold needs in a heap. */
static void sift_down(struct item *heap, size_t count, struct item item)
{
    size_t hole = 0;
    for (;;) {
        size_t child = hole * 4 + 1, least = child;
        if (child >= count)
            break;
        for (size_t i = child + 1; i < child + 4 && i < count; i++)
            if (before(&heap[i], &heap[least]))
                least = i;
        if (!before(&heap[least], &item))
            break;
        heap[hole] = heap[least];
        hole = least;
    }
    heap[hole] = item;
}

static double heap_ns(size_t pending, size_t holds)
{
    struct item *heap = mem_alloc(pending, sizeof *heap, "a heap");
    random_state = 88172645463325252u;
    for (size_t i = 0; i < pending; i++) /* sorted input is a heap */
        heap[i] = (struct item){.at = (ps_t)(i * 1000000 / pending), .sequence = i};
    double began = clock_seconds_now();
    for (size_t i = 0; i < holds; i++)
        sift_down(heap, pending, (struct item){.at = heap[0].at + random_delay(), .sequence = pending + i});
    double ns = (clock_seconds_now() - began) * 1e9 / (double)holds;
    free(heap);
    return ns;
}

static double radix_ns(size_t pending, size_t holds)
{
    struct event_loop loop;
    struct event event;
    loop_init(&loop);
    random_state = 88172645463325252u;
    for (size_t i = 0; i < pending; i++)
        loop_at(&loop, random_delay(), 0, (uint32_t)i);
    double began = clock_seconds_now();
    for (size_t i = 0; i < holds; i++) {
        loop_take(&loop, &event);
        loop_at(&loop, event.at + random_delay(), 0, event.subject);
    }
    double ns = (clock_seconds_now() - began) * 1e9 / (double)holds;
    loop_free(&loop);
    return ns;
}

int main(void)
{
    static const size_t pending[] = {64, 4096, 32768, 262144, 1048576, 4194304};
    printf("%10s %14s %14s %8s\n", "pending", "radix ns/hold", "4-ary ns/hold", "ratio");
    for (size_t i = 0; i < sizeof pending / sizeof *pending; i++) {
        size_t holds = 4000000;
        double heap = heap_ns(pending[i], holds), radix = radix_ns(pending[i], holds);
        printf("%10zu %14.1f %14.1f %8.2f\n", pending[i], radix, heap, heap / radix);
    }
    return 0;
}
