/* A queue of linked records: order, taking from the front, cutting anywhere, growth of the pool meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/queue.h"

struct record {
    uint32_t value, next;
};

static struct queue_links links_of(const struct pool *pool)
{
    return QUEUE_LINKS(pool->records, struct record, next);
}

static uint32_t add(struct pool *pool, struct queue *queue, uint32_t value)
{
    uint32_t index = pool_take(pool);
    ((struct record *)pool_at(pool, index))->value = value;
    queue_append(queue, links_of(pool), index);
    return index;
}

static uint32_t take_value(struct pool *pool, struct queue *queue)
{
    uint32_t index = queue_take(queue, links_of(pool));
    assert_int_not_equal(index, POOL_NONE);
    uint32_t value = ((struct record *)pool_at(pool, index))->value;
    pool_give(pool, index);
    return value;
}

static void records_leave_in_order_while_the_pool_grows(void **state)
{
    (void)state;
    struct pool pool;
    struct queue queue;
    pool_init(&pool, sizeof(struct record), "records");
    queue_init(&queue);
    assert_true(queue_is_empty(&queue));
    assert_int_equal(queue_take(&queue, links_of(&pool)), POOL_NONE);
    uint32_t in = 0, out = 0;
    for (uint32_t round = 0; round < 1000; round++) {
        for (uint32_t i = 0; i <= round % 7; i++)
            add(&pool, &queue, in++);
        for (uint32_t i = 0; i < round % 5 && out < in; i++)
            assert_int_equal(take_value(&pool, &queue), out++);
    }
    while (out < in)
        assert_int_equal(take_value(&pool, &queue), out++);
    assert_true(queue_is_empty(&queue));
    assert_int_equal(pool.live, 0);
    pool_free(&pool);
}

/* Five records. `cut` is taken out, and one more is appended at the end. */
static void cut_one_of_five(uint32_t cut)
{
    struct pool pool;
    struct queue queue;
    uint32_t indices[5];
    pool_init(&pool, sizeof(struct record), "records");
    queue_init(&queue);
    for (uint32_t i = 0; i < 5; i++)
        indices[i] = add(&pool, &queue, i);
    queue_cut(&queue, links_of(&pool), cut ? indices[cut - 1] : POOL_NONE, indices[cut]);
    add(&pool, &queue, 5);
    for (uint32_t value = 0; value < 6; value++)
        if (value != cut)
            assert_int_equal(take_value(&pool, &queue), value);
    assert_true(queue_is_empty(&queue));
    pool_free(&pool);
}

static void a_record_is_cut_from_any_place(void **state)
{
    (void)state;
    for (uint32_t cut = 0; cut < 5; cut++)
        cut_one_of_five(cut);
}

static void the_only_record_is_cut(void **state)
{
    (void)state;
    struct pool pool;
    struct queue queue;
    pool_init(&pool, sizeof(struct record), "records");
    queue_init(&queue);
    uint32_t index = add(&pool, &queue, 1);
    queue_cut(&queue, links_of(&pool), POOL_NONE, index);
    assert_true(queue_is_empty(&queue));
    add(&pool, &queue, 2);
    assert_int_equal(take_value(&pool, &queue), 2);
    pool_free(&pool);
}

/* 3; then 2 before it; then the queue 0, 1 before both; then 4 at the end. */
static void records_and_queues_go_to_the_front(void **state)
{
    (void)state;
    struct pool pool;
    struct queue queue, front;
    pool_init(&pool, sizeof(struct record), "records");
    queue_init(&queue);
    queue_init(&front);
    queue_join(&queue, links_of(&pool), front);
    assert_true(queue_is_empty(&queue));
    for (uint32_t value = 3; value > 1; value--) {
        uint32_t index = pool_take(&pool);
        ((struct record *)pool_at(&pool, index))->value = value;
        queue_prepend(&queue, links_of(&pool), index);
    }
    add(&pool, &front, 0);
    add(&pool, &front, 1);
    queue_join(&queue, links_of(&pool), front);
    add(&pool, &queue, 4);
    for (uint32_t value = 0; value < 5; value++)
        assert_int_equal(take_value(&pool, &queue), value);
    assert_true(queue_is_empty(&queue));
    pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(records_and_queues_go_to_the_front),
                                       cmocka_unit_test(records_leave_in_order_while_the_pool_grows),
                                       cmocka_unit_test(a_record_is_cut_from_any_place),
                                       cmocka_unit_test(the_only_record_is_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
