#include "trace/otf2/source.h"

#include <string.h>

#include "base/mem.h"

char *otf2_source_path(const struct otf2_source *source, const char *suffix)
{
    return mem_format("%s%s", source->stem, suffix);
}

enum status otf2_refuse(const char *path, uint64_t byte, const char *what)
{
    diag_report(DIAG_ERROR, &(struct diag_place){.file = path, .line = byte | DIAG_BYTE}, "%s", what);
    return STATUS_BAD_INPUT;
}

enum status otf2_source_open(const struct otf2_source *source, const char *path,
                             struct content_window *window, uint64_t key[2])
{
    if (!source->memory)
        return content_window_open(window, path, key);
    for (size_t i = 0; i < source->memory_count; i++) {
        const struct otf2_memory *file = &source->memory[i];
        if (strcmp(path + strlen(source->stem), file->suffix) != 0)
            continue;
        *window = (struct content_window){.path = path, .bytes = file->bytes, .to = file->size};
        window->size = file->size;
        content_key(file->bytes, file->size, key);
        return STATUS_OK;
    }
    diag_report(DIAG_ERROR, &(struct diag_place){.file = path}, "this file of the archive is missing");
    return STATUS_BAD_INPUT;
}

enum status otf2_source_all(struct content_window *window, struct otf2_bytes *bytes)
{
    const char *at = content_window_at(window, 0, window->size);
    if (!at)
        return STATUS_BAD_INPUT;
    *bytes =
        (struct otf2_bytes){.at = (const unsigned char *)at, .end = (const unsigned char *)at + window->size};
    return STATUS_OK;
}
