/* The counter of the capture library. */
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "live/capture/counter.h"

static unsigned open_files(void)
{
    unsigned count = 0;
    DIR *files = opendir("/proc/self/fd");
    assert_non_null(files);
    while (readdir(files))
        count++;
    closedir(files);
    return count;
}

static void *count_twice(void *unused)
{
    const uint64_t first = counter_read();
    for (volatile int i = 0; i < 2000; i++)
        ;
    assert_true(counter_read() > first);
    return unused;
}

/* Programs that start a thread for each piece of work may do so without end. */
static void a_thread_that_ends_leaves_no_file(void **state)
{
    (void)state;
    if (!counter_open("task-clock"))
        skip();
    count_twice(NULL);
    const unsigned before = open_files();
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, count_twice, NULL), 0);
        pthread_join(thread, NULL);
    }
    assert_int_equal(open_files(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_ends_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
