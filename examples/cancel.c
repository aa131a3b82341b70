/* Progress and cancelling: which collective algorithm ends first; a slower one is cancelled as soon as it is.
 *
 *     cc examples/cancel.c $(pkg-config --cflags --libs heliograph) -o cancel
 *     ./cancel
 *
 * The simulated time of a run only grows, so a run that has passed the best time so far cannot win. */
#include <heliograph.h>
#include <inttypes.h>
#include <stdio.h>

struct search {
    int64_t best_ps; /* 0: none yet */
};

/* Other than 0 cancels the run. */
static int give_up_when_slower(void *self, const struct heliograph_progress *progress)
{
    const struct search *search = self;
    return search->best_ps && progress->now_ps > search->best_ps;
}

static void try_algorithm(struct heliograph *experiment, struct search *search, const char *name)
{
    enum heliograph_status status = heliograph_set(experiment, "mpi.alltoall", name);
    if (status == HELIOGRAPH_OK)
        status = heliograph_run(experiment);
    if (status == HELIOGRAPH_CANCELLED) {
        printf("%-20s is slower: given up\n", name);
    } else if (status == HELIOGRAPH_OK) {
        search->best_ps = heliograph_makespan_ps(experiment, 0);
        printf("%-20s takes %.3f ms\n", name, (double)search->best_ps * 1e-9);
    } else {
        fputs(heliograph_last_error(), stderr);
    }
}

int main(void)
{
    static const char *const algorithms[] = {"bruck", "linear", "pairwise", "scatter-destination"};
    struct search search = {0};
    struct heliograph *experiment = heliograph_new();
    heliograph_set(experiment, "workload", "alltoall:ranks=1024,bytes=64B,iterations=4");
    heliograph_set(experiment, "fabric", "hockney");
    heliograph_on_progress(experiment, give_up_when_slower, &search);
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        try_algorithm(experiment, &search, algorithms[i]);
    heliograph_free(experiment);
    return 0;
}
