#ifndef HELIO_OUTPUT_OUTPUT_H
#define HELIO_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

/* What the program writes.
 *
 *     output.h       files and folders that are whole or absent
 *     standard.h     standard output
 *     interrupt.h    SIGINT, SIGTERM and SIGHUP
 *     quote.h        texts from outside, safe in each output language
 *     unfinished.h   private names of files that are not whole yet; tree.h removes a folder
 *     fabric_style.h colours, dashes and marker of each fabric, the same in all pages and figures
 *     stream.h       a FILE that remembers its first error
 *     cache.h        results that are kept for later
 *
 * A file that is whole or absent: it is written under a private name beside `path`, and gets its name at the
 * end, once it is on the disk. A link to a file stays a link. A pipe or a device is written to directly, as
 * is a name of an open file (/dev/stdout). */
struct output {
    FILE *file; /* NULL: not open */
    struct output_state *state;
};

/* The words of the command line, which must stay valid: no file that two of them name is overwritten, since
 * one names it to read it. Nor is a file that a parameter names from now on, as an experiment file its trace.
 */
void output_note_words(int count, char *const *words);

/* Reported: STATUS_FAILED, the file cannot be written; STATUS_BAD_INPUT, another word of the command line
 * or a parameter names it, too, or the path is "-", which means standard output to other programs. */
enum status output_open(struct output *output, const char *path);

/* The same for a file that the command reads in order to change it. */
enum status output_open_changed(struct output *output, const char *path);

/* Whether a write failed already: output_close reports it. */
bool output_has_failed(const struct output *output);

/* Whether the file can be written in any order: a pipe or a device cannot. */
bool output_can_seek(const struct output *output);

/* Keeps the file if `run` is STATUS_OK and every byte was written, else removes it. Returns `run`, or
 * STATUS_FAILED, reported, if writing failed. An output that is not open stays so. */
enum status output_close(struct output *output, enum status run);

/* A new folder that is whole or absent. Its files are written under output_folder_path, by any means, and
 * need no private names. */
struct output_folder {
    struct output_folder_state *state; /* NULL: not open */
};

/* Reported: STATUS_BAD_INPUT, `path` exists or is "-"; STATUS_FAILED, the folder cannot be made. */
enum status output_folder_open(struct output_folder *folder, const char *path);
const char *output_folder_path(const struct output_folder *folder);

/* Writes `size` bytes as a file of the folder. STATUS_FAILED, reported: it cannot be written. */
enum status output_folder_put(const struct output_folder *folder, const char *name, const void *bytes,
                              size_t size);

/* Opens and closes a file of the folder. It is there from its opening on, since the folder is private. */
enum status output_folder_file(const struct output_folder *folder, const char *name, struct output *output);

/* As output_close. */
enum status output_folder_close(struct output_folder *folder, enum status run);

#endif
