/* Files of which a part is in memory: the key that is made while they are read is the key of their bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/rng.h"
#include "trace/image/content.h"

enum { SIZE = 5 << 20, READS = 40, MOST = 3 << 20 };

static char folder[] = "/tmp/helio-test-XXXXXX";
static char *bytes;

static void be_silent(void *self, enum diag_level level, const char *text)
{
    (void)self, (void)level, (void)text;
}

static void write_file(size_t size)
{
    FILE *file = fopen("file", "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
    (void)state;
    struct rng rng = rng_init(1, "content");
    bytes = malloc(SIZE);
    for (size_t i = 0; bytes && i < SIZE; i++)
        bytes[i] = (char)rng_below(&rng, 256);
    return bytes && mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    free(bytes);
    unlink("file");
    return rmdir(folder);
}

static void open_file(struct content_window *window)
{
    assert_int_equal(content_window_open(window, "file", NULL), STATUS_OK);
    assert_int_equal(content_window_begin_key(window), STATUS_OK);
}

static void expect_key(struct content_window *window, size_t size)
{
    uint64_t key[2], expected[2];
    assert_int_equal(content_window_end_key(window, key), STATUS_OK);
    content_key(bytes, size, expected);
    assert_memory_equal(key, expected, sizeof key);
    content_window_close(window);
}

static void test_in_order(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 1 << 20, (1 << 20) + 1, SIZE};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct content_window window;
        write_file(sizes[i]);
        open_file(&window);
        for (size_t at = 0; at < sizes[i]; at += 100000) {
            size_t left = sizes[i] - at, count = left < 50000 ? left : 50000;
            assert_memory_equal(content_window_at(&window, at, count), bytes + at, count);
        }
        expect_key(&window, sizes[i]);
    }
}

static void test_in_any_order(void **state)
{
    (void)state;
    struct rng rng = rng_init(2, "content");
    write_file(SIZE);
    for (int round = 0; round < 20; round++) {
        struct content_window window;
        open_file(&window);
        for (int i = 0; i < READS; i++) {
            size_t from = rng_below(&rng, SIZE);
            size_t most = SIZE - from < MOST ? SIZE - from : MOST, count = 1 + rng_below(&rng, most);
            assert_memory_equal(content_window_at(&window, from, count), bytes + from, count);
        }
        expect_key(&window, SIZE);
    }
}

static void test_shorter(void **state)
{
    (void)state;
    struct content_window window;
    uint64_t key[2];
    write_file(SIZE);
    open_file(&window);
    assert_int_equal(truncate("file", 100), 0);
    assert_int_equal(content_window_end_key(&window, key), STATUS_BAD_INPUT);
    content_window_close(&window);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_in_order), cmocka_unit_test(test_in_any_order),
                                       cmocka_unit_test(test_shorter)};
    diag_set_sink(be_silent, NULL);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
