#include "support/plain_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

static struct plain_operation *add(struct plain_program *plain, struct rng *rng, enum graph_kind kind,
                                   uint32_t rank)
{
    struct plain_operation *added = &plain->operations[plain->count];
    *added = (struct plain_operation){.kind = kind, .rank = rank, .core = plain->count, .nic = plain->count};
    for (uint64_t i = rng_below(rng, PLAIN_BEFORE + 1); i; i--) {
        uint32_t before = (uint32_t)rng_below(rng, plain->count + 1);
        if (before == plain->count || plain->operations[before].rank != rank)
            continue;
        added->before[added->before_count] = before;
        added->on_begin[added->before_count++] = rng_below(rng, 3) == 0;
    }
    plain->count++;
    return added;
}

void plain_draw(struct plain_program *plain, uint64_t seed, bool is_shared)
{
    struct rng rng = rng_init(seed, "test_graphs");
    *plain = (struct plain_program){.ranks = 2 + (uint32_t)rng_below(&rng, PLAIN_RANKS - 1)};
    for (uint32_t tag = 0; plain->count < PLAIN_OPERATIONS; tag++) {
        uint32_t rank = (uint32_t)rng_below(&rng, plain->ranks);
        uint32_t peer = (uint32_t)rng_below(&rng, plain->ranks);
        if (rank == peer) {
            add(plain, &rng, GRAPH_COMPUTE, rank)->amount = rng_below(&rng, 3000);
            continue;
        }
        uint64_t bytes = rng_below(&rng, 2000);
        struct plain_operation *send = add(plain, &rng, GRAPH_SEND, rank);
        send->amount = bytes, send->peer = peer, send->tag = tag;
        struct plain_operation *receive = add(plain, &rng, GRAPH_RECV, peer);
        receive->amount = bytes, receive->peer = rank, receive->tag = tag;
    }
    const uint64_t cores = 1 + seed % 3, nics = 1 + seed % 2;
    for (uint32_t i = 0; is_shared && i < plain->count; i++) {
        plain->operations[i].core = (uint32_t)rng_below(&rng, cores);
        plain->operations[i].nic = (uint32_t)rng_below(&rng, nics);
    }
}

char *plain_text(const struct plain_program *plain)
{
    char *text = mem_alloc(1 << 16, 1, "text"), *at = text;
    at += sprintf(at, "num_ranks %u\n", plain->ranks);
    for (uint32_t rank = 0; rank < plain->ranks; rank++) {
        at += sprintf(at, "rank %u {\n", rank);
        for (uint32_t i = 0; i < plain->count; i++) {
            const struct plain_operation *operation = &plain->operations[i];
            if (operation->rank != rank)
                continue;
            at += sprintf(at, "l%u: ", i);
            if (operation->kind == GRAPH_COMPUTE)
                at += sprintf(at, "calc %lu", (unsigned long)operation->amount);
            else
                at += sprintf(at, "%s %lub %s %u tag %u", operation->kind == GRAPH_SEND ? "send" : "recv",
                              (unsigned long)operation->amount, operation->kind == GRAPH_SEND ? "to" : "from",
                              operation->peer, operation->tag);
            at += sprintf(at, " cpu %u", operation->core);
            at += operation->kind == GRAPH_COMPUTE ? sprintf(at, "\n")
                                                   : sprintf(at, " nic %u\n", operation->nic);
            for (uint32_t k = 0; k < operation->before_count; k++)
                at += sprintf(at, "l%u %s l%u\n", i, operation->on_begin[k] ? "irequires" : "requires",
                              operation->before[k]);
        }
        at += sprintf(at, "}\n");
    }
    if (at - text >= 1 << 16)
        abort();
    return text;
}

void plain_pass_loggops(struct plain_operation *send, struct plain_operation *receive)
{
    ps_t behind = send->amount ? (ps_t)send->amount - 1 : 0;
    ps_t there = send->begin + (100 + 1000) * 1000 + send->later;
    send->busy_until = send->begin + (100 + 3 * behind) * 1000;
    receive->busy_until = there + (100 + 3 * behind) * 1000;
    receive->end = ps_max(receive->begin, receive->busy_until);
    send->end = send->amount <= 1000 ? send->busy_until : ps_max(there, receive->begin);
}

static void begin(struct plain_program *plain, uint32_t i)
{
    struct plain_operation *operation = &plain->operations[i];
    operation->begin = 0;
    for (uint32_t k = 0; k < operation->before_count; k++) {
        const struct plain_operation *before = &plain->operations[operation->before[k]];
        operation->begin = ps_max(operation->begin, operation->on_begin[k] ? before->begin : before->end);
    }
}

void plain_times(struct plain_program *plain, plain_pass *pass, ps_t *finish)
{
    for (uint32_t i = 0; i < plain->count; i++) {
        struct plain_operation *operation = &plain->operations[i];
        begin(plain, i);
        if (operation->kind == GRAPH_COMPUTE) {
            operation->end = operation->begin + (ps_t)operation->amount * 1000 + operation->later;
        } else {
            begin(plain, ++i);
            pass(operation, &plain->operations[i]);
        }
    }
    memset(finish, 0, plain->ranks * sizeof *finish);
    for (uint32_t i = 0; i < plain->count; i++) {
        const struct plain_operation *operation = &plain->operations[i];
        finish[operation->rank] =
            ps_max(finish[operation->rank], ps_max(operation->end, operation->busy_until));
    }
}
