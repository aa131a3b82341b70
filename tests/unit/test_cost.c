/* What networks are built of, what it costs, and the networks that no other one beats. */
#include <math.h>
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
#include "base/rng.h"
#include "cost/cost.h"
#include "fabric/list.h"
#include "sim/components.h"

static struct config *open_config(void)
{
    size_t count;
    components_add_params(&cost_params);
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    assert_non_null(config);
    return config;
}

static void set(struct config *config, const char *text)
{
    assert_int_equal(config_set(config, text), STATUS_OK);
}

static const struct cost_config *prices_of(const struct config *config)
{
    return config_of(config, &cost_params);
}

static void bill_of(const struct config *config, const char *fabric, uint32_t nodes, struct cost_bill *bill)
{
    struct hardware hardware = {.count = 0};
    const struct fabric_ops *ops = fabric_find(fabric);
    assert_non_null(ops);
    assert_int_equal(ops->hardware(config, nodes, &hardware), STATUS_OK);
    cost_of(&hardware, prices_of(config), bill);
}

static void parts_are(const struct cost_bill *bill, enum cost_part part, uint64_t count, uint64_t ports,
                      uint64_t widest)
{
    const struct cost_line *line = &bill->lines[part];
    if (line->count != count || line->ports != ports || line->widest != widest)
        fail_msg("%s: %llu with %llu ports, at most %llu; expected %llu, %llu, %llu", cost_part_name(part),
                 (unsigned long long)line->count, (unsigned long long)line->ports,
                 (unsigned long long)line->widest, (unsigned long long)count, (unsigned long long)ports,
                 (unsigned long long)widest);
}

static uint64_t cables_of(const struct cost_bill *bill)
{
    return bill->lines[COST_COPPER].count + bill->lines[COST_FIBER].count;
}

/* ------------------------------------------------------------------- counts */

/* A k-ary n-tree has n k^(n-1) switches, k^n nodes, and k^n links between neighbouring levels; a torus of
 * three dimensions has three links a switch. */
static void families_have_the_parts_of_their_formulas(void **state)
{
    (void)state;
    static const struct {
        const char *topology;
        uint32_t nodes, switches, links, widest;
    } cases[] = {{"topology=fattree:4x3", 64, 48, 2 * 64, 8}, {"topology=fattree:12x2", 144, 24, 144, 24},
                 {"topology=torus:4x4x4", 64, 64, 3 * 64, 7}, {"topology=mesh:5x4", 20, 20, 4 * 4 + 5 * 3, 5},
                 {"topology=crossbar:20", 20, 1, 0, 20},      {"topology=leafspine:8x4x16", 128, 12, 32, 20}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct config *config = open_config();
        struct cost_bill bill;
        set(config, cases[i].topology);
        bill_of(config, "packet", cases[i].nodes, &bill);
        parts_are(&bill, COST_SWITCHES, cases[i].switches, cases[i].nodes + 2 * cases[i].links,
                  cases[i].widest);
        assert_int_equal(cables_of(&bill), cases[i].nodes + cases[i].links);
        assert_int_equal(bill.lines[COST_NICS].count, cases[i].nodes);
        assert_int_equal(bill.lines[COST_TRANSCEIVERS].count, 2 * bill.lines[COST_FIBER].count);
        config_close(config);
    }
}

/* Light passes optical switches: a transceiver is at each node alone, and no cable is of copper. */
static void light_is_converted_at_nodes_alone(void **state)
{
    (void)state;
    struct config *config = open_config();
    struct cost_bill bill;
    set(config, "topology=torus:4x4");
    bill_of(config, "segment", 16, &bill);
    parts_are(&bill, COST_OPTICAL_SWITCHES, 16, 16 + 2 * 32, 5);
    assert_int_equal(bill.lines[COST_FIBER].count, 16 + 32);
    assert_int_equal(bill.lines[COST_TRANSCEIVERS].count, 16);
    set(config, "ocs.switches=3");
    bill_of(config, "ocs", 16, &bill);
    parts_are(&bill, COST_OPTICAL_SWITCHES, 3, 48, 16);
    assert_int_equal(bill.lines[COST_TRANSCEIVERS].count, 48);
    assert_int_equal(bill.lines[COST_NICS].count, 16);
    set(config, "fmu.count=4");
    bill_of(config, "fmu", 16, &bill);
    parts_are(&bill, COST_OPTICAL_SWITCHES, 1, 20, 20);
    assert_int_equal(bill.lines[COST_MEMORIES].count, 4);
    assert_int_equal(bill.lines[COST_NICS].count, 0);
    assert_int_equal(bill.lines[COST_TRANSCEIVERS].count, 20);
    struct cost_bill packet, both;
    bill_of(config, "packet", 16, &packet);
    set(config, "hybrid.large=fmu");
    bill_of(config, "hybrid", 16, &both);
    for (enum cost_part part = 0; part < COST_PARTS; part++)
        assert_int_equal(both.lines[part].count, packet.lines[part].count + bill.lines[part].count);
    config_close(config);
}

/* ------------------------------------------------------------------ lengths */

/* Nine racks stand in three rows of three. */
static void cables_are_as_long_as_the_way_between_racks(void **state)
{
    (void)state;
    struct config *config = open_config();
    set(config, "cost.rack_width=0.5");
    set(config, "cost.row_pitch=3");
    set(config, "cost.slack=1.25");
    set(config, "cost.in_rack=0.75");
    const struct cost_config *prices = prices_of(config);
    for (unsigned from = 0; from < 9; from++)
        for (unsigned to = 0; to < 9; to++) {
            double across = abs((int)(from % 3) - (int)(to % 3)) * 0.5,
                   along = abs((int)(from / 3) - (int)(to / 3)) * 3.0;
            assert_float_equal(cost_cable_metres(prices, 9, from, to),
                               from == to ? 0.75 : across + along + 1.25, 1e-12);
        }
    assert_float_equal(cost_cable_metres(prices, 10, 0, 9), 0.5 + 2 * 3 + 1.25, 1e-12); /* rows of four */
    config_close(config);
}

/* A line of four switches with a node each, a rack each: three links of one rack's width. */
static void a_line_of_racks(void **state)
{
    (void)state;
    struct config *config = open_config();
    struct cost_bill bill;
    set(config, "topology=linear:4");
    set(config, "cost.rack_nodes=1");
    set(config, "cost.copper_reach=3.5");
    bill_of(config, "packet", 4, &bill); /* two rows of two: racks 1 and 2 are a row and a column apart */
    assert_int_equal(bill.lines[COST_COPPER].count, 4 + 2);
    assert_float_equal(bill.lines[COST_COPPER].metres, 4 * 1 + 2 * 3, 1e-12);
    assert_int_equal(bill.lines[COST_FIBER].count, 1);
    assert_float_equal(bill.lines[COST_FIBER].metres, 4, 1e-12);
    config_close(config);
}

/* --------------------------------------------------------- money and energy */

static void the_bill_is_the_sum_of_its_parts(void **state)
{
    (void)state;
    struct config *config = open_config();
    struct cost_bill bill;
    set(config, "topology=leafspine:2x1x4");
    set(config, "packet.bandwidth=100 Gb/s");
    set(config, "cost.nic=11");
    set(config, "cost.nic_watts=3");
    set(config, "cost.switch=1000");
    set(config, "cost.switch_port=20");
    set(config, "cost.switch_rate=50 Gb/s");
    set(config, "cost.switch_power=10");
    set(config, "cost.copper=0.5");
    set(config, "cost.copper_metre=0.25");
    set(config, "cost.copper_reach=2");
    set(config, "cost.fiber_metre=0.3");
    set(config, "cost.transceiver=0.7");
    set(config, "cost.transceiver_power=20");
    set(config, "cost.rack_nodes=8");
    bill_of(config, "packet", 8, &bill);
    /* 8 links of nodes of 1 m; 2 links to the spine, whose rack is beside: 1 + 2 m. */
    assert_float_equal(bill.lines[COST_NICS].money, 8 * 11, 1e-9);
    assert_float_equal(bill.lines[COST_SWITCHES].money, 3 * 1000 + (8 + 4) * 20 * 2, 1e-9);
    assert_float_equal(bill.lines[COST_COPPER].money, 8 * 100 * (0.5 + 0.25), 1e-9);
    assert_float_equal(bill.lines[COST_FIBER].money, 2 * 3 * 0.3, 1e-9);
    assert_float_equal(bill.lines[COST_TRANSCEIVERS].money, 4 * 100 * 0.7, 1e-9);
    assert_float_equal(bill.money, 88 + 3480 + 600 + 1.8 + 280, 1e-9);
    assert_float_equal(bill.watts, 8 * 3 + 12 * 1.0 + 4 * 2.0, 1e-9);

    const struct hardware_use use = {.switched_bytes = 3e9, .setups = 5},
                              unknown = {.switched_bytes = -1, .setups = -1};
    set(config, "cost.switched_energy=0");
    struct cost_energy energy = cost_energy(&bill, prices_of(config), 0.5, 1e9, &unknown);
    assert_float_equal(cost_energy_total(&energy), 22, 1e-9); /* bytes and set-ups have no price */
    set(config, "cost.switched_energy=2");
    set(config, "cost.converted_energy=5");
    set(config, "cost.setup_energy=0.125");
    energy = cost_energy(&bill, prices_of(config), 0.5, 1e9, &use);
    assert_float_equal(energy.moving, 3e9 * 8 * 2e-12 + 2 * 1e9 * 8 * 5e-12, 1e-12);
    assert_float_equal(energy.switching, 0.625, 1e-12);
    assert_float_equal(cost_energy_total(&energy), 22 + energy.moving + 0.625, 1e-9);
    energy = cost_energy(&bill, prices_of(config), 0.5, 1e9, &unknown);
    assert_true(cost_energy_total(&energy) < 0);
    config_close(config);
}

/* A link of a network file has its own rate. */
static void links_have_the_rates_of_the_topology(void **state)
{
    (void)state;
    struct config *config = open_config();
    struct cost_bill bill;
    set(config, "topology=leafspine:2x1x4,rates=5GB/s+20GB/s");
    bill_of(config, "packet", 8, &bill);
    assert_float_equal(bill.lines[COST_SWITCHES].gbps, 8 * 40 + 4 * 160, 1e-9);
    config_close(config);
}

/* --------------------------------------------------------------------- NICs */

static void nics_are(const struct cost_bill *bill, uint64_t count, double gbps)
{
    assert_int_equal(bill->lines[COST_NICS].count, count);
    assert_float_equal(bill->lines[COST_NICS].gbps, gbps, 1e-9);
}

/* A NIC has the rate of its node's links out of the server: NVLink needs none, and the links to several
 * planes or optical switches are its parts. */
static void nics_have_the_rate_out_of_the_server(void **state)
{
    (void)state;
    struct config *config = open_config();
    struct cost_bill bill;
    set(config, "packet.bandwidth=100 Gb/s");
    set(config, "topology=fattree:4x2");
    bill_of(config, "packet", 16, &bill);
    nics_are(&bill, 16, 1600);
    assert_float_equal(bill.lines[COST_NICS].money, 1600 * prices_of(config)->nic_per_gbps, 1e-9);
    assert_float_equal(bill.lines[COST_NICS].watts, 0.1 * prices_of(config)->nic_pj_per_bit * 16, 1e-9);
    set(config, "topology=leafspine:2x1x4,planes=2");
    bill_of(config, "packet", 8, &bill);
    nics_are(&bill, 16, 800);
    set(config, "topology=rails:4x2x1x2,rates=500GB/s+450GB/s+50GB/s");
    bill_of(config, "packet", 8, &bill);
    nics_are(&bill, 8, 8 * 400);
    parts_are(&bill, COST_SWITCHES, 2 + 4 + 2, 8 + 8 + 2 * 8, 4);
    set(config, "ocs.switches=3");
    set(config, "ocs.bandwidth=300 Gb/s");
    bill_of(config, "ocs", 8, &bill);
    nics_are(&bill, 8, 8 * 300);
    bill_of(config, "fmu", 8, &bill);
    nics_are(&bill, 0, 0);
    set(config, "cost.nic=70");
    set(config, "cost.nic_watts=3");
    bill_of(config, "packet", 8, &bill);
    assert_float_equal(bill.lines[COST_NICS].money, 8 * 70, 1e-9);
    assert_float_equal(bill.lines[COST_NICS].watts, 8 * 3, 1e-9);
    config_close(config);
}

/* In a file a node with several links is a switch of its own, which is no device. Here seven GPUs have 3 + 4
 * links to NVSwitches, and two NICs each. */
static void ends_of_a_file_are_no_devices(void **state)
{
    (void)state;
    struct config *config = open_config();
    struct cost_bill bill;
    set(config, "topology=tests/networks/gpus.yaml");
    bill_of(config, "packet", 7, &bill);
    nics_are(&bill, 14, 14 * 400);
    parts_are(&bill, COST_SWITCHES, 3 + 2, 3 + 4 + 14 + 2, 8);
    assert_int_equal(cables_of(&bill), 3 + 4 + 14 + 1);
    config_close(config);
}

/* ---------------------------------------------------------------- the front */

/* The least of a column over the points whose other column is at most so much. */
static double least(const struct cost_point *points, size_t count, bool of_money, double most)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        if ((of_money ? points[i].seconds : points[i].money) <= most)
            least = fmin(least, of_money ? points[i].money : points[i].seconds);
    return least;
}

/* A point is on the front if it is the fastest for its money and the cheapest for its time. */
static void the_front_is_what_no_point_beats(void **state)
{
    (void)state;
    struct rng random = rng_init(7, "front");
    for (int round = 0; round < 200; round++) {
        struct cost_point points[12];
        size_t count = 1 + rng_below(&random, 12), on_front = 0;
        for (size_t i = 0; i < count; i++)
            points[i] =
                (struct cost_point){(double)rng_below(&random, 6), (double)rng_below(&random, 6), false};
        cost_find_front(points, count);
        for (size_t i = 0; i < count; i++) {
            bool is_best = points[i].seconds == least(points, count, false, points[i].money) &&
                           points[i].money == least(points, count, true, points[i].seconds);
            assert_int_equal(points[i].is_front, is_best);
            on_front += points[i].is_front;
        }
        assert_true(on_front > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families_have_the_parts_of_their_formulas),
        cmocka_unit_test(light_is_converted_at_nodes_alone),
        cmocka_unit_test(cables_are_as_long_as_the_way_between_racks),
        cmocka_unit_test(a_line_of_racks),
        cmocka_unit_test(the_bill_is_the_sum_of_its_parts),
        cmocka_unit_test(links_have_the_rates_of_the_topology),
        cmocka_unit_test(nics_have_the_rate_out_of_the_server),
        cmocka_unit_test(ends_of_a_file_are_no_devices),
        cmocka_unit_test(the_front_is_what_no_point_beats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
