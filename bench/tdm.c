/* Connection scheduling, compared with its goals: patterns proven optimal within 2 s, all-to-all by the
 * closed form within 1 s, 250,000 requests on 32 x 32 by first fit within 1 s and 64 MB, and the distance
 * from the bound by swap search there. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "schedule/method.h"

struct made {
    uint32_t degree, bound;
    double seconds;
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Processor time of scheduling alone, without making the pattern. */
static struct made make(const char *topology, const char *name, int algorithm, uint64_t seed,
                        const struct tdm_limit *limit)
{
    struct topo topo;
    struct tdm_pattern pattern = {0};
    struct tdm_plan plan;
    struct tdm_method method = {.algorithm = algorithm, .seed = seed, .random_order = true, .limit = *limit};
    if (tdm_topology("topology", topology, &topo) != STATUS_OK ||
        tdm_pattern_named(name, topo.nodes, &pattern) != STATUS_OK)
        exit(1);
    double begun = seconds_now();
    if (tdm_plan_init(&plan, &topo, &pattern, &method) != STATUS_OK)
        exit(1);
    struct made made = {plan.schedule.degree, plan.bound, seconds_now() - begun};
    tdm_plan_free(&plan);
    tdm_pattern_free(&pattern);
    return made;
}

/* The time limit of most searches. */
static const struct tdm_limit two_seconds = {.seconds = 2};

static const char *judge(bool met)
{
    return met ? "met" : "not met";
}

/* This comes first, since a process's peak memory never falls. */
static void quarter_of_a_million(void)
{
    struct made made = make("torus:32x32", "random:connections=262144", TDM_GREEDY, 1, &two_seconds);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double peak_mb = (double)usage.ru_maxrss * 1024 / 1e6;
    printf("greedy, 262144 requests on 32x32    %8.3f s  (goal 1 s: %s), %.1f MB (goal 64 MB: %s), %" PRIu32
           " slots\n",
           made.seconds, judge(made.seconds <= 1), peak_mb, judge(peak_mb <= 64), made.degree);
}

static void all_to_all(void)
{
    static const struct {
        const char *topology;
        uint32_t slots;
    } tori[] = {{"torus:8x8", 64}, {"torus:16x16", 512}, {"torus:32x32", 4096}};
    for (size_t i = 0; i < sizeof tori / sizeof *tori; i++) {
        struct made made = make(tori[i].topology, "all-to-all", TDM_AAPC, 1, &two_seconds);
        printf("all-to-all, %-11s             %8.3f s  (goal 1 s and %" PRIu32 " slots: %s), %" PRIu32
               " slots\n",
               tori[i].topology, made.seconds, tori[i].slots,
               judge(made.seconds <= 1 && made.degree == tori[i].slots), made.degree);
    }
}

static void table_3(void)
{
    static const char *const names[] = {"ring", "nearest-neighbour", "hypercube", "shuffle-exchange",
                                        "all-to-all"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct made made = make("torus:8x8", names[i], TDM_BEST, 1, &two_seconds);
        printf("best, %-18s            %8.3f s  (goal optimal in 2 s: %s), %" PRIu32 " slots\n", names[i],
               made.seconds, judge(made.degree == made.bound), made.degree);
    }
}

static void random_patterns(void)
{
    enum { SEEDS = 20, STEP = 100, LAST = 2400 };
    unsigned patterns = 0, optimal = 0;
    double longest = 0;
    char name[64];
    for (unsigned connections = STEP; connections <= LAST; connections += STEP)
        for (unsigned seed = 1; seed <= SEEDS; seed++) {
            snprintf(name, sizeof name, "random:connections=%u,seed=%u", connections, seed);
            struct made made = make("torus:8x8", name, TDM_BEST, seed, &two_seconds);
            patterns++;
            optimal += made.degree == made.bound;
            if (made.degree == made.bound && made.seconds > longest)
                longest = made.seconds;
        }
    printf(
        "best, random, 100 to 2400           %8.1f %% of %u proven optimal (goal 95 %%: %s), the longest in "
        "%.3f s\n",
        100.0 * optimal / patterns, patterns, judge(100.0 * optimal / patterns >= 95), longest);
}

static void random_2800(void)
{
    enum { SEEDS = 20 };
    uint32_t most = 0, optimal = 0;
    char name[64];
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        snprintf(name, sizeof name, "random:connections=2800,seed=%u", seed);
        struct made made = make("torus:8x8", name, TDM_BEST, seed, &two_seconds);
        uint32_t above = made.degree - made.bound;
        most = above > most ? above : most;
        optimal += above == 0;
    }
    printf("best, random, 2800                  at most %" PRIu32 " above the bound (goal 1: %s), %" PRIu32
           " of %d proven optimal\n",
           most, judge(most <= 1), optimal, SEEDS);
}

/* A number of moves that takes less than a minute on an idle machine. It is a number, so the result is always
 * the same. */
static void long_search(void)
{
    static const uint64_t moves = 800000000;
    struct tdm_limit limit = {.moves = moves};
    struct made made = make("torus:32x32", "random:connections=262144", TDM_BEST, 1, &limit);
    double above_percent = 100.0 * ((double)made.degree / made.bound - 1);
    printf(
        "best, 262144 requests on 32x32      %8.2f %% above the bound (goal 3 %%: %s) after %.1f s (goal 60 "
        "s: %s), %" PRIu32 " slots, bound %" PRIu32 "\n",
        above_percent, judge(above_percent <= 3), made.seconds, judge(made.seconds <= 60), made.degree,
        made.bound);
}

int main(void)
{
    quarter_of_a_million();
    all_to_all();
    table_3();
    random_patterns();
    random_2800();
    long_search();
    return 0;
}
