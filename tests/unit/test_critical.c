/* The critical path. Its parts add up to the makespan on every fabric, protocol and host model. It is the
 * path that decides: if the latency or the computation changes a little, the makespan changes by as much as
 * the path has of it, or where another path is as long, by no less upwards and no more downwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/random_calls.h"

/* ------------------------------------------------------------------- checks */

static struct critical_path path;
static struct script_outcome outcome;

static void run(const struct random_calls *program, const char *fabric, const char *const *settings)
{
    script_path = &path;
    script_run(program->lists, program->ranks, fabric, settings, &outcome);
    script_path = NULL;
    if (outcome.status != STATUS_OK)
        fail_msg("%s: %s", fabric, outcome.said);
}

static ps_t sum_of(const ps_t *kinds)
{
    ps_t sum = 0;
    for (int kind = 0; kind < CRITICAL_KINDS; kind++) {
        assert_true(kinds[kind] >= 0);
        sum += kinds[kind];
    }
    return sum;
}

/* The steps follow one another without a gap, and what each says adds up to its time. */
static void steps_are_a_path(void)
{
    ps_t at = path.listed_since;
    for (size_t i = 0; i < path.count; i++) {
        const struct critical_step *step = &path.steps[i];
        assert_int_equal(step->since, at);
        assert_true(step->start >= step->since && step->end >= step->start);
        assert_true(step->computed >= 0 && step->computed <= step->start - step->since);
        assert_int_equal(sum_of(step->kinds), step->end - step->start);
        assert_true(step->rank == step->source || step->rank == step->destination);
        at = step->end;
    }
    assert_int_equal(path.last_since, at);
    assert_true(path.last_computed >= 0 && path.last_computed <= path.length - at);
}

/* Without a host model a rank computes or waits, so there is nothing else between two messages. */
static void check_path(bool has_host)
{
    assert_int_equal(path.length, outcome.makespan);
    assert_int_equal(outcome.finish[path.rank], outcome.makespan);
    assert_int_equal(sum_of(path.kinds), outcome.makespan);
    steps_are_a_path();
    if (has_host)
        return;
    assert_int_equal(path.kinds[CRITICAL_SOFTWARE], 0);
    for (size_t i = 0; i < path.count; i++)
        assert_int_equal(path.steps[i].computed, path.steps[i].start - path.steps[i].since);
    assert_int_equal(path.last_computed, path.length - path.last_since);
}

/* A rank computes on the path no longer than in all. */
static void computes_no_longer(void)
{
    ps_t computed[RANDOM_RANKS] = {0};
    for (size_t i = 0; i < path.count; i++)
        computed[path.steps[i].rank] += path.steps[i].computed;
    computed[path.last_rank] += path.last_computed;
    for (uint32_t rank = 0; rank < RANDOM_RANKS; rank++)
        assert_true(computed[rank] <= outcome.compute[rank]);
}

/* -------------------------------------------------------------------- tests */

/* Rank 0 executes the first calls, rank 1 the others: 1 GB/s, 2 us of latency, an operation takes 1 ns. */
static void run_pair(const struct call *first, const struct call *second)
{
    const struct call *const calls[] = {first, second};
    script_path = &path;
    script_run(calls, 2, "hockney",
               (const char *const[]){"compute.rate=1Gflop/s", "hockney.latency=2us",
                                     "hockney.bandwidth=1GB/s", NULL},
               &outcome);
    script_path = NULL;
    check_path(false);
}

/* Rank 0 computes 5 us and sends 1000 bytes, which take 1 us and have 2 us of latency; rank 1 has been
 * waiting since 1 us, and computes 3 us more. */
static void path_of_one_message(void **state)
{
    (void)state;
    const struct call sends[] = {COMPUTE(5000), SEND(1, 1, 1000), FINALIZE};
    const struct call receives[] = {COMPUTE(1000), RECV(0, 1, 1000), COMPUTE(3000), FINALIZE};
    run_pair(sends, receives);
    assert_int_equal(path.length, 11000000);
    assert_int_equal(path.rank, 1);
    assert_int_equal(path.count, 1);
    assert_int_equal(path.messages, 1);
    assert_int_equal(path.kinds[CRITICAL_COMPUTATION], 8000000);
    assert_int_equal(path.kinds[CRITICAL_LATENCY], 2000000);
    assert_int_equal(path.kinds[CRITICAL_BANDWIDTH], 1000000);
    const struct critical_step *step = &path.steps[0];
    assert_int_equal(step->rank, 0);
    assert_int_equal(step->source, 0);
    assert_int_equal(step->destination, 1);
    assert_int_equal(step->bytes, 1000);
    assert_int_equal(step->computed, 5000000);
    critical_path_free(&path);
}

/* A rendezvous message waits for the receiver, who computes 5 us: then he is on the path, and not the sender.
 */
static void receiver_that_comes_late_is_on_the_path(void **state)
{
    (void)state;
    const struct call sends[] = {COMPUTE(1000), SEND(1, 1, 1000000), FINALIZE};
    const struct call receives[] = {COMPUTE(5000), RECV(0, 1, 1000000), FINALIZE};
    run_pair(sends, receives);
    assert_int_equal(path.length, 5000000 + 1000000000 + 2000000);
    assert_int_equal(path.count, 1);
    assert_int_equal(path.steps[0].rank, 1);
    assert_int_equal(path.kinds[CRITICAL_COMPUTATION], 5000000);
    critical_path_free(&path);
}

/* Two messages share the link into rank 2: half of the time of the later one is contention. */
static void shared_link_is_contention(void **state)
{
    (void)state;
    const struct call sends[] = {SEND(2, 1, 10000), FINALIZE};
    const struct call receives[] = {RECV(0, 1, 10000), RECV(1, 1, 10000), FINALIZE};
    const struct call *const calls[] = {sends, sends, receives};
    script_path = &path;
    script_run(calls, 3, "packet",
               (const char *const[]){"packet.latency=1us", "packet.bandwidth=1GB/s", NULL}, &outcome);
    script_path = NULL;
    check_path(false);
    assert_int_equal(path.length, 21000000);
    assert_int_equal(path.kinds[CRITICAL_LATENCY], 1000000);
    assert_int_equal(path.kinds[CRITICAL_BANDWIDTH], 10000000);
    assert_int_equal(path.kinds[CRITICAL_CONTENTION], 10000000);
    assert_string_equal(path.longest.what, "its share of the links to node");
    assert_int_equal(path.longest.which, 2);
    assert_true(path.longest_share == 1);
    assert_string_equal(path.steps[0].awaited, "its share of the links to node");
    assert_int_equal(path.steps[0].which, 2);
    critical_path_free(&path);
}

static const char *const protocols[][6] = {
    {NULL},
    {"mpi.eager_threshold=0B", NULL},
    {"mpi.eager_threshold=1kB", "rendezvous.handshakes=1", NULL},
    {"mpi.eager_threshold=1kB", "rendezvous.handshakes=2", NULL},
    {"mpi.eager_threshold=1kB", "rendezvous.handshakes=3", "ranks_per_node=2", NULL},
    {"mpi.eager_done=injected", "ranks_per_node=3", "intranode.latency=300ns", NULL},
    {"mpi.alltoall=bruck", "mpi.alltoall_window=2", NULL},
};
enum { PROTOCOLS = sizeof protocols / sizeof *protocols };

static const char *const path_fabrics[] = {"ideal",   "hockney",    "packet",      "fmu",     "hybrid",
                                           "circuit", "packetised", "tdm-dynamic", "segment", "rotor"};

static void parts_add_up_on_every_fabric(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct random_calls *program = random_calls_make(seed, false);
        for (size_t i = 0; i < sizeof path_fabrics / sizeof *path_fabrics; i++) {
            run(program, path_fabrics[i], protocols[(seed + i) % PROTOCOLS]);
            check_path(false);
            computes_no_longer();
            assert_int_equal(path.kinds[CRITICAL_OTHER], 0);
            critical_path_free(&path);
        }
        free(program);
    }
}

static void parts_add_up_on_rotors(void **state)
{
    (void)state;
    static const char *const settings[][5] = {
        {"rotor.slot=20us", "rotor.guard=2us", "rotor.wire=100ns", NULL},
        {"rotor.hops=2", "rotor.slot=20us", "rotor.cell=1000B", "rotor.wire=100ns", NULL},
        {"rotor.short=8kB", "rotor.switches=2", "rotor.slot=20us", "rotor.wire=100ns", NULL},
        {"rotor.short=8kB", "rotor.switches=2", "rotor.hops=2", "rotor.offset=staggered", NULL},
    };
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct random_calls *program = random_calls_make(seed, false);
        if (program->ranks < 3) { /* two nodes have one matching, and so one switch */
            free(program);
            continue;
        }
        run(program, "rotor", settings[seed % (sizeof settings / sizeof *settings)]);
        check_path(false);
        computes_no_longer();
        assert_int_equal(path.kinds[CRITICAL_OTHER], 0);
        critical_path_free(&path);
        free(program);
    }
}

static void parts_add_up_with_hosts(void **state)
{
    (void)state;
    static const char *const settings[][5] = {
        {"host.system=thunderx2", "hockney.latency=200ns", "packet.latency=200ns", NULL},
        {"host.system=thunderx2", "hockney.latency=200ns", "packet.latency=200ns", "ranks_per_node=2", NULL},
        {"host.system=thunderx2", "hockney.latency=200ns", "packet.latency=200ns", "mpi.eager_threshold=1kB",
         NULL},
        {"host.system=thunderx2", "hockney.latency=200ns", "packet.latency=200ns", "rendezvous.handshakes=3",
         NULL}};
    static const char *const fabrics_with_hosts[] = {"hockney", "packet", "fmu"};
    for (uint64_t seed = 1; seed <= 24; seed++) {
        struct random_calls *program = random_calls_make(seed, false);
        for (size_t i = 0; i < 3; i++) {
            run(program, fabrics_with_hosts[i], settings[seed % 4]);
            check_path(true);
            computes_no_longer();
            assert_true(path.kinds[CRITICAL_SOFTWARE] > 0 || path.count == 0);
            critical_path_free(&path);
        }
        free(program);
    }
}

/* The makespan of the program when one setting is another. */
static ps_t makespan_with(const struct random_calls *program, const char *const *protocol,
                          const char *compute, const char *latency)
{
    const char *settings[10] = {compute, latency};
    for (size_t i = 0; protocol[i]; i++)
        settings[i + 2] = protocol[i];
    run(program, "hockney", settings);
    return outcome.makespan;
}

/* Without contention the makespan is a maximum over paths of sums, so it is convex in every time, and the
 * critical path's part of that time lies between its slopes on both sides. A path that is wrong somewhere
 * fails here. */
static void check_that_it_decides(void)
{
    for (uint64_t seed = 1; seed <= 120; seed++) {
        struct random_calls *program = random_calls_make(seed, false);
        const char *const *protocol = protocols[seed % PROTOCOLS];
        const char *scale = "compute.scale=12", *latency = "hockney.latency=2us";
        ps_t longer = makespan_with(program, protocol, scale, "hockney.latency=2000010ps");
        critical_path_free(&path);
        ps_t shorter = makespan_with(program, protocol, scale, "hockney.latency=1999990ps");
        critical_path_free(&path);
        ps_t more = makespan_with(program, protocol, "compute.scale=12.012", latency);
        critical_path_free(&path);
        ps_t less = makespan_with(program, protocol, "compute.scale=11.988", latency);
        critical_path_free(&path);
        ps_t now = makespan_with(program, protocol, scale, latency);

        ps_t latencies = path.kinds[CRITICAL_LATENCY];
        if (strcmp(protocol[0] ? protocol[0] : "", "mpi.eager_done=injected") != 0) {
            assert_int_equal(latencies % 2000000, 0);
            assert_true(longer - now >= latencies / 200000);
            assert_true(now - shorter <= latencies / 200000);
        }
        assert_true(more - now >= path.kinds[CRITICAL_COMPUTATION] / 1000);
        assert_true(now - less <= path.kinds[CRITICAL_COMPUTATION] / 1000);
        critical_path_free(&path);
        free(program);
    }
}

static void path_decides_the_makespan(void **state)
{
    (void)state;
    check_that_it_decides();
}

static void path_of_the_graph_decides_too(void **state)
{
    (void)state;
    script_as_graph = true;
    check_that_it_decides();
    script_as_graph = false;
}

/* Two ranks exchange a message again and again, so the path has all messages. If a run keeps few steps, the
 * list has the last ones, and all sums are the same. */
static void what_is_forgotten_is_summed(void **state)
{
    (void)state;
    enum { EXCHANGES = 200, KEPT = 16 };
    struct call first[2 * EXCHANGES + 1], second[2 * EXCHANGES + 1];
    for (int i = 0; i < EXCHANGES; i++) {
        const struct call there = SEND(1, 1, 1000 + i), from = RECV(0, 1, 1000 + i);
        const struct call back = SEND(0, 1, 8), here = RECV(1, 1, 8);
        first[2 * i] = there;
        first[2 * i + 1] = here;
        second[2 * i] = from;
        second[2 * i + 1] = back;
    }
    const struct call last = FINALIZE;
    first[2 * EXCHANGES] = second[2 * EXCHANGES] = last;
    run_pair(first, second);
    struct critical_path all = path;
    script_path_keep = KEPT;
    run_pair(first, second);
    script_path_keep = CRITICAL_KEEP;
    assert_int_equal(all.count, 2 * EXCHANGES);
    assert_int_equal(all.listed_since, 0);
    assert_int_equal(path.rank, all.rank);
    assert_int_equal(path.messages, all.messages);
    assert_memory_equal(path.kinds, all.kinds, sizeof all.kinds);
    assert_true(path.listed_since > 0);
    assert_true(path.count >= KEPT && path.count <= 2 * KEPT);
    for (size_t i = 1; i <= path.count; i++)
        assert_int_equal(path.steps[path.count - i].end, all.steps[all.count - i].end);
    critical_path_free(&path);
    critical_path_free(&all);
}

/* Without a list the sums are the same, on every fabric and with hosts. */
static void sums_need_no_list(void **state)
{
    (void)state;
    static const char *const host[] = {"host.system=thunderx2", "hockney.latency=200ns",
                                       "packet.latency=200ns", NULL};
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct random_calls *program = random_calls_make(seed, false);
        for (size_t i = 0; i < sizeof path_fabrics / sizeof *path_fabrics; i++) {
            bool has_host = i == 1 || i == 2;
            const char *const *settings = has_host ? host : protocols[(seed + i) % PROTOCOLS];
            run(program, path_fabrics[i], settings);
            struct critical_path listed = path;
            script_path_keep = 0;
            run(program, path_fabrics[i], settings);
            script_path_keep = CRITICAL_KEEP;
            assert_int_equal(path.count, 0);
            assert_int_equal(path.rank, listed.rank);
            assert_int_equal(sum_of(path.kinds), outcome.makespan);
            assert_memory_equal(path.kinds, listed.kinds, sizeof listed.kinds);
            critical_path_free(&path);
            critical_path_free(&listed);
        }
        free(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path_of_one_message),
        cmocka_unit_test(receiver_that_comes_late_is_on_the_path),
        cmocka_unit_test(shared_link_is_contention),
        cmocka_unit_test(parts_add_up_on_every_fabric),
        cmocka_unit_test(parts_add_up_on_rotors),
        cmocka_unit_test(parts_add_up_with_hosts),
        cmocka_unit_test(path_decides_the_makespan),
        cmocka_unit_test(path_of_the_graph_decides_too),
        cmocka_unit_test(what_is_forgotten_is_summed),
        cmocka_unit_test(sums_need_no_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
