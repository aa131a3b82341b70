#ifndef HELIO_SIM_PATH_SUMMARY_H
#define HELIO_SIM_PATH_SUMMARY_H

#include "engine/critical.h"
#include "output/json.h"

/* What a critical path consists of, by message, by pair of ranks, by rank, and by what messages waited for:
 * those with most time, most first. All of it is of the part of the path that is listed.
 * docs/models/insight.md */
enum { PATH_LISTED = 12 };

struct result_site;

/* Steps of the path that have something in common. */
struct path_group {
    const struct critical_step *first; /* of them, in time */
    uint64_t count, bytes;
    ps_t time;
};

struct path_list {
    struct path_group groups[PATH_LISTED];
    size_t count;
    ps_t time; /* of these groups */
};

struct path_summary {
    const struct critical_path *path;
    const struct result_site *sites; /* the names of call sites; NULL: they are not known */
    struct critical_step last;       /* behind the last message, until the end; without a message */
    struct path_list messages;       /* one by one */
    struct path_list pairs;          /* messages with the same source and destination */
    struct path_list ranks;          /* what ranks compute, and what their cores do, between messages */
    struct path_list calls;          /* messages of point-to-point calls, and of each kind of collective */
    struct path_list waits;        /* messages that waited for the same thing longest; the time of waiting */
    struct path_list computations; /* of ranks, between the same call sites */
};

/* The call sites between which a rank computes on the path before the message of the step: of the call in
 * which it waited, and of the one that sent the message. 0: the beginning, the end, or not known. */
struct path_between {
    uint32_t after, before;
};
struct path_between path_between(const struct path_summary *summary, const struct critical_step *step);

/* The path must outlive the summary, which the caller frees. */
struct path_summary *path_summary_make(const struct critical_path *path);

/* The field critical_path of --json. */
json_t *path_summary_json(const struct path_summary *summary);

/* "p2p" for point-to-point calls, else the collective's name. */
const char *path_call_name(const struct critical_step *step);
const char *path_call_kind(uint8_t op); /* enum call_op */

/* The message's name in the parameter `free`; a buffer of 32 bytes is enough. */
const char *path_message_name(const struct critical_step *step, char *buffer, size_t size);

#endif
