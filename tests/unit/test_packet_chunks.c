/* Paths of the packet fabric that are chosen again after packet.chunk bytes: adversarial traffic on a
 * dragonfly goes nearly as fast as on random detours, and uniform traffic nearly as fast as on minimal paths.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/packet/packet.h"
#include "support/script.h"

/* A group has 8 nodes, and 4 links to other groups. */
enum { GROUP = 8, GROUPS = 5, NODES = GROUP * GROUPS, BIG = 2000000 };
#define DRAGONFLY "topology=dragonfly:2x4x1"
#define LATENCY   INT64_C(8000000)
#define HOP       INT64_C(100000)

static struct script_outcome out;
static uint64_t hop_bytes; /* that links between switches have carried */

static void count_bytes(void *self, struct fabric *fabric)
{
    (void)self;
    const struct packet_statistics *statistics = fabric->ops->statistics(fabric);
    hop_bytes = 0;
    for (size_t i = 0; i < statistics->link_bytes.count; i++)
        hop_bytes += (uint64_t)metric_series_at(&statistics->link_bytes, i);
}

/* The time of `bytes` from each node to each of so many others, the first of which is `first` further. */
static ps_t run(uint32_t first, uint32_t others, const char *routing, const char *chunk, const char *more)
{
    static struct call calls[NODES][2 * GROUP + 2];
    const struct call *programs[NODES];
    for (uint32_t node = 0; node < NODES; node++) {
        uint32_t step = 0, base = first == GROUP ? node / GROUP * GROUP : node;
        uint32_t before = first == GROUP ? (node / GROUP + GROUPS - 1) % GROUPS * GROUP : node + NODES;
        for (uint32_t i = 0; i < others; i++) {
            uint32_t to = (base + first + i * (first == GROUP ? 1 : 5)) % NODES;
            uint32_t from = (first == GROUP ? before + i : before - first - i * 5) % NODES;
            calls[node][step] = (struct call)ISEND(to, 1, BIG, SLOT_FIRST + step);
            step++;
            calls[node][step] = (struct call)IRECV(from, 1, BIG, SLOT_FIRST + step);
            step++;
        }
        calls[node][step++] = (struct call)WAITALL;
        calls[node][step] = (struct call)FINALIZE;
        programs[node] = calls[node];
    }
    script_visit = count_bytes;
    script_run(programs, NODES, "packet",
               (const char *const[]){"machine=as-published", DRAGONFLY, routing, chunk, more, NULL}, &out);
    script_visit = NULL;
    assert_int_equal(out.status, STATUS_OK);
    return out.makespan - LATENCY;
}

/* Each node sends to all nodes of the next group: minimal paths have one link for them. */
static void adversarial_traffic_takes_detours(void **state)
{
    (void)state;
    ps_t minimal = run(GROUP, GROUP, "packet.routing=fixed", "packet.chunk=64KiB", NULL);
    ps_t once = run(GROUP, GROUP, "packet.routing=valiant", "packet.chunk=0B", NULL);
    ps_t again = run(GROUP, GROUP, "packet.routing=valiant", "packet.chunk=64KiB", NULL);
    assert_true(again < once && once < minimal);
    static const char *const rules[] = {"packet.routing=ugal-l", "packet.routing=ugal-g"};
    for (int i = 0; i < 2; i++) {
        ps_t ugal_once = run(GROUP, GROUP, rules[i], "packet.chunk=0B", NULL);
        ps_t ugal = run(GROUP, GROUP, rules[i], "packet.chunk=64KiB", NULL);
        assert_true(ugal < ugal_once && ugal_once <= minimal);
        if (ugal > again * (i ? 13 : 17) / 10)
            fail_msg("%s: %lld ps, valiant %lld ps", rules[i], (long long)ugal, (long long)again);
    }
}

/* Each node sends to eight others all around: detours only cost. */
static void uniform_traffic_takes_few_detours(void **state)
{
    (void)state;
    ps_t minimal = run(3, GROUP, "packet.routing=fixed", "packet.chunk=64KiB", NULL);
    uint64_t least = hop_bytes;
    ps_t valiant = run(3, GROUP, "packet.routing=valiant", "packet.chunk=64KiB", NULL);
    assert_true(hop_bytes > least * 3 / 2);
    assert_true(valiant > minimal);
    static const char *const rules[] = {"packet.routing=ugal-l", "packet.routing=ugal-g"};
    for (int i = 0; i < 2; i++) {
        ps_t ugal = run(3, GROUP, rules[i], "packet.chunk=64KiB", NULL);
        if (ugal > minimal * 11 / 10)
            fail_msg("%s: %lld ps, minimal %lld ps", rules[i], (long long)ugal, (long long)minimal);
        assert_in_range(hop_bytes, least, least * 13 / 10);
    }
}

/* A chunk that no flow fills changes nothing. A path that is chosen among one only does not change, nor do
 * its bytes; windows go on over other paths. */
static void chunks_change_nothing_but_paths(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *rule = i ? "packet.routing=valiant" : "packet.routing=ugal-g";
        ps_t never = run(GROUP, GROUP, rule, "packet.chunk=0B", NULL);
        uint64_t bytes = hop_bytes;
        assert_int_equal(never, run(GROUP, GROUP, rule, "packet.chunk=1GB", NULL));
        assert_int_equal(bytes, hop_bytes);
        ps_t alone = run(1, 1, "packet.routing=fixed", "packet.chunk=0B", NULL);
        ps_t chunked = run(1, 1, "packet.routing=ugal-g", "packet.chunk=64KiB", NULL);
        assert_true(chunked <= alone);
        ps_t windows = run(GROUP, GROUP, rule, "packet.chunk=64KiB", "packet.congestion=window");
        ps_t wide = run(GROUP, GROUP, rule, "packet.chunk=64KiB", NULL);
        assert_true(windows >= wide - wide / 10);
        assert_true(run(GROUP, GROUP, rule, "packet.chunk=64KiB", "packet.congestion=incast") > wide);
    }
}

/* Paths are chosen at whole steps. Those chosen once, at the begin, are the same ones. */
static void steps_keep_paths_and_bytes(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *rule = i ? "packet.routing=valiant" : "packet.routing=ugal-g";
        ps_t once = run(GROUP, GROUP, rule, "packet.chunk=0B", NULL);
        uint64_t bytes = hop_bytes;
        assert_in_range(run(GROUP, GROUP, rule, "packet.chunk=0B", "packet.step=1us"), once,
                        once + once / 20);
        assert_int_equal(bytes, hop_bytes);
        ps_t again = run(GROUP, GROUP, rule, "packet.chunk=64KiB", NULL);
        ps_t stepped = run(GROUP, GROUP, rule, "packet.chunk=64KiB", "packet.step=1us");
        assert_in_range(stepped, again - again / 20, again + again / 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adversarial_traffic_takes_detours),
        cmocka_unit_test(uniform_traffic_takes_few_detours),
        cmocka_unit_test(chunks_change_nothing_but_paths),
        cmocka_unit_test(steps_keep_paths_and_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
