#ifndef HELIO_TRACE_OTF2_QUEUE_H
#define HELIO_TRACE_OTF2_QUEUE_H

#include "base/hashmap.h"
#include "trace/image/slots.h"
#include "trace/image/writer.h"

/* The calls of a rank on their way to the image writer, and its requests. An archive says what a request
 * moves where it completes, and that it was cancelled where it is waited for. So calls are held back from the
 * start of a request to its completion. */

struct otf2_entry {
    struct call call;
    const char *text; /* shown in messages; NULL: what the call does */
    uint64_t byte;    /* of its record */
    bool is_open;     /* its request is not complete */
    uint32_t note;    /* enum image_note_kind; NOTE_KINDS: none */
};

struct otf2_request {
    uint64_t entry; /* the number of the call that started it */
    uint32_t slot;
    bool is_complete;
};

struct otf2_queue {
    struct image_writer *writer;
    struct otf2_entry *entries; /* [head, count) are held back */
    size_t head, count, capacity;
    uint64_t base;        /* the number of entries[0] */
    bool is_held;         /* all calls are, until the program has begun */
    bool is_stopped;      /* the writer takes no more */
    struct hashmap index; /* of requests by their numbers in the archive */
    struct otf2_request *requests;
    size_t request_count, request_capacity;
    struct image_slots slots;
};

/* Before each rank; memory is used again. */
void otf2_queue_begin(struct otf2_queue *queue, struct image_writer *writer);
void otf2_queue_free(struct otf2_queue *queue);

void otf2_queue_add(struct otf2_queue *queue, const struct otf2_entry *entry);
/* Forgets the calls that are held back: they came before the program has begun. */
void otf2_queue_forget(struct otf2_queue *queue);

/* Starts request `id` with a call whose rest is known when the request completes. False: a request of this
 * number is outstanding. */
bool otf2_queue_start(struct otf2_queue *queue, uint64_t id, const struct otf2_entry *entry);

/* NULL: no such request is outstanding. Valid until the next start. */
struct otf2_request *otf2_queue_request(const struct otf2_queue *queue, uint64_t id);
struct otf2_entry *otf2_queue_entry(struct otf2_queue *queue, const struct otf2_request *request);

/* The request is complete: its entry holds the whole call, and its slot is free. */
void otf2_queue_complete(struct otf2_queue *queue, struct otf2_request *request);

/* Gives the writer what need not be held back. `at_end`: also calls whose requests never complete; what is
 * not known of them makes them calls that do nothing. */
void otf2_queue_flush(struct otf2_queue *queue, bool at_end);

#endif
