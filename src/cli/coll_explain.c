#include <stdio.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/coll.h"
#include "cli/coll_algorithms.h"
#include "cli/coll_shape.h"
#include "cli/values.h"
#include "coll/count.h"
#include "coll/nodes.h"
#include "coll/prove.h"
#include "output/standard.h"

enum explain_option { EXPLAIN_RANK = COLL_SHAPE_OPTIONS, EXPLAIN_PLUGIN };

static const struct cli_option options[] = {
    COLL_SHAPE_OPTION_TABLE,
    [EXPLAIN_RANK] = {"--rank", 'r', "R",
                      "whose steps; by default rank 0 and, where it has one, another rank of its node"},
    [EXPLAIN_PLUGIN] = CLI_PLUGIN,
};

static const struct cli_command command = {
    .name = "coll explain",
    .words = "ALGORITHM",
    .doc = "What the ranks of a collective do, phase by phase: a phase ends when its messages are complete, "
           "all\n"
           "ranks of the node have arrived at its barrier and the flags it waits for are up.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Examples:\n"
             "  helio coll explain v3 --nodes 4 --ppn 8 --bytes 64\n"
             "  helio coll explain leaders --ppn 8,8,5 --bytes 4KiB --leaders 2 --rank 3\n"
             "  helio coll explain leaders --op gatherv --nodes 3 --ppn 2 --bytes 64 --imbalance 0.5\n\n"
             "docs/models/alltoall.md says why.",
};

/* -------------------------------------------------------------------- steps */

/* Prints the steps of a rank. Copies of one kind that follow one another are one line. */
struct step_printer {
    struct coll_sink base;
    const struct coll_call *call;
    struct coll_span from, into; /* of the copies not printed yet */
    uint64_t copies, copied_bytes;
    uint32_t phase;
    bool phase_printed;
};

/* A phase in which the rank does nothing has no line. */
static void print_phase(struct step_printer *printer)
{
    if (!printer->phase_printed)
        printf("  phase %u\n", printer->phase);
    printer->phase_printed = true;
}

static const char *buffer_name(enum coll_buffer buffer)
{
    static const char *const names[] = {[COLL_SEND_BUFFER] = "send buffer",
                                        [COLL_RECV_BUFFER] = "receive buffer",
                                        [COLL_SCRATCH] = "scratch",
                                        [COLL_SHARED] = "shared memory",
                                        [COLL_TOKEN] = "no memory"};
    return names[buffer];
}

static void print_copies(struct step_printer *printer)
{
    char bytes[64];
    if (printer->copies == 0)
        return;
    print_phase(printer);
    printf("    copies %s from %s to %s, in %llu piece%s\n",
           units_print_size(printer->copied_bytes, bytes, sizeof bytes), buffer_name(printer->from.buffer),
           buffer_name(printer->into.buffer), (unsigned long long)printer->copies,
           printer->copies == 1 ? "" : "s");
    printer->copies = printer->copied_bytes = 0;
}

static struct step_printer *next_step(struct coll_sink *sink)
{
    struct step_printer *printer = (struct step_printer *)sink;
    print_copies(printer);
    print_phase(printer);
    return printer;
}

static void print_copy(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    struct step_printer *printer = (struct step_printer *)sink;
    if (printer->copies > 0 && (printer->from.buffer != from.buffer || printer->into.buffer != into.buffer))
        print_copies(printer);
    printer->from = from;
    printer->into = into;
    printer->copies++;
    printer->copied_bytes += from.bytes;
}

static void print_message(struct coll_sink *sink, const char *verb, uint32_t peer, struct coll_span span)
{
    const struct coll_call *call = next_step(sink)->call;
    char bytes[64];
    printf("    %s %s %s rank %u (node %u), %s+%llu", verb, units_print_size(span.bytes, bytes, sizeof bytes),
           *verb == 's' ? "to" : "from", peer, node_of(call, peer), buffer_name(span.buffer),
           (unsigned long long)span.offset);
}

static void print_send(struct coll_sink *sink, uint32_t peer, struct coll_span from)
{
    print_message(sink, "sends", peer, from);
    putchar('\n');
}

static void print_recv(struct coll_sink *sink, uint32_t peer, struct coll_span into)
{
    print_message(sink, "receives", peer, into);
    putchar('\n');
}

static void print_recv_raise(struct coll_sink *sink, uint32_t peer, struct coll_span into, uint32_t flag)
{
    print_message(sink, "receives", peer, into);
    printf("; its arrival raises flag %u\n", flag);
}

static void print_reduction(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    char bytes[64];
    next_step(sink);
    printf("    combines %s of %s with %s\n", units_print_size(from.bytes, bytes, sizeof bytes),
           buffer_name(from.buffer), buffer_name(into.buffer));
}

static void print_barrier(struct coll_sink *sink)
{
    next_step(sink);
    printf("    meets the ranks of its node at a barrier\n");
}

static void print_raise(struct coll_sink *sink, uint32_t flag)
{
    next_step(sink);
    printf("    raises flag %u\n", flag);
}

static void print_await(struct coll_sink *sink, uint32_t flag)
{
    next_step(sink);
    printf("    waits for flag %u\n", flag);
}

static void print_rank(const struct coll_algorithm *algorithm, const struct coll_call *call)
{
    struct step_printer printer = {.base = {.send = print_send,
                                            .recv = print_recv,
                                            .recv_raise = print_recv_raise,
                                            .barrier = print_barrier,
                                            .raise = print_raise,
                                            .await = print_await,
                                            .copy = print_copy,
                                            .reduce = print_reduction,
                                            .local = true},
                                   .call = call};
    printf("\nrank %u, local rank %u of node %u\n", call->rank, node_local_of(call, call->rank),
           node_of(call, call->rank));
    while (coll_emit(algorithm, call, printer.phase, &printer.base)) {
        print_copies(&printer);
        printer.phase_printed = false;
        printer.phase++;
    }
}

/* -------------------------------------------------------------------- proof */

enum { PROVEN_RANKS = 128, PROVEN_CALLS = 4, PROVEN_ELEMENTS = 1 << 20 };

/* The largest number that divides all lengths, so that each block has as few elements as can be. */
static uint64_t common_divisor(const struct coll_shape *shape)
{
    uint64_t divisor = 0;
    for (uint32_t i = 0; shape->counts && i < shape->call.size; i++)
        for (uint64_t rest = shape->counts[i]; rest;) {
            uint64_t left = divisor % rest;
            divisor = rest;
            rest = left;
        }
    if (!shape->counts)
        divisor = shape->bytes;
    return divisor ? divisor : 1;
}

/* The lengths as the prover takes them: those of alltoallv from each rank. NULL: all are equal. */
static uint64_t *proven_counts(const struct coll_shape *shape)
{
    size_t size = shape->call.size, rows = shape->call.kind == COLL_ALLTOALLV ? size : 1;
    if (!shape->counts)
        return NULL;
    uint64_t *counts = mem_alloc(rows * size, sizeof *counts, "lengths of blocks");
    for (size_t i = 0; i < rows * size; i++)
        counts[i] = shape->counts[i % size];
    return counts;
}

/* Elements of all blocks of a rank. */
static uint64_t proven_elements(const struct coll_shape *shape, uint64_t element)
{
    uint64_t elements = 0;
    for (uint32_t i = 0; shape->counts && i < shape->call.size; i++)
        elements += shape->counts[i] / element;
    return elements;
}

/* An equal block is one element: a proof depends on the length of blocks only where the schedule does. */
static void print_proof(const struct coll_algorithm *algorithm, const struct coll_shape *shape)
{
    const struct coll_call *call = &shape->call;
    struct coll_proof proof;
    struct coll_world world = {.size = call->size,
                               .leaders = call->leaders,
                               .repeats = PROVEN_CALLS,
                               .element_bytes = common_divisor(shape),
                               .bytes = shape->bytes,
                               .nodes = call->nodes};
    if (shape->counts)
        world.bytes = 0;
    if (call->size > PROVEN_RANKS) {
        printf("\nnot proven here: more than %d ranks\n", PROVEN_RANKS);
        return;
    }
    if (proven_elements(shape, world.element_bytes) * call->size > PROVEN_ELEMENTS) {
        printf("\nnot proven here: lengths whose common divisor is only %llu B\n",
               (unsigned long long)world.element_bytes);
        return;
    }
    uint64_t *counts = proven_counts(shape);
    world.counts = counts;
    if (coll_prove(algorithm, &world, &proof))
        printf("\nproven, over %d calls one after another: every block arrives, nothing waits for ever, no "
               "races\n",
               PROVEN_CALLS);
    else
        printf("\nNOT RIGHT: %s\n", proof.problem);
    free(counts);
}

/* ------------------------------------------------------------------ command */

struct explain_arguments {
    struct coll_text text;
    const char *algorithm, *rank;
};

static bool take(void *self, int found, const char *value)
{
    struct explain_arguments *arguments = self;
    if (found == CLI_WORD)
        return cli_take_word(&command, &arguments->algorithm, value, "algorithm");
    if (found - CLI_OPTION == EXPLAIN_RANK)
        arguments->rank = value;
    else
        arguments->text.values[found - CLI_OPTION] = value;
    return true;
}

static enum status explain(const struct coll_algorithm *algorithm, const struct coll_shape *shape,
                           const char *rank_text)
{
    struct coll_call call = shape->call;
    char text[128];
    uint64_t rank = 0;
    if (rank_text && !cli_value_count("--rank", rank_text, &rank))
        return STATUS_BAD_INPUT;
    if (rank >= call.size) {
        diag_error("--rank: there is no rank %s; the last one is %u", rank_text, call.size - 1);
        return STATUS_BAD_INPUT;
    }
    printf("%s: %s\n%s\n", algorithm->name, algorithm->doc, coll_shape_print(shape, text, sizeof text));
    call.rank = (uint32_t)rank;
    coll_take_lengths(&call);
    print_rank(algorithm, &call);
    if (!rank_text && node_ranks(&call, 0) > 1) {
        call.rank = node_member(&call, 0, 1);
        coll_take_lengths(&call);
        print_rank(algorithm, &call);
    }
    print_proof(algorithm, shape);
    return standard_flush();
}

int cli_coll_explain(int argc, char **argv)
{
    struct explain_arguments arguments = {.algorithm = NULL};
    struct coll_shape shape;
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    if (found != CLI_END)
        return cli_status(found);
    if (!arguments.algorithm) {
        diag_error("helio coll explain needs an algorithm, such as leaders (helio coll plan lists them)");
        return STATUS_BAD_INPUT;
    }
    enum status status = coll_shape_init(&shape, &arguments.text);
    const struct coll_algorithm *algorithm =
        status == STATUS_OK ? coll_planned(shape.call.kind, arguments.algorithm) : NULL;
    if (status == STATUS_OK)
        status = algorithm ? explain(algorithm, &shape, arguments.rank) : STATUS_BAD_INPUT;
    coll_shape_free(&shape);
    return status;
}
