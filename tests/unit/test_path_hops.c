/* Circuits through topologies with bytes on two hops: worked examples, every algorithm against the verifier
 * and the bounds, parallel switches as a peer, optima of a slow solver, and the verifier against one that
 * moves single bytes. */
#include "support/paths.h"
#include "support/sanitizer.h"

static struct circuit_switching hops_of(uint32_t planes, ps_t delta_ps, bool all_stop)
{
    struct circuit_switching switching = switching_of(delta_ps, all_stop);
    switching.switches = planes;
    switching.hops = 2;
    return switching;
}

static struct circuit_demand all_to_all(uint32_t nodes, uint64_t bytes)
{
    struct circuit_demand demand = {0};
    for (uint32_t source = 0; source < nodes; source++)
        for (uint32_t destination = 0; destination < nodes; destination++)
            if (source != destination)
                circuit_demand_add(&demand, source, destination, bytes);
    assert_true(circuit_demand_unite(&demand));
    return demand;
}

/* ----------------------------------------------------------------- examples */

/* Rows and then columns of a torus: two rings of four, each of which takes three configurations of its all to
 * all, with the bytes of four pairs on a circuit. Direct, a node has fifteen set-ups. */
static void a_torus_by_rows_and_columns(void **state)
{
    (void)state;
    struct circuit_demand demand = all_to_all(16, 1);
    for (int all_stop = 0; all_stop < 2; all_stop++) {
        struct circuit_switching switching = hops_of(1, 100 * MS, all_stop);
        struct path_problem problem = problem_on("torus:4x4", false, &demand, &switching);
        assert_int_equal(path_bounds_of(&problem).best_ps, 500 * MS);
        assert_true(makespan(&problem, &demand, "best") <= 6 * (100 + 4) * MS);
        assert_true(path_bounds_of(&problem).link_ps == 15 * 101 * MS);
        path_problem_free(&problem);
    }
    circuit_demand_free(&demand);
}

/* A second hop of large entries takes longer than the set-ups that it saves: times are those of one hop. */
static void large_entries_go_direct(void **state)
{
    (void)state;
    struct circuit_demand demand = demand_of("0,1,500\n0,2,400\n3,4,600\n1,2,300\n");
    for (int all_stop = 0; all_stop < 2; all_stop++) {
        struct circuit_switching switching = hops_of(1, 2 * MS, all_stop), one = switching;
        one.hops = 1;
        struct path_problem problem = problem_on("mesh:5", false, &demand, &switching);
        struct path_problem direct = problem_on("mesh:5", false, &demand, &one);
        assert_int_equal(makespan(&problem, &demand, "best"), makespan(&direct, &demand, "best"));
        path_problem_free(&problem);
        path_problem_free(&direct);
    }
    circuit_demand_free(&demand);
}

/* All bytes of a line cross its middle, over any node in between: 9 entries of 10 ms on one link. */
static void the_weighted_bound_knows_the_middle_of_a_line(void **state)
{
    (void)state;
    struct circuit_demand demand = {0};
    for (uint32_t source = 0; source < 3; source++)
        for (uint32_t destination = 3; destination < 6; destination++)
            circuit_demand_add(&demand, source, destination, 10);
    assert_true(circuit_demand_unite(&demand));
    struct circuit_switching switching = hops_of(1, MS, false);
    struct path_problem problem = problem_on("linear:6", false, &demand, &switching);
    ps_t bound_ps = path_bounds_of(&problem).best_ps;
    assert_in_range(bound_ps, 80 * MS, 99 * MS); /* a node alone has 30 */
    assert_true(makespan(&problem, &demand, "best") <= 99 * MS);
    path_problem_free(&problem);
    circuit_demand_free(&demand);
}

/* --------------------------------------------------------------- algorithms */

static const char *const topologies[] = {"crossbar:6", "linear:5",    "ring:7",          "mesh:3x3",
                                         "torus:4x4",  "fattree:2x3", "dragonfly:2x2x1", "hyperx:3x3"};

static void every_schedule_is_valid_and_not_longer_than_one_hop(void **state)
{
    (void)state;
    enum { DEMANDS = HAS_SANITIZER ? 8 : 32 };
    struct rng rng = rng_init(41, "test");
    const size_t count = sizeof topologies / sizeof *topologies;
    int shorter = 0;
    for (size_t i = 0; i < DEMANDS; i++) {
        struct topo topo = topology(topologies[i % count]);
        uint32_t lines = 1 + (uint32_t)rng_below(&rng, 4 * topo.nodes);
        struct circuit_demand demand = random_demand(&rng, topo.nodes, lines, i % 3 ? 6 : 60);
        struct circuit_switching switching =
                                     hops_of(i / count & 2 ? 2 : 1, (ps_t)rng_below(&rng, 30) * MS, i & 1),
                                 one = switching;
        one.hops = 1;
        struct path_problem problem = problem_on(topologies[i % count], i / count & 1, &demand, &switching);
        struct path_problem direct = problem_on(topologies[i % count], i / count & 1, &demand, &one);
        assert_true(path_bounds_of(&problem).best_ps <= makespan(&direct, &demand, "best"));
        const struct path_algorithm *algorithm;
        for (size_t at = 0; (algorithm = path_algorithm_at(at)); at++) {
            ps_t makespan_ps = makespan(&problem, &demand, algorithm->name);
            ps_t direct_ps = makespan(&direct, &demand, algorithm->name);
            assert_true(makespan_ps <= direct_ps);
            if (strcmp(algorithm->name, "best") != 0)
                continue;
            assert_int_equal(makespan(&problem, &demand, "best"), makespan_ps);
            shorter += makespan_ps < direct_ps;
        }
        path_problem_free(&problem);
        path_problem_free(&direct);
        circuit_demand_free(&demand);
    }
    assert_in_range(shorter, DEMANDS / 4, DEMANDS);
}

/* On one crossbar bounds are those of parallel switches with two hops, and best is as short. */
static void a_crossbar_is_parallel_switches(void **state)
{
    (void)state;
    struct rng rng = rng_init(42, "test");
    int relayed = 0;
    for (int i = 0; i < (HAS_SANITIZER ? 4 : 32); i++) {
        struct circuit_demand demand = random_demand(&rng, 8, 4 + (uint32_t)rng_below(&rng, 40), 9);
        struct circuit_switching switching =
            hops_of(1 + (uint32_t)(i / 2 % 3 == 0), (1 + (ps_t)rng_below(&rng, 30)) * MS, i & 1);
        struct path_problem problem = problem_on("crossbar:8", false, &demand, &switching);
        struct circuit_problem peer;
        struct circuit_schedule schedule;
        assert_int_equal(circuit_problem_init(&peer, &demand, &switching), STATUS_OK);
        assert_int_equal(circuit_bounds_of(&peer).best_ps, path_bounds_of(&problem).best_ps);
        assert_int_equal(circuit_schedule_make(&peer, circuit_algorithm_find("best"), &few_tries, &schedule),
                         STATUS_OK);
        assert_true(makespan(&problem, &demand, "best") <= schedule.makespan_ps);
        relayed += circuit_relayed(&peer, &schedule) > 0;
        circuit_schedule_free(&schedule);
        circuit_problem_free(&peer);
        path_problem_free(&problem);
        circuit_demand_free(&demand);
    }
    assert_true(relayed > 0);
}

/* -------------------------------------------------------------- slow solver */

/* Whole entries, direct or over any node of the demand; hops in any order, each as early as its links, its
 * set-up and its bytes allow behind those before. The optimum of all ways and all orders. */
enum { NODES = 4, ENTRIES = 4, LINKS = 64 };
struct slow {
    const struct topo *topo;
    uint32_t entries, from[ENTRIES], to[ENTRIES], via[ENTRIES];
    ps_t time_ps[ENTRIES], delta_ps, arrived_ps[ENTRIES], best_ps, until_ps[LINKS];
    uint32_t last[LINKS]; /* the nodes of the circuit, + 1 */
};

static void slow_order(struct slow *slow, uint32_t first, uint32_t done, ps_t makespan_ps);

static void slow_hop(struct slow *slow, uint32_t first, uint32_t done, ps_t makespan_ps, uint32_t from,
                     uint32_t to, uint32_t entry)
{
    struct slow before = *slow;
    uint32_t links[16], count = topo_route(slow->topo, from, to, links), pair = from * NODES + to + 1;
    bool is_up = true;
    ps_t start_ps = 0;
    for (uint32_t i = 0; i < count; i++) {
        is_up = is_up && slow->last[links[i]] == pair;
        start_ps = ps_max(start_ps, slow->until_ps[links[i]]);
    }
    start_ps = ps_max(start_ps + (is_up ? 0 : slow->delta_ps), slow->arrived_ps[entry]);
    ps_t end_ps = start_ps + slow->time_ps[entry];
    slow->arrived_ps[entry] = end_ps;
    for (uint32_t i = 0; i < count; i++) {
        slow->until_ps[links[i]] = end_ps;
        slow->last[links[i]] = pair;
    }
    slow_order(slow, first, done, ps_max(makespan_ps, end_ps));
    ps_t best_ps = slow->best_ps;
    *slow = before;
    slow->best_ps = best_ps;
}

static void slow_order(struct slow *slow, uint32_t first, uint32_t done, ps_t makespan_ps)
{
    if (makespan_ps >= slow->best_ps)
        return;
    if (done == (1u << slow->entries) - 1)
        slow->best_ps = makespan_ps;
    for (uint32_t i = 0; i < slow->entries; i++) {
        bool has_via = slow->via[i] != slow->from[i];
        if (done >> i & 1)
            continue;
        if (!has_via || first >> i & 1)
            slow_hop(slow, first, done | 1u << i, makespan_ps, slow->via[i], slow->to[i], i);
        else
            slow_hop(slow, first | 1u << i, done, makespan_ps, slow->from[i], slow->via[i], i);
    }
}

static void slow_ways(struct slow *slow, uint32_t entry)
{
    if (entry >= slow->entries || entry >= ENTRIES) {
        slow_order(slow, 0, 0, 0);
        return;
    }
    for (uint32_t via = 0; via < NODES; via++) { /* over its own source: direct */
        slow->via[entry] = via;
        if (via != slow->to[entry])
            slow_ways(slow, entry + 1);
    }
}

static void best_is_near_the_optimum_of_whole_entries(void **state)
{
    (void)state;
    static const char *const texts[] = {"linear:4", "ring:4", "mesh:2x2", "fattree:2x2", "crossbar:4"};
    struct rng rng = rng_init(43, "test");
    int above = 0, relays = 0, all = 0;
    for (int i = 0; i < (HAS_SANITIZER ? 20 : 100); i++) {
        struct topo topo = topology(texts[i % 5]);
        struct slow slow = {.topo = &topo, .best_ps = PS_NEVER};
        struct circuit_demand demand = random_demand(&rng, i % 2 ? 2 : NODES, 2, 9);
        circuit_demand_add(&demand, 0, 1 + (uint32_t)rng_below(&rng, 2), 1);
        circuit_demand_add(&demand, 2, 3, 1);
        circuit_demand_add(&demand, 0, 3, 1);
        assert_true(circuit_demand_unite(&demand));
        bool is_whole = false;
        for (size_t at = 0; at < demand.count; at++)
            is_whole = is_whole || demand.lines[at].source == 1 || demand.lines[at].destination == 1;
        if (demand.count <= ENTRIES && is_whole) { /* all four nodes take part */
            slow.delta_ps = (ps_t)rng_below(&rng, 15) * MS;
            for (uint32_t at = 0; at < ENTRIES && at < demand.count; at++) {
                slow.from[at] = demand.lines[at].source;
                slow.to[at] = demand.lines[at].destination;
                slow.time_ps[at] = (ps_t)demand.lines[at].bytes * MS;
                slow.entries = at + 1;
            }
            slow_ways(&slow, 0);
            struct circuit_switching switching = hops_of(1, slow.delta_ps, false);
            struct path_problem problem = problem_on(texts[i % 5], false, &demand, &switching);
            struct path_schedule schedule;
            assert_true(path_bounds_of(&problem).best_ps <= slow.best_ps);
            above += makespan(&problem, &demand, "best") > slow.best_ps;
            const struct path_algorithm *best = path_algorithm_at(0);
            for (size_t at = 0; strcmp(best->name, "best") != 0; at++)
                best = path_algorithm_at(at);
            assert_int_equal(path_schedule_make(&problem, best, &few_tries, &schedule), STATUS_OK);
            relays += path_relayed(&problem, &schedule) > 0;
            all++;
            path_schedule_free(&schedule);
            path_problem_free(&problem);
        }
        circuit_demand_free(&demand);
    }
    assert_true(all > 0 && relays > 0);
    assert_in_range(above, 0, all / 5);
}

/* ----------------------------------------------------------------- verifier */

static void verdicts_are_those_of_a_slow_verifier(void **state)
{
    (void)state;
    static const char *const texts[] = {"linear:6", "ring:7", "mesh:2x3", "fattree:2x2"};
    struct rng rng = rng_init(44, "test");
    int right = 0, relays = 0, all = 0;
    struct diag_silence silence = diag_begin_silence();
    for (int i = 0; i < (HAS_SANITIZER ? 8 : 80); i++) {
        struct topo topo = topology(texts[i % 4]);
        struct circuit_demand demand = random_demand(&rng, topo.nodes, 20, 3);
        struct circuit_switching switching = hops_of(1, (ps_t)(4 + rng_below(&rng, 12)) * MS, i & 4);
        struct path_problem problem = problem_on(texts[i % 4], false, &demand, &switching);
        const struct path_algorithm *algorithm = path_algorithm_at(0);
        for (size_t at = 0; strcmp(algorithm->name, i % 2 ? "best" : "sunflow") != 0; at++)
            algorithm = path_algorithm_at(at);
        for (int times = 0; times < 10; times++, all++) {
            struct path_schedule schedule;
            assert_int_equal(path_schedule_make(&problem, algorithm,
                                                &(struct circuit_effort){.moves = 4, .seed = 1}, &schedule),
                             STATUS_OK);
            relays += path_relayed(&problem, &schedule) > 0;
            right += is_right_after(&rng, &problem, &demand, &schedule);
            path_schedule_free(&schedule);
        }
        path_problem_free(&problem);
        circuit_demand_free(&demand);
    }
    diag_end_silence(&silence);
    assert_in_range(relays, all / 4, all);
    assert_in_range(right, all / 4, all - all / 4);
}

static void wrong_schedules_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *text, *problem;
        enum status status;
    } cases[] = {
        {"0.001,0.011,0,2,0,2,0>1 1>2\n", "", STATUS_OK},
        {"0.001,0.011,0,1,0,2,0>1\n0.012,0.022,1,2,0,2,1>2\n", "", STATUS_FAILED}, /* node 1 is no port */
        {"0.001,0.011,0,1,0,2,0>1\n0.012,0.022,1,2,0,2,1>2\n0.023,0.024,1,0,1,0,1>0\n", "", STATUS_OK},
        {"0.001,0.011,0,1,0,2,0>1\n0.010,0.020,1,2,0,2,1>2\n0.023,0.024,1,0,1,0,1>0\n", "", STATUS_OK},
        {"0.001,0.011,0,1,0,2,0>1\n0.0015,0.0115,1,2,0,2,1>2\n0.023,0.024,1,0,1,0,1>0\n",
         "byte 0 of 0,2, counted at node 1, leaves this node before it has arrived there", STATUS_FAILED},
        {"0.001,0.011,0,1,0,2,0>1\n0.012,0.021,1,2,0,2,1>2\n0.023,0.024,1,0,1,0,1>0\n",
         "byte 9 of 0,2 that comes to node 1 is lost: it stays there; the node gets 10 bytes of them and "
         "sends on "
         "9",
         STATUS_FAILED},
        {"0.001,0.011,0,1,0,2,0>1\n0.012,0.022,1,2,0,2,1>2\n0.023,0.024,1,0,2,3,1>0\n", "", STATUS_BAD_INPUT},
        {"0.001,0.011,0,2,0>1 1>2\n", "", STATUS_BAD_INPUT},
        {"0.001,0.011,0,2,0,9,0>1 1>2\n", "", STATUS_BAD_INPUT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct circuit_demand demand = demand_of(i > 1 ? "0,2,10\n1,0,1" : "0,2,10");
        struct circuit_switching switching = hops_of(1, MS, false);
        struct path_problem problem = problem_on("linear:4", false, &demand, &switching);
        struct circuit_verdict verdict;
        struct diag_silence silence = diag_begin_silence();
        enum status status = verified(&problem, &demand, cases[i].text, 0, &verdict);
        diag_end_silence(&silence);
        if (status != cases[i].status ||
            (*cases[i].problem && strcmp(verdict.first_problem, cases[i].problem)))
            fail_msg("%s: status %d, %s", cases[i].text, (int)status, verdict.first_problem);
        path_problem_free(&problem);
        circuit_demand_free(&demand);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_torus_by_rows_and_columns),
        cmocka_unit_test(large_entries_go_direct),
        cmocka_unit_test(the_weighted_bound_knows_the_middle_of_a_line),
        cmocka_unit_test(every_schedule_is_valid_and_not_longer_than_one_hop),
        cmocka_unit_test(a_crossbar_is_parallel_switches),
        cmocka_unit_test(best_is_near_the_optimum_of_whole_entries),
        cmocka_unit_test(verdicts_are_those_of_a_slow_verifier),
        cmocka_unit_test(wrong_schedules_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
