#ifndef HELIO_CAPTURE_TRAFFIC_H
#define HELIO_CAPTURE_TRAFFIC_H

#include <stdint.h>

/* What this rank has sent and received, also while nothing is recorded, so that helio capture finds the
 * places at which no message is under way (trace/edit/interval.h). Each destination has a number. A message
 * adds that of its destination where it is sent, and takes it away where its receive is posted; so the sum
 * over all ranks is 0 where all messages have been received. */
void traffic_sent(int destination);
void traffic_received(void);
void traffic_not_received(void); /* a receive that was cancelled */
void traffic_not_sent(int destination);
int64_t traffic_balance(void);

/* A blocking collective of the world is complete: the ranks have as many behind them where they are at the
 * same place of the program. */
void traffic_collective(void);
int64_t traffic_collectives(void);

/* Any other collective has been called: of a communicator, or one that does not block. The ranks have called
 * as many since their last blocking collective of the world where they are at the same place of the program.
 */
void traffic_other_collective(void);
int64_t traffic_other_collectives(void);

#endif
