#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"

static enum status cannot_read(const char *path)
{
    diag_report(DIAG_ERROR, &(struct diag_place){.file = path}, "cannot be read: %s", strerror(errno));
    return STATUS_BAD_INPUT;
}

static enum status too_large(const char *path, uint64_t limit_bytes, const char *what)
{
    char limit[64];
    diag_report(DIAG_ERROR, &(struct diag_place){.file = path}, "it has more than %s, the limit of %s",
                units_print_size(limit_bytes, limit, sizeof limit), what);
    return STATUS_BAD_INPUT;
}

enum status file_load(const char *path, uint64_t limit_bytes, const char *what, char **bytes, size_t *size)
{
    enum { STEP = 1 << 16 };
    FILE *file = fopen(path, "rbe");
    if (!file)
        return cannot_read(path);
    char *buffer = NULL;
    size_t capacity = 0, used = 0, got;
    do {
        buffer = mem_grow(buffer, &capacity, used + STEP, "the text of a file");
        got = fread(buffer + used, 1, capacity - used, file);
        used += got;
    } while (got && used <= limit_bytes);
    enum status status = STATUS_OK;
    if (ferror(file))
        status = cannot_read(path);
    else if (used > limit_bytes)
        status = too_large(path, limit_bytes, what);
    fclose(file);
    if (status != STATUS_OK) {
        free(buffer);
        return status;
    }
    *bytes = buffer;
    *size = used;
    return STATUS_OK;
}

bool file_next_line(FILE *file, struct file_line *line)
{
    int byte = EOF;
    line->length = 0;
    while (byte != '\n' && (byte = getc_unlocked(file)) != EOF) {
        if (line->length == FILE_LINE_AT_MOST) {
            line->is_too_long = true;
            return false;
        }
        line->text = mem_grow(line->text, &line->capacity, line->length + 2, "a line");
        line->text[line->length++] = (char)byte;
    }
    if (line->length)
        line->text[line->length] = '\0';
    return line->length > 0;
}

FILE *file_open_regular(const char *path)
{
    struct stat about;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return NULL;
    FILE *file = NULL;
    bool is_known = fstat(descriptor, &about) == 0;
    if (is_known && S_ISREG(about.st_mode))
        file = fdopen(descriptor, "rb");
    else if (is_known)
        errno = EINVAL;
    const int error = errno;
    if (!file)
        close(descriptor);
    errno = error;
    return file;
}
