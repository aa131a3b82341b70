#include "trace/otf2/queue.h"

#include <stdlib.h>
#include <string.h>

enum { MANY_REQUESTS = 4096 };

void otf2_queue_begin(struct otf2_queue *queue, struct image_writer *writer)
{
    queue->writer = writer;
    queue->head = queue->count = 0;
    queue->base = 0;
    queue->is_held = true;
    queue->is_stopped = false;
    queue->request_count = 0;
    hashmap_clear(&queue->index);
    image_slots_clear(&queue->slots);
}

void otf2_queue_free(struct otf2_queue *queue)
{
    free(queue->entries);
    free(queue->requests);
    hashmap_free(&queue->index);
    image_slots_free(&queue->slots);
    *queue = (struct otf2_queue){0};
}

void otf2_queue_forget(struct otf2_queue *queue)
{
    queue->base += queue->count;
    queue->head = queue->count = 0;
}

/* Makes room at the front once half of the entries have gone, so that each is moved once at most. */
static void close_ranks(struct otf2_queue *queue)
{
    if (queue->head == queue->count) {
        otf2_queue_forget(queue);
    } else if (queue->head > 1024 && queue->head > queue->count / 2) {
        queue->count -= queue->head;
        queue->base += queue->head;
        memmove(queue->entries, queue->entries + queue->head, queue->count * sizeof *queue->entries);
        queue->head = 0;
    }
}

void otf2_queue_add(struct otf2_queue *queue, const struct otf2_entry *entry)
{
    close_ranks(queue);
    queue->entries = mem_grow(queue->entries, &queue->capacity, queue->count + 1, "calls of a rank");
    queue->entries[queue->count++] = *entry;
}

/* Numbers of requests grow, so those of the past are forgotten when none is outstanding. */
static void forget_requests(struct otf2_queue *queue)
{
    if (queue->slots.outstanding || queue->request_count < MANY_REQUESTS)
        return;
    hashmap_clear(&queue->index);
    queue->request_count = 0;
}

bool otf2_queue_start(struct otf2_queue *queue, uint64_t id, const struct otf2_entry *entry)
{
    forget_requests(queue);
    uint32_t *known = hashmap_slot(&queue->index, id);
    if (*known && !queue->requests[*known - 1].is_complete)
        return false;
    if (!*known) {
        queue->requests = mem_grow(queue->requests, &queue->request_capacity, queue->request_count + 1,
                                   "requests of a rank");
        *known = (uint32_t)++queue->request_count;
    }
    struct otf2_request *request = &queue->requests[*known - 1];
    otf2_queue_add(queue, entry);
    struct otf2_entry *mine = &queue->entries[queue->count - 1];
    *request = (struct otf2_request){.entry = queue->base + queue->count - 1,
                                     .slot = image_slots_take(&queue->slots) + SLOT_FIRST};
    mine->is_open = true;
    mine->call.slot = request->slot;
    mine->call.flags |= CALL_IMMEDIATE;
    return true;
}

struct otf2_request *otf2_queue_request(const struct otf2_queue *queue, uint64_t id)
{
    uint32_t known = hashmap_get(&queue->index, id);
    if (!known || queue->requests[known - 1].is_complete)
        return NULL;
    return &queue->requests[known - 1];
}

struct otf2_entry *otf2_queue_entry(struct otf2_queue *queue, const struct otf2_request *request)
{
    return &queue->entries[request->entry - queue->base];
}

void otf2_queue_complete(struct otf2_queue *queue, struct otf2_request *request)
{
    otf2_queue_entry(queue, request)->is_open = false;
    request->is_complete = true;
    image_slots_give(&queue->slots, request->slot - SLOT_FIRST);
}

static void give(struct otf2_queue *queue, const struct otf2_entry *entry)
{
    struct call call = entry->call;
    if (entry->note != NOTE_KINDS)
        image_writer_note(queue->writer, (enum image_note_kind)entry->note);
    if (entry->note == NOTE_LOST && call.op == CALL_NOTHING)
        call.flags |= CALL_LOST;
    queue->is_stopped |= !image_writer_add(queue->writer, &call, entry->text, entry->byte | DIAG_BYTE);
}

/* A send is known from its start. */
static void close_entry(struct otf2_entry *entry)
{
    if (entry->call.op == CALL_SEND)
        return;
    entry->call = (struct call){.op = CALL_NOTHING};
    entry->note = NOTE_LOST;
}

void otf2_queue_flush(struct otf2_queue *queue, bool at_end)
{
    if (queue->is_held && !at_end)
        return;
    for (; queue->head < queue->count && !queue->is_stopped; queue->head++) {
        struct otf2_entry *entry = &queue->entries[queue->head];
        if (entry->is_open && !at_end)
            return;
        if (entry->is_open)
            close_entry(entry);
        give(queue, entry);
    }
}
