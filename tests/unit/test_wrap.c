/* Text for a terminal of 80 columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory_stream.h"
#include "output/wrap.h"

static char *text;
static FILE *out;

static int begin(void **state)
{
    static size_t length;
    (void)state;
    out = memory_stream_open(&text, &length);
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(text);
    text = NULL;
    return 0;
}

static void is(const char *expected)
{
    fclose(out);
    assert_string_equal(text, expected);
}

/* The longest line has 79 characters, so that a mark still fits. */
static void lines_end_before_column_80(void **state)
{
    (void)state;
    char words[240] = "";
    for (int i = 0; i < 40; i++)
        strcat(words, "1234 ");
    wrap_sentences(out, 2, words);
    fclose(out);
    size_t lines = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1, lines++)
        assert_true(strcspn(line, "\n") <= WRAP_COLUMNS - 1);
    assert_int_equal(lines, 3);
    assert_int_equal(strcspn(text, "\n"), 79);
    assert_int_equal(strncmp(strchr(text, '\n'), "\n  1234", 7), 0);
}

static void a_number_stays_with_its_unit(void **state)
{
    (void)state;
    wrap_sentences(out, 2,
                   "of which the last number and its unit would be before and behind the end: 12.5 %\nnext");
    is("of which the last number and its unit would be before and behind the end:\n  12.5 %\nnext\n");
}

static void a_number_without_a_unit_has_no_blank_behind_it(void **state)
{
    (void)state;
    wrap_sentences(out, 2, "as in 5 \n5  MB and 6  \n7 ");
    is("as in 5\n5 MB and 6\n7\n");
}

static void a_word_that_is_too_long_has_a_line(void **state)
{
    (void)state;
    char expected[128], word[101] = "";
    memset(word, 'x', 100);
    snprintf(expected, sizeof expected, "a\n  %s\n  b\n", word);
    struct wrap wrap = {.out = out, .indent = 2};
    wrap_words(&wrap, "a");
    wrap_words(&wrap, word);
    wrap_words(&wrap, "b\n");
    fputc('\n', out);
    is(expected);
}

static void paragraphs_are_joined_and_examples_are_kept(void **state)
{
    (void)state;
    wrap_text(out, 4, "one\ntwo\n\nExamples:\n  helio  run\n  helio  sweep\nthree");
    is("    one two\n\n    Examples:\n      helio  run\n      helio  sweep\n    three\n");
}

static void a_mark_belongs_to_its_word(void **state)
{
    (void)state;
    struct wrap wrap = {.out = out, .indent = 0};
    wrap_words(&wrap, "");
    assert_false(wrap.has_words);
    wrap_words(&wrap, " one ");
    wrap_mark(&wrap, ",");
    wrap_words(&wrap, "two");
    assert_int_equal(wrap.column, strlen("one, two"));
    is("one, two");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lines_end_before_column_80, begin, end),
        cmocka_unit_test_setup_teardown(a_number_stays_with_its_unit, begin, end),
        cmocka_unit_test_setup_teardown(a_number_without_a_unit_has_no_blank_behind_it, begin, end),
        cmocka_unit_test_setup_teardown(a_word_that_is_too_long_has_a_line, begin, end),
        cmocka_unit_test_setup_teardown(paragraphs_are_joined_and_examples_are_kept, begin, end),
        cmocka_unit_test_setup_teardown(a_mark_belongs_to_its_word, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
