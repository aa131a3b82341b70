#include "schedule/path/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/units.h"
#include "schedule/circuit/verify_relays.h"
#include "schedule/hop_lines.h"

/* Uses of a plane are numbered: 0 ... nodes - 1 a node's sending, nodes ... 2 nodes - 1 its receiving, then
 * the links between switches in the order of hops. Those of the next plane follow. */

enum { NONE = 0 };

struct path_line {
    uint32_t plane, source, destination, line;
    uint32_t from, to; /* whose bytes: with one hop those of source and destination */
    ps_t start_ps, end_ps,
        before_ps;    /* before: how long circuits of the same pair carry in the lines above */
    size_t first_use; /* into `uses`; that of the next line is behind its last one */
};

struct path_switch {
    ps_t carries_until_ps, gap_from_ps; /* as in schedule/circuit/verify.c */
    bool has_gap;
};

struct path_replay {
    const struct topo *topo;
    const struct circuit_demand *demand;
    const struct circuit_switching *switching;
    struct schedule_lines text;
    struct hops hops;
    struct path_line *lines;
    size_t count, capacity;
    uint32_t *uses;
    size_t use_count, use_capacity, first_use; /* first: of the line that is read */
    uint32_t plane;                            /* of that line */
    uint32_t *last;                            /* [uses]: the line that ends last + 1; NONE */
    struct path_switch *switches;              /* plane after plane */
    ps_t *carried_ps, *sent_ps;                /* [demand lines]: to their destinations; from their sources */
    bool *is_wanted;                           /* [nodes]: the demand has it */
    struct relays relays;
    struct schedule_problems found;
};

/* -------------------------------------------------------------------- lines */

/* How many uses a plane has. */
static uint32_t plane_uses(const struct path_replay *replay)
{
    return 2 * replay->topo->nodes + replay->hops.count;
}

/* `what` as in the first plane. */
static void use(struct path_replay *replay, uint32_t what)
{
    replay->uses = mem_grow(replay->uses, &replay->use_capacity, replay->use_count + 1, "uses of links");
    replay->uses[replay->use_count++] = replay->plane * plane_uses(replay) + what;
}

/* A link becomes a use of the line that is read, unless it is one already. */
static bool use_hop(void *context, const struct hop *hop, size_t column)
{
    struct path_replay *replay = context;
    uint32_t what = 2 * replay->topo->nodes + (uint32_t)(hop - replay->hops.list);
    for (size_t i = replay->first_use; i < replay->use_count; i++)
        if (replay->uses[i] == replay->plane * plane_uses(replay) + what)
            return schedule_lines_malformed(&replay->text, column, 1, "the circuit passes this link twice");
    use(replay, what);
    return true;
}

/* Whose bytes the line carries, which lines with two hops say. */
static bool read_bytes(struct path_replay *replay, const char *node, struct path_line *line)
{
    struct schedule_lines *text = &replay->text;
    line->from = line->source;
    line->to = line->destination;
    if (replay->switching->hops < 2)
        return true;
    if (!schedule_lines_number(text, false, replay->topo->nodes, node, &line->from) ||
        !schedule_lines_number(text, false, replay->topo->nodes, node, &line->to))
        return false;
    return line->from == line->source || line->to == line->destination ||
           schedule_lines_malformed(text, 0, text->length,
                                    "bytes take at most two hops: either src is from, or dst is to");
}

static void read_line(void *context)
{
    struct path_replay *replay = context;
    struct schedule_lines *text = &replay->text;
    struct path_line line = {.line = text->number, .first_use = replay->use_count};
    uint32_t planes = replay->switching->switches;
    char node[64], plane[SCHEDULE_PROBLEM];
    snprintf(node, sizeof node, "here a node is expected, 0 to %" PRIu32, replay->topo->nodes - 1);
    snprintf(plane, sizeof plane,
             "here a plane is expected, 0 to %" PRIu32 "; --switches says how many there are", planes - 1);
    ps_t after_ps = replay->count ? replay->lines[replay->count - 1].start_ps : 0;
    if ((planes > 1 && !schedule_lines_number(text, false, planes, plane, &line.plane)) ||
        !schedule_lines_span(text, after_ps, &line.start_ps, &line.end_ps) ||
        !schedule_lines_number(text, false, replay->topo->nodes, node, &line.source) ||
        !schedule_lines_number(text, false, replay->topo->nodes, node, &line.destination))
        return;
    replay->plane = line.plane;
    if (!read_bytes(replay, node, &line))
        return;
    use(replay, line.source);
    replay->first_use = line.first_use;
    if (!hop_lines_read(text, replay->topo, &replay->hops, line.source, line.destination, use_hop, replay)) {
        replay->use_count = line.first_use;
        return;
    }
    use(replay, replay->topo->nodes + line.destination);
    replay->lines = mem_grow(replay->lines, &replay->capacity, replay->count + 1, "a schedule");
    replay->lines[replay->count++] = line;
}

/* ------------------------------------------------------------------- replay */

static size_t behind_uses(const struct path_replay *replay, const struct path_line *line)
{
    size_t next = (size_t)(line - replay->lines) + 1;
    return next < replay->count ? replay->lines[next].first_use : replay->use_count;
}

static const char *byte_at(const struct path_replay *replay, const struct path_line *line, ps_t at_ps,
                           char text[SCHEDULE_BYTE])
{
    return schedule_byte(ps_add(line->before_ps, at_ps - line->start_ps), replay->switching->rate_bytes_per_s,
                         line->from, line->to, text);
}

/* " in plane 1"; "": there is one plane. */
static const char *name_plane(const struct path_replay *replay, uint32_t plane, char text[32])
{
    *text = 0;
    if (replay->switching->switches > 1)
        snprintf(text, 32, " in plane %" PRIu32, plane);
    return text;
}

static const char *name_use(const struct path_replay *replay, uint32_t what, char text[128])
{
    uint32_t nodes = replay->topo->nodes, plane = what / plane_uses(replay);
    char in_plane[32];
    name_plane(replay, plane, in_plane);
    what -= plane * plane_uses(replay);
    if (what < nodes)
        snprintf(text, 128, "node %" PRIu32 " sends%s", what, in_plane);
    else if (what < 2 * nodes)
        snprintf(text, 128, "node %" PRIu32 " receives%s", what - nodes, in_plane);
    else
        snprintf(text, 128, "the link %" PRIu32 ">%" PRIu32 "%s is", replay->hops.list[what - 2 * nodes].from,
                 replay->hops.list[what - 2 * nodes].to, in_plane);
    return text;
}

/* The line that ends last among those above with this use; NULL: there is none. */
static const struct path_line *before(const struct path_replay *replay, uint32_t what)
{
    return replay->last[what] == NONE ? NULL : &replay->lines[replay->last[what] - 1];
}

static void check_overlap(struct path_replay *replay, const struct path_line *line, uint32_t what)
{
    char byte[SCHEDULE_BYTE], until[SCHEDULE_TIME], name[128];
    const struct path_line *other = before(replay, what);
    if (other && other->end_ps > line->start_ps)
        schedule_problems_add(&replay->found, line->start_ps, line->line,
                              "%s is on two circuits at once: %s on the circuit of line %" PRIu32
                              " too until %s",
                              byte_at(replay, line, line->start_ps, byte), name_use(replay, what, name),
                              other->line, schedule_seconds(other->end_ps, until));
}

/* The switch behind the use, which is no node's receiving and is in the plane of the line. */
static struct path_switch *switch_behind(const struct path_replay *replay, const struct path_line *line,
                                         uint32_t what)
{
    uint32_t nodes = replay->topo->nodes, at = what - line->plane * plane_uses(replay);
    at = at < nodes ? topo_switch_of(replay->topo, at) : replay->hops.list[at - 2 * nodes].to;
    return &replay->switches[(size_t)line->plane * replay->topo->switches + at];
}

/* The set-up in a switch of the line's plane, which connects two links of the circuit. */
static void check_setup(struct path_replay *replay, const struct path_line *line, uint32_t from, uint32_t to)
{
    char byte[SCHEDULE_BYTE], needed[64], time[SCHEDULE_TIME], plane[32];
    const struct path_line *from_line = before(replay, from), *to_line = before(replay, to);
    const struct path_switch *state = switch_behind(replay, line, from);
    uint32_t at = (uint32_t)(state - replay->switches) - line->plane * replay->topo->switches;
    ps_t delta_ps = replay->switching->delta_ps, since_ps = from_line ? from_line->end_ps : 0;
    since_ps = to_line ? ps_max(since_ps, to_line->end_ps) : since_ps;
    if (!delta_ps || (from_line && from_line == to_line) || since_ps > line->start_ps)
        return;
    units_print_time(delta_ps, needed, sizeof needed);
    byte_at(replay, line, line->start_ps, byte);
    name_plane(replay, line->plane, plane);
    if (line->start_ps - since_ps < delta_ps)
        schedule_problems_add(&replay->found, line->start_ps, line->line,
                              "%s is lost: switch %" PRIu32
                              "%s has not set up its circuit before %s; a set-up "
                              "takes %s",
                              byte, at, plane, schedule_seconds(since_ps + delta_ps, time), needed);
    else if (replay->switching->all_stop && !(state->has_gap && state->gap_from_ps >= since_ps))
        schedule_problems_add(&replay->found, line->start_ps, line->line,
                              "%s is lost: switch %" PRIu32
                              "%s has not set up its circuit; between %s and its "
                              "start some circuit of the switch always carries, and an all-stop switch needs "
                              "%s without one",
                              byte, at, plane, schedule_seconds(since_ps, time), needed);
}

static int compare_pair(const void *a, const void *b)
{
    const struct circuit_demand_line *left = a, *right = b;
    if (left->source != right->source)
        return left->source < right->source ? -1 : 1;
    return left->destination < right->destination ? -1 : left->destination > right->destination;
}

/* The demand's line of the pair; NULL: it has no bytes. */
static const struct circuit_demand_line *wanted(const struct path_replay *replay,
                                                const struct path_line *line)
{
    const struct circuit_demand_line pair = {.source = line->from, .destination = line->to};
    return replay->demand->count
               ? bsearch(&pair, replay->demand->lines, replay->demand->count, sizeof pair, compare_pair)
               : NULL;
}

/* Every switch on the way has had a gap if its circuits carried until delta before the line starts. */
static void note_gaps(struct path_replay *replay, const struct path_line *line)
{
    for (size_t i = line->first_use; i + 1 < behind_uses(replay, line); i++) {
        struct path_switch *state = switch_behind(replay, line, replay->uses[i]);
        if (line->start_ps - state->carries_until_ps >= replay->switching->delta_ps) {
            state->has_gap = true;
            state->gap_from_ps = state->carries_until_ps;
        }
    }
}

/* The bytes arrive, or wait at a node between their circuits. */
static void carry(struct path_replay *replay, struct path_line *line)
{
    const struct circuit_demand_line *pair = wanted(replay, line);
    bool arrives = line->to == line->destination, leaves = line->from == line->source;
    uint32_t between = arrives ? line->source : line->destination;
    char byte[SCHEDULE_BYTE];
    if (!pair)
        return;
    size_t entry = (size_t)(pair - replay->demand->lines);
    ps_t time_ps = line->end_ps - line->start_ps;
    line->before_ps = arrives ? replay->carried_ps[entry] : replay->sent_ps[entry];
    if (arrives)
        replay->carried_ps[entry] = ps_add(replay->carried_ps[entry], time_ps);
    if (leaves)
        replay->sent_ps[entry] = ps_add(replay->sent_ps[entry], time_ps);
    if (arrives && leaves)
        return;
    if (!replay->is_wanted[between])
        schedule_problems_add(&replay->found, line->start_ps, line->line,
                              "%s goes over node %" PRIu32 ", which is none of the demand's",
                              byte_at(replay, line, line->start_ps, byte), between);
    relays_add(&replay->relays, &(struct relay_use){.entry = (uint32_t)entry,
                                                    .port = between,
                                                    .leaves = arrives,
                                                    .line = line->line,
                                                    .start_ps = line->start_ps,
                                                    .end_ps = line->end_ps});
}

static void replay_line(struct path_replay *replay, struct path_line *line)
{
    size_t end = behind_uses(replay, line);
    uint32_t index = (uint32_t)(line - replay->lines) + 1;
    carry(replay, line);
    note_gaps(replay, line);
    for (size_t i = line->first_use; i < end; i++)
        check_overlap(replay, line, replay->uses[i]);
    for (size_t i = line->first_use; i + 1 < end; i++)
        check_setup(replay, line, replay->uses[i], replay->uses[i + 1]);
    for (size_t i = line->first_use; i < end; i++) {
        const struct path_line *other = before(replay, replay->uses[i]);
        if (!other || other->end_ps <= line->end_ps)
            replay->last[replay->uses[i]] = index;
    }
    for (size_t i = line->first_use; i + 1 < end; i++) {
        struct path_switch *state = switch_behind(replay, line, replay->uses[i]);
        state->carries_until_ps = ps_max(state->carries_until_ps, line->end_ps);
    }
}

static void check_deadline(struct path_replay *replay, ps_t deadline_ps)
{
    char byte[SCHEDULE_BYTE];
    for (size_t i = 0; i < replay->count && deadline_ps; i++) {
        const struct path_line *line = &replay->lines[i];
        const struct circuit_demand_line *pair = wanted(replay, line);
        ps_t late_ps = ps_max(line->start_ps, deadline_ps);
        if (pair && line->end_ps > deadline_ps && line->to == line->destination &&
            ps_add(line->before_ps, late_ps - line->start_ps) <
                service_ps(pair->bytes, replay->switching->rate_bytes_per_s))
            schedule_problems_add(&replay->found, late_ps, line->line, "%s is late: the deadline is over",
                                  byte_at(replay, line, late_ps, byte));
    }
}

static void check_carried(struct path_replay *replay)
{
    for (size_t i = 0; i < replay->demand->count; i++) {
        const struct circuit_demand_line *pair = &replay->demand->lines[i];
        uint64_t bytes = schedule_bytes(replay->carried_ps[i], replay->switching->rate_bytes_per_s);
        if (replay->carried_ps[i] < service_ps(pair->bytes, replay->switching->rate_bytes_per_s))
            schedule_problems_add(&replay->found, PS_NEVER, 0,
                                  "byte %" PRIu64 " of %" PRIu32 ",%" PRIu32
                                  " is lost: its circuits carry %" PRIu64 " of %" PRIu64 " bytes",
                                  bytes, pair->source, pair->destination, bytes, pair->bytes);
    }
}

/* What waits between its circuits, by the rules of ports. */
static void check_relays(struct path_replay *replay)
{
    struct circuit_problem ports;
    if (!replay->relays.count || circuit_problem_init(&ports, replay->demand, replay->switching) != STATUS_OK)
        return;
    relays_check(&replay->relays, &ports, "node", replay->sent_ps, &replay->found);
    circuit_problem_free(&ports);
}

static void replay_all(struct path_replay *replay, ps_t deadline_ps, struct circuit_verdict *verdict)
{
    size_t planes = replay->switching->switches;
    replay->last = mem_alloc(planes * plane_uses(replay) + 1, sizeof *replay->last, "uses of links");
    replay->switches = mem_alloc(planes * replay->topo->switches, sizeof *replay->switches, "switches");
    replay->carried_ps = mem_alloc(replay->demand->count + 1, sizeof *replay->carried_ps, "a replay");
    replay->sent_ps = mem_alloc(replay->demand->count + 1, sizeof *replay->sent_ps, "a replay");
    replay->is_wanted = mem_alloc((size_t)replay->topo->nodes + 1, sizeof *replay->is_wanted, "a replay");
    for (size_t i = 0; i < replay->demand->count; i++)
        replay->is_wanted[replay->demand->lines[i].source] =
            replay->is_wanted[replay->demand->lines[i].destination] = true;
    verdict->circuits = replay->count;
    for (size_t i = 0; i < replay->count; i++) {
        replay_line(replay, &replay->lines[i]);
        verdict->makespan_ps = ps_max(verdict->makespan_ps, replay->lines[i].end_ps);
    }
    check_deadline(replay, deadline_ps);
    check_relays(replay);
    check_carried(replay);
    free(replay->last);
    free(replay->switches);
    free(replay->carried_ps);
    free(replay->sent_ps);
    free(replay->is_wanted);
    relays_free(&replay->relays);
}

enum status path_verify(const struct topo *topo, const struct circuit_demand *demand,
                        const struct circuit_switching *switching, const char *name, const char *text,
                        size_t size, ps_t deadline_ps, struct circuit_verdict *verdict)
{
    static const char *const headers[2][2] = {
        {"start_s,end_s,src,dst,links", "plane,start_s,end_s,src,dst,links"},
        {"start_s,end_s,src,dst,from,to,links", "plane,start_s,end_s,src,dst,from,to,links"}};
    const char *header = headers[switching->hops > 1][switching->switches > 1];
    struct path_replay replay = {
        .topo = topo, .demand = demand, .switching = switching, .text = {.name = name, .header = header}};
    enum status status = STATUS_BAD_INPUT;
    *verdict = (struct circuit_verdict){0};
    hops_init(&replay.hops, topo);
    schedule_lines_read(&replay.text, text, size, read_line, &replay);
    if (!replay.text.wrong && !replay.text.unfit) {
        replay_all(&replay, deadline_ps, verdict);
        status =
            schedule_problems_report(&replay.found, name, verdict->first_problem) ? STATUS_FAILED : STATUS_OK;
    }
    hops_free(&replay.hops);
    free(replay.lines);
    free(replay.uses);
    return status;
}
