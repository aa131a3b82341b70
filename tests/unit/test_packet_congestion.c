/* Congestion in the packet fabric: closed forms, and small networks packet by packet. Prints the deviations
 * that docs/measurements/congestion.md has. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "fabric/packet/rates.h"
#include "support/packets.h"
#include "support/sanitizer.h"
#include "support/script.h"
#include "topo/topo.h"

#define US        INT64_C(1000000)
#define RATE      UINT64_C(1000000000) /* of each link: 1 packet of 1000 bytes a microsecond */
#define CALLS     static const struct call
#define PUBLISHED "machine=as-published"
#define WINDOW    "packet.congestion=window"
#define QUEUES    "packet.congestion=queues"

enum { PACKET = 1000, FLOWS_MOST = 256, LINKS_PER_FLOW = 16, HOP_SLOTS = 10 };

static struct script_outcome out;

/* ---------------------------------------------------------- rates of flows */

/* Flows on a topology; their rates, as parts of a link's, by a rule, by the plainer rule beside it, and
 * packet by packet. */
struct scene {
    struct topo topo;
    bool is_half;     /* both directions of a link are one, with a queue at each end */
    uint32_t window;  /* packets of each flow; 0: links have credits instead */
    uint32_t latency; /* slots of a link */
    struct packets_flow flows[FLOWS_MOST];
    uint32_t count;
    double rule[FLOWS_MOST], plain[FLOWS_MOST], packets[FLOWS_MOST];
    uint64_t unsettled;
};

static void open_scene(struct scene *scene, const char *topology)
{
    memset(scene, 0, sizeof *scene);
    assert_int_equal(topo_parse("test", topology, &scene->topo), STATUS_OK);
}

/* The queues of a flow where both directions are one link: that of its node, and of each link the one at the
 * end that it goes to. */
static void share_links(struct scene *scene, struct packets_flow *flow)
{
    uint32_t links = scene->topo.links;
    assert_true(flow->count < LINKS_PER_FLOW);
    for (uint32_t i = flow->count++; i; i--) {
        uint32_t link = flow->links[i - 1], back = topo_link_reverse(&scene->topo, link);
        flow->links[i] = back < link ? links + back : link;
    }
    flow->links[0] = 2 * links + flow->links[1];
}

static void add_flow(struct scene *scene, uint32_t source, uint32_t destination)
{
    struct packets_flow *flow = &scene->flows[scene->count++];
    assert_true(scene->count <= FLOWS_MOST);
    flow->count = topo_route(&scene->topo, source, destination, flow->links);
    assert_true(flow->count <= LINKS_PER_FLOW);
    if (scene->is_half)
        share_links(scene, flow);
}

/* How many links, or queues, there are. */
static uint32_t count_queues(const struct scene *scene)
{
    return scene->is_half ? 2 * scene->topo.links + scene->topo.nodes : scene->topo.links;
}

/* What the window allows in a round trip without queues. */
static uint64_t window_rate(const struct scene *scene, const struct packets_flow *flow)
{
    return RATE * scene->window / (2 * flow->count * scene->latency);
}

static uint32_t add_to(struct rates *rates, const struct scene *scene, const struct packets_flow *flow,
                       enum packet_congestion congestion)
{
    uint32_t links[LINKS_PER_FLOW + 1], first = scene->is_half, count = flow->count - first;
    uint64_t by_window = scene->window ? window_rate(scene, flow) : UINT64_MAX;
    for (uint32_t i = first; i < flow->count; i++)
        links[i - first] = flow->links[i] % scene->topo.links;
    if (congestion == CONGESTION_WINDOW)
        links[count++] = rates_add_link(rates, by_window < RATE ? by_window : RATE);
    return rates_add(rates, &(struct rates_way){.links = links,
                                                .count = count,
                                                .queues = flow->links,
                                                .queue_count = flow->count,
                                                .most = UINT64_MAX,
                                                .window = (uint64_t)scene->window * PACKET,
                                                .window_rate = by_window});
}

static uint64_t solve_with(const struct scene *scene, enum packet_congestion congestion, double *parts)
{
    struct rates_shape shape = {.links = scene->topo.links,
                                .links_per_flow = LINKS_PER_FLOW + 1,
                                .nodes = scene->is_half ? scene->topo.nodes : 0,
                                .is_two_way = scene->is_half,
                                .congestion = congestion};
    uint64_t *capacities = calloc(scene->topo.links, sizeof *capacities);
    uint32_t ids[FLOWS_MOST];
    size_t count;
    for (uint32_t i = 0; i < scene->topo.links; i++)
        capacities[i] = RATE;
    struct rates *rates = rates_open(&shape, capacities);
    for (uint32_t i = 0; i < scene->count; i++)
        ids[i] = add_to(rates, scene, &scene->flows[i], congestion);
    rates_solve(rates, &count);
    assert_int_equal(count, scene->count);
    for (uint32_t i = 0; i < scene->count; i++)
        parts[i] = (double)rates_of(rates, ids[i]) / (double)(RATE << MAXMIN_SHIFT);
    uint64_t unsettled = rates_unsettled(rates);
    rates_close(rates);
    free(capacities);
    return unsettled;
}

static void solve(struct scene *scene)
{
    bool has_window = scene->window > 0;
    scene->unsettled = solve_with(scene, has_window ? CONGESTION_QUEUES : CONGESTION_CREDITS, scene->rule);
    solve_with(scene, has_window ? CONGESTION_WINDOW : CONGESTION_NONE, scene->plain);
}

static void send_packets(struct scene *scene, bool random)
{
    enum { WARM_UP = 10000, SLOTS = 40000 };
    uint32_t links = count_queues(scene), *both = calloc(links, sizeof *both);
    for (uint32_t i = 0; i < links; i++)
        both[i] = i < 2 * scene->topo.links ? i % scene->topo.links : i;
    struct packets_network network = {.links = links,
                                      .room = scene->window ? scene->count * scene->window : 16,
                                      .latency = scene->window ? scene->latency - 1 : 2,
                                      .both = scene->is_half ? both : NULL,
                                      .random = random ? 88172645463325252 : 0};
    for (uint32_t i = 0; i < scene->count; i++) {
        scene->flows[i].window = scene->window;
        scene->flows[i].answer = scene->flows[i].count * scene->latency;
    }
    packets_run(&network, scene->flows, scene->count, WARM_UP, SLOTS);
    free(both);
    for (uint32_t i = 0; i < scene->count; i++)
        scene->packets[i] = (double)scene->flows[i].delivered / (SLOTS - WARM_UP);
}

static void assert_near(double value, double expected, double tolerance)
{
    if (fabs(value - expected) > tolerance * expected)
        fail_msg("%.6f, not %.6f", value, expected);
}

/* A line of switches, the last of which has the destination. The queue of each link between switches has as
 * many turns as the switch's own node: half, a quarter, ... */
static void a_parking_lot_halves(void **state)
{
    (void)state;
    enum { NODES = 8 };
    struct scene scene;
    open_scene(&scene, "linear:8");
    for (uint32_t node = 0; node + 1 < NODES; node++)
        add_flow(&scene, node, NODES - 1);
    solve(&scene);
    send_packets(&scene, false);
    for (uint32_t i = 0; i < scene.count; i++) {
        double part = i ? pow(0.5, (double)(scene.count - i)) : pow(0.5, (double)scene.count - 1);
        assert_near(scene.rule[i], part, 1e-5);
        assert_near(scene.packets[i], part, 0.01);
        assert_near(scene.plain[i], 1.0 / (NODES - 1), 1e-6);
    }
}

/* A node that is one of k to a busy node is as slow to an idle one. */
static void a_node_waits_for_its_own_incast(void **state)
{
    (void)state;
    for (uint32_t k = 2; k < 7; k++) {
        struct scene scene;
        open_scene(&scene, "crossbar:9");
        for (uint32_t node = 0; node < k; node++)
            add_flow(&scene, node, 8);
        add_flow(&scene, 0, 7);
        solve(&scene);
        send_packets(&scene, false);
        for (uint32_t i = 0; i <= k; i++)
            assert_near(scene.rule[i], 1.0 / k, 1e-5);
        assert_near(scene.packets[k], 1.0 / k, 0.01);
        assert_near(scene.plain[k], 1 - 1.0 / k, 1e-6);
    }
}

/* Two leaf switches. Nodes of the second send to a busy node there, as does one of the first. The victim
 * comes from the first leaf, goes to an idle node, and shares with them the link between the switches alone.
 */
static void an_incast_slows_its_neighbours(void **state)
{
    (void)state;
    for (uint32_t local = 1; local < 5; local++) {
        struct scene scene;
        open_scene(&scene, "hyperx:8x2");
        add_flow(&scene, 0, 9);
        add_flow(&scene, 1, 8);
        for (uint32_t i = 0; i < local; i++)
            add_flow(&scene, 10 + i, 8);
        solve(&scene);
        send_packets(&scene, false);
        double part = 1.0 / (local + 1);
        assert_near(scene.rule[0], part, 1e-5);
        assert_near(scene.rule[1], part, 1e-5);
        assert_near(scene.packets[0], part, 0.02);
        assert_near(scene.plain[0], 1 - part, 1e-6);
    }
}

/* ---------------------------------------------------------- the fixed point */

/* No link carries more than its capacity. A link is blocked if it is full, or if it is one that carries most
 * to a link that is blocked. The links of all nodes are blocked: no flow can be faster alone. */
static void check_fixed_point(const struct scene *scene)
{
    const struct topo *topo = &scene->topo;
    double *loads = calloc(topo->links, sizeof *loads), *most = calloc(topo->links, sizeof *most);
    double *ports = calloc((size_t)topo->links * topo->links, sizeof *ports);
    bool *is_blocked = calloc(topo->links, sizeof *is_blocked);
    for (uint32_t i = 0; i < scene->count; i++)
        for (uint32_t k = 0; k < scene->flows[i].count; k++) {
            const uint32_t *links = scene->flows[i].links;
            loads[links[k]] += scene->rule[i];
            double *port = k ? &ports[(size_t)links[k - 1] * topo->links + links[k]] : &loads[links[k]];
            *port += k ? scene->rule[i] : 0;
            most[links[k]] = fmax(most[links[k]], k ? *port : 0);
        }
    for (uint32_t link = 0; link < topo->links; link++) {
        assert_true(loads[link] <= 1 + 1e-12);
        is_blocked[link] = loads[link] >= 1 - 1e-4;
    }
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (uint32_t from = 0; from < topo->links; from++)
            for (uint32_t to = 0; to < topo->links && !is_blocked[from]; to++) {
                double port = ports[(size_t)from * topo->links + to];
                is_blocked[from] = port > 0 && is_blocked[to] && port >= most[to] * (1 - 1e-4);
                goes_on |= is_blocked[from];
            }
    }
    for (uint32_t i = 0; i < scene->count; i++)
        assert_true(is_blocked[scene->flows[i].links[0]]);
    free(loads);
    free(most);
    free(ports);
    free(is_blocked);
}

/* How far rates are from those of packets, as parts of these. */
struct deviation {
    double sum, most;
    uint32_t count, unsettled;
};

static void add_deviation(struct deviation *deviation, double value, double expected)
{
    double part = fabs(value / expected - 1);
    deviation->sum += part;
    deviation->most = fmax(deviation->most, part);
    deviation->count++;
}

/* Two messages a node; a third of all go to node 0. */
static void draw_flows(struct scene *scene, struct rng *rng)
{
    for (uint32_t i = 0; i < 2 * scene->topo.nodes; i++) {
        uint32_t source = (uint32_t)rng_below(rng, scene->topo.nodes), destination = 0;
        if (rng_below(rng, 3))
            destination = (uint32_t)rng_below(rng, scene->topo.nodes);
        if (source != destination)
            add_flow(scene, source, destination);
    }
}

/* A network, and what is on it: credits, or windows of so many packets over links of so many slots. */
struct setting {
    const char *topology;
    bool is_half;
    uint32_t window, latency;
};

/* Of both rules: of the plainer one, and of the rule in turns and at random. */
struct deviations {
    struct deviation plain, turns, random;
};

static void compare_once(const struct setting *setting, struct rng *rng, struct deviations *deviations)
{
    static struct scene scene;
    open_scene(&scene, setting->topology);
    scene.is_half = setting->is_half;
    scene.window = setting->window;
    scene.latency = setting->latency;
    draw_flows(&scene, rng);
    solve(&scene);
    deviations->turns.unsettled += scene.unsettled > 0;
    if (!scene.unsettled && !scene.is_half && !scene.window)
        check_fixed_point(&scene);
    for (int draws = 0; draws < 2; draws++) {
        send_packets(&scene, draws);
        for (uint32_t i = 0; i < scene.count; i++) {
            add_deviation(draws ? &deviations->random : &deviations->turns, scene.rule[i], scene.packets[i]);
            if (!draws)
                add_deviation(&deviations->plain, scene.plain[i], scene.packets[i]);
        }
    }
}

/* Prints the deviations of this traffic on the network. */
static void compare_on(const struct setting *setting)
{
    int trials = HAS_SANITIZER ? 2 : setting->window ? 4 : 6;
    struct deviations all = {0};
    struct rng rng = rng_init(5, setting->topology);
    char window[32] = "";
    for (int trial = 0; trial < trials; trial++)
        compare_once(setting, &rng, &all);
    if (setting->window)
        snprintf(window, sizeof window, "%u, %u", setting->window, setting->latency);
    print_message("%-16s %8s %8.1f %% %5.0f %% %8.1f %% %5.0f %% %8.1f %% %5.0f %%\n", setting->topology,
                  window, 100 * all.plain.sum / all.plain.count, 100 * all.plain.most,
                  100 * all.turns.sum / all.turns.count, 100 * all.turns.most,
                  100 * all.random.sum / all.random.count, 100 * all.random.most);
    assert_true(all.turns.unsettled <= (setting->window > 0));
    assert_true(all.turns.sum / all.turns.count < 0.2 && all.random.sum / all.random.count < 0.25);
    assert_true(all.turns.sum < all.plain.sum * (setting->window ? 0.8 : 0.5) &&
                all.random.sum < all.plain.sum);
}

static void random_traffic_is_near_that_of_packets(void **state)
{
    (void)state;
    static const char *const texts[] = {"crossbar:8",  "linear:6",    "mesh:3x3",        "mesh:4x4",
                                        "fattree:2x3", "fattree:4x2", "leafspine:3x2x3", "hyperx:1x4x3"};
    for (int is_half = 0; is_half < 2; is_half++) {
        print_message("%-16s %18s %18s %18s\n", is_half ? "links both ways" : "mean, most", "max-min",
                      "credits", "credits, at random");
        for (size_t i = HAS_SANITIZER ? (size_t)is_half : 0; i < sizeof texts / sizeof *texts;
             i += HAS_SANITIZER ? 4 : 1)
            compare_on(&(struct setting){.topology = texts[i], .is_half = is_half});
    }
}

static void open_line(struct scene *scene, uint32_t window)
{
    open_scene(scene, "linear:4");
    scene->window = window;
    scene->latency = HOP_SLOTS;
    for (uint32_t node = 0; node < 3; node++)
        add_flow(scene, node, 3);
}

/* Two flows come by one input and have its turn, half of the link, together: 60 / (100 + q) + 60 / (80 + q) =
 * 1/2, so that q = 30 + 10 sqrt(145). */
static void flows_of_an_input_share_its_turn(void **state)
{
    (void)state;
    static struct scene scene;
    double q = 30 + 10 * sqrt(145);
    open_line(&scene, 60);
    solve(&scene);
    assert_near(scene.rule[0], 60 / (100 + q), 1e-5);
    assert_near(scene.rule[1], 60 / (80 + q), 1e-5);
    assert_near(scene.rule[2], 0.5, 1e-5);
    for (uint32_t i = 0; i < 3; i++)
        assert_near(scene.plain[i], 1. / 3, 1e-6);
}

/* Windows that fit into the links wait nowhere, to the last bit. */
static void windows_that_fit_wait_nowhere(void **state)
{
    (void)state;
    static struct scene scene;
    open_line(&scene, 20);
    solve(&scene);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(scene.rule[i] == (double)window_rate(&scene, &scene.flows[i]) / (double)RATE);
}

/* What was there before leaves no trace. */
static void queues_forget_flows_that_have_gone(void **state)
{
    (void)state;
    static struct scene scene;
    struct rates_shape shape = {.links_per_flow = LINKS_PER_FLOW, .congestion = CONGESTION_QUEUES};
    uint64_t capacities[64], before[2];
    uint32_t ids[3];
    size_t count;
    open_line(&scene, 60);
    shape.links = scene.topo.links;
    for (uint32_t i = 0; i < shape.links; i++)
        capacities[i] = RATE;
    struct rates *rates = rates_open(&shape, capacities);
    for (uint32_t i = 0; i < 2; i++)
        ids[i] = add_to(rates, &scene, &scene.flows[i], CONGESTION_QUEUES);
    rates_solve(rates, &count);
    for (uint32_t i = 0; i < 2; i++)
        before[i] = rates_of(rates, ids[i]);
    ids[2] = add_to(rates, &scene, &scene.flows[2], CONGESTION_QUEUES);
    rates_solve(rates, &count);
    assert_int_equal(count, 3);
    rates_remove(rates, ids[2]);
    rates_solve(rates, &count);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(rates_of(rates, ids[i]), before[i]);
    rates_close(rates);
}

/* Flows with windows that never end. The last networks were chosen when the rule was fixed. */
static void windows_are_near_those_of_packets(void **state)
{
    (void)state;
    static const struct setting settings[] = {
        {"crossbar:8", false, 20, 10},      {"crossbar:8", false, 150, 10},
        {"linear:6", false, 20, 10},        {"linear:6", false, 150, 10},
        {"mesh:3x3", false, 20, 10},        {"mesh:3x3", false, 150, 10},
        {"mesh:4x4", false, 20, 10},        {"mesh:4x4", false, 150, 10},
        {"fattree:2x3", false, 20, 10},     {"fattree:2x3", false, 150, 10},
        {"fattree:4x2", false, 20, 10},     {"fattree:4x2", false, 150, 10},
        {"leafspine:3x2x3", false, 20, 10}, {"leafspine:3x2x3", false, 150, 10},
        {"hyperx:1x4x3", false, 20, 10},    {"hyperx:1x4x3", false, 150, 10},
        {"torus:4x4", false, 35, 5},        {"torus:4x4", false, 100, 5},
        {"dragonfly:2x4x2", false, 35, 5},  {"dragonfly:2x4x2", false, 100, 5},
        {"torus:3x3", false, 50, 17},       {"fattree:4x2", true, 35, 5},
        {"mesh:3x3", true, 60, 10},         {"crossbar:8", true, 100, 5}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i += HAS_SANITIZER ? 7 : 1)
        compare_on(&settings[i]);
}

/* ------------------------------------------------------------------ windows */

/* Messages of so many packets on a line of four switches, each with a node; a hop takes 10 slots. */
struct sent {
    uint32_t source, destination, packets;
};

enum { LINE = 4 };

/* When the last packet of each has arrived, in slots, by the fabric. */
static void run_messages(const struct sent *sent, uint32_t count, const char *congestion, uint32_t window,
                         double *ends)
{
    static struct call calls[LINE][8];
    const struct call *programs[LINE];
    for (uint32_t rank = 0; rank < LINE; rank++) {
        uint32_t step = 0;
        for (uint32_t i = 0; i < count; i++)
            if (sent[i].source == rank)
                calls[rank][step++] = (struct call)ISEND(sent[i].destination, (int32_t)i,
                                                         (uint64_t)sent[i].packets * PACKET, SLOT_FIRST + i);
            else if (sent[i].destination == rank)
                calls[rank][step++] = (struct call)IRECV(sent[i].source, (int32_t)i,
                                                         (uint64_t)sent[i].packets * PACKET, SLOT_FIRST + i);
        calls[rank][step++] = (struct call)WAITALL;
        calls[rank][step] = (struct call)FINALIZE;
        programs[rank] = calls[rank];
    }
    char size[64];
    snprintf(size, sizeof size, "packet.window=%u B", window * PACKET);
    script_run(programs, LINE, "packet",
               (const char *const[]){PUBLISHED, "topology=linear:4", "packet.bandwidth=1GB/s",
                                     "packet.latency=20us", "packet.hop_latency=10us", congestion, size,
                                     NULL},
               &out);
    assert_int_equal(out.status, STATUS_OK);
    for (uint32_t i = 0; i < count; i++) {
        const struct script_message *message = out.messages;
        while (message->tag != (int32_t)i)
            message++;
        ends[i] = (double)message->received / (double)US;
    }
}

/* The same packet by packet, with queues that never fill. */
static void send_messages(const struct sent *sent, uint32_t count, uint32_t window, double *ends)
{
    struct topo topo;
    struct packets_flow flows[4];
    assert_int_equal(topo_parse("test", "linear:4", &topo), STATUS_OK);
    for (uint32_t i = 0; i < count; i++) {
        flows[i] = (struct packets_flow){.packets = sent[i].packets, .window = window};
        flows[i].count = topo_route(&topo, sent[i].source, sent[i].destination, flows[i].links);
        flows[i].answer = flows[i].count * HOP_SLOTS;
    }
    struct packets_network network = {.links = topo.links, .room = 1000, .latency = HOP_SLOTS - 1};
    packets_run(&network, flows, count, 0, 100000);
    for (uint32_t i = 0; i < count; i++)
        ends[i] = (double)flows[i].end + 1;
}

/* A window goes at once, and each further one a round trip later. */
static void a_window_alone_waits_for_answers(void **state)
{
    (void)state;
    static const uint32_t windows[] = {1, 10, 39, 40, 80};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        for (uint32_t times = 1; times < 8; times += 3) {
            struct sent sent = {1, 2, windows[i] * times};
            double end, packets, round_trip = fmax(6 * HOP_SLOTS, windows[i]);
            send_messages(&sent, 1, windows[i], &packets);
            for (int queues = 0; queues < 2; queues++) {
                run_messages(&sent, 1, queues ? QUEUES : WINDOW, windows[i], &end);
                assert_near(end, (times - 1) * round_trip + windows[i] + 3 * HOP_SLOTS, 1e-6);
                assert_near(packets, end, 1e-6);
            }
        }
}

/* A rule that the fabric does not have, of the link to node 3, which all messages share: one queue for all,
 * which adds to each round trip. A flow has W / (T + q), with q so that the link is full. */
static double round_trip_of(const struct sent *sent)
{
    return 2 * HOP_SLOTS * (sent->destination - sent->source + 2);
}

/* What the messages carry together if the queue adds q. `left` of those that have ended is ENDED. */
#define ENDED (-1)
static double carried(const struct sent *sent, const double *left, uint32_t count, uint32_t window, double q,
                      double *rates)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        if (left[i] != ENDED) {
            rates[i] = fmin(1, window / (round_trip_of(&sent[i]) + q));
            sum += rates[i];
        }
    return sum;
}

static void share_queue(const struct sent *sent, const double *left, uint32_t count, uint32_t window,
                        double *rates)
{
    double low = 0, high = 1e6;
    if (carried(sent, left, count, window, 0, rates) <= 1)
        return;
    for (int step = 0; step < 100; step++) {
        double q = (low + high) / 2;
        *(carried(sent, left, count, window, q, rates) > 1 ? &low : &high) = q;
    }
}

static void play_one_queue(const struct sent *sent, uint32_t count, uint32_t window, double *ends)
{
    double left[3], rates[3], now = 0;
    for (uint32_t i = 0; i < count; i++)
        left[i] = sent[i].packets;
    for (uint32_t ended = 0; ended < count; ended++) {
        uint32_t first = UINT32_MAX;
        share_queue(sent, left, count, window, rates);
        for (uint32_t i = 0; i < count; i++)
            if (left[i] != ENDED && (first == UINT32_MAX || left[i] / rates[i] < left[first] / rates[first]))
                first = i;
        double time = left[first] / rates[first];
        for (uint32_t i = 0; i < count; i++)
            left[i] = left[i] == ENDED ? ENDED : fmax(0, left[i] - rates[i] * time);
        left[first] = ENDED;
        now += time;
        ends[first] = now + round_trip_of(&sent[first]) / 2;
    }
}

static double farthest(const double *ends, const double *packets, uint32_t count)
{
    double most = 0;
    for (uint32_t k = 0; k < count; k++)
        most = fmax(most, fabs(ends[k] / packets[k] - 1));
    return most;
}

/* Messages that share links, whose switches serve their inputs in turns. The last two cases were made when
 * the rule was fixed. */
static void windows_that_share_a_link(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct sent sent[3];
        uint32_t count, window;
        double most, most_with_queues;
    } cases[] = {
        {"one way, three messages", {{0, 3, 4000}, {1, 3, 4000}, {2, 3, 4000}}, 3, 20, 0.02, 0.01},
        {"the link is not full", {{0, 3, 2000}, {2, 3, 2000}}, 2, 20, 0.01, 0.01},
        {"the link is full", {{0, 3, 4000}, {2, 3, 4000}}, 2, 60, 0.01, 0.01},
        {"windows far above the round trip", {{0, 3, 4000}, {2, 3, 4000}}, 2, 400, 0.01, 0.01},
        {"two of three come by one input", {{0, 3, 4000}, {1, 3, 4000}, {2, 3, 4000}}, 3, 60, 0.55, 0.03},
        {"other sizes", {{0, 3, 9000}, {1, 3, 2000}, {2, 3, 5000}}, 3, 70, 0.25, 0.01},
        {"one goes another way", {{0, 3, 6000}, {1, 2, 5000}, {2, 3, 3000}}, 3, 90, 0.01, 0.01},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double ends[3], with_queues[3], packets[3], of_all[3];
        const struct sent *sent = cases[i].sent;
        uint32_t count = cases[i].count, window = cases[i].window;
        run_messages(sent, count, WINDOW, window, ends);
        run_messages(sent, count, QUEUES, window, with_queues);
        send_messages(sent, count, window, packets);
        play_one_queue(sent, count, window, of_all);
        for (uint32_t k = 0; k < count; k++)
            print_message("%-34s %u to %u, window %3u: %8.1f slots, with queues %8.1f, by packets %6.0f; one "
                          "queue %6.0f\n",
                          cases[i].name, sent[k].source, sent[k].destination, window, ends[k], with_queues[k],
                          packets[k], of_all[k]);
        if (farthest(ends, packets, count) > cases[i].most ||
            farthest(with_queues, packets, count) > cases[i].most_with_queues)
            fail_msg("%s: %.3f, with queues %.3f", cases[i].name, farthest(ends, packets, count),
                     farthest(with_queues, packets, count));
    }
}

/* ------------------------------------------------------------------- incast */

/* k nodes each send to k others, drawn at random packet by packet: the law of Karol et al. A single busy
 * node, and turns without chance, lose nothing. */
static void queues_lose_what_the_law_says(void **state)
{
    (void)state;
    static const struct incast_config fifo = {.law = INCAST_FIFO};
    for (uint32_t k = 2; k <= (HAS_SANITIZER ? 4 : 16); k += k < 8 ? 1 : 8) {
        double parts[3];
        for (int which = 0; which < 3; which++) {
            static struct scene scene;
            open_scene(&scene, "crossbar:32");
            for (uint32_t i = 0; i < k; i++)
                for (uint32_t n = 0; n < (which < 2 ? k : 1); n++)
                    add_flow(&scene, i, 16 + n);
            send_packets(&scene, which == 0);
            parts[which] = 0;
            for (uint32_t i = 0; i < scene.count; i++)
                parts[which] += scene.packets[i] / (which < 2 ? k : 1);
        }
        print_message("%2u inputs: law %.3f; packets at random %.3f, in turns %.3f, to one node %.3f\n", k,
                      incast_part(&fifo, k), parts[0], parts[1], parts[2]);
        assert_near(parts[0], incast_part(&fifo, k), 0.015);
        assert_near(parts[2], 1, 0.001);
    }
}

/* k nodes send to one: all at once, then with other sizes, so that inputs become fewer. */
static void a_link_carries_what_its_inputs_leave(void **state)
{
    (void)state;
    enum { BIG = 1000000 };
    const ps_t latency = 8 * US, whole = BIG * INT64_C(80); /* 12.5 GB/s */
    CALLS to_2[] = {SEND(2, 1, BIG), FINALIZE};
    CALLS twice_to_2[] = {SEND(2, 1, 2 * BIG), FINALIZE};
    CALLS from_both[] = {IRECV(0, 1, BIG, 2), IRECV(1, 1, BIG, 3), WAITALL, FINALIZE};
    CALLS from_both_more[] = {IRECV(0, 1, 2 * BIG, 2), IRECV(1, 1, BIG, 3), WAITALL, FINALIZE};
    static const char *const law[] = {PUBLISHED, "packet.congestion=incast", NULL};
    static const char *const linear[] = {PUBLISHED, "packet.congestion=incast", "packet.incast=linear",
                                         "packet.incast_penalty=0.25", NULL};
    static const char *const crossbar[] = {PUBLISHED, "packet.congestion=incast", "topology=crossbar:3",
                                           NULL};
    script_run((const struct call *const[]){to_2, to_2, from_both}, 3, "packet", law, &out);
    assert_in_range(out.makespan, latency + whole * 8 / 3, latency + whole * 8 / 3 + 2);
    script_run((const struct call *const[]){to_2, to_2, from_both}, 3, "packet", crossbar, &out);
    assert_in_range(out.makespan, latency + whole * 8 / 3, latency + whole * 8 / 3 + 2);
    script_run((const struct call *const[]){to_2, to_2, from_both}, 3, "packet", linear, &out);
    assert_in_range(out.makespan, latency + whole * 5 / 2, latency + whole * 5 / 2 + 2);
    /* the second ends after 8 / 3, and the rest of the first goes alone */
    script_run((const struct call *const[]){twice_to_2, to_2, from_both_more}, 3, "packet", law, &out);
    assert_in_range(out.makespan, latency + whole * 11 / 3, latency + whole * 11 / 3 + 2);
}

/* -------------------------------------------------------------- the fabric */

/* The victim of an incast, in time: its node has a message for a busy node, and one for an idle node. */
static void credits_hold_a_victim(void **state)
{
    (void)state;
    enum { BIG = 1000000 };
    const ps_t latency = 8 * US, whole = BIG * INT64_C(80);
    CALLS both[] = {ISEND(3, 1, BIG, 2), ISEND(4, 1, BIG, 3), WAITALL, FINALIZE};
    CALLS to_3[] = {SEND(3, 1, BIG), FINALIZE};
    CALLS from_all[] = {IRECV(0, 1, BIG, 2), IRECV(1, 1, BIG, 3), IRECV(2, 1, BIG, 4), WAITALL, FINALIZE};
    CALLS from_0[] = {RECV(0, 1, BIG), FINALIZE};
    const struct call *const calls[] = {both, to_3, to_3, from_all, from_0};
    script_run(calls, 5, "packet", (const char *const[]){PUBLISHED, NULL}, &out);
    assert_in_range(out.finish[4], latency + whole * 3 / 2, latency + whole * 3 / 2 + 2);
    for (int i = 0; i < 2; i++) {
        script_run(calls, 5, "packet",
                   (const char *const[]){PUBLISHED, "packet.congestion=credits",
                                         i ? "topology=crossbar:5" : "packet.duplex=full", NULL},
                   &out);
        assert_int_equal(out.status, STATUS_OK);
        assert_in_range(out.finish[4], latency + whole * 3, latency + whole * 3 + 1000);
        assert_in_range(out.makespan, latency + whole * 3, latency + whole * 3 + 1000);
    }
}

/* An alltoall of 8 ranks on many networks, in picoseconds. */
static ps_t run_alltoall(const char *topology, const char *const *settings)
{
    enum { RANKS = 8 };
    CALLS every[] = {COLLECTIVE(CALL_ALLTOALL, 90000, 0), COLLECTIVE(CALL_ALLREDUCE, 70000, 0), FINALIZE};
    const struct call *calls[RANKS];
    const char *all[12] = {PUBLISHED, topology};
    uint32_t count = 2;
    for (; *settings; settings++)
        all[count++] = *settings;
    for (int i = 0; i < RANKS; i++)
        calls[i] = every;
    script_run(calls, RANKS, "packet", all, &out);
    assert_int_equal(out.status, STATUS_OK);
    return out.makespan;
}

/* Windows that never close, and inputs that cost nothing, change no picosecond; small windows do. */
static void limits_that_do_not_bind_change_nothing(void **state)
{
    (void)state;
    static const char *const networks[][2] = {
        {"topology=crossbar:8", "packet.duplex=half"},
        {"topology=fattree:2x3", "packet.routing=fixed"},
        {"topology=fattree:2x3", "packet.routing=spray"},
        {"topology=dragonfly:2x4x2", "packet.routing=valiant"},
        {"topology=torus:3x3", "packet.injection=ordered"},
        {"topology=torus:3x3", "packet.routing=adaptive"},
        {"topology=tests/networks/platforms/fat_tree.xml", "packet.routing=fixed"}};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        const char *setting = networks[i][1];
        ps_t none = run_alltoall(networks[i][0], (const char *const[]){setting, NULL});
        assert_int_equal(
            none, run_alltoall(networks[i][0], (const char *const[]){setting, "packet.congestion=window",
                                                                     "packet.window=1GiB", NULL}));
        assert_true(none <
                    run_alltoall(networks[i][0], (const char *const[]){setting, "packet.congestion=window",
                                                                       "packet.window=1KiB", NULL}));
        if (i != 0 && i != 2 && i != 6)
            assert_int_equal(
                none, run_alltoall(networks[i][0], (const char *const[]){setting, "packet.congestion=incast",
                                                                         "packet.incast=linear",
                                                                         "packet.incast_penalty=0", NULL}));
    }
}

/* All links of a switch but one fail under way: messages move to it, with their windows. */
static void congestion_goes_on_after_faults(void **state)
{
    (void)state;
    static const char *const congestion[] = {WINDOW, QUEUES, "packet.congestion=incast",
                                             "packet.congestion=credits"};
    for (int i = 0; i < 4; i++) {
        const char *settings[] = {congestion[i],    "packet.window=4KiB",  "faults.link_share=0.15",
                                  "faults.at=20us", "faults.reroute=30us", NULL};
        ps_t with = run_alltoall("topology=leafspine:4x3x2", settings);
        settings[2] = NULL;
        assert_true(run_alltoall("topology=leafspine:4x3x2", settings) < with);
    }
}

static void what_has_no_queues_is_refused(void **state)
{
    (void)state;
    CALLS idle[] = {FINALIZE};
    static const char *const congestion[] = {"packet.congestion=credits", "packet.congestion=incast", QUEUES};
    for (size_t i = 0; i < 3; i++) {
        script_run((const struct call *const[]){idle, idle}, 2, "packet",
                   (const char *const[]){congestion[i], "packet.routing=spray", NULL}, &out);
        assert_int_equal(out.status, STATUS_BAD_INPUT);
        if (!strstr(out.said, "a message takes many ways"))
            fail_msg("%s", out.said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parking_lot_halves),
        cmocka_unit_test(a_node_waits_for_its_own_incast),
        cmocka_unit_test(an_incast_slows_its_neighbours),
        cmocka_unit_test(random_traffic_is_near_that_of_packets),
        cmocka_unit_test(flows_of_an_input_share_its_turn),
        cmocka_unit_test(windows_that_fit_wait_nowhere),
        cmocka_unit_test(queues_forget_flows_that_have_gone),
        cmocka_unit_test(windows_are_near_those_of_packets),
        cmocka_unit_test(a_window_alone_waits_for_answers),
        cmocka_unit_test(windows_that_share_a_link),
        cmocka_unit_test(queues_lose_what_the_law_says),
        cmocka_unit_test(a_link_carries_what_its_inputs_leave),
        cmocka_unit_test(credits_hold_a_victim),
        cmocka_unit_test(limits_that_do_not_bind_change_nothing),
        cmocka_unit_test(congestion_goes_on_after_faults),
        cmocka_unit_test(what_has_no_queues_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
