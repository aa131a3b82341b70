/* Circuits over which bytes take one hop or two: worked examples, every algorithm against the verifier and
 * the bound, the optimum of a slow solver, and the verifier against a slow one. */
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
#include "schedule/circuit/verify.h"
#include "schedule/circuit/write.h"
#include "support/changed_circuits.h"
#include "support/sanitizer.h"

#define MS (PS_PER_S / 1000)
/* A circuit carries a byte in a millisecond. */
enum { RATE = 1000 };

static const struct circuit_effort few_tries = {.moves = 40, .seed = 1};

static struct circuit_problem problem_of(const struct circuit_demand *demand, uint32_t hops, ps_t delta_ps,
                                         uint32_t switches, bool all_stop)
{
    struct circuit_problem problem;
    const struct circuit_switching switching = {.delta_ps = delta_ps,
                                                .rate_bytes_per_s = RATE,
                                                .switches = switches,
                                                .hops = hops,
                                                .all_stop = all_stop};
    assert_int_equal(circuit_problem_init(&problem, demand, &switching), STATUS_OK);
    return problem;
}

static struct circuit_demand demand_of(const char *text)
{
    struct circuit_demand demand;
    assert_int_equal(circuit_demand_parse("demand", text, strlen(text), &demand), STATUS_OK);
    return demand;
}

static struct circuit_demand random_demand(struct rng *rng, uint32_t ports, uint32_t lines, uint64_t most)
{
    struct circuit_demand demand = {0};
    for (uint32_t i = 0; i < lines; i++)
        circuit_demand_add(&demand, (uint32_t)rng_below(rng, ports), (uint32_t)rng_below(rng, ports),
                           1 + rng_below(rng, most));
    assert_true(circuit_demand_unite(&demand));
    return demand;
}

static char *written(const struct circuit_problem *problem, const struct circuit_schedule *schedule)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    circuit_write(problem, schedule, file);
    fclose(file);
    return text;
}

/* The makespan of a schedule that the verifier has read and found right. */
static ps_t makespan(const struct circuit_problem *problem, const char *name, uint64_t *relayed)
{
    struct circuit_schedule schedule;
    struct circuit_verdict verdict;
    assert_int_equal(circuit_schedule_make(problem, circuit_algorithm_find(name), &few_tries, &schedule),
                     STATUS_OK);
    char *text = written(problem, &schedule);
    if (circuit_verify(problem, "schedule", text, strlen(text), schedule.makespan_ps, &verdict) != STATUS_OK)
        fail_msg("%s makes a schedule that is wrong:\n%s", name, text);
    assert_int_equal(verdict.makespan_ps, schedule.makespan_ps);
    assert_int_equal(verdict.circuits, schedule.count);
    assert_true(circuit_bounds_of(problem).best_ps <= schedule.makespan_ps);
    if (relayed)
        *relayed = circuit_relayed(problem, &schedule);
    ps_t makespan_ps = schedule.makespan_ps;
    circuit_schedule_free(&schedule);
    free(text);
    return makespan_ps;
}

/* ----------------------------------------------------------------- examples */

/* Port 0 has a byte for each of three others, and a set-up takes 10 ms: direct 3 x 11 ms. With two hops port
 * 0 sends two bytes to port 1, of which this passes one on while port 0 sends the third byte to port 2. */
static void three_receivers_take_two_setups(void **state)
{
    (void)state;
    struct circuit_demand demand = demand_of("0,1,1\n0,2,1\n0,3,1\n");
    struct circuit_problem direct = problem_of(&demand, 1, 10 * MS, 1, false);
    struct circuit_problem problem = problem_of(&demand, 2, 10 * MS, 1, false);
    uint64_t relayed;
    assert_int_equal(makespan(&direct, "best", NULL), 33 * MS);
    assert_int_equal(makespan(&problem, "best", &relayed), 23 * MS);
    assert_in_range(relayed, 1, 2);
    assert_int_equal(circuit_bounds_of(&problem).best_ps, 20 * MS);
    circuit_problem_free(&direct);
    circuit_problem_free(&problem);
    circuit_demand_free(&demand);
}

/* All ports have a byte for each other one. In rows and columns of 4 they need 3 + 3 circuits in place of 15:
 * the first ones carry 4 bytes, and so do the second ones. */
static void an_alltoall_goes_by_rows_and_columns(void **state)
{
    (void)state;
    struct circuit_demand demand = {0};
    for (uint32_t i = 0; i < 256; i++)
        if (i / 16 != i % 16)
            circuit_demand_add(&demand, i / 16, i % 16, 1);
    assert_true(circuit_demand_unite(&demand));
    for (int all_stop = 0; all_stop < 2; all_stop++) {
        struct circuit_problem problem = problem_of(&demand, 2, 100 * MS, 1, all_stop);
        uint64_t relayed;
        assert_true(makespan(&problem, "best", &relayed) <= 6 * 100 * MS + 24 * MS);
        assert_true(relayed >= 16 * 9);
        /* 4 configurations reach 4 + 10 ports, and 5 are needed; 15 bytes are sent. */
        if (all_stop)
            assert_int_equal(circuit_bounds_of(&problem).best_ps, 5 * 100 * MS + 15 * MS);
        circuit_problem_free(&problem);
    }
    circuit_demand_free(&demand);
}

/* One entry for each port goes direct: that is the bound. */
static void large_entries_go_direct(void **state)
{
    (void)state;
    struct circuit_demand demand = demand_of("0,1,100\n1,2,100\n2,0,100\n");
    struct circuit_problem problem = problem_of(&demand, 2, MS, 1, false);
    uint64_t relayed;
    assert_int_equal(makespan(&problem, "best", &relayed), 101 * MS);
    assert_int_equal(relayed, 0);
    circuit_problem_free(&problem);
    circuit_demand_free(&demand);
}

/* --------------------------------------------------------------- algorithms */

static void every_schedule_is_valid_and_not_longer_than_direct(void **state)
{
    (void)state;
    enum { DEMANDS = HAS_SANITIZER ? 20 : 60 };
    struct rng rng = rng_init(3, "test");
    int shorter = 0;
    for (int i = 0; i < DEMANDS; i++) {
        uint32_t ports = 3 + (uint32_t)rng_below(&rng, 8);
        struct circuit_demand demand =
            random_demand(&rng, ports, 1 + (uint32_t)rng_below(&rng, 4 * ports), i % 3 ? 6 : 60);
        ps_t delta_ps = (ps_t)rng_below(&rng, 30) * MS;
        uint32_t switches = 1 + (uint32_t)(i / 2 % 3 == 0);
        struct circuit_problem direct = problem_of(&demand, 1, delta_ps, switches, i & 1);
        struct circuit_problem problem = problem_of(&demand, 2, delta_ps, switches, i & 1);
        const struct circuit_algorithm *algorithm;
        assert_true(circuit_bounds_of(&problem).best_ps <= circuit_bounds_of(&direct).best_ps);
        for (size_t at = 0; (algorithm = circuit_algorithm_at(at)); at++) {
            ps_t direct_ps = makespan(&direct, algorithm->name, NULL);
            ps_t makespan_ps = makespan(&problem, algorithm->name, NULL);
            assert_true(makespan_ps <= direct_ps);
            assert_int_equal(makespan(&problem, algorithm->name, NULL), makespan_ps);
            shorter += strcmp(algorithm->name, "best") == 0 && makespan_ps < direct_ps;
        }
        circuit_problem_free(&direct);
        circuit_problem_free(&problem);
        circuit_demand_free(&demand);
    }
    assert_in_range(shorter, DEMANDS / 4, DEMANDS);
}

/* -------------------------------------------------------------- slow solver */

/* Whole entries, direct or over any port; hops in any order, each as early as its ports, its set-up and its
 * bytes allow behind those before. The optimum of all ways and all orders. */
enum { SLOW_PORTS = 4, SLOW_ENTRIES = 4 };
struct slow {
    uint32_t entries, ports;
    uint32_t from[SLOW_ENTRIES], to[SLOW_ENTRIES], via[SLOW_ENTRIES];
    ps_t time_ps[SLOW_ENTRIES], delta_ps, arrived_ps[SLOW_ENTRIES], best_ps;
    ps_t sent_ps[SLOW_PORTS], got_ps[SLOW_PORTS];
    uint32_t sends[SLOW_PORTS], gets[SLOW_PORTS]; /* the port at the other end + 1; 0: none */
};

static void slow_order(struct slow *slow, uint32_t first, uint32_t done, ps_t makespan_ps);

static void slow_hop(struct slow *slow, uint32_t first, uint32_t done, ps_t makespan_ps, uint32_t from,
                     uint32_t to, uint32_t entry)
{
    struct slow before = *slow;
    bool is_up = slow->sends[from] == to + 1 && slow->gets[to] == from + 1;
    ps_t start_ps = ps_max(slow->sent_ps[from], slow->got_ps[to]) + (is_up ? 0 : slow->delta_ps);
    start_ps = ps_max(start_ps, slow->arrived_ps[entry]);
    ps_t end_ps = start_ps + slow->time_ps[entry];
    slow->sent_ps[from] = slow->got_ps[to] = slow->arrived_ps[entry] = end_ps;
    slow->sends[from] = to + 1;
    slow->gets[to] = from + 1;
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
        bool has_via = slow->via[i] != slow->from[i], is_there = !has_via || first >> i & 1;
        if (done >> i & 1)
            continue;
        if (is_there)
            slow_hop(slow, first, done | 1u << i, makespan_ps, has_via ? slow->via[i] : slow->from[i],
                     slow->to[i], i);
        else
            slow_hop(slow, first | 1u << i, done, makespan_ps, slow->from[i], slow->via[i], i);
    }
}

static void slow_ways(struct slow *slow, uint32_t entry)
{
    if (entry >= slow->entries || entry >= SLOW_ENTRIES) {
        slow_order(slow, 0, 0, 0);
        return;
    }
    for (uint32_t via = 0; via < slow->ports; via++) { /* over its own sender: direct */
        slow->via[entry] = via;
        if (via != slow->to[entry])
            slow_ways(slow, entry + 1);
    }
}

static void best_is_near_the_optimum_of_whole_entries(void **state)
{
    (void)state;
    struct rng rng = rng_init(5, "test");
    int above = 0, relays = 0;
    for (int i = 0; i < 80; i++) {
        struct slow slow = {.ports = SLOW_PORTS, .best_ps = PS_NEVER};
        struct circuit_demand demand = {0};
        for (uint32_t at = 0; at < SLOW_ENTRIES; at++) {
            uint32_t from = i % 2 ? 0 : (uint32_t)rng_below(&rng, 2),
                     to = (uint32_t)rng_below(&rng, SLOW_PORTS);
            if (from != to)
                circuit_demand_add(&demand, from, to, 1 + rng_below(&rng, 9));
        }
        circuit_demand_add(&demand, 0, 1, 1); /* so that all four ports take part */
        circuit_demand_add(&demand, 2, 3, 1);
        assert_true(circuit_demand_unite(&demand));
        if (demand.count <= SLOW_ENTRIES) {
            slow.delta_ps = (ps_t)rng_below(&rng, 15) * MS;
            for (uint32_t at = 0; at < SLOW_ENTRIES && at < demand.count; at++) {
                slow.from[at] = demand.lines[at].source;
                slow.to[at] = demand.lines[at].destination;
                slow.time_ps[at] = (ps_t)demand.lines[at].bytes * MS;
                slow.entries = at + 1;
            }
            slow_ways(&slow, 0);
            struct circuit_problem problem = problem_of(&demand, 2, slow.delta_ps, 1, false);
            uint64_t relayed;
            assert_true(circuit_bounds_of(&problem).best_ps <= slow.best_ps);
            above += makespan(&problem, "best", &relayed) > slow.best_ps;
            relays += relayed > 0;
            circuit_problem_free(&problem);
        }
        circuit_demand_free(&demand);
    }
    assert_in_range(relays, 10, 80);
    assert_in_range(above, 0, 12);
}

/* ----------------------------------------------------------------- verifier */

/* A slow verifier for one switch on which all times are whole milliseconds and a circuit carries a byte in
 * each: it moves the bytes one by one. */
enum { SLOW_TICKS = 2000, MOST_PORTS = 8 };

struct slow_line {
    int start, end;
    uint32_t source, destination, from, to;
};

static bool ports_are_right(const struct slow_line *lines, size_t count, int delta, bool all_stop)
{
    for (size_t i = 0; i < count; i++) {
        const struct slow_line *line = &lines[i], *sent = NULL, *got = NULL;
        for (size_t at = 0; at < count; at++) {
            const struct slow_line *other = &lines[at];
            bool shares = other->source == line->source || other->destination == line->destination;
            if (at != i && shares && other->start < line->end && line->start < other->end)
                return false;
            if (other->start < line->start && other->source == line->source &&
                (!sent || other->end > sent->end))
                sent = other;
            if (other->start < line->start && other->destination == line->destination &&
                (!got || other->end > got->end))
                got = other;
        }
        int since = sent ? sent->end : 0;
        since = got && got->end > since ? got->end : since;
        if (!delta || (sent && sent == got))
            continue;
        int free_for = 0, most = 0;
        for (int tick = since; tick < line->start; tick++) {
            bool carries = false;
            for (size_t at = 0; at < count && all_stop; at++)
                carries = carries || (lines[at].start <= tick && tick < lines[at].end);
            free_for = carries ? 0 : free_for + 1;
            most = free_for > most ? free_for : most;
        }
        if (most < delta)
            return false;
    }
    return true;
}

/* Bytes of each pair that have left, wait at each port, and have come. */
static bool bytes_are_right(const struct circuit_demand *demand, const struct slow_line *lines, size_t count)
{
    int left[MOST_PORTS][MOST_PORTS] = {{0}}, come[MOST_PORTS][MOST_PORTS] = {{0}};
    int waits[MOST_PORTS][MOST_PORTS][MOST_PORTS] = {{{0}}};
    bool relayed[MOST_PORTS][MOST_PORTS] = {{false}}, is_right = true;
    for (int tick = 0; tick < SLOW_TICKS; tick++) {
        for (size_t i = 0; i < count; i++) { /* what leaves a port has to be there before the tick */
            const struct slow_line *line = &lines[i];
            bool carries = line->start <= tick && tick < line->end;
            if (carries && line->source != line->from && --waits[line->source][line->from][line->to] < 0)
                is_right = false;
        }
        for (size_t i = 0; i < count; i++) {
            const struct slow_line *line = &lines[i];
            if (line->start > tick || tick >= line->end)
                continue;
            left[line->from][line->to] += line->source == line->from;
            come[line->from][line->to] += line->destination == line->to;
            if (line->destination != line->to)
                waits[line->destination][line->from][line->to]++;
            if (line->destination != line->to || line->source != line->from)
                relayed[line->from][line->to] = true;
        }
    }
    for (size_t i = 0; i < demand->count; i++) {
        uint32_t from = demand->lines[i].source, to = demand->lines[i].destination;
        int bytes = (int)demand->lines[i].bytes;
        is_right = is_right && come[from][to] >= bytes && (!relayed[from][to] || left[from][to] <= bytes);
        for (uint32_t port = 0; port < MOST_PORTS; port++)
            is_right = is_right && waits[port][from][to] == 0;
    }
    return is_right;
}

static int compare_lines(const void *a, const void *b)
{
    const struct circuit_piece *left = a, *right = b;
    return left->start_ps < right->start_ps ? -1 : left->start_ps > right->start_ps;
}

static bool is_right_after(struct rng *rng, const struct circuit_problem *problem,
                           const struct circuit_demand *demand, struct circuit_schedule *schedule)
{
    struct circuit_verdict verdict;
    for (uint64_t changes = rng_below(rng, 3); changes && schedule->count > 1; changes--)
        change_circuits(rng, &CHANGED_CIRCUITS(schedule, struct circuit_piece), MS);
    qsort(schedule->pieces, schedule->count, sizeof *schedule->pieces, compare_lines);
    struct slow_line *lines = mem_alloc(schedule->count + 1, sizeof *lines, "test");
    for (size_t i = 0; i < schedule->count; i++) {
        const struct circuit_piece *piece = &schedule->pieces[i];
        const struct circuit_entry *entry = &problem->entries[piece->entry];
        lines[i] = (struct slow_line){
            (int)(piece->start_ps / MS),          (int)(piece->end_ps / MS),
            circuit_piece_source(problem, piece), circuit_piece_destination(problem, piece),
            problem->sender_port[entry->sender],  problem->receiver_port[entry->receiver]};
        assert_true(lines[i].start * MS == piece->start_ps && lines[i].end * MS == piece->end_ps &&
                    lines[i].end < SLOW_TICKS);
    }
    bool is_right =
        ports_are_right(lines, schedule->count, (int)(problem->delta_ps / MS), problem->all_stop) &&
        bytes_are_right(demand, lines, schedule->count);
    char *text = written(problem, schedule);
    bool is_accepted = circuit_verify(problem, "schedule", text, strlen(text), 0, &verdict) == STATUS_OK;
    if (is_accepted != is_right)
        fail_msg("%s, but the slow verifier finds it %s:\n%s",
                 is_accepted ? "accepted" : verdict.first_problem, is_right ? "right" : "wrong", text);
    free(text);
    free(lines);
    return is_right;
}

static void verdicts_are_those_of_a_slow_verifier(void **state)
{
    (void)state;
    struct rng rng = rng_init(8, "test");
    int right = 0, all = 0;
    struct diag_silence silence = diag_begin_silence();
    for (int i = 0; i < (HAS_SANITIZER ? 20 : 100); i++) {
        struct circuit_demand demand = random_demand(&rng, MOST_PORTS - 1, 24, 3);
        struct circuit_problem problem =
            problem_of(&demand, 2, (ps_t)(4 + rng_below(&rng, 12)) * MS, 1, i & 1);
        for (int times = 0; times < 15; times++, all++) {
            struct circuit_schedule schedule;
            assert_int_equal(
                circuit_schedule_make(&problem, circuit_algorithm_find(times % 2 ? "best" : "sunflow"),
                                      &(struct circuit_effort){.moves = 4, .seed = 1}, &schedule),
                STATUS_OK);
            right += is_right_after(&rng, &problem, &demand, &schedule);
            circuit_schedule_free(&schedule);
        }
        circuit_problem_free(&problem);
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
        {"0,0.001,0.011,0,1,0,2\n0,0.011,0.021,1,2,0,2\n0,0.030,0.031,0,2,1,2\n",
         "byte 0 of 1,2, counted at port 0, leaves this port before it has arrived there", STATUS_FAILED},
        {"0,0.001,0.011,0,1,2,3\n", "", STATUS_BAD_INPUT},
        {"0,0.001,0.011,0,1,0,2\n0,0.011,0.021,1,2,0,2\n0,0.021,0.022,1,2,1,2\n", "", STATUS_OK},
        {"0,0.001,0.011,0,1,0,2\n0,0.002,0.012,1,2,0,2\n0,0.021,0.022,1,2,1,2\n", "", STATUS_OK},
        {"0,0.001,0.011,0,1,0,2\n0,0.001,0.011,1,2,0,2\n0,0.021,0.022,1,2,1,2\n",
         "byte 0 of 0,2, counted at port 1, leaves this port before it has arrived there", STATUS_FAILED},
        {"0,0.001,0.006,0,1,0,2\n0,0.007,0.012,0,1,0,2\n0,0.002,0.012,1,2,0,2\n0,0.021,0.022,1,2,1,2\n", "",
         STATUS_BAD_INPUT},
        {"0,0.001,0.006,0,1,0,2\n0,0.002,0.012,1,2,0,2\n0,0.008,0.013,0,1,0,2\n0,0.021,0.022,1,2,1,2\n",
         "byte 5 of 0,2, counted at port 1, leaves this port before it has arrived there", STATUS_FAILED},
        {"0,0.001,0.011,0,1,0,2\n0,0.012,0.017,1,2,0,2\n0,0.021,0.022,1,2,1,2\n",
         "byte 5 of 0,2 that comes to port 1 is lost: it stays there; the port gets 10 bytes of them and "
         "sends "
         "on 5",
         STATUS_FAILED},
        {"0,0.001,0.012,0,1,0,2\n0,0.012,0.023,1,2,0,2\n0,0.023,0.024,1,2,1,2\n",
         "a byte of 0,2 is on two circuits: they leave their sender with 11 bytes, and the demand has 10",
         STATUS_FAILED},
        {"0,0.001,0.011,0,7,0,2\n0,0.012,0.022,7,2,0,2\n0,0.023,0.024,1,2,1,2\n",
         "byte 0 of 0,2 goes over port 7, which is none of the demand's", STATUS_FAILED},
        {"0,0.001,0.011,0,2,0\n", "", STATUS_BAD_INPUT},
        {"0,0.001,0.011,0,2\n", "", STATUS_BAD_INPUT},
    };
    struct circuit_demand demand = demand_of("0,2,10\n1,2,1\n");
    struct circuit_problem problem = problem_of(&demand, 2, MS, 1, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct circuit_verdict verdict;
        struct diag_silence silence = diag_begin_silence();
        enum status status =
            circuit_verify(&problem, "schedule", cases[i].text, strlen(cases[i].text), 0, &verdict);
        diag_end_silence(&silence);
        if (status != cases[i].status || strcmp(verdict.first_problem, cases[i].problem) != 0)
            fail_msg("%s: status %d, %s", cases[i].text, (int)status, verdict.first_problem);
    }
    circuit_problem_free(&problem);
    circuit_demand_free(&demand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_receivers_take_two_setups),
        cmocka_unit_test(an_alltoall_goes_by_rows_and_columns),
        cmocka_unit_test(large_entries_go_direct),
        cmocka_unit_test(every_schedule_is_valid_and_not_longer_than_direct),
        cmocka_unit_test(best_is_near_the_optimum_of_whole_entries),
        cmocka_unit_test(verdicts_are_those_of_a_slow_verifier),
        cmocka_unit_test(wrong_schedules_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
