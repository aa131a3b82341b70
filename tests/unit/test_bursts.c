/* What was recorded of the computation between calls. Random traces with bursts: their sums are those of the
 * text, by rank and by place, and a run that reads its calls one after another meets the same bursts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "call/bursts.h"
#include "call/sites.h"
#include "support/traces.h"
#include "workload/workload.h"

enum { SITES = 3, PLACES = SITES + 1, MOST = 400 };

/* What the text says, as the test has written it. Site 0: not known. */
struct expected {
    struct call_burst bursts[MOST];
    size_t count;
};

/* A rank that calls barriers at random sites, with or without a computation, a burst and instructions before
 * each, and lines that do nothing between them. */
static char *make_rank(uint32_t rank, struct rng *rng, struct expected *expected)
{
    char *text = NULL;
    size_t size;
    uint32_t after = 0;
    FILE *out = open_memstream(&text, &size);
    expected->count = 0;
    fprintf(out, "%u init\n", rank);
    for (unsigned site = 1; site <= SITES; site++)
        fprintf(out, "%u comm_size #site %u line.c:%u\n", rank, site + 10 * rank, site);
    for (unsigned i = 0; i < MOST; i++) {
        struct call_burst burst = {.after = after, .before = (uint32_t)rng_below(rng, SITES + 1)};
        burst.used_ns = rng_below(rng, 5000);
        burst.lasted_ns = burst.used_ns + (rng_below(rng, 3) ? 0 : rng_below(rng, 9000));
        burst.is_counted = rng_below(rng, 2);
        burst.instructions = burst.is_counted ? rng_below(rng, 20000) : 0;
        const unsigned kind = (unsigned)rng_below(rng, 4);
        if (kind)
            fprintf(out, "%u compute %llu\n", rank, (unsigned long long)(12 * burst.used_ns));
        if (kind > 1) {
            fprintf(out, "%u comm_size #burst %llu %llu", rank, (unsigned long long)burst.lasted_ns,
                    (unsigned long long)burst.used_ns);
            if (burst.is_counted)
                fprintf(out, " %llu", (unsigned long long)burst.instructions);
            fputc('\n', out);
            expected->bursts[expected->count++] = burst;
        }
        if (kind == 3)
            fprintf(out, "\n%u comm_size 0\n", rank);
        fprintf(out, "%u barrier", rank);
        if (burst.before)
            fprintf(out, " #@%u", burst.before + 10 * rank);
        fputc('\n', out);
        after = burst.before;
    }
    fprintf(out, "%u finalize\n", rank);
    fclose(out);
    return text;
}

static void assert_same(const struct call_burst *burst, const struct call_burst *expected)
{
    assert_int_equal(burst->lasted_ns, expected->lasted_ns);
    assert_int_equal(burst->used_ns, expected->used_ns);
    assert_int_equal(burst->is_counted, expected->is_counted);
    assert_int_equal(burst->instructions, expected->instructions);
    assert_int_equal(burst->after, expected->after);
    assert_int_equal(burst->before, expected->before);
}

struct reading {
    const struct expected *expected;
    size_t count;
};

static void see(void *self, const struct call_burst *burst)
{
    struct reading *reading = self;
    assert_true(reading->count < reading->expected->count);
    assert_same(burst, &reading->expected->bursts[reading->count++]);
}

/* Each burst is told, and met by who reads the calls. */
static void check_program(struct program *program, const struct expected *expected, uint32_t ranks)
{
    assert_non_null(program->bursts);
    program->ops->rewind(program);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        struct reading each = {.expected = &expected[rank]}, met = each;
        program->bursts->each(program->bursts, rank, see, &each);
        assert_int_equal(each.count, expected[rank].count);
        struct call scratch;
        struct call_burst burst;
        for (const struct call *call; (call = program_next(program, rank, &scratch));) {
            const bool is_one = program->bursts->last(program->bursts, rank, &burst);
            assert_true(!is_one || call->op == CALL_COMPUTE);
            if (is_one)
                see(&met, &burst);
        }
        assert_int_equal(met.count, expected[rank].count);
    }
}

static void add(struct bursts_sum *sum, const struct call_burst *burst)
{
    sum->count++;
    sum->lasted_ns += burst->lasted_ns;
    sum->used_ns += burst->used_ns;
    sum->late += burst->lasted_ns > 2 * burst->used_ns;
    sum->counted += burst->is_counted;
    sum->instructions += burst->instructions;
    sum->counted_ns += burst->is_counted ? burst->used_ns : 0;
}

static void assert_sum(const struct bursts_sum *sum, const struct bursts_sum *expected)
{
    assert_int_equal(sum->count, expected->count);
    assert_int_equal(sum->late, expected->late);
    assert_true(sum->lasted_ns == expected->lasted_ns && sum->used_ns == expected->used_ns);
    assert_int_equal(sum->counted, expected->counted);
    assert_true(sum->instructions == expected->instructions && sum->counted_ns == expected->counted_ns);
}

static void check_summary(const struct program *program, const struct expected *expected, uint32_t ranks)
{
    struct bursts_summary summary;
    struct bursts_sum all = {.count = 0}, places[PLACES][PLACES] = {{{.count = 0}}};
    size_t used = 0;
    assert_true(bursts_summarise(program, &summary));
    assert_int_equal(summary.rank_count, ranks);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        struct bursts_sum sum = {.count = 0};
        for (size_t i = 0; i < expected[rank].count; i++) {
            const struct call_burst *burst = &expected[rank].bursts[i];
            add(&sum, burst);
            add(&all, burst);
            add(&places[burst->after][burst->before], burst);
        }
        assert_sum(&summary.ranks[rank], &sum);
        assert_true(bursts_waiting(&sum) <= bursts_waiting(&summary.ranks[summary.worst]));
    }
    assert_sum(&summary.all, &all);
    for (size_t i = 0; i < PLACES * PLACES; i++)
        used += places[i / PLACES][i % PLACES].count != 0;
    assert_int_equal(summary.between_count, used);
    for (size_t i = 0; i < used; i++) {
        const struct bursts_between *between = &summary.between[i];
        assert_sum(&between->sum, &places[between->after][between->before]);
        assert_true(i == 0 || between->sum.used_ns <= between[-1].sum.used_ns);
    }
    bursts_summary_free(&summary);
}

static void bursts_are_those_of_the_text(void **state)
{
    (void)state;
    static struct expected expected[2];
    struct rng rng = rng_init(11, "bursts");
    for (int round = 0; round < 5; round++) {
        char *first = make_rank(0, &rng, &expected[0]), *second = make_rank(1, &rng, &expected[1]);
        struct compiled_trace *compiled = traces_open("bursts", first, second, NULL);
        for (uint32_t site = 1; site <= SITES; site++) {
            char name[32];
            snprintf(name, sizeof name, "line.c:%u", site);
            assert_string_equal(compiled->program.sites->names[site], name);
        }
        check_program(&compiled->program, expected, 2);
        check_summary(&compiled->program, expected, 2);
        traces_close(compiled);
        free(first);
        free(second);
    }
}

/* Jobs have the bursts of their programs, with their own call sites: the first job has its numbers. */
static void jobs_have_their_bursts(void **state)
{
    (void)state;
    static struct expected expected[4];
    struct rng rng = rng_init(12, "bursts");
    char *first = make_rank(0, &rng, &expected[0]), *second = make_rank(1, &rng, &expected[1]);
    char *trace = mem_text(traces_make("of-job", first, second, NULL));
    char *list =
        mem_format("jobs:\n  - {name: a, trace: %s}\n  - {name: b, trace: %s, start: 1 ms}\n", trace, trace);
    char *spec = mem_format("jobs:%s", traces_write("jobs.yaml", list, strlen(list)));
    struct program *program;
    assert_int_equal(workload_open(spec, &program), STATUS_OK);
    for (size_t rank = 0; rank < 2; rank++) {
        expected[rank + 2] = expected[rank];
        for (size_t i = 0; i < expected[rank].count; i++) {
            struct call_burst *burst = &expected[rank + 2].bursts[i];
            burst->after += burst->after ? SITES : 0;
            burst->before += burst->before ? SITES : 0;
        }
    }
    assert_string_equal(program->sites->names[SITES + 1], "b: line.c:1");
    check_program(program, expected, 4);
    program->ops->close(program);
    free(first);
    free(second);
    free(trace);
    free(list);
    free(spec);
}

static void traces_without_bursts_have_none(void **state)
{
    (void)state;
    struct bursts_summary summary;
    struct compiled_trace *compiled = traces_open("plain", "0 init\n0 compute 5\n0 finalize\n", NULL);
    assert_null(compiled->program.bursts);
    assert_false(bursts_summarise(&compiled->program, &summary));
    traces_close(compiled);
}

/* A rank that computes and calls nothing: to meet all bursts takes no more steps than it has lines, also from
 * its begin again. */
static void many_bursts_without_a_call(void **state)
{
    (void)state;
    enum { BURSTS = 3000 };
    char *text = NULL;
    size_t size;
    struct call scratch;
    struct call_burst burst;
    FILE *out = open_memstream(&text, &size);
    fputs("0 init\n0 comm_size #site 1 line.c:1\n0 barrier #@1\n", out);
    for (int i = 0; i < BURSTS; i++)
        fprintf(out, "0 compute %d\n0 comm_size #burst %d %d\n", 12 * i, 2 * i, i);
    fputs("0 finalize\n", out);
    fclose(out);
    struct compiled_trace *compiled = traces_open("computes", text, NULL);
    struct program *program = &compiled->program;
    for (uint64_t round = 1; round <= 2; round++) {
        unsigned met = 0;
        program->ops->rewind(program);
        while (program_next(program, 0, &scratch))
            if (program->bursts->last(program->bursts, 0, &burst)) {
                assert_int_equal(burst.used_ns, met++);
                assert_int_equal(burst.after, 1);
            }
        assert_int_equal(met, BURSTS);
        assert_true(compiled->burst_places[0].steps <= round * compiled_lines(compiled, 0));
    }
    traces_close(compiled);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bursts_are_those_of_the_text),
        cmocka_unit_test(jobs_have_their_bursts),
        cmocka_unit_test(traces_without_bursts_have_none),
        cmocka_unit_test(many_bursts_without_a_call),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
