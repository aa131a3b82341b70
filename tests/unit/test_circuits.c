/* Circuits with a price for switching: worked examples, every algorithm against the verifier and the bounds,
 * completion times and optima of other programs, and slow solvers that share nothing with the algorithms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/rng.h"
#include "schedule/circuit/assignment.h"
#include "schedule/circuit/matcher.h"
#include "schedule/circuit/ranked.h"
#include "schedule/circuit/slot_table.h"
#include "schedule/circuit/verify.h"
#include "schedule/circuit/write.h"
#include "support/sanitizer.h"

#define MS      (PS_PER_S / 1000)
#define GIGABIT 125000000
enum { MEGABYTE = 1000000 };

static const struct circuit_effort few_tries = {.moves = 200, .seed = 1}, usual = {.seed = 1};

static struct circuit_problem problem_of(const struct circuit_demand *demand, ps_t delta_ps,
                                         uint32_t switches, bool all_stop)
{
    struct circuit_problem problem;
    const struct circuit_switching switching = {
        .delta_ps = delta_ps, .rate_bytes_per_s = GIGABIT, .switches = switches, .all_stop = all_stop};
    assert_int_equal(circuit_problem_init(&problem, demand, &switching), STATUS_OK);
    return problem;
}

static struct circuit_demand demand_of(const char *text)
{
    struct circuit_demand demand;
    assert_int_equal(circuit_demand_parse("demand", text, strlen(text), &demand), STATUS_OK);
    return demand;
}

/* Entries in megabytes, rows one after another. */
static struct circuit_demand matrix_of(uint32_t rows, uint32_t columns, const uint64_t *megabytes)
{
    struct circuit_demand demand = {0};
    for (uint32_t i = 0; i < rows * columns; i++)
        circuit_demand_add(&demand, i / columns, i % columns, megabytes[i] * MEGABYTE);
    assert_true(circuit_demand_unite(&demand));
    return demand;
}

/* The schedule is written out, and the verifier reads it. */
static void assert_valid(const struct circuit_problem *problem, const struct circuit_schedule *schedule)
{
    char *text = NULL;
    size_t size = 0;
    struct circuit_verdict verdict;
    FILE *file = open_memstream(&text, &size);
    circuit_write(problem, schedule, file);
    fclose(file);
    if (circuit_verify(problem, "schedule", text, size, schedule->makespan_ps, &verdict) != STATUS_OK)
        fail_msg("%s makes a schedule that is wrong:\n%s", schedule->made_by, text);
    assert_int_equal(verdict.makespan_ps, schedule->makespan_ps);
    assert_int_equal(verdict.circuits, schedule->count);
    assert_true(circuit_bounds_of(problem).best_ps <= schedule->makespan_ps);
    free(text);
}

static ps_t makespan_with(const struct circuit_problem *problem, const char *name,
                          const struct circuit_effort *effort)
{
    struct circuit_schedule schedule;
    assert_int_equal(circuit_schedule_make(problem, circuit_algorithm_find(name), effort, &schedule),
                     STATUS_OK);
    assert_valid(problem, &schedule);
    ps_t makespan_ps = schedule.makespan_ps;
    circuit_schedule_free(&schedule);
    return makespan_ps;
}

static ps_t makespan(const struct circuit_problem *problem, const char *name)
{
    return makespan_with(problem, name, &few_tries);
}

/* ----------------------------------------------------------------- examples */

static void bounds_are_those_of_the_worked_example(void **state)
{
    (void)state;
    struct circuit_demand demand = matrix_of(2, 2, (const uint64_t[]){5, 3, 2, 6});
    struct circuit_problem problem = problem_of(&demand, 8 * MS, 1, false);
    struct circuit_bounds bounds = circuit_bounds_of(&problem);
    assert_int_equal(bounds.rho_ps, 9 * 8 * MS);
    assert_int_equal(bounds.port_ps, 11 * 8 * MS);
    assert_int_equal(bounds.all_stop_ps, 11 * 8 * MS);
    assert_int_equal(bounds.degree, 2);
    circuit_problem_free(&problem);
    circuit_demand_free(&demand);
}

static void several_switches_share_sums_and_setups(void **state)
{
    (void)state;
    struct circuit_demand demand = demand_of("0,1,9000000");
    struct circuit_problem problem = problem_of(&demand, MS, 3, false);
    assert_int_equal(circuit_bounds_of(&problem).best_ps, 25 * MS); /* 24 ms each, and a set-up */
    assert_int_equal(makespan(&problem, "best"), 25 * MS);
    circuit_problem_free(&problem);
    circuit_demand_free(&demand);
}

static void two_opposite_circuits_take_one_setup(void **state)
{
    (void)state;
    struct circuit_demand demand = demand_of("0,1,10000000\n1,0,10MB\n");
    struct circuit_problem problem = problem_of(&demand, 10 * MS, 1, false);
    assert_int_equal(makespan(&problem, "sunflow"), 90 * MS);
    assert_int_equal(makespan(&problem, "best"), 90 * MS);
    circuit_problem_free(&problem);
    circuit_demand_free(&demand);
}

static void alltoall_and_ring_are_those_of_the_simulator(void **state)
{
    (void)state;
    struct circuit_demand alltoall = {0}, ring = {0};
    for (uint32_t i = 0; i < 16; i++) {
        for (uint32_t j = 0; j < 16; j++)
            if (i != j)
                circuit_demand_add(&alltoall, i, j, 4 * MEGABYTE);
        circuit_demand_add(&ring, i, (i + 1) % 16, 10 * MEGABYTE);
        circuit_demand_add(&ring, i, (i + 15) % 16, 10 * MEGABYTE);
    }
    assert_true(circuit_demand_unite(&alltoall) && circuit_demand_unite(&ring));
    struct circuit_problem problem = problem_of(&alltoall, 10 * MS, 1, false);
    assert_int_equal(makespan(&problem, "sunflow"), 630 * MS);
    assert_int_equal(makespan(&problem, "solstice"), 630 * MS);
    assert_int_equal(makespan(&problem, "bvn"), 630 * MS);
    assert_int_equal(makespan(&problem, "edmonds"), 892 * MS);
    circuit_problem_free(&problem);
    problem = problem_of(&ring, MS, 1, false);
    assert_int_equal(makespan(&problem, "sunflow"), 162 * MS);
    assert_int_equal(makespan(&problem, "solstice"), 162 * MS);
    assert_int_equal(makespan(&problem, "bvn"), 162 * MS);
    assert_int_equal(makespan(&problem, "edmonds"), 168 * MS);
    circuit_problem_free(&problem);
    circuit_demand_free(&alltoall);
    circuit_demand_free(&ring);
}

/* On an all-stop switch a slot with new circuits costs a set-up, and nobody carries in it. */
static void all_stop_counts_each_configuration(void **state)
{
    (void)state;
    struct circuit_demand demand = matrix_of(2, 2, (const uint64_t[]){5, 3, 3, 5});
    struct circuit_problem problem = problem_of(&demand, MS, 1, true);
    assert_int_equal(makespan(&problem, "bvn"), (8 * 8 + 2) * MS);
    assert_int_equal(makespan(&problem, "best"), (8 * 8 + 2) * MS);
    circuit_problem_free(&problem);
    circuit_demand_free(&demand);
}

/* --------------------------------------------------------------- properties */

static struct circuit_demand random_demand(struct rng *rng, uint32_t most_ports)
{
    struct circuit_demand demand = {0};
    uint32_t senders = 1 + (uint32_t)rng_below(rng, most_ports),
             receivers = 1 + (uint32_t)rng_below(rng, most_ports);
    uint64_t density = 1 + rng_below(rng, 4), most = rng_below(rng, 2) ? 40 : 4000000;
    circuit_demand_add(&demand, (uint32_t)rng_below(rng, senders), (uint32_t)rng_below(rng, receivers), 1);
    for (uint32_t i = 0; i < senders * receivers; i++)
        if (rng_below(rng, 4) < density)
            circuit_demand_add(&demand, i / receivers, i % receivers, rng_below(rng, most));
    assert_true(circuit_demand_unite(&demand));
    return demand;
}

static void every_schedule_is_valid_and_best_is_the_shortest(void **state)
{
    (void)state;
    static const ps_t deltas_ps[] = {0, 1, 80 * 1000, PS_PER_S / 1000};
    struct rng rng = rng_init(7, "test");
    for (int i = 0; i < 120; i++) {
        struct circuit_demand demand = random_demand(&rng, i < 60 ? 4 : 12);
        struct circuit_problem problem =
            problem_of(&demand, deltas_ps[i % 4], 1 + (uint32_t)rng_below(&rng, 3), i / 4 % 2);
        ps_t best_ps = makespan(&problem, "best");
        const struct circuit_algorithm *algorithm;
        for (size_t index = 0; (algorithm = circuit_algorithm_at(index)); index++)
            if (makespan(&problem, algorithm->name) < best_ps)
                fail_msg("demand %d: %s is shorter than best", i, algorithm->name);
        circuit_problem_free(&problem);
        circuit_demand_free(&demand);
    }
}

static void same_input_gives_the_same_schedule(void **state)
{
    (void)state;
    struct rng rng = rng_init(3, "test");
    struct circuit_demand demand = random_demand(&rng, 12);
    struct circuit_problem problem = problem_of(&demand, 1000, 2, false);
    struct circuit_schedule first, second;
    const struct circuit_algorithm *best = circuit_algorithm_find("best");
    assert_int_equal(circuit_schedule_make(&problem, best, &few_tries, &first), STATUS_OK);
    assert_int_equal(circuit_schedule_make(&problem, best, &few_tries, &second), STATUS_OK);
    assert_int_equal(first.count, second.count);
    for (size_t i = 0; i < first.count; i++)
        assert_memory_equal(&first.pieces[i].start_ps, &second.pieces[i].start_ps, sizeof(ps_t));
    circuit_schedule_free(&first);
    circuit_schedule_free(&second);
    circuit_problem_free(&problem);
    circuit_demand_free(&demand);
}

/* ------------------------------------------------------------- slow solvers */

enum { SLOW_PORTS = 5 };

struct slow {
    uint32_t size;
    int left[SLOW_PORTS][SLOW_PORTS], delta, best;
};

static int slow_bound(const struct slow *slow)
{
    int most = 0, degree = 0;
    for (uint32_t port = 0; port < slow->size; port++) {
        int sums[2] = {0}, degrees[2] = {0};
        for (uint32_t other = 0; other < slow->size; other++) {
            sums[0] += slow->left[port][other];
            sums[1] += slow->left[other][port];
            degrees[0] += slow->left[port][other] > 0;
            degrees[1] += slow->left[other][port] > 0;
        }
        for (int i = 0; i < 2; i++) {
            most = sums[i] > most ? sums[i] : most;
            degree = degrees[i] > degree ? degrees[i] : degree;
        }
    }
    return most + degree * slow->delta;
}

static void slow_all_stop(struct slow *slow, int spent);

/* Every permutation, with every whole duration. */
static void slow_slot(struct slow *slow, int spent, uint32_t row, uint32_t used, uint32_t *column_of)
{
    if (row < slow->size) {
        for (uint32_t column = 0; column < slow->size; column++)
            if (!(used >> column & 1)) {
                column_of[row] = column;
                slow_slot(slow, spent, row + 1, used | 1u << column, column_of);
            }
        return;
    }
    int longest = 0;
    for (uint32_t i = 0; i < slow->size; i++)
        longest = slow->left[i][column_of[i]] > longest ? slow->left[i][column_of[i]] : longest;
    struct slow before = *slow;
    for (int slot = longest; slot >= 1; slot--) {
        for (uint32_t i = 0; i < slow->size; i++) {
            int left = before.left[i][column_of[i]];
            slow->left[i][column_of[i]] = left > slot ? left - slot : 0;
        }
        slow_all_stop(slow, spent + slow->delta + slot);
    }
    memcpy(slow->left, before.left, sizeof slow->left);
}

static void slow_all_stop(struct slow *slow, int spent)
{
    uint32_t column_of[SLOW_PORTS];
    int bound = slow_bound(slow);
    if (spent + bound >= slow->best)
        return;
    if (bound == 0)
        slow->best = spent;
    else
        slow_slot(slow, spent, 0, 0, column_of);
}

/* The makespan in ms of a demand in units of 8 ms, on an all-stop switch. */
static void all_stop_optima_are_those_of_a_slow_solver(void **state)
{
    (void)state;
    struct rng rng = rng_init(11, "test");
    int proven = 0;
    for (int i = 0; i < 60; i++) {
        struct slow slow = {.size = i < 50   ? 3
                                    : i < 57 ? 4
                                             : SLOW_PORTS,
                            .delta = 1 + (int)rng_below(&rng, 6)};
        uint64_t megabytes[SLOW_PORTS * SLOW_PORTS] = {0};
        int most = slow.size == 3 ? 9 : slow.size == 4 ? 4 : 2;
        for (uint32_t at = 0; at < slow.size * slow.size; at++) {
            megabytes[at] = rng_below(&rng, 4) ? rng_below(&rng, (uint64_t)most + 1) : 0;
            slow.left[at / slow.size][at % slow.size] = (int)megabytes[at];
        }
        megabytes[0] = (uint64_t)(slow.left[0][0] = most);
        struct circuit_demand demand = matrix_of(slow.size, slow.size, megabytes);
        struct circuit_problem problem = problem_of(&demand, slow.delta * 8 * MS, 1, true);
        struct circuit_schedule schedule;
        assert_int_equal(
            circuit_schedule_make(&problem, circuit_algorithm_find("best"), &few_tries, &schedule),
            STATUS_OK);
        assert_valid(&problem, &schedule);
        slow.best = (int)(schedule.makespan_ps / (8 * MS)) + 1;
        slow_all_stop(&slow, 0);
        assert_int_equal(schedule.makespan_ps, slow.best * 8 * MS);
        proven += schedule.proven || schedule.makespan_ps == circuit_bounds_of(&problem).best_ps;
        circuit_schedule_free(&schedule);
        circuit_problem_free(&problem);
        circuit_demand_free(&demand);
    }
    assert_int_equal(proven, 60);
}

/* Open shop: the shortest of all orders in which entries start as early as they can. */
struct shop {
    uint32_t count, size;
    uint32_t row[SLOW_PORTS * SLOW_PORTS], column[SLOW_PORTS * SLOW_PORTS];
    int time[SLOW_PORTS * SLOW_PORTS], rows[SLOW_PORTS], columns[SLOW_PORTS], best;
};

static void slow_shop(struct shop *shop, uint32_t started, int makespan_so_far)
{
    if (makespan_so_far >= shop->best)
        return;
    if (started == (1u << shop->count) - 1)
        shop->best = makespan_so_far;
    for (uint32_t i = 0; i < shop->count; i++) {
        if (started >> i & 1)
            continue;
        int row = shop->rows[shop->row[i]], column = shop->columns[shop->column[i]];
        int end = (row > column ? row : column) + shop->time[i];
        shop->rows[shop->row[i]] = shop->columns[shop->column[i]] = end;
        slow_shop(shop, started | 1u << i, end > makespan_so_far ? end : makespan_so_far);
        shop->rows[shop->row[i]] = row;
        shop->columns[shop->column[i]] = column;
    }
}

static void best_is_at_most_the_optimum_of_an_open_shop(void **state)
{
    (void)state;
    struct rng rng = rng_init(5, "test");
    for (int i = 0; i < 60; i++) {
        struct shop shop = {.size = 2 + (uint32_t)rng_below(&rng, 4), .best = 1 << 20};
        uint64_t megabytes[SLOW_PORTS * SLOW_PORTS] = {0};
        int delta = 1 + (int)rng_below(&rng, 4);
        for (int entries = 0; entries < 8; entries++)
            megabytes[rng_below(&rng, shop.size * shop.size)] = 1 + rng_below(&rng, 9);
        for (uint32_t at = 0; at < shop.size * shop.size; at++)
            if (megabytes[at]) {
                shop.row[shop.count] = at / shop.size;
                shop.column[shop.count] = at % shop.size;
                shop.time[shop.count++] = (int)megabytes[at] + delta;
            }
        slow_shop(&shop, 0, 0);
        struct circuit_demand demand = matrix_of(shop.size, shop.size, megabytes);
        struct circuit_problem problem = problem_of(&demand, delta * 8 * MS, 1, false);
        assert_true(makespan(&problem, "best") <= shop.best * 8 * MS);
        circuit_problem_free(&problem);
        circuit_demand_free(&demand);
    }
}

static void best_pairs(const int64_t *weights, uint32_t size, uint32_t row, uint32_t used, int64_t sum,
                       int64_t *best)
{
    if (row == size)
        *best = sum > *best ? sum : *best;
    for (uint32_t column = 0; row < size && column < size; column++)
        if (!(used >> column & 1))
            best_pairs(weights, size, row + 1, used | 1u << column, sum + weights[row * size + column], best);
}

/* Slots by rank are for many ports; here they are tried on few, where the verifier is fast. */
static void slots_by_rank_are_valid(void **state)
{
    (void)state;
    struct rng rng = rng_init(21, "test");
    for (int i = 0; i < 60; i++) {
        uint32_t ports = 2 + (uint32_t)rng_below(&rng, 90);
        struct circuit_demand demand = {0};
        for (uint32_t at = 0; at < ports * ports / 2 + 1; at++)
            circuit_demand_add(&demand, (uint32_t)rng_below(&rng, ports), (uint32_t)rng_below(&rng, ports),
                               1 + rng_below(&rng, i & 1 ? 100 : 10000000) * (i & 2 && at < 3 ? 100 : 1));
        assert_true(circuit_demand_unite(&demand));
        struct circuit_problem problem =
            problem_of(&demand, (ps_t)rng_below(&rng, 20) * MS, 1 + (uint32_t)(i % 5 == 0), true);
        ps_t bound_ps = circuit_bounds_of(&problem).best_ps;
        struct circuit_schedule schedule = {.made_by = "ranked"};
        ranked_search(&problem, &usual, bound_ps, 1 + (uint64_t)i, &schedule);
        assert_true(schedule.count > 0);
        circuit_finish(&problem, &schedule);
        assert_valid(&problem, &schedule);
        assert_true(schedule.makespan_ps < 2 * bound_ps);
        circuit_schedule_free(&schedule);
        circuit_problem_free(&problem);
        circuit_demand_free(&demand);
    }
}

/* Entries that are equal need as many slots as their largest degree (Koenig 1916): the bound is met. */
static void slots_by_rank_of_equal_entries_meet_the_bound(void **state)
{
    (void)state;
    struct rng rng = rng_init(22, "test");
    for (int i = 0; i < 40; i++) {
        uint32_t ports = 2 + (uint32_t)rng_below(&rng, 70), share = 1 + (uint32_t)rng_below(&rng, 10);
        struct circuit_demand demand = {0};
        circuit_demand_add(&demand, 0, 0, MEGABYTE);
        for (uint32_t pair = 1; pair < ports * ports; pair++)
            if (rng_below(&rng, 10) < share)
                circuit_demand_add(&demand, pair / ports, pair % ports, MEGABYTE);
        assert_true(circuit_demand_unite(&demand));
        struct circuit_problem problem = problem_of(&demand, MS, 1, true);
        struct circuit_schedule schedule = {.count = 0};
        ranked_search(&problem, &usual, circuit_bounds_of(&problem).best_ps, 1, &schedule);
        assert_int_equal(schedule.makespan_ps, circuit_bounds_of(&problem).best_ps);
        circuit_schedule_free(&schedule);
        circuit_problem_free(&problem);
        circuit_demand_free(&demand);
    }
}

/* The pieces in the slots by pair, as a sum; a port has one piece in a slot, which is long enough. */
static void assert_table(const struct slot_table *table, const ps_t *placed_ps)
{
    uint32_t size = table->size, slots = table->slots;
    ps_t *found_ps = mem_alloc((size_t)size * size, sizeof *found_ps, "pieces");
    for (uint32_t slot = 0; slot < slots; slot++) {
        uint64_t columns = 0;
        for (uint32_t row = 0; row < size; row++) {
            uint32_t column = slot_table_column(table, slot, row);
            bool is_idle = table->idle[row * table->words + slot / 64] >> slot % 64 & 1;
            assert_int_equal(is_idle, column == UINT32_MAX);
            if (is_idle)
                continue;
            assert_false(columns >> column & 1);
            assert_int_equal(table->other[(size_t)(size + column) * slots + slot], row + 1);
            assert_true(table->time_ps[(size_t)row * slots + slot] <= table->duration_ps[slot]);
            columns |= UINT64_C(1) << column;
            found_ps[row * size + column] += table->time_ps[(size_t)row * slots + slot];
        }
    }
    for (uint32_t pair = 0; pair < size * size; pair++)
        assert_int_equal(found_ps[pair], placed_ps[pair]);
    free(found_ps);
}

static int descending(const void *a, const void *b)
{
    const ps_t *left = a, *right = b;
    return *left > *right ? -1 : *left < *right;
}

/* Nothing of a piece is lost, whatever changes places for it; and a piece is left out only if its ports have
 * no slot in common. */
static void pieces_in_slots_are_those_that_were_placed(void **state)
{
    (void)state;
    struct rng rng = rng_init(23, "test");
    for (int i = 0; i < 60; i++) {
        uint32_t size = 1 + (uint32_t)rng_below(&rng, 12), slots = 1 + (uint32_t)rng_below(&rng, 80);
        uint32_t count = 1 + (uint32_t)rng_below(&rng, 2 * size * slots);
        ps_t placed_ps[144] = {0}, duration_ps[80], stretch_ps = (ps_t)rng_below(&rng, 3);
        ps_t *pieces_ps = mem_alloc(count, sizeof *pieces_ps, "pieces");
        struct slot_table table;
        for (uint32_t slot = 0; slot < slots; slot++)
            duration_ps[slot] = (ps_t)rng_below(&rng, 20);
        for (uint32_t at = 0; at < count; at++)
            pieces_ps[at] = 1 + (ps_t)rng_below(&rng, 20);
        qsort(duration_ps, slots, sizeof *duration_ps, descending);
        qsort(pieces_ps, count, sizeof *pieces_ps, descending);
        slot_table_init(&table, size, slots, duration_ps, 1);
        for (uint32_t at = 0; at < count; at++) {
            struct slot_piece piece = {pieces_ps[at], (uint16_t)rng_below(&rng, size),
                                       (uint16_t)rng_below(&rng, size)};
            ps_t in_slot_ps = slot_table_place(&table, &piece, stretch_ps);
            assert_in_range(in_slot_ps, 0, piece.time_ps);
            placed_ps[piece.row * size + piece.column] += in_slot_ps;
            for (uint32_t slot = 0; slot < slots && !in_slot_ps; slot++)
                assert_true(table.other[(size_t)piece.row * slots + slot] ||
                            table.other[(size_t)(size + piece.column) * slots + slot] ||
                            !table.duration_ps[slot]);
        }
        assert_table(&table, placed_ps);
        slot_table_free(&table);
        free(pieces_ps);
    }
}

/* The second solution begins with the prices of the first one. */
static void assignments_are_the_heaviest(void **state)
{
    (void)state;
    struct rng rng = rng_init(9, "test");
    for (int i = 0; i < 200; i++) {
        struct assignment assignment;
        uint32_t size = 1 + (uint32_t)rng_below(&rng, 6);
        assignment_init(&assignment, size);
        for (uint32_t at = 0; at < size * size; at++)
            assignment.weights[at] = (int64_t)rng_below(&rng, i % 2 ? 5 : 1000);
        assignment_restart(&assignment);
        for (int again = 0; again < 3; again++) {
            int64_t sum = 0, best = 0;
            assignment_solve(&assignment);
            for (uint32_t row = 0; row < size; row++)
                sum += assignment.weights[row * size + assignment.column_of[row]];
            best_pairs(assignment.weights, size, 0, 0, 0, &best);
            assert_int_equal(sum, best);
            for (uint32_t row = 0; row < size; row++)
                assignment.weights[row * size + assignment.column_of[row]] /= 2;
        }
        assignment_free(&assignment);
    }
}

/* Sunflow as its paper and its simulator have it: the whole list is walked again at each end, in whole
 * picoseconds, and of equal ends the circuit made first comes first. */
static ps_t slow_sunflow(const struct circuit_problem *problem)
{
    enum { WAITS, RUNS, DONE };
    char *state = mem_alloc(problem->count, 1, "states");
    ps_t *end_ps = mem_alloc(problem->count, sizeof *end_ps, "ends"), now_ps = 0;
    uint64_t *made = mem_alloc(problem->count, sizeof *made, "orders"), circuits = 0;
    bool *is_sending = mem_alloc(problem->senders, 1, "senders");
    bool *is_receiving = mem_alloc(problem->receivers, 1, "receivers");
    for (;;) {
        uint32_t first = UINT32_MAX;
        for (uint32_t i = 0; i < problem->count; i++) {
            const struct circuit_entry *entry = &problem->entries[i];
            if (state[i] != WAITS || is_sending[entry->sender] || is_receiving[entry->receiver])
                continue;
            state[i] = RUNS;
            made[i] = circuits++;
            end_ps[i] = now_ps + problem->delta_ps + entry->time_ps;
            is_sending[entry->sender] = is_receiving[entry->receiver] = true;
        }
        for (uint32_t i = 0; i < problem->count; i++)
            if (state[i] == RUNS && (first == UINT32_MAX || end_ps[i] < end_ps[first] ||
                                     (end_ps[i] == end_ps[first] && made[i] < made[first])))
                first = i;
        if (first == UINT32_MAX)
            break;
        state[first] = DONE;
        now_ps = end_ps[first];
        is_sending[problem->entries[first].sender] = is_receiving[problem->entries[first].receiver] = false;
    }
    free(state);
    free(end_ps);
    free(made);
    free(is_sending);
    free(is_receiving);
    return now_ps;
}

static void sunflow_is_that_of_a_slow_one(void **state)
{
    (void)state;
    static const ps_t deltas_ps[] = {0, 1, 80 * 1000, PS_PER_S / 1000};
    struct rng rng = rng_init(17, "test");
    for (int i = 0; i < 200; i++) {
        struct circuit_demand demand = random_demand(&rng, i < 100 ? 6 : 40);
        struct circuit_problem problem = problem_of(&demand, deltas_ps[i % 4], 1, false);
        assert_int_equal(makespan(&problem, "sunflow"), slow_sunflow(&problem));
        circuit_problem_free(&problem);
        circuit_demand_free(&demand);
    }
}

/* ----------------------------------------------------------- other programs */

static FILE *open_case(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "tests/circuits/%s", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    return file;
}

/* The numbers of a line of cct.csv; the bounds in seconds. */
struct cct {
    char name[64], scheduler[64];
    double delta_s, cct_s, rho_s, degree, port_s, all_stop_s;
};

static bool read_cct(const char *line, struct cct *cct)
{
    int at = 0;
    if (sscanf(line, "%63[^,],%lf,%63[^,],%lf%n", cct->name, &cct->delta_s, cct->scheduler, &cct->cct_s,
               &at) != 4)
        return false;
    for (int commas = 0; commas < 4; at++) /* slots, schedules, note: some are empty */
        commas += line[at] == ',';
    assert_int_equal(
        sscanf(line + at, "%lf,%lf,%lf,%lf", &cct->rho_s, &cct->degree, &cct->port_s, &cct->all_stop_s), 4);
    return true;
}

static void compare_bounds(const struct circuit_problem *problem, const struct cct *cct)
{
    struct circuit_bounds bounds = circuit_bounds_of(problem);
    assert_int_equal(bounds.rho_ps, llround(cct->rho_s * 1e12));
    assert_int_equal(bounds.degree, llround(cct->degree));
    assert_int_equal(bounds.port_ps, llround(cct->port_s * 1e12));
    assert_int_equal(bounds.all_stop_ps, llround(cct->all_stop_s * 1e12));
}

/* Sunflow's values have an error of 30 ns. Where equal ends are ordered by its rounding, in dense-24, the
 * value of whole picoseconds is another one. The others choose among matchings, and TMS rounds. */
static void compare_cct(const struct cct *cct)
{
    static const struct {
        const char *scheduler, *algorithm;
        double least, most;
    } known[] = {{"sunflow", "sunflow", 1, 1},
                 {"Solstice", "solstice", 0.995, 1.04},
                 {"BvN", "bvn", 0.97, 1.02},
                 {"Edmond", "edmonds", 0.99, 1.01},
                 {"TMS", "tms", 0.7, 1.2}};
    char path[256];
    struct circuit_demand demand;
    snprintf(path, sizeof path, "tests/circuits/demand/%s.csv", cct->name);
    assert_int_equal(circuit_demand_load(path, &demand), STATUS_OK);
    struct circuit_problem problem = problem_of(&demand, (ps_t)llround(cct->delta_s * 1e12), 1, false);
    compare_bounds(&problem, cct);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].scheduler, cct->scheduler) != 0)
            continue;
        ps_t ours_ps = makespan(&problem, known[i].algorithm);
        double ours_s = (double)ours_ps / (double)PS_PER_S, cct_s = cct->cct_s;
        bool is_rounded = i == 0 && strcmp(cct->name, "dense-24") == 0;
        double slack_s = is_rounded ? 0.05 : 3.1e-8;
        if (ours_s < known[i].least * cct_s - slack_s || ours_s > known[i].most * cct_s + slack_s)
            fail_msg("%s of %s: %.9f s, not %.9f s", cct->scheduler, cct->name, ours_s, cct_s);
        if (i == 0)
            assert_int_equal(ours_ps, slow_sunflow(&problem));
        /* best meets the bound in all of these cases */
        assert_int_equal(makespan_with(&problem, "best", &usual), circuit_bounds_of(&problem).port_ps);
        assert_true((double)circuit_bounds_of(&problem).port_ps / (double)PS_PER_S < cct_s + 3.1e-7);
    }
    circuit_problem_free(&problem);
    circuit_demand_free(&demand);
}

static void completion_times_are_those_of_the_simulator(void **state)
{
    (void)state;
    char line[256];
    struct cct cct;
    int compared = 0;
    FILE *file = open_case("cct.csv");
    while (fgets(line, sizeof line, file))
        if (read_cct(line, &cct)) {
            compare_cct(&cct);
            compared++;
        }
    fclose(file);
    assert_int_equal(compared, 266);
}

/* Rows of numbers with blanks between them, and slashes between the rows. */
static uint32_t read_matrix(const char *text, uint64_t *megabytes)
{
    uint32_t count = 0;
    for (char *end; *text; text = *end ? end + 1 : end)
        megabytes[count++] = strtoull(text, &end, 10);
    return count;
}

static void optima_are_those_of_the_integer_programmes(void **state)
{
    (void)state;
    char line[256], rows[128];
    uint32_t size;
    int delta, all_stop, open_shop, compared = 0, read = 0;
    FILE *file = open_case("optimum.csv");
    while (fgets(line, sizeof line, file)) {
        uint64_t megabytes[SLOW_PORTS * SLOW_PORTS];
        if (sscanf(line, "%*[^,],%u,%127[^,],%d,%*d,%*d,%*d,%d,%*d,%*d,%d", &size, rows, &delta, &all_stop,
                   &open_shop) != 5)
            continue;
        if (HAS_SANITIZER && read++ % 4 != 0)
            continue;
        assert_int_equal(read_matrix(rows, megabytes), size * size);
        struct circuit_demand demand = matrix_of(size, size, megabytes);
        struct circuit_problem problem = problem_of(&demand, delta * 8 * MS, 1, true);
        assert_int_equal(makespan_with(&problem, "best", &usual), all_stop * 8 * MS);
        circuit_problem_free(&problem);
        problem = problem_of(&demand, delta * 8 * MS, 1, false);
        assert_int_equal(makespan_with(&problem, "best", &usual), open_shop * 8 * MS);
        circuit_problem_free(&problem);
        circuit_demand_free(&demand);
        compared++;
    }
    fclose(file);
    assert_int_equal(compared, HAS_SANITIZER ? 12 : 48);
}

/* ----------------------------------------------------------------- verifier */

static enum status verdict_of(const char *demand_text, bool all_stop, ps_t deadline_ps, const char *schedule)
{
    struct circuit_demand demand = demand_of(demand_text);
    struct circuit_problem problem = problem_of(&demand, MS, 1, all_stop);
    struct circuit_verdict verdict;
    struct diag_silence silence = diag_begin_silence();
    enum status status =
        circuit_verify(&problem, "schedule", schedule, strlen(schedule), deadline_ps, &verdict);
    diag_end_silence(&silence);
    circuit_problem_free(&problem);
    circuit_demand_free(&demand);
    return status;
}

/* A megabyte takes 8 ms, a set-up 1 ms. */
static void wrong_schedules_are_found(void **state)
{
    (void)state;
    static const char one[] = "0,1,1MB\n", two[] = "0,1,1MB\n0,2,1MB\n", far[] = "0,1,1MB\n2,3,1MB\n";
    assert_int_equal(verdict_of(one, false, 0, "0,0.001,0.009,0,1\n"), STATUS_OK);
    assert_int_equal(verdict_of(one, false, 0, "0,0.001,0.008999999999,0,1\n"), STATUS_FAILED); /* lost */
    assert_int_equal(verdict_of(one, false, 0, "0,0.000999999999,0.009,0,1\n"),
                     STATUS_FAILED); /* no set-up */
    assert_int_equal(verdict_of(one, false, 9 * MS, "0,0.001,0.009,0,1\n"), STATUS_OK);
    assert_int_equal(verdict_of(one, false, 9 * MS - 1, "0,0.001,0.009,0,1\n"), STATUS_FAILED); /* late */
    assert_int_equal(verdict_of(one, false, 0, "0,0.001,0.005,0,1\n0,0.005,0.009,0,1\n"), STATUS_OK);
    assert_int_equal(verdict_of(two, false, 0, "0,0.001,0.009,0,1\n0,0.010,0.018,0,2\n"), STATUS_OK);
    assert_int_equal(verdict_of(two, false, 0, "0,0.001,0.009,0,1\n0,0.008,0.018,0,2\n"), STATUS_FAILED);
    assert_int_equal(verdict_of(two, false, 0, "0,0.001,0.009,0,1\n0,0.009,0.017,0,2\n"), STATUS_FAILED);
    assert_int_equal(verdict_of(far, false, 0, "0,0.001,0.009,0,1\n0,0.005,0.013,2,3\n"), STATUS_OK);
    assert_int_equal(verdict_of(far, true, 0, "0,0.001,0.009,0,1\n0,0.005,0.013,2,3\n"), STATUS_OK);
    static const char changed[] = "0,0.001,0.009,0,1\n0,0.001,0.005,2,3\n0,0.006,0.010,2,4\n";
    assert_int_equal(verdict_of("0,1,1MB\n2,3,500kB\n2,4,500kB\n", false, 0, changed), STATUS_OK);
    assert_int_equal(verdict_of("0,1,1MB\n2,3,500kB\n2,4,500kB\n", true, 0, changed), STATUS_FAILED);
    assert_int_equal(verdict_of(far, true, 0, "0,0.001,0.005,0,1\n0,0.006,0.010,0,1\n0,0.006,0.014,2,3\n"),
                     STATUS_OK);
    assert_int_equal(verdict_of(one, false, 0, "0,0.009,0.001,0,1\n"), STATUS_BAD_INPUT); /* ends first */
    assert_int_equal(verdict_of(two, false, 0, "0,0.010,0.018,0,2\n0,0.001,0.009,0,1\n"), STATUS_BAD_INPUT);
    assert_int_equal(verdict_of(one, false, 0, "1,0.001,0.009,0,1\n"), STATUS_BAD_INPUT); /* no such switch */
    assert_int_equal(verdict_of(one, false, 0, "0,nan,0.009,0,1\n"), STATUS_BAD_INPUT);
    assert_int_equal(verdict_of(one, false, 0, "0,0.001,0.009,0\n"), STATUS_BAD_INPUT);
}

static void wrong_demands_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "src,dst,bytes\n",
                                        "0,1,0\n",
                                        "0,1\n",
                                        "0,1,2,3\n",
                                        "0,1,-5\n",
                                        "0,1,nan\n",
                                        "-1,1,5\n",
                                        "0,1,1.5\n",
                                        "0,4096,5\n",
                                        "0,1,1e30 B\n",
                                        "0,1,9223372036854775808\n",
                                        "x,1,5\n",
                                        "0;1;5\n",
                                        "0,1,5 parsec\n",
                                        "0,1,\n",
                                        "0,1,9223372036854775807\n1,0,1\n",
                                        "matrix\n",
                                        "matrix\n1,2,3\n4,5,6\n",
                                        "0,0\n0,0\n",
                                        "0,1\n1,0\n1,1\n",
                                        "0,1,2,3\n0,1,2\n0,1,2,3\n0,1,2,3\n",
                                        "0,1\n-1,0\n",
                                        "0,nan\n1,0\n",
                                        "0,\n1,0\n",
                                        "0,9223372036854775808\n1,0\n",
                                        "0,9223372036854775807\n1,0\n"};
    struct diag_silence silence = diag_begin_silence();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct circuit_demand demand;
        if (circuit_demand_parse("demand", wrong[i], strlen(wrong[i]), &demand) != STATUS_BAD_INPUT)
            fail_msg("accepted: %s", wrong[i]);
    }
    struct circuit_demand demand = demand_of("0,1,9223372036854775807");
    struct circuit_problem problem;
    const struct circuit_switching slow = {.rate_bytes_per_s = 1, .switches = 1};
    assert_int_equal(circuit_problem_init(&problem, &demand, &slow), STATUS_BAD_INPUT);
    circuit_demand_free(&demand);
    diag_end_silence(&silence);
    demand = demand_of("0,1,3\n0,1,4kB\r\n# 1,1,1\n\n 1 , 1 , 5 \n");
    assert_int_equal(demand.count, 2);
    assert_int_equal(demand.lines[0].bytes, 4003);
    assert_int_equal(demand.lines[1].bytes, 5);
    circuit_demand_free(&demand);
}

/* A matrix is the list of its entries; one of three ports needs a header, since its rows look like a list. */
static void a_matrix_is_the_list_of_its_entries(void **state)
{
    (void)state;
    static const struct {
        const char *matrix, *list;
    } same[] = {{"5MB,3MB\n2MB,6MB\n", "0,0,5MB\n0,1,3MB\n1,0,2MB\n1,1,6MB\n"},
                {"# three ports\nmatrix\n0,4 kB,5\n1,0,6\n\n7,0,0", "0,1,4000\n0,2,5\n1,0,1\n1,2,6\n2,0,7\n"},
                {"0,0,0,9\r\n0,0,0,0\r\n0, 8 ,0,0\r\n0,0,0,0\r\n", "0,3,9\n2,1,8\n"},
                {"0,1,2\n1,0,3\n", "src,dst,bytes\n1,0,3\n0,1,2\n"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct circuit_demand matrix = demand_of(same[i].matrix), list = demand_of(same[i].list);
        assert_int_equal(matrix.count, list.count);
        for (size_t at = 0; at < list.count; at++) {
            assert_int_equal(matrix.lines[at].source, list.lines[at].source);
            assert_int_equal(matrix.lines[at].destination, list.lines[at].destination);
            assert_int_equal(matrix.lines[at].bytes, list.lines[at].bytes);
        }
        circuit_demand_free(&matrix);
        circuit_demand_free(&list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_those_of_the_worked_example),
        cmocka_unit_test(several_switches_share_sums_and_setups),
        cmocka_unit_test(two_opposite_circuits_take_one_setup),
        cmocka_unit_test(alltoall_and_ring_are_those_of_the_simulator),
        cmocka_unit_test(all_stop_counts_each_configuration),
        cmocka_unit_test(every_schedule_is_valid_and_best_is_the_shortest),
        cmocka_unit_test(same_input_gives_the_same_schedule),
        cmocka_unit_test(all_stop_optima_are_those_of_a_slow_solver),
        cmocka_unit_test(best_is_at_most_the_optimum_of_an_open_shop),
        cmocka_unit_test(sunflow_is_that_of_a_slow_one),
        cmocka_unit_test(slots_by_rank_are_valid),
        cmocka_unit_test(slots_by_rank_of_equal_entries_meet_the_bound),
        cmocka_unit_test(pieces_in_slots_are_those_that_were_placed),
        cmocka_unit_test(assignments_are_the_heaviest),
        cmocka_unit_test(completion_times_are_those_of_the_simulator),
        cmocka_unit_test(optima_are_those_of_the_integer_programmes),
        cmocka_unit_test(wrong_schedules_are_found),
        cmocka_unit_test(wrong_demands_are_refused),
        cmocka_unit_test(a_matrix_is_the_list_of_its_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
