#ifndef HELIO_TRACE_TI_LINE_H
#define HELIO_TRACE_TI_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "call/call.h"
#include "trace/image/writer.h"
#include "trace/ti/requests.h"

/* One line of a TI trace, its fields, and what a line needs to know of those before it. */
struct action_field {
    size_t at, length; /* in the line */
};

struct action_reader {
    struct image_writer *writer;
    struct requests *requests;
    uint32_t rank, ranks;
    int default_datatype; /* of counts without one */

    const char *text; /* the whole line, without its end */
    size_t length;
    size_t body; /* where the action's name starts */
    uint64_t line;
    struct action_field *fields; /* from the action's name on */
    size_t field_count, field_capacity;
    size_t all_fields;    /* with those of annotations */
    struct hashmap sites; /* of the rank, by their numbers in its text: their numbers in the trace */
    uint32_t comm;        /* the communicator of the line; 0 is the world */
    uint64_t *vector;     /* `ranks` entries */
};

/* What a line means by itself. trace/ti/reader.c finds the slot of its request, and trace/image/match.c the
 * channels. */
enum action_role {
    ROLE_PLAIN,
    ROLE_INIT,
    ROLE_FINALIZE,
    ROLE_COMPUTE,
    ROLE_START, /* begins a request of `key` */
    ROLE_WAIT,
    ROLE_TEST,
    ROLE_WAITALL,
};

struct action {
    struct call call;
    enum action_role role;
    enum call_doubt doubt;
    uint32_t site; /* the call site; 0: not known */
    uint32_t key;  /* ROLE_START, ROLE_WAIT, ROLE_TEST */
};

void action_reader_free(struct action_reader *reader);

/* Finds the fields of reader->text from reader->body on. */
void action_split(struct action_reader *reader);

/* Reports an error at `span` bytes from byte `at` of the line (at = length: behind its end). */
void action_error(struct action_reader *reader, size_t at, size_t span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same at a field; returns false. */
bool action_field_error(struct action_reader *reader, const struct action_field *field, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));

/* A field as it is shown in a message: cut if it is long, with '?' for control characters. */
const char *action_field_shown(const struct action_reader *reader, const struct action_field *field,
                               char buffer[64]);

bool action_field_integer(struct action_reader *reader, const struct action_field *field, const char *what,
                          int64_t *value);

static inline bool action_is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static inline bool action_field_is(const struct action_reader *reader, const struct action_field *field,
                                   const char *text)
{
    return field->length == strlen(text) && memcmp(reader->text + field->at, text, field->length) == 0;
}

#endif
