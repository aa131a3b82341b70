#include "schedule/load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"

static enum status cannot_read(const char *path)
{
    diag_report(DIAG_ERROR, &(struct diag_place){.file = path}, "cannot be read: %s", strerror(errno));
    return STATUS_BAD_INPUT;
}

enum status tdm_file_load(const char *path, char **text, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return cannot_read(path);
    char *buffer = NULL;
    size_t capacity = 0, used = 0, got;
    do {
        buffer = mem_grow(buffer, &capacity, used + 65536, "the text of a file");
        got = fread(buffer + used, 1, capacity - used, file);
        used += got;
    } while (got);
    enum status status = ferror(file) ? cannot_read(path) : STATUS_OK;
    fclose(file);
    if (status != STATUS_OK) {
        free(buffer);
        return status;
    }
    *text = buffer;
    *size = used;
    return STATUS_OK;
}
