/* Messages that take no time: those of the parameter `free`, by the names that the critical path gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/free.h"
#include "support/random_calls.h"

static struct script_outcome outcome;
static struct critical_path path;

/* 1 GB/s, 2 us of latency, an operation takes 1 ns. */
static const char *const plain[] = {"compute.rate=1Gflop/s", "hockney.latency=2us", "hockney.bandwidth=1GB/s",
                                    "intranode.latency=500ns", NULL};

/* The makespan with these settings, and with `free`, unless it is NULL. */
static ps_t makespan_of(const struct call *const *calls, uint32_t ranks, const char *fabric,
                        const char *const *more, const char *names)
{
    const char *settings[16];
    char text[128];
    size_t count = 0;
    for (size_t i = 0; plain[i]; i++)
        settings[count++] = plain[i];
    for (size_t i = 0; more && more[i]; i++)
        settings[count++] = more[i];
    if (names) {
        snprintf(text, sizeof text, "free=%s", names);
        settings[count++] = text;
    }
    settings[count] = NULL;
    script_run(calls, ranks, fabric, settings, &outcome);
    if (outcome.status != STATUS_OK)
        fail_msg("%s, free=%s: %s", fabric, names ? names : "", outcome.said);
    return outcome.makespan;
}

/* ------------------------------------------------------------ closed forms */

/* Messages travel round a ring of three ranks, so that each waits for the one before. All sizes differ, so a
 * message that is mistaken for another saves another time. */
static void each_of_a_chain_saves_its_time(void **state)
{
    (void)state;
    const struct call first[] = {COMPUTE(100),     SEND(1, 1, 1000), RECV(2, 1, 3000),
                                 SEND(1, 1, 4000), RECV(2, 1, 6000), FINALIZE};
    const struct call second[] = {RECV(0, 1, 1000), SEND(2, 1, 2000), RECV(0, 1, 4000), SEND(2, 1, 5000),
                                  FINALIZE};
    const struct call third[] = {RECV(1, 1, 2000), SEND(0, 1, 3000), RECV(1, 1, 5000), SEND(0, 1, 6000),
                                 FINALIZE};
    const struct call *const calls[] = {first, second, third};
    const char *const names[] = {"0:1", "1:1", "2:1", "0:2", "1:2", "2:2"};
    const ps_t whole = 100000 + INT64_C(6) * 2000000 + INT64_C(21000000);
    assert_int_equal(makespan_of(calls, 3, "hockney", NULL, NULL), whole);
    for (int i = 0; i < 6; i++)
        assert_int_equal(makespan_of(calls, 3, "hockney", NULL, names[i]),
                         whole - 2000000 - (i + 1) * INT64_C(1000000));
    assert_int_equal(makespan_of(calls, 3, "hockney", NULL, "0:1, 1:2"), whole - 4000000 - 6000000);
    assert_int_equal(makespan_of(calls, 3, "hockney", NULL, "0:1,0:2,1:1,1:2,2:1,2:2"), 100000);
}

/* Its control messages take no time either. It still waits for its receive. */
static void rendezvous_is_free_but_waits(void **state)
{
    (void)state;
    const struct call sends[] = {SEND(1, 1, 1000), FINALIZE};
    const struct call receives[] = {COMPUTE(700), RECV(0, 1, 1000), FINALIZE};
    const struct call *const calls[] = {sends, receives};
    const char *const handshakes[] = {"mpi.eager_threshold=0B", "rendezvous.handshakes=3", NULL};
    assert_int_equal(makespan_of(calls, 2, "hockney", handshakes, NULL), 4 * INT64_C(2000000) + 1000000);
    assert_int_equal(makespan_of(calls, 2, "hockney", handshakes, "0:1"), 700000);
    assert_int_equal(outcome.finish[0], 700000);
}

static void message_within_a_node_is_free(void **state)
{
    (void)state;
    const struct call sends[] = {SEND(1, 1, 1000), FINALIZE};
    const struct call receives[] = {RECV(0, 1, 1000), FINALIZE};
    const struct call *const calls[] = {sends, receives};
    const char *const together[] = {"ranks_per_node=2", "intranode.bandwidth=1GB/s", NULL};
    assert_int_equal(makespan_of(calls, 2, "packet", together, NULL), 1500000);
    assert_int_equal(makespan_of(calls, 2, "packet", together, "0:1"), 0);
}

/* Cores and NICs still work for it. */
static void hosts_stay(void **state)
{
    (void)state;
    const struct call sends[] = {SEND(1, 1, 1000), FINALIZE};
    const struct call receives[] = {RECV(0, 1, 1000), FINALIZE};
    const struct call *const calls[] = {sends, receives};
    const char *const hosts[] = {"host.send=100ns", "host.receive=200ns", "nic.latency=50ns", NULL};
    assert_int_equal(makespan_of(calls, 2, "hockney", hosts, NULL), 3000000 + 400000);
    assert_int_equal(makespan_of(calls, 2, "hockney", hosts, "0:1"), 400000);
}

/* Two messages share the link into rank 2. Without one of them the other has it alone. */
static void free_message_leaves_the_link_to_others(void **state)
{
    (void)state;
    const struct call sends[] = {SEND(2, 1, 10000), FINALIZE};
    const struct call receives[] = {RECV(0, 1, 10000), RECV(1, 1, 10000), FINALIZE};
    const struct call *const calls[] = {sends, sends, receives};
    const char *const link[] = {"packet.latency=1us", "packet.bandwidth=1GB/s", NULL};
    assert_int_equal(makespan_of(calls, 3, "packet", link, NULL), 21000000);
    assert_int_equal(makespan_of(calls, 3, "packet", link, "1:1"), 11000000);
}

/* --------------------------------------------------------- random programs */

/* What a step takes, with the final answer of its message. */
static ps_t time_on_path(size_t i)
{
    const struct critical_step *step = &path.steps[i], *next = step + 1;
    const bool is_answered = i + 1 < path.count && next->is_signal && next->source != next->destination;
    return step->end - step->start + (is_answered ? next->end - next->start : 0);
}

/* On hockney the makespan is a maximum over paths of sums, and a path passes a message once. So without it
 * the run is not longer, and shorter by no more than the message takes on the critical path. */
static void saves_at_most_its_time(void)
{
    static const char *const protocols[][4] = {
        {NULL},
        {"mpi.eager_threshold=0B", NULL},
        {"mpi.eager_threshold=1kB", "rendezvous.handshakes=2", NULL},
        {"mpi.eager_threshold=1kB", "rendezvous.handshakes=3", "ranks_per_node=2", NULL}};
    uint64_t tried = 0, shorter = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct random_calls *program = random_calls_make(seed, false);
        const char *const *protocol = protocols[seed % 4];
        script_path = &path;
        const ps_t whole = makespan_of(program->lists, program->ranks, "hockney", protocol, NULL);
        script_path = NULL;
        const uint64_t messages = outcome.message_total;
        for (size_t i = 0; i < path.count; i += 1 + path.count / 5) {
            const struct critical_step *step = &path.steps[i];
            char name[64];
            if (step->is_signal)
                continue;
            snprintf(name, sizeof name, "%u:%llu", step->source, (unsigned long long)step->number);
            const ps_t without = makespan_of(program->lists, program->ranks, "hockney", protocol, name);
            assert_true(without <= whole);
            assert_true(without >= whole - time_on_path(i));
            assert_int_equal(outcome.message_total, messages);
            tried++;
            shorter += without < whole;
        }
        critical_path_free(&path);
        free(program);
    }
    assert_true(tried >= 100);
    assert_true(shorter * 2 > tried);
}

static void a_message_saves_at_most_its_time(void **state)
{
    (void)state;
    saves_at_most_its_time();
}

static void in_a_graph_too(void **state)
{
    (void)state;
    script_as_graph = true;
    saves_at_most_its_time();
    script_as_graph = false;
}

/* Each run checks that no message is lost. */
static void runs_without_messages_of(const struct random_calls *program, const char *fabric)
{
    script_path = &path;
    makespan_of(program->lists, program->ranks, fabric, NULL, NULL);
    script_path = NULL;
    const uint64_t messages = outcome.message_total;
    char names[FREE_MESSAGES * 2] = "";
    for (size_t k = 0, length = 0; k < path.count && length + 32 < sizeof names; k += 1 + path.count / 4)
        if (!path.steps[k].is_signal)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%u:%llu", length ? "," : "",
                                       path.steps[k].source, (unsigned long long)path.steps[k].number);
    critical_path_free(&path);
    if (!names[0])
        return;
    makespan_of(program->lists, program->ranks, fabric, NULL, names);
    assert_int_equal(outcome.message_total, messages);
}

static void every_fabric_runs_without_a_message(void **state)
{
    (void)state;
    static const char *const fabrics_tried[] = {"ideal",   "hockney", "packet",     "fmu",
                                                "hybrid",  "circuit", "packetised", "tdm-dynamic",
                                                "segment", "rotor",   "ocs"};
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct random_calls *program = random_calls_make(seed, false);
        for (size_t i = 0; i < sizeof fabrics_tried / sizeof *fabrics_tried; i++)
            runs_without_messages_of(program, fabrics_tried[i]);
        free(program);
    }
}

/* Shifts by one rank and by two in turn, and barriers: each is a phase. A rank sends at
 * least one message in each. */
static void phase_ends_without_a_message(void **state)
{
    (void)state;
    enum { RANKS = 5, STEPS = 4 };
    struct call list[RANKS][3 * STEPS + 1];
    const struct call *calls[RANKS];
    for (int rank = 0; rank < RANKS; rank++) {
        size_t count = 0;
        for (int step = 0; step < STEPS; step++) {
            const int by = 1 + step % 2;
            list[rank][count++] = (struct call)SEND((rank + by) % RANKS, step, 1000);
            list[rank][count++] = (struct call)RECV((rank + RANKS - by) % RANKS, step, 1000);
            list[rank][count++] = (struct call)COLLECTIVE(CALL_BARRIER, 0, 0);
        }
        list[rank][count] = (struct call)FINALIZE;
        calls[rank] = list[rank];
    }
    const ps_t whole = makespan_of(calls, RANKS, "tdm-compiled", NULL, NULL);
    const uint64_t messages = outcome.message_total;
    for (unsigned rank = 0; rank < RANKS; rank++)
        for (uint64_t number = 1; number < 2 * STEPS; number++) {
            char names[64];
            snprintf(names, sizeof names, "%u:%llu,%u:%llu", rank, (unsigned long long)number,
                     (rank + 1) % RANKS, (unsigned long long)number + 1);
            assert_true(makespan_of(calls, RANKS, "tdm-compiled", NULL, names) <= whole);
            assert_int_equal(outcome.message_total, messages);
        }
}

/* ------------------------------------------------------------------ errors */

static void message_that_is_not_sent_is_an_error(void **state)
{
    (void)state;
    const struct call sends[] = {SEND(1, 1, 1000), FINALIZE};
    const struct call receives[] = {RECV(0, 1, 1000), FINALIZE};
    const struct call *const calls[] = {sends, receives};
    const struct {
        const char *setting, *said;
    } wrong[] = {{"free=0:2", "there is no message 0:2; rank 0 sends 1 message"},
                 {"free=1:1", "there is no message 1:1; rank 1 sends 0 messages"},
                 {"free=2:1", "there is no rank 2; the program has the ranks 0 to 1"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        script_run(calls, 2, "hockney", (const char *const[]){wrong[i].setting, NULL}, &outcome);
        assert_int_equal(outcome.status, STATUS_BAD_INPUT);
        assert_non_null(strstr(outcome.said, wrong[i].said));
    }
}

static void names_are_checked(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "0",
                                        ":1",
                                        "0:",
                                        "0:0",
                                        "0:1,",
                                        "0:1 2",
                                        "-1:1",
                                        "0:1;1:1",
                                        "x:1",
                                        "none,0:1",
                                        "2147483648:1",
                                        "0:18446744073709551616"};
    struct free_config config;
    struct param_problem problem;
    const struct param *param = &free_params.params[0];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (param->parse(param, wrong[i], &config, &problem))
            fail_msg("'%s' is taken", wrong[i]);
    assert_true(param->parse(param, " 3:17 , 4:18446744073709551615", &config, &problem));
    assert_int_equal(config.count, 2);
    assert_int_equal(config.names[0].rank, 3);
    assert_int_equal(config.names[0].number, 17);
    assert_true(config.names[1].number == UINT64_MAX);
    char many[FREE_MESSAGES * 4 + 8] = "0:1";
    for (int i = 1; i < FREE_MESSAGES; i++)
        strcat(many, ",0:1");
    assert_true(param->parse(param, many, &config, &problem));
    strcat(many, ",0:1");
    assert_false(param->parse(param, many, &config, &problem));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_of_a_chain_saves_its_time),
        cmocka_unit_test(rendezvous_is_free_but_waits),
        cmocka_unit_test(message_within_a_node_is_free),
        cmocka_unit_test(hosts_stay),
        cmocka_unit_test(free_message_leaves_the_link_to_others),
        cmocka_unit_test(a_message_saves_at_most_its_time),
        cmocka_unit_test(in_a_graph_too),
        cmocka_unit_test(every_fabric_runs_without_a_message),
        cmocka_unit_test(phase_ends_without_a_message),
        cmocka_unit_test(message_that_is_not_sent_is_an_error),
        cmocka_unit_test(names_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
