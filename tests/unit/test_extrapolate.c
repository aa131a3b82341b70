/* From traces on few ranks to the trace on many: what is found exactly, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "extrapolate/extrapolate.h"
#include "extrapolate/rank_events.h"
#include "support/sanitizer.h"
#include "support/traces.h"
#include "trace/trace.h"
#include "workload/workload.h"

enum { MOST_TRACES = 4 };

struct family {
    struct program *programs[MOST_TRACES];
    size_t count;
};

static void add(struct family *family, struct program *program)
{
    family->programs[family->count++] = program;
}

static void add_workload(struct family *family, const char *format, unsigned ranks)
{
    char spec[96];
    struct program *program;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(spec, sizeof spec, format, ranks);
#pragma GCC diagnostic pop
    if (workload_open(spec, &program) != STATUS_OK)
        fail_msg("%s: %s", spec, traces_messages());
    add(family, program);
}

static void close_all(struct family *family)
{
    for (size_t i = 0; i < family->count; i++)
        family->programs[i]->ops->close(family->programs[i]);
    family->count = 0;
}

static bool same_members(const struct program *a, uint32_t group, const struct program *b, uint32_t other)
{
    const struct group *one = &a->groups[group], *two = &b->groups[other];
    bool same = one->size == two->size;
    for (uint32_t i = 0; i < one->size && same; i++)
        same = group_world(one, i) == group_world(two, i);
    return same;
}

/* Every rank has the same calls. Communicators may have other numbers. Computation agrees to one part in a
 * thousand. */
static void assert_same(struct program *expected, struct program *found)
{
    struct rank_events a = {0}, b = {0};
    double computed[2] = {0};
    assert_int_equal(expected->ranks, found->ranks);
    expected->ops->rewind(expected);
    found->ops->rewind(found);
    for (uint32_t rank = 0; rank < expected->ranks; rank++) {
        rank_events_read(expected, rank, NULL, &a);
        rank_events_read(found, rank, NULL, &b);
        assert_int_equal(a.count, b.count);
        for (size_t i = 0; i < a.count; i++) {
            if (same_members(expected, a.at[i].comm, found, b.at[i].comm))
                b.at[i].comm = a.at[i].comm;
            if (!rank_event_same(&a.at[i], &b.at[i]))
                fail_msg("call %zu of rank %u differs", i, rank);
            computed[0] += a.at[i].operations;
            computed[1] += b.at[i].operations;
            if (fabs(b.at[i].operations - a.at[i].operations) > 0.002 * a.at[i].operations + 1)
                fail_msg("before call %zu of rank %u are %g operations, not %g", i, rank, b.at[i].operations,
                         a.at[i].operations);
        }
    }
    assert_true(computed[1] >= 0.999 * computed[0] && computed[1] <= 1.001 * computed[0]);
    free(a.at);
    free(b.at);
}

static void assert_extrapolates(struct family *family, struct program *expected)
{
    struct extrapolation *extrapolation;
    if (extrapolation_open(family->programs, family->count, expected->ranks, &extrapolation) != STATUS_OK)
        fail_msg("%s: %s", expected->name, traces_messages());
    assert_same(expected, extrapolation_program(extrapolation));
    extrapolation_close(extrapolation);
    traces_messages();
}

static void assert_refused(struct family *family, uint32_t ranks, const char *why)
{
    struct extrapolation *extrapolation;
    assert_int_equal(extrapolation_open(family->programs, family->count, ranks, &extrapolation),
                     STATUS_BAD_INPUT);
    assert_null(extrapolation);
    const char *messages = traces_messages();
    if (!strstr(messages, why))
        fail_msg("'%s' is not in: %s", why, messages);
    close_all(family);
}

/* --------------------------------------------------------------- generated */

static void workloads_grow_as_they_are_generated(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        unsigned from[3], to; /* 0 = no third */
    } cases[] = {
        {"npb:cg:class=S,ranks=%u", {4, 16}, 64},      {"npb:cg:class=S,ranks=%u", {4, 8, 16}, 32},
        {"npb:cg:class=A,ranks=%u", {16, 4, 32}, 128}, {"npb:ft:class=S,ranks=%u", {4, 16}, 64},
        {"npb:ft:class=S,ranks=%u", {4, 8, 16}, 32},   {"npb:ep:class=S,ranks=%u", {4, 16, 32}, 128},
        {"alltoall:ranks=%u,bytes=4KiB", {4, 7}, 12},  {"dissemination:ranks=%u", {4, 8, 16}, 64},
        {"fmu-bcast:ranks=%u", {4, 7, 9}, 20},         {"fmu-allreduce:ranks=%u", {4, 7, 9}, 20},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (HAS_SANITIZER && strstr(cases[i].spec, "class=A")) /* many calls */
            continue;
        struct family family = {0}, expected = {0};
        for (int k = 0; k < 3 && cases[i].from[k]; k++)
            add_workload(&family, cases[i].spec, cases[i].from[k]);
        add_workload(&expected, cases[i].spec, cases[i].to);
        assert_extrapolates(&family, expected.programs[0]);
        close_all(&family);
        close_all(&expected);
    }
}

static void sizes_that_follow_from_data_are_refused(void **state)
{
    (void)state;
    struct family family = {0};
    add_workload(&family, "npb:is:class=S,ranks=%u", 4);
    add_workload(&family, "npb:is:class=S,ranks=%u", 16);
    assert_refused(&family, 64, "are not shares of blocks; if they come from the program's data");
}

/* Some ranks take no part on MG's coarse grids. Only some ranks have LU's faces. */
static void calls_that_no_rule_explains_are_refused(void **state)
{
    (void)state;
    static const char *const specs[] = {"npb:mg:class=S,ranks=%u", "npb:lu:class=S,ranks=%u"};
    for (int i = 0; i < 2; i++) {
        struct family family = {0};
        add_workload(&family, specs[i], 4);
        add_workload(&family, specs[i], 16);
        assert_refused(&family, 64, "the calls of other ranks do not explain this call");
    }
}

static void the_number_of_ranks_must_suit(void **state)
{
    (void)state;
    struct family family = {0};
    add_workload(&family, "npb:cg:class=S,ranks=%u", 4);
    add_workload(&family, "npb:cg:class=S,ranks=%u", 8);
    add_workload(&family, "npb:cg:class=S,ranks=%u", 16);
    assert_refused(&family, 48, "cannot be extrapolated to so many ranks");
    add_workload(&family, "npb:cg:class=S,ranks=%u", 4);
    add_workload(&family, "npb:ft:class=S,ranks=%u", 4);
    assert_refused(&family, 16, "all traces have 4 ranks");
}

/* --------------------------------------------------------------- made here */

static uint64_t share(uint64_t whole, unsigned parts, unsigned index)
{
    return whole / parts + (index < whole % parts);
}

/* The trace of one rank, line by line. */
struct rank_text {
    char bytes[8192];
    size_t length;
};

static void say(struct rank_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct rank_text *text, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    text->length +=
        (size_t)vsnprintf(text->bytes + text->length, sizeof text->bytes - text->length, format, values);
    va_end(values);
    assert_true(text->length < sizeof text->bytes);
}

static void write_rank(const char *trace, unsigned rank, const struct rank_text *text)
{
    char file[64];
    snprintf(file, sizeof file, "%s/rank-%u.txt", trace, rank + 1);
    traces_write(file, text->bytes, text->length);
}

static struct program *open_written(const char *trace)
{
    struct program *program;
    if (trace_open(traces_path(trace), &program) != STATUS_OK)
        fail_msg("%s: %s", trace, traces_messages());
    return program;
}

/* Another way to divide: the last one has the rest. */
static uint64_t share_with_rest(uint64_t whole, unsigned parts, unsigned index)
{
    return whole / parts + (index == parts - 1 ? whole % parts : 0);
}

/* All messages are alike. */
static uint64_t same_size(uint64_t whole, unsigned parts, unsigned index)
{
    (void)whole, (void)parts, (void)index;
    return 300;
}

/* A plane of 100 x 84 cells on nx x ny ranks without wrap-around, as a stencil program sends; `share_of`
 * divides it. One message of rank 1 has `odd` more bytes. Where all messages have the same size, they have
 * the same tag too; else each direction has its own. */
static struct program *divided_halo(const char *name, unsigned nx, unsigned ny, unsigned odd,
                                    uint64_t (*share_of)(uint64_t whole, unsigned parts, unsigned index))
{
    static const int step[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (unsigned rank = 0; rank < nx * ny; rank++) {
        unsigned x = rank % nx, y = rank / nx;
        struct rank_text text = {0};
        say(&text, "%u init\n", rank);
        for (int pass = 0; pass < 5; pass++) {
            for (int sends = 0; sends < 2; sends++)
                for (int d = 0; d < 4; d++) {
                    unsigned to_x = x + (unsigned)step[d][0], to_y = y + (unsigned)step[d][1];
                    uint64_t edge = d < 2 ? share_of(84, ny, y) : share_of(100, nx, x);
                    if (to_x < nx && to_y < ny)
                        say(&text, "%u %s %u %d %lu 0\n", rank, sends ? "isend" : "irecv", to_y * nx + to_x,
                            share_of == same_size ? 0
                            : sends               ? d
                                                  : d ^ 1,
                            (unsigned long)edge + (sends && rank == 1 && pass == 2 && d == 0 ? odd : 0));
                }
            say(&text, "%u waitall 8\n%u compute %g\n%u allreduce 1 0 0\n", rank, rank, 8.4e6 / (nx * ny),
                rank);
        }
        say(&text, "%u finalize\n", rank);
        write_rank(name, rank, &text);
    }
    return open_written(name);
}

static struct program *halo(const char *name, unsigned nx, unsigned ny, unsigned odd)
{
    return divided_halo(name, nx, ny, odd, share);
}

static void stencils_have_edges_and_uneven_blocks(void **state)
{
    (void)state;
    struct family family = {0};
    add(&family, halo("halo.9", 3, 3, 0));
    add(&family, halo("halo.16", 4, 4, 0));
    add(&family, halo("halo.20", 5, 4, 0));
    struct program *expected = halo("halo.56", 8, 7, 0);
    assert_extrapolates(&family, expected);
    expected->ops->close(expected);
    close_all(&family);
}

/* The first receive of a corner could be that of any direction, and ranks 0 and 1 could be a butterfly. */
static void directions_may_look_alike(void **state)
{
    (void)state;
    struct family family = {0};
    for (unsigned side = 2; side <= 4; side++) {
        char name[16];
        snprintf(name, sizeof name, "alike.%u", side * side);
        add(&family, divided_halo(name, side, side, 0, same_size));
    }
    struct program *expected = divided_halo("alike.36", 6, 6, 0, same_size);
    assert_extrapolates(&family, expected);
    expected->ops->close(expected);
    close_all(&family);
}

static void the_last_rank_may_have_the_rest(void **state)
{
    (void)state;
    struct family family = {0};
    add(&family, divided_halo("rest.9", 3, 3, 0, share_with_rest));
    add(&family, divided_halo("rest.16", 4, 4, 0, share_with_rest));
    add(&family, divided_halo("rest.20", 5, 4, 0, share_with_rest));
    struct program *expected = divided_halo("rest.56", 8, 7, 0, share_with_rest);
    assert_extrapolates(&family, expected);
    expected->ops->close(expected);
    close_all(&family);
}

/* An allgather of 1001 elements, in blocks that are rounded up, in floor(100 / ranks) passes. */
static struct program *rounded(const char *name, unsigned ranks)
{
    for (unsigned rank = 0; rank < ranks; rank++) {
        struct rank_text text = {0};
        const unsigned block = (1001 + ranks - 1) / ranks;
        say(&text, "%u init\n", rank);
        for (unsigned pass = 0; pass < 100 / ranks; pass++)
            say(&text, "%u allgather %u %u 0 0\n", rank, block, block);
        say(&text, "%u finalize\n", rank);
        write_rank(name, rank, &text);
    }
    return open_written(name);
}

static void sizes_and_passes_may_be_rounded(void **state)
{
    (void)state;
    struct family family = {0};
    add(&family, rounded("rounded.4", 4));
    add(&family, rounded("rounded.6", 6));
    add(&family, rounded("rounded.7", 7));
    assert_refused(&family, 24, "(2008 on 4 ranks, 1336 on 6 ranks, 1144 on 7 ranks) follow several rules");
    add(&family, rounded("rounded.4", 4));
    add(&family, rounded("rounded.6", 6));
    add(&family, rounded("rounded.7", 7));
    add(&family, rounded("rounded.9", 9));
    struct program *expected = rounded("rounded.24", 24);
    assert_extrapolates(&family, expected);
    expected->ops->close(expected);
    close_all(&family);
}

enum burst_case { AT_ITS_PLACE, OF_CALLERS, BY_BLOCKS, MORE_INSIDE, ODD_RANK, MORE_ON_FOUR };

static double burst_of(enum burst_case kind, unsigned x, unsigned y, unsigned nx, unsigned ny)
{
    double cells =
        1e6 * (kind == BY_BLOCKS ? (double)share(100, nx, x) * (double)share(84, ny, y) : 8400.0 / (nx * ny));
    bool inside = x > 0 && y > 0 && x + 1 < nx && y + 1 < ny;
    if (kind == ODD_RANK && nx == 4 && x == 1 && y == 1)
        return 1.5 * cells;
    if (kind == MORE_ON_FOUR && nx * ny == 4)
        return 1.1 * cells;
    return kind == MORE_INSIDE && inside ? 1.25 * cells : cells;
}

/* A stencil whose computation comes before the first of the calls that edge ranks leave out. OF_CALLERS: a
 * rank also packs what it sends to the west. */
static struct program *bursts(const char *name, unsigned nx, unsigned ny, enum burst_case kind)
{
    static const int step[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (unsigned rank = 0; rank < nx * ny; rank++) {
        unsigned x = rank % nx, y = rank / nx;
        struct rank_text text = {0};
        say(&text, "%u init\n", rank);
        for (int pass = 0; pass < 4; pass++) {
            say(&text, "%u compute %.9g\n", rank, burst_of(kind, x, y, nx, ny));
            for (int sends = 0; sends < 2; sends++)
                for (int d = 0; d < 4; d++) {
                    unsigned to_x = x + (unsigned)step[d][0], to_y = y + (unsigned)step[d][1];
                    uint64_t edge = d < 2 ? share(84, ny, y) : share(100, nx, x);
                    if (to_x >= nx || to_y >= ny)
                        continue;
                    if (kind == OF_CALLERS && d == 0 && sends)
                        say(&text, "%u compute %.9g\n", rank, 2e9 / (nx * ny));
                    say(&text, "%u %s %u %d %lu 0\n", rank, sends ? "isend" : "irecv", to_y * nx + to_x,
                        sends ? d : d ^ 1, (unsigned long)edge);
                }
            say(&text, "%u waitall 8\n%u compute 3e5\n%u allreduce 1 0 0\n", rank, rank, rank);
        }
        say(&text, "%u finalize\n", rank);
        write_rank(name, rank, &text);
    }
    return open_written(name);
}

/* The largest error of the computation of a rank, relative. */
static double worst_rank(struct program *expected, struct program *found)
{
    struct rank_events a = {0}, b = {0};
    double worst = 0;
    expected->ops->rewind(expected);
    found->ops->rewind(found);
    for (uint32_t rank = 0; rank < expected->ranks; rank++) {
        double computed[2] = {0};
        rank_events_read(expected, rank, NULL, &a);
        rank_events_read(found, rank, NULL, &b);
        for (size_t i = 0; i < a.count; i++)
            computed[0] += a.at[i].operations;
        for (size_t i = 0; i < b.count; i++)
            computed[1] += b.at[i].operations;
        worst = fmax(worst, fabs(computed[1] / computed[0] - 1));
    }
    free(a.at);
    free(b.at);
    return worst;
}

static void a_burst_belongs_to_its_place(void **state)
{
    (void)state;
    static const unsigned learned[][2] = {{2, 2}, {3, 3}, {4, 4}, {5, 4}};
    for (enum burst_case kind = AT_ITS_PLACE; kind <= MORE_INSIDE; kind++) {
        struct family family = {0};
        struct extrapolation *extrapolation;
        char name[32];
        for (size_t i = 0; i < MOST_TRACES; i++) {
            snprintf(name, sizeof name, "burst.%d.%u", kind, learned[i][0]);
            add(&family, bursts(name, learned[i][0], learned[i][1], kind));
        }
        snprintf(name, sizeof name, "burst.%d.7", kind);
        struct program *expected = bursts(name, 7, 6, kind);
        if (extrapolation_open(family.programs, family.count, 42, &extrapolation) != STATUS_OK)
            fail_msg("%d: %s", kind, traces_messages());
        double worst = worst_rank(expected, extrapolation_program(extrapolation));
        if (worst > 0.002)
            fail_msg("case %d: a rank is %g off", kind, worst);
        extrapolation_close(extrapolation);
        expected->ops->close(expected);
        close_all(&family);
    }
}

/* What is printed of the family on so many ranks. The caller frees it. */
static char *printed(struct family *family, uint32_t ranks)
{
    struct extrapolation *extrapolation;
    char *text;
    size_t size;
    if (extrapolation_open(family->programs, family->count, ranks, &extrapolation) != STATUS_OK)
        fail_msg("%s", traces_messages());
    FILE *to = open_memstream(&text, &size);
    extrapolation_print(extrapolation, to);
    fclose(to);
    extrapolation_close(extrapolation);
    return text;
}

/* Rank 5 of 16 computes 1.5 times as much as the others. The mean error of a rank is 2 %. */
static void the_largest_error_is_printed(void **state)
{
    (void)state;
    struct family family = {0};
    add(&family, bursts("odd.4", 2, 2, ODD_RANK));
    add(&family, bursts("odd.9", 3, 3, ODD_RANK));
    add(&family, bursts("odd.16", 4, 4, ODD_RANK));
    char *text = printed(&family, 36);
    if (!strstr(text, "0 % at an edge") || !strstr(text, ", 33 % inside (rank 5)\n"))
        fail_msg("%s", text);
    if (!strstr(text, "(fit, up to 11 % off on 16 ranks, inside)"))
        fail_msg("%s", text);
    free(text);
    close_all(&family);
}

/* On 4 ranks each burst is 10 % longer than a power of -1 of the others, 9 and 16. The straight line through
 * the logarithms of all three gives 1.1^-0.772 of that power on 36 ranks; those through two give
 * 1, 1.1^-0.585 (without 9) and 1.1^-1.710 (without 16). */
static void a_forecast_depends_on_each_trace(void **state)
{
    (void)state;
    struct family family = {0};
    add(&family, bursts("more.4", 2, 2, MORE_ON_FOUR));
    add(&family, bursts("more.9", 3, 3, MORE_ON_FOUR));
    add(&family, bursts("more.16", 4, 4, MORE_ON_FOUR));
    char *text = printed(&family, 36);
    if (!strstr(
            text,
            "computation of a rank of 36, if a trace is left out of the fits: 8.5 % less to 7.6 % more\n"))
        fail_msg("%s", text);
    free(text);
    close_all(&family);
}

/* 84 rows divide evenly among 2, 3 and 4 ranks, and not among 5. */
static void what_to_capture_is_named(void **state)
{
    (void)state;
    struct family family = {0};
    add(&family, bursts("even.4", 2, 2, AT_ITS_PLACE));
    add(&family, bursts("even.9", 3, 3, AT_ITS_PLACE));
    add(&family, bursts("even.16", 4, 4, AT_ITS_PLACE));
    assert_refused(&family, 25, "capture the program on 5 ranks too");
}

static void an_inconsistent_size_is_reported_at_its_line(void **state)
{
    (void)state;
    struct family family = {0};
    add(&family, halo("odd.9", 3, 3, 0));
    add(&family, halo("odd.16", 4, 4, 0));
    add(&family, halo("odd.20", 5, 4, 3));
    assert_refused(&family, 56, "odd.20/rank-2.txt:");
}

/* All calls of the largest trace agree on a value, which differs in the smaller traces. */
static void a_held_back_trace_that_is_another_program_is_refused(void **state)
{
    (void)state;
    struct family family = {0};
    add_workload(&family, "npb:cg:class=S,ranks=%u", 4);
    add_workload(&family, "npb:cg:class=S,ranks=%u", 8);
    add_workload(&family, "npb:cg:class=S,ranks=%u", 16);
    add_workload(&family, "npb:cg:class=W,ranks=%u", 32);
    assert_refused(&family, 64, "predicts another call here");
}

/* Rank 0 hands out work and collects results. */
static struct program *farm(const char *name, unsigned ranks)
{
    for (unsigned rank = 0; rank < ranks; rank++) {
        struct rank_text text = {0};
        say(&text, "%u init\n", rank);
        for (unsigned other = 1; other < ranks && !rank; other++)
            say(&text, "0 send %u 7 4000 6\n", other);
        for (unsigned other = 1; other < ranks && !rank; other++)
            say(&text, "0 recv -333 8 16 6\n");
        if (rank)
            say(&text, "%u recv 0 7 4000 6\n%u compute 1e6\n%u send 0 8 16 6\n", rank, rank, rank);
        say(&text, "%u finalize\n", rank);
        write_rank(name, rank, &text);
    }
    return open_written(name);
}

static void rank_0_may_stand_apart(void **state)
{
    (void)state;
    struct family family = {0};
    add(&family, farm("farm.4", 4));
    add(&family, farm("farm.7", 7));
    add(&family, farm("farm.12", 12));
    struct program *expected = farm("farm.30", 30);
    assert_extrapolates(&family, expected);
    expected->ops->close(expected);
    close_all(&family);
}

/* Exchanges with recursive doubling. Before the stages a rank computes a part of a whole and a constant;
 * within them it computes as much each time. */
static struct program *doubling(const char *name, unsigned ranks)
{
    for (unsigned rank = 0; rank < ranks; rank++) {
        struct rank_text text = {0};
        say(&text, "%u init\n%u compute 7e6\n", rank, rank);
        for (int pass = 0; pass < 3; pass++) {
            say(&text, "%u compute %.9g\n", rank, 4e6 + 3e8 / ranks);
            for (unsigned bit = 1; bit < ranks; bit *= 2)
                say(&text, "%u sendRecv 80 %u 80 %u #tags 3 3\n%u compute 5e6\n", rank, rank ^ bit,
                    rank ^ bit, rank);
        }
        say(&text, "%u finalize\n", rank);
        write_rank(name, rank, &text);
    }
    return open_written(name);
}

static void bursts_before_and_in_loops_are_told_apart(void **state)
{
    (void)state;
    struct family family = {0};
    add(&family, doubling("doubling.4", 4));
    add(&family, doubling("doubling.8", 8));
    add(&family, doubling("doubling.16", 16));
    struct program *expected = doubling("doubling.128", 128);
    assert_extrapolates(&family, expected);
    expected->ops->close(expected);
    close_all(&family);
}

/* A duplicate of the world, rows and columns: nx x ny ranks. `odd`: two ranks change places in a row. */
static struct program *communicators(const char *name, unsigned nx, unsigned ny, bool odd)
{
    for (unsigned rank = 0; rank < nx * ny; rank++) {
        unsigned x = rank % nx, y = rank / nx;
        struct rank_text text = {0};
        say(&text, "%u init\n%u comm_split #c 0-%u\n%u comm_split #cdup 0-%u\n", rank, rank, nx * ny - 1,
            rank, nx * ny - 1);
        if (odd && y == 1)
            say(&text, "%u comm_split #crow%u %u,%u,%u-%u\n", rank, y, y * nx + 1, y * nx, y * nx + 2,
                y * nx + nx - 1);
        else
            say(&text, "%u comm_split #crow%u %u-%u\n", rank, y, y * nx, y * nx + nx - 1);
        say(&text, "%u comm_split #ccolumn%u ", rank, x);
        for (unsigned i = 0; i < ny; i++)
            say(&text, "%s%u", i ? "," : "", i * nx + x);
        say(&text, "\n");
        for (int pass = 0; pass < 3; pass++) {
            unsigned down = (rank + nx * ny - nx) % (nx * ny), up = (rank + nx) % (nx * ny);
            say(&text, "%u irecv %u 5 10 0 #cdup\n%u send %u 5 10 0 #cdup\n%u wait %u %u 5 #cdup\n", rank,
                down, rank, up, rank, down, rank);
            say(&text, "%u allreduce 4 0 0 #crow%u\n", rank, y);
            say(&text, "%u bcast 7 1 0 #ccolumn%u\n%u allreduce 2 0 0 #cdup\n", rank, x, rank);
        }
        say(&text, "%u finalize\n", rank);
        write_rank(name, rank, &text);
    }
    return open_written(name);
}

static void rows_and_columns_are_communicators(void **state)
{
    (void)state;
    struct family family = {0};
    struct extrapolation *extrapolation;
    add(&family, communicators("comm.6", 3, 2, false));
    add(&family, communicators("comm.9", 3, 3, false));
    add(&family, communicators("comm.12", 4, 3, false));
    if (extrapolation_open(family.programs, family.count, 20, &extrapolation) != STATUS_OK)
        fail_msg("%s", traces_messages());
    struct program *found = extrapolation_program(extrapolation),
                   *expected = communicators("comm.20", 5, 4, false);
    struct rank_events a = {0}, b = {0};
    expected->ops->rewind(expected);
    found->ops->rewind(found);
    for (uint32_t rank = 0; rank < 20; rank++) {
        rank_events_read(expected, rank, NULL, &a);
        rank_events_read(found, rank, NULL, &b);
        assert_int_equal(a.count, b.count);
        for (size_t i = 0; i < a.count; i++) {
            const struct group *one = &expected->groups[a.at[i].comm], *other = &found->groups[b.at[i].comm];
            assert_int_equal(one->size, other->size);
            for (uint32_t k = 0; k < one->size; k++)
                assert_int_equal(group_world(one, k), group_world(other, k));
            assert_int_equal(a.at[i].comm == 0, b.at[i].comm == 0);
            b.at[i].comm = a.at[i].comm;
            assert_true(rank_event_same(&a.at[i], &b.at[i]));
        }
    }
    free(a.at);
    free(b.at);
    extrapolation_close(extrapolation);
    expected->ops->close(expected);
    close_all(&family);
    add(&family, communicators("odd.6", 3, 2, true));
    add(&family, communicators("odd.9", 3, 3, true));
    assert_refused(&family, 20, "neither all ranks nor a row, column or plane");
}

/* A chain in which the ends have one neighbour: MPI_Sendrecv with MPI_PROC_NULL. Messages back are sent with
 * tag 8 and received with tag `back`. */
static struct program *chain(const char *name, unsigned ranks, int back)
{
    for (unsigned rank = 0; rank < ranks; rank++) {
        struct rank_text text = {0};
        say(&text, "%u init\n", rank);
        for (int pass = 0; pass < 3; pass++) {
            say(&text, "%u compute 2e6\n", rank);
            if (rank == 0)
                say(&text, "0 send 1 4 50 0\n");
            else if (rank + 1 == ranks)
                say(&text, "%u recv %u 4 50 0\n", rank, rank - 1);
            else
                say(&text, "%u sendRecv 50 %u 50 %u 0 0 #tags 4 4\n", rank, rank + 1, rank - 1);
            if (rank == 0)
                say(&text, "0 recv 1 %d 20 0\n", back);
            else if (rank + 1 == ranks)
                say(&text, "%u send %u 8 20 0\n", rank, rank - 1);
            else
                say(&text, "%u sendRecv 20 %u 20 %u 0 0 #tags 8 %d\n", rank, rank - 1, rank + 1, back);
        }
        say(&text, "%u finalize\n", rank);
        write_rank(name, rank, &text);
    }
    return open_written(name);
}

static void ends_of_a_chain_make_halves(void **state)
{
    (void)state;
    struct family family = {0};
    add(&family, chain("chain.4", 4, 8));
    add(&family, chain("chain.6", 6, 8));
    add(&family, chain("chain.9", 9, 8));
    struct program *expected = chain("chain.20", 20, 8);
    assert_extrapolates(&family, expected);
    expected->ops->close(expected);
    close_all(&family);
    add(&family, chain("tags.4", 4, 9));
    add(&family, chain("tags.9", 9, 9));
    assert_refused(&family, 20, "to a rank that does not receive it");
}

/* A matrix of 50 x 70 is transposed, and gathered by rows. One size has `odd` more bytes. */
static struct program *transposition(const char *name, unsigned ranks, unsigned odd)
{
    for (unsigned rank = 0; rank < ranks; rank++) {
        struct rank_text text = {0};
        say(&text, "%u init\n", rank);
        for (int pass = 0; pass < 3; pass++) {
            say(&text, "%u alltoallv 9", rank);
            for (unsigned i = 0; i < ranks; i++)
                say(&text, " %lu",
                    (unsigned long)(share(50, ranks, rank) * share(70, ranks, i)) +
                        (rank == 1 && i == 2 ? odd : 0));
            say(&text, " 9");
            for (unsigned i = 0; i < ranks; i++)
                say(&text, " %lu",
                    (unsigned long)(share(50, ranks, i) * share(70, ranks, rank)) +
                        (rank == 2 && i == 1 ? odd : 0));
            say(&text, " 0 0\n%u allgatherv %lu", rank, (unsigned long)share(50, ranks, rank) * 3);
            for (unsigned i = 0; i < ranks; i++)
                say(&text, " %lu", (unsigned long)share(50, ranks, i) * 3);
            say(&text, " 0 0\n");
        }
        say(&text, "%u finalize\n", rank);
        write_rank(name, rank, &text);
    }
    return open_written(name);
}

static void sizes_for_each_peer_follow_shares(void **state)
{
    (void)state;
    struct family family = {0};
    add(&family, transposition("transposition.4", 4, 0));
    add(&family, transposition("transposition.6", 6, 0));
    add(&family, transposition("transposition.9", 9, 0));
    struct program *expected = transposition("transposition.16", 16, 0);
    assert_extrapolates(&family, expected);
    expected->ops->close(expected);
    close_all(&family);
    add(&family, transposition("shifted.4", 4, 0));
    add(&family, transposition("shifted.6", 6, 1));
    assert_refused(&family, 16, "are not shares of blocks");
}

/* The root hands out 50 rows of 24 bytes, and collects 3 bytes for each row. It computes more, at the end as
 * much on any number of ranks. One block has `odd` more bytes. */
static struct program *handed_out(const char *name, unsigned ranks, unsigned root, unsigned odd)
{
    for (unsigned rank = 0; rank < ranks; rank++) {
        struct rank_text text = {0};
        unsigned long own = (unsigned long)share(50, ranks, rank), more = rank == 2 ? odd : 0;
        say(&text, "%u init\n%u scatterv", rank, rank);
        for (unsigned i = 0; i < ranks; i++)
            say(&text, " %lu", rank == root ? (unsigned long)share(50, ranks, i) * 3 : 0UL);
        say(&text, " %lu %u 0 0\n", own * 3, root);
        for (int pass = 0; pass < 3; pass++) {
            say(&text, "%u compute %g\n%u gatherv %lu", rank, (rank == root ? 12e6 : 9e6) / ranks, rank,
                own * 3 + more);
            for (unsigned i = 0; i < ranks; i++)
                say(&text, " %lu",
                    rank == root ? (unsigned long)share(50, ranks, i) * 3 + (i == 2 ? odd : 0) : 0UL);
            say(&text, " %u 6 6\n", root);
        }
        say(&text, "%u compute %g\n%u finalize\n", rank, rank == root ? 5e6 : 1e6 / ranks, rank);
        write_rank(name, rank, &text);
    }
    return open_written(name);
}

static void a_root_hands_out_shares(void **state)
{
    (void)state;
    for (unsigned last = 0; last < 2; last++) {
        struct family family = {0};
        add(&family, handed_out("hand.4", 4, last ? 3 : 0, 0));
        add(&family, handed_out("hand.6", 6, last ? 5 : 0, 0));
        add(&family, handed_out("hand.9", 9, last ? 8 : 0, 0));
        struct program *expected = handed_out("hand.16", 16, last ? 15 : 0, 0);
        assert_extrapolates(&family, expected);
        expected->ops->close(expected);
        close_all(&family);
    }
    struct family family = {0};
    add(&family, handed_out("uneven.4", 4, 0, 0));
    add(&family, handed_out("uneven.6", 6, 0, 1));
    assert_refused(&family, 16, "are not shares of blocks");
}

/* Nodes of `node` ranks: each sums up, the first ranks of all nodes sum up, and tell the others. */
static struct program *nodes(const char *name, unsigned ranks, unsigned node)
{
    for (unsigned rank = 0; rank < ranks; rank++) {
        struct rank_text text = {0};
        unsigned first = rank / node * node;
        say(&text, "%u init\n%u comm_split #cn%u %u-%u\n", rank, rank, first, first, first + node - 1);
        for (unsigned i = 0; i < ranks && rank == first; i += node)
            say(&text, i ? ",%u" : "%u comm_split #cf 0", i ? i : rank);
        say(&text, rank == first ? "\n" : "");
        for (int pass = 0; pass < 4; pass++) {
            say(&text, "%u compute %g\n%u reduce 80 0 0 6 #cn%u\n", rank, 2.4e8 / ranks, rank, first);
            if (rank == first)
                say(&text, "%u compute 7e4\n%u allreduce 80 0 6 #cf\n", rank, rank);
            say(&text, "%u bcast 80 0 6 #cn%u\n", rank, first);
        }
        say(&text, "%u finalize\n", rank);
        write_rank(name, rank, &text);
    }
    return open_written(name);
}

static void nodes_have_communicators(void **state)
{
    (void)state;
    struct family family = {0};
    add(&family, nodes("nodes.8", 8, 4));
    add(&family, nodes("nodes.12", 12, 4));
    add(&family, nodes("nodes.20", 20, 4));
    struct program *expected = nodes("nodes.28", 28, 4);
    assert_extrapolates(&family, expected);
    expected->ops->close(expected);
    assert_refused(&family, 30, "ask for a multiple of 4");
    add(&family, nodes("planes.8", 8, 4));
    add(&family, nodes("planes.12", 12, 4));
    assert_refused(&family, 32, "are nodes or a side of the grid; capture the program on 24 ranks too");
    add(&family, nodes("nodes2.8", 8, 2));
    add(&family, nodes("nodes4.12", 12, 4));
    assert_refused(&family, 24, "nor nodes");
}

/* Each rank sends to the next one, round the end, so often that each block reaches all ranks, in each round.
 */
static struct program *ring_of(unsigned ranks, unsigned rounds)
{
    char name[32];
    snprintf(name, sizeof name, "ring%u.%u", rounds, ranks);
    for (unsigned rank = 0; rank < ranks; rank++) {
        unsigned before = (rank + ranks - 1) % ranks, next = (rank + 1) % ranks;
        struct rank_text text = {0};
        say(&text, "%u init\n", rank);
        for (unsigned pass = 0; pass < rounds * (ranks - 1); pass++)
            say(&text, "%u irecv %u 0 64 6\n%u send %u 0 64 6\n%u wait %u %u 0\n", rank, before, rank, next,
                rank, before, rank);
        say(&text, "%u finalize\n", rank);
        write_rank(name, rank, &text);
    }
    return open_written(name);
}

static void rings_grow_from_powers_of_two(void **state)
{
    (void)state;
    for (unsigned rounds = 1; rounds <= 3; rounds += 2) {
        struct family family = {0};
        add(&family, ring_of(4, rounds));
        add(&family, ring_of(8, rounds));
        add(&family, ring_of(16, rounds));
        struct program *expected = ring_of(36, rounds);
        assert_extrapolates(&family, expected);
        expected->ops->close(expected);
        close_all(&family);
    }
}

/* Each trace must have as many rounds. */
static void rounds_are_as_many_in_each_trace(void **state)
{
    (void)state;
    struct family family = {0};
    add(&family, ring_of(4, 3));
    add(&family, ring_of(6, 3));
    add(&family, ring_of(8, 4));
    assert_refused(&family, 16, "the model that the other traces give predicts another call here");
}

/* On 2 x 2, 3 x 3 and 4 x 4 ranks nothing tells which side is the longer. */
static void a_number_of_ranks_is_proposed(void **state)
{
    (void)state;
    struct family family = {0};
    add(&family, bursts("square.4", 2, 2, AT_ITS_PLACE));
    add(&family, bursts("square.9", 3, 3, AT_ITS_PLACE));
    add(&family, bursts("square.16", 4, 4, AT_ITS_PLACE));
    assert_refused(&family, 42, "capture the program on 2 ranks too, which would decide");
}

static void times_that_depend_on_the_network_are_refused(void **state)
{
    (void)state;
    struct family family = {0};
    add(&family, &traces_open("poll.2", "0 init\n0 irecv 1 1 8 6\n0 test 1 0 1\n0 wait 1 0 1\n0 finalize\n",
                              "1 init\n1 send 0 1 8 6\n1 finalize\n", NULL)
                      ->program);
    add_workload(&family, "npb:ep:class=S,ranks=%u", 4);
    assert_refused(&family, 8, "poll.2/rank-1.txt:3: error: cannot be extrapolated");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workloads_grow_as_they_are_generated),
        cmocka_unit_test(sizes_that_follow_from_data_are_refused),
        cmocka_unit_test(calls_that_no_rule_explains_are_refused),
        cmocka_unit_test(the_number_of_ranks_must_suit),
        cmocka_unit_test(stencils_have_edges_and_uneven_blocks),
        cmocka_unit_test(directions_may_look_alike),
        cmocka_unit_test(the_last_rank_may_have_the_rest),
        cmocka_unit_test(sizes_and_passes_may_be_rounded),
        cmocka_unit_test(a_burst_belongs_to_its_place),
        cmocka_unit_test(the_largest_error_is_printed),
        cmocka_unit_test(a_forecast_depends_on_each_trace),
        cmocka_unit_test(what_to_capture_is_named),
        cmocka_unit_test(an_inconsistent_size_is_reported_at_its_line),
        cmocka_unit_test(a_held_back_trace_that_is_another_program_is_refused),
        cmocka_unit_test(rank_0_may_stand_apart),
        cmocka_unit_test(bursts_before_and_in_loops_are_told_apart),
        cmocka_unit_test(rows_and_columns_are_communicators),
        cmocka_unit_test(ends_of_a_chain_make_halves),
        cmocka_unit_test(sizes_for_each_peer_follow_shares),
        cmocka_unit_test(a_root_hands_out_shares),
        cmocka_unit_test(nodes_have_communicators),
        cmocka_unit_test(rings_grow_from_powers_of_two),
        cmocka_unit_test(rounds_are_as_many_in_each_trace),
        cmocka_unit_test(a_number_of_ranks_is_proposed),
        cmocka_unit_test(times_that_depend_on_the_network_are_refused),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
