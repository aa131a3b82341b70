#include "fabric/packet/paths.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

bool paths_are_minimal(enum path_choice choice)
{
    return choice < PATH_VALIANT;
}

bool paths_can_be_several(enum path_choice choice)
{
    return choice != PATH_FIXED && choice != PATH_SPRAYED;
}

uint32_t paths_limit(const struct topo *topo, enum path_choice choice, bool changes)
{
    if (choice == PATH_SPRAYED)
        return spray_limit(topo, changes);
    return topo_route_limit(topo) + (paths_are_minimal(choice) ? 0 : topo->diameter);
}

/* ------------------------------------------------------------ known routes */

/* A fixed route is found once for many messages, most of which are of few pairs. A record holds one route,
 * the latest of the pairs that share it: 1 + source, destination, how many links, and the links. Where most
 * messages are of other pairs than those before, keeping routes costs more than it saves, and ends. */
enum { KNOWN_HEAD = 3, LEAST_RECORDS = 4096, RECORDS_OF_NODE = 16, KNOWN_BYTES = 1 << 20 };

static size_t record_words(uint32_t limit)
{
    return KNOWN_HEAD + limit;
}

uint32_t paths_records(uint32_t nodes, uint32_t limit)
{
    const size_t most = KNOWN_BYTES / (record_words(limit) * sizeof(uint32_t));
    uint32_t records = LEAST_RECORDS;
    while (2 * records <= most && records / RECORDS_OF_NODE < nodes)
        records *= 2;
    return records;
}

static bool has_known(enum path_choice choice, bool changes)
{
    return choice == PATH_FIXED && !changes;
}

static size_t known_words(uint32_t nodes, uint32_t limit)
{
    return paths_records(nodes, limit) * record_words(limit);
}

static uint32_t most_credit(const struct paths *paths)
{
    return 2 * paths->records;
}

static void open_known(struct paths *paths)
{
    const uint32_t nodes = paths->topo.nodes;
    paths->known = mem_alloc(known_words(nodes, paths->limit), sizeof *paths->known, "routes");
    paths->records = paths_records(nodes, paths->limit);
    paths->known_credit = most_credit(paths);
}

static uint32_t *known_of(const struct paths *paths, uint32_t source, uint32_t destination)
{
    size_t record = paths_record(paths->records, source, destination);
    return &paths->known[record * record_words(paths->limit)];
}

size_t paths_known_bytes(enum path_choice choice, uint32_t nodes, uint32_t limit, bool changes)
{
    return has_known(choice, changes) ? known_words(nodes, limit) * sizeof(uint32_t) : 0;
}

/* ------------------------------------------------------------ begin and end */

void paths_init(struct paths *paths, const struct topo *topo, enum path_choice choice, bool half_duplex,
                uint32_t limit, bool changes, uint64_t seed)
{
    *paths = (struct paths){.topo = *topo,
                            .choice = choice,
                            .half_duplex = half_duplex,
                            .limit = limit,
                            .seed = seed,
                            .rng = rng_init(seed, "packet.routing")};
    paths->flows = mem_alloc(topo->links, sizeof *paths->flows, "links");
    paths->detour = mem_alloc(paths_words(paths, limit), sizeof *paths->detour, "a route");
    if (choice == PATH_SPRAYED)
        paths->spray = spray_open(topo, changes);
    if (has_known(choice, changes))
        open_known(paths);
    sums_init(&paths->link_bytes, topo->links);
}

void paths_free(struct paths *paths)
{
    free(paths->flows);
    free(paths->detour);
    free(paths->known);
    sums_free(&paths->link_bytes);
    spray_close(paths->spray);
}

size_t paths_bytes(const struct paths *paths)
{
    return paths->topo.links * sizeof *paths->flows + sums_bytes(&paths->link_bytes) +
           paths_known_bytes(paths->choice, paths->topo.nodes, paths->limit, !paths->known) +
           (paths->choice == PATH_SPRAYED ? spray_bytes(paths->spray, &paths->topo) : 0);
}

struct metric_series paths_inner_bytes(struct paths *paths)
{
    uint32_t first = 2 * paths->topo.nodes;
    const struct sums *bytes = &paths->link_bytes;
    if (paths->choice == PATH_SPRAYED)
        bytes = spray_link_bytes(paths->spray, &paths->topo, bytes);
    return metric_series_of(bytes, first, paths->topo.links - first);
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

/* The ends of a path, and its place among the paths of a pair of nodes. */
struct path_ends {
    uint32_t source, destination, place;
};

static uint32_t hashed(const struct paths *paths, uint32_t at, struct path_ends ends,
                       struct topo_choice choice)
{
    uint64_t hash = hash_add(hash_add(hash_add(paths->seed, at), ends.source), ends.destination);
    if (ends.place)
        hash = hash_add(hash, ends.place);
    return topo_candidate(choice, (uint32_t)(hash_key(hash) % choice.count));
}

/* A minimal path, chosen switch by switch. */
static uint32_t walk(const struct paths *paths, struct path_ends ends, uint32_t *links)
{
    uint32_t count = 0, link = topo_injection(&paths->topo, ends.source);
    for (links[count++] = link; !topo_is_ejection(&paths->topo, link); links[count++] = link) {
        uint32_t at = topo_link_to(&paths->topo, link);
        struct topo_choice choice = topo_choose(&paths->topo, at, ends.destination);
        link = paths->choice == PATH_HASHED ? hashed(paths, at, ends, choice) : least_used(paths, choice);
    }
    return count;
}

/* The links between switches of the fixed way from a switch to that of a node, behind the `count` links. */
static uint32_t go_to(const struct paths *paths, uint32_t at, uint32_t node, uint32_t *links, uint32_t count)
{
    for (uint32_t to = topo_switch_of(&paths->topo, node); at != to; count++) {
        links[count] = topo_next(&paths->topo, at, node);
        at = topo_link_to(&paths->topo, links[count]);
    }
    return count;
}

/* A node that both ends reach: faults may have cut others off. */
static uint32_t draw_middle(struct paths *paths, uint32_t source, uint32_t destination)
{
    const struct topo *topo = &paths->topo;
    uint32_t middle;
    do
        middle = (uint32_t)rng_below(&paths->rng, topo->nodes);
    while (!topo_reaches(topo, source, middle) || !topo_reaches(topo, middle, destination));
    return middle;
}

/* Valiant, A scheme for fast parallel communication, SIAM Journal on Computing 1982. */
static uint32_t detour(struct paths *paths, uint32_t source, uint32_t destination, uint32_t *links)
{
    const struct topo *topo = &paths->topo;
    uint32_t middle = draw_middle(paths, source, destination), count = 0;
    links[count++] = topo_injection(topo, source);
    count = go_to(paths, topo_switch_of(topo, source), middle, links, count);
    count = go_to(paths, topo_switch_of(topo, middle), destination, links, count);
    links[count++] = topo_ejection(topo, destination);
    return count;
}

/* What a path costs: its hops times the flows on its first link between switches, or on the one that has
 * most. */
static uint64_t cost_of(const struct paths *paths, const uint32_t *links, uint32_t count)
{
    uint64_t most = 0;
    if (count <= 2)
        return 0;
    for (uint32_t i = 1; i + 1 < (paths->choice == PATH_UGAL_LOCAL ? 3 : count); i++) {
        uint64_t flows = paths->flows[shared(paths, links[i])];
        most = flows > most ? flows : most;
    }
    return (count - 2) * most;
}

/* UGAL (Singh, Load-balanced routing in interconnection networks, 2005; Kim et al., ISCA 2008): the minimal
 * path unless a detour costs less. */
static uint32_t weigh(struct paths *paths, uint32_t source, uint32_t destination, uint32_t *links)
{
    uint32_t count = topo_route(&paths->topo, source, destination, links);
    uint32_t other = detour(paths, source, destination, paths->detour);
    if (cost_of(paths, links, count) <= cost_of(paths, paths->detour, other))
        return count;
    memcpy(links, paths->detour, other * sizeof *links);
    return other;
}

static uint32_t find(struct paths *paths, struct path_ends ends, uint32_t *links)
{
    uint32_t source = ends.source, destination = ends.destination;
    switch (paths->choice) {
    case PATH_FIXED:
        return topo_route(&paths->topo, source, destination, links);
    case PATH_SPRAYED:
        return spray_route(paths->spray, &paths->topo, source, destination, links);
    case PATH_VALIANT:
        return detour(paths, source, destination, links);
    case PATH_UGAL_LOCAL:
    case PATH_UGAL_GLOBAL:
        return weigh(paths, source, destination, links);
    default:
        return walk(paths, ends, links);
    }
}

static uint32_t find_shared(struct paths *paths, struct path_ends ends, uint32_t *links)
{
    uint32_t count = find(paths, ends, links);
    for (uint32_t i = 0; i < count; i++)
        links[i] = shared(paths, links[i]);
    return count;
}

static uint32_t enter_known(struct paths *paths, uint32_t source, uint32_t destination, uint32_t *links)
{
    uint32_t *known = known_of(paths, source, destination);
    if (known[0] == source + 1 && known[1] == destination) {
        paths->known_credit += paths->known_credit < most_credit(paths);
    } else {
        paths->known_credit--;
        known[0] = source + 1;
        known[1] = destination;
        known[2] = find_shared(paths, (struct path_ends){source, destination, 0}, known + KNOWN_HEAD);
    }
    for (uint32_t i = 0; i < known[2]; i++) {
        links[i] = known[KNOWN_HEAD + i];
        paths->flows[links[i]]++;
    }
    return known[2];
}

uint32_t paths_enter(struct paths *paths, uint32_t source, uint32_t destination, uint32_t place,
                     uint32_t *links)
{
    if (paths->known_credit)
        return enter_known(paths, source, destination, links);
    uint32_t count = find_shared(paths, (struct path_ends){source, destination, place}, links);
    paths_take(paths, links, count);
    return count;
}

void paths_take(struct paths *paths, const uint32_t *links, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        paths->flows[links[i]]++;
}

void paths_leave(struct paths *paths, const uint32_t *links, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        paths->flows[links[i]]--;
}

uint32_t paths_hops(const struct paths *paths, const uint32_t *links, uint32_t count)
{
    if (paths->choice != PATH_SPRAYED || paths->spray->is_alike)
        return count - 2;
    uint64_t parts = MAXMIN_WHOLE / 2;
    for (uint32_t i = 1; i + 1 < count; i++)
        parts += links[count + i];
    return (uint32_t)(parts / MAXMIN_WHOLE);
}

uint64_t paths_rate_alone(struct paths *paths, uint32_t source, uint32_t destination, uint64_t of_fabric)
{
    if (paths->choice != PATH_SPRAYED)
        return topo_route_rate(&paths->topo, source, destination, of_fabric);
    uint32_t count = find(paths, (struct path_ends){source, destination, 0}, paths->detour);
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        unsigned __int128 rate = topo_link_rate(&paths->topo, paths->detour[i], of_fabric);
        rate = rate * MAXMIN_WHOLE / paths->detour[count + i];
        least = rate < least ? (uint64_t)rate : least;
    }
    return least;
}

/* The bytes of a message that take the link at this place of its route: its part, to the nearest byte. Where
 * one link stands for those that are alike, it counts the bytes of all. */
static uint64_t bytes_on(const struct paths *paths, const uint32_t *links, uint32_t count, uint32_t i,
                         uint64_t bytes)
{
    if (paths->choice != PATH_SPRAYED || paths->spray->is_alike)
        return bytes;
    return (uint64_t)(((unsigned __int128)bytes * links[count + i] + MAXMIN_WHOLE / 2) / MAXMIN_WHOLE);
}

void paths_carry(struct paths *paths, const uint32_t *links, uint32_t count, uint64_t bytes)
{
    for (uint32_t i = 0; i < count; i++)
        sums_add(&paths->link_bytes, links[i], bytes_on(paths, links, count, i, bytes));
}

void paths_take_back(struct paths *paths, const uint32_t *links, uint32_t count, uint64_t bytes)
{
    struct sums *sums = &paths->link_bytes;
    for (uint32_t i = 0; i < count; i++)
        sums_set(sums, links[i],
                 sum_at(sums->low, sums->high, links[i]) - (sum_t)bytes_on(paths, links, count, i, bytes));
}
