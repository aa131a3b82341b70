/* What the preloaded alltoall thinks of clusters that are not here: its model alone, without ranks. */
#include <stdio.h>

#include "live/alltoall/internal.h"

static const struct {
    uint32_t nodes, ranks, cores, leaders;
    uint64_t bytes;
    enum live_verdict verdict;
    const char *why;
} cases[] = {
    /* With o = 0.3 us and b = 0.5 ns: copies 131 us, waking 3.2, messages 2.4, against 2046 messages, 614 us;
     * with o = 10 us and b = 0.1 ns: 26, 3.2, 80 us against Bruck's 10 rounds of 20 and 13 us. */
    {64, 16, 16, 16, 128, LIVE_FASTER, "many ranks, many leaders"},
    /* The same with one leader: at 10 us its 63 messages take 1260 us, Bruck's rounds 331. */
    {64, 16, 16, 1, 128, LIVE_UNKNOWN, "one leader has many messages"},
    /* 2 x 8 MiB to copy at 0.1 ns a byte, 1678 us, against 14 messages of at most 10 us and 629 us within the
       node. */
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
        enum live_verdict verdict = live_model_compare(&comm, cases[i].bytes);
        if (verdict == cases[i].verdict)
            continue;
        fprintf(stderr, "model: %s: %d and not %d\n", cases[i].why, (int)verdict, (int)cases[i].verdict);
        failures++;
    }
    return failures > 0;
}
