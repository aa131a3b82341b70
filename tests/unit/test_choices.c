/* What helio-choices-MPI prints, and the machine file that follows from it. */
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
#include "calibrate/choices.h"
#include "engine/params.h"
#include "machine/machine.h"
#include "sim/components.h"

#define HEAD "heliochoices 1\nmpi openmpi\nlibrary Open MPI v4.1.4\nworld 1 8\n"

static char said[4096];

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    strncat(said, message, sizeof said - strlen(said) - 1);
}

static enum status read_text(struct choices *choices, const char *text, void (*pass)(const char *line))
{
    said[0] = '\0';
    diag_set_sink(keep_message, NULL);
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(file);
    enum status status = choices_read(choices, file, "made", 0, pass);
    fclose(file);
    return status;
}

/* The entries of a machine that has this text; what calibrate_list would add of mpi.tuning is there. */
static void list(const char *text, struct choices *choices, struct calibrate_entries *entries)
{
    if (read_text(choices, text, NULL) != STATUS_OK)
        fail_msg("%s", said);
    *entries = (struct calibrate_entries){.count = 0};
    calibrate_add_entry(entries, mem_text("nic.rate"), mem_text("10 GB/s"), mem_text("planted"));
    calibrate_add_entry(entries, mem_text("mpi.tuning"), mem_text("openmpi"), mem_text("by its name"));
    choices_list(choices, entries);
}

static const struct calibrate_entry *entry_of(const struct calibrate_entries *entries, const char *name)
{
    for (size_t i = 0; i < entries->count; i++)
        if (strcmp(entries->list[i].name, name) == 0)
            return &entries->list[i];
    return NULL;
}

static void assert_text(const struct calibrate_entries *entries, const char *name, const char *text)
{
    const struct calibrate_entry *entry = entry_of(entries, name);
    assert_non_null(entry);
    assert_string_equal(entry->text, text);
}

/* -------------------------------------------------------------------- tests */

static void an_mpi_that_does_as_the_table_has_no_other_parameter(void **state)
{
    (void)state;
    struct choices choices;
    struct calibrate_entries entries;
    list(HEAD "choice 8 allreduce 4 8188 recursive-doubling\n"
              "choice 8 allreduce 8192 1048576 rabenseifner-split\n"
              "table 8 allreduce 21 21\n"
              "choice 8 alltoall 1 1048576 linear,pairwise,shifted\n"
              "table 8 alltoall 20 20\n"
              "choice 4 barrier 0 0 recursive-doubling\n"
              "table 4 barrier 1 1\n"
              "end\n",
         &choices, &entries);
    assert_null(entry_of(&entries, "mpi.allreduce"));
    assert_text(&entries, "mpi.tuning",
                "the MPI that measured, Open MPI v4.1.4; its messages were counted with 8 and 4 ranks: all "
                "calls, by collective and size, send what this choice sends (42)");
    assert_text(&entries, "choices.allreduce.8-ranks",
                "4 B to 8188 B: recursive-doubling; 8 KiB to 1 MiB: rabenseifner-split");
    assert_text(&entries, "choices.alltoall.8-ranks",
                "1 B to 1 MiB: linear, pairwise or shifted, which send the same");
    assert_null(entry_of(&entries, "choices.barrier.4-ranks"));
    calibrate_free_entries(&entries);
    choices_free(&choices);
}

/* The machine file has the algorithms that were seen, and a run on it takes them. */
static void another_choice_is_a_parameter(void **state)
{
    (void)state;
    struct choices choices;
    struct calibrate_entries entries;
    struct calibrate_samples samples = {.mpi = "openmpi", .nodes = 1, .ranks = 8};
    struct calibration calibration = {.is_sound = true};
    struct machine machine;
    struct collective_config collective;
    char *text = NULL;
    size_t length, table_count;
    const struct param_table *const *tables = components_params(&table_count);
    list(HEAD "choice 8 allreduce 4 65536 ring,circulant\n"
              "choice 8 allreduce 65540 1048576 double-tree\n"
              "table 8 allreduce 20 3\n"
              "choice 8 reduce_scatter 4 1048576 pairwise\n"
              "table 8 reduce_scatter 20 19\n"
              "choice 8 barrier 0 0 tree\n"
              "table 8 barrier 1 0\n"
              "end\n",
         &choices, &entries);
    for (size_t i = 0; i < choices.count; i++)
        assert_false(choice_is_lost(&choices, &choices.calls[i]));
    assert_text(&entries, "mpi.allreduce",
                "messages counted with 8 ranks; at 17 of 20 sizes mpi.tuning sends something else; 4 B to 64 "
                "KiB: ring or circulant, which send the same; 65540 B to 1 MiB: double-tree");
    FILE *out = open_memstream(&text, &length);
    calibrate_write(&samples, &calibration, &entries, out);
    fclose(out);
    struct config *config = config_open(tables, table_count);
    assert_int_equal(machine_open_text(&machine, "made.yaml", text, length, config), STATUS_OK);
    assert_int_equal(machine_check(&machine), STATUS_OK);
    collective_config_of(machine.config, &collective);
    struct coll_call call = {.kind = COLL_ALLREDUCE, .size = 8, .element = 4, .bytes = 65536};
    assert_string_equal(coll_choose(&collective.choice[COLL_ALLREDUCE], &call)->name, "ring");
    call.bytes = 65540;
    assert_string_equal(coll_choose(&collective.choice[COLL_ALLREDUCE], &call)->name, "double-tree");
    call.kind = COLL_BARRIER;
    assert_string_equal(coll_choose(&collective.choice[COLL_BARRIER], &call)->name, "tree");
    call.kind = COLL_BCAST; /* not counted: as the table says for 8 ranks and 64 KiB */
    call.bytes = 65536;
    assert_string_equal(coll_choose(&collective.choice[COLL_BCAST], &call)->name, "linear");
    machine_close(&machine);
    config_close(config);
    calibrate_free_entries(&entries);
    choices_free(&choices);
    free(text);
}

/* No algorithm, more ranges than a parameter has, a kind that has one algorithm for all sizes, a form of a
 * collective that has no parameter, other ranks. */
static void what_no_parameter_can_say_is_lost(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "choice 8 scan 4 64 linear\nchoice 8 scan 68 128 -\ntable 8 scan 4 1\n",
        ("choice 8 bcast 1 1 linear\nchoice 8 bcast 2 2 line\nchoice 8 bcast 3 3 linear\n"
         "choice 8 bcast 4 4 line\nchoice 8 bcast 5 5 linear\ntable 8 bcast 5 1\n"),
        "choice 8 gatherv 1 1 linear\nchoice 8 gatherv 2 2 windowed\ntable 8 gatherv 2 1\n",
        "choice 8 reduce_scatter_block 4 4 pairwise\ntable 8 reduce_scatter_block 1 0\n",
        "choice 4 bcast 1 1 linear\ntable 4 bcast 1 0\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct choices choices;
        struct calibrate_entries entries;
        char text[1024];
        snprintf(text, sizeof text, HEAD "%send\n", texts[i]);
        list(text, &choices, &entries);
        assert_true(choice_is_lost(&choices, &choices.calls[0]));
        for (size_t k = 2; k < entries.count; k++)
            assert_null(entries.list[k].value);
        assert_int_equal(entries.count, 3);
        assert_non_null(strstr(entries.list[2].text,
                               "are not as mpi.tuning says, and no parameter says what they all are"));
        calibrate_free_entries(&entries);
        choices_free(&choices);
    }
}

/* A parameter holds for all numbers of ranks, and for both forms of a reduce_scatter. */
static void one_parameter_is_for_all_ranks(void **state)
{
    (void)state;
    struct choices choices;
    struct calibrate_entries entries;
    list(HEAD "choice 8 reduce_scatter 4 1024 circulant\n"
              "choice 8 reduce_scatter 1028 4096 ring\n"
              "table 8 reduce_scatter 9 0\n"
              "choice 8 reduce_scatter_block 4 1024 pat,circulant\n"
              "choice 8 reduce_scatter_block 1028 4096 ring,pat\n"
              "table 8 reduce_scatter_block 9 0\n"
              "choice 4 reduce_scatter 4 1028 circulant\n"
              "choice 4 reduce_scatter 1032 4096 ring\n"
              "table 4 reduce_scatter 9 0\n"
              "end\n",
         &choices, &entries);
    assert_string_equal(entry_of(&entries, "mpi.reduce_scatter")->value, "circulant<=1KiB,ring");
    assert_false(choice_is_lost(&choices, &choices.calls[0]));
    assert_false(choice_is_lost(&choices, &choices.calls[1]));
    assert_true(choice_is_lost(&choices, &choices.calls[2])); /* at 1028 B */
    calibrate_free_entries(&entries);
    choices_free(&choices);
}

static void what_cannot_be_counted_is_said(void **state)
{
    (void)state;
    struct choices choices;
    struct calibrate_entries entries;
    list(HEAD "uncounted nobody counts here\nend\n", &choices, &entries);
    assert_int_equal(entries.count, 2);
    assert_text(&entries, "mpi.tuning",
                "the MPI that measured, Open MPI v4.1.4; its messages were not counted: nobody counts here");
    calibrate_free_entries(&entries);
    choices_free(&choices);
}

static size_t passed;

static void count_passed(const char *line)
{
    (void)line;
    passed++;
}

static void lines_of_others_are_passed_on(void **state)
{
    (void)state;
    struct choices choices;
    assert_int_equal(
        read_text(&choices, "hello\n" HEAD "a warning\nuncounted so\nend\nnot read\n", count_passed),
        STATUS_OK);
    assert_int_equal(passed, 2);
    assert_true(choices.is_there);
    choices_free(&choices);
    assert_int_equal(read_text(&choices, "hello\n", count_passed), STATUS_OK);
    assert_false(choices.is_there);
    choices_free(&choices);
}

static void text_that_no_probe_prints_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *because;
    } wrong[] = {
        {"heliochoices 2\n", "made:1:1: error: the choices begin with 'heliochoices 1'"},
        {HEAD "chioce 8 bcast 1 1 linear\n", "made:5:1: error: a line of the choices begins with choice"},
        {"heliochoices 1\nmpi lam\n", "made:2:5: error: an MPI is openmpi or mpich"},
        {"heliochoices 1\nworld 3 2\n", "made:2:9: error: a whole number that follows"},
        {HEAD "choice 1 bcast 1 1 linear\n", "made:5:8: error: a whole number"},
        {HEAD "choice 8 broadcast 1 1 linear\n", "made:5:10: error: a collective is expected here"},
        {HEAD "choice 8 bcast_block 1 1 linear\n", "made:5:10: error: a collective is expected here"},
        {HEAD "choice 8 bcast 2 1 linear\n", "made:5:18: error: a whole number"},
        {HEAD "choice 8 bcast 1 2 linear\nchoice 8 bcast 2 3 line\n", "made:6:16: error: a whole number"},
        {HEAD "choice 8 bcast 1 2 linear,ring\n", "made:5:27: error: an algorithm of this collective"},
        {HEAD "choice 8 bcast 1 2 \n", "made:5:20: error: an algorithm of this collective"},
        {HEAD "choice 8 bcast 1 2 linear\nchoice 8 scan 1 2 linear\n",
         "made:6:10: error: the line 'table' of the collective before"},
        {HEAD "table 8 bcast 1 1\n", "error: a line 'choice' of this collective is missing"},
        {HEAD "choice 8 bcast 1 2 linear\ntable 8 bcast 1 2\n", "made:6:17: error: a whole number"},
        {HEAD "choice 8 bcast 1 2 linear\ntable 8 bcast 1 1\nchoice 8 bcast 1 2 linear\n",
         "made:7:10: error: this collective with so many ranks has its lines already"},
        {HEAD "choice 8 bcast 1 2 linear\nend\n", "error: the line 'table' of the last collective"},
        {HEAD "end\n", "error: the lines mpi, world, and either uncounted"},
        {HEAD, "made: the choices of collective algorithms did not come to their end"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct choices choices;
        assert_int_not_equal(read_text(&choices, wrong[i].text, NULL), STATUS_OK);
        if (!strstr(said, wrong[i].because))
            fail_msg("\"%s\" was expected, not \"%s\"", wrong[i].because, said);
        choices_free(&choices);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_mpi_that_does_as_the_table_has_no_other_parameter),
        cmocka_unit_test(another_choice_is_a_parameter),
        cmocka_unit_test(what_no_parameter_can_say_is_lost),
        cmocka_unit_test(one_parameter_is_for_all_ranks),
        cmocka_unit_test(what_cannot_be_counted_is_said),
        cmocka_unit_test(lines_of_others_are_passed_on),
        cmocka_unit_test(text_that_no_probe_prints_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
