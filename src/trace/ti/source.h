#ifndef HELIO_TRACE_TI_SOURCE_H
#define HELIO_TRACE_TI_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Where the text of a trace comes from: a directory of rank-<k>.txt, a SimGrid index file that names one file
 * per rank, or an archive of such a directory. */
enum ti_source_kind { TI_DIRECTORY, TI_INDEX, TI_ARCHIVE, TI_COMPILED, TI_MEMORY };

struct ti_file {
    char *name;  /* as messages show it */
    char *bytes; /* archives once unpacked, and memory; else NULL */
    size_t size;
};

struct ti_source {
    enum ti_source_kind kind;
    const char *path; /* as given */
    char *name;       /* "cg.S.4": the last part of the path, without the endings of archives */
    uint32_t ranks;   /* 0 for an archive that has not been unpacked */
    struct ti_file *files;
    size_t capacity;
    uint64_t key[2]; /* XXH3-128 of the contents: of an archive's bytes, or of every rank's text */
    char *packed;    /* an archive as it is */
    size_t packed_size;
};

enum { TRACE_MOST_RANKS = 1 << 24 };

/* Finds out what `path` is, which files it consists of, and their key. Errors: no such file, not a trace, a
 * rank missing or there twice. For TI_COMPILED nothing more is done. */
enum status ti_source_open(struct ti_source *source, const char *path);

/* Archives: reads everything into memory. Nothing to do for the other kinds. */
enum status ti_source_unpack(struct ti_source *source);

/* The text of one rank. For files it is read now and must be freed; *owned tells. */
struct ti_text {
    const char *bytes;
    size_t size;
    char *owned;
};
enum status ti_source_read(const struct ti_source *source, uint32_t rank, struct ti_text *text);
void ti_text_free(struct ti_text *text);

/* The key of files, rank by rank; for whoever reads them again and must know that they are still the same. */
struct ti_hash {
    void *state;
};
bool ti_hash_begin(struct ti_hash *hash); /* false: no memory; end it all the same */
void ti_hash_add(struct ti_hash *hash, const struct ti_text *text);
void ti_hash_end(struct ti_hash *hash, uint64_t key[2]);

void ti_source_close(struct ti_source *source);

/* A whole file. Reported when it cannot be read. */
enum status ti_file_load(const char *path, char **bytes, size_t *size);

/* For those who find the files: adds one whose name ends in "rank-<k>.txt", and, once all are there, puts
 * them into the order of their ranks; an error where one is missing or there twice. */
void ti_files_add(struct ti_source *source, struct ti_file file);
enum status ti_files_order(struct ti_source *source);

/* The number behind "rank-" in "rank-12.txt" or "1700000000_rank-12.txt", 0 for any other name. */
uint32_t ti_rank_number(const char *name);

#endif
