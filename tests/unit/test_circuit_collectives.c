/* Collectives on circuit switches: worked examples, the choice against all sequences of configurations, steps
 * against the prover's counts, loads against a walk from rank to rank, times against a replay of packets, and
 * the bound below all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "coll/prove.h"
#include "schedule/collective/bound.h"
#include "schedule/collective/choice.h"
#include "support/sanitizer.h"

/* A byte takes 1 ns, and each circuit on the way 100 ns. */
static struct collective_network network_of(uint32_t switches)
{
    return (struct collective_network){.switches = switches,
                                       .rate_bytes_per_s = 1000000000,
                                       .latency_ps = 100 * PS_PER_NS,
                                       .packet_rate_bytes_per_s = 1000000000 * (uint64_t)switches,
                                       .packet_latency_ps = 120 * PS_PER_NS};
}

struct tried {
    struct collective_steps steps;
    struct collective_space space;
};

static void open_steps(struct tried *tried, const struct coll_algorithm *algorithm,
                       const struct collective_task *collective, const struct collective_network *network)
{
    if (!collective_steps_init(&tried->steps, algorithm, collective, network->switches))
        fail_msg("%s of %s has messages that do not match", algorithm->name, coll_kind_name(algorithm->kind));
    collective_space_init(&tried->space, &tried->steps, network);
}

static void open_named(struct tried *tried, enum coll_kind kind, const char *name, uint32_t ranks,
                       uint64_t bytes, const struct collective_network *network)
{
    open_steps(tried, coll_find(kind, name), &(struct collective_task){kind, ranks, bytes}, network);
}

static void shut(struct tried *tried)
{
    collective_space_free(&tried->space);
    collective_steps_free(&tried->steps);
}

static struct collective_way choose(const struct tried *tried, ps_t switching_ps)
{
    uint32_t *up = mem_alloc((size_t)tried->steps.count + 1, sizeof *up, "a plan");
    struct collective_way way = collective_choose(&tried->space, switching_ps, up);
    free(up);
    return way;
}

/* Each algorithm, with several numbers of ranks, sizes and switches. Few of those that are made for nodes are
 * none of the others, so they have one size. */
static void for_all(const uint32_t *ranks, size_t rank_counts,
                    void (*check)(const struct tried *tried, const struct coll_algorithm *algorithm,
                                  const struct collective_task *collective,
                                  const struct collective_network *network))
{
    static const uint64_t sizes[] = {0, 8, 150};
    for (size_t a = 0; coll_algorithms[a]; a++)
        for (size_t r = 0; r < rank_counts && collective_is_known(coll_algorithms[a]->kind); r++)
            for (size_t s = collective_is_for_nodes(coll_algorithms[a]) ? 2 : 0; s < 3; s++)
                for (uint32_t switches = 1; switches <= 3; switches++) {
                    struct tried tried;
                    struct collective_task collective = {coll_algorithms[a]->kind, ranks[r], sizes[s]};
                    struct collective_network network = network_of(switches);
                    open_steps(&tried, coll_algorithms[a], &collective, &network);
                    check(&tried, coll_algorithms[a], &collective, &network);
                    shut(&tried);
                }
}

/* ----------------------------------------------------------------- examples */

/* Recursive doubling of 1000 B on 4 ranks. On the ring, 1 -> 0 and 3 -> 2 take 3 hops, and each circuit
 * carries two messages: 300 + 2000 ns. Distance 2 takes 2 hops, with two messages on each circuit. */
static void recursive_doubling_changes_twice_or_not_at_all(void **state)
{
    (void)state;
    struct tried tried;
    struct collective_network network = network_of(1);
    open_named(&tried, COLL_ALLREDUCE, "recursive-doubling", 4, 1000, &network);
    assert_int_equal(tried.steps.count, 2);
    assert_int_equal(collective_kept(&tried.space).time_ps, (2300 + 2200) * PS_PER_NS);
    struct collective_way every = collective_every(&tried.space, 500 * PS_PER_NS);
    assert_int_equal(every.time_ps, (2 * 500 + 2 * 1100) * PS_PER_NS);
    assert_int_equal(every.changes, 2);
    assert_int_equal(choose(&tried, 1149 * PS_PER_NS).time_ps, (2 * 1149 + 2200) * PS_PER_NS);
    assert_int_equal(choose(&tried, 1149 * PS_PER_NS).changes, 2);
    assert_int_equal(choose(&tried, 1150 * PS_PER_NS).time_ps, 4500 * PS_PER_NS);
    assert_int_equal(choose(&tried, 1150 * PS_PER_NS).changes, 0);
    shut(&tried);
}

/* Bruck's alltoall of 16 ranks sends 8 blocks over the distances 1, 2, 4 and 8. On circuits of distance 4,
 * distance 8 takes two hops. */
static void bruck_keeps_circuits_for_twice_the_distance(void **state)
{
    (void)state;
    struct tried tried;
    uint32_t up[4];
    struct collective_network network = network_of(1);
    open_named(&tried, COLL_ALLTOALL, "bruck", 16, 100, &network);
    struct collective_way way = collective_choose(&tried.space, 1500 * PS_PER_NS, up);
    assert_int_equal(way.changes, 1);
    assert_int_equal(way.time_ps, (1500 + 6 * 100 + 6 * 800) * PS_PER_NS);
    assert_string_equal(tried.space.configurations[up[1]].name, "ring");
    assert_string_equal(tried.space.configurations[up[2]].name, "r + 4");
    assert_int_equal(up[2], up[3]);
    shut(&tried);
}

/* A ring never changes, and two switches halve the time of its bytes. */
static void several_switches_share_messages(void **state)
{
    (void)state;
    struct tried tried;
    struct collective_network network = network_of(2);
    open_named(&tried, COLL_ALLGATHER, "ring", 8, 1000, &network);
    assert_int_equal(choose(&tried, 0).time_ps, 7 * 600 * PS_PER_NS);
    assert_int_equal(choose(&tried, 0).changes, 0);
    shut(&tried);
    /* 16 ranks: rings of the distances 1 and 4 are all that two rings need. */
    open_named(&tried, COLL_ALLGATHER, "two-rings", 16, 1000, &network);
    assert_int_equal(collective_kept(&tried.space).time_ps, (3 * 1100 + 3 * 4100) * PS_PER_NS);
    shut(&tried);
    open_named(&tried, COLL_ALLTOALL, "linear", 5, 1000, &network);
    /* Distances 1 and 2 are a step, 3 and 4 another one. Both rings lead on: half of each message goes over
     * each, 1 + 2 and then 3 + 4 hops. */
    assert_int_equal(tried.steps.count, 2);
    assert_int_equal(collective_kept(&tried.space).time_ps, (200 + 1500 + 400 + 3500) * PS_PER_NS);
    assert_int_equal(choose(&tried, 0).time_ps, 2 * 1100 * PS_PER_NS);
    shut(&tried);
}

/* "Short-circuiting Rings" (arXiv 2510.03491): on rings both ways, halving and doubling takes as many hops as
 * the ring, with more bytes on a circuit. */
static void halving_takes_the_hops_of_a_ring(void **state)
{
    (void)state;
    for (uint32_t ranks = 8; ranks <= 64; ranks *= 2) {
        static const char *const names[] = {"ring", "rabenseifner"};
        uint64_t bytes[2] = {0, 0};
        for (int i = 0; i < 2; i++) {
            struct tried tried;
            struct collective_network network = network_of(2);
            uint32_t hops = 0;
            open_named(&tried, COLL_ALLREDUCE, names[i], ranks, 64 * 1024, &network);
            assert_string_equal(tried.space.configurations[1].name, "ring, r - 1");
            for (uint32_t step = 0; step < tried.steps.count; step++) {
                hops += tried.space.loads[(size_t)step * tried.space.count + 1].hops;
                bytes[i] += tried.space.loads[(size_t)step * tried.space.count + 1].bytes;
            }
            assert_int_equal(hops, 2 * (ranks - 1));
            shut(&tried);
        }
        assert_true(bytes[1] > bytes[0]);
    }
}

static void a_packet_network_takes_a_latency_for_each_round(void **state)
{
    (void)state;
    struct tried tried;
    struct collective_network network = network_of(1);
    open_named(&tried, COLL_ALLTOALL, "linear", 5, 1000, &network);
    assert_int_equal(tried.steps.rounds, 1);
    assert_int_equal(collective_packet_ps(&tried.steps, &network), (120 + 4000) * PS_PER_NS);
    shut(&tried);
    open_named(&tried, COLL_BCAST, "binomial", 8, 1000, &network);
    assert_int_equal(collective_packet_ps(&tried.steps, &network), 3 * 1120 * PS_PER_NS);
    shut(&tried);
}

/* A binomial tree of 8 ranks sends 0 -> 4; then 0 -> 2 and 4 -> 6; then 0 -> 1, 2 -> 3, 4 -> 5 and 6 -> 7.
 * The first step leaves free the ports of 4 -> 6, 2 -> 3 and 6 -> 7. */
static void free_ports_have_the_circuits_of_later_steps(void **state)
{
    (void)state;
    static const uint32_t next[8] = {4, CIRCUIT_UNSET, 3, CIRCUIT_UNSET, 6, CIRCUIT_UNSET, 7, CIRCUIT_UNSET};
    struct tried tried;
    struct collective_network network = network_of(1);
    open_named(&tried, COLL_BCAST, "binomial", 8, 1000, &network);
    const struct collective_configuration *first = &tried.space.configurations[tried.space.own[0]];
    assert_memory_equal(first->next, next, sizeof next);
    assert_string_equal(first->name, "4 circuits");
    shut(&tried);
}

static void bounds_are_those_of_the_worked_example(void **state)
{
    (void)state;
    struct collective_task alltoall = {COLL_ALLTOALL, 4, 1000}, allreduce = {COLL_ALLREDUCE, 8, 1000};
    /* One configuration reaches one more rank by each hop: 1 + 2 + 3. Two reach 2 by one hop, and 3 by two.
     */
    assert_int_equal(collective_least_bytes(&alltoall, 1, 1), 6000);
    assert_int_equal(collective_least_bytes(&alltoall, 1, 2), 4000);
    assert_int_equal(collective_least_bytes(&alltoall, 1, 3), 3000);
    assert_int_equal(collective_least_bytes(&alltoall, 3, 1), 1000);
    assert_int_equal(collective_least_bytes(&allreduce, 1, 5), 1750);
    /* 8 ranks: 7 hops on one configuration, 2 + 2 on two, 1 + 1 + 1 on three. */
    assert_int_equal(collective_least_hops(&allreduce, 1, 1), 7);
    assert_int_equal(collective_least_hops(&allreduce, 1, 2), 4);
    assert_int_equal(collective_least_hops(&allreduce, 1, 3), 3);
    assert_int_equal(collective_least_hops(&allreduce, 1, 9), 3);
    assert_int_equal(collective_least_hops(&allreduce, 2, 1), 3); /* 1 + 2 + 4 + 8 */
    struct collective_network network = network_of(1);
    assert_int_equal(collective_bound_ps(&allreduce, &network, 0), (300 + 1750) * PS_PER_NS);
    assert_int_equal(collective_bound_ps(&allreduce, &network, PS_PER_S), (700 + 1750) * PS_PER_NS);
}

/* ---------------------------------------------------------------- matchings */

static void check_split(uint32_t ranks, struct collective_message *messages, size_t count)
{
    uint32_t out[64] = {0}, in[64] = {0}, degree = 0;
    bool used[2][64][128] = {{{false}}};
    for (size_t i = 0; i < count; i++) {
        out[messages[i].source]++;
        in[messages[i].destination]++;
    }
    for (uint32_t rank = 0; rank < ranks; rank++) {
        degree = out[rank] > degree ? out[rank] : degree;
        degree = in[rank] > degree ? in[rank] : degree;
    }
    assert_int_equal(matchings_split(ranks, messages, count), degree);
    for (size_t i = 0; i < count; i++) {
        const struct collective_message *message = &messages[i];
        assert_true(message->matching < degree);
        assert_false(used[0][message->source][message->matching]);
        assert_false(used[1][message->destination][message->matching]);
        used[0][message->source][message->matching] = used[1][message->destination][message->matching] = true;
    }
}

static void any_messages_are_as_few_matchings_as_a_rank_has_messages(void **state)
{
    (void)state;
    struct rng rng = rng_init(1, "matchings");
    for (int round = 0; round < 300; round++) {
        uint32_t ranks = 2 + (uint32_t)rng_below(&rng, 20);
        size_t count = 1 + rng_below(&rng, 60);
        struct collective_message messages[64];
        for (size_t i = 0; i < count; i++)
            messages[i] = (struct collective_message){.source = (uint32_t)rng_below(&rng, ranks),
                                                      .destination = (uint32_t)rng_below(&rng, ranks)};
        check_split(ranks, messages, count);
    }
}

/* -------------------------------------------------------------------- steps */

/* Messages, bytes and rounds are those that the prover counts, and each step is so many matchings. */
static void check_steps(const struct tried *tried, const struct coll_algorithm *algorithm,
                        const struct collective_task *collective, const struct collective_network *network)
{
    const struct collective_steps *steps = &tried->steps;
    struct coll_proof proof;
    struct coll_world world = {.size = collective->ranks,
                               .segment_bytes = COLL_BYTES_AT_MOST,
                               .element_bytes = 1,
                               .bytes = collective->bytes};
    assert_true(coll_prove(algorithm, &world, &proof));
    uint64_t bytes = 0, count = 0;
    for (size_t i = 0; i < steps->message_count; i++)
        bytes += steps->messages[i].bytes;
    assert_int_equal(steps->message_count, proof.messages);
    assert_int_equal(bytes, proof.bytes);
    if (steps->rounds != proof.rounds)
        fail_msg("%s of %u ranks has %u rounds, and the prover counts %u", algorithm->name, collective->ranks,
                 steps->rounds, proof.rounds);
    for (uint32_t i = 0; i < steps->count; i++) {
        const struct collective_step *step = &steps->steps[i];
        bool used[2][16][4] = {{{false}}};
        assert_int_equal(step->first, count);
        assert_in_range(step->matchings, 1, network->switches);
        for (; count < step->first + step->count; count++) {
            const struct collective_message *message = &steps->messages[count];
            assert_true(message->matching < step->matchings);
            assert_false(used[0][message->source][message->matching]);
            assert_false(used[1][message->destination][message->matching]);
            used[0][message->source][message->matching] = true;
            used[1][message->destination][message->matching] = true;
        }
    }
    assert_int_equal(count, steps->message_count);
}

static void steps_have_the_messages_and_rounds_of_the_prover(void **state)
{
    (void)state;
    for_all((const uint32_t[]){2, 3, 5, 8, 12}, 5, check_steps);
}

/* ------------------------------------------------------------------- replay */

/* A packet on its way: which circuits it still has to take. It goes from rank to rank along `next`. */
struct packet {
    uint32_t at, destination, crossbar, left;
};

enum { REPLAY_PACKETS = 4096, REPLAY_RANKS = 16 };

/* Walks from rank to rank; 0: the walk does not arrive. */
static uint32_t walk(const struct collective_configuration *up, uint32_t ranks, uint32_t crossbar,
                     uint32_t source, uint32_t destination)
{
    uint32_t at = source;
    for (uint32_t hops = 1; hops <= ranks; hops++) {
        at = up->next[crossbar * ranks + at];
        if (at == CIRCUIT_UNSET)
            return 0;
        if (at == destination)
            return hops;
    }
    return 0;
}

/* Each circuit takes one packet in a tick, that which has to go furthest. Returns the ticks until all have
 * arrived. */
static uint32_t replay(const struct collective_configuration *up, uint32_t ranks, uint32_t switches,
                       struct packet *packets, size_t count)
{
    uint32_t tick = 0;
    for (size_t open = count; open; tick++) {
        struct packet *first[3 * REPLAY_RANKS] = {NULL};
        for (size_t i = 0; i < count; i++) {
            struct packet **best = &first[packets[i].crossbar * ranks + packets[i].at];
            if (packets[i].left && (!*best || packets[i].left > (*best)->left))
                *best = &packets[i];
        }
        for (uint32_t i = 0; i < switches * ranks; i++)
            if (first[i]) {
                first[i]->at = up->next[i];
                if (--first[i]->left == 0) {
                    assert_int_equal(first[i]->at, first[i]->destination);
                    open--;
                }
            }
    }
    return tick;
}

/* The packets of a step, `scale` bytes each; 0: a message has no path. Adds up what each circuit carries. */
static size_t packets_of(const struct tried *tried, uint32_t index, const struct collective_configuration *up,
                         uint64_t scale, struct packet *packets, uint64_t *loads, uint32_t *hops)
{
    const struct collective_steps *steps = &tried->steps;
    const struct collective_step *step = &steps->steps[index];
    size_t count = 0;
    for (size_t i = step->first; i < step->first + step->count; i++) {
        const struct collective_message *message = &steps->messages[i];
        uint32_t lengths[3], least = 0, parts = 0;
        for (uint32_t k = 0; k < steps->switches; k++) {
            lengths[k] = walk(up, steps->ranks, k, message->source, message->destination);
            if (lengths[k] && (!least || lengths[k] < least))
                least = lengths[k];
        }
        for (uint32_t k = 0; k < steps->switches; k++)
            parts += least && lengths[k] == least;
        if (!parts)
            return 0;
        *hops = least > *hops ? least : *hops;
        uint64_t share = (message->bytes + parts - 1) / parts;
        for (uint32_t k = 0; k < steps->switches; k++) {
            if (lengths[k] != least)
                continue;
            for (uint32_t at = message->source, n = 0; n < least; n++, at = up->next[k * steps->ranks + at])
                loads[k * steps->ranks + at] += share;
            for (uint64_t sent = 0; sent < share && count < REPLAY_PACKETS; sent += scale)
                packets[count++] = (struct packet){message->source, message->destination, k, least};
        }
    }
    return count;
}

/* The loads are those of a walk, and packets arrive within the model's time: (hops - 1) + load in ticks. */
static void check_loads(const struct tried *tried, const struct coll_algorithm *algorithm,
                        const struct collective_task *collective, const struct collective_network *network)
{
    static struct packet packets[REPLAY_PACKETS];
    for (uint32_t step = 0; step < tried->steps.count; step++)
        for (uint32_t i = 0; i < tried->space.count; i++) {
            const struct collective_configuration *up = &tried->space.configurations[i];
            struct collective_load load = tried->space.loads[(size_t)step * tried->space.count + i];
            uint64_t loads[3 * REPLAY_RANKS] = {0}, most = 0;
            uint32_t hops = 0;
            size_t count = packets_of(tried, step, up, 1, packets, loads, &hops);
            if (!load.hops) {
                assert_int_equal(count, 0);
                continue;
            }
            for (uint32_t j = 0; j < network->switches * collective->ranks; j++)
                most = loads[j] > most ? loads[j] : most;
            assert_int_equal(hops, load.hops);
            assert_int_equal(most, load.bytes);
            if (!most || count == REPLAY_PACKETS)
                continue;
            uint32_t ticks = replay(up, collective->ranks, network->switches, packets, count);
            if (ticks > hops - 1 + most)
                fail_msg("%s of %u ranks, step %u on %s: %u ticks, but %u hops and %llu packets on a circuit",
                         algorithm->name, collective->ranks, step, up->name, ticks, hops,
                         (unsigned long long)most);
        }
}

static void loads_are_those_of_a_walk_and_a_replay(void **state)
{
    (void)state;
    for_all((const uint32_t[]){2, 3, 6, 12}, HAS_SANITIZER ? 3 : 4, check_loads);
}

/* ------------------------------------------------------------------- choice */

/* All sequences of configurations: the digits of a number are the configurations of the steps. */
static struct collective_way shortest_of_all(const struct collective_space *space, ps_t switching_ps)
{
    uint32_t up[32] = {0};
    struct collective_way best = {PS_NEVER, 0};
    for (;;) {
        struct collective_way way = {0, up[0] >= space->starts};
        for (uint32_t step = 0; step < space->steps; step++) {
            way.changes += step && up[step] != up[step - 1];
            way.time_ps = ps_add(way.time_ps, space->times_ps[step * space->count + up[step]]);
        }
        way.time_ps = ps_add(way.time_ps, ps_times(switching_ps, way.changes));
        if (way.time_ps < best.time_ps || (way.time_ps == best.time_ps && way.changes < best.changes))
            best = way;
        uint32_t digit = 0;
        while (digit < space->steps && ++up[digit] == space->count)
            up[digit++] = 0;
        if (digit == space->steps)
            return best;
    }
}

static bool is_small(const struct collective_space *space)
{
    double sequences = 1;
    for (uint32_t step = 0; step < space->steps; step++)
        sequences *= space->count;
    return sequences <= 5000 && space->steps <= 32;
}

static unsigned enumerated;

static void check_choice(const struct tried *tried, const struct coll_algorithm *algorithm,
                         const struct collective_task *collective, const struct collective_network *network)
{
    static const ps_t times_ps[] = {0, 50 * PS_PER_NS, 400 * PS_PER_NS, 3000 * PS_PER_NS, PS_PER_S};
    for (size_t i = 0; i < sizeof times_ps / sizeof *times_ps; i++) {
        struct collective_way way = choose(tried, times_ps[i]);
        struct collective_way every = collective_every(&tried->space, times_ps[i]);
        ps_t bound_ps = collective_bound_ps(collective, network, times_ps[i]);
        assert_true(way.time_ps <= every.time_ps && way.time_ps <= collective_kept(&tried->space).time_ps);
        if (way.time_ps < bound_ps)
            fail_msg("%s of %s, %u ranks, %llu B, %u switches: %lld ps, below the bound of %lld",
                     algorithm->name, coll_kind_name(algorithm->kind), collective->ranks,
                     (unsigned long long)collective->bytes, network->switches, (long long)way.time_ps,
                     (long long)bound_ps);
        if (!is_small(&tried->space))
            continue;
        struct collective_way best = shortest_of_all(&tried->space, times_ps[i]);
        assert_int_equal(way.time_ps, best.time_ps);
        assert_int_equal(way.changes, best.changes);
        enumerated++;
    }
    assert_int_equal(choose(tried, PS_PER_S).time_ps, collective_kept(&tried->space).time_ps);
}

static void the_choice_is_the_shortest_of_all_sequences(void **state)
{
    (void)state;
    enumerated = 0;
    for_all((const uint32_t[]){2, 3, 4, 5, 7, 8, 9, 16}, 8, check_choice);
    assert_true(enumerated > 1000);
}

/* The plan's stretches are its time, and the best algorithm is the shortest. */
static void answers_add_up(void **state)
{
    (void)state;
    static const ps_t times_ps[] = {0, 500 * PS_PER_NS, 20000 * PS_PER_NS};
    struct collective_network network = network_of(1);
    for (int kind = 0; kind < COLL_KINDS; kind++) {
        struct collective_task collective = {(enum coll_kind)kind, 12, 600};
        struct collective_answer answer;
        if (!collective_is_known(collective.kind))
            continue;
        collective_answer_init(&answer, &collective, &network, times_ps, 3, NULL);
        assert_true(answer.algorithms >= 1);
        for (size_t i = 0; i < answer.algorithms; i++)
            for (size_t time = 0; time < 3; time++) {
                const struct collective_plan *plan = collective_plan_at(&answer, i, time);
                ps_t sum_ps = (ps_t)plan->best.changes * times_ps[time];
                uint32_t step = 0, changes = 0;
                for (uint32_t j = 0; j < plan->stretch_count; j++) {
                    assert_int_equal(plan->stretches[j].first, step);
                    step = plan->stretches[j].last + 1;
                    changes += plan->stretches[j].is_changed;
                    sum_ps += plan->stretches[j].time_ps;
                }
                assert_int_equal(step, plan->steps);
                assert_int_equal(changes, plan->best.changes);
                assert_int_equal(sum_ps, plan->best.time_ps);
                assert_true(collective_plan_at(&answer, answer.best[time], time)->best.time_ps <=
                            plan->best.time_ps);
                assert_true(answer.bound_ps[time] <= plan->best.time_ps);
            }
        collective_answer_free(&answer);
    }
}

/* Every algorithm of a collective has a plan that is not shorter than the best one, those that are made for
 * nodes too; v1 and the others of its kind are pairwise here. */
static void best_is_the_shortest_of_all_algorithms(void **state)
{
    (void)state;
    static const uint32_t ranks[] = {4, 7, 12, 16};
    static const ps_t times_ps[] = {0, 500 * PS_PER_NS, 20000 * PS_PER_NS};
    unsigned compared = 0;
    size_t rank_counts = HAS_SANITIZER ? 2 : sizeof ranks / sizeof *ranks;
    for (size_t at = 0; at < rank_counts * 3 * 2 * COLL_KINDS; at++) {
        struct collective_task collective = {(enum coll_kind)(at % COLL_KINDS), ranks[at / COLL_KINDS / 6],
                                             (const uint64_t[]){8, 150, 100000}[at / COLL_KINDS % 3]};
        struct collective_network network = network_of(1 + at / COLL_KINDS / 3 % 2);
        struct collective_answer answer;
        if (!collective_is_known(collective.kind))
            continue;
        collective_answer_init(&answer, &collective, &network, times_ps, 3, NULL);
        for (size_t a = 0; coll_algorithms[a]; a++) {
            struct tried tried;
            if (coll_algorithms[a]->kind != collective.kind)
                continue;
            open_steps(&tried, coll_algorithms[a], &collective, &network);
            for (size_t time = 0; time < 3; time++)
                assert_true(choose(&tried, times_ps[time]).time_ps >=
                            collective_plan_at(&answer, answer.best[time], time)->best.time_ps);
            shut(&tried);
            compared++;
        }
        for (size_t i = 0; i < answer.algorithms && collective.kind == COLL_ALLTOALL; i++)
            assert_string_not_equal(collective_plan_at(&answer, i, 0)->algorithm->name, "v1");
        collective_answer_free(&answer);
    }
    assert_true(compared > 350 * rank_counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recursive_doubling_changes_twice_or_not_at_all),
        cmocka_unit_test(bruck_keeps_circuits_for_twice_the_distance),
        cmocka_unit_test(several_switches_share_messages),
        cmocka_unit_test(halving_takes_the_hops_of_a_ring),
        cmocka_unit_test(a_packet_network_takes_a_latency_for_each_round),
        cmocka_unit_test(free_ports_have_the_circuits_of_later_steps),
        cmocka_unit_test(bounds_are_those_of_the_worked_example),
        cmocka_unit_test(any_messages_are_as_few_matchings_as_a_rank_has_messages),
        cmocka_unit_test(steps_have_the_messages_and_rounds_of_the_prover),
        cmocka_unit_test(loads_are_those_of_a_walk_and_a_replay),
        cmocka_unit_test(the_choice_is_the_shortest_of_all_sequences),
        cmocka_unit_test(answers_add_up),
        cmocka_unit_test(best_is_the_shortest_of_all_algorithms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
