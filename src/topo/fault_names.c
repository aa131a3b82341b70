#include "topo/faults.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Links and switches by name, in lists and in events. */

void fault_mark_link(struct topo_faults *faults, uint32_t link, enum fault_action action)
{
    static const uint8_t marks[] = {[FAULT_FAIL] = FAULT_FAILED, [FAULT_SLOW_DOWN] = FAULT_SLOW};
    uint8_t *there = &faults->links[link], *back = &faults->links[topo_link_reverse(&faults->base, link)];
    *there = action == FAULT_REPAIR ? 0 : *there | marks[action];
    *back = action == FAULT_REPAIR ? 0 : *back | marks[action];
}

/* What is being read: the names of one kind, in a text that has others too, and the one of them that was read
 * last. */
struct fault_reader {
    struct topo_faults *faults;
    struct fault_problem *problem;
    enum fault_kind kind;
    const char *names;
    size_t begin, end; /* of the names in their text */
    size_t at, length; /* of the last one that was read; length 0: of none */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static size_t skip_blanks(const struct fault_reader *reader, size_t at)
{
    while (at < reader->end && is_blank(reader->names[at]))
        at++;
    return at;
}

/* The next name, without blanks around it. Commas in parentheses belong to it: "(0,1)>(0,2)". False: there
 * is none. */
static bool next_name(struct fault_reader *reader)
{
    const char *text = reader->names;
    size_t at = skip_blanks(reader, reader->at + reader->length), depth = 0;
    if (at > reader->begin && at < reader->end)
        at = skip_blanks(reader, at + (text[at] == ','));
    if (at == reader->end)
        return false;
    size_t end = at;
    for (; end < reader->end && (depth || text[end] != ','); end++)
        depth = text[end] == '(' ? depth + 1 : text[end] == ')' && depth ? depth - 1 : depth;
    reader->at = at;
    while (end > at && is_blank(text[end - 1]))
        end--;
    reader->length = end - at;
    return true;
}

static bool fail(const struct fault_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool fail(const struct fault_reader *reader, const char *format, ...)
{
    struct param_problem *problem = &reader->problem->problem;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem->text, sizeof problem->text, format, arguments);
    va_end(arguments);
    problem->at = (uint32_t)reader->at;
    reader->problem->kind = reader->kind;
    return false;
}

/* The number that these bytes are; false: they are none below `limit`. */
static bool read_number(const char *text, size_t length, uint32_t limit, uint32_t *number)
{
    uint64_t value = 0;
    if (!length || strspn(text, "0123456789") < length)
        return false;
    for (size_t i = 0; i < length && value < limit; i++)
        value = value * 10 + (uint64_t)(text[i] - '0');
    *number = (uint32_t)value;
    return value < limit;
}

/* The switch with this name; false: there is none. */
static bool find_switch(const struct topo *topo, const char *text, size_t length, uint32_t *at)
{
    char name[TOPO_TEXT];
    for (uint32_t i = 0; i < topo->switches; i++) {
        topo_end_name(topo, (struct topo_end){.id = i}, name, sizeof name);
        if (strlen(name) == length && memcmp(name, text, length) == 0) {
            *at = i;
            return true;
        }
    }
    return false;
}

/* A node by its number, or a switch. */
static bool find_end(const struct topo *topo, const char *text, size_t length, struct topo_end *end)
{
    end->is_node = read_number(text, length, topo->nodes, &end->id);
    return end->is_node || find_switch(topo, text, length, &end->id);
}

static bool is_end(struct topo_end a, struct topo_end b)
{
    return a.is_node == b.is_node && a.id == b.id;
}

static bool no_link(const struct fault_reader *reader)
{
    const struct topo *topo = &reader->faults->base;
    char text[TOPO_TEXT], example[2 * TOPO_TEXT + 2];
    uint32_t shown = topo->links > 2 * topo->nodes ? 2 * topo->nodes : 0;
    const char *given = topo->ops->given_link ? topo->ops->given_link(topo, shown) : NULL;
    return fail(reader,
                "%s has no link%s '%.*s'; a link is named as helio topo names it, such as %s, or by its "
                "number, such as %" PRIu32,
                topo_print(topo, text, sizeof text), reader->kind == FAULT_EVENTS ? " and no switch" : "",
                (int)(reader->length < 100 ? reader->length : 100), reader->names + reader->at,
                given ? given : topo_link_name(topo, shown, example, sizeof example), shown);
}

/* "A>B": all links between both, in both directions. */
static bool mark_between(struct fault_reader *reader, const char *arrow, enum fault_action action)
{
    const struct topo *topo = &reader->faults->base;
    const char *text = reader->names + reader->at;
    struct topo_end a, b;
    bool found = false;
    if (!find_end(topo, text, (size_t)(arrow - text), &a) ||
        !find_end(topo, arrow + 1, reader->length - (size_t)(arrow - text) - 1, &b))
        return no_link(reader);
    uint32_t node = a.is_node ? a.id : b.id;
    uint32_t begin = a.is_node || b.is_node ? node : 2 * topo->nodes;
    uint32_t end = a.is_node || b.is_node ? node + 1 : topo->links;
    for (uint32_t link = begin; link < end; link++) {
        struct topo_ends ends = topo_link_ends(topo, link);
        if ((is_end(ends.from, a) && is_end(ends.to, b)) || (is_end(ends.from, b) && is_end(ends.to, a))) {
            fault_mark_link(reader->faults, link, action);
            found = true;
        }
    }
    return found || no_link(reader);
}

/* The link with this name in the topology's file, which may stand in brackets behind its ends: "a>b (wan)".
 * UINT32_MAX: there is none. */
static uint32_t find_given(const struct fault_reader *reader)
{
    const struct topo *topo = &reader->faults->base;
    if (!topo->ops->find_link)
        return UINT32_MAX;
    char *name = mem_format("%.*s", (int)reader->length, reader->names + reader->at);
    uint32_t link = topo->ops->find_link(topo, name);
    char *bracket = strstr(name, " (");
    if (link == UINT32_MAX && bracket && name[reader->length - 1] == ')') {
        name[reader->length - 1] = '\0';
        link = topo->ops->find_link(topo, bracket + 2);
    }
    free(name);
    return link;
}

static bool mark_named_link(struct fault_reader *reader, enum fault_action action)
{
    const char *text = reader->names + reader->at, *arrow = memchr(text, '>', reader->length);
    uint32_t link = find_given(reader);
    if (link == UINT32_MAX && arrow)
        return mark_between(reader, arrow, action);
    if (link == UINT32_MAX && !read_number(text, reader->length, reader->faults->base.links, &link))
        return no_link(reader);
    fault_mark_link(reader->faults, link, action);
    return true;
}

static bool mark_named_switch(struct fault_reader *reader)
{
    const struct topo *topo = &reader->faults->base;
    char text[TOPO_TEXT], example[TOPO_TEXT];
    uint32_t at;
    if (find_switch(topo, reader->names + reader->at, reader->length, &at)) {
        reader->faults->switches[at] = FAULT_FAILED;
        return true;
    }
    return fail(reader, "%s has no switch '%.*s'; a switch is named as helio topo names it, such as %s",
                topo_print(topo, text, sizeof text), (int)(reader->length < 100 ? reader->length : 100),
                reader->names + reader->at,
                topo_end_name(topo, (struct topo_end){.id = 0}, example, sizeof example));
}

bool fault_names_mark(struct topo_faults *faults, const struct fault_request *request,
                      struct fault_problem *problem)
{
    for (enum fault_kind kind = 0; kind < FAULT_KINDS; kind++) {
        const char *names = request->of[kind].names;
        struct fault_reader reader = {.faults = faults,
                                      .problem = problem,
                                      .kind = kind,
                                      .names = names,
                                      .end = names ? strlen(names) : 0};
        bool good = true;
        while (good && next_name(&reader))
            good = kind == FAULT_SWITCHES
                       ? mark_named_switch(&reader)
                       : mark_named_link(&reader, kind == FAULT_LINKS ? FAULT_FAIL : FAULT_SLOW_DOWN);
        if (!good)
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------- events */

/* A link, or else a switch. A switch has no rate that could be slow. */
static bool mark_named(struct fault_reader *reader, enum fault_action action)
{
    const char *text = reader->names + reader->at;
    uint32_t at;
    bool is_link = memchr(text, '>', reader->length) || strspn(text, "0123456789") >= reader->length ||
                   find_given(reader) != UINT32_MAX;
    if (is_link || !find_switch(&reader->faults->base, text, reader->length, &at))
        return mark_named_link(reader, action);
    if (action == FAULT_SLOW_DOWN)
        return fail(reader, "links become slow, and '%.*s' is a switch; name its links", (int)reader->length,
                    text);
    reader->faults->switches[at] = action == FAULT_FAIL ? FAULT_FAILED : 0;
    return true;
}

bool fault_names_happen(struct topo_faults *faults, const struct fault_request *request,
                        struct fault_problem *problem)
{
    bool good = true;
    for (size_t i = 0; good && i < request->event_count; i++) {
        const struct fault_event *event = &request->events[i];
        struct fault_reader reader = {.faults = faults,
                                      .problem = problem,
                                      .kind = FAULT_EVENTS,
                                      .names = request->event_text,
                                      .begin = event->begin,
                                      .end = event->end,
                                      .at = event->begin};
        while (good && next_name(&reader))
            good = mark_named(&reader, event->action);
    }
    return good;
}
