/* The log of the steps that can still become the critical path, beside a model that keeps every step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "engine/critical_log.h"

enum { LINKS = 40, STEPS = 20000 };

/* A step as it was appended, and where its chain goes on in the model. */
struct known_step {
    struct critical_detail detail;
    struct cause_link link;
    int before;              /* -1: the beginning */
    struct critical_sum sum; /* of the chain up to its end */
};

#define REST CRITICAL_SOFTWARE

static struct known_step known[STEPS];
static int known_count;
static struct cause_link links[LINKS];
static struct critical_detail details[LINKS];
static int last_of[LINKS]; /* the known step of the link; -1: none */
static struct rng rng;

/* Now and then more than 32 bits. */
static uint64_t random_value(bool has_wide)
{
    uint64_t narrow = rng_below(&rng, UINT32_MAX);
    return has_wide && rng_below(&rng, 40) == 0 ? narrow << 12 : narrow >> rng_below(&rng, 32);
}

/* The link begins behind the chain of another one, or at the beginning, and ends. */
static void make_link(uint32_t index, int before, uint32_t step_before, bool has_wide)
{
    struct critical_detail *detail = &details[index];
    struct cause_link *link = &links[index];
    *detail = (struct critical_detail){.before = step_before,
                                       .step = POOL_NONE,
                                       .rank = (uint32_t)rng_below(&rng, 100),
                                       .source = (uint32_t)rng_below(&rng, 100),
                                       .destination = (uint32_t)rng_below(&rng, 100),
                                       .which = (uint32_t)rng_below(&rng, 100),
                                       .bytes = random_value(has_wide),
                                       .number = rng_below(&rng, 4) ? random_value(has_wide) >> 4 : 0,
                                       .op = rng_below(&rng, 30),
                                       .awaited = rng_below(&rng, 3),
                                       .awaited_ps = (ps_t)random_value(has_wide),
                                       .since = before < 0 ? 0 : known[before].link.end};
    *link = (struct cause_link){.uses = 1, .is_closed = true};
    link->kinds[CRITICAL_COMPUTATION] = (ps_t)random_value(has_wide);
    link->end = detail->start =
        detail->since + link->kinds[CRITICAL_COMPUTATION] + (ps_t)random_value(has_wide);
    for (int kind = 1; kind < CAUSE_KINDS; kind++) {
        link->kinds[kind] = (ps_t)random_value(has_wide);
        link->end += link->kinds[kind];
    }
    link->end += (ps_t)random_value(has_wide);
    last_of[index] = -1;
}

static ps_t worked(const struct known_step *step)
{
    return step->detail.start - step->detail.since - step->link.kinds[CRITICAL_COMPUTATION];
}

static struct critical_sum sum_with(const struct known_step *step)
{
    struct critical_sum sum = {.messages = 0};
    if (step->before >= 0)
        sum = known[step->before].sum;
    ps_t other = step->link.end - step->detail.since - worked(step);
    for (int kind = 0; kind < CAUSE_KINDS; kind++) {
        sum.kinds[kind] += step->link.kinds[kind];
        other -= step->link.kinds[kind];
    }
    sum.kinds[REST] += worked(step);
    sum.kinds[CRITICAL_OTHER] += other;
    sum.messages += step->detail.number > 0;
    return sum;
}

static void append(struct critical_log *log, uint32_t index, int before)
{
    if (critical_log_is_full(log))
        critical_log_make_room(log, details, links, LINKS);
    details[index].step = critical_log_append(log, &details[index], &links[index]);
    known[known_count] =
        (struct known_step){.detail = details[index], .link = links[index], .before = before};
    known[known_count].sum = sum_with(&known[known_count]);
    last_of[index] = known_count++;
}

static void same_step(const struct critical_step *step, const struct known_step *expected, uint32_t awaited)
{
    const struct critical_detail *detail = &expected->detail;
    assert_int_equal(step->rank, detail->rank);
    assert_int_equal(step->source, detail->source);
    assert_int_equal(step->destination, detail->destination);
    assert_int_equal(step->which, detail->which);
    assert_int_equal(step->op, detail->op);
    assert_int_equal(step->bytes, detail->bytes);
    assert_int_equal(step->number, detail->number);
    assert_int_equal(step->is_signal, detail->number == 0);
    assert_int_equal(step->computed, expected->link.kinds[CRITICAL_COMPUTATION]);
    assert_int_equal(step->awaited_ps, detail->awaited_ps);
    assert_int_equal(awaited, detail->awaited);
    assert_int_equal(step->start, detail->start);
    assert_int_equal(step->since, detail->since);
    assert_int_equal(step->kinds[CRITICAL_COMPUTATION], 0);
    for (int kind = 1; kind < CAUSE_KINDS; kind++)
        assert_int_equal(step->kinds[kind], expected->link.kinds[kind]);
}

/* Follows the chain of the link, of which the log has the sum, whatever it has forgotten. Returns how many
 * steps it has, and whether the log has all of them. */
static size_t check_chain(const struct critical_log *log, uint32_t index, bool *is_whole)
{
    size_t count = 0;
    int expected = last_of[index];
    struct critical_sum sum = {.messages = 0};
    critical_log_sum(log, details[index].step, &sum);
    assert_memory_equal(&sum, &known[expected].sum, sizeof sum);
    for (uint32_t i = details[index].step; critical_log_has(i); i = log->before[i]) {
        assert_true(expected >= 0 && i < log->count);
        uint32_t awaited;
        struct critical_step step = critical_log_step(log, i, known[expected].link.end, &awaited);
        same_step(&step, &known[expected], awaited);
        expected = known[expected].before;
        count++;
    }
    *is_whole = expected < 0;
    return count;
}

/* Links are made behind random ones, as far back as `spread`, and chains are compared now and then. */
static void run_links(struct critical_log *log, uint64_t seed, uint32_t spread, bool has_wide, bool *is_whole)
{
    rng = rng_init(seed, "log");
    known_count = 0;
    memset(links, 0, sizeof links);
    *is_whole = true;
    for (uint32_t i = 0; i < LINKS; i++) {
        make_link(i, -1, POOL_NONE, has_wide);
        append(log, i, -1);
    }
    while (known_count < STEPS) {
        uint32_t index = (uint32_t)rng_below(&rng, LINKS);
        uint32_t behind = (index + (uint32_t)rng_below(&rng, spread)) % LINKS;
        int before = last_of[behind];
        if (details[behind].step == POOL_NONE) { /* forgotten, so the link becomes a step again */
            append(log, behind, known[before].before);
            before = last_of[behind];
        }
        make_link(index, before, details[behind].step, has_wide);
        append(log, index, before);
        for (uint32_t i = 0; known_count % 1000 == 0 && i < LINKS; i++) {
            bool is_this_whole;
            if (details[i].step == POOL_NONE)
                append(log, i, known[last_of[i]].before);
            check_chain(log, i, &is_this_whole);
            *is_whole &= is_this_whole;
        }
    }
}

static void chains_meet(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct critical_log log;
        bool is_whole;
        critical_log_open(&log, STEPS, REST);
        run_links(&log, seed, LINKS, seed % 2, &is_whole);
        assert_true(is_whole);
        assert_true(log.count < STEPS);
        critical_log_free(&log);
    }
}

/* Chains that never meet need all steps: then the oldest are forgotten, but never more than half. */
static void oldest_are_forgotten(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct critical_log log;
        bool is_whole;
        critical_log_open(&log, 500, REST);
        run_links(&log, seed, 1, false, &is_whole);
        assert_false(is_whole);
        size_t steps = 0;
        for (uint32_t i = 0; i < LINKS; i++)
            steps += check_chain(&log, i, &is_whole);
        assert_true(steps >= 500 && steps <= 1000);
        critical_log_free(&log);
    }
}

static void values_of_64_bits_are_kept(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct critical_log log;
        bool is_whole;
        critical_log_open(&log, 500, REST);
        run_links(&log, seed, seed % 2 ? 1 : 3, true, &is_whole);
        assert_int_equal(is_whole, false);
        critical_log_free(&log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains_meet), cmocka_unit_test(oldest_are_forgotten),
                                       cmocka_unit_test(values_of_64_bits_are_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
