#ifndef HELIO_TRACE_SOURCE_H
#define HELIO_TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Where the text of a trace comes from: a directory of rank-<k>.txt, a SimGrid index file that names one file
 * per rank, or an archive of such a directory. */
enum source_kind { SOURCE_DIRECTORY, SOURCE_INDEX, SOURCE_ARCHIVE, SOURCE_COMPILED, SOURCE_MEMORY };

struct source_file {
    char *name;  /* as messages show it */
    char *bytes; /* archives once unpacked, and memory; else NULL */
    size_t size;
};

struct source {
    enum source_kind kind;
    const char *path; /* as given */
    char *name;       /* "cg.S.4": the last part of the path, without the endings of archives */
    uint32_t ranks;   /* 0 for an archive that has not been unpacked */
    struct source_file *files;
    size_t capacity;
    uint64_t key[2]; /* XXH3-128 of the contents: of an archive's bytes, or of every rank's text */
    char *packed;    /* an archive as it is */
    size_t packed_size;
};

enum { SOURCE_MOST_RANKS = 1 << 24 };

/* Finds out what `path` is, which files it consists of, and their key. Errors: no such file, not a trace, a
 * rank missing or there twice. For SOURCE_COMPILED nothing more is done. */
enum status source_open(struct source *source, const char *path);

/* Archives: reads everything into memory. Nothing to do for the other kinds. */
enum status source_unpack(struct source *source);

/* The text of one rank. For files it is read now and must be freed; *owned tells. */
struct source_text {
    const char *bytes;
    size_t size;
    char *owned;
};
enum status source_read(const struct source *source, uint32_t rank, struct source_text *text);
void source_text_free(struct source_text *text);

/* The key of files, rank by rank; for whoever reads them again and must know that they are still the same. */
struct source_hash {
    void *state;
};
bool source_hash_begin(struct source_hash *hash); /* false: no memory; end it all the same */
void source_hash_add(struct source_hash *hash, const struct source_text *text);
void source_hash_end(struct source_hash *hash, uint64_t key[2]);

void source_close(struct source *source);

/* A whole file. Reported when it cannot be read. */
enum status source_load(const char *path, char **bytes, size_t *size);

/* For those who find the files: adds one whose name ends in "rank-<k>.txt", and, once all are there, puts
 * them into the order of their ranks; an error where one is missing or there twice. */
void source_add(struct source *source, struct source_file file);
enum status source_order(struct source *source);

/* The number behind "rank-" in "rank-12.txt" or "1700000000_rank-12.txt", 0 for any other name. */
uint32_t source_rank_number(const char *name);

#endif
