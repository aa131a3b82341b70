/* An experiment from C: how much latency a network may have before a program is 10 % slower than without any.
 *
 *     cc examples/latency.c $(pkg-config --cflags --libs heliograph) -o latency
 *     ./latency
 *
 * The program is a 3D-FFT of NPB on 16 ranks. The makespan grows with the latency, so halving an interval
 * finds the answer to the nanosecond. */
#include <heliograph.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void stop_unless(enum heliograph_status status)
{
    if (status == HELIOGRAPH_OK)
        return;
    fputs(heliograph_last_error(), stderr);
    exit((int)status);
}

/* In picoseconds, at this latency. */
static int64_t makespan(struct heliograph *experiment, uint64_t latency_ns)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64 " ns", latency_ns);
    stop_unless(heliograph_set(experiment, "packet.latency", text));
    stop_unless(heliograph_run(experiment));
    return heliograph_makespan_ps(experiment, 0);
}

int main(void)
{
    struct heliograph *experiment = heliograph_new();
    stop_unless(heliograph_set(experiment, "workload", "npb:ft:class=S,ranks=16"));
    stop_unless(heliograph_set(experiment, "fabric", "packet"));
    int64_t bound_ps = makespan(experiment, 0) / 10 * 11;
    uint64_t good_ns = 0, bad_ns = 1000000;
    while (bad_ns - good_ns > 1) {
        uint64_t middle_ns = (good_ns + bad_ns) / 2;
        if (makespan(experiment, middle_ns) <= bound_ps)
            good_ns = middle_ns;
        else
            bad_ns = middle_ns;
    }
    printf("%s takes at most 10 %% longer up to a latency of %" PRIu64 " ns\n",
           heliograph_get(experiment, "workload"), good_ns);
    heliograph_free(experiment);
    return 0;
}
