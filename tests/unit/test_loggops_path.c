/* The critical path and the slack on loggops: against longest paths computed here, where operations share
 * nothing; and where they share cores and NICs, that the parts add up and decide. */
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
#include "base/tap.h"
#include "call/call.h"
#include "engine/critical.h"
#include "engine/loggops/loggops.h"
#include "fabric/list.h"
#include "fabric/message.h"
#include "sim/components.h"
#include "support/plain_graph.h"
#include "trace/goal/goal.h"

/* ------------------------------------------------------------------ running */

static struct critical_path path;
static struct slack_result slack;
static ps_t finish[PLAIN_RANKS];
static uint32_t tags[PLAIN_OPERATIONS]; /* of the messages, in the order of sending */
static size_t sent;

static void on_end(void *self, const struct tap_record *record)
{
    (void)self;
    finish[record->rank] = record->at;
}

static void on_sent(void *self, const struct tap_record *record)
{
    (void)self;
    tags[sent++] = (uint32_t)record->message->tag;
}

static ps_t run_text(const char *text, const char *const *settings)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    struct program *program;
    struct tap tap = {0};
    struct engine_usage usage;
    ps_t last = 0;
    for (; *settings; settings++)
        assert_int_equal(config_set(config, *settings), STATUS_OK);
    assert_int_equal(goal_open_bytes("x.goal", mem_text(text), strlen(text), &program), STATUS_OK);
    tap_handle(&tap, TAP_BIT(TAP_ENDED), on_end, NULL);
    tap_handle(&tap, TAP_BIT(TAP_SENT), on_sent, NULL);
    sent = 0;
    struct critical *critical = critical_open(program->ranks, false, CRITICAL_KEEP, &tap);
    struct slack *recorded = slack_open(program->ranks, false);
    critical_want_slack(critical, recorded);
    const struct engine_params params = {.program = program,
                                         .fabric = fabric_find("loggops"),
                                         .config = config,
                                         .tap = &tap,
                                         .critical = critical};
    memset(finish, 0, sizeof finish);
    assert_int_equal(engine_loggops.run(&params, &usage, NULL, NULL), STATUS_OK);
    critical_result(critical, &path);
    critical_close(critical);
    assert_true(slack_find(recorded, 1, &slack));
    slack_close(recorded);
    for (uint32_t rank = 0; rank < program->ranks; rank++)
        last = finish[rank] > last ? finish[rank] : last;
    assert_int_equal(path.length, last);
    program->ops->close(program);
    config_close(config);
    return last;
}

static void free_run(void)
{
    critical_path_free(&path);
    slack_result_free(&slack);
}

static ps_t makespan_of(const char *text, const char *const *settings)
{
    const ps_t makespan = run_text(text, settings);
    free_run();
    return makespan;
}

/* ------------------------------------------------------------------- checks */

static ps_t sum_of(const ps_t *kinds)
{
    ps_t sum = 0;
    for (int kind = 0; kind < CRITICAL_KINDS; kind++) {
        assert_true(kinds[kind] >= 0);
        sum += kinds[kind];
    }
    return sum;
}

/* The steps follow one another without a gap, and what each says adds up to its time. */
static void steps_are_a_path(void)
{
    ps_t at = path.listed_since;
    uint64_t messages = 0;
    for (size_t i = 0; i < path.count; i++) {
        const struct critical_step *step = &path.steps[i];
        assert_int_equal(step->since, at);
        assert_true(step->start >= step->since && step->end >= step->start);
        assert_true(step->computed >= 0 && step->computed <= step->start - step->since);
        assert_int_equal(sum_of(step->kinds), step->end - step->start);
        assert_true(step->rank == step->source || step->is_signal);
        messages += !step->is_signal;
        at = step->end;
    }
    assert_int_equal(path.last_since, at);
    assert_int_equal(path.kinds[CRITICAL_OTHER], 0);
    assert_int_equal(path.messages, messages);
    assert_int_equal(sum_of(path.kinds), path.length);
}

/* The number of a step's message in the order of sending. */
static size_t message_of(const struct critical_step *step)
{
    uint64_t number = 0;
    for (size_t i = 0; i < slack.message_count; i++)
        if (slack.messages[i].source == step->source && ++number == step->number)
            return i;
    fail_msg("there is no message %u:%llu", step->source, (unsigned long long)step->number);
    return 0;
}

static void messages_of_the_path_have_no_slack(void)
{
    for (size_t i = 0; i < path.count; i++)
        if (!path.steps[i].is_signal)
            assert_int_equal(slack.of_messages[message_of(&path.steps[i])], 0);
}

/* ----------------------------------------------------------- nothing shared */

static const char *const alone[] = {"fabric=loggops",  "machine=as-published", "loggops.L=1us",
                                    "loggops.o=100ns", "loggops.g=50ns",       "loggops.G=2ns",
                                    "loggops.O=3ns",   "loggops.S=1000B",      NULL};

static ps_t longest(struct plain_program *plain)
{
    ps_t ends[PLAIN_RANKS], last = 0;
    plain_times(plain, plain_pass_loggops, ends);
    for (uint32_t rank = 0; rank < plain->ranks; rank++)
        last = ends[rank] > last ? ends[rank] : last;
    return last;
}

static ps_t longer_by(struct plain_program *plain, uint32_t operation, ps_t later)
{
    plain->operations[operation].later = later;
    const ps_t end = longest(plain);
    plain->operations[operation].later = 0;
    return end;
}

/* The send of message i in the order of sending. */
static uint32_t send_of(const struct plain_program *plain, size_t message)
{
    for (uint32_t i = 0; i < plain->count; i++)
        if (plain->operations[i].kind == GRAPH_SEND && plain->operations[i].tag == tags[message])
            return i;
    fail_msg("message %zu is none of the program's", message);
    return 0;
}

static void check_message(struct plain_program *plain, size_t message, ps_t makespan)
{
    const uint32_t send = send_of(plain, message);
    const ps_t of = slack.of_messages[message];
    if (of == PS_NEVER) {
        assert_int_equal(longer_by(plain, send, 1000000000), makespan);
        return;
    }
    assert_int_equal(longer_by(plain, send, of), makespan);
    assert_int_equal(longer_by(plain, send, of + 17), makespan + 17);
}

/* Each message could take its slack longer, and not more; shorter messages of the path gain what is told. */
static void slack_is_that_of_longest_paths(void **state)
{
    (void)state;
    struct plain_program *plain = mem_alloc(1, sizeof *plain, "a program");
    for (uint64_t seed = 1; seed <= 60; seed++) {
        plain_draw(plain, seed, false);
        const ps_t makespan = longest(plain);
        char *text = plain_text(plain);
        assert_int_equal(run_text(text, alone), makespan);
        steps_are_a_path();
        messages_of_the_path_have_no_slack();
        for (size_t i = 0; i < slack.message_count; i++)
            check_message(plain, i, makespan);
        for (size_t i = 0; i < slack.gain_count; i++) {
            const struct slack_gain *gain = &slack.gains[i];
            const uint32_t send = send_of(plain, gain->message);
            const ps_t most = gain->gain < 1000000 ? gain->gain : 1000000; /* L */
            assert_int_equal(longer_by(plain, send, -most), makespan - most);
            if (gain->gain < 1000000)
                assert_int_equal(longer_by(plain, send, -most - 1), makespan - most);
        }
        free_run();
        free(text);
    }
    free(plain);
}

/* ---------------------------------------------------- cores and NICs shared */

/* No two sums of these times are equal by chance, so that small changes leave the order as it is. */
static const char *const shared[] = {"fabric=loggops",     "machine=as-published", "loggops.L=1000003ps",
                                     "loggops.o=100019ps", "loggops.g=250147ps",   "loggops.G=2063ps",
                                     "loggops.O=1031ps",   "loggops.S=1000B",      NULL};

static ps_t with(const char *text, size_t which, const char *setting)
{
    const char *settings[sizeof shared / sizeof *shared];
    memcpy(settings, shared, sizeof shared);
    settings[which] = setting;
    return makespan_of(text, settings);
}

/* The path has as much of the latency as the makespan grows with it; on o and g it works in the same way. */
static void the_path_decides(void **state)
{
    (void)state;
    struct plain_program *plain = mem_alloc(1, sizeof *plain, "a program");
    ps_t contended = 0;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        plain_draw(plain, seed, true);
        char *text = plain_text(plain);
        const ps_t more = with(text, 2, "loggops.L=1000004ps"), less = with(text, 2, "loggops.L=1000002ps");
        const ps_t slower = with(text, 3, "loggops.o=100020ps"), faster = with(text, 3, "loggops.o=100018ps");
        const ps_t makespan = run_text(text, shared);
        steps_are_a_path();
        messages_of_the_path_have_no_slack();
        assert_int_equal(path.kinds[CRITICAL_LATENCY] % 1000003, 0);
        const ps_t latencies = path.kinds[CRITICAL_LATENCY] / 1000003;
        assert_true(more - makespan >= latencies);
        assert_true(makespan - less <= latencies);
        assert_true(slower >= makespan && faster <= makespan);
        contended += path.kinds[CRITICAL_BANDWIDTH];
        free_run();
        free(text);
    }
    assert_true(contended > 0);
    free(plain);
}

/* ------------------------------------------------------------------ by hand */

#define PAIR(first, second) "num_ranks 2\nrank 0 {\n" first "}\nrank 1 {\n" second "}\n"

/* The examples of docs/models/loggops.md: L 1000, o 100, g 50, G 2, O 0 ns, S 1000 bytes. In ns. */
static const struct {
    const char *text;
    ps_t length, computation, software, latency, bandwidth;
    uint64_t messages;
} cases[] = {
    {PAIR("send 11b to 1\n", "recv 11b from 0\n"), 1220, 0, 200, 1000, 20, 1},
    {PAIR("a: send 101b to 1\nb: send 101b to 1\nb requires a\n",
          "a: recv 101b from 0\nb: recv 101b from 0\nb requires a\n"),
     1700, 0, 300, 1000, 400, 1},
    {PAIR("a: send 1001b to 1\nb: calc 7\nb requires a\n", "recv 1001b from 0\n"), 3200, 0, 200, 1000, 2000,
     1},
    {PAIR("a: send 1001b to 1\nb: calc 7\nb requires a\n",
          "a: calc 50000\nb: recv 1001b from 0\nb requires a\n"),
     52100, 50000, 100, 0, 2000, 0},
    {PAIR("send 1b to 1\n", "a: calc 1050\nb: calc 500\nb requires a\nc: recv 1b from 0\nc requires b\n"),
     1650, 1550, 100, 0, 0, 0},
    /* The second message waits for the NIC of the sender, whose cpu is free; the third rank has cpus. */
    {"num_ranks 2\nrank 0 {\na: send 1001b to 1 cpu 0\nb: send 1b to 1 cpu 1\n}\n"
     "rank 1 {\nrecv 1001b from 0 cpu 0\nrecv 1b from 0 cpu 1\n}\n",
     3250, 0, 250, 1000, 2000, 1},
};

static void parts_by_hand(void **state)
{
    (void)state;
    static const char *const settings[] = {"fabric=loggops",  "machine=as-published", "loggops.L=1us",
                                           "loggops.o=100ns", "loggops.g=50ns",       "loggops.G=2ns",
                                           "loggops.O=0ns",   "loggops.S=1000B",      NULL};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_text(cases[i].text, settings);
        steps_are_a_path();
        assert_int_equal(path.length, cases[i].length * 1000);
        assert_int_equal(path.kinds[CRITICAL_COMPUTATION], cases[i].computation * 1000);
        assert_int_equal(path.kinds[CRITICAL_SOFTWARE], cases[i].software * 1000);
        assert_int_equal(path.kinds[CRITICAL_LATENCY], cases[i].latency * 1000);
        assert_int_equal(path.kinds[CRITICAL_BANDWIDTH], cases[i].bandwidth * 1000);
        assert_int_equal(path.messages, cases[i].messages);
        free_run();
    }
}

/* A free message takes no latency and no bandwidth. */
static void free_messages(void **state)
{
    (void)state;
    const char *settings[] = {
        "fabric=loggops", "machine=as-published", "loggops.L=1us",   "loggops.o=100ns", "loggops.g=50ns",
        "loggops.G=2ns",  "loggops.O=0ns",        "loggops.S=1000B", "free=0:1",        NULL};
    assert_int_equal(makespan_of(cases[0].text, settings), 200000);
    assert_int_equal(makespan_of(cases[1].text, settings), 1500000); /* the second, sent at 100 */
    settings[8] = "free=0:2";
    assert_int_equal(makespan_of(cases[1].text, settings), 1400000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_by_hand),
        cmocka_unit_test(slack_is_that_of_longest_paths),
        cmocka_unit_test(the_path_decides),
        cmocka_unit_test(free_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
