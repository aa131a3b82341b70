#ifndef HELIO_SOURCE_SOURCE_H
#define HELIO_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where in its source a program's code is.
 *
 *   source.h    what this room does
 *   libdw.c     looks addresses up, by the library libdw; or no_libdw.c, which finds nothing
 *   name.c      short names of places */

/* What is known of an address. */
struct source_place {
    char *file;      /* of the source, as the compiler was told it, from the debug information; or NULL */
    uint32_t line;   /* with `file` */
    char *function;  /* from the debug information or the symbols; or NULL */
    uint64_t offset; /* in `function` */
};

/* False: this program was built without libdw. */
bool source_is_built_in(void);

/* Files that have been looked into stay open until source_close. */
struct source;
struct source *source_open(void);
void source_close(struct source *source);

/* The place of an address of an executable or library, as the file counts addresses. What is not known is
 * NULL; a file that cannot be read has no place. To be freed by source_place_free. */
struct source_place source_find(struct source *source, const char *path, uint64_t address);
void source_place_free(struct source_place *place);

/* Why a file cannot say where its addresses are: it cannot be read, or it is not the one with this build ID
 * (in hexadecimal, its first 20 bytes; "" or NULL: not known). NULL: it can. The reason is told once for each
 * file, later it is "". */
const char *source_obstacle(struct source *source, const char *path, const char *build);

/* The names of addresses of executables and libraries, each to be freed: "halo.c:112", with as many of the
 * folders as distinguish files of one name; "solve+0x1f in program" without debug information; "+0x11f2 in
 * program" if nothing is known. A warning names each file that is not there or is another one. */
struct source_address {
    const char *path, *build; /* as for source_obstacle */
    uint64_t address;
};
/* The shortest end of a file's path that no other of the files has; `file` may be one of them. */
const char *source_short_name(const char *file, const char *const *files, size_t count);
char **source_names(const struct source_address *addresses, size_t count);

#endif
