#include "trace/ti/rank_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/file_kind.h"
#include "base/mem.h"
#include "trace/image/format.h"
#include "trace/image/number.h"
#include "trace/ti/packed.h"

uint32_t ti_rank_number(const char *name)
{
    const char *at = strstr(name, "rank-");
    if (!at || (at != name && at[-1] != '_'))
        return 0;
    int64_t number;
    const char *digits = at + strlen("rank-");
    const char *end = number_integer(digits, digits + strlen(digits), &number);
    if (!end || (strcmp(end, ".txt") != 0 && strcmp(end, ".txt" TI_PACKED_ENDING) != 0) || *digits == '-' ||
        *digits == '0' || number > TRACE_MOST_RANKS)
        return 0;
    return (uint32_t)number;
}

void ti_files_add(struct ti_files *files, struct ti_file file)
{
    files->at = mem_grow(files->at, &files->capacity, (size_t)files->count + 1, "the files of a trace");
    files->at[files->count++] = file;
}

void ti_files_free(struct ti_files *files)
{
    for (uint32_t rank = 0; rank < files->count; rank++) {
        free(files->at[rank].name);
        free(files->at[rank].bytes);
    }
    free(files->at);
    *files = (struct ti_files){0};
}

static uint32_t file_number(const struct ti_file *file)
{
    const char *slash = strrchr(file->name, '/');
    return ti_rank_number(slash ? slash + 1 : file->name);
}

static int by_number(const void *a, const void *b)
{
    uint32_t first = file_number(a), second = file_number(b);
    return first != second ? (first > second) - (first < second)
                           : strcmp(((const struct ti_file *)a)->name, ((const struct ti_file *)b)->name);
}

enum status ti_files_order(struct ti_files *files, const char *path)
{
    struct diag_place place = {.file = path};
    if (!files->count) {
        char *name;
        const struct file_kind *kind = file_kind_in_folder(path, &name);
        if (kind)
            diag_report(DIAG_ERROR, &place, "no rank-1.txt in it; its file %s is %s; %s", name, kind->what,
                        kind->advice);
        else
            diag_report(DIAG_ERROR, &place,
                        "no rank-1.txt in it; a trace is one rank-<k>.txt per rank, k = rank + 1");
        free(name);
        return STATUS_BAD_INPUT;
    }
    qsort(files->at, files->count, sizeof *files->at, by_number);
    for (uint32_t rank = 0; rank < files->count; rank++) {
        uint32_t number = file_number(&files->at[rank]);
        if (number == rank + 1)
            continue;
        if (number == rank)
            diag_report(DIAG_ERROR, &place, "two files for rank %u: %s and %s; a trace has one", rank - 1,
                        files->at[rank - 1].name, files->at[rank].name);
        else
            diag_report(DIAG_ERROR, &place,
                        "rank-%u.txt is missing; all from rank-1.txt to rank-%u.txt are expected", rank + 1,
                        file_number(&files->at[files->count - 1]));
        return STATUS_BAD_INPUT;
    }
    return STATUS_OK;
}
