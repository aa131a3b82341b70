/* Ranks that execute graphs: times against a longest path computed here, rules by hand, programs of calls
 * against their graphs, and what a run that cannot go on says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/mem.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "support/plain_graph.h"
#include "support/random_calls.h"
#include "trace/goal/goal.h"

/* ---------------------------------------------------------------- running */

static char said[16384];

static void listen(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    strncat(said, message, sizeof said - strlen(said) - 1);
}

struct outcome {
    enum status status;
    ps_t finish[PLAIN_RANKS], compute[PLAIN_RANKS], idle[PLAIN_RANKS], makespan;
    uint64_t messages;
    ps_t path[CRITICAL_KINDS];
};

static void keep(struct outcome *outcome, const struct result *result)
{
    outcome->makespan = result->makespan;
    outcome->messages = result->messages;
    for (uint32_t i = 0; i < result->ranks; i++) {
        outcome->finish[i] = result->rows[i].finish;
        outcome->compute[i] = result->rows[i].compute;
        outcome->idle[i] = result->rows[i].idle;
    }
    if (result->path)
        memcpy(outcome->path, result->path->kinds, sizeof outcome->path);
}

/* A message of b bytes takes 1 us + b ns; more than 1000 bytes are a rendezvous. */
static struct outcome run_text(const char *text, const char *const *settings)
{
    static const char *const all[] = {"fabric=hockney",          "machine=as-published",
                                      "hockney.latency=1us",     "hockney.bandwidth=1GB/s",
                                      "mpi.eager_threshold=1kB", "rendezvous.handshakes=0"};
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    struct program *program;
    struct experiment experiment;
    struct result result = {0};
    struct outcome outcome = {.status = STATUS_OK};
    const struct experiment_watch watch = {.messages = NULL};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_int_equal(config_set(config, all[i]), STATUS_OK);
    for (; settings && *settings; settings++)
        assert_int_equal(config_set(config, *settings), STATUS_OK);
    said[0] = '\0';
    diag_set_sink(listen, NULL);
    if (goal_open_bytes("x.goal", mem_text(text), strlen(text), &program) != STATUS_OK)
        fail_msg("%s\n%s", text, said);
    program->name = "x.goal";
    outcome.status = experiment_init_with(&experiment, config, program);
    experiment.path = EXPERIMENT_PATH_LISTED;
    if (outcome.status == STATUS_OK)
        outcome.status = experiment_run(&experiment, 0, &watch, &result);
    if (outcome.status == STATUS_OK)
        keep(&outcome, &result);
    diag_set_sink(NULL, NULL);
    result_free(&result);
    experiment_free(&experiment);
    program->ops->close(program);
    config_close(config);
    return outcome;
}

static void check_sum(const struct outcome *outcome)
{
    ps_t sum = 0;
    for (int kind = 0; kind < CRITICAL_KINDS; kind++) {
        assert_true(outcome->path[kind] >= 0);
        sum += outcome->path[kind];
    }
    assert_int_equal(sum, outcome->makespan);
}

/* ---------------------------------------------------------- longest paths */

/* 1 us + a ns for each byte; a rendezvous from 1001 bytes on. */
static void pass_hockney(struct plain_operation *send, struct plain_operation *receive)
{
    ps_t transfer = 1000000 + (ps_t)send->amount * 1000;
    if (send->amount <= 1000) {
        send->end = send->begin;
        receive->end = ps_max(receive->begin, send->begin + transfer);
    } else {
        send->end = receive->end = ps_max(send->begin, receive->begin) + transfer;
    }
}

static void check_paths(plain_pass *pass, const char *const *settings)
{
    struct plain_program *plain = mem_alloc(1, sizeof *plain, "a program");
    for (uint64_t seed = 1; seed <= 150; seed++) {
        ps_t finish[PLAIN_RANKS] = {0}, last = 0;
        plain_draw(plain, seed, false);
        plain_times(plain, pass, finish);
        char *text = plain_text(plain);
        struct outcome outcome = run_text(text, settings);
        if (outcome.status != STATUS_OK)
            fail_msg("%s", said);
        for (uint32_t rank = 0; rank < plain->ranks; rank++) {
            assert_int_equal(outcome.finish[rank], finish[rank]);
            last = ps_max(last, finish[rank]);
        }
        assert_int_equal(outcome.makespan, last);
        check_sum(&outcome);
        free(text);
    }
    free(plain);
}

static void finish_is_the_longest_path(void **state)
{
    (void)state;
    check_paths(pass_hockney, NULL);
}

static void so_it_is_on_loggops(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "fabric=loggops", "loggops.L=1us", "loggops.o=100ns", "loggops.g=50ns",
        "loggops.G=2ns",  "loggops.O=3ns", "loggops.S=1000B", NULL};
    check_paths(plain_pass_loggops, settings);
}

/* ---------------------------------------------------------------- by hand */

#define ONE(body)           "num_ranks 1\nrank 0 {\n" body "}\n"
#define PAIR(first, second) "num_ranks 2\nrank 0 {\n" first "}\nrank 1 {\n" second "}\n"

static const struct {
    const char *text;
    ps_t finish[2]; /* ns */
} cases[] = {
    {ONE(""), {0}},
    {ONE("calc 5\ncalc 7\n"), {12}},      /* one core: one after another */
    {ONE("calc 5\ncalc 7 cpu 1\n"), {7}}, /* two cores */
    {ONE("a: calc 5\nb: calc 7 cpu 1\nb requires a\n"), {12}},
    {ONE("a: calc 5\nb: calc 7 cpu 1\nb irequires a\n"), {7}},
    {ONE("a: calc 5\nb: calc 7\nb irequires a\n"), {12}},
    /* b and c are ready at 5, b first: c ends at 13, and d, of core 1, follows b */
    {ONE("a: calc 5\nb: calc 7\nc: calc 1\nd: calc 9 cpu 1\nb requires a\nc requires a\nd requires b\n"),
     {21}},
    /* no core is held by a receive that waits */
    {PAIR("a: calc 5000\nb: send 1b to 1\nb requires a\n", "recv 1b from 0\ncalc 4000\n"), {5000, 6001}},
    /* an eager send ends when it has begun, a rendezvous with its receive */
    {PAIR("a: send 1000b to 1\nb: calc 1\nb requires a\n",
          "a: calc 9000\nb: recv 1000b from 0\nb requires a\n"),
     {1, 9000}},
    {PAIR("a: send 1001b to 1\nb: calc 1\nb requires a\n",
          "a: calc 9000\nb: recv 1001b from 0\nb requires a\n"),
     {11002, 11001}},
    {PAIR("a: send 1001b to 1\nb: calc 1\nb irequires a\n", "recv 1001b from 0\n"), {2001, 2001}},
    /* the core is free while a receive waits, so that c goes before b */
    {PAIR("send 9b to 1\n", "a: recv 9b from 0\nb: calc 3\nc: calc 5\nb requires a\n"), {0, 1012}},
    /* messages match in order, whatever their sizes and those of the receives */
    {PAIR("send 900b to 1\nsend 9b to 1\n",
          "a: recv 1b from 0\nb: calc 50000\nrecv 1b from 0\nb requires a\n"),
     {0, 51900}},
    /* any source and any tag: the first message that is there */
    {PAIR("a: calc 10\nb: send 9b to 1 tag 4\nb requires a\n",
          "a: recv 9b from -1 tag -1\nb: calc 3\nb requires a\n"),
     {10, 1022}},
};

static void times_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome outcome = run_text(cases[i].text, NULL);
        if (outcome.status != STATUS_OK)
            fail_msg("%s\n%s", cases[i].text, said);
        for (int rank = 0; rank < 2; rank++)
            if (outcome.finish[rank] != cases[i].finish[rank] * 1000)
                fail_msg("%srank %d ends at %ld ps", cases[i].text, rank, (long)outcome.finish[rank]);
        check_sum(&outcome);
    }
}

/* A rank is idle while no core is busy and something is left. */
static void computing_and_idle_times(void **state)
{
    (void)state;
    struct outcome outcome =
        run_text(PAIR("a: calc 100\nb: calc 50 cpu 1\nc: recv 1b from 1\nd: calc 10\nd requires c\n",
                      "send 1b to 0\n"),
                 NULL);
    assert_int_equal(outcome.status, STATUS_OK);
    assert_int_equal(outcome.finish[0], 1011000);
    assert_int_equal(outcome.idle[0], (1001 - 100) * 1000);
    assert_int_equal(outcome.compute[0], 110 * 1000); /* while any of its cores does */
}

/* What core 0 does for messages is not idle, nor what it begins to do at the end of the idle time. */
static void software_is_not_idle(void **state)
{
    (void)state;
    static const char *const hosts[] = {"host.send=10ns", "host.receive=20ns", NULL};
    struct outcome outcome =
        run_text(PAIR("a: calc 100\nb: recv 1b from 1\nc: send 1b to 1\nb requires a\nc requires b\n",
                      "a: calc 50\nb: send 1b to 0\nc: recv 1b from 0\nb requires a\nc requires b\n"),
                 hosts);
    assert_int_equal(outcome.status, STATUS_OK);
    for (int rank = 0; rank < 2; rank++)
        assert_int_equal(outcome.finish[rank] - outcome.compute[rank] - outcome.idle[rank], 30 * 1000);
}

static void wildcards_take_the_first_that_comes(void **state)
{
    (void)state;
    struct outcome outcome =
        run_text("num_ranks 3\nrank 0 {\na: recv 1b from -1\nb: recv 1b from -1\nc: calc 100000\n"
                 "c requires a\n}\n"
                 "rank 1 {\na: calc 5000\nb: send 1b to 0\nb requires a\n}\nrank 2 {\nsend 1b to 0\n}\n",
                 NULL);
    assert_int_equal(outcome.status, STATUS_OK);
    assert_int_equal(outcome.finish[0], 101001 * 1000); /* a has the message of rank 2 */
}

/* --------------------------------------------------------------- deadlock */

static void deadlock_names_what_blocks(void **state)
{
    (void)state;
    struct outcome outcome =
        run_text(PAIR("a: calc 5\nlast: recv 8b from 1 tag 2\nb: calc 1\nlast requires a\nb requires last\n",
                      "s: send 2000b to 0 tag 3\n"),
                 NULL);
    assert_int_equal(outcome.status, STATUS_FAILED);
    assert_non_null(
        strstr(said, "deadlock at 5.00000 ns: 3 of 4 operations have not ended, and nothing is under way"));
    assert_non_null(strstr(said,
                           "x.goal:4: note: last of rank 0, recv of 8 bytes from rank 1, tag 2, waits for "
                           "its message"));
    assert_non_null(strstr(said,
                           "x.goal:10: note: s of rank 1, send of 2000 bytes to rank 0, tag 3, waits for "
                           "its receive"));
    assert_non_null(strstr(said, "1 operation requires them, and has not begun"));
}

static void many_that_block_are_counted(void **state)
{
    (void)state;
    char text[2000] = "num_ranks 1\nrank 0 {\n";
    for (int i = 0; i < 20; i++)
        strcat(text, "recv 1b from 0\n");
    strcat(text, "}\n");
    assert_int_equal(run_text(text, NULL).status, STATUS_FAILED);
    assert_non_null(strstr(said, "and 4 more"));
}

static void message_that_nobody_receives_is_a_warning(void **state)
{
    (void)state;
    struct outcome outcome = run_text(PAIR("send 8b to 1\n", ""), NULL);
    assert_int_equal(outcome.status, STATUS_OK);
    assert_non_null(strstr(said, "warning: 1 messages were sent that nobody receives"));
}

static void send_with_any_tag_is_refused(void **state)
{
    (void)state;
    struct outcome outcome = run_text(PAIR("send 8b to 1 tag -1\n", "recv 8b from 0\n"), NULL);
    assert_int_equal(outcome.status, STATUS_BAD_INPUT);
    assert_non_null(strstr(said, "x.goal has a send with any tag, which only LogGOPSim knows"));
}

/* ------------------------------------------------------ programs of calls */

static struct script_outcome as_calls, as_graph;

static void run_both(const struct random_calls *program, const char *fabric, const char *const *settings)
{
    script_run(program->lists, program->ranks, fabric, settings, &as_calls);
    if (as_calls.status != STATUS_OK)
        fail_msg("%s: %s", fabric, as_calls.said);
    script_as_graph = true;
    script_run(program->lists, program->ranks, fabric, settings, &as_graph);
    script_as_graph = false;
    if (as_graph.status != STATUS_OK)
        fail_msg("%s: %s", fabric, as_graph.said);
}

static const char *const protocols[][4] = {{NULL},
                                           {"mpi.eager_threshold=0B", NULL},
                                           {"mpi.eager_threshold=1kB", "rendezvous.handshakes=2", NULL},
                                           {"mpi.alltoall=bruck", "mpi.eager_done=injected", NULL}};

static void compare(const char *fabric, bool untied)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct random_calls *program = random_calls_make(seed, untied);
        run_both(program, fabric, protocols[seed % 4]);
        assert_int_equal(as_calls.message_total, as_graph.message_total);
        for (uint32_t rank = 0; rank < program->ranks; rank++)
            if (as_calls.finish[rank] != as_graph.finish[rank])
                fail_msg("seed %lu on %s, rank %u: %ld ps as calls, %ld ps as a graph", (unsigned long)seed,
                         fabric, rank, (long)as_calls.finish[rank], (long)as_graph.finish[rank]);
        free(program);
    }
}

static void calls_take_as_long_as_their_graph(void **state)
{
    (void)state;
    compare("ideal", false);
    compare("hockney", false);
}

/* Where messages share something, the order of those that are sent at the same time decides, and that is not
 * the same. */
static void also_where_messages_share_links(void **state)
{
    (void)state;
    static const char *const fabrics[] = {"packet", "fmu", "segment", "circuit", "hybrid"};
    for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++)
        compare(fabrics[i], true);
}

/* The parts of the critical path of a graph add up to its makespan, also with hosts. */
static void paths_add_up(void **state)
{
    (void)state;
    static const char *const fabrics[] = {"ideal", "hockney", "packet", "fmu", "segment", "circuit"};
    static const char *const host[] = {"host.system=thunderx2", "hockney.latency=200ns",
                                       "packet.latency=200ns", NULL};
    struct critical_path path;
    script_as_graph = true;
    script_path = &path;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct random_calls *program = random_calls_make(seed, false);
        for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
            ps_t sum = 0;
            bool has_host = (i == 1 || i == 2) && seed % 2;
            script_run(program->lists, program->ranks, fabrics[i], has_host ? host : protocols[seed % 4],
                       &as_graph);
            if (as_graph.status != STATUS_OK)
                fail_msg("%s: %s", fabrics[i], as_graph.said);
            for (int kind = 0; kind < CRITICAL_KINDS; kind++) {
                assert_true(path.kinds[kind] >= 0);
                sum += path.kinds[kind];
            }
            assert_int_equal(sum, as_graph.makespan);
            assert_int_equal(path.length, as_graph.makespan);
            assert_int_equal(path.kinds[CRITICAL_OTHER], 0);
            critical_path_free(&path);
        }
        free(program);
    }
    script_as_graph = false;
    script_path = NULL;
}

/* With hosts the software on the path is about that of the calls: a core that handles a message and then
 * begins an operation has waited for the cause of that. */
static void paths_with_hosts_follow_messages(void **state)
{
    (void)state;
    static const char *const host[] = {"host.system=thunderx2", "hockney.latency=200ns", NULL};
    ps_t software[2] = {0}, length[2] = {0};
    for (int as = 0; as < 2; as++) {
        struct critical_path path;
        script_as_graph = as;
        script_path = &path;
        for (uint64_t seed = 1; seed <= 40; seed++) {
            struct random_calls *program = random_calls_make(seed, false);
            script_run(program->lists, program->ranks, "hockney", host, &as_graph);
            assert_int_equal(as_graph.status, STATUS_OK);
            software[as] += path.kinds[CRITICAL_SOFTWARE];
            length[as] += path.length;
            critical_path_free(&path);
            free(program);
        }
    }
    script_as_graph = false;
    script_path = NULL;
    assert_true(length[1] < length[0] * 21 / 20 && length[1] > length[0] * 19 / 20);
    assert_true(software[1] < software[0] * 5 / 4 && software[1] > software[0] * 3 / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finish_is_the_longest_path),
        cmocka_unit_test(so_it_is_on_loggops),
        cmocka_unit_test(times_by_hand),
        cmocka_unit_test(computing_and_idle_times),
        cmocka_unit_test(software_is_not_idle),
        cmocka_unit_test(wildcards_take_the_first_that_comes),
        cmocka_unit_test(deadlock_names_what_blocks),
        cmocka_unit_test(many_that_block_are_counted),
        cmocka_unit_test(message_that_nobody_receives_is_a_warning),
        cmocka_unit_test(send_with_any_tag_is_refused),
        cmocka_unit_test(calls_take_as_long_as_their_graph),
        cmocka_unit_test(also_where_messages_share_links),
        cmocka_unit_test(paths_add_up),
        cmocka_unit_test(paths_with_hosts_follow_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
