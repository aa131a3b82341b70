/* The framework of the papers: its data files, its rows, and a paper of a few runs from end to end. */
#include <fnmatch.h>
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
#include "reproduce/configuration.h"
#include "reproduce/csv.h"
#include "reproduce/paper.h"
#include "reproduce/published.h"
#include "reproduce/reproduce.h"
#include "support/reproduced.h"

/* -------------------------------------------------------------------- data */

static void test_split(void **state)
{
    (void)state;
    static const char text[] = "a,,\"b, \"\"c\"\"\"\nlast,";
    const char *next = text, *end = text + strlen(text), *fields[4];
    struct arena texts = {0};
    assert_int_equal(csv_split(&next, end, &texts, fields, 4), 3);
    assert_string_equal(fields[0], "a");
    assert_string_equal(fields[1], "");
    assert_string_equal(fields[2], "b, \"c\"");
    assert_int_equal(csv_split(&next, end, &texts, fields, 4), 2);
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
        assert_int_equal(csv_split(&next, next + strlen(next), &texts, fields, 2), 0);
        arena_free(&texts);
    }
}

static void test_all_papers_load(void **state)
{
    (void)state;
    struct published published;
    for (size_t i = 0; papers[i]; i++) {
        assert_int_equal(published_load(&published, papers[i]->name), STATUS_OK);
        assert_true(published.count > 0);
        published_free(&published);
        struct configurations configurations;
        assert_int_equal(configurations_load(&configurations, papers[i]->name), STATUS_OK);
        assert_true(configurations.count > 0);
        configurations_free(&configurations);
    }
}

/* ------------------------------------------------------------- experiments */

/* The next word of a command, without its quotes; NULL: there is none. */
static char *next_word(char **rest)
{
    *rest += strspn(*rest, " ");
    const char *end = **rest == '\'' ? "'" : " ";
    *rest += **rest == '\'';
    char *word = **rest ? *rest : NULL;
    *rest += strcspn(*rest, end);
    if (**rest)
        *(*rest)++ = '\0';
    return word;
}

static bool has_item(const struct published *published, const char *pattern)
{
    for (size_t i = 0; i < published->count; i++)
        if (fnmatch(pattern, published->items[i].item, 0) == 0)
            return true;
    return false;
}

static bool has_configuration(const struct configurations *configurations, const char *name)
{
    for (size_t i = 0; i < configurations->count; i++)
        if (strcmp(configurations->list[i].name, name) == 0)
            return true;
    return false;
}

static bool has_choices(const struct configurations *configurations, char *changes)
{
    for (char *change; (change = strsep(&changes, " "));) {
        char *unknown = strsep(&change, "=");
        size_t index = configurations_unknown(configurations, unknown);
        if (!change || index == configurations->unknown_count ||
            !unknown_value(&configurations->unknowns[index], change))
            return false;
    }
    return true;
}

/* "helio sweep papers/tdm/dynamic.yaml -o dynamic.db", of a file that is there; golden.paper-sweeps reads it.
 */
static bool is_sweep(const char *command, const char *paper)
{
    char *begin = mem_format("helio sweep papers/%s/", paper), *file = mem_text(command);
    bool good = strncmp(command, begin, strlen(begin)) == 0;
    char *rest = file + (good ? strlen("helio sweep ") : 0), *path = next_word(&rest);
    good = good && path && access(path, R_OK) == 0 && strncmp(rest, "-o ", 3) == 0;
    free(begin);
    free(file);
    return good;
}

/* Whether a command is one of `helio reproduce`, with a number, configuration and choices that the paper has.
 */
static bool is_reproduction(const char *command, const char *paper)
{
    struct published published;
    struct configurations configurations;
    assert_int_equal(published_load(&published, paper), STATUS_OK);
    assert_int_equal(configurations_load(&configurations, paper), STATUS_OK);
    char *text = mem_text(command), *rest = text, *begin = mem_format("helio reproduce %s ", paper);
    bool good = strncmp(text, begin, strlen(begin)) == 0, has_one = false;
    rest += good ? strlen(begin) : 0;
    for (char *word; good && (word = next_word(&rest));) {
        if (strcmp(word, "--quick") == 0)
            continue;
        char *value = next_word(&rest);
        if (value && strcmp(word, "--item") == 0)
            good = has_one = has_item(&published, value);
        else if (value && strcmp(word, "--configuration") == 0)
            good = has_configuration(&configurations, value);
        else
            good = value && strcmp(word, "--with") == 0 && has_choices(&configurations, value);
    }
    free(begin);
    free(text);
    published_free(&published);
    configurations_free(&configurations);
    return good && has_one;
}

static bool is_experiment(const char *command, const char *paper)
{
    return is_sweep(command, paper) || is_reproduction(command, paper) ||
           strcmp(command, "helio breakdown model") == 0;
}

/* Whether a note is the first that fits some item, in a configuration or in the variant that its pattern ends
 * in. If not, nobody can read it. */
static bool is_readable(const struct published *published, const struct configurations *configurations,
                        const struct published_line *note)
{
    const char *slash = strrchr(note->pattern, '/'), *variant = slash ? slash + 1 : note->pattern;
    for (size_t i = 0; i < published->count; i++) {
        const char *item = published->items[i].item;
        if (published_line(&published->notes, item, variant) == note)
            return true;
        for (size_t c = 0; c < configurations->count; c++)
            if (published_line(&published->notes, item, configurations->list[c].name) == note)
                return true;
    }
    return false;
}

static void test_notes_can_be_read(void **state)
{
    (void)state;
    for (size_t i = 0; papers[i]; i++) {
        struct published published;
        struct configurations configurations;
        assert_int_equal(published_load(&published, papers[i]->name), STATUS_OK);
        assert_int_equal(configurations_load(&configurations, papers[i]->name), STATUS_OK);
        for (size_t k = 0; k < published.notes.count; k++)
            if (!is_readable(&published, &configurations, &published.notes.list[k]))
                fail_msg("papers/%s/notes.csv: a line above says everything that %s fits", papers[i]->name,
                         published.notes.list[k].pattern);
        published_free(&published);
        configurations_free(&configurations);
    }
}

/* Each experiment of a note can be made. */
static void test_experiments(void **state)
{
    (void)state;
    struct published published;
    size_t count = 0;
    for (size_t i = 0; papers[i]; i++) {
        assert_int_equal(published_load(&published, papers[i]->name), STATUS_OK);
        for (size_t k = 0; k < published.notes.count; k++) {
            const char *experiment = published.notes.list[k].experiment;
            count += *experiment != '\0';
            if (*experiment && !is_experiment(experiment, papers[i]->name))
                fail_msg("papers/%s/notes.csv: %s", papers[i]->name, experiment);
        }
        published_free(&published);
    }
    assert_true(count > 50);
    assert_true(
        is_experiment("helio reproduce tdm --item 'table-1/*' --with 'coloring=initial p3m_5=26'", "tdm"));
    assert_false(is_experiment("helio reproduce tdm --item 'table-1/*' --with coloring=final", "tdm"));
    assert_false(is_experiment("helio reproduce tdm --item 'table-9/*'", "tdm"));
    assert_false(is_experiment("helio reproduce tdm --quick", "tdm"));
    assert_false(is_experiment("helio reproduce fmu --item 'table-1/*'", "tdm"));
    assert_true(is_experiment("helio sweep papers/tdm/dynamic.yaml -o dynamic.db", "tdm"));
    assert_false(is_experiment("helio sweep papers/tdm/static.yaml -o static.db", "tdm"));
    assert_false(is_experiment("helio sweep papers/tdm/dynamic.yaml", "tdm"));
}

/* Published numbers for which ours are stand-ins have no verdict. */
static void test_without_tolerance(void **state)
{
    (void)state;
    struct published published;
    assert_int_equal(published_load(&published, "alltoall"), STATUS_OK);
    const struct published_item *modelled = published_find(&published, "section-4/open-mpi-7168");
    const struct published_item *counted = published_find(&published, "table-1/v3/queue-pairs");
    assert_true(modelled->has_value && !modelled->has_tolerance);
    assert_true(counted->has_value && counted->has_tolerance);
    published_free(&published);
}

/* The text of the line that fits. */
static const char *text_of(const struct published_lines *lines, const char *item, const char *variant)
{
    const struct published_line *line = published_line(lines, item, variant);
    return line ? line->text : "";
}

static void test_lines_of_items(void **state)
{
    (void)state;
    struct published_line list[] = {{"a", "of a", ROLE_NONE, ""},
                                    {"a/x", "of a in way x", ROLE_FITTED, ""},
                                    {"t/*/i/y", "of all t in way y", ROLE_INPUT, ""}};
    struct published_lines lines = {.list = list, .count = 3};
    assert_string_equal(text_of(&lines, "a", "x"), "of a in way x");
    assert_string_equal(text_of(&lines, "a", "y"), "of a");
    assert_string_equal(text_of(&lines, "a", NULL), "of a");
    assert_string_equal(text_of(&lines, "b", "x"), "");
    assert_string_equal(text_of(&lines, "t/3/i", "y"), "of all t in way y");
    assert_string_equal(text_of(&lines, "t/3/i", "x"), "");
    assert_int_equal(published_line(&lines, "a", "x")->role, ROLE_FITTED);
}

/* ----------------------------------------------------------------- a paper */

static int calls;

/* Table 5 of the FMU paper, with latencies for numbers of messages: one number agrees, one deviates, one
 * cannot be computed, and one has a run that depends on the result of another run. */
static void few_items(struct reproduction *reproduction)
{
    if (!reproduction_is_first(reproduction))
        return;
    calls++;
    const struct run_facts *one =
        reproduction_run(reproduction, "packet", "pingpong:bytes=0B", "packet.latency=351us seed=2");
    reproduction_item(reproduction, "table-5/ft.C.4/messages", "right", 1e6 * one->makespan_s / 2);
    one = reproduction_run(reproduction, "packet", "pingpong:bytes=0B", "packet.latency=2us");
    reproduction_item(reproduction, "table-5/ft.C.4/messages", "wrong", 1e6 * one->makespan_s / 2);
    double latency_us = 1e6 * one->makespan_s / 2;
    one = reproduction_run(reproduction, "packet", "pingpong:bytes=0B", "packet.latancy=2us");
    reproduction_item(reproduction, "table-5/ft.D.4/messages", NULL, one->makespan_s);
    if (isnan(latency_us))
        return;
    char settings[64];
    snprintf(settings, sizeof settings, "packet.latency=%.0fus", 349 + latency_us);
    one = reproduction_run(reproduction, "packet", "pingpong:bytes=0B", settings);
    reproduction_item(reproduction, "table-5/ft.C.4/messages", "second", 1e6 * one->makespan_s / 2);
    reproduction_figure(
        reproduction, &(struct figure){.id = "figure", .title = "t", .x = "x", .y = "y", .is_common = true});
    reproduction_point_at(reproduction, "p", "s", 1, one->makespan_s);
    reproduction_point_at(reproduction, "p", "s", 2, NAN);
}

static void test_a_paper(void **state)
{
    (void)state;
    static const struct paper paper = {.name = "fmu", .title = "few", .reproduce = few_items};
    assert_non_null(mkdtemp(reproduced_folder));
    setenv("HELIO_ASSETS", reproduced_folder, 1); /* an empty folder, so that no page is written */
    diag_set_sink(reproduced_keep_quiet, NULL);
    calls = 0;
    assert_int_equal(reproduce_paper(&paper, &(struct reproduce_options){.folder = reproduced_folder}),
                     STATUS_OK);
    diag_set_sink(NULL, NULL);
    assert_int_equal(calls, 3);
    char *store = mem_format("%s/runs.db", reproduced_folder);
    assert_int_equal(access(store, R_OK), 0);
    const char *rows = reproduced_take("fmu.csv");
    reproduced_has(
        rows, "paper,item,published,ours,unit,deviation_percent,tolerance_percent,verdict,note,configuration,"
              "experiment\n");
    reproduced_has(rows, "fmu,table-5/ft.C.4/messages/right,351,351,,0.000,0,reproduced,,,\n");
    reproduced_has(rows, "fmu,table-5/ft.C.4/messages/wrong,351,2,,-99.430,0,deviates,");
    reproduced_has(rows, "fmu,table-5/ft.D.4/messages");
    reproduced_has(rows, "did you mean 'packet.latency'?");
    reproduced_has(rows, "fmu,table-5/ft.C.4/messages/second,351,351,,0.000,0,reproduced,,,\n");
    reproduced_has(rows, ",,,0,not run,not computed,");
    assert_string_equal(reproduced_take("fmu-figures.csv"),
                        "figure,panel,series,x,y,published\nfigure,p,s,1,0.000702,\n");
    const char *script = reproduced_take("fmu-figures.gp");
    reproduced_has(script, "set output \"fmu-figures.pdf\"\n");
    reproduced_has(script,
                   "$points << END\n1 0.000702\n\n\nEND\nset title 'p'\nplot $points index 0 using 1:2 ");
    reproduced_remove();
    free(store);
}

/* ----------------------------------------------------------------- several */

static void no_items(struct reproduction *reproduction)
{
    (void)reproduction;
}

/* all.csv has the rows of both papers under one header. Each paper also has files of its own. */
static void test_all_papers(void **state)
{
    (void)state;
    static const struct paper one = {.name = "fmu", .title = "one", .reproduce = few_items};
    static const struct paper two = {.name = "segment", .title = "two", .reproduce = no_items};
    static const struct paper *const list[] = {&one, &two, NULL};
    static const char header[] =
        "paper,item,published,ours,unit,deviation_percent,tolerance_percent,verdict,note,configuration,"
        "experiment\n";
    assert_non_null(mkdtemp(reproduced_folder));
    diag_set_sink(reproduced_keep_quiet, NULL);
    assert_int_equal(reproduce_all(list, &(struct reproduce_options){.folder = reproduced_folder}),
                     STATUS_OK);
    diag_set_sink(NULL, NULL);
    size_t length = strlen(reproduced_take("fmu.csv")) + strlen(reproduced_take("segment.csv"));
    const char *rows = reproduced_take("all.csv");
    assert_int_equal(strlen(rows), length - strlen(header));
    reproduced_has(rows, "\nfmu,table-5/ft.C.4/messages/right,351,351,,0.000,0,reproduced,,,\n");
    reproduced_has(rows, "\nsegment,figure-4/torus-utilisation-circuit,");
    reproduced_take("fmu-figures.csv");
    reproduced_take("segment-figures.csv");
    reproduced_take("fmu-figures.gp");
    reproduced_take("segment-figures.gp");
    reproduced_remove();
}

/* -------------------------------------------------------------- a real one */

/* The map of switching times has every combination. A single message follows equations 5 and 6. */
static size_t swept;

static void check_swept(void *self, struct reproduction *reproduction, const struct swept_run *run)
{
    (void)self, (void)reproduction;
    assert_string_equal(run->fabric, "fmu");
    if (isnan(run->speedup))
        return;
    swept++;
    if (strcmp(swept_value(run, "workload"), "pingpong:bytes=1MiB") != 0)
        return;
    char *end;
    double t_switch = strtod(swept_value(run, "fmu.t_switch"), &end), bytes = 1 << 20;
    t_switch *= strcmp(end, " ps") == 0   ? 1e-12
                : strcmp(end, " ns") == 0 ? 1e-9
                : strcmp(end, " us") == 0 ? 1e-6
                                          : 1e-3;
    double expected = (8e-6 + bytes / 12.5e9) / (2 * (t_switch + bytes / 76.8e9));
    assert_true(fabs(run->speedup / expected - 1) < 1e-6);
}

static void sweep_switch_time(struct reproduction *reproduction)
{
    if (!reproduction_is_first(reproduction))
        return;
    swept = 0;
    reproduction_sweep(reproduction, "papers/fmu/switch-time.yaml", NULL, check_swept);
}

static void test_a_sweep(void **state)
{
    (void)state;
    reproduced_make(&(struct paper){.name = "fmu", .title = "few", .reproduce = sweep_switch_time});
    assert_int_equal(swept, 27 * 11);
    reproduced_take("fmu.csv");
    reproduced_take("fmu-figures.csv");
    reproduced_take("fmu-figures.gp");
    reproduced_remove();
}

/* ---------------------------------------------------------------- a series */

/* A value for each link, of a run that is there; none of one that is wanted, and none of another metric. */
static void check_series(struct reproduction *reproduction)
{
    if (!reproduction_is_first(reproduction))
        return;
    const struct run_facts *run =
        reproduction_run(reproduction, "packetised", "alltoall:ranks=16,bytes=64KiB",
                         "topology=torus:4x4 photonic.channels=2");
    double *values, *others, most = 0;
    size_t count = reproduction_series(reproduction, run, "link_granted_s", &values);
    assert_int_equal(reproduction_series(reproduction, run, "link_hopes_s", &others), 0);
    assert_int_equal(count, run->metrics ? 64 : 0);
    for (size_t i = 0; i < count; i++)
        most = fmax(most, values[i]);
    if (count) {
        double whole = 2 * run_metric(run, "last_delivery_s");
        assert_true(fabs(most / whole / run_metric(run, "most_used_link_granted") - 1) < 1e-9);
        calls++;
    }
    free(values);
    free(others);
}

static void test_a_series(void **state)
{
    (void)state;
    calls = 0;
    reproduced_make(&(struct paper){.name = "fmu", .title = "few", .reproduce = check_series});
    assert_true(calls > 0);
    reproduced_take("fmu.csv");
    reproduced_take("fmu-figures.csv");
    reproduced_take("fmu-figures.gp");
    reproduced_remove();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),           cmocka_unit_test(test_split_refuses),
        cmocka_unit_test(test_experiments),     cmocka_unit_test(test_notes_can_be_read),
        cmocka_unit_test(test_all_papers_load), cmocka_unit_test(test_without_tolerance),
        cmocka_unit_test(test_lines_of_items),  cmocka_unit_test(test_a_paper),
        cmocka_unit_test(test_all_papers),      cmocka_unit_test(test_a_sweep),
        cmocka_unit_test(test_a_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
