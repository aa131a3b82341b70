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
    uint32_t most = 2 * (topo->links - 2 * topo->nodes) + 1;
    hops->count = 0;
    hops->list = mem_alloc(most, sizeof *hops->list, "links");
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++) {
        struct topo_ends ends = topo_link_ends(topo, link);
        hops->list[hops->count++] = (struct hop){ends.from.id, ends.to.id, link, link};
        if (topo_link_reverse(topo, link) == link && ends.from.id != ends.to.id)
            hops->list[hops->count++] = (struct hop){ends.to.id, ends.from.id, topo->links + link, link};
    }
    if (hops->count)
        qsort(hops->list, hops->count, sizeof *hops->list, compare_hops);
    for (uint32_t i = 0; i < hops->count; i++) {
        const struct hop *before = i ? &hops->list[i - 1] : NULL;
        bool is_next = before && before->from == hops->list[i].from && before->to == hops->list[i].to;
        hops->list[i].parallel = is_next ? before->parallel + 1 : 0;
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
