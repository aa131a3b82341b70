#ifndef HELIO_SIM_CONSERVATION_H
#define HELIO_SIM_CONSERVATION_H

#include <stdint.h>

#include "base/status.h"
#include "base/tap.h"

/* Checks a fabric: every message that it gets is delivered exactly once, not before it was posted, and with
 * all of its bytes. */
struct conservation {
    uint64_t injected, injected_bytes, delivered, delivered_bytes, early;
};
void conservation_attach(struct conservation *conservation, struct tap *tap);
/* Call it after the run. STATUS_FAILED, reported: the fabric lost or added something. */
enum status conservation_check(const struct conservation *conservation, const char *fabric);

#endif
