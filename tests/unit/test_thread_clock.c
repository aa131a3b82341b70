/* The clock of threads in the capture library. Behind each switch to another thread it gives what the kernel
 * says, and else no more than the time that has passed. Nothing here depends on how long anything takes. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

#include <cmocka.h>

#include "live/capture/thread_clock.h"

static int64_t kernel_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static long switches(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw + usage.ru_nivcsw;
}

static bool is_exact(void)
{
    const int64_t before = kernel_ns(CLOCK_THREAD_CPUTIME_ID), between = thread_clock_ns();
    return before <= between && between <= kernel_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void sleep_does_not_count(void **state)
{
    (void)state;
    thread_clock_ns();
    for (int i = 0; i < 20; i++) {
        const long before = switches();
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        assert_true(switches() > before);
        assert_true(is_exact());
    }
}

static void work(void)
{
    for (volatile int i = 0; i < 2000; i++)
        ;
}

static void a_look_is_not_ahead_of_time(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        const int64_t since = kernel_ns(CLOCK_MONOTONIC), first = thread_clock_ns();
        const long before = switches();
        work();
        const int64_t second = thread_clock_ns();
        const int64_t passed = kernel_ns(CLOCK_MONOTONIC) - since;
        assert_true(switches() != before || second - first <= passed);
    }
}

/* ------------------------------------------------ a kernel without the word */

/* Stands for sleep on a kernel that leaves the word as it is. */
static int sleep_unmarked(const struct timespec *time, struct timespec *left)
{
    (void)time, (void)left;
    return 0;
}

static int asked; /* how often the kernel was asked for the processor time */

static int ask(clockid_t clock, struct timespec *time)
{
    asked += clock == CLOCK_THREAD_CPUTIME_ID;
    return clock_gettime(clock, time);
}

int64_t clock_of_that_kernel(void);
#define nanosleep       sleep_unmarked
#define clock_gettime   ask
#define thread_clock_ns clock_of_that_kernel
#include "live/capture/thread_clock.c"
#undef nanosleep
#undef clock_gettime
#undef thread_clock_ns

static void a_word_that_stays_is_not_believed(void **state)
{
    (void)state;
    sleep_unmarked(NULL, NULL);
    for (int i = 1; i <= 10; i++) {
        clock_of_that_kernel();
        assert_int_equal(asked, i);
    }
}

/* ----------------------------------------------------------- other threads */

static atomic_bool is_over;

static void *compete(void *unused)
{
    while (!atomic_load(&is_over))
        work();
    return unused;
}

/* This thread and those that it starts from now on share one processor. */
static bool share_a_processor(void)
{
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return false;
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
            break;
        }
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

static void *look_often(void *unused)
{
    for (int switched = 0; switched < 20;) {
        thread_clock_ns();
        const long before = switches();
        work();
        if (switches() == before)
            continue;
        switched++;
        assert_true(is_exact());
    }
    return unused;
}

static void other_threads_do_not_count(void **state)
{
    (void)state;
    pthread_t rival, another;
    if (!share_a_processor())
        skip();
    assert_int_equal(pthread_create(&rival, NULL, compete, NULL), 0);
    assert_int_equal(pthread_create(&another, NULL, look_often, NULL), 0);
    look_often(NULL);
    pthread_join(another, NULL);
    atomic_store(&is_over, true);
    pthread_join(rival, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleep_does_not_count),
        cmocka_unit_test(a_look_is_not_ahead_of_time),
        cmocka_unit_test(a_word_that_stays_is_not_believed),
        cmocka_unit_test(other_threads_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
