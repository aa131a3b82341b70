/* Programs on SimGrid's platforms: a topology and the platform that it is written as give the same times on
 * all fabrics; what circuits and time slots make of links that both directions share, and of links that give
 * each message their whole rate, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "schedule/network.h"
#include "schedule/schedule.h"
#include "support/network_run.h"
#include "support/sanitizer.h"
#include "topo/deadlock.h"
#include "topo/network_file.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static char path[] = "/tmp/helio-platform-XXXXXX.xml";

static int make_path(void **state)
{
    (void)state;
    int file = mkstemps(path, 4);
    return file < 0 ? -1 : close(file);
}

static int remove_path(void **state)
{
    (void)state;
    topo_forget();
    return unlink(path);
}

static void write_topology(const char *topology)
{
    static const struct platform_values values = {.rate_bytes_per_s = UINT64_C(12500000000),
                                                  .flops_per_s = 12e9};
    struct topo topo;
    assert_int_equal(topo_parse("test", topology, &topo), STATUS_OK);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    platform_file_write(&topo, &values, file);
    fclose(file);
}

static const char head[] =
    "<?xml version=\"1.0\"?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
    "<platform version=\"4.1\"><zone id=\"net\" routing=\"Full\">";

static void write_zone(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s%s</zone></platform>", head, text);
    fclose(file);
}

/* Two hosts and one link of 1 GB/s, which takes no time. */
static void write_pair(const char *policy)
{
    bool is_split = strcmp(policy, "SPLITDUPLEX") == 0;
    char *text = mem_format("<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>"
                            "<link id=\"l\" bandwidth=\"1GBps\" latency=\"0us\" sharing_policy=\"%s\"/>"
                            "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"%s/></route>",
                            policy, is_split ? " direction=\"UP\"" : "");
    write_zone(text);
    free(text);
}

/* -------------------------------------------------------- the same network */

/* The family takes the routes of the file, and the links of nodes have channels, as they have in a file.
 * `best` and coloring count links, and a host without a link of its own has a sender that counts as one. */
#define ALIKE "photonic.node_links=channels photonic.up=destination tdm.algorithm=greedy "

static void a_topology_and_its_platform_take_the_same_time(void **state)
{
    (void)state;
#define LINKS ",rates=12.5GB/s,latencies=5ns+170ns"
    static const struct {
        const char *topology, *settings;
    } cases[] = {
        {"torus:4x4" LINKS, ALIKE},
        {"torus:5x3" LINKS, ALIKE "photonic.reservation=hop-by-hop tdm.control_links=all photonic.wire=40ns"},
        {"fattree:4x2" LINKS, ALIKE},
        {"fattree:2x4" LINKS, ALIKE "photonic.reservation=hop-by-hop photonic.retry=backoff tdm.pick=lowest"},
        {"fattree:2x4,latencies=5ns+170ns", ALIKE "photonic.link_rate=12.5GB/s photonic.channels=2"},
        {"leafspine:4x2x4" LINKS, ALIKE "photonic.retry=now tdm.release=immediate tdm.wire=30ns"},
        {"dragonfly:2x4x2" LINKS, ALIKE "tdm.control=channel tdm.degree=3"},
        {"hyperx:4x2x2" LINKS, ALIKE "tdm.wait=failure tdm.control_links=all tdm.release=immediate"},
        {"slimfly:3" LINKS, ALIKE "tdm.schedule=all-to-all segment.buffer_size=8KiB segment.outputs=1"},
        {"crossbar:20,rates=12.5GB/s,latencies=5ns", ALIKE "tdm.reconfiguration=3us"},
        {"jellyfish:10x3x2" LINKS, ALIKE "photonic.injection=unlimited"},
    };
    static const struct {
        const char *fabric, *settings;
    } runs[] = {{"packet", ""},
                {"packet", "packet.congestion=window"},
                {"packet", "packet.congestion=queues"},
                {"packet", "packet.congestion=incast"},
                {"packet", "packet.congestion=credits"},
                {"hybrid", ""},
                {"circuit", ""},
                {"packetised", ""},
                {"segment", ""},
                {"tdm-compiled", ""},
                {"tdm-dynamic", ""}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_topology(cases[i].topology);
        for (size_t k = HAS_SANITIZER ? i % 3 : 0; k < COUNT(runs); k += HAS_SANITIZER ? 3 : 1) {
            static const char workload[] = "alltoall:ranks=15,bytes=20kB";
            char *settings = mem_format("%s %s", cases[i].settings, runs[k].settings);
            ps_t of_topology = network_run(workload, runs[k].fabric, cases[i].topology, settings);
            if (of_topology <= 0)
                fail_msg("%s on %s: %s", runs[k].fabric, cases[i].topology, network_said);
            ps_t of_platform = network_run(workload, runs[k].fabric, path, settings);
            if (of_topology != of_platform)
                fail_msg("%s %s on %s: %lld ps, and %lld ps on its platform: %s", runs[k].fabric,
                         runs[k].settings, cases[i].topology, (long long)of_topology, (long long)of_platform,
                         network_said);
            free(settings);
        }
    }
}

/* The platform with each pair of opposite links as one that both directions share. */
static void share_links(void)
{
    char *text = NULL, *at;
    size_t size = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(getdelim(&text, &size, '\0', file) > 0);
    fclose(file);
    static const char *const words[][2] = {{"SPLITDUPLEX", "SHARED     "},
                                           {"direction=\"UP\"", "              "},
                                           {"direction=\"DOWN\"", "                "}};
    for (size_t i = 0; i < COUNT(words); i++)
        while ((at = strstr(text, words[i][0])))
            memcpy(at, words[i][1], strlen(words[i][0]));
    for (at = text; (at = strstr(at, "SHARED     \"")); at++)
        memcpy(at, "SHARED\"     ", 12);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    free(text);
}

/* packet.duplex=half makes one link of both directions, and so does SHARED. A host of the platform has no
 * link of its own then, so that all its links are between switches. */
static void half_duplex_is_a_platform_with_shared_links(void **state)
{
    (void)state;
    static const char *const topologies[] = {"crossbar:9,rates=12.5GB/s,latencies=5ns",
                                             "torus:4x4" LINKS,
                                             "mesh:3x3" LINKS,
                                             "linear:9" LINKS,
                                             "fattree:4x2" LINKS,
                                             "fattree:2x4" LINKS,
                                             "hyperx:4x3" LINKS,
                                             "dragonfly:2x4x2" LINKS};
    static const char *const congestion[] = {"none", "queues", "incast", "credits"};
    for (size_t i = 0; i < COUNT(topologies); i += HAS_SANITIZER ? 2 : 1)
        for (size_t k = HAS_SANITIZER ? i % 3 : 0; k < COUNT(congestion); k += HAS_SANITIZER ? 3 : 1) {
            static const char workload[] = "collective:op=alltoallv,ranks=9,bytes=20kB,imbalance=1";
            char *half =
                mem_format("mpi.alltoallv=linear packet.congestion=%s packet.duplex=half", congestion[k]);
            char *shared = mem_format("mpi.alltoallv=linear packet.congestion=%s", congestion[k]);
            write_topology(topologies[i]);
            ps_t of_full = network_run(workload, "packet", path, shared);
            share_links();
            ps_t of_half = network_run(workload, "packet", topologies[i], half);
            ps_t of_shared = network_run(workload, "packet", path, shared);
            if (of_half <= of_full || of_shared != of_half)
                fail_msg("%s, %s: %lld ps, and %lld ps on its platform: %s", topologies[i], congestion[k],
                         (long long)of_half, (long long)of_shared, network_said);
            free(half);
            free(shared);
        }
}

/* Schedules of all pairs have as many slots, and links can wait for each other where they can there. */
static void schedules_and_circles_are_the_same(void **state)
{
    (void)state;
    static const char *const topologies[] = {"torus:4x3", "torus:5x3", "fattree:2x3", "dragonfly:1x4x2",
                                             "mesh:3x4"};
    for (size_t i = 0; i < COUNT(topologies); i++) {
        uint32_t degrees[2];
        bool has_circle[2];
        uint64_t dependencies[2];
        write_topology(topologies[i]);
        for (int k = 0; k < 2; k++) {
            struct topo topo;
            struct tdm_pattern pattern;
            struct tdm_problem problem;
            struct link_circle circle;
            assert_int_equal(topo_parse("test", k ? path : topologies[i], &topo), STATUS_OK);
            assert_int_equal(tdm_pattern_named("all-to-all", topo.nodes, &pattern), STATUS_OK);
            assert_int_equal(tdm_problem_from_pattern(&topo, &pattern, false, &problem), STATUS_OK);
            degrees[k] = tdm_lower_bound(&problem);
            assert_true(deadlock_find(&topo, DEADLOCK_FIXED, &circle));
            has_circle[k] = circle.links != NULL;
            dependencies[k] = circle.dependencies;
            free(circle.links);
            tdm_problem_free(&problem);
            tdm_pattern_free(&pattern);
        }
        assert_int_equal(degrees[0], degrees[1]);
        assert_int_equal(has_circle[0], has_circle[1]);
        assert_true(dependencies[1] > dependencies[0]); /* those of the links of nodes, which are none here */
    }
}

/* ----------------------------------------------------------- kinds of links */

/* Both hosts send 20 kB at once, which take 20 us on one channel of 1 GB/s. A reservation over one link takes
 * a cycle there and one back, 2 ns. A shared link has one circuit at a time, in either direction. */
static void circuits_on_each_kind_of_link(void **state)
{
    (void)state;
    static const struct {
        const char *policy, *settings;
        ps_t makespan;
    } cases[] = {
        {"SPLITDUPLEX", "photonic.channels=1", 20002000},
        {"SHARED", "photonic.channels=1", 40004000},
        {"SHARED", "photonic.channels=2", 40002000}, /* a channel each, of half the rate */
        {"FATPIPE", "photonic.channels=1", 20002000},
        {"FATPIPE", "photonic.channels=2", 20002000}, /* each circuit has the whole rate */
        {"SHARED", "photonic.channels=1 photonic.reservation=hop-by-hop", 40004000},
        {"FATPIPE", "photonic.channels=1 photonic.reservation=hop-by-hop", 20002000},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_pair(cases[i].policy);
        ps_t makespan = network_run("alltoall:ranks=2,bytes=20kB", "circuit", path, cases[i].settings);
        if (makespan != cases[i].makespan)
            fail_msg("%s, %s: %lld ps %s", cases[i].policy, cases[i].settings, (long long)makespan,
                     network_said);
    }
}

/* The same in slots of 1 us, of 1000 B: 20 slots. Registers are loaded in K slots, and K is 2 where the link
 * has one connection at a time. */
static void slots_on_each_kind_of_link(void **state)
{
    (void)state;
    static const struct {
        const char *policy, *fabric;
        ps_t least, most; /* in us */
    } cases[] = {
        {"SPLITDUPLEX", "tdm-compiled", 21, 21}, {"SHARED", "tdm-compiled", 42, 42},
        {"FATPIPE", "tdm-compiled", 21, 21},     {"SPLITDUPLEX", "tdm-dynamic", 20, 20},
        {"FATPIPE", "tdm-dynamic", 20, 20},      {"SHARED", "tdm-dynamic", 40, 41}, /* a try each us */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_pair(cases[i].policy);
        ps_t makespan = network_run("alltoall:ranks=2,bytes=20kB", cases[i].fabric, path,
                                    "tdm.slot_bytes=1000B tdm.degree=1 tdm.wait=failure tdm.retry=1");
        if (makespan < cases[i].least * 1000000 || makespan > cases[i].most * 1000000)
            fail_msg("%s on %s: %lld ps %s", cases[i].fabric, cases[i].policy, (long long)makespan,
                     network_said);
    }
}

/* From a to c light takes 150 ms, for the probe, its answer and the data, which take 5 ms on a channel of 200
 * MB/s. A probe that goes hop by hop is under way much longer than photonic.watchdog. */
static void probes_take_their_time_on_long_links(void **state)
{
    (void)state;
    static const char *const settings[] = {"", "photonic.reservation=hop-by-hop"};
    write_zone("<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/><host id=\"c\" speed=\"1Gf\"/>"
               "<link id=\"x\" bandwidth=\"1GBps\" latency=\"100ms\"/>"
               "<link id=\"y\" bandwidth=\"1GBps\" latency=\"50ms\"/>"
               "<route src=\"a\" dst=\"b\"><link_ctn id=\"x\"/></route>"
               "<route src=\"b\" dst=\"c\"><link_ctn id=\"y\"/></route>"
               "<route src=\"a\" dst=\"c\"><link_ctn id=\"x\"/><link_ctn id=\"y\"/></route>");
    for (size_t i = 0; i < COUNT(settings); i++) {
        ps_t makespan = network_run("alltoall:ranks=3,bytes=1MB", "circuit", path, settings[i]);
        if (makespan != INT64_C(455000004000))
            fail_msg("%s: %lld ps %s", settings[i], (long long)makespan, network_said);
    }
}

/* Five hosts in a row. All send to the first one, against the direction in which routes name the links. */
static void write_row(const char *policy)
{
    bool is_split = strcmp(policy, "SPLITDUPLEX") == 0;
    char *text = mem_text("");
    for (int i = 0; i < 5; i++) {
        char *longer = mem_format("%s<host id=\"h%d\" speed=\"1Gf\"/><link id=\"l%d\" bandwidth=\"1GBps\" "
                                  "latency=\"3us\" sharing_policy=\"%s\"/>",
                                  text, i, i, policy);
        free(text);
        text = longer;
    }
    for (int from = 0; from < 5; from++)
        for (int to = from + 1; to < 5; to++) {
            char *longer = mem_format("%s<route src=\"h%d\" dst=\"h%d\">", text, from, to);
            for (int link = from; link < to; link++) {
                char *shorter = longer;
                longer = mem_format("%s<link_ctn id=\"l%d\"%s/>", shorter, link,
                                    is_split ? " direction=\"UP\"" : "");
                free(shorter);
            }
            free(text);
            text = mem_format("%s</route>", longer);
            free(longer);
        }
    write_zone(text);
    free(text);
}

/* Messages go one way only, so that it does not matter whether both directions share a link; and the buffer
 * behind a link is the one at the end that the packet comes to. */
static void buffers_stand_behind_shared_links(void **state)
{
    (void)state;
    static const char workload[] = "collective:op=gather,ranks=5,bytes=20kB";
    static const char *const settings[] = {
        "photonic.channels=1 mpi.gather=linear",
        "photonic.channels=1 mpi.gather=linear segment.buffers=every:2 photonic.reservation=hop-by-hop"};
    for (size_t i = 0; i < COUNT(settings); i++) {
        write_row("SPLITDUPLEX");
        ps_t of_split = network_run(workload, "segment", path, settings[i]);
        ps_t without = network_run(workload, "packetised", path, settings[i]);
        if (of_split <= 0 || without <= of_split)
            fail_msg("%lld ps with buffers, %lld ps without: %s", (long long)of_split, (long long)without,
                     network_said);
        write_row("SHARED");
        assert_int_equal(network_run(workload, "segment", path, settings[i]), of_split);
    }
}

/* ------------------------------------------------------------------ faults */

/* Hosts in a ring, in a zone with shortest ways, without one of the links; NULL: without none. */
static void write_ring(const char *routing, const char *without)
{
    enum { HOSTS = 5 };
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "<?xml version=\"1.0\"?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
            "<platform version=\"4.1\"><zone id=\"net\" routing=\"%s\">",
            routing);
    for (int i = 0; i < HOSTS; i++)
        fprintf(file,
                "<host id=\"h%d\" speed=\"1Gf\"/><link id=\"k%d\" bandwidth=\"1GBps\" latency=\"1us\" "
                "sharing_policy=\"SPLITDUPLEX\"/>",
                i, i);
    for (int i = 0; i < HOSTS; i++) {
        char name[8];
        snprintf(name, sizeof name, "k%d", i);
        if (!without || strcmp(name, without) != 0)
            fprintf(file, "<route src=\"h%d\" dst=\"h%d\"><link_ctn id=\"%s\" direction=\"UP\"/></route>", i,
                    (i + 1) % HOSTS, name);
    }
    fputs("</zone></platform>", file);
    fclose(file);
}

/* A ring with a failed link is a row. */
static void shortest_ways_lead_around_a_failed_link(void **state)
{
    (void)state;
    static const char *const fabrics[] = {"packet",  "circuit",      "packetised",
                                          "segment", "tdm-compiled", "tdm-dynamic"};
    static const char *const routings[] = {"Floyd", "Dijkstra"};
    static const char both[] = "tdm.slot_bytes=1000B tdm.algorithm=greedy photonic.channels=1";
    static const char workload[] = "alltoall:ranks=5,bytes=20kB";
    for (size_t i = 0; i < COUNT(fabrics); i++)
        for (int link = 0; link < 5; link++) {
            char name[8], settings[128];
            snprintf(name, sizeof name, "k%d", link);
            snprintf(settings, sizeof settings, "%s faults.links=%s", both, name);
            write_ring(routings[link % 2], name);
            ps_t of_row = network_run(workload, fabrics[i], path, both);
            write_ring(routings[link % 2], NULL);
            ps_t of_ring = network_run(workload, fabrics[i], path, both);
            ps_t around = network_run(workload, fabrics[i], path, settings);
            if (of_row <= 0 || around != of_row || of_ring == of_row)
                fail_msg("%s without %s: %lld ps, with it failed %lld ps, intact %lld ps: %s", fabrics[i],
                         name, (long long)of_row, (long long)around, (long long)of_ring, network_said);
        }
}

/* 1 MB from h0 to h1 take 1 ms over k0. It fails after 0.5 ms; 0.1 ms later the rest goes on over four links,
 * whose latency is 4 us. */
static void a_link_fails_during_a_message(void **state)
{
    (void)state;
    static const char settings[] =
        "packet.latency=0ps mpi.eager_threshold=1GiB faults.links=k0 faults.at=500us ";
    static const char workload[] = "collective:op=bcast,ranks=2,bytes=1MB";
    char later[256];
    snprintf(later, sizeof later, "%sfaults.reroute=100us", settings);
    write_ring("Floyd", NULL);
    assert_int_equal(network_run(workload, "packet", path, "packet.latency=0ps mpi.eager_threshold=1GiB"),
                     1001000000);
    ps_t makespan = network_run(workload, "packet", path, later);
    assert_true(makespan > 1103900000 && makespan < 1104100000); /* 1 B/s over the failed link for 0.1 ms */
    makespan = network_run(workload, "packet", path, settings);
    assert_true(makespan > 1003900000 && makespan < 1004100000);
    write_ring("Floyd", "k2"); /* no way is left */
    assert_int_equal(network_run(workload, "packet", path, settings), -1);
    assert_non_null(strstr(network_said, "the faults cut"));
    assert_non_null(strstr(network_said, "at 500 us: there is no way from h0 (node 0) to h1 (node 1), since "
                                         "these links of its route have failed: h0>h1 (k0)"));
}

/* A FATPIPE that fails or becomes slow stops or slows its messages, each of which has a link of its own. */
static void a_fatpipe_fails_during_a_message(void **state)
{
    (void)state;
    static const char both[] = "packet.latency=0ps mpi.eager_threshold=1GiB ";
    static const char workload[] = "collective:op=bcast,ranks=2,bytes=1MB";
    char settings[256];
    write_pair("FATPIPE");
    snprintf(settings, sizeof settings, "%sfaults.slow_links=l faults.at=500us", both);
    assert_int_equal(network_run(workload, "packet", path, both), 1000000000);
    assert_int_equal(network_run(workload, "packet", path, settings), 1500000000);
    snprintf(settings, sizeof settings, "%sfaults.links=l faults.at=500us faults.reroute=1ms", both);
    assert_int_equal(network_run(workload, "packet", path, settings), -1);
    assert_non_null(strstr(network_said, "these links of its route have failed: a>b (l)"));
    snprintf(settings, sizeof settings, "%sfaults.links=l faults.at=2ms", both);
    assert_int_equal(network_run(workload, "packet", path, settings), 1000000000);
}

/* A run goes on as long as no message needs a pair that is cut; each fabric says which one. */
static void a_message_without_a_way_ends_the_run(void **state)
{
    (void)state;
    static const char *const fabrics[] = {"packet", "circuit", "segment", "tdm-compiled", "tdm-dynamic"};
    static const char settings[] = "tdm.slot_bytes=600B faults.links=w13";
    static const char zones[] = "tests/networks/platforms/zones.xml";
    for (size_t i = 0; i < COUNT(fabrics); i++) {
        assert_true(network_run("alltoall:ranks=5,bytes=20kB", fabrics[i], zones, settings) > 0);
        assert_int_equal(network_run("alltoall:ranks=8,bytes=20kB", fabrics[i], zones, settings), -1);
        if (!strstr(network_said, "the faults cut tests/networks/platforms/zones.xml") ||
            !strstr(network_said, "since these links of its route have failed: c1>re (w13)"))
            fail_msg("%s: %s", fabrics[i], network_said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_topology_and_its_platform_take_the_same_time),
        cmocka_unit_test(half_duplex_is_a_platform_with_shared_links),
        cmocka_unit_test(schedules_and_circles_are_the_same),
        cmocka_unit_test(circuits_on_each_kind_of_link),
        cmocka_unit_test(slots_on_each_kind_of_link),
        cmocka_unit_test(buffers_stand_behind_shared_links),
        cmocka_unit_test(probes_take_their_time_on_long_links),
        cmocka_unit_test(shortest_ways_lead_around_a_failed_link),
        cmocka_unit_test(a_link_fails_during_a_message),
        cmocka_unit_test(a_fatpipe_fails_during_a_message),
        cmocka_unit_test(a_message_without_a_way_ends_the_run),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
