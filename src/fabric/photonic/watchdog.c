#include <inttypes.h>

#include "base/diag.h"
#include "base/units.h"
#include "fabric/photonic/photonic.h"

/* Ends a run in which nothing moves, and says which packets wait for what. Packets that wait for a
 * channel leave no events, so that the run ends by itself; the watchdog is for packets that try again and
 * again and never get through. */

/* While something is sent, a part of the time so far passes between two looks. */
enum { WATCHES_PER_TIME = 64 };

/* photonic.watchdog, and at least a thousand times what light takes over the longest route and back: hop by
 * hop, nothing is sent while probes travel. */
enum { PROBES_IN_VAIN = 1000 };

static ps_t find_limit(const struct photonic *photonic)
{
    const struct photonic_config *config = &photonic->settings.photonic;
    const struct topo *topo = &photonic->topo;
    ps_t longest = config->wire_ps;
    for (uint32_t link = 0; topo_has_latencies(topo) && link < topo->links; link++)
        longest = ps_max(longest, topo_link_latency(topo, link, config->wire_ps));
    ps_t probes = ps_times(longest, (uint64_t)PROBES_IN_VAIN * 2 * photonic->hops_most);
    return ps_max((ps_t)config->watchdog_cycles * photonic->settings.cycle_ps, probes);
}

void watchdog_begin(struct photonic *photonic)
{
    if (photonic->is_watched)
        return;
    photonic->is_watched = true;
    photonic->progress_at = fabric_now(&photonic->fabric);
    if (!photonic->watch_ps)
        photonic->watch_ps = find_limit(photonic);
    loop_at(photonic->fabric.params.loop, ps_add(fabric_now(&photonic->fabric), photonic->watch_ps),
            photonic->watch_kind, 0);
}

static void end_run(struct photonic *photonic, ps_t limit_ps)
{
    char text[64];
    diag_error("fabric %s has sent nothing for %s (photonic.watchdog), with packets of %" PRIu32
               " messages under way: their reservations fail again and again",
               photonic->fabric.ops->name, units_show_time(limit_ps, 3, text, sizeof text),
               photonic->transmissions.live);
    photonic_explain(&photonic->fabric);
    diag_note("photonic.retry=wait, or a photonic.jitter above 0, avoids this");
    fabric_failed(&photonic->fabric, STATUS_FAILED);
}

void watchdog_on_watch(void *self, uint32_t subject)
{
    (void)subject;
    struct photonic *photonic = self;
    ps_t limit_ps = photonic->watch_ps;
    ps_t now = fabric_now(&photonic->fabric), until;
    photonic->is_watched = photonic->packets.live > 0;
    if (!photonic->is_watched)
        return;
    if (photonic->sending > 0)
        photonic->progress_at = now;
    if (now - photonic->progress_at >= limit_ps) {
        end_run(photonic, limit_ps);
        return;
    }
    /* A transfer may take days, so the pauses grow with the time that has passed. */
    until = ps_add(photonic->progress_at, limit_ps);
    if (photonic->sending > 0)
        until = ps_max(until, ps_add(now, now / WATCHES_PER_TIME));
    loop_at(photonic->fabric.params.loop, until, photonic->watch_kind, 0);
}

enum { LINKS_NAMED = 10 };

/* The links, and the switches, for which most packets wait; returns how many it names. */
static size_t most_wanted(const struct photonic *photonic, uint32_t named[LINKS_NAMED], uint32_t *waiting)
{
    size_t count = 0;
    for (uint32_t i = 0; i < photonic->packets.fresh; i++) {
        const struct photonic_packet *packet = packet_at(photonic, i);
        if (packet->state != PACKET_GONE && packet->state != PACKET_STORED && packet->blocked_on != POOL_NONE)
            waiting[packet->blocked_on]++;
    }
    for (uint32_t i = 0; i < photonic->topo.links + photonic->topo.switches; i++) {
        size_t at = count;
        while (at > 0 && waiting[named[at - 1]] < waiting[i])
            at--;
        if (!waiting[i] || at == LINKS_NAMED)
            continue;
        count += count < LINKS_NAMED;
        for (size_t k = count - 1; k > at; k--)
            named[k] = named[k - 1];
        named[at] = i;
    }
    return count;
}

void photonic_explain(const struct fabric *fabric)
{
    const struct photonic *photonic = (const struct photonic *)fabric;
    const struct topo *topo = &photonic->topo;
    char text[TOPO_TEXT];
    uint32_t named[LINKS_NAMED];
    uint32_t *waiting = mem_alloc(topo->links + topo->switches, sizeof *waiting, "blocked links");
    size_t count = most_wanted(photonic, named, waiting);
    for (size_t i = 0; i < count; i++) {
        uint32_t link = named[i];
        if (link < topo->links)
            diag_note("link %s: %u of %" PRIu64 " channels free, packets that wait for one: %" PRIu32,
                      topo_link_name(topo, link, text, sizeof text), photonic->free[link],
                      photonic->settings.photonic.channels, waiting[link]);
        else
            diag_note("switch %s: packets that wait for any of the next links: %" PRIu32,
                      topo_end_name(topo, (struct topo_end){.id = link - topo->links}, text, sizeof text),
                      waiting[link]);
    }
    free(waiting);
}
