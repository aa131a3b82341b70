/* Matching alone: which send matches which receive, by channel, by key and in a mailbox. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call/call.h"
#include "engine/rank/matching.h"
#include "engine/rank/message_state.h"

enum { RANKS = 4, CHANNELS = 2, ME = 0 };

static struct matching matching;

static int open_matching(void **state)
{
    (void)state;
    matching_init(&matching, RANKS, CHANNELS);
    return 0;
}

static int close_matching(void **state)
{
    (void)state;
    matching_free(&matching);
    return 0;
}

static struct message *at(uint32_t index)
{
    return message_at(&matching.messages, index);
}

/* Posts a send or a receive. Returns the record of the matching end; or POOL_NONE, and *record is the new
 * record. */
static uint32_t meet(bool sending, uint32_t rank, uint32_t peer, int32_t tag, uint32_t channel,
                     uint32_t *record)
{
    struct message_post post = {.rank = rank, .peer = peer, .tag = tag, .channel = channel};
    uint32_t met = matching_meet(&matching, &post, sending, record);
    if (met == POOL_NONE)
        at(*record)->state = sending ? MESSAGE_SENT : 0;
    return met;
}

static void channel_meets_in_posting_order(void **state)
{
    (void)state;
    uint32_t first, second, unused = POOL_NONE;
    assert_int_equal(meet(true, 1, 2, 5, 0, &first), POOL_NONE);
    assert_int_equal(meet(true, 1, 2, 6, 0, &second), POOL_NONE);
    assert_int_equal(meet(false, 2, 1, 6, 0, &unused), first); /* tags are not compared */
    assert_int_equal(meet(false, 2, 1, 5, 0, &unused), second);
    assert_int_equal(unused, POOL_NONE);
}

static void channels_are_apart(void **state)
{
    (void)state;
    uint32_t send, receive;
    assert_int_equal(meet(true, 1, 2, 5, 0, &send), POOL_NONE);
    assert_int_equal(meet(false, 2, 1, 5, 1, &receive), POOL_NONE);
}

static void key_is_source_destination_and_tag(void **state)
{
    (void)state;
    uint32_t receive, send, unused;
    assert_int_equal(meet(false, 2, 1, 5, CHANNEL_KEYED, &receive), POOL_NONE);
    assert_int_equal(meet(true, 1, 2, 6, CHANNEL_KEYED, &send), POOL_NONE);
    assert_int_equal(meet(true, 3, 2, 5, CHANNEL_KEYED, &send), POOL_NONE);
    assert_int_equal(meet(true, 1, 2, 5, CHANNEL_KEYED, &unused), receive);
    /* Matched ends leave the table, so a new one with the same key waits again. */
    assert_int_equal(meet(true, 1, 2, 5, CHANNEL_KEYED, &send), POOL_NONE);
}

/* --------------------------------------------------------------- mailboxes */

static uint32_t mailbox_send(uint32_t source, int32_t tag)
{
    uint32_t index = pool_take(&matching.messages);
    *at(index) = (struct message){.source = source, .destination = ME, .tag = tag, .state = MESSAGE_SENT};
    matching_mailbox_send(&matching, index);
    return index;
}

static uint32_t mailbox_receive(uint32_t source, int32_t tag, uint32_t owner)
{
    uint32_t index = pool_take(&matching.messages);
    *at(index) = (struct message){.source = source, .destination = ME, .tag = tag, .recv_owner = owner};
    return matching_mailbox_receive(&matching, index);
}

static void mailbox_gives_the_receive_to_the_message(void **state)
{
    (void)state;
    assert_int_equal(mailbox_receive((uint32_t)CALL_ANY_SOURCE, 7, 42), POOL_NONE);
    uint32_t message = mailbox_send(3, 7);
    struct matching_scan scan = matching_visible(&matching, message);
    assert_int_equal(matching_next(&matching, &scan), message);
    assert_int_equal(matching_next(&matching, &scan), POOL_NONE);
    assert_int_equal(at(message)->recv_owner, 42);
    assert_int_equal(matching.messages.live, 1); /* the record of the receive is free */
}

static void mailbox_takes_the_first_message_that_fits(void **state)
{
    (void)state;
    uint32_t messages[3] = {mailbox_send(1, 7), mailbox_send(2, 8), mailbox_send(3, 8)};
    for (int i = 0; i < 3; i++) {
        struct matching_scan scan = matching_visible(&matching, messages[i]);
        assert_int_equal(matching_next(&matching, &scan), POOL_NONE);
    }
    assert_int_equal(mailbox_receive((uint32_t)CALL_ANY_SOURCE, 8, 1), messages[1]);
    assert_int_equal(mailbox_receive(3, CALL_ANY_TAG, 2), messages[2]);
    assert_int_equal(mailbox_receive((uint32_t)CALL_ANY_SOURCE, 8, 3), POOL_NONE);
    assert_int_equal(mailbox_receive((uint32_t)CALL_ANY_SOURCE, CALL_ANY_TAG, 4), messages[0]);
}

static void envelope_waits_for_those_of_its_source_before_it(void **state)
{
    (void)state;
    uint32_t first = mailbox_send(1, 7), second = mailbox_send(1, 7), other = mailbox_send(2, 7);
    for (uint32_t owner = 0; owner < 3; owner++)
        assert_int_equal(mailbox_receive((uint32_t)CALL_ANY_SOURCE, 7, owner), POOL_NONE);
    struct matching_scan scan = matching_visible(&matching, second);
    assert_int_equal(matching_next(&matching, &scan),
                     POOL_NONE); /* this message may not overtake the first */
    scan = matching_visible(&matching, other);
    assert_int_equal(matching_next(&matching, &scan), other);
    assert_int_equal(at(other)->recv_owner, 0);
    scan = matching_visible(&matching, first); /* releases the second as well */
    assert_int_equal(matching_next(&matching, &scan), first);
    assert_int_equal(matching_next(&matching, &scan), second);
    assert_int_equal(matching_next(&matching, &scan), POOL_NONE);
    assert_int_equal(at(first)->recv_owner, 1);
    assert_int_equal(at(second)->recv_owner, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_matching, close_matching)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(channel_meets_in_posting_order),
        TEST(channels_are_apart),
        TEST(key_is_source_destination_and_tag),
        TEST(mailbox_gives_the_receive_to_the_message),
        TEST(mailbox_takes_the_first_message_that_fits),
        TEST(envelope_waits_for_those_of_its_source_before_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
