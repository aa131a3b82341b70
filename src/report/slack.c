#include "report/slack.h"

#include <inttypes.h>

#include "base/units.h"
#include "sim/slack.h"

enum { NEAR_SHOWN = 3, RANKS_SHOWN = 5 };

/* The share of the messages that have no slack, and whose slack is below a share of the time. */
static void put_messages(const struct result *results, size_t count, FILE *out)
{
    fprintf(out, "\n%-17s", "messages by slack");
    for (size_t i = 0; i < SLACK_SHARES; i++)
        fprintf(out, " %10s", slack_share_names[i]);
    fputs(" of the time\n", out);
    for (size_t i = 0; i < count; i++) {
        const struct slack_summary *slack = results[i].slack;
        if (!slack || !slack->of.message_count)
            continue;
        fprintf(out, "%-17s", results[i].fabric);
        for (size_t k = 0; k < SLACK_SHARES; k++)
            fprintf(out, " %8.2f %%", 100 * (double)slack->shares[k] / (double)slack->of.message_count);
        fputc('\n', out);
    }
}

static void put_near(const struct result *result, FILE *out)
{
    const struct slack_summary *slack = result->slack;
    for (size_t i = 0; i < slack->near_count && i < NEAR_SHOWN; i++) {
        const struct slack_near *near = &slack->near[i];
        char name[32], size[32], time[32];
        fprintf(out, "%s: message %s (%s from rank %" PRIu32 " to %" PRIu32 ", %s) could take ",
                result->fabric, slack_near_name(near, name, sizeof name),
                units_show_size((double)near->message.bytes, 4, size, sizeof size), near->message.source,
                near->message.destination, path_call_kind(near->message.op));
        fprintf(out, "%s more\n", units_show_time(near->slack, 4, time, sizeof time));
    }
}

static void put_ranks(const struct result *result, FILE *out)
{
    uint32_t ranks[RANKS_SHOWN];
    const size_t count = slack_least_ranks(result, RANKS_SHOWN, ranks);
    fprintf(out, "%s: %" PRIu32 " of %" PRIu32 " ranks have no slack", result->fabric,
            result->slack->ranks_without, result->ranks);
    for (size_t i = 0; i < count; i++) {
        char time[32];
        fprintf(out, "%s rank %" PRIu32 "%s %s", i ? "," : ";", ranks[i], i ? "" : " has",
                units_show_time(result->rows[ranks[i]].slack, 4, time, sizeof time));
    }
    fputc('\n', out);
}

/* Elsewhere a shorter message also changes how long other messages wait (docs/slack.md). */
static bool gains_are_exact(const struct result *result)
{
    return result->network.has_no_contention && !result->has_software;
}

static void put_gain(const struct result *result, FILE *out)
{
    const struct path_list *longest = &result->path_summary->messages;
    const ps_t gain = result->slack->gains[0];
    char name[32], time[32];
    if (!longest->count || gain < 0)
        return;
    const struct critical_step *step = longest->groups[0].first;
    const ps_t takes = step->end - step->start;
    fprintf(out, "%s: a shorter message %s, which takes %s, makes the run", result->fabric,
            path_message_name(step, name, sizeof name), units_show_time(takes, 4, time, sizeof time));
    if (gain == 0)
        fputs(" no shorter", out);
    else if (gain == takes)
        fputs(" as much shorter", out);
    else
        fprintf(out, " shorter by %s at most", units_show_time(gain, 4, time, sizeof time));
    fputs(gains_are_exact(result) ? "\n" : ", if all else stays as it was\n", out);
}

void report_slack(const struct result *results, size_t count, FILE *out)
{
    bool has_slack = false;
    for (size_t i = 0; i < count; i++)
        has_slack |= results[i].slack != NULL;
    if (!has_slack)
        return;
    put_messages(results, count, out);
    fputc('\n', out);
    for (size_t i = 0; i < count; i++) {
        if (!results[i].slack)
            continue;
        put_gain(&results[i], out);
        put_near(&results[i], out);
        put_ranks(&results[i], out);
    }
}
