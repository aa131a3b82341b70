#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/rng.h"
#include "base/units.h"
#include "live/probe/probe.h"

/* The limits of a measurement, and how often the cache line is measured before and after it. */
enum { ROUNDS = 60, SECONDS = 20, LINE_BLOCKS = 20 };
enum { QUIET = 10 }; /* the measurement is good if at most one block in so many was disturbed */

const unsigned probe_delays_ns[DELAYS] = {100, 200, 400};

void block_schedule_add(struct block_schedule *schedule,
                        void (*run)(void *self, struct probe_pair *pair, unsigned variant), void *self,
                        unsigned variant)
{
    schedule->blocks[schedule->count++] = (struct probe_block){.run = run, .self = self, .variant = variant};
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* How often the kernel has taken this process off its core. */
static long switches_now(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

struct block_tally {
    unsigned blocks, disturbed;
};

/* Runs a block. If either process has lost its core, the samples of the block are removed. */
static void run_block(const struct probe_block *block, struct probe_pair *pair, struct block_tally *tally)
{
    pair_barrier(pair);
    record_mark();
    long before = switches_now();
    block->run(block->self, pair, block->variant);
    char mine = switches_now() != before, theirs;
    pair->exchange(pair, &mine, &theirs, 1);
    tally->blocks++;
    if (mine || theirs) {
        record_forget();
        tally->disturbed++;
    }
}

/* HELIO_PROBE_SECONDS, or SECONDS if that is not a number of seconds. */
static double limit_s(void)
{
    const char *text = getenv("HELIO_PROBE_SECONDS");
    struct units_problem problem;
    double seconds;
    if (!text || !*text)
        return SECONDS;
    if (units_number(text, &seconds, &problem) && seconds > 0)
        return seconds;
    record_note("HELIO_PROBE_SECONDS is not a positive number, so the limit is %d s", SECONDS);
    return SECONDS;
}

/* Runs all blocks in random order, again and again, so that a disturbance of some length affects all
 * quantities alike. Both processes draw the same order. Each is the first process in every other round: half
 * a round trip contains parts of both, and the two cores may differ in speed, above all if other processes
 * share them. */
static void run_rounds(struct block_schedule *schedule, struct probe_pair *pair, struct block_tally *tally)
{
    struct rng rng = rng_init(1, "blocks");
    double until_s = seconds_now() + limit_s();
    for (unsigned round = 0; round < ROUNDS; round++) {
        char mine = round % 2 == 1 || seconds_now() < until_s, theirs;
        pair->exchange(pair, &mine, &theirs, 1);
        if (!mine || !theirs)
            break;
        pair->first = (unsigned)pair->me == round % 2;
        for (size_t i = schedule->count; i > 1; i--) {
            size_t other = rng_below(&rng, i);
            struct probe_block block = schedule->blocks[i - 1];
            schedule->blocks[i - 1] = schedule->blocks[other];
            schedule->blocks[other] = block;
        }
        for (size_t i = 0; i < schedule->count; i++)
            run_block(&schedule->blocks[i], pair, tally);
    }
}

void block_schedule_run(struct block_schedule *schedule, struct probe_pair *pair)
{
    struct cache_line *line = cache_line_open(pair);
    const struct probe_block of_line = {.run = cache_line_block, .self = line};
    struct block_tally ignored = {0};
    if (!line)
        record_note("no shared memory for the cache-line probe");
    for (int i = 0; line && i < LINE_BLOCKS; i++)
        run_block(&of_line, pair, &ignored);
    if (line)
        block_schedule_add(schedule, cache_line_block, line, 0);
    struct block_tally tally = {0};
    run_rounds(schedule, pair, &tally);
    record_guard("quiet", tally.disturbed * QUIET <= tally.blocks,
                 "of %u blocks of %d exchanges %u were left out: a process lost its core", tally.blocks,
                 BLOCK, tally.disturbed);
    for (int i = 0; line && i < LINE_BLOCKS; i++)
        run_block(&of_line, pair, &ignored);
    if (line)
        cache_line_close(line);
}
