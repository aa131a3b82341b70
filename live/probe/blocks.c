#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/rng.h"
#include "live/probe/probe.h"

enum { ROUNDS = 60, SECONDS = 20, LINE_BLOCKS = 20 };
enum { QUIET = 10 }; /* at most one block in so many may be disturbed */

const unsigned probe_delays_ns[DELAYS] = {100, 200, 400};

void pair_meet(struct pair *pair)
{
    char mine = 0, theirs;
    pair->exchange(pair, &mine, &theirs, 1);
}

/* The me-th of the cores that both may use. */
bool pair_pin(struct pair *pair)
{
    cpu_set_t allowed, theirs, one;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    pair->exchange(pair, &allowed, &theirs, sizeof allowed);
    CPU_OR(&allowed, &allowed, &theirs);
    int seen = 0, core = -1;
    for (int i = 0; i < CPU_SETSIZE && core < 0; i++)
        if (CPU_ISSET(i, &allowed) && seen++ == pair->me)
            core = i;
    CPU_ZERO(&one);
    if (core >= 0)
        CPU_SET(core, &one);
    char mine = core >= 0 && sched_setaffinity(0, sizeof one, &one) == 0, other;
    pair->exchange(pair, &mine, &other, 1);
    return mine && other;
}

void schedule_add(struct schedule *schedule, void (*run)(void *self, struct pair *pair, unsigned variant),
                  void *self, unsigned variant)
{
    schedule->blocks[schedule->count++] = (struct block){.run = run, .self = self, .variant = variant};
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* How often this process has been taken off its core. */
static long switches_now(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

/* -------------------------------------------------------------------------------------------------- turns */

enum { SOON_NS = 1000, LATE_NS = 3000 };

void turns_delay(unsigned exchange)
{
    clock_spin((ticks_t)((turns_are_late(exchange) ? LATE_NS : SOON_NS) * probe_clock.ticks_per_ns));
}

/* What else is in an exchange is in the late ones as well as in the others. */
void turns_record(const struct turns *turns, enum quantity quantity)
{
    if (turns->polls[1] > turns->polls[0])
        record(quantity, (LATE_NS - SOON_NS) * (BLOCK / 2) / (double)(turns->polls[1] - turns->polls[0]));
}

/* ------------------------------------------------------------------------------------------------- blocks */

struct tally {
    unsigned blocks, disturbed;
};

/* A block in which either process lost its core says nothing about messages. */
static void run_block(const struct block *block, struct pair *pair, struct tally *tally)
{
    pair_meet(pair);
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

/* What disturbs for a while disturbs all quantities alike, since their blocks come in random order, again and
 * again. Both processes draw the same order. Each is the first in every other round: half a round trip has
 * the parts of both in it, and two cores need not be equally fast, least of all where others share them. */
static void run_rounds(struct schedule *schedule, struct pair *pair, struct tally *tally)
{
    struct rng rng = rng_open(1, "blocks");
    const char *limit = getenv("HELIO_PROBE_SECONDS");
    double until_s = seconds_now() + (limit ? atof(limit) : SECONDS);
    for (unsigned round = 0; round < ROUNDS; round++) {
        char mine = round % 2 == 1 || seconds_now() < until_s, theirs;
        pair->exchange(pair, &mine, &theirs, 1);
        if (!mine || !theirs)
            break;
        pair->first = (unsigned)pair->me == round % 2;
        for (size_t i = schedule->count; i > 1; i--) {
            size_t other = rng_below(&rng, i);
            struct block block = schedule->blocks[i - 1];
            schedule->blocks[i - 1] = schedule->blocks[other];
            schedule->blocks[other] = block;
        }
        for (size_t i = 0; i < schedule->count; i++)
            run_block(&schedule->blocks[i], pair, tally);
    }
}

void schedule_run(struct schedule *schedule, struct pair *pair)
{
    struct line *line = line_open(pair);
    const struct block of_line = {.run = line_block, .self = line};
    struct tally ignored = {0};
    if (!line)
        record_note("no shared memory for the cache-line probe");
    for (int i = 0; line && i < LINE_BLOCKS; i++)
        run_block(&of_line, pair, &ignored);
    if (line)
        schedule_add(schedule, line_block, line, 0);
    struct tally tally = {0};
    run_rounds(schedule, pair, &tally);
    record_guard("quiet", tally.disturbed * QUIET <= tally.blocks,
                 "of %u blocks of %d exchanges %u were left out: a process lost its core", tally.blocks,
                 BLOCK, tally.disturbed);
    for (int i = 0; line && i < LINE_BLOCKS; i++)
        run_block(&of_line, pair, &ignored);
    if (line)
        line_close(line);
}
