/* The cache gives back what was kept, whole, or nothing. */
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
#include "base/mem.h"
#include "output/cache.h"

static char top[] = "/tmp/heliograph-cache-XXXXXX";
static char *kept;
static char said[1024];

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    snprintf(said, sizeof said, "%s", message);
}

static int set_up(void **state)
{
    (void)state;
    diag_set_sink(keep_message, NULL);
    if (!mkdtemp(top))
        return -1;
    char *folder = mem_format("%s/a/b", top); /* not there yet */
    setenv("XDG_CACHE_HOME", folder, 1);
    kept = mem_format("%s/heliograph/numbers", folder);
    free(folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(kept);
    diag_set_sink(NULL, NULL);
    char *command = mem_format("rm -rf '%s'", top);
    int status = system(command);
    free(command);
    return status;
}

static const uint64_t numbers[] = {3, 1, 4, 1, 5};

static bool loads(void)
{
    uint64_t found[5];
    said[0] = '\0';
    bool loaded = cache_load("numbers", found, sizeof found);
    if (loaded)
        assert_memory_equal(found, numbers, sizeof numbers);
    return loaded;
}

static void what_is_kept_is_found_again(void **state)
{
    (void)state;
    assert_false(loads());
    assert_string_equal(said, "");
    cache_keep("numbers", numbers, sizeof numbers);
    assert_string_equal(said, "");
    assert_true(loads());
}

static void what_is_damaged_is_reported_and_made_anew(void **state)
{
    (void)state;
    for (long at = 0; at < 56; at += 5) { /* numbers, size, checksum */
        cache_keep("numbers", numbers, sizeof numbers);
        FILE *file = fopen(kept, "r+b");
        assert_int_equal(fseek(file, at, SEEK_SET), 0);
        int byte = fgetc(file);
        assert_int_equal(fseek(file, at, SEEK_SET), 0);
        fputc(byte ^ 0x10, file);
        fclose(file);
        assert_false(loads());
        assert_non_null(strstr(said, "/numbers is damaged"));
    }
    for (long length = 0; length < 56; length += 11) {
        cache_keep("numbers", numbers, sizeof numbers);
        assert_int_equal(truncate(kept, length), 0);
        assert_false(loads());
    }
    cache_keep("numbers", numbers, sizeof numbers - 8);
    assert_false(loads());
}

static void without_a_cache_there_is_none(void **state)
{
    (void)state;
    char *before = mem_text(getenv("XDG_CACHE_HOME")),
         *home = mem_text(getenv("HOME") ? getenv("HOME") : "/");
    setenv("XDG_CACHE_HOME", "not/absolute", 1);
    setenv("HOME", "neither", 1);
    assert_null(cache_folder());
    cache_keep("numbers", numbers, sizeof numbers);
    assert_false(loads());
    assert_string_equal(said, "");
    setenv("HOME", "/dev/null", 1);
    cache_keep("numbers", numbers, sizeof numbers);
    assert_non_null(strstr(said, "cannot write /dev/null/.cache/heliograph/numbers: "));
    assert_false(loads());
    setenv("HOME", home, 1);
    setenv("XDG_CACHE_HOME", before, 1);
    free(before);
    free(home);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept_is_found_again),
        cmocka_unit_test(what_is_damaged_is_reported_and_made_anew),
        cmocka_unit_test(without_a_cache_there_is_none),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
