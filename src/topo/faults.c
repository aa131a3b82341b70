#include "topo/faults.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "topo/graph.h"
#include "topo/platform.h"
#include "topo/updown.h"

enum { KEPT = 4 };

static const char *const streams[FAULT_KINDS + 1] = {"faults.links", "faults.switches", "faults.slow_links",
                                                     "faults.channels"};

/* The directions of a link between switches count once: as the lower of the two. */
static bool is_first(const struct topo *topo, uint32_t link)
{
    return link <= topo_link_reverse(topo, link);
}

/* ------------------------------------------------------------------- shares */

/* Draws the share of `count` things, half a thing rounded up: the first ones of a random order that depends
 * on the seed alone. So what has failed at a small share has failed at a large one too. Returns how many;
 * things[0 .. that) are they. */
static uint32_t draw(uint32_t *things, uint32_t count, double share, uint64_t seed, enum fault_kind kind)
{
    struct rng rng = rng_init(seed, streams[kind]);
    uint32_t most = (uint32_t)floor(share * count + 0.5);
    for (uint32_t i = 0; i < most && i < count; i++) {
        uint32_t other = i + (uint32_t)rng_below(&rng, count - i), thing = things[i];
        things[i] = things[other];
        things[other] = thing;
    }
    return most < count ? most : count;
}

static void draw_links(struct topo_faults *faults, double share, uint64_t seed, enum fault_kind kind)
{
    const struct topo *topo = &faults->base;
    uint32_t count = 0;
    /* all of them at most: a link of a platform can be both directions of itself */
    uint32_t *links = mem_alloc(topo->links - 2 * topo->nodes + 1, sizeof *links, "faults");
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++)
        if (is_first(topo, link))
            links[count++] = link;
    uint32_t drawn = draw(links, count, share, seed, kind);
    for (uint32_t i = 0; i < drawn; i++)
        fault_mark_link(faults, links[i], kind == FAULT_LINKS ? FAULT_FAIL : FAULT_SLOW_DOWN);
    free(links);
}

static bool has_channels(const struct topo *topo, uint32_t link)
{
    return topo_is_network(topo, link) && topo_is_held(topo, link);
}

uint32_t faults_links_with_channels(const struct topo *topo)
{
    uint32_t count = 0;
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++)
        count += has_channels(topo, link);
    return count;
}

/* Loses the channel of this number, counted over all links that have some. */
static void lose_channel(struct topo_faults *faults, const uint32_t *links, uint32_t channel,
                         uint32_t of_link)
{
    uint32_t link = links[channel / of_link];
    if (++faults->lost[link] == of_link)
        fault_mark_link(faults, link, FAULT_FAIL);
}

/* False: there are too many channels. */
static bool draw_channels(struct topo_faults *faults, const struct fault_request *request,
                          struct fault_problem *problem)
{
    const struct topo *topo = &faults->base;
    uint64_t all = (uint64_t)faults_links_with_channels(topo) * request->channels;
    uint32_t with_channels = 0;
    if (!all || request->channel_share <= 0)
        return true;
    problem->kind = FAULT_KINDS;
    if (all > FAULT_CHANNELS_LIMIT)
        return param_fail(&problem->problem, 0, "too large for lost channels: at most %d channels in all",
                          FAULT_CHANNELS_LIMIT);
    uint32_t count = (uint32_t)all, *channels = mem_alloc(count, sizeof *channels, "faults");
    uint32_t *links = mem_alloc(topo->links, sizeof *links, "faults");
    for (uint32_t i = 0; i < count; i++)
        channels[i] = i;
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++)
        if (has_channels(topo, link))
            links[with_channels++] = link;
    faults->counts.channels = draw(channels, count, request->channel_share, request->seed, FAULT_KINDS);
    faults->lost = mem_alloc(topo->links, sizeof *faults->lost, "faults");
    for (uint32_t i = 0; i < faults->counts.channels; i++)
        lose_channel(faults, links, channels[i], request->channels);
    free(links);
    free(channels);
    return true;
}

/* A share is of switches alone, not of the nodes whose ports the topology has as switches. */
static bool is_device(const struct topo *topo, uint32_t at)
{
    return topo_switch_kind(topo, at) != TOPO_SWITCH_ENDS;
}

uint32_t faults_switches_of(const struct topo *topo)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < topo->switches; i++)
        count += is_device(topo, i);
    return count;
}

static void draw_switches(struct topo_faults *faults, double share, uint64_t seed)
{
    const struct topo *topo = &faults->base;
    uint32_t count = 0, *switches = mem_alloc(topo->switches, sizeof *switches, "faults");
    for (uint32_t i = 0; i < topo->switches; i++)
        if (is_device(topo, i))
            switches[count++] = i;
    uint32_t drawn = draw(switches, count, share, seed, FAULT_SWITCHES);
    for (uint32_t i = 0; i < drawn; i++)
        faults->switches[switches[i]] = FAULT_FAILED;
    free(switches);
}

uint32_t faults_links_of(const struct topo *topo)
{
    uint32_t count = 0;
    if (!topo->link_kinds)
        return (topo->links - 2 * topo->nodes) / 2;
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++)
        count += is_first(topo, link);
    return count;
}

static void fail_links_of_switches(struct topo_faults *faults)
{
    const struct topo *topo = &faults->base;
    for (uint32_t link = 0; link < topo->links; link++) {
        struct topo_ends ends = topo_link_ends(topo, link);
        if ((!ends.from.is_node && faults->switches[ends.from.id]) ||
            (!ends.to.is_node && faults->switches[ends.to.id]))
            faults->links[link] |= FAULT_FAILED;
    }
}

static void count_all(struct topo_faults *faults)
{
    const struct topo *topo = &faults->base;
    struct fault_counts *counts = &faults->counts;
    for (uint32_t i = 0; i < topo->switches; i++)
        if (faults->switches[i])
            is_device(topo, i) ? counts->switches++ : counts->ports++;
    for (uint32_t link = 0; link < topo->links; link++) {
        bool has_failed = faults->links[link] & FAULT_FAILED, is_slow = faults->links[link] & FAULT_SLOW;
        if (!is_first(topo, link))
            continue;
        bool is_network = topo_is_network(topo, link);
        counts->links += is_network && has_failed;
        counts->node_links += !is_network && has_failed;
        counts->slow_links += is_slow && !has_failed;
    }
}

/* --------------------------------------------------------------------- kept */

static struct topo_faults *kept;

static void faults_free(struct topo_faults *faults)
{
    fault_routes_free(faults->routes);
    updown_free(faults->updown);
    platform_detours_free(faults->detours);
    free(faults->key);
    free(faults->links);
    free(faults->switches);
    free(faults->lost);
    free(faults);
}

void faults_forget(void)
{
    while (kept) {
        struct topo_faults *next = kept->next;
        faults_free(kept);
        kept = next;
    }
}

/* Frees all but the latest ones and those that somebody holds. */
static void forget_old(void)
{
    int count = 0;
    for (struct topo_faults **at = &kept; *at;) {
        struct topo_faults *faults = *at;
        if (++count <= KEPT || faults->holders) {
            at = &faults->next;
        } else {
            *at = faults->next;
            faults_free(faults);
        }
    }
}

static char *key_of(const struct topo *base, const struct fault_request *request)
{
    char text[TOPO_TEXT];
    /* A network file is known by its tables, since a file that has changed is another network. */
    char *key =
        mem_format("%s %d %d %d %" PRIu64 " %p %d %" PRIu64 " %a %" PRIu32 " %a",
                   topo_print(base, text, sizeof text), (int)base->order, (int)base->tie, (int)base->routing,
                   base->seed, base->path ? (const void *)graph_of(base) : NULL, (int)base->routes,
                   request->seed, request->slow_rate, request->channels, request->channel_share);
    for (enum fault_kind kind = 0; kind < FAULT_KINDS; kind++) {
        const char *names = request->of[kind].names;
        char *longer = mem_format("%s;%a:%s", key, request->of[kind].share, names ? names : "");
        free(key);
        key = longer;
    }
    for (size_t i = 0; i < request->event_count; i++) {
        const struct fault_event *event = &request->events[i];
        char *longer = mem_format("%s;%d:%.*s", key, (int)event->action, (int)(event->end - event->begin),
                                  request->event_text + event->begin);
        free(key);
        key = longer;
    }
    return key;
}

/* NULL: there is none yet. */
static struct topo_faults *find_kept(const char *key)
{
    struct topo_faults *faults = kept;
    while (faults && strcmp(faults->key, key) != 0)
        faults = faults->next;
    return faults;
}

static struct topo_faults *open_faults(const struct topo *base)
{
    struct topo_faults *faults = mem_alloc(1, sizeof *faults, "faults");
    faults->base = *base;
    faults->links = mem_alloc(base->links, 1, "faults");
    faults->switches = mem_alloc(base->switches, 1, "faults");
    return faults;
}

bool faults_check_names(const struct topo *base, const struct fault_request *request,
                        struct fault_problem *problem)
{
    struct topo_faults *faults = open_faults(base);
    bool good = fault_names_mark(faults, request, problem) && fault_names_happen(faults, request, problem);
    faults_free(faults);
    return good;
}

/* The routes around failed links. False: the table is too large. */
static bool make_routes(struct topo_faults *faults)
{
    struct topo topo = faults->base;
    if (!topo.ops->choose)
        return (faults->detours = platform_detours_make(graph_of(&topo)->platform, faults->links));
    if (faults->base.routes != TOPO_ROUTES_UPDOWN)
        return (faults->routes = fault_routes_make(faults));
    topo.faults = faults;
    topo.updown = NULL;
    return (faults->updown = updown_make(&topo));
}

/* NULL, *problem filled: these cannot be. */
static struct topo_faults *make(const struct topo *base, const struct fault_request *request,
                                struct fault_problem *problem)
{
    struct topo_faults *faults = open_faults(base);
    faults->slow_parts = (uint64_t)llround(request->slow_rate * (double)FAULT_WHOLE);
    bool good = fault_names_mark(faults, request, problem);
    if (good && (good = draw_channels(faults, request, problem))) {
        draw_links(faults, request->of[FAULT_LINKS].share, request->seed, FAULT_LINKS);
        draw_links(faults, request->of[FAULT_SLOW_LINKS].share, request->seed, FAULT_SLOW_LINKS);
        draw_switches(faults, request->of[FAULT_SWITCHES].share, request->seed);
        good = fault_names_happen(faults, request, problem);
        fail_links_of_switches(faults);
        count_all(faults);
    }
    bool has_failed = faults->counts.links || (!base->ops->choose && faults->counts.node_links);
    problem->kind = good ? FAULT_KINDS : problem->kind;
    if (good && base->no_ends && (faults->counts.switches || faults->counts.ports)) {
        good = param_fail(&problem->problem, 0,
                          "%s does not say which links switches have: %s; name links "
                          "(faults.links)",
                          base->path, base->no_ends);
    } else if (good && has_failed && !make_routes(faults)) {
        good = param_fail(&problem->problem, 0,
                          "too large for failed links: the routes that are left are a table, for at most %d "
                          "pairs of a switch and a switch with nodes",
                          GRAPH_ROUTES_LIMIT);
    }
    if (good)
        return faults;
    faults_free(faults);
    return NULL;
}

bool faults_add(const struct topo *base, const struct fault_request *request, struct topo *topo,
                struct fault_problem *problem)
{
    char *key = key_of(base, request);
    struct topo_faults *faults = find_kept(key);
    if (!faults && (faults = make(base, request, problem))) {
        faults->key = key;
        key = NULL;
        faults->next = kept;
        kept = faults;
        forget_old();
    }
    free(key);
    if (!faults)
        return false;
    *topo = *base;
    const struct fault_counts *counts = &faults->counts;
    if (!counts->links && !counts->node_links && !counts->switches && !counts->ports && !counts->slow_links &&
        !counts->channels)
        return true;
    topo->faults = faults;
    if (faults->routes)
        topo->diameter = fault_routes_diameter(faults->routes);
    if (faults->detours && faults->detours->distances.most > topo->diameter)
        topo->diameter = faults->detours->distances.most;
    if (faults->updown) {
        topo->updown = faults->updown;
        topo->diameter = updown_diameter(faults->updown);
    }
    return true;
}

void faults_hold(const struct topo *topo)
{
    if (topo->faults)
        ((struct topo_faults *)topo->faults)->holders++;
}

void faults_release(const struct topo *topo)
{
    if (topo->faults)
        ((struct topo_faults *)topo->faults)->holders--;
}

/* -------------------------------------------------------------------- facts */

struct fault_counts faults_count(const struct topo *topo)
{
    return topo->faults ? topo->faults->counts : (struct fault_counts){.links = 0};
}

bool faults_has_failed(const struct topo *topo, uint32_t link)
{
    return topo->faults && topo->faults->links[link] & FAULT_FAILED;
}

bool faults_is_slow(const struct topo *topo, uint32_t link)
{
    return topo->faults && topo->faults->links[link] == FAULT_SLOW;
}

uint32_t faults_channels_lost(const struct topo *topo, uint32_t link)
{
    return topo->faults && topo->faults->lost ? topo->faults->lost[link] : 0;
}

bool faults_has_failed_switch(const struct topo *topo, uint32_t at)
{
    return topo->faults && topo->faults->switches[at];
}

bool topo_has_slow_links(const struct topo *topo)
{
    return topo->faults->counts.slow_links > 0;
}

uint64_t topo_slowed_rate(const struct topo *topo, uint32_t link, uint64_t rate)
{
    if (!faults_is_slow(topo, link) || !rate)
        return rate;
    uint64_t slowed = (uint64_t)((unsigned __int128)rate * topo->faults->slow_parts / FAULT_WHOLE);
    return slowed ? slowed : 1;
}
