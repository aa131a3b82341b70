/* Slack: how much longer a message could take, or how much later a rank could be, without a longer run. The
 * witness is the simulator itself: on a fabric without contention a message that takes its slack longer
 * leaves the makespan, and each picosecond more makes it a picosecond longer; the same for a rank that
 * computes longer before one of its calls. What the critical path has is without slack, on every fabric. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "engine/rank/message_state.h"
#include "engine/slack_graph.h"
#include "fabric/list.h"
#include "fabric/message.h"
#include "support/random_calls.h"
#include "support/sanitizer.h"

/* Fewer random programs where each takes long. */
#define SEEDS(number) (HAS_SANITIZER ? (number) / 3 : (number))

static struct script_outcome outcome;
static struct critical_path path;
static struct slack_result slack;

/* --------------------------------------------------- a message that differs */

/* Hockney's fabric, on which the message that is the `changed`-th to be sent takes `longer`. */
static struct {
    struct fabric_ops ops;
    void (*submit)(struct fabric *fabric, uint32_t index);
    struct fabric_callbacks inner;
    size_t sent, changed;
    uint32_t index; /* of the changed message, while it is under way; POOL_NONE: it is not */
    ps_t longer, now, took;
} changing = {.changed = SIZE_MAX, .index = POOL_NONE};

static void count_sent(void *self, const struct tap_record *record)
{
    (void)self;
    if (record->kind == TAP_FINISHED && record->index == changing.index)
        changing.index = POOL_NONE;
    if (record->kind == TAP_SENT && changing.sent++ == changing.changed)
        changing.index = record->index;
}

static void listen(struct tap *tap)
{
    tap_handle(tap, TAP_BIT(TAP_SENT) | TAP_BIT(TAP_FINISHED), count_sent, NULL);
}

static void visible(void *self, uint32_t index, ps_t at)
{
    (void)self;
    changing.inner.visible(changing.inner.self, index, at);
}

static void sender_done(void *self, uint32_t index, ps_t at)
{
    (void)self;
    changing.inner.sender_done(changing.inner.self, index, ps_max(changing.now, at + changing.longer));
}

/* What follows at once is not the changed message. */
static void delivered(void *self, uint32_t index, ps_t at)
{
    ((struct fabric *)self)->params.callbacks = changing.inner;
    changing.took = at - changing.now;
    changing.inner.delivered(changing.inner.self, index, ps_max(changing.now, at + changing.longer));
}

static void submit_changed(struct fabric *fabric, uint32_t index)
{
    if (index != changing.index || (fabric_message(fabric, index)->state & MESSAGE_CONTROL)) {
        changing.submit(fabric, index);
        return;
    }
    changing.inner = fabric->params.callbacks;
    changing.now = fabric_now(fabric);
    fabric->params.callbacks = (struct fabric_callbacks){
        .self = fabric, .visible = visible, .sender_done = sender_done, .delivered = delivered};
    changing.submit(fabric, index);
}

static int add_fabric(void **state)
{
    (void)state;
    changing.ops = *fabric_find("hockney");
    changing.ops.name = "changing";
    changing.ops.params = NULL;
    changing.submit = changing.ops.submit;
    changing.ops.submit = submit_changed;
    script_listen = listen;
    return fabric_add(&changing.ops) == STATUS_OK ? 0 : -1;
}

/* --------------------------------------------------------------------- runs */

static void run(const struct random_calls *program, const char *fabric, const char *const *settings)
{
    const char *all[16] = {"compute.rate=1Tflop/s", "hockney.latency=2us", "hockney.bandwidth=1GB/s"};
    size_t count = 3;
    for (size_t i = 0; settings[i]; i++)
        all[count++] = settings[i];
    changing.sent = 0;
    changing.index = POOL_NONE;
    script_run(program->lists, program->ranks, fabric, all, &outcome);
    if (outcome.status != STATUS_OK)
        fail_msg("%s: %s", fabric, outcome.said);
}

/* With path and slack. */
static void run_recorded(const struct random_calls *program, const char *fabric, const char *const *settings)
{
    changing.changed = SIZE_MAX;
    script_path = &path;
    script_slack = &slack;
    run(program, fabric, settings);
    script_path = NULL;
    script_slack = NULL;
    assert_int_equal(slack.message_count, outcome.message_total);
}

static void free_recorded(void)
{
    critical_path_free(&path);
    slack_result_free(&slack);
}

/* The makespan where one message takes longer, or shorter where `longer` is below 0. */
static ps_t makespan_with(const struct random_calls *program, const char *const *settings, size_t message,
                          ps_t longer)
{
    changing.changed = message;
    changing.longer = longer;
    run(program, "changing", settings);
    return outcome.makespan;
}

/* The makespan where a rank computes longer before one of its calls, or behind the last, which waits. */
static ps_t makespan_behind(struct random_calls *program, const char *const *settings, uint32_t rank,
                            uint32_t before, ps_t longer)
{
    static struct call longer_list[RANDOM_CALLS + 2];
    const struct call burst = COMPUTE((double)longer), wait = WAITALL;
    uint32_t count = 0;
    for (uint32_t at = 0; at < program->count[rank]; at++) {
        const bool is_last = at + 1 == program->count[rank];
        if (is_last && before > at)
            longer_list[count++] = wait;
        if (at == before || (is_last && before > at))
            longer_list[count++] = burst;
        longer_list[count++] = program->calls[rank][at];
    }
    program->lists[rank] = longer_list;
    changing.changed = SIZE_MAX;
    run(program, "hockney", settings);
    program->lists[rank] = program->calls[rank];
    return outcome.makespan;
}

static const char *const protocols[][5] = {
    {NULL},
    {"mpi.eager_threshold=0B", NULL},
    {"mpi.eager_threshold=1kB", "rendezvous.handshakes=1", NULL},
    {"mpi.eager_threshold=1kB", "rendezvous.handshakes=2", NULL},
    {"mpi.eager_threshold=1kB", "rendezvous.handshakes=3", NULL},
    {"mpi.eager_done=injected", NULL},
    {"mpi.alltoall=bruck", "mpi.alltoall_window=2", NULL},
};
enum { PROTOCOLS = sizeof protocols / sizeof *protocols };

/* ------------------------------------------------------------- closed forms */

static struct random_calls *program_of(const struct call *const *calls, uint32_t ranks)
{
    struct random_calls *program = calloc(1, sizeof *program);
    program->ranks = ranks;
    for (uint32_t rank = 0; rank < ranks; rank++)
        program->lists[rank] = calls[rank];
    return program;
}

/* Ranks 0 and 1 send to rank 2, which waits for both: 3 us and 5 us, from 10 us and 1 us on. So the first is
 * there after 13 us, the second after 6 us. Rank 3 computes 4 us, and nobody waits for it. */
static void slack_of_two_messages(void **state)
{
    (void)state;
    const struct call first[] = {COMPUTE(10000000), SEND(2, 1, 1000), FINALIZE};
    const struct call second[] = {COMPUTE(1000000), SEND(2, 1, 3000), FINALIZE};
    const struct call third[] = {IRECV(0, 1, 1000, SLOT_FIRST), IRECV(1, 1, 3000, SLOT_FIRST + 1), WAITALL,
                                 COMPUTE(1000000), FINALIZE};
    const struct call fourth[] = {COMPUTE(4000000), FINALIZE};
    const struct call *const calls[] = {first, second, third, fourth};
    struct random_calls *program = program_of(calls, 4);
    run_recorded(program, "hockney", protocols[0]);
    assert_int_equal(outcome.makespan, 14000000);
    assert_int_equal(slack.message_count, 2);
    assert_int_equal(slack.messages[0].source, 1);
    assert_int_equal(slack.sent[0], 1000000);
    assert_int_equal(slack.of_messages[0], 7000000);
    assert_int_equal(slack.of_messages[1], 0);
    assert_int_equal(slack.of_ranks[0], 0);
    assert_int_equal(slack.of_ranks[1], 7000000);
    assert_int_equal(slack.of_ranks[2], 0);
    assert_int_equal(slack.of_ranks[3], 10000000);
    assert_int_equal(slack.gain_count, 1);
    assert_int_equal(slack.gains[0].message, 1);
    assert_int_equal(slack.gains[0].gain, 4000000); /* then rank 0 ends as late as rank 2 */
    free_recorded();
    free(program);
}

/* A rendezvous message waits for its receive, which is posted at 5 us. */
static void sender_of_a_late_receive_has_slack(void **state)
{
    (void)state;
    const struct call sends[] = {COMPUTE(1000000), SEND(1, 1, 1000000), FINALIZE};
    const struct call receives[] = {COMPUTE(5000000), RECV(0, 1, 1000000), FINALIZE};
    const struct call *const calls[] = {sends, receives};
    struct random_calls *program = program_of(calls, 2);
    run_recorded(program, "hockney", protocols[0]);
    assert_int_equal(slack.of_ranks[0], 0); /* it ends with the message */
    assert_int_equal(slack.of_ranks[1], 0);
    assert_int_equal(slack.of_messages[0], 0);
    assert_true(slack.gains[0].gain == PS_NEVER || slack.gains[0].gain > outcome.makespan / 2);
    free_recorded();
    free(program);
}

/* A message that is there before its receive is posted can be later by that. */
static void message_before_its_receive_has_slack(void **state)
{
    (void)state;
    const struct call sends[] = {SEND(1, 1, 1000), FINALIZE};
    const struct call receives[] = {COMPUTE(5000000), RECV(0, 1, 1000), COMPUTE(1000000), FINALIZE};
    const struct call *const calls[] = {sends, receives};
    struct random_calls *program = program_of(calls, 2);
    run_recorded(program, "hockney", protocols[0]);
    assert_int_equal(slack.of_messages[0], 2000000);
    assert_int_equal(slack.of_ranks[0], 2000000);
    free_recorded();
    free(program);
}

/* Rank 2 takes what comes first: the message of rank 0, of which the receive learns at 4 us. Rank 1 sends at
 * 6 us, its message is there after 9 us, and the receive for it has been posted before. */
static void receives_from_any_source(void **state)
{
    (void)state;
    const char *const large[] = {"mpi.eager_threshold=0B", "rendezvous.handshakes=1", NULL};
    const struct call first[] = {COMPUTE(2000000), POST(2, 1, 1000), FINALIZE};
    const struct call second[] = {COMPUTE(6000000), POST(2, 1, 1000), FINALIZE};
    const struct call third[] = {COLLECT(CALL_ANY_SOURCE, 1, 1000), COLLECT(CALL_ANY_SOURCE, 1, 1000),
                                 FINALIZE};
    const struct call *const calls[] = {first, second, third};
    struct random_calls *program = program_of(calls, 3);
    run_recorded(program, "hockney", large);
    assert_int_equal(outcome.makespan, 6000000 + 2000000 + 3000000);
    assert_int_equal(slack.of_messages[0],
                     1000000); /* the second receive is posted at 7 us, and bound at 8 us */
    assert_int_equal(slack.of_messages[1], 0);
    assert_int_equal(slack.of_ranks[0], 1000000);
    assert_int_equal(slack.of_ranks[1], 0);
    free_recorded();
    free(program);
}

/* ---------------------------------------------------------- random programs */

/* Beyond its slack a message makes the run longer by as much. */
static void messages_have_their_slack(uint64_t seeds, size_t tried)
{
    const ps_t more = 777;
    size_t with_slack = 0, without = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct random_calls *program = random_calls_make(seed, false);
        const char *const *protocol = protocols[seed % PROTOCOLS];
        run_recorded(program, "hockney", protocol);
        const ps_t whole = outcome.makespan;
        for (size_t i = 0; i < slack.message_count; i += 1 + slack.message_count / tried) {
            const ps_t of_this = slack.of_messages[i];
            assert_true(of_this >= 0 && of_this < PS_NEVER);
            assert_int_equal(makespan_with(program, protocol, i, of_this), whole);
            assert_int_equal(makespan_with(program, protocol, i, of_this + more), whole + more);
            with_slack += of_this > 0;
            without += of_this == 0;
        }
        free_recorded();
        free(program);
    }
    assert_true(with_slack >= seeds && without >= seeds);
}

static void a_message_has_its_slack(void **state)
{
    (void)state;
    messages_have_their_slack(SEEDS(70), 12);
}

static void in_a_graph_too(void **state)
{
    (void)state;
    script_as_graph = true;
    messages_have_their_slack(SEEDS(70), 12);
    script_as_graph = false;
}

/* A message without slack that gets shorter makes the run as much shorter, up to its gain. */
static void a_shorter_message_gains(void **state)
{
    (void)state;
    size_t shorter = 0, held = 0;
    for (uint64_t seed = 1; seed <= SEEDS(60); seed++) {
        struct random_calls *program = random_calls_make(seed, false);
        const char *const *protocol = protocols[seed % 5];
        run_recorded(program, "hockney", protocol);
        const ps_t whole = outcome.makespan;
        for (size_t i = 0; i < slack.gain_count; i += 1 + slack.gain_count / 10) {
            const size_t message = slack.gains[i].message;
            const ps_t gain = slack.gains[i].gain;
            assert_int_equal(slack.of_messages[message], 0);
            const ps_t all = makespan_with(program, protocol, message, INT64_MIN / 2);
            const ps_t took = changing.took, most = gain < took ? gain : took;
            assert_int_equal(all, whole - most);
            assert_int_equal(makespan_with(program, protocol, message, -most), whole - most);
            assert_int_equal(makespan_with(program, protocol, message, -most / 2), whole - most / 2);
            shorter += most > 0;
            held += gain < took;
        }
        free_recorded();
        free(program);
    }
    assert_true(shorter >= SEEDS(60) && held >= SEEDS(60));
}

/* Wherever a rank computes longer by its slack, the run is as long; somewhere it is longer with more. */
static void a_rank_has_its_slack(void **state)
{
    (void)state;
    const ps_t more = 777;
    size_t with_slack = 0;
    for (uint64_t seed = 1; seed <= SEEDS(35); seed++) {
        struct random_calls *program = random_calls_make(seed, false);
        const char *const *protocol = protocols[seed % PROTOCOLS];
        run_recorded(program, "hockney", protocol);
        const ps_t whole = outcome.makespan;
        for (uint32_t rank = 0; rank < program->ranks; rank += 3) {
            const ps_t of_this = slack.of_ranks[rank];
            ps_t longest = 0;
            for (uint32_t before = 0; before <= program->count[rank]; before++) {
                assert_int_equal(makespan_behind(program, protocol, rank, before, of_this), whole);
                longest = ps_max(longest, makespan_behind(program, protocol, rank, before, of_this + more));
            }
            assert_int_equal(longest, whole + more);
            with_slack += of_this > 0;
        }
        free_recorded();
        free(program);
    }
    assert_true(with_slack >= SEEDS(10));
}

/* ----------------------------------------------------------------- the path */

/* The message of a step: the number-th of its source. */
static size_t message_of(const struct critical_step *step)
{
    uint64_t number = 0;
    for (size_t i = 0; i < slack.message_count; i++)
        if (slack.messages[i].source == step->source && ++number == step->number)
            return i;
    fail_msg("there is no message %u:%llu", step->source, (unsigned long long)step->number);
    return 0;
}

static void check_path(void)
{
    for (size_t i = 0; i < slack.message_count; i++)
        assert_true(slack.of_messages[i] >= 0);
    for (uint32_t rank = 0; rank < slack.ranks; rank++)
        assert_true(slack.of_ranks[rank] >= 0 && slack.of_ranks[rank] < PS_NEVER);
    assert_int_equal(slack.of_ranks[path.rank], 0);
    for (size_t i = 0; i < path.count; i++) {
        const struct critical_step *step = &path.steps[i];
        if (step->computed > 0)
            assert_int_equal(slack.of_ranks[step->rank], 0);
        if (step->is_signal)
            continue;
        const size_t message = message_of(step);
        assert_int_equal(slack.of_messages[message], 0);
        assert_int_equal(slack.messages[message].destination, step->destination);
        assert_int_equal(slack.messages[message].bytes, step->bytes);
    }
    for (size_t i = 0; i < slack.gain_count; i++) {
        assert_int_equal(slack.of_messages[slack.gains[i].message], 0);
        assert_true(slack.gains[i].gain >= 0);
    }
}

static const char *const path_fabrics[] = {"ideal",   "hockney", "packet",     "fmu",
                                           "hybrid",  "circuit", "packetised", "tdm-dynamic",
                                           "segment", "rotor",   "ocs"};

static void the_path_has_no_slack(void **state)
{
    (void)state;
    const struct {
        const char *settings[5];
    } more[] = {{{"ranks_per_node=2", "rendezvous.handshakes=3", "mpi.eager_threshold=1kB"}},
                {{"ranks_per_node=3", "mpi.eager_done=injected"}},
                {{"ranks_per_node=3", "mpi.allreduce=leaders", "mpi.bcast=leaders", "mpi.barrier=leaders"}}};
    for (uint64_t seed = 1; seed <= SEEDS(45); seed++) {
        struct random_calls *program = random_calls_make(seed, false);
        script_as_graph = seed % 3 == 0;
        for (size_t i = 0; i < sizeof path_fabrics / sizeof *path_fabrics; i++) {
            const size_t which = (seed + i) % (PROTOCOLS + 2);
            run_recorded(program, path_fabrics[i],
                         which < PROTOCOLS ? protocols[which] : more[which - PROTOCOLS].settings);
            check_path();
            free_recorded();
        }
        script_as_graph = false;
        free(program);
    }
}

static void with_hosts_too(void **state)
{
    (void)state;
    static const char *const settings[][5] = {
        {"host.system=thunderx2", "hockney.latency=200ns", "packet.latency=200ns"},
        {"host.system=thunderx2", "hockney.latency=200ns", "packet.latency=200ns", "ranks_per_node=2"},
        {"host.system=thunderx2", "hockney.latency=200ns", "packet.latency=200ns", "rendezvous.handshakes=3"},
        {"host.send=100ns", "host.receive=200ns", "nic.latency=50ns", "mpi.eager_threshold=1kB"}};
    static const char *const with_hosts[] = {"hockney", "packet", "fmu"};
    for (uint64_t seed = 1; seed <= SEEDS(30); seed++) {
        struct random_calls *program = random_calls_make(seed, false);
        for (size_t i = 0; i < 3; i++) {
            run_recorded(program, with_hosts[i], settings[seed % 4]);
            check_path();
            free_recorded();
        }
        free(program);
    }
}

/* ----------------------------------------------------------------- the list */

/* Ranks that send and wait at random, beside a list of needs of our own. */
enum { DRAWN_RANKS = 4, DRAWN_STEPS = 60 };
static struct {
    struct slack *slack;
    struct slack_strand strands[DRAWN_RANKS];
    ps_t now[DRAWN_RANKS];
    struct slack_need needs[4 * DRAWN_STEPS];
    size_t need_count;
    struct slack_moment arrivals[DRAWN_STEPS]; /* of messages for which nobody has waited */
    size_t arrival_count;
} drawn;

static void note(uint32_t event, struct slack_moment moment)
{
    drawn.needs[drawn.need_count++] =
        (struct slack_need){.event = event, .of = moment.event, .at = moment.at};
}

static void draw_send(struct rng *rng, uint32_t rank)
{
    const struct slack_message message = {.source = rank};
    const struct slack_moment sent = slack_moment(&drawn.strands[rank], drawn.now[rank]);
    const uint32_t event = slack_send(drawn.slack, sent, &message);
    note(event, sent);
    drawn.arrivals[drawn.arrival_count++] =
        (struct slack_moment){.event = event, .at = sent.at + 1 + (ps_t)rng_below(rng, 30)};
}

/* For up to three messages. */
static void draw_wait(struct rng *rng, uint32_t rank)
{
    struct slack_strand *strand = &drawn.strands[rank];
    for (uint64_t left = 1 + rng_below(rng, 3); left > 0 && drawn.arrival_count > 0; left--) {
        const size_t chosen = rng_below(rng, drawn.arrival_count);
        slack_await(drawn.slack, strand, drawn.arrivals[chosen]);
        note(strand->next, drawn.arrivals[chosen]);
        drawn.arrivals[chosen] = drawn.arrivals[--drawn.arrival_count];
    }
    if (strand->next == SLACK_NONE)
        return;
    note(strand->next, slack_moment(strand, drawn.now[rank]));
    slack_go_on(drawn.slack, strand, drawn.now[rank], 0);
    drawn.now[rank] = slack_happens(drawn.slack, strand->event).at;
}

static void draw(uint64_t seed)
{
    struct rng rng = rng_init(seed, "test_slack");
    memset(&drawn, 0, sizeof drawn);
    drawn.slack = slack_open(DRAWN_RANKS, false);
    for (uint32_t rank = 0; rank < DRAWN_RANKS; rank++)
        drawn.strands[rank] = slack_rank(rank);
    for (int i = 0; i < DRAWN_STEPS; i++) {
        const uint32_t rank = (uint32_t)rng_below(&rng, DRAWN_RANKS);
        drawn.now[rank] += (ps_t)rng_below(&rng, 20);
        (rng_below(&rng, 2) ? draw_send : draw_wait)(&rng, rank);
    }
    for (uint32_t rank = 0; rank < DRAWN_RANKS; rank++) {
        note(SLACK_END, slack_moment(&drawn.strands[rank], drawn.now[rank]));
        slack_end(drawn.slack, slack_moment(&drawn.strands[rank], drawn.now[rank]));
    }
}

/* When the end happens if all moments of an event are later by `longer`. */
static ps_t end_with(uint32_t event, ps_t longer)
{
    static ps_t plain[4 * DRAWN_STEPS], times[4 * DRAWN_STEPS];
    memset(plain, 0, sizeof plain);
    memset(times, 0, sizeof times);
    for (size_t i = 0; i < drawn.need_count; i++) {
        const struct slack_need *need = &drawn.needs[i];
        const ps_t behind = need->at - plain[need->of];
        plain[need->event] = ps_max(plain[need->event], need->at);
        times[need->event] =
            ps_max(times[need->event], times[need->of] + behind + (need->of == event ? longer : 0));
    }
    return times[SLACK_END];
}

static void a_list_of_needs_is_passed_once(void **state)
{
    (void)state;
    size_t with_slack = 0, unlimited = 0, gained = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        draw(seed);
        struct slack_result found;
        const ps_t whole = end_with(SLACK_NONE, 0);
        assert_true(slack_find(drawn.slack, 1, &found));
        for (size_t i = 0; i < found.message_count; i++) {
            const uint32_t event = found.messages[i].event;
            const ps_t of_this = found.of_messages[i];
            unlimited += of_this == PS_NEVER;
            with_slack += of_this > 0 && of_this < PS_NEVER;
            assert_int_equal(end_with(event, of_this == PS_NEVER ? 1000000 : of_this), whole);
            if (of_this < PS_NEVER)
                assert_int_equal(end_with(event, of_this + 7), whole + 7);
        }
        for (size_t i = 0; i < found.gain_count; i++) {
            const uint32_t event = found.messages[found.gains[i].message].event;
            const ps_t gain = found.gains[i].gain;
            assert_int_equal(found.of_messages[found.gains[i].message], 0);
            assert_true(gain < PS_NEVER); /* no message is on all chains: other ranks end too */
            assert_int_equal(end_with(event, -gain), whole - gain);
            assert_int_equal(end_with(event, -gain - 7), whole - gain);
            gained += gain > 0;
        }
        slack_result_free(&found);
        slack_close(drawn.slack);
    }
    assert_true(with_slack >= 2000 && unlimited >= 2000 && gained >= 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slack_of_two_messages),
        cmocka_unit_test(sender_of_a_late_receive_has_slack),
        cmocka_unit_test(message_before_its_receive_has_slack),
        cmocka_unit_test(receives_from_any_source),
        cmocka_unit_test(a_message_has_its_slack),
        cmocka_unit_test(in_a_graph_too),
        cmocka_unit_test(a_shorter_message_gains),
        cmocka_unit_test(a_rank_has_its_slack),
        cmocka_unit_test(the_path_has_no_slack),
        cmocka_unit_test(with_hosts_too),
        cmocka_unit_test(a_list_of_needs_is_passed_once),
    };
    return cmocka_run_group_tests(tests, add_fabric, NULL);
}
