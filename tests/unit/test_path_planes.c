/* Circuits through several planes of a topology: worked examples, closed forms, every algorithm against the
 * verifier and the bounds, optima of slow solvers, parallel switches as a peer, and the verifier against a
 * slow one. */
#include "support/paths.h"
#include "support/sanitizer.h"

static struct circuit_switching planes_of(uint32_t planes, ps_t delta_ps, bool all_stop)
{
    struct circuit_switching switching = switching_of(delta_ps, all_stop);
    switching.switches = planes;
    return switching;
}

/* ----------------------------------------------------------------- examples */

/* An entry alone is cut in as many parts as there are planes, and each part has a set-up. */
static void planes_share_an_entry(void **state)
{
    (void)state;
    struct circuit_demand demand = demand_of("0,2,12\n");
    for (int all_stop = 0; all_stop < 2; all_stop++)
        for (uint32_t planes = 1; planes <= 4; planes++) {
            struct circuit_switching switching = planes_of(planes, 2 * MS, all_stop);
            struct path_problem problem = problem_on("linear:3", false, &demand, &switching);
            assert_int_equal(path_bounds_of(&problem).best_ps, (12 / planes + 2) * MS);
            assert_int_equal(makespan(&problem, &demand, "best"), (12 / planes + 2) * MS);
            assert_int_equal(makespan(&problem, &demand, "sunflow"), 14 * MS);
            path_problem_free(&problem);
        }
    circuit_demand_free(&demand);
}

/* The ring of five that takes three turns in one plane takes two in two planes, and one in three. */
static void a_ring_of_five_in_planes(void **state)
{
    (void)state;
    static const ps_t turns[] = {3, 2, 1, 1};
    struct circuit_demand demand = demand_of("0,2,10\n1,3,10\n2,4,10\n3,0,10\n4,1,10\n");
    for (int all_stop = 0; all_stop < 2; all_stop++)
        for (uint32_t planes = 1; planes <= 4; planes++) {
            struct circuit_switching switching = planes_of(planes, 2 * MS, all_stop);
            struct path_problem problem = problem_on("ring:5", false, &demand, &switching);
            assert_int_equal(makespan(&problem, &demand, "combined"), turns[planes - 1] * 12 * MS);
            assert_true(makespan(&problem, &demand, "best") <= turns[planes - 1] * 12 * MS);
            path_problem_free(&problem);
        }
    circuit_demand_free(&demand);
}

/* All to all, all entries equal: k configurations of one plane take ceil(k / planes) turns. */
static void equal_entries_take_their_share_of_the_configurations(void **state)
{
    (void)state;
    static const char *const texts[] = {"ring:6", "mesh:3x3", "torus:4x4", "hyperx:3x3"};
    static const char *const names[] = {"greedy", "coloring", "aapc", "combined", "fewest"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct topo topo = topology(texts[i]);
        struct circuit_demand demand = {0};
        for (uint32_t source = 0; source < topo.nodes; source++)
            for (uint32_t destination = 0; destination < topo.nodes; destination++)
                if (source != destination)
                    circuit_demand_add(&demand, source, destination, 5);
        assert_true(circuit_demand_unite(&demand));
        for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
            ps_t turns = 0;
            for (uint32_t planes = 1; planes <= 5; planes += 2) {
                struct circuit_switching switching = planes_of(planes, 3 * MS, true);
                struct path_problem problem = problem_on(texts[i], false, &demand, &switching);
                ps_t makespan_ps = makespan(&problem, &demand, names[at]);
                turns = planes == 1 ? makespan_ps / (8 * MS) : turns;
                assert_int_equal(makespan_ps, (turns + planes - 1) / planes * 8 * MS);
                path_problem_free(&problem);
            }
        }
        circuit_demand_free(&demand);
    }
}

/* --------------------------------------------------------------- algorithms */

static const char *const topologies[] = {"crossbar:6",  "linear:5",   "ring:7",      "mesh:3x3",
                                         "torus:4x4",   "hyperx:3x3", "torus:2x2x2", "dragonfly:2x2x1",
                                         "fattree:4x2", "fattree:2x3"};

static void every_schedule_is_valid_and_best_is_the_shortest(void **state)
{
    (void)state;
    struct rng rng = rng_init(31, "test");
    const size_t count = sizeof topologies / sizeof *topologies;
    for (size_t i = 0; i < (HAS_SANITIZER ? 1 : 4) * count; i++) {
        struct topo topo = topology(topologies[i % count]);
        uint32_t lines = 1 + (uint32_t)rng_below(&rng, 3 * topo.nodes);
        struct circuit_demand demand = random_demand(&rng, topo.nodes, lines, i % 3 ? 20 : 1000);
        ps_t delta_ps = (ps_t)rng_below(&rng, 12) * MS;
        struct circuit_switching switching = planes_of(2 + (uint32_t)rng_below(&rng, 3), delta_ps, i & 2);
        struct path_problem problem = problem_on(topologies[i % count], i / count & 1, &demand, &switching);
        ps_t best_ps = makespan(&problem, &demand, "best");
        assert_int_equal(makespan(&problem, &demand, "best"), best_ps);
        const struct path_algorithm *algorithm;
        for (size_t at = 0; (algorithm = path_algorithm_at(at)); at++)
            assert_true(makespan(&problem, &demand, algorithm->name) >= best_ps);
        path_problem_free(&problem);
        circuit_demand_free(&demand);
    }
}

/* Planes of one crossbar are parallel switches: bounds are the same, and best is as short. */
static void planes_of_a_crossbar_are_parallel_switches(void **state)
{
    (void)state;
    struct rng rng = rng_init(32, "test");
    for (int i = 0; i < (HAS_SANITIZER ? 12 : 60); i++) {
        struct circuit_demand demand = random_demand(&rng, 6, 1 + (uint32_t)rng_below(&rng, 16), 30);
        struct circuit_switching switching =
            planes_of(2 + (uint32_t)rng_below(&rng, 3), (1 + (ps_t)rng_below(&rng, 5)) * MS, i & 1);
        struct path_problem problem = problem_on("crossbar:6", false, &demand, &switching);
        struct circuit_problem peer;
        struct circuit_schedule schedule;
        assert_int_equal(circuit_problem_init(&peer, &demand, &switching), STATUS_OK);
        assert_int_equal(circuit_bounds_of(&peer).port_ps, path_bounds_of(&problem).link_ps);
        assert_int_equal(circuit_bounds_of(&peer).all_stop_ps, path_bounds_of(&problem).all_stop_ps);
        assert_int_equal(circuit_bounds_of(&peer).best_ps, path_bounds_of(&problem).best_ps);
        assert_int_equal(circuit_schedule_make(&peer, circuit_algorithm_find("best"), &few_tries, &schedule),
                         STATUS_OK);
        ps_t best_ps = makespan(&problem, &demand, "best");
        if (best_ps > schedule.makespan_ps)
            fail_msg("best takes %g ms, on parallel switches %g ms", (double)best_ps / (double)MS,
                     (double)schedule.makespan_ps / (double)MS);
        circuit_schedule_free(&schedule);
        circuit_problem_free(&peer);
        path_problem_free(&problem);
        circuit_demand_free(&demand);
    }
}

/* ------------------------------------------------------------------- optima */

enum { PLANES = 2 };

/* The shortest of all orders and all planes in which whole entries start as early as they can. */
struct slow {
    uint32_t links[8][16], count[8], entries;
    ps_t time_ps[8], delta_ps, until_ps[PLANES][256], best_ps;
};

static void slow_order(struct slow *slow, uint32_t started, ps_t makespan_ps)
{
    if (makespan_ps >= slow->best_ps)
        return;
    if (started == (1u << slow->entries) - 1)
        slow->best_ps = makespan_ps;
    for (uint32_t choice = 0; choice < PLANES * slow->entries; choice++) {
        uint32_t i = choice / PLANES;
        ps_t *until_ps = slow->until_ps[choice % PLANES], before_ps[16], end_ps = 0;
        if (started >> i & 1)
            continue;
        for (uint32_t at = 0; at < slow->count[i]; at++) {
            before_ps[at] = until_ps[slow->links[i][at]];
            end_ps = ps_max(end_ps, before_ps[at]);
        }
        end_ps += slow->delta_ps + slow->time_ps[i];
        for (uint32_t at = 0; at < slow->count[i]; at++)
            until_ps[slow->links[i][at]] = end_ps;
        slow_order(slow, started | 1u << i, ps_max(end_ps, makespan_ps));
        for (uint32_t at = 0; at < slow->count[i]; at++)
            until_ps[slow->links[i][at]] = before_ps[at];
    }
}

static const char *const small[] = {"linear:4", "ring:5", "mesh:2x3", "fattree:2x2"};

/* Best cuts entries where that is shorter, so that it may be below the optimum of whole ones. */
static void best_is_the_optimum_of_whole_entries(void **state)
{
    (void)state;
    struct rng rng = rng_init(33, "test");
    int above = 0, below = 0, all = HAS_SANITIZER ? 16 : 80;
    for (int i = 0; i < all; i++) {
        struct topo topo = topology(small[i % 4]);
        struct circuit_demand demand = random_demand(&rng, topo.nodes, 6, 12);
        struct circuit_switching switching = planes_of(PLANES, (ps_t)rng_below(&rng, 5) * MS, false);
        struct path_problem problem = problem_on(small[i % 4], false, &demand, &switching);
        struct slow slow = {
            .entries = (uint32_t)demand.count, .delta_ps = problem.delta_ps, .best_ps = PS_NEVER};
        for (uint32_t entry = 0; entry < slow.entries; entry++) {
            slow.time_ps[entry] = (ps_t)demand.lines[entry].bytes * MS;
            slow.count[entry] = topo_route(&topo, demand.lines[entry].source, demand.lines[entry].destination,
                                           slow.links[entry]);
        }
        slow_order(&slow, 0, 0);
        assert_true(path_bounds_of(&problem).best_ps <= slow.best_ps);
        ps_t best_ps = makespan(&problem, &demand, "best");
        above += best_ps > slow.best_ps;
        below += best_ps < slow.best_ps;
        path_problem_free(&problem);
        circuit_demand_free(&demand);
    }
    assert_in_range(above, 0, all / 20);
    assert_true(below > 0);
}

/* The shortest right schedule of whole entries that is shorter than *makespan_ps, by trying all starts in
 * whole milliseconds in all planes. */
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
    for (; line->plane < (placed ? PLANES : 1); line->plane++)
        for (ps_t start_ps = problem->delta_ps; start_ps + time_ps < *makespan_ps; start_ps += MS) {
            bool is_free = true;
            line->start_ps = start_ps;
            line->end_ps = start_ps + time_ps;
            for (uint32_t other = 0; other < placed && is_free; other++)
                for (uint32_t at = 0; at < line->count && lines[other].plane == line->plane; at++)
                    is_free = is_free && (lines[other].start_ps >= line->end_ps + problem->delta_ps ||
                                          line->start_ps >= lines[other].end_ps + problem->delta_ps ||
                                          !passes(&lines[other], line->links[at]));
            if (is_free)
                slow_all_stop(problem, lines, placed + 1, ps_max(end_ps, line->end_ps), makespan_ps);
        }
}

static void best_is_the_optimum_of_whole_entries_on_all_stop_switches(void **state)
{
    (void)state;
    struct rng rng = rng_init(34, "test");
    int above = 0, bound_met = 0, all = HAS_SANITIZER ? 4 : 24;
    for (int i = 0; i < all; i++) {
        struct topo topo = topology(small[i % 4]);
        struct circuit_demand demand = random_demand(&rng, topo.nodes, 5, 4);
        struct circuit_switching switching = planes_of(PLANES, (1 + (ps_t)rng_below(&rng, 2)) * MS, true);
        struct path_problem problem = problem_on(small[i % 4], false, &demand, &switching);
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
    assert_true(bound_met > 0);
}

/* ----------------------------------------------------------------- verifier */

static void verdicts_are_those_of_a_slow_verifier(void **state)
{
    (void)state;
    struct rng rng = rng_init(35, "test");
    int right = 0, all = 0;
    struct diag_silence silence = diag_begin_silence();
    for (int i = 0; i < (HAS_SANITIZER ? 40 : 200); i++) {
        struct topo topo = topology(small[i % 4]);
        struct circuit_demand demand = random_demand(&rng, topo.nodes, 8, 6);
        struct circuit_switching switching =
            planes_of(2 + (uint32_t)rng_below(&rng, 2), (ps_t)rng_below(&rng, 4) * MS, i & 2);
        struct path_problem problem = problem_on(small[i % 4], i & 1, &demand, &switching);
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
    assert_in_range(right, all / 5, all - all / 5);
}

static void wrong_schedules_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *text, *problem;
        enum status status;
    } cases[] = {
        {"0,0.001,0.006,0,2,0>1 1>2\n1,0.001,0.006,0,2,0>1 1>2\n", "", STATUS_OK},
        {"plane,start_s,end_s,src,dst,links\n1,0.001,0.011,0,2,0>1 1>2\n", "", STATUS_OK},
        {"0,0.001,0.006,0,2,0>1 1>2\n1,0.0005,0.006,0,2,0>1 1>2\n", "", STATUS_BAD_INPUT},
        {"1,0.0005,0.011,0,2,0>1 1>2\n",
         "byte 0 of 0,2 is lost: switch 0 in plane 1 has not set up its circuit before 0.001000000000 s; a "
         "set-up takes 1 ms",
         STATUS_FAILED},
        {"1,0.001,0.011,0,2,0>1 1>2\n1,0.005,0.006,1,2,1>2\n",
         "byte 0 of 1,2 is on two circuits at once: the link 1>2 in plane 1 is on the circuit of line 1 too "
         "until 0.011000000000 s",
         STATUS_FAILED},
        {"1,0.001,0.011,0,2,0>1 1>2\n1,0.005,0.006,0,1,0>1\n",
         "byte 0 of 0,1 is on two circuits at once: node 0 sends in plane 1 on the circuit of line 1 too "
         "until "
         "0.011000000000 s",
         STATUS_FAILED},
        {"0,0.001,0.011,0,2,0>1 1>2\n1,0.005,0.006,0,1,0>1\n", "", STATUS_OK},
        {"2,0.001,0.011,0,2,0>1 1>2\n", "", STATUS_BAD_INPUT},
        {"0.001,0.011,0,2,0>1 1>2\n", "", STATUS_BAD_INPUT},
        {"x,0.001,0.011,0,2,0>1 1>2\n", "", STATUS_BAD_INPUT},
    };
    struct circuit_demand demand = demand_of("0,2,10");
    struct circuit_switching switching = planes_of(2, MS, false);
    struct path_problem problem = problem_on("linear:3", false, &demand, &switching);
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

static void too_many_links_are_refused(void **state)
{
    (void)state;
    struct path_problem problem;
    struct topo topo = topology("torus:64x64x16");
    struct circuit_demand demand = demand_of("0,1,10");
    struct circuit_switching switching = planes_of(CIRCUIT_MOST_SWITCHES, MS, false);
    struct diag_silence silence = diag_begin_silence();
    assert_int_equal(path_problem_init(&problem, &topo, false, &demand, &switching), STATUS_BAD_INPUT);
    diag_end_silence(&silence);
    switching.switches = 1;
    assert_int_equal(path_problem_init(&problem, &topo, false, &demand, &switching), STATUS_OK);
    path_problem_free(&problem);
    circuit_demand_free(&demand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_share_an_entry),
        cmocka_unit_test(a_ring_of_five_in_planes),
        cmocka_unit_test(equal_entries_take_their_share_of_the_configurations),
        cmocka_unit_test(every_schedule_is_valid_and_best_is_the_shortest),
        cmocka_unit_test(planes_of_a_crossbar_are_parallel_switches),
        cmocka_unit_test(best_is_the_optimum_of_whole_entries),
        cmocka_unit_test(best_is_the_optimum_of_whole_entries_on_all_stop_switches),
        cmocka_unit_test(verdicts_are_those_of_a_slow_verifier),
        cmocka_unit_test(wrong_schedules_are_found),
        cmocka_unit_test(too_many_links_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
