/* Matching alone: which send matches which receive, by channel, by key and in a mailbox. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
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

/* A receive with this tag takes any, so a message that has it is no other than one with any tag. */
static void tag_of_wildcards_is_a_tag(void **state)
{
    (void)state;
    uint32_t message = mailbox_send(1, CALL_ANY_TAG);
    struct matching_scan scan = matching_visible(&matching, message);
    assert_int_equal(matching_next(&matching, &scan), POOL_NONE);
    assert_int_equal(mailbox_receive((uint32_t)CALL_ANY_SOURCE, 7, 1), POOL_NONE);
    assert_int_equal(mailbox_receive(1, 7, 2), POOL_NONE);
    assert_int_equal(mailbox_receive(1, CALL_ANY_TAG, 3), message);
}

/* -------------------------------------------- mailboxes against plain lists */

enum { MODEL_MOST = 4096, SOURCES = 3, TAGS = 3 };

struct model_end {
    uint32_t index, source, owner;
    int32_t tag;
    bool is_visible;
};

struct model_list {
    struct model_end ends[MODEL_MOST];
    size_t count;
};

static struct {
    struct model_list posted, sent, ready;
    uint64_t met_by_receive, met_by_message;
} model;

static void model_add(struct model_list *list, const struct model_end *end)
{
    assert_true(list->count < MODEL_MOST);
    list->ends[list->count++] = *end;
}

static struct model_end model_cut(struct model_list *list, size_t place)
{
    struct model_end end = list->ends[place];
    list->count--;
    for (size_t i = place; i < list->count; i++)
        list->ends[i] = list->ends[i + 1];
    return end;
}

static bool model_fits(const struct model_end *receive, const struct model_end *message)
{
    return (receive->source == (uint32_t)CALL_ANY_SOURCE || receive->source == message->source) &&
           (receive->tag == CALL_ANY_TAG || receive->tag == message->tag);
}

/* The place of the first that fits, or the number of all. */
static size_t model_find(const struct model_list *list, const struct model_end *end, bool end_receives)
{
    size_t i = 0;
    while (i < list->count &&
           !(end_receives ? model_fits(end, &list->ends[i]) : model_fits(&list->ends[i], end)))
        i++;
    return i;
}

static void receive_one(const struct model_end *receive)
{
    uint32_t found = mailbox_receive(receive->source, receive->tag, receive->owner);
    size_t place = model_find(&model.ready, receive, true);
    if (place == model.ready.count) {
        assert_int_equal(found, POOL_NONE);
        model_add(&model.posted, receive);
        return;
    }
    assert_int_equal(found, model_cut(&model.ready, place).index);
    assert_int_equal(at(found)->recv_owner, receive->owner);
    pool_give(&matching.messages, found);
    model.met_by_receive++;
}

static void become_ready(const struct model_end *message, struct matching_scan *scan)
{
    size_t place = model_find(&model.posted, message, false);
    if (place == model.posted.count) {
        model_add(&model.ready, message);
        return;
    }
    assert_int_equal(matching_next(&matching, scan), message->index);
    assert_int_equal(at(message->index)->recv_owner, model_cut(&model.posted, place).owner);
    pool_give(&matching.messages, message->index);
    model.met_by_message++;
}

static void make_visible(size_t chosen)
{
    struct model_end *visible = &model.sent.ends[chosen];
    struct matching_scan scan = matching_visible(&matching, visible->index);
    uint32_t source = visible->source;
    visible->is_visible = true;
    for (size_t i = 0; i < model.sent.count;) {
        if (model.sent.ends[i].source != source) {
            i++;
        } else if (model.sent.ends[i].is_visible) {
            struct model_end message = model_cut(&model.sent, i);
            become_ready(&message, &scan);
        } else {
            break;
        }
    }
    assert_int_equal(matching_next(&matching, &scan), POOL_NONE);
}

static void mailbox_is_as_lists_that_are_searched(void **state)
{
    (void)state;
    struct rng random = rng_init(1, "mailbox");
    bool more_receives = false;
    model.posted.count = model.sent.count = model.ready.count = 0;
    for (uint32_t step = 0; step < 60000; step++) {
        struct model_end end = {.source = 1 + (uint32_t)rng_below(&random, SOURCES),
                                .tag = (int32_t)rng_below(&random, TAGS),
                                .owner = step};
        uint64_t what = rng_below(&random, 10);
        if (model.posted.count > 300 || model.ready.count > 300)
            more_receives = model.ready.count > 300;
        if (what < (more_receives ? 2 : 4) && model.sent.count < 300) {
            end.index = mailbox_send(end.source, end.tag);
            model_add(&model.sent, &end);
        } else if (what < (more_receives ? 5 : 9)) {
            if (model.sent.count > 0)
                make_visible(rng_below(&random, model.sent.count));
        } else {
            end.source = rng_below(&random, 2) ? end.source : (uint32_t)CALL_ANY_SOURCE;
            end.tag = rng_below(&random, 2) ? end.tag : CALL_ANY_TAG;
            receive_one(&end);
        }
    }
    assert_true(model.met_by_receive > 3000 && model.met_by_message > 3000);
    assert_int_equal(matching.messages.live, model.posted.count + model.sent.count + model.ready.count);
    assert_int_equal(matching.mailboxes->letters.live, model.posted.count + model.ready.count);
}

/* The ends meet in the reverse of their order. Lists that are searched take half an hour for so many. */
enum { MANY = 700000 };

static void meets_among_many_receives(void **state)
{
    (void)state;
    for (int32_t tag = 0; tag < MANY; tag++)
        assert_int_equal(mailbox_receive((uint32_t)CALL_ANY_SOURCE, tag, (uint32_t)tag), POOL_NONE);
    for (int32_t tag = MANY; tag-- > 0;) {
        uint32_t message = mailbox_send(1, tag);
        struct matching_scan scan = matching_visible(&matching, message);
        assert_int_equal(matching_next(&matching, &scan), message);
        assert_int_equal(at(message)->recv_owner, tag);
    }
}

static void meets_among_many_messages(void **state)
{
    (void)state;
    uint32_t first = mailbox_send(0, 7);
    for (uint32_t source = 1; source < MANY; source++)
        assert_int_equal(mailbox_send(source, 7), first + source);
    for (uint32_t source = MANY; source-- > 0;) { /* the envelope of the last message is visible first */
        struct matching_scan scan = matching_visible(&matching, first + source);
        assert_int_equal(matching_next(&matching, &scan), POOL_NONE);
    }
    assert_int_equal(mailbox_receive((uint32_t)CALL_ANY_SOURCE, 7, 0), first + MANY - 1);
    for (uint32_t source = 0; source < MANY - 1; source++)
        assert_int_equal(mailbox_receive(source, CALL_ANY_TAG, 0), first + source);
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
        TEST(tag_of_wildcards_is_a_tag),
        TEST(mailbox_is_as_lists_that_are_searched),
        TEST(meets_among_many_receives),
        TEST(meets_among_many_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
