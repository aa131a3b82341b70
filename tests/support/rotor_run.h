#ifndef TESTS_SUPPORT_ROTOR_RUN_H
#define TESTS_SUPPORT_ROTOR_RUN_H

/* Messages on the fabric rotor, without ranks. */

#include "base/diag.h"
#include "base/rng.h"
#include "fabric/rotor/rotor.h"

enum { ROTOR_MOST = 20000, ROTOR_SAID = 4096 };

struct rotor_sent {
    uint32_t source, destination;
    uint64_t bytes;
    ps_t at;                     /* submitted */
    ps_t visible, left, arrived; /* what the fabric says */
};

extern struct rotor_sent rotor_sent[ROTOR_MOST];
extern size_t rotor_sent_count;

/* What the last run left: the fabric's statistics, how many events it took, and all diagnostics. */
extern struct rotor_statistics rotor_seen;
extern uint64_t rotor_events;
extern char rotor_said[ROTOR_SAID];

/* Sends the messages of `rotor_sent`. The settings come after slots of 10 us + 90 us and `switches` links of
 * 1 GB/s. Each message is visible, left and delivered once, and each pair keeps its order, or the test fails.
 */
enum status rotor_run(uint32_t nodes, uint32_t switches, const char *settings);

/* All parameters of fabrics, with these settings. */
struct config *rotor_configure(const char *settings);
/* For diag_set_sink: appends to rotor_said. */
void rotor_keep(void *self, enum diag_level level, const char *message);

void rotor_clear(void);
struct rotor_sent *rotor_add(uint32_t source, uint32_t destination, uint64_t bytes, ps_t at);

/* Random messages in the order of their times, in place of those that were there. */
void rotor_draw(struct rng *rng, uint32_t nodes, size_t count, uint64_t bytes, ps_t within);

/* Bytes are counted once, whatever way they took; an empty message counts as a byte. */
void rotor_check_conservation(void);

#endif
