#include "support/print_calls.h"

#include <stdbool.h>

static void print_members(FILE *out, const struct program *program, uint32_t comm)
{
    const struct group *group = &program->groups[comm];
    for (uint32_t i = 0; i < group->size; i++)
        fprintf(out, "%s%u", i ? "," : "", group_world(group, i));
    putc('\n', out);
}

static void print_p2p(FILE *out, const struct program *program, const struct call *call)
{
    uint64_t bytes = call->op == CALL_SEND ? call->bytes : call->recv_bytes;
    fprintf(out, "%s%s %d %d %llu ", call->flags & CALL_IMMEDIATE ? "i" : "", call_op_name(call->op),
            call->peer, call->tag, (unsigned long long)bytes);
    print_members(out, program, call->context);
}

static void print_vector(FILE *out, const struct program *program, const struct call *call, uint64_t at)
{
    for (uint32_t i = 0; at && i < program->groups[call->group].size; i++)
        fprintf(out, "%c%llu", i ? ',' : ' ', (unsigned long long)program->counts[at + i]);
}

/* The sums that a record has, as Score-P counts them: all that a rank sends and receives. */
static void print_collective(FILE *out, const struct program *program, uint32_t rank, const struct call *call)
{
    const struct group *group = &program->groups[call->group];
    unsigned long long ranks = group->size, sent = call->bytes, received = call->recv_bytes;
    bool at_root = call->peer == (int32_t)group_rank(group, rank);
    switch (call->op) {
    case CALL_BCAST:
        received = sent;
        sent = at_root ? ranks * sent : 0;
        break;
    case CALL_REDUCE:
        received = at_root ? ranks * sent : 0;
        break;
    case CALL_GATHER:
        received = at_root ? ranks * received : 0;
        break;
    case CALL_SCATTER:
        sent = at_root ? ranks * sent : 0;
        break;
    case CALL_ALLREDUCE:
        sent = received = ranks * sent;
        break;
    default:
        sent *= ranks;
        received *= ranks;
    }
    fprintf(out, "%s %d %llu %llu", call_op_name(call->op), call->peer, sent, received);
    print_vector(out, program, call, call->send_counts);
    print_vector(out, program, call, call->recv_counts);
    putc(' ', out);
    print_members(out, program, call->group);
}

/* As tests/traces/otf2/table. */
void print_call(FILE *out, const struct program *program, uint32_t rank, const struct call *call)
{
    if (call->op == CALL_INIT || call->op == CALL_FINALIZE || call->op == CALL_COMPUTE ||
        call->op == CALL_NOTHING)
        return;
    fprintf(out, "%u ", rank);
    if (call_is_collective(call))
        print_collective(out, program, rank, call);
    else if (call->op == CALL_SEND || call->op == CALL_RECV)
        print_p2p(out, program, call);
    else
        fprintf(out, "wait %u\n", call->op == CALL_WAITALL ? call->expected : 1);
}
