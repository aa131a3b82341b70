/* The matching table against an array that is searched from end to end, through growth and removal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/queue_table.h"

enum { KEYS = 600, STEPS = 200000 };

static struct queue_key key_of(uint32_t i)
{
    /* Keys like ranks and sequence numbers: small numbers in both halves of both words. */
    return (struct queue_key){.high = (uint64_t)(i % 7) << 32 | i / 7,
                              .low = (uint64_t)(i % 3) << 32 | i % 11};
}

static void behaves_like_a_searched_array(void **state)
{
    (void)state;
    struct queue_table table;
    uint32_t present[KEYS]; /* the value of each key; POOL_NONE: none */
    uint64_t random = 88172645463325252u;
    size_t count = 0;
    queue_table_init(&table);
    for (uint32_t i = 0; i < KEYS; i++)
        present[i] = POOL_NONE;
    for (uint32_t step = 0; step < STEPS; step++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        uint32_t i = (uint32_t)(random % KEYS);
        struct queue_table_entry *entry = queue_table_at(&table, key_of(i));
        assert_int_equal(entry->queue.head, present[i]);
        if (present[i] == POOL_NONE) {
            entry->queue.head = present[i] = step;
            count++;
        } else {
            entry->queue.head = present[i] = POOL_NONE;
            queue_table_remove(&table, entry);
            count--;
        }
        assert_int_equal(table.used, count);
    }
    for (uint32_t i = 0; i < KEYS; i++)
        if (present[i] != POOL_NONE)
            assert_int_equal(queue_table_at(&table, key_of(i))->queue.head, present[i]);
    queue_table_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(behaves_like_a_searched_array)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
