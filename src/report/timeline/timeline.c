#include "report/timeline/timeline.h"

#include <string.h>
#include <strings.h>

#include "base/diag.h"
#include "report/timeline/internal.h"

/* A format gets the events of a run in the order of time. A fabric may report an event before it is due. Such
 * an event waits in `later`. */

/* ----------------------------------------------------------------- ordering */

static void end_computation(void *self, uint32_t rank)
{
    struct timeline *timeline = self;
    ps_t now = timeline->later.now;
    struct timeline_rank *of = &timeline->rank[rank];
    const struct timeline_wait computed = {.call = CALL_COMPUTE,
                                           .peer = TAP_NOBODY,
                                           .since = now,
                                           .at = now,
                                           .burst = of->has_burst ? &of->burst : NULL};
    if (--of->computing == 0)
        timeline->format->leave(timeline, rank, &computed);
}

static void end_core(void *self, uint32_t index)
{
    struct timeline *timeline = self;
    const struct timeline_core *core = pool_at(&timeline->cores, index);
    timeline->format->leave_core(timeline, core->rank, core->core, timeline->later.now);
    pool_give(&timeline->cores, index);
}

static void end_message(void *self, uint32_t index)
{
    struct timeline *timeline = self;
    timeline->format->received(timeline, pool_at(&timeline->arrivals, index), timeline->later.now);
    pool_give(&timeline->arrivals, index);
}

/* The run has reached `now`, so all waiting events up to then are due. */
static void pass_until(struct timeline *timeline, ps_t now)
{
    struct event event;
    while (loop_next_at(&timeline->later) <= now && loop_take(&timeline->later, &event))
        timeline->later.handlers[event.kind].run(timeline, event.subject);
    timeline->later.now = now;
}

/* -------------------------------------------------------------------- lanes */

static uint32_t take_lane(struct timeline *timeline, uint32_t rank_index, ps_t now)
{
    struct timeline_rank *rank = &timeline->rank[rank_index];
    uint32_t lane = 0;
    while (lane < rank->lane_count && rank->lanes[lane].free_at > now)
        lane++;
    if (lane == rank->lane_count) {
        rank->lanes = mem_grow(rank->lanes, &rank->lane_capacity, rank->lane_count + 1, "lanes");
        rank->lanes[rank->lane_count++] = (struct timeline_lane){0};
    }
    rank->lanes[lane].free_at = PS_NEVER;
    return lane;
}

/* ------------------------------------------------------------------ events */

static struct timeline_message *message_of(struct timeline *timeline, uint32_t index)
{
    size_t known = timeline->message_capacity;
    timeline->messages =
        mem_grow(timeline->messages, &timeline->message_capacity, (size_t)index + 1, "messages under way");
    for (; known < timeline->message_capacity; known++)
        timeline->messages[known].is_under_way = false;
    return &timeline->messages[index];
}

static void take_sent(struct timeline *timeline, const struct tap_record *record)
{
    const struct message *message = record->message;
    struct timeline_message *mine = message_of(timeline, record->index);
    *mine = (struct timeline_message){.number = ++timeline->message_count,
                                      .of_source = ++timeline->rank[message->source].sent,
                                      .bytes = message->bytes,
                                      .source = message->source,
                                      .destination = message->destination,
                                      .tag = message->tag,
                                      .op = message->op,
                                      .is_under_way = true,
                                      .lane = take_lane(timeline, message->source, timeline->later.now),
                                      .since = timeline->later.now,
                                      .first_part = POOL_NONE,
                                      .last_part = POOL_NONE};
    if (timeline->format->sent)
        timeline->format->sent(timeline, mine);
}

/* The parts of a control message are shown as parts of the message that it belongs to. */
static void keep_part(struct timeline *timeline, struct timeline_message *message,
                      const struct timeline_part *part)
{
    uint32_t index = pool_take(&timeline->parts);
    *(struct timeline_part *)pool_at(&timeline->parts, index) = *part;
    if (message->last_part == POOL_NONE)
        message->first_part = index;
    else
        ((struct timeline_part *)pool_at(&timeline->parts, message->last_part))->next = index;
    message->last_part = index;
}

static void take_received(struct timeline *timeline, const struct tap_record *record)
{
    if (!timeline->format->received)
        return;
    uint32_t index = pool_take(&timeline->arrivals);
    struct timeline_message *message = pool_at(&timeline->arrivals, index);
    *message = *message_of(timeline, record->index);
    message->slot = record->slot;
    loop_at(&timeline->later, record->at, timeline->received_kind, index);
}

static void take_finished(struct timeline *timeline, const struct tap_record *record)
{
    struct timeline_message *message = message_of(timeline, record->index);
    message->at = ps_max(message_received(record->message), record->message->send_released);
    message->is_under_way = false;
    timeline->rank[message->source].lanes[message->lane].free_at = message->at;
    if (timeline->format->message) {
        timeline_breakdown_fill(&timeline->breakdown, &timeline->parts, message);
        timeline->format->message(timeline, message, &timeline->breakdown);
    }
    for (uint32_t i = message->first_part; i != POOL_NONE;) {
        uint32_t next = ((const struct timeline_part *)pool_at(&timeline->parts, i))->next;
        pool_give(&timeline->parts, i);
        i = next;
    }
}

static void take_computed(struct timeline *timeline, const struct tap_record *record)
{
    struct timeline_rank *rank = &timeline->rank[record->rank];
    ps_t since = ps_max(record->since, timeline->later.now);
    if (record->at <= since)
        return;
    if (record->core && timeline->format->enter_core) {
        uint32_t index = pool_take(&timeline->cores);
        *(struct timeline_core *)pool_at(&timeline->cores, index) =
            (struct timeline_core){record->rank, record->core};
        timeline->format->enter_core(timeline, record->rank, record->core, since);
        loop_at(&timeline->later, record->at, timeline->core_kind, index);
        return;
    }
    rank->has_burst = record->burst != NULL;
    if (rank->has_burst)
        rank->burst = *record->burst;
    if (rank->computing++ == 0)
        timeline->format->enter(timeline, record->rank, CALL_COMPUTE, since);
    loop_at(&timeline->later, record->at, timeline->computed_kind, record->rank);
}

static void take_state(struct timeline *timeline, const struct tap_record *record)
{
    const struct timeline_wait wait = {.call = (uint8_t)record->call,
                                       .cause = (uint8_t)record->cause,
                                       .peer = record->peer,
                                       .since = record->since,
                                       .at = record->at,
                                       .site = record->kind == TAP_IDLE ? record->site_name : NULL};
    struct timeline_rank *rank = &timeline->rank[record->rank];
    if (record->kind == TAP_BLOCKED) {
        rank->is_waiting = true;
        timeline->format->enter(timeline, record->rank, wait.call, record->at);
    } else if (record->kind == TAP_IDLE) {
        if (rank->is_waiting) /* an engine may tell afterwards only */
            timeline->format->leave(timeline, record->rank, &wait);
        rank->is_waiting = false;
    }
}

/* The present time of the run; the times in the record may be before or after it. With compat=loggopsim, time
 * itself may go back. */
static ps_t present_of(const struct timeline *timeline, const struct tap_record *record)
{
    switch (record->kind) {
    case TAP_SENT:
    case TAP_BLOCKED:
    case TAP_ENDED:
        return ps_max(record->at, timeline->later.now);
    case TAP_IDLE:
        return timeline->rank[record->rank].is_waiting ? record->at : timeline->later.now;
    case TAP_COMPUTED:
        return ps_max(record->since, timeline->later.now);
    default:
        return timeline->later.now;
    }
}

static void take_record(void *self, const struct tap_record *record)
{
    struct timeline *timeline = self;
    pass_until(timeline, present_of(timeline, record));
    switch (record->kind) {
    case TAP_SENT:
        take_sent(timeline, record);
        break;
    case TAP_RECEIVED:
        take_received(timeline, record);
        break;
    case TAP_FINISHED:
        take_finished(timeline, record);
        break;
    case TAP_COMPUTED:
        take_computed(timeline, record);
        break;
    case TAP_ENDED:
        timeline->format->end_rank(timeline, record->rank, timeline->later.now);
        break;
    default:
        take_state(timeline, record);
        break;
    }
}

static void take_call(void *self, const struct program *program, uint32_t rank, const struct call *call,
                      ps_t at)
{
    struct timeline *timeline = self;
    pass_until(timeline, ps_max(at, timeline->later.now));
    timeline->format->call(timeline, program, rank, call, at);
}

static void take_part(void *self, uint32_t index, enum tap_part part, ps_t since, ps_t at,
                      const struct tap_awaited *awaited)
{
    struct timeline *timeline = self;
    pass_until(timeline, timeline->later.now);
    struct timeline_message *message = message_of(timeline, index);
    if (!message->is_under_way)
        return;
    struct timeline_part mine = {.since = since, .at = at, .part = (uint8_t)part, .next = POOL_NONE};
    if (awaited) {
        mine.alone = awaited->alone;
        mine.awaited = awaited->what;
        mine.which = awaited->which;
    }
    keep_part(timeline, message, &mine);
}

/* ------------------------------------------------------------ what is known */

bool timeline_shows_known(const struct timeline *timeline)
{
    return timeline->format->shows_known;
}

void timeline_know(struct timeline *timeline, const struct timeline_known *known)
{
    timeline->known = known;
}

ps_t timeline_slack(const struct timeline *timeline, const struct timeline_message *message)
{
    return timeline->known && timeline->known->slack
               ? timeline->known->slack[message->number - timeline->messages_before - 1]
               : PS_NEVER;
}

static int compare_step(const void *key, const void *item)
{
    const struct timeline_message *message = key;
    const struct timeline_step *step = item;
    if (message->source != step->source)
        return message->source < step->source ? -1 : 1;
    return (message->of_source > step->number) - (message->of_source < step->number);
}

const struct timeline_step *timeline_step(const struct timeline *timeline,
                                          const struct timeline_message *message)
{
    const struct timeline_known *known = timeline->known;
    return known && known->step_count
               ? bsearch(message, known->steps, known->step_count, sizeof *known->steps, compare_step)
               : NULL;
}

/* --------------------------------------------------------------------- runs */

enum status timeline_begin_run(struct timeline *timeline, const char *fabric)
{
    timeline->fabric = fabric;
    if (timeline->file)
        return STATUS_OK;
    const char *suffix = strrchr(timeline->path, '.'); /* not NULL: a name without suffix is Perfetto's */
    char *path = mem_format("%.*s.%s%s", (int)(suffix - timeline->path), timeline->path, fabric, suffix);
    enum status status = timeline->format->open(timeline, path);
    free(path);
    return status;
}

void timeline_listen(void *self, uint32_t ranks, struct tap *tap)
{
    struct timeline *timeline = self;
    timeline->ranks = ranks;
    timeline->messages_before = timeline->message_count;
    timeline->rank = mem_alloc(ranks, sizeof *timeline->rank, "timelines of ranks");
    pool_init(&timeline->parts, sizeof(struct timeline_part), "parts of messages");
    pool_init(&timeline->arrivals, sizeof(struct timeline_message), "messages under way");
    pool_init(&timeline->cores, sizeof(struct timeline_core), "cores that compute");
    loop_init(&timeline->later);
    timeline->computed_kind = loop_register(&timeline->later, end_computation, timeline);
    timeline->core_kind = loop_register(&timeline->later, end_core, timeline);
    timeline->received_kind = loop_register(&timeline->later, end_message, timeline);
    timeline->format->begin_run(timeline);
    uint32_t wanted = TAP_BIT(TAP_SENT) | TAP_BIT(TAP_RECEIVED) | TAP_BIT(TAP_FINISHED) |
                      TAP_BIT(TAP_BLOCKED) | TAP_BIT(TAP_IDLE) | TAP_BIT(TAP_COMPUTED) | TAP_BIT(TAP_ENDED);
    tap_handle(tap, wanted, take_record, timeline);
    tap->wants_bursts |= timeline->format->shows_bursts;
    if (timeline->format->call)
        tap->call = (struct tap_call_handler){.handle = take_call, .self = timeline};
    tap_handle_parts(tap, (struct tap_part_handler){.handle = take_part, .self = timeline});
}

static void free_run(struct timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->ranks; i++) {
        free(timeline->rank[i].lanes);
        free(timeline->rank[i].core_tracks);
    }
    free(timeline->rank);
    free(timeline->messages);
    free(timeline->breakdown.parts);
    pool_free(&timeline->parts);
    pool_free(&timeline->arrivals);
    pool_free(&timeline->cores);
    loop_free(&timeline->later);
    timeline->rank = NULL;
    timeline->messages = NULL;
    timeline->message_capacity = 0;
    timeline->breakdown = (struct timeline_breakdown){0};
}

enum status timeline_end_run(struct timeline *timeline, enum status run)
{
    if (timeline->rank) {
        pass_until(timeline, PS_NEVER - 1);
        timeline->format->end_run(timeline);
        free_run(timeline);
    }
    if (timeline->is_file_per_run && timeline->file) {
        run = timeline->format->close(timeline, run);
        timeline->file = NULL;
    }
    return run;
}

/* --------------------------------------------------------------------- file */

static const struct {
    const char *suffix;
    const struct timeline_format *format;
} suffixes[] = {
    {".pftrace", &perfetto_format},  {".perfetto-trace", &perfetto_format},
    {".perfetto", &perfetto_format}, {".paje", &paje_format},
    {".trace", &paje_format},        {".otf2", &otf2_format},
};

static const struct timeline_format *format_of(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t ending = strlen(suffixes[i].suffix);
        if (length > ending && strcasecmp(path + length - ending, suffixes[i].suffix) == 0)
            return suffixes[i].format;
    }
    diag_note(
        "%s is written in the format of Perfetto (https://ui.perfetto.dev), as a .pftrace file; .paje is "
        "for ViTE, .otf2 for Vampir",
        path);
    return &perfetto_format;
}

enum status timeline_open(const char *path, size_t runs, struct timeline **timeline)
{
    struct timeline *opened = mem_alloc(1, sizeof *opened, "the timeline");
    opened->path = path;
    opened->format = format_of(path);
    opened->is_file_per_run = runs > 1 && !opened->format->shows_several_runs;
    enum status status = opened->is_file_per_run ? STATUS_OK : opened->format->open(opened, path);
    if (status != STATUS_OK) {
        free(opened);
        return status;
    }
    *timeline = opened;
    return STATUS_OK;
}

enum status timeline_close(struct timeline *timeline, enum status run)
{
    if (!timeline)
        return run;
    if (timeline->file)
        run = timeline->format->close(timeline, run);
    free(timeline);
    return run;
}
