#include "trace/image/comms.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static uint32_t add(struct comms *comms, char *name, struct image_group group)
{
    comms->groups = mem_grow(comms->groups, &comms->capacity, comms->count + 1, "communicators");
    comms->names = mem_grow(comms->names, &comms->name_capacity, comms->count + 1, "communicators");
    comms->groups[comms->count] = group;
    comms->names[comms->count] = name;
    return (uint32_t)comms->count++;
}

void comms_init(struct comms *comms, uint32_t ranks)
{
    *comms = (struct comms){0};
    add(comms, mem_text(""), (struct image_group){.size = ranks});
}

void comms_free(struct comms *comms)
{
    for (size_t i = 0; i < comms->count; i++)
        free(comms->names[i]);
    free(comms->names);
    free(comms->groups);
    free(comms->members);
}

/* A linear search: programs have few communicators, and each distinct line is read once. */
uint32_t comms_find(const struct comms *comms, const char *name, size_t length)
{
    for (size_t i = 1; i < comms->count; i++)
        if (strlen(comms->names[i]) == length && memcmp(comms->names[i], name, length) == 0)
            return (uint32_t)i;
    return 0;
}

uint32_t comms_add(struct comms *comms, const char *name, size_t length, const uint32_t *members,
                   size_t count)
{
    struct image_group group = {.first = comms->member_count, .size = (uint32_t)count};
    comms->members = mem_grow(comms->members, &comms->member_capacity, comms->member_count + count,
                              "members of communicators");
    memcpy(comms->members + comms->member_count, members, count * sizeof *members);
    comms->member_count += count;
    return add(comms, mem_format("%.*s", (int)length, name), group);
}

bool comms_define(struct comms *comms, const char *name, size_t length, const uint32_t *members, size_t count)
{
    uint32_t known = comms_find(comms, name, length);
    if (known) {
        const struct image_group *group = &comms->groups[known];
        return group->size == count &&
               memcmp(comms->members + group->first, members, count * sizeof *members) == 0;
    }
    comms_add(comms, name, length, members, count);
    return true;
}

uint32_t comms_rank(const struct comms *comms, uint32_t comm, uint32_t world)
{
    const struct image_group *group = &comms->groups[comm];
    uint32_t rank = 0;
    if (comm == 0)
        return world;
    while (rank < group->size && comms->members[group->first + rank] != world)
        rank++;
    return rank;
}
