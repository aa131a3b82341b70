/* A collective algorithm that is added at run time: it is found, chosen and proved like those of the list. A
 * name that is taken is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "coll/choice.h"
#include "coll/prove.h"

/* The vector passes from rank to rank, beginning at the root. */
static bool chain(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    bool is_root = call->rank == call->root;
    uint32_t next = (call->rank + 1) % call->size;
    struct coll_span data = {is_root ? COLL_SEND_BUFFER : COLL_RECV_BUFFER, 0, call->bytes};
    if (phase > 1)
        return false;
    if (phase == 0 && !is_root)
        sink->recv(sink, (call->rank + call->size - 1) % call->size, data);
    else if (phase == 1 && next != call->root)
        sink->send(sink, next, data);
    return true;
}

static const struct coll_algorithm bcast_chain = {
    .kind = COLL_BCAST, .name = "chain", .doc = "from rank to rank", .emit = chain};

static void test_added_algorithm(void **state)
{
    (void)state;
    struct coll_choice choice;
    struct coll_proof proof;
    struct param_problem problem;
    struct coll_world world = {.size = 7, .root = 3, .element_bytes = 8, .bytes = 80};
    assert_null(coll_find(COLL_BCAST, "chain"));
    assert_int_equal(coll_add(&bcast_chain), STATUS_OK);
    assert_ptr_equal(coll_find(COLL_BCAST, "chain"), &bcast_chain);
    assert_null(coll_find(COLL_REDUCE, "chain"));
    assert_ptr_not_equal(coll_default(COLL_BCAST), &bcast_chain);
    assert_true(coll_choice_parse(COLL_BCAST, "binomial<=64KiB,chain", &choice, &problem));
    assert_ptr_equal(choice.algorithm[1], &bcast_chain);
    assert_true(coll_prove(&bcast_chain, &world, &proof));
    assert_int_equal(proof.messages, 6);
}

static void test_taken_name(void **state)
{
    (void)state;
    struct coll_algorithm other = bcast_chain;
    assert_int_equal(coll_add(&bcast_chain), STATUS_BAD_INPUT);
    other.name = "binomial";
    assert_int_equal(coll_add(&other), STATUS_BAD_INPUT);
    other.kind = COLL_EXSCAN;
    assert_int_equal(coll_add(&other), STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_added_algorithm),
        cmocka_unit_test(test_taken_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
