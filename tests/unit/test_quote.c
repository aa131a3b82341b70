/* A text from outside stays a text in each language that the program writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "output/quote.h"

typedef void quoted_by(FILE *out, const char *text);

static void is(quoted_by *quote, const char *text, const char *expected)
{
    char *written = NULL;
    size_t length;
    FILE *out = open_memstream(&written, &length);
    assert_non_null(out);
    quote(out, text);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(written, expected);
    free(written);
}

static void controls_are_shown(void **state)
{
    (void)state;
    is(quote_terminal, "trace.tar.zst", "trace.tar.zst");
    is(quote_terminal, "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
    is(quote_terminal, "a\x1b[31mb\r\n\t\x7f", "a\\x1b[31mb\\x0d\\x0a\\x09\\x7f");
    is(quote_terminal,
       "\xc2\x9b"
       "31m",
       "\\xc2\\x9b31m"); /* a control sequence of one character */
    is(quote_terminal,
       "a\xe2\x80\xae"
       "b\xe2\x81\xa6",
       "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa6");
    is(quote_terminal, "\xff\xc3", "\\xff\\xc3");
    char *shown = quote_terminal_text("\x1b"
                                      "a\xc3\xa4\xff");
    assert_string_equal(shown, "\\x1ba\xc3\xa4\\xff");
    free(shown);
}

static void neighbours_of_hidden_characters_are_shown(void **state)
{
    (void)state;
    assert_int_equal(utf8_shown_bytes("\xc2\xa0", 2), 2);
    assert_int_equal(utf8_shown_bytes("\xe2\x80\xa9", 3), 3);
    assert_int_equal(utf8_shown_bytes("\xe2\x80\xaa", 3), 0);
    assert_int_equal(utf8_shown_bytes("\xe2\x80\xaf", 3), 3);
    assert_int_equal(utf8_shown_bytes("\xe2\x81\xa5", 3), 3);
    assert_int_equal(utf8_shown_bytes("\xe2\x81\xa9", 3), 0);
    assert_int_equal(utf8_shown_bytes("\xe2\x81\xaa", 3), 3);
    assert_int_equal(utf8_shown_bytes("", 1), 0);
}

static void csv_keeps_its_columns(void **state)
{
    (void)state;
    is(quote_csv, "packet", "packet");
    is(quote_csv, "", "");
    is(quote_csv, "a,b", "\"a,b\"");
    is(quote_csv, "a\"b", "\"a\"\"b\"");
    is(quote_csv, "a\r\nb", "\"a\r\nb\"");
    is(quote_csv, "a\x1b[0m", "a\\x1b[0m");
    is(quote_csv_text, "packet", "\"packet\"");
    is(quote_csv_text, "a\"b", "\"a\"\"b\"");
}

static void csv_has_no_formulas(void **state)
{
    (void)state;
    is(quote_csv, "=1+1", "'=1+1");
    is(quote_csv, "=HYPERLINK(\"x\",1)", "\"'=HYPERLINK(\"\"x\"\",1)\"");
    is(quote_csv, "@SUM(A1)", "'@SUM(A1)");
    is(quote_csv, "\t=1", "'\t=1");
    is(quote_csv, "-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0");
    is(quote_csv, "+1e-6", "+1e-6");
    is(quote_csv, "-2.5 GB/s", "-2.5 GB/s");
}

static void gnuplot_runs_nothing(void **state)
{
    (void)state;
    is(quote_gnuplot, "a`touch PWNED`.tar.zst", "'a`touch PWNED`.tar.zst'");
    is(quote_gnuplot, "it's \"b\" \\", "'it\xe2\x80\x99s \"b\" \\'");
    is(quote_gnuplot, "a\n!touch PWNED\n", "'a\\x0a!touch PWNED\\x0a'");
    is(quote_gnuplot, "'';system('x')", "'\xe2\x80\x99\xe2\x80\x99;system(\xe2\x80\x99x\xe2\x80\x99)'");
    is(quote_gnuplot, "50 %", "'50 %'");
    is(quote_gnuplot_tic, "50 % of 'd'",
       "'50 %% of \xe2\x80\x99"
       "d\xe2\x80\x99'");
}

static void markup_stays_text(void **state)
{
    (void)state;
    is(quote_markup, "</title><script>", "&lt;/title&gt;&lt;script&gt;");
    is(quote_markup, "\"><img a='&amp;'", "&quot;&gt;&lt;img a=&#39;&amp;amp;&#39;");
    is(quote_markup, "\x01\xff\n", "\\x01\\xff\n");
}

static void graphs_and_timelines_keep_their_strings(void **state)
{
    (void)state;
    is(quote_dot, "a\"]; b [\\", "\"a\\\"]; b [\\\\\"");
    is(quote_yaml, "a\": &b\n\\", "\"a\\\": &b\\\\x0a\\\\\"");
    is(quote_paje, "a\" 7\n5 \"", "\"a' 7\\x0a5 '\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(controls_are_shown),
        cmocka_unit_test(neighbours_of_hidden_characters_are_shown),
        cmocka_unit_test(csv_keeps_its_columns),
        cmocka_unit_test(csv_has_no_formulas),
        cmocka_unit_test(gnuplot_runs_nothing),
        cmocka_unit_test(markup_stays_text),
        cmocka_unit_test(graphs_and_timelines_keep_their_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
