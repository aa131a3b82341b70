#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_begin(struct progress_line *progress)
{
    *progress = (struct progress_line){.began_s = seconds_now()};
}

void progress_show(void *self, const char *what, uint64_t calls, uint64_t total_calls, ps_t now)
{
    enum { FIRST_AFTER_S = 2 };
    const double every_s = 0.2;
    struct progress_line *progress = self;
    double time_s = seconds_now(), elapsed_s = time_s - progress->began_s;
    if (elapsed_s < FIRST_AFTER_S || time_s - progress->shown_s < every_s || !isatty(STDERR_FILENO))
        return;
    char simulated[32];
    progress->shown_s = time_s;
    progress->visible = true;
    units_show_time(now, 4, simulated, sizeof simulated);
    if (total_calls) {
        double share = (double)calls / (double)total_calls;
        fprintf(stderr, "\r\033[K%s: %3.0f %%, at %s, %.0f s to go", what, 100 * share, simulated,
                elapsed_s * (1 - share) / share);
    } else {
        fprintf(stderr, "\r\033[K%s: %.1f M calls, at %s", what, (double)calls * 1e-6, simulated);
    }
    fflush(stderr);
}

void progress_end(struct progress_line *progress, const struct result *result)
{
    if (progress->visible)
        fprintf(stderr, "\r\033[K");
    progress->visible = false;
    if (isatty(STDERR_FILENO) && result->messages && result->wall_s > 0)
        fprintf(stderr, "%s: %" PRIu64 " messages simulated in %.2f s, %.2f M/s\n", result->fabric,
                result->messages, result->wall_s, (double)result->messages / result->wall_s * 1e-6);
}
