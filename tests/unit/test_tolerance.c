/* Tolerance. Witnesses: cases with breakpoints and tolerances as fractions that another program computed;
 * examples worked out by hand; and on random programs runs at both ends of each piece. T is convex, so a line
 * that it meets at both ends of a piece is all of the piece. */
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
#include "sim/components.h"
#include "sim/experiment.h"
#include "tolerance/tolerance.h"
#include "trace/goal/goal.h"
#include "trace/trace.h"

/* o 500, G 1, S 65535, in ns: what the cases are computed with. */
static const struct tolerance_costs of_cases = {.is_loggops = true,
                                                .scale = 1,
                                                .overhead = 500000,
                                                .G_numerator = 1000,
                                                .G_denominator = 1,
                                                .O_denominator = 1,
                                                .eager_bytes = 65535,
                                                .ranks_per_node = 1};

static struct tolerance_at ns(int64_t numerator, int64_t denominator)
{
    return (struct tolerance_at){numerator * 1000, denominator};
}

static void assert_at(struct tolerance_at found, struct tolerance_at wanted)
{
    if (tolerance_compare(found, wanted) != 0)
        fail_msg("%lld/%lld is not %lld/%lld", (long long)found.numerator, (long long)found.denominator,
                 (long long)wanted.numerator, (long long)wanted.denominator);
}

/* "58663/2" or "2398". */
static struct tolerance_at read_fraction(const char **text)
{
    char *end;
    long long numerator = strtoll(*text, &end, 10), denominator = 1;
    if (*end == '/')
        denominator = strtoll(end + 1, &end, 10);
    *text = end;
    return ns(numerator, denominator);
}

/* -------------------------------------------------------------------- cases */

static struct program_paths *open_text(const char *text, const struct tolerance_costs *costs,
                                       struct program **program)
{
    struct program_paths *paths;
    assert_int_equal(goal_open_bytes("t.goal", mem_text(text), strlen(text), program), STATUS_OK);
    assert_int_equal(program_paths_open(*program, costs, &paths), STATUS_OK);
    return paths;
}

/* `line`: case, ranks, arcs, T(0), slope, breakpoints, T(1 ms), slope there, T(3000), three tolerances. */
static void check_case(char *line)
{
    const struct tolerance none = {.count = 0};
    char *fields[12], path[128];
    struct program *program;
    struct program_paths *paths;
    struct tolerance tolerance = {.count = 0};
    for (size_t i = 0; i < 12; i++)
        fields[i] = strsep(&line, ",");
    snprintf(path, sizeof path, "tests/goal/tolerance/%s.goal", fields[0]);
    assert_int_equal(trace_open(path, &program), STATUS_OK);
    assert_int_equal(program_paths_open(program, &of_cases, &paths), STATUS_OK);
    tolerance_find(paths, ns(0, 1), ns(1000000, 1), &tolerance);
    assert_int_equal(tolerance.pieces[0].line.a, strtoll(fields[3], NULL, 10) * 1000);
    assert_int_equal(tolerance.pieces[0].line.k, strtoll(fields[4], NULL, 10));
    const char *points = fields[5];
    size_t count = 1;
    for (; *points; points += *points == ' ') {
        assert_true(count < tolerance.count);
        assert_at(tolerance.pieces[count].from, read_fraction(&points));
        assert_int_equal(*points, ':');
        char *end;
        assert_int_equal(tolerance.pieces[count++].line.k, strtoll(points + 1, &end, 10));
        points = end;
    }
    assert_int_equal(count, tolerance.count);
    assert_int_equal(tolerance_time(tolerance.pieces[count - 1].line, ns(1000000, 1)),
                     strtoll(fields[6], NULL, 10) * 1000);
    assert_int_equal(tolerance_time(program_paths_longest(paths, ns(3000, 1), false), ns(3000, 1)),
                     strtoll(fields[8], NULL, 10) * 1000);
    static const unsigned percents[] = {1, 2, 5};
    for (size_t i = 0; i < 3; i++) {
        struct tolerance_at limit;
        const char *wanted = fields[9 + i];
        wanted += strspn(wanted, "\"");
        assert_true(tolerance_limit(paths, &tolerance, ns(3000, 1), percents[i], &limit));
        assert_at(limit, read_fraction(&(const char *){wanted}));
        assert_true(tolerance_limit(paths, &none, ns(3000, 1), percents[i], &limit));
        assert_at(limit, read_fraction(&wanted));
    }
    free(tolerance.pieces);
    program_paths_close(paths);
    program->ops->close(program);
}

static void cases_are_exact(void **state)
{
    (void)state;
    FILE *file = fopen("tests/goal/tolerance/expected.csv", "r");
    char *line = NULL;
    size_t size = 0, count = 0;
    assert_non_null(file);
    for (ssize_t length; (length = getline(&line, &size, file)) > 0;) {
        line[length - 1] = '\0';
        if (strncmp(line, "case,", 5) == 0)
            continue;
        check_case(line);
        count++;
    }
    assert_int_equal(count, 7);
    free(line);
    fclose(file);
}

/* T = 6500 up to L = 482, then 6018 + L; and 7000 up to 982, then the same. */
static void worked_examples_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t point, flat;
    } examples[] = {
        {"num_ranks 2\nrank 0 {\na: calc 1000\nb: send 4b to 1\nc: calc 2000\nb requires a\n"
         "c requires b\n}\nrank 1 {\na: calc 3000\nb: recv 4b from 0\nc: calc 2000\n"
         "b requires a\nc requires b\n}\n",
         482, 6500},
        {"num_ranks 2\nrank 0 {\na: calc 1000\nb: send 4b to 1\nc: calc 2000 cpu 1\n"
         "d: calc 4000 cpu 2\nb requires a\nc irequires b\nd requires b\nd requires c\n}\n"
         "rank 1 {\na: calc 3000\nb: recv 4b from 0\nc: calc 2000\nb requires a\nc requires b\n}\n",
         982, 7000}};
    struct tolerance_costs costs = of_cases;
    costs.overhead = 1500000;
    costs.G_numerator = 6000;
    for (size_t i = 0; i < 2; i++) {
        struct program *program;
        struct program_paths *paths = open_text(examples[i].text, &costs, &program);
        struct tolerance tolerance = {.count = 0};
        tolerance_find(paths, ns(0, 1), ns(1000000, 1), &tolerance);
        assert_int_equal(tolerance.count, 2);
        assert_int_equal(tolerance.pieces[0].line.k, 0);
        assert_int_equal(tolerance.pieces[0].line.a, examples[i].flat * 1000);
        assert_at(tolerance.pieces[1].from, ns(examples[i].point, 1));
        assert_int_equal(tolerance.pieces[1].line.a, 6018000);
        assert_int_equal(tolerance.pieces[1].line.k, 1);
        struct tolerance_at floor;
        assert_true(tolerance_floor(paths, &tolerance, &floor));
        assert_at(floor, ns(examples[i].point, 1));
        free(tolerance.pieces);
        program_paths_close(paths);
        program->ops->close(program);
    }
}

/* ------------------------------------------------------------------ random */

struct text {
    char bytes[1 << 19];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    text->length +=
        (size_t)vsnprintf(text->bytes + text->length, sizeof text->bytes - text->length, format, values);
    va_end(values);
}

/* Messages between random ranks in one common order, so that there is no deadlock; each operation waits for
 * the one before it in its rank, or for an earlier one. Each has a core of its own, as without contention. */
static void make_random(struct text *text, uint32_t ranks, struct rng *rng)
{
    enum { STEPS = 60, RANKS = 5 };
    static struct text of_rank[RANKS];
    uint32_t count[RANKS] = {0};
    text->length = 0;
    for (uint32_t i = 0; i < ranks; i++)
        of_rank[i].length = 0;
    for (int step = 0; step < STEPS; step++) {
        uint32_t from = (uint32_t)rng_below(rng, ranks), to = (uint32_t)rng_below(rng, ranks);
        uint64_t bytes = rng_below(rng, 3) ? rng_below(rng, 5000) : 60000 + rng_below(rng, 20000);
        if (from == to)
            add(&of_rank[from], "l%u: calc %llu cpu %u\n", count[from],
                (unsigned long long)rng_below(rng, 90000), count[from]);
        else
            add(&of_rank[from], "l%u: send %llub to %u tag %d cpu %u\n", count[from],
                (unsigned long long)bytes, to, step, count[from]);
        count[from]++;
        if (from != to)
            add(&of_rank[to], "l%u: recv %llub from %u tag %d cpu %u\n", count[to], (unsigned long long)bytes,
                from, step, count[to]);
        count[to] += from != to;
        for (int end = 0; end < 2; end++) {
            uint32_t rank = end ? to : from;
            if (count[rank] > 1 && (!end || from != to))
                add(&of_rank[rank], "l%u %s l%u\n", count[rank] - 1,
                    rng_below(rng, 4) ? "requires" : "irequires",
                    rng_below(rng, 3) ? count[rank] - 2 : (uint32_t)rng_below(rng, count[rank] - 1));
        }
    }
    add(text, "num_ranks %u\n", ranks);
    for (uint32_t i = 0; i < ranks; i++)
        add(text, "rank %u {\n%s}\n", i, of_rank[i].length ? of_rank[i].bytes : "");
}

/* By a run of the engine of graphs on hockney, which shares nothing with the paths. */
static ps_t run_with(struct program *program, const char *setting)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    struct experiment experiment;
    struct result result;
    const struct experiment_watch watch = {.progress = NULL};
    assert_int_equal(config_set(config, setting), STATUS_OK);
    assert_int_equal(config_set(config, "machine=as-published"), STATUS_OK);
    assert_int_equal(config_set(config, "fabric=hockney"), STATUS_OK);
    assert_int_equal(config_set(config, "trace=t"), STATUS_OK);
    assert_int_equal(experiment_init_with(&experiment, config, program), STATUS_OK);
    assert_int_equal(experiment_run(&experiment, 0, &watch, &result), STATUS_OK);
    ps_t makespan = result.makespan;
    result_free(&result);
    experiment_free(&experiment);
    config_close(config);
    return makespan;
}

static ps_t run_at(struct program *program, ps_t latency)
{
    char setting[64];
    snprintf(setting, sizeof setting, "hockney.latency=%lld ps", (long long)latency);
    return run_with(program, setting);
}

/* 12.5 GB/s and 8 us, as published. */
static const struct tolerance_costs hockney = {.scale = 1,
                                               .latency = 8000000,
                                               .G_numerator = 80,
                                               .G_denominator = 1,
                                               .O_denominator = 1,
                                               .eager_bytes = 65536,
                                               .ranks_per_node = 1,
                                               .node_rate_bytes_per_s = 1};

/* The pieces are convex, and T meets the line of each at its ends. */
static void assert_pieces(struct program_paths *paths, const struct tolerance *tolerance,
                          struct tolerance_at to)
{
    for (size_t i = 0; i < tolerance->count; i++) {
        const struct tolerance_piece *piece = &tolerance->pieces[i];
        struct tolerance_at end = i + 1 < tolerance->count ? piece[1].from : to;
        assert_true(i == 0 || piece->line.k > piece[-1].line.k);
        assert_true(tolerance_compare(piece->from, end) < 0);
        assert_true(
            tolerance_above(program_paths_longest(paths, piece->from, false), piece->line, piece->from) == 0);
        assert_true(tolerance_above(program_paths_longest(paths, end, false), piece->line, end) == 0);
    }
}

/* Runs with the first and the last whole ps of each piece. */
static void assert_runs(struct program *program, const struct tolerance *tolerance, struct tolerance_at to)
{
    for (size_t i = 0; i < tolerance->count; i++) {
        const struct tolerance_piece *piece = &tolerance->pieces[i];
        struct tolerance_at end = i + 1 < tolerance->count ? piece[1].from : to;
        ps_t low = (piece->from.numerator + piece->from.denominator - 1) / piece->from.denominator;
        ps_t high = end.numerator / end.denominator;
        if (low > high)
            continue;
        assert_int_equal(run_at(program, low), piece->line.a + piece->line.k * low);
        assert_int_equal(run_at(program, high), piece->line.a + piece->line.k * high);
    }
}

static void latencies_take_what_runs_take(void **state)
{
    (void)state;
    const struct tolerance_at to = ns(100000, 1);
    static struct text text;
    struct rng rng = rng_init(7, "tolerance");
    size_t points = 0;
    for (int round = 0; round < 60; round++) {
        struct program *program;
        struct tolerance tolerance = {.count = 0};
        make_random(&text, 2 + (uint32_t)rng_below(&rng, 4), &rng);
        struct program_paths *paths = open_text(text.bytes, &hockney, &program);
        tolerance_find(paths, ns(0, 1), to, &tolerance);
        points += tolerance.count - 1;
        assert_pieces(paths, &tolerance, to);
        assert_runs(program, &tolerance, to);
        free(tolerance.pieces);
        program_paths_close(paths);
        program->ops->close(program);
    }
    assert_in_range(points, 60, 6000);
}

/* Pairs of ranks, of which one sends a message that the other answers, and computes in the meantime. */
enum { PAIRS = 4, STAGES = 300, STAGE_BYTES = 8 };

static void make_pairs(struct text *text, int64_t computes_ns[PAIRS][STAGES], struct rng *rng)
{
    text->length = 0;
    add(text, "num_ranks %d\n", 2 * PAIRS);
    for (int pair = 0; pair < PAIRS; pair++) {
        add(text, "rank %d {\n", 2 * pair);
        for (int i = 0; i < STAGES; i++) {
            computes_ns[pair][i] = (int64_t)rng_below(rng, 300000);
            add(text, "s%d: send %db to %d\nc%d: calc %lld cpu 1\nr%d: recv %db from %d cpu 2\n", i,
                STAGE_BYTES, 2 * pair + 1, i, (long long)computes_ns[pair][i], i, STAGE_BYTES, 2 * pair + 1);
            for (int k = 0; i && k < 6; k++)
                add(text, "%c%d requires %c%d\n", "scr"[k / 2], i, "cr"[k % 2], i - 1);
        }
        add(text, "}\nrank %d {\n", 2 * pair + 1);
        for (int i = 0; i < STAGES; i++) {
            add(text, "r%d: recv %db from %d\ns%d: send %db to %d\ns%d requires r%d\n", i, STAGE_BYTES,
                2 * pair, i, STAGE_BYTES, 2 * pair, i, i);
            if (i)
                add(text, "r%d requires s%d\n", i, i - 1);
        }
        add(text, "}\n");
    }
}

/* Each stage takes as long as the computation, or as both messages; times the denominator. */
static __int128 time_of_pairs(int64_t computes_ns[PAIRS][STAGES], struct tolerance_at at)
{
    const int64_t time_of_bytes =
        (STAGE_BYTES * (int64_t)hockney.G_numerator + (int64_t)hockney.G_denominator - 1) /
        (int64_t)hockney.G_denominator;
    const __int128 messages = 2 * ((__int128)at.numerator + (__int128)time_of_bytes * at.denominator);
    __int128 most = 0;
    for (int pair = 0; pair < PAIRS; pair++) {
        __int128 time = 0;
        for (int i = 0; i < STAGES; i++) {
            __int128 compute = (__int128)computes_ns[pair][i] * 1000 * at.denominator;
            time += compute > messages ? compute : messages;
        }
        most = time > most ? time : most;
    }
    return most;
}

/* Several hundred pieces, which are found at many points at once; up to a value at which doubles do not have
 * all times, they are found step by step. A line that T meets at both ends of a piece is all of the piece. */
static void many_pieces_are_a_closed_form(void **state)
{
    (void)state;
    const struct tolerance_at ends[] = {ns(200000, 1), {INT64_C(1) << 50, 1}};
    static int64_t computes_ns[PAIRS][STAGES];
    static struct text text;
    struct rng rng = rng_init(11, "tolerance");
    struct program *program;
    make_pairs(&text, computes_ns, &rng);
    struct program_paths *paths = open_text(text.bytes, &hockney, &program);
    for (int way = 0; way < 2; way++) {
        struct tolerance tolerance = {.count = 0};
        tolerance_find(paths, ns(0, 1), ends[way], &tolerance);
        assert_in_range(tolerance.count, 200, 6000);
        for (size_t i = 0; i < tolerance.count; i++) {
            const struct tolerance_piece *piece = &tolerance.pieces[i];
            struct tolerance_at at[] = {piece->from, i + 1 < tolerance.count ? piece[1].from : ends[way]};
            assert_true(!i || piece->line.k > piece[-1].line.k);
            assert_true(tolerance_compare(at[0], at[1]) < 0);
            for (int end = 0; end < 2; end++)
                assert_true(time_of_pairs(computes_ns, at[end]) ==
                            (__int128)piece->line.a * at[end].denominator +
                                (__int128)piece->line.k * at[end].numerator);
        }
        free(tolerance.pieces);
    }
    program_paths_close(paths);
    program->ops->close(program);
}

/* At most so many messages are on one path. */
static int64_t most_messages(struct program *program)
{
    struct program_paths *paths;
    assert_int_equal(program_paths_open(program, &hockney, &paths), STATUS_OK);
    int64_t most = program_paths_longest(paths, (struct tolerance_at){INT64_MAX / 4, 1}, false).k;
    program_paths_close(paths);
    return most;
}

/* A run rounds the time of each message up: it is at or above T, by less than 1 ps for each message of a
 * path. Where a byte takes whole ps, both are equal. */
static void bandwidths_take_what_runs_take(void **state)
{
    (void)state;
    const struct tolerance_at to = {8000, 1};
    struct tolerance_costs costs = hockney;
    costs.variable = TOLERANCE_PER_BYTE;
    static struct text text;
    struct rng rng = rng_init(8, "tolerance");
    size_t points = 0;
    for (int round = 0; round < 60; round++) {
        struct program *program;
        struct tolerance tolerance = {.count = 0};
        make_random(&text, 2 + (uint32_t)rng_below(&rng, 4), &rng);
        struct program_paths *paths = open_text(text.bytes, &costs, &program);
        tolerance_find(paths, (struct tolerance_at){0, 1}, to, &tolerance);
        points += tolerance.count - 1;
        assert_pieces(paths, &tolerance, to);
        for (int i = 0; i < 12; i++) {
            static const uint64_t whole[] = {1000000000000, 500000000000, 12500000000, 1000000000, 125000000};
            uint64_t rate = i < 5 ? whole[i] : 125000000 + rng_below(&rng, UINT64_C(100000000000));
            struct tolerance_at at = tolerance_ratio(1000000000000, (__int128)rate);
            struct tolerance_line line = tolerance_piece_at(&tolerance, at)->line;
            char setting[64];
            snprintf(setting, sizeof setting, "hockney.bandwidth=%llu B/s", (unsigned long long)rate);
            __int128 above = ((__int128)run_with(program, setting) - line.a) * at.denominator -
                             (__int128)line.k * at.numerator;
            assert_true(i < 5 ? above == 0
                              : above >= 0 && above <= (__int128)most_messages(program) * at.denominator);
        }
        free(tolerance.pieces);
        program_paths_close(paths);
        program->ops->close(program);
    }
    assert_in_range(points, 60, 6000);
}

/* ----------------------------------------------------------------- by hand */

/* One message of 11 bytes: o + 10 O + L + 10 G + o + 10 O. */
static void each_parameter_counts(void **state)
{
    (void)state;
    static const struct {
        enum tolerance_variable variable;
        int64_t a, k;
    } parts[] = {{TOLERANCE_LATENCY, 1000 + 20 + 30, 1},
                 {TOLERANCE_PER_BYTE, 1000 + 20 + 7, 10},
                 {TOLERANCE_OVERHEAD, 20 + 7 + 30, 2},
                 {TOLERANCE_OVERHEAD_PER_BYTE, 1000 + 7 + 30, 20}};
    struct tolerance_costs costs = {.is_loggops = true,
                                    .scale = 1,
                                    .latency = 7,
                                    .overhead = 500,
                                    .G_numerator = 3,
                                    .G_denominator = 1,
                                    .O_numerator = 1,
                                    .O_denominator = 1,
                                    .eager_bytes = 65535,
                                    .ranks_per_node = 1};
    for (size_t i = 0; i < 4; i++) {
        struct program *program;
        costs.variable = parts[i].variable;
        struct program_paths *paths = open_text(
            "num_ranks 2\nrank 0 {\nsend 11b to 1\n}\nrank 1 {\nrecv 11b from 0\n}\n", &costs, &program);
        struct tolerance_line line = program_paths_longest(paths, (struct tolerance_at){1, 1}, false);
        assert_int_equal(line.a, parts[i].a);
        assert_int_equal(line.k, parts[i].k);
        program_paths_close(paths);
        program->ops->close(program);
    }
}

struct seen {
    char text[64];
};

static void see(void *self, uint32_t rank, uint32_t operation, bool is_message, int64_t counted)
{
    struct seen *seen = self;
    size_t length = strlen(seen->text);
    snprintf(seen->text + length, sizeof seen->text - length, is_message ? "%u.%u " : "%u.%u+%d ", rank,
             operation, (int)counted);
}

/* A message goes from rank 0 to 1, on to 2 and back; rank 3 sends a small one that nobody waits for. */
static void the_path_has_its_messages(void **state)
{
    (void)state;
    struct program *program;
    struct seen seen = {""};
    struct program_paths *paths = open_text(
        "num_ranks 4\nrank 0 {\na: send 8b to 1\nb: recv 8b from 2\nb requires a\n}\n"
        "rank 1 {\na: recv 8b from 0\nb: send 8b to 2\nb requires a\nc: recv 1b from 3 tag 9 cpu 1\n}\n"
        "rank 2 {\na: recv 8b from 1\nb: calc 5\nc: send 8b to 0\nb requires a\nc requires b\n}\n"
        "rank 3 {\nsend 1b to 1 tag 9\n}\n",
        &hockney, &program);
    program_paths_messages(paths, ns(8000, 1), see, &seen);
    assert_string_equal(seen.text, "2.2 1.1 0.0 ");
    program_paths_close(paths);
    program->ops->close(program);
}

/* Both ends of a message have an overhead, and that of the receive is no message. */
static void overheads_are_of_both_ends(void **state)
{
    (void)state;
    struct program *program;
    struct seen seen = {""};
    struct tolerance_costs costs = of_cases;
    costs.variable = TOLERANCE_OVERHEAD;
    struct program_paths *paths =
        open_text("num_ranks 2\nrank 0 {\na: calc 5\nb: send 8b to 1\nb requires a\n}\n"
                  "rank 1 {\na: recv 8b from 0\nb: calc 9\nb requires a\n}\n",
                  &costs, &program);
    program_paths_messages(paths, ns(500, 1), see, &seen);
    assert_string_equal(seen.text, "1.0+1 0.1 ");
    program_paths_close(paths);
    program->ops->close(program);
}

struct counted {
    int64_t all, messages;
};

static void add_up(void *self, uint32_t rank, uint32_t operation, bool is_message, int64_t counted)
{
    struct counted *sum = self;
    (void)rank, (void)operation;
    assert_true(is_message || counted > 0);
    sum->all += counted;
    sum->messages += is_message;
}

/* What operations and messages count on the longest path of random programs is the slope, of each parameter.
 */
static void what_they_count_is_the_slope(void **state)
{
    (void)state;
    static struct text text;
    struct rng rng = rng_init(9, "tolerance");
    for (int round = 0; round < 200; round++) {
        struct tolerance_costs costs = hockney;
        struct program *program;
        costs.is_loggops = round % 3 != 0;
        costs.variable = (enum tolerance_variable)rng_below(&rng, costs.is_loggops ? 4 : 2);
        costs.overhead = 300000;
        costs.O_numerator = 2;
        make_random(&text, 2 + (uint32_t)rng_below(&rng, 4), &rng);
        struct program_paths *paths = open_text(text.bytes, &costs, &program);
        for (int i = 0; i < 8; i++) {
            const struct tolerance_at at = {(int64_t)rng_below(&rng, 20000000), 1};
            struct counted sum = {.all = 0};
            program_paths_messages(paths, at, add_up, &sum);
            assert_int_equal(sum.all, program_paths_longest(paths, at, false).k);
            if (costs.variable == TOLERANCE_LATENCY)
                assert_int_equal(sum.messages, sum.all);
        }
        program_paths_close(paths);
        program->ops->close(program);
    }
}

/* ------------------------------------------------------------------- errors */

static char said[512];

static void keep(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    snprintf(said, sizeof said, "%s", message);
}

static void refused(const char *text, const char *why)
{
    struct program *program;
    struct program_paths *paths;
    assert_int_equal(goal_open_bytes("t.goal", mem_text(text), strlen(text), &program), STATUS_OK);
    diag_set_sink(keep, NULL);
    assert_int_equal(program_paths_open(program, &of_cases, &paths), STATUS_BAD_INPUT);
    diag_set_sink(NULL, NULL);
    if (!strstr(said, why))
        fail_msg("%s", said);
    program->ops->close(program);
}

static void what_depends_on_times_is_refused(void **state)
{
    (void)state;
    refused("num_ranks 2\nrank 0 {\nrecv 1b from -1\n}\nrank 1 {\nsend 1b to 0\n}\n", "depends on times");
    refused("num_ranks 2\nrank 0 {\nrecv 1b from 1\n}\nrank 1 {\n}\n",
            "t.goal:3: error: operation 0 of rank 0");
    refused("num_ranks 2\nrank 0 {\n}\nrank 1 {\ns: send 1b to 0\n}\n", "has no receive");
    refused("num_ranks 2\nrank 0 {\na: recv 1b from 1\nb: send 1b to 1\nb requires a\n}\n"
            "rank 1 {\na: recv 1b from 0\nb: send 1b to 0\nb requires a\n}\n",
            "a deadlock");
}

static void a_flat_program_bears_anything(void **state)
{
    (void)state;
    struct program *program;
    struct program_paths *paths = open_text("num_ranks 1\nrank 0 {\ncalc 10\n}\n", &of_cases, &program);
    struct tolerance_at limit;
    struct tolerance tolerance = {.count = 0};
    tolerance_find(paths, ns(0, 1), ns(1000, 1), &tolerance);
    assert_int_equal(tolerance.count, 1);
    assert_false(tolerance_limit(paths, &tolerance, ns(3000, 1), 1, &limit));
    assert_false(tolerance_floor(paths, &tolerance, &limit));
    free(tolerance.pieces);
    program_paths_close(paths);
    program->ops->close(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_are_exact),
        cmocka_unit_test(worked_examples_are_exact),
        cmocka_unit_test(latencies_take_what_runs_take),
        cmocka_unit_test(many_pieces_are_a_closed_form),
        cmocka_unit_test(bandwidths_take_what_runs_take),
        cmocka_unit_test(each_parameter_counts),
        cmocka_unit_test(the_path_has_its_messages),
        cmocka_unit_test(overheads_are_of_both_ends),
        cmocka_unit_test(what_they_count_is_the_slope),
        cmocka_unit_test(what_depends_on_times_is_refused),
        cmocka_unit_test(a_flat_program_bears_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
