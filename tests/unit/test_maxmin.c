/* The incremental max-min solver against progressive filling from scratch in long double, against the
 * definition of max-min fairness, and as a fluid simulation that must deliver every byte. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/packet/maxmin.h"

enum { LINKS = 24, FLOWS = 160, PER_FLOW = 20 };

static const double unit = 1.0 / (1 << MAXMIN_SHIFT); /* bytes per second */

/* All tests run with each. */
static enum maxmin_method method;

static struct maxmin *open_solver(const uint64_t *capacities, uint32_t links, uint32_t links_per_flow)
{
    struct maxmin *solver = maxmin_open(capacities, links, links_per_flow);
    maxmin_use(solver, method);
    return solver;
}

static struct maxmin *open_spread(const uint64_t *capacities, uint32_t links, uint32_t links_per_flow)
{
    struct maxmin *solver = maxmin_open_spread(capacities, links, links_per_flow);
    maxmin_use(solver, method);
    return solver;
}

struct sample {
    bool alive;
    uint32_t id, count, links[PER_FLOW], parts[PER_FLOW];
    long double rate; /* of the reference solver */
};

struct scene {
    uint32_t links, flows, per_flow;
    uint64_t capacities[LINKS];
    struct sample samples[FLOWS];
    struct maxmin *solver;
    uint64_t random;
    bool like; /* all links have the same capacity */
    bool is_spread;
    bool links_change; /* their capacities do */
    bool are_pairs;    /* each flow has a link of the first half and one of the second, as on a crossbar */
};

static uint64_t next_random(struct scene *scene)
{
    scene->random ^= scene->random << 13;
    scene->random ^= scene->random >> 7;
    scene->random ^= scene->random << 17;
    return scene->random;
}

/* The part of its rate that the flow puts on the link; 0: it does not use the link. */
static long double part_on(const struct sample *sample, uint32_t link)
{
    for (uint32_t i = 0; i < sample->count; i++)
        if (sample->links[i] == link)
            return (long double)sample->parts[i] / MAXMIN_WHOLE;
    return 0;
}

static bool uses(const struct sample *sample, uint32_t link)
{
    for (uint32_t i = 0; i < sample->count; i++)
        if (sample->links[i] == link)
            return true;
    return false;
}

/* Progressive filling: repeatedly find the link with the smallest share per open flow, and fix the rates of
 * its flows. */
static void solve_obviously(struct scene *scene)
{
    bool open[FLOWS];
    for (uint32_t i = 0; i < scene->flows; i++)
        open[i] = scene->samples[i].alive;
    for (;;) {
        long double least = -1;
        uint32_t bottleneck = 0;
        for (uint32_t link = 0; link < scene->links; link++) {
            long double left = scene->capacities[link], open_parts = 0;
            for (uint32_t i = 0; i < scene->flows; i++) {
                if (!scene->samples[i].alive || !uses(&scene->samples[i], link))
                    continue;
                long double part = part_on(&scene->samples[i], link);
                open_parts += open[i] ? part : 0;
                left -= open[i] ? 0 : part * scene->samples[i].rate;
            }
            if (open_parts > 0 && (least < 0 || left / open_parts < least)) {
                least = left / open_parts;
                bottleneck = link;
            }
        }
        if (least < 0)
            return;
        for (uint32_t i = 0; i < scene->flows; i++)
            if (open[i] && uses(&scene->samples[i], bottleneck)) {
                scene->samples[i].rate = least;
                open[i] = false;
            }
    }
}

/* The rate that a link carries and that of its fastest flow, from the flows. */
struct load {
    uint64_t used, top, flows;
};

static void load_links(const struct scene *scene, struct load *loads)
{
    memset(loads, 0, LINKS * sizeof *loads);
    for (uint32_t i = 0; i < scene->flows; i++) {
        const struct sample *sample = &scene->samples[i];
        uint64_t rate = sample->alive ? maxmin_rate(scene->solver, sample->id) : 0;
        for (uint32_t link = 0; link < scene->links; link++) {
            if (!sample->alive || !uses(sample, link))
                continue;
            loads[link].used += (uint64_t)(part_on(sample, link) * (long double)rate);
            loads[link].flows++;
            if (rate > loads[link].top)
                loads[link].top = rate;
        }
    }
}

/* True if the flow has a bottleneck: a full link on which no flow is faster, to 10^-10 of capacity and rate.
 * Rates are max-min fair if every flow has one. */
static bool has_bottleneck(const struct scene *scene, const struct sample *sample, const struct load *loads)
{
    uint64_t rate = maxmin_rate(scene->solver, sample->id);
    for (uint32_t link = 0; link < scene->links; link++) {
        uint64_t capacity = scene->capacities[link] << MAXMIN_SHIFT;
        uint64_t full = capacity - (scene->is_spread ? 4 : 2) * loads[link].flows - capacity / 10000000000;
        if (uses(sample, link) && loads[link].used >= full &&
            loads[link].top <= rate + rate / 10000000000 + 2)
            return true;
    }
    return false;
}

/* No link is over its capacity, and every flow has a bottleneck. */
static void check_definition(const struct scene *scene)
{
    struct load loads[LINKS];
    load_links(scene, loads);
    for (uint32_t link = 0; link < scene->links; link++)
        assert_true(loads[link].used <= scene->capacities[link] << MAXMIN_SHIFT);
    for (uint32_t i = 0; i < scene->flows; i++)
        assert_true(!scene->samples[i].alive || has_bottleneck(scene, &scene->samples[i], loads));
}

/* A small relative error, and the remainder of integer division on the links: 2^-16 B/s a flow. */
static void compare(struct scene *scene)
{
    solve_obviously(scene);
    check_definition(scene);
    for (uint32_t i = 0; i < scene->flows; i++) {
        const struct sample *sample = &scene->samples[i];
        if (!sample->alive)
            continue;
        long double rate = (long double)maxmin_rate(scene->solver, sample->id) * unit;
        assert_true(fabsl(rate - sample->rate) <= 1e-9L * sample->rate + 1000 * unit);
    }
}

/* Different links, with parts of 1 / 500 to 1; many are equal. */
static void spread(struct scene *scene, struct sample *sample)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sample->count; i++) {
        bool is_new = true;
        for (uint32_t k = 0; k < count; k++)
            is_new &= sample->links[k] != sample->links[i];
        if (is_new)
            sample->links[count++] = sample->links[i];
    }
    sample->count = count;
    for (uint32_t i = 0; i < count; i++)
        sample->parts[i] = next_random(scene) % 2
                               ? MAXMIN_WHOLE / (1 + (uint32_t)(next_random(scene) % 4))
                               : MAXMIN_WHOLE / 500 * (1 + (uint32_t)(next_random(scene) % 500));
}

/* Links drawn at random. A link may be named twice; it counts once. */
static void add(struct scene *scene, struct sample *sample)
{
    sample->count = 1 + (uint32_t)(next_random(scene) % scene->per_flow);
    for (uint32_t i = 0; i < sample->count; i++)
        sample->links[i] = (uint32_t)(next_random(scene) % scene->links);
    if (scene->are_pairs) {
        sample->count = 2;
        sample->links[0] = (uint32_t)(next_random(scene) % (scene->links / 2));
        sample->links[1] = scene->links / 2 + (uint32_t)(next_random(scene) % (scene->links / 2));
    }
    for (uint32_t i = 0; i < sample->count; i++)
        sample->parts[i] = MAXMIN_WHOLE;
    if (scene->is_spread)
        spread(scene, sample);
    sample->id = scene->is_spread
                     ? maxmin_add_spread(scene->solver, sample->links, sample->parts, sample->count)
                     : maxmin_add(scene->solver, sample->links, sample->count);
    sample->alive = true;
}

/* Also of links that flows use: up, down, and back within one solution. */
static void change_capacity(struct scene *scene)
{
    uint32_t link = (uint32_t)(next_random(scene) % scene->links);
    scene->capacities[link] =
        next_random(scene) % 3 ? UINT64_C(1000000) << (next_random(scene) % 17) : UINT64_C(12500000000);
    maxmin_set_capacity(scene->solver, link, scene->capacities[link]);
}

static void change(struct scene *scene)
{
    if (scene->links_change && next_random(scene) % 3 == 0) {
        change_capacity(scene);
        return;
    }
    struct sample *sample = &scene->samples[next_random(scene) % scene->flows];
    if (!sample->alive) {
        add(scene, sample);
        return;
    }
    maxmin_remove(scene->solver, sample->id);
    sample->alive = false;
}

static void open_scene(struct scene *scene, uint64_t seed, uint32_t links, uint32_t flows, uint32_t per_flow)
{
    memset(scene, 0, sizeof *scene);
    scene->links = links;
    scene->flows = flows;
    scene->per_flow = per_flow;
    scene->random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    scene->like = seed % 3 == 0;
    for (uint32_t i = 0; i < links; i++) /* from 1 MB/s to 1 TB/s, many of them equal */
        scene->capacities[i] = scene->like || next_random(scene) % 2
                                   ? UINT64_C(12500000000)
                                   : UINT64_C(1000000) << (next_random(scene) % 20);
    scene->solver = open_solver(scene->capacities, links, per_flow);
}

/* Some flows come and go, mostly a few at a time, and now and then many. */
static void change_and_compare(struct scene *scene)
{
    size_t count;
    for (int step = 0; step < 60; step++) {
        for (uint64_t changes = 1 + next_random(scene) % (step % 10 ? 3 : 40); changes; changes--)
            change(scene);
        maxmin_solve(scene->solver, &count);
        compare(scene);
    }
}

static void equals_progressive_filling(void **state)
{
    (void)state;
    static const uint32_t shapes[][3] = {
        {2, 8, 1},      {4, 20, 2},     {8, 40, 2},           {LINKS, FLOWS, 2},
        {LINKS, 60, 5}, {LINKS, 40, 3}, {LINKS, 60, PER_FLOW}};
    for (uint64_t seed = 1; seed <= 105; seed++) {
        const uint32_t *shape = shapes[seed % 7];
        struct scene scene;
        open_scene(&scene, seed, shape[0], shape[1], shape[2]);
        change_and_compare(&scene);
        maxmin_close(scene.solver);
    }
}

static void pairs_of_links_equal_progressive_filling(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct scene scene;
        open_scene(&scene, seed, LINKS, FLOWS, 2);
        scene.are_pairs = true;
        scene.links_change = seed % 4 == 0;
        change_and_compare(&scene);
        maxmin_close(scene.solver);
    }
}

/* Capacities change under flows, whole ones and spread ones. */
static void changed_capacities_equal_progressive_filling(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct scene scene;
        open_scene(&scene, seed, 2 + (uint32_t)(seed % 9), 6 + (uint32_t)(seed % 30),
                   1 + (uint32_t)(seed % 4));
        scene.links_change = true;
        scene.is_spread = seed % 2;
        if (scene.is_spread) {
            maxmin_close(scene.solver);
            for (uint32_t i = 0; i < scene.links;
                 i++) /* a part of 1 / 500 alone is below the limit of rates */
                scene.capacities[i] = scene.capacities[i] / 4 + 1;
            scene.solver = open_spread(scene.capacities, scene.links, scene.per_flow);
        }
        change_and_compare(&scene);
        maxmin_close(scene.solver);
    }
}

/* The same for flows that are spread. Without parts they have the rates of flows that are not, to the bit. */
static void spread_flows_equal_progressive_filling(void **state)
{
    (void)state;
    static const uint32_t shapes[][3] = {{2, 8, 1},         {4, 20, 3},     {8, 40, 5},
                                         {LINKS, FLOWS, 3}, {LINKS, 60, 8}, {LINKS, 60, PER_FLOW}};
    for (uint64_t seed = 1; seed <= 90; seed++) {
        const uint32_t *shape = shapes[seed % 6];
        struct scene scene;
        open_scene(&scene, seed, shape[0], shape[1], shape[2]);
        maxmin_close(scene.solver);
        scene.solver = open_spread(scene.capacities, scene.links, scene.per_flow);
        scene.is_spread = true;
        change_and_compare(&scene);
        maxmin_close(scene.solver);
    }
}

static void whole_flows_have_the_same_rates_spread(void **state)
{
    (void)state;
    struct scene scene;
    size_t count;
    open_scene(&scene, 7, LINKS, FLOWS, 4);
    struct maxmin *spread_solver = open_spread(scene.capacities, scene.links, scene.per_flow);
    uint32_t ids[FLOWS];
    for (uint32_t i = 0; i < FLOWS; i++) {
        struct sample *sample = &scene.samples[i];
        sample->count = 2;
        sample->links[0] = (uint32_t)(next_random(&scene) % 12);
        sample->links[1] = 12 + (uint32_t)(next_random(&scene) % 12);
        sample->parts[0] = sample->parts[1] = MAXMIN_WHOLE;
        sample->id = maxmin_add(scene.solver, sample->links, 2);
        ids[i] = maxmin_add_spread(spread_solver, sample->links, sample->parts, 2);
    }
    maxmin_solve(scene.solver, &count);
    maxmin_solve(spread_solver, &count);
    for (uint32_t i = 0; i < FLOWS; i++)
        assert_int_equal(maxmin_rate(scene.solver, scene.samples[i].id), maxmin_rate(spread_solver, ids[i]));
    maxmin_close(scene.solver);
    maxmin_close(spread_solver);
}

static void changed_flows_are_all_named(void **state)
{
    (void)state;
    struct scene scene;
    uint64_t before[FLOWS] = {0};
    open_scene(&scene, 99, LINKS, FLOWS, 3);
    for (int step = 0; step < 500; step++) {
        size_t count;
        change(&scene);
        const uint32_t *changed = maxmin_solve(scene.solver, &count);
        for (size_t i = 0; i < count; i++)
            before[changed[i]] = maxmin_rate(scene.solver, changed[i]);
        for (uint32_t i = 0; i < scene.flows; i++)
            if (scene.samples[i].alive)
                assert_int_equal(before[scene.samples[i].id], maxmin_rate(scene.solver, scene.samples[i].id));
    }
    maxmin_close(scene.solver);
}

/* A checksum of the rates after a long history. It is the same with every compiler and at every level of
 * optimisation. Another algorithm may round differently and have another checksum. */
static void same_bits_everywhere(void **state)
{
    (void)state;
    struct scene scene;
    static const uint64_t expected[] = {[MAXMIN_AUTO] = UINT64_C(0x9237315ef55e9ed0),
                                        [MAXMIN_SWEEP] = UINT64_C(0x5ab9687c0cb132ee),
                                        [MAXMIN_FILL] = UINT64_C(0xbcc63fdf86669768)};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    open_scene(&scene, 5, LINKS, FLOWS, 3);
    for (int step = 0; step < 1000; step++) {
        size_t count;
        change(&scene);
        const uint32_t *changed = maxmin_solve(scene.solver, &count);
        for (size_t i = 0; i < count; i++)
            hash = (hash ^ changed[i] ^ maxmin_rate(scene.solver, changed[i])) * UINT64_C(0x100000001b3);
    }
    maxmin_close(scene.solver);
    assert_int_equal(hash, expected[method]);
}

static void alone_and_shared_rates_are_exact(void **state)
{
    (void)state;
    const uint64_t capacities[] = {12500000000, 12500000000, 12500000000};
    struct maxmin *solver = open_solver(capacities, 3, 2);
    size_t count;
    uint32_t a = maxmin_add(solver, (const uint32_t[]){0, 1}, 2);
    assert_int_equal(*maxmin_solve(solver, &count), a);
    assert_int_equal(count, 1);
    assert_int_equal(maxmin_rate(solver, a), UINT64_C(12500000000) << MAXMIN_SHIFT);
    assert_int_equal(maxmin_time(maxmin_work(1000), maxmin_rate(solver, a)), service_ps(1000, 12500000000));
    assert_int_equal(maxmin_time(maxmin_work(1), maxmin_rate(solver, a)), 80);

    uint32_t b = maxmin_add(solver, (const uint32_t[]){0, 2}, 2);
    maxmin_solve(solver, &count);
    assert_int_equal(count, 2);
    assert_int_equal(maxmin_rate(solver, a), UINT64_C(6250000000) << MAXMIN_SHIFT);
    assert_int_equal(maxmin_rate(solver, b), UINT64_C(6250000000) << MAXMIN_SHIFT);
    maxmin_remove(solver, a);
    maxmin_solve(solver, &count);
    assert_int_equal(maxmin_rate(solver, b), UINT64_C(12500000000) << MAXMIN_SHIFT);

    /* A flow that is added and removed between two solves changes nothing. */
    uint32_t c = maxmin_add(solver, (const uint32_t[]){0, 1}, 2);
    maxmin_remove(solver, c);
    maxmin_solve(solver, &count);
    assert_int_equal(count, 0);
    maxmin_close(solver);
}

/* Flows from each of 12 nodes to each other: all links are full, and every flow has two bottlenecks. When a
 * flow ends, two links have free capacity. The remaining flows cannot use it, since each is still limited by
 * its other link. */
static void a_change_that_helps_nobody_stays_local(void **state)
{
    (void)state;
    enum { NODES = 12 };
    uint64_t capacities[2 * NODES];
    uint32_t ids[NODES][NODES];
    size_t count;
    for (uint32_t i = 0; i < 2 * NODES; i++)
        capacities[i] = (NODES - 1) * UINT64_C(1000000000);
    struct maxmin *solver = open_solver(capacities, 2 * NODES, 2);
    for (uint32_t i = 0; i < NODES; i++)
        for (uint32_t j = 0; j < NODES; j++)
            ids[i][j] = i == j ? 0 : maxmin_add(solver, (const uint32_t[]){i, NODES + j}, 2);
    maxmin_solve(solver, &count);
    assert_int_equal(count, NODES * (NODES - 1));
    for (uint32_t i = 0; i < NODES; i++) {
        uint32_t j = (i + 5) % NODES;
        maxmin_remove(solver, ids[i][j]);
        maxmin_solve(solver, &count);
        assert_int_equal(count, 0);
        ids[i][j] = maxmin_add(solver, (const uint32_t[]){i, NODES + j}, 2);
        assert_int_equal(*maxmin_solve(solver, &count), ids[i][j]);
        assert_int_equal(count, 1);
        assert_int_equal(maxmin_rate(solver, ids[i][j]), UINT64_C(1000000000) << MAXMIN_SHIFT);
    }
    maxmin_close(solver);
}

/* There are more flows than units of rate on the link. Each flow still gets one unit, so that it ends. */
static void no_flow_starves(void **state)
{
    (void)state;
    enum { CROWD = (1 << MAXMIN_SHIFT) + 10 };
    const uint64_t capacity = 1;
    struct maxmin *solver = open_solver(&capacity, 1, 1);
    size_t count;
    for (uint32_t i = 0; i < CROWD; i++)
        maxmin_add(solver, (const uint32_t[]){0}, 1);
    maxmin_solve(solver, &count);
    assert_int_equal(count, CROWD);
    for (uint32_t i = 0; i < CROWD; i++)
        assert_int_equal(maxmin_rate(solver, i), 1);
    for (uint32_t i = 0; i < CROWD - 1; i++)
        maxmin_remove(solver, i);
    maxmin_solve(solver, &count);
    assert_int_equal(maxmin_rate(solver, CROWD - 1), 1 << MAXMIN_SHIFT);
    maxmin_close(solver);
}

static void limits_of_work_are_exact(void **state)
{
    (void)state;
    assert_int_equal(maxmin_time(maxmin_work(1), 0), PS_NEVER);
    assert_int_equal(maxmin_time(maxmin_work(UINT64_MAX), 1), PS_NEVER);
    assert_true(maxmin_done(maxmin_work(5), UINT64_MAX, PS_NEVER) == maxmin_work(5));
}

/* Flows of random sizes start together and end one after another. The bytes that the rates move must equal
 * the bytes asked for, except for what the last picosecond carries. */
static void fluid_moves_every_byte(void **state)
{
    (void)state;
    struct scene scene;
    maxmin_work_t left[FLOWS];
    long double moved[FLOWS] = {0};
    uint64_t sizes[FLOWS];
    size_t count, alive = 0;
    open_scene(&scene, 7, LINKS, FLOWS, 2);
    for (uint32_t i = 0; i < FLOWS; i++, alive++) {
        add(&scene, &scene.samples[i]);
        sizes[i] = 1 + next_random(&scene) % 10000000;
        left[i] = maxmin_work(sizes[i]);
    }
    while (alive) {
        maxmin_solve(scene.solver, &count);
        ps_t step = PS_NEVER;
        for (uint32_t i = 0; i < FLOWS; i++)
            if (scene.samples[i].alive) {
                ps_t time = maxmin_time(left[i], maxmin_rate(scene.solver, scene.samples[i].id));
                step = time < step ? time : step;
            }
        for (uint32_t i = 0; i < FLOWS; i++) {
            if (!scene.samples[i].alive)
                continue;
            uint64_t rate = maxmin_rate(scene.solver, scene.samples[i].id);
            left[i] -= maxmin_done(left[i], rate, step);
            moved[i] += (long double)rate * unit * (long double)step / PS_PER_S;
            if (left[i])
                continue;
            assert_true(moved[i] >= sizes[i] - 1e-6L);
            assert_true(moved[i] - sizes[i] <= (long double)rate * unit / PS_PER_S + 1e-6L);
            maxmin_remove(scene.solver, scene.samples[i].id);
            scene.samples[i].alive = false;
            alive--;
        }
    }
    maxmin_close(scene.solver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_and_shared_rates_are_exact),
        cmocka_unit_test(a_change_that_helps_nobody_stays_local),
        cmocka_unit_test(no_flow_starves),
        cmocka_unit_test(limits_of_work_are_exact),
        cmocka_unit_test(equals_progressive_filling),
        cmocka_unit_test(pairs_of_links_equal_progressive_filling),
        cmocka_unit_test(spread_flows_equal_progressive_filling),
        cmocka_unit_test(changed_capacities_equal_progressive_filling),
        cmocka_unit_test(whole_flows_have_the_same_rates_spread),
        cmocka_unit_test(changed_flows_are_all_named),
        cmocka_unit_test(same_bits_everywhere),
        cmocka_unit_test(fluid_moves_every_byte),
    };
    int failed = 0;
    for (int i = MAXMIN_AUTO; i <= MAXMIN_FILL; i++) {
        method = (enum maxmin_method)i;
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
