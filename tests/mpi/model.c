/* A unit test of model.c of the preloaded alltoall: its verdicts for some clusters. There is one rank. */
#include <stdio.h>

#include "live/coll/internal.h"

static const struct {
    uint32_t nodes, ranks, cores, leaders;
    uint64_t bytes;
    enum live_verdict verdict;
    const char *why;
} cases[] = {
    /* o: time of a message's end; b: time to copy a byte. With o = 0.3 us and b = 0.5 ns the library's way
     * takes 131 us for copies, 3.2 us for waking and 2.4 us for messages; the MPI's takes 614 us for 2046
     * messages. With o = 10 us and b = 0.1 ns it is 26, 3.2 and 80 us against 10 rounds of Bruck's algorithm
     * of 20 and 13 us. */
    {64, 16, 16, 16, 128, LIVE_FASTER, "many ranks, many leaders"},
    /* The same with one leader: with o = 10 us its 63 messages take 1260 us, Bruck's rounds 331 us. */
    {64, 16, 16, 1, 128, LIVE_UNKNOWN, "one leader has many messages"},
    /* 1678 us to copy 2 x 8 MiB at 0.1 ns per byte, against 14 messages of at most 10 us and 629 us within
       the node. */
    {2, 4, 4, 1, 1 << 20, LIVE_SLOWER, "large blocks"},
    {4, 4, 2, 1, 1, LIVE_UNKNOWN, "who has to sleep and who sends cheaply is not known"},
};

int main(void)
{
    int failures = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct live_comm comm = {.size = cases[i].nodes * cases[i].ranks,
                                       .most_here = cases[i].ranks,
                                       .leaders = cases[i].leaders,
                                       .nodes.count = cases[i].nodes,
                                       .cores = cases[i].cores};
        enum live_verdict verdict = live_model_alltoall(&comm, cases[i].bytes);
        if (verdict == cases[i].verdict)
            continue;
        fprintf(stderr, "model: %s: %d and not %d\n", cases[i].why, (int)verdict, (int)cases[i].verdict);
        failures++;
    }
    return failures > 0;
}
