#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "trace/chakra/chakra.h"

static void add_member(struct chakra_groups *groups, uint32_t name, uint32_t rank)
{
    groups->members =
        mem_grow(groups->members, &groups->member_capacity, groups->member_count + 1, "groups of NPUs");
    groups->members[groups->member_count++] = (struct chakra_member){.name = name, .rank = rank};
}

/* Ranks come one after another, so that the members of a group that are already known end with this rank or
 * not at all. */
static bool is_member(const struct chakra_groups *groups, uint32_t name, uint32_t rank)
{
    for (size_t i = groups->member_count; i-- > 0 && groups->members[i].rank == rank;)
        if (groups->members[i].name == name)
            return true;
    return false;
}

uint32_t chakra_group(struct chakra_groups *groups, const char *name, uint32_t rank)
{
    uint32_t number = 1;
    if (!name || !*name)
        return 0;
    while (number <= groups->count && strcmp(groups->names[number - 1], name) != 0)
        number++;
    if (number > groups->count) {
        groups->names = mem_grow(groups->names, &groups->capacity, groups->count + 1, "groups of NPUs");
        groups->names[groups->count++] = mem_text(name);
    }
    if (!is_member(groups, number, rank))
        add_member(groups, number, rank);
    return number;
}

static int compare_members(const void *a, const void *b)
{
    const struct chakra_member *left = a, *right = b;
    if (left->name != right->name)
        return left->name < right->name ? -1 : 1;
    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

/* A block of a call whose vector is shared by the group. */
static void divide(struct call *call, uint32_t size)
{
    if (call->op == CALL_REDUCE_SCATTER || call->op == CALL_ALLTOALL || call->op == CALL_SCATTER)
        call->bytes = call->recv_bytes = call->bytes / size;
}

static enum status complete(struct chakra_program *chakra, size_t i)
{
    struct call *call = &chakra->calls[i];
    const struct group *group = &chakra->groups.groups[chakra->call_names[i]];
    uint32_t rank = chakra->call_ranks[i];
    call->group = call->context = chakra->call_names[i];
    divide(call, group->size);
    if ((uint32_t)call->peer < group->size)
        return STATUS_OK;
    diag_report(DIAG_ERROR, &(struct diag_place){.file = chakra->files[rank].path},
                "a collective call has the root %d, and its group has %u NPUs", call->peer, group->size);
    return STATUS_BAD_INPUT;
}

/* Where the count of the calls of a rank in a group is: behind those of all ranks stand those of members. */
static size_t count_at(const struct chakra_program *chakra, uint32_t name, uint32_t rank)
{
    const struct group *group = &chakra->groups.groups[name];
    size_t low = 0, high = group->size;
    if (!name)
        return rank;
    while (low + 1 < high) {
        size_t middle = (low + high) / 2;
        if (group->world[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    return chakra->program.ranks + (size_t)(group->world - chakra->groups.world) + low;
}

static enum status report_unequal(const struct chakra_program *chakra, uint32_t name, uint32_t rank,
                                  uint64_t count, uint64_t first)
{
    const char *group = name ? chakra->groups.names[name - 1] : NULL;
    diag_report(
        DIAG_ERROR, &(struct diag_place){.file = chakra->files[rank].path},
        "NPU %u makes %llu collective calls of %s%s, and NPU %u makes %llu: the NPUs of a group make the "
        "same calls; take the files of one run, one of each NPU",
        rank, (unsigned long long)count, group ? "group " : "all NPUs", group ? group : "",
        group_world(&chakra->groups.groups[name], 0), (unsigned long long)first);
    return STATUS_BAD_INPUT;
}

/* An NPU with fewer calls than others would block them for ever. */
static enum status check_counts(const struct chakra_program *chakra)
{
    uint64_t *counts = mem_alloc((size_t)chakra->program.ranks + chakra->groups.member_count, sizeof *counts,
                                 "groups of NPUs");
    enum status status = STATUS_OK;
    for (size_t i = 0; i < chakra->call_count; i++)
        counts[count_at(chakra, chakra->call_names[i], chakra->call_ranks[i])]++;
    for (uint32_t name = 0; status == STATUS_OK && name <= chakra->groups.count; name++) {
        const struct group *group = &chakra->groups.groups[name];
        const uint64_t *of = &counts[count_at(chakra, name, group_world(group, 0))];
        for (uint32_t i = 1; status == STATUS_OK && i < group->size; i++)
            if (of[i] != of[0])
                status = report_unequal(chakra, name, group_world(group, i), of[i], of[0]);
    }
    free(counts);
    return status;
}

enum status chakra_make_groups(struct chakra_program *chakra)
{
    struct chakra_groups *groups = &chakra->groups;
    enum status status = STATUS_OK;
    if (groups->member_count)
        qsort(groups->members, groups->member_count, sizeof *groups->members, compare_members);
    groups->groups = mem_alloc(groups->count + 1, sizeof *groups->groups, "groups of NPUs");
    groups->world = mem_alloc(groups->member_count, sizeof *groups->world, "groups of NPUs");
    groups->groups[0].size = chakra->program.ranks;
    for (size_t i = 0; i < groups->member_count; i++) {
        struct group *group = &groups->groups[groups->members[i].name];
        groups->world[i] = groups->members[i].rank;
        if (!group->size++)
            group->world = &groups->world[i];
    }
    for (size_t i = 0; status == STATUS_OK && i < chakra->call_count; i++)
        status = complete(chakra, i);
    if (status == STATUS_OK)
        status = check_counts(chakra);
    chakra->program.groups = groups->groups;
    chakra->program.group_count = (uint32_t)groups->count + 1;
    return status;
}

void chakra_groups_free(struct chakra_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++)
        free(groups->names[i]);
    free(groups->names);
    free(groups->members);
    free(groups->groups);
    free(groups->world);
}
