#include "trace/ti/line.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/mem.h"
#include "trace/image/number.h"

void action_error(struct action_reader *reader, size_t at, size_t span, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct diag_place place = {.file = reader->writer->rank_file,
                               .line = reader->line,
                               .column = (uint32_t)at + 1,
                               .span = (uint32_t)(span ? span : 1),
                               .source = reader->text,
                               .source_length = reader->length};
    image_writer_error(reader->writer, &place, "%s", text);
}

void action_reader_free(struct action_reader *reader)
{
    free(reader->fields);
    free(reader->vector);
    hashmap_free(&reader->sites);
}

void action_split(struct action_reader *reader)
{
    const char *text = reader->text;
    reader->field_count = 0;
    for (size_t at = reader->body; at < reader->length;) {
        if (action_is_blank(text[at])) {
            at++;
            continue;
        }
        struct action_field field = {.at = at};
        while (at < reader->length && !action_is_blank(text[at]))
            at++;
        field.length = at - field.at;
        reader->fields = mem_grow(reader->fields, &reader->field_capacity, reader->field_count + 1, "fields");
        reader->fields[reader->field_count++] = field;
    }
}

const char *action_field_shown(const struct action_reader *reader, const struct action_field *field,
                               char buffer[64])
{
    size_t length = field->length < 60 ? field->length : 60;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)reader->text[field->at + i];
        buffer[i] = byte < 0x20 || byte == 0x7f ? '?' : (char)byte;
    }
    strcpy(buffer + length, length < field->length ? "..." : "");
    return buffer;
}

bool action_field_error(struct action_reader *reader, const struct action_field *field, const char *format,
                        ...)
{
    char text[900];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    action_error(reader, field->at, field->length, "%s", text);
    return false;
}

bool action_field_integer(struct action_reader *reader, const struct action_field *field, const char *what,
                          int64_t *value)
{
    char buffer[64];
    const char *begin = reader->text + field->at, *end = begin + field->length;
    if (number_integer(begin, end, value) != end)
        return action_field_error(reader, field, "'%s' is not %s; a whole number is expected",
                                  action_field_shown(reader, field, buffer), what);
    return true;
}
