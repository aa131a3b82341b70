#include "schedule/hops.h"

#include <stdlib.h>

#include "base/mem.h"

static int compare_hops(const void *a, const void *b)
{
    const struct hop *left = a, *right = b;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    if (left->to != right->to)
        return left->to < right->to ? -1 : 1;
    return left->parallel < right->parallel ? -1 : left->parallel > right->parallel;
}

void hops_init(struct hops *hops, const struct topo *topo)
{
    hops->count = topo->links - 2 * topo->nodes;
    hops->list = mem_alloc((size_t)hops->count + 1, sizeof *hops->list, "links");
    for (uint32_t i = 0; i < hops->count; i++) {
        struct topo_ends ends = topo_link_ends(topo, 2 * topo->nodes + i);
        hops->list[i] = (struct hop){ends.from.id, ends.to.id, 0};
    }
    if (hops->count)
        qsort(hops->list, hops->count, sizeof *hops->list, compare_hops);
    for (uint32_t i = 1; i < hops->count; i++) {
        const struct hop *before = &hops->list[i - 1];
        if (before->from == hops->list[i].from && before->to == hops->list[i].to)
            hops->list[i].parallel = before->parallel + 1;
    }
}

void hops_free(struct hops *hops)
{
    free(hops->list);
    *hops = (struct hops){0};
}

const struct hop *hops_find(const struct hops *hops, const struct hop *hop)
{
    return hops->count ? bsearch(hop, hops->list, hops->count, sizeof *hops->list, compare_hops) : NULL;
}
