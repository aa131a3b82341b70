/* Patterns of programs: repetitions in sequences, phases of small programs with known patterns. Every message
 * of a generated workload is in a phase. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "workload/patterns.h"
#include "workload/repetition.h"
#include "workload/workload.h"

/* ------------------------------------------------------------- repetitions */

static struct repetition found_in(const char *text)
{
    uint64_t sequence[64];
    struct repetition found;
    size_t count = strlen(text);
    for (size_t i = 0; i < count; i++)
        sequence[i] = (unsigned char)text[i];
    if (!repetition_find(sequence, count, NULL, &found))
        return (struct repetition){.repeats = 0};
    return found;
}

static void loops_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        struct repetition loop;
    } cases[] = {
        {"", {0, 0, 0}},
        {"a", {0, 0, 0}},
        {"abcdef", {0, 0, 0}},
        {"aa", {0, 1, 2}},
        {"xyabababz", {2, 2, 3}},
        {"abcabcab", {0, 3, 2}},
        {"paabaabaabaabq", {1, 3, 4}}, /* the outer loop, not the inner "a a" */
        {"qabacabacabacabacz", {1, 4, 4}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct repetition found = found_in(cases[i].text);
        assert_int_equal(found.repeats, cases[i].loop.repeats);
        if (found.repeats == 0)
            continue;
        assert_int_equal(found.start, cases[i].loop.start);
        assert_int_equal(found.period, cases[i].loop.period);
    }
}

static void weight_decides_between_loops(void **state)
{
    (void)state;
    static const uint64_t sequence[] = {1, 1, 1, 1, 1, 1, 2, 3, 2, 3, 4};
    static const uint64_t before[] = {0, 1, 2, 3, 4, 5, 6, 106, 107, 207, 208, 209};
    struct repetition found;
    assert_true(repetition_find(sequence, 11, NULL, &found));
    assert_int_equal(found.start, 0);
    assert_true(repetition_find(sequence, 11, before, &found));
    assert_int_equal(found.start, 6);
    assert_int_equal(found.period, 2);
}

/* ---------------------------------------------------------- small programs */

/* A program of calls in an array per rank. */
struct script {
    struct program program;
    struct group world;
    const struct call *const *calls; /* [rank], each ends with CALL_FINALIZE */
    uint32_t at[4];
};

static const struct call *script_next(struct program *program, uint32_t rank, struct call *scratch)
{
    (void)scratch;
    struct script *script = (struct script *)program;
    const struct call *call = &script->calls[rank][script->at[rank]];
    if (call->op == CALL_FINALIZE)
        return NULL;
    script->at[rank]++;
    return call;
}

static struct call_place script_place(const struct program *program, uint32_t rank)
{
    (void)rank;
    return (struct call_place){.file = program->name};
}

static void script_rewind(struct program *program)
{
    memset(((struct script *)program)->at, 0, sizeof((struct script *)program)->at);
}

static const struct program_ops script_ops = {
    .next = script_next, .place = script_place, .rewind = script_rewind};

static struct script script_of(const struct call *const *calls, uint32_t ranks)
{
    return (struct script){.program = {.ops = &script_ops, .name = "script", .ranks = ranks},
                           .world = {.size = ranks},
                           .calls = calls};
}

/* Every byte of the program is told to the listener once. */
struct byte_adder {
    struct patterns_listener base;
    sum_t bytes;
};

static void add_bytes(struct patterns_listener *listener, uint32_t source, uint32_t destination, sum_t bytes)
{
    assert_int_not_equal(source, destination);
    ((struct byte_adder *)listener)->bytes += bytes;
}

static enum status find(struct script *script, uint32_t ranks_per_node, struct patterns *patterns)
{
    struct byte_adder adder = {.base = {add_bytes}};
    const struct patterns_options options = {.ranks_per_node = ranks_per_node, .listener = &adder.base};
    script->program.groups = &script->world;
    script->program.group_count = 1;
    enum status status = patterns_find(&script->program, &options, patterns);
    if (status == STATUS_OK)
        assert_true(adder.bytes == patterns->bytes);
    return status;
}

#define SEND(to, size)                                                                                       \
    {                                                                                                        \
        .op = CALL_SEND, .peer = (to), .bytes = (size)                                                       \
    }
#define ROOTED(collective, root)                                                                             \
    {                                                                                                        \
        .op = (collective), .peer = (root), .bytes = 8                                                       \
    }
#define END                                                                                                  \
    {                                                                                                        \
        .op = CALL_FINALIZE                                                                                  \
    }

/* Rank 0 sends to 1 twice in each iteration and rank 1 once, for 3 iterations. The smaller number counts.
 * What rank 1 sends before and after is a phase of its own. */
static void iterations_of_a_stretch_are_phases(void **state)
{
    (void)state;
    static const struct call zero[] = {SEND(1, 10), SEND(1, 10), SEND(1, 20), SEND(1, 20),
                                       SEND(1, 30), SEND(1, 30), END};
    static const struct call one[] = {SEND(2, 1), SEND(0, 5), SEND(0, 5), SEND(0, 5), SEND(2, 2), END};
    static const struct call two[] = {END};
    static const struct call *const calls[] = {zero, one, two};
    struct script script = script_of(calls, 3);
    struct patterns patterns;
    assert_int_equal(find(&script, 1, &patterns), STATUS_OK);
    assert_int_equal(patterns.phase_count, 3);
    assert_int_equal(patterns.count, 2);
    assert_int_equal(patterns.phases[0].pattern, patterns.phases[2].pattern);
    assert_int_equal(patterns.phases[1].times, 3);
    assert_int_equal(patterns.phases[1].messages, 9);
    assert_int_equal(patterns.phases[1].bytes, 135);
    assert_int_equal(patterns.volumes[patterns.phases[1].volume], 2);     /* 0 to 1 in each */
    assert_int_equal(patterns.volumes[patterns.phases[1].volume + 1], 1); /* 1 to 0 */
    assert_int_equal(patterns.iterations, 3);
    assert_true(pattern_recurs(&patterns, &patterns.patterns[patterns.phases[1].pattern]));
    assert_false(pattern_recurs(&patterns, &patterns.patterns[patterns.phases[0].pattern]));
    assert_int_equal(patterns.bytes, 138);
    patterns_free(&patterns);
}

/* The destination of rank 0 changes from iteration to iteration, the collective stays the same. Only the
 * collective recurs. */
static void calls_that_change_do_not_recur(void **state)
{
    (void)state;
    static const struct call zero[] = {SEND(1, 9), ROOTED(CALL_BCAST, 0), SEND(2, 9), ROOTED(CALL_BCAST, 0),
                                       SEND(3, 9), ROOTED(CALL_BCAST, 0), END};
    static const struct call other[] = {ROOTED(CALL_BCAST, 0), ROOTED(CALL_BCAST, 0), ROOTED(CALL_BCAST, 0),
                                        END};
    static const struct call *const calls[] = {zero, other, other, other};
    struct script script = script_of(calls, 4);
    struct patterns patterns;
    assert_int_equal(find(&script, 1, &patterns), STATUS_OK);
    assert_int_equal(patterns.iterations, 3);
    uint64_t recurring = 0;
    for (size_t i = 0; i < patterns.count; i++)
        if (pattern_recurs(&patterns, &patterns.patterns[i]))
            recurring += patterns.patterns[i].bytes;
    assert_int_equal(recurring, 3 * 3 * 8); /* a binomial tree has 3 messages */
    assert_int_equal(patterns.bytes, 3 * 3 * 8 + 27);
    patterns_free(&patterns);
    /* all ranks are on one node, so no message leaves it */
    assert_int_equal(find(&script, 4, &patterns), STATUS_OK);
    assert_int_equal(patterns.count, 0);
    patterns_free(&patterns);
}

static void count_errors(void *self, enum diag_level level, const char *message)
{
    (void)message;
    *(unsigned *)self += level == DIAG_ERROR;
}

static void wrong_programs_are_refused(void **state)
{
    (void)state;
    static const struct call sends[] = {SEND(7, 9), END};
    static const struct call barrier[] = {ROOTED(CALL_BARRIER, 0), END};
    static const struct call bcast[] = {ROOTED(CALL_BCAST, 0), END};
    static const struct call nothing[] = {END};
    static const struct call *const cases[][2] = {
        {sends, nothing}, {barrier, bcast}, {barrier, nothing}, {nothing, bcast}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct script script = script_of(cases[i], 2);
        struct patterns patterns;
        unsigned errors = 0;
        diag_set_sink(count_errors, &errors);
        assert_int_equal(find(&script, 1, &patterns), STATUS_BAD_INPUT);
        diag_set_sink(NULL, NULL);
        assert_int_equal(errors, 1);
    }
}

/* --------------------------------------------------------------- workloads */

static struct patterns patterns_of(const char *spec)
{
    struct program *program;
    struct patterns patterns;
    assert_int_equal(workload_open(spec, &program), STATUS_OK);
    assert_int_equal(patterns_find(program, &(struct patterns_options){.ranks_per_node = 1}, &patterns),
                     STATUS_OK);
    program->ops->close(program);
    return patterns;
}

static void patterns_of_another_class_are_the_same(void **state)
{
    (void)state;
    struct patterns small = patterns_of("npb:cg:class=S,ranks=16"),
                    large = patterns_of("npb:cg:class=A,ranks=16"),
                    other = patterns_of("npb:cg:class=S,ranks=8");
    uint64_t foreseen = 0, elsewhere = 0;
    for (size_t i = 0; i < small.count; i++) {
        foreseen += pattern_is_in(&small.patterns[i], &large) ? small.patterns[i].bytes : 0;
        elsewhere += pattern_is_in(&small.patterns[i], &other) ? small.patterns[i].bytes : 0;
    }
    assert_int_equal(small.iterations, 15);
    assert_int_equal(foreseen, small.bytes);
    assert_true(elsewhere < small.bytes / 100);
    patterns_free(&small);
    patterns_free(&large);
    patterns_free(&other);
}

static void sums_of_phases_and_patterns_agree(void **state)
{
    (void)state;
    static const char *const specs[] = {"npb:lu:class=S,ranks=16", "npb:mg:class=S,ranks=16",
                                        "npb:is:class=S,ranks=8", "npb:ft:class=S,ranks=4"};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        struct patterns patterns = patterns_of(specs[s]);
        uint64_t phases = 0, of_patterns = 0, volume_messages = 0;
        for (size_t i = 0; i < patterns.count; i++)
            of_patterns += patterns.patterns[i].phases;
        for (size_t i = 0; i < patterns.phase_count; i++) {
            const struct pattern_phase *phase = &patterns.phases[i];
            phases += phase->times;
            for (size_t j = 0; j < patterns.patterns[phase->pattern].pair_count; j++)
                volume_messages += patterns.volumes[phase->volume + j] * phase->times;
        }
        assert_int_equal(phases, of_patterns);
        assert_int_equal(volume_messages, patterns.messages);
        patterns_free(&patterns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_found),
        cmocka_unit_test(weight_decides_between_loops),
        cmocka_unit_test(iterations_of_a_stretch_are_phases),
        cmocka_unit_test(calls_that_change_do_not_recur),
        cmocka_unit_test(wrong_programs_are_refused),
        cmocka_unit_test(patterns_of_another_class_are_the_same),
        cmocka_unit_test(sums_of_phases_and_patterns_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
