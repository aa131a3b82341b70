#ifndef HELIO_TRACE_TI_RANK_FILES_H
#define HELIO_TRACE_TI_RANK_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The files of a TI trace, one for each rank: rank-<k>.txt, k = rank + 1, or rank-<k>.txt.zst (packed.h). */
struct ti_file {
    char *name;  /* as messages show it */
    char *bytes; /* the text, if it is in memory; else NULL */
    size_t size;
};

struct ti_files {
    struct ti_file *at;
    uint32_t count;
    size_t capacity;
};

/* Takes over what `file` points to. */
void ti_files_add(struct ti_files *files, struct ti_file file);

/* Puts files named rank-<k>.txt into the order of their ranks. STATUS_BAD_INPUT, reported for `path`: there
 * are none, one is missing, or one is there twice. */
enum status ti_files_order(struct ti_files *files, const char *path);

void ti_files_free(struct ti_files *files);

/* The number behind "rank-" in "rank-12.txt", "1700000000_rank-12.txt" or "rank-12.txt.zst"; 0 for any other
 * name. */
uint32_t ti_rank_number(const char *name);

#endif
