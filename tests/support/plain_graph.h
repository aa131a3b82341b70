#ifndef TESTS_SUPPORT_PLAIN_GRAPH_H
#define TESTS_SUPPORT_PLAIN_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"
#include "call/graph.h"

/* Random graphs in one order of all ranks, which no dependence and no message contradicts: so they never
 * block. Each operation has a core and a NIC of its own, and no two wait for one another but by dependences;
 * or, if they are shared, they wait for those, too. */
enum { PLAIN_RANKS = 8, PLAIN_OPERATIONS = 200, PLAIN_BEFORE = 3 };

struct plain_operation {
    enum graph_kind kind;
    uint32_t rank;
    uint64_t amount; /* ns, or bytes */
    uint32_t peer, tag;
    uint32_t before_count, before[PLAIN_BEFORE];
    bool on_begin[PLAIN_BEFORE];
    uint32_t core, nic;
    ps_t later;      /* of a send: its message takes so much longer; of a computation: itself */
    ps_t begin, end; /* of a run */
    ps_t busy_until; /* its core, with a message */
};

struct plain_program {
    uint32_t ranks, count;
    struct plain_operation operations[PLAIN_OPERATIONS + 2];
};

void plain_draw(struct plain_program *plain, uint64_t seed, bool is_shared);

/* In GOAL; the caller frees it. */
char *plain_text(const struct plain_program *plain);

/* Sets when the send and the receive of a message end, which have begun. */
typedef void plain_pass(struct plain_operation *send, struct plain_operation *receive);

/* On loggops with L 1000, o 100, G 2, O 3 ns, S 1000 bytes; g has no effect, since each message has a NIC of
 * its own. */
plain_pass plain_pass_loggops;

/* The end of each rank, of a program that shares nothing. */
void plain_times(struct plain_program *plain, plain_pass *pass, ps_t *finish);

#endif
