#include <inttypes.h>
#include <stdio.h>

#include "output/output.h"
#include "report/timeline/internal.h"
#include "report/timeline/protobuf.h"

/* Perfetto's trace format (perfetto.dev/docs/reference/trace-packet-proto; tests/timeline/perfetto.proto has
 * the part that is used here). A file is a sequence of packets. A run is a process, a rank is a thread of it,
 * and the lanes of a rank's messages are tracks below that thread. */

/* Field numbers, message by message. */
enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60
};
enum { FLAG_STATE_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum {
    EVENT_CATEGORY = 3,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_ID = 10,
    EVENT_TRACK = 11,
    EVENT_NAME = 23,
    EVENT_FLOW = 47
};
enum { SLICE_BEGIN = 1, SLICE_END = 2 };
enum {
    ANNOTATION_NAME_ID = 1,
    ANNOTATION_UINT = 3,
    ANNOTATION_INT = 4,
    ANNOTATION_DOUBLE = 5,
    ANNOTATION_TEXT = 6
};
enum {
    INTERNED_CATEGORIES = 1,
    INTERNED_EVENTS = 2,
    INTERNED_ANNOTATIONS = 3,
    INTERNED_ID = 1,
    INTERNED_NAME = 2
};
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };

enum category { CATEGORY_RANK = 1, CATEGORY_MESSAGE, CATEGORY_PART, CATEGORIES };
static const char *const category_names[CATEGORIES] = {NULL, "rank", "message", "part"};

/* A name is written once and then referred to by its number. The times of parts follow the fixed names. */
enum annotation {
    NOTE_NS = 1,
    NOTE_IDLE_NS,
    NOTE_WAITED_FOR,
    NOTE_ALONE_NS,
    NOTE_SHARED_NS,
    NOTE_FROM,
    NOTE_TO,
    NOTE_BYTES,
    NOTE_TAG,
    NOTE_KIND,
    NOTE_PARTS
};
static const char *const note_names[NOTE_PARTS] = {NULL,       "ns",        "idle_ns",   "waited_for",
                                                   "alone_ns", "shared_ns", "from_rank", "to_rank",
                                                   "bytes",    "tag",       "kind"};

/* Behind the fixed names: theirs come with the first call site, and with the first burst. */
enum note_later {
    NOTE_SITE = NOTE_PARTS + TAP_PARTS + 1,
    NOTE_RECORDED_NS,
    NOTE_PROCESSOR_NS,
    NOTE_INSTRUCTIONS,
    NOTE_AFTER,
    NOTE_BEFORE,
    NOTE_SLACK_NS
};

enum { SEQUENCE = 1, NAME_OF_PART = CALL_OPS + 1 }; /* event names: calls from 1 on, then parts */

struct perfetto {
    struct output output;
    uint64_t tracks; /* used so far */
    uint64_t first_rank_track;
    uint64_t pid;
    uint64_t next_id;               /* of processes and threads */
    bool names_sites, names_bursts; /* the names of those notes are written */
    bool names_slack;
};

static void put_packet(struct perfetto *perfetto, const struct protobuf *packet)
{
    struct protobuf head = {.length = 0};
    protobuf_varint(&head, TRACE_PACKET << 3 | PROTOBUF_BLOCK);
    protobuf_varint(&head, packet->length);
    fwrite(head.bytes, 1, head.length, perfetto->output.file);
    fwrite(packet->bytes, 1, packet->length, perfetto->output.file);
}

/* -------------------------------------------------------------------- names */

static void put_name(struct perfetto *perfetto, uint32_t table, uint64_t id, const char *name, uint64_t flags)
{
    struct protobuf entry = {.length = 0}, interned = {.length = 0}, packet = {.length = 0};
    protobuf_uint(&entry, INTERNED_ID, id);
    protobuf_text(&entry, INTERNED_NAME, name);
    protobuf_message(&interned, table, &entry);
    protobuf_uint(&packet, PACKET_SEQUENCE, SEQUENCE);
    protobuf_uint(&packet, PACKET_FLAGS, flags);
    protobuf_message(&packet, PACKET_INTERNED, &interned);
    put_packet(perfetto, &packet);
}

static void put_names(struct perfetto *perfetto)
{
    uint64_t flags = FLAG_STATE_CLEARED; /* of the first packet only */
    for (uint32_t i = 1; i < CATEGORIES; i++, flags = FLAG_NEEDS_STATE)
        put_name(perfetto, INTERNED_CATEGORIES, i, category_names[i], flags);
    for (uint32_t i = 0; i < CALL_OPS; i++)
        put_name(perfetto, INTERNED_EVENTS, i + 1, call_op_name((enum call_op)i), flags);
    for (uint32_t i = 0; i <= TAP_PARTS; i++)
        put_name(perfetto, INTERNED_EVENTS, NAME_OF_PART + i, timeline_part_name(i), flags);
    for (uint32_t i = 1; i < NOTE_PARTS; i++)
        put_name(perfetto, INTERNED_ANNOTATIONS, i, note_names[i], flags);
    for (uint32_t i = 0; i <= TAP_PARTS; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s_ns", timeline_part_name(i));
        put_name(perfetto, INTERNED_ANNOTATIONS, NOTE_PARTS + i, name, flags);
    }
}

static enum status perfetto_open(struct timeline *timeline, const char *path)
{
    struct perfetto *perfetto = mem_alloc(1, sizeof *perfetto, "the timeline");
    if (output_open(&perfetto->output, path) != STATUS_OK) {
        free(perfetto);
        return STATUS_FAILED;
    }
    timeline->file = perfetto;
    put_names(perfetto);
    return STATUS_OK;
}

static enum status perfetto_close(struct timeline *timeline, enum status run)
{
    struct perfetto *perfetto = timeline->file;
    run = output_close(&perfetto->output, run);
    free(perfetto);
    return run;
}

/* ------------------------------------------------------------------- tracks */

static void put_track(struct perfetto *perfetto, const struct protobuf *track)
{
    struct protobuf packet = {.length = 0};
    protobuf_uint(&packet, PACKET_SEQUENCE, SEQUENCE);
    protobuf_message(&packet, PACKET_TRACK, track);
    put_packet(perfetto, &packet);
}

static void put_process(struct perfetto *perfetto, const char *name)
{
    struct protobuf process = {.length = 0}, track = {.length = 0};
    protobuf_uint(&process, PROCESS_PID, perfetto->pid);
    protobuf_text(&process, PROCESS_NAME, name);
    protobuf_uint(&track, TRACK_UUID, ++perfetto->tracks);
    protobuf_message(&track, TRACK_PROCESS, &process);
    put_track(perfetto, &track);
}

static void put_thread(struct perfetto *perfetto, uint32_t rank)
{
    struct protobuf thread = {.length = 0}, track = {.length = 0};
    char name[32];
    snprintf(name, sizeof name, "rank %" PRIu32, rank);
    protobuf_uint(&thread, THREAD_PID, perfetto->pid);
    protobuf_uint(&thread, THREAD_TID, perfetto->next_id++);
    protobuf_text(&thread, THREAD_NAME, name);
    protobuf_uint(&track, TRACK_UUID, ++perfetto->tracks);
    protobuf_message(&track, TRACK_THREAD, &thread);
    put_track(perfetto, &track);
}

static void perfetto_begin_run(struct timeline *timeline)
{
    struct perfetto *perfetto = timeline->file;
    perfetto->pid = ++perfetto->next_id;
    perfetto->next_id++;
    put_process(perfetto, timeline->fabric);
    perfetto->first_rank_track = perfetto->tracks + 1;
    for (uint32_t rank = 0; rank < timeline->ranks; rank++)
        put_thread(perfetto, rank);
}

/* A track below that of the rank. */
static uint64_t put_track_of(struct perfetto *perfetto, uint32_t rank, const char *name)
{
    struct protobuf track = {.length = 0};
    protobuf_uint(&track, TRACK_UUID, ++perfetto->tracks);
    protobuf_text(&track, TRACK_NAME, name);
    protobuf_uint(&track, TRACK_PARENT, perfetto->first_rank_track + rank);
    put_track(perfetto, &track);
    return perfetto->tracks;
}

static uint64_t track_of_lane(struct timeline *timeline, const struct timeline_message *message)
{
    struct timeline_lane *lane = &timeline->rank[message->source].lanes[message->lane];
    if (lane->track == 0) {
        char name[64];
        snprintf(name, sizeof name, "messages of rank %" PRIu32 ", lane %" PRIu32, message->source,
                 message->lane + 1);
        lane->track = put_track_of(timeline->file, message->source, name);
    }
    return lane->track;
}

static uint64_t track_of_core(struct timeline *timeline, uint32_t rank_index, uint32_t core)
{
    struct timeline_rank *rank = &timeline->rank[rank_index];
    size_t known = rank->core_capacity;
    rank->core_tracks =
        mem_grow(rank->core_tracks, &rank->core_capacity, (size_t)core + 1, "tracks of cores");
    for (; known < rank->core_capacity; known++)
        rank->core_tracks[known] = 0;
    if (rank->core_tracks[core] == 0) {
        char name[64];
        snprintf(name, sizeof name, "core %" PRIu32 " of rank %" PRIu32, core, rank_index);
        rank->core_tracks[core] = put_track_of(timeline->file, rank_index, name);
    }
    return rank->core_tracks[core];
}

/* ------------------------------------------------------------------- slices */

/* Exact below 2^53 ps, which is two and a half hours. */
static double ns_of(ps_t time)
{
    return (double)time / (double)PS_PER_NS;
}

static void note_double(struct protobuf *event, uint32_t note, double value)
{
    struct protobuf annotation = {.length = 0};
    protobuf_uint(&annotation, ANNOTATION_NAME_ID, note);
    protobuf_double(&annotation, ANNOTATION_DOUBLE, value);
    protobuf_message(event, EVENT_ANNOTATION, &annotation);
}

static void note_ns(struct protobuf *event, uint32_t note, ps_t time)
{
    note_double(event, note, ns_of(time));
}

static void note_number(struct protobuf *event, uint32_t note, uint64_t number)
{
    struct protobuf annotation = {.length = 0};
    protobuf_uint(&annotation, ANNOTATION_NAME_ID, note);
    protobuf_uint(&annotation, ANNOTATION_UINT, number);
    protobuf_message(event, EVENT_ANNOTATION, &annotation);
}

static void note_text(struct protobuf *event, uint32_t note, const char *text)
{
    struct protobuf annotation = {.length = 0};
    if (!*text)
        return;
    protobuf_uint(&annotation, ANNOTATION_NAME_ID, note);
    protobuf_text(&annotation, ANNOTATION_TEXT, text);
    protobuf_message(event, EVENT_ANNOTATION, &annotation);
}

static void begin_event(struct protobuf *event, uint64_t type, uint64_t track)
{
    event->length = 0;
    protobuf_uint(event, EVENT_TYPE, type);
    protobuf_uint(event, EVENT_TRACK, track);
}

static void begin_slice(struct protobuf *event, uint64_t track, enum category category, uint64_t name)
{
    begin_event(event, SLICE_BEGIN, track);
    protobuf_uint(event, EVENT_CATEGORY, category);
    if (name)
        protobuf_uint(event, EVENT_NAME_ID, name);
}

/* Perfetto's clock has whole nanoseconds. Rounding down keeps the order, so slices nest correctly. */
static void put_event(struct perfetto *perfetto, const struct protobuf *event, ps_t at)
{
    struct protobuf packet = {.length = 0};
    protobuf_uint(&packet, PACKET_TIMESTAMP, (uint64_t)(at / PS_PER_NS));
    protobuf_uint(&packet, PACKET_SEQUENCE, SEQUENCE);
    protobuf_uint(&packet, PACKET_FLAGS, FLAG_NEEDS_STATE);
    protobuf_message(&packet, PACKET_EVENT, event);
    put_packet(perfetto, &packet);
}

static void end_slice(struct perfetto *perfetto, uint64_t track, ps_t at)
{
    struct protobuf event;
    begin_event(&event, SLICE_END, track);
    put_event(perfetto, &event, at);
}

static void perfetto_enter(struct timeline *timeline, uint32_t rank, uint8_t call, ps_t at)
{
    struct perfetto *perfetto = timeline->file;
    struct protobuf event;
    begin_slice(&event, perfetto->first_rank_track + rank, CATEGORY_RANK, call + 1U);
    put_event(perfetto, &event, at);
}

/* What was recorded of a computation, whose time in the run may be another. */
static void note_burst(struct protobuf *event, const struct tap_burst *burst)
{
    note_double(event, NOTE_RECORDED_NS, (double)burst->lasted_ns);
    note_double(event, NOTE_PROCESSOR_NS, (double)burst->used_ns);
    if (burst->is_counted)
        note_number(event, NOTE_INSTRUCTIONS, burst->instructions);
    if (burst->after)
        note_text(event, NOTE_AFTER, burst->after);
    if (burst->before)
        note_text(event, NOTE_BEFORE, burst->before);
}

/* The viewer shows annotations of a slice's end with the slice. */
static void perfetto_leave(struct timeline *timeline, uint32_t rank, const struct timeline_wait *wait)
{
    struct perfetto *perfetto = timeline->file;
    struct protobuf event;
    char text[64];
    if (wait->site && !perfetto->names_sites)
        put_name(perfetto, INTERNED_ANNOTATIONS, NOTE_SITE, "call_site", FLAG_NEEDS_STATE);
    perfetto->names_sites |= wait->site != NULL;
    for (uint32_t i = 0; wait->burst && !perfetto->names_bursts && i < BURST_NOTES; i++)
        put_name(perfetto, INTERNED_ANNOTATIONS, NOTE_RECORDED_NS + i, timeline_burst_name(i),
                 FLAG_NEEDS_STATE);
    perfetto->names_bursts |= wait->burst != NULL;
    begin_event(&event, SLICE_END, perfetto->first_rank_track + rank);
    if (wait->call != CALL_COMPUTE)
        note_ns(&event, NOTE_IDLE_NS, wait->at - wait->since);
    note_text(&event, NOTE_WAITED_FOR, timeline_wait_text(wait, text, sizeof text));
    if (wait->site)
        note_text(&event, NOTE_SITE, wait->site);
    if (wait->burst)
        note_burst(&event, wait->burst);
    put_event(perfetto, &event, wait->at);
}

static void perfetto_enter_core(struct timeline *timeline, uint32_t rank, uint32_t core, ps_t at)
{
    struct protobuf event;
    begin_slice(&event, track_of_core(timeline, rank, core), CATEGORY_RANK, CALL_COMPUTE + 1U);
    put_event(timeline->file, &event, at);
}

static void perfetto_leave_core(struct timeline *timeline, uint32_t rank, uint32_t core, ps_t at)
{
    end_slice(timeline->file, track_of_core(timeline, rank, core), at);
}

static void perfetto_end_rank(struct timeline *timeline, uint32_t rank, ps_t at)
{
    (void)timeline, (void)rank, (void)at;
}

/* The time that the part would take alone is not waiting. */
static ps_t waited(const struct timeline_part *part)
{
    return part->awaited ? part->at - part->since - part->alone : 0;
}

static const char *say_awaited(const struct timeline_part *part, char *text, size_t size)
{
    text[0] = '\0';
    if (waited(part) > 0)
        snprintf(text, size, "%s %" PRIu32, part->awaited, part->which);
    return text;
}

static void put_part(struct perfetto *perfetto, uint64_t track, const struct timeline_part *part)
{
    struct protobuf event;
    char text[PROTOBUF_TEXT];
    begin_slice(&event, track, CATEGORY_PART, NAME_OF_PART + part->part);
    note_ns(&event, NOTE_NS, part->at - part->since);
    if (part->alone)
        note_ns(&event, NOTE_ALONE_NS, part->alone);
    note_text(&event, NOTE_WAITED_FOR, say_awaited(part, text, sizeof text));
    put_event(perfetto, &event, part->since);
    end_slice(perfetto, track, part->at);
}

static const struct timeline_part *longest_wait(const struct timeline_breakdown *breakdown)
{
    const struct timeline_part *longest = NULL;
    for (size_t i = 0; i < breakdown->count; i++)
        if (waited(&breakdown->parts[i]) > (longest ? waited(longest) : 0))
            longest = &breakdown->parts[i];
    return longest;
}

static void note_message(struct protobuf *event, const struct timeline_message *message,
                         const struct timeline_breakdown *breakdown)
{
    char text[PROTOBUF_TEXT];
    struct protobuf tag = {.length = 0};
    note_number(event, NOTE_FROM, message->source);
    note_number(event, NOTE_TO, message->destination);
    note_number(event, NOTE_BYTES, message->bytes);
    protobuf_uint(&tag, ANNOTATION_NAME_ID, NOTE_TAG);
    protobuf_uint(&tag, ANNOTATION_INT, (uint64_t)(int64_t)message->tag);
    protobuf_message(event, EVENT_ANNOTATION, &tag);
    note_text(event, NOTE_KIND, message->op < CALL_BARRIER ? "p2p" : call_op_name(message->op));
    note_ns(event, NOTE_NS, message->at - message->since);
    for (uint32_t part = 0; part <= TAP_PARTS; part++)
        if (breakdown->by_part[part])
            note_ns(event, NOTE_PARTS + part, breakdown->by_part[part]);
    if (breakdown->shared)
        note_ns(event, NOTE_SHARED_NS, breakdown->shared);
    const struct timeline_part *longest = longest_wait(breakdown);
    if (longest)
        note_text(event, NOTE_WAITED_FOR, say_awaited(longest, text, sizeof text));
}

/* The messages of the critical path are joined by arrows, each of which is a flow from one to the next. */
static void join_path(const struct timeline *timeline, struct protobuf *event,
                      const struct timeline_step *step)
{
    const uint64_t first = timeline->messages_before + 1; /* no run has more flows than messages */
    if (step->place > 0)
        protobuf_fixed64(event, EVENT_FLOW, first + step->place - 1);
    if (step->place + 1 < timeline->known->step_count)
        protobuf_fixed64(event, EVENT_FLOW, first + step->place);
}

/* What is known of the message from a run before. */
static void note_known(struct timeline *timeline, struct protobuf *event,
                       const struct timeline_message *message)
{
    struct perfetto *perfetto = timeline->file;
    const struct timeline_step *step = timeline_step(timeline, message);
    const ps_t slack = timeline_slack(timeline, message);
    if (step)
        join_path(timeline, event, step);
    if (slack == PS_NEVER)
        return;
    if (!perfetto->names_slack)
        put_name(perfetto, INTERNED_ANNOTATIONS, NOTE_SLACK_NS, "slack_ns", FLAG_NEEDS_STATE);
    perfetto->names_slack = true;
    note_ns(event, NOTE_SLACK_NS, slack);
}

static void perfetto_message(struct timeline *timeline, const struct timeline_message *message,
                             const struct timeline_breakdown *breakdown)
{
    struct perfetto *perfetto = timeline->file;
    uint64_t track = track_of_lane(timeline, message);
    struct protobuf event;
    char name[32];
    begin_slice(&event, track, CATEGORY_MESSAGE, 0);
    snprintf(name, sizeof name, "to rank %" PRIu32, message->destination);
    protobuf_text(&event, EVENT_NAME, name);
    note_message(&event, message, breakdown);
    if (timeline->known)
        note_known(timeline, &event, message);
    put_event(perfetto, &event, message->since);
    for (size_t i = 0; i < breakdown->count; i++)
        put_part(perfetto, track, &breakdown->parts[i]);
    end_slice(perfetto, track, message->at);
}

static void perfetto_end_run(struct timeline *timeline)
{
    (void)timeline;
}

const struct timeline_format perfetto_format = {
    .shows_several_runs = true,
    .shows_known = true,
    .shows_bursts = true,
    .open = perfetto_open,
    .begin_run = perfetto_begin_run,
    .enter = perfetto_enter,
    .leave = perfetto_leave,
    .enter_core = perfetto_enter_core,
    .leave_core = perfetto_leave_core,
    .end_rank = perfetto_end_rank,
    .message = perfetto_message,
    .end_run = perfetto_end_run,
    .close = perfetto_close,
};
