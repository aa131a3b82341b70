/* Traces made from traces. Witnesses: the parts of a trace, put together, are the whole; where a random trace
 * can be cut is found again by counting messages, requests and collectives one by one; repeated, merged and
 * filtered traces have the messages, bytes and calls that follow from their sources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/memory_stream.h"
#include "base/rng.h"
#include "support/traces.h"
#include "trace/edit/cut.h"
#include "trace/edit/filter.h"
#include "trace/edit/repeat.h"
#include "trace/edit/side.h"
#include "trace/summary.h"
#include "trace/ti/decompile.h"
#include "trace/trace.h"

static const char *const shipped[] = {"bt.S.4", "cg.S.4", "ft.S.4", "is.S.4", "lu.S.4", "mg.S.4", "sp.S.4"};
enum { SHIPPED = sizeof shipped / sizeof *shipped };

static struct compiled_trace *open_path(const char *path)
{
    struct compiled_trace *compiled;
    if (trace_open_compiled(path, &compiled) != STATUS_OK)
        fail_msg("%s", traces_messages());
    return compiled;
}

static struct compiled_trace *open_shipped(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "tests/traces/%s.tar.zst", name);
    return open_path(path);
}

/* NULL: it is refused. */
static struct compiled_trace *cut_out(const struct compiled_trace *source, enum place_kind kind,
                                      const char *part)
{
    struct places places;
    struct rank_pieces pieces;
    struct trace_part cut;
    struct compiled_trace *result = NULL;
    enum status status = places_open(&places, source, kind, true);
    if (status == STATUS_OK)
        status = cut_read(&places, "--part", part, &cut);
    if (status == STATUS_OK)
        status = cut_check(&places, &cut);
    if (status == STATUS_OK) {
        pieces_open(&pieces, source);
        cut_apply(&places, &cut, &pieces);
        const struct edit edit = pieces_edit(&pieces);
        status = edit_make(&edit, "part", &result);
        pieces_free(&pieces);
    }
    places_free(&places);
    return status == STATUS_OK ? result : NULL;
}

/* The lines of a rank between init and finalize, without definitions of communicators, added to `text`. */
static void add_body(struct compiled_trace *compiled, uint32_t rank, FILE *text)
{
    size_t size;
    char *bytes = decompile_rank(compiled, rank, &size), *rest = bytes;
    for (const char *end = bytes + size; rest < end;) {
        char *stop = memchr(rest, '\n', (size_t)(end - rest));
        char *action = strchr(rest, ' ') + 1;
        if (strncmp(action, "init", 4) != 0 && strncmp(action, "finalize", 8) != 0 &&
            strncmp(action, "comm_split", 10) != 0)
            fwrite(rest, 1, (size_t)(stop + 1 - rest), text);
        rest = stop + 1;
    }
    free(bytes);
}

/* The bodies of a rank, one trace after another. */
static char *bodies(struct compiled_trace *const *traces, size_t count, uint32_t rank)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_stream_open(&text, &size);
    for (size_t i = 0; i < count; i++)
        add_body(traces[i], rank, out);
    fclose(out);
    return text;
}

static void assert_same_bodies(struct compiled_trace *const *a, size_t a_count,
                               struct compiled_trace *const *b, size_t b_count)
{
    for (uint32_t rank = 0; rank < a[0]->program.ranks; rank++) {
        char *first = bodies(a, a_count, rank), *second = bodies(b, b_count, rank);
        assert_string_equal(first, second);
        free(first);
        free(second);
    }
}

/* ------------------------------------------------------------------ cutting */

static void assert_parts_are_the_whole(struct compiled_trace *whole, enum place_kind kind, const char *first,
                                       const char *second, const char *third)
{
    struct compiled_trace *const parts[] = {cut_out(whole, kind, first), cut_out(whole, kind, second),
                                            cut_out(whole, kind, third)};
    for (int i = 0; i < 3; i++)
        if (!parts[i])
            fail_msg("%s: %s", whole->program.name, traces_messages());
    assert_same_bodies(&whole, 1, parts, 3);
    for (int i = 0; i < 3; i++)
        traces_close(parts[i]);
}

static void the_parts_of_a_trace_are_the_whole(void **state)
{
    (void)state;
    for (int i = 0; i < SHIPPED; i++) {
        struct compiled_trace *whole = open_shipped(shipped[i]);
        assert_parts_are_the_whole(whole, PLACES_COLLECTIVES, "..1", "2", "3..");
        assert_parts_are_the_whole(whole, PLACES_ITERATIONS, "..2", "3..4", "5..");
        traces_close(whole);
    }
}

/* Of these the calls are written as text, in the parts and in the whole. */
static void the_parts_of_other_formats_are_the_whole(void **state)
{
    (void)state;
    struct compiled_trace *whole = open_path("tests/traces/otf2/pipit/traces.otf2");
    assert_parts_are_the_whole(whole, PLACES_ITERATIONS, "..2", "3..4", "5..");
    traces_close(whole);
    whole = open_path("tests/traces/dumpi-calls");
    assert_parts_are_the_whole(whole, PLACES_COLLECTIVES, "..5", "6..9", "10..");
    traces_close(whole);
}

/* What the sources of NPB say: the iterations of the timed loop, at least. */
static void iterations_are_those_of_the_programs(void **state)
{
    (void)state;
    static const uint64_t iterations[SHIPPED] = {60, 15, 6, 11, 49, 56, 100};
    for (int i = 0; i < SHIPPED; i++) {
        struct compiled_trace *whole = open_shipped(shipped[i]);
        struct places places;
        assert_int_equal(places_open(&places, whole, PLACES_ITERATIONS, true), STATUS_OK);
        assert_int_equal(places.count - 1, iterations[i]);
        for (uint64_t place = 0; place < places.count + 2; place++)
            assert_true(place_is_free(&places, place));
        places_free(&places);
        traces_close(whole);
    }
}

static void communicators_stay_defined(void **state)
{
    (void)state;
    struct compiled_trace *whole =
        traces_open("comms", "0 init\n0 comm_split 4 #c7 1,0\n0 barrier\n\n0 bcast 4 1 6 #c7\n0 finalize\n",
                    "1 init\n1 comm_split 4 #c7 1,0\n1 barrier\n1 bcast 4 1 6 #c7\n1 finalize\n", NULL);
    struct compiled_trace *part = cut_out(whole, PLACES_COLLECTIVES, "2..");
    assert_null(part); /* there is one collective of the world */
    assert_non_null(strstr(traces_messages(), "'2..' is no part of 1 collectives of the world"));
    part = cut_out(whole, PLACES_COLLECTIVES, "1");
    assert_non_null(part);
    traces_close(part);
    traces_close(whole);
    whole = traces_open(
        "comms2", "0 init\n0 comm_split 4 #c7 1,0\n0 barrier\n0 bcast 4 1 6 #c7\n0 barrier\n0 finalize\n",
        "1 init\n1 comm_split 4 #c7 1,0\n1 barrier\n1 bcast 4 1 6 #c7\n1 barrier\n1 finalize\n", NULL);
    part = cut_out(whole, PLACES_COLLECTIVES, "2");
    assert_non_null(part);
    size_t size;
    char *text = decompile_rank(part, 1, &size);
    assert_int_equal(
        strncmp(text, "1 init\n1 comm_split 4 #c7 1,0\n1 bcast 4 1 6 #c7\n1 barrier\n1 finalize\n", size), 0);
    free(text);
    traces_close(part);
    traces_close(whole);
}

static void assert_refused(struct compiled_trace *whole, const char *part, const char *const *words)
{
    assert_null(cut_out(whole, PLACES_COLLECTIVES, part));
    const char *said = traces_messages();
    for (int i = 0; words[i]; i++)
        if (!strstr(said, words[i]))
            fail_msg("'%s' is not in: %s", words[i], said);
    traces_close(whole);
}

static void a_cut_says_what_it_separates(void **state)
{
    (void)state;
    assert_refused(traces_open("message", "0 init\n0 send 1 1 8 6\n0 barrier\n0 barrier\n0 finalize\n",
                               "1 init\n1 barrier\n1 recv 0 1 8 6\n1 barrier\n1 finalize\n", NULL),
                   "..1",
                   (const char *const[]){"rank-1.txt:2: error: a cut behind collective 1 separates this send",
                                         "rank-2.txt:3: note: which is here", "--collectives ..2", NULL});
    assert_refused(
        traces_open("request", "0 init\n0 isend 1 1 8 6\n0 barrier\n0 wait 0 1 1\n0 barrier\n0 finalize\n",
                    "1 init\n1 recv 0 1 8 6\n1 barrier\n1 barrier\n1 finalize\n", NULL),
        "2",
        (const char *const[]){"rank-1.txt:2: error: a cut behind collective 1 separates this request",
                              "rank-1.txt:4: note: which is here", "--collectives ..2", NULL});
    assert_refused(
        traces_open(
            "comm", "0 init\n0 comm_split 2 #c1 0-1\n0 barrier #c1\n0 barrier\n0 barrier\n0 finalize\n",
            "1 init\n1 comm_split 2 #c1 0-1\n1 barrier\n1 barrier #c1\n1 barrier\n1 finalize\n", NULL),
        "1", (const char *const[]){"separates the ranks of a collective call: rank 1 makes 0", NULL});
    assert_refused(traces_open("any", "0 init\n0 send 1 1 8 6\n0 barrier\n0 barrier\n0 finalize\n",
                               "1 init\n1 barrier\n1 recv -333 1 8 6 #any\n1 barrier\n1 finalize\n", NULL),
                   "1", (const char *const[]){"separates messages to rank 1, which receives", NULL});
    assert_refused(
        traces_open("more", "0 init\n0 barrier\n0 barrier\n0 finalize\n", "1 init\n1 barrier\n1 finalize\n",
                    NULL),
        "1",
        (const char *const[]){"rank 1 has 1 blocking collective calls of the world, and rank 0 has 2", NULL});
    assert_refused(traces_open("unsent", "0 init\n0 send 1 1 8 6\n0 barrier\n0 finalize\n",
                               "1 init\n1 barrier\n1 finalize\n", NULL),
                   "1", (const char *const[]){"this message is never received", NULL});
}

/* ---------------------------------------------------------- random programs */

enum { RANKS = 4, STEPS = 60 };

/* Messages whose receives come later, requests that are waited for later, collectives of a communicator, and
 * barriers. Whether such a program would end does not matter here. */
struct random_program {
    struct rng rng;
    FILE *out[RANKS];
    char *text[RANKS];
    size_t size[RANKS];
    struct later {
        int rank, other, tag;
        enum { LATER_RECEIVE, LATER_WAIT, LATER_COLLECTIVE } kind;
    } later[STEPS * 4];
    size_t count;
};

static void do_later(struct random_program *program, size_t which)
{
    struct later todo = program->later[which];
    program->later[which] = program->later[--program->count];
    FILE *out = program->out[todo.rank];
    if (todo.kind == LATER_RECEIVE)
        fprintf(out, "%d recv %d %d 8 6\n", todo.rank, todo.other, todo.tag);
    else if (todo.kind == LATER_WAIT)
        fprintf(out, "%d wait %d %d %d\n", todo.rank, todo.rank, todo.other, todo.tag);
    else
        fprintf(out, "%d allreduce 1 0 6 #c1\n", todo.rank);
}

static void add_later(struct random_program *program, struct later todo)
{
    program->later[program->count++] = todo;
    if (rng_below(&program->rng, 3))
        do_later(program, program->count - 1);
}

static void random_step(struct random_program *program, int tag)
{
    int rank = (int)rng_below(&program->rng, RANKS), other = (int)rng_below(&program->rng, RANKS);
    switch (rng_below(&program->rng, 6)) {
    case 0:
        for (int i = 0; i < RANKS; i++)
            fprintf(program->out[i], "%d barrier\n", i);
        break;
    case 1:
        fprintf(program->out[0], "0 allreduce 1 0 6 #c1\n");
        add_later(program, (struct later){.rank = 2, .kind = LATER_COLLECTIVE});
        break;
    case 2:
        fprintf(program->out[rank], "%d isend %d %d 8 6\n", rank, other, tag);
        add_later(program, (struct later){rank, other, tag, LATER_WAIT});
        add_later(program, (struct later){other, rank, tag, LATER_RECEIVE});
        break;
    case 3:
        fprintf(program->out[rank], "%d compute 5\n", rank);
        break;
    default:
        fprintf(program->out[rank], "%d send %d %d 8 6\n", rank, other, tag);
        add_later(program, (struct later){other, rank, tag, LATER_RECEIVE});
    }
    if (program->count && !rng_below(&program->rng, 2))
        do_later(program, rng_below(&program->rng, program->count));
}

static struct compiled_trace *random_trace(uint64_t seed)
{
    struct random_program program = {.rng = rng_init(seed, "edit")};
    char name[32];
    for (int i = 0; i < RANKS; i++) {
        program.out[i] = memory_stream_open(&program.text[i], &program.size[i]);
        fprintf(program.out[i], "%d init\n", i);
        if (i % 2 == 0)
            fprintf(program.out[i], "%d comm_split 2 #c1 0,2\n", i);
    }
    for (int i = 0; i < STEPS; i++)
        random_step(&program, (int)rng_below(&program.rng, 3) + 1000 * i);
    while (program.count)
        do_later(&program, program.count - 1);
    for (int i = 0; i < RANKS; i++) {
        fprintf(program.out[i], "%d finalize\n", i);
        fclose(program.out[i]);
    }
    snprintf(name, sizeof name, "random-%d", (int)seed);
    struct compiled_trace *compiled =
        traces_open(name, program.text[0], program.text[1], program.text[2], program.text[3], NULL);
    for (int i = 0; i < RANKS; i++)
        free(program.text[i]);
    return compiled;
}

/* Counted call by call, on the lines before the place-th barrier of each rank. */
static bool is_free(const struct compiled_trace *compiled, uint64_t place)
{
    int64_t *channels = mem_alloc(compiled->program.channels, sizeof *channels, "channels");
    int64_t collectives = 0, requests = 0;
    bool good = true;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        uint64_t barriers = 0;
        for (uint64_t i = 0; i < compiled_lines(compiled, rank) && barriers < place; i++) {
            uint32_t token = compiled_tokens(compiled, rank)[i];
            const struct call *call = token & TOKEN_COMPUTE ? NULL : &compiled_calls(compiled, rank)[token];
            if (!call)
                continue;
            barriers += call->op == CALL_BARRIER;
            channels[call->channel] += (call->op == CALL_SEND) - (call->op == CALL_RECV);
            requests += (call->op == CALL_SEND && call->flags & CALL_IMMEDIATE) - (call->op == CALL_WAIT);
            if (call->op == CALL_ALLREDUCE)
                collectives += rank == 0 ? 1 : -1;
        }
    }
    for (uint32_t i = 0; i < compiled->program.channels; i++)
        good &= !channels[i];
    free(channels);
    return good && !collectives && !requests;
}

static void places_are_those_where_all_is_in_balance(void **state)
{
    (void)state;
    uint64_t found = 0, all = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct compiled_trace *compiled = random_trace(seed);
        struct places places;
        assert_int_equal(places_open(&places, compiled, PLACES_COLLECTIVES, true), STATUS_OK);
        for (uint64_t place = 1; place <= places.count; place++) {
            assert_int_equal(place_is_free(&places, place), is_free(compiled, place));
            found += place_is_free(&places, place);
            all++;
            if (!place_is_free(&places, place)) {
                struct trace_part cut = {0, place};
                assert_int_equal(cut_check(&places, &cut), STATUS_BAD_INPUT);
                assert_non_null(strstr(traces_messages(), "separates"));
            }
        }
        places_free(&places);
        traces_close(compiled);
    }
    assert_in_range(found, all / 20, all * 19 / 20); /* both kinds are tested */
}

/* ---------------------------------------------------------------- repeating */

static void a_repeated_trace_has_everything_so_often(void **state)
{
    (void)state;
    enum { TIMES = 3 };
    for (int i = 0; i < SHIPPED; i++) {
        struct compiled_trace *whole = open_shipped(shipped[i]), *often;
        struct trace_summary once, all;
        struct compiled_trace *const sources[TIMES] = {whole, whole, whole};
        assert_int_equal(repeat_make(whole, TIMES, "often", &often), STATUS_OK);
        assert_same_bodies(&often, 1, sources, TIMES);
        summary_of(whole, &once);
        summary_of(often, &all);
        assert_int_equal(all.sends, once.sends * TIMES);
        assert_true(all.send_bytes == once.send_bytes * TIMES);
        assert_int_equal(all.collectives, once.collectives * TIMES);
        assert_int_equal(all.lines, (once.lines - 8) * TIMES + 8);
        traces_close(often);
        traces_close(whole);
    }
}

static void an_open_request_is_not_repeated(void **state)
{
    (void)state;
    struct compiled_trace *result, *whole = traces_open("open", "0 init\n0 isend 1 1 8 6\n0 finalize\n",
                                                        "1 init\n1 recv 0 1 8 6\n1 finalize\n", NULL);
    assert_int_equal(repeat_make(whole, 2, "twice", &result), STATUS_BAD_INPUT);
    assert_non_null(strstr(traces_messages(), "rank-1.txt:2: error: nothing waits for this request"));
    traces_close(whole);
    whole = traces_open("lost", "0 init\n0 send 1 1 8 6\n0 finalize\n", "1 init\n1 finalize\n", NULL);
    assert_int_equal(repeat_make(whole, 2, "twice", &result), STATUS_BAD_INPUT);
    assert_non_null(strstr(traces_messages(), "lost is not a valid program"));
    traces_close(whole);
}

/* ------------------------------------------------------ merging, filtering */

static enum status filter_to(const struct compiled_trace *source, const uint32_t *ranks, uint32_t count,
                             struct filter_choice choice, struct filter_counts *counts,
                             struct compiled_trace **result)
{
    choice.ranks = ranks;
    choice.count = count;
    return filter_make(source, &choice, "filtered", counts, result);
}

/* A call without what differs between traces of the same calls. */
static struct call plain(const struct call *call)
{
    struct call same = *call;
    same.channel = same.source_channel = 0;
    same.send_counts = same.recv_counts = 0;
    same.group = same.context = 0;
    same.datatype = 0;
    return same;
}

static const struct call *next_done(struct compiled_trace *compiled, uint32_t rank, struct call *scratch)
{
    const struct call *call;
    do
        call = program_next(&compiled->program, rank, scratch);
    while (call && call->op == CALL_NOTHING);
    return call;
}

/* The ranks of `b` from `first` on make the calls of `a`, with ranks that are `shift` more. */
static void assert_same_calls(struct compiled_trace *a, struct compiled_trace *b, uint32_t first,
                              int32_t shift)
{
    a->program.ops->rewind(&a->program);
    b->program.ops->rewind(&b->program);
    for (uint32_t rank = 0; rank < a->program.ranks; rank++) {
        struct call one, other, x, y;
        for (;;) {
            const struct call *call = next_done(a, rank, &one), *same = next_done(b, first + rank, &other);
            assert_int_equal(!call, !same);
            if (!call)
                break;
            x = plain(call);
            y = plain(same);
            if (call->op == CALL_SEND || call->op == CALL_RECV || call->op == CALL_SENDRECV)
                x.peer += x.peer < 0 ? 0 : shift;
            if (call->op == CALL_SENDRECV)
                x.source += x.source < 0 ? 0 : shift;
            if (call->op == CALL_WAITALL)
                x.expected = y.expected = 0;
            assert_memory_equal(&x, &y, sizeof x);
        }
    }
}

static void merged_programs_can_be_taken_apart(void **state)
{
    (void)state;
    struct compiled_trace *const sources[] = {open_shipped("lu.S.4"), open_shipped("cg.S.4")};
    struct compiled_trace *both;
    assert_int_equal(side_make(sources, 2, "both", &both), STATUS_OK);
    assert_int_equal(both->program.ranks, 8);
    struct compiled_trace *lu = open_shipped("lu.S.4"), *cg = open_shipped("cg.S.4"), *one;
    assert_same_calls(lu, both, 0, 0);
    assert_same_calls(cg, both, 4, 4);
    struct filter_counts counts;
    assert_int_equal(
        filter_to(both, (const uint32_t[]){4, 5, 6, 7}, 4, (struct filter_choice){.comm = 2}, &counts, &one),
        STATUS_OK);
    assert_same_calls(cg, one, 0, 0);
    assert_int_equal(counts.others, 0);
    struct trace_summary summary;
    summary_of(one, &summary);
    assert_int_equal(summary.collectives, 3); /* they are of the world again */
    traces_close(one);
    assert_int_equal(filter_to(both, (const uint32_t[]){0, 1, 2, 3}, 4,
                               (struct filter_choice){.comm = FILTER_ALL_COMMS}, &counts, &one),
                     STATUS_OK);
    assert_same_calls(lu, one, 0, 0);
    traces_close(one);
    traces_close(both);
    traces_close(lu);
    traces_close(cg);
    traces_messages();
}

/* What fields of SimGrid cannot say survives: wildcards, tags of a sendrecv, kinds of sends, phases. */
static void annotations_survive_a_merge(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0 init\n0 sendRecv 8 1 8 1 6 6 #tags 4 5\n0 recv -333 -444 9 6 #any\n0 comm_size #phase 3\n0 Ssend "
        "1 3 8 6\n"
        "0 alltoallv 3 1 2 3 1 2 6 6\n0 finalize\n",
        "1 init\n1 sendRecv 8 0 8 0 6 6 #tags 5 4\n1 send 0 9 9 6\n1 recv 0 3 8 6\n"
        "1 alltoallv 4 2 2 4 2 2 6 6\n1 finalize\n"};
    struct compiled_trace *const sources[] = {traces_open("a", texts[0], texts[1], NULL),
                                              traces_open("a", texts[0], texts[1], NULL)};
    struct compiled_trace *both, *one = traces_open("a", texts[0], texts[1], NULL);
    assert_int_equal(side_make(sources, 2, "both", &both), STATUS_OK);
    assert_same_calls(one, both, 0, 0);
    assert_same_calls(one, both, 2, 2);
    compiled_report_notes(both, NOTES_ALL); /* nothing had to be guessed */
    assert_string_equal(traces_messages(), "");
    traces_close(both);
    traces_close(one);
}

/* Three ranks, of which 0 and 2 are kept: each kind of call with rank 1. */
static struct compiled_trace *open_three(void)
{
    return traces_open(
        "three",
        "0 init\n0 send 1 1 10 6\n0 isend 2 1 20 6\n0 irecv 1 2 30 6\n0 waitall 2\n0 sendRecv 5 1 7 2 6 6 "
        "#tags 8 9\n"
        "0 bcast 4 1 6\n0 reduce 4 0 2 6\n0 alltoallv 6 1 2 3 6 1 2 3 6 6\n0 compute 100\n0 finalize\n",
        "1 init\n1 recv 0 1 10 6\n1 send 0 2 30 6\n1 sendRecv 6 2 5 0 6 6 #tags 9 8\n1 bcast 4 1 6\n"
        "1 reduce 4 0 2 6\n1 alltoallv 6 2 2 2 6 2 2 2 6 6\n1 finalize\n",
        "2 init\n2 recv 0 1 20 6\n2 sendRecv 7 0 6 1 6 6 #tags 9 9\n2 bcast 4 1 6\n2 reduce 4 0 2 6\n"
        "2 alltoallv 6 3 2 1 6 3 2 1 6 6\n2 compute 50\n2 finalize\n",
        NULL);
}

static void calls_with_ranks_that_are_not_kept_are_left_out(void **state)
{
    (void)state;
    struct compiled_trace *three = open_three(), *two;
    struct filter_counts counts;
    const uint32_t kept[] = {0, 2};
    static const char *const texts[] = {
        "0 init\n0 isend 1 1 20 6\n0 waitall 1\n0 recv 1 9 7 6\n0 reduce 4 0 1 6\n"
        "0 alltoallv 4 1 3 4 1 3 6 6\n0 compute 100\n0 finalize\n",
        "1 init\n1 recv 0 1 20 6\n1 send 0 9 7 6\n1 reduce 4 0 1 6\n1 alltoallv 4 3 1 4 3 1 6 6\n1 compute "
        "50\n"
        "1 finalize\n"};
    assert_int_equal(filter_to(three, kept, 2,
                               (struct filter_choice){.comm = FILTER_ALL_COMMS, .drop_outside = true},
                               &counts, &two),
                     STATUS_OK);
    for (uint32_t rank = 0; rank < 2; rank++) {
        size_t size;
        char *text = decompile_rank(two, rank, &size);
        char *whole = mem_format("%.*s", (int)size, text);
        assert_string_equal(whole, texts[rank]);
        free(whole);
        free(text);
    }
    assert_int_equal(counts.sends, 2); /* 10 and 5 bytes of rank 0 */
    assert_true(counts.sent == 15);
    assert_int_equal(counts.receives, 2); /* 30 of rank 0, 6 of rank 2 */
    assert_true(counts.received == 36);
    assert_int_equal(counts.rootless, 2);
    assert_int_equal(counts.smaller, 6);
    traces_close(two);
    assert_int_equal(
        filter_to(three, kept, 2, (struct filter_choice){.comm = FILTER_ALL_COMMS}, &counts, &two),
        STATUS_BAD_INPUT);
    const char *said = traces_messages();
    assert_non_null(strstr(said, "rank-1.txt:2: error: this is a message to rank 1, which is not kept"));
    assert_non_null(strstr(said, "rank-1.txt:4: error: this receives a message from rank 1"));
    assert_non_null(strstr(said, "rank-1.txt:7: error: this collective has a member, rank 1"));
    traces_close(three);
}

static void kinds_of_calls_are_chosen(void **state)
{
    (void)state;
    struct compiled_trace *three = open_three(), *some;
    struct filter_counts counts;
    struct trace_summary summary;
    const uint32_t all[] = {0, 1, 2};
    assert_int_equal(filter_to(three, all, 3,
                               (struct filter_choice){.comm = FILTER_ALL_COMMS, .no_collectives = true},
                               &counts, &some),
                     STATUS_OK);
    summary_of(some, &summary);
    assert_int_equal(summary.collectives, 0);
    assert_int_equal(summary.sends, 6);
    assert_int_equal(counts.others, 9);
    traces_close(some);
    assert_int_equal(
        filter_to(three, all, 3,
                  (struct filter_choice){.comm = FILTER_ALL_COMMS, .no_messages = true, .no_compute = true},
                  &counts, &some),
        STATUS_OK);
    summary_of(some, &summary);
    assert_int_equal(summary.collectives, 3);
    assert_int_equal(summary.lines, 3 * 5);
    assert_true(summary.compute_total == 0);
    traces_close(some);
    traces_close(three);
}

static void a_wildcard_may_have_had_a_message_from_outside(void **state)
{
    (void)state;
    struct compiled_trace *source =
        traces_open("wild", "0 init\n0 recv -333 1 8 6 #any\n0 recv -333 1 8 6 #any\n0 finalize\n",
                    "1 init\n1 send 0 1 8 6\n1 finalize\n", "2 init\n2 send 0 1 8 6\n2 finalize\n", NULL);
    struct compiled_trace *result;
    struct filter_counts counts;
    assert_int_equal(filter_to(source, (const uint32_t[]){0, 1}, 2,
                               (struct filter_choice){.comm = FILTER_ALL_COMMS, .drop_outside = true},
                               &counts, &result),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(traces_messages(), "rank-1.txt:2: error: this receive is from any source"));
    traces_close(source);
}

/* ------------------------------------------------------------------ writing */

static void results_are_written_in_three_forms(void **state)
{
    (void)state;
    struct compiled_trace *whole = open_shipped("cg.S.4"), *part = cut_out(whole, PLACES_ITERATIONS, "2..3");
    static const char *const names[] = {"form", "form.tar.zst", "form.helio"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(edit_put(part, traces_path(names[i])), STATUS_OK);
        struct compiled_trace *again = open_path(traces_path(names[i]));
        assert_same_bodies(&part, 1, &again, 1);
        if (i != 1) /* the key of an archive is that of its bytes */
            assert_memory_equal(again->program.key, part->program.key, sizeof part->program.key);
        traces_close(again);
    }
    traces_close(part);
    traces_close(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_of_a_trace_are_the_whole),
        cmocka_unit_test(the_parts_of_other_formats_are_the_whole),
        cmocka_unit_test(iterations_are_those_of_the_programs),
        cmocka_unit_test(communicators_stay_defined),
        cmocka_unit_test(a_cut_says_what_it_separates),
        cmocka_unit_test(places_are_those_where_all_is_in_balance),
        cmocka_unit_test(a_repeated_trace_has_everything_so_often),
        cmocka_unit_test(an_open_request_is_not_repeated),
        cmocka_unit_test(merged_programs_can_be_taken_apart),
        cmocka_unit_test(annotations_survive_a_merge),
        cmocka_unit_test(calls_with_ranks_that_are_not_kept_are_left_out),
        cmocka_unit_test(kinds_of_calls_are_chosen),
        cmocka_unit_test(a_wildcard_may_have_had_a_message_from_outside),
        cmocka_unit_test(results_are_written_in_three_forms),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
