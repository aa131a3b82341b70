/* The event queue: order by time and then by push, compared with a sorted list; range; compaction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/event.h"
#include "base/mem.h"

static void equal_times_leave_in_order_of_pushing(void **state)
{
    (void)state;
    struct event_loop loop;
    struct event event;
    loop_init(&loop);
    for (uint32_t i = 0; i < 100; i++)
        loop_at(&loop, 1000 + i % 3, 0, i);
    for (uint32_t time = 0; time < 3; time++)
        for (uint32_t i = time; i < 100; i += 3) {
            assert_true(loop_take(&loop, &event));
            assert_int_equal(event.at, 1000 + time);
            assert_int_equal(event.subject, i);
        }
    assert_false(loop_take(&loop, &event));
    loop_free(&loop);
}

static uint64_t next_random(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

/* Pushes and takes events at random, many of equal time, and compares with a list that is searched for the
 * first event of the smallest time. */
static void order_is_that_of_the_obvious_queue(void **state)
{
    (void)state;
    enum { STEPS = 20000, ROOM = 512 };
    struct event_loop loop;
    struct event event, obvious[ROOM];
    size_t pending = 0;
    uint64_t random = 88172645463325252u;
    loop_init(&loop);
    for (uint32_t step = 0; step < STEPS; step++) {
        if (pending < ROOM && (pending == 0 || next_random(&random) % 2)) {
            ps_t ahead = (ps_t)(next_random(&random) % (UINT64_C(1) << next_random(&random) % 40));
            obvious[pending++] = (struct event){.at = loop.now + ahead, .subject = step};
            loop_at(&loop, loop.now + ahead, 0, step);
            continue;
        }
        size_t first = 0;
        for (size_t i = 1; i < pending; i++)
            if (obvious[i].at < obvious[first].at)
                first = i;
        assert_int_equal(loop_next_at(&loop), obvious[first].at);
        assert_true(loop_take(&loop, &event));
        assert_int_equal(event.at, obvious[first].at);
        assert_int_equal(event.subject, obvious[first].subject);
        for (size_t i = first + 1; i < pending; i++)
            obvious[i - 1] = obvious[i];
        pending--;
        assert_int_equal(loop.pending, pending);
    }
    loop_free(&loop);
}

static struct event_loop chain_loop;
static uint32_t chain_kind;

static void chain(void *self, uint32_t subject)
{
    uint32_t *runs = self;
    ++*runs;
    if (subject == 0)
        chain_loop.stopped = true;
    else
        loop_at(&chain_loop, chain_loop.now + 5, chain_kind, subject - 1);
}

static void handlers_run_until_stopped(void **state)
{
    (void)state;
    uint32_t runs = 0;
    loop_init(&chain_loop);
    chain_kind = loop_register(&chain_loop, chain, &runs);
    loop_at(&chain_loop, 7, chain_kind, 10);
    loop_at(&chain_loop, 1000, chain_kind, 1);
    loop_run(&chain_loop);
    assert_int_equal(runs, 11);
    assert_int_equal(chain_loop.now, 57);
    assert_int_equal(chain_loop.pending, 1);
    loop_free(&chain_loop);
}

enum { PREFETCHED = 200 };
static struct event_loop prefetch_loop;
static struct {
    uint32_t handled, steps_seen, seen_late, out_of_order;
    uint8_t steps[PREFETCHED]; /* bit: this step's prefetch handler was called */
} prefetched;

static void handle(void *self, uint32_t subject)
{
    (void)self;
    prefetched.handled++;
    prefetched.steps[subject] = UINT8_MAX;
}

static void prefetch(const void *self, uint32_t subject, unsigned step)
{
    assert_ptr_equal(self, &prefetch_loop);
    prefetched.seen_late += prefetched.steps[subject] == UINT8_MAX;
    prefetched.out_of_order += prefetched.steps[subject] >> step != 0;
    prefetched.steps[subject] |= (uint8_t)(1 << step);
    prefetched.steps_seen++;
}

/* Events of one time, and of different times. Each step is prefetched for all events but the first few before
 * they are handled. */
static void events_are_prefetched(void **state)
{
    (void)state;
    for (ps_t apart = 0; apart < 2; apart++) {
        memset(&prefetched, 0, sizeof prefetched);
        loop_init(&prefetch_loop);
        uint32_t kind = loop_register(&prefetch_loop, handle, &prefetch_loop);
        uint32_t silent = loop_register(&prefetch_loop, handle, &prefetch_loop);
        loop_prefetch(&prefetch_loop, kind, prefetch);
        for (uint32_t i = 0; i < PREFETCHED; i++)
            loop_at(&prefetch_loop, 1000 + i * apart, i % 2 ? silent : kind, i);
        loop_run(&prefetch_loop);
        assert_int_equal(prefetched.handled, PREFETCHED);
        assert_int_equal(prefetched.seen_late, 0);
        assert_in_range(prefetched.steps_seen, PREFETCHED / 4 * EVENT_STEPS, PREFETCHED / 2 * EVENT_STEPS);
        assert_int_equal(prefetched.out_of_order, 0);
        loop_free(&prefetch_loop);
    }
}

static void time_out_of_range_stops_the_loop(void **state)
{
    (void)state;
    struct event_loop loop;
    struct event event;
    loop_init(&loop);
    loop_at(&loop, PS_NEVER - 1, 0, 1);
    assert_false(loop.stopped);
    assert_true(loop_take(&loop, &event));
    loop_at(&loop, ps_add(loop.now, 5), 0, 2);
    assert_true(loop.stopped);
    assert_true(loop.out_of_range);
    loop_free(&loop);
}

static jmp_buf no_room;

static void give_up(void *self)
{
    (void)self;
    longjmp(no_room, 1);
}

/* In a release too: a kind too many would be behind the loop's table. */
static void kinds_beyond_the_table_are_refused(void **state)
{
    (void)state;
    static struct event_loop loop;
    volatile uint32_t registered = 0;
    loop_init(&loop);
    mem_on_failure(give_up, NULL);
    if (!setjmp(no_room))
        for (;; registered++)
            assert_int_equal(loop_register(&loop, handle, NULL), registered);
    mem_on_failure(NULL, NULL);
    assert_int_equal(registered, EVENT_KINDS);
    loop_free(&loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_times_leave_in_order_of_pushing),
        cmocka_unit_test(order_is_that_of_the_obvious_queue),
        cmocka_unit_test(handlers_run_until_stopped),
        cmocka_unit_test(events_are_prefetched),
        cmocka_unit_test(time_out_of_range_stops_the_loop),
        cmocka_unit_test(kinds_beyond_the_table_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
