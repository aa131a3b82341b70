/* Full queues on SimGrid's platforms: what links mean there that both directions share, and links that give
 * each message their whole rate, in closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/script.h"
#include "topo/topo.h"

#define US           INT64_C(1000000)
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define CALLS        static const struct call

enum { BIG = 1000000 }; /* bytes: 1 ms over a link of 1 GB/s */
static const ps_t whole = 1000 * US;

static struct script_outcome out;
static char topology[64] = "topology=/tmp/helio-congestion-XXXXXX.xml";
static const char *const path = topology + sizeof "topology=" - 1;

static int make_path(void **state)
{
    (void)state;
    int file = mkstemps(topology + sizeof "topology=" - 1, 4);
    return file < 0 ? -1 : close(file);
}

static int remove_path(void **state)
{
    (void)state;
    topo_forget();
    return unlink(path);
}

/* Hosts h0, h1, ... on two switches: each has a link of its own, both ways, of 1 GB/s. Hosts below `left` are
 * on one switch, and the link `mid` leads from there to the other one. */
static void write_two_switches(int hosts, int left, const char *policy, const char *rate)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("<?xml version=\"1.0\"?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
          "<platform version=\"4.1\"><zone id=\"net\" routing=\"Full\">",
          file);
    for (int i = 0; i < hosts; i++)
        fprintf(file,
                "<host id=\"h%d\" speed=\"1Gf\"/><link id=\"l%d\" bandwidth=\"1GBps\" latency=\"0us\" "
                "sharing_policy=\"SPLITDUPLEX\"/>",
                i, i);
    fprintf(file, "<link id=\"mid\" bandwidth=\"%s\" latency=\"0us\" sharing_policy=\"%s\"/>", rate, policy);
    for (int from = 0; from < hosts; from++)
        for (int to = 0; to < hosts; to++)
            if (from != to)
                fprintf(file,
                        "<route src=\"h%d\" dst=\"h%d\" symmetrical=\"NO\"><link_ctn id=\"l%d\" "
                        "direction=\"UP\"/>%s<link_ctn id=\"l%d\" direction=\"DOWN\"/></route>",
                        from, to, from, (from < left) == (to < left) ? "" : "<link_ctn id=\"mid\"/>", to);
    fputs("</zone></platform>", file);
    fclose(file);
}

static void run(const struct call *const *calls, uint32_t ranks, const char *congestion)
{
    script_run(
        calls, ranks, "packet",
        (const char *const[]){"machine=as-published", topology, "packet.latency=0ps", congestion, NULL},
        &out);
    if (out.status != STATUS_OK)
        fail_msg("%s", out.said);
}

static void assert_about(ps_t time, ps_t expected)
{
    if (time < expected - expected / 100000 || time > expected + expected / 100000)
        fail_msg("%lld ps, not %lld ps", (long long)time, (long long)expected);
}

/* h0 sends to h2, an idle host. h1 sends to h3, as do h4 and h5 beside it. The messages of h0 and h1 take
 * `mid`, behind which there is one queue: a shared link slows both to a third. A link that gives each message
 * its whole rate has no queue. */
static void a_victim_waits_behind_a_shared_link_alone(void **state)
{
    (void)state;
    CALLS to_2[] = {SEND(2, 1, BIG), FINALIZE};
    CALLS to_3[] = {SEND(3, 1, BIG), FINALIZE};
    CALLS from_0[] = {RECV(0, 1, BIG), FINALIZE};
    CALLS from_all[] = {IRECV(1, 1, BIG, 2), IRECV(4, 1, BIG, 3), IRECV(5, 1, BIG, 4), WAITALL, FINALIZE};
    const struct call *const calls[] = {to_2, to_3, from_0, from_all, to_3, to_3};
    static const struct {
        const char *policy, *congestion;
        ps_t victim; /* in parts of a message alone */
    } cases[] = {
        {"SHARED", "packet.congestion=none", 3}, /* a third of `mid` is left: h1 has a third of l3 */
        {"SHARED", "packet.congestion=credits", 6},
        {"FATPIPE", "packet.congestion=none", 2},
        {"FATPIPE", "packet.congestion=credits", 2},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_two_switches(6, 2, cases[i].policy, "1GBps");
        run(calls, 6, cases[i].congestion);
        assert_about(2 * out.finish[2], cases[i].victim * whole);
        assert_about(out.makespan, 3 * whole);
    }
}

/* A FATPIPE limits each message to its rate. The node has one queue: a message that goes elsewhere waits
 * there for one that takes the FATPIPE. */
static void a_fatpipe_limits_each_message(void **state)
{
    (void)state;
    CALLS to_2_and_1[] = {ISEND(2, 1, BIG, 2), ISEND(1, 1, BIG, 3), WAITALL, FINALIZE};
    CALLS to_3[] = {RECV(0, 1, BIG), SEND(3, 1, BIG), FINALIZE};
    CALLS from_0[] = {RECV(0, 1, BIG), FINALIZE};
    CALLS from_1[] = {RECV(1, 1, BIG), FINALIZE};
    const struct call *const calls[] = {to_2_and_1, to_3, from_0, from_1};
    write_two_switches(4, 2, "FATPIPE", "250MBps");
    run(calls, 4, "packet.congestion=none");
    assert_about(out.finish[2], 4 * whole);
    assert_about(out.finish[1], 4 * whole / 3 + 4 * whole);
    run(calls, 4, "packet.congestion=credits");
    assert_about(out.finish[2], 4 * whole);
    assert_about(out.finish[1], 4 * whole + 4 * whole); /* 250 MB/s, as the other one */
    assert_about(out.finish[3], 4 * whole + 4 * whole);
}

/* Both directions of a shared link take turns, whatever comes from one side: three messages one way have half
 * of it together, and the one of the other way has half. Max-min fair, each has a quarter. */
static void directions_take_turns(void **state)
{
    (void)state;
    CALLS to_4[] = {SEND(4, 1, BIG), FINALIZE};
    CALLS to_5[] = {SEND(5, 1, BIG), FINALIZE};
    CALLS to_6[] = {SEND(6, 1, BIG), FINALIZE};
    CALLS from_7[] = {RECV(7, 1, BIG), FINALIZE};
    CALLS from_0[] = {RECV(0, 1, BIG), FINALIZE};
    CALLS from_1[] = {RECV(1, 1, BIG), FINALIZE};
    CALLS from_2[] = {RECV(2, 1, BIG), FINALIZE};
    CALLS to_3[] = {SEND(3, 1, BIG), FINALIZE};
    const struct call *const calls[] = {to_4, to_5, to_6, from_7, from_0, from_1, from_2, to_3};
    write_two_switches(8, 4, "SHARED", "1GBps");
    run(calls, 8, "packet.congestion=none");
    assert_about(out.finish[3], 4 * whole);
    run(calls, 8, "packet.congestion=credits");
    assert_about(out.finish[3], 2 * whole);
    assert_about(out.finish[4], 4 * whole); /* a sixth for 2 ms, then a third */
    assert_about(out.makespan, 4 * whole);
    /* four inputs, at both ends: 0.6553 of the rate for all */
    run(calls, 8, "packet.congestion=incast");
    assert_about(out.makespan, whole * 40000 / 6553);
}

/* At which end of a link a message waits is not known where routes contradict each other. */
static void contradicting_routes_are_refused(void **state)
{
    (void)state;
    CALLS idle[] = {FINALIZE};
    static const char *const congestion[] = {"packet.congestion=credits", "packet.congestion=incast",
                                             "packet.congestion=queues"};
    for (size_t i = 0; i < COUNT(congestion); i++) {
        script_run(
            (const struct call *const[]){idle, idle}, 2, "packet",
            (const char *const[]){"topology=tests/networks/platforms/dragonfly.xml", congestion[i], NULL},
            &out);
        assert_int_equal(out.status, STATUS_BAD_INPUT);
        if (!strstr(out.said, "at which end of a link that both directions share each message waits"))
            fail_msg("%s", out.said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_victim_waits_behind_a_shared_link_alone),
        cmocka_unit_test(a_fatpipe_limits_each_message),
        cmocka_unit_test(directions_take_turns),
        cmocka_unit_test(contradicting_routes_are_refused),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
