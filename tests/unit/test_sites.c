/* Call sites: read from text, kept by a cut, and added up by a run. The sums of a run are those of its ranks
 * and of its critical path, which count without call sites. */
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
#include "sim/components.h"
#include "sim/experiment.h"
#include "sim/path_summary.h"
#include "sim/sites.h"
#include "support/traces.h"
#include "tolerance/answer.h"
#include "trace/summary.h"
#include "trace/ti/decompile.h"

/* ------------------------------------------------------------------ reading */

static const char *site_of_line(const struct compiled_trace *compiled, uint32_t rank, uint64_t line)
{
    const struct program_sites *sites = compiled->program.sites;
    const uint32_t token = compiled_tokens(compiled, rank)[line - 1];
    return sites->names[sites->of(sites, rank, &compiled_calls(compiled, rank)[token])];
}

static void calls_have_the_sites_of_their_lines(void **state)
{
    (void)state;
    struct compiled_trace *compiled =
        traces_open("sites",
                    "0 init\n0 comm_size #site 1 a b.c:7   \n0 send 1 1 8 6 #@1\n0 comm_size #site 2 c.c:1\n"
                    "0 send 1 1 8 6 #@2\n0 isend 1 2 8 6 #s #@1\n0 wait 0 1 2 #@2\n0 send 1 1 8 6\n"
                    "0 comm_size #lost MPI_Put #@2\n0 finalize\n",
                    "1 init\n1 comm_size #site 1 c.c:1\n1 recv 0 1 8 6 #@1\n1 recv 0 1 8 6\n"
                    "1 recv 0 2 8 6 #@1\n1 recv 0 1 8 6\n1 finalize\n",
                    NULL);
    const struct program_sites *sites = compiled->program.sites;
    assert_non_null(sites);
    assert_int_equal(sites->count, 3); /* equal texts of two ranks are one site */
    assert_string_equal(site_of_line(compiled, 0, 3), "a b.c:7");
    assert_string_equal(site_of_line(compiled, 0, 5), "c.c:1");
    assert_string_equal(site_of_line(compiled, 0, 6), "a b.c:7");
    assert_string_equal(site_of_line(compiled, 0, 7), "c.c:1");
    assert_null(site_of_line(compiled, 0, 8));
    assert_string_equal(site_of_line(compiled, 1, 3), "c.c:1");
    assert_null(site_of_line(compiled, 1, 4));
    const struct call computed = {.op = CALL_COMPUTE};
    assert_int_equal(sites->of(sites, 0, &computed), 0);
    assert_int_equal(sites->of(sites, 2, compiled_calls(compiled, 0)), 0);
    struct summary_site *summary = summary_sites(compiled);
    assert_int_equal(summary[1].calls, 2);
    assert_int_equal(summary[1].bytes, 16);
    assert_int_equal(summary[2].calls, 4);
    assert_int_equal(summary[2].bytes, 8);
    free(summary);
    traces_close(compiled);
}

/* The bytes of all sites are those of all messages. Rank 0 is the root, and stands for an allreduce. */
static void collectives_count_at_their_sites(void **state)
{
    (void)state;
    struct compiled_trace *compiled = traces_open(
        "collective sites",
        "0 init\n0 comm_size #site 1 a.c:1\n0 comm_size #site 2 a.c:2\n0 comm_size #site 3 a.c:3\n"
        "0 bcast 1000 0 6 #@1\n0 bcast 1000 0 6 #@1\n0 allreduce 70 0 6 #@2\n"
        "0 allgather 5 5 6 6 #@3\n0 finalize\n",
        "1 init\n1 comm_size #site 1 a.c:1\n1 comm_size #site 2 a.c:2\n1 comm_size #site 3 a.c:3\n"
        "1 bcast 1000 0 6 #@1\n1 bcast 1000 0 6 #@1\n1 allreduce 70 0 6 #@2\n"
        "1 allgather 5 5 6 6 #@3\n1 finalize\n",
        NULL);
    static const struct summary_site expected[] = {{0, 0}, {4, 2000}, {2, 2 * 70}, {2, 2 * 5}};
    struct summary_site *sites = summary_sites(compiled);
    struct trace_summary summary;
    sum_t bytes = 0;
    summary_of(compiled, &summary);
    for (int i = 1; i < 4; i++) {
        assert_int_equal(sites[i].calls, expected[i].calls);
        assert_true(sites[i].bytes == expected[i].bytes);
        bytes += sites[i].bytes;
    }
    assert_true(bytes + sites[0].bytes == summary.message_bytes);
    free(sites);
    traces_close(compiled);
}

static void traces_without_sites_have_none(void **state)
{
    (void)state;
    struct compiled_trace *compiled = traces_open("plain", "0 init\n0 compute 5\n0 finalize\n", NULL);
    assert_null(compiled->program.sites);
    assert_null(summary_sites(compiled));
    assert_int_equal(compiled->header->sites.count, 0);
    assert_int_equal(compiled->ranks[0].sites, 0);
    traces_close(compiled);
}

static void assert_refused(const char *line, const char *message)
{
    struct compiled_trace *compiled;
    char *text = mem_format("0 init\n0 comm_size #site 1 a.c:1\n%s\n0 finalize\n", line);
    assert_int_equal(trace_open_compiled(traces_make("refused", text, NULL), &compiled), STATUS_BAD_INPUT);
    const char *messages = traces_messages();
    if (!strstr(messages, message) || !strstr(messages, "rank-1.txt:3:"))
        fail_msg("expected: %s\ngot: %s", message, messages);
    free(text);
}

static void wrong_annotations_are_refused(void **state)
{
    (void)state;
    assert_refused("0 barrier #@2", "no #site before this line defines this call site");
    assert_refused("0 barrier #@", "is not an annotation");
    assert_refused("0 barrier #@x", "the number of a call site is expected, such as #@3");
    assert_refused("0 barrier #@-1", "the number of a call site is expected, such as #@3");
    assert_refused("0 comm_size #site 1 b.c:1", "this call site has another text in an earlier line");
    assert_refused("0 comm_size #site x b.c:1", "the number of a call site is expected, such as #@3");
    assert_refused("0 comm_size #site 2", "'#site' is not an annotation");
    assert_refused("0 barrier #site 2 b.c:1", "only a comm_size defines a call site");
}

/* ------------------------------------------------------------------- a run */

/* The trace of a program with a call site for each kind of line, or none, at random. */
static char *with_sites(const char *text, size_t size, struct rng *rng)
{
    char *result = NULL;
    size_t length;
    FILE *out = open_memstream(&result, &length);
    for (const char *at = text, *end = text + size; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const bool is_call = !memmem(at, (size_t)(stop - at), " compute ", 9) &&
                             !memmem(at, (size_t)(stop - at), " init", 5) &&
                             !memmem(at, (size_t)(stop - at), " finalize", 9);
        fwrite(at, 1, (size_t)(stop - at), out);
        if (is_call && rng_below(rng, 4))
            fprintf(out, " #@%u", (unsigned)rng_below(rng, 3));
        fputc('\n', out);
        if (memmem(at, (size_t)(stop - at), " init", 5))
            for (unsigned site = 0; site < 3; site++)
                fprintf(out, "%.*s comm_size #site %u file.c:%u\n", (int)strcspn(at, " "), at, site, site);
        at = stop + 1;
    }
    fclose(out);
    return result;
}

/* Reads a trace of tests/traces and writes it with sites. */
static char *decorate(const char *from, const char *to)
{
    struct compiled_trace *compiled;
    struct rng rng = rng_init(7, "sites");
    assert_int_equal(trace_open_compiled(from, &compiled), STATUS_OK);
    for (uint32_t rank = 0; rank < compiled->program.ranks; rank++) {
        size_t size;
        char *text = decompile_rank(compiled, rank, &size), *decorated = with_sites(text, size, &rng);
        char *file = mem_format("%s/rank-%u.txt", to, rank + 1);
        traces_write(file, decorated, strlen(decorated));
        free(file);
        free(decorated);
        free(text);
    }
    traces_close(compiled);
    return mem_text(traces_path(to));
}

static void run_on(const char *trace, const char *fabric, struct result *result)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    struct experiment experiment;
    const struct experiment_watch watch = {.messages = NULL};
    config_assign(config, "fabric", fabric, "test");
    config_assign(config, "machine", "as-published", "test");
    assert_int_equal(config_assign(config, "trace", trace, "test"), STATUS_OK);
    assert_int_equal(experiment_init(&experiment, config), STATUS_OK);
    experiment.path = EXPERIMENT_PATH_LISTED;
    assert_int_equal(experiment_run(&experiment, 0, &watch, result), STATUS_OK);
    experiment_free(&experiment);
    config_close(config);
}

/* All waiting of all ranks has a call site, or none that is known, and is what it is without sites. */
static void check_waiting(const struct result *plain, const struct result *result)
{
    sum_t idle = 0, all = 0;
    assert_null(plain->sites);
    assert_int_equal(result->site_count, 4);
    assert_int_equal(result->makespan, plain->makespan);
    for (uint32_t site = 0; site < result->site_count; site++) {
        idle += result->sites[site].idle;
        assert_true(result->sites[site].waits > 0);
    }
    for (uint32_t rank = 0; rank < plain->ranks; rank++) {
        assert_true(result->rows[rank].idle == plain->rows[rank].idle);
        all += plain->rows[rank].idle;
    }
    assert_true(all > 0 && idle == all);
}

static void check_path(const struct result *plain, const struct result *result)
{
    ps_t path = 0, messages = 0;
    for (uint32_t site = 0; site < result->site_count; site++)
        path += result->sites[site].path;
    for (size_t i = 0; i < plain->path->count; i++)
        messages += plain->path->steps[i].end - plain->path->steps[i].start;
    assert_int_equal(path, messages);
    assert_int_equal(plain->path->count, result->path->count);
}

/* The computation of the path by the calls between which it is, added up here step by step. */
static void check_computations(const struct result *result)
{
    enum { SITES = 4 };
    const struct critical_path *path = result->path;
    const struct path_list *list = &result->path_summary->computations;
    ps_t between[SITES][SITES] = {{0}}, all = path->last_computed;
    uint32_t after = 0;
    for (size_t i = 0; i < path->count; i++) {
        between[after][path->steps[i].sent_site] += path->steps[i].computed;
        all += path->steps[i].computed;
        after = path->steps[i].waited_site;
    }
    between[after][0] += path->last_computed;
    assert_int_equal(all, path->kinds[CRITICAL_COMPUTATION]);
    assert_true(list->count > 1);
    for (size_t i = 0; i < list->count; i++) {
        const struct path_between where = path_between(result->path_summary, list->groups[i].first);
        assert_int_equal(list->groups[i].time, between[where.after][where.before]);
        between[where.after][where.before] = 0;
    }
    for (size_t i = 0; i < SITES * SITES; i++)
        assert_true(between[i / SITES][i % SITES] <= list->groups[list->count - 1].time);
}

static void sums_are_those_of_ranks_and_path(void **state)
{
    (void)state;
    static const char *const fabrics[] = {"hockney", "packet", "fmu", "loggops"};
    static const char *const traces[] = {"cg.S.4", "is.S.4"};
    for (size_t t = 0; t < sizeof traces / sizeof *traces; t++) {
        char *from = mem_format("tests/traces/%s.tar.zst", traces[t]), *to = decorate(from, traces[t]);
        for (size_t f = 0; f < sizeof fabrics / sizeof *fabrics; f++) {
            struct result plain, result;
            run_on(from, fabrics[f], &plain);
            run_on(to, fabrics[f], &result);
            check_waiting(&plain, &result);
            check_path(&plain, &result);
            check_computations(&result);
            result_free(&plain);
            result_free(&result);
        }
        free(from);
        free(to);
    }
}

/* ---------------------------------------------------------------- tolerance */

static void check_shares(const struct tolerance_answer *plain, const struct tolerance_answer *answer)
{
    const struct tolerance_shares *shares = &answer->shares;
    int64_t by_site = 0, by_rank = 0;
    uint64_t messages = 0;
    assert_null(plain->why);
    assert_null(answer->why);
    assert_null(plain->shares.by_site);
    assert_true(answer->slope == plain->slope && answer->slope > 0);
    assert_int_equal(shares->messages, plain->shares.messages);
    assert_int_equal(shares->sites, 4);
    for (size_t i = 0; i < shares->sites; i++) {
        const struct tolerance_share *share = &shares->by_site[i];
        by_site += share->slope;
        messages += share->messages;
        assert_true(i == 0 || share->slope <= share[-1].slope);
        assert_true(share->site ? share->site_name != NULL : share->site_name == NULL);
    }
    for (size_t i = 0; i < shares->ranks; i++)
        by_rank += shares->by_rank[i].slope;
    assert_true((double)by_site == answer->slope && (double)by_rank == answer->slope);
    assert_int_equal(messages, shares->messages);
}

static void ask(const char *trace, const char *name, struct tolerance_answer *answer,
                struct tolerance_question *question, struct experiment *experiment)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    config_assign(config, "fabric", "hockney", "test");
    config_assign(config, "machine", "as-published", "test");
    assert_int_equal(config_assign(config, "trace", trace, "test"), STATUS_OK);
    assert_int_equal(experiment_init(experiment, config), STATUS_OK);
    *question = (struct tolerance_question){.config = config, .experiment = experiment};
    *answer = (struct tolerance_answer){.why = NULL};
    assert_int_equal(tolerance_find_param(question, name, answer), STATUS_OK);
    assert_int_equal(tolerance_answer(question, answer), STATUS_OK);
}

/* The parts of the call sites are the slope, and nothing else changes. */
static void parts_of_the_slope_are_the_slope(void **state)
{
    (void)state;
    static const char *const parameters[] = {"hockney.latency", "hockney.bandwidth"};
    char *decorated = decorate("tests/traces/cg.S.4.tar.zst", "cg-tolerance");
    for (size_t i = 0; i < 2; i++) {
        const char *const traces[] = {"tests/traces/cg.S.4.tar.zst", decorated};
        struct tolerance_answer answers[2];
        struct tolerance_question questions[2];
        struct experiment experiments[2];
        for (size_t t = 0; t < 2; t++)
            ask(traces[t], parameters[i], &answers[t], &questions[t], &experiments[t]);
        check_shares(&answers[0], &answers[1]);
        for (size_t t = 0; t < 2; t++) {
            tolerance_answer_free(&answers[t]);
            tolerance_question_free(&questions[t]);
            experiment_free(&experiments[t]);
            config_close((struct config *)questions[t].config);
        }
    }
    free(decorated);
}

/* On hockney the critical path of a run is a longest path: its messages are the same, if there is one such
 * path. */
static void critical_messages_are_those_of_the_longest_path(void **state)
{
    (void)state;
    char *decorated = decorate("tests/traces/cg.S.4.tar.zst", "cg-critical");
    struct tolerance_answer answer;
    struct tolerance_question question;
    struct experiment experiment;
    ask(decorated, "hockney.latency", &answer, &question, &experiment);
    assert_int_equal(question.critical.messages, 0);
    assert_int_equal(tolerance_find_critical(&question), STATUS_OK);
    const struct tolerance_shares *exact = &answer.shares, *critical = &question.critical;
    assert_true((double)critical->messages == answer.slope);
    assert_int_equal(critical->listed_since, 0);
    assert_int_equal(critical->ranks, exact->ranks);
    assert_int_equal(critical->sizes, exact->sizes);
    for (size_t i = 0; i < exact->ranks; i++) {
        assert_int_equal(critical->by_rank[i].rank, exact->by_rank[i].rank);
        assert_int_equal(critical->by_rank[i].messages, exact->by_rank[i].messages);
        assert_int_equal(critical->by_rank[i].bytes, exact->by_rank[i].bytes);
    }
    uint64_t of_sites = 0;
    for (size_t i = 0; i < critical->sites; i++)
        of_sites += critical->by_site[i].messages;
    assert_int_equal(of_sites, critical->messages);
    tolerance_answer_free(&answer);
    tolerance_question_free(&question);
    experiment_free(&experiment);
    config_close((struct config *)question.config);
    free(decorated);
}

static void the_longest_come_first(void **state)
{
    (void)state;
    struct result_site sites[] = {{.idle = 99}, {.idle = 3}, {.idle = 0},
                                  {.idle = 7},  {.idle = 3}, {.idle = 5}};
    const struct result result = {.sites = sites, .site_count = 6};
    uint32_t longest[3];
    assert_int_equal(sites_longest(&result, 3, longest), 3);
    assert_int_equal(longest[0], 3);
    assert_int_equal(longest[1], 5);
    assert_int_equal(longest[2], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_have_the_sites_of_their_lines),
        cmocka_unit_test(collectives_count_at_their_sites),
        cmocka_unit_test(traces_without_sites_have_none),
        cmocka_unit_test(wrong_annotations_are_refused),
        cmocka_unit_test(sums_are_those_of_ranks_and_path),
        cmocka_unit_test(the_longest_come_first),
        cmocka_unit_test(parts_of_the_slope_are_the_slope),
        cmocka_unit_test(critical_messages_are_those_of_the_longest_path),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
