/* Barriers and flags of the ranks of a node, tested alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/rank/node_sync.h"

enum { RANKS = 3, FLAGS = 2 };

static struct node_sync sync;
static ps_t released_at[RANKS]; /* per member; NODE_SYNC_DOWN: the member waits */
static uint32_t call;

static void on_release(void *self, uint32_t member, ps_t at)
{
    ((ps_t *)self)[member] = at;
}

static uint32_t enter(uint64_t name, bool expect_first)
{
    bool is_first;
    uint32_t entered = node_sync_enter(&sync, (struct queue_key){.high = name, .low = 1}, &is_first);
    assert_int_equal(is_first, expect_first);
    if (is_first)
        node_sync_begin(&sync, entered, RANKS, FLAGS);
    return entered;
}

static int enter_all(void **state)
{
    (void)state;
    node_sync_init(&sync, released_at, on_release);
    for (uint32_t member = 0; member < RANKS; member++) {
        released_at[member] = NODE_SYNC_DOWN;
        call = enter(9, member == 0);
    }
    return 0;
}

static int close_sync(void **state)
{
    (void)state;
    node_sync_free(&sync);
    return 0;
}

static void barrier_releases_all_when_the_last_has_arrived(void **state)
{
    (void)state;
    node_sync_barrier(&sync, call, 0, 10);
    node_sync_barrier(&sync, call, 1, 50);
    assert_int_equal(released_at[0], NODE_SYNC_DOWN);
    node_sync_barrier(&sync, call, 2, 30);
    for (uint32_t member = 0; member < RANKS; member++)
        assert_int_equal(released_at[member], 50);
    node_sync_barrier(&sync, call, 0, 60); /* the next barrier begins anew */
    assert_int_equal(released_at[0], 50);
}

static void flag_releases_those_that_await_it(void **state)
{
    (void)state;
    assert_int_equal(node_sync_await(&sync, call, 0, 1), NODE_SYNC_DOWN);
    assert_int_equal(node_sync_await(&sync, call, 1, 2), NODE_SYNC_DOWN);
    node_sync_raise(&sync, call, 0, 20);
    assert_int_equal(released_at[1], 20);
    assert_int_equal(released_at[2], NODE_SYNC_DOWN);
    assert_int_equal(node_sync_await(&sync, call, 0, 2), 20);
}

static void call_is_gone_when_all_have_left(void **state)
{
    (void)state;
    uint32_t other = enter(8, true);
    assert_int_not_equal(other, call);
    node_sync_raise(&sync, call, 0, 20);
    for (uint32_t member = 0; member < RANKS; member++)
        node_sync_leave(&sync, call);
    assert_int_equal(sync.calls.live, 1);
    assert_int_equal(enter(9, true), call); /* its record is reused, with all flags down */
    assert_int_equal(node_sync_await(&sync, call, 0, 0), NODE_SYNC_DOWN);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_all, close_sync)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(barrier_releases_all_when_the_last_has_arrived),
        TEST(flag_releases_those_that_await_it),
        TEST(call_is_gone_when_all_have_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
