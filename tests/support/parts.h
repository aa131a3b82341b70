#ifndef TESTS_SUPPORT_PARTS_H
#define TESTS_SUPPORT_PARTS_H

#include <stdint.h>

#include "base/tap.h"

/* What a fabric tells of where its messages' time goes, as text to compare: a line for each part, as it was
 * told, "MESSAGE PART SINCE-AT WHAT IT WAITED FOR", times in units of `parts_unit`. */
extern char parts_said[8192];
extern ps_t parts_unit;
extern uint32_t parts_of_message; /* UINT32_MAX: of all */

void parts_hear(void *self, const struct tap_record *record); /* TAP_PART; `self` is not used */
void parts_forget(void);

#endif
