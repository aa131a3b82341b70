#ifndef TESTS_SUPPORT_PARTS_H
#define TESTS_SUPPORT_PARTS_H

#include <stdint.h>

#include "base/tap.h"

/* The parts of messages that a fabric emits on the tap, as text to compare: a line for each part in the order
 * of emission, "MESSAGE PART SINCE-AT WHAT IT WAITED FOR", with times in units of `parts_unit`. */
extern char parts_said[8192];
extern ps_t parts_unit;
extern uint32_t parts_of_message; /* UINT32_MAX: all messages */

/* A handler of parts; `self` is not used. */
void parts_add(void *self, uint32_t index, enum tap_part part, ps_t since, ps_t at,
               const struct tap_awaited *awaited);
void parts_forget(void);

#endif
