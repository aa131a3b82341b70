#include "fabric/fault_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "fabric/faults.h"

enum { EVENTS_MOST = 256 };

static const char *const verbs[] = {
    [FAULT_FAIL] = "fail", [FAULT_SLOW_DOWN] = "slow", [FAULT_REPAIR] = "repair"};
enum { VERBS = sizeof verbs / sizeof *verbs };

/* text[begin .. end) without blanks at both ends. */
struct stretch {
    size_t begin, end;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct stretch trim(const char *text, struct stretch part)
{
    while (part.begin < part.end && is_blank(text[part.begin]))
        part.begin++;
    while (part.end > part.begin && is_blank(text[part.end - 1]))
        part.end--;
    return part;
}

static enum status refuse(const struct config *config, const char *text, size_t at, const char *why)
{
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = "faults.events",
                                     .line = 1,
                                     .column = (uint32_t)at + 1,
                                     .span = 1,
                                     .source = text,
                                     .source_length = strlen(text)},
                "%s", why);
    config_note_origin(config, "faults.events");
    return STATUS_BAD_INPUT;
}

/* The first word of the part that is a verb; false: there is none. */
static bool find_verb(const char *text, struct stretch part, struct stretch *word, enum fault_action *action)
{
    for (size_t at = part.begin; at < part.end; at = word->end) {
        *word = (struct stretch){at, at};
        while (word->begin < part.end && is_blank(text[word->begin]))
            word->begin++;
        word->end = word->begin;
        while (word->end < part.end && !is_blank(text[word->end]))
            word->end++;
        for (int verb = 0; verb < VERBS; verb++)
            if (word->end - word->begin == strlen(verbs[verb]) &&
                memcmp(text + word->begin, verbs[verb], word->end - word->begin) == 0) {
                *action = (enum fault_action)verb;
                return true;
            }
    }
    return false;
}

/* "20us fail (0)>(1), 7" */
static enum status read_event(const struct config *config, const char *text, struct stretch part,
                              struct fault_events *events)
{
    struct stretch word, names;
    struct units_problem problem;
    struct fault_event *event = &events->items[events->count];
    ps_t at_ps = 0;
    if (!find_verb(text, part, &word, &event->action))
        return refuse(
            config, text, part.begin,
            "an event is a time, one of fail, slow and repair, and names of links or switches, as in "
            "20us fail (0,0)>(1,0)");
    struct stretch time = trim(text, (struct stretch){part.begin, word.begin});
    char *copy = mem_format("%.*s", (int)(time.end - time.begin), text + time.begin);
    bool is_time = units_time(copy, &at_ps, &problem);
    free(copy);
    if (!is_time)
        return refuse(config, text, time.begin + problem.at, problem.text);
    if (at_ps == 0)
        return refuse(config, text, time.begin,
                      "an event is later than the beginning of the run; faults.links and faults.switches say "
                      "what fails before it");
    names = trim(text, (struct stretch){word.end, part.end});
    if (names.begin == names.end)
        return refuse(config, text, word.begin, "names of links or switches are missing behind this word");
    event->begin = names.begin;
    event->end = names.end;
    events->at_ps[events->count++] = at_ps;
    return STATUS_OK;
}

/* By insertion: events are few, and mostly in order. */
static void sort(struct fault_events *events)
{
    for (size_t i = 1; i < events->count; i++)
        for (size_t k = i; k > 0 && events->at_ps[k - 1] > events->at_ps[k]; k--) {
            const struct fault_event event = events->items[k];
            const ps_t at_ps = events->at_ps[k];
            events->items[k] = events->items[k - 1];
            events->at_ps[k] = events->at_ps[k - 1];
            events->items[k - 1] = event;
            events->at_ps[k - 1] = at_ps;
        }
}

enum status fault_events_read(const struct config *config, struct fault_events *events)
{
    const struct fault_config *faults = config_of(config, &fault_params);
    const char *text = faults->events ? faults->events : "";
    enum status status = STATUS_OK;
    *events = (struct fault_events){.items = mem_alloc(EVENTS_MOST, sizeof *events->items, "faults"),
                                    .at_ps = mem_alloc(EVENTS_MOST, sizeof *events->at_ps, "faults")};
    for (size_t at = 0; text[at] && status == STATUS_OK;) {
        size_t length = strcspn(text + at, ";");
        struct stretch part = trim(text, (struct stretch){at, at + length});
        at += length + (text[at + length] == ';');
        if (part.begin == part.end)
            continue;
        status = events->count < EVENTS_MOST
                     ? read_event(config, text, part, events)
                     : refuse(config, text, part.begin, "there are at most 256 events");
    }
    sort(events);
    if (status != STATUS_OK)
        fault_events_free(events);
    return status;
}

void fault_events_free(struct fault_events *events)
{
    free(events->items);
    free(events->at_ps);
    *events = (struct fault_events){.count = 0};
}

const struct fault_event *fault_events_until(const struct fault_events *events, ps_t time, size_t *count)
{
    *count = 0;
    while (*count < events->count && events->at_ps[*count] <= time)
        ++*count;
    return events->items;
}

const struct fault_event *fault_events_without_repairs(struct fault_events *events, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < events->count; i++)
        if (events->items[i].action != FAULT_REPAIR)
            events->items[(*count)++] = events->items[i];
    return events->items;
}
