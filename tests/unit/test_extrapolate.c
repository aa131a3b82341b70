/* From traces on few ranks to the trace on many: what is found exactly, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "extrapolate/extrapolate.h"
#include "extrapolate/rank_events.h"
#include "support/family.h"
#include "support/sanitizer.h"
#include "support/traces.h"

/* --------------------------------------------------------------- generated */

static void workloads_grow_as_they_are_generated(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        unsigned from[3], to; /* 0 = no third */
    } cases[] = {
        {"npb:cg:class=S,ranks=%u", {4, 16}, 64},      {"npb:cg:class=S,ranks=%u", {4, 8, 16}, 32},
        {"npb:cg:class=A,ranks=%u", {16, 4, 32}, 128}, {"npb:ft:class=S,ranks=%u", {4, 16}, 64},
        {"npb:ft:class=S,ranks=%u", {4, 8, 16}, 32},   {"npb:ep:class=S,ranks=%u", {4, 16, 32}, 128},
        {"alltoall:ranks=%u,bytes=4KiB", {4, 7}, 12},  {"dissemination:ranks=%u", {4, 8, 16}, 64},
        {"fmu-bcast:ranks=%u", {4, 7, 9}, 20},         {"fmu-allreduce:ranks=%u", {4, 7, 9}, 20},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (HAS_SANITIZER && strstr(cases[i].spec, "class=A")) /* many calls */
            continue;
        struct family family = {0}, expected = {0};
        for (int k = 0; k < 3 && cases[i].from[k]; k++)
            family_add_workload(&family, cases[i].spec, cases[i].from[k]);
        family_add_workload(&expected, cases[i].spec, cases[i].to);
        family_assert_extrapolates(&family, expected.programs[0]);
        family_close(&family);
        family_close(&expected);
    }
}

static void sizes_that_follow_from_data_are_refused(void **state)
{
    (void)state;
    struct family family = {0};
    family_add_workload(&family, "npb:is:class=S,ranks=%u", 4);
    family_add_workload(&family, "npb:is:class=S,ranks=%u", 16);
    family_assert_refused(&family, 64, "are not shares of blocks; if they come from the program's data");
}

/* Some ranks take no part on MG's coarse grids. Only some ranks have LU's faces. */
static void calls_that_no_rule_explains_are_refused(void **state)
{
    (void)state;
    static const char *const specs[] = {"npb:mg:class=S,ranks=%u", "npb:lu:class=S,ranks=%u"};
    for (int i = 0; i < 2; i++) {
        struct family family = {0};
        family_add_workload(&family, specs[i], 4);
        family_add_workload(&family, specs[i], 16);
        family_assert_refused(&family, 64, "the calls of other ranks do not explain this call");
    }
}

static void the_number_of_ranks_must_suit(void **state)
{
    (void)state;
    struct family family = {0};
    family_add_workload(&family, "npb:cg:class=S,ranks=%u", 4);
    family_add_workload(&family, "npb:cg:class=S,ranks=%u", 8);
    family_add_workload(&family, "npb:cg:class=S,ranks=%u", 16);
    family_assert_refused(&family, 48, "cannot be extrapolated to so many ranks");
    family_add_workload(&family, "npb:cg:class=S,ranks=%u", 4);
    family_add_workload(&family, "npb:ft:class=S,ranks=%u", 4);
    family_assert_refused(&family, 16, "all traces have 4 ranks");
}

/* --------------------------------------------------------------- made here */

/* Another way to divide: the last one has the rest. */
static uint64_t share_with_rest(uint64_t whole, unsigned parts, unsigned index)
{
    return whole / parts + (index == parts - 1 ? whole % parts : 0);
}

/* All messages are alike. */
static uint64_t same_size(uint64_t whole, unsigned parts, unsigned index)
{
    (void)whole, (void)parts, (void)index;
    return 300;
}

/* A plane of 100 x 84 cells on nx x ny ranks without wrap-around, as a stencil program sends; `share_of`
 * divides it. One message of rank 1 has `odd` more bytes. Where all messages have the same size, they have
 * the same tag too; else each direction has its own. */
static struct program *divided_halo(const char *name, unsigned nx, unsigned ny, unsigned odd,
                                    uint64_t (*share_of)(uint64_t whole, unsigned parts, unsigned index))
{
    static const int step[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (unsigned rank = 0; rank < nx * ny; rank++) {
        unsigned x = rank % nx, y = rank / nx;
        struct rank_text text = {0};
        rank_text_say(&text, "%u init\n", rank);
        for (int pass = 0; pass < 5; pass++) {
            for (int sends = 0; sends < 2; sends++)
                for (int d = 0; d < 4; d++) {
                    unsigned to_x = x + (unsigned)step[d][0], to_y = y + (unsigned)step[d][1];
                    uint64_t edge = d < 2 ? share_of(84, ny, y) : share_of(100, nx, x);
                    if (to_x < nx && to_y < ny)
                        rank_text_say(
                            &text, "%u %s %u %d %lu 0\n", rank, sends ? "isend" : "irecv", to_y * nx + to_x,
                            share_of == same_size ? 0
                            : sends               ? d
                                                  : d ^ 1,
                            (unsigned long)edge + (sends && rank == 1 && pass == 2 && d == 0 ? odd : 0));
                }
            rank_text_say(&text, "%u waitall 8\n%u compute %g\n%u allreduce 1 0 0\n", rank, rank,
                          8.4e6 / (nx * ny), rank);
        }
        rank_text_say(&text, "%u finalize\n", rank);
        rank_text_write(name, rank, &text);
    }
    return family_open(name);
}

static struct program *halo(const char *name, unsigned nx, unsigned ny, unsigned odd)
{
    return divided_halo(name, nx, ny, odd, share);
}

static void stencils_have_edges_and_uneven_blocks(void **state)
{
    (void)state;
    struct family family = {0};
    family_add(&family, halo("halo.9", 3, 3, 0));
    family_add(&family, halo("halo.16", 4, 4, 0));
    family_add(&family, halo("halo.20", 5, 4, 0));
    struct program *expected = halo("halo.56", 8, 7, 0);
    family_assert_extrapolates(&family, expected);
    expected->ops->close(expected);
    family_close(&family);
}

/* The first receive of a corner could be that of any direction, and ranks 0 and 1 could be a butterfly. */
static void directions_may_look_alike(void **state)
{
    (void)state;
    struct family family = {0};
    for (unsigned side = 2; side <= 4; side++) {
        char name[16];
        snprintf(name, sizeof name, "alike.%u", side * side);
        family_add(&family, divided_halo(name, side, side, 0, same_size));
    }
    struct program *expected = divided_halo("alike.36", 6, 6, 0, same_size);
    family_assert_extrapolates(&family, expected);
    expected->ops->close(expected);
    family_close(&family);
}

static void the_last_rank_may_have_the_rest(void **state)
{
    (void)state;
    struct family family = {0};
    family_add(&family, divided_halo("rest.9", 3, 3, 0, share_with_rest));
    family_add(&family, divided_halo("rest.16", 4, 4, 0, share_with_rest));
    family_add(&family, divided_halo("rest.20", 5, 4, 0, share_with_rest));
    struct program *expected = divided_halo("rest.56", 8, 7, 0, share_with_rest);
    family_assert_extrapolates(&family, expected);
    expected->ops->close(expected);
    family_close(&family);
}

/* An allgather of 1001 elements, in blocks that are rounded up, in floor(100 / ranks) passes. */
static struct program *rounded(const char *name, unsigned ranks)
{
    for (unsigned rank = 0; rank < ranks; rank++) {
        struct rank_text text = {0};
        const unsigned block = (1001 + ranks - 1) / ranks;
        rank_text_say(&text, "%u init\n", rank);
        for (unsigned pass = 0; pass < 100 / ranks; pass++)
            rank_text_say(&text, "%u allgather %u %u 0 0\n", rank, block, block);
        rank_text_say(&text, "%u finalize\n", rank);
        rank_text_write(name, rank, &text);
    }
    return family_open(name);
}

static void sizes_and_passes_may_be_rounded(void **state)
{
    (void)state;
    struct family family = {0};
    family_add(&family, rounded("rounded.4", 4));
    family_add(&family, rounded("rounded.6", 6));
    family_add(&family, rounded("rounded.7", 7));
    family_assert_refused(&family, 24,
                          "(2008 on 4 ranks, 1336 on 6 ranks, 1144 on 7 ranks) follow several rules");
    family_add(&family, rounded("rounded.4", 4));
    family_add(&family, rounded("rounded.6", 6));
    family_add(&family, rounded("rounded.7", 7));
    family_add(&family, rounded("rounded.9", 9));
    struct program *expected = rounded("rounded.24", 24);
    family_assert_extrapolates(&family, expected);
    expected->ops->close(expected);
    family_close(&family);
}

static void an_inconsistent_size_is_reported_at_its_line(void **state)
{
    (void)state;
    struct family family = {0};
    family_add(&family, halo("odd.9", 3, 3, 0));
    family_add(&family, halo("odd.16", 4, 4, 0));
    family_add(&family, halo("odd.20", 5, 4, 3));
    family_assert_refused(&family, 56, "odd.20/rank-2.txt:");
}

/* All calls of the largest trace agree on a value, which differs in the smaller traces. */
static void a_held_back_trace_that_is_another_program_is_refused(void **state)
{
    (void)state;
    struct family family = {0};
    family_add_workload(&family, "npb:cg:class=S,ranks=%u", 4);
    family_add_workload(&family, "npb:cg:class=S,ranks=%u", 8);
    family_add_workload(&family, "npb:cg:class=S,ranks=%u", 16);
    family_add_workload(&family, "npb:cg:class=W,ranks=%u", 32);
    family_assert_refused(&family, 64, "predicts another call here");
}

/* Rank 0 hands out work and collects results. */
static struct program *farm(const char *name, unsigned ranks)
{
    for (unsigned rank = 0; rank < ranks; rank++) {
        struct rank_text text = {0};
        rank_text_say(&text, "%u init\n", rank);
        for (unsigned other = 1; other < ranks && !rank; other++)
            rank_text_say(&text, "0 send %u 7 4000 6\n", other);
        for (unsigned other = 1; other < ranks && !rank; other++)
            rank_text_say(&text, "0 recv -333 8 16 6\n");
        if (rank)
            rank_text_say(&text, "%u recv 0 7 4000 6\n%u compute 1e6\n%u send 0 8 16 6\n", rank, rank, rank);
        rank_text_say(&text, "%u finalize\n", rank);
        rank_text_write(name, rank, &text);
    }
    return family_open(name);
}

static void rank_0_may_stand_apart(void **state)
{
    (void)state;
    struct family family = {0};
    family_add(&family, farm("farm.4", 4));
    family_add(&family, farm("farm.7", 7));
    family_add(&family, farm("farm.12", 12));
    struct program *expected = farm("farm.30", 30);
    family_assert_extrapolates(&family, expected);
    expected->ops->close(expected);
    family_close(&family);
}

/* A duplicate of the world, rows and columns: nx x ny ranks. `odd`: two ranks change places in a row. */
static struct program *communicators(const char *name, unsigned nx, unsigned ny, bool odd)
{
    for (unsigned rank = 0; rank < nx * ny; rank++) {
        unsigned x = rank % nx, y = rank / nx;
        struct rank_text text = {0};
        rank_text_say(&text, "%u init\n%u comm_split #c 0-%u\n%u comm_split #cdup 0-%u\n", rank, rank,
                      nx * ny - 1, rank, nx * ny - 1);
        if (odd && y == 1)
            rank_text_say(&text, "%u comm_split #crow%u %u,%u,%u-%u\n", rank, y, y * nx + 1, y * nx,
                          y * nx + 2, y * nx + nx - 1);
        else
            rank_text_say(&text, "%u comm_split #crow%u %u-%u\n", rank, y, y * nx, y * nx + nx - 1);
        rank_text_say(&text, "%u comm_split #ccolumn%u ", rank, x);
        for (unsigned i = 0; i < ny; i++)
            rank_text_say(&text, "%s%u", i ? "," : "", i * nx + x);
        rank_text_say(&text, "\n");
        for (int pass = 0; pass < 3; pass++) {
            unsigned down = (rank + nx * ny - nx) % (nx * ny), up = (rank + nx) % (nx * ny);
            rank_text_say(&text, "%u irecv %u 5 10 0 #cdup\n%u send %u 5 10 0 #cdup\n%u wait %u %u 5 #cdup\n",
                          rank, down, rank, up, rank, down, rank);
            rank_text_say(&text, "%u allreduce 4 0 0 #crow%u\n", rank, y);
            rank_text_say(&text, "%u bcast 7 1 0 #ccolumn%u\n%u allreduce 2 0 0 #cdup\n", rank, x, rank);
        }
        rank_text_say(&text, "%u finalize\n", rank);
        rank_text_write(name, rank, &text);
    }
    return family_open(name);
}

static void rows_and_columns_are_communicators(void **state)
{
    (void)state;
    struct family family = {0};
    struct extrapolation *extrapolation;
    family_add(&family, communicators("comm.6", 3, 2, false));
    family_add(&family, communicators("comm.9", 3, 3, false));
    family_add(&family, communicators("comm.12", 4, 3, false));
    if (extrapolation_open(family.programs, family.count, 20, &extrapolation) != STATUS_OK)
        fail_msg("%s", traces_messages());
    struct program *found = extrapolation_program(extrapolation),
                   *expected = communicators("comm.20", 5, 4, false);
    struct rank_events a = {0}, b = {0};
    expected->ops->rewind(expected);
    found->ops->rewind(found);
    for (uint32_t rank = 0; rank < 20; rank++) {
        rank_events_read(expected, rank, NULL, &a);
        rank_events_read(found, rank, NULL, &b);
        assert_int_equal(a.count, b.count);
        for (size_t i = 0; i < a.count; i++) {
            const struct group *one = &expected->groups[a.at[i].comm], *other = &found->groups[b.at[i].comm];
            assert_int_equal(one->size, other->size);
            for (uint32_t k = 0; k < one->size; k++)
                assert_int_equal(group_world(one, k), group_world(other, k));
            assert_int_equal(a.at[i].comm == 0, b.at[i].comm == 0);
            b.at[i].comm = a.at[i].comm;
            assert_true(rank_event_same(&a.at[i], &b.at[i]));
        }
    }
    free(a.at);
    free(b.at);
    extrapolation_close(extrapolation);
    expected->ops->close(expected);
    family_close(&family);
    family_add(&family, communicators("odd.6", 3, 2, true));
    family_add(&family, communicators("odd.9", 3, 3, true));
    family_assert_refused(&family, 20, "neither all ranks nor a row, column or plane");
}

/* A chain in which the ends have one neighbour: MPI_Sendrecv with MPI_PROC_NULL. Messages back are sent with
 * tag 8 and received with tag `back`. */
static struct program *chain(const char *name, unsigned ranks, int back)
{
    for (unsigned rank = 0; rank < ranks; rank++) {
        struct rank_text text = {0};
        rank_text_say(&text, "%u init\n", rank);
        for (int pass = 0; pass < 3; pass++) {
            rank_text_say(&text, "%u compute 2e6\n", rank);
            if (rank == 0)
                rank_text_say(&text, "0 send 1 4 50 0\n");
            else if (rank + 1 == ranks)
                rank_text_say(&text, "%u recv %u 4 50 0\n", rank, rank - 1);
            else
                rank_text_say(&text, "%u sendRecv 50 %u 50 %u 0 0 #tags 4 4\n", rank, rank + 1, rank - 1);
            if (rank == 0)
                rank_text_say(&text, "0 recv 1 %d 20 0\n", back);
            else if (rank + 1 == ranks)
                rank_text_say(&text, "%u send %u 8 20 0\n", rank, rank - 1);
            else
                rank_text_say(&text, "%u sendRecv 20 %u 20 %u 0 0 #tags 8 %d\n", rank, rank - 1, rank + 1,
                              back);
        }
        rank_text_say(&text, "%u finalize\n", rank);
        rank_text_write(name, rank, &text);
    }
    return family_open(name);
}

static void ends_of_a_chain_make_halves(void **state)
{
    (void)state;
    struct family family = {0};
    family_add(&family, chain("chain.4", 4, 8));
    family_add(&family, chain("chain.6", 6, 8));
    family_add(&family, chain("chain.9", 9, 8));
    struct program *expected = chain("chain.20", 20, 8);
    family_assert_extrapolates(&family, expected);
    expected->ops->close(expected);
    family_close(&family);
    family_add(&family, chain("tags.4", 4, 9));
    family_add(&family, chain("tags.9", 9, 9));
    family_assert_refused(&family, 20, "to a rank that does not receive it");
}

/* A matrix of 50 x 70 is transposed, and gathered by rows. One size has `odd` more bytes. */
static struct program *transposition(const char *name, unsigned ranks, unsigned odd)
{
    for (unsigned rank = 0; rank < ranks; rank++) {
        struct rank_text text = {0};
        rank_text_say(&text, "%u init\n", rank);
        for (int pass = 0; pass < 3; pass++) {
            rank_text_say(&text, "%u alltoallv 9", rank);
            for (unsigned i = 0; i < ranks; i++)
                rank_text_say(&text, " %lu",
                              (unsigned long)(share(50, ranks, rank) * share(70, ranks, i)) +
                                  (rank == 1 && i == 2 ? odd : 0));
            rank_text_say(&text, " 9");
            for (unsigned i = 0; i < ranks; i++)
                rank_text_say(&text, " %lu",
                              (unsigned long)(share(50, ranks, i) * share(70, ranks, rank)) +
                                  (rank == 2 && i == 1 ? odd : 0));
            rank_text_say(&text, " 0 0\n%u allgatherv %lu", rank, (unsigned long)share(50, ranks, rank) * 3);
            for (unsigned i = 0; i < ranks; i++)
                rank_text_say(&text, " %lu", (unsigned long)share(50, ranks, i) * 3);
            rank_text_say(&text, " 0 0\n");
        }
        rank_text_say(&text, "%u finalize\n", rank);
        rank_text_write(name, rank, &text);
    }
    return family_open(name);
}

static void sizes_for_each_peer_follow_shares(void **state)
{
    (void)state;
    struct family family = {0};
    family_add(&family, transposition("transposition.4", 4, 0));
    family_add(&family, transposition("transposition.6", 6, 0));
    family_add(&family, transposition("transposition.9", 9, 0));
    struct program *expected = transposition("transposition.16", 16, 0);
    family_assert_extrapolates(&family, expected);
    expected->ops->close(expected);
    family_close(&family);
    family_add(&family, transposition("shifted.4", 4, 0));
    family_add(&family, transposition("shifted.6", 6, 1));
    family_assert_refused(&family, 16, "are not shares of blocks");
}

/* The root hands out 50 rows of 24 bytes, and collects 3 bytes for each row. It computes more, at the end as
 * much on any number of ranks. One block has `odd` more bytes. */
static struct program *handed_out(const char *name, unsigned ranks, unsigned root, unsigned odd)
{
    for (unsigned rank = 0; rank < ranks; rank++) {
        struct rank_text text = {0};
        unsigned long own = (unsigned long)share(50, ranks, rank), more = rank == 2 ? odd : 0;
        rank_text_say(&text, "%u init\n%u scatterv", rank, rank);
        for (unsigned i = 0; i < ranks; i++)
            rank_text_say(&text, " %lu", rank == root ? (unsigned long)share(50, ranks, i) * 3 : 0UL);
        rank_text_say(&text, " %lu %u 0 0\n", own * 3, root);
        for (int pass = 0; pass < 3; pass++) {
            rank_text_say(&text, "%u compute %g\n%u gatherv %lu", rank, (rank == root ? 12e6 : 9e6) / ranks,
                          rank, own * 3 + more);
            for (unsigned i = 0; i < ranks; i++)
                rank_text_say(&text, " %lu",
                              rank == root ? (unsigned long)share(50, ranks, i) * 3 + (i == 2 ? odd : 0)
                                           : 0UL);
            rank_text_say(&text, " %u 6 6\n", root);
        }
        rank_text_say(&text, "%u compute %g\n%u finalize\n", rank, rank == root ? 5e6 : 1e6 / ranks, rank);
        rank_text_write(name, rank, &text);
    }
    return family_open(name);
}

static void a_root_hands_out_shares(void **state)
{
    (void)state;
    for (unsigned last = 0; last < 2; last++) {
        struct family family = {0};
        family_add(&family, handed_out("hand.4", 4, last ? 3 : 0, 0));
        family_add(&family, handed_out("hand.6", 6, last ? 5 : 0, 0));
        family_add(&family, handed_out("hand.9", 9, last ? 8 : 0, 0));
        struct program *expected = handed_out("hand.16", 16, last ? 15 : 0, 0);
        family_assert_extrapolates(&family, expected);
        expected->ops->close(expected);
        family_close(&family);
    }
    struct family family = {0};
    family_add(&family, handed_out("uneven.4", 4, 0, 0));
    family_add(&family, handed_out("uneven.6", 6, 0, 1));
    family_assert_refused(&family, 16, "are not shares of blocks");
}

/* Nodes of `node` ranks: each sums up, the first ranks of all nodes sum up, and tell the others. */
static struct program *nodes(const char *name, unsigned ranks, unsigned node)
{
    for (unsigned rank = 0; rank < ranks; rank++) {
        struct rank_text text = {0};
        unsigned first = rank / node * node;
        rank_text_say(&text, "%u init\n%u comm_split #cn%u %u-%u\n", rank, rank, first, first,
                      first + node - 1);
        for (unsigned i = 0; i < ranks && rank == first; i += node)
            rank_text_say(&text, i ? ",%u" : "%u comm_split #cf 0", i ? i : rank);
        rank_text_say(&text, rank == first ? "\n" : "");
        for (int pass = 0; pass < 4; pass++) {
            rank_text_say(&text, "%u compute %g\n%u reduce 80 0 0 6 #cn%u\n", rank, 2.4e8 / ranks, rank,
                          first);
            if (rank == first)
                rank_text_say(&text, "%u compute 7e4\n%u allreduce 80 0 6 #cf\n", rank, rank);
            rank_text_say(&text, "%u bcast 80 0 6 #cn%u\n", rank, first);
        }
        rank_text_say(&text, "%u finalize\n", rank);
        rank_text_write(name, rank, &text);
    }
    return family_open(name);
}

static void nodes_have_communicators(void **state)
{
    (void)state;
    struct family family = {0};
    family_add(&family, nodes("nodes.8", 8, 4));
    family_add(&family, nodes("nodes.12", 12, 4));
    family_add(&family, nodes("nodes.20", 20, 4));
    struct program *expected = nodes("nodes.28", 28, 4);
    family_assert_extrapolates(&family, expected);
    expected->ops->close(expected);
    family_assert_refused(&family, 30, "ask for a multiple of 4");
    family_add(&family, nodes("planes.8", 8, 4));
    family_add(&family, nodes("planes.12", 12, 4));
    family_assert_refused(&family, 32,
                          "are nodes or a side of the grid; capture the program on 24 ranks too");
    family_add(&family, nodes("nodes2.8", 8, 2));
    family_add(&family, nodes("nodes4.12", 12, 4));
    family_assert_refused(&family, 24, "nor nodes");
}

/* Each rank sends to the next one, round the end, so often that each block reaches all ranks, in each round.
 */
static struct program *ring_of(unsigned ranks, unsigned rounds)
{
    char name[32];
    snprintf(name, sizeof name, "ring%u.%u", rounds, ranks);
    for (unsigned rank = 0; rank < ranks; rank++) {
        unsigned before = (rank + ranks - 1) % ranks, next = (rank + 1) % ranks;
        struct rank_text text = {0};
        rank_text_say(&text, "%u init\n", rank);
        for (unsigned pass = 0; pass < rounds * (ranks - 1); pass++)
            rank_text_say(&text, "%u irecv %u 0 64 6\n%u send %u 0 64 6\n%u wait %u %u 0\n", rank, before,
                          rank, next, rank, before, rank);
        rank_text_say(&text, "%u finalize\n", rank);
        rank_text_write(name, rank, &text);
    }
    return family_open(name);
}

static void rings_grow_from_powers_of_two(void **state)
{
    (void)state;
    for (unsigned rounds = 1; rounds <= 3; rounds += 2) {
        struct family family = {0};
        family_add(&family, ring_of(4, rounds));
        family_add(&family, ring_of(8, rounds));
        family_add(&family, ring_of(16, rounds));
        struct program *expected = ring_of(36, rounds);
        family_assert_extrapolates(&family, expected);
        expected->ops->close(expected);
        family_close(&family);
    }
}

/* Each trace must have as many rounds. */
static void rounds_are_as_many_in_each_trace(void **state)
{
    (void)state;
    struct family family = {0};
    family_add(&family, ring_of(4, 3));
    family_add(&family, ring_of(6, 3));
    family_add(&family, ring_of(8, 4));
    family_assert_refused(&family, 16, "the model that the other traces give predicts another call here");
}

static void times_that_depend_on_the_network_are_refused(void **state)
{
    (void)state;
    struct family family = {0};
    family_add(&family,
               &traces_open("poll.2", "0 init\n0 irecv 1 1 8 6\n0 test 1 0 1\n0 wait 1 0 1\n0 finalize\n",
                            "1 init\n1 send 0 1 8 6\n1 finalize\n", NULL)
                    ->program);
    family_add_workload(&family, "npb:ep:class=S,ranks=%u", 4);
    family_assert_refused(&family, 8, "poll.2/rank-1.txt:3: error: cannot be extrapolated");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workloads_grow_as_they_are_generated),
        cmocka_unit_test(sizes_that_follow_from_data_are_refused),
        cmocka_unit_test(calls_that_no_rule_explains_are_refused),
        cmocka_unit_test(the_number_of_ranks_must_suit),
        cmocka_unit_test(stencils_have_edges_and_uneven_blocks),
        cmocka_unit_test(directions_may_look_alike),
        cmocka_unit_test(the_last_rank_may_have_the_rest),
        cmocka_unit_test(sizes_and_passes_may_be_rounded),
        cmocka_unit_test(an_inconsistent_size_is_reported_at_its_line),
        cmocka_unit_test(a_held_back_trace_that_is_another_program_is_refused),
        cmocka_unit_test(rank_0_may_stand_apart),
        cmocka_unit_test(rows_and_columns_are_communicators),
        cmocka_unit_test(ends_of_a_chain_make_halves),
        cmocka_unit_test(sizes_for_each_peer_follow_shares),
        cmocka_unit_test(a_root_hands_out_shares),
        cmocka_unit_test(nodes_have_communicators),
        cmocka_unit_test(rings_grow_from_powers_of_two),
        cmocka_unit_test(rounds_are_as_many_in_each_trace),
        cmocka_unit_test(times_that_depend_on_the_network_are_refused),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
