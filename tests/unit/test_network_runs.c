/* Programs on network files: a family and the file that it is written as give the same times; and links that
 * say the rate and the latency of the fabric give the same as links that say nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory_stream.h"
#include "support/network_run.h"
#include "topo/network_file.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const said = network_said;

static ps_t run(const char *fabric, const char *topology, const char *settings)
{
    return network_run("alltoall:ranks=15,bytes=20kB", fabric, topology, settings);
}

/* ------------------------------------------------------------------- files */

/* The file of a topology in which each link has `of_links` behind its ends, and `more` behind all. */
static void write_file(const char *path, const char *topology, const char *of_links, const char *more)
{
    struct topo topo;
    assert_int_equal(topo_parse("test", topology, &topo), STATUS_OK);
    char *text = NULL;
    size_t length = 0;
    FILE *memory = memory_stream_open(&text, &length);
    network_file_write(&topo, memory);
    fclose(memory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (const char *at = text; *at; at++)
        if (at[0] == ']' && at[1] == '}') {
            fprintf(file, "]%s", of_links);
            at++;
        } else {
            fputc(*at, file);
        }
    fputs(more, file);
    fclose(file);
    free(text);
}

static char path[] = "/tmp/helio-network-XXXXXX.yaml";

static int make_path(void **state)
{
    (void)state;
    int file = mkstemps(path, 5);
    return file < 0 ? -1 : close(file);
}

static int remove_path(void **state)
{
    (void)state;
    topo_forget();
    return unlink(path);
}

/* ------------------------------------------------------------------- tests */

/* Grids have free links of nodes on the photonic fabrics by themselves, and no choice of links. */
static void a_family_and_its_file_take_the_same_time(void **state)
{
    (void)state;
    static const char of_grids[] = "photonic.node_links=channels photonic.up=destination";
    static const struct {
        const char *topology, *more, *settings;
    } cases[] = {
        {"fattree:4x2", "", ""},
        {"fattree:2x4", "", "packet.routing=adaptive photonic.reservation=hop-by-hop"},
        {"fattree:3x3", "", "packet.duplex=half photonic.up=destination"},
        {"torus:5x3", "routing: lowest\n", of_grids},
        {"mesh:3x5", "routing: lowest\n", of_grids},
        {"crossbar:20", "", ""},
        {"tapered:4x2x2", "", ""},
        {"leafspine:4x2x4", "", "packet.routing=adaptive"},
        {"dragonflyplus:2x2x2x2", "", ""},
        {"tapered:4x2x2,rates=50Gb/s+400Gb/s", "", ""},
        {"dragonflyplus:2x2x2x2,rates=50Gb/s+100Gb/s+30Gb/s", "", "packet.routing=adaptive"},
    };
    static const char *const fabrics[] = {"packet", "circuit",      "packetised", "segment",
                                          "hybrid", "tdm-compiled", "tdm-dynamic"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_file(path, cases[i].topology, "}", cases[i].more);
        for (size_t k = 0; k < COUNT(fabrics); k++) {
            bool every = strcmp(fabrics[k], "segment") == 0; /* buffers are placed by coordinates on grids */
            if (every && cases[i].settings == of_grids)
                continue;
            if (!strncmp(fabrics[k], "tdm", 3) && strstr(cases[i].topology, "rates")) {
                assert_int_equal(run(fabrics[k], cases[i].topology, ""), -1);
                continue;
            }
            ps_t of_family = run(fabrics[k], cases[i].topology, cases[i].settings);
            ps_t of_file = run(fabrics[k], path, cases[i].settings);
            if (of_family <= 0 || of_family != of_file)
                fail_msg("%s on %s: %lld ps, and %lld ps on its file: %s", fabrics[k], cases[i].topology,
                         (long long)of_family, (long long)of_file, said);
        }
    }
}

struct uniform_case {
    const char *fabric, *of_links, *settings, *both;
};

/* Rates and latencies in the file, or as parameters of the fabric. The times differ from those without. */
static void links_that_say_the_same_take_the_same_time(void **state)
{
    (void)state;
    static const char all[] = ", rate: 90 Gb/s, latency: 33 ns}", light[] = ", latency: 33 ns}";
    static const char photonic[] = "photonic.link_rate=90Gb/s photonic.wire=33ns";
    static const struct uniform_case cases[] = {
        {"packet", all, "packet.bandwidth=90Gb/s packet.hop_latency=33ns packet.latency=8066ns", ""},
        {"packet", all, "packet.bandwidth=90Gb/s packet.hop_latency=33ns packet.latency=8066ns",
         "packet.routing=adaptive packet.duplex=half"},
        {"circuit", all, photonic, ""},
        {"packetised", all, photonic, ""},
        {"segment", all, photonic, ""},
        {"circuit", all, photonic, "photonic.node_links=free"},
        {"segment", all, photonic, "photonic.node_links=free photonic.pad=true"},
        {"segment", all, photonic, "photonic.reservation=hop-by-hop photonic.retry=backoff"},
        {"segment", all, photonic, "segment.buffers=every:2 photonic.reservation=hop-by-hop"},
        {"segment", all, photonic, "segment.buffers=every:2 photonic.retry=now"},
        {"packetised", all, photonic, "photonic.reservation=hop-by-hop"},
        {"tdm-compiled", light, "tdm.wire=33ns", ""},
        {"tdm-dynamic", light, "tdm.wire=33ns", ""},
        {"tdm-dynamic", light, "tdm.wire=33ns", "tdm.control_links=all tdm.release=packet"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct uniform_case *item = &cases[i];
        char settings[512];
        snprintf(settings, sizeof settings, "%s %s", item->settings, item->both);
        write_file(path, "fattree:4x2", "}", "");
        ps_t without = run(item->fabric, path, item->both), by_fabric = run(item->fabric, path, settings);
        write_file(path, "fattree:4x2", item->of_links, "");
        ps_t by_links = run(item->fabric, path, item->both);
        if (by_links <= 0 || by_links != by_fabric || by_links == without)
            fail_msg("%s, %s: %lld ps by parameters, %lld ps by links, %lld ps without: %s", item->fabric,
                     settings, (long long)by_fabric, (long long)by_links, (long long)without, said);
    }
}

/* All links move as much in a slot. So slots do not use the rest of a faster link, and a slower one is
 * refused with the slot that fits. */
static void slots_fit_the_slowest_link(void **state)
{
    (void)state;
    static const char *const fabrics[] = {"tdm-compiled", "tdm-dynamic"};
    for (size_t i = 0; i < COUNT(fabrics); i++) {
        write_file(path, "fattree:4x2", ", rate: 90 Gb/s}", "");
        assert_int_equal(run(fabrics[i], path, ""), -1);
        assert_non_null(strstr(said, "tdm.slot_bytes=11250B fits the slowest one"));
        ps_t fits = run(fabrics[i], path, "tdm.slot_bytes=11250B");
        write_file(path, "fattree:4x2", ", rate: 100 Gb/s}", "");
        ps_t same = run(fabrics[i], path, "");
        write_file(path, "fattree:4x2", ", rate: 400 Gb/s}", "");
        assert_int_equal(run(fabrics[i], path, ""), same);
        assert_int_equal(run(fabrics[i], path, "tdm.slot_bytes=11250B"), fits);
        assert_true(0 < same && same <= fits);
    }
}

/* A channel of a link has less than 1 B/s. */
static void channels_need_a_rate(void **state)
{
    (void)state;
    write_file(path, "fattree:4x2", ", rate: 4 B/s}", "");
    assert_int_equal(run("circuit", path, "photonic.channels=5"), -1);
    assert_non_null(strstr(said, "less than 1 B/s to each of 5 channels"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_family_and_its_file_take_the_same_time),
        cmocka_unit_test(links_that_say_the_same_take_the_same_time),
        cmocka_unit_test(slots_fit_the_slowest_link),
        cmocka_unit_test(channels_need_a_rate),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
