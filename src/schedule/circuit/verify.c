#include "schedule/circuit/verify.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/units.h"
#include "schedule/circuit/verify_relays.h"

/* A line. `before_ps`: how long circuits of the same bytes carry in the lines above. */
struct replayed {
    uint32_t crossbar, source, destination;
    uint32_t from, to; /* whose bytes: with one hop those of source and destination */
    uint32_t line;
    ps_t start_ps, end_ps, before_ps;
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
    struct schedule_lines text;
    struct replayed *lines;
    size_t count, capacity;
    struct switch_state *switches;
    uint32_t *sender, *receiver; /* [ports]: number in the problem + 1 */
    ps_t *carried_ps, *sent_ps;  /* [entries]: to their receivers; from their senders */
    struct relays relays;
    struct schedule_problems found;
    bool has_hops;
};

/* -------------------------------------------------------------------- lines */

static void read_line(void *context)
{
    struct replay *replay = context;
    struct schedule_lines *text = &replay->text;
    struct replayed line = {.line = text->number};
    char what[SCHEDULE_PROBLEM];
    snprintf(what, sizeof what,
             "here a switch is expected, 0 to %" PRIu32 "; --switches says how many there are",
             replay->problem->switches - 1);
    static const char port[] = "here a port is expected, 0 to 4095";
    ps_t after_ps = replay->count ? replay->lines[replay->count - 1].start_ps : 0;
    if (!schedule_lines_number(text, false, replay->problem->switches, what, &line.crossbar) ||
        !schedule_lines_span(text, after_ps, &line.start_ps, &line.end_ps) ||
        !schedule_lines_number(text, false, CIRCUIT_MOST_PORTS, port, &line.source) ||
        !schedule_lines_number(text, !replay->has_hops, CIRCUIT_MOST_PORTS, port, &line.destination))
        return;
    line.from = line.source;
    line.to = line.destination;
    if (replay->has_hops && (!schedule_lines_number(text, false, CIRCUIT_MOST_PORTS, port, &line.from) ||
                             !schedule_lines_number(text, true, CIRCUIT_MOST_PORTS, port, &line.to)))
        return;
    if (line.from != line.source && line.to != line.destination) {
        schedule_lines_malformed(text, 0, text->length,
                                 "bytes take at most two hops: either src is from, or dst is to");
        return;
    }
    replay->lines = mem_grow(replay->lines, &replay->capacity, replay->count + 1, "a schedule");
    replay->lines[replay->count++] = line;
}

/* ------------------------------------------------------------------- replay */

static uint32_t entry_of(const struct replay *replay, const struct replayed *line)
{
    uint32_t sender = replay->sender[line->from], receiver = replay->receiver[line->to];
    return sender && receiver ? circuit_at(replay->problem, sender - 1, receiver - 1) : CIRCUIT_NONE;
}

/* What the line's circuit carries at this time. */
static const char *byte_at(const struct replay *replay, const struct replayed *line, ps_t at_ps,
                           char text[SCHEDULE_BYTE])
{
    return schedule_byte(ps_add(line->before_ps, at_ps - line->start_ps), replay->problem->rate_bytes_per_s,
                         line->from, line->to, text);
}

static void check_overlap(struct replay *replay, const struct replayed *line, const struct replayed *before,
                          const char *does, uint32_t port)
{
    char byte[SCHEDULE_BYTE], until[SCHEDULE_TIME];
    if (before->end_ps > line->start_ps)
        schedule_problems_add(&replay->found, line->start_ps, line->line,
                              "%s is on two circuits at once: port %" PRIu32
                              " %s on the circuit of line %" PRIu32 " too until %s",
                              byte_at(replay, line, line->start_ps, byte), port, does, before->line,
                              schedule_seconds(before->end_ps, until));
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
    char byte[SCHEDULE_BYTE], needed[64], time[SCHEDULE_TIME];
    ps_t delta_ps = replay->problem->delta_ps;
    if (from_ps < 0 || !delta_ps || from_ps > line->start_ps)
        return;
    units_print_time(delta_ps, needed, sizeof needed);
    byte_at(replay, line, line->start_ps, byte);
    if (line->start_ps - from_ps < delta_ps)
        schedule_problems_add(&replay->found, line->start_ps, line->line,
                              "%s is lost: its circuit is not set up before %s; a set-up takes %s", byte,
                              schedule_seconds(from_ps + delta_ps, time), needed);
    else if (replay->problem->all_stop && !(state->has_gap && state->gap_from_ps >= from_ps))
        schedule_problems_add(
            &replay->found, line->start_ps, line->line,
            "%s is lost: its circuit is not set up; between %s and its start some circuit of "
            "the switch always carries, and an all-stop switch needs %s without one",
            byte, schedule_seconds(from_ps, time), needed);
}

/* The bytes arrive, or wait at a port between their circuits. */
static void carry(struct replay *replay, struct replayed *line)
{
    uint32_t entry = entry_of(replay, line);
    ps_t time_ps = line->end_ps - line->start_ps;
    if (entry == CIRCUIT_NONE)
        return;
    bool arrives = line->to == line->destination, leaves = line->from == line->source;
    line->before_ps = arrives ? replay->carried_ps[entry] : replay->sent_ps[entry];
    if (arrives)
        replay->carried_ps[entry] = ps_add(replay->carried_ps[entry], time_ps);
    if (leaves)
        replay->sent_ps[entry] = ps_add(replay->sent_ps[entry], time_ps);
    uint32_t between = arrives ? line->source : line->destination;
    char byte[SCHEDULE_BYTE];
    if ((!arrives || !leaves) && !replay->sender[between] && !replay->receiver[between])
        schedule_problems_add(&replay->found, line->start_ps, line->line,
                              "%s goes over port %" PRIu32 ", which is none of the demand's",
                              byte_at(replay, line, line->start_ps, byte), between);
    if (!arrives || !leaves)
        relays_add(&replay->relays, &(struct relay_use){.entry = entry,
                                                        .port = between,
                                                        .leaves = arrives,
                                                        .line = line->line,
                                                        .start_ps = line->start_ps,
                                                        .end_ps = line->end_ps});
}

static void replay_line(struct replay *replay, struct replayed *line)
{
    struct switch_state *state = &replay->switches[line->crossbar];
    uint32_t index = (uint32_t)(line - replay->lines) + 1;
    uint32_t *sent = &state->sent[line->source], *received = &state->received[line->destination];
    const struct replayed *sent_before = *sent ? &replay->lines[*sent - 1] : NULL;
    const struct replayed *received_before = *received ? &replay->lines[*received - 1] : NULL;
    carry(replay, line);
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
}

/* Bytes behind the deadline that the demand still has. */
static void check_deadline(struct replay *replay, ps_t deadline_ps)
{
    char byte[SCHEDULE_BYTE];
    for (size_t i = 0; i < replay->count && deadline_ps; i++) {
        const struct replayed *line = &replay->lines[i];
        uint32_t entry = entry_of(replay, line);
        if (entry == CIRCUIT_NONE || line->end_ps <= deadline_ps || line->to != line->destination)
            continue;
        ps_t late_ps = ps_max(line->start_ps, deadline_ps);
        if (line->before_ps + (late_ps - line->start_ps) < replay->problem->entries[entry].time_ps)
            schedule_problems_add(&replay->found, late_ps, line->line, "%s is late: the deadline is over",
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
        uint64_t bytes = schedule_bytes(replay->carried_ps[i], problem->rate_bytes_per_s);
        schedule_problems_add(&replay->found, PS_NEVER, 0,
                              "byte %" PRIu64 " of %" PRIu32 ",%" PRIu32
                              " is lost: its circuits carry %" PRIu64 " of %" PRIu64 " bytes",
                              bytes, problem->sender_port[entry->sender],
                              problem->receiver_port[entry->receiver], bytes, entry->bytes);
    }
}

static void replay_all(struct replay *replay, ps_t deadline_ps, struct circuit_verdict *verdict)
{
    verdict->circuits = replay->count;
    for (size_t i = 0; i < replay->count; i++) {
        replay_line(replay, &replay->lines[i]);
        verdict->makespan_ps = ps_max(verdict->makespan_ps, replay->lines[i].end_ps);
    }
    check_deadline(replay, deadline_ps);
    relays_check(&replay->relays, replay->problem, "port", replay->sent_ps, &replay->found);
    check_carried(replay);
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
    replay->sent_ps = mem_alloc((size_t)problem->count + 1, sizeof *replay->sent_ps, "a replay");
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
    free(replay->sent_ps);
    free(replay->lines);
    relays_free(&replay->relays);
}

enum status circuit_verify(const struct circuit_problem *problem, const char *name, const char *text,
                           size_t size, ps_t deadline_ps, struct circuit_verdict *verdict)
{
    struct replay replay = {.problem = problem,
                            .text = {.name = name, .header = "switch,start_s,end_s,src,dst"},
                            .has_hops = problem->hops > 1};
    enum status status = STATUS_BAD_INPUT;
    *verdict = (struct circuit_verdict){0};
    if (replay.has_hops)
        replay.text.header = "switch,start_s,end_s,src,dst,from,to";
    replay_init(&replay, problem);
    schedule_lines_read(&replay.text, text, size, read_line, &replay);
    if (!replay.text.wrong) {
        replay_all(&replay, deadline_ps, verdict);
        status =
            schedule_problems_report(&replay.found, name, verdict->first_problem) ? STATUS_FAILED : STATUS_OK;
    }
    replay_free(&replay);
    return status;
}
