#ifndef HELIO_TRACE_TI_LINE_H
#define HELIO_TRACE_TI_LINE_H

#include <string.h>

#include "trace/ti/action.h"

/* What action.c and marks.c share. */
struct action_field {
    size_t at, length; /* in the line */
};

/* Reports an error at a field; returns false. */
bool action_field_error(struct action_reader *reader, const struct action_field *field, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));

/* A field as it is shown in a message: cut where long, and without bytes that a terminal would obey. */
const char *action_field_shown(const struct action_reader *reader, const struct action_field *field,
                               char buffer[64]);

bool action_field_integer(struct action_reader *reader, const struct action_field *field, const char *what,
                          int64_t *value);

static inline bool action_field_is(const struct action_reader *reader, const struct action_field *field,
                                   const char *text)
{
    return field->length == strlen(text) && memcmp(reader->text + field->at, text, field->length) == 0;
}

#endif
