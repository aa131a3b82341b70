#include <stdio.h>

#include "base/diag.h"
#include "base/units.h"
#include "cli/alltoall.h"
#include "cli/options.h"
#include "coll/nodes.h"
#include "coll/prove.h"

enum explain_option {
    EXPLAIN_NODES,
    EXPLAIN_PPN,
    EXPLAIN_BYTES,
    EXPLAIN_LEADERS,
    EXPLAIN_PLACEMENT,
    EXPLAIN_RANK
};

static const struct cli_option options[] = {
    [EXPLAIN_NODES] = {"--nodes", 'n', "N", "nodes"},
    [EXPLAIN_PPN] = {"--ppn", 'p', "P", "ranks on each node; 8,8,5 gives the number for each of three"},
    [EXPLAIN_BYTES] = {"--bytes", 'b', "M", "that each rank has for each other one: 64, 4KiB"},
    [EXPLAIN_LEADERS] = {"--leaders", 0, "K", "ranks of a node that lead in `leaders`; 1 by default"},
    [EXPLAIN_PLACEMENT] = {"--placement", 0, "WAY", "of ranks on nodes: block (the default) or round-robin"},
    [EXPLAIN_RANK] = {"--rank", 'r', "R",
                      "whose steps; by default rank 0 and, where it has one, another rank of its node"},
};

static const struct cli_command command = {
    .name = "alltoall explain",
    .words = "ALGORITHM",
    .doc =
        "What the ranks of an alltoall do, phase by phase: a phase ends when its messages are complete, all\n"
        "ranks of the node have arrived at its barrier and the flags it waits for are up.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Examples:\n"
             "  helio alltoall explain v3 --nodes 4 --ppn 8 --bytes 64\n"
             "  helio alltoall explain leaders --ppn 8,8,5 --bytes 4KiB --leaders 2 --rank 3\n\n"
             "docs/models/alltoall.md says why.",
};

/* -------------------------------------------------------------------------------------------------- steps */

/* Copies of one kind that follow one another are told together. */
struct teller {
    struct coll_sink base;
    const struct coll_call *call;
    struct coll_span from, into; /* of the copies not yet told */
    uint64_t copies, copied_bytes;
    uint32_t phase;
    bool phase_told;
};

/* A phase in which the rank does nothing is not told. */
static void tell_phase(struct teller *teller)
{
    if (!teller->phase_told)
        printf("  phase %u\n", teller->phase);
    teller->phase_told = true;
}

static const char *buffer_name(enum coll_buffer buffer)
{
    static const char *const names[] = {[COLL_SEND_BUFFER] = "send buffer",
                                        [COLL_RECV_BUFFER] = "receive buffer",
                                        [COLL_SCRATCH] = "scratch",
                                        [COLL_SHARED] = "shared memory"};
    return names[buffer];
}

static void tell_copies(struct teller *teller)
{
    char bytes[64];
    if (teller->copies == 0)
        return;
    tell_phase(teller);
    printf("    copies %s from %s to %s, in %llu piece%s\n",
           units_print_size(teller->copied_bytes, bytes, sizeof bytes), buffer_name(teller->from.buffer),
           buffer_name(teller->into.buffer), (unsigned long long)teller->copies,
           teller->copies == 1 ? "" : "s");
    teller->copies = teller->copied_bytes = 0;
}

static struct teller *next_step(struct coll_sink *sink)
{
    struct teller *teller = (struct teller *)sink;
    tell_copies(teller);
    tell_phase(teller);
    return teller;
}

static void tell_copy(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    struct teller *teller = (struct teller *)sink;
    if (teller->copies > 0 && (teller->from.buffer != from.buffer || teller->into.buffer != into.buffer))
        tell_copies(teller);
    teller->from = from;
    teller->into = into;
    teller->copies++;
    teller->copied_bytes += from.bytes;
}

static void tell_message(struct coll_sink *sink, const char *verb, uint32_t peer, struct coll_span span)
{
    const struct coll_call *call = next_step(sink)->call;
    char bytes[64];
    printf("    %s %s %s rank %u (node %u), %s+%llu", verb, units_print_size(span.bytes, bytes, sizeof bytes),
           *verb == 's' ? "to" : "from", peer, node_of(call, peer), buffer_name(span.buffer),
           (unsigned long long)span.offset);
}

static void tell_send(struct coll_sink *sink, uint32_t peer, struct coll_span from)
{
    tell_message(sink, "sends", peer, from);
    putchar('\n');
}

static void tell_recv(struct coll_sink *sink, uint32_t peer, struct coll_span into)
{
    tell_message(sink, "receives", peer, into);
    putchar('\n');
}

static void tell_recv_raise(struct coll_sink *sink, uint32_t peer, struct coll_span into, uint32_t flag)
{
    tell_message(sink, "receives", peer, into);
    printf("; its arrival raises flag %u\n", flag);
}

static void tell_barrier(struct coll_sink *sink)
{
    next_step(sink);
    printf("    meets the ranks of its node at a barrier\n");
}

static void tell_raise(struct coll_sink *sink, uint32_t flag)
{
    next_step(sink);
    printf("    raises flag %u\n", flag);
}

static void tell_await(struct coll_sink *sink, uint32_t flag)
{
    next_step(sink);
    printf("    waits for flag %u\n", flag);
}

static void tell_rank(const struct coll_algorithm *algorithm, const struct coll_call *call)
{
    struct teller teller = {.base = {.send = tell_send,
                                     .recv = tell_recv,
                                     .recv_raise = tell_recv_raise,
                                     .barrier = tell_barrier,
                                     .raise = tell_raise,
                                     .await = tell_await,
                                     .copy = tell_copy,
                                     .reduce = tell_copy,
                                     .local = true},
                            .call = call};
    printf("\nrank %u, local rank %u of node %u\n", call->rank, node_local_of(call, call->rank),
           node_of(call, call->rank));
    while (algorithm->emit(call, teller.phase, &teller.base)) {
        tell_copies(&teller);
        teller.phase_told = false;
        teller.phase++;
    }
}

/* ------------------------------------------------------------------------------------------------- proof */

enum { PROVEN_RANKS = 128, PROVEN_CALLS = 4 };

/* One element a block: a proof does not depend on how long blocks are, but where the schedule does. */
static void tell_proof(const struct coll_algorithm *algorithm, const struct coll_call *call)
{
    struct coll_proof proof;
    struct coll_world world = {.size = call->size,
                               .leaders = call->leaders,
                               .repeats = PROVEN_CALLS,
                               .element_bytes = call->bytes ? call->bytes : 1,
                               .bytes = call->bytes,
                               .nodes = call->nodes};
    if (call->size > PROVEN_RANKS)
        printf("\nnot proven here: more than %d ranks\n", PROVEN_RANKS);
    else if (coll_prove(algorithm, &world, &proof))
        printf("\nproven, over %d calls one after another: every block arrives, nothing waits for ever, no "
               "races\n",
               PROVEN_CALLS);
    else
        printf("\nNOT RIGHT: %s\n", proof.problem);
}

/* ----------------------------------------------------------------------------------------------- command */

static int read_arguments(int argc, char **argv, struct alltoall_text *text, const char **name,
                          const char **rank)
{
    struct cli_reader reader = {.command = &command, .argc = argc, .argv = argv, .next = 1};
    const char *value;
    for (int found; (found = cli_read(&reader, &value)) != CLI_END;) {
        const char **field = NULL;
        if (found == CLI_HELP || found == CLI_ERROR)
            return found;
        if (found == CLI_WORD && *name) {
            diag_error("helio alltoall explain takes one algorithm, not also '%s'", value);
            return CLI_ERROR;
        }
        if (found == CLI_WORD)
            field = name;
        else if (found - CLI_OPTION == EXPLAIN_NODES)
            field = &text->nodes;
        else if (found - CLI_OPTION == EXPLAIN_PPN)
            field = &text->ppn;
        else if (found - CLI_OPTION == EXPLAIN_BYTES)
            field = &text->bytes;
        else if (found - CLI_OPTION == EXPLAIN_LEADERS)
            field = &text->leaders;
        else if (found - CLI_OPTION == EXPLAIN_PLACEMENT)
            field = &text->placement;
        else
            field = rank;
        *field = value;
    }
    return CLI_END;
}

static enum status explain(const struct coll_algorithm *algorithm, const struct alltoall_shape *shape,
                           const char *rank_text)
{
    struct coll_call call = shape->call;
    struct units_problem problem;
    char text[64], bytes[64];
    uint64_t rank = 0;
    if (rank_text && !units_count(rank_text, &rank, &problem)) {
        diag_error("--rank: %s", problem.text);
        return STATUS_BAD_INPUT;
    }
    if (rank >= call.size) {
        diag_error("--rank: there is no rank %s; the last one is %u", rank_text, call.size - 1);
        return STATUS_BAD_INPUT;
    }
    printf("%s: %s\n%s, %s for each pair of ranks\n", algorithm->name, algorithm->doc,
           alltoall_shape_print(shape, text, sizeof text), units_print_size(call.bytes, bytes, sizeof bytes));
    call.rank = (uint32_t)rank;
    tell_rank(algorithm, &call);
    if (!rank_text && node_ranks(&call, 0) > 1) {
        call.rank = node_member(&call, 0, 1);
        tell_rank(algorithm, &call);
    }
    tell_proof(algorithm, &call);
    return STATUS_OK;
}

int cli_alltoall_explain(int argc, char **argv)
{
    struct alltoall_text text = {0};
    struct alltoall_shape shape;
    const char *name = NULL, *rank = NULL;
    int found = read_arguments(argc, argv, &text, &name, &rank);
    if (found != CLI_END)
        return found == CLI_HELP ? STATUS_OK : STATUS_BAD_INPUT;
    if (!name) {
        diag_error("helio alltoall explain needs an algorithm, such as v2 (helio alltoall plan lists them)");
        return STATUS_BAD_INPUT;
    }
    const struct coll_algorithm *algorithm = alltoall_algorithm(name);
    if (!algorithm)
        return STATUS_BAD_INPUT;
    enum status status = alltoall_shape_open(&shape, &text);
    if (status == STATUS_OK)
        status = explain(algorithm, &shape, rank);
    alltoall_shape_close(&shape);
    return status == STATUS_OK ? alltoall_flush() : (int)status;
}
