/* What control groups allow, read from folders that stand in for /proc and /sys. */
#include <ftw.h>
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

#include "live/coll/limits.h"

static char root[64];

/* Writes a file below `root`, with the folders of its path. */
static void put(const char *path, const char *text)
{
    char full[256];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *at = strchr(full + strlen(root) + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdir(full, 0700);
        *at = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int remove_one(const char *path, const struct stat *is, int type, struct FTW *walk)
{
    (void)is, (void)type, (void)walk;
    return remove(path);
}

static int begin(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/test_live_limits.XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void expect(uint32_t millicores, uint64_t memory)
{
    struct limits limits = limits_read(root);
    assert_int_equal(limits.millicores, millicores);
    assert_int_equal(limits.memory, memory);
}

static void nothing_is_no_limit(void **state)
{
    (void)state;
    expect(0, UINT64_MAX);
    put("proc/self/cgroup", "0::/\n");
    expect(0, UINT64_MAX);
    put("sys/fs/cgroup/cpu.max", "max 100000\n");
    put("sys/fs/cgroup/memory.max", "max\n");
    expect(0, UINT64_MAX);
}

static void smallest_of_the_groups_above(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/batch/job/step\n");
    put("sys/fs/cgroup/batch/job/step/cpu.max", "800000 100000\n");
    put("sys/fs/cgroup/batch/job/cpu.max", "250000 100000\n");
    put("sys/fs/cgroup/batch/cpu.max", "max 100000\n");
    put("sys/fs/cgroup/batch/memory.max", "3000000000\n");
    put("sys/fs/cgroup/batch/job/step/memory.max", "4000000000\n");
    expect(2500, 3000000000u);
}

/* Two steps of one job share the limit of the job; their own limits are apart. */
static void group_is_the_one_with_the_limit(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/job/one\n");
    put("sys/fs/cgroup/job/cpu.max", "100000 100000\n");
    put("sys/fs/cgroup/job/one/cpu.max", "max 100000\n");
    put("sys/fs/cgroup/job/two/cpu.max", "max 100000\n");
    uint32_t one = limits_read(root).group;
    put("proc/self/cgroup", "0::/job/two\n");
    assert_int_equal(limits_read(root).group, one);
    put("sys/fs/cgroup/job/two/cpu.max", "50000 100000\n");
    expect(500, UINT64_MAX);
    assert_int_not_equal(limits_read(root).group, one);
}

/* Version 1 has a hierarchy for each controller, and two files for the quota. */
static void first_version(void **state)
{
    (void)state;
    put("proc/self/cgroup", "5:memory:/job\n4:cpu,cpuacct:/job\n1:name=systemd:/job\n");
    put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "150000\n");
    put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "50000\n");
    put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1073741824\n");
    expect(3000, 1u << 30);
    put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
    expect(0, 1u << 30);
}

/* A container sees the host's path, and its own group as the top. */
static void path_of_the_host(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/docker/4f5e\n");
    put("sys/fs/cgroup/cpu.max", "400000 100000\n");
    expect(4000, UINT64_MAX);
}

static void wrong_files(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "\n",
                                        "100000\n",
                                        "100000 0\n",
                                        "100000 x\n",
                                        "1e5 100000\n",
                                        "18446744073709551616 100000\n",
                                        "18446744073709551615 1\n"};
    put("proc/self/cgroup", "\n:\n::\n0::\n0:\n0::/\n");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        put("sys/fs/cgroup/cpu.max", wrong[i]);
        put("sys/fs/cgroup/memory.max", wrong[i]);
        assert_int_equal(limits_read(root).millicores, 0);
    }
    put("sys/fs/cgroup/cpu.max", "0 100000\n"); /* less than a thousandth is one */
    expect(1, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_no_limit, begin, end),
        cmocka_unit_test_setup_teardown(smallest_of_the_groups_above, begin, end),
        cmocka_unit_test_setup_teardown(group_is_the_one_with_the_limit, begin, end),
        cmocka_unit_test_setup_teardown(first_version, begin, end),
        cmocka_unit_test_setup_teardown(path_of_the_host, begin, end),
        cmocka_unit_test_setup_teardown(wrong_files, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
