/* Machines: what fabrics derive from one, and whether what they say of themselves is what they do. */
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

#define COUNT(array) (sizeof(array) / sizeof *(array))

static char said[8192];

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    strncat(said, message, sizeof said - strlen(said) - 1);
}

/* One run of a fabric with settings that stand in one text, separated by blanks. */
static struct result run(const char *fabric, const char *workload, const char *settings)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    char *texts = mem_text(settings), *rest = texts;
    assert_int_equal(config_assign(config, "fabric", fabric, "test"), STATUS_OK);
    assert_int_equal(config_assign(config, "workload", workload, "test"), STATUS_OK);
    for (char *text; (text = strsep(&rest, " "));)
        if (*text)
            assert_int_equal(config_set(config, text), STATUS_OK);
    free(texts);
    struct experiment experiment;
    struct result result = {.fabric = NULL};
    diag_set_sink(keep_message, NULL); /* hybrid notes its pivot */
    enum status status = experiment_init(&experiment, config);
    if (status == STATUS_OK)
        status = experiment_run(&experiment, 0, &(struct experiment_watch){.messages = NULL}, &result);
    if (status != STATUS_OK)
        fail_msg("%s with %s: %s", fabric, settings, said);
    diag_set_sink(NULL, NULL);
    experiment_free(&experiment);
    config_close(config);
    return result;
}

static const char as_published[] = "machine=as-published";
static const char of_today[] = "machine=infiniband-ndr";
/* Other numbers than those of the preset, so that no two times are equal by chance. */
static const char odd[] = "machine=infiniband-ndr nic.rate=321Gb/s wire.latency=17ns switch.latency=131ns "
                          "nic.latency=211ns host.send=97ns host.receive=103ns";
static const char *const machines[] = {as_published, of_today, odd};
static const char *const topologies[] = {"", "topology=torus:4x4", "topology=fattree:4x2",
                                         "topology=tests/networks/uneven.yaml"};

/* ----------------------------------------- what fabrics say is what they do */

/* A message there and one back take twice the latency that the fabric says, to the picosecond. */
static void an_empty_message_takes_the_latency(void **state)
{
    (void)state;
    static const char *const fabrics_exact[] = {"hockney", "packet",     "fmu",     "hybrid",
                                                "circuit", "packetised", "segment", "ocs"};
    for (size_t i = 0; i < COUNT(fabrics_exact); i++)
        for (size_t j = 0; j < COUNT(machines); j++)
            for (size_t k = 0; k < COUNT(topologies); k++) {
                char settings[512];
                snprintf(settings, sizeof settings, "%s %s", machines[j], topologies[k]);
                struct result result = run(fabrics_exact[i], "pingpong:bytes=0B,iterations=1", settings);
                assert_true(result.network.is_described);
                if (result.makespan != 2 * result.network.latency_ps)
                    fail_msg("%s, %s: %lld ps for twice %lld ps", fabrics_exact[i], settings,
                             (long long)result.makespan, (long long)result.network.latency_ps);
                result_free(&result);
            }
}

/* What is set changes the way of an empty message, and what a fabric says of it. */
static void settings_change_the_latency(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"fmu", "fmu.tag=network"},
        {"fmu", "fmu.tag=network fmu.tag_latency=9us fmu.t_map=1us"},
        {"fmu", "fmu.tag=header fmu.t_map=1us"},
        {"hybrid", "hybrid.pivot=0B"},
        {"hybrid", "hybrid.pivot=1MiB"},
        {"hybrid", "fmu.t_switch=10ns"},
        {"hybrid", "fmu.t_switch=10ns fmu.t_ocm=0ps fmu.bandwidth=900GB/s"},
        {"segment", "photonic.eo=3ns photonic.oe=4ns photonic.converter=5ns"},
        {"segment", "photonic.node_links=free"},
        {"packet", "packet.hop_latency=1us topology=torus:4x4"},
        {"packet", "topology=rails:4x4x1x2"},
        {"packet", "topology=rails:4x4x1x2 faults.switches=nvswitch0"},
        {"packet", "topology=rails:4x4x1x2,latencies=0ns+100ns+1us"},
        {"packet", "topology=leafspine:4x4x4,planes=2"},
        {"packet", "packet.hop_latency=1us topology=tests/networks/uneven.yaml"},
        {"segment", "photonic.node_links=free topology=tests/networks/uneven.yaml"},
        {"circuit", "photonic.reservation=hop-by-hop topology=tests/networks/uneven.yaml"},
        {"ocs", "ocs.switching=1ms ocs.controller=70us"},
        {"ocs", "ocs.switches=3 ocs.wavelengths=5"},
        {"ocs", "ocs.control=static"},
        {"hybrid", "hybrid.large=ocs hybrid.pivot=0B"},
        {"hybrid", "hybrid.large=ocs"}};
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t j = 0; j < COUNT(machines); j++) {
            char settings[512];
            snprintf(settings, sizeof settings, "%s %s", machines[j], cases[i][1]);
            struct result result = run(cases[i][0], "pingpong:bytes=0B,iterations=1", settings);
            if (result.makespan != 2 * result.network.latency_ps)
                fail_msg("%s, %s: %lld ps for twice %lld ps", cases[i][0], settings,
                         (long long)result.makespan, (long long)result.network.latency_ps);
            result_free(&result);
        }
}

/* A message waits up to a slot for its slot, and for registers that are loaded once. */
static void slots_add_their_waits(void **state)
{
    (void)state;
    const ps_t slot_ps = 1000000;
    static const char *const fabrics_of_slots[] = {"tdm-compiled", "tdm-dynamic"};
    for (size_t i = 0; i < COUNT(fabrics_of_slots); i++)
        for (size_t j = 0; j < COUNT(machines); j++) {
            char settings[512];
            snprintf(settings, sizeof settings, "%s tdm.retry=1 tdm.degree=1 tdm.schedule=all-to-all",
                     machines[j]);
            struct result result = run(fabrics_of_slots[i], "pingpong:bytes=0B,iterations=1", settings);
            ps_t twice = 2 * result.network.latency_ps;
            if (result.makespan < twice || result.makespan > twice + 3 * slot_ps)
                fail_msg("%s, %s: %lld ps for twice %lld ps", fabrics_of_slots[i], settings,
                         (long long)result.makespan, (long long)result.network.latency_ps);
            result_free(&result);
        }
}

/* The mean wait for a matching is at most half a cycle, and a message waits for less than a cycle. */
static void matchings_add_their_waits(void **state)
{
    (void)state;
    static const char *const cases[] = {"", "rotor.hops=2", "rotor.slot=1us rotor.guard=100ns",
                                        "rotor.slot=1us rotor.guard=0ps"};
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t j = 0; j < COUNT(machines); j++) {
            char settings[512];
            snprintf(settings, sizeof settings, "%s %s", machines[j], cases[i]);
            struct result result = run("rotor", "pingpong:bytes=0B,iterations=1", settings);
            ps_t twice = 2 * result.network.latency_ps, guard = i < 2 ? 20000000 : 100000;
            if (result.makespan < twice - 2 * guard || result.makespan > twice + 2 * guard)
                fail_msg("%s: %lld ps for twice %lld ps", settings, (long long)result.makespan,
                         (long long)result.network.latency_ps);
            result_free(&result);
        }
}

/* A large message takes the latency and its bytes at the rate of a message, within a hundredth. */
static void a_large_message_has_its_rate(void **state)
{
    (void)state;
    static const char *const fabrics_with_rates[] = {
        "hockney", "packet", "fmu", "circuit", "packetised", "segment", "tdm-compiled", "tdm-dynamic", "ocs"};
    const double bytes = 64 << 20;
    for (size_t i = 0; i < COUNT(fabrics_with_rates); i++)
        for (size_t j = 0; j < COUNT(machines); j++) {
            char settings[512];
            snprintf(settings, sizeof settings, "%s tdm.degree=3 tdm.schedule=all-to-all", machines[j]);
            struct result result = run(fabrics_with_rates[i], "pingpong:bytes=64MiB,iterations=1", settings);
            double expected = (double)result.network.latency_ps +
                              bytes / (double)result.network.message_rate_bytes_per_s * (double)PS_PER_S;
            double one_way = (double)result.makespan / 2;
            assert_true(result.network.message_rate_bytes_per_s <= result.network.rate_bytes_per_s);
            if (one_way < expected * 0.99 || one_way > expected * 1.01)
                fail_msg("%s, %s: %.0f ps instead of %.0f", fabrics_with_rates[i], settings, one_way,
                         expected);
            result_free(&result);
        }
}

/* Messages of a node to many others come no faster than the rate of a node, and nearly as fast. */
static void a_node_has_its_rate(void **state)
{
    (void)state;
    static const char *const fabrics_with_links[] = {"packet", "circuit", "packetised", "segment"};
    const double bytes = 15.0 * (4 << 20);
    for (size_t i = 0; i < COUNT(fabrics_with_links); i++)
        for (size_t j = 0; j < COUNT(machines); j++) {
            struct result result =
                run(fabrics_with_links[i], "alltoall:ranks=16,bytes=4MiB,iterations=1", machines[j]);
            double least = bytes / (double)result.network.rate_bytes_per_s * (double)PS_PER_S;
            if ((double)result.makespan < least * 0.999)
                fail_msg("%s, %s: %lld ps, but the rate of a node needs %.0f", fabrics_with_links[i],
                         machines[j], (long long)result.makespan, least);
            if (i == 0)
                assert_true((double)result.makespan < least * 1.01 + 1e7);
            result_free(&result);
        }
}

/* ----------------------------------------------------------------- fairness */

/* With a machine, all fabrics have the same rate and the same wires; hybrid has two ways into the network. */
static void a_machine_makes_fabrics_equal(void **state)
{
    (void)state;
    static const char *const equal[] = {"hockney",     "packet",     "fmu",     "hybrid",
                                        "circuit",     "packetised", "segment", "tdm-compiled",
                                        "tdm-dynamic", "ocs",        "rotor"};
    struct description_texts reasons;
    struct result first = run("packet", "pingpong:bytes=0B,iterations=1", odd);
    assert_int_equal(first.network.rate_bytes_per_s, UINT64_C(40125000000));
    for (size_t i = 0; i < COUNT(equal); i++) {
        struct result other = run(equal[i], "pingpong:bytes=0B,iterations=1", odd);
        network_differs(&first.network, "packet", &other.network, &reasons);
        if (reasons.count)
            fail_msg("%s: %s", equal[i], reasons.text[0]);
        result_free(&other);
    }
    result_free(&first);
}

static void as_published_they_differ(void **state)
{
    (void)state;
    struct description_texts reasons;
    struct result first = run("packet", "pingpong:bytes=0B,iterations=1", as_published);
    struct result same = run("hockney", "pingpong:bytes=0B,iterations=1", as_published);
    struct result other = run("segment", "pingpong:bytes=0B,iterations=1", as_published);
    struct result bound = run("ideal", "pingpong:bytes=0B,iterations=1", as_published);
    network_differs(&first.network, "packet", &same.network, &reasons);
    assert_int_equal(reasons.count, 0);
    network_differs(&first.network, "packet", &other.network, &reasons);
    assert_int_equal(reasons.count, 2);
    assert_string_equal(reasons.text[0], "a node sends at 200.0 GB/s, on packet at 12.50 GB/s");
    network_differs(&first.network, "packet", &bound.network, &reasons);
    assert_int_equal(reasons.count, 0);
    struct result list[] = {bound, other, first};
    assert_ptr_equal(network_reference(list, 3), &list[1]);
    result_free(&first);
    result_free(&same);
    result_free(&other);
    result_free(&bound);
}

/* A latency or a rate that somebody sets makes fabrics unequal again. */
static void what_is_set_differs(void **state)
{
    (void)state;
    struct description_texts reasons;
    struct result first = run("packet", "pingpong:bytes=0B,iterations=1", of_today);
    static const char *const changed[][2] = {{"hockney", "hockney.latency=2us"},
                                             {"segment", "photonic.wire=0ps"},
                                             {"segment", "photonic.channel_rate=320Gb/s"},
                                             {"packet", "packet.hop_latency=1us topology=torus:4x4"},
                                             {"fmu", "fmu.bandwidth=76.8GB/s"},
                                             {"tdm-compiled", "tdm.slot_bytes=12500B"}};
    for (size_t i = 0; i < COUNT(changed); i++) {
        char settings[512];
        snprintf(settings, sizeof settings, "%s %s", of_today, changed[i][1]);
        struct result other = run(changed[i][0], "pingpong:bytes=0B,iterations=1", settings);
        network_differs(&first.network, "packet", &other.network, &reasons);
        if (reasons.count != 1)
            fail_msg("%s: %zu reasons", changed[i][1], reasons.count);
        result_free(&other);
    }
    result_free(&first);
}

/* The same time in two parameters is not the same latency: one is a switch with its wires, the other a wire.
 */
static void equal_values_may_differ(void **state)
{
    (void)state;
    static const char both[] =
        "machine=infiniband-ndr packet.latency=90ns hockney.latency=90ns photonic.wire=90ns";
    static const char *const fabrics_set[] = {"hockney", "segment"};
    struct description_texts reasons;
    struct result first = run("packet", "pingpong:bytes=0B,iterations=1", both);
    for (size_t i = 0; i < COUNT(fabrics_set); i++) {
        struct result other = run(fabrics_set[i], "pingpong:bytes=0B,iterations=1", both);
        network_differs(&first.network, "packet", &other.network, &reasons);
        assert_int_equal(reasons.count, i);
        result_free(&other);
    }
    result_free(&first);
}

/* ------------------------------------------------------------------- values */

static struct config *open_config(void)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    return config_open(tables, count);
}

static const char text_of_machine[] = "name: a machine\n"
                                      "doc: for tests\n"
                                      "nic: {rate: 80 Gb/s, count: 2, latency: 300 ns}\n"
                                      "wire.latency: 10 ns\n"
                                      "switch.latency: 100 ns\n"
                                      "intranode.latency: 500 ns\n"
                                      "packet.hop_latency: 1 us\n"
                                      "sources: {nic.rate: a, nic.count: b, nic.latency: c}\n";

/* Defaults give way to the machine, the machine to the experiment, the experiment to --set; and a fabric
 * derives from what stands there at the end. */
static void the_last_one_wins(void **state)
{
    (void)state;
    struct config *config = open_config();
    struct machine machine;
    const char experiment[] = "intranode.latency: 700 ns\nwire.latency: 20 ns\n";
    assert_int_equal(config_read_text(config, "e.yaml", experiment, strlen(experiment)), STATUS_OK);
    assert_int_equal(config_set(config, "wire.latency=30ns"), STATUS_OK);
    assert_int_equal(machine_open_text(&machine, "m.yaml", text_of_machine, strlen(text_of_machine), config),
                     STATUS_OK);
    assert_int_equal(machine_apply(&machine, config, NULL, NULL), STATUS_OK);
    static const char *const values[][3] = {{"intranode.latency", "700 ns", "e.yaml:1"},
                                            {"wire.latency", "30 ns", "--set"},
                                            {"nic.latency", "300 ns", "m.yaml:3"},
                                            {"packet.hop_latency", "1 us", "m.yaml:7"},
                                            {"packet.latency", "160 ns", "machine m.yaml"},
                                            {"packet.bandwidth", "20 GB/s", "machine m.yaml"},
                                            {"photonic.link_rate", "20 GB/s", "machine m.yaml"},
                                            {"tdm.slot_bytes", "20 kB", "machine m.yaml"},
                                            {"fmu.t_ocm", "60 ns", "machine m.yaml"},
                                            {"fmu.t_switch", "5 us", "default"},
                                            {"compute.rate", "12 Gflop/s", "default"}};
    for (size_t i = 0; i < COUNT(values); i++) {
        assert_string_equal(config_text(config, values[i][0]), values[i][1]);
        assert_string_equal(config_origin(config, values[i][0]), values[i][2]);
    }
    machine_close(&machine);
    config_close(config);
}

/* Without a machine nothing is set, and a config that is finished stays as it is. */
static void nothing_is_applied_twice(void **state)
{
    (void)state;
    struct result first = run("packet", "pingpong:bytes=0B,iterations=1", "machine=as-published");
    assert_int_equal(first.makespan, INT64_C(16000000));
    assert_string_equal(first.network.machine, "");
    result_free(&first);
    struct config *config = open_config();
    assert_int_equal(config_set(config, "machine=no-such-file.yaml"), STATUS_OK);
    assert_int_equal(config_set(config, "workload=pingpong:bytes=0B,iterations=1"), STATUS_OK);
    config_finish(config);
    struct experiment experiment;
    assert_int_equal(experiment_init(&experiment, config), STATUS_OK);
    assert_ptr_equal(experiment.config, config);
    experiment_free(&experiment);
    config_close(config);
}

/* ------------------------------------------------------------------- errors */

static void assert_refused(const char *text, const char *because)
{
    struct config *config = open_config();
    struct machine machine;
    said[0] = '\0';
    diag_set_sink(keep_message, NULL);
    enum status status = machine_open_text(&machine, "m.yaml", text, strlen(text), config);
    if (status == STATUS_OK) {
        status = machine_check(&machine);
        if (status == STATUS_OK)
            status = machine_apply(&machine, config, NULL, NULL);
        machine_close(&machine);
    }
    diag_set_sink(NULL, NULL);
    config_close(config);
    assert_int_equal(status, STATUS_BAD_INPUT);
    if (!strstr(said, because))
        fail_msg("expected '%s' in: %s", because, said);
}

static void wrong_machines_are_refused(void **state)
{
    (void)state;
    assert_refused("nic: {rate: 400}\n", "m.yaml:1:");
    assert_refused("nic: {rat: 400 Gb/s}\n", "did you mean 'nic.rate'");
    assert_refused("fabric: packet\n", "fabric belongs to an experiment");
    assert_refused("name: [a, b]\n", "a line of text is expected here");
    assert_refused("sources: here\n", "sources is a map");
    assert_refused("sources: {nic.rte: here}\n", "m.yaml:1:11");
    assert_refused("name: a\ndoc: b\nnic.rate: 1 Gb/s\n", "nic.rate has no source");
    assert_refused("name: a\ndoc: b\nnic.rate: 1 Gb/s\nsources: {nic.rate: x, nic.count: y}\n",
                   "sources has nic.count, which the file does not set");
    assert_refused("name: a\nnic.rate: 1 Gb/s\nsources: {nic.rate: x}\n", "doc is missing");
    assert_refused("name: a\ndoc: b\nwire.latency: 1 ns\nsources: {wire.latency: x}\n",
                   "nic.rate is missing");
    assert_refused("name: a\ndoc: b\nnic.rate: 1 B/s\nsources: {nic.rate: x}\n",
                   "tdm.slot_bytes is at least 1 B");
}

static void assert_equal_configs(void *other, const struct param *param, const char *value,
                                 const char *origin)
{
    const char *same = config_text(other, param->name);
    if ((value || same) && (!value || !same || strcmp(value, same) != 0))
        fail_msg("%s is %s and %s", param->name, value ? value : "none", same ? same : "none");
    assert_string_equal(origin, config_origin(other, param->name));
}

/* Every preset is right, every fabric accepts what it derives from it, and the list of its values, which a
 * run uses, is the same as what the reader finds in its file. */
static void presets_are_right(void **state)
{
    (void)state;
    size_t count = 0;
    for (const struct machine_preset *preset = machine_presets; preset->name; preset++) {
        struct config *config = open_config(), *other = open_config();
        struct machine machine;
        assert_int_equal(machine_open(&machine, preset->name, config), STATUS_OK);
        assert_int_equal(machine_check(&machine), STATUS_OK);
        assert_int_equal(machine_apply(&machine, config, NULL, NULL), STATUS_OK);
        assert_int_equal(machine_apply_named(preset->name, other), STATUS_OK);
        config_each(config, other, assert_equal_configs);
        machine_close(&machine);
        config_close(config);
        config_close(other);
        count++;
    }
    assert_int_equal(count, 16);
    assert_null(machine_files[16].path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_message_takes_the_latency),
        cmocka_unit_test(settings_change_the_latency),
        cmocka_unit_test(slots_add_their_waits),
        cmocka_unit_test(matchings_add_their_waits),
        cmocka_unit_test(a_large_message_has_its_rate),
        cmocka_unit_test(a_node_has_its_rate),
        cmocka_unit_test(a_machine_makes_fabrics_equal),
        cmocka_unit_test(as_published_they_differ),
        cmocka_unit_test(what_is_set_differs),
        cmocka_unit_test(equal_values_may_differ),
        cmocka_unit_test(the_last_one_wins),
        cmocka_unit_test(nothing_is_applied_twice),
        cmocka_unit_test(wrong_machines_are_refused),
        cmocka_unit_test(presets_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
