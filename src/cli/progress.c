#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"

#define WIPE_LINE "\r\033[K"

void progress_begin(struct progress_line *progress)
{
    *progress = (struct progress_line){.began_s = clock_seconds_now()};
}

/* Whether the line is due for an update. *elapsed_s is the time since the beginning. */
static bool is_due(struct progress_line *progress, double *elapsed_s)
{
    const double first_after_s = 2, every_s = 0.2;
    double now_s = clock_seconds_now();
    *elapsed_s = now_s - progress->began_s;
    if (*elapsed_s < first_after_s || now_s - progress->shown_s < every_s || !isatty(STDERR_FILENO))
        return false;
    progress->shown_s = now_s;
    progress->visible = true;
    return true;
}

bool progress_show(void *self, const char *what, uint64_t calls, uint64_t total_calls, ps_t now)
{
    double elapsed_s;
    char simulated[32];
    if (!is_due(self, &elapsed_s))
        return true;
    units_show_time(now, 4, simulated, sizeof simulated);
    if (total_calls && calls) {
        double share = (double)calls / (double)total_calls;
        fprintf(stderr, WIPE_LINE "%s: %3.0f %%, at %s, %.0f s to go", what, 100 * share, simulated,
                elapsed_s * (1 - share) / share);
    } else {
        fprintf(stderr, WIPE_LINE "%s: %.1f M calls, at %s", what, (double)calls * 1e-6, simulated);
    }
    fflush(stderr);
    return true;
}

void progress_show_runs(void *self, size_t ended, size_t to_run)
{
    double elapsed_s;
    if (ended == to_run)
        progress_wipe(self);
    if (!ended || ended == to_run || !is_due(self, &elapsed_s))
        return;
    fprintf(stderr, WIPE_LINE "%zu of %zu runs, %.0f s to go", ended, to_run,
            elapsed_s * (double)(to_run - ended) / (double)ended);
    fflush(stderr);
}

void progress_wipe(struct progress_line *progress)
{
    if (progress->visible)
        fprintf(stderr, WIPE_LINE);
    progress->visible = false;
}

void progress_end(struct progress_line *progress, const struct result *result)
{
    progress_wipe(progress);
    if (isatty(STDERR_FILENO) && result->messages && result->wall_s > 0)
        fprintf(stderr, "%s: %" PRIu64 " messages simulated in %.2f s, %.2f M/s\n", result->fabric,
                result->messages, result->wall_s, (double)result->messages / result->wall_s * 1e-6);
}
