/* Counters in shared memory, as processes on one machine wait for them: nothing is lost, and a wait that is
 * in vain ends. With the thread sanitizer, threads stand in for the processes. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "live/coll/shm_counter.h"

enum { THREADS = 4, ROUNDS = 3000, WORDS = 16 };

static struct shm_counter barrier, flag;
static uint64_t data[2][THREADS][WORDS]; /* used in turn, as the library's copies are */
static uint64_t wrong_words[THREADS];

static bool go_on(void *self)
{
    (void)self;
    return true;
}

static bool is_in_vain(void *calls)
{
    return ++*(int *)calls < 3;
}

struct member {
    int number;
    bool oversubscribed;
};

/* In each round all members write their words and meet; then each reads the words of all. */
static void *meet(void *argument)
{
    const struct member *me = argument;
    struct backoff backoff = {.oversubscribed = me->oversubscribed, .progress = go_on};
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        for (int word = 0; word < WORDS; word++)
            data[round % 2][me->number][word] = round * THREADS + (uint64_t)me->number;
        shm_counter_add(&barrier, round * THREADS);
        if (!shm_counter_await(&barrier, round * THREADS, &backoff))
            wrong_words[me->number]++;
        for (int other = 0; other < THREADS; other++)
            for (int word = 0; word < WORDS; word++)
                wrong_words[me->number] += data[round % 2][other][word] != round * THREADS + (uint64_t)other;
    }
    return NULL;
}

/* A leader raises a flag when its data are there, and begins the next round when all have read them. */
static void *follow(void *argument)
{
    const struct member *me = argument;
    struct backoff backoff = {.oversubscribed = me->oversubscribed, .progress = go_on};
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        if (me->number == 0) {
            data[0][0][0] = round;
            shm_counter_raise(&flag, round);
        } else if (!shm_counter_await(&flag, round, &backoff) || data[0][0][0] != round) {
            wrong_words[me->number]++;
        }
        shm_counter_add(&barrier, round * THREADS);
        shm_counter_await(&barrier, round * THREADS, &backoff);
    }
    return NULL;
}

static void run(void *(*body)(void *), bool oversubscribed)
{
    pthread_t threads[THREADS];
    struct member members[THREADS];
    memset(&barrier, 0, sizeof barrier);
    memset(&flag, 0, sizeof flag);
    memset(wrong_words, 0, sizeof wrong_words);
    for (int i = 0; i < THREADS; i++) {
        members[i] = (struct member){i, oversubscribed};
        assert_int_equal(pthread_create(&threads[i], NULL, body, &members[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(wrong_words[i], 0);
    assert_int_equal(barrier.value, (uint64_t)ROUNDS * THREADS);
    assert_int_equal(barrier.sleepers, 0);
}

static void barriers_meet(void **state)
{
    (void)state;
    run(meet, true);
    run(meet, false);
}

static void flags_publish(void **state)
{
    (void)state;
    run(follow, true);
    run(follow, false);
}

static void vain_wait_ends(void **state)
{
    (void)state;
    struct shm_counter never = {0};
    for (int spins = 0; spins < 2; spins++) {
        int calls = 0;
        struct backoff backoff = {.oversubscribed = spins == 0, .progress = is_in_vain, .self = &calls};
        assert_false(shm_counter_await(&never, 1, &backoff));
        assert_true(calls >= 3);
        assert_int_equal(never.sleepers, 0);
    }
    int calls = 5; /* what has come counts, whatever progress says */
    struct backoff backoff = {.progress = is_in_vain, .self = &calls};
    shm_counter_raise(&never, 1);
    assert_true(shm_counter_await(&never, 1, &backoff));
}

static _Atomic bool peer_is_there, peer_ends;

static void *yield_often(void *argument)
{
    (void)argument;
    peer_is_there = true;
    while (!peer_ends)
        sched_yield();
    return NULL;
}

/* On a core whose other process yields as well, each yield is short, and the core is contended all the same.
 */
static void short_yields_are_contention(void **state)
{
    enum { LOOKS = 200 };
    (void)state;
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    int core = 0;
    while (!CPU_ISSET(core, &all))
        core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    pthread_t peer; /* which inherits the core */
    assert_int_equal(pthread_create(&peer, NULL, yield_often, NULL), 0);
    while (!peer_is_there)
        sched_yield();
    int found = 0;
    for (int i = 0; i < LOOKS; i++) {
        struct backoff backoff = {.progress = go_on};
        struct backoff_wait wait = backoff_begin(&backoff);
        assert_true(wait.spins > 0);
        if (!backoff_finds_contention(&wait))
            continue;
        found++;
        assert_int_equal(wait.spins, 0);
        assert_int_equal(backoff_begin(&backoff).spins, 0);
    }
    peer_ends = true;
    assert_int_equal(pthread_join(peer, NULL), 0);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_in_range(found, LOOKS / 2, LOOKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_meet),
        cmocka_unit_test(flags_publish),
        cmocka_unit_test(vain_wait_ends),
        cmocka_unit_test(short_yields_are_contention),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
