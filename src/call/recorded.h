#ifndef HELIO_CALL_RECORDED_H
#define HELIO_CALL_RECORDED_H

/* What OTF2's record of a call cannot say, a timeline says by attributes of the record, so that
 * the call can be read back: report/timeline writes them, and trace/otf2 reads them. */
enum recorded {
    RECORDED_ELEMENT,    /* a whole number: bytes of an element, which a reduction must not cut */
    RECORDED_OPERATIONS, /* a number: those of the reduction itself */
    RECORDED_SENDS,      /* a text: bytes for each rank, separated by commas */
    RECORDED_RECEIVES,   /* a text: bytes from each rank */
    RECORDED_ANY,        /* of a receive, a whole number: RECORDED_ANY_SOURCE, RECORDED_ANY_TAG, or both */
    RECORDED_KINDS
};

enum { RECORDED_ANY_SOURCE = 1, RECORDED_ANY_TAG = 2 };

static inline const char *recorded_name(enum recorded what)
{
    static const char *const names[RECORDED_KINDS] = {
        "helio element bytes", "helio operations", "helio bytes sent", "helio bytes received", "helio any"};
    return names[what];
}

#endif
