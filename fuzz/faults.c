/* Any bytes as a topology and its faults, a line each: the topology; failed links, failed switches and slow
 * links by name; their shares in per mille, a seed, channels and their share. Refused with a place inside the
 * names, or routes of nodes that reach each other lead there over intact links, and a cut is named where
 * there is one. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz/fuzz.h"
#include "topo/faults.h"

enum { NODES = 512, LINKS = 1 << 13, SWITCHES = 1 << 10, LINES = 5 };

/* The links of the route, and whether the nodes reach each other. */
static bool check_route(const struct topo *topo, uint32_t source, uint32_t destination, uint32_t *links)
{
    if (!topo_reaches(topo, source, destination))
        return false;
    uint32_t count = topo_route(topo, source, destination, links);
    bool good = count == topo_distance(topo, source, destination) + 2 && count <= topo_route_limit(topo) &&
                links[count - 1] == topo_ejection(topo, destination);
    for (uint32_t i = 0; good && i < count; i++)
        good = source == destination || !faults_has_failed(topo, links[i]);
    fuzz_must(good, "a route from %u to %u does not lead there", source, destination);
    return true;
}

static void check(const struct topo *topo)
{
    uint32_t *links = mem_alloc(topo_route_limit(topo), sizeof *links, "a route"), step = 1 + topo->nodes / 9;
    bool all = true;
    for (uint32_t from = 0; from < topo->nodes; from += step)
        for (uint32_t to = 0; to < topo->nodes; to += step)
            all &= check_route(topo, from, to, links);
    free(links);
    char *cut = faults_describe_cut(topo, topo->nodes);
    fuzz_must(all || cut, "nodes are cut off, and nothing says so");
    free(cut);
    free(faults_list_links(topo, false));
    free(faults_list_links(topo, true));
    fuzz_must(topo_bisection(topo) <= topo->links, "a cut of more links than there are");
}

static bool read_base(const char *text, struct topo *base)
{
    struct param_problem problem;
    fuzz_is_too_large = fuzz_is_large_graph(text);
    if (fuzz_is_too_large || topo_is_path(text) || !topo_read(text, base, &problem))
        return false;
    fuzz_is_too_large = base->nodes > NODES || base->links > LINKS || base->switches > SWITCHES;
    return !fuzz_is_too_large;
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *rest = text, *lines[LINES];
    struct topo base, topo;
    struct fault_problem problem = {.problem = {.text = ""}};
    unsigned shares[FAULT_KINDS] = {0}, seed = 0, channels = 0, lost = 0;
    for (size_t i = 0; i < LINES; i++)
        lines[i] = rest ? strsep(&rest, "\n") : "";
    bool is_read = read_base(lines[0], &base);
    if (is_read) {
        sscanf(lines[4], "%3u %3u %3u %9u %2u %3u", &shares[0], &shares[1], &shares[2], &seed, &channels,
               &lost);
        struct fault_request request = {
            .slow_rate = 0.5, .seed = seed, .channels = channels, .channel_share = lost / 1000.0};
        for (size_t i = 0; i < FAULT_KINDS; i++) {
            request.of[i].names = lines[i + 1];
            request.of[i].share = shares[i] / 1000.0;
        }
        is_read = faults_add(&base, &request, &topo, &problem);
        if (is_read)
            check(&topo);
        else
            fuzz_must(*problem.problem.text && (problem.kind == FAULT_KINDS ||
                                                problem.problem.at < strlen(lines[1 + problem.kind])),
                      "a problem behind the names");
    }
    free(text);
    return is_read;
}
