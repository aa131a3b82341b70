/* The fabric ocs: closed forms, a slow simulator of another make, bounds and plans of schedule/circuit.
 * Circuits take 10 us to set up, and 1 ns a byte; the controller takes 1 us. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "fabric/ocs/ocs.h"
#include "support/parts.h"
#include "support/script.h"

#define NS     INT64_C(1000)
#define US     INT64_C(1000000)
#define SWITCH (10 * US)
#define ASK    US
#define CALLS  static const struct call

enum { NODES = 6, MESSAGES = 40, SETTINGS = 16 };

static struct script_outcome out;
static struct ocs_statistics seen;

static void look(void *self, struct fabric *fabric)
{
    (void)self;
    seen = *(const struct ocs_statistics *)fabric->ops->statistics(fabric);
}

static enum status run(const struct call *const *calls, uint32_t ranks, const char *const *settings)
{
    const char *all[SETTINGS] = {"ocs.bandwidth=1GB/s", "ocs.switching=10us", "ocs.controller=1us",
                                 "mpi.eager_threshold=1GB", "compute.rate=1Tflop/s"};
    for (size_t i = 0; settings && settings[i]; i++)
        all[5 + i] = settings[i];
    script_visit = look;
    script_run(calls, ranks, "ocs", all, &out);
    script_visit = NULL;
    return out.status;
}

#define SET(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ------------------------------------------------------------- closed forms */

static void a_circuit_is_set_up_once(void **state)
{
    (void)state;
    CALLS left[] = {SEND(1, 1, 5000), RECV(1, 2, 1), SEND(1, 3, 5000), FINALIZE};
    CALLS right[] = {RECV(0, 1, 5000), SEND(0, 2, 1), RECV(0, 3, 5000), FINALIZE};
    const struct call *const calls[] = {left, right};
    assert_int_equal(run(calls, 2, SET("ocs.wire=100ns")), STATUS_OK);
    ps_t light = 200 * NS;
    assert_int_equal(out.makespan, 2 * (ASK + SWITCH) + 5000 * NS + NS + 5000 * NS + 3 * light);
    assert_int_equal(seen.setups, 2);
    assert_int_equal(seen.kept, 1);
}

/* A ring of two needs both circuits of the switch, and a third node must wait for one of them. */
static void the_oldest_request_goes_first(void **state)
{
    (void)state;
    CALLS first[] = {SEND(2, 1, 5000), FINALIZE};
    CALLS second[] = {COMPUTE(500000), SEND(2, 1, 1000), FINALIZE};
    CALLS both[] = {RECV(0, 1, 5000), RECV(1, 1, 1000), FINALIZE};
    const struct call *const calls[] = {first, second, both};
    assert_int_equal(run(calls, 3, NULL), STATUS_OK);
    assert_int_equal(out.makespan, ASK + SWITCH + 5000 * NS + SWITCH + 1000 * NS);
}

/* Planned circuits are up before their bytes: the set-up passes while the rank computes. */
static void a_planned_circuit_is_set_up_ahead(void **state)
{
    (void)state;
    CALLS left[] = {COMPUTE(20000000), SEND(1, 1, 5000), FINALIZE};
    CALLS right[] = {RECV(0, 1, 5000), FINALIZE};
    const struct call *const calls[] = {left, right};
    assert_int_equal(run(calls, 2, SET("ocs.control=compiled")), STATUS_OK);
    assert_int_equal(out.makespan, 20 * US + 5000 * NS);
    assert_int_equal(run(calls, 2, NULL), STATUS_OK);
    assert_int_equal(out.makespan, 20 * US + ASK + SWITCH + 5000 * NS);
}

/* Node 0 is planned to send to 1 and then to 2, and sends in the other order, 4 us apart. It waits as long as
 * a set-up takes for what was planned. */
static void a_port_waits_for_its_plan(void **state)
{
    (void)state;
    CALLS late[] = {ISEND(2, 1, 1000, 2), COMPUTE(4000000), ISEND(1, 1, 9000, 3), WAITALL, FINALIZE};
    CALLS later[] = {ISEND(2, 1, 1000, 2), COMPUTE(40000000), ISEND(1, 1, 9000, 3), WAITALL, FINALIZE};
    CALLS one[] = {RECV(0, 1, 9000), FINALIZE};
    CALLS two[] = {RECV(0, 1, 1000), FINALIZE};
    const char *const *compiled = SET("ocs.control=compiled", "ocs.algorithm=sunflow");
    assert_int_equal(run((const struct call *const[]){late, one, two}, 3, compiled), STATUS_OK);
    assert_int_equal(out.makespan, SWITCH + 9000 * NS + SWITCH + 1000 * NS);
    assert_int_equal(run((const struct call *const[]){later, one, two}, 3, compiled), STATUS_OK);
    assert_int_equal(out.finish[2], 10 * US + SWITCH + 1000 * NS);
    assert_int_equal(out.makespan, 40 * US + SWITCH + 9000 * NS);
}

/* Shifts 1 and 3 of 8 nodes: from 0 to 4 are the circuits 0-3-4 or 0-1-4, two of them. */
static void static_circuits_are_taken_one_after_another(void **state)
{
    (void)state;
    CALLS sender[] = {SEND(4, 1, 1000), FINALIZE};
    CALLS receiver[] = {RECV(0, 1, 1000), FINALIZE};
    CALLS idle[] = {FINALIZE};
    const struct call *const calls[] = {sender, idle, idle, idle, receiver, idle, idle, idle};
    assert_int_equal(
        run(calls, 8, SET("ocs.control=static", "ocs.switches=2", "ocs.forwarding=300ns", "ocs.wire=10ns")),
        STATUS_OK);
    assert_int_equal(out.makespan, 2 * 2000 * NS + 300 * NS + 4 * 10 * NS);
    assert_int_equal(seen.hops, 2);
}

/* The program's pairs get the circuits. */
static void static_circuits_follow_the_traffic(void **state)
{
    (void)state;
    CALLS sender[] = {SEND(2, 1, 1000), FINALIZE};
    CALLS idle[] = {FINALIZE};
    CALLS receiver[] = {RECV(0, 1, 1000), FINALIZE};
    const struct call *const calls[] = {sender, idle, receiver, idle};
    assert_int_equal(run(calls, 4, SET("ocs.control=static", "ocs.circuits=traffic")), STATUS_OK);
    assert_int_equal(out.makespan, 1000 * NS);
}

/* Two switches with 0.5 GB/s each. The first one fails when 2500 of 5000 bytes have been sent: these are
 * asked for again. */
static void a_switch_fails(void **state)
{
    (void)state;
    CALLS sender[] = {SEND(1, 1, 5000), FINALIZE};
    CALLS receiver[] = {RECV(0, 1, 5000), FINALIZE};
    const struct call *const calls[] = {sender, receiver};
    assert_int_equal(run(calls, 2, SET("ocs.switches=2", "ocs.failed=0@16us")), STATUS_OK);
    assert_int_equal(out.makespan, 16 * US + ASK + SWITCH + 2500 * 2 * NS);
    assert_int_equal(run(calls, 2, SET("ocs.switches=2", "ocs.failed=0")), STATUS_OK);
    assert_int_equal(out.makespan, ASK + SWITCH + 5000 * 2 * NS);
    assert_int_equal(run(calls, 2, SET("ocs.failed=0@16us")), STATUS_FAILED);
    assert_non_null(strstr(out.said, "all switches of ocs have failed, and 1 messages wait"));
}

static void parts_say_where_the_time_goes(void **state)
{
    (void)state;
    CALLS first[] = {SEND(2, 1, 5000), FINALIZE};
    CALLS second[] = {COMPUTE(500000), SEND(2, 1, 1000), FINALIZE};
    CALLS both[] = {RECV(0, 1, 5000), RECV(1, 1, 1000), FINALIZE};
    parts_forget();
    parts_unit = NS;
    script_part_handler.handle = parts_add;
    assert_int_equal(run((const struct call *const[]){first, second, both}, 3, NULL), STATUS_OK);
    script_part_handler.handle = NULL;
    assert_string_equal(parts_said, "0 acquire 0-1000 the controller's answer to node 0\n"
                                    "0 switch 1000-11000 the set-up of a circuit from node 0\n"
                                    "0 transfer 11000-16000\n"
                                    "1 acquire 500-1500 the controller's answer to node 1\n"
                                    "1 queue 1500-16000 a circuit from node 1\n"
                                    "1 switch 16000-26000 the set-up of a circuit from node 1\n"
                                    "1 transfer 26000-27000\n");
}

/* ------------------------------------------------------------------- hybrid */

static ps_t time_of(const char *fabric, uint64_t bytes, const char *pivot)
{
    const struct call left[] = {SEND(1, 1, bytes), FINALIZE}, right[] = {RECV(0, 1, bytes), FINALIZE};
    const struct call *const calls[] = {left, right};
    script_run(calls, 2, fabric,
               SET("ocs.bandwidth=4GB/s", "packet.bandwidth=1GB/s", "packet.latency=2us", "hybrid.large=ocs",
                   "mpi.eager_threshold=1GB", pivot),
               &out);
    assert_int_equal(out.status, STATUS_OK);
    return out.makespan;
}

/* 2 us + S ns = 11 us + S / 4 ns: S = 12000. From there on a message takes a circuit. */
static void hybrid_takes_the_faster_way(void **state)
{
    (void)state;
    for (uint64_t bytes = 11990; bytes < 12010; bytes++) {
        ps_t packet = time_of("packet", bytes, "hybrid.pivot=auto");
        ps_t ocs = time_of("ocs", bytes, "hybrid.pivot=auto");
        bool is_near = packet - ocs < NS && ocs - packet < NS; /* the pivot is rounded up to a byte */
        ps_t hybrid = time_of("hybrid", bytes, "hybrid.pivot=auto");
        assert_true(hybrid == (packet < ocs ? packet : ocs) || (is_near && hybrid == ps_max(packet, ocs)));
        assert_int_equal(time_of("hybrid", bytes, "hybrid.pivot=1MB"), packet);
        assert_int_equal(time_of("hybrid", bytes, "hybrid.pivot=0B"), ocs);
    }
}

/* ---------------------------------------------------------- random programs */

struct sent {
    uint32_t source, destination;
    uint64_t bytes;
    ps_t at;
};

static struct sent sent[MESSAGES];
static uint32_t sent_count;
static struct call program_calls[NODES][2 * MESSAGES + 2 + MESSAGES];
static const struct call *programs[NODES];

/* Every rank receives all that is sent to it, and sends its messages at their times. */
static void make_programs(void)
{
    for (uint32_t rank = 0; rank < NODES; rank++) {
        struct call *call = program_calls[rank];
        uint32_t slot = SLOT_FIRST;
        ps_t now = 0;
        for (uint32_t i = 0; i < sent_count; i++)
            if (sent[i].destination == rank)
                *call++ = (struct call)IRECV(sent[i].source, (int32_t)i, sent[i].bytes, slot++);
        for (uint32_t i = 0; i < sent_count; i++) {
            if (sent[i].source != rank)
                continue;
            if (sent[i].at > now)
                *call++ = (struct call)COMPUTE((double)(sent[i].at - now));
            now = ps_max(now, sent[i].at);
            *call++ = (struct call)ISEND(sent[i].destination, (int32_t)i, sent[i].bytes, slot++);
        }
        *call++ = (struct call)WAITALL;
        *call = (struct call)FINALIZE;
        programs[rank] = program_calls[rank];
    }
}

static int by_time(const void *a, const void *b)
{
    const struct sent *left = a, *right = b;
    return left->at < right->at ? -1 : left->at > right->at;
}

static void draw(struct rng *rng, ps_t within)
{
    sent_count = 1 + (uint32_t)rng_below(rng, MESSAGES);
    for (uint32_t i = 0; i < sent_count; i++) {
        sent[i].source = (uint32_t)rng_below(rng, NODES);
        sent[i].destination = (sent[i].source + 1 + (uint32_t)rng_below(rng, NODES - 1)) % NODES;
        sent[i].bytes = rng_below(rng, 30000);
        sent[i].at = within ? (ps_t)rng_below(rng, (uint64_t)within) : 0;
    }
    qsort(sent, sent_count, sizeof *sent, by_time);
    make_programs();
}

/* ------------------------------------------------------ the other simulator */

/* Circuits on demand, computed from the rules of docs/models/ocs.md: at each instant, all that ended or came
 * is noted, and then, as long as some request can begin, the oldest one does (or the one of most bytes). */
struct slow {
    uint32_t planes;
    bool all_stop, by_bytes;
    ps_t byte_ps;
    uint32_t peer[2][8][NODES];
    ps_t busy[2][8][NODES]; /* until when; PS_NEVER: a circuit of this instant */
    uint32_t carrying[8];
    struct {
        uint32_t queue[MESSAGES], head, tail;
        ps_t request;    /* PS_NEVER: none; at what time it is with the controller */
        uint64_t listed; /* 0: not yet; else its number */
        ps_t visible;    /* its last envelope: no later one comes earlier */
    } pairs[NODES][NODES];
    struct {
        uint32_t plane, source, destination;
        ps_t ends;
        bool is_there;
    } circuits[MESSAGES * 2];
    uint32_t circuit_count;
    uint64_t numbers;
    ps_t delivered[MESSAGES];
};

static struct slow slow;

static bool is_wanted(uint32_t side, uint32_t node)
{
    for (uint32_t other = 0; other < NODES; other++)
        if (slow.pairs[side ? other : node][side ? node : other].listed)
            return true;
    return false;
}

static bool has_idle_circuit(uint32_t source, uint32_t destination)
{
    for (uint32_t plane = 0; plane < slow.planes; plane++)
        if (slow.peer[0][plane][source] == destination && slow.peer[1][plane][destination] == source &&
            !slow.busy[0][plane][source] && !slow.busy[1][plane][destination] && !is_wanted(0, source) &&
            !is_wanted(1, destination))
            return true;
    return false;
}

static void ask(uint32_t source, uint32_t destination, ps_t now, ps_t since)
{
    ps_t *request = &slow.pairs[source][destination].request;
    if (*request != PS_NEVER || slow.pairs[source][destination].head == slow.pairs[source][destination].tail)
        return;
    *request = has_idle_circuit(source, destination) ? now : ps_max(now, since + ASK);
    if (*request == now)
        slow.pairs[source][destination].listed = ++slow.numbers;
}

static uint64_t bytes_of_message(uint32_t message)
{
    return sent[message].bytes ? sent[message].bytes : 1;
}

static void begin(uint32_t plane, uint32_t i, uint32_t j, ps_t now, ps_t setup)
{
    uint64_t bytes = 0;
    ps_t begun = now + setup;
    uint32_t *head = &slow.pairs[i][j].head, last = slow.planes > 1 ? *head + 1 : slow.pairs[i][j].tail;
    while (*head < last) {
        uint32_t message = slow.pairs[i][j].queue[(*head)++];
        slow.pairs[i][j].visible = ps_max(slow.pairs[i][j].visible, begun + (ps_t)bytes * slow.byte_ps);
        bytes += bytes_of_message(message);
        slow.delivered[message] = ps_max(slow.pairs[i][j].visible, begun + (ps_t)bytes * slow.byte_ps);
    }
    slow.circuits[slow.circuit_count].plane = plane;
    slow.circuits[slow.circuit_count].source = i;
    slow.circuits[slow.circuit_count].destination = j;
    slow.circuits[slow.circuit_count].ends = begun + (ps_t)bytes * slow.byte_ps;
    slow.circuits[slow.circuit_count++].is_there = true;
    slow.carrying[plane]++;
    ask(i, j, now,
        slow.pairs[i][j].head < slow.pairs[i][j].tail ? sent[slow.pairs[i][j].queue[*head]].at : 0);
}

/* Takes the ports. True: the circuit was not up. */
static bool take(uint32_t plane, uint32_t i, uint32_t j)
{
    bool is_up = slow.peer[0][plane][i] == j && slow.peer[1][plane][j] == i;
    if (!is_up) {
        if (slow.peer[0][plane][i] < NODES)
            slow.peer[1][plane][slow.peer[0][plane][i]] = NODES;
        if (slow.peer[1][plane][j] < NODES)
            slow.peer[0][plane][slow.peer[1][plane][j]] = NODES;
    }
    slow.peer[0][plane][i] = j;
    slow.peer[1][plane][j] = i;
    slow.busy[0][plane][i] = slow.busy[1][plane][j] = 1;
    slow.pairs[i][j].request = PS_NEVER;
    slow.pairs[i][j].listed = 0;
    return !is_up;
}

static uint64_t waiting_bytes(uint32_t i, uint32_t j)
{
    uint64_t bytes = 0;
    for (uint32_t k = slow.pairs[i][j].head; k < slow.pairs[i][j].tail; k++)
        bytes += bytes_of_message(slow.pairs[i][j].queue[k]);
    return bytes;
}

/* The request that goes first on this plane; false: none can begin. */
static bool first_of(uint32_t plane, uint32_t *source, uint32_t *destination)
{
    bool found = false;
    for (uint32_t i = 0; i < NODES; i++)
        for (uint32_t j = 0; j < NODES; j++) {
            if (!slow.pairs[i][j].listed || slow.busy[0][plane][i] || slow.busy[1][plane][j])
                continue;
            bool is_older = !found || slow.pairs[i][j].listed < slow.pairs[*source][*destination].listed;
            bool has_more = found && waiting_bytes(i, j) > waiting_bytes(*source, *destination);
            bool has_less = found && waiting_bytes(i, j) < waiting_bytes(*source, *destination);
            if (slow.by_bytes ? !found || has_more || (is_older && !has_less) : is_older) {
                *source = i;
                *destination = j;
            }
            found = true;
        }
    return found;
}

static bool decide_slow(uint32_t plane, ps_t now)
{
    uint32_t i, j, chosen[NODES][2], count = 0;
    bool changes = false;
    if (slow.all_stop && slow.carrying[plane])
        return false;
    while (first_of(plane, &i, &j)) {
        changes = take(plane, i, j) || (slow.all_stop && changes);
        if (!slow.all_stop) {
            begin(plane, i, j, now, changes ? SWITCH : 0);
            return true;
        }
        chosen[count][0] = i;
        chosen[count++][1] = j;
    }
    for (uint32_t k = 0; k < count; k++)
        begin(plane, chosen[k][0], chosen[k][1], now, changes ? SWITCH : 0);
    return count > 0;
}

/* With several switches, the oldest request of all, on the first switch where it can begin. */
static void decide_all(ps_t now)
{
    for (bool goes_on = true; goes_on;) {
        uint32_t best = slow.planes;
        uint64_t number = UINT64_MAX;
        for (uint32_t plane = 0; plane < slow.planes; plane++) {
            uint32_t i = 0, j = 0;
            if ((slow.all_stop && slow.carrying[plane]) || !first_of(plane, &i, &j))
                continue;
            if (slow.pairs[i][j].listed < number) {
                number = slow.pairs[i][j].listed;
                best = plane;
            }
        }
        goes_on = best < slow.planes && decide_slow(best, now);
    }
}

static void end_circuits(ps_t now)
{
    for (uint32_t k = 0; k < slow.circuit_count; k++) {
        if (!slow.circuits[k].is_there || slow.circuits[k].ends != now)
            continue;
        uint32_t i = slow.circuits[k].source, j = slow.circuits[k].destination,
                 plane = slow.circuits[k].plane;
        slow.circuits[k].is_there = false;
        slow.carrying[plane]--;
        slow.busy[0][plane][i] = slow.busy[1][plane][j] = 0;
        if (slow.pairs[i][j].head < slow.pairs[i][j].tail)
            ask(i, j, now, sent[slow.pairs[i][j].queue[slow.pairs[i][j].head]].at);
    }
}

static ps_t next_instant(uint32_t submitted)
{
    ps_t next = submitted < sent_count ? sent[submitted].at : PS_NEVER;
    for (uint32_t k = 0; k < slow.circuit_count; k++)
        if (slow.circuits[k].is_there && slow.circuits[k].ends < next)
            next = slow.circuits[k].ends;
    for (uint32_t i = 0; i < NODES; i++)
        for (uint32_t j = 0; j < NODES; j++)
            if (!slow.pairs[i][j].listed && slow.pairs[i][j].request < next)
                next = slow.pairs[i][j].request;
    return next;
}

static void simulate_slowly(uint32_t planes, bool all_stop, bool by_bytes)
{
    memset(&slow, 0, sizeof slow);
    slow.planes = planes;
    slow.all_stop = all_stop;
    slow.by_bytes = by_bytes;
    slow.byte_ps = NS * planes;
    for (uint32_t i = 0; i < NODES; i++)
        for (uint32_t j = 0; j < NODES; j++) {
            slow.pairs[i][j].request = PS_NEVER;
            for (uint32_t plane = 0; plane < 8; plane++)
                slow.peer[0][plane][i] = slow.peer[1][plane][i] = NODES;
        }
    uint32_t submitted = 0;
    for (ps_t now; (now = next_instant(submitted)) != PS_NEVER;) {
        end_circuits(now);
        for (; submitted < sent_count && sent[submitted].at == now; submitted++) {
            uint32_t i = sent[submitted].source, j = sent[submitted].destination;
            slow.pairs[i][j].queue[slow.pairs[i][j].tail++] = submitted;
            ask(i, j, now, sent[slow.pairs[i][j].queue[slow.pairs[i][j].head]].at);
        }
        for (uint32_t i = 0; i < NODES; i++)
            for (uint32_t j = 0; j < NODES; j++)
                if (!slow.pairs[i][j].listed && slow.pairs[i][j].request == now)
                    slow.pairs[i][j].listed = ++slow.numbers;
        decide_all(now);
    }
}

static void circuits_on_demand_equal_the_slow_simulator(void **state)
{
    (void)state;
    struct rng rng = rng_init(7, "ocs");
    for (uint32_t round = 0; round < 400; round++) {
        uint32_t planes = round % 3 == 2 ? 2 : 1;
        bool all_stop = round % 4 == 1, by_bytes = round % 4 == 3 && planes == 1;
        draw(&rng, round % 2 ? 300 * US : 60 * US);
        assert_int_equal(run(programs, NODES,
                             SET(all_stop ? "ocs.switch=all-stop" : "ocs.switch=not-all-stop",
                                 by_bytes ? "ocs.policy=most-bytes" : "ocs.policy=oldest",
                                 planes == 2 ? "ocs.switches=2" : "ocs.switches=1")),
                         STATUS_OK);
        simulate_slowly(planes, all_stop, by_bytes);
        assert_int_equal(out.message_count, sent_count);
        for (uint32_t i = 0; i < sent_count; i++) {
            uint32_t message = (uint32_t)out.messages[i].tag;
            if (out.messages[i].received != slow.delivered[message])
                fail_msg("round %u, message %u: %lld ps, and slowly %lld ps", round, message,
                         (long long)out.messages[i].received, (long long)slow.delivered[message]);
        }
    }
}

/* --------------------------------------------------------- plans and bounds */

struct planned {
    ps_t makespan, bound;
};

/* What schedule/circuit makes of the same messages, all there at time 0. */
static struct planned schedule_of(const char *algorithm, uint32_t switches, bool all_stop)
{
    struct circuit_demand demand = {.lines = NULL};
    const struct circuit_switching switching = {.delta_ps = SWITCH,
                                                .rate_bytes_per_s = UINT64_C(1000000000) / switches,
                                                .switches = switches,
                                                .all_stop = all_stop};
    const struct circuit_effort effort = {.moves = 100, .seed = 1};
    struct circuit_problem problem;
    struct circuit_schedule schedule;
    for (uint32_t i = 0; i < sent_count; i++)
        circuit_demand_add(&demand, sent[i].source, sent[i].destination, bytes_of_message(i));
    assert_true(circuit_demand_unite(&demand));
    assert_int_equal(circuit_problem_init(&problem, &demand, &switching), STATUS_OK);
    assert_int_equal(circuit_schedule_make(&problem, circuit_algorithm_find(algorithm), &effort, &schedule),
                     STATUS_OK);
    const struct planned planned = {schedule.makespan_ps, circuit_bounds_of(&problem).best_ps};
    circuit_schedule_free(&schedule);
    circuit_problem_free(&problem);
    circuit_demand_free(&demand);
    return planned;
}

/* When all messages are there at once, the run is the schedule: no longer, but for pieces that end within a
 * byte, and never below the bound. Rounds need one set of bytes, so they are the same, an answer of the
 * controller later. */
static void plans_take_the_time_of_their_schedules(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"best", "sunflow", "solstice", "bvn"};
    struct rng rng = rng_init(8, "ocs");
    for (uint32_t round = 0; round < 160; round++) {
        const char *algorithm = algorithms[round % 4];
        bool all_stop = round / 4 % 2, has_rounds = round / 8 % 2;
        uint32_t switches = 1 + round / 16 % 2;
        char text[64];
        snprintf(text, sizeof text, "ocs.algorithm=%s", algorithm);
        draw(&rng, 0);
        struct planned planned = schedule_of(algorithm, switches, all_stop);
        assert_int_equal(run(programs, NODES,
                             SET(text, switches == 2 ? "ocs.switches=2" : "ocs.switches=1",
                                 all_stop ? "ocs.switch=all-stop" : "ocs.switch=not-all-stop",
                                 has_rounds ? "ocs.policy=rounds" : "ocs.control=compiled")),
                         STATUS_OK);
        ps_t before = has_rounds ? ASK : 0, slack = 100 * (ps_t)switches * NS;
        if (out.makespan < planned.bound || out.makespan > planned.makespan + before + slack)
            fail_msg("round %u, %s: %lld ps, planned %lld ps, bound %lld ps", round, algorithm,
                     (long long)out.makespan, (long long)planned.makespan, (long long)planned.bound);
        assert_int_equal(seen.plans, 1);
    }
}

/* Whatever the times of messages, plans carry all of them. */
static void programs_off_their_plan_end(void **state)
{
    (void)state;
    struct rng rng = rng_init(9, "ocs");
    for (uint32_t round = 0; round < 300; round++) {
        draw(&rng, round % 2 ? 500 * US : 30 * US);
        assert_int_equal(run(programs, NODES,
                             SET("ocs.control=compiled", round % 3 ? "ocs.switches=1" : "ocs.switches=3",
                                 round % 5 ? "ocs.switch=not-all-stop" : "ocs.switch=all-stop",
                                 round % 6 ? "ocs.failed=none" : "ocs.failed=1@40us")),
                         STATUS_OK);
        assert_int_equal(out.message_count, sent_count);
        assert_int_equal(run(programs, NODES,
                             SET("ocs.policy=rounds", round % 3 ? "ocs.switches=1" : "ocs.switches=3",
                                 round % 5 ? "ocs.switch=not-all-stop" : "ocs.switch=all-stop",
                                 round % 6 ? "ocs.failed=none" : "ocs.failed=0@40us")),
                         STATUS_OK);
        assert_int_equal(out.message_count, sent_count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_circuit_is_set_up_once),
        cmocka_unit_test(the_oldest_request_goes_first),
        cmocka_unit_test(a_planned_circuit_is_set_up_ahead),
        cmocka_unit_test(a_port_waits_for_its_plan),
        cmocka_unit_test(static_circuits_are_taken_one_after_another),
        cmocka_unit_test(static_circuits_follow_the_traffic),
        cmocka_unit_test(a_switch_fails),
        cmocka_unit_test(parts_say_where_the_time_goes),
        cmocka_unit_test(hybrid_takes_the_faster_way),
        cmocka_unit_test(circuits_on_demand_equal_the_slow_simulator),
        cmocka_unit_test(plans_take_the_time_of_their_schedules),
        cmocka_unit_test(programs_off_their_plan_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
