#include "trace/goal/write.h"

#include <inttypes.h>

#include "base/diag.h"
#include "output/output.h"
#include "trace/goal/goal.h"

/* -------------------------------------------------------------------- text */

static void put_number(FILE *out, uint32_t number)
{
    if (number == GRAPH_ANY)
        fputs("-1", out);
    else
        fprintf(out, "%" PRIu32, number);
}

static void put_operation(FILE *out, const struct graph_operation *operation, uint32_t index)
{
    bool is_send = operation->kind == GRAPH_SEND;
    fprintf(out, "l%" PRIu32 ": ", index + 1);
    if (operation->kind == GRAPH_COMPUTE) {
        fprintf(out, "calc %" PRIu64, operation->amount / 1000);
    } else {
        fprintf(out, "%s %" PRIu64 "b %s ", is_send ? "send" : "recv", operation->amount,
                is_send ? "to" : "from");
        put_number(out, operation->peer);
        if (operation->tag) {
            fputs(" tag ", out);
            put_number(out, operation->tag);
        }
    }
    if (operation->core)
        fprintf(out, " cpu %u", operation->core);
    if (operation->nic && operation->kind != GRAPH_COMPUTE)
        fprintf(out, " nic %u", operation->nic);
    fputc('\n', out);
}

static void put_rank(FILE *out, const struct graph_rank *rank)
{
    for (uint32_t i = 0; i < rank->count; i++)
        put_operation(out, &rank->operations[i], i);
    for (uint32_t i = 0; i < rank->count; i++) {
        const struct graph_operation *operation = &rank->operations[i];
        for (uint32_t k = operation->on_end; k < operation[1].on_end; k++)
            fprintf(out, "l%" PRIu32 " %s l%" PRIu32 "\n", rank->dependents[k] + 1,
                    k < operation->on_begin ? "requires" : "irequires", i + 1);
    }
}

void goal_write_text(const struct program *program, FILE *out)
{
    fprintf(out, "num_ranks %" PRIu32 "\n", program->ranks);
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        fprintf(out, "\nrank %" PRIu32 " {\n", rank);
        put_rank(out, &program->graph->ranks[rank]);
        fputs("}\n", out);
    }
}

/* ------------------------------------------------------------------- binary */

/* binary.c has the layout. */
static void put_bytes(FILE *out, uint64_t number, unsigned bytes)
{
    for (; bytes; bytes--, number >>= 8)
        fputc((int)(number & 0xff), out);
}

enum { OPERATION_BYTES = 39 };

static uint32_t roots_of(const struct graph_rank *rank)
{
    uint32_t roots = 0;
    for (uint32_t i = 0; i < rank->count; i++)
        roots += rank->operations[i].needs == 0;
    return roots;
}

/* `base`: where the lists of its rank begin. */
static void put_binary_operation(FILE *out, const struct graph_operation *operation, uint32_t base)
{
    static const uint8_t kinds[] = {[GRAPH_SEND] = 1, [GRAPH_RECV] = 2, [GRAPH_COMPUTE] = 3};
    bool is_calc = operation->kind == GRAPH_COMPUTE;
    put_bytes(out, operation->needs, 4);
    put_bytes(out, kinds[operation->kind], 1);
    put_bytes(out, operation->peer, 4);
    put_bytes(out, is_calc ? operation->amount / 1000 : operation->amount, 8);
    put_bytes(out, operation->tag, 4);
    put_bytes(out, operation->core, 1);
    put_bytes(out, is_calc ? 0 : operation->nic, 1);
    put_bytes(out, graph_on_end(operation), 4);
    put_bytes(out, operation->on_end - base, 4);
    put_bytes(out, graph_on_begin(operation), 4);
    put_bytes(out, operation->on_begin - base, 4);
}

static void put_binary_rank(FILE *out, const struct graph_rank *rank)
{
    put_bytes(out, rank->count, 4);
    put_bytes(out, roots_of(rank), 4);
    for (uint32_t i = 0; i < rank->count; i++)
        if (!rank->operations[i].needs)
            put_bytes(out, i, 4);
    for (uint32_t i = 0; i < rank->count; i++)
        put_binary_operation(out, &rank->operations[i], rank->operations->on_end);
    for (uint32_t i = rank->operations->on_end; i < rank->operations[rank->count].on_end; i++)
        put_bytes(out, rank->dependents[i], 4);
}

void goal_write_binary(const struct program *program, FILE *out)
{
    const struct graph *graph = program->graph;
    uint64_t at = 6 + (uint64_t)16 * program->ranks;
    put_bytes(out, GOAL_MAGIC, 8);
    put_bytes(out, program->ranks, 4);
    put_bytes(out, graph->cores ? graph->cores - 1 : 0, 1);
    put_bytes(out, graph->nics ? graph->nics - 1 : 0, 1);
    for (uint32_t i = 0; i < program->ranks; i++) {
        const struct graph_rank *rank = &graph->ranks[i];
        put_bytes(out, at, 8);
        at += 8 + 4 * (uint64_t)roots_of(rank) + OPERATION_BYTES * (uint64_t)rank->count +
              4 * (uint64_t)(rank->operations[rank->count].on_end - rank->operations->on_end);
        put_bytes(out, at, 8);
    }
    for (uint32_t i = 0; i < program->ranks; i++)
        put_binary_rank(out, &graph->ranks[i]);
}

/* --------------------------------------------------------------------- file */

/* NULL: GOAL has such an operation. */
static const char *fault_of(const struct graph_operation *operation)
{
    if (operation->kind == GRAPH_CALL)
        return "it is a collective call";
    if (operation->kind == GRAPH_WORK)
        return "it is a number of operations, not a time";
    if (operation->kind == GRAPH_COMPUTE && operation->amount % 1000)
        return "its time is no whole number of ns";
    return NULL;
}

bool goal_has_times(const struct program *program)
{
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        const struct graph_rank *about = &program->graph->ranks[rank];
        for (uint32_t i = 0; i < about->count; i++)
            if (about->operations[i].kind == GRAPH_WORK ||
                (about->operations[i].kind == GRAPH_COMPUTE && about->operations[i].amount % 1000))
                return false;
    }
    return true;
}

static enum status check(const struct program *program)
{
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        const struct graph_rank *about = &program->graph->ranks[rank];
        for (uint32_t i = 0; i < about->count; i++) {
            const char *fault = fault_of(&about->operations[i]);
            if (!fault)
                continue;
            struct call_place place = program->graph->place(program, rank, i);
            diag_report(DIAG_ERROR, &(struct diag_place){.file = place.file, .line = place.line},
                        "GOAL has no operation like %s of rank %u: %s",
                        program->graph->label(program, rank, i), rank, fault);
            return STATUS_BAD_INPUT;
        }
    }
    return STATUS_OK;
}

enum status goal_write(const struct program *program, const char *out, bool binary)
{
    struct output output;
    enum status status = check(program);
    if (status == STATUS_OK)
        status = output_open(&output, out);
    if (status != STATUS_OK)
        return status;
    if (binary)
        goal_write_binary(program, output.file);
    else
        goal_write_text(program, output.file);
    return output_close(&output, STATUS_OK);
}
