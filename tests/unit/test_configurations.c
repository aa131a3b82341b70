/* Configurations of a paper, verdicts in each of them, and the search for the best. The paper is made up: its
 * files take the place of those in the program. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "reproduce/configuration.h"
#include "reproduce/paper.h"
#include "reproduce/papers.h"
#include "reproduce/published.h"
#include "reproduce/reproduce.h"
#include "support/reproduced.h"
#include "sweep/worker_pool.h"

#define FILE_OF(path, text)                                                                                  \
    {                                                                                                        \
        path, text, sizeof(text) - 1                                                                         \
    }

/* The numbers of a paper whose unknowns were slope 3, offset 2 and sign minus. */
static const char published[] = "item,published,unit,tolerance_percent,source\n"
                                "line/1,-5,,1,Table 1\n"
                                "line/2,-8,,1,Table 1\n"
                                "line/3,-11,,1,Table 1\n"
                                "line/4,-14,,1,Table 1\n"
                                "line/5,-17,,1,Table 1\n"
                                "line/6,-20,,1,Table 1\n"
                                "line/7,-23,,1,Table 1\n"
                                "line/8,-26,,1,Table 1\n"
                                "rate,7,GB/s,0,Table 2\n"
                                "fit,2,,1,Table 3\n"
                                "words,,,,Section 1\n"
                                "picture,4,,1,Figure 1\n"
                                "always,1,,0,Section 2\n"
                                "missing,1,,0,Section 2\n";
static const char roles[] = "item,role,why\n"
                            "line/*,searched,by half of these\n"
                            "rate,input,the rate is put in\n"
                            "fit/plain,fitted,chosen by hand\n"
                            "fit/steep,held out,not looked at\n"
                            "picture,not computable,a picture\n";
/* Half of the numbers of a program decide, and all of another one are held out. */
static const char roles_by_name[] = "item,role,why\n"
                                    "line/[1-4],chooses,one program\n"
                                    "line/[5-8],tests,another program\n";
static const char unknowns[] = "unknown,values,says\n"
                               "slope,1 2 3 4,not stated\n"
                               "offset,0 1 2 3,not stated\n"
                               "sign,plus minus,not stated\n"
                               "packet.latency,default 3us,not stated\n";
static const char plain[] = "configuration: plain\nsays: the first values\n";
static const char steep[] =
    "configuration: steep\nsays: a steep line\nsettings:\n  slope: 3\n  packet.latency: 3us\n";

/* The same with what a search has found. */
static const char found_before[] = "configuration: found\nsays: \"the best: of 64\"\n"
                                   "settings:\n  slope: \"3\"\n  offset: \"2\"\n  sign: \"minus\"\n"
                                   "search:\n  version: \"0.1.0\"\n  path:\n    - \"slope=3: 1 of 5\"\n"
                                   "  changes:\n    - \"slope=1: 0 of 5\"\n    - \"slope=2: 0 of 5\"\n";

const struct embedded_file paper_files[] = {FILE_OF("papers/again/found.yaml", found_before),
                                            FILE_OF("papers/again/notes.csv", "item,note,experiment\n"),
                                            FILE_OF("papers/again/published.csv", published),
                                            FILE_OF("papers/again/roles.csv", roles),
                                            FILE_OF("papers/again/unknowns.csv", unknowns),
                                            FILE_OF("papers/halves/notes.csv", "item,note,experiment\n"),
                                            FILE_OF("papers/halves/published.csv", published),
                                            FILE_OF("papers/halves/roles.csv", roles_by_name),
                                            FILE_OF("papers/halves/unknowns.csv", unknowns),
                                            FILE_OF("papers/line/notes.csv", "item,note,experiment\n"),
                                            FILE_OF("papers/line/plain.yaml", plain),
                                            FILE_OF("papers/line/published.csv", published),
                                            FILE_OF("papers/line/roles.csv", roles),
                                            FILE_OF("papers/line/steep.yaml", steep),
                                            FILE_OF("papers/line/sweep.yaml", "workload: pingpong\n"),
                                            FILE_OF("papers/line/unknowns.csv", unknowns),
                                            {0}};

static unsigned computed; /* how often */

static void line(struct reproduction *reproduction)
{
    computed++;
    double slope = atof(reproduction_choice(reproduction, "slope")),
           offset = atof(reproduction_choice(reproduction, "offset"));
    int sign = reproduction_chooses(reproduction, "sign", "minus") ? -1 : 1;
    for (int x = 1; x <= 8; x++)
        reproduction_item_format(reproduction, NULL, sign * (slope * x + offset), "line/%d", x);
    if (!reproduction_draws(reproduction)) {
        assert_true(reproduction_wants(reproduction, "line/"));
        assert_false(reproduction_wants(reproduction, "rate"));
        return;
    }
    reproduction_item(reproduction, "rate", NULL, 7);
    reproduction_item(reproduction, "fit", NULL, 2);
    reproduction_item(reproduction, "words", NULL, slope);
    reproduction_item(reproduction, "always", NULL, 1);
    if (reproduction_is_first(reproduction))
        reproduction_item(reproduction, "always", "another-way", 0);
    const struct run_facts *run = reproduction_run(reproduction, "packet", "pingpong:bytes=0B", NULL);
    reproduction_figure(reproduction, &(struct figure){.id = "f", .title = "F", .x = "x", .y = "y"});
    reproduction_point_at(reproduction, "", "latency", 1, 1e6 * run->makespan_s / 2);
    reproduction_figure(reproduction,
                        &(struct figure){.id = "c", .title = "C", .x = "x", .y = "y", .is_common = true});
    reproduction_point_at(reproduction, "", "slope", 1, slope);
    reproduction_point_of(reproduction, "rate");
}

static const struct paper paper = {.name = "line", .title = "A line", .reproduce = line};

/* --------------------------------------------------------- declared numbers */

static void test_configurations(void **state)
{
    (void)state;
    struct configurations configurations;
    assert_int_equal(configurations_load(&configurations, "line"), STATUS_OK);
    assert_int_equal(configurations.count, 2);
    assert_string_equal(configurations.list[0].name, "plain");
    assert_string_equal(configurations.list[0].settings, "");
    assert_string_equal(configurations.list[1].choices[0], "3");
    assert_string_equal(configurations.list[1].choices[1], "0");
    assert_string_equal(configurations.list[1].settings, "packet.latency=3us");
    assert_int_equal(configurations.list[1].changes.count, 0);
    configurations_free(&configurations);
    assert_int_equal(configurations_load(&configurations, "other"), STATUS_OK);
    assert_int_equal(configurations.count, 1);
    assert_string_equal(configurations.list[0].name, "text");
    configurations_free(&configurations);
}

/* Each number has one verdict in each configuration; one row stands for both where it is the same. */
static void test_verdicts(void **state)
{
    (void)state;
    reproduced_make(&paper);
    char *rows = mem_text(reproduced_take("line.csv"));
    reproduced_has(rows, "line,line/1/plain,-5,1,,120.000,1,deviates,,plain,\n");
    reproduced_has(rows, "line,line/1/steep,-5,3,,160.000,1,deviates,,steep,\n");
    reproduced_has(rows, "line,rate,7,7,GB/s,0.000,0,input,the rate is put in,all,\n");
    reproduced_has(rows, "line,fit/plain,2,2,,0.000,1,fitted,chosen by hand,plain,\n");
    reproduced_has(rows, "line,fit/steep,2,2,,0.000,1,predicted,not looked at,steep,\n");
    reproduced_has(rows, "line,words/plain,,1,,,,measured,,plain,\n");
    reproduced_has(rows, "line,picture,4,,,,1,not computable,a picture,all,\n");
    reproduced_has(rows, "line,always,1,1,,0.000,0,reproduced,,all,\n");
    reproduced_has(rows, "line,always/another-way,1,0,,-100.000,0,deviates,,,\n");
    reproduced_has(rows, "line,missing,1,,,,0,not run,not computed,all,\n");
    free(rows);
    /* All runs have the configuration's parameters. */
    assert_string_equal(reproduced_take("line-figures.csv"),
                        "figure,panel,series,x,y,published\n"
                        "f-plain,,latency,1,8,\nc,,slope,1,1,7\nf-steep,,latency,1,3,\n");
    reproduced_take("line-figures.gp");
    reproduced_remove();
}

/* In the configuration that a search has found, the items that chose are fitted, and the others predicted. */
static void test_found(void **state)
{
    (void)state;
    struct configurations configurations;
    assert_int_equal(configurations_load(&configurations, "again"), STATUS_OK);
    assert_int_equal(configurations.count, 1);
    assert_true(configurations.list[0].is_found);
    assert_string_equal(configurations.list[0].path.list[0], "slope=3: 1 of 5");
    assert_int_equal(configurations.list[0].changes.count, 2);
    configurations_free(&configurations);
    reproduced_make(&(struct paper){.name = "again", .title = "A line again", .reproduce = line});
    const char *rows = reproduced_take("again.csv");
    for (int x = 1; x <= 8; x++) {
        char item[16], expected[64];
        snprintf(item, sizeof item, "line/%d", x);
        bool is_held_out =
            published_is_held_out(&(struct published){.count = 0}, &(struct published_item){.item = item});
        snprintf(expected, sizeof expected, "again,%s,%d,%d,,0.000,1,%s,,all,\n", item, -3 * x - 2,
                 -3 * x - 2, is_held_out ? "predicted" : "fitted");
        reproduced_has(rows, expected);
    }
    reproduced_take("again-figures.csv");
    reproduced_take("again-figures.gp");
    reproduced_remove();
}

/* ------------------------------------------------------------------- search */

static enum status search_with(uint64_t tries, struct worker_pool *workers)
{
    diag_set_sink(reproduced_keep_quiet, NULL);
    enum status status = reproduce_search(
        &paper, &(struct reproduce_options){.folder = reproduced_folder, .tries = tries, .workers = workers});
    diag_set_sink(NULL, NULL);
    return status;
}

static enum status search(uint64_t tries)
{
    return search_with(tries, NULL);
}

static size_t lines_of(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

/* The search sees half of the items and finds what gives them all. Started again it goes on, and comes to the
 * same file. */
static void test_search(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(reproduced_folder));
    assert_int_equal(search(64), STATUS_OK);
    char *found = mem_text(reproduced_take("found.yaml"));
    char *tries = mem_text(reproduced_take("line-search.csv"));
    reproduced_has(found, "configuration: found\n");
    reproduced_has(found, "  slope: \"3\"\n  offset: \"2\"\n  sign: \"minus\"\n");
    reproduced_has(found, "  path:\n    - \"slope=");
    reproduced_has(found, "  changes:\n    - \"slope=1: 0 of ");
    reproduced_has(tries, "version,slope,offset,sign,packet.latency,line/1,line/2,");
    assert_int_equal(lines_of(tries), 1 + 64);
    reproduced_has(tries, ",3,2,minus,default,-5,-8,-11,-14,-17,-20,-23,-26\n");

    /* The file of the tries has been taken away: begin again, end after 20, go on. */
    assert_int_equal(search(20), STATUS_OK);
    computed = 0;
    assert_int_equal(search(64), STATUS_OK);
    assert_int_equal(computed, 64 - 20);
    assert_string_equal(reproduced_take("found.yaml"), found);
    reproduced_take("line-search.csv");
    free(tries);
    free(found);
    reproduced_remove();
}

/* A choice that --with makes is made by all tries, and roles say which numbers decide. */
static void test_search_with(void **state)
{
    (void)state;
    static const struct paper halves = {.name = "halves", .title = "Halves", .reproduce = line};
    struct reproduce_options options = {
        .folder = reproduced_folder, .tries = 1000, .changes = "sign=minus slope=2"};
    assert_non_null(mkdtemp(reproduced_folder));
    diag_set_sink(reproduced_keep_quiet, NULL);
    assert_int_equal(reproduce_search(&halves, &options), STATUS_OK);
    options.changes = "sign=both";
    assert_int_equal(reproduce_search(&halves, &options), STATUS_BAD_INPUT);
    options.changes = "signs=minus";
    assert_int_equal(reproduce_search(&halves, &options), STATUS_BAD_INPUT);
    diag_set_sink(NULL, NULL);
    const char *found = reproduced_take("found.yaml");
    reproduced_has(found, "says: \"the best of 8 tries, with sign=minus slope=2; as published are ");
    reproduced_has(found, "of 4 that choose, 0 of 4 held out\"\n");
    reproduced_has(found, "  slope: \"2\"\n");
    reproduced_has(reproduced_take("halves-search.csv"), ",2,3,minus,default,-5,-7,-9,-11,-13,-15,-17,-19\n");
    reproduced_remove();
}

/* A program that is held out does not choose, and those that a role holds out do. The tries are the same, so
 * a search that holds out another one goes on with them. */
static void test_search_holds_out(void **state)
{
    (void)state;
    static const struct paper halves = {.name = "halves", .title = "Halves", .reproduce = line};
    static const struct {
        const char *pattern, *says;
    } ways[] = {{"line/[1-3]", "line/[1-3]; as published are 5 of 5 that choose, 3 of 3 held out\"\n"},
                {"line/[5-8]", "line/[5-8]; as published are 4 of 4 that choose, 4 of 4 held out\"\n"},
                {"none", "none; as published are 8 of 8 that choose, 0 of 0 held out\"\n"}};
    struct reproduce_options options = {.folder = reproduced_folder, .tries = 64};
    assert_non_null(mkdtemp(reproduced_folder));
    diag_set_sink(reproduced_keep_quiet, NULL);
    computed = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        options.held_out = ways[i].pattern;
        assert_int_equal(reproduce_search(&halves, &options), STATUS_OK);
        const char *found = reproduced_take("found.yaml");
        reproduced_has(found, "says: \"the best of 64 tries, held out: ");
        reproduced_has(found, ways[i].says);
    }
    assert_int_equal(computed, 64);
    options.held_out = "lines/*";
    assert_int_equal(reproduce_search(&halves, &options), STATUS_BAD_INPUT);
    options.held_out = "line/*";
    assert_int_equal(reproduce_search(&halves, &options), STATUS_BAD_INPUT);
    diag_set_sink(NULL, NULL);
    reproduced_take("halves-search.csv");
    reproduced_remove();
}

/* Three workers that answer in no order: the last that was given a try answers first. */
struct unordered {
    struct worker_pool one;
    size_t given[3], count;
    size_t fails_at; /* this try, counted from 1, is not made; 0: none is */
    bool is_shut_down;
    struct worker_answer answers[3];
};

static bool submit(struct worker_pool *pool, size_t worker, size_t number, struct worker_answer *answer)
{
    struct unordered *unordered = pool->self;
    unordered->one.submit(&unordered->one, 0, number, answer);
    unordered->one.wait(&unordered->one, &unordered->answers[worker]);
    unordered->answers[worker].worker = worker;
    unordered->given[unordered->count++] = worker;
    return true;
}

static bool wait_for_last(struct worker_pool *pool, struct worker_answer *answer)
{
    struct unordered *unordered = pool->self;
    *answer = unordered->answers[unordered->given[--unordered->count]];
    if (unordered->fails_at && --unordered->fails_at == 0) {
        free(answer->bytes);
        answer->bytes = NULL;
    }
    return true;
}

static void shut_down(struct worker_pool *pool)
{
    struct unordered *unordered = pool->self;
    assert_int_equal(unordered->count, 0);
    unordered->one.shutdown(&unordered->one);
    unordered->is_shut_down = true;
}

static enum status search_unordered(uint64_t tries, size_t fails_at)
{
    struct unordered unordered = {.fails_at = fails_at};
    uint64_t fingerprint;
    assert_int_equal(
        reproduce_worker_open(&paper, &(struct reproduce_options){0}, &unordered.one, &fingerprint),
        STATUS_OK);
    struct worker_pool pool = {
        .workers = 3, .self = &unordered, .submit = submit, .wait = wait_for_last, .shutdown = shut_down};
    enum status status = search_with(tries, &pool);
    assert_true(unordered.is_shut_down);
    return status;
}

/* Whoever makes the tries, they are the same in the same order. One that is not made ends the search, and
 * those that came back are kept. */
static void test_workers(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(reproduced_folder));
    assert_int_equal(search(30), STATUS_OK);
    char *found = mem_text(reproduced_take("found.yaml"));
    char *tries = mem_text(reproduced_take("line-search.csv"));
    assert_int_equal(search_unordered(30, 0), STATUS_OK);
    assert_string_equal(reproduced_take("found.yaml"), found);
    assert_string_equal(reproduced_take("line-search.csv"), tries);
    assert_int_equal(search_unordered(30, 12), STATUS_FAILED);
    assert_int_equal(lines_of(reproduced_take("line-search.csv")), 1 + 11 + 2); /* two were under way */
    assert_int_equal(search_unordered(30, 12), STATUS_FAILED);
    assert_int_equal(search_unordered(30, 0), STATUS_OK);
    assert_string_equal(reproduced_take("found.yaml"), found);
    assert_string_equal(reproduced_take("line-search.csv"), tries);
    free(tries);
    free(found);
    reproduced_remove();
}

/* Each configuration has a number of its own, and the number leads back to it. */
static void test_numbers(void **state)
{
    (void)state;
    struct configurations configurations;
    const char *choices[4];
    assert_int_equal(configurations_load(&configurations, "line"), STATUS_OK);
    assert_int_equal(configurations_possible(&configurations), 64);
    assert_int_equal(configurations_number(&configurations, configurations.list[0].choices), 0);
    assert_int_equal(configurations_number(&configurations, configurations.list[1].choices), 2 * 16 + 1);
    for (size_t number = 0; number < 64; number++) {
        configurations_choices(&configurations, number, choices);
        assert_int_equal(configurations_number(&configurations, choices), number);
    }
    configurations_free(&configurations);
}

/* No item of a search decides by itself that it is held out: both halves have some, and a name is always in
 * the same half. */
static void test_halves(void **state)
{
    (void)state;
    size_t held_out = 0;
    for (int i = 0; i < 1000; i++) {
        char name[16];
        snprintf(name, sizeof name, "item/%d", i);
        held_out +=
            published_is_held_out(&(struct published){.count = 0}, &(struct published_item){.item = name});
    }
    assert_in_range(held_out, 420, 580);
    assert_int_equal(
        published_is_held_out(&(struct published){.count = 0}, &(struct published_item){.item = "line/1"}),
        published_is_held_out(&(struct published){.count = 0}, &(struct published_item){.item = "line/1"}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_configurations), cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_found),          cmocka_unit_test(test_search),
        cmocka_unit_test(test_search_with),    cmocka_unit_test(test_search_holds_out),
        cmocka_unit_test(test_workers),        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
