#include "schedule/hop_lines.h"

#include <inttypes.h>
#include <stdio.h>

static bool take_switch(struct schedule_lines *lines, char behind, uint32_t *number)
{
    size_t begin = lines->at;
    uint64_t value = 0;
    for (; lines->at < lines->length && lines->line[lines->at] >= '0' && lines->line[lines->at] <= '9';
         lines->at++)
        if (value <= UINT32_MAX)
            value = 10 * value + (uint64_t)(lines->line[lines->at] - '0');
    *number = (uint32_t)value;
    bool is_good = lines->at > begin && value <= UINT32_MAX;
    if (behind) {
        is_good = is_good && lines->at < lines->length && lines->line[lines->at] == behind;
        lines->at++;
    }
    return is_good || schedule_lines_malformed(lines, begin, 1,
                                               "here links are expected: hops from>to between switches, with "
                                               "blanks between them, as in 0>1 1>5");
}

/* "from>to" or "from>to/1". */
static bool take_hop(struct schedule_lines *lines, struct hop *hop)
{
    *hop = (struct hop){0};
    if (!take_switch(lines, '>', &hop->from) || !take_switch(lines, 0, &hop->to))
        return false;
    if (lines->at < lines->length && lines->line[lines->at] == '/') {
        lines->at++;
        return take_switch(lines, 0, &hop->parallel);
    }
    return true;
}

bool hop_lines_read(struct schedule_lines *lines, const struct topo *topo, const struct hops *hops,
                    uint32_t source, uint32_t destination,
                    bool (*use)(void *context, const struct hop *hop, size_t column), void *context)
{
    char problem[SCHEDULE_PROBLEM];
    uint32_t at = topo_switch_of(topo, source), end = topo_switch_of(topo, destination);
    while (lines->at < lines->length) {
        struct hop hop;
        size_t begin = lines->at;
        if (!take_hop(lines, &hop))
            return false;
        const struct hop *found = hops_find(hops, &hop);
        if (!found) {
            snprintf(problem, sizeof problem, "no link leads from %" PRIu32 " to %" PRIu32, hop.from, hop.to);
            return schedule_lines_unfit(lines, begin, problem);
        }
        if (hop.from != at) {
            snprintf(problem, sizeof problem,
                     "the circuit is at switch %" PRIu32 ", this hop begins at %" PRIu32, at, hop.from);
            return schedule_lines_unfit(lines, begin, problem);
        }
        if (!use(context, found, begin))
            return false;
        at = hop.to;
        if (lines->at < lines->length && lines->line[lines->at++] != ' ')
            return schedule_lines_malformed(lines, lines->at - 1, 1,
                                            "here a blank or the end of the line is expected");
    }
    snprintf(problem, sizeof problem,
             "the links end at switch %" PRIu32 ", node %" PRIu32 " is at switch %" PRIu32, at, destination,
             end);
    return at == end || schedule_lines_unfit(lines, lines->length, problem);
}
