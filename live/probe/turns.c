#include "live/probe/probe.h"

enum { SOON_NS = 1000, LATE_NS = 3000 };

void turns_delay(unsigned exchange)
{
    clock_spin((ticks_t)((turns_are_late(exchange) ? LATE_NS : SOON_NS) * probe_clock.ticks_per_ns));
}

/* All else that an exchange takes is the same with early and late answers, and cancels. */
void turns_record(const struct turns *turns, enum probe_quantity quantity)
{
    if (turns->polls[1] > turns->polls[0])
        record_sample(quantity,
                      (LATE_NS - SOON_NS) * (BLOCK / 2) / (double)(turns->polls[1] - turns->polls[0]));
}
