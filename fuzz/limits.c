/* Any bytes as the files of control groups: the list of groups, then "|" and the quota, the memory, and the
 * two files of version 1. Whatever they say, the preloaded collectives read a limit or none. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "fuzz/fuzz.h"
#include "live/coll/limits.h"

static const char *const folders[] = {
    "groups",        "groups/proc",          "groups/proc/self",      "groups/sys",
    "groups/sys/fs", "groups/sys/fs/cgroup", "groups/sys/fs/cgroup/a"};
static const char *const files[] = {
    "groups/proc/self/cgroup", "groups/sys/fs/cgroup/cpu.max", "groups/sys/fs/cgroup/a/memory.max",
    "groups/sys/fs/cgroup/a/cpu.cfs_quota_us", "groups/sys/fs/cgroup/a/cpu.cfs_period_us"};
enum { FOLDERS = sizeof folders / sizeof *folders, FILES = sizeof files / sizeof *files };

static void remove_all(void)
{
    for (int i = 0; i < FILES; i++)
        unlink(files[i]);
    for (int i = FOLDERS - 1; i >= 0; i--)
        rmdir(folders[i]);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct fuzz_piece rest = {(const char *)data, size};
    for (int i = 0; i < FOLDERS; i++)
        mkdir(folders[i], 0777);
    for (int i = 0; i < FILES; i++) {
        struct fuzz_piece piece = fuzz_cut(&rest, "|");
        FILE *file = fopen(files[i], "wb");
        fuzz_must(file && fwrite(piece.bytes, 1, piece.size, file) == piece.size && fclose(file) == 0,
                  "cannot write %s", files[i]);
    }
    struct limits first = limits_read("groups"), second = limits_read("groups");
    fuzz_must(first.millicores == second.millicores && first.group == second.group &&
                  first.memory == second.memory,
              "the same files are read differently");
    fuzz_must(first.millicores > 0 || first.group == 0, "a group without a limit is named");
    remove_all();
    return first.millicores > 0 || first.memory != UINT64_MAX;
}
