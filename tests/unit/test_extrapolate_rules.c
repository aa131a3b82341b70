/* The rules of partners and the forms of sizes, from which a forecast is made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "extrapolate/fit.h"
#include "extrapolate/peer.h"

static bool holds(const struct peer_rule *rules, size_t count, enum peer_kind kind)
{
    for (size_t i = 0; i < count; i++)
        if (rules[i].kind == kind)
            return true;
    return false;
}

static void partners_follow_rules(void **state)
{
    (void)state;
    struct grid grid = grid_of(GRID_WIDE, 32), half = grid_of(GRID_WIDE, 8);
    struct peer_rule rules[PEER_RULES];
    assert_int_equal(grid.size[0], 8);
    assert_int_equal(grid.size[1], 4);
    size_t count = peer_rules(&grid, 9, (int32_t[]){8, 11, 13}, 3, rules);
    assert_true(holds(rules, count, PEER_XOR_BIT));
    assert_false(holds(rules, count, PEER_RING));
    count = peer_rules(&grid, 30, (int32_t[]){31, 0, 1}, 3, rules);
    assert_true(holds(rules, count, PEER_RING));
    struct peer_rule east = {.kind = PEER_OFFSET, .a = {1, 0, 0}};
    assert_int_equal(peer_of(&east, &grid, 6, 0), 7);
    assert_int_equal(peer_of(&east, &grid, 7, 0), PEER_NONE);
    assert_int_equal(peer_of(&east, &half, 3, 0), PEER_NONE);
    struct peer_rule transpose = {.kind = PEER_TRANSPOSE};
    for (uint32_t rank = 0; rank < 32; rank++) {
        int64_t partner = peer_of(&transpose, &grid, rank, 0);
        assert_int_equal(peer_of(&transpose, &grid, (uint32_t)partner, 0), rank);
    }
}

static void sizes_follow_forms(void **state)
{
    (void)state;
    struct grid four = grid_of(GRID_WIDE, 4), sixteen = grid_of(GRID_WIDE, 16),
                target = grid_of(GRID_WIDE, 64);
    struct fit fit;
    uint64_t value;
    struct observation area[] = {{&four, 0, 4096}, {&sixteen, 0, 1024}};
    assert_int_equal(fit_find(area, 2, &target, false, &fit), FIT_FOUND);
    assert_true(fit_value(&fit, &target, 0, &value));
    assert_int_equal(value, 256);
    struct observation odd[] = {{&four, 0, 4096}, {&sixteen, 0, 1000}};
    assert_int_equal(fit_find(odd, 2, &target, false, &fit), FIT_NO_FORM);
    assert_int_equal(fit_find(area, 1, &target, false, &fit), FIT_ONE_SIZE);
    struct observation stages[] = {{&four, 0, 1}, {&sixteen, 0, 2}};
    assert_int_equal(fit_find(stages, 2, &target, true, &fit), FIT_FOUND);
    assert_true(fit_value(&fit, &target, 0, &value));
    assert_int_equal(value, 3);
    struct grid eight = grid_of(GRID_WIDE, 8), thirty_two = grid_of(GRID_WIDE, 32);
    assert_int_equal(fit_find(stages, 2, &thirty_two, true, &fit),
                     FIT_AMBIGUOUS); /* is the fit linear in X or in Y? */
    struct observation three[] = {{&four, 0, 1}, {&eight, 0, 2}, {&sixteen, 0, 2}};
    assert_int_equal(fit_find(three, 3, &thirty_two, true, &fit), FIT_FOUND);
    assert_true(fit_value(&fit, &thirty_two, 0, &value));
    assert_int_equal(value, 3);
}

/* From what the ranks of lines have, `of`: on 4, 6, 7 and 9 ranks, or the first `samples` of these. */
static enum fit_outcome fit_on_lines(uint64_t (*of)(uint64_t rank, uint64_t ranks), size_t samples,
                                     uint32_t on, struct fit *fit)
{
    const uint32_t ranks[] = {4, 6, 7, 9};
    struct grid grids[4];
    const struct grid target = grid_of(GRID_LINE, on);
    struct observation seen[4 + 6 + 7 + 9];
    size_t count = 0;
    for (size_t s = 0; s < samples; s++) {
        grids[s] = grid_of(GRID_LINE, ranks[s]);
        for (uint32_t rank = 0; rank < ranks[s]; rank++)
            seen[count++] = (struct observation){&grids[s], rank, of(rank, ranks[s])};
    }
    const enum fit_outcome outcome = fit_find(seen, count, &target, false, fit);
    for (uint32_t rank = 0; rank < on && outcome == FIT_FOUND; rank++) {
        uint64_t value;
        assert_true(fit_value(fit, &target, rank, &value));
        assert_int_equal(value, of(rank, on));
    }
    return outcome;
}

static uint64_t of_floor(uint64_t rank, uint64_t ranks)
{
    (void)rank;
    return 8 * (1001 / ranks);
}

static uint64_t of_ceiling(uint64_t rank, uint64_t ranks)
{
    (void)rank;
    return 8 * ((1001 + ranks - 1) / ranks);
}

static uint64_t of_rest(uint64_t rank, uint64_t ranks)
{
    return 8 * (1001 / ranks + (rank == ranks - 1 ? 1001 % ranks : 0));
}

static uint64_t of_full(uint64_t rank, uint64_t ranks)
{
    const uint64_t most = (1001 + ranks - 1) / ranks, before = rank * most;
    return 8 * (before >= 1001 ? 0 : 1001 - before < most ? 1001 - before : most);
}

static uint64_t of_no_rule(uint64_t rank, uint64_t ranks)
{
    return of_rest(rank, ranks) + (ranks == 6 ? 80 : 0);
}

static void sizes_are_rounded(void **state)
{
    (void)state;
    struct fit fit;
    assert_int_equal(fit_on_lines(of_floor, 4, 32, &fit), FIT_FOUND);
    assert_int_equal(fit.form, FIT_FLOOR);
    assert_int_equal(fit_on_lines(of_ceiling, 4, 32, &fit), FIT_FOUND);
    assert_int_equal(fit.form, FIT_CEILING);
    assert_int_equal(fit_on_lines(of_rest, 4, 33, &fit), FIT_FOUND);
    assert_int_equal(fit.form, FIT_REST);
    assert_int_equal(fit.whole, 1001);
    assert_int_equal(fit_on_lines(of_full, 4, 33, &fit), FIT_FOUND);
    assert_int_equal(fit.form, FIT_FULL);
    assert_int_equal(fit_on_lines(of_no_rule, 4, 33, &fit), FIT_NO_FORM);
    /* 1004 to 1007 elements, rounded down, give the same on 4, 6 and 7 ranks; 9 tell them apart. */
    assert_int_equal(fit_on_lines(of_ceiling, 3, 32, &fit), FIT_AMBIGUOUS);
    assert_int_equal(fit.decider, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partners_follow_rules),
        cmocka_unit_test(sizes_follow_forms),
        cmocka_unit_test(sizes_are_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
