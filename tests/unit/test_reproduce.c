/* The room of the papers: its data files, its rows, and a paper of a few runs from end to end. */
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

#include "base/diag.h"
#include "base/mem.h"
#include "reproduce/paper.h"
#include "reproduce/published.h"
#include "reproduce/reproduce.h"

/* --------------------------------------------------------------------------------------------------- data */

static void test_split(void **state)
{
    (void)state;
    static const char text[] = "a,,\"b, \"\"c\"\"\"\nlast,";
    const char *next = text, *end = text + strlen(text), *fields[4];
    struct arena texts = {0};
    assert_int_equal(published_split(&next, end, &texts, fields, 4), 3);
    assert_string_equal(fields[0], "a");
    assert_string_equal(fields[1], "");
    assert_string_equal(fields[2], "b, \"c\"");
    assert_int_equal(published_split(&next, end, &texts, fields, 4), 2);
    assert_string_equal(fields[0], "last");
    assert_string_equal(fields[1], "");
    assert_ptr_equal(next, end);
    arena_free(&texts);
}

static void test_split_refuses(void **state)
{
    (void)state;
    static const char *const wrong[] = {"\"open", "\"shut\"more,b", "a,b,c", "\"over\n\"the line"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *next = wrong[i], *fields[2];
        struct arena texts = {0};
        assert_int_equal(published_split(&next, next + strlen(next), &texts, fields, 2), 0);
        arena_free(&texts);
    }
}

static void test_all_papers_load(void **state)
{
    (void)state;
    struct published published;
    for (size_t i = 0; papers[i]; i++) {
        assert_int_equal(published_load(&published, papers[i]->folder), STATUS_OK);
        assert_true(published.count > 0);
        published_free(&published);
    }
}

static void test_notes_of_variants(void **state)
{
    (void)state;
    struct published_note notes[] = {{"a", "of a"}, {"a/x", "of a in way x"}};
    struct published published = {.notes = notes, .note_count = 2};
    assert_string_equal(published_note(&published, "a", "x"), "of a in way x");
    assert_string_equal(published_note(&published, "a", "y"), "of a");
    assert_string_equal(published_note(&published, "a", NULL), "of a");
    assert_string_equal(published_note(&published, "b", "x"), "");
}

/* ------------------------------------------------------------------------------------------------ a paper */

static int calls;

/* Table 3 of the FMU paper: one number that comes out, one that does not, one that cannot be computed, and
 * one whose run depends on what another run found. */
static void few_items(struct reproduction *reproduction)
{
    calls++;
    const struct run_facts *one = reproduction_run(reproduction, "packet", "pingpong:bytes=0B", NULL);
    reproduction_item(reproduction, "table-3/infiniband-latency", "right", 1e6 * one->makespan_s / 2);
    one = reproduction_run(reproduction, "packet", "pingpong:bytes=0B", "packet.latency=2us");
    reproduction_item(reproduction, "table-3/infiniband-latency", "wrong", 1e6 * one->makespan_s / 2);
    double latency_us = 1e6 * one->makespan_s / 2;
    one = reproduction_run(reproduction, "packet", "pingpong:bytes=0B", "packet.latancy=2us");
    reproduction_item(reproduction, "table-3/fmu-switch", NULL, one->makespan_s);
    if (isnan(latency_us))
        return;
    char settings[64];
    snprintf(settings, sizeof settings, "packet.latency=%.0fus", 4 * latency_us);
    one = reproduction_run(reproduction, "packet", "pingpong:bytes=0B", settings);
    reproduction_item(reproduction, "table-3/infiniband-latency", "second", 1e6 * one->makespan_s / 2);
    reproduction_figure(reproduction, &(struct figure){.id = "figure", .title = "t", .x = "x", .y = "y"});
    reproduction_point_at(reproduction, "p", "s", 1, one->makespan_s);
    reproduction_point_at(reproduction, "p", "s", 2, NAN);
}

static char folder[] = "/tmp/heliograph-reproduce-XXXXXX";

static char *read_and_remove(const char *name)
{
    static char text[65536];
    char *path = mem_format("%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    unlink(path);
    free(path);
    return text;
}

static void keep_quiet(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level, (void)message;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

static void test_a_paper(void **state)
{
    (void)state;
    static const struct paper paper = {
        .name = "few", .folder = "fmu", .title = "few", .reproduce = few_items};
    assert_non_null(mkdtemp(folder));
    setenv("HELIO_ASSETS", folder, 1); /* where none are, so that no page is written */
    diag_set_sink(keep_quiet, NULL);
    calls = 0;
    assert_int_equal(reproduce_paper(&paper, &(struct reproduce_options){.folder = folder}), STATUS_OK);
    diag_set_sink(NULL, NULL);
    assert_int_equal(calls, 3);
    char *store = mem_format("%s/runs.db", folder);
    assert_int_equal(access(store, R_OK), 0);
    const char *rows = read_and_remove("few.csv");
    assert_has(rows, "paper,item,published,ours,unit,deviation_percent,tolerance_percent,verdict,note\n");
    assert_has(rows, "few,table-3/infiniband-latency/right,8,8,us,0.000,0,reproduced,\n");
    assert_has(rows, "few,table-3/infiniband-latency/wrong,8,2,us,-75.000,0,deviates,");
    assert_has(rows, "few,table-3/fmu-switch,5,,us,,0,not run,");
    assert_has(rows, "did you mean 'packet.latency'?");
    assert_has(rows, "few,table-3/infiniband-latency/second,8,8,us,0.000,0,reproduced,\n");
    assert_has(rows, "few,table-3/fmus,64,,,,0,not run,not computed\n");
    assert_string_equal(read_and_remove("few-figures.csv"),
                        "figure,panel,series,x,y\nfigure,p,s,1,1.6e-05\n");
    unlink(store);
    assert_int_equal(rmdir(folder), 0);
    free(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),           cmocka_unit_test(test_split_refuses),
        cmocka_unit_test(test_all_papers_load), cmocka_unit_test(test_notes_of_variants),
        cmocka_unit_test(test_a_paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
