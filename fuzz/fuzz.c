#include "fuzz/fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"

bool fuzz_is_too_large;

static void say_nothing(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level, (void)message;
}

void fuzz_be_silent(void)
{
    diag_set_sink(say_nothing, NULL);
}

void fuzz_must(bool holds, const char *format, ...)
{
    va_list args;
    if (holds)
        return;
    va_start(args, format);
    fputs("broken: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}

bool fuzz_is_large_graph(const char *text)
{
    static const char *const words[] = {"slimfly", "jellyfish", "dragonflyplus", "megafly"};
    bool is_graph = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        is_graph |= strncmp(text, words[i], strlen(words[i])) == 0;
    for (const char *at = text; is_graph && *at; at += strspn(at, "0123456789")) {
        at += strcspn(at, "0123456789");
        if (strspn(at, "0123456789") > 2)
            return true;
    }
    return false;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = mem_alloc(size + 1, 1, "a text");
    if (size)
        memcpy(text, data, size);
    return text;
}

int fuzz_file(const void *data, size_t size)
{
    int descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    fuzz_must(descriptor >= 0 && write(descriptor, data, size) == (ssize_t)size, "no memory file");
    return descriptor;
}

struct fuzz_piece fuzz_cut(struct fuzz_piece *rest, const char *separator)
{
    size_t width = strlen(separator);
    const char *end = rest->size ? memmem(rest->bytes, rest->size, separator, width) : NULL;
    struct fuzz_piece piece = *rest;
    if (!end) {
        rest->size = 0;
        return piece;
    }
    piece.size = (size_t)(end - rest->bytes);
    rest->bytes = end + width;
    rest->size -= piece.size + width;
    return piece;
}
