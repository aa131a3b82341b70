#ifndef HELIO_REPORT_TIMELINE_INTERNAL_H
#define HELIO_REPORT_TIMELINE_INTERNAL_H

/* What the files of this room share.
 *
 *   timeline.c    hears a run, puts what it hears into the order of time, and gives every message a lane
 *   breakdown.c   a message's time, each instant under one name
 *   perfetto.c    the formats: each an ops table
 *   paje.c
 *   otf2.c        or no_otf2.c where its library is not installed
 */

#include <stdbool.h>

#include "base/event.h"
#include "base/mem.h"
#include "call/call.h"
#include "fabric/message.h"
#include "report/timeline/timeline.h"

/* A part of a message's time; `part` TAP_PARTS is time of which the fabric has told nothing. */
struct timeline_part {
    ps_t since, at;
    ps_t alone; /* 0 = not known */
    const char *awaited;
    uint32_t which;
    uint32_t next; /* of the same message, in the order in which they were told */
    uint8_t part;  /* enum tap_part */
};

enum { PART_UNNAMED = TAP_PARTS };
const char *timeline_part_name(uint32_t part);

/* A message from its send on. */
struct timeline_message {
    uint64_t number; /* counted from 1 over the whole file */
    uint64_t bytes;
    uint32_t source, destination;
    int32_t tag;
    uint8_t op; /* enum call_op */
    bool is_under_way;
    uint32_t lane; /* among those of its source */
    ps_t since, at;
    uint32_t first_part, last_part; /* as told */
};

/* Where a rank's wait came from. */
struct timeline_wait {
    uint8_t call, cause; /* enum call_op */
    uint32_t peer;       /* or TAP_NOBODY */
    ps_t since, at;
};

/* A message's time without gap or overlap, from its send to its end. */
struct breakdown {
    struct timeline_part *parts;
    size_t count, capacity;
    ps_t by_part[TAP_PARTS + 1];
    ps_t shared; /* of the transfers: beyond what they would have taken alone */
};
void breakdown_make(struct breakdown *breakdown, const struct pool *told,
                    const struct timeline_message *message);

/* A file format. Events come in the order of time, those of whole messages when they are over. */
struct timeline_format {
    bool shows_several_runs; /* in one file */
    enum status (*open)(struct timeline *timeline, const char *path);
    void (*begin_run)(struct timeline *timeline); /* its ranks are known */
    void (*enter)(struct timeline *timeline, uint32_t rank, uint8_t call,
                  ps_t at); /* call: CALL_COMPUTE ... */
    void (*leave)(struct timeline *timeline, uint32_t rank, const struct timeline_wait *wait);
    void (*end_rank)(struct timeline *timeline, uint32_t rank, ps_t at);
    /* Each may be NULL. */
    void (*sent)(struct timeline *timeline, const struct timeline_message *message);
    void (*received)(struct timeline *timeline, const struct timeline_message *message, ps_t at);
    void (*message)(struct timeline *timeline, const struct timeline_message *message,
                    const struct breakdown *breakdown);
    void (*end_run)(struct timeline *timeline);
    enum status (*close)(struct timeline *timeline, enum status run);
};

extern const struct timeline_format perfetto_format, paje_format, otf2_format;

/* Lanes of a rank, lowest free one first. */
struct timeline_lane {
    ps_t free_at; /* PS_NEVER: its message is under way */
    uint64_t track;
};

struct timeline_rank {
    struct timeline_lane *lanes;
    size_t lane_count, lane_capacity;
};

struct timeline {
    const struct timeline_format *format;
    const char *path;
    bool is_file_per_run;
    void *file; /* the format's own; NULL: not open */
    /* of the run that is listened to */
    const char *fabric;
    uint32_t ranks;
    struct timeline_rank *rank;
    struct timeline_message *messages; /* by the tap's index */
    size_t message_capacity;
    struct pool parts;
    struct breakdown breakdown;
    struct event_loop later; /* what was told ahead of its time */
    struct pool arrivals;    /* struct timeline_message */
    uint32_t computed_kind, received_kind;
    uint64_t message_count;
};

/* What a rank waited for, in words, as "a message from rank 3"; empty where nobody is at the other end. */
const char *timeline_say_wait(const struct timeline_wait *wait, char *text, size_t size);

#endif
