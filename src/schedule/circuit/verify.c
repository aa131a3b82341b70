#include "schedule/circuit/verify.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/units.h"

enum { MOST_REPORTED = 10, LONGEST_TIME = 48, LONGEST_TEXT = CIRCUIT_PROBLEM, NAME_TEXT = 96 };

/* A line. `before_ps`: how long circuits of the same ports carry in the lines above. */
struct replayed {
    uint32_t crossbar, source, destination;
    uint32_t line;
    ps_t start_ps, end_ps, before_ps;
};

struct problem_found {
    ps_t at_ps;
    uint32_t line;
    char text[LONGEST_TEXT];
};

/* The circuit of a sender or receiver that ends last, + 1; 0: none. */
struct switch_state {
    uint32_t *sent, *received; /* [ports] */
    ps_t carries_until_ps;     /* the last end of any circuit */
    ps_t gap_from_ps;          /* the last time of at least delta in which nobody carries begins here */
    bool has_gap;
};

struct replay {
    const struct circuit_problem *problem;
    const char *name, *line;
    size_t length, at;
    uint32_t number;
    uint64_t lines_wrong;
    struct replayed *lines;
    size_t count, capacity;
    struct switch_state *switches;
    uint32_t *sender, *receiver; /* [ports]: number in the problem + 1 */
    ps_t *carried_ps;            /* [entries] */
    struct problem_found *found;
    size_t found_count, found_capacity;
};

/* -------------------------------------------------------------------- lines */

static bool malformed(struct replay *replay, size_t at, size_t span, const char *problem)
{
    if (++replay->lines_wrong <= MOST_REPORTED)
        diag_report(DIAG_ERROR,
                    &(struct diag_place){.file = replay->name,
                                         .line = replay->number,
                                         .column = (uint32_t)at + 1,
                                         .span = (uint32_t)(span ? span : 1),
                                         .source = replay->line,
                                         .source_length = replay->length},
                    "%s", problem);
    return false;
}

/* The next field; all but the last end with a comma. */
static bool take_field(struct replay *replay, bool is_last, char text[LONGEST_TIME], size_t *begin)
{
    static const char form[] = "a line is switch,start_s,end_s,src,dst";
    const char *rest = replay->line + replay->at;
    size_t length = replay->length - replay->at;
    const char *comma = memchr(rest, ',', length);
    *begin = replay->at;
    if (comma)
        length = (size_t)(comma - rest);
    if ((comma != NULL) == is_last || length == 0 || length >= LONGEST_TIME || memchr(rest, 0, length))
        return malformed(replay, *begin, length, form);
    memcpy(text, rest, length);
    text[length] = 0;
    replay->at += length + (comma != NULL);
    return true;
}

static bool take_number(struct replay *replay, bool is_last, uint32_t limit, const char *problem,
                        uint32_t *number)
{
    char text[LONGEST_TIME];
    size_t begin;
    uint64_t value = 0;
    if (!take_field(replay, is_last, text, &begin))
        return false;
    for (const char *at = text; *at; at++) {
        unsigned digit = (unsigned)(unsigned char)*at - '0';
        if (digit > 9)
            return malformed(replay, begin, strlen(text), problem);
        if (value < limit)
            value = 10 * value + digit;
    }
    if (value >= limit)
        return malformed(replay, begin, strlen(text), problem);
    *number = (uint32_t)value;
    return true;
}

static bool take_time(struct replay *replay, ps_t *time_ps)
{
    char text[LONGEST_TIME], with_unit[LONGEST_TIME + 4];
    struct units_problem problem;
    size_t begin;
    if (!take_field(replay, false, text, &begin))
        return false;
    snprintf(with_unit, sizeof with_unit, "%s s", text);
    if (strspn(text, "0123456789.eE+-") == strlen(text) && units_time(with_unit, time_ps, &problem))
        return true;
    return malformed(replay, begin, strlen(text),
                     "here seconds are expected, a number of whole picoseconds below 2^63");
}

static void read_line(struct replay *replay)
{
    struct replayed line = {.line = replay->number};
    char what[LONGEST_TEXT];
    snprintf(what, sizeof what,
             "here a switch is expected, 0 to %" PRIu32 "; --switches says how many there are",
             replay->problem->switches - 1);
    if (!take_number(replay, false, replay->problem->switches, what, &line.crossbar) ||
        !take_time(replay, &line.start_ps) || !take_time(replay, &line.end_ps) ||
        !take_number(replay, false, CIRCUIT_MOST_PORTS, "here a port is expected, 0 to 4095", &line.source) ||
        !take_number(replay, true, CIRCUIT_MOST_PORTS, "here a port is expected, 0 to 4095",
                     &line.destination))
        return;
    if (line.end_ps <= line.start_ps) {
        malformed(replay, 0, replay->length,
                  "the circuit ends before it carries anything; end_s is after start_s");
        return;
    }
    if (replay->count && line.start_ps < replay->lines[replay->count - 1].start_ps) {
        malformed(replay, 0, replay->length,
                  "the circuit starts before that of the line above; lines are in the order of start_s");
        return;
    }
    replay->lines = mem_grow(replay->lines, &replay->capacity, replay->count + 1, "a schedule");
    replay->lines[replay->count++] = line;
}

static void read_lines(struct replay *replay, const char *text, size_t size)
{
    static const char header[] = "switch,start_s,end_s,src,dst";
    progress_begin("reading the schedule", size);
    for (size_t at = 0; at < size;) {
        progress_tell(at);
        const char *newline = memchr(text + at, '\n', size - at);
        size_t end = newline ? (size_t)(newline - text) : size;
        replay->line = text + at;
        replay->length = end - at;
        replay->at = 0;
        replay->number++;
        if (replay->length && replay->line[replay->length - 1] == '\r')
            replay->length--;
        bool is_header = replay->number == 1 && replay->length == sizeof header - 1 &&
                         memcmp(replay->line, header, replay->length) == 0;
        if (!is_header && replay->length && replay->line[0] != '#')
            read_line(replay);
        at = end + 1;
    }
    progress_end();
}

/* ------------------------------------------------------------------- replay */

static void complain(struct replay *replay, ps_t at_ps, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void complain(struct replay *replay, ps_t at_ps, uint32_t line, const char *format, ...)
{
    va_list arguments;
    replay->found = mem_grow(replay->found, &replay->found_capacity, replay->found_count + 1, "problems");
    struct problem_found *found = &replay->found[replay->found_count++];
    *found = (struct problem_found){.at_ps = at_ps, .line = line};
    va_start(arguments, format);
    vsnprintf(found->text, sizeof found->text, format, arguments);
    va_end(arguments);
}

static uint32_t entry_of(const struct replay *replay, const struct replayed *line)
{
    uint32_t sender = replay->sender[line->source], receiver = replay->receiver[line->destination];
    return sender && receiver ? circuit_at(replay->problem, sender - 1, receiver - 1) : CIRCUIT_NONE;
}

/* "byte 17 of 3,5": what the line's circuit carries at this time. */
static const char *byte_at(const struct replay *replay, const struct replayed *line, ps_t at_ps,
                           char text[NAME_TEXT])
{
    unsigned __int128 carried_ps = (unsigned __int128)(line->before_ps + (at_ps - line->start_ps));
    uint64_t byte = (uint64_t)(carried_ps * replay->problem->rate_bytes_per_s / (uint64_t)PS_PER_S);
    snprintf(text, NAME_TEXT, "byte %" PRIu64 " of %" PRIu32 ",%" PRIu32, byte, line->source,
             line->destination);
    return text;
}

static void check_overlap(struct replay *replay, const struct replayed *line, const struct replayed *before,
                          const char *does, uint32_t port)
{
    char byte[NAME_TEXT];
    if (before->end_ps > line->start_ps)
        complain(replay, line->start_ps, line->line,
                 "%s is on two circuits at once: port %" PRIu32 " %s on the circuit of line %" PRIu32
                 " too until %" PRId64 ".%012" PRId64 " s",
                 byte_at(replay, line, line->start_ps, byte), port, does, before->line,
                 before->end_ps / PS_PER_S, before->end_ps % PS_PER_S);
}

/* When both ports of the line are done with other circuits; -1: the circuit is up already. */
static ps_t changes_from(const struct replayed *sent, const struct replayed *received)
{
    if (sent && sent == received)
        return -1;
    ps_t from_ps = sent ? sent->end_ps : 0;
    return received ? ps_max(from_ps, received->end_ps) : from_ps;
}

static void check_setup(struct replay *replay, const struct switch_state *state, const struct replayed *line,
                        ps_t from_ps)
{
    char byte[NAME_TEXT], needed[64];
    ps_t delta_ps = replay->problem->delta_ps;
    if (from_ps < 0 || !delta_ps || from_ps > line->start_ps)
        return;
    units_print_time(delta_ps, needed, sizeof needed);
    if (line->start_ps - from_ps < delta_ps)
        complain(replay, line->start_ps, line->line,
                 "%s is lost: its circuit is not set up before %" PRId64 ".%012" PRId64
                 " s; a set-up takes %s",
                 byte_at(replay, line, line->start_ps, byte), (from_ps + delta_ps) / PS_PER_S,
                 (from_ps + delta_ps) % PS_PER_S, needed);
    else if (replay->problem->all_stop && !(state->has_gap && state->gap_from_ps >= from_ps))
        complain(
            replay, line->start_ps, line->line,
            "%s is lost: its circuit is not set up; between %" PRId64 ".%012" PRId64
            " s and its start some circuit of the switch always carries, and an all-stop switch needs %s "
            "without one",
            byte_at(replay, line, line->start_ps, byte), from_ps / PS_PER_S, from_ps % PS_PER_S, needed);
}

static void replay_line(struct replay *replay, struct replayed *line)
{
    struct switch_state *state = &replay->switches[line->crossbar];
    uint32_t entry = entry_of(replay, line), index = (uint32_t)(line - replay->lines) + 1;
    uint32_t *sent = &state->sent[line->source], *received = &state->received[line->destination];
    const struct replayed *sent_before = *sent ? &replay->lines[*sent - 1] : NULL;
    const struct replayed *received_before = *received ? &replay->lines[*received - 1] : NULL;
    line->before_ps = entry == CIRCUIT_NONE ? 0 : replay->carried_ps[entry];
    if (line->start_ps - state->carries_until_ps >= replay->problem->delta_ps) {
        state->has_gap = true;
        state->gap_from_ps = state->carries_until_ps;
    }
    if (sent_before)
        check_overlap(replay, line, sent_before, "sends", line->source);
    if (received_before && received_before != sent_before)
        check_overlap(replay, line, received_before, "receives", line->destination);
    check_setup(replay, state, line, changes_from(sent_before, received_before));
    if (!sent_before || sent_before->end_ps <= line->end_ps)
        *sent = index;
    if (!received_before || received_before->end_ps <= line->end_ps)
        *received = index;
    state->carries_until_ps = ps_max(state->carries_until_ps, line->end_ps);
    if (entry != CIRCUIT_NONE)
        replay->carried_ps[entry] = ps_add(replay->carried_ps[entry], line->end_ps - line->start_ps);
}

/* Bytes behind the deadline that the demand still has. */
static void check_deadline(struct replay *replay, ps_t deadline_ps)
{
    char byte[NAME_TEXT];
    for (size_t i = 0; i < replay->count && deadline_ps; i++) {
        const struct replayed *line = &replay->lines[i];
        uint32_t entry = entry_of(replay, line);
        if (entry == CIRCUIT_NONE || line->end_ps <= deadline_ps)
            continue;
        ps_t late_ps = ps_max(line->start_ps, deadline_ps);
        if (line->before_ps + (late_ps - line->start_ps) < replay->problem->entries[entry].time_ps)
            complain(replay, late_ps, line->line, "%s is late: the deadline is over",
                     byte_at(replay, line, late_ps, byte));
    }
}

static void check_carried(struct replay *replay)
{
    const struct circuit_problem *problem = replay->problem;
    for (uint32_t i = 0; i < problem->count; i++) {
        const struct circuit_entry *entry = &problem->entries[i];
        if (replay->carried_ps[i] >= entry->time_ps)
            continue;
        unsigned __int128 carried = (unsigned __int128)(uint64_t)replay->carried_ps[i];
        uint64_t bytes = (uint64_t)(carried * problem->rate_bytes_per_s / (uint64_t)PS_PER_S);
        complain(replay, PS_NEVER, 0,
                 "byte %" PRIu64 " of %" PRIu32 ",%" PRIu32 " is lost: its circuits carry %" PRIu64
                 " of %" PRIu64 " bytes",
                 bytes, problem->sender_port[entry->sender], problem->receiver_port[entry->receiver], bytes,
                 entry->bytes);
    }
}

static int compare_found(const void *a, const void *b)
{
    const struct problem_found *left = a, *right = b;
    if (left->at_ps != right->at_ps)
        return left->at_ps < right->at_ps ? -1 : 1;
    return left->line < right->line ? -1 : left->line > right->line;
}

static void report(struct replay *replay)
{
    if (replay->found_count)
        qsort(replay->found, replay->found_count, sizeof *replay->found, compare_found);
    for (size_t i = 0; i < replay->found_count && i < MOST_REPORTED; i++)
        diag_report(DIAG_ERROR, &(struct diag_place){.file = replay->name, .line = replay->found[i].line},
                    "%s", replay->found[i].text);
    if (replay->found_count > MOST_REPORTED)
        diag_note("%zu more problems in %s", replay->found_count - MOST_REPORTED, replay->name);
}

static void replay_all(struct replay *replay, ps_t deadline_ps, struct circuit_verdict *verdict)
{
    verdict->circuits = replay->count;
    for (size_t i = 0; i < replay->count; i++) {
        replay_line(replay, &replay->lines[i]);
        verdict->makespan_ps = ps_max(verdict->makespan_ps, replay->lines[i].end_ps);
    }
    check_deadline(replay, deadline_ps);
    check_carried(replay);
    report(replay);
    if (replay->found_count)
        memcpy(verdict->first_problem, replay->found[0].text, sizeof verdict->first_problem);
}

static void replay_init(struct replay *replay, const struct circuit_problem *problem)
{
    replay->sender = mem_alloc(CIRCUIT_MOST_PORTS, sizeof *replay->sender, "ports");
    replay->receiver = mem_alloc(CIRCUIT_MOST_PORTS, sizeof *replay->receiver, "ports");
    for (uint32_t i = 0; i < problem->senders; i++)
        replay->sender[problem->sender_port[i]] = i + 1;
    for (uint32_t i = 0; i < problem->receivers; i++)
        replay->receiver[problem->receiver_port[i]] = i + 1;
    replay->carried_ps = mem_alloc((size_t)problem->count + 1, sizeof *replay->carried_ps, "a replay");
    replay->switches = mem_alloc(problem->switches, sizeof *replay->switches, "switches");
    for (uint32_t i = 0; i < problem->switches; i++) {
        replay->switches[i].sent = mem_alloc(CIRCUIT_MOST_PORTS, sizeof(uint32_t), "ports");
        replay->switches[i].received = mem_alloc(CIRCUIT_MOST_PORTS, sizeof(uint32_t), "ports");
    }
}

static void replay_free(struct replay *replay)
{
    for (uint32_t i = 0; i < replay->problem->switches; i++) {
        free(replay->switches[i].sent);
        free(replay->switches[i].received);
    }
    free(replay->switches);
    free(replay->sender);
    free(replay->receiver);
    free(replay->carried_ps);
    free(replay->lines);
    free(replay->found);
}

enum status circuit_verify(const struct circuit_problem *problem, const char *name, const char *text,
                           size_t size, ps_t deadline_ps, struct circuit_verdict *verdict)
{
    struct replay replay = {.problem = problem, .name = name};
    enum status status = STATUS_OK;
    *verdict = (struct circuit_verdict){0};
    replay_init(&replay, problem);
    read_lines(&replay, text, size);
    if (replay.lines_wrong > MOST_REPORTED)
        diag_note("%" PRIu64 " more lines of %s are wrong", replay.lines_wrong - MOST_REPORTED, name);
    if (replay.lines_wrong) {
        status = STATUS_BAD_INPUT;
    } else {
        replay_all(&replay, deadline_ps, verdict);
        status = replay.found_count ? STATUS_FAILED : STATUS_OK;
    }
    replay_free(&replay);
    return status;
}
