#include "live/coll/limits.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "live/coll/digits.h"

enum { PATH_ROOM = 2048, LINE_ROOM = 1024 };

/* Where the files of a control group are. */
struct group_path {
    char path[PATH_ROOM];
    size_t top; /* length of the part that is the top of the hierarchy */
};

/* The first line of a file of the group, without its end. False: there is no such file. */
static bool read_line(const struct group_path *group, const char *name, char line[LINE_ROOM])
{
    char path[PATH_ROOM + 64];
    snprintf(path, sizeof path, "%s/%s", group->path, name);
    FILE *file = fopen(path, "re");
    bool found = file && fgets(line, LINE_ROOM, file);
    if (file)
        fclose(file);
    if (found)
        line[strcspn(line, "\n")] = '\0';
    return found;
}

/* False: it is no number, such as "max" and "-1", which stand for no limit. */
static bool read_number(const char **text, uint64_t *number)
{
    return digits_read(text, UINT64_MAX, number) && (**text == '\0' || **text == ' ');
}

/* Processor time `quota` in each `period`, in thousandths of a core; at least 1. */
static uint32_t millicores_of(uint64_t quota, uint64_t period)
{
    double share = 1e3 * (double)quota / (double)period;
    return share < 1 ? 1 : share > UINT32_MAX / 2 ? 0 : (uint32_t)share;
}

/* The limit of one group itself; 0: it has none. */
static uint32_t millicores_here(const struct group_path *group)
{
    char line[LINE_ROOM], other[LINE_ROOM];
    uint64_t quota, period;
    const char *at = line, *at_period = other;
    if (read_line(group, "cpu.max", line)) {
        if (!read_number(&at, &quota) || *at != ' ')
            return 0;
        at_period = at + 1;
    } else if (!read_line(group, "cpu.cfs_quota_us", line) || !read_number(&at, &quota) ||
               !read_line(group, "cpu.cfs_period_us", other)) {
        return 0;
    }
    return read_number(&at_period, &period) && period > 0 ? millicores_of(quota, period) : 0;
}

static uint64_t memory_here(const struct group_path *group)
{
    char line[LINE_ROOM];
    const char *at = line;
    uint64_t bytes;
    bool found = read_line(group, "memory.max", line) || read_line(group, "memory.limit_in_bytes", line);
    return found && read_number(&at, &bytes) ? bytes : UINT64_MAX;
}

static uint32_t identity_of(const struct group_path *group)
{
    struct stat is;
    if (stat(group->path, &is) != 0)
        return 0;
    uint64_t mixed = (uint64_t)is.st_ino * 0x9e3779b97f4a7c15u + is.st_dev;
    return (uint32_t)(mixed ^ mixed >> 32);
}

/* Notes the limits of a group and of all groups that it is in. */
static void note_group(struct limits *limits, struct group_path *group)
{
    for (;;) {
        uint32_t millicores = millicores_here(group);
        uint64_t memory = memory_here(group);
        if (millicores > 0 && (limits->millicores == 0 || millicores < limits->millicores)) {
            limits->millicores = millicores;
            limits->group = identity_of(group);
        }
        if (memory < limits->memory)
            limits->memory = memory;
        char *end = strrchr(group->path + group->top, '/');
        if (!end)
            return;
        *end = '\0';
    }
}

/* The group of a line of /proc/self/cgroup, "4:cpu,cpuacct:/batch/job". In a container the path may be the
 * host's, while the container's own group is the top of what it sees. */
static void note_line(struct limits *limits, const char *root, char *line)
{
    struct group_path group;
    struct stat is;
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path)
        return;
    *path++ = '\0';
    path[strcspn(path, "\n")] = '\0';
    controllers++;
    int top = snprintf(group.path, sizeof group.path, "%s/sys/fs/cgroup%s%s", root, *controllers ? "/" : "",
                       controllers);
    if (top < 0 || (size_t)top >= sizeof group.path)
        return;
    group.top = (size_t)top;
    bool is_inside = path[0] == '/' && path[1] != '\0' && strlen(path) < sizeof group.path - group.top;
    if (is_inside)
        strcpy(group.path + group.top, path);
    if (is_inside && stat(group.path, &is) != 0)
        group.path[group.top] = '\0';
    note_group(limits, &group);
}

struct limits limits_read(const char *root)
{
    char text[LINE_ROOM + 32];
    struct limits limits = {.memory = UINT64_MAX};
    snprintf(text, sizeof text, "%.*s/proc/self/cgroup", LINE_ROOM, root);
    FILE *file = fopen(text, "re");
    while (file && fgets(text, sizeof text, file))
        note_line(&limits, root, text);
    if (file)
        fclose(file);
    return limits;
}
