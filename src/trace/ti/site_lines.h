#ifndef HELIO_TRACE_TI_SITE_LINES_H
#define HELIO_TRACE_TI_SITE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The call sites of a captured trace. A tracer writes each as an address in a file, "+0x11f2 in
 * /home/me/halo", with room behind it for the name that is found when the program has ended
 * (docs/trace-format.md). If the file has a build ID, it stands behind the address: "+0x11f2#3fa9 in". */
struct site_line {
    char *text;       /* as the tracer wrote it */
    const char *path; /* in `text` */
    uint64_t address;
    char build[41]; /* the build ID in hexadecimal, or the first 20 bytes of it; "": not known */
};

struct site_lines {
    struct site_line *at; /* that differ, in ascending order of their texts */
    size_t count, capacity;
};

/* The call sites of all ranks of a folder that have no name yet. STATUS_FAILED, reported: a file cannot be
 * read. To be freed in any case. */
enum status site_lines_read(const char *folder, struct site_lines *lines);

/* Writes a name in the place of each text, cut at its begin if there is no room for all of it. STATUS_FAILED,
 * reported: a file cannot be written. */
enum status site_lines_name(const char *folder, const struct site_lines *lines, char *const *names);

void site_lines_free(struct site_lines *lines);

#endif
