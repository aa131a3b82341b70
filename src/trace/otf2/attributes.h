#ifndef HELIO_TRACE_OTF2_ATTRIBUTES_H
#define HELIO_TRACE_OTF2_ATTRIBUTES_H

#include "call/recorded.h"
#include "trace/otf2/definitions.h"
#include "trace/otf2/events.h"
#include "trace/otf2/local.h"

/* What timelines of helio say about a call beside its record (call/recorded.h). */
struct otf2_attributes {
    bool has[RECORDED_KINDS];
    uint64_t numbers[RECORDED_KINDS]; /* a whole number, or the bits of a double */
    const char *texts[RECORDED_KINDS];
    bool failed; /* the list is damaged */
};

void otf2_attributes_read(struct otf2_attributes *attributes, const struct otf2_definitions *definitions,
                          const struct otf2_local *local, const struct otf2_event *event);

/* The sizes of a text, "4,0,7", of which there have to be `count`. */
bool otf2_attributes_vector(const char *text, uint64_t *sizes, uint32_t count);

#endif
