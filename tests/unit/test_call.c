/* Names and descriptions of calls, sizes of datatypes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "call/call.h"
#include "call/datatype.h"

static void every_operation_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int op = 0; op < CALL_OPS; op++)
        for (int other = 0; other < op; other++)
            assert_string_not_equal(call_op_name(op), call_op_name(other));
    assert_string_equal(call_op_name(CALL_ALLTOALLV), "alltoallv");
    assert_string_equal(call_op_name(CALL_OPS), "unknown");
}

static void calls_have_readable_descriptions(void **state)
{
    (void)state;
    char text[200];
    struct call recv = {.op = CALL_RECV, .peer = 3, .tag = 7, .recv_bytes = 720};
    assert_string_equal(call_describe(&recv, text, sizeof text), "recv of 720 bytes from rank 3, tag 7");
    struct call any = {
        .op = CALL_RECV, .flags = CALL_IMMEDIATE, .peer = CALL_ANY_SOURCE, .tag = CALL_ANY_TAG};
    assert_string_equal(call_describe(&any, text, sizeof text),
                        "non-blocking recv of 0 bytes from any source, any tag");
    struct call send = {.op = CALL_SEND, .flags = CALL_SYNCHRONOUS, .peer = 1, .bytes = 8};
    assert_string_equal(call_describe(&send, text, sizeof text),
                        "synchronous send of 8 bytes to rank 1, tag 0");
    struct call bcast = {.op = CALL_BCAST, .peer = 2, .bytes = 64};
    assert_string_equal(call_describe(&bcast, text, sizeof text), "bcast of 64 bytes, root 2");
    struct call barrier = {.op = CALL_BARRIER};
    assert_string_equal(call_describe(&barrier, text, sizeof text), "barrier");
    struct call both = {.op = CALL_SENDRECV, .peer = 1, .source = 2, .bytes = 8, .recv_bytes = 16};
    assert_string_equal(call_describe(&both, text, sizeof text),
                        "sendRecv of 8 bytes to rank 1 and 16 bytes from rank 2, tag 0");
}

static void a_description_that_does_not_fit_is_cut(void **state)
{
    (void)state;
    struct call recv = {.op = CALL_RECV, .peer = 3, .tag = 7, .recv_bytes = 720};
    char text[12];
    for (size_t size = 1; size <= sizeof text; size++) {
        memset(text, 'x', sizeof text);
        call_describe(&recv, text, size);
        assert_int_equal(strlen(text), size - 1);
        assert_memory_equal(text, "recv of 720 ", size - 1);
    }
}

static void datatypes_have_their_sizes(void **state)
{
    (void)state;
    assert_int_equal(datatype_bytes(DATATYPE_DOUBLE), 8);
    assert_int_equal(datatype_bytes(DATATYPE_BYTE), 1);
    assert_int_equal(datatype_bytes(23), 4);
    assert_int_equal(datatype_bytes(43), 16);
    assert_int_equal(datatype_bytes(55), 0);
    assert_int_equal(datatype_bytes(DATATYPE_DERIVED), -1);
    assert_int_equal(datatype_bytes(DATATYPE_COUNT_OF), -1);
    assert_string_equal(datatype_name(36), "2DOUBLE");
    assert_null(datatype_name(DATATYPE_DERIVED));
    for (int id = 0; id < DATATYPE_COUNT_OF; id++)
        assert_non_null(datatype_name(id));
}

static void groups_know_their_ranks_and_nodes(void **state)
{
    (void)state;
    const uint32_t world[] = {7, 2, 6, 9, 3};
    const struct group some = {.size = 5, .world = world}, all = {.size = 5};
    struct program program = {.ranks = 10};
    uint32_t place_of[5];
    for (uint32_t rank = 0; rank < 5; rank++) {
        assert_int_equal(group_rank(&some, group_world(&some, rank)), rank);
        assert_int_equal(group_rank(&all, rank), rank);
    }
    group_places(&program, &some, 2, false, place_of); /* nodes 3 1 3 4 1 of the world */
    assert_memory_equal(place_of, ((uint32_t[]){0, 1, 0, 2, 1}), sizeof place_of);
    group_places(&program, &all, 2, false, place_of);
    assert_memory_equal(place_of, ((uint32_t[]){0, 0, 1, 1, 2}), sizeof place_of);
    program.nodes_per_server = 2; /* servers 1 0 1 2 0 */
    group_places(&program, &some, 2, true, place_of);
    assert_memory_equal(place_of, ((uint32_t[]){0, 1, 0, 2, 1}), sizeof place_of);
    group_places(&program, &all, 2, true, place_of);
    assert_memory_equal(place_of, ((uint32_t[]){0, 0, 0, 0, 1}), sizeof place_of);
    program.node_of = (const uint32_t[]){0, 1, 2, 3, 4, 5, 1, 1, 8, 2};
    program.nodes = 9;
    group_places(&program, &some, 2, false, place_of); /* nodes 1 2 1 2 3 of the machine */
    assert_memory_equal(place_of, ((uint32_t[]){0, 1, 0, 1, 2}), sizeof place_of);
    assert_int_equal(program_nodes(&program, 2), 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_has_a_name_of_its_own),
        cmocka_unit_test(calls_have_readable_descriptions),
        cmocka_unit_test(a_description_that_does_not_fit_is_cut),
        cmocka_unit_test(datatypes_have_their_sizes),
        cmocka_unit_test(groups_know_their_ranks_and_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
