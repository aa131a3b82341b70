#ifndef HELIO_REPORT_TIMELINE_INTERNAL_H
#define HELIO_REPORT_TIMELINE_INTERNAL_H

/* What the files of this room share. */

#include <stdbool.h>

#include "base/event.h"
#include "base/mem.h"
#include "call/call.h"
#include "fabric/message.h"
#include "report/timeline/timeline.h"

/* A part of a message's time. */
struct timeline_part {
    ps_t since, at;
    ps_t alone; /* 0 = not known */
    const char *awaited;
    uint32_t which;
    uint32_t next; /* the message's next part, in the order of their events */
    uint8_t part;  /* enum tap_part, or PART_UNNAMED */
};

enum { PART_UNNAMED = TAP_PARTS }; /* time about which the fabric reports nothing */
const char *timeline_part_name(uint32_t part);

/* A message from its send on. */
struct timeline_message {
    uint64_t number;    /* from 1, over the whole file */
    uint64_t of_source; /* its number among the messages of its source in this run */
    uint64_t bytes;
    uint32_t source, destination;
    int32_t tag;
    uint8_t op; /* enum call_op */
    bool is_under_way;
    uint32_t lane; /* of its source */
    uint32_t slot; /* of its receive, when it is received (base/tap.h) */
    ps_t since, at;
    uint32_t first_part, last_part; /* in the order of their events */
};

/* A rank's wait, and its cause. */
struct timeline_wait {
    uint8_t call, cause; /* enum call_op */
    uint32_t peer;       /* or TAP_NOBODY */
    ps_t since, at;
    const char *site;              /* where in the source the call is; NULL: not known */
    const struct tap_burst *burst; /* of a computation: what was recorded of it; NULL: nothing */
};

/* The names of what was recorded of a computation, in all formats. */
enum timeline_burst_note {
    BURST_RECORDED_NS,
    BURST_PROCESSOR_NS,
    BURST_INSTRUCTIONS,
    BURST_AFTER,
    BURST_BEFORE,
    BURST_NOTES
};
const char *timeline_burst_name(enum timeline_burst_note note);

/* A message's time from its send to its end, without gaps and overlaps. */
struct timeline_breakdown {
    struct timeline_part *parts;
    size_t count, capacity;
    ps_t by_part[TAP_PARTS + 1];
    ps_t shared; /* time that transfers take longer because they share a resource */
};
/* `reported`: a pool of struct timeline_part, as the events report them. */
void timeline_breakdown_fill(struct timeline_breakdown *breakdown, const struct pool *reported,
                             const struct timeline_message *message);

/* A file format. Its functions are called in the order of time; `message` is called when a message has ended.
 */
struct timeline_format {
    bool shows_several_runs; /* in one file */
    bool shows_known;        /* struct timeline_known */
    bool shows_bursts;       /* what was recorded of computations */
    enum status (*open)(struct timeline *timeline, const char *path);
    void (*begin_run)(struct timeline *timeline); /* the ranks are known */
    void (*enter)(struct timeline *timeline, uint32_t rank, uint8_t call,
                  ps_t at); /* call: CALL_COMPUTE ... */
    void (*leave)(struct timeline *timeline, uint32_t rank, const struct timeline_wait *wait);
    void (*end_rank)(struct timeline *timeline, uint32_t rank, ps_t at);
    /* Each may be NULL. A core behind core 0 begins or ends to compute; without these functions a rank does
     * while one of its cores does. */
    void (*enter_core)(struct timeline *timeline, uint32_t rank, uint32_t core, ps_t at);
    void (*leave_core)(struct timeline *timeline, uint32_t rank, uint32_t core, ps_t at);
    /* A rank makes a call, and has ended the one before. NULL: calls are of no use. */
    void (*call)(struct timeline *timeline, const struct program *program, uint32_t rank,
                 const struct call *call, ps_t at);
    void (*sent)(struct timeline *timeline, const struct timeline_message *message);
    void (*received)(struct timeline *timeline, const struct timeline_message *message, ps_t at);
    void (*message)(struct timeline *timeline, const struct timeline_message *message,
                    const struct timeline_breakdown *breakdown);
    void (*end_run)(struct timeline *timeline);
    enum status (*close)(struct timeline *timeline, enum status run);
};

extern const struct timeline_format perfetto_format, paje_format, otf2_format;

/* A row of a rank's messages. A message takes the lowest free lane of its source. */
struct timeline_lane {
    ps_t free_at; /* PS_NEVER: its message is under way */
    uint64_t track;
};

/* A core that computes. */
struct timeline_core {
    uint32_t rank, core;
};

struct timeline_rank {
    uint64_t sent; /* messages */
    struct timeline_lane *lanes;
    size_t lane_count, lane_capacity;
    uint64_t *core_tracks; /* of the cores behind core 0; 0: not made yet */
    size_t core_capacity;
    uint32_t computing;     /* its cores that are shown together and compute */
    struct tap_burst burst; /* of its computation, if has_burst */
    bool has_burst;
    bool is_waiting;
};

struct timeline {
    const struct timeline_format *format;
    const char *path;
    bool is_file_per_run;
    void *file; /* of the format; NULL: not open */
    /* of the present run */
    const char *fabric;
    uint32_t ranks;
    struct timeline_rank *rank;
    struct timeline_message *messages; /* by the tap's index */
    size_t message_capacity;
    struct pool parts;
    struct timeline_breakdown breakdown;
    struct event_loop later; /* events that the run reports before they are due */
    struct pool arrivals;    /* struct timeline_message */
    struct pool cores;       /* struct timeline_core */
    uint32_t computed_kind, core_kind, received_kind;
    uint64_t message_count;
    uint64_t messages_before;           /* in earlier runs of the file */
    const struct timeline_known *known; /* of the present run; NULL: nothing is */
};

/* The message's slack. PS_NEVER: not known, or nobody waits for it. */
ps_t timeline_slack(const struct timeline *timeline, const struct timeline_message *message);
/* The message's step on the critical path. NULL: it is not on it, or that is not known. */
const struct timeline_step *timeline_step(const struct timeline *timeline,
                                          const struct timeline_message *message);

/* What a rank waited for, such as "a message from rank 3"; empty if no rank is at the other end. */
const char *timeline_wait_text(const struct timeline_wait *wait, char *text, size_t size);

#endif
