#include "base/memory_stream.h"

#include <string.h>
#include <sys/types.h>

#include "base/mem.h"

struct memory_stream {
    char **text, *bytes;
    size_t *length, used, capacity;
};

static ssize_t take_bytes(void *self, const char *bytes, size_t length)
{
    struct memory_stream *stream = self;
    stream->bytes = mem_grow(stream->bytes, &stream->capacity, stream->used + length + 1, "a text");
    memcpy(stream->bytes + stream->used, bytes, length);
    stream->used += length;
    return (ssize_t)length;
}

static int give_text(void *self)
{
    struct memory_stream *stream = self;
    take_bytes(stream, "", 0);
    stream->bytes[stream->used] = '\0';
    *stream->text = stream->bytes;
    *stream->length = stream->used;
    free(stream);
    return 0;
}

FILE *memory_stream_open(char **text, size_t *length)
{
    struct memory_stream *stream = mem_alloc(1, sizeof *stream, "a text");
    *stream = (struct memory_stream){.text = text, .length = length};
    FILE *file = fopencookie(stream, "w", (cookie_io_functions_t){.write = take_bytes, .close = give_text});
    if (!file)
        mem_exhausted("a text");
    return file;
}
