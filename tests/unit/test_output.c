/* Output files are complete, or do not exist. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/mem.h"
#include "output/output.h"

static char folder[] = "/tmp/heliograph-output-XXXXXX";
static char *path;
static char said[1024];

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    snprintf(said, sizeof said, "%s", message);
}

static int make_folder(void **state)
{
    (void)state;
    diag_set_sink(keep_message, NULL);
    if (!mkdtemp(folder))
        return -1;
    path = mem_format("%s/out", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    free(path);
    diag_set_sink(NULL, NULL);
    return rmdir(folder); /* fails if a file was left behind */
}

static void has(const char *expected)
{
    char text[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

static enum status write_words(const char *where, const char *words, enum status run)
{
    struct output output;
    assert_int_equal(output_open(&output, where), STATUS_OK);
    fputs(words, output.file);
    return output_close(&output, run);
}

static void an_output_gets_its_name_when_it_is_closed(void **state)
{
    (void)state;
    struct output output;
    assert_int_equal(output_open(&output, path), STATUS_OK);
    assert_int_equal(access(path, F_OK), -1);
    fputs("whole", output.file);
    assert_int_equal(output_close(&output, STATUS_OK), STATUS_OK);
    has("whole");
    assert_int_equal(output_close(&output, STATUS_OK), STATUS_OK); /* the output is not open: no effect */
}

static void a_failed_run_leaves_the_previous_file(void **state)
{
    (void)state;
    assert_int_equal(write_words(path, "old", STATUS_OK), STATUS_OK);
    assert_int_equal(write_words(path, "new", STATUS_BAD_INPUT), STATUS_BAD_INPUT);
    has("old");
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    said[0] = '\0';
    assert_int_equal(write_words("/dev/full", "words", STATUS_OK), STATUS_FAILED);
    assert_non_null(strstr(said, "cannot write /dev/full: No space left on device"));
    assert_int_equal(access("/dev/full", F_OK), 0); /* the path still names the device */
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    struct output output;
    said[0] = '\0';
    char *nowhere = mem_format("%s/none/out", folder);
    assert_int_equal(output_open(&output, nowhere), STATUS_FAILED);
    assert_non_null(strstr(said, "No such file or directory"));
    assert_int_equal(output_close(&output, STATUS_FAILED), STATUS_FAILED);
    free(nowhere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_output_gets_its_name_when_it_is_closed),
        cmocka_unit_test(a_failed_run_leaves_the_previous_file),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
