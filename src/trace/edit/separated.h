#ifndef HELIO_TRACE_EDIT_SEPARATED_H
#define HELIO_TRACE_EDIT_SEPARATED_H

#include "trace/edit/places.h"

/* Reports what a cut at a place separates: a request and the call that waits for it, a message's two ends, or
 * the ranks of a collective call. */
void separated_report(const struct places *places, uint64_t place);

#endif
