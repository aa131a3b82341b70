/* Requests alone: who is notified of a completion, and when a waiter is ready. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call/call.h"
#include "engine/rank/request.h"

enum { WAITERS = 3, SLOTS = 4 };

/* The waiter is part of a larger struct, as in a rank. */
static struct user {
    struct request_waiter waiter;
    uint64_t other;
} users[WAITERS];

static struct request_table requests;
static uint32_t ready[8];
static size_t ready_count;

static void on_ready(void *self, uint32_t waiter)
{
    assert_ptr_equal(self, users);
    ready[ready_count++] = waiter;
}

static int open_table(void **state)
{
    (void)state;
    ready_count = 0;
    request_table_init(&requests);
    for (uint32_t i = 0; i < WAITERS; i++)
        request_waiter_init(&users[i].waiter, &requests, SLOTS);
    request_table_start(&requests, &users->waiter, sizeof *users, users, on_ready);
    return 0;
}

static int close_table(void **state)
{
    (void)state;
    request_table_free(&requests);
    return 0;
}

static void waiter_is_ready_when_its_request_completes(void **state)
{
    (void)state;
    struct request_waiter *waiter = &users[1].waiter;
    request_begin(waiter, 5);
    uint32_t owner = request_open(&requests, waiter, 2);
    request_await(&requests, waiter, 2);
    assert_int_equal(waiter->awaited, 1);
    request_complete(&requests, owner, 1, 40, CALL_RECV, 7);
    assert_int_equal(ready_count, 1);
    assert_int_equal(ready[0], 1);
    assert_int_equal(waiter->awaited, 0);
    assert_int_equal(waiter->latest, 40);
    assert_int_equal(waiter->cause, CALL_RECV);
    assert_int_equal(waiter->peer, 7);
}

static void request_that_is_complete_is_not_waited_for(void **state)
{
    (void)state;
    struct request_waiter *waiter = &users[0].waiter;
    request_begin(waiter, 0);
    request_complete(&requests, request_open(&requests, waiter, 3), 0, 90, CALL_SEND, 2);
    request_await(&requests, waiter, 3);
    assert_int_equal(waiter->awaited, 0);
    assert_int_equal(waiter->latest, 90);
    assert_int_equal(ready_count, 0);
    /* Its slot is free, so a later call has nothing to wait for. */
    request_begin(waiter, 50);
    request_await(&requests, waiter, 3);
    assert_int_equal(waiter->awaited, 0);
    assert_int_equal(waiter->latest, 50);
}

static void last_of_several_requests_makes_ready(void **state)
{
    (void)state;
    struct request_waiter *waiter = &users[2].waiter;
    uint32_t owners[3];
    request_begin(waiter, 0);
    for (uint32_t slot = 0; slot < 3; slot++)
        owners[slot] = request_open(&requests, waiter, slot);
    request_complete(&requests, owners[1], 2, 10, CALL_SEND, 1);
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        request_await(&requests, waiter, slot);
    assert_int_equal(waiter->awaited, 2);
    request_complete(&requests, owners[2], 2, 70, CALL_RECV, 5);
    assert_int_equal(ready_count, 0);
    request_complete(&requests, owners[0], 2, 30, CALL_SEND, 6);
    assert_int_equal(ready_count, 1);
    assert_int_equal(waiter->latest, 70);
    assert_int_equal(waiter->peer, 5);
}

static void later_of_two_at_one_time_is_the_cause(void **state)
{
    (void)state;
    struct request_waiter *waiter = &users[0].waiter;
    request_begin(waiter, 0);
    uint32_t first = request_open(&requests, waiter, 0), second = request_open(&requests, waiter, 1);
    request_await(&requests, waiter, 0);
    request_await(&requests, waiter, 1);
    request_complete(&requests, second, 0, 8, CALL_RECV, 1);
    request_complete(&requests, first, 0, 8, CALL_SEND, 2);
    assert_int_equal(waiter->cause, CALL_SEND);
    assert_int_equal(waiter->peer, 2);
}

static void requests_that_nobody_awaits_make_nobody_ready(void **state)
{
    (void)state;
    request_complete(&requests, request_open(&requests, &users[1].waiter, 0), 1, 3, CALL_SEND, 0);
    request_complete(&requests, REQUEST_NOBODY, 1, 3, CALL_SEND, 0);
    assert_int_equal(ready_count, 0);
}

struct told {
    uint32_t index, peer;
    ps_t at;
};

static void keep_told(void *self, uint32_t index, ps_t at, uint32_t peer)
{
    *(struct told *)self = (struct told){.index = index, .at = at, .peer = peer};
}

static void handlers_are_told_by_their_tag(void **state)
{
    (void)state;
    struct told first = {0}, second = {0};
    uint32_t first_tag = request_add_handler(&requests, &first, keep_told);
    uint32_t second_tag = request_add_handler(&requests, &second, keep_told);
    request_complete(&requests, second_tag | REQUEST_INDEX_MASK, 0, 11, CALL_SEND, 4);
    assert_int_equal(second.index, REQUEST_INDEX_MASK);
    assert_int_equal(second.at, 11);
    assert_int_equal(second.peer, 4);
    assert_int_equal(first.at, 0);
    request_complete(&requests, first_tag | 3, 0, 12, CALL_SEND, 9);
    assert_int_equal(first.index, 3);
    assert_int_equal(first.at, 12);
    assert_int_equal(ready_count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_table, close_table)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(waiter_is_ready_when_its_request_completes),    TEST(request_that_is_complete_is_not_waited_for),
        TEST(last_of_several_requests_makes_ready),          TEST(later_of_two_at_one_time_is_the_cause),
        TEST(requests_that_nobody_awaits_make_nobody_ready), TEST(handlers_are_told_by_their_tag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
