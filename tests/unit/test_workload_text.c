/* The text that names a workload, taken apart and put together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "workload/text.h"

static void expect_with(const char *text, const char *name, const char *value, const char *expected)
{
    assert_true(workload_text_is_of(text, name));
    char *got = workload_text_with(text, name, value);
    assert_string_equal(got, expected);
    free(got);
}

static void a_value_is_set_in_the_order_of_the_table(void **state)
{
    (void)state;
    expect_with("alltoall", "alltoall.bytes", "8 KiB", "alltoall:bytes=8KiB");
    expect_with("alltoall:ranks=4", "alltoall.bytes", "8 KiB", "alltoall:ranks=4,bytes=8KiB");
    expect_with("alltoall:bytes=4 KiB , ranks=4", "alltoall.bytes", "8192 B", "alltoall:ranks=4,bytes=8KiB");
    expect_with("alltoall:bytes=2048B", "alltoall.ranks", "4", "alltoall:ranks=4,bytes=2KiB");
    expect_with("npb:lu:class=A", "npb:lu.ranks", "4", "npb:lu:class=A,ranks=4");
}

/* The name of a schedule's file may be left out. */
static void a_name_may_be_left_out(void **state)
{
    (void)state;
    struct param_path path;
    expect_with("schedule:a.xml", "schedule.bytes", "8 KiB", "schedule:file=a.xml,bytes=8KiB");
    expect_with("schedule:a.xml,iterations=2", "schedule.bytes", "8 KiB",
                "schedule:file=a.xml,bytes=8KiB,iterations=2");
    expect_with("schedule:bytes=1MiB", "schedule.file", "b.xml", "schedule:file=b.xml,bytes=1MiB");
    expect_with("alltoall:4", "alltoall.bytes", "8 KiB", "alltoall:bytes=8KiB,4");
    assert_true(workload_find_path("schedule:dir/a.xml,bytes=1MiB", 0, &path));
    assert_int_equal(path.at, strlen("schedule:"));
    assert_int_equal(path.length, strlen("dir/a.xml"));
    assert_true(workload_find_path("schedule:bytes=1MiB,file=a.xml", 0, &path));
    assert_int_equal(path.at, strlen("schedule:bytes=1MiB,file="));
    assert_false(workload_find_path("schedule:bytes=1MiB", 0, &path));
}

/* A text that is wrong stays wrong, so that the workload can say so. */
static void wrong_texts_stay_wrong(void **state)
{
    (void)state;
    expect_with("alltoall:rank=4", "alltoall.bytes", "1 B", "alltoall:bytes=1B,rank=4");
    expect_with("alltoall:ranks", "alltoall.bytes", "1 B", "alltoall:ranks,bytes=1B");
    expect_with("alltoall:ranks=4,ranks=5,ranks=6,ranks=7", "alltoall.bytes", "1 B",
                "alltoall:ranks=4,ranks=5,ranks=6,ranks=7,bytes=1 B");
}

static void names_lead_to_parameters(void **state)
{
    (void)state;
    const struct workload *lu = workload_of_name("npb:lu.class");
    assert_non_null(lu);
    assert_string_equal(lu->name, "npb:lu");
    assert_string_equal(workload_parameter(lu, "npb:lu.class")->name, "class");
    assert_null(workload_parameter(lu, "npb:lu.clas"));
    assert_string_equal(workload_nearest_parameter(lu, "npb:lu.clas"), "class");
    assert_null(workload_of_name("fmu.count"));
    assert_string_equal(workload_nearest("alltoal.bytes")->name, "alltoall");
    assert_null(workload_nearest("zzzzzzzz.bytes"));
    assert_true(workload_text_is_of("alltoall", "alltoall.bytes"));
    assert_false(workload_text_is_of("alltoallv:ranks=4", "alltoall.bytes"));
    assert_false(workload_text_is_of("pingpong", "alltoall.bytes"));
}

static void expect_without(const char *text, const char *name, const char *rest, const char *value)
{
    char *got_value;
    char *got = workload_text_without(text, name, &got_value);
    assert_string_equal(got, rest);
    if (value)
        assert_string_equal(got_value, value);
    else
        assert_null(got_value);
    free(got);
    free(got_value);
}

static void a_value_is_taken_out(void **state)
{
    (void)state;
    expect_without("alltoall:ranks=4,bytes=8192B", "alltoall.bytes", "alltoall:ranks=4", "8 KiB");
    expect_without("alltoall:ranks=4", "alltoall.ranks", "alltoall", "4");
    expect_without("alltoall:ranks=4", "alltoall.bytes", "alltoall:ranks=4", "8 KiB"); /* the default */
    expect_without("plugged:size=3,n=2", "plugged.size", "plugged:n=2", "3");          /* not loaded */
    expect_without("plugged:n=2", "plugged.size", "plugged:n=2", NULL);
}

/* The paths of a text, each in brackets. */
static void expect_paths(const char *text, const char *expected)
{
    struct param_path path;
    char got[256] = "";
    for (size_t from = 0; workload_find_path(text, from, &path); from = path.at + path.length)
        sprintf(got + strlen(got), "[%.*s]", (int)path.length, text + path.at);
    assert_string_equal(got, expected);
}

static void paths_are_found(void **state)
{
    (void)state;
    expect_paths("pattern:ranks=4, name = a b.csv ,iterations=2", "[a b.csv]");
    expect_paths("pattern:name=all-to-all", "");
    expect_paths("pattern:name=bytes:p%FF.csv", "[p%FF.csv]");
    expect_paths("pattern:name=a.csv,name=b.csv,ranks=3,name=c.csv", "[a.csv][b.csv][c.csv]");
    expect_paths("pattern", "");
    expect_paths("pattern:", "");
    expect_paths("alltoall:name=a.csv", "");
    expect_paths("no-workload:name=a.csv", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_set_in_the_order_of_the_table),
        cmocka_unit_test(a_name_may_be_left_out),
        cmocka_unit_test(wrong_texts_stay_wrong),
        cmocka_unit_test(names_lead_to_parameters),
        cmocka_unit_test(a_value_is_taken_out),
        cmocka_unit_test(paths_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
