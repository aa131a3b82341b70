/* What the caches of a node hold: by hand, and against a list of everything that was touched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "host/caches.h"

enum { PAGE = 4096, NODES = 2, RANKS_PER_NODE = 3, RANKS = NODES * RANKS_PER_NODE };

static struct host host;
static struct host_caches *caches;

static int open_caches(void **state)
{
    (void)state;
    host = (struct host){.system = {.copy_l2_bytes = UINT64_C(2) * PAGE,
                                    .copy_llc_bytes = UINT64_C(3) * PAGE,
                                    .copy_llc_count = 2,
                                    .copy_nic_bytes = UINT64_C(2) * PAGE}};
    caches = host_caches_open(&host, NODES, RANKS);
    return 0;
}

static int close_caches(void **state)
{
    (void)state;
    host_caches_close(caches);
    return 0;
}

static struct host_place place(enum host_buffer buffer, uint64_t page)
{
    return (struct host_place){.buffer = buffer, .offset = page * PAGE};
}

/* Touches pages one after another, named by digits; returns where each of them was: 2, 3, m for memory. */
static const char *touch(uint32_t rank, enum host_buffer buffer, const char *pages)
{
    static char levels[64];
    size_t i = 0;
    for (; pages[i]; i++) {
        struct host_found found = {0};
        host_caches_touch(caches, rank / RANKS_PER_NODE, rank, place(buffer, (uint64_t)(pages[i] - '0')),
                          PAGE, &found);
        assert_int_equal(found.bytes[HOST_L2] + found.bytes[HOST_LLC] + found.bytes[HOST_DRAM], PAGE);
        levels[i] = found.bytes[HOST_L2] ? '2' : found.bytes[HOST_LLC] ? '3' : 'm';
    }
    levels[i] = 0;
    return levels;
}

static void the_last_bytes_touched_are_in_a_cache(void **state)
{
    (void)state;
    assert_string_equal(touch(0, HOST_BUFFER_SEND, "000"), "m22");
    assert_string_equal(touch(0, HOST_BUFFER_SEND, "1201"), "mm33"); /* three pages are more than L2 holds */
    assert_string_equal(touch(0, HOST_BUFFER_SEND, "34567"), "mmmmm");
    assert_string_equal(touch(0, HOST_BUFFER_SEND, "1"), "3"); /* six pages: the LLCs of both processors */
    assert_string_equal(touch(0, HOST_BUFFER_SEND, "2"), "m");
}

static void cores_share_the_last_level(void **state)
{
    (void)state;
    touch(0, HOST_BUFFER_SEND, "0");
    touch(1, HOST_BUFFER_SEND, "12345");
    assert_string_equal(touch(0, HOST_BUFFER_SEND, "0"), "2"); /* what others touch does not leave its L2 */
    touch(0, HOST_BUFFER_SEND, "12");
    touch(1, HOST_BUFFER_SEND, "67");
    assert_string_equal(touch(0, HOST_BUFFER_SEND, "0"), "3");
    touch(1, HOST_BUFFER_SEND, "89");
    touch(0, HOST_BUFFER_SEND, "345");
    assert_string_equal(touch(0, HOST_BUFFER_SEND, "0"), "3");
    touch(0, HOST_BUFFER_SEND, "3456");
    touch(1, HOST_BUFFER_SEND, "345");
    assert_string_equal(touch(0, HOST_BUFFER_SEND, "0"), "m");
    touch(3, HOST_BUFFER_SEND, "0123456789"); /* another node */
    assert_string_equal(touch(0, HOST_BUFFER_SEND, "0"), "2");
}

static void shared_memory_is_in_no_cores_own_cache(void **state)
{
    (void)state;
    assert_string_equal(touch(0, HOST_BUFFER_SHARED, "00"), "m3");
    assert_string_equal(touch(1, HOST_BUFFER_SHARED, "0"), "3");
    assert_string_equal(touch(3, HOST_BUFFER_SHARED, "0"), "m"); /* that of another node */
}

/* The NIC writes into a part of two pages; what is in the whole cache stays there. */
static void messages_arrive_in_a_part_of_the_cache(void **state)
{
    (void)state;
    host_caches_arrive(caches, 0, 0, place(HOST_BUFFER_SHARED, 0), 2 * PAGE);
    assert_string_equal(touch(0, HOST_BUFFER_SHARED, "01"), "33");
    host_caches_arrive(caches, 0, 0, place(HOST_BUFFER_SHARED, 4), 3 * PAGE);
    assert_string_equal(touch(0, HOST_BUFFER_SHARED, "456"), "m33");
    host_caches_arrive(caches, 0, 0, place(HOST_BUFFER_SHARED, 4), 3 * PAGE); /* all three are in the cache */
    assert_string_equal(touch(0, HOST_BUFFER_SHARED, "456"), "333");
    touch(1, HOST_BUFFER_SEND, "0123456");
    host_caches_arrive(caches, 0, 0, place(HOST_BUFFER_SHARED, 4), 3 * PAGE);
    assert_string_equal(touch(0, HOST_BUFFER_SHARED, "456"), "m33");
    touch(0, HOST_BUFFER_RECEIVE, "0");
    host_caches_arrive(caches, 0, 0, place(HOST_BUFFER_RECEIVE, 0), PAGE);
    assert_string_equal(touch(0, HOST_BUFFER_RECEIVE, "00"), "32"); /* the core has not read it */
}

static void pieces_cross_pages(void **state)
{
    (void)state;
    struct host_found found = {0};
    struct host_place from = {.buffer = HOST_BUFFER_SEND, .offset = PAGE - 100};
    touch(0, HOST_BUFFER_SEND, "1");
    host_caches_touch(caches, 0, 0, from, PAGE + 300, &found);
    assert_int_equal(found.bytes[HOST_DRAM], 100 + 200);
    assert_int_equal(found.bytes[HOST_L2], PAGE);
}

/* A core copies a message from elsewhere before its place is known. No byte is touched a second time then. */
static void a_copied_message_gets_its_place(void **state)
{
    (void)state;
    touch(0, HOST_BUFFER_SEND, "0");
    host_caches_pass(caches, 0, 0, PAGE);
    host_caches_place(caches, 0, 0, place(HOST_BUFFER_RECEIVE, 0), PAGE);
    assert_string_equal(touch(0, HOST_BUFFER_SEND, "0"), "2");
    assert_string_equal(touch(0, HOST_BUFFER_RECEIVE, "0"), "2");
}

/* ------------------------------------------------------- everything, listed */

enum { TOUCHES = 4000, PAGES = 12 };

/* One whole page that a core touches. */
static struct touched {
    uint32_t rank;
    struct host_place place;
} touches[TOUCHES];

static bool is_same(const struct touched *a, const struct touched *b)
{
    bool is_shared = a->place.buffer == HOST_BUFFER_SHARED;
    return a->place.buffer == b->place.buffer && a->place.offset == b->place.offset &&
           (is_shared ? a->rank / RANKS_PER_NODE == b->rank / RANKS_PER_NODE : a->rank == b->rank);
}

/* Where the page is, from the list alone: how much its rank and its node have touched since its last touch,
 * with that. */
static enum host_level listed_level(size_t index)
{
    const struct touched *now = &touches[index];
    uint64_t by_rank = 0, by_node = 0;
    for (size_t i = index; i-- > 0;) {
        by_node += now->rank / RANKS_PER_NODE == touches[i].rank / RANKS_PER_NODE ? PAGE : 0;
        by_rank += now->rank == touches[i].rank ? PAGE : 0;
        if (!is_same(&touches[i], now))
            continue;
        if (now->place.buffer != HOST_BUFFER_SHARED && by_rank <= host.system.copy_l2_bytes)
            return HOST_L2;
        return by_node <= host.system.copy_llc_bytes * host.system.copy_llc_count ? HOST_LLC : HOST_DRAM;
    }
    return HOST_DRAM;
}

static void a_list_of_all_touches_says_the_same(void **state)
{
    (void)state;
    size_t levels[HOST_LEVELS] = {0};
    struct rng rng = rng_init(7, "touches");
    for (size_t i = 0; i < TOUCHES; i++) {
        enum host_buffer buffer = HOST_BUFFER_SEND + (enum host_buffer)rng_below(&rng, 4);
        touches[i] = (struct touched){.rank = (uint32_t)rng_below(&rng, RANKS),
                                      .place = place(buffer, rng_below(&rng, 1 + i % PAGES))};
        struct host_found found = {0};
        host_caches_touch(caches, touches[i].rank / RANKS_PER_NODE, touches[i].rank, touches[i].place, PAGE,
                          &found);
        enum host_level level = listed_level(i);
        assert_int_equal(found.bytes[level], PAGE);
        levels[level]++;
    }
    for (enum host_level level = 0; level < HOST_LEVELS; level++)
        assert_true(levels[level] > TOUCHES / 50);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_caches, close_caches)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_last_bytes_touched_are_in_a_cache),
        TEST(cores_share_the_last_level),
        TEST(shared_memory_is_in_no_cores_own_cache),
        TEST(messages_arrive_in_a_part_of_the_cache),
        TEST(pieces_cross_pages),
        TEST(a_copied_message_gets_its_place),
        TEST(a_list_of_all_touches_says_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
