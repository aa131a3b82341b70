#ifndef HELIO_REPRODUCE_FOLDER_H
#define HELIO_REPRODUCE_FOLDER_H

#include <stdio.h>

#include "base/status.h"
#include "report/page.h"

/* The files of a reproduction, in a folder that is made if it is not there. Errors have been reported. */
enum status folder_make(const char *folder);

/* FOLDER/NAME and the ending, as `put` writes it from `what`. */
enum status folder_put_file(const char *folder, const char *name, const char *ending,
                            void (*put)(FILE *out, const void *what), const void *what);

/* FOLDER/NAME.html, before anything is computed. The page needs libraries that only the set-up can get, the
 * numbers do not: without them *page is NULL, and a warning says so. */
enum status folder_open_page(const char *folder, const char *name, struct report_page **page);
enum status folder_put_page(struct report_page *page, const char *title, const char *results,
                            enum report_program program);

#endif
