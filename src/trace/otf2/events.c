#include "trace/otf2/events.h"

static bool fail(struct otf2_events *events, const unsigned char *at, const char *fault)
{
    events->fault = fault;
    events->fault_at = events->chunk_at + (uint64_t)(at - events->chunk);
    return false;
}

static bool load_chunk(struct otf2_events *events)
{
    uint64_t left = events->window->size - events->chunk_at;
    size_t size = (size_t)(left < events->chunk_bytes ? left : events->chunk_bytes);
    const char *bytes = content_window_at(events->window, events->chunk_at, size);
    if (!bytes) {
        events->status = STATUS_BAD_INPUT;
        return false;
    }
    events->chunk = (const unsigned char *)bytes;
    events->bytes = (struct otf2_bytes){.at = events->chunk, .end = events->chunk + size};
    if (!otf2_chunk(&events->bytes))
        return fail(events, events->chunk,
                    size < OTF2_CHUNK_HEADER_BYTES ? "the events are cut short"
                                                   : "a chunk of events does not begin as it should");
    return true;
}

void otf2_events_begin(struct otf2_events *events, struct content_window *window, uint64_t chunk_bytes)
{
    *events = (struct otf2_events){.window = window, .chunk_bytes = chunk_bytes};
    load_chunk(events);
}

static bool next_chunk(struct otf2_events *events)
{
    events->chunk_at += events->chunk_bytes;
    if (events->chunk_at < events->window->size)
        return load_chunk(events);
    return fail(events, events->bytes.end, "the events are cut short: a chunk is missing");
}

/* Some kinds of records have a number and no length. */
static bool is_lone(uint8_t kind)
{
    enum { OMP_FORK = 24, OMP_TASK_CREATE = 28, OMP_TASK_COMPLETE = 30 };
    const uint64_t lone = UINT64_C(1) << OTF2_ENTER | UINT64_C(1) << OTF2_LEAVE |
                          UINT64_C(1) << OTF2_ISEND_COMPLETE | UINT64_C(1) << OTF2_IRECV_REQUEST |
                          UINT64_C(1) << OTF2_REQUEST_TEST | UINT64_C(1) << OTF2_REQUEST_CANCELLED |
                          UINT64_C(1) << OMP_FORK | UINT64_C(7) << OMP_TASK_CREATE;
    _Static_assert(OMP_TASK_COMPLETE == OMP_TASK_CREATE + 2, "three in a row");
    return kind < 64 && lone >> kind & 1;
}

static struct otf2_bytes lone_number(struct otf2_bytes *bytes)
{
    struct otf2_bytes number = *bytes;
    otf2_number(bytes);
    number.end = bytes->at;
    return number;
}

bool otf2_events_next(struct otf2_events *events, struct otf2_event *event)
{
    struct otf2_bytes *bytes = &events->bytes;
    event->attributes = (struct otf2_bytes){.at = NULL};
    while (!events->fault && events->status == STATUS_OK) {
        const unsigned char *at = bytes->at;
        uint8_t kind = otf2_byte(bytes);
        if (kind == OTF2_TIME) {
            events->time = otf2_time(bytes);
        } else if (kind == OTF2_END_OF_FILE && !bytes->failed) {
            return false;
        } else if (kind == OTF2_END_OF_CHUNK && !bytes->failed) {
            next_chunk(events);
            event->attributes = (struct otf2_bytes){.at = NULL}; /* they were in the chunk before */
            continue;
        } else if (kind == OTF2_ATTRIBUTES) {
            event->attributes = otf2_record(bytes);
        } else if (!bytes->failed) {
            event->kind = kind;
            event->time = events->time;
            event->byte = events->chunk_at + (uint64_t)(at - events->chunk);
            event->fields = is_lone(kind) ? lone_number(bytes) : otf2_record(bytes);
            if (!bytes->failed)
                return true;
        }
        if (bytes->failed)
            fail(events, at, "the events are cut short, or damaged here");
    }
    return false;
}
