/* The memory of a run, estimated before it runs, beside what it takes; and the memory that there is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/mem.h"
#include "sim/components.h"
#include "sim/memory.h"
#include "support/sanitizer.h"

static char said[2048];

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    strncat(said, message, sizeof said - strlen(said) - 1);
}

/* ------------------------------------------------------------- experiments */

struct opened {
    struct config *config;
    struct experiment experiment;
};

/* `settings` are PARAMETER=VALUE, separated by blanks. */
static void open_experiment(struct opened *opened, const char *workload, const char *fabric,
                            const char *settings)
{
    size_t count;
    char *copy = mem_text(settings), *rest = copy;
    const struct param_table *const *tables = components_params(&count);
    opened->config = config_open(tables, count);
    assert_int_equal(config_set(opened->config, "machine=as-published"), STATUS_OK);
    assert_int_equal(config_assign(opened->config, "workload", workload, "test"), STATUS_OK);
    assert_int_equal(config_assign(opened->config, "fabric", fabric, "test"), STATUS_OK);
    for (char *setting; (setting = strsep(&rest, " "));)
        if (*setting)
            assert_int_equal(config_set(opened->config, setting), STATUS_OK);
    free(copy);
    said[0] = '\0';
    if (experiment_init(&opened->experiment, opened->config) != STATUS_OK)
        fail_msg("%s", said);
}

static void close_experiment(struct opened *opened)
{
    experiment_free(&opened->experiment);
    config_close(opened->config);
}

static double part_of(const struct estimate *estimate, const char *name)
{
    for (size_t i = 0; i < estimate->count; i++)
        if (strcmp(estimate->parts[i].name, name) == 0)
            return estimate->parts[i].bytes;
    return 0;
}

/* ---------------------------------------------------------------- a matrix */

/* What a run has taken. */
struct taken {
    double counted;  /* the account of the run */
    double resident; /* growth of the process, from the kernel */
};

static double resident_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024;
}

/* In a process of its own, whose peak is that of this run. */
static struct taken run_apart(struct opened *opened)
{
    int ends[2], state;
    struct taken taken = {0};
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct result result;
        double before = resident_bytes();
        if (experiment_run(&opened->experiment, 0, &(struct experiment_watch){0}, &result) == STATUS_OK) {
            taken.counted = (double)result.usage.bytes;
            taken.resident = resident_bytes() - before;
        }
        _exit(write(ends[1], &taken, sizeof taken) != sizeof taken);
    }
    assert_true(pid > 0);
    assert_int_equal(read(ends[0], &taken, sizeof taken), sizeof taken);
    assert_int_equal(waitpid(pid, &state, 0), pid);
    close(ends[0]);
    close(ends[1]);
    assert_true(taken.counted > 0);
    return taken;
}

static void assert_within_two(const char *what, double estimated, double measured)
{
    const double large = 32 << 20;
    if ((estimated >= large || measured >= large) && (estimated > 2 * measured || measured > 2 * estimated))
        fail_msg("%s: estimated %.1f MiB, took %.1f MiB", what, estimated / 0x1p20, measured / 0x1p20);
}

struct matrix_case {
    const char *workload, *fabric, *settings;
};

/* Each takes 32 MiB or more, or did if each message had another destination. */
static const struct matrix_case matrix[] = {
    {"alltoall:ranks=700", "ideal", ""},
    {"alltoall:ranks=700,bytes=64KiB", "hockney", ""},
    {"alltoall:ranks=350", "packet", ""},
    {"alltoall:ranks=343", "packet", "topology=torus:7x7x7"},
    {"alltoall:ranks=350,bytes=64KiB", "packet", "packet.congestion=window"},
    {"alltoall:ranks=256", "packet", "packet.congestion=queues topology=fattree:16x2"},
    {"alltoall:ranks=350", "packet", "packet.congestion=incast"},
    {"alltoall:ranks=256", "packet", "packet.congestion=credits topology=fattree:16x2"},
    {"alltoall:ranks=400", "fmu", ""},
    {"alltoall:ranks=300", "hybrid", ""},
    {"alltoall:ranks=400,bytes=64KiB", "hybrid", ""},
    {"alltoall:ranks=400", "circuit", ""},
    {"alltoall:ranks=400", "packetised", ""},
    {"alltoall:ranks=512,bytes=4KiB", "segment", "topology=torus:8x8x8"},
    {"alltoall:ranks=450", "tdm-compiled", "tdm.algorithm=greedy"},
    {"alltoall:ranks=512", "tdm-dynamic", "topology=torus:8x8x8"},
    {"alltoall:ranks=600", "rotor", ""},
    {"alltoall:ranks=300", "rotor", "rotor.hops=2"},
    {"alltoall:ranks=300", "rotor", "rotor.short=64KiB rotor.order=random"},
    {"alltoall:ranks=400", "ocs", ""},
    {"alltoall:ranks=500", "ocs", "mpi.alltoall=pairwise"},
    {"collective:op=allgather,ranks=1024,bytes=8B,algorithm=ring", "ocs", ""},
    {"collective:op=allreduce,ranks=1024,bytes=8KiB,algorithm=ring", "rotor", "rotor.hops=2"},
    {"alltoall:ranks=450", "hockney", "host.system=thunderx2 hockney.latency=383ns"},
    {"alltoall:ranks=300", "hockney", "host.system=thunderx2 hockney.latency=383ns rnic.transport=rc"},
    {"alltoall:ranks=600", "packet", "ranks_per_node=8"},
    {"dissemination:ranks=100000", "hockney", ""},
    {"dissemination:ranks=65536", "packet", "topology=fattree:50x3"},
    {"npb:ep:class=C,ranks=16384", "packet", ""},
    {"permutation:messages=300,small=1KiB,large=4KiB", "circuit", "topology=torus:8x8x8"},
    {"uniform:nodes=200000,messages=2,interval=1ms", "hockney", ""},
};

static void estimates_are_within_a_factor_of_two(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof matrix / sizeof *matrix; i += HAS_SANITIZER ? 3 : 1) {
        struct opened opened;
        struct estimate estimate;
        char what[256];
        const struct matrix_case *row = &matrix[i];
        open_experiment(&opened, row->workload, row->fabric, row->settings);
        assert_int_equal(memory_estimate(&opened.experiment, 0, &estimate), STATUS_OK);
        double helio = part_of(&estimate, "helio"), total = estimate_total(&estimate);
        double outside = helio + part_of(&estimate, "program") + part_of(&estimate, "results") +
                         part_of(&estimate, "traffic");
        struct taken taken = run_apart(&opened);
        snprintf(what, sizeof what, "%s on %s %s", row->workload, row->fabric, row->settings);
        if (getenv("HELIO_MEMORY_TABLE"))
            printf("%-90s %8.1f %8.1f %8.1f\n", what, (total - helio) / 0x1p20, taken.resident / 0x1p20,
                   taken.counted / 0x1p20);
        else
            assert_within_two(what, total - outside, taken.counted);
        if (!getenv("HELIO_MEMORY_TABLE") && !HAS_SANITIZER)
            assert_within_two(what, total - helio, taken.resident);
        close_experiment(&opened);
    }
}

/* ----------------------------------------------------------------- refusal */

/* Nothing that grows with the ranks is allocated: 10^9 ranks would take terabytes. */
static void a_run_that_is_too_large_is_refused(void **state)
{
    (void)state;
    struct opened opened;
    const struct memory_room room = {.bytes = 0x1p40, .limit = "a limit"};
    open_experiment(&opened, "alltoall:ranks=1000000000", "ideal,hockney", "");
    said[0] = '\0';
    assert_int_equal(memory_admit(&opened.experiment, &room), STATUS_FAILED);
    assert_non_null(strstr(said, "on fabric ideal needs about"));
    assert_non_null(strstr(said, "there are 1.10 TB (a limit)"));
    assert_non_null(strstr(said, "messages"));
    assert_non_null(strstr(said, "fewer ranks"));
    assert_int_equal(memory_admit(&opened.experiment, &memory_room_unlimited), STATUS_OK);
    close_experiment(&opened);
}

static void a_share_is_named(void **state)
{
    (void)state;
    struct opened opened;
    const struct memory_room whole = {.bytes = 40e6, .limit = "a limit"};
    open_experiment(&opened, "alltoall:ranks=400", "hockney", "");
    assert_int_equal(memory_admit(&opened.experiment, &whole), STATUS_OK);
    const struct memory_room share = memory_room_share(whole, 4);
    said[0] = '\0';
    assert_int_equal(memory_admit(&opened.experiment, &share), STATUS_FAILED);
    assert_non_null(strstr(said, "10.0 MB (a limit, shared by 4 runs at a time)"));
    close_experiment(&opened);
}

/* Groups larger than those that are emitted are scaled up. A linear barrier sends everything to rank 0; if
 * another rank were taken for it, the estimate would have a million messages. */
static void large_groups_are_scaled_up(void **state)
{
    (void)state;
    const struct {
        const char *workload;
        double least, most; /* bytes of messages */
    } cases[] = {
        {"npb:ep:class=C,ranks=65536", 1e7, 5e7},
        {"alltoall:ranks=16384", 2e10, 6e10},
        {"fmu-allreduce:ranks=1000000", 5e7, 5e8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct opened opened;
        struct estimate estimate;
        open_experiment(&opened, cases[i].workload, "packet", "");
        assert_int_equal(memory_estimate(&opened.experiment, 0, &estimate), STATUS_OK);
        double bytes = part_of(&estimate, "messages");
        if (bytes < cases[i].least || bytes > cases[i].most)
            fail_msg("%s: %g bytes of messages", cases[i].workload, bytes);
        close_experiment(&opened);
    }
}

/* ------------------------------------------------------------------- limits */

static char root[] = "/tmp/heliograph-memory-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s%s", root, name);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0700);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_room(double bytes, const char *limit)
{
    struct memory_room room = memory_room_read(root);
    assert_true(room.bytes == bytes);
    assert_string_equal(room.limit, limit);
}

static void the_least_limit_counts(void **state)
{
    (void)state;
    const char *group = "the memory limit of the control group";
    assert_non_null(mkdtemp(root));
    assert_room(INFINITY, "no limit");
    put("/proc/meminfo", "MemTotal:  8000 kB\nMemFree:   1 kB\nMemAvailable:   4000 kB\n");
    assert_room(4096000, "the available memory of the machine");
    /* version 2: the parent's limit holds too; a container's path may not be mounted */
    put("/proc/self/cgroup", "0::/outside/inside\n");
    put("/sys/fs/cgroup/outside/inside/memory.max", "max\n");
    assert_room(4096000, "the available memory of the machine");
    put("/sys/fs/cgroup/outside/memory.max", "3000000\n");
    assert_room(3000000, group);
    put("/sys/fs/cgroup/outside/memory.current", "1000000\n");
    put("/sys/fs/cgroup/outside/memory.stat", "anon 600000\ninactive_file 400000\n");
    assert_room(2400000, group);
    put("/sys/fs/cgroup/memory.max", "1000\n");
    assert_room(1000, group);
    /* version 1 */
    put("/proc/self/cgroup", "12:cpu:/a\n4:memory:/a\n0::/\n");
    put("/sys/fs/cgroup/memory.max", "max\n");
    put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2000000\n");
    put("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1500000\n");
    assert_room(500000, group);
    put("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "2500000\n");
    assert_room(0, group);
    /* without a limit, and without the file that says what is available */
    put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
    put("/proc/meminfo", "");
    assert_room(INFINITY, "no limit");
    char *command = mem_format("rm -r %s", root);
    assert_int_equal(system(command), 0);
    free(command);
}

int main(void)
{
    diag_set_sink(keep_message, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates_are_within_a_factor_of_two),
        cmocka_unit_test(a_run_that_is_too_large_is_refused),
        cmocka_unit_test(a_share_is_named),
        cmocka_unit_test(large_groups_are_scaled_up),
        cmocka_unit_test(the_least_limit_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
