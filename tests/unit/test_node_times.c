/* Times of messages within a node by size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/node_times.h"
#include "support/script.h"

static void read_times(const char *text, struct node_times *times)
{
    struct param_problem problem;
    if (!node_times_parse(NULL, text, times, &problem))
        fail_msg("%s", problem.text);
}

/* Lines through the points, and beyond the last one; the first one is the least time. */
static void lines_lie_between_the_points(void **state)
{
    (void)state;
    struct node_times times;
    read_times("100 B:50ns, 200B:150 ns,201B:60ns,401B:61ns", &times);
    assert_int_equal(times.count, 4);
    assert_int_equal(node_times_of(&times, 0), 50000);
    assert_int_equal(node_times_of(&times, 100), 50000);
    assert_int_equal(node_times_of(&times, 137), 87000);
    assert_int_equal(node_times_of(&times, 200), 150000);
    assert_int_equal(node_times_of(&times, 201), 60000);
    assert_int_equal(node_times_of(&times, 204), 60015);
    assert_int_equal(node_times_of(&times, 401), 61000);
    assert_int_equal(node_times_of(&times, 1401), 66000);
    assert_int_equal(node_times_of(&times, UINT64_MAX), INT64_MAX);
    read_times("0B:50ns,100B:150ns,101B:140ns", &times);
    assert_int_equal(node_times_of(&times, 103), 120000);
    assert_int_equal(node_times_of(&times, 1000000), 50000);
    read_times("7B:5ns", &times);
    assert_int_equal(node_times_of(&times, 1 << 20), 5000);
}

static void wrong_texts_are_refused_at_their_places(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t at;
        const char *because;
    } wrong[] = {
        {"", 0, "a size and its time are expected"},
        {"4KiB", 0, "a size and its time are expected"},
        {"0B:1ns,", 7, "a size and its time are expected"},
        {"4:1ns", 0, "a size needs a unit"},
        {"0B:1", 3, "a time needs a unit"},
        {"0B:1ns, 0B:2ns", 8, "sizes must rise"},
        {"0B:2ns,8B: 1ns", 11, "no message is faster than the smallest one"},
        {"0B:1ns,1B:1ns,2B:1ns,3B:1ns,4B:1ns,5B:1ns,6B:1ns,7B:1ns,8B:1ns,9B:1ns,10B:1ns,11B:1ns,12B:1ns,"
         "13B:1ns,14B:1ns,15B:1ns,16B:1ns",
         118, "there are more than 16 sizes"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct node_times times = {.count = 77};
        struct param_problem problem;
        assert_false(node_times_parse(NULL, wrong[i].text, &times, &problem));
        assert_int_equal(times.count, 77);
        if (!strstr(problem.text, wrong[i].because) || problem.at != wrong[i].at)
            fail_msg("\"%s\" at %zu was expected, not \"%s\" at %u", wrong[i].because, wrong[i].at,
                     problem.text, problem.at);
    }
}

/* Two ranks of a node: an eager message, whose sender goes on at once, and a rendezvous with two handshakes,
 * which are messages of no bytes, and whose sender waits for its arrival. */
static void messages_within_a_node_take_them(void **state)
{
    (void)state;
    static const char *const settings[] = {"ranks_per_node=2",        "intranode.times=0B:2ns,100B:12ns",
                                           "intranode.latency=9us",   "mpi.eager_threshold=100B",
                                           "rendezvous.handshakes=2", NULL};
    const struct {
        uint64_t bytes;
        ps_t received, sent;
    } messages[] = {{0, 2000, 0}, {60, 8000, 0}, {100, 12000, 0}, {200, 2 * 2000 + 22000, 2 * 2000 + 22000}};
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        struct script_outcome out;
        struct call sender[] = {SEND(1, 7, messages[i].bytes), FINALIZE};
        struct call receiver[] = {RECV(0, 7, messages[i].bytes), FINALIZE};
        const struct call *const calls[] = {sender, receiver};
        script_run(calls, 2, "hockney", settings, &out);
        assert_int_equal(out.status, STATUS_OK);
        assert_int_equal(out.finish[0], messages[i].sent);
        assert_int_equal(out.finish[1], messages[i].received);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_lie_between_the_points),
        cmocka_unit_test(wrong_texts_are_refused_at_their_places),
        cmocka_unit_test(messages_within_a_node_take_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
