#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "base/param.h"
#include "base/path.h"

/* Paths in the values of parameters. */

bool param_find_whole(const char *bytes, size_t from, struct param_path *path)
{
    *path = (struct param_path){.at = 0, .length = strlen(bytes)};
    return from == 0 && path->length;
}

struct growing_text {
    char *bytes;
    size_t length, capacity;
};

static void append(struct growing_text *text, const char *bytes, size_t length)
{
    text->bytes = mem_grow(text->bytes, &text->capacity, text->length + length + 1, "a text");
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

/* The bytes of a value, whose text form is right; NULL: it has no paths, or is wrong. */
static char *bytes_of(const struct param *param, const char *text)
{
    size_t at;
    if (!param->find_path)
        return NULL;
    char *bytes = mem_alloc(strlen(text) + 1, 1, "a text");
    if (!bytes_from_text(text, bytes, &at))
        return bytes;
    free(bytes);
    return NULL;
}

static void (*hear_path)(const char *path);

void param_hear_paths(void (*hear)(const char *path))
{
    hear_path = hear;
}

void param_tell_paths(const struct param *param, const char *text)
{
    char *bytes = hear_path ? bytes_of(param, text) : NULL;
    struct param_path path;
    for (size_t from = 0; bytes && param->find_path(bytes, from, &path); from = path.at + path.length) {
        char *name = mem_format("%.*s", (int)path.length, bytes + path.at);
        hear_path(name);
        free(name);
    }
    free(bytes);
}

char *param_text_beside(const struct param *param, const char *text, const char *file)
{
    char *bytes = bytes_of(param, text);
    if (!bytes)
        return mem_text(text);
    struct param_path path;
    struct growing_text moved = {.length = 0};
    size_t from = 0;
    while (param->find_path(bytes, from, &path)) {
        char *old = mem_format("%.*s", (int)path.length, bytes + path.at);
        char *beside = path_beside(file, old);
        append(&moved, bytes + from, path.at - from);
        append(&moved, beside, strlen(beside));
        from = path.at + path.length;
        free(old);
        free(beside);
    }
    append(&moved, bytes + from, strlen(bytes + from));
    char *form = bytes_to_text(moved.bytes);
    param_tell_paths(param, form);
    free(moved.bytes);
    free(bytes);
    return form;
}

/* `path` is as path_beside() has made it. */
static char *hint_of(const char *path, const char *file)
{
    const char *slash = strrchr(file, '/');
    size_t folder = slash ? (size_t)(slash - file) + 1 : 0;
    if (!folder || strncmp(path, file, folder) != 0 || access(path, F_OK) == 0 ||
        access(path + folder, F_OK) != 0)
        return NULL;
    char *right = path_to_write(file, path + folder);
    char *hint = right
                     ? mem_format("paths in %s are relative to it; for %s in the working directory, write %s",
                                  file, path + folder, right)
                     : NULL;
    free(right);
    return hint;
}

char *param_path_hint(const struct param *param, const char *text, const char *origin)
{
    const char *colon = strrchr(origin, ':');
    char *file = mem_format("%.*s", colon ? (int)(colon - origin) : 0, origin);
    char *bytes = bytes_of(param, text), *hint = NULL;
    struct param_path path;
    for (size_t from = 0; bytes && !hint && param->find_path(bytes, from, &path);
         from = path.at + path.length) {
        char *name = mem_format("%.*s", (int)path.length, bytes + path.at);
        hint = hint_of(name, file);
        free(name);
    }
    free(bytes);
    free(file);
    return hint;
}
