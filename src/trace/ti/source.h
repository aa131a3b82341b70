#ifndef HELIO_TRACE_TI_SOURCE_H
#define HELIO_TRACE_TI_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "trace/ti/rank_files.h"

/* The text of a TI trace: a folder of rank-<k>.txt, a SimGrid index file that names one file per rank, or an
 * archive of such a folder. Texts may also be in memory. */
enum ti_source_kind { TI_FOLDER, TI_INDEX, TI_ARCHIVE, TI_MEMORY };

struct ti_source {
    enum ti_source_kind kind;
    const char *path;      /* as given */
    struct ti_files files; /* none in an archive that has not been unpacked */
    char *packed;          /* an archive as it is */
    size_t packed_size;
};

/* Finds the files of source->path, by source->kind, and the hash of their contents: of an archive's bytes, or
 * of the text of each rank. Errors: a file cannot be read, a rank is missing or there twice. */
enum status ti_source_open(struct ti_source *source, uint64_t key[2]);

/* Reads an archive into memory, and does nothing for the other kinds. */
enum status ti_source_unpack(struct ti_source *source);

/* The text of one rank, to be freed with ti_text_free: that of a file is read now. */
struct ti_text {
    const char *bytes;
    size_t size;
    char *owned; /* NULL: the source owns the bytes */
};
enum status ti_source_read(const struct ti_source *source, uint32_t rank, struct ti_text *text);
void ti_text_free(struct ti_text *text);

/* Whether texts are read from files, which another process may write to in the meantime. */
static inline bool ti_source_can_change(const struct ti_source *source)
{
    return source->kind == TI_FOLDER || source->kind == TI_INDEX;
}

/* Whether the first line of a file, which begins with `head`, names a file, as those of an index do. */
bool ti_source_is_index(const char *path, const char *head, size_t size);

void ti_source_close(struct ti_source *source);

#endif
