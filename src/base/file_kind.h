#ifndef HELIO_BASE_FILE_KIND_H
#define HELIO_BASE_FILE_KIND_H

#include <stdbool.h>
#include <stddef.h>

/* What a file is, by its first bytes, for messages about files of a kind that a command does not read. */
struct file_kind {
    const char *what;   /* "an OTF2 trace" */
    const char *advice; /* what a user can do with it, as a clause */
    bool is_experiment; /* helio run and helio sweep read it */
};

enum { FILE_KIND_BYTES = 512 }; /* the first bytes of a file that are looked at */

/* NULL: it is none of the known kinds. */
const struct file_kind *file_kind_of(const char *head, size_t size);

/* Whether a file that begins with `head` is a tar archive, or is compressed by zstd, gzip, xz or bzip2, as
 * archives of traces are. */
bool file_kind_is_archive(const void *head, size_t size);

/* The first kind in the table of which the folder has a file, other than an experiment. *name becomes the
 * file's name, to be freed. NULL: there is none, or the folder cannot be read. */
const struct file_kind *file_kind_in_folder(const char *path, char **name);

/* Reports that the file is of this kind. */
void file_kind_report(const char *path, const struct file_kind *kind);

#endif
