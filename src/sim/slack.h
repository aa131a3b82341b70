#ifndef HELIO_SIM_SLACK_H
#define HELIO_SIM_SLACK_H

#include "engine/slack.h"
#include "output/json.h"
#include "sim/path_summary.h"

struct result;

/* How much slack a run has (engine/slack.h): of messages, which ones are nearest to the critical path, and
 * what the messages of the path gain at most. docs/slack.md */

/* A message with slack. */
struct slack_near {
    struct slack_message message;
    uint64_t number; /* as in engine/free.h */
    ps_t sent, slack;
};

/* Bounds of slack in text: none, below three shares of the time. */
enum { SLACK_SHARES = 4 };
/* 1, 2, 5, 10 ... ps. */
enum { SLACK_BOUNDS = 56 };

struct slack_summary {
    struct slack_result of;                              /* without `messages`, `sent` and `gains` */
    uint64_t unlimited;                                  /* messages for which nobody waits */
    uint64_t none;                                       /* messages without slack */
    uint64_t shares[SLACK_SHARES], bounds[SLACK_BOUNDS]; /* messages whose slack is below each */
    struct slack_near near[PATH_LISTED];                 /* those with least slack, but more than none */
    size_t near_count;
    ps_t gains[PATH_LISTED]; /* of the longest messages of the path; -1: not known */
    uint32_t ranks_without;  /* ranks that have none */
};

/* "none", "< 0.1 %" of the time ... */
extern const char *const slack_share_names[SLACK_SHARES];

/* Puts the slack into the result, which has its path and its rows. */
void slack_keep(struct result *result, struct slack *slack);
void slack_summary_free(struct slack_summary *summary); /* NULL: does nothing */

/* The message's name in the parameter `free`; a buffer of 32 bytes is enough. */
const char *slack_near_name(const struct slack_near *near, char *buffer, size_t size);

/* The field slack of --json. */
json_t *slack_json(const struct result *result);

/* The ranks with the least slack that have some, at most `most`, least first. Returns how many. */
size_t slack_least_ranks(const struct result *result, size_t most, uint32_t *ranks);

#endif
