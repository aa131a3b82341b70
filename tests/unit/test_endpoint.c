/* The interface of endpoints: the answers of the null endpoint, and the calls that another endpoint gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/rank/endpoint_list.h"

enum { RANK = 3, MESSAGE = 5, NOW = 100, LATER = 250, ANSWER = 999 };

static void null_endpoint_takes_no_time(void **state)
{
    (void)state;
    assert_true(endpoint_is_null(NULL));
    assert_true(endpoint_begin_send(NULL, RANK));
    assert_true(endpoint_post(NULL, MESSAGE));
    assert_true(endpoint_deliver(NULL, MESSAGE, LATER));
    assert_int_equal(endpoint_leave(NULL, RANK, LATER), LATER);
    assert_int_equal(endpoint_pass(NULL, RANK, LATER, ENDPOINT_WAIT_REQUESTS), LATER);
    assert_int_equal(endpoint_work(NULL, RANK, ENDPOINT_WORK_BARRIER, NOW), NOW);
    assert_int_equal(endpoint_free_at(NULL, RANK, NOW), NOW);
    assert_int_equal(endpoint_software(NULL, RANK), 0);
    assert_int_equal(endpoint_included_bytes(NULL), 0);
    assert_false(endpoint_copies(NULL));
}

static void null_endpoint_keeps_and_uses_nothing(void **state)
{
    (void)state;
    struct engine_usage usage = {.bytes = 12}, before = usage;
    endpoint_attach(NULL, NULL);
    endpoint_enter(NULL, RANK, ENDPOINT_WAIT_SEND);
    endpoint_test(NULL, RANK);
    endpoint_account(NULL, &usage);
    endpoint_close(NULL);
    assert_memory_equal(&usage, &before, sizeof usage);
}

static void run_without_a_host_has_the_null_endpoint(void **state)
{
    (void)state;
    static const struct param_table *const tables[] = {&machine_params};
    struct config *config = config_open(tables, 1);
    struct engine_params run = {.config = config};
    struct run_context context = {.tap = NULL};
    const struct endpoint_params params = {.run = &run, .context = &context, .ranks = 2};
    assert_true(endpoint_is_null(endpoint_open(&params)));
    static const char *const costs[] = {"host.send=1ns", "host.receive=1ns", "nic.latency=1ns"};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        struct config *costly = config_copy(config);
        run.config = costly;
        assert_int_equal(config_set(costly, costs[i]), STATUS_OK);
        struct endpoint *endpoint = endpoint_open(&params);
        assert_false(endpoint_is_null(endpoint));
        endpoint_close(endpoint);
        config_close(costly);
    }
    loop_free(&context.loop);
    config_close(config);
}

/* -------------------------------------------------------- another endpoint */

static char asked[64]; /* a letter for each call */
static size_t asked_count;

static void note(char letter)
{
    asked[asked_count++] = letter;
}

static void fake_begin_send(struct endpoint *endpoint, uint32_t rank)
{
    (void)endpoint;
    assert_int_equal(rank, RANK);
    note('b');
}

static void fake_post(struct endpoint *endpoint, uint32_t message)
{
    (void)endpoint;
    assert_int_equal(message, MESSAGE);
    note('p');
}

static void fake_deliver(struct endpoint *endpoint, uint32_t message, ps_t at)
{
    (void)endpoint;
    assert_int_equal(message, MESSAGE);
    assert_int_equal(at, LATER);
    note('d');
}

static ps_t fake_leave(struct endpoint *endpoint, uint32_t rank, ps_t at)
{
    (void)endpoint, (void)rank, (void)at;
    note('l');
    return ANSWER;
}

static ps_t fake_pass(struct endpoint *endpoint, uint32_t rank, ps_t at, enum endpoint_wait wait)
{
    (void)endpoint, (void)rank, (void)at;
    assert_int_equal(wait, ENDPOINT_WAIT_CALL);
    note('a');
    return ANSWER;
}

static const struct endpoint_ops fake_ops = {.begin_send = fake_begin_send,
                                             .post = fake_post,
                                             .deliver = fake_deliver,
                                             .leave = fake_leave,
                                             .pass = fake_pass};

static void a_given_endpoint_gets_every_call(void **state)
{
    (void)state;
    const struct {
        ps_t free_at, other, software;
    } cores[] = {{10, 0, 20}, {11, 0, 21}, {12, 0, 22}, {13, 0, 23}};
    struct endpoint fake = {.ops = &fake_ops,
                            .included_bytes = 64,
                            .free_at = &cores->free_at,
                            .software = &cores->software,
                            .core_stride = sizeof *cores};
    assert_false(endpoint_is_null(&fake));
    assert_false(endpoint_begin_send(&fake, RANK));
    assert_false(endpoint_post(&fake, MESSAGE));
    assert_false(endpoint_deliver(&fake, MESSAGE, LATER));
    assert_int_equal(endpoint_leave(&fake, RANK, LATER), ANSWER);
    assert_int_equal(endpoint_pass(&fake, RANK, LATER, ENDPOINT_WAIT_CALL), ANSWER);
    assert_int_equal(endpoint_free_at(&fake, RANK, NOW), 13);
    assert_int_equal(endpoint_software(&fake, RANK), 23);
    assert_int_equal(endpoint_included_bytes(&fake), 64);
    assert_string_equal(asked, "bpdla");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_endpoint_takes_no_time),
        cmocka_unit_test(null_endpoint_keeps_and_uses_nothing),
        cmocka_unit_test(run_without_a_host_has_the_null_endpoint),
        cmocka_unit_test(a_given_endpoint_gets_every_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
