#include "base/memory_room.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/mem.h"

enum { LINE = 4096 };

static void take_least(struct memory_room *room, double bytes, const char *limit)
{
    if (bytes >= room->bytes)
        return;
    room->bytes = bytes > 0 ? bytes : 0;
    room->limit = limit;
}

/* ------------------------------------------------------------- small files */

/* The file root/folder/group/file, where the names begin with their slash. */
static FILE *open_below(const char *root, const char *folder, const char *group, const char *file)
{
    char name[3 * LINE];
    int length = snprintf(name, sizeof name, "%s%s%s%s", root, folder, group, file);
    return (size_t)length < sizeof name ? fopen(name, "re") : NULL;
}

/* The number behind `key` at the beginning of a line; the first number of the file if the key is empty.
 * False: there is none, as in the file of a limit that says "max". Closes the file, which may be NULL. */
static bool read_number(FILE *file, const char *key, double *number)
{
    char line[LINE];
    bool found = false;
    size_t length = strlen(key);
    while (file && !found && fgets(line, sizeof line, file)) {
        char *end;
        if (strncmp(line, key, length) != 0)
            continue;
        *number = strtod(line + length, &end);
        found = end != line + length;
    }
    if (file)
        fclose(file);
    return found;
}

/* ---------------------------------------------------------- control groups */

/* One version of control groups: where its files are, and their names. */
struct group_version {
    const char *folder, *limit, *usage, *reclaimable;
};

static const struct group_version versions[] = {
    {"/sys/fs/cgroup", "/memory.max", "/memory.current", "inactive_file "},
    {"/sys/fs/cgroup/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file "},
};

/* Version 1 states the largest number of pages that has 63 bits where there is no limit. */
#define NO_LIMIT 0x1p62

/* Pages of files count as used, but are given up when there is need. */
static void read_group(const char *root, const struct group_version *version, const char *group,
                       struct memory_room *room)
{
    double limit, usage = 0, reclaimable = 0;
    if (!read_number(open_below(root, version->folder, group, version->limit), "", &limit) ||
        limit >= NO_LIMIT)
        return;
    read_number(open_below(root, version->folder, group, version->usage), "", &usage);
    read_number(open_below(root, version->folder, group, "/memory.stat"), version->reclaimable, &reclaimable);
    take_least(room, limit - usage + reclaimable, "the memory limit of the control group");
}

/* A limit of a group holds for all groups below it. In a container the path may begin above what is mounted,
 * so folders that are not there are passed over. */
static void read_groups(const char *root, const struct group_version *version, char *group,
                        struct memory_room *room)
{
    size_t length = strlen(group);
    while (length && group[length - 1] == '/')
        group[--length] = '\0';
    read_group(root, version, group, room);
    for (char *slash; (slash = strrchr(group, '/'));) {
        *slash = '\0';
        read_group(root, version, group, room);
    }
}

/* A line "0::/path" names the group of version 2, a line "9:memory:/path" that of version 1. */
static void read_own_groups(const char *root, struct memory_room *room)
{
    char line[LINE];
    FILE *file = open_below(root, "", "", "/proc/self/cgroup");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        if (!controllers[1])
            read_groups(root, &versions[0], path, room);
        else if (strstr(controllers, "memory"))
            read_groups(root, &versions[1], path, room);
    }
    if (file)
        fclose(file);
}

const struct memory_room memory_room_unlimited = {.bytes = INFINITY, .limit = "no limit"};

struct memory_room memory_room_share(struct memory_room room, unsigned runs)
{
    return (struct memory_room){.bytes = room.bytes / runs, .limit = room.limit, .shared_by = runs};
}

struct memory_room memory_room_read(const char *root)
{
    struct memory_room room = memory_room_unlimited;
    double kibibytes;
    if (read_number(open_below(root, "", "", "/proc/meminfo"), "MemAvailable:", &kibibytes))
        take_least(&room, kibibytes * 1024, "the available memory of the machine");
    read_own_groups(root, &room);
    return room;
}

/* ---------------------------------------------------------- resource limits */

static void read_limit(int resource, const char *used_key, const char *name, struct memory_room *room)
{
    struct rlimit limit;
    double used = 0;
    if (getrlimit((__rlimit_resource_t)resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return;
    read_number(fopen("/proc/self/status", "re"), used_key, &used);
    take_least(room, (double)limit.rlim_cur - used * 1024, name);
}

struct memory_room memory_room_find(void)
{
    struct memory_room room = memory_room_read("");
    read_limit(RLIMIT_AS, "VmSize:", "the limit of address space, ulimit -v", &room);
    read_limit(RLIMIT_DATA, "VmData:", "the limit of data, ulimit -d", &room);
    return room;
}
