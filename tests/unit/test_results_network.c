/* Which speedups of a table of results are not those of the fabrics alone. Rates and latencies are those of
 * the parameters, so results from before there were machines have them too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/mem.h"
#include "sweep/results_table.h"
#include "sweep/store.h"

struct kept_run {
    const char *fabric, *parameters;
};

static void add_run(struct store *store, const struct kept_run *kept, uint32_t ranks)
{
    char *key = mem_format("%s %s", kept->fabric, kept->parameters);
    struct store_run run = {.key = key,
                            .fabric = kept->fabric,
                            .program = "p",
                            .parameters = kept->parameters,
                            .input_hash = "",
                            .ranks = ranks,
                            .makespan_ps = 10,
                            .metrics = "{}",
                            .run = "{}"};
    assert_int_equal(store_plan(store, &run), STATUS_OK);
    assert_int_equal(store_finish(store, &run), STATUS_OK);
    free(key);
}

/* The reasons of a table of these runs, each behind its line's number: "1: rate ...\n". */
static char *reasons_of(const struct kept_run *runs, size_t count, const char *baseline)
{
    struct results_table table;
    struct store *store;
    assert_int_equal(store_open(":memory:", STORE_WRITE, &store), STATUS_OK);
    for (size_t i = 0; i < count; i++)
        add_run(store, &runs[i], 4);
    if (baseline)
        assert_int_equal(store_set_metadata(store, STORE_BASELINE, baseline), STATUS_OK);
    assert_int_equal(results_table_read(&table, store), STATUS_OK);
    char *all = mem_text("");
    for (size_t i = 0; i < table.count; i++) {
        const char *reason = results_table_reason(&table, &table.rows[i]);
        char *longer = *reason ? mem_format("%s%zu: %s\n", all, i, reason) : mem_text(all);
        free(all);
        all = longer;
    }
    results_table_free(&table);
    store_close(store);
    return all;
}

static void expect(const struct kept_run *runs, size_t count, const char *baseline, const char *expected)
{
    char *reasons = reasons_of(runs, count, baseline);
    assert_string_equal(reasons, expected);
    free(reasons);
}

#define COUNT(runs) (sizeof(runs) / sizeof *(runs))
#define OVER_PACKET "{\"fabric\": \"packet\"}"
#define UNEQUAL_HOSTS                                                                                        \
    "its latency is without wires and hosts, that of packet measured from end to end, with hosts\n"

static void published_fabrics_are_marked(void **state)
{
    (void)state;
    static const struct kept_run runs[] = {
        {"ideal", "{\"fabric\": \"ideal\", \"fmu.count\": \"8\"}"},
        {"packet", "{\"fabric\": \"packet\", \"fmu.count\": \"8\"}"},
        {"hockney", "{\"fabric\": \"hockney\", \"fmu.count\": \"8\"}"},
        {"fmu", "{\"fabric\": \"fmu\", \"fmu.count\": \"8\"}"},
        {"packet", "{\"fabric\": \"packet\", \"fmu.count\": \"4\", \"packet.bandwidth\": \"76.8 GB/s\"}"},
        {"fmu", "{\"fabric\": \"fmu\", \"fmu.count\": \"4\", \"packet.bandwidth\": \"76.8 GB/s\"}"},
    };
    const char *expected =
        "3: a node sends at 76.80 GB/s, on packet at 12.50 GB/s; " UNEQUAL_HOSTS "5: " UNEQUAL_HOSTS;
    expect(runs, COUNT(runs), OVER_PACKET, expected);
    /* Without a baseline all are compared with the first that is no bound. */
    expect(runs, COUNT(runs), NULL, expected);
}

/* A parameter of a row is not that of the rows after it. */
static void rows_do_not_mix(void **state)
{
    (void)state;
    static const struct kept_run runs[] = {
        {"hockney", "{\"fabric\": \"hockney\", \"hockney.bandwidth\": \"1 GB/s\"}"},
        {"packet", "{\"fabric\": \"packet\"}"},
        {"hockney", "{\"fabric\": \"hockney\"}"},
        {"hockney", "{\"fabric\": \"hockney\", \"packet.latency\": \"9 us\"}"},
        {"hockney", "{\"fabric\": \"hockney\", \"packet.latency\": null}"},
    };
    expect(runs, COUNT(runs), OVER_PACKET, "");
    expect(&runs[1], COUNT(runs) - 1, "{\"fabric\": \"packet\", \"fmu.count\": \"8\"}", "");
    expect(&runs[0], 2, NULL, "");
    expect(&runs[1], 1, OVER_PACKET, "");
    static const struct kept_run mixed[] = {
        {"packet", "{\"fabric\": \"packet\"}"},
        {"hockney", "{\"fabric\": \"hockney\", \"hockney.bandwidth\": \"1 GB/s\"}"},
        {"hockney", "{\"fabric\": \"hockney\", \"packet.duplex\": \"full\"}"},
        {"hockney", "{\"fabric\": \"hockney\"}"},
    };
    expect(mixed, COUNT(mixed), NULL, "1: a node sends at 1.000 GB/s, on packet at 12.50 GB/s\n");
}

/* One fabric on two machines: what differs is what the baseline names. */
static void a_fabric_is_not_compared_with_itself(void **state)
{
    (void)state;
    static const struct kept_run runs[] = {
        {"packet", "{\"fabric\": \"packet\", \"machine\": \"a\", \"packet.bandwidth\": \"50 GB/s\"}"},
        {"packet", "{\"fabric\": \"packet\", \"machine\": \"b\", \"packet.bandwidth\": \"25 GB/s\"}"},
    };
    expect(runs, COUNT(runs), "{\"machine\": \"a\"}", "");
}

static void keep_nothing(void *self, enum diag_level level, const char *message)
{
    (void)level, (void)message;
    ++*(unsigned *)self;
}

/* Of a fabric that this process does not have, and of parameters that another program has changed, nothing is
 * known. Nothing is reported, and those who listened to messages listen again. */
static void unknown_networks_are_marked(void **state)
{
    (void)state;
    static const struct kept_run runs[] = {
        {"packet", "{\"fabric\": \"packet\"}"},
        {"of-a-plug-in", "{\"fabric\": \"of-a-plug-in\"}"},
        {"segment", "{\"fabric\": \"segment\", \"topology\": \"torus:1x2\"}"},
        {"fmu", "{\"fabric\": \"fmu\", \"fmu.bandwidth\": \"fast\"}"},
        {"fmu", "{\"fabric\": \"fmu\", \"fmu.bandwidth\": \"12.5 GB/s\", \"fmu.t_ocm\": \"1 ns\"}"},
    };
    unsigned messages = 0;
    diag_set_sink(keep_nothing, &messages);
    char *reasons = reasons_of(runs, COUNT(runs), NULL);
    assert_int_equal(messages, 0);
    diag_note("heard");
    assert_int_equal(messages, 1);
    diag_set_sink(NULL, NULL);
    assert_non_null(strstr(reasons, "1: it does not say its rate and its latency\n"));
    assert_non_null(strstr(reasons, "2: "));
    assert_null(strstr(reasons, "3: ")); /* nothing is known of packet either, with these parameters */
    assert_non_null(strstr(reasons, "4: its latency is with t_ocm set to 1 ns, that of packet"));
    free(reasons);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_fabrics_are_marked),
        cmocka_unit_test(rows_do_not_mix),
        cmocka_unit_test(a_fabric_is_not_compared_with_itself),
        cmocka_unit_test(unknown_networks_are_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
