#include "fabric/packet/paths.h"

#include "base/mem.h"

void paths_init(struct paths *paths, const struct topo *topo, enum path_choice choice, bool half_duplex)
{
    *paths = (struct paths){
        .topo = *topo, .choice = choice, .half_duplex = half_duplex, .limit = topo_route_limit(topo)};
    paths->flows = mem_alloc(topo->links, sizeof *paths->flows, "links");
    sums_init(&paths->link_bytes, topo->links);
}

void paths_free(struct paths *paths)
{
    free(paths->flows);
    sums_free(&paths->link_bytes);
}

size_t paths_bytes(const struct paths *paths)
{
    return paths->topo.links * sizeof *paths->flows + sums_bytes(&paths->link_bytes);
}

struct metric_series paths_inner_bytes(const struct paths *paths)
{
    uint32_t first = 2 * paths->topo.nodes;
    return metric_series_of(&paths->link_bytes, first, paths->topo.links - first);
}

/* The link that stands for this one: with half duplex, the lower of the two directions. */
static uint32_t shared(const struct paths *paths, uint32_t link)
{
    uint32_t reverse = paths->half_duplex ? topo_link_reverse(&paths->topo, link) : link;
    return reverse < link ? reverse : link;
}

static uint32_t least_used(const struct paths *paths, struct topo_choice choice)
{
    uint32_t best = topo_candidate(choice, choice.preferred);
    for (uint32_t i = 1; i < choice.count; i++) {
        uint32_t link = topo_candidate(choice, (choice.preferred + i) % choice.count);
        if (paths->flows[shared(paths, link)] < paths->flows[shared(paths, best)])
            best = link;
    }
    return best;
}

static uint32_t walk(const struct paths *paths, uint32_t source, uint32_t destination, uint32_t *links)
{
    uint32_t count = 0, link = topo_injection(&paths->topo, source);
    for (links[count++] = link; !topo_is_ejection(&paths->topo, link); links[count++] = link) {
        uint32_t at = topo_link_to(&paths->topo, link);
        link = least_used(paths, topo_choose(&paths->topo, at, destination));
    }
    return count;
}

uint32_t paths_enter(struct paths *paths, uint32_t source, uint32_t destination, uint32_t *links)
{
    uint32_t count = paths->choice == PATH_FIXED ? topo_route(&paths->topo, source, destination, links)
                                                 : walk(paths, source, destination, links);
    for (uint32_t i = 0; i < count; i++) {
        links[i] = shared(paths, links[i]);
        paths->flows[links[i]]++;
    }
    return count;
}

void paths_leave(struct paths *paths, const uint32_t *links, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        paths->flows[links[i]]--;
}

void paths_carry(struct paths *paths, const uint32_t *links, uint32_t count, uint64_t bytes)
{
    for (uint32_t i = 0; i < count; i++)
        sums_add(&paths->link_bytes, links[i], bytes);
}
