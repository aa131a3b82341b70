/* Parallel switches: bounds and schedules beside the optimum of all choices of links, closed forms, and the
 * same demands on planes of a crossbar. */
#include <math.h>

#include "support/paths.h"
#include "support/sanitizer.h"

static ps_t best_of_ports(const struct circuit_demand *demand, const struct circuit_switching *switching,
                          ps_t *bound_ps)
{
    struct circuit_problem problem;
    struct circuit_schedule schedule;
    assert_int_equal(circuit_problem_init(&problem, demand, switching), STATUS_OK);
    assert_int_equal(circuit_schedule_make(&problem, circuit_algorithm_find("best"), &few_tries, &schedule),
                     STATUS_OK);
    *bound_ps = circuit_bounds_of(&problem).best_ps;
    ps_t makespan_ps = schedule.makespan_ps;
    assert_true(*bound_ps <= makespan_ps);
    circuit_schedule_free(&schedule);
    circuit_problem_free(&problem);
    return makespan_ps;
}

/* n - 1 equal entries of d for each port, K switches: in whole ones a link has (n - 1) / K of them, rounded
 * up; with K - 1 of them in two parts, all links have the same. */
static void equal_entries_are_cut_only_where_it_pays(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 24; i++) {
        uint32_t ports = 4 + i % 3 * 2, links = 2 + i / 3 % 2 * 2;
        ps_t delta_ps = (1 + i / 6 * 4) * MS, time_ps = 12 * MS, entries = ports - 1;
        struct circuit_demand demand = {0};
        const struct circuit_switching switching = {
            .delta_ps = delta_ps, .rate_bytes_per_s = RATE, .switches = links, .all_stop = i & 1};
        for (uint32_t from = 0; from < ports; from++)
            for (uint32_t to = 0; to < ports; to++)
                if (from != to)
                    circuit_demand_add(&demand, from, to, 12);
        assert_true(circuit_demand_unite(&demand));
        ps_t bound_ps, best_ps = best_of_ports(&demand, &switching, &bound_ps);
        ps_t whole_ps = (entries + links - 1) / links * (time_ps + delta_ps);
        ps_t cut_ps = (entries * (time_ps + delta_ps) + (links - 1) * delta_ps + links - 1) / links;
        assert_true(bound_ps <= best_ps);
        assert_true(best_ps <= whole_ps);
        if (switching.all_stop)
            assert_int_equal(best_ps, whole_ps < cut_ps ? whole_ps : cut_ps);
        circuit_demand_free(&demand);
    }
}

enum { MOST_ENTRIES = 4, MOST_LINKS = 3 };

/* The least time of a sender whose entry i uses the links links[i] (bits), at a set-up each: for any set of
 * links, the entries that use no others fill them at most (Hall). */
static double time_of_links(const double *times, const unsigned *links, uint32_t entries, uint32_t count,
                            double delta)
{
    double most = 0;
    for (unsigned set = 1; set < 1u << count; set++) {
        double work = 0;
        for (uint32_t i = 0; i < entries; i++) {
            work += links[i] & ~set ? 0 : times[i];
            work += delta * __builtin_popcount(links[i] & set);
        }
        most = fmax(most, work / __builtin_popcount(set));
    }
    return most;
}

/* All choices of links for all entries. */
static double optimum(const double *times, uint32_t entries, uint32_t count, double delta)
{
    double least = INFINITY;
    uint64_t kinds = (1u << count) - 1, choices = 1;
    for (uint32_t i = 0; i < entries; i++)
        choices *= kinds;
    for (uint64_t choice = 0; choice < choices; choice++) {
        unsigned links[MOST_ENTRIES];
        uint64_t rest = choice;
        for (uint32_t i = 0; i < entries; i++, rest /= kinds)
            links[i] = 1 + (unsigned)(rest % kinds);
        least = fmin(least, time_of_links(times, links, entries, count, delta));
    }
    return least;
}

static void bounds_of_one_sender_are_its_optimum_or_less(void **state)
{
    (void)state;
    struct rng rng = rng_init(41, "test");
    int tight = 0, best = 0;
    enum { CASES = 120 };
    for (int i = 0; i < CASES; i++) {
        struct circuit_demand demand = {0};
        double times[MOST_ENTRIES];
        uint32_t entries = 1 + (uint32_t)rng_below(&rng, MOST_ENTRIES), links = 2 + i % (MOST_LINKS - 1);
        const struct circuit_switching switching = {.delta_ps = (1 + (ps_t)rng_below(&rng, 8)) * MS,
                                                    .rate_bytes_per_s = RATE,
                                                    .switches = links,
                                                    .all_stop = i & 2};
        for (uint32_t entry = 0; entry < entries; entry++) {
            uint64_t bytes = 1 + rng_below(&rng, i & 4 ? 10 : 30);
            times[entry] = (double)bytes;
            circuit_demand_add(&demand, 0, 1 + entry, bytes);
        }
        assert_true(circuit_demand_unite(&demand));
        double least = optimum(times, entries, links, (double)switching.delta_ps / MS) * MS;
        ps_t bound_ps, best_ps = best_of_ports(&demand, &switching, &bound_ps);
        assert_true((double)bound_ps <= least + 2);
        assert_true((double)best_ps >= least - 2);
        tight += (double)bound_ps >= least - 2;
        best += (double)best_ps <= least + 2;
        circuit_demand_free(&demand);
    }
    print_message("%d of %d bounds and %d schedules are optimal\n", tight, CASES, best);
    assert_in_range(tight, CASES * 2 / 3, CASES);
    assert_in_range(best, CASES * 19 / 20, CASES);
}

/* Parallel switches are planes of a crossbar, and `best` finds the same there. */
static void no_algorithm_of_topologies_is_shorter_on_a_crossbar(void **state)
{
    (void)state;
    struct rng rng = rng_init(42, "test");
    for (int i = 0; i < (HAS_SANITIZER ? 8 : 60); i++) {
        struct circuit_demand demand = random_demand(&rng, 7, 1 + (uint32_t)rng_below(&rng, 30), 30);
        struct circuit_switching switching = switching_of((1 + (ps_t)rng_below(&rng, 12)) * MS, i & 1);
        switching.switches = 1 + (uint32_t)rng_below(&rng, 4);
        struct path_problem problem = problem_on("crossbar:7", false, &demand, &switching);
        const struct path_algorithm *algorithm;
        ps_t bound_ps, best_ps = best_of_ports(&demand, &switching, &bound_ps);
        for (size_t at = 0; (algorithm = path_algorithm_at(at)); at++) {
            ps_t its_ps = makespan(&problem, &demand, algorithm->name);
            if (its_ps < best_ps)
                fail_msg("case %d, %s: %s takes %g ms, best of parallel switches %g ms", i,
                         switching.all_stop ? "all-stop" : "not-all-stop", algorithm->name,
                         (double)its_ps / MS, (double)best_ps / MS);
        }
        assert_int_equal(makespan(&problem, &demand, "best"), best_ps);
        path_problem_free(&problem);
        circuit_demand_free(&demand);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_entries_are_cut_only_where_it_pays),
        cmocka_unit_test(bounds_of_one_sender_are_its_optimum_or_less),
        cmocka_unit_test(no_algorithm_of_topologies_is_shorter_on_a_crossbar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
