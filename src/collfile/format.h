#ifndef HELIO_COLLFILE_FORMAT_H
#define HELIO_COLLFILE_FORMAT_H

#include "collfile/text.h"

/* A format of schedules: a file with one of these, and its line in formats.def. */
struct collfile_format {
    const char *name; /* "MSCCL XML" */
    const char *doc;  /* what it looks like, in a few words */
    bool (*probe)(const struct collfile_text *text);
    /* Reads and proves. Fills *proof, and *schedule if it is not NULL. STATUS_BAD_INPUT, reported: it cannot
     * be read. */
    enum status (*prove)(const struct collfile_text *text, struct collfile_proof *proof,
                         struct collfile_schedule *schedule);
};

/* Ends with NULL. */
extern const struct collfile_format *const collfile_formats[];

#endif
