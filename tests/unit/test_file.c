/* Files that are read: limits, lines, and what is no regular file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/file.h"

static char folder[] = "/tmp/helio-test-XXXXXX";
static char said[1024];

static void listen(void *self, enum diag_level level, const char *text)
{
    (void)self, (void)level;
    snprintf(said, sizeof said, "%s", text);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    unlink("file");
    unlink("fifo");
    return rmdir(folder);
}

static void write_file(const char *text)
{
    FILE *file = fopen("file", "w");
    fputs(text, file);
    fclose(file);
}

static void a_file_is_loaded_up_to_its_limit(void **state)
{
    (void)state;
    char *bytes;
    size_t size;
    write_file("0123456789");
    assert_int_equal(file_load("file", 10, "a test", &bytes, &size), STATUS_OK);
    assert_int_equal(size, 10);
    assert_memory_equal(bytes, "0123456789", 10);
    free(bytes);
    diag_set_sink(listen, NULL);
    assert_int_equal(file_load("file", 9, "a test", &bytes, &size), STATUS_BAD_INPUT);
    assert_non_null(strstr(said, "file: error: it has more than 9 B, the limit of a test"));
    assert_int_equal(file_load("/dev/zero", 1 << 20, "a test", &bytes, &size), STATUS_BAD_INPUT);
    assert_non_null(strstr(said, "it has more than 1 MiB, the limit of a test"));
    assert_int_equal(file_load("absent", 9, "a test", &bytes, &size), STATUS_BAD_INPUT);
    assert_non_null(strstr(said, "absent: error: cannot be read: No such file or directory"));
    diag_set_sink(NULL, NULL);
}

static void a_file_has_lines(void **state)
{
    (void)state;
    struct file_line line = {.length = 0};
    write_file("one\n\nthree");
    FILE *file = fopen("file", "r");
    assert_true(file_next_line(file, &line));
    assert_string_equal(line.text, "one\n");
    assert_true(file_next_line(file, &line));
    assert_string_equal(line.text, "\n");
    assert_true(file_next_line(file, &line));
    assert_string_equal(line.text, "three");
    assert_int_equal(line.length, 5);
    assert_false(file_next_line(file, &line));
    assert_false(line.is_too_long);
    free(line.text);
    fclose(file);
}

static void a_line_has_an_end(void **state)
{
    (void)state;
    struct file_line line = {.length = 0};
    FILE *file = fopen("/dev/zero", "r");
    assert_false(file_next_line(file, &line));
    assert_true(line.is_too_long);
    free(line.text);
    fclose(file);
}

static void nobody_waits_for_a_fifo(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_null(file_open_regular("fifo"));
    assert_null(file_open_regular("/dev/null"));
    assert_null(file_open_regular("."));
    write_file("text");
    FILE *file = file_open_regular("file");
    assert_non_null(file);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_loaded_up_to_its_limit),
        cmocka_unit_test(a_file_has_lines),
        cmocka_unit_test(a_line_has_an_end),
        cmocka_unit_test(nobody_waits_for_a_fifo),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
