/* The shared memory of the probes is new, and nobody can prepare it. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "live/probe/probe.h"

/* What the file of the probes needs beside the pair. */
struct tick_clock probe_clock = {.ticks_per_ns = 1};

void record_sample(enum probe_quantity quantity, double ns)
{
    (void)quantity, (void)ns;
}

struct socket_pair {
    struct probe_pair pair;
    int socket;
    const char *name_instead; /* process 0 sends this name; NULL: its own */
};

static void exchange(struct probe_pair *pair, const void *mine, void *theirs, size_t size)
{
    struct socket_pair *self = (struct socket_pair *)pair;
    bool is_name = size > 1 && self->name_instead;
    char name[256] = "";
    if (is_name)
        snprintf(name, sizeof name, "%s", self->name_instead);
    if (write(self->socket, is_name ? name : mine, size) != (ssize_t)size ||
        recv(self->socket, theirs, size, MSG_WAITALL) != (ssize_t)size)
        _exit(3);
}

void pair_barrier(struct probe_pair *pair)
{
    char mine = 0, theirs;
    pair->exchange(pair, &mine, &theirs, 1);
}

/* Both processes open the line. Returns whether both have it, and whether what one writes the other reads. */
static bool both_open(const char *name_instead)
{
    int ends[2], ended = 0;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    pid_t child = fork();
    int me = child == 0;
    struct socket_pair self = {{.me = me, .exchange = exchange}, ends[me], me == 0 ? name_instead : NULL};
    close(ends[!me]);
    struct cache_line *line = cache_line_open(&self.pair);
    uint32_t *value = (uint32_t *)line;
    if (value && me == 0)
        *value = 42;
    pair_barrier(&self.pair);
    bool same = value && *value == 42;
    if (line)
        cache_line_close(line);
    close(ends[me]);
    if (me == 1)
        _exit(same ? 0 : 1);
    assert_int_equal(waitpid(child, &ended, 0), child);
    return same && WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
}

static void two_processes_share_a_line(void **state)
{
    (void)state;
    assert_true(both_open(NULL));
}

/* Others may know the process's number, and make the object first. */
static void an_object_of_that_number_is_not_touched(void **state)
{
    (void)state;
    char name[64];
    struct stat about;
    snprintf(name, sizeof name, "/helio-probe-%ld", (long)getpid());
    int planted = shm_open(name, O_CREAT | O_RDWR, 0600);
    assert_true(planted >= 0);
    assert_true(both_open(NULL));
    assert_int_equal(fstat(planted, &about), 0);
    assert_int_equal(about.st_size, 0);
    close(planted);
    assert_int_equal(shm_unlink(name), 0);
}

/* A mapping behind the end of an object would end the process by SIGBUS. */
static void an_object_of_another_size_is_not_used(void **state)
{
    (void)state;
    char name[64];
    snprintf(name, sizeof name, "/helio-probe-small-%ld", (long)getpid());
    int planted = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
    assert_true(planted >= 0);
    assert_false(both_open(name));
    close(planted);
    shm_unlink(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_processes_share_a_line),
        cmocka_unit_test(an_object_of_that_number_is_not_touched),
        cmocka_unit_test(an_object_of_another_size_is_not_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
