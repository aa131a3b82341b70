/* Machine files that get other values and a host model, line by line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "breakdown/system.h"
#include "machine/machine.h"
#include "sim/components.h"

/* A system of nothing but LLP_prog. */
#define NO(key) key ": [0 ns, none]\n"
#define SYSTEM(llp)                                                                                          \
    "# measured\nname: a host\nLLP_post:\n"                                                                  \
    "  " NO("MD_setup") "  " NO("MD_barrier") "\n  " NO("DBC_barrier") "  " NO("PIO_copy") "  " NO(          \
        "misc") "LLP_prog: [" llp ", made]\n" NO("busy_post") NO("measurement_update") NO("PCIe") NO("Wire") \
        NO("Switch") "RC_to_MEM:\n  " NO("8B") "HLP_post:\n  " NO("MPI") "  " NO(                            \
            "UCP") "Post_prog: [1 us, made]\n" NO("Misc") "HLP_rx_prog:\n  " NO("MPI_callback") "  " NO("UC" \
                                                                                                        "P_" \
                                                                                                        "ca" \
                                                                                                        "ll" \
                                                                                                        "ba" \
                                                                                                        "c"  \
                                                                                                        "k") "  " NO("MPI_after")

static const struct machine_change changes[] = {{"host.system", NULL, "measured"},
                                                {"wire.latency", "25 ns", "a \"new\" one"}};
enum { CHANGES = sizeof changes / sizeof *changes };

static char said[8192];
static struct config *like;

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    strncat(said, message, sizeof said - strlen(said) - 1);
}

static int set_up(void **state)
{
    (void)state;
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    diag_set_sink(keep_message, NULL);
    like = config_open(tables, count);
    return like == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    config_close(like);
    return 0;
}

static char *edit(const char *text, const char *system)
{
    size_t length;
    char *edited = machine_edit(text, changes, CHANGES, system, &length);
    assert_int_equal(length, strlen(edited));
    return edited;
}

static enum status verify(const char *text)
{
    said[0] = '\0';
    return machine_verify("made.yaml", text, strlen(text), changes, CHANGES, like);
}

/* -------------------------------------------------------------------- tests */

/* Old values, sources and host models go, whatever else stands in the file stays, in its place. */
static void other_lines_stay(void **state)
{
    (void)state;
    static const char before[] = "# a comment\nname: mine\ndoc: made\nnic.rate: 10 GB/s # of one\n"
                                 "wire.latency: 99 ns\n# the host\nsystem:\n  # old\n  name: old\n\n"
                                 "  LLP_prog: 1 ns\n# another\nnic: {latency: 5 ns}\nsources:\n"
                                 "  nic.rate: data sheet\n  wire.latency:\n    an old one\n    # a note\n"
                                 "  # asked for\n  nic.latency: guessed\nmeasured:\n  a: b";
    static const char after[] = "# a comment\nname: mine\ndoc: made\nnic.rate: 10 GB/s # of one\n"
                                "# the host\n# another\nnic: {latency: 5 ns}\nwire.latency: 25 ns\n"
                                "sources:\n  host.system: \"measured\"\n"
                                "  wire.latency: \"a \\\"new\\\" one\"\n  nic.rate: data sheet\n"
                                "  # asked for\n  nic.latency: guessed\nmeasured:\n  a: b\n"
                                "system:\n  LLP_prog: 8 ns\n\n  c: 1\n";
    char *edited = edit(before, "LLP_prog: 8 ns\n\nc: 1\n");
    assert_string_equal(edited, after);
    char *again = edit(edited, "LLP_prog: 8 ns\n\nc: 1\n");
    assert_string_equal(again, after);
    free(edited);
    free(again);
}

static void an_edited_machine_has_the_system(void **state)
{
    (void)state;
    struct machine machine;
    struct system_file file;
    char *edited =
             edit("name: mine\ndoc: made\nnic.rate: 10 GB/s\nsources:\n  nic.rate: made\n", SYSTEM("7 ns")),
         *again = edit(edited, SYSTEM("8 ns"));
    assert_int_equal(verify(edited), STATUS_OK);
    assert_int_equal(verify(again), STATUS_OK);
    assert_int_equal(machine_open_text(&machine, "made.yaml", again, strlen(again), like), STATUS_OK);
    assert_int_equal(machine_check(&machine), STATUS_OK);
    assert_string_equal(config_text(machine.config, "host.system"), "made.yaml");
    assert_string_equal(config_text(machine.config, "wire.latency"), "25 ns");
    machine_close(&machine);
    assert_int_equal(system_init_text(&file, "made.yaml", again, strlen(again)), STATUS_OK);
    assert_int_equal(file.system.times[TIME_LLP_PROG].time_ps, 8000);
    assert_string_equal(file.system.name, "a host");
    system_free(&file);
    free(edited);
    free(again);
}

/* A file whose values stand in maps, or in one line, is not changed line by line. */
static void other_layouts_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "nic.rate: 10 GB/s\nwire: {latency: 99 ns}\n",
        "nic.rate: 10 GB/s\nsources: {nic.rate: made}\n",
        "{nic.rate: 10 GB/s}\n",
        "nic.rate: 10 GB/s\n\"wire.latency\": 99 ns\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *edited = edit(texts[i], SYSTEM("7 ns"));
        assert_int_equal(verify(edited), STATUS_BAD_INPUT);
        assert_non_null(strstr(said, "made.yaml cannot be changed line by line"));
        free(edited);
    }
}

static void wrong_systems_are_refused_at_their_lines(void **state)
{
    (void)state;
    static const struct {
        const char *text, *because;
    } wrong[] = {
        {"nic.rate: 1 GB/s\nsystem: thunderx2\n", "made.yaml:2:1: error: system is a map of parameters"},
        {"nic.rate: 1 GB/s\nsystem:\n  LLP_prog: 8\n", "made.yaml:3:13: error: a time needs a unit"},
        {"nic.rate: 1 GB/s\nsystem:\n  LPL_prog: 8 ns\n",
         "made.yaml:3:3: error: there is no parameter 'LPL_prog'; did you mean 'LLP_prog'?"},
        {"nic.rate: 1 GB/s\nsystem:\n  LLP_prog: 8 ns\n", "made.yaml: LLP_post.MD_setup is missing"},
        {"nic.rate: 1 GB/s\nhost.system: thunderx2\nsystem:\n  LLP_prog: 8 ns\n",
         "the section system is a host model, and host.system is another one"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct machine machine;
        said[0] = '\0';
        assert_int_equal(machine_open_text(&machine, "made.yaml", wrong[i].text, strlen(wrong[i].text), like),
                         STATUS_BAD_INPUT);
        if (!strstr(said, wrong[i].because))
            fail_msg("\"%s\" was expected, not \"%s\"", wrong[i].because, said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_lines_stay),
        cmocka_unit_test(an_edited_machine_has_the_system),
        cmocka_unit_test(other_layouts_are_refused),
        cmocka_unit_test(wrong_systems_are_refused_at_their_lines),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
