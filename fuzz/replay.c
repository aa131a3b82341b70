/* The main() of a fuzz target that is built without libFuzzer. It runs the target on every file of the given
 * folders, in the order of their names, so that any compiler can build and run the corpora. It prints the
 * name of each input before the run, and a target aborts when it finds an error. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/status.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Errors go to stderr directly, since targets silence diagnostics. */
static bool cannot_read(const char *path)
{
    fprintf(stderr, "cannot read %s: %s\n", path, strerror(errno));
    return false;
}

/* Runs the target on memory that ends with the input, so that a sanitizer sees each read beyond it. */
static bool replay_file(const char *path)
{
    enum { BLOCK = 65536 };
    FILE *file = fopen(path, "rb");
    if (!file)
        return cannot_read(path);
    uint8_t *data = NULL;
    size_t capacity = 0, size = 0, got;
    do {
        data = mem_grow(data, &capacity, size + BLOCK, "an input");
        got = fread(data + size, 1, BLOCK, file);
        size += got;
    } while (got);
    bool good = !ferror(file) || cannot_read(path);
    fclose(file);
    data = mem_resize(data, size ? size : 1, 1, "an input");
    fprintf(stderr, "%s\n", path);
    if (good)
        LLVMFuzzerTestOneInput(data, size);
    free(data);
    return good;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Returns the number of files replayed, or -1 if something could not be read. */
static int replay_folder(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_visible, alphasort);
    if (count < 0) {
        cannot_read(folder);
        return -1;
    }
    bool good = true;
    for (int i = 0; i < count; i++) {
        char *path = mem_format("%s/%s", folder, entries[i]->d_name);
        good = replay_file(path) && good;
        free(path);
        free(entries[i]);
    }
    free(entries);
    return good ? count : -1;
}

int main(int argc, char **argv)
{
    int inputs = 0;
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        int count = replay_folder(argv[i]);
        if (count < 0)
            return STATUS_BAD_INPUT;
        inputs += count;
    }
    return inputs ? STATUS_OK : STATUS_BAD_INPUT; /* a run without input proves nothing */
}
