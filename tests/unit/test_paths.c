/* Circuits through networks of optical switches: worked examples, every algorithm against the verifier and
 * the bounds, optima of slow solvers, parallel switches as a peer, and the verifier against a slow one. */
#include "support/paths.h"
#include "support/sanitizer.h"

/* ----------------------------------------------------------------- examples */

/* Nodes 0 1 2 in a line. 0 to 2 and 1 to 2 share the link 1>2, 0 to 1 and 0 to 2 the link 0>1; 0 to 1 and 1
 * to 2 share none. */
static void a_line_of_three(void **state)
{
    (void)state;
    struct circuit_demand demand = demand_of("0,1,4\n0,2,10\n1,2,7\n");
    struct path_problem problem = problem_of("linear:3", false, &demand, MS, false);
    struct path_bounds bounds = path_bounds_of(&problem);
    assert_int_equal(bounds.rho_ps, 17 * MS);
    assert_int_equal(bounds.degree, 2);
    assert_int_equal(bounds.best_ps, 19 * MS);
    assert_int_equal(makespan(&problem, &demand, "best"), 19 * MS);
    assert_int_equal(makespan(&problem, &demand, "sunflow"),
                     19 * MS); /* both short ones, then the long one */
    path_problem_free(&problem);
    problem = problem_of("linear:3", false, &demand, MS, true);
    assert_int_equal(path_bounds_of(&problem).all_stop_ps, 19 * MS);
    assert_int_equal(makespan(&problem, &demand, "greedy"), 1 * MS + 7 * MS + 1 * MS + 10 * MS);
    path_problem_free(&problem);
    circuit_demand_free(&demand);
}

/* Around a ring of five every circuit of two hops needs two links of its own, so that two fit at a time:
 * three times d + delta, where a link has twice that. */
static void a_ring_of_five_takes_three_turns(void **state)
{
    (void)state;
    struct circuit_demand demand = demand_of("0,2,10\n1,3,10\n2,4,10\n3,0,10\n4,1,10\n");
    struct path_problem problem = problem_of("ring:5", false, &demand, 2 * MS, false);
    assert_int_equal(path_bounds_of(&problem).best_ps, 24 * MS);
    assert_int_equal(makespan(&problem, &demand, "best"), 36 * MS);
    assert_int_equal(makespan(&problem, &demand, "combined"), 36 * MS);
    path_problem_free(&problem);
    circuit_demand_free(&demand);
}

/* Two halves of a line, of which one has circuits of 9 and 1 ms, the other two of 5 ms. Switches that all
 * change together need a third configuration, 13 ms; if each changes on its own, both halves take 12 ms. */
static void all_stop_switches_change_each_on_its_own(void **state)
{
    (void)state;
    struct circuit_demand demand = demand_of("0,1,9\n0,2,1\n3,4,5\n3,5,5\n");
    struct path_problem problem = problem_of("linear:6", false, &demand, MS, true);
    assert_int_equal(path_bounds_of(&problem).best_ps, 12 * MS);
    assert_int_equal(makespan(&problem, &demand, "best"), 12 * MS);
    path_problem_free(&problem);
    circuit_demand_free(&demand);
}

/* Two ways round half of a ring: with free routes both are used, and the bound by weights is met. */
static void free_routes_share_the_load(void **state)
{
    (void)state;
    struct circuit_demand demand = demand_of("0,4,8\n1,5,8\n");
    struct path_problem fixed = problem_of("ring:8,tie=plus", false, &demand, MS, false);
    struct path_problem free_one = problem_of("ring:8,tie=plus", true, &demand, MS, false);
    assert_int_equal(path_bounds_of(&fixed).best_ps, 18 * MS);
    assert_int_equal(makespan(&fixed, &demand, "best"), 18 * MS);
    assert_int_equal(makespan(&free_one, &demand, "best"), 9 * MS);
    path_problem_free(&fixed);
    path_problem_free(&free_one);
    circuit_demand_free(&demand);
}

/* --------------------------------------------------------------- algorithms */

static const char *const topologies[] = {"crossbar:6",      "linear:5",    "ring:7",     "mesh:3x3",
                                         "torus:4x4",       "fattree:2x3", "hyperx:3x3", "torus:2x2x2",
                                         "dragonfly:2x2x1", "slimfly:5",   "fattree:4x2"};

static void every_schedule_is_valid_and_best_is_the_shortest(void **state)
{
    (void)state;
    struct rng rng = rng_init(3, "test");
    const size_t count = sizeof topologies / sizeof *topologies;
    for (size_t i = 0; i < (HAS_SANITIZER ? 1 : 4) * count; i++) {
        struct topo topo = topology(topologies[i % count]);
        uint32_t lines = 1 + (uint32_t)rng_below(&rng, 3 * topo.nodes);
        struct circuit_demand demand = random_demand(&rng, topo.nodes, lines, i % 3 ? 20 : 1000);
        ps_t delta_ps = (ps_t)rng_below(&rng, 12) * MS;
        struct path_problem problem = problem_of(topologies[i % count], i & 1, &demand, delta_ps, i & 2);
        ps_t best_ps = makespan(&problem, &demand, "best");
        assert_int_equal(makespan(&problem, &demand, "best"), best_ps);
        const struct path_algorithm *algorithm;
        for (size_t at = 0; (algorithm = path_algorithm_at(at)); at++)
            assert_true(makespan(&problem, &demand, algorithm->name) >= best_ps);
        path_problem_free(&problem);
        circuit_demand_free(&demand);
    }
}

/* On one crossbar a path is a sender and a receiver, so bounds are those of parallel switches, and no
 * schedule is shorter than the optimum there. */
static void a_crossbar_is_one_switch(void **state)
{
    (void)state;
    struct rng rng = rng_init(4, "test");
    int as_short = 0;
    for (int i = 0; i < 40; i++) {
        struct circuit_demand demand = random_demand(&rng, 4, 1 + (uint32_t)rng_below(&rng, 10), 9);
        struct circuit_switching switching = switching_of((1 + (ps_t)rng_below(&rng, 5)) * MS, i & 1);
        struct path_problem problem = problem_of("crossbar:4", false, &demand, switching.delta_ps, i & 1);
        struct circuit_problem peer;
        struct circuit_schedule schedule;
        assert_int_equal(circuit_problem_init(&peer, &demand, &switching), STATUS_OK);
        assert_int_equal(circuit_bounds_of(&peer).best_ps, path_bounds_of(&problem).best_ps);
        assert_int_equal(circuit_schedule_make(&peer, circuit_algorithm_find("best"), &few_tries, &schedule),
                         STATUS_OK);
        ps_t best_ps = makespan(&problem, &demand, "best");
        assert_true(!schedule.proven || best_ps >= schedule.makespan_ps);
        as_short += best_ps == schedule.makespan_ps;
        circuit_schedule_free(&schedule);
        circuit_problem_free(&peer);
        path_problem_free(&problem);
        circuit_demand_free(&demand);
    }
    assert_in_range(as_short, 34, 40);
}

/* The shortest of all orders in which whole entries start as early as they can. */
struct slow {
    const struct topo *topo;
    uint32_t links[8][16], count[8], entries;
    ps_t time_ps[8], delta_ps, until_ps[256], best_ps;
};

static void slow_order(struct slow *slow, uint32_t started, ps_t makespan_ps)
{
    if (makespan_ps >= slow->best_ps)
        return;
    if (started == (1u << slow->entries) - 1)
        slow->best_ps = makespan_ps;
    for (uint32_t i = 0; i < slow->entries; i++) {
        ps_t before_ps[16], end_ps = 0;
        if (started >> i & 1)
            continue;
        for (uint32_t at = 0; at < slow->count[i]; at++) {
            before_ps[at] = slow->until_ps[slow->links[i][at]];
            end_ps = ps_max(end_ps, before_ps[at]);
        }
        end_ps += slow->delta_ps + slow->time_ps[i];
        for (uint32_t at = 0; at < slow->count[i]; at++)
            slow->until_ps[slow->links[i][at]] = end_ps;
        slow_order(slow, started | 1u << i, ps_max(end_ps, makespan_ps));
        for (uint32_t at = 0; at < slow->count[i]; at++)
            slow->until_ps[slow->links[i][at]] = before_ps[at];
    }
}

static void best_is_the_optimum_of_whole_entries(void **state)
{
    (void)state;
    struct rng rng = rng_init(6, "test");
    int above = 0;
    for (int i = 0; i < (HAS_SANITIZER ? 24 : 120); i++) {
        static const char *const texts[] = {"linear:4", "ring:5", "mesh:2x3", "fattree:2x2"};
        struct topo topo = topology(texts[i % 4]);
        struct circuit_demand demand = random_demand(&rng, topo.nodes, 8, 12);
        struct path_problem problem =
            problem_of(texts[i % 4], false, &demand, (ps_t)rng_below(&rng, 5) * MS, false);
        struct slow slow = {.topo = &topo, .entries = (uint32_t)demand.count, .delta_ps = problem.delta_ps};
        slow.best_ps = PS_NEVER;
        for (uint32_t entry = 0; entry < slow.entries; entry++) {
            slow.time_ps[entry] = (ps_t)demand.lines[entry].bytes * MS;
            slow.count[entry] = topo_route(&topo, demand.lines[entry].source, demand.lines[entry].destination,
                                           slow.links[entry]);
        }
        slow_order(&slow, 0, 0);
        assert_true(path_bounds_of(&problem).best_ps <= slow.best_ps);
        ps_t best_ps = makespan(&problem, &demand, "best");
        assert_true(best_ps >= slow.best_ps); /* list schedules start whole entries early too */
        above += best_ps > slow.best_ps;
        path_problem_free(&problem);
        circuit_demand_free(&demand);
    }
    assert_in_range(above, 0, 6);
}

/* ----------------------------------------------------------------- verifier */

/* The shortest right schedule of whole entries that is shorter than *makespan_ps, by trying all starts in
 * whole milliseconds: with times in milliseconds the optimum is one of them. */
static void slow_all_stop(const struct path_problem *problem, struct slow_line *lines, uint32_t placed,
                          ps_t end_ps, ps_t *makespan_ps)
{
    if (placed == problem->count) {
        if (slow_is_right(problem, lines, placed))
            *makespan_ps = end_ps;
        return;
    }
    struct slow_line *line = &lines[placed];
    ps_t time_ps = problem->entries[placed].time_ps;
    *line = (struct slow_line){.entry = placed};
    line->links = tdm_route(&problem->routes, problem->routes.first_route[placed], &line->count);
    for (ps_t start_ps = problem->delta_ps; start_ps + time_ps < *makespan_ps; start_ps += MS) {
        bool is_free = true;
        line->start_ps = start_ps;
        line->end_ps = start_ps + time_ps;
        for (uint32_t other = 0; other < placed && is_free; other++)
            for (uint32_t at = 0; at < line->count; at++)
                is_free = is_free && (lines[other].start_ps >= line->end_ps + problem->delta_ps ||
                                      line->start_ps >= lines[other].end_ps + problem->delta_ps ||
                                      !passes(&lines[other], line->links[at]));
        if (is_free)
            slow_all_stop(problem, lines, placed + 1, ps_max(end_ps, line->end_ps), makespan_ps);
    }
}

/* Best cuts entries where that is shorter, so that it may be below the optimum of whole ones. */
static void best_is_the_optimum_of_whole_entries_on_all_stop_switches(void **state)
{
    (void)state;
    struct rng rng = rng_init(16, "test");
    int above = 0, bound_met = 0, all = HAS_SANITIZER ? 4 : 24;
    for (int i = 0; i < all; i++) {
        static const char *const texts[] = {"linear:4", "ring:5", "mesh:2x3", "torus:3x3"};
        struct topo topo = topology(texts[i % 4]);
        struct circuit_demand demand = random_demand(&rng, topo.nodes, 5, 4);
        struct path_problem problem =
            problem_of(texts[i % 4], false, &demand, (1 + (ps_t)rng_below(&rng, 2)) * MS, true);
        struct slow_line lines[8];
        ps_t best_ps = makespan(&problem, &demand, "best"), optimum_ps = best_ps;
        slow_all_stop(&problem, lines, 0, 0, &optimum_ps);
        assert_true(path_bounds_of(&problem).best_ps <= optimum_ps);
        above += optimum_ps < best_ps;
        bound_met += path_bounds_of(&problem).best_ps == optimum_ps;
        path_problem_free(&problem);
        circuit_demand_free(&demand);
    }
    assert_int_equal(above, 0);
    assert_true(bound_met > all / 2);
}

static void verdicts_are_those_of_a_slow_verifier(void **state)
{
    (void)state;
    struct rng rng = rng_init(8, "test");
    int right = 0, all = 0;
    struct diag_silence silence = diag_begin_silence();
    for (int i = 0; i < (HAS_SANITIZER ? 60 : 300); i++) {
        static const char *const texts[] = {"linear:4", "ring:5", "mesh:2x3", "fattree:2x2", "crossbar:5"};
        struct topo topo = topology(texts[i % 5]);
        struct circuit_demand demand = random_demand(&rng, topo.nodes, 8, 6);
        struct path_problem problem =
            problem_of(texts[i % 5], i & 1, &demand, (ps_t)rng_below(&rng, 4) * MS, i & 2);
        static const char *const names[] = {"sunflow", "greedy", "best"};
        for (int times = 0; times < 6; times++, all++) {
            struct path_schedule schedule;
            const struct path_algorithm *algorithm = path_algorithm_at(0);
            for (size_t at = 0; strcmp(algorithm->name, names[times % 3]) != 0; at++)
                algorithm = path_algorithm_at(at);
            assert_int_equal(path_schedule_make(&problem, algorithm, &few_tries, &schedule), STATUS_OK);
            right += is_right_after(&rng, &problem, &demand, &schedule);
            path_schedule_free(&schedule);
        }
        path_problem_free(&problem);
        circuit_demand_free(&demand);
    }
    diag_end_silence(&silence);
    assert_in_range(right, all / 4, all - all / 4);
}

static void wrong_schedules_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *text, *problem;
        enum status status;
    } cases[] = {
        {"0.001,0.011,0,2,0>1 1>2\n", "", STATUS_OK},
        {"0.001,0.010,0,2,0>1 1>2\n", "byte 9 of 0,2 is lost: its circuits carry 9 of 10 bytes",
         STATUS_FAILED},
        {"0.0005,0.011,0,2,0>1 1>2\n",
         "byte 0 of 0,2 is lost: switch 0 has not set up its circuit before 0.001000000000 s; a set-up takes "
         "1 ms",
         STATUS_FAILED},
        {"0.001,0.011,0,2,0>1 1>2\n0.005,0.006,1,2,1>2\n",
         "byte 0 of 1,2 is on two circuits at once: the link 1>2 is on the circuit of line 1 too until "
         "0.011000000000 s",
         STATUS_FAILED},
        {"0.012,0.022,0,2,0>1 1>2\n", "byte 8 of 0,2 is late: the deadline is over", STATUS_FAILED},
        {"0.001,0.011,0,2,0>1\n", "", STATUS_BAD_INPUT},
        {"0.001,0.011,0,2,0>2\n", "", STATUS_BAD_INPUT},
        {"0.001,0.011,0,2,0>1 1>0 0>1 1>2\n", "", STATUS_BAD_INPUT},
        {"0.001,0.011,0,2,1>2\n", "", STATUS_BAD_INPUT},
        {"0.001,0.011,0,2,0>1,1>2\n", "", STATUS_BAD_INPUT},
        {"0.001,0.011,0,9,0>1 1>2\n", "", STATUS_BAD_INPUT},
        {"0.001,0.001,0,2,0>1 1>2\n", "", STATUS_BAD_INPUT},
        {"0.001,0.011,0,2\n", "", STATUS_BAD_INPUT},
        {"0.001,0.011,0,2,0>1 1>99999999999\n", "", STATUS_BAD_INPUT},
    };
    struct circuit_demand demand = demand_of("0,2,10");
    struct path_problem problem = problem_of("linear:3", false, &demand, MS, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct circuit_verdict verdict;
        struct diag_silence silence = diag_begin_silence();
        enum status status = verified(&problem, &demand, cases[i].text, 20 * MS, &verdict);
        diag_end_silence(&silence);
        if (status != cases[i].status || strcmp(verdict.first_problem, cases[i].problem) != 0)
            fail_msg("%s: status %d, %s", cases[i].text, (int)status, verdict.first_problem);
    }
    path_problem_free(&problem);
    circuit_demand_free(&demand);
}

static void demands_and_topologies_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *topology, *demand;
    } cases[] = {{"ring:5", "5,1,10"},
                 {"ring:5", "1,1,10"},
                 {"ring:5", "0,1,9000000000"},
                 {"torus:4x4,rates=1GB/s", "0,1,10"}};
    struct diag_silence silence = diag_begin_silence();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct path_problem problem;
        struct topo topo = topology(cases[i].topology);
        struct circuit_demand demand = demand_of(cases[i].demand);
        struct circuit_switching switching = switching_of(MS, false);
        assert_int_equal(path_problem_init(&problem, &topo, false, &demand, &switching), STATUS_BAD_INPUT);
        circuit_demand_free(&demand);
    }
    diag_end_silence(&silence);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_of_three),
        cmocka_unit_test(a_ring_of_five_takes_three_turns),
        cmocka_unit_test(all_stop_switches_change_each_on_its_own),
        cmocka_unit_test(free_routes_share_the_load),
        cmocka_unit_test(every_schedule_is_valid_and_best_is_the_shortest),
        cmocka_unit_test(a_crossbar_is_one_switch),
        cmocka_unit_test(best_is_the_optimum_of_whole_entries),
        cmocka_unit_test(best_is_the_optimum_of_whole_entries_on_all_stop_switches),
        cmocka_unit_test(verdicts_are_those_of_a_slow_verifier),
        cmocka_unit_test(wrong_schedules_are_found),
        cmocka_unit_test(demands_and_topologies_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
