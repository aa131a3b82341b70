/* The time of emitting schedules as the simulator does: every phase of every rank, only messages. */
#include <stdio.h>

#include "base/clock.h"
#include "coll/coll.h"

enum { RANKS = 1024, RANKS_OF_BARRIER = 1 << 20 };

struct counter {
    struct coll_sink base;
    uint64_t steps, phases, bytes;
};

static void count(struct coll_sink *sink, uint32_t peer, struct coll_span span)
{
    struct counter *counter = (struct counter *)sink;
    (void)peer;
    counter->steps++;
    counter->bytes += span.bytes;
}

static void measure(const struct coll_algorithm *algorithm, uint32_t size, const uint64_t *counts)
{
    struct counter counter = {.base = {.send = count, .recv = count, .local = false}};
    double began = clock_seconds_now();
    for (uint32_t rank = 0; rank < size; rank++) {
        struct coll_call call = {
            .kind = algorithm->kind, .size = size, .rank = rank, .element = 8, .bytes = 8192};
        call.send_bytes = call.recv_bytes = counts;
        for (uint32_t phase = 0; algorithm->emit(&call, phase, &counter.base); phase++)
            counter.phases++;
    }
    double ns = (clock_seconds_now() - began) * 1e9;
    printf("%-14s %-19s %8u %10llu %8.1f %8.1f\n", coll_kind_name(algorithm->kind), algorithm->name, size,
           (unsigned long long)counter.steps, ns / (double)counter.phases, ns / (double)counter.steps);
}

int main(void)
{
    static uint64_t counts[RANKS];
    for (uint32_t i = 0; i < RANKS; i++)
        counts[i] = i % 7 * 8;
    printf("%-14s %-19s %8s %10s %8s %8s\n", "kind", "algorithm", "ranks", "steps", "ns/phase", "ns/step");
    for (size_t i = 0; coll_algorithms[i]; i++)
        measure(coll_algorithms[i], RANKS, counts);
    measure(coll_find(COLL_BARRIER, "dissemination"), RANKS_OF_BARRIER, NULL);
    return 0;
}
